// SPDX-License-Identifier: GPL-2.0-only
// Workloads that say by which transport they go.
#include "jobs.h"

#include <filesystem>

namespace
{

const char kTrain[] = "  <workload type=\"generate\" name=\"a\" size=\"1MiB\" ranks=\"4\"/>\n";

/* A TCP job under one leaf leaves a RoCE job under the other alone; its messages are those of its
 * kind. */
TEST(JobTransport, TcpBesideRoce)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    Said both =
        run(dir,
            std::string(kTrain) + "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" "
                                  "size=\"1MiB\" ranks=\"4\" transport=\"tcp\"/>\n",
            "both");
    ASSERT_EQ(both.code, 0) << both.err;
    ASSERT_EQ(run(dir, kTrain, "a").code, 0);
    EXPECT_EQ(rows_of(dir / "both/ops.csv", "a"), rows(dir / "a/ops.csv"));
    EXPECT_EQ(cell(dir / "both/jobs.csv", "a", "transport"), "roce");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "transport"), "tcp");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "prio"), "0");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "messages"), "12");   /* 4 x 3 */
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "bytes"), "3145728"); /* 12 x 256 KiB */
    EXPECT_EQ(cells(dir / "both/tcp_connections.csv").size(), 13u);
    EXPECT_FALSE(std::filesystem::exists(dir / "a/tcp_connections.csv"));
}

/* The class is one that nothing else has: not RoCE's, not lossless, not another workload's. */
TEST(JobTransport, ClassIsFoundOrTaken)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    const std::string b = "  <workload type=\"generate\" name=\"b\" ranks=\"2\" transport=\"tcp\"";
    const struct {
        std::string inside, prio, prios;
    } cases[] = {
        {kTrain + b + "/>\n", "0", "1"},
        {kTrain + b + " priority=\"5\"/>\n", "5", "32"},
        {kTrain + b + "/>\n<tcp prios=\"6\"/>\n", "1", "6"},
        {"  <workload type=\"generate\" name=\"a\" ranks=\"2\" priority=\"0\"/>\n" + b + "/>\n",
         "1", "2"},
        {kTrain + b + "/>\n<transport type=\"tcp\"/>\n", "default", "0"},
    };
    for (const auto &c : cases) {
        write_file(dir / "s.xml", scenario(c.inside));
        const Said s = weft({"check", "--all", dir / "s.xml"});
        ASSERT_EQ(s.code, 0) << c.inside << s.err;
        EXPECT_NE(s.out.find("b.priority "), std::string::npos);
        std::string prio = s.out.substr(s.out.find("b.priority "));
        EXPECT_EQ(prio.substr(0, prio.find('(')).find("= " + c.prio + " ") != std::string::npos,
                  true)
            << c.inside << prio.substr(0, 80);
        std::string prios = s.out.substr(s.out.find("tcp.prios "));
        EXPECT_NE(prios.substr(0, prios.find('(')).find("= " + c.prios + " "), std::string::npos)
            << c.inside << prios.substr(0, 80);
    }
}

/* What is written out is the same scenario. */
TEST(JobTransport, AWrittenScenarioIsTheSame)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    write_file(dir / "s.xml", scenario(std::string(kTrain) +
                                       "  <workload type=\"generate\" name=\"b\" ranks=\"2\" "
                                       "transport=\"tcp\"/>\n"));
    const Said first = weft({"show", "scenario", dir / "s.xml", "--xml"});
    ASSERT_EQ(first.code, 0) << first.err;
    write_file(dir / "t.xml", first.out);
    const Said again = weft({"show", "scenario", dir / "t.xml", "--xml"});
    EXPECT_EQ(again.out, first.out) << again.err;
}

TEST(JobTransport, ConflictsAreNamed)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    const std::string b = "<workload type=\"generate\" name=\"b\" ranks=\"2\" ";
    const struct {
        std::string inside, says;
    } cases[] = {
        {kTrain + b + "transport=\"tcp\" priority=\"3\"/>\n",
         "s.xml:3:3: <workload name=\"a\" transport=\"default\">: its class 3 is the one in which "
         "workload 'b' goes by TCP"},
        {kTrain + b + "transport=\"tcp\" priority=\"2\"/>\n<tcp prios=\"1\"/>\n",
         "s.xml:4:1: <workload name=\"b\" transport=\"tcp\">: its priority is 2, which tcp.prios=1 "
         "leaves to RoCE; nearest: tcp.prios=5"},
        {kTrain + b + "transport=\"tcp\"/>\n<tcp prios=\"0\"/>\n", "no class is TCP's"},
        {kTrain + b + "transport=\"roce\"/>\n<transport type=\"tcp\"/>\n",
         "transport.type=tcp carries everything by TCP"},
        {kTrain + b + "transport=\"roce\" priority=\"1\"/>\n<tcp prios=\"2\"/>\n",
         "its class 1 is one of tcp.prios=2"},
        {kTrain + b + "transport=\"tcp\"/>\n<system priorities=\"all-reduce:3\"/>\n",
         "system.priorities=all-reduce:3 puts some of its messages into a class that is RoCE's"},
        {kTrain + b + "transport=\"udp\"/>\n", "udp"},
    };
    for (const auto &c : cases) {
        write_file(dir / "s.xml", scenario(c.inside));
        const Said s = weft({"check", "--all", dir / "s.xml"});
        EXPECT_EQ(s.code, 3) << c.inside;
        EXPECT_CONTAINS(s.err, c.says);
    }
    write_file(dir / "f.csv", "src,dst,size_bytes,start_ns,prio\n0,1,1000,0,3\n");
    const Said s = run(
        dir, "<workload type=\"flows\" file=\"f.csv\" priorities=\"file\" transport=\"tcp\"/>\n",
        "flows");
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err,
                    "a message from rank 0 to 1 asks for class 3, which is not one of tcp's");
    const Said ideal =
        run(dir, kTrain + b + "transport=\"tcp\"/>\n<network backend=\"ideal\"/>\n", "i");
    EXPECT_EQ(ideal.code, 0);
    EXPECT_CONTAINS(ideal.err, "the backend 'ideal' has no transports");
    EXPECT_EQ(cell(dir / "i/jobs.csv", "b", "transport"), "");
}

} // namespace
