// SPDX-License-Identifier: GPL-2.0-only
/*
 * Utilisation of dimensions, worked out by hand: ring all-reduce of 4 MiB on 4 x 4 NPUs of 400 Gbps
 * links. In dimension 0 a rank sends 2 x 3 blocks of 1 MiB, in dimension 1 6 blocks of 256 KiB;
 * without packets that takes 6 x (20971.52 + 1000) + 6 x (5242.88 + 1000) = 169286.4 ns.
 */
#include "program.h"

#include <algorithm>

namespace
{

std::vector<std::string> torus(std::vector<std::string> more)
{
    std::vector<std::string> a = with_sets(
        {"run"}, {"topology.type=torus", "torus.shape=4x4", "torus.rate=400Gbps", "torus.delay=1us",
                  "workload.type=generate", "generate.size=4MiB", "system.all-reduce=ring,ring"});
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

/* 16 ranks, 6 MiB and 1.5 MiB each. */
const char kBytes0[] = "100663296", kBytes1[] = "25165824";

// Links that are busy for longer together than the clock goes: 53 days, of six links half each.
TEST(Dimensions, BusyBeyondTheClock)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    std::vector<std::string> a =
        with_sets({"run", "--out", dir / "o"},
                  {"topology.type=ring", "ring.size=3", "ring.rate=4bps", "ring.delay=1us",
                   "workload.type=generate", "generate.kind=all-reduce", "generate.size=1500000B",
                   "system.all-reduce=ring", "congestion-control.name=none", "pfc.enabled=false"});
    const Said s = weft(a);
    EXPECT_EQ(s.code, 5) << s.err;
    EXPECT_CONTAINS(s.err, "the clock of picoseconds");
    const auto rows = cells(dir / "o/dimensions.csv");
    ASSERT_EQ(rows.size(), 2u);
    const double used = std::stod(rows[1][7]), busy = std::stod(rows[1][8]);
    EXPECT_NEAR(used, 49.1, 1);
    EXPECT_GT(busy, used); // headers
    EXPECT_LT(busy, 1.06 * used);
}

TEST(Dimensions, OfATorusByItsLinks)
{
    TempDir dir;
    Said s = weft(torus({"--set", "network.backend=ideal", "--out", dir / "o"}));
    ASSERT_EQ(s.code, 0) << s.err;
    auto rows = cells(dir / "o/dimensions.csv");
    ASSERT_EQ(rows.size(), 3u);
    // two links a dimension: 6 MiB of 800 Gbps x 169286.4 ns = 16928640 B
    const std::vector<std::string> d0 = {"0",     "ring",  "4",          "800000000000",
                                         "links", kBytes0, "169286.400", "37.1646"};
    const std::vector<std::string> d1 = {"1",     "ring",  "4",          "800000000000",
                                         "links", kBytes1, "169286.400", "9.2911"};
    EXPECT_EQ(rows[1], d0);
    EXPECT_EQ(rows[2], d1);
    EXPECT_CONTAINS(s.out, "0: 37.2 %, 1: 9.3 %; average 23.2 %");
}

/* Flat arithmetic, dimensions of the system: what ranks sent in phases; the average is weighted by
 * bandwidth. */
TEST(Dimensions, WeightedByBandwidthOfSystemDims)
{
    TempDir dir;
    Said s = weft(small({"--set", "single-switch.hosts=16", "--set", "ideal.model=flat", "--set",
                         "ideal.bandwidth=400Gbps", "--set", "ideal.latency=1us", "--set",
                         "generate.size=4MiB", "--set", "system.dims=4,4", "--set",
                         "system.dim-bandwidths=400Gbps,100Gbps", "--set",
                         "system.all-reduce=ring,ring", "--out", dir / "o", "--json"}));
    ASSERT_EQ(s.code, 0) << s.err;
    auto rows = cells(dir / "o/dimensions.csv");
    ASSERT_EQ(rows.size(), 3u);
    // 6 MiB of 400 Gbps x 169286.4 ns = 8464320 B, 1.5 MiB of 100 Gbps x as long = 2116080 B
    const std::vector<std::string> d0 = {"0",      "",      "4",          "400000000000",
                                         "phases", kBytes0, "169286.400", "74.3291"};
    const std::vector<std::string> d1 = {"1",      "",      "4",          "100000000000",
                                         "phases", kBytes1, "169286.400", "74.3291"};
    EXPECT_EQ(rows[1], d0);
    EXPECT_EQ(rows[2], d1);
    EXPECT_CONTAINS(s.out, "\"dimension_utilisation\": 0.74329136");
    EXPECT_CONTAINS(s.out, "\"dimension_utilisation_min\": 0.74329136");
}

/*
 * With packets: per rank 1536 and 384 packets of 4178 B on the wire, and as many ACKs of 86 B. The
 * links were busy 20 ps per byte of them.
 */
TEST(Dimensions, OfPackets)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    TempDir dir;
    Said s = weft(torus({"--set", "congestion-control.name=none", "--out", dir / "o"}));
    ASSERT_EQ(s.code, 0) << s.err;
    auto rows = cells(dir / "o/dimensions.csv");
    ASSERT_EQ(rows.size(), 3u);
    const double ns = std::stod(rows[1][6]), packets[] = {1536, 384};
    EXPECT_NEAR(ns, 169286.4, 0.02 * 169286.4);
    EXPECT_EQ(rows[1][5], kBytes0);
    EXPECT_EQ(rows[2][5], kBytes1);
    for (int d = 0; d < 2; d++) {
        EXPECT_NEAR(std::stod(rows[1 + d][7]), 100 * packets[d] * 4096 * 0.01 / ns, 1e-4);
        EXPECT_NEAR(std::stod(rows[1 + d][8]), 100 * packets[d] * (4178 + 86) * 0.01 / ns, 1e-4);
    }
}

/* Nothing is said of dimensions that nobody knows, and nothing without communication. */
TEST(Dimensions, NoneAreKnown)
{
    TempDir dir;
    Said s = weft(small(
        {"--set", "ideal.model=flat", "--set", "ideal.bandwidth=400Gbps", "--out", dir / "o"}));
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cells(dir / "o/dimensions.csv").size(), 1u);
    EXPECT_EQ(s.out.find("dimensions used"), std::string::npos);
}

/* Where links do not contend Themis ends no later than the others, whatever an algorithm makes of a
 * dimension: a ring over direct links has one of them, and each of the n - 1 messages of an
 * exchange with all has the whole of a link. */
TEST(Dimensions, ThemisKnowsWhatAlgorithmsGet)
{
    const struct {
        const char *dimensions, *kind, *algorithms, *chunks;
    } cases[] = {
        {"switch size=8 rate=50Gbps; ring size=8 rate=50Gbps", "all-gather", "direct,ring", "16"},
        {"switch size=8 rate=50Gbps; fully-connected size=4 rate=100Gbps", "all-reduce",
         "direct,ring", "8"},
        {"fully-connected size=8 rate=200Gbps; ring size=4 rate=200Gbps", "all-gather",
         "direct,ring", "16"},
        {"ring size=8 rate=200Gbps; fully-connected size=4 rate=100Gbps", "reduce-scatter",
         "ring,direct", "4"},
        {"fully-connected size=4 rate=100Gbps; switch size=8 rate=800Gbps", "all-reduce",
         "ring,ring", "4"},
    };
    for (const auto &c : cases) {
        double ns[3];
        const char *const inter[] = {"baseline", "round-robin", "themis"};
        for (int i = 0; i < 3; i++) {
            const Said s = weft({"run",
                                 "--no-out",
                                 "--json",
                                 "--set",
                                 "network.backend=ideal",
                                 "--set",
                                 "topology.type=multi",
                                 "--set",
                                 std::string("multi.dimensions=") + c.dimensions,
                                 "--set",
                                 "workload.type=generate",
                                 "--set",
                                 std::string("generate.kind=") + c.kind,
                                 "--set",
                                 "generate.size=8MiB",
                                 "--set",
                                 std::string("system.") + c.kind + "=" + c.algorithms,
                                 "--set",
                                 std::string("system.chunks=") + c.chunks,
                                 "--set",
                                 "system.active-chunks=1",
                                 "--set",
                                 std::string("system.inter-dimension=") + inter[i]});
            ASSERT_EQ(s.code, 0) << s.err;
            ns[i] = value(s, "end_to_end_ns");
        }
        EXPECT_LE(ns[2], 1.001 * std::min(ns[0], ns[1])) << c.dimensions << " " << c.kind;
    }
}

} // namespace
