// SPDX-License-Identifier: GPL-2.0-only
// weft trace.
#include "program.h"

#include <sys/resource.h>
#include <sys/stat.h>

namespace
{

TEST(Trace, GenerateShowCheck)
{
    TempDir dir;
    Said g = weft({"trace", "generate", "sub/t", "--set", "ranks=2", "--set", "generate.count=3"},
                  dir / "");
    ASSERT_EQ(g.code, 0) << g.err;
    EXPECT_EQ(g.out, "wrote sub/t.{0..1}.et\n");
    Said s = weft({"trace", "show", "sub/t.0.et"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "3 nodes");
    EXPECT_CONTAINS(s.out, "COMM_COLL_NODE");
    EXPECT_CONTAINS(s.out, "comm_size=1048576");
    EXPECT_CONTAINS(weft({"trace", "show", "sub/t.0.et", "--json"}, dir / "").out, "\"nodes\": [");
    Said c = weft({"trace", "check", "sub/t"}, dir / "");
    EXPECT_EQ(c.code, 0) << c.err;
    EXPECT_CONTAINS(c.out, "2 ranks, 6 operations, 6 of them collective");
    EXPECT_EQ(weft({"trace", "check", "sub/t", "--ranks", "3"}, dir / "").code, 3);
    EXPECT_EQ(weft({"trace", "check", "sub/t", "--ranks", "2"}, dir / "").code, 0);
}

TEST(Trace, BadParametersAreErrors)
{
    Said s = weft({"trace", "generate", "t", "--set", "ranks=2", "--set", "layer=3"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "layers");
    EXPECT_EQ(weft({"trace", "generate", "t", "--set", "ranks"}).code, 3);
    EXPECT_EQ(weft({"trace", "show", "/nonexistent.et"}).code, 3);
    EXPECT_EQ(weft({"trace", "check", "x", "--set", "a=b"}).code, 2);
}

/* Runs `weft args...` and returns its peak resident memory in KiB. */
long peak_kib(const std::vector<std::string> &args, Said &said)
{
    TempDir dir;
    const std::string files = dir / "said";
    pid_t pid = start(args, "/", files);
    int status = 0;
    struct rusage use = {};
    wait4(pid, &status, 0, &use);
    said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    said.out = slurp(files + ".out");
    said.err = slurp(files + ".err");
    return use.ru_maxrss;
}

/* 60 MB of trace, a million nodes, with 16 MiB for graphs: the same run as in memory, in bounded memory. */
TEST(Trace, ReadsAndPlaysBeyondItsMemory)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "memory is not comparable under AddressSanitizer";
#endif
    TempDir dir;
    Said g = weft({"trace", "generate", "t", "--set", "ranks=2", "--set", "pattern=data-parallel",
                   "--set", "layers=100", "--set", "iterations=1700"},
                  dir / "");
    ASSERT_EQ(g.code, 0) << g.err;
    struct stat st = {};
    ASSERT_EQ(stat((dir / "t.0.et").c_str(), &st), 0);
    EXPECT_GT(st.st_size, 28000000);
    Said little, much;
    const std::vector<std::string> args = {"run",
                                           "--set",
                                           "network.backend=ideal",
                                           "--set",
                                           "topology.type=single-switch",
                                           "--set",
                                           "single-switch.hosts=2",
                                           "--set",
                                           "workload.type=chakra",
                                           "--set",
                                           "chakra.path=" + (dir / "t"),
                                           "--set"};
    auto with = [&args](const char *memory) {
        std::vector<std::string> a = args;
        a.push_back(std::string("chakra.memory=") + memory);
        return a;
    };
    const long small_kib = peak_kib(with("16MiB"), little), big_kib = peak_kib(with("64GiB"), much);
    ASSERT_EQ(little.code, 0) << little.err;
    ASSERT_EQ(much.code, 0) << much.err;
    EXPECT_CONTAINS(little.out, "1023400 of 1023400 operations done");
    EXPECT_LT(small_kib,
              160 * 1024); /* graphs 16 MiB, states 12 MB, steps of the path 9 MB, code, buffers */
    EXPECT_GT(big_kib, 320 * 1024); /* the case is one that does not fit */
}

TEST(Trace, AstraSimMicrobenchmarksAreReadable)
{
    const std::string dir = shared("astra-sim/workload/microbenchmarks");
    if (dir.empty())
        GTEST_SKIP() << "no WEFT_SHARED data";
    for (const char *k : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
        Said s = weft({"trace", "check", dir + "/" + k + "/8npus_1MB/" + k});
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "8 ranks");
    }
}

} // namespace
