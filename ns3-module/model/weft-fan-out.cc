/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-fan-out.h"

#include "weft-fabric.h"
#include "weft-net-device.h"
#include "weft-time.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFanOut");

namespace
{

/** Upper half of the numbers of listeners, so that a script's own refs do not look like one. */
const uint64_t LISTENER_MARK = UINT64_C(0x77656674) << 32;

/**
 * Calls one of the hooks of SetHooks, if there is one.
 * @param hook the hook
 * @param ctx its context
 * @param args what else it takes
 */
template <typename HOOK, typename... Args>
void
Pass(HOOK hook, void* ctx, Args... args)
{
    if (hook)
    {
        hook(ctx, args...);
    }
}

} // namespace

WeftFanOut::WeftFanOut(WeftFabric& fabric)
    : m_fabric(fabric),
      m_hooks()
{
    NS_LOG_FUNCTION(this);
}

// Who listens.

uint64_t
WeftFanOut::AddListener(WeftMessageListener* listener)
{
    NS_LOG_FUNCTION(this << listener);
    m_listeners.push_back(listener);
    SetEngineHooks();
    return LISTENER_MARK | (m_listeners.size() - 1);
}

void
WeftFanOut::RemoveListener(uint64_t ref)
{
    NS_LOG_FUNCTION(this << ref);
    if (FindListener(ref))
    {
        m_listeners[ref ^ LISTENER_MARK] = nullptr;
    }
}

WeftMessageListener*
WeftFanOut::FindListener(uint64_t ref) const
{
    const uint64_t index = ref ^ LISTENER_MARK;
    return index < m_listeners.size() ? m_listeners[index] : nullptr;
}

void
WeftFanOut::SetPortSinks(PortTrace trace, uint32_t port, bool on)
{
    NS_LOG_FUNCTION(this << trace << port << on);
    m_portSinks[trace] += on ? 1 : -1;
    UpdatePort(port);
}

void
WeftFanOut::SetHooks(const weft_engine_hooks& hooks)
{
    NS_LOG_FUNCTION(this);
    m_hooks = hooks;
    Update();
}

bool
WeftFanOut::HasSinks(PortTrace trace) const
{
    bool has = m_portSinks[trace] != 0;
#define WEFT_ROW(KIND, NAME, MEMBER, ...) has |= trace == KIND && !m_fabric.MEMBER.IsEmpty();
    WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
    return has;
}

// What the engine is asked for.

void
WeftFanOut::Start(uint32_t ports)
{
    NS_LOG_FUNCTION(this << ports);
    m_packetEvents.assign(ports, 0);
}

void
WeftFanOut::Update()
{
    NS_LOG_FUNCTION(this);
    for (uint32_t port = 0; port < m_packetEvents.size(); port++)
    {
        UpdatePacketEvents(port);
    }
    SetEngineHooks();
}

void
WeftFanOut::UpdatePort(uint32_t port)
{
    NS_LOG_FUNCTION(this << port);
    UpdatePacketEvents(port);
    SetEngineHooks();
}

void
WeftFanOut::UpdatePacketEvents(uint32_t port)
{
    if (port >= m_packetEvents.size())
    {
        return;
    }
    uint8_t events = m_hooks.packet ? m_hooks.packet_events[port] : 0;
    events |= m_fabric.m_capture.GetEvents(port);
    if (const WeftNetDevice* device = m_fabric.m_devices.Get(port))
    {
        for (int what : {WEFT_PKT_SENT, WEFT_PKT_ARRIVED, WEFT_PKT_QUEUED})
        {
            events |= device->m_hasSinks[SENT + what] << what;
        }
        if (device->m_hasSinks[SNIFF])
        {
            events |= 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED;
        }
    }
    m_packetEvents[port] = events;
}

void
WeftFanOut::SetEngineHooks()
{
    NS_LOG_FUNCTION(this);
    if (m_fabric.m_engine)
    {
        weft_engine_hooks hooks = MakeHooks();
        const bool watched = hooks.drop || hooks.qp || hooks.packet || hooks.queue ||
                             hooks.ecn_mark || hooks.credit || hooks.posted ||
                             (hooks.pfc && !hooks.pfc_late);
        NS_ABORT_MSG_IF(watched && m_fabric.IsShared() && m_fabric.GetPump().IsRunning(),
                        "weft: packets, queues, pauses or queue pairs are watched in a fabric that "
                        "several ranks share out");
        weft_engine_set_hooks(m_fabric.m_engine, &hooks);
    }
}

weft_engine_hooks
WeftFanOut::MakeHooks()
{
    NS_LOG_FUNCTION(this);
    weft_engine_hooks h = {};
    h.ctx = &m_fabric;
    WeftFrames::SetHooks(h);
    h.received = m_hooks.received || HasSinks(MESSAGE) || !m_listeners.empty()
                     ? &WeftFanOut::OnReceived
                     : nullptr;
    h.acked =
        m_hooks.acked || HasSinks(ACKED) || !m_listeners.empty() ? &WeftFanOut::OnAcked : nullptr;
    if (m_hooks.pfc || HasSinks(PFC))
    {
        h.pfc = &WeftFanOut::OnPfc;
        h.pfc_late = m_hooks.pfc_late && !HasSinks(PFC);
    }
    h.concurrency.local = m_fabric.IsShared() || (m_hooks.concurrency.local && !HasSinks(MESSAGE) &&
                                                  !HasSinks(ACKED) && m_listeners.empty());
    h.concurrency.passive = m_hooks.concurrency.passive;
    h.credit = m_hooks.credit ? &WeftFanOut::OnCredit : nullptr;
    h.drop = m_hooks.drop || HasSinks(DROP) ? &WeftFanOut::OnDrop : nullptr;
    h.ecn_mark = m_hooks.ecn_mark || HasSinks(MARK) ? &WeftFanOut::OnMark : nullptr;
    h.queue = m_hooks.queue || HasSinks(QUEUE) ? &WeftFanOut::OnQueue : nullptr;
    h.link = m_hooks.link || HasSinks(LINK) ? &WeftFanOut::OnLink : nullptr;
    MakePacketHooks(h);
    return h;
}

void
WeftFanOut::MakePacketHooks(weft_engine_hooks& h)
{
    h.qp_events = m_hooks.qp ? m_hooks.qp_events : 0;
    for (int what : {WEFT_QP_ACK, WEFT_QP_NACK, WEFT_QP_CNP, WEFT_QP_RETX, WEFT_QP_RATE})
    {
        h.qp_events |= HasSinks(static_cast<PortTrace>(ACK + what)) << what;
    }
    if (h.qp_events)
    {
        h.qp = &WeftFanOut::OnQp;
    }
    if (HasSinks(SNIFF) && m_fabric.m_engine)
    {
        m_fabric.m_capture.Sniff();
    }
    const bool bytes = m_fabric.m_capture.IsOn() || HasSinks(SNIFF);
    h.posted = m_hooks.posted || bytes || HasSinks(START) ? &WeftFanOut::OnPosted : nullptr;
    if (m_hooks.packet || bytes || HasSinks(SENT) || HasSinks(RECEIVED) || HasSinks(QUEUED))
    {
        h.packet = &WeftFanOut::OnPacket;
        h.packet_events = m_packetEvents.data();
    }
}

// How sinks are told.

template <typename ALL, typename OWN, typename... Args>
void
WeftFanOut::TellPort(ALL& all,
                     WeftTraceSourceMember<WeftNetDevice, OWN> own,
                     Time time,
                     uint32_t port,
                     const Args&... args)
{
    all(time, port, args...);
    if (WeftNetDevice* device = m_fabric.m_devices.Get(port))
    {
        (device->*own)(time, args...);
    }
}

template <typename SOURCE, typename... Args>
void
WeftFanOut::TellQp(SOURCE& all,
                   WeftTraceSourceMember<WeftNetDevice, SOURCE> own,
                   Time time,
                   const weft_engine_qp_view& qp,
                   const Args&... args)
{
    all(time, qp, args...);
    if (WeftNetDevice* device = m_fabric.m_devices.Get(qp.port))
    {
        (device->*own)(time, qp, args...);
    }
}

template <typename SOURCE>
void
WeftFanOut::TellHost(SOURCE& all,
                     WeftTraceSourceMember<WeftNetDevice, SOURCE> own,
                     uint32_t host,
                     const weft_completion& done)
{
    all(done);
    const weft_fabric* graph = m_fabric.GetGraph();
    if (WeftNetDevice* device = m_fabric.m_devices.Get(graph->nodes[graph->hosts[host]].first_port))
    {
        (device->*own)(done);
    }
}

// Messages.

void
WeftFanOut::OnPosted(void* ctx, const weft_completion* done)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.posted, self.m_hooks.ctx, done);
    fabric->m_capture.Posted(*done);
    self.TellHost(fabric->m_messageStart, &WeftNetDevice::m_messageStart, done->msg.src, *done);
}

void
WeftFanOut::OnReceived(void* ctx, const weft_completion* done)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.received, self.m_hooks.ctx, done);
    self.TellHost(fabric->m_messageComplete,
                  &WeftNetDevice::m_messageComplete,
                  done->msg.dst,
                  *done);
    if (WeftMessageListener* listener = self.FindListener(done->msg.token.number))
    {
        listener->MessageReceived(*done);
    }
}

void
WeftFanOut::OnAcked(void* ctx, const weft_completion* done)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.acked, self.m_hooks.ctx, done);
    self.TellHost(fabric->m_messageAcked, &WeftNetDevice::m_messageAcked, done->msg.src, *done);
    if (WeftMessageListener* listener = self.FindListener(done->msg.token.number))
    {
        listener->MessageAcked(*done);
    }
}

// Ports and links.

void
WeftFanOut::OnPfc(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int pause)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.pfc, self.m_hooks.ctx, tPs, port, prio, pause);
    self.TellPort(pause ? fabric->m_pfcPause : fabric->m_pfcResume,
                  pause ? &WeftNetDevice::m_pfcPause : &WeftNetDevice::m_pfcResume,
                  WeftTime(tPs),
                  port,
                  prio);
}

void
WeftFanOut::OnCredit(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int out)
{
    const weft_engine_hooks& hooks = static_cast<WeftFabric*>(ctx)->m_fanOut.m_hooks;
    hooks.credit(hooks.ctx, tPs, port, prio, out);
}

void
WeftFanOut::OnDrop(void* ctx,
                   int64_t tPs,
                   uint32_t port,
                   weft_drop_reason why,
                   const weft_engine_pkt_view* pkt)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.drop, self.m_hooks.ctx, tPs, port, why, pkt);
    self.TellPort(fabric->m_drop, &WeftNetDevice::m_drop, WeftTime(tPs), port, why, *pkt);
}

void
WeftFanOut::OnMark(void* ctx, int64_t tPs, uint32_t port, const weft_engine_pkt_view* pkt)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.ecn_mark, self.m_hooks.ctx, tPs, port, pkt);
    self.TellPort(fabric->m_ecnMark, &WeftNetDevice::m_ecnMark, WeftTime(tPs), port, *pkt);
}

void
WeftFanOut::OnQueue(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, uint64_t bytes)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.queue, self.m_hooks.ctx, tPs, port, prio, bytes);
    self.TellPort(fabric->m_queueBytes,
                  &WeftNetDevice::m_queueBytes,
                  WeftTime(tPs),
                  port,
                  prio,
                  bytes);
}

void
WeftFanOut::OnLink(void* ctx, int64_t tPs, uint32_t link, int up)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    Pass(self.m_hooks.link, self.m_hooks.ctx, tPs, link, up);
    fabric->m_linkState(WeftTime(tPs), link, up != 0);
    const weft_fabric* graph = fabric->GetGraph();
    for (uint32_t node : {graph->links[link].a, graph->links[link].b})
    {
        uint32_t port = graph->nodes[node].first_port;
        while (graph->ports[port].link != link)
        {
            port++;
        }
        if (WeftNetDevice* device = fabric->m_devices.Get(port))
        {
            device->m_linkState(WeftTime(tPs), up != 0);
            device->m_linkChange();
        }
    }
}

void
WeftFanOut::OnPacket(void* ctx,
                     int64_t tPs,
                     uint32_t port,
                     weft_pkt_event what,
                     const weft_engine_pkt_view* pkt)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    if (self.m_hooks.packet && (self.m_hooks.packet_events[port] >> what & 1))
    {
        self.m_hooks.packet(self.m_hooks.ctx, tPs, port, what, pkt);
    }
    fabric->m_capture.Write(tPs, port, what, *pkt);
    WeftNetDevice* device = fabric->m_devices.Get(port);
    if (!device)
    {
        return;
    }
    decltype(device->m_packetSent)* sources[] = {&device->m_packetSent,
                                                 &device->m_packetReceived,
                                                 &device->m_packetQueued};
    (*sources[what])(WeftTime(tPs), *pkt);
    if (device->m_hasSinks[SNIFF] && what != WEFT_PKT_QUEUED)
    {
        if (Ptr<const Packet> frame = fabric->m_capture.MakeFrame(port, what, *pkt))
        {
            device->m_sniffer(frame);
            device->m_promiscSniffer(frame);
        }
    }
}

// Queue pairs.

void
WeftFanOut::OnQp(void* ctx,
                 int64_t tPs,
                 weft_qp_event what,
                 const weft_engine_qp_view* qp,
                 const weft_engine_pkt_view* pkt)
{
    auto fabric = static_cast<WeftFabric*>(ctx);
    WeftFanOut& self = fabric->m_fanOut;
    if (self.m_hooks.qp && (self.m_hooks.qp_events >> what & 1))
    {
        self.m_hooks.qp(self.m_hooks.ctx, tPs, what, qp, pkt);
    }
    const Time time = WeftTime(tPs);
    switch (what)
    {
    case WEFT_QP_ACK:
        self.TellQp(fabric->m_ack, &WeftNetDevice::m_ack, time, *qp, *pkt);
        break;
    case WEFT_QP_NACK:
        self.TellQp(fabric->m_nack, &WeftNetDevice::m_nack, time, *qp, *pkt);
        break;
    case WEFT_QP_RETX:
        self.TellQp(fabric->m_retransmission, &WeftNetDevice::m_retransmission, time, *qp, *pkt);
        break;
    case WEFT_QP_CNP:
        self.TellQp(fabric->m_cnp, &WeftNetDevice::m_cnp, time, *qp);
        break;
    case WEFT_QP_RATE:
        self.TellRate(time, *qp);
        break;
    }
}

void
WeftFanOut::TellRate(Time time, const weft_engine_qp_view& qp)
{
    if (qp.qpn >= m_shown.size())
    {
        m_shown.resize(qp.qpn + 1);
    }
    QpShown& shown = m_shown[qp.qpn];
    if (!shown.known || shown.rateBps != qp.rate_bps)
    {
        shown.rateBps = qp.rate_bps;
        TellQp(m_fabric.m_qpRate, &WeftNetDevice::m_qpRate, time, qp, qp.rate_bps);
    }
    if (!shown.known || shown.windowBytes != qp.cwnd_bytes)
    {
        shown.windowBytes = qp.cwnd_bytes;
        TellQp(m_fabric.m_qpWindow, &WeftNetDevice::m_qpWindow, time, qp, qp.cwnd_bytes);
    }
    TellValues(time, qp, shown);
    shown.known = true;
}

void
WeftFanOut::TellValues(Time time, const weft_engine_qp_view& qp, QpShown& shown)
{
    const weft_cc_ops* cc = weft_engine_qp_control(m_fabric.m_engine, qp.qpn);
    std::size_t n = 0;
    while (cc->observables && cc->observables[n].name)
    {
        n++;
    }
    std::vector<double> values(n);
    weft_engine_observe(m_fabric.m_engine, qp.qpn, values.data());
    shown.values.resize(n);
    for (std::size_t i = 0; i < n; i++)
    {
        if (!shown.known || shown.values[i] != values[i])
        {
            shown.values[i] = values[i];
            const std::string name = cc->observables[i].name;
            TellQp(m_fabric.m_ccValue, &WeftNetDevice::m_ccValue, time, qp, name, values[i]);
        }
    }
}

} // namespace ns3
