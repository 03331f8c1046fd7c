// SPDX-License-Identifier: GPL-2.0-only
// Packets of a message that are simulated as one: how near that is to one by one, and what it
// saves.
#include "replay_pair.h"

#include <deque>
#include <map>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

const Settings FOUR_LEAVES = {{"leaves", "4"},
                              {"spines", "4"},
                              {"hosts-per-leaf", "4"},
                              {"host-rate", "400Gbps"},
                              {"uplink-rate", "400Gbps"}};

Settings Train(const char *packets, Settings more = {})
{
    more.emplace_back("transport.train", packets);
    return more;
}

// When each message was received, by its tag.
std::map<uint64_t, int64_t> Times(const World &w)
{
    std::map<uint64_t, int64_t> t;
    for (const auto &d : w.received)
        t[d.msg.tag] = d.received_ps - d.post_ps;
    return t;
}

// DCQCN, and how often it was told of a CNP.
uint64_t g_told;
void CountCnp(void *state, const void *params, int64_t now, weft_cc_out *out)
{
    g_told++;
    weft_cc_find("dcqcn", nullptr)->on_cnp(state, params, now, out);
}

// What is posted, packet by packet and in trains.
struct Both {
    std::map<uint64_t, int64_t> single, train;
    uint64_t singleHops = 0, trainHops = 0, drops = 0;
    double mean = 0, worst = 0; // relative differences

    Both(const std::string &topology, const Settings &topo, const std::string &cc,
         const std::function<void(World &)> &post, const Settings &engine = {})
    {
        for (const char *packets : {"1", "15"}) {
            World w(topology, topo, Train(packets, engine), cc);
            w.Build();
            post(w);
            w.Run();
            const bool trains = *packets == '1' && packets[1];
            (trains ? train : single) = Times(w);
            (trains ? trainHops : singleHops) = w.Totals().packet_hops;
            drops += w.Totals().drops[WEFT_DROP_BUFFER] + w.Totals().drops[WEFT_DROP_HEADROOM];
        }
        EXPECT_EQ(single.size(), train.size());
        for (const auto &[tag, ps] : single) {
            const double off = std::abs(double(train[tag] - ps)) / double(ps);
            mean += off / double(single.size());
            worst = std::max(worst, off);
        }
    }
};

} // namespace

// A switch sends a train on as soon as its first packet has come, and its last packet is single: so
// a message is as long on its way as packet by packet.
TEST(Train, AloneAMessageTakesAsLong)
{
    for (uint64_t bytes :
         {UINT64_C(100), UINT64_C(4096) * 9, UINT64_C(1000000), UINT64_C(77777777)}) {
        const Both p("leaf-spine", FOUR_LEAVES, "none", [&](World &w) { w.Send(0, 15, bytes); });
        EXPECT_EQ(p.single, p.train) << bytes;
        if (bytes > 1000000) {
            EXPECT_LT(10 * p.trainHops, p.singleHops);
        }
    }
}

// A control that does not hear of ACKs has trains acknowledged two by two: links carry as many
// bytes, of fewer ACKs. No retransmission timer waits for them in vain, however short.
TEST(Train, AcksThatMakeNoDifference)
{
    for (const char *cc : {"none", "dcqcn", "dctcp"}) {
        weft_port_counters back[2] = {};
        uint64_t acks[2] = {};
        for (int trains : {0, 1}) {
            World w("leaf-spine", FOUR_LEAVES, Train(trains ? "15" : "1"), cc);
            w.Build();
            w.Send(0, 15, 40000000);
            w.Run();
            weft_engine_port_stats(w.e, w.fabric->nodes[w.fabric->hosts[15]].first_port,
                                   &back[trains]);
            acks[trains] = w.Totals().delivered[WEFT_PKT_ACK];
        }
        EXPECT_EQ(back[0].tx_bytes, back[1].tx_bytes) << cc;
        EXPECT_LT((std::string(cc) == "dctcp" ? 10 : 20) * acks[1], acks[0]) << cc;
    }
    for (const char *rto : {"30us", "1ms"}) { // 30 packets of 14 QPs take 35 us
        World w("leaf-spine", FOUR_LEAVES, Train("15", {{"transport.rto", rto}}), "none");
        w.Build();
        for (uint32_t dst = 1; dst < 15; dst++)
            w.Send(0, dst, 4000000, dst);
        w.Run();
        EXPECT_EQ(w.Totals().retx_packets, 0u) << rto;
    }
}

// Where links get faster on the way a train waits until it can be sent without a pause.
TEST(Train, FasterLinksAreNotAheadOfSlowerOnes)
{
    Settings topo = FOUR_LEAVES;
    topo[3].second = "100Gbps";
    const Both p("leaf-spine", topo, "none", [&](World &w) { w.Send(0, 15, 10000000); });
    EXPECT_GE(p.train.at(0), p.single.at(0));
    EXPECT_LT(p.worst, 0.01);
}

// As many turns as packets: QPs of one NIC share it as they would, and a short message among trains
// is not held up, or let through.
TEST(Train, QpsShareANicFairly)
{
    double off = 0;
    const int n = 20;
    for (int i = 0; i < n; i++) {
        const Both p("leaf-spine", FOUR_LEAVES, "none", [&](World &w) {
            for (uint32_t dst = 1; dst < 15; dst++)
                w.Send(0, dst, 4000000, dst);
            w.At((300 + 7 * i) * US, [&w] { w.Send(0, 15, 40960, 100); });
        });
        EXPECT_LT(2 * p.trainHops, p.singleHops);
        off += double(p.train.at(100)) / double(p.single.at(100)) - 1;
        for (uint64_t dst = 1; dst < 15; dst++)
            EXPECT_NEAR(double(p.train.at(dst)) / double(p.single.at(dst)), 1, 0.02) << dst;
    }
    EXPECT_NEAR(off / n, 0, 0.1);
}

// Nothing is lost in a lossless fabric: headroom takes what had left before a pause.
TEST(Train, PauseAndIncast)
{
    const Both p("leaf-spine", FOUR_LEAVES, "none",
                 [](World &w) {
                     for (uint32_t src = 1; src < 16; src++)
                         w.Send(src, 0, 3000000, src);
                     w.Send(1, 9, 3000000, 101); // a victim
                 },
                 {{"switch.buffer", "4MiB"}});
    EXPECT_EQ(p.drops, 0u);
    EXPECT_LT(p.mean, 0.02);
    EXPECT_LT(2 * p.trainHops, p.singleHops);
}

// A permutation with collisions: the control slows QPs down, and what it draws at random makes of
// small differences large ones. Over many seeds they come to nothing.
TEST(Train, ControlsThatSlowDown)
{
    for (const char *cc : {"dcqcn", "swift", "timely", "dctcp"}) {
        double sum[2] = {0, 0};
        for (uint64_t seed = 1; seed <= 25; seed++)
            for (int trains : {0, 1}) {
                World w("leaf-spine", FOUR_LEAVES, Train(trains ? "15" : "1"), cc, {}, seed);
                w.Build();
                for (uint32_t h = 0; h < 16; h++)
                    w.Send(h, (h + 5) % 16, 4000000, h);
                w.Run();
                for (const auto &d : w.received)
                    sum[trains] += double(d.received_ps - d.post_ps);
            }
        EXPECT_NEAR(sum[1] / sum[0], 1, 0.03) << cc;
    }
}

// Where many QPs share a NIC its turns hold them, not the rates that DCQCN has halved: they send
// trains, of which each packet causes its mark and its CNP. Those that DCQCN is told of are
// counted.
TEST(Train, QpsSlowedDownThatWaitForTheirTurn)
{
    weft_cc_ops ops = *weft_cc_find("dcqcn", nullptr);
    ops.on_cnp = CountCnp;
    uint64_t marks[2] = {0, 0}, cnps[2] = {0, 0}, hops[2] = {0, 0};
    std::map<uint64_t, int64_t> times[2];
    for (int trains : {0, 1}) {
        World w("leaf-spine",
                {{"leaves", "8"},
                 {"spines", "8"},
                 {"hosts-per-leaf", "8"},
                 {"uplink-rate", "400Gbps"},
                 {"host-rate", "400Gbps"}},
                Train(trains ? "15" : "1", {{"transport.mtu", "4096B"}}), "dcqcn");
        w.config.cc = &ops;
        g_told = 0;
        w.Build();
        for (uint32_t src = 0; src < 64; src++)
            for (uint32_t k = 1; k < 64; k++)
                w.Send(src, (src + k) % 64, 2'000'000, src * 64 + k);
        w.Run();
        times[trains] = Times(w);
        marks[trains] = w.Totals().ecn_marks;
        hops[trains] = w.Totals().packet_hops;
        for (const auto &d : w.acked)
            cnps[trains] += d.cnps;
        EXPECT_EQ(cnps[trains], g_told);
    }
    double mean = 0;
    for (const auto &[tag, ps] : times[0])
        mean += std::abs(double(times[1][tag] - ps)) / double(ps) / double(times[0].size());
    EXPECT_LT(mean, 0.005);
    EXPECT_LT(6 * hops[1], hops[0]);
    EXPECT_GT(marks[1], 5'000u);
    EXPECT_GT(cnps[1], marks[1]); // a train is marked once
    EXPECT_LT(cnps[0], marks[0]);
}

// Each packet of a train has its chance of being lost, and what is sent again is single.
TEST(Train, LossesAreRepaired)
{
    for (const char *packets : {"1", "15"}) {
        World w("leaf-spine", FOUR_LEAVES, Train(packets, {{"pfc.enabled", "off"}}), "none");
        w.fabric->links[0].error_rate = 0.001;
        w.Build();
        for (uint32_t i = 0; i < 20; i++)
            w.Send(0, 4 + i % 12, 4000000, i);
        w.Run();
        EXPECT_EQ(w.received.size(), 20u);
        EXPECT_GT(w.Totals().retx_packets, 100u);
    }
}

// What is left of a train that is trimmed is a packet, and no switch sends that on before it has
// come.
TEST(Train, TrimmedTrainsArePackets)
{
    World w("leaf-spine", FOUR_LEAVES,
            Train("15",
                  {{"pfc.enabled", "false"}, {"switch.trim-prios", "8"}, {"switch.buffer", "1MB"}}),
            "none");
    struct Links {
        const weft_fabric *fabric;
        std::map<uint32_t, std::deque<int64_t>> sent; // by port
        uint64_t early = 0;
    } links = {w.fabric, {}};
    const std::vector<uint8_t> events(w.fabric->nports, 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED);
    w.config.hooks.packet_events = events.data();
    w.config.hooks.packet = [](void *c, int64_t t, uint32_t port, weft_pkt_event what,
                               const weft_engine_pkt_view *v) {
        auto *l = static_cast<Links *>(static_cast<World *>(c)->user);
        if (v->kind != WEFT_PKT_DATA)
            return;
        if (what == WEFT_PKT_SENT) {
            l->sent[port].push_back(t);
            return;
        }
        auto &of = l->sent[l->fabric->ports[port].peer];
        l->early += t - of.front() < l->fabric->links[l->fabric->ports[port].link].delay_ps;
        of.pop_front();
    };
    w.user = &links;
    w.Build();
    for (uint32_t src = 1; src < 16; src++)
        w.Send(src, 0, 2000000, src);
    w.Run();
    EXPECT_EQ(w.received.size(), 15u);
    EXPECT_GT(w.Totals().trims, 100u);
    EXPECT_EQ(links.early, 0u);
}

// What repeats itself is replayed to the last bit, by any number of threads.
TEST(Train, ReplayAndThreadsAreExact)
{
    if (!weft_engine_can_replay())
        GTEST_SKIP() << "no replay";
    for (unsigned threads : {1u, 3u}) {
        Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "4"}, {"hosts-per-leaf", "1"}},
               Train("15", small), "dcqcn");
        p.threads = threads;
        p.Rings(100, 100'000);
        p.Build(WEFT_REPLAYING);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 400u);
        EXPECT_GT(p.Figures().played_periods, 10u) << p.Figures().why;
    }
}

// A train counts as one packet, whatever of it was taken over or stood for others alike.
TEST(Train, ReplayCountsTrains)
{
    if (!weft_engine_can_replay())
        GTEST_SKIP() << "no replay";
    weft_totals t[2] = {};
    for (int replay : {0, 1}) {
        World w("leaf-spine", FOUR_LEAVES, Train("15"), "none");
        w.Build();
        weft_err err = {};
        if (replay) {
            EXPECT_EQ(weft_engine_set_replay(w.e, WEFT_REPLAYING_EAGERLY, 64 << 20, &err), 0);
        }
        for (uint32_t h = 0; h < 16; h += 2)
            w.Send(h, h + 1, 40'000'000);
        w.Run();
        t[replay] = w.Totals();
        if (replay) {
            weft_replay_figures f = {};
            weft_engine_replay_figures(w.e, &f);
            EXPECT_GT(f.hops, 1000u) << f.why;
        }
    }
    EXPECT_EQ(t[0].sent[WEFT_PKT_DATA], t[1].sent[WEFT_PKT_DATA]);
    EXPECT_EQ(t[0].delivered[WEFT_PKT_ACK], t[1].delivered[WEFT_PKT_ACK]);
    EXPECT_EQ(t[0].packet_hops, t[1].packet_hops);
}

TEST(Train, ObstaclesAreNamed)
{
    const std::vector<std::tuple<Settings, const char *, const char *>> cases = {
        {{{"switch.balance", "spray"}, {"transport.recovery", "out-of-order"}},
         "none",
         "switch.balance is not flow"},
        {{{"transport.recovery", "selective-repeat"}},
         "none",
         "transport.recovery is not go-back-n"},
        {{{"transport.ack-every", "4"}}, "none", "transport.ack-every counts packets"},
        {{{"transport.ns3-event-order", "true"}}, "none", "transport.ns3-event-order"},
        {{{"transport.time-quantum", "1ns"}}, "none", "transport.time-quantum"},
        {{}, "hpcc", "switches write to each packet"},
    };
    for (const auto &[settings, cc, what] : cases) {
        World w("leaf-spine", FOUR_LEAVES, Train("2", settings), cc);
        weft_err err = {};
        EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT) << what;
        EXPECT_NE(std::string(err.msg).find(what), std::string::npos) << err.msg;
    }
}
