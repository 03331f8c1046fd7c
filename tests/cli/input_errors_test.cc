// SPDX-License-Identifier: GPL-2.0-only
// What goes wrong most often in input: exit 3 and a message that a newcomer can act on.
#include "program.h"

#include <filesystem>

namespace
{

class Input : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        Said s = weft({"trace", "generate", "t", "--set", "ranks=4"}, dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
    }
    Said run(const std::string &hosts = "4", const std::string &set = "system.chunks=1")
    {
        return weft({"run", "--no-out", "--set", "network.backend=ideal", "--set",
                     "topology.type=single-switch", "--set", "single-switch.hosts=" + hosts,
                     "--set", "workload.type=chakra", "--set", "chakra.path=t", "--set", set},
                    dir / "");
    }
    Said run_xml(const std::string &xml)
    {
        write_file(dir / "s.xml", xml);
        return weft({"run", "s.xml", "--no-out"}, dir / "");
    }
    TempDir dir;
};

TEST_F(Input, TheTraceItselfIsFine)
{
    Said s = run();
    EXPECT_EQ(s.code, 0) << s.err;
}

TEST_F(Input, TruncatedTrace)
{
    const std::string whole = slurp(dir / "t.2.et");
    for (size_t cut : {whole.size() - 1, whole.size() / 2}) {
        write_file(dir / "t.2.et", whole.substr(0, cut));
        Said s = run();
        EXPECT_EQ(s.code, 3) << s.err;
        EXPECT_CONTAINS(s.err, "t.2.et");
        EXPECT_CONTAINS(s.err, "byte");
    }
}

/* One length-prefixed message. */
std::string framed(const std::string &message)
{
    EXPECT_LT(message.size(), 128u);
    return std::string(1, static_cast<char>(message.size())) + message;
}

TEST_F(Input, CycleInATrace)
{
    /* Node: id = 1 (varint), name = 2, type = 3 (COMP_NODE = 4), data_deps = 5 (packed),
     * duration_micros = 7. */
    const std::string a("\x08\x01\x12\x01"
                        "a\x18\x04\x2a\x01\x02\x38\x05",
                        12);
    const std::string b("\x08\x02\x12\x01"
                        "b\x18\x04\x2a\x01\x01\x38\x05",
                        12);
    write_file(dir / "t.1.et", framed("") + framed(a) + framed(b));
    Said s = run();
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err, "t.1.et");
    EXPECT_CONTAINS(s.err, "cycle");
}

TEST_F(Input, MissingRankFile)
{
    std::filesystem::remove(dir / "t.3.et");
    Said s = run();
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err, "3");
    EXPECT_CONTAINS(s.err, "t");
}

TEST_F(Input, TraceWithFewerRanksThanTheFabric)
{
    Said s = run("6");
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err, "6");
    EXPECT_CONTAINS(s.err, "rank");
}

TEST_F(Input, AJobMayLeaveHosts)
{
    Said s = run("6", "chakra.ranks=4");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "4 of 4 operations done");
    s = run("4", "chakra.ranks=5");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "workload 'chakra': ranks is 5, but the fabric has 4 hosts");
}

TEST_F(Input, TraceWithMoreRanksThanTheFabric)
{
    Said s = run("2");
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_CONTAINS(s.err, "2");
}

TEST_F(Input, UnknownKey)
{
    Said s = run("4", "system.chunk=2");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "--set system.chunk=2");
    EXPECT_CONTAINS(s.err, "chunks");
    Said x = run_xml("<scenario>\n <topology type=\"single-switch\" host=\"4\"/>\n <workload "
                     "type=\"generate\"/>\n</scenario>");
    EXPECT_EQ(x.code, 3);
    EXPECT_CONTAINS(x.err, "s.xml:2:33:");
    EXPECT_CONTAINS(x.err, "did you mean 'hosts'");
}

TEST_F(Input, NumberWithoutUnit)
{
    Said s = run("4", "single-switch.rate=400");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "400Gbps");
    Said x = run_xml("<scenario>\n <topology type=\"single-switch\"\n   delay=\"1\"/>\n <workload "
                     "type=\"generate\"/>\n</scenario>");
    EXPECT_EQ(x.code, 3);
    EXPECT_CONTAINS(x.err, "s.xml:3:4:");
    EXPECT_CONTAINS(x.err, "no unit");
}

TEST_F(Input, IllFormedXmlAndAMissingScenario)
{
    Said x = run_xml("<scenario>\n <topology\n</scenario>");
    EXPECT_EQ(x.code, 3);
    EXPECT_CONTAINS(x.err, "s.xml:3");
    Said gone = weft({"run", "no/such/file.xml"}, dir / "");
    EXPECT_EQ(gone.code, 4);
    EXPECT_CONTAINS(gone.err, "no/such/file.xml");
}

TEST_F(Input, NothingIsWrittenForInvalidInput)
{
    Said s = weft({"run", "--set", "topology.type=single-switch", "--set", "workload.type=chakra",
                   "--set", "chakra.path=absent/t", "--set", "network.backend=ideal"},
                  dir / "");
    EXPECT_EQ(s.code, 3) << s.err;
    EXPECT_EQ(s.out, "");
    EXPECT_FALSE(std::filesystem::exists(dir / "out"));
}

/* What a list of flows has too much or lacks. */
TEST(Flows, OfALineTooManyOrNone)
{
    TempDir dir;
    const auto run = [&](const std::string &workload, const std::string &set) {
        return weft({"run", "--no-out", "--set", "network.backend=ideal", "--set",
                     "topology.type=single-switch", "--set", "single-switch.hosts=4", "--set",
                     "workload.type=" + workload, "--set", set},
                    dir / "");
    };
    const std::string head = "from,to,size_bytes,start_ns\n";
    write_file(dir / "more.txt", "1\n0 1 3 100 1000 2\n0 2 3 100 1000 2\n");
    Said s = run("flows", "flows.file=more.txt");
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "warning: more.txt:3: what follows the 1 flows is ignored");
    write_file(dir / "comma.csv", head + "0,1,1000,2,5\n");
    s = run("flows", "flows.file=comma.csv");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err,
                    "comma.csv:2: the line has 5 fields, but the first line names 4 columns");
    write_file(dir / "blank.csv", head + "0,1,1000,2,\n");
    EXPECT_EQ(run("flows", "flows.file=blank.csv").code, 0);
    for (const auto &[name, text] :
         {std::pair<std::string, std::string>{"mark.csv", head + "0,1,1000,2\n"},
          {"mark.txt", "1\n0 1 3 100 1000 2\n"}}) {
        write_file(dir / name, "\xef\xbb\xbf" + text); /* as spreadsheets write it */
        s = run("flows", "flows.file=" + name);
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "1 of 1 operation done");
    }
    write_file(dir / "none.csv", head);
    s = run("flows", "flows.file=none.csv");
    EXPECT_CONTAINS(s.err, "warning: workload 'flows' sends nothing: its duration ends before its "
                           "first flow, or its list has none");
    s = weft({"run", "--no-out", "--set", "network.backend=ideal", "--set",
              "topology.type=single-switch", "--set", "workload.type=incast", "--set",
              "incast.degree=2", "--set", "incast.duration=100us"});
    EXPECT_CONTAINS(s.err, "warning: workload 'incast' sends nothing");
}

TEST(Flows, AllWithinTheWarmUpAreWarnedOf)
{
    const auto run = [](const char *warm_up) {
        return weft({"run", "--no-out", "--set", "network.backend=ideal", "--set",
                     "topology.type=single-switch", "--set", "workload.type=incast", "--set",
                     "incast.degree=2", "--set", "incast.duration=1ms", "--set", warm_up});
    };
    EXPECT_CONTAINS(run("run.warm-up=1s").err,
                    "warning: no message was posted after run.warm-up=1s and ended: statistics of "
                    "messages are empty");
    EXPECT_EQ(run("run.warm-up=500us").err, "");
}

} // namespace
