// SPDX-License-Identifier: GPL-2.0-only
// weft check refuses what weft run refuses, in the same words, and leaves no files.
#include "program.h"

#include <filesystem>

namespace
{

using Args = std::vector<std::string>;

Args Sets(const std::string &command, const Args &settings)
{
    return with_sets({command, "--quiet"}, settings);
}

} // namespace

TEST(Check, RefusesWhatRunRefuses)
{
    TempDir dir;
    write_file(dir / "error.txt", "5 1 4\n4\n4 0 100Gbps 1us 0\n4 1 100Gbps 1us 0.001\n4 2 100Gbps "
                                  "1us 0\n4 3 100Gbps 1us 0\n");
    const struct {
        Args settings;
        const char *why;
        bool packet; // on the packet backend only
    } cases[] = {
        {{"topology.type=ring", "ring.size=4", "system.all-reduce=in-network"},
         "h0 has no link to a switch",
         false},
        {{"topology.type=torus", "torus.shape=2x2", "system.all-reduce=in-network"},
         "has no link to a switch",
         false},
        {{"topology.type=single-switch", "system.all-reduce=packed-trees"},
         "no links between ranks lead from rank 0",
         false},
        {{"topology.type=leaf-spine", "system.all-reduce=packed-trees"},
         "no links between ranks lead from rank 0",
         false},
        {{"topology.type=torus", "torus.shape=4x4", "system.all-reduce=ring,packed-trees"},
         "name it alone",
         false},
        {{"topology.type=single-switch", "generate.kind=all-to-all",
          "system.all-to-all=in-network"},
         "switches do all-reduce",
         false},
        {{"topology.type=torus", "torus.shape=4x4", "system.all-reduce=ring,ring,ring"},
         "but there are 2 dimensions",
         false},
        {{"topology.type=hpcc", "hpcc.file=" + dir / "error.txt", "system.all-reduce=in-network"},
         "may lose packets",
         true},
        {{"topology.type=single-switch", "single-switch.hosts=4", "system.dims=2,2",
          "system.all-reduce=in-network,in-network", "in-network.slots=1"},
         "one per group is the least",
         true},
    };
    for (auto &c : cases)
        for (const char *backend : {"ideal", "packet"}) {
            if (std::string(backend) == (c.packet ? "ideal" : "") ||
                (!has_packet() && backend[0] == 'p'))
                continue;
            Args settings = c.settings;
            settings.insert(settings.end(),
                            {std::string("network.backend=") + backend, "workload.type=generate"});
            Said run = weft(Sets("run", settings), dir / ""),
                 check = weft(Sets("check", settings), dir / "");
            EXPECT_EQ(run.code, 3) << c.why << " on " << backend;
            EXPECT_EQ(check.code, 3) << c.why << " on " << backend;
            EXPECT_CONTAINS(run.err, c.why);
            EXPECT_EQ(run.err, check.err);
        }
}

// A lost resume stops a port for ever where pauses have no end: said of every source of losses,
// with its place.
TEST(Check, WarnsOfLossesThatLeavePausesWithoutEnd)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const std::string links = "0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us ";
    write_file(dir / "clean", "5 1 4\n4\n" + links + "0\n3 4 100Gbps 1us 0\n");
    write_file(dir / "lossy", "5 1 4\n4\n" + links + "1e-5\n3 4 100Gbps 1us 0\n");
    auto check = [&](const std::string &file, Args more) {
        more.insert(more.end(),
                    {"topology.type=hpcc", "hpcc.file=" + file, "workload.type=generate"});
        Said s = weft(Sets("check", more), dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        return s.err;
    };
    const char warning[] = "stays paused for ever";
    const std::string said = check("lossy", {});
    EXPECT_CONTAINS(said, warning);
    EXPECT_CONTAINS(said, "1 links, h2-s4 1e-05");
    EXPECT_LACKS(check("clean", {}), warning);
    EXPECT_LACKS(check("lossy", {"pfc.quanta=65535"}), warning);
    EXPECT_LACKS(check("lossy", {"pfc.enabled=false"}), warning);
    EXPECT_CONTAINS(check("clean", {"fault.events=bit-errors link=h0-s4 ber=1e-7"}), warning);
    write_file(dir / "f", "1\n0 1 3 100 1000 2\n");
    write_file(dir / "config.txt", "TOPOLOGY_FILE lossy\nFLOW_FILE f\nCC_MODE 3\n");
    EXPECT_CONTAINS(weft({"hpcc", "--config", "config.txt", "--no-out"}, dir / "").err, warning);
}

// What several threads can't share out is said, with the reason, where they are to run.
// A mask is shown as priorities; tensor parallelism across nodes is warned of.
TEST(Check, ShowsMasksAsPrioritiesAndWarnsOfTensorsAcrossNodes)
{
    EXPECT_CONTAINS(weft({"check", "--all", "--set", "topology.type=leaf-spine", "--set",
                          "workload.type=generate", "--set", "switch.strict-prios=6"})
                        .out,
                    "(--set: priorities 1, 2)");
    const auto tp = [](const char *degree) {
        return weft({"check", "--set", "topology.type=preset", "--set",
                     "preset.name=hgx-rail-optimised", "--set", "workload.type=training", "--set",
                     std::string("training.tp=") + degree})
            .err;
    };
    EXPECT_CONTAINS(tp("16"), "training.tp=16 goes beyond a node of 8 accelerators");
    EXPECT_EQ(tp("8").find("goes beyond"), std::string::npos);
}

TEST(Check, SaysWhyOneThreadRunsAllHosts)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    Args args = {"check", "--set", "topology.type=leaf-spine", "--set", "workload.type=generate"};
    EXPECT_LACKS(weft(args, dir / "").out, "threads: ");
    const auto with = [&](const Args &more) { return weft(with_sets(args, more), dir / "").out; };
    EXPECT_CONTAINS(with({"switch.balance=conga"}),
                    "threads: one runs all hosts, as a setting has everything in one queue");
    EXPECT_LACKS(with({"switch.balance=conga", "run.threads=1"}), "threads: ");
    EXPECT_CONTAINS(with({"system.all-reduce=in-network"}),
                    "threads: one runs all hosts, as switches take part in operations");
}

// What the packet backend would capture is checked without a run folder, and nothing is written.
TEST(Check, AcceptsWhatRunAcceptsAndWritesNothing)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const Args good = {"topology.type=single-switch", "single-switch.hosts=4",
                       "workload.type=generate", "system.all-reduce=in-network",
                       "capture.links=h1-s4"};
    Said check = weft(Sets("check", good), dir / "");
    EXPECT_EQ(check.code, 0) << check.err;
    EXPECT_TRUE(std::filesystem::is_empty(dir / "."));
    Said run = weft(Sets("run", good), dir / "");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(std::filesystem::exists(dir / "out/unnamed/pcap"));
    Args bad = good;
    bad.back() = "capture.links=h1-s5";
    EXPECT_EQ(weft(Sets("check", bad), dir / "").code, 3);
}

// Of sprayed packets a tolerance takes messages over, unless flowlets spread them.
TEST(Check, SaysWhatReplayTakesOverOfSprayedPackets)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const auto said = [&dir](const std::string &replay, const std::string &balance) {
        std::vector<std::string> command =
            with_sets({"check"}, {"topology.type=leaf-spine", "workload.type=generate",
                                  "transport.recovery=out-of-order", "run.replay=" + replay,
                                  "switch.balance=" + balance});
        const Said told = weft(command, dir / "");
        EXPECT_EQ(told.code, 0) << told.err;
        const size_t at = std::min(told.out.find("replay: "), told.out.size());
        return told.out.substr(at, told.out.find('\n', at) - at);
    };
    for (const char *balance : {"spray", "adaptive", "drill", "entropy"}) {
        EXPECT_EQ(said("1%", balance), "replay: messages that take as long as before, within the "
                                       "tolerance, are taken over; nothing else, as packets are "
                                       "spread over paths");
        EXPECT_EQ(said("exact", balance),
                  "replay: none, as packets are spread over paths: each packet is simulated; "
                  "run.replay=1% takes over messages that take as long as before");
    }
    for (const char *balance : {"flowlet", "letflow", "conga"})
        EXPECT_EQ(said("1%", balance),
                  "replay: none, as paths change from flowlet to flowlet, are not the shortest, or "
                  "are a plug-in's: each packet is simulated");
}

// A control that does not say how its state moves is simulated packet by packet.
TEST(Check, SaysWhichControlIsNeverReplayed)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const Args args = {"topology.type=single-switch", "workload.type=generate"};
    const std::string said = "replay: none of what runs under bolt";
    for (const bool bolt : {true, false}) {
        const Said told =
            weft(with_sets({"check"}, args, bolt ? Args{"congestion-control.name=bolt"} : Args()),
                 dir / "");
        EXPECT_EQ(told.code, 0) << told.err;
        EXPECT_EQ(told.out.find(said) != std::string::npos, bolt) << told.out;
    }
}

// The budget of an estimate holds also where messages are posted by the million before one arrives:
// few of them have arrived when it is spent.
TEST(Check, TheCostIsCutBeforeMessagesArrive)
{
    const Said s =
        weft({"check", "--json", "--set", "topology.type=single-switch", "--set",
              "single-switch.rate=100Gbps", "--set", "single-switch.hosts=17", "--set",
              "workload.type=incast", "--set", "incast.size=1MB", "--set", "incast.period=1ns",
              "--set", "incast.duration=1s", "--set", "incast.receiver=first"});
    EXPECT_CONTAINS(s.out, "\"lower_bound\": true");
    EXPECT_LT(value(s, "messages"), 256);
}

TEST(Check, NothingThatGoesByTcpIsTakenOver)
{
    EXPECT_CONTAINS(weft(with_sets({"check"}, {"topology.type=leaf-spine", "workload.type=generate",
                                               "transport.type=tcp"}))
                        .out,
                    "replay: none of what goes by TCP: each packet is simulated\n");
}

// What takes a second or more, and half of that or less in trains of packets, is said to; not where
// packets have to go one by one, or go in trains already, nor of flows of all lengths.
TEST(Check, TheCostSaysWhatTrainsWouldTake)
{
    const Args collective = {"workload.type=generate", "generate.kind=all-to-all",
                             "generate.size=2GiB"};
    const auto cost = [&](const Args &settings, const Args &workload) {
        return weft(
            with_sets(with_sets({"check", "--json", "--set", "topology.type=leaf-spine"}, workload),
                      settings));
    };
    const Said single = cost({"congestion-control.name=dcqcn"}, collective);
    EXPECT_GT(value(single, "cpu_time_s"), 3 * value(single, "trains_cpu_time_s"));
    for (const Args &settings :
         {Args{"congestion-control.name=hpcc"}, Args{"congestion-control.name=swift"},
          Args{"congestion-control.name=none", "transport.train=15"},
          Args{"congestion-control.name=none", "switch.balance=spray",
               "transport.recovery=out-of-order"}})
        EXPECT_CONTAINS(cost(settings, collective).out, "\"trains_cpu_time_s\": null");
    const auto text = [&](const char *control) {
        return weft(with_sets(with_sets({"check", "--set", "topology.type=leaf-spine", "--set",
                                         "transport.train=15"},
                                        collective),
                              {std::string("congestion-control.name=") + control}))
            .out;
    };
    EXPECT_CONTAINS(text("dcqcn"), "without replay (more where ECN marks make trains shorter), ");
    EXPECT_EQ(text("none").find("marks"), std::string::npos);
    const Said flows = cost({"congestion-control.name=none"},
                            {"workload.type=cdf", "cdf.sizes=websearch", "cdf.duration=100ms"});
    EXPECT_GT(value(flows, "cpu_time_s"), 1);
    EXPECT_CONTAINS(flows.out, "\"trains_cpu_time_s\": null");
}
