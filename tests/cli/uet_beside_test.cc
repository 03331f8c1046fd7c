// SPDX-License-Identifier: GPL-2.0-only
// Ultra Ethernet beside RoCE, by traffic class: uet.prios, and transport="uet" of a workload.
#include "jobs.h"

#include "tests/engine/dissect.h"

#include <set>

namespace
{

/* One under each leaf. */
const char kRoce[] =
    "  <workload type=\"generate\" name=\"a\" kind=\"all-to-all\" size=\"2MiB\" hosts=\"0-3\" "
    "ranks=\"4\"/>\n";
const char kUet[] =
    "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"2MiB\" hosts=\"4-7\" "
    "ranks=\"4\" transport=\"uet\"/>\n";
/* Both on all hosts. */
const char kMeeting[] =
    "  <workload type=\"generate\" name=\"a\" kind=\"all-to-all\" size=\"2MiB\" hosts=\"0-7\"/>\n"
    "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"2MiB\" hosts=\"0-7\" "
    "share=\"true\" transport=\"uet\"/>\n";

/* What `weft check` says of a key. */
std::string value(const std::string &out, const std::string &key)
{
    const size_t at = out.find("\n" + key + " ");
    const std::string line =
        at == std::string::npos ? "" : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
    const size_t from = line.find("= ");
    return from == std::string::npos ? line
                                     : line.substr(from + 2, line.find(' ', from + 2) - from - 2);
}

Said check(const TempDir &dir, const std::string &inside, std::vector<std::string> sets = {})
{
    write_file(dir / "s.xml", scenario(inside));
    return weft(with_sets({"check", "--all", dir / "s.xml"}, sets));
}

class UetBeside : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!has_packet())
            GTEST_SKIP() << "built without ns-3: no packets";
    }
    std::string file(const std::string &name) const
    {
        return slurp(dir / name);
    }
    TempDir dir;
};

} // namespace

/* T is 9.38112 us, a BDP 117264 bytes (uet_test.cc); ecn.scale-rate is a quarter of the links'. */
TEST_F(UetBeside, OneAttributeSetsWhatItsClassNeedsAndNothingElse)
{
    const Said with = check(dir, std::string(kRoce) + kUet);
    ASSERT_EQ(with.code, 0) << with.err;
    EXPECT_EQ(with.err, "");
    const Said without = check(dir, kRoce);
    const std::pair<const char *, const char *> lines[] = {
        {"uet.prios", "1"},
        {"b.priority", "0"},
        {"uet.rto", "65667.84ns"},
        {"switch.trim-prios", "1"},
        {"switch.egress-limit-map", "0:117264B"},
        {"switch.egress-scale-rate", "100Gbps"},
        {"ecn.prio-map", "0:5863B:23453B:1"},
    };
    for (const auto &l : lines)
        EXPECT_EQ(value(with.out, l.first), l.second) << l.first;
    for (const char *key : {"transport.type", "transport.recovery", "transport.rto", "pfc.enabled",
                            "pfc.prios", "switch.reserve", "switch.egress-threshold", "ecn.kmin",
                            "switch.balance", "congestion-control.name"})
        EXPECT_EQ(value(with.out, key), value(without.out, key)) << key;
    const Said untrimmed = check(dir, std::string(kRoce) + kUet, {"switch.trim-prios=0"});
    EXPECT_EQ(value(untrimmed.out, "switch.egress-limit-map"), "0:586320B");
    EXPECT_EQ(value(untrimmed.out, "uet.rto"), "290814.72ns"); /* 31 T */
    const Said chosen = check(dir, std::string(kRoce) + kUet,
                              {"uet.prios=6", "uet.recovery=rod", "uet.control=rccc grant=8KB"});
    EXPECT_EQ(chosen.code, 0) << chosen.err;
    EXPECT_EQ(value(chosen.out, "b.priority"), "1");
    EXPECT_EQ(value(chosen.out, "switch.trim-prios"), "6");
    EXPECT_EQ(value(chosen.out, "uet.nack-interval"), "9381.12ns");
    EXPECT_EQ(value(chosen.out, "ecn.prio-map"), "") << "RCCC needs no marks";
}

/* Whether the class is there or not: the same messages at the same times. */
TEST_F(UetBeside, AnIdleClassChangesNothing)
{
    for (const char *control : {"dcqcn", "hpcc", "swift"}) {
        const std::string cc = std::string("congestion-control.name=") + control;
        ASSERT_EQ(run(dir, kRoce, "alone", {"--set", cc}).code, 0);
        ASSERT_EQ(run(dir, kRoce, "beside", {"--set", cc, "--set", "uet.prios=4"}).code, 0);
        for (const char *table : {"flows.csv", "links.csv", "ops.csv", "pfc.csv"})
            EXPECT_EQ(file(std::string("alone/") + table), file(std::string("beside/") + table))
                << control << " " << table;
    }
}

TEST_F(UetBeside, UnderDifferentLeavesEachJobTakesTheTimeThatItTakesAlone)
{
    ASSERT_EQ(run(dir, std::string(kRoce) + kUet, "both").code, 0);
    ASSERT_EQ(run(dir, kRoce, "a").code, 0);
    ASSERT_EQ(run(dir, kUet, "b").code, 0);
    EXPECT_EQ(rows_of(dir / "both/ops.csv", "a"), rows(dir / "a/ops.csv"));
    EXPECT_EQ(rows_of(dir / "both/ops.csv", "b"), rows(dir / "b/ops.csv"));
    EXPECT_EQ(cell(dir / "both/jobs.csv", "a", "transport"), "roce");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "transport"), "uet");
}

TEST_F(UetBeside, ThreeTransportsInOneRun)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    const Said s = run(dir,
                       std::string(kMeeting) +
                           "  <workload type=\"generate\" name=\"c\" size=\"1MiB\" hosts=\"0-7\" "
                           "share=\"true\" transport=\"tcp\"/>\n",
                       "all");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "all/jobs.csv", "a", "transport"), "roce");
    EXPECT_EQ(cell(dir / "all/jobs.csv", "b", "transport"), "uet");
    EXPECT_EQ(cell(dir / "all/jobs.csv", "c", "transport"), "tcp");
    const std::string json = file("all/run.json");
    const size_t classes = json.find("\"classes\": [");
    ASSERT_NE(classes, std::string::npos);
    for (const char *by : {"roce", "uet", "tcp"}) {
        const std::string word = std::string("\"transport\": \"") + by + "\"";
        EXPECT_NE(json.find(word, classes), std::string::npos) << by;
    }
    EXPECT_NE(s.out.find("\n    0        uet "), std::string::npos) << s.out;
}

TEST_F(UetBeside, ThreadsChangeNothing)
{
    ASSERT_EQ(run(dir, kMeeting, "one").code, 0);
    for (const char *n : {"2", "3"}) {
        const std::string set = std::string("run.threads=") + n;
        ASSERT_EQ(run(dir, kMeeting, "more", {"--set", set}).code, 0);
        for (const char *table : {"flows.csv", "links.csv", "ops.csv", "pfc.csv"})
            EXPECT_EQ(file(std::string("one/") + table), file(std::string("more/") + table))
                << n << " threads: " << table;
    }
}

TEST_F(UetBeside, LinksThatFailAndBitsThatFlipLoseNothingForGood)
{
    for (const char *events :
         {"link-down link=s8-s10 at=5us until=60us; flap link=s8-s11 at=30us period=25us down=5us "
          "count=4",
          "bit-errors link=h0-s8,h5-s9,s8-s10 ber=3e-7"})
        for (const char *recovery : {"rud", "rod"}) {
            const Said s = run(dir, kMeeting, "out",
                               {"--set", std::string("fault.events=") + events, "--set",
                                std::string("uet.recovery=") + recovery, "--set",
                                "transport.recovery=selective-repeat"});
            ASSERT_EQ(s.code, 0) << events << "\n" << s.err;
            EXPECT_EQ(cell(dir / "out/jobs.csv", "a", "unfinished"), "0");
            EXPECT_EQ(cell(dir / "out/jobs.csv", "b", "unfinished"), "0");
        }
}

/* Packets of each on the same link, at the port of its transport. */
TEST_F(UetBeside, CapturesShowBothPorts)
{
    ASSERT_EQ(run(dir, kMeeting, "o", {"--pcap", "h0-s8"}).code, 0);
    std::set<uint64_t> ports, of_prio[8];
    for (const auto &r : read_capture(dir / "o/pcap/h0-s8.pcap").records) {
        const Bytes &b = r.bytes;
        if (be(b, 16, 2) != 0x0800)
            continue;
        const uint64_t port = be(b, 18 + 20 + 2, 2);
        ports.insert(port);
        of_prio[be(b, 14, 2) >> 13].insert(port);
    }
    EXPECT_EQ(ports, (std::set<uint64_t>{4791, 4793}));
    EXPECT_EQ(of_prio[3], std::set<uint64_t>{4791});
    EXPECT_EQ(of_prio[0], std::set<uint64_t>{4793});
    if (system("tshark --version >/dev/null 2>&1") != 0)
        return;
    const std::string cmd = "tshark -r " + (dir / "o/pcap/h0-s8.pcap") +
                            " -o ip.check_checksum:TRUE -T fields -e udp.dstport "
                            "-e ip.checksum.status -e _ws.malformed >" +
                            (dir / "seen") + " 2>/dev/null";
    ASSERT_EQ(system(cmd.c_str()), 0);
    std::istringstream lines(file("seen"));
    std::set<std::string> seen;
    for (std::string line; std::getline(lines, line);)
        seen.insert(line);
    EXPECT_EQ(seen, (std::set<std::string>{"4791\t1\t", "4793\t1\t"}));
}

TEST_F(UetBeside, WhatContradictsItselfIsAnError)
{
    const struct {
        std::string inside;
        std::vector<std::string> sets;
        const char *says;
    } cases[] = {
        {kRoce, {"tcp.prios=6", "uet.prios=4"}, "priority 2 is one of tcp.prios and one of"},
        {kRoce, {"transport.type=uet", "uet.prios=4"}, "all classes but tcp.prios have Ultra"},
        {std::string(kRoce) + kUet,
         {"b.priority=3"},
         "is the one in which workload 'b' goes by UET"},
        {std::string(kRoce) + kUet, {"b.priority=4", "uet.prios=2"}, "nearest: uet.prios=18"},
        {std::string(kRoce) + kUet,
         {"a.transport=roce", "transport.type=uet"},
         "nearest: transport.type=roce, and transport=\"uet\" for the other workloads"},
        {kRoce, {"uet.prios=4", "uet.control=nsc"}, "uet.control"},
        {kRoce, {"uet.prios=4", "uet.control=hpcc"}, "follows the switches of one path"},
        {kRoce, {"uet.prios=4", "switch.balance=conga"}, "those of uet.prios go by entropy values"},
        {kRoce,
         {"uet.prios=8", "a.kind=all-reduce", "system.all-reduce=in-network"},
         "one of uet.prios: choose another algorithm than in-network"},
    };
    const bool tcp = has_ns3();
    for (const auto &c : cases) {
        if (!tcp && c.sets[0].rfind("tcp.", 0) == 0)
            continue;
        const Said s = check(dir, c.inside, c.sets);
        EXPECT_EQ(s.code, 3) << c.says << s.out.substr(0, 200);
        EXPECT_NE(s.err.find(c.says), std::string::npos) << s.err << "\nwanted: " << c.says;
    }
    const Said idle = check(dir, kRoce, {"uet.rto=1ms"});
    EXPECT_EQ(idle.code, 0);
    EXPECT_NE(idle.err.find("--set uet.rto: has no effect: uet.prios is 0"), std::string::npos)
        << idle.err;
}
