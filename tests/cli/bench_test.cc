// SPDX-License-Identifier: GPL-2.0-only
// weft bench: the cases exist, run, and measure what they say.
#include "processes.h"

#include <cmath>

namespace
{

TEST(Bench, ListsItsCases)
{
    Said s = weft({"bench", "--list"});
    EXPECT_EQ(s.code, 0) << s.err;
    for (const char *c :
         {"incast-32", "permutation-k8", "permutation-k8-uet", "permutation-k16",
          "permutation-65536", "ring-allreduce-16", "ring-allreduce-128", "ring-allreduce-1024",
          "all-to-all-16", "all-to-all-128", "all-to-all-1024", "websearch-1024"})
        EXPECT_CONTAINS(s.out, std::string(c) + " ");
}

/* 16 hosts at 4 leaves: per ring step 12 messages cross 2 links and 4 cross 4; 1 MiB is 256 packets
 * and as many ACKs. */
TEST(Bench, CountsPacketHopsOfTheRing)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "ring-allreduce-16", "--controls", "dcqcn", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"messages\": 480,");
    EXPECT_CONTAINS(s.out,
                    "\"packet_hops\": 614400,"); /* 30 steps * (12 * 2 + 4 * 4) links * 2 * 256 */
}

/* A case that is made for a control runs with that one, unless others are asked for. 100 packets of
 * 128 messages over 6 links, and an ACK for each. */
TEST(Bench, ACaseMayBringItsControl)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "permutation-k8-uet", "--quick", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"congestion_control\": \"nscc\"");
    EXPECT_EQ(s.out.find("\"congestion_control\": \"dcqcn\""), std::string::npos);
    EXPECT_CONTAINS(s.out, "\"packet_hops\": 153600,");
    s = weft({"bench", "permutation-k8-uet", "--quick", "--json", "--controls", "rccc"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"congestion_control\": \"rccc\"");
    s = weft({"bench", "permutation-k8-uet", "--quick", "--backend", "ideal"});
    EXPECT_EQ(s.code, 0) << s.err;
}

/* 32 messages of 20 packets over 2 links and an ACK for each: 2,560 packet-hops, and CNPs. */
TEST(Bench, MeasuresEveryControlAsked)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "incast-32", "--quick", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    size_t at = 0;
    for (const char *control : {"dcqcn", "hpcc", "none"}) {
        at = s.out.find(std::string("\"congestion_control\": \"") + control + "\"", at);
        ASSERT_NE(at, std::string::npos) << control << " in " << s.out;
        const std::string rest = s.out.substr(at);
        EXPECT_GE(json_number(rest, "packet_hops"), 2560);
        EXPECT_EQ(json_number(rest, "messages"), 32);
        EXPECT_EQ(json_number(rest, "qps"), 32);
        EXPECT_EQ(json_number(rest, "peak_messages_in_flight"), 32);
        EXPECT_GE(json_number(rest, "bytes_per_packet_in_flight"), 64);
        EXPECT_GT(json_number(rest, "bytes_per_qp"), 100);
        EXPECT_GT(json_number(rest, "ns_per_packet_hop"), 0);
        EXPECT_GE(json_number(rest, "events_per_packet_hop"), 1);
        EXPECT_GT(json_number(rest, "setup_wall_time_s"), 0);
        EXPECT_GT(json_number(rest, "peak_rss_bytes"), 1 << 20);
    }
    EXPECT_CONTAINS(s.out.substr(s.out.find("\"none\"")), "\"packet_hops\": 2560,");
}

/* Collectives run through the frontend, whose share is measured: 128 x 127 messages. */
TEST(Bench, SharesOutCollectives)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "all-to-all-128", "--quick", "--controls", "none", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(json_number(s.out, "messages"), 128 * 127);
    EXPECT_EQ(json_number(s.out, "qps"), 128 * 127);
    EXPECT_GT(json_number(s.out, "frontend_share"), 0);
    EXPECT_LT(json_number(s.out, "frontend_share"), 1);
    EXPECT_LACKS(weft({"bench", "incast-32", "--quick", "--json"}).out, "frontend_share");
}

/* With several numbers of threads a case runs as often, does the same, and says how they shared it.
 */
TEST(Bench, ComparesThreads)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft(
        {"bench", "permutation-k8", "--quick", "--controls", "hpcc", "--threads", "1,3", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    const size_t second = s.out.find("\"case\"", s.out.find("\"case\"") + 1);
    ASSERT_NE(second, std::string::npos) << s.out;
    const std::string one = s.out.substr(0, second), three = s.out.substr(second);
    for (const char *same : {"packet_hops", "events", "simulated_ns", "message_bytes"})
        EXPECT_EQ(json_number(one, same), json_number(three, same)) << same;
    EXPECT_LACKS(one, "speed_up");
    EXPECT_EQ(json_number(three, "number"), 3);
    EXPECT_GT(json_number(three, "speed_up"), 0);
    EXPECT_GT(json_number(three, "windows"), 10);
    EXPECT_GT(json_number(three, "together_share"), 0);
    EXPECT_GT(json_number(three, "64"), 0); /* less than with 2: no window has enough for 64 */
    EXPECT_GT(json_number(three, "barriers"), json_number(three, "windows"));
    EXPECT_GT(json_number(three, "together_cpu_time_s"), 0);
    EXPECT_GE(json_number(three, "posting"), 0);
    EXPECT_GT(json_number(three, "joining"), 0);
    EXPECT_LACKS(weft({"bench", "permutation-k8", "--quick", "--controls", "hpcc", "--set",
                       "run.threads=auto", "--json"})
                     .out,
                 "projected_speed_up")
        << "nothing is counted for it";
    for (const char *wrong : {"", "2,", "two", "-1"}) {
        Said t = weft({"bench", "incast-32", "--quick", "--threads", wrong});
        EXPECT_EQ(t.code, 2) << wrong;
        EXPECT_CONTAINS(t.err, "is not a list of numbers, such as 1,2");
    }
}

/* By several processes a case does the same, and each says what it had of it. */
TEST(Bench, ComparesProcesses)
{
    NEEDS_MPIRUN();
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* MPI keeps what it has allocated */
    Said s = weft({"bench", "permutation-k8", "--quick", "--controls", "hpcc", "--processes", "1,2",
                   "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    const size_t second = s.out.find("\"case\"", s.out.find("\"case\"") + 1);
    ASSERT_NE(second, std::string::npos) << s.out;
    const std::string one = s.out.substr(0, second), two = s.out.substr(second);
    for (const char *same : {"packet_hops", "simulated_ns", "message_bytes", "messages"})
        EXPECT_EQ(json_number(one, same), json_number(two, same)) << same;
    EXPECT_LACKS(one, "\"processes\"");
    EXPECT_EQ(json_number(two, "simulating"), 2);
    EXPECT_GT(json_number(two, "speed_up"), 0);
    const std::string other = two.substr(two.find("\"exchanges\"", two.find("\"exchanges\"") + 1));
    EXPECT_GT(json_number(two, "exchanges"), 10);
    EXPECT_EQ(json_number(two, "exchanges"), json_number(other, "exchanges"));
    for (const std::string &of : {two, other}) {
        EXPECT_GT(json_number(of, "bytes_given"),
                  1e5); /* half of 12,800 packets of at least 64 bytes */
        EXPECT_GT(json_number(of, "windows_share"), 0);
        EXPECT_NEAR(json_number(of, "windows_share") + json_number(of, "exchange_share") +
                        json_number(of, "waiting_share"),
                    1, 1e-6);
        EXPECT_GT(json_number(of, "peak_rss_share"), 0.1);
        EXPECT_LE(json_number(of, "pss_bytes"), json_number(of, "peak_rss_bytes"));
    }
    s = weft({"bench", "incast-32", "--quick", "--controls", "none", "--processes", "2", "--set",
              "switch.balance=conga"}); /* one does it alone */
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  processes              1 of 2: hosts do not run in windows");
}

TEST(Bench, SaysWhatProcessesNeed)
{
    for (const char *wrong : {"", "2,", "two", "0", "65"})
        EXPECT_EQ(weft({"bench", "incast-32", "--quick", "--processes", wrong}).code, 2) << wrong;
    EXPECT_EQ(weft({"bench", "incast-32", "--processes", "2", "--threads", "2"}).code, 2);
    if (!has_packet())
        return;
    const std::string path = getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    const Said s =
        weft({"bench", "incast-32", "--quick", "--controls", "none", "--processes", "2"});
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err, mpi_built_in() ? "--processes needs mpirun, which cannot be started"
                                          : "--processes needs MPI, which this weft was built");
}

/* WebSearch flows are the same for every control, and all arrive. */
TEST(Bench, WebSearchFlowsDoNotDependOnTheControl)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said a = weft({"bench", "websearch-1024", "--quick", "--controls", "dcqcn", "--json"});
    Said b = weft({"bench", "websearch-1024", "--quick", "--controls", "hpcc", "--json"});
    ASSERT_EQ(a.code, 0) << a.err;
    ASSERT_EQ(b.code, 0) << b.err;
    EXPECT_GT(json_number(a.out, "messages"), 10);
    EXPECT_EQ(json_number(a.out, "messages"), json_number(b.out, "messages"));
    EXPECT_EQ(json_number(a.out, "message_bytes"), json_number(b.out, "message_bytes"));
}

/* 65,536 hosts, a packet each: (0 + n/2) mod n is in another pod, 6 links there and 6 back. */
TEST(Bench, SixtyFiveThousandHosts)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "permutation-65536", "--quick", "--controls", "none", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(json_number(s.out, "hosts"), 65536);
    EXPECT_EQ(json_number(s.out, "packet_hops"), 65536.0 * 12);
    EXPECT_LT(json_number(s.out, "bytes_per_host"), 8192);
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LT(json_number(s.out, "peak_rss_bytes"), 2.0 * (1u << 30));
#endif
}

TEST(Bench, CountsInstructionsUnderValgrind)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "valgrind does not run sanitized programs";
#endif
    if (system("valgrind --version > /dev/null 2>&1") != 0)
        GTEST_SKIP() << "needs valgrind";
    Said s = weft({"bench", "incast-32", "--quick", "--controls", "none", "--callgrind", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_GT(json_number(s.out, "instructions_per_packet_hop"), 50);
    EXPECT_LT(json_number(s.out, "instructions_per_packet_hop"), 5000);
}

TEST(Bench, RefusesWhatItDoesNotKnow)
{
    Said s = weft({"bench", "incast-32", "--backend", "ideal", "--controls", "none"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "--controls");
    if (!has_packet())
        return;
    s = weft({"bench", "incast-32", "--controls", "dcqcm"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "dcqcn");
    s = weft({"bench", "incast-32", "--controls", "none", "--set", "congestion-control.name=hpcc"});
    EXPECT_EQ(s.code, 2);
}

TEST(Bench, TakesOverridesAndReportsTheirErrors)
{
    Said bad = weft({"bench", "incast-32", "--set", "single-switch.host=3"});
    EXPECT_EQ(bad.code, 3);
    EXPECT_CONTAINS(bad.err, "case incast-32: ");
    Said s = weft({"bench", "all-to-all-16", "--backend", "ideal", "--json"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"messages\": 240,");
}

} // namespace
