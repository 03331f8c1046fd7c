// SPDX-License-Identifier: GPL-2.0-only
// weft trace.
#include "program.h"

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
