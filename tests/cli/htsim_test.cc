// SPDX-License-Identifier: GPL-2.0-only
// weft htsim: command lines of htsim_uec, what they come to, and its completion times.
#include "program.h"

#include <algorithm>
#include <fstream>

namespace
{

const char *const kOne = "Nodes 16\nConnections 1\n0->15 start 0 size 2097152\n";

Said htsim(const TempDir &dir, std::vector<std::string> args)
{
    args.insert(args.begin(), "htsim");
    return weft(args, dir / "");
}

/* The settings of a command line over a matrix of so many nodes. */
std::string settings(const std::string &nodes, std::vector<std::string> args)
{
    TempDir dir;
    write_file(dir / "m.cm", "Nodes " + nodes + "\nConnections 1\n0->1 start 0 size 9\n");
    args.insert(args.begin(), {"-tm", "m.cm", "-show-settings"});
    const Said s = htsim(dir, args);
    EXPECT_EQ(s.code, 0) << s.err;
    return s.out;
}

std::string refused(const std::vector<std::string> &args, int code = 2)
{
    TempDir dir;
    write_file(dir / "m.cm", kOne);
    write_file(dir / "f.topo", slurp(source_dir() + "/tests/fuzz/corpus/htsim/three_tiers.topo"));
    std::vector<std::string> all = {"-tm", "m.cm"};
    all.insert(all.end(), args.begin(), args.end());
    const Said s = htsim(dir, all);
    EXPECT_EQ(s.code, code) << s.out;
    return s.err;
}

/* The value of a key in resolved settings. */
std::string value(const std::string &text, const std::string &key)
{
    const size_t line = ("\n" + text).find("\n" + key + " ");
    if (line == std::string::npos)
        return "";
    const size_t from = text.find("= ", line) + 2;
    return text.substr(from, text.find_first_of(" \n", from) - from);
}

struct Times {
    double mean = 0, tail = 0;
    int flows = 0;
};

/* Of htsim.txt in a run folder. */
Times finished(const std::string &dir)
{
    std::ifstream in(dir + "/htsim.txt");
    Times t;
    for (std::string line; std::getline(in, line); t.flows++) {
        const double us = std::stod(line.substr(line.find(" at ") + 4));
        t.mean += us;
        t.tail = std::max(t.tail, us);
    }
    t.mean /= t.flows;
    return t;
}

/* A run that -end cuts short has not finished: exit code 1, and what was under way. */
TEST(HtsimCommand, EndCutsShort)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the backend packet";
    TempDir dir;
    write_file(dir / "long.cm", "Nodes 16\nConnections 1\n0->9 start 0 size 100000000\n");
    const Said s = weft(
        {"htsim", "-tm", "long.cm", "-nodes", "16", "-end", "100", "-sender_cc_only", "--no-out"},
        dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "not finished at the limit run.until=100us");
    EXPECT_CONTAINS(slurp(source_dir() + "/docs/how-to/coming-from-others.md"),
                    "`-end` cuts short has exit code 1");
}

} // namespace

/* (n - 1) S / r + 6 (S + A) / r + 12 us, with S = 4,160 and A = 64 bytes: htsim has it to the
 * picosecond. */
TEST(HtsimCommand, OneFlowToTheNanosecond)
{
    TempDir dir;
    write_file(dir / "one.cm", kOne);
    const Said s = htsim(dir, {"-tm",
                               "one.cm",
                               "-tiers",
                               "3",
                               "-nodes",
                               "16",
                               "-linkspeed",
                               "100000",
                               "-hop_latency",
                               "1",
                               "-switch_latency",
                               "0",
                               "-mtu",
                               "4160",
                               "-paths",
                               "64",
                               "-end",
                               "2000",
                               "-sender_cc_only",
                               "-load_balancing_algo",
                               "oblivious",
                               "-seed",
                               "1",
                               "-o",
                               "log.dat"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "until the last ACK       mean 184.088 us, shortest 184.088 us, longest "
                           "184.088 us of 1 flows");
    EXPECT_CONTAINS(s.out, "results in out/one/, as htsim says it in htsim.txt");
    EXPECT_EQ(slurp(dir / "out/one/htsim.txt"),
              "Flow Uec_0_15 flowId 0 uecSrc 0 finished at 184.088320 total messages 1 total "
              "packets 512 RTS 0 total bytes 2097152 in_flight now 0\n");
}

/* Packets of 4,150 bytes are not padded: htsim_uec has 14.0227, 14.3547 and 46.8907. */
TEST(HtsimCommand, PacketsAreNotPadded)
{
    for (auto [bytes, us] :
         {std::pair{"4086", "14.022720"}, {"8172", "14.354720"}, {"408600", "46.890720"}}) {
        TempDir dir;
        write_file(dir / "m.cm",
                   std::string("Nodes 16\nConnections 1\n0->15 start 0 size ") + bytes);
        EXPECT_EQ(htsim(dir, {"-tm", "m.cm", "-out", "o"}).code, 0);
        EXPECT_CONTAINS(slurp(dir / "o/htsim.txt"), std::string("finished at ") + us);
    }
}

/* What htsim_uec printed for the same options. */
TEST(HtsimCommand, DerivesWhatHtsimDoes)
{
    std::string s = settings("16", {"-mtu", "4160", "-sender_cc_only"});
    EXPECT_EQ(value(s, "transport.base-rtt"), "14027.52ns");
    EXPECT_EQ(value(s, "transport.rto"), "100862.4ns");
    EXPECT_EQ(value(s, "transport.mtu"), "4KiB");
    EXPECT_EQ(value(s, "switch.egress-limit-map"), "3:178880B,6:357760B");
    EXPECT_EQ(value(s, "ecn.kmin"), "37440B");
    EXPECT_EQ(value(s, "ecn.kmax"), "145600B");
    EXPECT_EQ(value(s, "fat-tree.k"), "4");
    EXPECT_EQ(value(s, "run.seed"), "13");
    EXPECT_EQ(value(s, "run.until"), "1ms");
    EXPECT_EQ(value(s, "switch.entropy-policy"), "mixed");
    s = settings("128", {"-linkspeed", "400000", "--mtu", "4160", "-seed", "5"});
    EXPECT_EQ(value(s, "transport.base-rtt"), "12506.88ns");
    EXPECT_EQ(value(s, "transport.rto"), "90379.2ns");
    EXPECT_EQ(value(s, "switch.egress-limit-map"), "3:628160B,6:1256320B");
    EXPECT_EQ(value(s, "run.seed"), "5");
    s = settings("16", {"-disable_trim", "-mtu", "4160"});
    EXPECT_EQ(value(s, "transport.rto"), "444.312us");
    EXPECT_EQ(value(s, "switch.trim-prios"), "0");
    s = settings("16", {"-q", "40", "-ecn", "10", "30", "-cwnd", "20", "-target_q_delay", "7",
                        "-receiver_cc", "-tiers", "3", "-switch_latency", "0.2"});
    EXPECT_EQ(value(s, "ecn.kmin"), "41500B");
    EXPECT_EQ(value(s, "nscc.first-window"), "83KB");
    EXPECT_EQ(value(s, "nscc.credit"), "true");
    EXPECT_EQ(value(s, "fat-tree.host-delay"), "1.1us");
    EXPECT_EQ(value(s, "fat-tree.fabric-delay"), "1.2us");
}

/* What htsim_uec calls dctcp, and what a fork of it has besides: 20 packets of 4,150 bytes are
 * 0.4735 of the 175,284 bytes of BDP. */
TEST(HtsimCommand, WindowsOfSenders)
{
    std::string s = settings("16", {"-sender_cc_algo", "dctcp"});
    EXPECT_EQ(value(s, "congestion-control.name"), "mprdma");
    EXPECT_EQ(value(s, "mprdma.first-window"), "1.5");
    EXPECT_NEAR(std::stod(value(s, "mprdma.decrease")), 1 / 3.0, 1e-9);
    s = settings("16", {"-sender_cc_algo", "mprdma", "-cwnd", "20"});
    EXPECT_EQ(value(s, "mprdma.decrease"), "0.25");
    EXPECT_NEAR(std::stod(value(s, "mprdma.first-window")), 20 * 4150 / 175284.0, 1e-4);
    s = settings("16", {"-sender_cc_algo", "smartt"});
    EXPECT_EQ(value(s, "congestion-control.name"), "smartt");
    EXPECT_EQ(value(s, "smartt.ignore"), "marks");
    EXPECT_EQ(value(s, "transport.base-rtt").find("14"), std::string::npos) << "of each pair";
    EXPECT_EQ(value(s, "ecn.pmax"), "1");
    EXPECT_CONTAINS(refused({"-sender_cc_algo", "smartt", "-receiver_cc"}),
                    "nscc alone goes with credit");
}

/* 8-to-1 of 2 MiB under dctcp: htsim_uec has a mean of 1274.8 and a tail of 1413.6 us. */
TEST(HtsimCommand, DctcpEndsWithHtsims)
{
    TempDir dir;
    std::string flows;
    for (const int h : {107, 20, 52, 17, 83, 84, 7, 12})
        flows += std::to_string(h) + "->0 start 0 size 2097152\n";
    write_file(dir / "m.cm", "Nodes 128\nConnections 8\n" + flows);
    const Said s = htsim(dir, {"-tm", "m.cm", "-mtu", "4160", "-end", "9000", "-sender_cc_algo",
                               "dctcp", "-load_balancing_algo", "oblivious", "-out", "o"});
    EXPECT_EQ(s.code, 0) << s.err;
    const Times t = finished(dir / "o");
    EXPECT_NEAR(t.mean, 1274.8, 1274.8 * 0.06);
    EXPECT_NEAR(t.tail, 1413.6, 1413.6 * 0.03);
}

/* Sixteen hosts below two uplinks per four: receivers heed marks unless senders do, or told not to.
 */
TEST(HtsimCommand, CreditOnOversubscribedTrees)
{
    const std::string topo = "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\n"
                             "Radix_Up 2\nRadix_Down 4\nDownlink_Latency_ns 1000\nTier 1\n"
                             "Downlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\n";
    const struct {
        std::vector<std::string> options;
        const char *control, *least, *kmin;
    } cases[] = {
        {{"-receiver_cc_only"}, "true", "0.45", "24900B"},
        {{"-receiver_cc_only", "-force_disable_oversubscribed_cc"}, "false", "0.01", "24900B"},
        {{"-sender_cc", "-receiver_cc"}, "", "", "24900B"},
    };
    for (const auto &c : cases) {
        TempDir dir;
        write_file(dir / "m.cm", kOne);
        write_file(dir / "t.topo", topo);
        std::vector<std::string> args = {"-tm", "m.cm", "-topo", "t.topo", "-show-settings"};
        args.insert(args.end(), c.options.begin(), c.options.end());
        const Said s = htsim(dir, args);
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(value(s.out, "rccc.core-control"), c.control);
        EXPECT_EQ(value(s.out, "rccc.core-least"), c.least);
        EXPECT_EQ(value(s.out, "ecn.kmin"), c.kmin);
        EXPECT_EQ(value(s.out, "ecn.host-ports"), "false");
    }
}

/* The links that -failed takes: core to aggregation switch, that way only; in two tiers all of an
 * aggregation switch. Of k = 4, links 0 to 15 are of hosts, 16 to 31 of ToRs. */
TEST(HtsimCommand, FailedLinks)
{
    EXPECT_CONTAINS(settings("16", {"-failed", "1"}),
                    "degrade link=32 rate=25000000000bps direction=back thresholds=scaled");
    EXPECT_CONTAINS(settings("16", {"-failed", "3"}), "link=32,33,34 rate=");
    EXPECT_CONTAINS(settings("8", {"-failed", "1", "-tiers", "2"}),
                    "degrade link=8,10,12,14 rate=25000000000bps direction=both");
}

TEST(HtsimCommand, BadOptionsSayWhatIsValid)
{
    EXPECT_CONTAINS(refused({"-linkspeeds", "1"}),
                    "unknown option '-linkspeeds'; did you mean '-linkspeed'?");
    EXPECT_CONTAINS(refused({"-sleek"}), "-sleek: SLEEK is not in weft");
    EXPECT_CONTAINS(refused({"-planes", "2"}), "-planes 2: must be a whole number from 1 to 1");
    EXPECT_CONTAINS(refused({"-ecn", "20"}), "-ecn takes two thresholds");
    EXPECT_CONTAINS(refused({"-load_balancing_algo", "rps"}),
                    "must be one of mixed|bitmap|reps|oblivious, not 'rps'");
    EXPECT_CONTAINS(refused({"-sender_cc_only", "-receiver_cc_only"}), "exclude each other");
    EXPECT_CONTAINS(refused({"-nodes", "32"}, 3), "-nodes is 32, but m.cm is of 16");
    EXPECT_CONTAINS(refused({"-topo", "f.topo"}, 3),
                    "the connection matrix is of 16 nodes, the topology of 8");
    EXPECT_CONTAINS(refused({"-q", "10", "-ecn", "5", "20"}, 3), "but queues hold 41500");
    TempDir dir;
    write_file(dir / "m.cm", "Nodes 17\nConnections 0\n");
    EXPECT_CONTAINS(htsim(dir, {"-tm", "m.cm"}).err, "no fat tree in 3 tiers has 17 hosts");
    write_file(dir / "m.cm", "Nodes 8\nConnections 0\n");
    write_file(dir / "f.topo", slurp(source_dir() + "/tests/fuzz/corpus/htsim/three_tiers.topo"));
    EXPECT_CONTAINS(htsim(dir, {"-tm", "m.cm", "-topo", "f.topo", "-linkspeed", "50000"}).err,
                    "htsim would send at the one and receive at the other: give -linkspeed ");
}

/* Starts are whole microseconds there. */
TEST(HtsimCommand, StartsAreMicroseconds)
{
    TempDir dir;
    write_file(dir / "m.cm", "Nodes 16\nConnections 2\n0->15 start 7.9 size 4096\n"
                             "1->14 start 3 size 4096\n");
    const Said s = htsim(dir, {"-tm", "m.cm", "-mtu", "4160", "-out", "o"});
    EXPECT_EQ(s.code, 0) << s.err;
    const std::string text = slurp(dir / "o/htsim.txt");
    EXPECT_CONTAINS(text, "Uec_1_14 flowId 1 uecSrc 0 finished at 17.027520");
    EXPECT_CONTAINS(text, "Uec_0_15 flowId 0 uecSrc 1 finished at 21.027520");
}

/* Its own command lines and completion times, first seed of each: fct.csv of reference-uec. */
TEST(HtsimCommand, CommandLinesOfItsReferenceRuns)
{
    const char *shared = std::getenv("WEFT_SHARED");
    const std::string all = std::string(shared ? shared : "") + "/data/reference-uec/";
    if (!shared || !std::ifstream(all + "README.md"))
        GTEST_SKIP() << "no reference-uec under WEFT_SHARED";
    const struct {
        const char *name;
        double mean, tail, mean_pct, tail_pct; /* us, of the five seeds there */
    } cases[] = {
        {"u01_one_100g_nscc", 184.088, 184.088, 0.001, 0.001},
        {"u02_incast2_100g_nscc", 689.8, 696.7, 6, 2},
        {"u03_incast8_100g_nscc", 1267.1, 1393.1, 6, 2},
        {"u05_incast8_100g_rccc", 1369.9, 1377.1, 1, 1},
        {"u06_perm16_100g_obl", 391.1, 461.3, 5, 10},
        {"u09_perm16_100g_deg1_obl", 429.2, 687.2, 10, 30},
    };
    for (const auto &c : cases) {
        TempDir dir;
        write_file(dir / "matrix.cm", slurp(all + c.name + "/matrix.cm"));
        std::ifstream in(all + c.name + "/command.txt");
        std::vector<std::string> args;
        std::string line, word;
        std::getline(in, line);
        std::istringstream words(line.substr(line.find(' ') + 1));
        while (words >> word)
            args.push_back(word);
        args.insert(args.end(), {"-out", "o", "-quiet"});
        const Said s = htsim(dir, args);
        EXPECT_EQ(s.code, 0) << s.err;
        const Times t = finished(dir / "o");
        EXPECT_NEAR(t.mean, c.mean, c.mean * c.mean_pct / 100) << c.name;
        EXPECT_NEAR(t.tail, c.tail, c.tail * c.tail_pct / 100) << c.name;
    }
}
