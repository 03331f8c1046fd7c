/* SPDX-License-Identifier: GPL-2.0-only */
/* The writer: exact bytes, gzip, failures. */
#include "dump.h"
#include "workload/chakra_read.h"
#include "workload/et_build.h"

using namespace wire;

TEST(Writer, BytesByHand)
{
    // The canonical form of an all-reduce, checked against bytes put together by hand.
    Arena arena;
    weft_et_build b;
    weft_et *et = nullptr;
    weft_err err{};
    weft_et_build_start(&b, arena.a);
    weft_et_build_comp(&b, 0, "c", 5);
    weft_et_build_coll(&b, 1, "ar", 0, 1048576, "2");
    weft_et_build_data_dep(&b, 0);
    weft_et_build_message(&b, 2, WEFT_ET_COMM_SEND_NODE, "s", 300, 3, 0);
    ASSERT_EQ(weft_et_build_finish(&b, &et, &err), 0);
    Bytes cpu = Attr("is_cpu_op", Int(27, 0));
    EXPECT_EQ(Encode(et),
              Frame(Blob(1, "0.0.4") + Blob(2, Blob(1, "generator") + Blob(29, "weft"))) +
                  Frame(Blob(2, "c") + Int(3, 4) + Int(7, 5) + cpu) +
                  Frame(Int(1, 1) + Blob(2, "ar") + Int(3, 7) + Blob(5, Varint(0)) + cpu +
                        AttrInt("comm_type", 0) + AttrInt("comm_size", 1048576) +
                        Attr("pg_name", Blob(29, "2"))) +
                  Frame(Int(1, 2) + Blob(2, "s") + Int(3, 5) + cpu + AttrInt("comm_size", 300) +
                        Attr("comm_dst", Int(7, 3)) + Attr("comm_tag", Int(7, 0))));
}

TEST(Writer, GzipHasTheSameContentAndIsReproducible)
{
    Arena arena;
    Folder dir;
    weft_et_build b;
    weft_et *et = nullptr;
    weft_err err{};
    weft_et_build_start(&b, arena.a);
    for (uint64_t i = 0; i < 1000; i++)
        weft_et_build_comp(&b, i, "layer", i);
    ASSERT_EQ(weft_et_build_finish(&b, &et, &err), 0);
    std::string one = dir / "a.0.et.gz", two = dir / "b.0.et.gz";
    ASSERT_EQ(weft_chakra_write_et(et, one.c_str(), &err), 0);
    ASSERT_EQ(weft_chakra_write_et(et, two.c_str(), &err), 0);
    EXPECT_EQ(ReadAll(one), ReadAll(two));
    EXPECT_EQ(ReadAll(one).substr(0, 2), "\x1f\x8b");
    EXPECT_LT(ReadAll(one).size(), Encode(et).size() / 2);
    weft_et *back = nullptr;
    ASSERT_EQ(weft_chakra_read_et(one.c_str(), arena.a, &back, &err), 0) << Text(err);
    EXPECT_TRUE(back->gzip);
    EXPECT_EQ(Dump(back), Dump(et));
}

TEST(Writer, UnwritablePath)
{
    Arena arena;
    weft_et_build b;
    weft_et *et = nullptr;
    weft_err err{};
    weft_et_build_start(&b, arena.a);
    ASSERT_EQ(weft_et_build_finish(&b, &et, &err), 0);
    EXPECT_EQ(weft_chakra_write_et(et, "/nonexistent/x.0.et", &err), WEFT_E_IO);
    EXPECT_STREQ(err.file, "/nonexistent/x.0.et");
    EXPECT_EQ(weft_chakra_write_et(et, "/nonexistent/x.0.et.gz", &err), WEFT_E_IO);
    EXPECT_EQ(weft_chakra_write_et(et, "/dev/full", &err), WEFT_E_IO);
}
