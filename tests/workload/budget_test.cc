/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a trace takes, against the size of its file. */
#include "base/arena.h"
#include "base/budget.h"
#include "gzip.h"
#include "wire.h"
#include "workload/chakra_read.h"
#include "workload/workload.h"

using namespace wire;

namespace
{

struct Read {
    weft_arena *arena = weft_arena_new();
    weft_err err = {};
    int rc;
    explicit Read(const Bytes &file)
    {
        weft_et *et = nullptr;
        rc = weft_chakra_read_et_memory("t.et", file.data(), file.size(), arena, &et, &err);
    }
    ~Read()
    {
        weft_arena_free(arena);
    }
};

Bytes Repeated(const Bytes &one, int n)
{
    Bytes all;
    for (int i = 0; i < n; i++)
        all += one;
    return all;
}

} // namespace

TEST(Budget, IsAHundredTimesTheInputButForSmallOnes)
{
    EXPECT_EQ(weft_budget(0), WEFT_BUDGET_MIN);
    EXPECT_EQ(weft_budget(1000), WEFT_BUDGET_MIN);
    EXPECT_EQ(weft_budget(uint64_t{1} << 30), uint64_t{100} << 30);
    EXPECT_EQ(weft_budget(UINT64_MAX / 2), UINT64_MAX);
}

TEST(Budget, EmptyRecordsPackedAThousandToOne)
{
    const Bytes file = Gzip(Frame("") + Bytes(3000000, '\0'));
    ASSERT_LT(file.size(), 4000u);
    Read r(file);
    EXPECT_EQ(r.rc, WEFT_E_LIMIT);
    EXPECT_NE(std::string(r.err.msg).find("take more than 64 MiB of memory"), std::string::npos)
        << r.err.msg;
    EXPECT_NE(std::string(r.err.msg).find("unpack it with gunzip"), std::string::npos);
    EXPECT_LT(weft_arena_used(r.arena), 2 * WEFT_BUDGET_MIN);
}

TEST(Budget, OneRecordOfManyAttributes)
{
    const Bytes node = Frame(Int(1, 1) + Int(3, 4) + Repeated(Blob(10, ""), 1000000));
    Read packed(Gzip(Frame("") + node)), plain(Frame("") + node);
    EXPECT_EQ(packed.rc, WEFT_E_LIMIT);
    EXPECT_LT(weft_arena_used(packed.arena), WEFT_BUDGET_MIN);
    EXPECT_EQ(plain.rc, 0) << plain.err.msg; /* less than a hundred times its 2 MB */
    EXPECT_LT(weft_arena_used(plain.arena), weft_budget(node.size()));
}

TEST(Budget, HoldsForTheWholeJob)
{
    Folder folder;
    Bytes nodes = Frame("");
    for (int i = 1; i <= 20000; i++)
        nodes += Frame(Int(1, (uint64_t)i) + Int(3, 1) + Blob(2, "n"));
    /* Each file is small enough; the graphs of all together are not. */
    for (int r = 0; r < 40; r++)
        folder.Write("t." + std::to_string(r) + ".et.gz", Gzip(nodes));
    weft_err err = {};
    weft_workload *w = nullptr;
    EXPECT_EQ(weft_chakra_read((folder / "t").c_str(), 0, nullptr, &w, &err), WEFT_E_LIMIT);
    EXPECT_NE(std::string(err.msg).find("the traces so far"), std::string::npos) << err.msg;
}
