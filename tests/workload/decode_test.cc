/* SPDX-License-Identifier: GPL-2.0-only */
/* Chakra messages to a trace in memory: every wire type, both list forms, metadata dialects. */
#include "wire.h"
#include "workload/chakra_read.h"

using namespace wire;

namespace
{

/** Reads bytes; the trace lives as long as this. */
struct Et {
    explicit Et(const Bytes &b) : arena(weft_arena_new())
    {
        rc = weft_chakra_read_et_memory("x.et", b.data(), b.size(), arena, &et, &err);
    }
    ~Et()
    {
        weft_arena_free(arena);
    }
    weft_arena *arena;
    weft_et *et = nullptr;
    weft_err err{};
    int rc;
};

} // namespace

TEST(ChakraDecode, ShippedAllGatherByHand)
{
    // What ASTRA-sim's generator writes for one all-gather, field by field.
    Bytes node = Blob(2, "ag") + Int(3, 7) + Attr("is_cpu_op", Int(27, 0)) +
                 Attr("comm_type", Int(9, 2)) + Attr("comm_size", Int(9, 1048576));
    Et t(Header() + Frame(node));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    EXPECT_STREQ(t.et->version, "0.0.4");
    ASSERT_EQ(t.et->nnodes, 1u);
    const weft_et_node &n = t.et->nodes[0];
    EXPECT_EQ(n.id, 0u);
    EXPECT_STREQ(n.name, "ag");
    EXPECT_EQ(n.type, WEFT_ET_COMM_COLL_NODE);
    EXPECT_EQ(n.offset, 8); // behind 1 byte of length and 7 of metadata
    ASSERT_EQ(n.nattrs, 3u);
    EXPECT_EQ(n.attrs[0].kind, WEFT_ET_BOOL);
    EXPECT_EQ(n.attrs[0].value.u64, 0u);
    EXPECT_EQ(n.attrs[2].kind, WEFT_ET_INT64);
    EXPECT_EQ(n.attrs[2].value.i64, 1048576);
}

TEST(ChakraDecode, EmptyMetadata)
{
    Et t(Frame("") + Frame(Comp(3, "a")));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    EXPECT_STREQ(t.et->version, "");
    ASSERT_EQ(t.et->nnodes, 1u);
    EXPECT_EQ(t.et->nodes[0].offset, 1);
}

TEST(ChakraDecode, MetadataAttributesOfConverters)
{
    Bytes meta = Blob(2, Blob(1, "schema") + Blob(29, "1.0.2-chakra.0.0.4")) +
                 Blob(2, Blob(1, "pid") + Int(9, 77));
    Et t(Frame(meta));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    ASSERT_EQ(t.et->nattrs, 2u);
    EXPECT_STREQ(t.et->attrs[0].value.text.data, "1.0.2-chakra.0.0.4");
    EXPECT_EQ(t.et->attrs[1].value.i64, 77);
    EXPECT_EQ(t.et->nnodes, 0u);
}

TEST(ChakraDecode, NodeFields)
{
    Bytes io = Blob(1, "['v']") + Blob(2, "[[2]]") + Blob(3, "['t']");
    Bytes node = NodeHead(9, "n", 4) + Blob(4, Varint(1) + Varint(300)) + Blob(5, Varint(2)) +
                 Int(6, 123) + Int(7, 456) + Blob(8, io) + Blob(9, "");
    Et t(Header() + Frame(node));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    const weft_et_node &n = t.et->nodes[0];
    ASSERT_EQ(n.nctrl_deps, 2u);
    EXPECT_EQ(n.ctrl_deps[1], 300u);
    ASSERT_EQ(n.ndata_deps, 1u);
    EXPECT_EQ(n.data_deps[0], 2u);
    EXPECT_EQ(n.start_us, 123u);
    EXPECT_EQ(n.duration_us, 456u);
    EXPECT_TRUE(n.inputs.present);
    EXPECT_STREQ(n.inputs.values, "['v']");
    EXPECT_STREQ(n.inputs.shapes, "[[2]]");
    EXPECT_STREQ(n.inputs.types, "['t']");
    EXPECT_TRUE(n.outputs.present);
    EXPECT_STREQ(n.outputs.values, "");
}

TEST(ChakraDecode, UnpackedAndMixedRepeats)
{
    Bytes node = NodeHead(9, "n", 4) + Int(5, 1) + Int(5, 2) + Blob(5, Varint(3) + Varint(4)) +
                 Int(5, 5) + Attr("l", Blob(10, Int(1, 6) + Int(1, 7)));
    Et t(Header() + Frame(node));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    const weft_et_node &n = t.et->nodes[0];
    ASSERT_EQ(n.ndata_deps, 5u);
    for (uint64_t i = 0; i < 5; i++)
        EXPECT_EQ(n.data_deps[i], i + 1);
    ASSERT_EQ(n.attrs[0].nvalues, 2u);
    EXPECT_EQ(n.attrs[0].values[0].i64, 6);
    EXPECT_EQ(n.attrs[0].values[1].i64, 7);
}

TEST(ChakraDecode, EveryScalarAndListKind)
{
    uint64_t f64, m1 = UINT64_MAX;
    uint32_t f32;
    double d = -2.5;
    float f = 0.5f;
    memcpy(&f64, &d, 8);
    memcpy(&f32, &f, 4);
    struct Case {
        int kind;
        Bytes scalar; // without its key
        const char *text;
    };
    auto raw = [](uint64_t v, int bytes) { return Fixed(1, v, bytes).substr(1); };
    const Case cases[] = {
        {WEFT_ET_DOUBLE, raw(f64, 8), "-2.5"},
        {WEFT_ET_FLOAT, raw(f32, 4), "0.5"},
        {WEFT_ET_INT32, Varint(m1), "-1"},
        {WEFT_ET_INT64, Varint(m1), "-1"},
        {WEFT_ET_UINT32, Varint(4294967295u), "4294967295"},
        {WEFT_ET_UINT64, Varint(m1), "18446744073709551615"},
        {WEFT_ET_SINT32, Varint(5), "-3"}, // zigzag
        {WEFT_ET_SINT64, Varint(5), "-3"},
        {WEFT_ET_FIXED32, raw(7, 4), "7"},
        {WEFT_ET_FIXED64, raw(8, 8), "8"},
        {WEFT_ET_SFIXED32, raw(static_cast<uint32_t>(-9), 4), "-9"},
        {WEFT_ET_SFIXED64, raw(static_cast<uint64_t>(-10), 8), "-10"},
        {WEFT_ET_BOOL, Varint(1), "true"},
        {WEFT_ET_STRING, Varint(3) + "a\"b", "\"a\\\"b\""},
        {WEFT_ET_BYTES, Varint(2) + Bytes("\0\xff", 2), "0x00ff"},
    };
    for (const Case &c : cases) {
        bool text = c.kind >= WEFT_ET_STRING;
        int wire_type =
            text ? 2
            : c.kind == WEFT_ET_DOUBLE || c.kind == WEFT_ET_FIXED64 || c.kind == WEFT_ET_SFIXED64
                ? 1
            : c.kind == WEFT_ET_FLOAT || c.kind == WEFT_ET_FIXED32 || c.kind == WEFT_ET_SFIXED32
                ? 5
                : 0;
        Bytes list =
            text ? Key(1, 2) + c.scalar + Key(1, 2) + c.scalar : Blob(1, c.scalar + c.scalar);
        Et t(Header() + Frame(NodeHead(1, "n", 4) + Attr("s", Key(c.kind, wire_type) + c.scalar) +
                              Attr("l", Blob(c.kind + 1, list))));
        ASSERT_EQ(t.rc, 0) << Text(t.err);
        ASSERT_EQ(t.et->nodes[0].nattrs, 2u);
        const weft_et_attr *a = t.et->nodes[0].attrs;
        char buf[128];
        EXPECT_EQ(a[0].kind, c.kind);
        EXPECT_STREQ(weft_et_attr_format(&a[0], buf, sizeof buf), c.text);
        EXPECT_EQ(a[1].kind, c.kind + 1);
        EXPECT_EQ(weft_et_attr_format(&a[1], buf, sizeof buf),
                  std::string("[") + c.text + ", " + c.text + "]")
            << weft_et_kind_name(a[1].kind);
        EXPECT_STRNE(weft_et_kind_name(a[0].kind), "no value");
    }
}

TEST(ChakraDecode, PresentZeroIsNotAbsent)
{
    Et t(Header() + Frame(NodeHead(1, "n", 7) + Attr("comm_type", Int(9, 0)) + Attr("none", "")));
    ASSERT_EQ(t.rc, 0);
    const weft_et_attr *a = weft_et_find(&t.et->nodes[0], "comm_type");
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a->kind, WEFT_ET_INT64);
    a = weft_et_find(&t.et->nodes[0], "none");
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a->kind, WEFT_ET_NONE);
    EXPECT_EQ(weft_et_find(&t.et->nodes[0], "other"), nullptr);
}

TEST(ChakraDecode, UnknownFieldsAreSkipped)
{
    Et t(Header() + Frame(Comp(1, "n") + Int(99, 5) + Blob(100, "later")));
    ASSERT_EQ(t.rc, 0) << Text(t.err);
    EXPECT_EQ(t.et->nnodes, 1u);
}

TEST(ChakraDecode, EmptyFile)
{
    Et t("");
    EXPECT_ERR(t.err, WEFT_E_INPUT, 0, "the file is empty");
}

TEST(ChakraDecode, DamagedNode)
{
    Bytes good = Header() + Frame(Comp(1, "a"));
    Et t(good + Frame(Bytes("\x12\x7f"
                            "ab"))); // name of 127 bytes in a message of 4
    EXPECT_ERR(t.err, WEFT_E_INPUT, static_cast<int64_t>(good.size()), "is not a Chakra node");
}

TEST(ChakraDecode, OlderSchemasAreNamed)
{
    Et v1(Frame(Int(1, 5) + Blob(2, "n") + Int(3, 6)) + Frame(Comp(1, "n")));
    EXPECT_ERR(v1.err, WEFT_E_INPUT, 0, "no node shows which older one it is");
    // 0.0.3: field 1 of the metadata is an attribute message, not a version text.
    Et v3(Frame(Blob(1, Blob(1, "schema") + Int(2, 4))));
    ASSERT_EQ(v3.err.code, 0);
    EXPECT_STREQ(v3.et->older, "0.0.3");
    Et other(Frame(Blob(1, Blob(1, "schema"))));
    EXPECT_ERR(other.err, WEFT_E_INPUT, 0, "0.0.4 or 1.0.0, nor a node of 0.0.1 to 0.0.3");
}

TEST(ChakraDecode, AttributeIntegers)
{
    weft_et_attr a{};
    int64_t i = 0;
    uint64_t u = 0;
    a.kind = WEFT_ET_UINT64;
    a.value.u64 = UINT64_MAX;
    EXPECT_EQ(weft_et_attr_i64(&a, &i), WEFT_E_LIMIT);
    EXPECT_EQ(weft_et_attr_u64(&a, &u), 0);
    EXPECT_EQ(u, UINT64_MAX);
    a.kind = WEFT_ET_SINT32;
    a.value.i64 = -1;
    EXPECT_EQ(weft_et_attr_u64(&a, &u), WEFT_E_LIMIT);
    EXPECT_EQ(weft_et_attr_i64(&a, &i), 0);
    EXPECT_EQ(i, -1);
    for (weft_et_kind k :
         {WEFT_ET_NONE, WEFT_ET_DOUBLE, WEFT_ET_STRING, WEFT_ET_LIST(WEFT_ET_INT64)}) {
        a.kind = k;
        EXPECT_EQ(weft_et_attr_i64(&a, &i), WEFT_E_INPUT) << k;
        EXPECT_EQ(weft_et_attr_u64(&a, &u), WEFT_E_INPUT) << k;
    }
}

TEST(ChakraDecode, FormatIsCutToFit)
{
    weft_et_attr a{};
    char buf[6];
    a.kind = WEFT_ET_STRING;
    a.value.text.data = "abcdefgh";
    a.value.text.len = 8;
    EXPECT_STREQ(weft_et_attr_format(&a, buf, sizeof buf), "\"abcd");
    a.value.text.data = "a\nb";
    a.value.text.len = 3;
    char wide[16];
    EXPECT_STREQ(weft_et_attr_format(&a, wide, sizeof wide), "\"a\\x0ab\"");
}
