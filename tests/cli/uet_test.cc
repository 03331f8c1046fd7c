// SPDX-License-Identifier: GPL-2.0-only
// transport.type=uet: one word for an Ultra Ethernet fabric.
#include "jobs.h"

namespace
{

const char kJob[] = "  <workload type=\"generate\" kind=\"all-to-all\" size=\"1MiB\"/>\n";
const char kUet[] = "  <transport type=\"uet\"/>\n";

/* The line of a key in what `weft check` prints. */
std::string line_of(const std::string &out, const std::string &key)
{
    const size_t at = out.find("\n" + key + " ");
    return at == std::string::npos ? "" : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
}

Said check(const TempDir &dir, const std::string &inside, std::vector<std::string> more = {})
{
    write_file(dir / "s.xml", scenario(inside));
    std::vector<std::string> args = {"check", "--all", dir / "s.xml"};
    args.insert(args.end(), more.begin(), more.end());
    return weft(args);
}

/* Four links of 1 us there and back, and on each a packet of 4096 + 102 + 20 bytes and an ACK of 78
 * + 20 at 100 Gbps: T = 8 us + 4 x 4316 x 0.08 ns = 9.38112 us, and a BDP of 117264 bytes. */
TEST(Uet, OneWordSetsWhatFollowsFromTheFabric)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    const Said s = check(dir, std::string(kUet) + kJob);
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.err, "");
    const struct {
        const char *key, *value, *why;
    } lines[] = {
        {"transport.recovery", "= rud ", "(preset: UE 1.0.3, 3.5"},
        {"transport.header", "= 102B ", "44 SES"},
        {"transport.ack-frame", "= 78B ", "ACK_CC"},
        {"transport.ack-every-bytes", "= 16KiB ", "ACK_Gen_Trigger"},
        {"transport.ack-prio", "= 6 ", "preset"},
        {"transport.rto", "= 65667.84ns ", "six full queues"}, /* 7 T */
        {"switch.balance", "= entropy ", "preset"},
        {"switch.entropy-policy", "= reps ", "default"},
        {"switch.trim-prios", "= 159 ", "trimmed"}, /* all but 5 and 6 */
        {"switch.egress-limit", "= 117264B ", "1 BDP"},
        {"switch.egress-scale-rate", "= 100Gbps ", "rate of the port"},
        {"switch.trim-host-scale", "= 1.5 ", "last hop"},
        {"ecn.kmin", "= 23453B ", "0.2 BDP"},
        {"ecn.kmax", "= 93811B ", "0.8 BDP"},
        {"ecn.pmax", "= 1 ", "preset"},
        {"pfc.enabled", "= false ", "preset"},
        {"congestion-control.name", "= nscc ", "(preset)"},
    };
    for (const auto &l : lines) {
        EXPECT_CONTAINS(line_of(s.out, l.key), l.value);
        EXPECT_CONTAINS(line_of(s.out, l.key), l.why);
    }
}

TEST(Uet, WhatIsGivenStands)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    const Said s = check(dir,
                         std::string("  <transport type=\"uet\" base-rtt=\"20us\"/>\n"
                                     "  <switch egress-limit=\"100KB\"/>\n"
                                     "  <congestion-control name=\"rccc\"/>\n") +
                             kJob,
                         {"--set", "transport.header=62B"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(line_of(s.out, "switch.egress-limit"), "= 100KB ");
    EXPECT_CONTAINS(line_of(s.out, "transport.header"), "= 62B                  (--set)");
    EXPECT_CONTAINS(line_of(s.out, "transport.rto"), "= 140us "); /* 7 x 20 us */
    EXPECT_CONTAINS(line_of(s.out, "congestion-control.name"), "= rccc ");
    EXPECT_CONTAINS(line_of(s.out, "ecn.kmin"), "default"); /* rccc takes no marks */
}

/* Without trimming queues are five times as long. */
TEST(Uet, QueuesAreLongerWithoutTrimming)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    const Said s = check(dir, std::string(kUet) + kJob, {"--set", "switch.trim-prios=0"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(line_of(s.out, "switch.egress-limit"), "= 586320B ");
}

/* TCP has classes of its own beside it, which are not trimmed; RoCE is beside uet.prios only. */
TEST(Uet, TcpBesideIt)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    const std::string jobs =
        "  <workload type=\"generate\" name=\"a\" size=\"1MiB\" ranks=\"4\" transport=\"uet\"/>\n"
        "  <workload type=\"generate\" name=\"b\" size=\"1MiB\" ranks=\"4\" transport=\"tcp\"/>\n";
    const Said s = run(dir, kUet + jobs, "both");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "both/jobs.csv", "a", "transport"), "uet");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "transport"), "tcp");
    const Said c = check(dir, kUet + jobs);
    EXPECT_CONTAINS(line_of(c.out, "tcp.prios"), "= 1 ");
    EXPECT_CONTAINS(line_of(c.out, "switch.trim-prios"), "= 158 ");
    EXPECT_CONTAINS(line_of(c.out, "switch.egress-limit-map"), "= 0:586320B ");
    const std::string roce = "  <workload type=\"generate\" name=\"a\" transport=\"roce\"/>\n";
    const Said no = check(dir, kUet + roce);
    EXPECT_EQ(no.code, 3);
    EXPECT_CONTAINS(no.err, "transport=\"roce\">: transport.type=uet: what does not go by TCP all "
                            "goes by UET");
}

TEST(Uet, AWrittenScenarioRunsTheSame)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    ASSERT_EQ(run(dir, std::string(kUet) + kJob, "first").code, 0);
    const Said xml = weft({"show", "scenario", dir / "s.xml", "--xml"});
    ASSERT_EQ(xml.code, 0) << xml.err;
    write_file(dir / "t.xml", xml.out);
    ASSERT_EQ(weft({"run", dir / "t.xml", "--out", dir / "again"}).code, 0);
    EXPECT_EQ(slurp(dir / "first/flows.csv"), slurp(dir / "again/flows.csv"));
}

/* Reliable ordered delivery: one path per QP, and what is lost is gone back to. */
TEST(Uet, Rod)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    const Said s = check(dir, "  <transport type=\"uet\" recovery=\"rod\"/>\n" + std::string(kJob));
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.err, "");
    EXPECT_CONTAINS(line_of(s.out, "transport.nack-interval"), "= 9381.12ns "); /* T */
    EXPECT_CONTAINS(line_of(s.out, "transport.ack-every-bytes"), "default");
    const Said r = run(dir,
                       "  <transport type=\"uet\" recovery=\"rod\"/>\n"
                       "  <fault events=\"bit-errors link=h0-s8 ber=1e-6\"/>\n" +
                           std::string(kJob),
                       "rod");
    EXPECT_EQ(r.code, 0) << r.err;
}

/* All-reduce, all-to-all and a training step, each with nothing wrong, with links that fail and
 * return, bits that flip on links of hosts (data, ACKs and trimmed packets alike), and next to no
 * room for data or for trimmed packets: every message arrives, and the timers come to rest. */
TEST(Uet, NothingIsLostForGood)
{
    if (!has_packet())
        GTEST_SKIP();
    const struct {
        const char *name, *workload;
    } jobs[] = {
        {"all-reduce", "<workload type=\"generate\" kind=\"all-reduce\" size=\"2MiB\"/>"},
        {"all-to-all", "<workload type=\"generate\" kind=\"all-to-all\" size=\"2MiB\"/>"},
        {"step", "<workload type=\"generate\" pattern=\"data-parallel\" layers=\"3\" "
                 "size=\"1MiB\"/>"},
    };
    const struct {
        const char *name;
        std::vector<std::string> sets;
        bool hurts;
    } faults[] = {
        {"none", {}, false},
        {"links fail",
         {"fault.events=link-down link=s8-s10 at=5us until=60us; link-down link=s9-s11 at=20us "
          "until=90us; flap link=s8-s11 at=30us period=25us down=5us count=4"},
         false},
        {"bits flip", {"fault.events=bit-errors link=h0-s8,h5-s9,s8-s10 ber=3e-6"}, true},
        {"tiny queues", {"switch.egress-limit=9000B"}, true},
        {"no room for what is trimmed", {"switch.egress-limit-map=3:9000B,5:200B"}, true},
        {"tiny buffer", {"switch.buffer=64KiB"}, true},
        {"tiny queues that drop", {"switch.trim-prios=0", "switch.egress-limit=20KB"}, true},
    };
    TempDir dir;
    for (const auto &j : jobs)
        for (const auto &t : faults)
            for (const char *recovery : {"rud", "rod"}) {
                const std::string what = std::string(j.name) + ", " + t.name + ", " + recovery;
                std::vector<std::string> more =
                    with_sets({"--json", "--set", "system.all-reduce=direct", "--set",
                               std::string("transport.recovery=") + recovery},
                              t.sets);
                const Said s = run(dir, kUet + std::string(j.workload) + "\n", "out", more);
                ASSERT_EQ(s.code, 0) << what << "\n" << s.err;
                const std::string json = slurp(dir / "out/run.json");
                EXPECT_NE(json.find("\"outcome\": \"finished\""), std::string::npos) << what;
                if (t.hurts) {
                    EXPECT_GT(json_number(json, "retransmissions"), 0u) << what;
                }
                /* a storm would time out over and over for each packet that is missing */
                EXPECT_LT(json_number(json, "timeouts"), json_number(json, "data_packets") / 2)
                    << what;
            }
}

} // namespace
