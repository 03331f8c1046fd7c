/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * What is done with a WeftFabric that runs; weft-fabric.cc makes it.
 */
#include "weft-fabric.h"
#include "weft-time.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"

#include <cinttypes>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabricRun");

uint64_t
WeftFabric::Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, uint32_t prio)
{
    NS_LOG_FUNCTION(this << src << dst << bytes << tag << prio);
    weft_msg msg = {};
    msg.src = src;
    msg.dst = dst;
    msg.bytes = bytes;
    msg.tag = tag;
    msg.prio = prio;
    uint64_t id = 0;
    weft_err err = {};
    if (TrySend(msg, &id, &err) != 0)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    return id;
}

int
WeftFabric::TrySend(const weft_msg& msg, uint64_t* id, weft_err* err)
{
    NS_LOG_FUNCTION(this << id);
    int rc = Build(err);
    if (rc != 0)
    {
        return rc;
    }
    m_pump.SyncClock();
    rc = weft_engine_send(m_engine, &msg, id, err);
    m_pump.Touch();
    return rc;
}

bool
WeftFabric::SendFrame(WeftFrameDevice* device,
                      uint32_t port,
                      Ptr<Packet> packet,
                      uint16_t protocol,
                      const Address& dest,
                      uint32_t prio,
                      uint32_t bytes)
{
    NS_LOG_FUNCTION(this << device << port << packet << protocol << dest << prio << bytes);
    weft_engine_frame frame = {};
    if (!m_frames.Add(device, port, packet, protocol, dest, prio, bytes, frame))
    {
        return false;
    }
    weft_err err = {};
    int rc = BuildForOne("packets of ns-3's Internet stack", &err);
    if (rc == 0)
    {
        m_pump.SyncClock();
        rc = weft_engine_send_frame(m_engine, &frame, &err);
        m_pump.Touch();
    }
    if (rc != 0)
    {
        m_frames.Refuse(device, frame.handle, err);
    }
    return rc == 0;
}

int
WeftFabric::TryGroup(const uint32_t* hosts, uint32_t n, uint32_t prio, uint32_t* id, weft_err* err)
{
    NS_LOG_FUNCTION(this << hosts << n << prio << id);
    int rc = BuildForOne("operations in which switches take part", err);
    return rc != 0 ? rc : weft_engine_group(m_engine, hosts, n, prio, id, err);
}

int
WeftFabric::TryContribute(const weft_part& part, weft_err* err)
{
    NS_LOG_FUNCTION(this);
    int rc = BuildForOne("operations in which switches take part", err);
    if (rc != 0)
    {
        return rc;
    }
    m_pump.SyncClock();
    rc = weft_engine_contribute(m_engine, &part, err);
    m_pump.Touch();
    return rc;
}

int
WeftFabric::TryTimer(int64_t delayPs,
                     void (*fn)(void* ctx, uint64_t arg),
                     void* ctx,
                     uint64_t arg,
                     weft_err* err)
{
    NS_LOG_FUNCTION(this << delayPs << ctx << arg);
    return AskForTimer(false, delayPs, fn, ctx, arg, err);
}

int
WeftFabric::TryPlan(int64_t delayPs,
                    void (*fn)(void* ctx, uint64_t arg),
                    void* ctx,
                    uint64_t arg,
                    weft_err* err)
{
    NS_LOG_FUNCTION(this << delayPs << ctx << arg);
    return AskForTimer(true, delayPs, fn, ctx, arg, err);
}

int
WeftFabric::AskForTimer(bool plans,
                        int64_t delayPs,
                        void (*fn)(void* ctx, uint64_t arg),
                        void* ctx,
                        uint64_t arg,
                        weft_err* err)
{
    int rc = BuildForOne("timers of C", err);
    if (rc != 0)
    {
        return rc;
    }
    m_pump.SyncClock();
    const int64_t now = weft_engine_now(m_engine);
    if (delayPs < 0 || delayPs >= WEFT_NEVER - now)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "timer delay of %" PRId64 " ps is negative or too long",
                            delayPs);
    }
    const auto ask = plans ? &weft_engine_plan : &weft_engine_timer;
    rc = ask(m_engine, now + delayPs, fn, ctx, arg, err);
    m_pump.Touch();
    return rc;
}

int
WeftFabric::TrySetLink(uint32_t link, bool up, weft_err* err)
{
    NS_LOG_FUNCTION(this << link << up);
    weft_link_change change{};
    change.link = link;
    change.kind = up ? WEFT_LINK_UP : WEFT_LINK_DOWN;
    int rc = TryChangeLinks(&change, 1, err);
    weft_err circle{};
    if (rc == 0 && !up &&
        weft_engine_check_links(m_graph, &m_params.pfc, weft_engine_links_down(m_engine), &circle))
    {
        NS_LOG_WARN("without link " << link << ": " << circle.msg);
    }
    return rc;
}

int
WeftFabric::TryChangeLinks(weft_link_change* changes, std::size_t n, weft_err* err)
{
    NS_LOG_FUNCTION(this << changes << n);
    int rc = BuildForOne("changes of links", err);
    if (rc != 0)
    {
        return rc;
    }
    m_pump.SyncClock();
    rc = weft_engine_change_links(m_engine, changes, n, err);
    m_pump.Touch();
    return rc;
}

weft_engine*
WeftFabric::GetEngine()
{
    NS_LOG_FUNCTION(this);
    if (m_engine)
    {
        m_pump.Follow();
    }
    return m_engine;
}

const weft_engine*
WeftFabric::GetEngine() const
{
    NS_LOG_FUNCTION(this);
    return m_engine;
}

WeftTotals
WeftFabric::GetTotals()
{
    NS_LOG_FUNCTION(this);
    CheckLook();
    return m_engine ? WeftTotals::Read(GetEngine()) : WeftTotals();
}

WeftPortCounters
WeftFabric::GetPortCounters(uint32_t port)
{
    NS_LOG_FUNCTION(this << port);
    NS_ABORT_MSG_IF(!m_graph || port >= m_graph->nports, "the fabric has no port " << port);
    CheckLook();
    return m_engine ? WeftPortCounters::Read(GetEngine(), port) : WeftPortCounters();
}

void
WeftFabric::SetHooks(const weft_engine_hooks& hooks)
{
    NS_LOG_FUNCTION(this);
    m_fanOut.SetHooks(hooks);
}

uint64_t
WeftFabric::AddListener(WeftMessageListener* listener)
{
    NS_LOG_FUNCTION(this << listener);
    return m_fanOut.AddListener(listener);
}

void
WeftFabric::RemoveListener(uint64_t ref)
{
    NS_LOG_FUNCTION(this << ref);
    m_fanOut.RemoveListener(ref);
}

int
WeftFabric::TryCapture(uint32_t port, const std::string& path, weft_err* err)
{
    NS_LOG_FUNCTION(this << port << path);
    const int rc = m_capture.AddPort(port, path, err);
    if (rc == 0)
    {
        m_fanOut.UpdatePort(port);
    }
    return rc;
}

int
WeftFabric::TryFlushCaptures(weft_err* err)
{
    NS_LOG_FUNCTION(this);
    return m_capture.Flush(err);
}

void
WeftFabric::SetCaptureParams(const weft_capture_params& params)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_engine, "the parameters of a fabric in use cannot change");
    m_capture.GetParams() = params;
}

} // namespace ns3
