/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-fabric.h"

#include "base/needs.h"
#include "base/rng.h"
#include "weft-net-device.h"
#include "weft-trace-source.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

NS_OBJECT_ENSURE_REGISTERED(WeftFabric);

TypeId
WeftFabric::GetTypeId()
{
    static TypeId tid = [] {
        TypeId t =
            TypeId("ns3::WeftFabric")
                .SetParent<Object>()
                .SetGroupName("Weft")
                .AddConstructor<WeftFabric>()
                .AddAttribute(
                    "CongestionControl",
                    "Name of the congestion control of all QPs: an entry of weft's table. "
                    "Its parameters are the attributes of ns3::WeftCc<Name>",
                    StringValue("dcqcn"),
                    MakeStringAccessor(&WeftFabric::SetCongestionControlName,
                                       &WeftFabric::GetCongestionControlName),
                    MakeStringChecker())
                .AddAttribute("CongestionControlModel",
                              "The congestion control with its parameters, in place of "
                              "CongestionControl",
                              PointerValue(),
                              MakePointerAccessor(&WeftFabric::SetCongestionControl,
                                                  &WeftFabric::GetCongestionControl),
                              MakePointerChecker<WeftCongestionControl>())
                .AddAttribute("Seed",
                              "Seed of all randomness of the engine; 0: from RngSeed and RngRun",
                              UintegerValue(0),
                              MakeUintegerAccessor(&WeftFabric::m_seed),
                              MakeUintegerChecker<uint64_t>())
                .AddAttribute("CaptureDirectory",
                              "Where the links of CaptureLinks are captured",
                              StringValue("."),
                              MakeStringAccessor(&WeftFabric::SetCaptureDirectory,
                                                 &WeftFabric::GetCaptureDirectory),
                              MakeStringChecker())
                .AddTraceSource("FrameDrop",
                                "A packet of the IP stack was dropped in the fabric",
                                MakeTraceSourceAccessor(&WeftFabric::m_frameDrop),
                                "ns3::WeftFabric::FrameDropTracedCallback");
#define WEFT_ROW(KIND, NAME, MEMBER, TYPE, HELP, ...)                                              \
    t.AddTraceSource(#NAME, HELP, MakeWeftTraceSourceAccessor(&WeftFabric::MEMBER), "ns3::" #TYPE);
        WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
        for (const weft_engine_section& section : weft_engine_sections)
        {
            WeftAddParamAttributes(t, section.params, WeftCamelCase(section.name));
        }
        WeftAddParamAttributes(t, weft_capture_table, "Capture");
        return t;
    }();
    return tid;
}

WeftFabric::WeftFabric()
    : m_params()
{
    weft_err err = {};
    if (weft_engine_params_defaults(&m_params, &err) != 0)
    {
        NS_FATAL_ERROR("defaults of the engine: " << err.msg);
    }
}

WeftFabric::~WeftFabric()
{
    // The pump must let go of the engine before it is freed.
    m_pump.SetEngine(nullptr);
    weft_engine_free(m_engine);
    weft_fabric_free(m_ownGraph);
}

void
WeftFabric::DoDispose()
{
    // The engine and its congestion control stay, for those who look at what was counted; they go
    // together.
    m_pump.Retire();
    m_fanOut.ClearDevices();
    m_frames.Clear();
    Object::DoDispose();
}

void
WeftFabric::SetGraph(weft_fabric* graph)
{
    NS_ABORT_MSG_IF(m_engine, "the graph of a fabric in use cannot change");
    weft_fabric_free(m_ownGraph);
    m_ownGraph = graph;
    m_graph = graph;
}

void
WeftFabric::BorrowGraph(const weft_fabric* graph)
{
    SetGraph(nullptr);
    m_graph = graph;
}

const weft_fabric*
WeftFabric::GetGraph() const
{
    return m_graph;
}

void
WeftFabric::SetParams(const weft_engine_params& params)
{
    NS_ABORT_MSG_IF(m_engine, "the parameters of a fabric in use cannot change");
    m_params = params;
}

const weft_engine_params&
WeftFabric::GetParams() const
{
    return m_params;
}

void*
WeftFabric::GetParamStruct(const weft_param_table& table)
{
    for (const weft_engine_section& section : weft_engine_sections)
    {
        if (&section.params == &table)
        {
            return reinterpret_cast<char*>(&m_params) + section.offset;
        }
    }
    if (&table == &weft_capture_table)
    {
        return &m_capture.GetParams();
    }
    NS_FATAL_ERROR("not a parameter table of the engine");
    return nullptr;
}

bool
WeftFabric::AreParamsFrozen() const
{
    return m_engine != nullptr;
}

void
WeftFabric::SetCongestionControlName(std::string name)
{
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_ccName = name;
    m_cc = nullptr;
    m_ccOps = nullptr;
}

std::string
WeftFabric::GetCongestionControlName() const
{
    return m_ccOps ? m_ccOps->name : m_cc ? m_cc->GetOps()->name : m_ccName;
}

void
WeftFabric::SetCongestionControl(Ptr<WeftCongestionControl> cc)
{
    if (!cc)
    {
        return; // the attribute's initial value
    }
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_cc = cc;
    m_ccOps = nullptr;
}

Ptr<WeftCongestionControl>
WeftFabric::GetCongestionControl() const
{
    if (!m_cc && !m_ccOps)
    {
        weft_err err = {};
        m_cc = WeftCongestionControl::CreateByName(m_ccName, &err);
    }
    return m_cc;
}

void
WeftFabric::BorrowCongestionControl(const weft_cc_ops* ops, const void* params)
{
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_cc = nullptr;
    m_ccOps = ops;
    m_ccParams = params;
}

void
WeftFabric::SetSeed(uint64_t seed)
{
    m_seed = seed;
    m_seedGiven = true;
}

int64_t
WeftFabric::AssignStreams(int64_t stream)
{
    NS_ABORT_MSG_IF(m_engine, "streams are assigned before the fabric is used");
    m_stream = stream;
    return 1;
}

uint64_t
WeftFabric::MakeSeed() const
{
    if (m_seedGiven || m_seed != 0)
    {
        return m_seed;
    }
    weft_rng rng = weft_rng_stream(RngSeedManager::GetSeed(), "ns-3 stream", m_stream);
    return weft_mix64(weft_rng_u64(&rng) + RngSeedManager::GetRun());
}

int
WeftFabric::Build(weft_err* err)
{
    if (m_engine)
    {
        return 0;
    }
    weft_engine_config config = {};
    int rc = Configure(config, err);
    if (rc != 0)
    {
        return rc;
    }
    if (m_cc)
    {
        m_cc->Freeze();
    }
    m_engine = weft_engine_new(&config, err);
    if (!m_engine)
    {
        return err && err->code ? err->code : WEFT_E_LIMIT;
    }
    m_pump.SetEngine(m_engine);
    rc = m_capture.Open(err);
    if (rc != 0)
    {
        return rc;
    }
    m_fanOut.Update();
    NS_LOG_INFO("engine made: " << m_graph->nhosts << " hosts, " << m_graph->nswitches
                                << " switches, congestion control " << config.cc->name);
    return 0;
}

int
WeftFabric::Configure(weft_engine_config& config, weft_err* err)
{
    if (!m_graph)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "the fabric has no graph: call SetGraph, or use "
                            "WeftFabricHelper");
    }
    int rc = WeftCheckSimulation(err);
    if (rc != 0)
    {
        return rc;
    }
    if (!m_ccOps && !m_cc)
    {
        m_cc = WeftCongestionControl::CreateByName(m_ccName, err);
        if (!m_cc)
        {
            return WEFT_E_INPUT;
        }
    }
    config.fabric = m_graph;
    config.params = m_params;
    config.cc = m_ccOps ? m_ccOps : m_cc->GetOps();
    config.cc_params = m_ccOps ? m_ccParams : m_cc->GetParams();
    config.seed = MakeSeed();
    m_fanOut.Start(m_graph->nports);
    config.hooks = m_fanOut.MakeHooks();
    rc = weft_engine_check_config(&config, err);
    if (rc == 0 && m_cc)
    {
        weft_needs_scope scope = {&config.cc->params, config.cc_params, config.cc->name};
        rc = weft_params_refuse_idle(&scope, err);
    }
    return rc;
}

uint64_t
WeftFabric::Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, uint32_t prio)
{
    weft_engine_msg msg = {};
    msg.src_host = src;
    msg.dst_host = dst;
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
WeftFabric::TrySend(const weft_engine_msg& msg, uint64_t* id, weft_err* err)
{
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

int
WeftFabric::TrySendFrame(const weft_engine_frame& frame, weft_err* err)
{
    int rc = Build(err);
    if (rc != 0)
    {
        return rc;
    }
    m_pump.SyncClock();
    rc = weft_engine_send_frame(m_engine, &frame, err);
    m_pump.Touch();
    return rc;
}

WeftFrames&
WeftFabric::GetFrames()
{
    return m_frames;
}

int
WeftFabric::TryGroup(const uint32_t* hosts, uint32_t n, uint32_t prio, uint32_t* id, weft_err* err)
{
    int rc = Build(err);
    return rc != 0 ? rc : weft_engine_group(m_engine, hosts, n, prio, id, err);
}

int
WeftFabric::TryContribute(const weft_engine_part& part, weft_err* err)
{
    int rc = Build(err);
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
    int rc = Build(err);
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
                            "timer delay of %lld ps is negative or too long",
                            static_cast<long long>(delayPs));
    }
    rc = weft_engine_timer(m_engine, now + delayPs, fn, ctx, arg, err);
    m_pump.Touch();
    return rc;
}

int
WeftFabric::TrySetLink(uint32_t link, bool up, weft_err* err)
{
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
    int rc = Build(err);
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
WeftFabric::GetEngine() const
{
    if (m_engine)
    {
        m_pump.Follow();
    }
    return m_engine;
}

WeftPump&
WeftFabric::GetPump()
{
    return m_pump;
}

void
WeftFabric::SetHooks(const weft_engine_hooks& hooks)
{
    m_fanOut.SetHooks(hooks);
}

uint64_t
WeftFabric::AddListener(WeftMessageListener* listener)
{
    return m_fanOut.AddListener(listener);
}

void
WeftFabric::RemoveListener(uint64_t ref)
{
    m_fanOut.RemoveListener(ref);
}

void
WeftFabric::TraceSinksChanged()
{
    m_fanOut.SetEngineHooks();
}

int
WeftFabric::TryCapture(uint32_t port, const std::string& path, weft_err* err)
{
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
    return m_capture.Flush(err);
}

void
WeftFabric::SetCaptureDirectory(std::string directory)
{
    m_capture.SetDirectory(directory);
}

std::string
WeftFabric::GetCaptureDirectory() const
{
    return m_capture.GetDirectory();
}

void
WeftFabric::SetCaptureParams(const weft_capture_params& params)
{
    NS_ABORT_MSG_IF(m_engine, "the parameters of a fabric in use cannot change");
    m_capture.GetParams() = params;
}

WeftNetDevice*
WeftFabric::GetDevice(uint32_t port) const
{
    return m_fanOut.GetDevice(port);
}

} // namespace ns3
