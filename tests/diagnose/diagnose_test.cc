// SPDX-License-Identifier: GPL-2.0-only
// weft diagnose: what it says, its budget, its errors, and the settings that it makes use of.
#include "tests/cli/program.h"

namespace
{

const std::vector<std::string> slow = {"--set", "topology.type=leaf-spine",
                                       "--set", "workload.type=generate",
                                       "--set", "generate.kind=all-to-all",
                                       "--set", "generate.size=1MiB",
                                       "--set", "fault.events=degrade link=h0-s16 rate=100Gbps"};

std::vector<std::string> with(const char *command, std::vector<std::string> more = {})
{
    std::vector<std::string> a = {command};
    a.insert(a.end(), slow.begin(), slow.end());
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

} // namespace

TEST(Diagnose, ASlowLinkComesFirstAndItsSettingsAreThoseOfARun)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const Said s = weft(with("diagnose"));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  1. without the fault 'degrade link=h0-s16 rate=100Gbps'\n");
    EXPECT_CONTAINS(s.out, "tried as: --set 'fault.events='");
    const Said again = weft(with("diagnose"));
    const size_t at = s.out.find("What would make");
    EXPECT_EQ(s.out.substr(at), again.out.substr(again.out.find("What would make")));
    // What it measured is what the run takes.
    const Said json = weft(with("diagnose", {"--json"})),
               run = weft(with("run", {"--no-out", "--json", "--set", "fault.events="}));
    const std::string changes = json.out.substr(json.out.find("\"changes\""));
    EXPECT_EQ(json_number(changes, "job.generate.time_ns"), json_number(run.out, "end_to_end_ns"));
}

// A change of links' rates is tried beside those that the run has, not in place of them.
TEST(Diagnose, AChangeOfRatesKeepsTheSlowLinkOfTheRun)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    std::vector<std::string> args = with("diagnose", {"--all"});
    args[args.size() - 2] = "run.link-rates=h0-s16:100Gbps";
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  1. link h0-s16 at 400Gbps, as its peers, instead of 100Gbps\n");
    EXPECT_CONTAINS(s.out, "'run.link-rates=h0-s16:100Gbps;hosts:x2'");
    EXPECT_EQ(s.out.find("'run.link-rates=hosts:x2'"), std::string::npos) << s.out;
}

// A memo is of one configuration, which each change differs from.
TEST(Diagnose, AMemoIsLeftOut)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    TempDir dir;
    const std::vector<std::string> memo = {"--set", "run.replay=1%", "--set",
                                           "run.replay-memo=" + (dir / "memo")};
    std::vector<std::string> run = with("run", memo);
    run.insert(run.end(), {"--no-out", "--quiet"});
    const Said made = weft(run), s = weft(with("diagnose", memo));
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.find("could not be played"), std::string::npos) << s.out;
    // Nor does a slice of a long run take it in again.
    std::vector<std::string> longer = with("diagnose", memo);
    longer.insert(longer.end(), {"--set", "generate.size=16GiB", "--budget", "8s"});
    const Said slice = weft(longer);
    EXPECT_CONTAINS(slice.out, "of a slice of the run (generate.size=");
    EXPECT_EQ(slice.out.find("without the fault", slice.out.find("could not be played")),
              std::string::npos)
        << slice.out;
}

// Samples of a control's own state, which another control has not, stand against no change; a
// change that cannot be played says why.
TEST(Diagnose, SamplesAreLeftOutAndAFailureHasItsReason)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const Said s = weft({"diagnose", "dcqcn-two-flows"}),
               far = weft(with_sets({"diagnose"},
                                    {"topology.type=leaf-spine", "workload.type=generate",
                                     "leaf-spine.host-delay=60us", "leaf-spine.uplink-delay=60us",
                                     "switch.buffer=128MiB"}));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.find("could not be played"), std::string::npos) << s.out;
    EXPECT_CONTAINS(s.out, " %  no congestion control\n");
    EXPECT_EQ(s.out.find("-0.0 %"), std::string::npos) << s.out;
    EXPECT_CONTAINS(far.out, "\n  switch.buffer at its default, 32MiB, instead of 128MiB: ");
    EXPECT_CONTAINS(far.out,
                    " leaves nothing of the 33.55 MB buffer to share; raise switch.buffer");
}

TEST(Diagnose, WhatTheBudgetDoesNotReachIsSaid)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    for (const char *budget : {"0us", "1us"}) {
        const Said s = weft(with("diagnose", {"--budget", budget})),
                   json = weft(with("diagnose", {"--budget", budget, "--json"}));
        EXPECT_EQ(s.code, 5) << s.out;
        EXPECT_CONTAINS(s.out, "Not tried, for want of time");
        EXPECT_CONTAINS(s.out, "without the fault 'degrade");
        EXPECT_EQ(s.out.find("0 runs"), std::string::npos) << s.out;
        EXPECT_CONTAINS(s.err, "none of ");
        EXPECT_CONTAINS(s.err, budget[0] == '0' ? "took all of the budget"
                                                : "did not end within the budget");
        EXPECT_CONTAINS(s.err, "about --budget ");
        EXPECT_EQ(json.code, 5) << json.out;
        EXPECT_CONTAINS(json.out, "\"state\": \"not tried\"");
    }
}

TEST(Diagnose, TakesTheFolderOfARunWhichKeepsTheTableForItsReport)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    TempDir dir;
    ASSERT_EQ(weft(with("run", {"--out", dir / "o", "-q"}), dir / "").code, 0);
    const Said s = weft({"diagnose", dir / "o"}, dir / ""), given = weft(with("diagnose"));
    EXPECT_EQ(s.code, 0) << s.err;
    const char *table = "What would make";
    EXPECT_EQ(s.out.substr(s.out.find(table)), given.out.substr(given.out.find(table)));
    EXPECT_CONTAINS(slurp(dir / "o/diagnosis.json"), "without the fault 'degrade");
    if (access("/usr/bin/gnuplot", X_OK) == 0) {
        ASSERT_EQ(weft({"report", dir / "o"}, dir / "").code, 0);
        EXPECT_CONTAINS(slurp(dir / "o/report.html"), "tried by weft diagnose");
    }
    // A folder of a file, with a setting besides.
    write_file(dir / "s.xml",
               "<scenario><topology type=\"leaf-spine\"/><workload type=\"generate\" "
               "kind=\"all-to-all\" size=\"1MiB\"/></scenario>\n");
    ASSERT_EQ(weft({"run", dir / "s.xml", "--set", "transport.mtu=256B", "--out", dir / "f", "-q"},
                   dir / "")
                  .code,
              0);
    EXPECT_CONTAINS(weft({"diagnose", dir / "f"}, dir / "").out,
                    "  1. transport.mtu at its default");
    EXPECT_EQ(weft({"diagnose", dir / "none"}, dir / "").code, 4);
}

static size_t occurrences(const std::string &text, const std::string &what)
{
    size_t n = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at++)
        n++;
    return n;
}

// No pair of this scenario does clearly more than either change alone.
TEST(Diagnose, TheReportHasTheRowsOfTheTerminal)
{
    if (!has_packet() || access("/usr/bin/gnuplot", X_OK) != 0)
        GTEST_SKIP() << "no packet backend, or no gnuplot";
    TempDir dir;
    ASSERT_EQ(weft({"run", "oversubscribed-allreduce", "--out", dir / "o", "-q"}).code, 0);
    const Said s = weft({"diagnose", dir / "o"});
    ASSERT_EQ(weft({"report", dir / "o"}).code, 0);
    const std::string page = slurp(dir / "o/report.html");
    const size_t at = page.find("tried by weft diagnose");
    ASSERT_NE(at, std::string::npos);
    const std::string rows = page.substr(at, page.find("</table>", at) - at);
    const size_t printed = occurrences(s.out, "tried as:");
    EXPECT_GT(printed, 1u);
    EXPECT_EQ(occurrences(rows, "<tr><td>"), printed);
    EXPECT_CONTAINS(slurp(dir / "o/diagnosis.json"), "\"second_change\": ");
}

TEST(Diagnose, LongRunsAreDiagnosedByASlice)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    // A run of some seconds, and a budget of less.
    const Said s = weft({"diagnose", "--set", "topology.type=leaf-spine", "--set",
                         "workload.type=cdf", "--set", "cdf.duration=10ms", "--set",
                         "transport.mtu=256B", "--set", "run.replay=off", "--budget", "4s"});
    EXPECT_TRUE(s.code == 0 || s.code == 5) << s.err;
    if (s.out.find("of a slice of the run") != std::string::npos) {
        EXPECT_CONTAINS(s.out, "cdf.duration=");
    }
}

// The run takes 10 s of CPU time or more, and has one iteration.
TEST(Diagnose, AnIterationLongerThanTheBudgetIsDiagnosedWithFewerLayers)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const Said s =
        weft({"diagnose", "--set", "topology.type=leaf-spine", "--set", "workload.type=training",
              "--set", "training.pp=4", "--set", "run.replay=off", "--budget", "4s"});
    EXPECT_TRUE(s.code == 0 || s.code == 5) << s.err;
    EXPECT_CONTAINS(s.out, "of a slice of the run (training.layers=");
}

TEST(Diagnose, ACollectiveLongerThanTheBudgetIsDiagnosedWithFewerBytes)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    std::vector<std::string> args = with(
        "diagnose", {"--set", "generate.size=16GiB", "--set", "run.replay=off", "--budget", "4s"});
    const Said s = weft(args);
    EXPECT_TRUE(s.code == 0 || s.code == 5) << s.err;
    EXPECT_CONTAINS(s.out, "of a slice of the run (generate.size=");
}

// The page of the report of an all-to-all with these settings.
std::string report_of(const std::vector<std::string> &settings)
{
    TempDir dir;
    std::vector<std::string> run =
        with_sets({"run", "--out", dir / "o", "-q"}, settings,
                  {"workload.type=generate", "generate.kind=all-to-all", "generate.size=4MiB"});
    EXPECT_EQ(weft(run, dir / "").code, 0);
    EXPECT_EQ(weft({"report", dir / "o"}, dir / "").code, 0);
    return slurp(dir / "o/report.html");
}

// Runs with these settings: what weft diagnose says, and the first finding of the report.
struct Named {
    std::string diagnosis, report;
};

Named named(const std::vector<std::string> &sets)
{
    TempDir dir;
    EXPECT_EQ(weft(with_sets({"run", "--out", dir / "o", "-q"}, sets), dir / "").code, 0);
    Named n = {weft(with_sets({"diagnose"}, sets), dir / "").out, ""};
    if (access("/usr/bin/gnuplot", X_OK) == 0) {
        EXPECT_EQ(weft({"report", dir / "o"}, dir / "").code, 0);
        const std::string page = slurp(dir / "o/report.html");
        const size_t from = page.find("<li>", page.find("<ol class=\"findings\">"));
        n.report = page.substr(from, page.find("</li>", from) - from);
    }
    return n;
}

// Of many links below nominal, those that carry nothing cost nothing.
TEST(Diagnose, OfManySlowLinksTheOneThatIsInUseComesFirst)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const Named n =
        named({"topology.type=leaf-spine", "workload.type=generate", "generate.kind=all-to-all",
               "generate.size=4MiB", "generate.ranks=8", "generate.hosts=4-6,9-12,14",
               "run.link-rates=h0-s16:100Gbps;h1-s16:100Gbps;h2-s16:100Gbps;"
               "h3-s16:100Gbps;h7-s17:100Gbps;h8-s18:100Gbps;h13-s19:100Gbps;"
               "h14-s19:200Gbps",
               "fault.events=degrade link=h13-s19 rate=1Gbps"});
    EXPECT_CONTAINS(n.diagnosis, "  1. link h14-s19 at 400Gbps, as its peers, instead of 200Gbps");
    EXPECT_CONTAINS(n.diagnosis, "costs most: link h14-s19 at 400Gbps");
    EXPECT_CONTAINS(n.diagnosis, "\nOf 2 more that are slower than their peers, none was in use "
                                 "more than 0.0 % of the run longer.");
    if (!n.report.empty()) {
        EXPECT_CONTAINS(n.report, "The link from h14 to s19 has 200 Gbps, its peers have 400 Gbps");
    }
}

// Two links of one host, neither of which helps as much alone.
TEST(Diagnose, ASlowHostComesFirst)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const std::vector<std::string> sets = {
        "topology.type=multi",
        "multi.dimensions=switch size=4 rate=3600Gbps; rail-optimised rails=4 nodes=4 spines=4 "
        "rate=400Gbps",
        "workload.type=generate", "generate.size=4MiB"};
    std::vector<std::string> by_rate = sets, by_fault = sets;
    by_rate.push_back("run.link-rates=h5-s17:400Gbps;h5-s21:100Gbps");
    by_fault.push_back("fault.events=degrade link=h5-s17 rate=400Gbps; degrade link=h1-s16 "
                       "rate=3599Gbps; degrade link=h5-s21 rate=100Gbps");
    for (const auto &slow : {by_rate, by_fault}) {
        const Named n = named(slow);
        const char *host = "the 2 slow links of host h5 as fast as their peers";
        EXPECT_CONTAINS(n.diagnosis, std::string("  1. ") + host);
        EXPECT_CONTAINS(n.diagnosis, std::string("costs most: ") + host);
        if (!n.report.empty()) {
            EXPECT_CONTAINS(n.report, "Host h5 has 2 links that are slower than their peers");
        }
    }
}

// A rank of a trace that computes longer: no setting says so.
TEST(Diagnose, ASlowRankComesFirst)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    TempDir dir;
    ASSERT_EQ(weft({"trace", "generate", dir / "even", "--set", "ranks=16", "--set",
                    "pattern=data-parallel", "--set", "layers=4", "--set", "size=2MiB"})
                  .code,
              0);
    ASSERT_EQ(
        weft({"trace", "transform", dir / "even", dir / "slow", "straggle", "ranks=5", "factor=2"})
            .code,
        0);
    const std::vector<std::string> of = {"topology.type=leaf-spine", "workload.type=chakra"};
    std::vector<std::string> slow = of, even = of;
    slow.push_back(std::string("chakra.path=") + (dir / "slow"));
    even.push_back(std::string("chakra.path=") + (dir / "even"));
    const Named n = named(slow);
    EXPECT_CONTAINS(n.diagnosis, "  1. rank 5, which computes 2 times as long as others, as fast");
    EXPECT_CONTAINS(n.diagnosis, "costs most: rank 5,");
    if (!n.report.empty()) {
        EXPECT_CONTAINS(n.report, "Rank 5 computes 2 times as long as other ranks");
    }
    EXPECT_EQ(named(even).diagnosis.find("costs most"), std::string::npos);
}

// Settings that bear on nothing that the run waited for.
TEST(Diagnose, TheReportDoesNotBlameAHarmlessSetting)
{
    if (!has_packet() || access("/usr/bin/gnuplot", X_OK) != 0)
        GTEST_SKIP() << "built without the packet backend, or no gnuplot";
    for (const std::string harmless :
         {"transport.pacing=off", "switch.buffer=2MiB", "switch.balance=spray"}) {
        const std::string page =
            report_of({"topology.type=leaf-spine", "transport.recovery=out-of-order", harmless});
        EXPECT_EQ(page.find(harmless.substr(0, harmless.find('=')) + " is "), std::string::npos)
            << harmless;
    }
}

TEST(Diagnose, TheReportsAdviceOnLossesFollowsFromTheirCause)
{
    if (!has_packet() || access("/usr/bin/gnuplot", X_OK) != 0)
        GTEST_SKIP() << "built without the packet backend, or no gnuplot";
    const std::string early =
        report_of({"topology.type=fat-tree", "fat-tree.k=4", "transport.rto=5us"});
    EXPECT_CONTAINS(early, "expired though nothing was lost");
    EXPECT_CONTAINS(early, "Nothing was lost: raise transport.rto");
    EXPECT_EQ(early.find("transport.rto shortens the wait"), std::string::npos);
    EXPECT_EQ(early.find("Avoid losses"), std::string::npos);
    const std::string headroom = report_of(
        {"topology.type=fat-tree", "fat-tree.k=4", "pfc.headroom=512B", "switch.buffer=1MiB"});
    EXPECT_CONTAINS(headroom, "for want of headroom: pfc.headroom is 512B");
    EXPECT_CONTAINS(headroom, "Give lossless classes the headroom that they need");
    EXPECT_EQ(headroom.find("pfc.enabled"), std::string::npos);
}

// A percentile of few messages is the slowest of them, and is called that.
TEST(Diagnose, TheReportOfFewMessagesNamesTheSlowest)
{
    if (!has_packet() || access("/usr/bin/gnuplot", X_OK) != 0)
        GTEST_SKIP() << "no packet backend, or no gnuplot";
    TempDir dir;
    ASSERT_EQ(weft({"run", "pfc-storm", "--out", dir / "o", "-q"}, dir / "").code, 0);
    ASSERT_EQ(weft({"report", dir / "o"}, dir / "").code, 0);
    const std::string page = slurp(dir / "o/report.html");
    EXPECT_CONTAINS(page, "11 messages took 8.33 times what they would take alone, together; the "
                          "slowest took 9274 times.");
    const Said s = weft({"diagnose", "pfc-storm"});
    EXPECT_CONTAINS(s.out, "that costs most: the fault 'degrade link=h0-s32 rate=1Gbps', 10.1 "
                           "times as fast without it (its link was in use");
}

TEST(Diagnose, BadArgumentsAreRefused)
{
    EXPECT_EQ(weft(with("diagnose", {"--budget", "soon"})).code, 2);
    EXPECT_EQ(weft(with("diagnose", {"--jobs", "0"})).code, 2);
    const Said job = weft(with("diagnose", {"--job", "web"}));
    EXPECT_EQ(job.code, 2);
    EXPECT_CONTAINS(job.err, "no such workload; the first is 'generate'");
}

TEST(LinkRates, OfHostsOfSwitchesAndOfOneLink)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    const std::vector<std::string> plain = {"run",
                                            "--no-out",
                                            "--json",
                                            "--set",
                                            "topology.type=leaf-spine",
                                            "--set",
                                            "workload.type=generate",
                                            "--set",
                                            "generate.size=8MiB",
                                            "--set",
                                            "system.all-reduce=ring"};
    const auto run = [&](const std::string &rates) {
        std::vector<std::string> a = plain;
        a.insert(a.end(), {"--set", "run.link-rates=" + rates});
        return weft(a);
    };
    const double whole = json_number(run("").out, "end_to_end_ns");
    EXPECT_GT(json_number(run("hosts:x1/2").out, "end_to_end_ns"),
              1.8 * whole); // all of a ring goes over hosts' links
    EXPECT_GT(json_number(run("all:200Gbps").out, "end_to_end_ns"), 1.8 * whole);
    EXPECT_EQ(json_number(run("all:200Gbps;all:x2").out, "end_to_end_ns"), whole); // later ones win
    EXPECT_GT(json_number(run("h3-s16:100Gbps").out, "end_to_end_ns"), 3 * whole);
    EXPECT_EQ(json_number(run("switches:x1").out, "end_to_end_ns"), whole);
    EXPECT_EQ(run("h3-s17:100Gbps").code, 3);
    EXPECT_CONTAINS(run("h3-s17:100Gbps").err, "no link joins h3 and s17");
    EXPECT_CONTAINS(run("switches").err, "write LINKS:RATE");
    EXPECT_CONTAINS(run("switches:x0").err, "the factor is above 0");
}

TEST(IdleJobs, KeepTheirHostsAndSendNothing)
{
    if (!has_packet())
        GTEST_SKIP() << "built without the packet backend";
    TempDir dir;
    const std::string head = "<scenario name=\"two\"><topology type=\"leaf-spine\"/>"
                             "<workload name=\"main\" type=\"generate\" ranks=\"8\" "
                             "placement=\"spread\" size=\"4MiB\"/>";
    write_file(dir / "both.xml",
               head + "<workload name=\"noise\" type=\"cdf\" load=\"0.9\"/></scenario>");
    write_file(dir / "one.xml", head + "</scenario>");
    const auto run = [&](const char *file, std::vector<std::string> more) {
        std::vector<std::string> a = {"run", "--no-out", "--json", dir / file};
        a.insert(a.end(), more.begin(), more.end());
        return weft(a);
    };
    const Said both = run("both.xml", {}), idle = run("both.xml", {"--set", "noise.idle=true"}),
               one = run("one.xml", {});
    EXPECT_EQ(idle.code, 0) << idle.err;
    EXPECT_EQ(json_number(idle.out, "end_to_end_ns"), json_number(one.out, "end_to_end_ns"));
    EXPECT_GT(json_number(both.out, "end_to_end_ns"), json_number(one.out, "end_to_end_ns"));
    const Said none = run("both.xml", {"--set", "main.idle=true"}); // traffic without an end
    EXPECT_EQ(none.code, 3);
    EXPECT_CONTAINS(none.err, "nothing ends the run");
}
