/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files make a job: counting, holes, too few and too many ranks, suggestions. */
#include "wire.h"
#include "workload/chakra_read.h"

#include <vector>

using namespace wire;

namespace
{

struct Read {
    Read(const std::string &prefix, uint32_t nranks)
    {
        rc = weft_chakra_read(prefix.c_str(), nranks, nullptr, &w, &err);
        found = w ? w->nranks : 0;
        weft_workload_free(w);
    }
    weft_workload *w = nullptr;
    weft_err err{};
    int rc;
    uint32_t found;
};

void Make(const Folder &dir, const std::string &name, std::initializer_list<int> ranks)
{
    for (int r : ranks)
        dir.Write(name + "." + std::to_string(r) + ".et", Header());
}

#define EXPECT_INPUT_ERR(read, part)                                                               \
    do {                                                                                           \
        EXPECT_EQ((read).rc, WEFT_E_INPUT);                                                        \
        EXPECT_NE(Text((read).err).find(part), std::string::npos) << Text((read).err);             \
    } while (0)

} // namespace

TEST(TraceFiles, CountsTheRanks)
{
    Folder dir;
    Make(dir, "t", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    Make(dir, "t.1", {0});        // another trace: t.1.0.et
    dir.Write("t.11.et.bak", ""); // not rank files
    dir.Write("t.011.et", "");
    dir.Write("tt.11.et", "");
    dir.Write("t.x.et", "");
    Read all(dir / "t", 0);
    EXPECT_EQ(all.rc, 0) << Text(all.err);
    EXPECT_EQ(all.found, 11u);
    EXPECT_EQ(Read(dir / "t", 11).rc, 0);
    EXPECT_EQ(Read(dir / "t.1", 0).found, 1u);
}

TEST(TraceFiles, TooFewRanks)
{
    Folder dir;
    Make(dir, "t", {0, 1, 2, 3});
    EXPECT_INPUT_ERR(Read(dir / "t", 6),
                     "/t.4.et': the trace has 4 rank files, but 6 ranks are needed; ranks=4 leaves "
                     "the other hosts free");
}

TEST(TraceFiles, TooManyRanks)
{
    Folder dir;
    Make(dir, "t", {0, 1, 2, 3});
    EXPECT_INPUT_ERR(Read(dir / "t", 3),
                     "has 4 rank files, up to rank 3, but only 3 ranks are wanted");
}

TEST(TraceFiles, Hole)
{
    Folder dir;
    Make(dir, "t", {0, 1, 3});
    EXPECT_INPUT_ERR(Read(dir / "t", 0), "missing rank file '");
    EXPECT_INPUT_ERR(Read(dir / "t", 0), "/t.2.et': found 3 rank files, the highest is rank 3");
    EXPECT_INPUT_ERR(Read(dir / "t", 4), "/t.2.et': found 3 rank files");
}

TEST(TraceFiles, NoRankZero)
{
    Folder dir;
    Make(dir, "t", {1});
    EXPECT_INPUT_ERR(Read(dir / "t", 0), "/t.0.et'");
}

TEST(TraceFiles, BothForms)
{
    Folder dir;
    Make(dir, "t", {0});
    dir.Write("t.0.et.gz", Header());
    EXPECT_INPUT_ERR(Read(dir / "t", 0), "rank 0 of the trace");
}

TEST(TraceFiles, NameSaysGzipContentIsPlain)
{
    Folder dir;
    dir.Write("t.0.et.gz", Header());
    EXPECT_EQ(Read(dir / "t", 0).rc, 0);
}

TEST(TraceFiles, MistypedPrefix)
{
    Folder dir;
    Make(dir, "all_reduce", {0});
    Make(dir, "zzz", {0});
    EXPECT_INPUT_ERR(Read(dir / "all_redoce", 0), "the folder has the trace 'all_reduce'");
    EXPECT_INPUT_ERR(Read(dir / "all_redoce", 8), "found 0 files");
    EXPECT_INPUT_ERR(Read(dir / "all_reduce.0.et", 0), "named by its prefix");
    Folder empty;
    EXPECT_INPUT_ERR(Read(empty / "x", 0), "no other trace");
    EXPECT_INPUT_ERR(Read("/nonexistent-folder/x", 0), "cannot open the folder");
}
