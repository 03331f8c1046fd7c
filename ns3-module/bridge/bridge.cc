/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * net/net.h over WeftFabric: see bridge.h. Everything that ns-3 would abort on is checked
 * before ns-3 sees it.
 */
#include "bridge.h"

#include "packet_params.h"
#include "tcp_messages.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-time.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace
{

using namespace ns3;
using namespace weft;

/** One net. */
class PacketNet : public weft_net
{
  public:
    explicit PacketNet(const weft_net_config& config);
    ~PacketNet();

    PacketNet(const PacketNet&) = delete;
    PacketNet& operator=(const PacketNet&) = delete;

    static PacketNet* Of(weft_net* net)
    {
        return static_cast<PacketNet*>(net);
    }

    static const PacketNet* Of(const weft_net* net)
    {
        return static_cast<const PacketNet*>(net);
    }

    /**
     * @param m a message
     * @return whether TCP carries it
     */
    bool ByTcp(const weft_engine_msg& m) const;

    /**
     * @return whether any message may travel by TCP
     */
    bool UsesTcp() const
    {
        return transport.type == WEFT_TRANSPORT_TCP || tcpParams.prios != 0;
    }

    /**
     * Posts a message by what is to carry it.
     * @param m the message
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int Send(weft_engine_msg& m, weft_err* err);

    /**
     * With TCP beside RoCE: gives what the engine has taken its number among all messages.
     * @param rc 0: it has
     */
    void NoteRoce(int rc);
    /** Passes the engine's callbacks that somebody wants on to sink and observer. */
    void SetHooks();
    /**
     * Remembers that there was no memory.
     * \param rc what a step came to
     * \param err the error, if it failed
     * \return rc
     */
    int Remember(int rc, const weft_err& err);
    /**
     * The engine found itself broken.
     * @param err how
     */
    void Fail(const weft_err& err);

    Ptr<WeftFabric> fabric;           //!< The fabric.
    weft_net_sink sink{};             //!< The frontend.
    weft_net_observer observer{};     //!< The reports.
    mutable weft_err error{};         //!< What ended the run.
    weft_packet_transport transport;  //!< Section transport.
    weft_tcp_params tcpParams;        //!< Section tcp.
    uint64_t seed;                    //!< Of the run.
    std::unique_ptr<TcpMessages> tcp; //!< Made by the first message that goes by TCP.
    uint64_t posted{0};               //!< Messages of both kinds; with TCP.
    std::vector<uint64_t> roceIds; //!< With TCP beside RoCE: the number of the engine's messages.

    static bool s_exists; //!< ns-3's Simulator is taken.
};

bool PacketNet::s_exists = false;

extern const weft_net_ops g_ops;

PacketNet::PacketNet(const weft_net_config& config)
    : observer(config.observer),
      transport(static_cast<const weft_packet_params*>(config.params)->transport),
      tcpParams(static_cast<const weft_packet_params*>(config.params)->tcp),
      seed(config.seed)
{
    auto params = static_cast<const weft_packet_params*>(config.params);
    ops = &g_ops;
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    Config::SetGlobal("SimulatorImplementationType",
                      StringValue(params->ns3.simulator_impl ? "ns3::DefaultSimulatorImpl"
                                                             : "ns3::WeftSimulatorImpl"));
    fabric = CreateObject<WeftFabric>();
    fabric->BorrowGraph(config.fabric);
    fabric->SetParams(weft_packet_engine_params(params));
    fabric->BorrowCongestionControl(config.cc, config.cc_params);
    fabric->SetSeed(config.seed);
    if (!config.dry)
    {
        fabric->SetCaptureParams(params->capture);
        fabric->SetCaptureDirectory(config.out_dir ? std::string(config.out_dir) + "/pcap" : "");
    }
    fabric->GetPump().SetErrorCallback(MakeCallback(&PacketNet::Fail, this));
    fabric->GetPump().SetInterruptFlag(config.interrupted);
    SetHooks();
    Simulator::Now(); // makes the SimulatorImpl, which takes memory, here and not on the first look
                      // at the clock
    s_exists = true;
}

PacketNet::~PacketNet()
{
    tcp = nullptr;
    fabric = nullptr;
    Simulator::Destroy();
    s_exists = false;
}

int
PacketNet::Remember(int rc, const weft_err& err)
{
    if (rc == WEFT_E_LIMIT && error.code == 0)
    {
        error = err;
    }
    return rc;
}

void
PacketNet::Fail(const weft_err& err)
{
    error = err;
    Simulator::Stop();
}

static_assert(WEFT_ENGINE_QP_BITS == WEFT_NET_QP_BITS, "numbers of QPs are passed on as they are");

weft_net_msg
NetMsg(const weft_engine_msg& m)
{
    return {m.src_host, m.dst_host, m.bytes, m.tag, m.prio, m.qp};
}

weft_net_done
NetDone(const weft_engine_done& d)
{
    weft_net_done how = {d.msg.ref, d.post_ps, d.received_ps, d.ideal_ps, {}};
    std::copy(std::begin(d.delay_ps), std::end(d.delay_ps), how.delay_ps);
    return how;
}

void
OnReceived(void* ctx, const weft_engine_done* done)
{
    auto net = static_cast<PacketNet*>(ctx);
    const weft_net_msg msg = NetMsg(done->msg);
    const weft_net_done how = NetDone(*done);
    net->sink.received(net->sink.ctx, &msg, &how);
}

void
OnAcked(void* ctx, const weft_engine_done* done)
{
    auto net = static_cast<PacketNet*>(ctx);
    const weft_net_msg msg = NetMsg(done->msg);
    if (net->observer.flow)
    {
        weft_net_flow flow{};
        flow.id = net->roceIds.empty() || net->ByTcp(done->msg) ? done->id : net->roceIds[done->id];
        flow.msg = msg;
        flow.post_ps = done->post_ps;
        flow.received_ps = done->received_ps;
        flow.acked_ps = done->acked_ps;
        flow.ideal_ps = done->ideal_ps;
        std::copy(std::begin(done->delay_ps), std::end(done->delay_ps), flow.delay_ps);
        flow.retx_bytes = done->retx_bytes;
        flow.cnps = done->cnps;
        flow.qpn = done->qpn;
        net->observer.flow(net->observer.ctx, &flow);
    }
    if (net->sink.sent)
    {
        const weft_net_done how = NetDone(*done);
        net->sink.sent(net->sink.ctx, &msg, &how);
    }
}

void
OnPfc(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int pause)
{
    auto net = static_cast<PacketNet*>(ctx);
    const weft_net_pfc pfc = {tPs, port, prio, pause};
    net->observer.pfc(net->observer.ctx, &pfc);
}

bool
PacketNet::ByTcp(const weft_engine_msg& m) const
{
    const uint64_t prio = m.prio == UINT32_MAX ? transport.roce.data_prio : m.prio;
    return transport.type == WEFT_TRANSPORT_TCP ||
           (prio < WEFT_PRIOS && (tcpParams.prios >> prio & 1));
}

void
PacketNet::NoteRoce(int rc)
{
    if (rc == 0 && UsesTcp())
    {
        roceIds.push_back(posted++);
    }
}

int
PacketNet::Send(weft_engine_msg& m, weft_err* err)
{
    if (!UsesTcp())
    {
        return fabric->TrySend(m, nullptr, err);
    }
    int rc;
    if (!ByTcp(m))
    {
        rc = fabric->TrySend(m, nullptr, err);
        NoteRoce(rc);
        return rc;
    }
    if (!tcp)
    {
        TcpMessages::Listener listener;
        listener.received = [this](const weft_engine_done& d) {
            if (sink.received)
            {
                OnReceived(this, &d);
            }
        };
        listener.acked = [this](const weft_engine_done& d) { OnAcked(this, &d); };
        listener.failed = [this](const weft_err& e) { Fail(e); };
        tcp = std::make_unique<TcpMessages>(fabric, transport, tcpParams, seed, listener);
    }
    if (m.prio == UINT32_MAX)
    {
        m.prio = transport.type == WEFT_TRANSPORT_TCP ? tcpParams.prio : transport.roce.data_prio;
    }
    rc = tcp->Send(posted, m, err);
    posted += rc == 0;
    return rc;
}

void
PacketNet::SetHooks()
{
    weft_engine_hooks hooks{};
    hooks.ctx = this;
    hooks.received = sink.received ? OnReceived : nullptr;
    hooks.acked = sink.sent || observer.flow ? OnAcked : nullptr;
    hooks.pfc = observer.pfc ? OnPfc : nullptr;
    hooks.pfc_late = true; // it is only written down
    fabric->SetHooks(hooks);
}

/**
 * Runs a function that may throw; what it throws becomes an error.
 * @param err filled then
 * @param f the function, returning 0 or a WEFT_E_* code
 * @return what f returns, or a code
 */
template <typename F>
int
Guard(weft_err* err, F f) noexcept
{
    try
    {
        return f();
    }
    catch (const std::bad_alloc&)
    {
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for what ns-3 holds");
    }
    catch (const std::exception& e)
    {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3: %s", e.what());
    }
    catch (...)
    {
        return weft_err_set(err, WEFT_E_INTERNAL, "ns-3 threw something unknown");
    }
}

/**
 * Runs a function that only looks at a net and has no way of its own to report a failure: the next
 * run of the net does. \param net the net \param f the function
 */
template <typename F>
void
Look(const weft_net* net, F f) noexcept
{
    weft_err err{};
    const int code = Guard(&err, [&] {
        f(PacketNet::Of(net));
        return 0;
    });
    if (code != 0 && PacketNet::Of(net)->error.code == 0)
    {
        PacketNet::Of(net)->error = err;
    }
}

void
NetFree(weft_net* net)
{
    // ns-3's TCP asks for memory while it is taken down, in destructors, where a failure ends the
    // program: without memory it stays, and takes the place of another net.
    if (PacketNet::Of(net)->error.code == WEFT_E_LIMIT && PacketNet::Of(net)->UsesTcp())
    {
        return;
    }
    Guard(nullptr, [&] {
        delete PacketNet::Of(net);
        return 0;
    });
}

int64_t
NetNow(const weft_net* net)
{
    int64_t now = 0;
    Look(net, [&](const PacketNet* self) { now = weft_engine_now(self->fabric->GetEngine()); });
    return now;
}

void
NetSetSink(weft_net* net, const weft_net_sink* sink)
{
    PacketNet::Of(net)->sink = *sink;
    Look(net, [&](const PacketNet*) { PacketNet::Of(net)->SetHooks(); });
}

int
NetSend(weft_net* net, const weft_net_msg* msg, uint64_t ref, weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    if (self->error.code)
    {
        *err = self->error;
        return err->code;
    }
    weft_engine_msg m{};
    m.src_host = msg->src;
    m.dst_host = msg->dst;
    m.bytes = msg->bytes;
    m.tag = msg->tag;
    m.ref = ref;
    m.prio = msg->prio;
    m.qp = msg->qp;
    return self->Remember(Guard(err, [&] { return self->Send(m, err); }), *err);
}

int
NetGroup(weft_net* net,
         const uint32_t* hosts,
         uint32_t n,
         uint32_t prio,
         uint32_t* id,
         weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    weft_engine_msg m{};
    m.prio = prio;
    if (self->UsesTcp() && self->ByTcp(m))
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "switches add up and copy RoCE's packets, but their priority is "
                            "TCP's: choose another algorithm than in-network, or RoCE "
                            "(transport.type, tcp.prios)");
    }
    return Guard(err, [&] { return self->fabric->TryGroup(hosts, n, prio, id, err); });
}

int
NetContribute(weft_net* net, const weft_net_part* part, uint64_t ref, weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    if (self->error.code)
    {
        *err = self->error;
        return err->code;
    }
    const weft_engine_part p =
        {part->group, part->member, part->bytes, part->tag, ref, part->from, part->to};
    return Guard(err, [&] {
        const int rc = self->fabric->TryContribute(p, err);
        self->NoteRoce(rc);
        return rc;
    });
}

int
NetAfter(weft_net* net,
         int64_t delayPs,
         void (*fn)(void* ctx, uint64_t arg),
         void* ctx,
         uint64_t arg,
         weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    if (self->error.code)
    {
        *err = self->error;
        return err->code;
    }
    return Guard(err, [&] { return self->fabric->TryTimer(delayPs, fn, ctx, arg, err); });
}

int
NetChangeLinks(weft_net* net, weft_link_change* changes, size_t n, weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    if (self->error.code)
    {
        *err = self->error;
        return err->code;
    }
    return Guard(err, [&] { return self->fabric->TryChangeLinks(changes, n, err); });
}

int
NetRun(weft_net* net, int64_t untilPs, weft_err* err)
{
    PacketNet* self = PacketNet::Of(net);
    const int rc = Guard(err, [&] {
        if (!self->error.code)
        {
            EventId end;
            if (!self->UsesTcp())
            {
                self->fabric->GetPump().SetHorizon(untilPs);
            }
            else if (untilPs != WEFT_NEVER)
            {
                // TCP has timers among ns-3's events: both clocks stop together. The pump stays
                // armed, so that the order of events is that of an unbroken run.
                end = Simulator::Schedule(WeftTime(untilPs) + TimeStep(1) - Simulator::Now(),
                                          []() { Simulator::Stop(); });
            }
            Simulator::Run();
            Simulator::Remove(end);
            // Where nothing is left before the end, the end is reached, whatever the last event
            // was.
            weft_engine* engine = self->fabric->GetEngine();
            if (untilPs != WEFT_NEVER && weft_engine_next(engine) > untilPs)
            {
                weft_engine_follow(engine, untilPs + 1);
            }
        }
        if (self->error.code)
        {
            *err = self->error;
            return self->error.code;
        }
        return self->fabric->TryFlushCaptures(err);
    });
    return self->Remember(rc, *err);
}

void
NetStop(weft_net* net)
{
    Guard(nullptr, [&] {
        weft_engine_stop(PacketNet::Of(net)->fabric->GetEngine());
        Simulator::Stop();
        return 0;
    });
}

int
NetCheck(const weft_net* net, weft_err* err)
{
    return Guard(err,
                 [&] { return weft_engine_check(PacketNet::Of(net)->fabric->GetEngine(), err); });
}

void
NetTotals(const weft_net* net, weft_net_totals* out)
{
    struct weft_engine_totals t = {};
    *out = {};
    Look(net, [&](const PacketNet* self) { weft_engine_totals(self->fabric->GetEngine(), &t); });
    out->msgs_posted = t.msgs_posted;
    out->msgs_received = t.msgs_received;
    out->msgs_acked = t.msgs_acked;
    out->bytes_posted = t.bytes_posted;
    out->bytes_received = t.bytes_received;
    out->packet_hops = t.packet_hops;
    out->data_packets = t.sent[WEFT_PKT_DATA];
    out->acks = t.sent[WEFT_PKT_ACK];
    out->nacks = t.sent[WEFT_PKT_NACK];
    out->cnps = t.sent[WEFT_PKT_CNP];
    out->ecn_marks = t.ecn_marks;
    out->pfc_pauses = t.pfc_pauses;
    out->pfc_resumes = t.pfc_resumes;
    out->pfc_refreshes = t.pfc_refreshes;
    out->drops_buffer = t.drops[WEFT_DROP_BUFFER];
    out->drops_headroom = t.drops[WEFT_DROP_HEADROOM];
    out->drops_error = t.drops[WEFT_DROP_ERROR];
    out->drops_link = t.drops[WEFT_DROP_LINK];
    out->retx_packets = t.retx_packets;
    out->rtos = t.rtos;
    out->events = t.events;
    if (const TcpMessages* tcp = PacketNet::Of(net)->tcp.get())
    {
        const TcpTotals c = tcp->GetTotals();
        out->msgs_posted += c.posted;
        out->msgs_received += c.received;
        out->msgs_acked += c.acked;
        out->bytes_posted += c.bytesPosted;
        out->bytes_received += c.bytesReceived;
        out->data_packets += c.sums.segments;
        out->acks += c.sums.acks;
        out->cnps += c.sums.ecnEchoes;
        out->retx_packets += c.sums.retxPackets;
        out->rtos += c.sums.timeouts;
    }
}

void
NetPortStats(const weft_net* net, uint32_t port, weft_net_port_stats* out)
{
    struct weft_engine_port_stats s = {};
    *out = {};
    Look(net, [&](const PacketNet* self) {
        struct weft_engine* engine = self->fabric->GetEngine();
        weft_engine_port_stats(engine, port, &s);
        out->last_ps = weft_engine_port_last_ps(engine, port);
    });
    out->tx_packets = s.tx_packets;
    out->tx_bytes = s.tx_bytes;
    out->tx_payload_bytes = s.tx_payload_bytes;
    out->busy_ps = s.busy_ps;
    out->paused_ps = s.paused_ps;
    out->pauses = s.pauses;
    out->ecn_marks = s.ecn_marks;
    out->drops_buffer = s.drops[WEFT_DROP_BUFFER];
    out->drops_headroom = s.drops[WEFT_DROP_HEADROOM];
    out->drops_error = s.drops[WEFT_DROP_ERROR];
    out->drops_link = s.drops[WEFT_DROP_LINK];
    out->max_queue_bytes = s.max_queue_bytes;
}

uint64_t
NetQueueBytes(const weft_net* net, uint32_t port, uint32_t prio)
{
    uint64_t bytes = 0;
    Look(net, [&](const PacketNet* self) {
        bytes = weft_engine_queue_bytes(self->fabric->GetEngine(), port, prio);
    });
    return bytes;
}

uint64_t
NetExplain(const weft_net* net, uint64_t max, weft_net_explain_fn fn, void* ctx)
{
    uint64_t said = 0;
    uint64_t unfinished = 0;
    Look(net, [&](const PacketNet* self) {
        if (const TcpMessages* tcp = self->tcp.get())
        {
            unfinished = tcp->Explain(max, [&](const char* sentence) {
                fn(ctx, sentence);
                said++;
            });
        }
        unfinished += weft_engine_explain(self->fabric->GetEngine(), max - said, fn, ctx);
    });
    return unfinished;
}

void
NetMemory(const weft_net* net, weft_memory_figures* out)
{
    *out = {};
    Look(net, [&](const PacketNet* self) { weft_engine_memory(self->fabric->GetEngine(), out); });
}

void
NetConnections(const weft_net* net, weft_net_connection_fn fn, void* ctx)
{
    Look(net, [&](const PacketNet* self) {
        if (const TcpMessages* tcp = self->tcp.get())
        {
            tcp->EachConnection([&](const weft_net_connection& c) { fn(ctx, &c); });
        }
    });
}

int
NetStuck(weft_net* net, int64_t atPs, int64_t afterPs)
{
    PacketNet* self = PacketNet::Of(net);
    weft_engine* engine = self->fabric->GetEngine();
    const weft_motion roce = weft_engine_motion(engine, atPs, afterPs);
    const weft_motion tcp = self->tcp ? self->tcp->Motion(atPs, afterPs) : WEFT_MOTION_NONE;
    return std::max(roce, tcp) == WEFT_MOTION_STUCK && roce != WEFT_MOTION_SOME &&
           tcp != WEFT_MOTION_SOME;
}

uint64_t
NetExplainStuck(const weft_net* net, uint64_t max, weft_net_explain_fn fn, void* ctx)
{
    const PacketNet* self = PacketNet::Of(net);
    const uint64_t n = weft_engine_explain_stuck(self->fabric->GetEngine(), max, fn, ctx);
    return n + (self->tcp ? self->tcp->ExplainStuck(max > n ? max - n : 0,
                                                    [&](const char* text) { fn(ctx, text); })
                          : 0);
}

uint64_t
NetArrivedBytes(const weft_net* net)
{
    const PacketNet* self = PacketNet::Of(net);
    return weft_engine_arrived_bytes(self->fabric->GetEngine()) +
           (self->tcp ? self->tcp->GetArrivedBytes() : 0);
}

const weft_net_ops g_ops = {
    NetFree,        NetNow,         NetSetSink, NetSend,         NetAfter,
    NetChangeLinks, NetRun,         NetStop,    NetCheck,        NetTotals,
    NetPortStats,   NetQueueBytes,  NetExplain, NetMemory,       NetGroup,
    NetContribute,  NetConnections, NetStuck,   NetExplainStuck, NetArrivedBytes,
};

weft_engine_config
EngineConfig(const weft_net_config* config)
{
    weft_engine_config c{};
    c.fabric = config->fabric;
    c.params = weft_packet_engine_params(static_cast<const weft_packet_params*>(config->params));
    c.cc = config->cc;
    c.cc_params = config->cc_params;
    c.seed = config->seed;
    return c;
}

int
BackendCheck(const weft_net_config* config, weft_err* err)
{
    auto params = static_cast<const weft_packet_params*>(config->params);
    const weft_engine_config c = EngineConfig(config);
    return Guard(err, [&] {
        int rc = weft_tcp_check_params(&params->transport,
                                       &params->tcp,
                                       &params->pfc,
                                       config->fabric,
                                       err);
        if (rc == 0)
        {
            rc = weft_engine_check_config(&c, err);
        }
        if (rc != 0)
        {
            return rc;
        }
        std::vector<uint8_t> links(config->fabric->nlinks + 1);
        return weft_capture_select(config->fabric, params->capture.links, links.data(), err);
    });
}

int
BackendCheckLinks(const weft_net_config* config, const uint8_t* down, weft_err* err)
{
    const weft_engine_config c = EngineConfig(config);
    return weft_engine_check_links(c.fabric, &c.params.pfc, down, err);
}

void
BackendAdvise(const weft_net_config* config, weft_net_explain_fn fn, void* ctx)
{
    const weft_engine_config c = EngineConfig(config);
    const auto* p = static_cast<const weft_packet_params*>(config->params);
    weft_engine_advise(&c, p->transport.type != WEFT_TRANSPORT_TCP, fn, ctx);
}

int
BackendSettled(const weft_net_config* config,
               const char* section,
               const weft_param* p,
               char* buf,
               size_t size)
{
    if (std::strcmp(section, "ecn") != 0)
    {
        return 0;
    }
    const weft_engine_config c = EngineConfig(config);
    weft_engine_marking_text(&c, p->name, buf, size);
    return buf[0] != '\0';
}

void
BackendBuffers(const weft_net_config* config, weft_buffer_figures* out)
{
    const weft_engine_config c = EngineConfig(config);
    weft_engine_buffer_sums(&c, out);
}

int
BackendCreate(const weft_net_config* config, weft_net** out, weft_err* err)
{
    if (PacketNet::s_exists)
    {
        return weft_err_set(err,
                            WEFT_E_LIMIT,
                            "one packet net at a time: ns-3's Simulator is one per process, and "
                            "stays taken after a run with TCP that was out of memory");
    }
    int rc = BackendCheck(config, err);
    if (rc != 0)
    {
        return rc;
    }
    if (static_cast<const weft_packet_params*>(config->params)->capture.links[0] &&
        !config->out_dir && !config->dry)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "capture.links needs a run folder to write to: leave out --no-out");
    }
    return Guard(err, [&] {
        auto net = std::make_unique<PacketNet>(*config);
        const int built = net->fabric->Build(err);
        if (built == 0)
        {
            *out = net.release();
        }
        return built;
    });
}

} // namespace

extern "C"
{
const weft_net_backend weft_net_packet = {
    "packet",
    "every packet of a RoCE fabric, inside ns-3",
    1,
    weft_packet_sections,
    WEFT_PACKET_SECTIONS,
    sizeof(weft_packet_params),
    BackendCheck,
    BackendCreate,
    BackendBuffers,
    BackendCheckLinks,
    BackendAdvise,
    BackendSettled,
};

const char*
weft_ns3_version(void)
{
    return WEFT_NS3_VERSION;
}
}
