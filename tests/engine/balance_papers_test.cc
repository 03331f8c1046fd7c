// SPDX-License-Identifier: GPL-2.0-only
// The balancers of papers: LetFlow, DRILL, CONGA, ConWeave.
#include "world.h"

#include <cstring>

namespace
{

Settings Clos(const char *leaves, const char *spines, const char *hosts)
{
    return {{"leaves", leaves},
            {"spines", spines},
            {"hosts-per-leaf", hosts},
            {"host-rate", "100Gbps"},
            {"uplink-rate", "100Gbps"}};
}

// Payload bytes, or with @p longest the longest queues, of the ports of a switch to other switches.
std::vector<uint64_t> ToSwitches(const World &w, uint32_t node, bool longest = false)
{
    std::vector<uint64_t> all;
    const weft_fabric_node &x = w.fabric->nodes[node];
    for (uint32_t p = x.first_port; p < x.first_port + x.nports; p++)
        if (w.fabric->nodes[w.fabric->ports[w.fabric->ports[p].peer].node].kind ==
            WEFT_NODE_SWITCH) {
            struct weft_port_counters st;
            weft_engine_port_stats(w.e, p, &st);
            all.push_back(longest ? st.max_queue_bytes : st.tx_payload_bytes);
        }
    return all;
}

size_t Used(const std::vector<uint64_t> &bytes)
{
    size_t n = 0;
    for (uint64_t b : bytes)
        n += b > 0;
    return n;
}

// Messages of one QP, one each @p every_ps; a timer takes the clock there.
void SendEach(World &w, uint32_t src, uint32_t dst, uint64_t bytes, int n, int64_t every_ps)
{
    weft_err err = {};
    const int64_t from = weft_engine_now(w.e);
    for (int i = 1; i <= n; i++) {
        w.Send(src, dst, bytes);
        ASSERT_EQ(weft_engine_timer(
                      w.e, from + i * every_ps, [](void *, uint64_t) {}, nullptr, 0, &err),
                  0);
        ASSERT_EQ(weft_engine_run(w.e, from + i * every_ps + 1), 0);
    }
}

int64_t Last(const World &w)
{
    int64_t last = 0;
    for (const auto &d : w.received)
        last = std::max(last, d.received_ps);
    return last;
}

Settings Drill(const char *samples, const char *memory)
{
    return {{"switch.balance", "drill"},
            {"switch.drill-samples", samples},
            {"switch.drill-memory", memory},
            {"transport.recovery", "selective-repeat"},
            {"transport.bdp-fc", "false"}};
}

} // namespace

// 100 packets take 8.5 us at 100 Gbps; messages 50 us apart are flowlets of their own to a gap of
// 20 us, and one flow to a gap of 1 s.
TEST(LetFlow, AFlowletKeepsToARandomPort)
{
    for (const char *gap : {"20us", "1s"}) {
        World w("leaf-spine", Clos("2", "4", "4"),
                {{"switch.balance", "letflow"}, {"switch.flowlet-gap", gap}});
        w.Build();
        SendEach(w, 0, 4, 100 * 1024, 16, 50 * WEFT_PS_PER_US);
        w.Run();
        ASSERT_EQ(w.received.size(), 16u);
        const auto bytes = ToSwitches(w, 8);
        for (uint64_t b : bytes)
            EXPECT_EQ(b % (100 * 1024), 0u);
        EXPECT_EQ(Used(bytes), gap[0] == '2' ? 4u : 1u);
        EXPECT_EQ(w.Totals().retx_packets, 0u);
    }
}

TEST(Drill, WithoutSamplesToCompareItIsRandom)
{
    World w("leaf-spine", Clos("2", "4", "4"), Drill("1", "0"));
    w.Build();
    w.Send(0, 4, 4000 * 1024);
    w.Run();
    for (uint64_t b : ToSwitches(w, 8)) /* 1000 packets each, standard deviation 27 */
        EXPECT_NEAR(double(b), 1000 * 1024.0, 110 * 1024.0);
}

// Nothing ever waits behind a flow that comes at the rate of the port that it takes: among equals
// the port remembered stands, whatever is drawn.
TEST(Drill, ThePortRememberedStandsAmongEquals)
{
    World w("leaf-spine", Clos("2", "4", "4"), Drill("1", "1"));
    w.Build();
    w.Send(0, 4, 4000 * 1024);
    w.Run();
    EXPECT_EQ(Used(ToSwitches(w, 8)), 1u);
    EXPECT_EQ(w.Totals().retx_packets, 0u);
}

TEST(Drill, TwoSamplesAndAMemoryKeepQueuesShort)
{
    uint64_t longest[3] = {0};
    const char *dm[3][2] = {{"1", "0"}, {"2", "1"}, {"16", "0"}};
    for (int k = 0; k < 3; k++) {
        World w("leaf-spine", Clos("2", "4", "4"), Drill(dm[k][0], dm[k][1]));
        w.Build();
        for (uint32_t i = 0; i < 4; i++)
            w.Send(i, 4 + i, 4000 * 1024);
        w.Run();
        ASSERT_EQ(w.received.size(), 4u);
        for (uint64_t q : ToSwitches(w, 8, true))
            longest[k] = std::max(longest[k], q);
        if (k > 0) {
            EXPECT_LT(double(Last(w)), 1.15 * double(w.received[0].ideal_ps)) << dm[k][0];
        }
    }
    /* random: a queue of load 1 grows without end; power of two choices: a few packets */
    EXPECT_GT(longest[0], 5 * longest[1]);
    EXPECT_LE(longest[2], longest[1]);
}

// Two flows of one leaf: the second comes when the estimate of the first one's uplink has risen to
// its end, so it never takes the same.
TEST(Conga, ANewFlowAvoidsTheUplinkInUse)
{
    for (uint64_t seed = 1; seed <= 16; seed++) {
        World w("leaf-spine", Clos("2", "2", "2"), {{"switch.balance", "conga"}}, "none", {}, seed);
        w.Build();
        w.Send(0, 2, 8000 * 1024); /* 680 us */
        ASSERT_EQ(weft_engine_run(w.e, 400 * WEFT_PS_PER_US), 0);
        w.Send(1, 3, 1000 * 1024);
        w.Run();
        auto bytes = ToSwitches(w, 4);
        std::sort(bytes.begin(), bytes.end());
        EXPECT_EQ(bytes, (std::vector<uint64_t>{1000 * 1024, 8000 * 1024})) << seed;
        EXPECT_EQ(w.Totals().retx_packets, 0u);
    }
}

// One leaf fills a spine's port to the second leaf. The third leaf can't see that by its own
// uplinks, but is told by the answers of the second.
TEST(Conga, CongestionBehindTheUplinkIsToldByTheOtherLeaf)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        World w("leaf-spine", Clos("3", "2", "2"),
                {{"switch.balance", "conga"}, {"switch.flowlet-gap", "20us"}}, "none", {}, seed);
        w.Build();
        w.Send(0, 2, 40000 * 1024); /* 3.4 ms */
        ASSERT_EQ(weft_engine_run(w.e, 400 * WEFT_PS_PER_US), 0);
        SendEach(w, 4, 3, 1024, 4, 50 * WEFT_PS_PER_US); /* learns */
        const auto before = ToSwitches(w, 8), busy = ToSwitches(w, 6);
        SendEach(w, 4, 3, 1024, 20, 50 * WEFT_PS_PER_US);
        const auto after = ToSwitches(w, 8);
        for (int k = 0; k < 2; k++)
            EXPECT_EQ(after[k] - before[k], busy[k] ? 0u : 20 * 1024u) << seed;
    }
}

TEST(ConWeave, AnEmptyFabricIsLeftAlone)
{
    World w("leaf-spine", Clos("2", "4", "4"), {{"switch.balance", "conweave"}});
    w.Build();
    for (uint32_t i = 0; i < 4; i++) {
        w.Send(i, 4 + i, 1000 * 1024);
        w.Run();
    }
    ASSERT_EQ(w.received.size(), 4u);
    for (const auto &d : w.received)
        EXPECT_EQ(d.received_ps - d.post_ps, d.ideal_ps);
    for (uint64_t b : ToSwitches(w, 8))
        EXPECT_EQ(b % (1000 * 1024), 0u); /* each on one way */
}

// Two flows, which meet on an uplink in every second case: one of them goes another way as soon as
// answers are late. Behind the last switch nobody notices: go-back-N sees every packet in order,
// which it doesn't when nothing is kept.
TEST(ConWeave, FlowsLeaveBusyWaysAndArriveInOrder)
{
    struct {
        double slowdown;
        uint64_t again, moved;
    } of[3] = {};
    const Settings settings[3] = {{{"switch.balance", "flow"}},
                                  {{"switch.balance", "conweave"}},
                                  {{"switch.balance", "conweave"},
                                   {"switch.conweave-resume-extra", "0ps"},
                                   {"switch.conweave-resume-default", "0ps"}}};
    for (int k = 0; k < 3; k++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            World w("leaf-spine", Clos("2", "2", "2"), settings[k], "none", {}, seed);
            w.Build();
            w.Send(0, 2, 8000 * 1024);
            w.Send(1, 3, 8000 * 1024);
            w.Run();
            ASSERT_EQ(w.received.size(), 2u);
            of[k].slowdown += double(Last(w)) / double(w.received[0].ideal_ps) / 12;
            of[k].again += w.Totals().retx_packets;
            of[k].moved += ToSwitches(w, 4)[0] % (8000 * 1024) != 0;
        }
    EXPECT_GT(of[0].slowdown, 1.3);
    EXPECT_LT(of[1].slowdown, 1.25);
    EXPECT_GT(of[1].moved, 3u);
    EXPECT_EQ(of[0].again, 0u);
    EXPECT_EQ(of[1].again, 0u);
    EXPECT_GT(of[2].again, 0u);
}

// Under losses, of tails too, each message arrives once; what is kept is sent on by the timer.
TEST(ConWeave, LossesDoNotStrandPackets)
{
    for (const char *recovery : {"go-back-n", "selective-repeat"}) {
        World w("leaf-spine", Clos("2", "2", "4"),
                {{"switch.balance", "conweave"},
                 {"transport.recovery", recovery},
                 {"transport.rto", "100us"},
                 {"pfc.enabled", "false"}});
        uint32_t n = 0;
        w.lose = [&n](uint32_t, const weft_engine_pkt_view &v) {
            return v.kind == WEFT_PKT_DATA && ++n % 97 == 0;
        };
        w.Build();
        for (uint32_t i = 0; i < 4; i++)
            w.Send(i, 4 + i, 2000 * 1024);
        w.Run();
        EXPECT_EQ(w.received.size(), 4u) << recovery;
        EXPECT_GT(w.Totals().retx_packets, 0u);
    }
}

TEST(ConWeave, PoolsOfEgressQueuesAreRefused)
{
    weft_err err = {};
    World w("leaf-spine", Clos("2", "2", "2"),
            {{"switch.balance", "conweave"}, {"switch.egress-lossy-pool", "1MiB"}});
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("switch.balance=conweave keeps packets"), std::string::npos)
        << err.msg;
}

namespace
{

/* A flow without pauses whose spine loses a link, to the leaf of the sender or (@p far) that of the
 * receiver, after 1 MB of 4. */
void LoseTheSpine(const char *balance, uint32_t far)
{
    SCOPED_TRACE(balance);
    World w(
        "leaf-spine", Clos("2", "4", "4"),
        {{"switch.balance", balance}, {"switch.flowlet-gap", "1s"}, {"transport.rto", "100us"}});
    w.Build();
    w.Send(0, 4, 4000 * 1000);
    ASSERT_EQ(weft_engine_run(w.e, 80 * WEFT_PS_PER_US), 0);
    weft_engine_set_now(w.e, 80 * WEFT_PS_PER_US);
    const auto before = ToSwitches(w, 8);
    ASSERT_EQ(Used(before), 1u);
    uint32_t used = 0;
    while (!before[used])
        used++;
    weft_err err = {};
    weft_link_change c = {};
    c.kind = WEFT_LINK_DOWN;
    while (w.fabric->links[c.link].a != 8 + far || w.fabric->links[c.link].b != 10 + used)
        c.link++;
    ASSERT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    /* nothing goes there any more (a spine sends back what has come to it) */
    EXPECT_EQ(ToSwitches(w, 8)[used], before[used]);
    EXPECT_EQ(Used(ToSwitches(w, 8)), far && !strcmp(balance, "conga") ? 3u : 2u);
    /* what was on the way is lost, and a timeout passes */
    EXPECT_LT(w.received[0].received_ps, w.received[0].ideal_ps + 300 * WEFT_PS_PER_US);
}

} // namespace

// The gap never comes, but a port that leads nowhere is left at once: its own link is down, or the
// one behind it.
TEST(Flowlets, APortThatLeadsNowhereIsLeftAtOnce)
{
    for (const char *balance : {"flowlet", "letflow", "conga"})
        for (uint32_t far : {0u, 1u})
            LoseTheSpine(balance, far);
}
