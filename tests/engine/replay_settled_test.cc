// SPDX-License-Identifier: GPL-2.0-only
// Settled traffic is skipped within a tolerance: completion times stay near those of the simulation
// of every packet, and what is counted is conserved.
#include "world.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace
{

const double tolerance = 0.01;

struct Post {
    uint32_t src, dst;
    uint64_t bytes;
    int64_t atPs;
};

struct Outcome {
    std::map<uint64_t, double> fct; // by number of the message, ps
    double end = 0;
    weft_replay_figures replay = {};
    weft_totals totals = {};
};

struct Case {
    std::string topology = "single-switch";
    Settings topo = {{"hosts", "8"}};
    Settings engine = {{"transport.mtu", "1000B"}};
    std::string cc = "dcqcn";
    Settings ccSettings = {};
    std::vector<Post> posts;
};

Outcome Play(const Case &c, double within)
{
    World w(c.topology, c.topo, c.engine, c.cc, c.ccSettings);
    w.Build();
    weft_err err = {};
    if (within > 0) {
        EXPECT_EQ(weft_engine_set_replay(w.e, WEFT_REPLAYING, 64 << 20, &err), 0) << err.msg;
        weft_engine_set_tolerance(w.e, within);
    }
    for (size_t i = 0; i < c.posts.size(); i++)
        w.At(c.posts[i].atPs, [&w, &p = c.posts[i], i] { w.Send(p.src, p.dst, p.bytes, i); });
    EXPECT_EQ(weft_engine_run(w.e, 10 * WEFT_PS_PER_S), 0) << weft_engine_error(w.e)->msg;
    EXPECT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
    Outcome o;
    for (const auto &d : w.received) {
        o.fct[d.msg.tag] = static_cast<double>(d.received_ps - d.post_ps);
        o.end = std::max(o.end, static_cast<double>(d.received_ps));
    }
    EXPECT_EQ(w.acked.size(), c.posts.size());
    o.totals = w.Totals();
    weft_engine_replay_figures(w.e, &o.replay);
    return o;
}

double P99(const Outcome &o)
{
    std::vector<double> v;
    for (const auto &f : o.fct)
        v.push_back(f.second);
    std::sort(v.begin(), v.end());
    return v[(v.size() * 99 + 99) / 100 - 1];
}

struct Errors {
    double mean = 0, p99 = 0, end = 0, gain = 0, skipped = 0;
};

Errors Compare(const Outcome &off, const Outcome &on)
{
    Errors e;
    EXPECT_EQ(off.fct.size(), on.fct.size());
    for (const auto &f : off.fct)
        e.mean += std::fabs(on.fct.at(f.first) - f.second) / f.second;
    e.mean /= static_cast<double>(off.fct.size());
    e.p99 = std::fabs(P99(on) - P99(off)) / P99(off);
    e.end = std::fabs(on.end - off.end) / off.end;
    e.gain = static_cast<double>(off.totals.events) / static_cast<double>(on.totals.events);
    e.skipped =
        static_cast<double>(on.replay.skipped_hops) / static_cast<double>(on.totals.packet_hops);
    return e;
}

Case RandomCase(uint64_t seed)
{
    static const char *controls[] = {"none",  "dcqcn",    "hpcc",      "timely",        "dctcp",
                                     "swift", "powertcp", "hpcc-pint", "static-window", "nscc"};
    weft_rng rng = weft_rng_stream(seed, "replay-settled-test", 0);
    Case c;
    c.cc = controls[seed % 10];
    uint32_t hosts = 8;
    if (weft_rng_u64(&rng) % 2) {
        c.topology = "leaf-spine";
        c.topo = {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
        hosts = 16;
    }
    const uint64_t n = 4 + weft_rng_u64(&rng) % (2 * hosts), kind = weft_rng_u64(&rng) % 3;
    for (uint64_t i = 0; i < n; i++) {
        Post p;
        p.src = static_cast<uint32_t>(weft_rng_u64(&rng) % hosts);
        p.dst = kind == 0 ? 0 : static_cast<uint32_t>(weft_rng_u64(&rng) % hosts);
        if (p.dst == p.src)
            p.dst = (p.src + 1) % hosts;
        p.bytes = 1'000'000 + weft_rng_u64(&rng) % 9'000'000;
        p.atPs = static_cast<int64_t>(weft_rng_u64(&rng) % (300 * WEFT_PS_PER_US));
        c.posts.push_back(p);
    }
    return c;
}

} // namespace

// Long messages side by side: nearly nothing is simulated, and completion times hardly differ.
TEST(ReplaySettled, LongMessages)
{
    for (const char *cc : {"none", "dcqcn", "static-window", "hpcc", "swift", "powertcp"}) {
        Case c;
        c.cc = cc;
        for (uint32_t h = 0; h < 8; h++)
            c.posts.push_back({h, (h + 3) % 8, 40'000'000 + 700 * h, 0});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        const Errors e = Compare(off, on);
        EXPECT_GT(e.gain, 5) << cc << ": " << on.replay.why;
        EXPECT_LT(e.mean, 0.002) << cc;
        EXPECT_LT(e.end, 0.002) << cc;
        EXPECT_LE(on.replay.error, tolerance) << cc;
        EXPECT_EQ(off.totals.sent[WEFT_PKT_DATA], on.totals.sent[WEFT_PKT_DATA]) << cc;
        EXPECT_EQ(off.totals.sent[WEFT_PKT_ACK], on.totals.sent[WEFT_PKT_ACK]) << cc;
        EXPECT_EQ(off.totals.packet_hops, on.totals.packet_hops) << cc;
    }
}

// Random fabrics, controls and messages that meet. Where each outcome hangs on single packets no
// two runs agree, so the bounds are those of the average.
TEST(ReplaySettled, RandomTraffic)
{
    const uint64_t cases = 40;
    Errors sum;
    double skipped = 0, marks = 0, marksOn = 0, estimate = 0;
    int skips = 0, beyond = 0; // scenarios in which something was, and with more error than said
    for (uint64_t seed = 0; seed < cases; seed++) {
        const Case c = RandomCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        const Errors e = Compare(off, on);
        marks += static_cast<double>(off.totals.ecn_marks);
        marksOn += static_cast<double>(on.totals.ecn_marks);
        if (HasFailure())
            FAIL() << "seed " << seed;
        sum.mean += e.mean / static_cast<double>(cases);
        sum.p99 += e.p99 / static_cast<double>(cases);
        sum.end += e.end / static_cast<double>(cases);
        estimate += on.replay.error / static_cast<double>(cases);
        skips += on.replay.skips > 0;
        beyond += e.mean > on.replay.error_bound;
        EXPECT_LE(on.replay.error, on.replay.error_bound);
        skipped += e.skipped / static_cast<double>(cases);
    }
    EXPECT_LT(sum.mean, 0.002);
    EXPECT_GT(estimate, sum.mean / 2);
    EXPECT_LT(estimate, sum.mean * 2 + 0.0005);
    EXPECT_LT(sum.p99, 0.002);
    EXPECT_LT(sum.end, 0.002);
    EXPECT_GT(skipped, 0.03);
    EXPECT_GT(skips, 8);
    EXPECT_LE(beyond, 1 + skips / 20);
    EXPECT_GT(marks, 10'000);
    EXPECT_NEAR(marksOn, marks, 0.02 * marks);
}

// What can't be skipped is simulated, and said.
TEST(ReplaySettled, SaysWhyNot)
{
    Case c;
    c.topology = "leaf-spine";
    c.topo = {{"leaves", "2"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
    c.engine = {{"switch.balance", "spray"}, {"transport.recovery", "out-of-order"}};
    c.posts.push_back({0, 5, 8'000'000, 0});
    const Outcome off = Play(c, 0), on = Play(c, tolerance);
    EXPECT_EQ(on.replay.skips, 0u);
    EXPECT_STREQ(on.replay.why, "packets are spread over paths");
    ASSERT_GE(on.replay.nreasons, 1u);
    EXPECT_GT(on.replay.reasons[0].times, 0u);
    EXPECT_STREQ(on.replay.reasons[0].why, "packets are spread over paths");
    EXPECT_EQ(off.fct, on.fct);
}

bool Says(const Outcome &o, const std::string &begin)
{
    for (uint32_t i = 0; i < o.replay.nreasons; i++)
        if (o.replay.reasons[i].kind == WEFT_REPLAY_SETTLED &&
            std::string(o.replay.reasons[i].why).rfind(begin, 0) == 0)
            return true;
    return false;
}

// Nothing is skipped under controls whose error can't be told, nor where that is worth too little.
TEST(ReplaySettled, NotWorthIt)
{
    for (auto [cc, why] : {std::pair<const char *, const char *>{"timely", "flows under TIMELY"},
                           {"hpcc-pint", "random digests"},
                           {"swift", "too little to skip"}}) {
        Case c;
        c.cc = cc;
        for (uint32_t h = 1; h < 4; h++)
            c.posts.push_back({h, 0, h * 3'000'000, 0});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        EXPECT_EQ(on.replay.skips, 0u) << cc;
        EXPECT_TRUE(Says(on, why)) << cc << ": " << on.replay.why;
        EXPECT_EQ(off.fct, on.fct) << cc;
    }
}
