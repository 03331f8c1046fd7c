// SPDX-License-Identifier: GPL-2.0-only
// In-network operations: completion times worked out by hand, payload per link, windows, rates, and
// what is refused.
#include "world.h"

namespace
{

constexpr uint32_t ALL = UINT32_MAX;
constexpr uint64_t MTU = 4096;
constexpr int64_t FULL = (4096 + 62 + 20) * 80; // ps at 100 Gbps
constexpr int64_t EMPTY = (64 + 20) * 80;       // a frame with headers only
constexpr int64_t D = 1000000;                  // delay of each link
const Settings MTU_4096 = {{"transport.mtu", "4096B"}};

Settings Star(int hosts)
{
    return {{"hosts", std::to_string(hosts)}, {"rate", "100Gbps"}, {"delay", "1us"}};
}

Settings With(Settings a, const Settings &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

uint32_t Group(World &w, std::vector<uint32_t> hosts)
{
    weft_err err = {};
    uint32_t id = UINT32_MAX;
    EXPECT_EQ(weft_engine_group(w.e, hosts.data(), (uint32_t)hosts.size(), UINT32_MAX, &id, &err),
              0)
        << err.msg;
    return id;
}

std::vector<uint32_t> Hosts(uint32_t n)
{
    std::vector<uint32_t> v;
    for (uint32_t i = 0; i < n; i++)
        v.push_back(i);
    return v;
}

void Post(World &w, uint32_t group, uint32_t member, uint64_t bytes, uint64_t tag = 0,
          uint32_t from = ALL, uint32_t to = ALL)
{
    weft_err err = {};
    weft_part p = {group, member, bytes, tag, 0, from, to};
    ASSERT_EQ(weft_engine_contribute(w.e, &p, &err), 0) << err.msg;
}

int64_t LastEnd(const World &w)
{
    int64_t last = 0;
    for (auto &d : w.acked)
        last = std::max(last, d.acked_ps);
    return last;
}

uint64_t Payload(const World &w, uint32_t port)
{
    struct weft_port_counters s;
    weft_engine_port_stats(w.e, port, &s);
    return s.tx_payload_bytes;
}

// The port of host h, and that of its switch towards it.
uint32_t Up(const World &w, uint32_t h)
{
    return w.fabric->nodes[w.fabric->hosts[h]].first_port;
}
uint32_t Down(const World &w, uint32_t h)
{
    return w.fabric->ports[Up(w, h)].peer;
}

int64_t AllReduceEnd(World &w, uint32_t n, uint64_t bytes)
{
    w.Build();
    uint32_t g = Group(w, Hosts(n));
    for (uint32_t i = 0; i < n; i++)
        Post(w, g, i, bytes);
    w.Run();
    EXPECT_EQ(w.received.size(), n);
    EXPECT_EQ(w.acked.size(), n);
    return LastEnd(w);
}

} // namespace

// K packets through one switch: the first takes two hops, the others follow at the link rate.
TEST(InNetwork, AllReduceThroughOneSwitch)
{
    for (int n : {2, 3, 8, 33})
        for (uint64_t k : {1, 2, 100}) {
            World w("single-switch", Star(n), MTU_4096);
            EXPECT_EQ(AllReduceEnd(w, n, k * MTU), int64_t(k + 1) * FULL + 2 * D) << n << " " << k;
            for (int h = 0; h < n; h++) {
                EXPECT_EQ(Payload(w, Up(w, h)), k * MTU);
                EXPECT_EQ(Payload(w, Down(w, h)), k * MTU);
            }
            EXPECT_EQ(w.Totals().bytes_posted, n * k * MTU);
            EXPECT_EQ(w.Totals().bytes_received, n * k * MTU);
            for (auto &d : w.acked)
                EXPECT_EQ(d.acked_ps - d.post_ps, d.ideal_ps); // alone and at once
        }
}

// Nothing and one byte: one frame of the least size each way.
TEST(InNetwork, ABarrierIsOneSmallFrame)
{
    World w("single-switch", Star(4), MTU_4096);
    EXPECT_EQ(AllReduceEnd(w, 4, 0), 2 * EMPTY + 2 * D);
}

// Up leaf and spine, down spine and leaf: four hops at equal rates.
TEST(InNetwork, AllReduceThroughLeavesAndSpine)
{
    World w("leaf-spine",
            {{"leaves", "4"},
             {"spines", "2"},
             {"hosts-per-leaf", "2"},
             {"host-rate", "100Gbps"},
             {"uplink-rate", "100Gbps"}},
            MTU_4096);
    EXPECT_EQ(AllReduceEnd(w, 8, 50 * MTU), 53 * FULL + 4 * D);
    // every link of the tree carries the data once each way, the other spine nothing
    uint64_t up = 0;
    for (uint32_t l = 0; l < w.fabric->nlinks; l++)
        for (uint32_t p = 0; p < w.fabric->nports; p++)
            if (w.fabric->ports[p].link == l)
                up += Payload(w, p);
    EXPECT_EQ(up, (8 + 4) * 2 * 50 * MTU);
}

// W slots: W packets per round trip of two hops.
TEST(InNetwork, SlotsLimitToAWindowPerRoundTrip)
{
    const int64_t rtt = 2 * FULL + 2 * D;
    for (int slots : {1, 2, 5}) {
        ASSERT_LT(slots * FULL, rtt);
        World w("single-switch", Star(4),
                With(MTU_4096, {{"in-network.slots", std::to_string(slots)}}));
        const int k = 40;
        const int64_t last = (k - 1) / slots * rtt + (k - 1) % slots * FULL + rtt;
        EXPECT_EQ(AllReduceEnd(w, 4, k * MTU), last) << slots;
    }
}

// Two groups at a switch of four slots have two each.
TEST(InNetwork, GroupsShareTheSlotsOfASwitch)
{
    World w("single-switch", Star(4), With(MTU_4096, {{"in-network.slots", "4"}}));
    w.Build();
    const uint32_t a = Group(w, {0, 1}), b = Group(w, {2, 3});
    const int64_t rtt = 2 * FULL + 2 * D;
    for (uint32_t i = 0; i < 2; i++)
        Post(w, a, i, 20 * MTU);
    w.Run();
    EXPECT_EQ(LastEnd(w), 9 * rtt + FULL + rtt);
    for (uint32_t i = 0; i < 2; i++)
        Post(w, b, i, MTU);
    w.Run();
    EXPECT_EQ(w.acked.size(), 4u);
}

// Each port's adder takes one frame per position: slower than the links here, and the same for any
// number of ports.
TEST(InNetwork, AggregationRateAndLatency)
{
    const int k = 30;
    const int64_t frame = (4096 + 62) * 160; // ps at 50 Gbps
    ASSERT_GT(frame, FULL);
    for (const int n : {2, 8, 72}) {
        World w("single-switch", Star(n),
                With(MTU_4096, {{"in-network.aggregation-rate", "50Gbps"}}));
        EXPECT_EQ(AllReduceEnd(w, n, k * MTU), FULL + D + k * frame + FULL + D) << n;
    }
    const int n = 8;
    World l("single-switch", Star(n), With(MTU_4096, {{"in-network.aggregation-latency", "3us"}}));
    EXPECT_EQ(AllReduceEnd(l, n, k * MTU), (k + 1) * FULL + 2 * D + 3000000);
}

// The payload goes only where it is wanted; headers carry the credits.
TEST(InNetwork, BroadcastAndReduce)
{
    for (int reduce = 0; reduce < 2; reduce++) {
        World w("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "2"}},
                MTU_4096);
        w.Build();
        const uint32_t g = Group(w, {0, 1, 2, 3}), root = 1;
        for (uint32_t i = 0; i < 4; i++)
            Post(w, g, i, 10 * MTU, 7, reduce ? ALL : root, reduce ? root : ALL);
        w.Run();
        EXPECT_EQ(w.acked.size(), 4u);
        ASSERT_EQ(w.received.size(), reduce ? 1u : 3u);
        EXPECT_EQ(w.received[0].msg.tag, 7u);
        for (uint32_t h = 0; h < 4; h++) {
            EXPECT_EQ(Payload(w, Up(w, h)), reduce || h == root ? 10 * MTU : 0) << h;
            EXPECT_EQ(Payload(w, Down(w, h)), reduce == (h == root) ? 10 * MTU : 0) << h;
        }
        for (auto &d : w.acked)
            EXPECT_GE(d.acked_ps - d.post_ps, d.ideal_ps);
        EXPECT_EQ(w.Totals().bytes_posted, (reduce ? 4 : 1) * 10 * MTU);
        EXPECT_EQ(w.Totals().bytes_received, (reduce ? 1 : 3) * 10 * MTU);
    }
}

// Data of a QP and sums share a host's link evenly.
TEST(InNetwork, SharesTheNicWithQueuePairs)
{
    World w("single-switch", Star(3), MTU_4096);
    w.Build();
    const uint32_t g = Group(w, {0, 1});
    const int k = 400;
    w.Send(0, 2, k * MTU);
    for (uint32_t i = 0; i < 2; i++)
        Post(w, g, i, k * MTU);
    w.Run();
    ASSERT_EQ(w.acked.size(), 3u);
    for (auto &d : w.acked) // each needs the link for k packets and gets every second turn
        EXPECT_NEAR(double(d.acked_ps), 2.0 * k * FULL, 0.03 * 2 * k * FULL);
}

// A member that comes late holds up all; operations of a group follow one another in the pipe.
TEST(InNetwork, WaitsForTheLastAndPipelines)
{
    World w("single-switch", Star(2), MTU_4096);
    w.Build();
    const uint32_t g = Group(w, {0, 1});
    Post(w, g, 0, 10 * MTU, 1);
    Post(w, g, 0, 10 * MTU, 2);
    w.Run();
    EXPECT_EQ(w.acked.size(), 0u);
    std::vector<std::string> said;
    EXPECT_EQ(weft_engine_explain(
                  w.e, 10,
                  [](void *c, const char *s) {
                      static_cast<std::vector<std::string> *>(c)->push_back(s);
                  },
                  &said),
              2u);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("1 have not begun it: h1"), std::string::npos) << said[0];
    const int64_t late = 100000000;
    weft_engine_set_now(w.e, late);
    Post(w, g, 1, 10 * MTU, 1);
    Post(w, g, 1, 10 * MTU, 2);
    w.Run();
    EXPECT_EQ(LastEnd(w), late + 21 * FULL + 2 * D);
}

// Sums fill the links up, copies those down: the two at once take as long as what the busier of a
// port's two directions has to carry of both, and its adder of sums. A reduce-scatter sends all
// that a rank has up once, as an all-reduce does, and so takes as long.
TEST(InNetwork, SumsAndCopiesGoOnBesideEachOther)
{
    const uint32_t n = 8, k = 40; // packets of each rank's unit
    const auto end = [](bool sums, bool copies, const char *rate) {
        World w("single-switch", Star(int(n)),
                With(MTU_4096, {{"in-network.aggregation-rate", rate}}));
        w.Build();
        const uint32_t g = Group(w, Hosts(n));
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t i = 0; i < n; i++) {
                if (copies)
                    Post(w, g, i, k * MTU, 100 + u, u);
                if (sums)
                    Post(w, g, i, k * MTU, u, ALL, u);
            }
        w.Run();
        EXPECT_EQ(w.acked.size(), (sums + copies) * n * n);
        return double(LastEnd(w));
    };
    for (const auto &[rate, ps] : {std::pair("0", 0.0), {"73Gbps", (4096 + 62) * 8e3 / 73}}) {
        const double scatter = end(true, false, rate), gather = end(false, true, rate),
                     both = end(true, true, rate);
        World w("single-switch", Star(int(n)),
                With(MTU_4096, {{"in-network.aggregation-rate", rate}}));
        const double reduce = double(AllReduceEnd(w, n, n * k * MTU));
        const double port = (n + 1) * k * std::max(double(FULL), ps) + (n - 1) * k * double(EMPTY);
        EXPECT_LT(both, 1.1 * std::max({scatter, gather, port})) << rate;
        EXPECT_GE(both, k * std::max((n + 1) * double(FULL), n * ps)) << rate;
        EXPECT_NEAR(scatter, reduce, 0.02 * reduce) << rate;
    }
}

// One member begins sums and copies in another order than the others, and many of each: nobody
// waits for ever.
TEST(InNetwork, SumsDoNotWaitForCopies)
{
    World w("single-switch", Star(2), With(MTU_4096, {{"in-network.slots", "2"}}));
    w.Build();
    const uint32_t g = Group(w, {0, 1});
    for (uint64_t k = 0; k < 20; k++) {
        Post(w, g, 0, 3 * MTU, k);
        Post(w, g, 1, 3 * MTU, 100 + k, 0);
    }
    w.Run();
    EXPECT_EQ(w.acked.size(), 0u);
    for (uint64_t k = 0; k < 20; k++)
        Post(w, g, 1, 3 * MTU, k);
    w.Run();
    EXPECT_EQ(w.acked.size(), 40u) << "all sums, and no copy";
    for (uint64_t k = 0; k < 20; k++)
        Post(w, g, 0, 3 * MTU, 100 + k, 0);
    w.Run();
    EXPECT_EQ(w.acked.size(), 80u);
}

// Who begins operations in another order sends them in that of the first, and waits with those that
// come after one that it has not begun.
TEST(InNetwork, MembersBeginOperationsInAnyOrder)
{
    for (const int64_t late : {int64_t(0), int64_t(100000000)}) {
        World w("single-switch", Star(2), MTU_4096);
        w.Build();
        const uint32_t g = Group(w, {0, 1});
        for (uint64_t tag : {1, 2, 3})
            Post(w, g, 0, 10 * MTU, tag);
        Post(w, g, 1, 10 * MTU, 3);
        Post(w, g, 1, 10 * MTU, 2);
        if (late) {
            w.Run();
            EXPECT_EQ(w.acked.size(), 0u);
            weft_engine_set_now(w.e, late);
        }
        Post(w, g, 1, 10 * MTU, 1);
        w.Run();
        ASSERT_EQ(w.acked.size(), 6u);
        EXPECT_EQ(LastEnd(w), late + 31 * FULL + 2 * D);
        for (size_t i = 0; i < 6; i++)
            EXPECT_EQ(w.acked[i].msg.tag, i / 2 + 1);
    }
}

TEST(InNetwork, RefusesWhatCannotBe)
{
    weft_err err = {};
    uint32_t id, hosts[] = {0, 1, 2, 3};
    auto says = [&](const char *what) {
        EXPECT_NE(std::string(err.msg).find(what), std::string::npos) << err.msg;
    };
    World ring("ring", {{"size", "4"}});
    ring.Build();
    EXPECT_EQ(weft_engine_group(ring.e, hosts, 4, 3, &id, &err), WEFT_E_INPUT);
    says("no link to a switch");
    World few("single-switch", Star(4), {{"in-network.slots", "1"}});
    few.Build();
    EXPECT_EQ(weft_engine_group(few.e, hosts, 2, 3, &id, &err), 0);
    EXPECT_EQ(weft_engine_group(few.e, hosts + 2, 2, 3, &id, &err), WEFT_E_INPUT);
    says("in-network.slots=1");
    World faulty("single-switch", Star(4));
    faulty.fabric->links[2].error_rate = 0.001;
    faulty.Build();
    EXPECT_EQ(weft_engine_group(faulty.e, hosts, 4, 3, &id, &err), WEFT_E_INPUT);
    says("may lose packets");
    World order("single-switch", Star(2));
    order.Build();
    const uint32_t g = Group(order, {0, 1});
    Post(order, g, 0, 100, 1);
    weft_part other = {g, 1, 200, 1, 0, ALL, ALL};
    EXPECT_EQ(weft_engine_contribute(order.e, &other, &err), WEFT_E_INPUT);
    says("tag 1 with 200 bytes, another member of its group began it with 100");
}

// A link that fails under way ends the run with the reason.
TEST(InNetwork, ALostSumEndsTheRun)
{
    World w("single-switch", Star(2), MTU_4096);
    w.Build();
    const uint32_t g = Group(w, {0, 1});
    for (uint32_t i = 0; i < 2; i++)
        Post(w, g, i, 100 * MTU);
    ASSERT_EQ(weft_engine_run(w.e, 5 * D), 0);
    weft_err err = {};
    weft_link_change down = {};
    down.kind = WEFT_LINK_DOWN;
    weft_engine_change_links(w.e, &down, 1, &err);
    EXPECT_EQ(weft_engine_run(w.e, WEFT_NEVER), WEFT_E_OUTCOME);
    EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("in-network"), std::string::npos)
        << weft_engine_error(w.e)->msg;
}
