// SPDX-License-Identifier: GPL-2.0-only
// What congestion controls are told: INT, PINT, RTT, ECN, CNP, seen by a control that only writes
// down.
#include "world.h"

#include "congestion/pint_code.h"
#include "congestion/cc_switch.h"

namespace
{

struct Seen {
    int64_t at;
    weft_cc_ack ack;
    std::vector<weft_cc_hop> hops;
};
std::vector<Seen> g_acks;
std::vector<int64_t> g_cnps;
weft_cc_cnp g_cnp;
weft_cc_signals g_signals;

void Init(void *, const void *, const weft_cc_env *env, int64_t, weft_cc_out *out)
{
    *out = {env->line_rate_bps, UINT64_MAX, WEFT_NEVER, false};
}
void OnAck(void *, const void *, int64_t now, const weft_cc_ack *ack, weft_cc_out *)
{
    g_acks.push_back({now, *ack, {ack->hops, ack->hops + ack->nhops}});
}
void OnCnp(void *, const void *, int64_t now, weft_cc_out *)
{
    g_cnps.push_back(now);
}
void Cnp(const void *, weft_cc_cnp *out)
{
    *out = g_cnp;
}
void Signals(const void *, weft_cc_signals *out)
{
    *out = g_signals;
}

// A world under the control that writes down.
struct Watched {
    Watched(const Settings &topo, const Settings &engine, unsigned needs,
            const char *topology = "single-switch")
        : w(topology, topo, engine)
    {
        g_acks.clear();
        g_cnps.clear();
        ops.name = "probe";
        ops.title = ops.source = "test";
        ops.needs = needs;
        ops.params = {nullptr, 0, 0};
        ops.init = Init;
        ops.on_ack = OnAck;
        ops.on_cnp = needs & WEFT_CC_NEEDS_CNP ? OnCnp : nullptr;
        ops.cnp = needs & WEFT_CC_NEEDS_CNP ? Cnp : nullptr;
        ops.signals = Signals;
        w.config.cc = &ops;
    }
    weft_cc_ops ops = {};
    World w;
};

Settings Pair(const char *rate)
{
    return {{"hosts", "2"}, {"rate", rate}, {"delay", "1us"}};
}

} // namespace

// Stamps are exact at every rate, also when counters pass 2^32: one flow alone, so that the n-th
// packet finds n - 1 packets' wire bytes and no queue.
TEST(Signal, IntIsExactAtAnyRateAndNeverWraps)
{
    g_signals = {};
    for (const char *rate : {"10Gbps", "25Gbps", "40Gbps", "800Gbps", "1.6Tbps"}) {
        const bool big = std::string(rate) == "1.6Tbps";
        const uint64_t npkts = big ? 480000 : 500;
        Watched p(Pair(rate), {{"transport.mtu", "9000B"}}, WEFT_CC_NEEDS_INT);
        p.w.Build();
        p.w.Send(0, 1, npkts * 9000);
        p.w.Run(WEFT_PS_PER_S);
        ASSERT_EQ(g_acks.size(), npkts) << rate;
        uint64_t bps = 0;
        weft_err err = {};
        ASSERT_EQ(weft_parse_rate_bps(rate, &bps, &err), 0);
        const uint64_t wire = 9000 + 62 + 20;
        const int64_t packet_ps =
            int64_t(wire * 8 * (UINT64_C(1000000000000) / 1000000) / (bps / 1000000));
        for (uint64_t i = 0; i < npkts; i += big ? 4999 : 1) {
            const Seen &s = g_acks[i];
            ASSERT_EQ(s.hops.size(), 1u);
            ASSERT_EQ(s.hops[0].rate_bps, bps);
            ASSERT_EQ(s.hops[0].tx_bytes, i * wire) << rate;
            ASSERT_EQ(s.hops[0].qlen_bytes, 0u);
            ASSERT_EQ(s.hops[0].ts_ps, int64_t(i + 1) * packet_ps + WEFT_PS_PER_US) << rate;
        }
        if (big) {
            EXPECT_GT(g_acks.back().hops[0].tx_bytes, UINT64_C(1) << 32);
        }
    }
}

// A path of any length has a stamp of each node that forwards, in its order, up to the limit: one
// flow alone, along a line of hosts.
TEST(Signal, IntStampsAreThoseOfThePathWhateverItsLength)
{
    const int64_t packet_ps = (9000 + 62 + 20) * 80, delay_ps = WEFT_PS_PER_US;
    g_signals = {};
    for (uint32_t links : {2u, 5u, 6u, 7u, 11u, 12u, 16u, 17u, 18u, 20u}) {
        Watched p({{"shape", "21"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                  {{"transport.mtu", "9000B"}}, WEFT_CC_NEEDS_INT, "mesh");
        p.w.Build();
        p.w.Send(0, links, 40 * 9000);
        p.w.Run(WEFT_PS_PER_S);
        ASSERT_EQ(g_acks.size(), 40u) << links;
        for (int64_t i = 0; i < 40; i++) {
            const std::vector<weft_cc_hop> &hops = g_acks[size_t(i)].hops;
            ASSERT_EQ(hops.size(), std::min(links - 1, unsigned(WEFT_CC_MAX_HOPS)));
            for (int64_t h = 0; h < int64_t(hops.size()); h++) {
                EXPECT_EQ(hops[size_t(h)].ts_ps, (i + h + 1) * packet_ps + (h + 1) * delay_ps);
                EXPECT_EQ(hops[size_t(h)].tx_bytes, uint64_t(i) * (9000 + 62 + 20));
                EXPECT_EQ(hops[size_t(h)].rate_bps, UINT64_C(100000000000));
            }
        }
    }
}

// From the start of a data packet's transmission to the arrival of its ACK, whatever it waited for
// in the NIC: 2 x 4178 B and 2 x 86 B at 80 ps, 4 x 1 us.
TEST(Signal, RttIsOfTheWireNotOfTheNicsQueue)
{
    g_signals = {};
    Watched p(Pair("100Gbps"), {}, WEFT_CC_NEEDS_RTT);
    p.w.Build();
    p.w.Send(0, 1, 50 * 4096);
    p.w.Run();
    ASSERT_EQ(g_acks.size(), 50u);
    for (const Seen &s : g_acks)
        EXPECT_EQ(s.ack.rtt_ps, 2 * (4178 + 86) * 80 + 4 * WEFT_PS_PER_US);
}

// With ack-every=4 each ACK tells of the packet that caused it, and of four packets' bytes.
TEST(Signal, CoalescedAcksCarryTheNewestPacketsSignals)
{
    g_signals = {};
    Watched p(Pair("100Gbps"), {{"transport.ack-every", "4"}},
              WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_INT);
    p.w.Build();
    p.w.Send(0, 1, 18 * 4096);
    p.w.Run();
    ASSERT_EQ(g_acks.size(), 5u); // 4 + 4 + 4 + 4 + 2
    for (size_t i = 0; i < 5; i++) {
        EXPECT_EQ(g_acks[i].ack.acked_bytes, (i < 4 ? 4u : 2u) * 4096);
        ASSERT_EQ(g_acks[i].hops.size(), 1u);
        EXPECT_EQ(g_acks[i].hops[0].tx_bytes, (i < 4 ? 4 * i + 3 : 17) * 4178);
        EXPECT_EQ(g_acks[i].ack.rtt_ps, 2 * (4178 + 86) * 80 + 4 * WEFT_PS_PER_US);
    }
}

// A port that sends back to back is used to 1: the code says so within its rounding of 5 %, and
// fits 8 bits.
TEST(Signal, PintCodesTheUtilisation)
{
    g_signals = {.data_bytes = 2, .ack_bytes = 2, .pint_base = 1.05, .pint_t_ps = 0};
    Watched p(Pair("100Gbps"), {}, WEFT_CC_NEEDS_PINT);
    p.w.Build();
    p.w.Send(0, 1, 400 * 4096);
    p.w.Run();
    ASSERT_EQ(g_acks.size(), 400u);
    double sum = 0;
    for (const Seen &s : g_acks)
        EXPECT_LE(s.ack.pint, 255);
    for (size_t i = 200; i < 400; i++)
        sum += weft_pint_decode(g_acks[i].ack.pint, 1.05);
    EXPECT_NEAR(sum / 200, 1.0, 0.05);
    EXPECT_LT(weft_pint_decode(g_acks[0].ack.pint, 1.05), 0.1);
}

// Two senders into one port with Kmin = Kmax = K. At dequeue a packet is marked when more than K
// stays behind, at enqueue when more than K waits with it: the same number of packets, since the
// queue rises and falls by one packet at a time, but others: those that join later are marked
// earlier on their way.
TEST(Signal, EcnAtDequeueOrAtEnqueue)
{
    g_signals = {};
    static struct {
        uint32_t port;
        uint64_t bytes, over_joining, over_leaving, marks;
        int64_t first_mark;
    } g;
    for (const char *at : {"false", "true"}) {
        Watched p({{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                  {{"ecn.at-enqueue", at},
                   {"ecn.scale-rate", "0"},
                   {"ecn.kmin", "100KB"},
                   {"ecn.kmax", "100KB"}},
                  WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO);
        g = {};
        g.first_mark = WEFT_NEVER;
        g.port = p.w.fabric->ports[p.w.fabric->nodes[p.w.fabric->hosts[2]].first_port].peer;
        p.w.config.hooks.queue = [](void *, int64_t, uint32_t port, uint32_t prio, uint64_t bytes) {
            if (port != g.port || prio != 3)
                return;
            g.over_joining += bytes > g.bytes && bytes > 100000;
            g.over_leaving += bytes < g.bytes && bytes > 100000;
            g.bytes = bytes;
        };
        p.w.config.hooks.ecn_mark = [](void *, int64_t t, uint32_t port,
                                       const weft_engine_pkt_view *) {
            g.marks += port == g.port;
            g.first_mark = std::min(g.first_mark, t);
        };
        p.w.Build();
        p.w.Send(0, 2, 100 * 4096);
        p.w.Send(1, 2, 100 * 4096);
        p.w.Run();
        const bool enqueue = std::string(at) == "true";
        EXPECT_GT(g.marks, 20u);
        EXPECT_EQ(g.marks, enqueue ? g.over_joining : g.over_leaving) << at;
        uint64_t echoes = 0;
        for (const Seen &s : g_acks)
            echoes += s.ack.ecn_echo;
        EXPECT_EQ(echoes, g.marks);
    }
}

// With ecn.host-ports=false only ports between switches mark: here the uplink of two senders.
TEST(Signal, PortsToHostsNeedNotMark)
{
    g_signals = {};
    static uint64_t marks[2];
    for (const bool to_hosts : {true, false}) {
        World w("leaf-spine",
                {{"leaves", "2"},
                 {"hosts-per-leaf", "3"},
                 {"spines", "1"},
                 {"host-rate", "100Gbps"},
                 {"uplink-rate", "100Gbps"}},
                {{"ecn.host-ports", to_hosts ? "true" : "false"},
                 {"ecn.scale-rate", "0"},
                 {"ecn.kmin", "20KB"},
                 {"ecn.kmax", "20KB"}},
                "dctcp");
        marks[0] = marks[1] = 0;
        w.user = w.fabric;
        w.config.hooks.ecn_mark = [](void *c, int64_t, uint32_t port,
                                     const weft_engine_pkt_view *) {
            const auto *f = static_cast<World *>(c)->fabric;
            marks[f->nodes[f->ports[f->ports[port].peer].node].kind == WEFT_NODE_HOST]++;
        };
        w.Build();
        w.Send(0, 3, 200 * 4096);
        w.Send(1, 4, 200 * 4096);
        w.Send(5, 3, 200 * 4096);
        w.Run();
        EXPECT_GT(marks[0], 0u);
        EXPECT_EQ(marks[1] > 0, to_hosts);
    }
}

// Every packet marked: with an interval at most one CNP in it, without one for each packet; as
// packets of their own or on the ACKs.
TEST(Signal, CnpsArePacedAtTheReceiver)
{
    g_signals = {};
    for (bool separate : {true, false})
        for (int64_t interval : {INT64_C(0), 4 * WEFT_PS_PER_US, 50 * WEFT_PS_PER_US}) {
            g_cnp = {separate, interval};
            Watched p({{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                      {{"ecn.kmin", "0"}, {"ecn.kmax", "0"}, {"ecn.pmax", "1"}},
                      WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_CNP);
            uint64_t marks = 0;
            static uint64_t *counter;
            counter = &marks;
            p.w.config.hooks.ecn_mark = [](void *, int64_t, uint32_t,
                                           const weft_engine_pkt_view *) { ++*counter; };
            p.w.Build();
            p.w.Send(0, 2, 1000 * 4096); // a second flow keeps a queue behind every packet
            p.w.Send(1, 2, 1000 * 4096);
            p.w.Run();
            ASSERT_GT(marks, 1500u);
            const auto t = p.w.Totals();
            EXPECT_EQ(t.sent[WEFT_PKT_CNP] > 0, separate);
            if (interval == 0) {
                EXPECT_EQ(g_cnps.size(), marks);
            } else {
                // 2000 packets of 334.24 ns for two QPs: one CNP each per interval
                const int64_t span = INT64_C(2000) * 334240;
                EXPECT_LE(g_cnps.size(), size_t(2 * (span / interval + 1)));
                EXPECT_GE(g_cnps.size(), size_t(2 * (span / (interval + 700000) - 2)));
            }
        }
}
