// SPDX-License-Identifier: GPL-2.0-only
// What a run says about its own settings: defaults that follow from the fabric, controls that can't
// act, collectives that do not fit the dimensions, and the order of a ring.
#include "program.h"

#include <algorithm>
#include <set>

namespace
{

using Args = std::vector<std::string>;

Said With(const std::string &command, const Args &settings, const Args &more = {})
{
    Args a = {command};
    if (command == "check")
        a.push_back("--all");
    a.insert(a.end(), more.begin(), more.end());
    return weft(with_sets(a, settings));
}

Args operator+(Args a, const Args &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const Args kIncast = {"topology.type=single-switch", "single-switch.hosts=5",
                      "workload.type=generate",      "generate.kind=gather",
                      "generate.size=64KB",          "system.gather=direct"};

/// Two servers of four NPUs: NVLink inside, a NIC each outside.
const Args kServers = {
    "topology.type=multi",
    "multi.dimensions=switch size=4 rate=3.6Tbps delay=250ns; switch size=2 rate=400Gbps delay=1us",
    "workload.type=generate",
    "generate.kind=all-reduce",
    "generate.size=1MB",
    "system.all-reduce=ring"};

} // namespace

TEST(SettledDefaults, AreInCheckAndRunJsonWithTheRuleTheyFollow)
{
    Said s = With("check", kIncast + Args{"single-switch.rate=800Gbps"});
    EXPECT_CONTAINS(s.out, "dcqcn.rate-ai                    = 3.2Gbps");
    EXPECT_CONTAINS(s.out, "(default: 40Mbps per 10Gbps of line rate)");
    s = With("check", kIncast + Args{"dcqcn.rate-ai=40Mbps"});
    EXPECT_CONTAINS(s.out, "dcqcn.rate-ai                    = 40Mbps");
    EXPECT_CONTAINS(s.out, "ecn.kmin                         = 1600KB at 400Gbps");
    s = With("check", kIncast + Args{"congestion-control.name=dctcp"});
    EXPECT_CONTAINS(s.out, "ecn.kmin                         = 1200KB at 400Gbps");
    EXPECT_CONTAINS(s.out, "ecn.kmax                         = 1200KB at 400Gbps");
    /* Values that are given follow the rate; headroom is computed. */
    s = With("check", kIncast + Args{"ecn.kmin=100KB", "ecn.kmax=400KB"});
    EXPECT_CONTAINS(s.out, "ecn.kmin                         = 100KB                (--set: 1600KB "
                           "at 400Gbps)");
    EXPECT_CONTAINS(s.out, "(--set: 6250KiB at 400Gbps)");
    EXPECT_CONTAINS(s.out, "ecn.scale-rate                   = 25Gbps               (default)");
    s = With("check", kIncast + Args{"ecn.kmin=100KB", "ecn.kmax=400KB", "ecn.scale-rate=0"});
    EXPECT_CONTAINS(s.out, "(--set: 100KB at 400Gbps)");
    EXPECT_CONTAINS(s.out, "pfc.headroom                     = 0B                   (default: 11");
    s = With("check", kIncast + Args{"pfc.enabled=false"});
    EXPECT_CONTAINS(s.out, "pfc.headroom                     = 0B                   (default)");
    TempDir dir;
    s = With("run", kIncast, {"--quiet", "--out", dir / "o"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"rate-ai\": \"1.6Gbps\"");
}

TEST(Advice, AControlThatCantActIsNamedWithTheNumbers)
{
    Said s = With("check", kIncast, {"--quiet"});
    EXPECT_EQ(s.err, "");
    s = With("check", kIncast + Args{"ecn.kmin=100MB", "ecn.kmax=200MB"}, {"--quiet"});
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "dcqcn can't act: at switch s5 marking begins at a queue of 1.6 GB "
                           "(ecn.kmin, at 400Gbps, 16 times its value by ecn.scale-rate)");
    EXPECT_CONTAINS(s.err, "no queue of priority 3 grows beyond 11.52 MB before PFC pauses it");
    const Args lossy = kIncast + Args{"pfc.enabled=false", "ecn.kmin=100KB"};
    EXPECT_EQ(With("check", lossy, {"--quiet"}).err, "");
    s = With("check", lossy + Args{"switch.lossy-alpha=1/64"}, {"--quiet"});
    EXPECT_CONTAINS(
        s.err,
        "dcqcn acts late: at switch s5 the packets of one ingress port in lossy priority 3 are "
        "dropped at 517.8 KB (switch.lossy-alpha=0.015625");
    EXPECT_CONTAINS(s.err, "before marking begins at 1.6 MB (ecn.kmin, at 400Gbps, 16 times its "
                           "value by ecn.scale-rate)");
    // The run says so too, and keeps it.
    TempDir dir;
    s = With("run", lossy + Args{"switch.lossy-alpha=1/64"}, {"--quiet", "--out", dir / "o"});
    EXPECT_CONTAINS(s.err, "acts late");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "acts late");
}

TEST(Advice, HeadroomThatIsTooSmallIsTold)
{
    EXPECT_EQ(With("check", kIncast + Args{"pfc.headroom=200KB"}, {"--quiet"}).err, "");
    Said s = With("check", kIncast + Args{"pfc.headroom=20KB"}, {"--quiet"});
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "pfc.headroom=20KB is too little: up to ");
    EXPECT_CONTAINS(s.err, "B arrive at a port of 400Gbps after it has paused its peer");
    /* What is said to be enough is. */
    const size_t at = s.err.find(": up to ") + 8;
    const std::string enough = s.err.substr(at, s.err.find(" arrive", at) - at);
    EXPECT_EQ(With("check", kIncast + Args{"pfc.headroom=" + enough}, {"--quiet"}).err, "");
}

// pfc.prios=3 is priorities 0 and 1: whoever means 3, the default priority, gets a lossy fabric
/* A packet of 4096 + 62 bytes takes 62 beside the reserve of 4 KiB. */
TEST(Advice, ALimitThatNoPacketPassesIsRefusedWithTheLeastThatLetsOnePass)
{
    if (!has_packet())
        GTEST_SKIP();
    const struct {
        Args with;
        const char *key, *below, *least, *at_least;
    } cases[] = {
        {{"switch.egress-threshold=static"}, "egress-limit", "61B", "62B", "at least 62B"},
        {{"switch.egress-threshold=static", "switch.egress-scale-rate=100Gbps"},
         "egress-limit",
         "15B",
         "16B",
         "at least 16B"},
        {{"switch.threshold=static"}, "limit", "61B", "62B", "at least 62B"},
        {{"switch.threshold=static"}, "limit-map", "3:61B", "3:62B", "at least 3:62B"},
        {{}, "egress-limit-map", "3:61B", "3:62B", "at least 3:62B"},
        {{}, "egress-lossy-pool", "61B", "62B", "at least 62B"},
        {{"switch.buffer=166KiB"}, "lossy-alpha", "1/512", "0.0101", "at least 0.01"},
        {{"switch.buffer=166KiB"}, "egress-alpha-map", "3:1/512", "3:0.0101", "at least 3:0.01"},
        {{"switch.reserve=0", "switch.trim-prios=8"},
         "egress-limit-map",
         "5:65B",
         "5:66B",
         "a trimmed packet of priority 5 (66 bytes)"},
    };
    for (const auto &c : cases) {
        const std::string key = std::string("switch.") + c.key;
        const Args common =
            kIncast +
            Args{"pfc.enabled=false", "congestion-control.name=none", "transport.mtu=4096B"} +
            c.with;
        const Said s = With("check", common + Args{key + "=" + c.below}),
                   valid = With("check", common + Args{key + "=" + c.least}),
                   run = With("run", common + Args{key + "=" + c.least}, {"--no-out", "-q"});
        EXPECT_EQ(s.code, 3) << key << s.out;
        EXPECT_CONTAINS(s.err, "--set: " + key + " has no room for a packet: ");
        EXPECT_CONTAINS(s.err, c.at_least);
        EXPECT_EQ(valid.code, 0) << key << valid.err;
        EXPECT_EQ(run.code, 0) << key << run.err;
    }
    TempDir dir;
    write_file(dir / "s.xml",
               "<scenario>\n<topology type=\"single-switch\"/>\n<pfc enabled=\"false\"/>"
               "\n<switch egress-threshold=\"static\"\n  egress-limit=\"61B\"/>\n"
               "<workload type=\"generate\"/>\n</scenario>\n");
    EXPECT_CONTAINS(weft({"run", dir / "s.xml", "--no-out"}).err,
                    "s.xml:5:3: switch.egress-limit has no room");
    /* Ports to hosts have 1.5 times as much: what is named is enough for the others, too. */
    const Args near = {
        "topology.type=leaf-spine",  "workload.type=generate",         "pfc.enabled=false",
        "transport.mtu=4096B",       "switch.egress-threshold=static", "switch.trim-prios=8",
        "switch.trim-host-scale=1.5"};
    EXPECT_CONTAINS(With("check", near + Args{"switch.egress-limit=1B"}).err, "at least 62B");
    EXPECT_EQ(With("check", near + Args{"switch.egress-limit=62B"}).code, 0);
    /* A lossless packet has headroom. */
    EXPECT_EQ(With("run", kIncast + Args{"switch.threshold=static", "switch.limit=0B"},
                   {"--no-out", "-q"})
                  .code,
              0);
}

TEST(Advice, TheNumberOfAPriorityInPlaceOfAMaskIsTold)
{
    const char *const told = "pfc.prios=3 is a mask, and leaves out the priority 3 that messages "
                             "have: what overflows is dropped; pfc.prios=8 makes it lossless";
    EXPECT_CONTAINS(With("check", kIncast + Args{"pfc.prios=3"}, {"--quiet"}).err, told);
    EXPECT_EQ(With("check", kIncast + Args{"pfc.prios=8"}, {"--quiet"}).err, "");
    EXPECT_LACKS(With("check", kIncast + Args{"pfc.prios=7"}, {"--quiet"}).err, "is a mask");
    EXPECT_EQ(
        With("check", kIncast + Args{"pfc.prios=2", "transport.data-prio=1"}, {"--quiet"}).err, "");
}

TEST(Advice, DctcpOnARampIsTold)
{
    const Args dctcp = kIncast + Args{"congestion-control.name=dctcp"};
    EXPECT_EQ(With("check", dctcp, {"--quiet"}).err, "");
    EXPECT_EQ(With("check", dctcp + Args{"ecn.kmin=20KB"}, {"--quiet"}).err,
              ""); // kmax is the same
    Said s =
        With("check", dctcp + Args{"ecn.kmin=20KB", "ecn.kmax=80KB", "ecn.pmax=0.2"}, {"--quiet"});
    EXPECT_CONTAINS(s.err, "dctcp is made for one threshold (RFC 8257 section 3.1), but marking "
                           "rises from 320 KB to 1.28 "
                           "MB at 400Gbps with probability up to 0.2");
    if (!has_ns3())
        return;
    const Args tcp =
        kIncast + Args{"transport.type=tcp", "transport.variant=dctcp", "pfc.enabled=false"};
    EXPECT_EQ(With("check", tcp, {"--quiet"}).err, "");
    s = With("check", tcp + Args{"ecn.kmin=20KB", "ecn.kmax=80KB"}, {"--quiet"});
    EXPECT_CONTAINS(s.err, "dctcp over TCP is made for one threshold");
}

TEST(Advice, ARingOverTwoDimensionsIsTold)
{
    const Args hgx = {"topology.type=preset", "preset.name=hgx-rail-optimised",
                      "workload.type=generate", "generate.kind=all-reduce", "generate.size=1MiB"};
    Said s = With("check", hgx + Args{"system.all-reduce=ring"}, {"--quiet"});
    EXPECT_CONTAINS(s.err, "all-reduce=ring is one ring over 128 ranks of 2 dimensions: all of it "
                           "goes through links of "
                           "dimension 1 (400 Gbps per rank)");
    EXPECT_CONTAINS(s.err, "system.all-reduce=ring,ring");
    EXPECT_EQ(With("check", hgx + Args{"system.all-reduce=ring,ring"}, {"--quiet"}).err, "");
    // 1 MB at 400 Gbps: 2 x 7/8 x 20 us; in dimensions: 2 x 3/4 x 2.22 us + 2 x 1/2 x 1/4 x 20 us.
    s = With("check", kServers, {"--quiet"});
    EXPECT_CONTAINS(s.err, "so that one of 1 MB takes at least 35 us");
    EXPECT_CONTAINS(s.err, "takes 8.333 us");
    /* A few bytes are a matter of latency, whatever plays them. */
    EXPECT_LACKS(With("check", kServers + Args{"generate.size=4B"}, {"--quiet"}).err,
                 "is one ring");
}

TEST(Advice, ASchedulerOfDimensionsWithNothingToOrderIsTold)
{
    const Args themis = kServers + Args{"system.inter-dimension=themis"};
    const Args rings = themis + Args{"system.all-reduce=ring,ring"};
    EXPECT_CONTAINS(With("check", themis + Args{"system.chunks=8"}, {"--quiet"}).err,
                    "system.inter-dimension=themis has no effect: no collective of the job goes "
                    "through several "
                    "dimensions");
    EXPECT_CONTAINS(With("check", rings, {"--quiet"}).err,
                    "system.inter-dimension=themis orders nothing: with system.chunks=1 a "
                    "collective is one chunk");
    EXPECT_CONTAINS(
        With("check", rings + Args{"system.inter-dimension=round-robin"}, {"--quiet"}).err,
        "system.inter-dimension=round-robin orders nothing");
    for (const char *set : {"system.chunks=8", "system.inter-dimension=baseline"})
        EXPECT_EQ(With("check", rings + Args{set}, {"--quiet"}).err.find("warning"),
                  std::string::npos)
            << set;
}

/// Nine dimensions of two places are a fabric, but no collective goes through more than eight.
TEST(Advice, MoreDimensionsThanCollectivesKnowAreRefused)
{
    const Args nine = {"network.backend=ideal",         "topology.type=torus",
                       "torus.shape=2x2x2x2x2x2x2x2x2", "workload.type=generate",
                       "generate.kind=all-reduce",      "generate.size=1KB"};
    const Said s = With("check", nine, {"--quiet"});
    EXPECT_EQ(s.code, 5);
    EXPECT_CONTAINS(s.err, "the fabric has 9 dimensions, but collectives go through 8 at most");
    EXPECT_EQ(With("check", nine + Args{"system.dims=8,64"}, {"--quiet"}).code, 0);
}

TEST(Advice, WhatPlayedACollectiveOfAnotherWorkloadNamesIt)
{
    const Said s =
        With("run",
             {"network.backend=ideal", "topology.type=single-switch", "single-switch.hosts=6",
              "workload.type=a:generate,b:generate", "a.kind=all-to-all", "b.kind=all-to-all",
              "a.hosts=0,1", "b.hosts=2-5", "system.all-to-all=direct"},
             {"--no-out"});
    EXPECT_CONTAINS(s.out, "played by              direct over 2 ranks; b: direct over 4 ranks\n");
}

TEST(Advice, TheSummarySaysWhichAlgorithmPlayedACollective)
{
    TempDir dir;
    Said s = With("run", kServers, {"--out", dir / "a"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "played by              ring over 8 ranks as one dimension");
    EXPECT_CONTAINS(slurp(dir / "a/run.json"),
                    "\"algorithm\": \"ring over 8 ranks as one dimension\"");
    s = With("run", kServers + Args{"system.all-reduce=ring,direct"}, {"--out", dir / "b"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out,
                    "played by              ring in dimension 0 (4), direct in dimension 1 (2)");
    EXPECT_EQ(s.err.find("one ring"), std::string::npos) << s.err;
}

namespace
{

/// Who sends to whom in a run.
std::set<std::pair<int, int>> Neighbours(const Args &settings)
{
    TempDir dir;
    const Said s = With("run", settings, {"--quiet", "--out", dir / "o"});
    EXPECT_EQ(s.code, 0) << s.err;
    std::istringstream in(slurp(dir / "o/flows.csv"));
    std::string line, cell;
    std::getline(in, line);
    std::vector<std::string> head;
    for (std::istringstream h(line); std::getline(h, cell, ',');)
        head.push_back(cell);
    const auto column = [&](const char *name) {
        return std::find(head.begin(), head.end(), name) - head.begin();
    };
    const auto src = column("from"), dst = column("to");
    std::set<std::pair<int, int>> pairs;
    while (std::getline(in, line)) {
        std::vector<std::string> cells;
        for (std::istringstream r(line); std::getline(r, cell, ',');)
            cells.push_back(cell);
        pairs.insert({std::stoi(cells.at(static_cast<size_t>(src))),
                      std::stoi(cells.at(static_cast<size_t>(dst)))});
    }
    return pairs;
}

std::set<std::pair<int, int>> Ring(const std::vector<int> &order)
{
    std::set<std::pair<int, int>> pairs;
    for (size_t i = 0; i < order.size(); i++)
        pairs.insert({order[i], order[(i + 1) % order.size()]});
    return pairs;
}

/* Naming what packs trees packs them: it leaves no error behind. */
TEST(Advice, NamesPackedTrees)
{
    const Said s =
        weft({"run", "--no-out", "--set", "network.backend=ideal", "--set", "topology.type=ring",
              "--set", "ring.size=3", "--set", "workload.type=generate", "--set",
              "generate.kind=reduce", "--set", "system.reduce=packed-trees"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "packed-trees over 3 ranks");
}

/* Thresholds grow with the rate of a port, which a note says where they were given. */
TEST(Advice, ThresholdsThatGrowAreNoted)
{
    if (!has_packet())
        GTEST_SKIP() << "the program has no packet backend";
    const auto run = [](const std::vector<std::string> &more) {
        return weft(with_sets({"run", "--no-out"},
                              {"topology.type=single-switch", "single-switch.rate=100Gbps",
                               "workload.type=generate", "generate.size=1KB",
                               "congestion-control.name=dcqcn"},
                              more));
    };
    EXPECT_CONTAINS(run({"ecn.kmin=50KB"}).err,
                    "weft: ecn.kmin=50KB is for a port of 25Gbps (ecn.scale-rate) and comes to "
                    "200KB at 100Gbps; ecn.scale-rate=0 takes it as it is\n");
    for (const std::vector<std::string> &quiet : {std::vector<std::string>{},
                                                  {"ecn.kmin=50KB", "ecn.scale-rate=0"},
                                                  {"ecn.kmin=50KB", "single-switch.rate=25Gbps"},
                                                  {"congestion-control.preset=sim-100g"}})
        EXPECT_EQ(run(quiet).err.find("comes to"), std::string::npos);
}

} // namespace

TEST(RingOrder, IsWhatWasAskedFor)
{
    EXPECT_EQ(Neighbours(kServers), Ring({0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(Neighbours(kServers + Args{"system.order=rail"}), Ring({0, 1, 2, 3, 7, 6, 5, 4}));
    EXPECT_EQ(Neighbours(kServers + Args{"system.order=inner-first"}),
              Ring({0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(Neighbours(kServers + Args{"system.order=0,4,1,5,2,6,3,7"}),
              Ring({0, 4, 1, 5, 2, 6, 3, 7}));
    // Algorithms per dimension keep their own places.
    const Args phases = kServers + Args{"system.all-reduce=ring,ring"};
    Said s = With("check", phases + Args{"system.order=rail"}, {"--quiet"});
    EXPECT_CONTAINS(s.err, "system.order has no effect");
}

TEST(RingOrder, RefusesWhatIsNoOrderOfAllRanks)
{
    const struct {
        const char *order, *why;
    } cases[] = {
        {"rial", "did you mean 'rail'"},
        {"0,1,2", "rank 3 is missing: the list has 3 of 8 ranks"},
        {"0,1,2,3,4,5,6,8", "rank 8 does not exist: there are the ranks 0 to 7"},
        {"0,1,2,3,4,5,6,6", "rank 6 is there twice"},
        {"0,,1", "has an empty item; write group, inner-first, rail or all ranks"},
    };
    for (auto &c : cases) {
        const Said s = With("check", kServers + Args{std::string("system.order=") + c.order});
        EXPECT_EQ(s.code, 3) << c.order;
        EXPECT_CONTAINS(s.err, "system.order");
        EXPECT_CONTAINS(s.err, c.why);
    }
    const Said flat = With("check", kIncast + Args{"system.order=rail"});
    EXPECT_EQ(flat.code, 3);
    EXPECT_CONTAINS(flat.err, "rail is an order over the dimensions of a fabric");
}
