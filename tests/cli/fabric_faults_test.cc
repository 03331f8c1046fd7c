// SPDX-License-Identifier: GPL-2.0-only
// <fault>: from the scenario to faults.csv, and runs that end because the fabric fell apart.
#include "program.h"

#include <sstream>

namespace
{

using Args = std::vector<std::string>;

const char *const kEvents =
    "link-down link=s16-s20 at=10us until=50us; switch-down switch=s21 at=20us until=60us; "
    "degrade link=3 rate=100Gbps at=5us until=40us; bit-errors link=h4-s17 ber=1e-6 until=30us; "
    "flap link=h9-s18 at=15us period=10us down=2us count=3";

// An all-reduce of 16 ranks on four leaves and four spines.
Args AllReduce(const std::string &events, Args more = {})
{
    Args a = {"run",
              "--set",
              "topology.type=leaf-spine",
              "--set",
              "leaf-spine.leaves=4",
              "--set",
              "leaf-spine.spines=4",
              "--set",
              "leaf-spine.hosts-per-leaf=4",
              "--set",
              "workload.type=generate",
              "--set",
              "generate.size=4MiB",
              "--set",
              "system.all-reduce=ring"};
    if (!events.empty())
        a.insert(a.end(), {"--set", "fault.events=" + events});
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

std::vector<std::vector<std::string>> Rows(const std::string &csv)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        rows.emplace_back();
        std::istringstream cells(line + ",");
        for (std::string cell; std::getline(cells, cell, ',');)
            rows.back().push_back(cell);
    }
    return rows;
}

} // namespace

// Collectives finish across every kind of fault, whatever recovers lost packets.
TEST(FabricFaults, CollectivesFinishAndTheCostIsReported)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    for (const char *recovery : {"go-back-n", "go-back-0", "selective-repeat"}) {
        SCOPED_TRACE(recovery);
        Said s = weft(AllReduce(kEvents, {"--out", "o", "--set",
                                          std::string("transport.recovery=") + recovery}),
                      dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "16 of 16 operations done");
        EXPECT_CONTAINS(
            s.out,
            "faults                   10 times that a link was down, slow or had bit errors; ");
        auto rows = Rows(slurp(dir / "o/faults.csv"));
        ASSERT_EQ(rows.size(), 11u);
        uint64_t lost = 0, down = 0;
        for (size_t i = 1; i < rows.size(); i++) {
            ASSERT_EQ(rows[i].size(), 13u);
            lost += std::stoull(rows[i][11]);
            down += rows[i][2] == "down";
            EXPECT_EQ(rows[i][2] == "down", rows[i][10] == "0")
                << "packets sent on link " << rows[i][3];
            EXPECT_EQ(rows[i][8], rows[i][1] == "degrade" ? "100000000000" : "");
            EXPECT_EQ(rows[i][12], rows[i][1] == "degrade" ? "both" : "");
        }
        EXPECT_EQ(down, 8u); // a link, a switch with four links, three flaps
        EXPECT_GT(lost, 0u);
        EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"faults\": 10");
        EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"fault_losses\": " + std::to_string(lost));
    }
    // Without faults there is no such file.
    ASSERT_EQ(weft(AllReduce("", {"--out", "p"}), dir / "").code, 0);
    EXPECT_NE(access((dir / "p/faults.csv").c_str(), F_OK), 0);
}

// Elements and the list mean the same, and what `show scenario --xml` writes means it too.
TEST(FabricFaults, ElementsAreTheList)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    write_file(
        dir / "s.xml",
        "<scenario><topology type=\"leaf-spine\" leaves=\"4\" spines=\"4\" hosts-per-leaf=\"4\"/>"
        "<workload type=\"generate\" size=\"4MiB\"/><system all-reduce=\"ring\"/><fault>"
        "<link-down link=\"s16-s20\" at=\"10us\" until=\"50us\"/><switch-down switch=\"s21\" "
        "at=\"20us\" until=\"60us\"/>"
        "<degrade link=\"3\" rate=\"100Gbps\" at=\"5us\" until=\"40us\"/>"
        "<bit-errors link=\"h4-s17\" ber=\"1e-6\" until=\"30us\"/>"
        "<flap link=\"h9-s18\" at=\"15us\" period=\"10us\" down=\"2us\" "
        "count=\"3\"/></fault></scenario>");
    Said xml = weft({"show", "scenario", "s.xml", "--xml"}, dir / "");
    ASSERT_EQ(xml.code, 0) << xml.err;
    EXPECT_CONTAINS(xml.out, kEvents);
    write_file(dir / "again.xml", xml.out);
    ASSERT_EQ(weft({"run", "s.xml", "--out", "a"}, dir / "").code, 0);
    ASSERT_EQ(weft({"run", "again.xml", "--out", "b"}, dir / "").code, 0);
    ASSERT_EQ(weft(AllReduce(kEvents, {"--out", "c"}), dir / "").code, 0);
    for (const char *file : {"flows.csv", "links.csv", "faults.csv"}) {
        const std::string a = slurp(dir / ("a/" + std::string(file)));
        EXPECT_FALSE(a.empty());
        EXPECT_EQ(a, slurp(dir / ("b/" + std::string(file)))) << file;
        EXPECT_EQ(a, slurp(dir / ("c/" + std::string(file)))) << file;
    }
}

TEST(FabricFaults, APartitionEndsTheRunAndNamesLinksMessagesAndRanks)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    Said s = weft(AllReduce("link-down link=h9-s18 at=10us", {"--no-out"}));
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "stalled");
    EXPECT_CONTAINS(s.err,
                    "the fabric is partitioned: 2 QPs have no path; links down: h9-s18 since 10us");
    EXPECT_CONTAINS(s.err, "h9 -> h10: message");
    EXPECT_CONTAINS(s.err, "no path leads there");
    EXPECT_CONTAINS(s.err, "waits in all-reduce");
    // Back later: it finishes. What comes after the end does not happen.
    s = weft(
        AllReduce("link-down link=h9-s18 at=10us until=1ms; link-down link=0 at=1s", {"--no-out"}));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.err, "over before all of fault.events: 1 failure did not happen");
}

TEST(FabricFaults, BadEntriesCarryTheirPlace)
{
    TempDir dir;
    auto said = [&](const std::string &inside) {
        write_file(dir / "s.xml",
                   "<scenario>\n<topology type=\"single-switch\"/><workload type=\"generate\"/>\n"
                   "<fault" +
                       inside + "</fault>\n</scenario>");
        Said s = weft({"check", "-q", "s.xml"}, dir / "");
        EXPECT_EQ(s.code, 3) << inside;
        return s.err;
    };
    EXPECT_CONTAINS(said(">\n<link-dow link=\"0\"/>"),
                    "s.xml:4:1: unknown kind 'link-dow'; did you mean 'link-down'?");
    EXPECT_CONTAINS(said(">\n<flap link=\"0\" at=\"1\"/>"),
                    "s.xml:4:16: <flap>: parameter 'at': '1' has no unit");
    EXPECT_CONTAINS(said("><link-down link=\"0\"/>"), "s.xml:3:8: <link-down>: 'at' must be given");
    EXPECT_CONTAINS(said("><link-down link=\"0\" at=\"1us\"><x/></link-down>"),
                    "<link-down> takes attributes only");
    EXPECT_CONTAINS(said(" events=\"\"><link-down link=\"0\" at=\"1us\"/>"), "give one of the two");
    EXPECT_CONTAINS(said(" evens=\"\">"), "did you mean 'events'?");
    if (!has_packet())
        return;
    EXPECT_CONTAINS(
        said("><link-down link=\"h0-s99\" at=\"1us\"/>"),
        "s.xml:3:1: <fault>: entry 1: link-down: link 'h0-s99': there is no node 's99'");
    Said ideal = weft(small({"--no-out", "--set", "fault.events=link-down link=0 at=1us"}));
    EXPECT_EQ(ideal.code, 3);
    EXPECT_CONTAINS(ideal.err, "links of the backend 'ideal' do not fail; those of 'packet' do");
}

// Two links of one ring: the torus is refused before it runs, unless PFC is off or it was asked
// for.
TEST(FabricFaults, WhatIsLeftMustNotDeadlock)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    Args torus = {
        "run", "--no-out", "--set", "topology.type=torus", "--set", "workload.type=generate"};
    auto with = [&](const std::string &events, Args more = {}) {
        Args a = torus;
        a.insert(a.end(), {"--set", "fault.events=" + events});
        a.insert(a.end(), more.begin(), more.end());
        return weft(a);
    };
    EXPECT_EQ(with("link-down link=h0-h1 at=2us").code, 0);
    const std::string two = "link-down link=h0-h1 at=2us; link-down link=h2-h3 at=4us until=9us";
    Said refused = with(two);
    EXPECT_EQ(refused.code, 3);
    EXPECT_CONTAINS(refused.err, "what is left of the fabric at 4us: routes can deadlock");
    EXPECT_CONTAINS(refused.err, "in a circle: h");
    EXPECT_EQ(with(two, {"--set", "pfc.enabled=false"}).code, 0);
    EXPECT_EQ(with(two, {"--allow-deadlock"}).code, 0); // this load does not
}

// What switches add up is not sent again: a loss ends the run and names the link; a slow link does
// not.
TEST(FabricFaults, InNetworkOperationsFailClearlyAndNeverHang)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const struct {
        const char *events, *why;
    } cases[] = {{"bit-errors link=h9-s18 ber=1e-6 until=30us", "(link-error)"},
                 {"bit-errors link=h9-s18 ber=1e-6 at=5us", "(link-error)"},
                 {"link-down link=h9-s18 at=10us until=1ms", "(link-down)"},
                 {"flap link=h9-s18 at=5us period=10us down=2us count=3", "(link-down)"},
                 {"switch-down switch=s18 at=10us", "(link-down)"}};
    for (auto &c : cases) {
        Said s = weft(AllReduce(c.events, {"--no-out", "--set", "system.all-reduce=in-network",
                                           "--set", "generate.compute-time=1us"}));
        EXPECT_EQ(s.code, 1) << c.events;
        EXPECT_CONTAINS(s.err,
                        "a packet of an in-network operation among 16 hosts was lost on the link ");
        EXPECT_CONTAINS(s.err, c.why);
        EXPECT_CONTAINS(s.err, "in-network operations need links that lose nothing");
    }
    // Before the first packet nothing is lost: they wait for the link, which comes back or does
    // not.
    const Args early = {"--no-out", "--set", "system.all-reduce=in-network", "--set",
                        "generate.compute-time=5us"};
    EXPECT_EQ(weft(AllReduce("link-down link=h9-s18 at=1us until=100us", early)).code, 0);
    Said never = weft(AllReduce("link-down link=h9-s18 at=1us", early));
    EXPECT_EQ(never.code, 1);
    EXPECT_CONTAINS(never.err, "rank 0 waits in all-reduce 'all-reduce_0' (node 1) for the "
                               "switches, which have all parts");
    EXPECT_CONTAINS(
        never.err,
        "among 16 hosts: 0 of 1024 packets are through; the link h9->s18 of its tree is down");
    Said slow = weft(AllReduce("degrade link=h9-s18 rate=100Gbps at=10us until=50us",
                               {"--no-out", "--set", "system.all-reduce=in-network"}));
    EXPECT_EQ(slow.code, 0) << slow.err;
    EXPECT_CONTAINS(slow.out, "16 of 16 operations done");
    // Links with errors of their own are refused before the run.
    TempDir dir;
    write_file(dir / "t.txt", "5 1 4\n4\n4 0 100Gbps 1us 0\n4 1 100Gbps 1us 0.001\n4 2 100Gbps 1us "
                              "0\n4 3 100Gbps 1us 0\n");
    for (const char *command : {"run", "check"}) {
        Said s = weft({command, "--quiet", "--set", "topology.type=hpcc", "--set",
                       "hpcc.file=" + dir / "t.txt", "--set", "workload.type=generate", "--set",
                       "system.all-reduce=in-network"},
                      dir / "");
        EXPECT_EQ(s.code, 3) << command;
        EXPECT_CONTAINS(s.err, "the link s4-h1 may lose packets");
    }
}

// SYNs are repeated after ever doubled times, which end before the clock does.
TEST(FabricFaults, AConnectionThatNeverOpensEndsTheRunHoweverManyRetriesThereAre)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    for (const char *first : {"60s", "1us"}) {
        const Said s = weft({"run",   "--no-out",
                             "--set", "topology.type=single-switch",
                             "--set", "single-switch.hosts=2",
                             "--set", "workload.type=generate",
                             "--set", "generate.kind=broadcast",
                             "--set", "transport.type=tcp",
                             "--set", "tcp.retries=100",
                             "--set", "run.stall-after=0",
                             "--set", std::string("tcp.connect-timeout=") + first,
                             "--set", "fault.events=link-down link=0 at=0"});
        EXPECT_EQ(s.code, 1);
        EXPECT_CONTAINS(s.err, "the TCP connection h0 -> h1 failed");
    }
}

// Links that flap, slow down, garble or go, a switch and a host that fail; receive buffers of a few
// segments, of which ns-3 3.37 asks for segments of no bytes.
TEST(FabricFaults, TcpGetsThroughFaultsOfEveryKind)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    for (const char *variant : {"newreno", "cubic", "dctcp", "bbr"})
        for (const char *buffer : {"4097B", "6MiB"}) {
            const Said s =
                weft(AllReduce(std::string(kEvents) + "; link-down link=1 at=100us until=300us",
                               {"--no-out", "--json", "--set", "generate.size=256KiB", "--set",
                                "transport.type=tcp", "--set", "tcp.min-rto=1ms", "--set",
                                std::string("transport.variant=") + variant, "--set",
                                std::string("tcp.receive-buffer=") + buffer}));
            EXPECT_EQ(s.code, 0) << variant << s.err;
            EXPECT_EQ(value(s, "operations_done"), 16);
            EXPECT_GT(value(s, "timeouts"), 0) << variant << buffer;
            EXPECT_GT(value(s, "fault_losses"), 0) << variant << buffer;
        }
}

// The last ACK is lost when all operations are done: the link comes back all the same.
TEST(FabricFaults, ALinkComesBackForTheLastAck)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    for (const char *by : {"roce", "tcp"}) {
        const bool tcp = std::string(by) == "tcp";
        if (tcp && !has_ns3())
            continue;
        const Said s = weft({"run", "--out", "o", "--set", "topology.type=single-switch", "--set",
                             "single-switch.hosts=2", "--set", "workload.type=generate", "--set",
                             "generate.kind=gather", "--set", "generate.size=1KB", "--set",
                             std::string("transport.type=") + by, "--set",
                             std::string("fault.events=link-down link=1 until=1ms at=") +
                                 (tcp ? "5.5us" : "1.5us") + "; link-down link=0 at=10s"},
                            dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "1 of ACKs");
        EXPECT_CONTAINS(s.err, "1 failure did not happen") << "10 s are later than all";
        EXPECT_CONTAINS(slurp(dir / "o/faults.csv"), ",1000000.000,");
    }
}

// The run has come to where its connection failed, also where no packet was sent for long.
TEST(FabricFaults, ALinkThatStaysDownFailsTheConnectionOfTheLastAck)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    const Said s =
        weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
              "single-switch.hosts=2", "--set", "workload.type=generate", "--set",
              "generate.kind=gather", "--set", "generate.size=1KB", "--set", "transport.type=tcp",
              "--set", "tcp.retries=2", "--set", "fault.events=link-down link=1 at=5.5us"});
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "the TCP connection h1 -> h0 failed at 1.4 s");
    EXPECT_CONTAINS(s.out, "1.4 s simulated, 2 of 2 operations done");
}

// A link that no rank uses costs nothing, one that a rank needs is gone around, or cuts its pairs
// off, which are named; the same in one queue or windows, under either executor of events.
TEST(FabricFaults, HostsForwardOnlyWhereTheyMay)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const Args cut = {"run",
                      "--set",
                      "topology.type=fully-connected",
                      "--set",
                      "fully-connected.size=3",
                      "--set",
                      "workload.type=generate",
                      "--set",
                      "generate.kind=broadcast",
                      "--set",
                      "system.broadcast=direct",
                      "--set",
                      "generate.size=40000B",
                      "--set",
                      "generate.count=3",
                      "--set",
                      "fault.events=link-down link=0 at=0us",
                      "--out",
                      "o"};
    Said s = weft(cut, dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "stalled");
    EXPECT_CONTAINS(s.err,
                    "the fabric is partitioned: 1 QPs have no path; links down: h0-h1 since 0ps");
    EXPECT_CONTAINS(s.err, "h0 -> h1: message 0 of 40 KB");
    Args around = cut;
    around.insert(around.end(), {"--set", "fully-connected.hosts-forward=true"});
    s = weft(around, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    for (const auto &row : Rows(slurp(dir / "o/links.csv")))
        if (row[2] == "h0" || row[2] == "h2") {
            EXPECT_EQ(row[9], row[3] == "h2"                     ? "240000"
                              : row[2] == "h2" && row[3] == "h1" ? "120000"
                                                                 : "0");
        }

    auto pod = [&](const char *name, const std::string &events, Args more = {}) {
        Args a = {"run",
                  "--set",
                  "topology.type=preset",
                  "--set",
                  "preset.name=dgx-a100-pod",
                  "--set",
                  "workload.type=generate",
                  "--set",
                  "generate.ranks=24",
                  "--set",
                  "generate.kind=all-to-all",
                  "--set",
                  "generate.size=256KiB",
                  "--out",
                  name};
        if (!events.empty())
            a.insert(a.end(), {"--set", "fault.events=" + events});
        a.insert(a.end(), more.begin(), more.end());
        return weft(a, dir / "");
    };
    ASSERT_EQ(pod("all", "").code, 0);
    ASSERT_EQ(pod("unused", "link-down link=100 at=0us").code, 0);
    EXPECT_EQ(slurp(dir / "all/ops.csv"), slurp(dir / "unused/ops.csv"));
    const std::string nic = "link-down link=160 at=3us";
    s = pod("nic", nic);
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "links down: h0-s");
    const Args forward = {"--set", "preset.hosts-forward=true", "--allow-deadlock"};
    s = pod("windows", nic, forward);
    ASSERT_EQ(s.code, 0) << s.err;
    Args other = forward;
    other.insert(other.end(), {"--set", "ns3.simulator-impl=default"});
    const bool ns3 = has_ns3();
    if (ns3) {
        ASSERT_EQ(pod("default", nic, other).code, 0);
    }
    other = forward;
    other.insert(other.end(), {"--set", "pfc.quanta=65535"});
    ASSERT_EQ(pod("queue", nic, other).code, 0);
    for (const char *file : {"flows.csv", "links.csv", "ops.csv", "faults.csv"}) {
        EXPECT_EQ(slurp(dir / "windows/" + file), slurp(dir / "queue/" + file)) << file;
        if (ns3) {
            EXPECT_EQ(slurp(dir / "windows/" + file), slurp(dir / "default/" + file)) << file;
        }
    }
}

// A message that starts anew at each loss never gets through: the run ends, says which and why, and
// is the same to the byte whatever executes it. What only has to wait for the end of the errors is
// left alone.
TEST(FabricFaults, ARunThatGetsNoFurtherEndsAndSaysWhy)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    auto run = [&](const char *out, const std::string &events, Args more = {}) {
        Args a = {"run",
                  "--set",
                  "topology.type=single-switch",
                  "--set",
                  "single-switch.hosts=2",
                  "--set",
                  "workload.type=generate",
                  "--set",
                  "generate.kind=all-to-all",
                  "--set",
                  "generate.size=16MB",
                  "--set",
                  "transport.recovery=go-back-0",
                  "--set",
                  "transport.rto=100us",
                  "--set",
                  "run.stall-after=4ms",
                  "--set",
                  "fault.events=" + events,
                  "--out",
                  out};
        a.insert(a.end(), more.begin(), more.end());
        return weft(a, dir / "");
    };
    Said s = run("o", "bit-errors link=0 ber=1e-6");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "stalled");
    EXPECT_CONTAINS(
        s.err, "packets go round, but no message has got any further for 4ms (run.stall-after)");
    EXPECT_CONTAINS(s.err, "h0 -> h1: message ");
    EXPECT_CONTAINS(s.err, "no progress since ");
    EXPECT_CONTAINS(s.err, "(transport.recovery=go-back-0 starts anew after each loss)");
    EXPECT_CONTAINS(s.err, "rank 0 waits in all-to-all");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"outcome\": \"stalled\"");
    if (has_ns3()) {
        const Said t =
            run("p", "bit-errors link=0 ber=1e-6", {"--set", "ns3.simulator-impl=default"});
        EXPECT_EQ(t.code, 1);
        EXPECT_EQ(s.err, t.err);
        EXPECT_EQ(slurp(dir / "o/links.csv"), slurp(dir / "p/links.csv"));
    }
    s = run("q", "bit-errors link=0 ber=1e-6 until=60ms");
    EXPECT_EQ(s.code, 0) << s.err;
    s = run("r", "bit-errors link=0 ber=1e-6", {"--set", "transport.recovery=go-back-n"});
    EXPECT_EQ(s.code, 0) << s.err;
    if (!has_ns3())
        return;
    s = run("t", "link-down link=0 at=100us until=3s", {"--set", "transport.type=tcp"});
    EXPECT_EQ(s.code, 0) << s.err;
}

// One sender's messages never get through while others go on for long: that is said while they do,
// and in the summary.
TEST(FabricFaults, MessagesThatAreLeftBehindAreNamedWhileOthersGetOn)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    auto run = [&](const char *out, const char *recovery) {
        return weft({"run",
                     "--set",
                     "topology.type=single-switch",
                     "--set",
                     "single-switch.hosts=4",
                     "--set",
                     "single-switch.rate=25Gbps",
                     "--set",
                     "workload.type=generate",
                     "--set",
                     "generate.kind=all-to-all",
                     "--set",
                     "generate.size=400MB",
                     "--set",
                     std::string("transport.recovery=") + recovery,
                     "--set",
                     "transport.rto=100us",
                     "--set",
                     "run.stall-after=2ms",
                     "--set",
                     "fault.events=bit-errors link=0 ber=1e-6",
                     "--out",
                     out},
                    dir / "");
    };
    Said s = run("o", "go-back-0");
    EXPECT_EQ(s.code, 1);
    const size_t warned = s.err.find("queue pairs or connections have made no progress for 2ms "
                                     "(run.stall-after), while others have:");
    ASSERT_NE(warned, std::string::npos) << s.err;
    EXPECT_CONTAINS(s.err.substr(warned), "h0 -> h");
    EXPECT_CONTAINS(s.err.substr(warned), ": no progress since ");
    EXPECT_LT(warned, s.err.find("packets go round")); // that comes when all others have ended
    EXPECT_CONTAINS(s.out, "left behind ");
    EXPECT_LACKS(slurp(dir / "o/run.json"), "\"left_behind\": 0");
    s = run("p", "go-back-n");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_LACKS(s.err, "no progress");
    EXPECT_LACKS(s.out, "left behind");
    EXPECT_CONTAINS(slurp(dir / "p/run.json"), "\"left_behind\": 0");
}

// A resume that is lost to a bit error can stall a run for ever; check and run say so, and how to
// avoid it.
TEST(FabricFaults, BitErrorsWithEndlessPausesAreWarnedOf)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const char *const why = "pfc.quanta=65535 gives pauses an end";
    const std::string events = "bit-errors link=0 ber=1e-9";
    for (const char *command : {"check", "run"})
        for (const auto &[setting, warned] : {std::pair<const char *, bool>{"pfc.quanta=0", true},
                                              {"pfc.quanta=65535", false},
                                              {"pfc.enabled=false", false},
                                              {"fault.events=", false}}) {
            Args a = AllReduce(events, {"--set", setting});
            a[0] = command;
            if (a[0] == "run")
                a.push_back("--no-out");
            const Said s = weft(a);
            EXPECT_EQ(s.code, 0) << s.err;
            EXPECT_EQ(s.err.find(why) != std::string::npos, warned)
                << command << " " << setting << ": " << s.err;
        }
}
