// SPDX-License-Identifier: GPL-2.0-only
// weft trace.
#include "program.h"

#include <sys/resource.h>
#include <sys/stat.h>

namespace
{

TEST(Trace, GenerateDumpCheck)
{
    TempDir dir;
    Said g = weft({"trace", "generate", "sub/t", "--set", "ranks=2", "--set", "generate.count=3"},
                  dir / "");
    ASSERT_EQ(g.code, 0) << g.err;
    EXPECT_EQ(g.out, "wrote sub/t.{0..1}.et\n");
    Said s = weft({"trace", "dump", "sub/t.0.et"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "3 nodes");
    EXPECT_CONTAINS(s.out, "COMM_COLL_NODE");
    EXPECT_CONTAINS(s.out, "comm_size=1048576");
    EXPECT_CONTAINS(weft({"trace", "dump", "sub/t.0.et", "--json"}, dir / "").out, "\"nodes\": [");
    Said c = weft({"trace", "check", "sub/t"}, dir / "");
    EXPECT_EQ(c.code, 0) << c.err;
    EXPECT_CONTAINS(c.out, "2 ranks, 6 operations, 6 of them collective");
    EXPECT_EQ(weft({"trace", "check", "sub/t", "--ranks", "3"}, dir / "").code, 3);
    EXPECT_EQ(weft({"trace", "check", "sub/t", "--ranks", "2"}, dir / "").code, 0);
}

// A training step: what info says is what the generator says of it.
TEST(Trace, InfoOfATrainingStep)
{
    TempDir dir;
    const Said g = weft({"trace", "generate", "training", "t", "--set", "model=llama3-8b", "--set",
                         "ranks=16", "--set", "tp=4", "--set", "pp=2", "--set", "microbatches=4",
                         "--set", "compute=efficiency"},
                        dir / "");
    ASSERT_EQ(g.code, 0) << g.err;
    EXPECT_CONTAINS(g.out, "0.4173 s on the busiest rank");
    const Said i = weft({"trace", "info", "t", "--groups", "t.json"}, dir / "");
    ASSERT_EQ(i.code, 0) << i.err;
    EXPECT_CONTAINS(
        i.out, "17248: 6336 compute, 0 memory, 64 send, 64 receive, 10784 collective, 0 metadata");
    EXPECT_CONTAINS(i.out, "417.3 ms on rank 8, the busiest");
    EXPECT_CONTAINS(i.out, "without network        508.2 ms");
    EXPECT_CONTAINS(
        i.out,
        "all-gather                  4       4           390  16.78 MB                  104.7 GB");
    const Said j = weft({"trace", "info", "t", "--groups", "t.json", "--json"}, dir / "");
    EXPECT_CONTAINS(j.out, "\"messages\": 64");
    EXPECT_CONTAINS(j.out, "\"critical_path_ps\": 508");
    const Said c = weft({"trace", "check", "t", "--groups", "t.json"}, dir / "");
    EXPECT_CONTAINS(
        c.out,
        "2765 collectives have all of their members, 64 receives their send; no circle of waiting");
}

/* The schema is told apart by content where the file does not say it. */
TEST(Trace, InfoNamesTheSchema)
{
    TempDir dir;
    ASSERT_EQ(weft({"trace", "generate", "now", "--set", "ranks=2"}, dir / "").code, 0);
    EXPECT_CONTAINS(weft({"trace", "info", "now"}, dir / "").out,
                    "  schema                 Chakra 0.0.4\n");
    write_file(dir / "old.0.et",
               slurp(source_dir() + "/tests/fuzz/corpus/et/older-parents-without-data"));
    EXPECT_CONTAINS(weft({"trace", "info", "old"}, dir / "").out,
                    "  schema                 Chakra 0.0.1\n");
    EXPECT_CONTAINS(weft({"trace", "info", "old", "--json"}, dir / "").out,
                    "\"schema\": \"0.0.1\"");
}

TEST(Trace, DiffSaysWhatDiffers)
{
    TempDir dir;
    for (const char *name : {"a", "b"})
        ASSERT_EQ(weft({"trace", "generate", name, "--set", "ranks=2", "--set",
                        name[0] == 'a' ? "size=1KiB" : "size=2KiB"},
                       dir / "")
                      .code,
                  0);
    Said d = weft({"trace", "diff", "a", "a"}, dir / "");
    EXPECT_EQ(d.code, 0) << d.err;
    EXPECT_EQ(d.out, "no difference in 2 ranks\n");
    d = weft({"trace", "diff", "a", "b"}, dir / "");
    EXPECT_EQ(d.code, 1);
    EXPECT_EQ(d.err, "");
    EXPECT_CONTAINS(d.out, "comm_size 1024 -> 2048");
    EXPECT_CONTAINS(d.out, "0 nodes only in the first, 0 only in the second, 2 fields differ");
    d = weft({"trace", "diff", "a.0.et", "b.0.et", "--json"}, dir / "");
    EXPECT_EQ(d.code, 1);
    EXPECT_CONTAINS(d.out, "\"same\": false");
    EXPECT_EQ(weft({"trace", "diff", "a"}, dir / "").code, 2);
}

TEST(Trace, BadParametersAreErrors)
{
    Said s = weft({"trace", "generate", "t", "--set", "ranks=2", "--set", "layer=3"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "layers");
    EXPECT_EQ(weft({"trace", "generate", "t", "--set", "ranks"}).code, 3);
    EXPECT_EQ(weft({"trace", "dump", "/nonexistent.et"}).code, 3);
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

/* 60 MB of trace, a million nodes, with 16 MiB for graphs: the same run as in memory, in bounded
 * memory. */
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
                                           "--out",
                                           dir / "o",
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
                                           "--set",
                                           "system.all-reduce=ring",
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
