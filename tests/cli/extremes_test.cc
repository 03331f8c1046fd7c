// SPDX-License-Identifier: GPL-2.0-only
// Rates, sizes and durations at the ends of what can be given: exact, or refused in words.
#include "program.h"

namespace
{

using Args = std::vector<std::string>;

Said PlaySet(const Args &settings)
{
    return weft(with_sets({"run", "--no-out", "--quiet", "--json"}, settings));
}

Args With(Args a, const Args &more)
{
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

const Args kSlow = {"topology.type=single-switch", "single-switch.hosts=2",
                    "single-switch.rate=1bps",     "workload.type=generate",
                    "generate.kind=all-reduce",    "system.all-reduce=direct",
                    "transport.rto=100s",          "transport.rto-backoff-max=20"};
const Args kIdeal = {"network.backend=ideal", "topology.type=single-switch",
                     "single-switch.hosts=2", "workload.type=generate"};

} // namespace

// Halves of 8 KiB: a frame of 4096 bytes, 4178 on the wire, over two links at 1 bps, and 2 us.
TEST(Extremes, OneBitPerSecond)
{
    if (!has_packet())
        GTEST_SKIP();
    const Said s = PlaySet(With(kSlow, {"generate.size=8KiB"}));
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_NE(s.out.find("\"fct_p50_ns\": 6.6848000002e+13"), std::string::npos) << s.out;
}

TEST(Extremes, TheClockEndsInWords)
{
    if (has_packet()) {
        const Said s = PlaySet(With(kSlow, {"generate.size=2MiB"}));
        EXPECT_EQ(s.code, 5) << s.out;
        EXPECT_NE(s.err.find("simulated time has come to"), std::string::npos) << s.err;
    }
    const struct {
        Args settings;
        const char *why;
    } cases[] = {
        {{"single-switch.rate=1bps", "generate.size=1MiB", "system.chunks=1",
          "system.all-reduce=direct"},
         "would take 26 days or more"},
        {{"single-switch.rate=1kbps", "generate.size=4GiB", "generate.kind=all-to-all",
          "ideal.contention=source"},
         "26 days or more"},
        {{"single-switch.rate=1kbps", "generate.size=400MB", "generate.count=4",
          "generate.overlap=true", "system.all-reduce=direct", "ideal.contention=source"},
         "after the end of simulated time"},
        {{"generate.compute-time=800h"}, "longer than the 26 days"},
        {{"generate.size=1GiB", "system.reduce-bandwidth=1bps"}, "longer than the 26 days"},
        {{"generate.size=1GiB", "system.injection-bandwidth=1bps", "generate.count=3"},
         "longer than the 26 days"},
    };
    for (const auto &c : cases) {
        const Said s = PlaySet(With(kIdeal, c.settings));
        EXPECT_EQ(s.code, 5) << c.why << ": " << s.out;
        EXPECT_NE(s.err.find(c.why), std::string::npos) << s.err;
    }
}

TEST(Extremes, TheLongestTimeThatCanBeGiven)
{
    const Said s = PlaySet(With(kIdeal, {"generate.compute-time=9223372036854775807ps"}));
    EXPECT_EQ(s.code, 3);
    EXPECT_NE(s.err.find("nearest is 9223372036.854ms"), std::string::npos) << s.err;
}

// A broadcast by a binomial tree: eleven times 1 MiB at 400 Gbps and 500 ns, over links between all
// pairs of 2,048 NPUs.
TEST(Extremes, AFullyConnectedDimensionOf2048)
{
    const Said s =
        PlaySet({"network.backend=ideal", "topology.type=multi",
                 "multi.dimensions=fully-connected size=2048 rate=400Gbps delay=500ns",
                 "workload.type=generate", "generate.kind=broadcast", "generate.size=1MiB"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_NE(s.out.find("\"end_to_end_ns\": 236186.72,"), std::string::npos) << s.out;
}
