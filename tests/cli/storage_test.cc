// SPDX-License-Identifier: GPL-2.0-only
// Checkpoints and storage: bytes and counts worked out by hand, times on the ideal backend, where
// nothing queues.
#include "jobs.h"

#include <map>

namespace
{

/* Latency of a link 1 us, two links to each other host under a switch, 100 Gbps: a message of n
 * bytes takes what this run of one takes. */
double one_message_ns(const TempDir &dir, uint64_t bytes)
{
    write_file(dir / "one.csv",
               "src,dst,size_bytes,start_ns\n0,1," + std::to_string(bytes) + ",0\n");
    const Said s = run(dir,
                       "<network backend=\"ideal\"/><ideal contention=\"none\"/>"
                       "<workload type=\"flows\" file=\"one.csv\" ranks=\"2\"/>\n",
                       "one");
    EXPECT_EQ(s.code, 0) << s.err;
    return std::stod(cell(dir / "one/flows.csv", "0", "fct_ns"));
}

const char kAlone[] = "<network backend=\"ideal\"/><ideal contention=\"none\"/>\n";

/* 10 MiB in stripes of 4 MiB are 3 messages of each of 3 clients; one at a time they take as long
 * as one after the other. */
TEST(Checkpoint, StripesOneAfterTheOther)
{
    TempDir dir;
    const Said s = run(dir,
                       std::string(kAlone) +
                           "<workload type=\"checkpoint\" name=\"c\" ranks=\"4\" size=\"10MiB\" "
                           "in-flight=\"1\" count=\"2\" period=\"1ms\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "messages"), "18");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "bytes"), std::to_string(2 * 3 * 10485760));
    EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "requests"), "6");
    const double ns = 2 * one_message_ns(dir, 4194304) + one_message_ns(dir, 2097152);
    EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "c", "request_max_ns")), ns, 0.01);
    /* The second begins a period after the end of the first. */
    EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "c", "duration_ns")), 2 * ns + 1e6, 0.02);
}

/* Asynchronous ones begin a period after each other's beginning, or at the end of one that took
 * longer. */
TEST(Checkpoint, AsynchronousPeriods)
{
    TempDir dir;
    const double ns = one_message_ns(dir, 1048576);
    for (const double period_us : {10, 500}) {
        const Said s = run(dir,
                           std::string(kAlone) +
                               "<workload type=\"checkpoint\" name=\"c\" ranks=\"2\" size=\"1MiB\" "
                               "mode=\"async\" count=\"3\" first=\"7us\" period=\"" +
                               std::to_string((int)period_us) + "us\"/>\n",
                           "o");
        ASSERT_EQ(s.code, 0) << s.err;
        const double apart = std::max(ns, period_us * 1000);
        EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "c", "duration_ns")), 7000 + 2 * apart + ns,
                    0.02);
    }
}

/* Copies: r times the bytes; by the primary a stripe takes two messages one after the other, by the
 * client one. */
TEST(Checkpoint, Replicas)
{
    TempDir dir;
    const double ns = one_message_ns(dir, 1048576);
    for (const char *by : {"primary", "client"}) {
        const Said s = run(dir,
                           std::string(kAlone) +
                               "<workload type=\"checkpoint\" name=\"c\" ranks=\"4\" servers=\"3\" "
                               "size=\"1MiB\" replicas=\"3\" replication=\"" +
                               by + "\"/>\n",
                           "o");
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "messages"), "3");
        EXPECT_EQ(cell(dir / "o/requests.csv", "checkpoint", "bytes"), "1048576");
        EXPECT_NEAR(std::stod(cell(dir / "o/requests.csv", "checkpoint", "latency_ns")),
                    (by[0] == 'p' ? 2 : 1) * ns, 0.01);
    }
}

/* Llama 3 8B has 8,030,261,248 parameters: at 14 bytes each 112,423,657,472 bytes of seven clients.
 */
TEST(Checkpoint, OfAModel)
{
    TempDir dir;
    const Said s =
        run(dir,
            std::string(kAlone) + "<workload type=\"checkpoint\" name=\"c\" model=\"llama3-8b\" "
                                  "stripe-size=\"1GiB\"/>\n",
            "o");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "bytes"), "112423657472");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "c", "messages"), "105"); /* 7 x 15 */
}

/* Two stripes are on the chosen servers in turn, and on all of them over time. */
TEST(Checkpoint, StripesGoOverServersInTurn)
{
    TempDir dir;
    const Said s = run(dir,
                       std::string(kAlone) +
                           "<workload type=\"checkpoint\" name=\"c\" servers=\"4\" size=\"8MiB\" "
                           "stripe-size=\"1MiB\" stripe-count=\"2\" count=\"20\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    std::map<std::string, int> to;
    const auto rows = cells(dir / "o/flows.csv");
    for (size_t i = 1; i < rows.size(); i++)
        to[rows[i][2]]++;
    EXPECT_EQ(rows.size() - 1, 640u); /* 20 x 4 x 8 */
    ASSERT_EQ(to.size(), 4u);
    for (const auto &t : to)
        EXPECT_EQ(t.second % 4, 0) << t.first; /* half of a file's eight */
}

/* A read is a command, the server's time, and the data; of several stripes each has a part of the
 * data. */
TEST(Storage, AReadTakesItsParts)
{
    TempDir dir;
    for (const uint64_t stripes : {1, 3}) {
        const Said s = run(dir,
                           std::string(kAlone) +
                               "<workload type=\"storage\" name=\"s\" ranks=\"4\" servers=\"3\" "
                               "size=\"3MB\" count=\"10\" service-time=\"50us\" stripe-count=\"" +
                               std::to_string(stripes) + "\"/>\n",
                           "o");
        ASSERT_EQ(s.code, 0) << s.err;
        const double ns = one_message_ns(dir, 64) + 50000 + one_message_ns(dir, 3000000 / stripes);
        EXPECT_EQ(cell(dir / "o/jobs.csv", "s", "requests"), "10");
        EXPECT_EQ(cell(dir / "o/jobs.csv", "s", "messages"), std::to_string(20 * stripes));
        EXPECT_EQ(cell(dir / "o/jobs.csv", "s", "bytes"),
                  std::to_string(10 * (3000000 + 64 * stripes)));
        EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "s", "request_p50_ns")), ns, 0.01);
        EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "s", "request_network_p99_ns")), ns - 50000,
                    0.01);
        EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "s", "duration_ns")), 10 * ns, 0.1);
    }
}

/* Writes have data and a reply; depth requests are under way at once. */
TEST(Storage, WritesAndDepth)
{
    TempDir dir;
    const Said s = run(dir,
                       std::string(kAlone) +
                           "<workload type=\"storage\" name=\"s\" ranks=\"2\" size=\"1MB\" "
                           "read-share=\"0\" depth=\"4\" count=\"8\" service-time=\"0ps\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    const double ns = one_message_ns(dir, 1000000) + one_message_ns(dir, 16);
    EXPECT_EQ(cell(dir / "o/jobs.csv", "s", "bytes"), std::to_string(8 * 1000016));
    EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "s", "duration_ns")), 2 * ns, 0.1);
}

/* At random times: as many as the rate says; with a depth of one they wait, as M/D/1 does: rho / (2
 * (1 - rho)) services. */
TEST(Storage, RandomArrivalsWaitAsInAQueue)
{
    TempDir dir;
    const double ns = one_message_ns(dir, 64) + 90000 + one_message_ns(dir, 4096);
    const double rho = 0.5, iops = rho / (ns * 1e-9);
    const Said s = run(dir,
                       std::string(kAlone) +
                           "<workload type=\"storage\" name=\"s\" ranks=\"2\" size=\"4096B\" "
                           "service-time=\"90us\" iops=\"" +
                           std::to_string(iops) + "\" count=\"40000\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    const double mean = std::stod(cell(dir / "o/jobs.csv", "s", "request_mean_ns"));
    EXPECT_NEAR(mean / ns, 1 + rho / (2 * (1 - rho)), 0.03);
    EXPECT_NEAR(std::stod(cell(dir / "o/jobs.csv", "s", "duration_ns")) * 1e-9 * iops, 40000, 600);
}

TEST(Storage, WrongSettingsAreErrors)
{
    TempDir dir;
    const struct {
        const char *inside, *says;
    } cases[] = {
        {"type=\"storage\" servers=\"8\"",
         "servers is 8, which leaves none of 8 ranks for clients"},
        {"type=\"storage\" stripe-count=\"2\"", "stripe-count is 2, but there are 1 servers"},
        {"type=\"storage\" depth=\"0\"", "depth=0 has no requests without iops"},
        {"type=\"checkpoint\" replicas=\"2\"", "replicas is 2, but there are 1 servers"},
        {"type=\"checkpoint\" model=\"llama3-8\"",
         "unknown model 'llama3-8'; did you mean 'llama3-8b'?"},
        {"type=\"checkpoint\" count=\"0\"", "nothing ends the run"},
    };
    for (const auto &c : cases) {
        write_file(dir / "s.xml", scenario(std::string("<workload ") + c.inside + "/>\n"));
        const Said s = weft({"check", dir / "s.xml"});
        EXPECT_EQ(s.code, 3) << c.inside;
        EXPECT_CONTAINS(s.err, c.says);
    }
}

/* Alone is the run of one; the same bytes every time, beside a job too; repetitions have draws of
 * their own. */
TEST(Storage, AloneAndAgain)
{
    TempDir dir;
    if (!has_packet())
        GTEST_SKIP();
    const std::string one = "<workload type=\"storage\" name=\"s\" servers=\"2\" depth=\"2\" "
                            "stripe-count=\"2\" count=\"8\" size=\"100KB\" read-share=\"0.5\"/>\n";
    const std::string both = one +
                             "<workload type=\"checkpoint\" name=\"c\" size=\"3MB\" servers=\"2\" "
                             "stripe-size=\"1MB\" replicas=\"2\" repeat=\"2\"/>\n";
    ASSERT_EQ(run(dir, both, "1", {"--alone"}).code, 0);
    ASSERT_EQ(run(dir, both, "2", {"--alone"}).code, 0);
    ASSERT_EQ(run(dir, one, "s").code, 0);
    for (const char *file : {"flows.csv", "requests.csv", "jobs.csv", "links.csv"})
        EXPECT_EQ(slurp(dir / (std::string("1/") + file)), slurp(dir / (std::string("2/") + file)))
            << file;
    EXPECT_EQ(cell(dir / "1/jobs.csv", "s", "alone_fct_mean_ns"),
              cell(dir / "s/jobs.csv", "s", "fct_mean_ns"));
    EXPECT_GT(std::stod(cell(dir / "1/jobs.csv", "s", "slowdown")), 1.2);
    EXPECT_EQ(cell(dir / "1/jobs.csv", "c", "requests"), "12"); /* 6 clients twice */
    EXPECT_EQ(cell(dir / "1/jobs.csv", "c", "bytes"), std::to_string(2 * 2 * 6 * 3000000));
}

} // namespace
