// SPDX-License-Identifier: GPL-2.0-only
// Settled traffic is skipped within a tolerance: completion times stay near those of the simulation
// of every packet, and what is counted is conserved.
#include "world.h"

#include "base/rng.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
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
        weft_engine_set_tolerance(w.e, within, false);
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
    static const char *controls[] = {"none",          "dcqcn", "hpcc",     "timely",
                                     "dctcp",         "swift", "powertcp", "hpcc-pint",
                                     "static-window", "nscc",  "smartt",   "mprdma"};
    weft_rng rng = weft_rng_stream(seed, "replay-settled-test", 0);
    Case c;
    c.cc = controls[seed % 12];
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

// What random scenarios come to, together or those of one control.
struct Sum {
    int cases = 0, skips = 0,
        beyond = 0; // in which something was skipped; with more error than said
    double mean = 0, p99 = 0, end = 0, skipped = 0, estimate = 0, marks = 0, marksOn = 0;

    void Add(const Outcome &off, const Outcome &on)
    {
        const Errors e = Compare(off, on);
        cases++;
        skips += on.replay.skips > 0;
        beyond += e.mean > on.replay.error_bound;
        mean += e.mean;
        p99 += e.p99;
        end += e.end;
        skipped += e.skipped;
        estimate += on.replay.error;
        marks += static_cast<double>(off.totals.ecn_marks);
        marksOn += static_cast<double>(on.totals.ecn_marks);
        EXPECT_LE(on.replay.error, on.replay.error_bound);
    }
    double Mean(double v) const
    {
        return v / cases;
    }
    void Print(const std::string &name) const
    {
        std::printf(
            "%-14s %5d cases, %4d skip %4.1f %%: error %.4f %%, estimate %.4f %%, p99 %.4f %%, end "
            "%.4f %%, %d beyond the bound\n",
            name.c_str(), cases, skips, Mean(skipped) * 100, Mean(mean) * 100, Mean(estimate) * 100,
            Mean(p99) * 100, Mean(end) * 100, beyond);
    }
};

// One scenario: what it is, and how far off its messages are.
void PrintOne(uint64_t seed, const Case &c, const Outcome &off, const Outcome &on)
{
    const Errors e = Compare(off, on);
    double worst = 0;
    for (const auto &f : off.fct)
        worst = std::max(worst, std::fabs(on.fct.at(f.first) - f.second) / f.second);
    std::printf("seed %" PRIu64 " %s %s n %zu skipped %.3f %% error %.4f %% est %.4f %% bound %.4f "
                "%% worst %.3f %% skips %" PRIu64 "\n",
                seed, c.cc.c_str(), c.topology.c_str(), c.posts.size(), e.skipped * 100,
                e.mean * 100, on.replay.error * 100, on.replay.error_bound * 100, worst * 100,
                static_cast<uint64_t>(on.replay.skips));
}

// Random fabrics, controls and messages that meet. Where each outcome hangs on single packets no
// two runs agree, so the bounds are those of the average. WEFT_SETTLED_SEEDS=FIRST-LAST plays
// others, and prints each, and what they come to by control (docs/explanation/replay.md).
TEST(ReplaySettled, RandomTraffic)
{
    uint64_t first = 0, last = 59;
    const char *others = std::getenv("WEFT_SETTLED_SEEDS");
    if (others) {
        ASSERT_EQ(std::sscanf(others, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << others;
    }
    Sum all;
    std::map<std::string, Sum> by;
    for (uint64_t seed = first; seed <= last; seed++) {
        const Case c = RandomCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        all.Add(off, on);
        by[c.cc].Add(off, on);
        if (others)
            PrintOne(seed, c, off, on);
        if (HasFailure())
            FAIL() << "seed " << seed;
    }
    if (others) {
        for (const auto &b : by)
            b.second.Print(b.first);
        all.Print("all");
        return;
    }
    EXPECT_LT(all.Mean(all.mean), 0.002);
    EXPECT_GT(all.Mean(all.estimate), all.Mean(all.mean) / 2 - 0.0001);
    EXPECT_LT(all.Mean(all.estimate), all.Mean(all.mean) * 2 + 0.0001);
    EXPECT_LT(all.Mean(all.p99), 0.002);
    EXPECT_LT(all.Mean(all.end), 0.002);
    EXPECT_GT(all.Mean(all.skipped), 0.01);
    EXPECT_GT(all.skips, 8);
    EXPECT_LE(all.beyond, 1 + all.skips / 20);
    EXPECT_GT(all.marks, 10'000);
    EXPECT_NEAR(all.marksOn, all.marks, 0.02 * all.marks);
}

// What repeats itself round by round and is skipped by whole rounds goes on to the picosecond as it
// would have, also where what follows hangs on single packets. Each of these was once off: windows
// shorter than a round trip with its queues (200552), rounds of one packet too many (202434,
// 212862), QPs that were moved on by parts of a packet (203362, 210466, 212797), by less than they
// had sent as a port was full (211916), at rates that irregular packets seemed to have (210109), in
// the midst of an average that fades (300870), of a window that grows (200224) or of counted
// packets (211821).
TEST(ReplaySettled, LeavesNoTrace)
{
    int skips = 0;
    for (uint64_t seed : {200552, 202434, 212862, 203362, 210466, 212797, 210109, 300870, 200224,
                          211821, 210085, 211669}) {
        const Case c = RandomCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        EXPECT_EQ(off.fct, on.fct) << "seed " << seed << ", " << c.cc;
        EXPECT_EQ(off.totals.ecn_marks, on.totals.ecn_marks) << "seed " << seed;
        skips += on.replay.skips > 0;
    }
    EXPECT_GE(skips, 4);
}

// The same of hosts that send to several at once, where packets of all share a NIC with their ACKs,
// which is full: groups of four that begin at different moments, and go on when others have met
// them.
TEST(ReplaySettled, LeavesNoTraceOfFullNics)
{
    for (const char *cc : {"none", "dcqcn", "smartt"}) {
        Case c;
        c.cc = cc;
        for (uint32_t h = 0; h < 8; h++)
            for (uint32_t k = 1; k < 4; k++)
                c.posts.push_back({h, h / 4 * 4 + (h + k) % 4, 20'000'000 + 4000 * h,
                                   h / 4 * 3'333'000 + h % 4 * 100'700});
        for (uint32_t h = 0; h < 8; h++)
            c.posts.push_back({h, (h + 4) % 8, 3'000'000, 900 * WEFT_PS_PER_US + h * 1'000'000});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        EXPECT_EQ(off.fct, on.fct) << cc;
        EXPECT_GT(on.replay.skips, 0u) << cc;
    }
}

// What IRN lets be in flight is a window: two flows that it holds back share a port in an order
// that comes back with their rounds.
TEST(ReplaySettled, LeavesNoTraceOfCappedFlows)
{
    int skips = 0;
    for (uint64_t seed : {18, 21, 27, 35, 37, 50, 58, 68, 77, 85, 103, 105, 117, 118, 119, 120}) {
        Case c = RandomCase(seed);
        c.cc = seed % 2 ? "dcqcn" : "none";
        c.engine.push_back({"transport.recovery", "selective-repeat"});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        if (on.replay.error_bound == 0) {
            EXPECT_EQ(off.fct, on.fct) << "seed " << seed;
        }
        skips += on.replay.skips > 0;
    }
    EXPECT_GT(skips, 4);
}

// The same whatever is set: sizes of packets, ACKs for several, rates, losses instead of pauses.
Case VariedCase(uint64_t seed)
{
    Case c = RandomCase(seed);
    weft_rng rng = weft_rng_stream(seed, "replay-varied-test", 0);
    const auto any = [&rng](std::vector<const char *> of) {
        return std::string(of[weft_rng_u64(&rng) % of.size()]);
    };
    c.engine = {{"transport.mtu", any({"512B", "1000B", "4096B", "9000B"})},
                {"transport.recovery", any({"go-back-n", "selective-repeat"})},
                {"transport.ack-every", any({"1", "1", "2", "4", "16"})}};
    if (weft_rng_u64(&rng) % 3 == 0) {
        c.engine.push_back({"pfc.enabled", "off"});
        c.engine.push_back({"switch.buffer", any({"2MiB", "64MiB"})});
        c.engine.push_back({"transport.rto", "300us"});
    }
    const std::string rate = any({"100Gbps", "400Gbps"});
    if (c.topology == "leaf-spine") {
        c.topo.push_back({"host-rate", rate});
        c.topo.push_back({"uplink-rate", any({"100Gbps", "200Gbps", "400Gbps"})});
    } else {
        c.topo.push_back({"rate", rate});
    }
    return c;
}

TEST(ReplaySettled, LeavesNoTraceWhateverIsSet)
{
    uint64_t first = 0, last = 59;
    int skips = 0;
    const char *others = std::getenv("WEFT_SETTLED_VARIED");
    if (others) {
        ASSERT_EQ(std::sscanf(others, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << others;
    }
    for (uint64_t seed = first; seed <= last; seed++) {
        const Case c = VariedCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        ASSERT_EQ(off.fct.size(), on.fct.size()) << "seed " << seed;
        if (on.replay.error_bound == 0) {
            EXPECT_TRUE(off.fct == on.fct) << "seed " << seed << ", " << c.cc;
            skips += on.replay.skips > 0;
        }
    }
    if (others)
        std::printf("%d without a trace\n", skips);
    else
        EXPECT_GT(skips, 4);
}

// Whole packets of one that has a link for itself are no more than there was time for: it was once
// told faster than an empty fabric allows, which ends a run.
TEST(ReplaySettled, NotFasterThanCanBe)
{
    const Outcome on = Play(RandomCase(603788), tolerance);
    EXPECT_GT(on.replay.skips, 0u);
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
    EXPECT_STREQ(on.replay.why, "no message has recurred often enough");
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
