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
#include "ns3/mac48-address.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

NS_OBJECT_ENSURE_REGISTERED(WeftFabric);

namespace
{

/** Upper half of the numbers of listeners, so that a script's own refs do not look like one. */
const uint64_t LISTENER_MARK = UINT64_C(0x77656674) << 32;

} // namespace

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
                              MakeStringAccessor(&WeftFabric::m_captureDirectory),
                              MakeStringChecker())
                .AddTraceSource("PfcPause",
                                "A priority of a port was stopped by PFC",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_pfcPause),
                                "ns3::WeftFabric::PfcTracedCallback")
                .AddTraceSource("PfcResume",
                                "A priority of a port was released by PFC",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_pfcResume),
                                "ns3::WeftFabric::PfcTracedCallback")
                .AddTraceSource("Drop",
                                "A packet was dropped",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_drop),
                                "ns3::WeftFabric::DropTracedCallback")
                .AddTraceSource("EcnMark",
                                "A packet was ECN-marked",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_ecnMark),
                                "ns3::WeftFabric::MarkTracedCallback")
                .AddTraceSource("QueueBytes",
                                "A switch's egress queue changed",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_queueBytes),
                                "ns3::WeftFabric::QueueTracedCallback")
                .AddTraceSource("FrameDrop",
                                "A packet of the IP stack was dropped in the fabric",
                                MakeTraceSourceAccessor(&WeftFabric::m_frameDrop),
                                "ns3::WeftFabric::FrameDropTracedCallback")
                .AddTraceSource("MessageStart",
                                "A message was posted at its sender",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_messageStart),
                                "ns3::WeftFabric::MessageTracedCallback")
                .AddTraceSource("LinkState",
                                "A link failed or came back",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_linkState),
                                "ns3::WeftFabric::LinkTracedCallback")
                .AddTraceSource("Ack",
                                "An ACK arrived at the sender of a QP",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_ack),
                                "ns3::WeftFabric::QpPacketTracedCallback")
                .AddTraceSource("Nack",
                                "A NACK arrived at the sender of a QP",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_nack),
                                "ns3::WeftFabric::QpPacketTracedCallback")
                .AddTraceSource("Retransmission",
                                "A QP is about to send a packet again",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_retransmission),
                                "ns3::WeftFabric::QpPacketTracedCallback")
                .AddTraceSource("Cnp",
                                "A congestion notification arrived at the sender of a QP",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_cnp),
                                "ns3::WeftFabric::QpTracedCallback")
                .AddTraceSource("QpRate",
                                "The congestion control of a QP has set another rate (bit/s)",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_qpRate),
                                "ns3::WeftFabric::QpValueTracedCallback")
                .AddTraceSource("QpWindow",
                                "The congestion control of a QP has set another window (bytes)",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_qpWindow),
                                "ns3::WeftFabric::QpValueTracedCallback")
                .AddTraceSource("CcValue",
                                "A value that a congestion control lets observe has changed",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_ccValue),
                                "ns3::WeftFabric::CcValueTracedCallback")
                .AddTraceSource("MessageComplete",
                                "The last byte of a message arrived at its receiver",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_messageComplete),
                                "ns3::WeftFabric::MessageTracedCallback")
                .AddTraceSource("MessageAcked",
                                "The last ACK of a message arrived at its sender",
                                MakeWeftTraceSourceAccessor(&WeftFabric::m_messageAcked),
                                "ns3::WeftFabric::MessageTracedCallback");
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
    : m_params(),
      m_hooks(),
      m_captureParams(),
      m_portSinks()
{
    weft_err err = {};
    if (weft_engine_params_defaults(&m_params, &err) != 0 ||
        weft_params_defaults(&weft_capture_table, &m_captureParams, &err) != 0)
    {
        NS_FATAL_ERROR("defaults of the engine: " << err.msg);
    }
}

WeftFabric::~WeftFabric()
{
    // The pump must let go of the engine before it is freed.
    m_pump.SetEngine(nullptr);
    weft_engine_free(m_engine);
    weft_capture_free(m_capture);
    weft_fabric_free(m_ownGraph);
}

void
WeftFabric::DoDispose()
{
    // The engine and its congestion control stay, for those who look at what was counted; they go
    // together.
    m_pump.Retire();
    m_devices.clear();
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
        return &m_captureParams;
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
    weft_engine_config config = {};
    config.fabric = m_graph;
    config.params = m_params;
    config.cc = m_ccOps ? m_ccOps : m_cc->GetOps();
    config.cc_params = m_ccOps ? m_ccParams : m_cc->GetParams();
    config.seed = MakeSeed();
    m_packetEvents.assign(m_graph->nports, 0);
    config.hooks = MakeHooks();
    rc = weft_engine_check_config(&config, err);
    if (rc == 0 && m_cc)
    {
        weft_needs_scope scope = {&config.cc->params, config.cc_params, config.cc->name};
        rc = weft_params_refuse_idle(&scope, err);
    }
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
    rc = OpenCaptures(err);
    if (rc != 0)
    {
        return rc;
    }
    UpdatePacketEvents();
    TraceSinksChanged();
    NS_LOG_INFO("engine made: " << m_graph->nhosts << " hosts, " << m_graph->nswitches
                                << " switches, congestion control " << config.cc->name);
    return 0;
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

void
WeftFabric::FrameDropped(uint32_t port, weft_drop_reason why, Ptr<const Packet> packet)
{
    m_frameDrop(Simulator::Now(), port, why, packet);
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
    m_hooks = hooks;
    UpdatePacketEvents();
    TraceSinksChanged();
}

int
WeftFabric::MakeCapture(weft_err* err)
{
    if (m_capture)
    {
        return 0;
    }
    for (WeftNetDevice* device : m_devices)
    {
        const std::size_t at = m_macs.size();
        m_macs.resize(at + 6);
        if (device)
        {
            Mac48Address::ConvertFrom(device->GetAddress()).CopyTo(&m_macs[at]);
        }
    }
    weft_wire_config wire = {};
    wire.fabric = m_graph;
    wire.params = &m_params;
    wire.macs = m_macs.empty() ? nullptr : m_macs.data();
    m_capture = weft_capture_new(&m_captureParams, &wire, err);
    return m_capture ? 0 : err->code;
}

int
WeftFabric::OpenCaptures(weft_err* err)
{
    int rc = 0;
    if (m_captureParams.links[0])
    {
        rc = MakeCapture(err);
        if (rc == 0)
        {
            rc = weft_capture_add_links(m_capture, m_captureDirectory.c_str(), err);
        }
    }
    for (const auto& [port, path] : m_pendingCaptures)
    {
        if (rc == 0)
        {
            rc = TryCapture(port, path, err);
        }
    }
    m_pendingCaptures.clear();
    return rc;
}

int
WeftFabric::TryCapture(uint32_t port, const std::string& path, weft_err* err)
{
    if (!m_engine)
    {
        m_pendingCaptures.emplace_back(port, path);
        return 0;
    }
    int rc = MakeCapture(err);
    if (rc == 0)
    {
        rc = weft_capture_add_port(m_capture, port, path.c_str(), err);
    }
    if (rc == 0)
    {
        UpdatePacketEvents(port);
        TraceSinksChanged();
    }
    return rc;
}

int
WeftFabric::TryFlushCaptures(weft_err* err)
{
    return m_capture ? weft_capture_flush(m_capture, err) : 0;
}

void
WeftFabric::SetCaptureDirectory(const std::string& directory)
{
    m_captureDirectory = directory;
}

void
WeftFabric::SetCaptureParams(const weft_capture_params& params)
{
    NS_ABORT_MSG_IF(m_engine, "the parameters of a fabric in use cannot change");
    m_captureParams = params;
}

void
WeftFabric::UpdatePacketEvents(uint32_t port)
{
    if (port >= m_packetEvents.size())
    {
        return;
    }
    uint8_t events = m_hooks.packet ? m_hooks.packet_events[port] : 0;
    if (m_capture)
    {
        events |= weft_capture_events(m_capture)[port];
    }
    if (WeftNetDevice* device = GetDevice(port))
    {
        for (int what : {WEFT_PKT_SENT, WEFT_PKT_ARRIVED, WEFT_PKT_QUEUED})
        {
            events |= device->m_hasSinks[PORT_SENT + what] << what;
        }
    }
    m_packetEvents[port] = events;
}

void
WeftFabric::UpdatePacketEvents()
{
    for (uint32_t port = 0; port < m_packetEvents.size(); port++)
    {
        UpdatePacketEvents(port);
    }
}

void
WeftFabric::TraceSinksChanged()
{
    if (m_engine)
    {
        weft_engine_hooks hooks = MakeHooks();
        weft_engine_set_hooks(m_engine, &hooks);
    }
}

weft_engine_hooks
WeftFabric::MakeHooks()
{
    weft_engine_hooks h = {};
    h.ctx = this;
    WeftFrames::SetHooks(h);
    if (m_hooks.received || !m_messageComplete.IsEmpty() || m_portSinks[PORT_MESSAGE] ||
        !m_listeners.empty())
    {
        h.received = &WeftFabric::OnReceived;
    }
    if (m_hooks.acked || !m_messageAcked.IsEmpty() || m_portSinks[PORT_ACKED] ||
        !m_listeners.empty())
    {
        h.acked = &WeftFabric::OnAcked;
    }
    if (m_hooks.pfc || !m_pfcPause.IsEmpty() || !m_pfcResume.IsEmpty() || m_portSinks[PORT_PFC])
    {
        h.pfc = &WeftFabric::OnPfc;
        h.pfc_late = m_hooks.pfc_late && m_pfcPause.IsEmpty() && m_pfcResume.IsEmpty() &&
                     !m_portSinks[PORT_PFC];
    }
    if (m_hooks.drop || !m_drop.IsEmpty() || m_portSinks[PORT_DROP])
    {
        h.drop = &WeftFabric::OnDrop;
    }
    if (m_hooks.ecn_mark || !m_ecnMark.IsEmpty() || m_portSinks[PORT_MARK])
    {
        h.ecn_mark = &WeftFabric::OnMark;
    }
    if (m_hooks.queue || !m_queueBytes.IsEmpty() || m_portSinks[PORT_QUEUE])
    {
        h.queue = &WeftFabric::OnQueue;
    }
    if (m_hooks.link || !m_linkState.IsEmpty() || m_portSinks[PORT_LINK])
    {
        h.link = &WeftFabric::OnLink;
    }
    const bool qpSinks[] = {!m_ack.IsEmpty(),
                            !m_nack.IsEmpty(),
                            !m_cnp.IsEmpty(),
                            !m_retransmission.IsEmpty(),
                            !m_qpRate.IsEmpty() || !m_qpWindow.IsEmpty() || !m_ccValue.IsEmpty()};
    h.qp_events = m_hooks.qp ? m_hooks.qp_events : 0;
    for (int what : {WEFT_QP_ACK, WEFT_QP_NACK, WEFT_QP_CNP, WEFT_QP_RETX, WEFT_QP_RATE})
    {
        h.qp_events |= (qpSinks[what] || m_portSinks[PORT_ACK + what]) << what;
    }
    if (h.qp_events)
    {
        h.qp = &WeftFabric::OnQp;
    }
    if (m_hooks.posted || m_capture || !m_messageStart.IsEmpty() || m_portSinks[PORT_START])
    {
        h.posted = &WeftFabric::OnPosted;
    }
    if (m_hooks.packet || m_capture || m_portSinks[PORT_SENT] || m_portSinks[PORT_RECEIVED] ||
        m_portSinks[PORT_QUEUED])
    {
        h.packet = &WeftFabric::OnPacket;
        h.packet_events = m_packetEvents.data();
    }
    return h;
}

uint64_t
WeftFabric::AddListener(WeftMessageListener* listener)
{
    m_listeners.push_back(listener);
    TraceSinksChanged();
    return LISTENER_MARK | (m_listeners.size() - 1);
}

void
WeftFabric::RemoveListener(uint64_t ref)
{
    if (FindListener(ref))
    {
        m_listeners[ref ^ LISTENER_MARK] = nullptr;
    }
}

WeftMessageListener*
WeftFabric::FindListener(uint64_t ref) const
{
    const uint64_t index = ref ^ LISTENER_MARK;
    return index < m_listeners.size() ? m_listeners[index] : nullptr;
}

void
WeftFabric::SetDevice(uint32_t port, WeftNetDevice* device)
{
    if (m_devices.empty() && m_graph)
    {
        m_devices.resize(m_graph->nports);
    }
    if (port < m_devices.size())
    {
        m_devices[port] = device;
    }
}

void
WeftFabric::SetPortSinks(PortTrace trace, uint32_t port, bool on)
{
    m_portSinks[trace] += on ? 1 : -1;
    UpdatePacketEvents(port);
    TraceSinksChanged();
}

WeftNetDevice*
WeftFabric::GetDevice(uint32_t port) const
{
    return port < m_devices.size() ? m_devices[port] : nullptr;
}

void
WeftFabric::OnPosted(void* ctx, const weft_engine_done* done)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.posted)
    {
        self->m_hooks.posted(self->m_hooks.ctx, done);
    }
    if (self->m_capture)
    {
        weft_capture_posted(self->m_capture, done);
    }
    self->m_messageStart(*done);
    if (self->m_portSinks[PORT_START])
    {
        if (WeftNetDevice* device = self->GetHostDevice(done->msg.src_host))
        {
            device->m_messageStart(*done);
        }
    }
}

void
WeftFabric::OnLink(void* ctx, int64_t tPs, uint32_t link, int up)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.link)
    {
        self->m_hooks.link(self->m_hooks.ctx, tPs, link, up);
    }
    self->m_linkState(WeftTime(tPs), link, up != 0);
    const weft_fabric* graph = self->m_graph;
    for (uint32_t node : {graph->links[link].a, graph->links[link].b})
    {
        uint32_t port = graph->nodes[node].first_port;
        while (graph->ports[port].link != link)
        {
            port++;
        }
        if (WeftNetDevice* device = self->GetDevice(port))
        {
            device->m_linkState(WeftTime(tPs), up != 0);
            device->m_linkChange();
        }
    }
}

void
WeftFabric::OnQp(void* ctx,
                 int64_t tPs,
                 weft_qp_event what,
                 const weft_engine_qp_view* qp,
                 const weft_engine_pkt_view* pkt)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.qp && (self->m_hooks.qp_events >> what & 1))
    {
        self->m_hooks.qp(self->m_hooks.ctx, tPs, what, qp, pkt);
    }
    const Time time = WeftTime(tPs);
    WeftNetDevice* device = self->GetDevice(qp->port);
    switch (what)
    {
    case WEFT_QP_CNP:
        self->m_cnp(time, *qp);
        if (device)
        {
            device->m_cnp(time, *qp);
        }
        return;
    case WEFT_QP_RATE:
        self->TraceRate(time, *qp);
        return;
    default: {
        // The others have a packet, and the same arguments.
        decltype(&self->m_ack) sources[] = {&self->m_ack,
                                            &self->m_nack,
                                            nullptr,
                                            &self->m_retransmission};
        (*sources[what])(time, *qp, *pkt);
        if (device)
        {
            decltype(&self->m_ack) own[] = {&device->m_ack,
                                            &device->m_nack,
                                            nullptr,
                                            &device->m_retransmission};
            (*own[what])(time, *qp, *pkt);
        }
    }
    }
}

void
WeftFabric::TraceRate(Time time, const weft_engine_qp_view& qp)
{
    if (qp.qpn >= m_shown.size())
    {
        m_shown.resize(qp.qpn + 1);
    }
    QpShown& shown = m_shown[qp.qpn];
    WeftNetDevice* device = GetDevice(qp.port);
    if (!shown.known || shown.rateBps != qp.rate_bps)
    {
        shown.rateBps = qp.rate_bps;
        m_qpRate(time, qp, qp.rate_bps);
        if (device)
        {
            device->m_qpRate(time, qp, qp.rate_bps);
        }
    }
    if (!shown.known || shown.windowBytes != qp.cwnd_bytes)
    {
        shown.windowBytes = qp.cwnd_bytes;
        m_qpWindow(time, qp, qp.cwnd_bytes);
        if (device)
        {
            device->m_qpWindow(time, qp, qp.cwnd_bytes);
        }
    }
    const weft_cc_ops* cc = weft_engine_qp_control(m_engine, qp.qpn);
    std::size_t n = 0;
    while (cc->observables && cc->observables[n].name)
    {
        n++;
    }
    std::vector<double> values(n);
    weft_engine_observe(m_engine, qp.qpn, values.data());
    shown.values.resize(values.size());
    for (std::size_t i = 0; i < values.size(); i++)
    {
        if (!shown.known || shown.values[i] != values[i])
        {
            shown.values[i] = values[i];
            const std::string name = cc->observables[i].name;
            m_ccValue(time, qp, name, values[i]);
            if (device)
            {
                device->m_ccValue(time, qp, name, values[i]);
            }
        }
    }
    shown.known = true;
}

WeftNetDevice*
WeftFabric::GetHostDevice(uint32_t host) const
{
    return GetDevice(m_graph->nodes[m_graph->hosts[host]].first_port);
}

void
WeftFabric::OnPacket(void* ctx,
                     int64_t tPs,
                     uint32_t port,
                     weft_pkt_event what,
                     const weft_engine_pkt_view* pkt)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.packet && (self->m_hooks.packet_events[port] >> what & 1))
    {
        self->m_hooks.packet(self->m_hooks.ctx, tPs, port, what, pkt);
    }
    if (self->m_capture)
    {
        weft_capture_packet(self->m_capture, tPs, port, what, pkt);
    }
    if (WeftNetDevice* device = self->GetDevice(port))
    {
        decltype(device->m_packetSent)* sources[] = {&device->m_packetSent,
                                                     &device->m_packetReceived,
                                                     &device->m_packetQueued};
        (*sources[what])(WeftTime(tPs), *pkt);
    }
}

void
WeftFabric::OnReceived(void* ctx, const weft_engine_done* done)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.received)
    {
        self->m_hooks.received(self->m_hooks.ctx, done);
    }
    self->m_messageComplete(*done);
    if (self->m_portSinks[PORT_MESSAGE])
    {
        if (WeftNetDevice* device = self->GetHostDevice(done->msg.dst_host))
        {
            device->m_messageComplete(*done);
        }
    }
    if (WeftMessageListener* listener = self->FindListener(done->msg.ref))
    {
        listener->MessageReceived(*done);
    }
}

void
WeftFabric::OnAcked(void* ctx, const weft_engine_done* done)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.acked)
    {
        self->m_hooks.acked(self->m_hooks.ctx, done);
    }
    self->m_messageAcked(*done);
    if (self->m_portSinks[PORT_ACKED])
    {
        if (WeftNetDevice* device = self->GetHostDevice(done->msg.src_host))
        {
            device->m_messageAcked(*done);
        }
    }
    if (WeftMessageListener* listener = self->FindListener(done->msg.ref))
    {
        listener->MessageAcked(*done);
    }
}

void
WeftFabric::OnPfc(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int pause)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.pfc)
    {
        self->m_hooks.pfc(self->m_hooks.ctx, tPs, port, prio, pause);
    }
    (pause ? self->m_pfcPause : self->m_pfcResume)(WeftTime(tPs), port, prio);
    if (WeftNetDevice* device = self->GetDevice(port))
    {
        (pause ? device->m_pfcPause : device->m_pfcResume)(WeftTime(tPs), prio);
    }
}

void
WeftFabric::OnDrop(void* ctx,
                   int64_t tPs,
                   uint32_t port,
                   weft_drop_reason why,
                   const weft_engine_pkt_view* pkt)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.drop)
    {
        self->m_hooks.drop(self->m_hooks.ctx, tPs, port, why, pkt);
    }
    self->m_drop(WeftTime(tPs), port, why, *pkt);
    if (WeftNetDevice* device = self->GetDevice(port))
    {
        device->m_drop(WeftTime(tPs), why, *pkt);
    }
}

void
WeftFabric::OnMark(void* ctx, int64_t tPs, uint32_t port, const weft_engine_pkt_view* pkt)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.ecn_mark)
    {
        self->m_hooks.ecn_mark(self->m_hooks.ctx, tPs, port, pkt);
    }
    self->m_ecnMark(WeftTime(tPs), port, *pkt);
    if (WeftNetDevice* device = self->GetDevice(port))
    {
        device->m_ecnMark(WeftTime(tPs), *pkt);
    }
}

void
WeftFabric::OnQueue(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, uint64_t bytes)
{
    auto self = static_cast<WeftFabric*>(ctx);
    if (self->m_hooks.queue)
    {
        self->m_hooks.queue(self->m_hooks.ctx, tPs, port, prio, bytes);
    }
    self->m_queueBytes(WeftTime(tPs), port, prio, bytes);
    if (WeftNetDevice* device = self->GetDevice(port))
    {
        device->m_queueBytes(WeftTime(tPs), prio, bytes);
    }
}

} // namespace ns3
