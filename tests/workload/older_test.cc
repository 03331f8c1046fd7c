/* SPDX-License-Identifier: GPL-2.0-only */
/* Schemas before 0.0.4, from bytes made by hand after et_def.proto of their time, and the two forms
 * of JSON. */
#include "dump.h"
#include "workload/chakra_json.h"
#include "workload/chakra_older.h"
#include "workload/chakra_read.h"

using namespace wire;

namespace
{

Bytes Text(int field, const Bytes &s)
{
    return Blob(field, s);
}

/* An attribute: its type's number and the field of its value. */
Bytes Attr(const Bytes &name, uint64_t type, const Bytes &value)
{
    return Text(1, name) + Int(2, type) + value;
}

struct Read {
    Arena arena;
    weft_et *et = nullptr;
    weft_err err{};
    int rc;

    explicit Read(const Bytes &bytes)
    {
        rc = weft_chakra_read_et_memory("x.et", bytes.data(), bytes.size(), arena.a, &et, &err);
    }
    uint64_t Number(size_t node, const char *name)
    {
        uint64_t v = UINT64_MAX;
        const weft_et_attr *a = weft_et_find(&et->nodes[node], name);
        EXPECT_NE(a, nullptr) << name;
        if (a) {
            EXPECT_EQ(weft_et_attr_u64(a, &v), 0) << name;
        }
        return v;
    }
};

TEST(OlderChakra, PropertiesAsFields)
{
    /* COMP 3 of 7 us; COMM_COLL 6, ALL_GATHER 3, over the second of two dimensions */
    const Bytes comp =
        Int(1, 0) + Text(2, "a") + Int(3, 3) + Int(6, 4096) + Int(7, 7) + Int(12, 99);
    const Bytes coll = Int(1, 5) + Text(2, "b") + Int(3, 6) + Int(4, 0) + Int(13, 3) + Int(14, 0) +
                       Int(14, 1) + Int(18, 1024) + Int(20, 2);
    Read r(Frame(comp) + Frame(coll));
    ASSERT_EQ(r.rc, 0) << r.err.msg;
    EXPECT_STREQ(r.et->older, "0.0.1");
    EXPECT_STREQ(r.et->version, "0.0.4");
    ASSERT_EQ(r.et->nnodes, 2u);
    EXPECT_EQ(r.et->nodes[0].id, 0u);
    EXPECT_EQ(r.et->nodes[0].type, WEFT_ET_COMP_NODE);
    EXPECT_EQ(r.et->nodes[0].duration_us, 7u);
    EXPECT_EQ(r.Number(0, "tensor_size"), 4096u);
    EXPECT_EQ(r.Number(0, "num_ops"), 99u);
    EXPECT_EQ(r.et->nodes[1].type, WEFT_ET_COMM_COLL_NODE);
    ASSERT_EQ(r.et->nodes[1].ndata_deps, 1u);
    EXPECT_EQ(r.et->nodes[1].data_deps[0], 0u);
    EXPECT_EQ(r.Number(1, "comm_type"), 2u); // today's ALL_GATHER
    EXPECT_EQ(r.Number(1, "comm_size"), 1024u);
    EXPECT_EQ(r.Number(1, "comm_priority"), 2u);
    const weft_et_attr *dims = weft_et_find(&r.et->nodes[1], "involved_dim");
    ASSERT_NE(dims, nullptr);
    ASSERT_EQ(dims->nvalues, 2u);
    EXPECT_EQ(dims->values[0].u64, 0u);
    EXPECT_EQ(dims->values[1].u64, 1u);
}

TEST(OlderChakra, AttributesWithoutBooleans)
{
    const Bytes node =
        Int(1, 4) + Text(2, "c") + Int(3, 6) + Int(4, 1) + Int(4, 2) + Text(5, "[x]") +
        Text(7, "[t]") + Blob(11, Attr("comm_type", 1, Int(5, 3))) +
        Blob(11, Attr("comm_size", 1, Int(5, 64))) + Blob(11, Attr("runtime", 1, Int(5, 12))) +
        Blob(11, Attr("f", 0, Fixed(4, 0x3fc00000, 4))) + Blob(11, Attr("s", 2, Text(6, "text"))) +
        Blob(11, Attr("list", 4, Int(8, 7) + Int(8, 9)));
    Read r(Frame(Int(1, 1) + Text(2, "p") + Int(3, 3)) + Frame(node));
    ASSERT_EQ(r.rc, 0) << r.err.msg;
    EXPECT_STREQ(r.et->older, "0.0.2");
    const weft_et_node &n = r.et->nodes[1];
    EXPECT_EQ(r.et->nodes[0].type, WEFT_ET_COMP_NODE);
    EXPECT_EQ(n.type, WEFT_ET_COMM_COLL_NODE);
    EXPECT_EQ(n.ndata_deps, 2u);
    EXPECT_STREQ(n.inputs.values, "[x]");
    EXPECT_STREQ(n.inputs.types, "[t]");
    EXPECT_EQ(n.duration_us, 12u);
    EXPECT_EQ(weft_et_find(&n, "runtime"), nullptr);
    EXPECT_EQ(r.Number(1, "comm_type"), 7u); // today's REDUCE_SCATTER
    EXPECT_EQ(weft_et_find(&n, "f")->value.f64, 1.5);
    EXPECT_STREQ(weft_et_find(&n, "s")->value.text.data, "text");
    EXPECT_EQ(weft_et_find(&n, "list")->nvalues, 2u);
}

TEST(OlderChakra, BothLayoutsOfAttributesWithBooleans)
{
    const Bytes first =
        Int(1, 0) + Text(2, "c") + Int(3, 7) + Blob(11, Attr("is_cpu_op", 0, Int(4, 1))) +
        Blob(11, Attr("comm_type", 2, Int(6, 1))) + Blob(11, Attr("s", 3, Text(7, "text")));
    Read a(Frame(first));
    ASSERT_EQ(a.rc, 0) << a.err.msg;
    EXPECT_STREQ(a.et->older, "0.0.3");
    EXPECT_EQ(a.et->nodes[0].type, WEFT_ET_COMM_COLL_NODE); // METADATA_NODE is there already
    EXPECT_EQ(a.Number(0, "is_cpu_op"), 1u);
    EXPECT_EQ(a.Number(0, "comm_type"), 6u); // today's ALL_TO_ALL
    EXPECT_STREQ(weft_et_find(&a.et->nodes[0], "s")->value.text.data, "text");
    /* with metadata, UINT and BROADCAST */
    const Bytes header = Blob(1, Attr("schema", 4, Text(8, "1.0.1")));
    const Bytes second = Int(1, 3) + Text(2, "c") + Int(3, 7) +
                         Blob(11, Attr("comm_type", 3, Int(7, 4))) +
                         Blob(11, Attr("comm_size", 2, Int(6, 4096))) +
                         Blob(11, Attr("involved_dim", 5, Int(9, 1) + Int(9, 0)));
    for (const Bytes &head : {Frame(header), Frame("")}) {
        Read b(head + Frame(second));
        ASSERT_EQ(b.rc, 0) << b.err.msg;
        EXPECT_STREQ(b.et->older, "0.0.3");
        EXPECT_EQ(b.et->nattrs, head.size() > 1 ? 1u : 0u);
        ASSERT_EQ(b.et->nnodes, 1u);
        EXPECT_EQ(b.Number(0, "comm_type"), 5u); // today's BROADCAST
        EXPECT_EQ(b.Number(0, "comm_size"), 4096u);
        EXPECT_EQ(weft_et_find(&b.et->nodes[0], "involved_dim")->nvalues, 2u);
    }
}

TEST(OlderChakra, WhatIsNeitherIsRefused)
{
    Read damaged(Frame(Int(1, 1) + Text(2, "a") + Int(3, 3) + Int(12, 1)) + Frame("\x08"));
    EXPECT_EQ(damaged.rc, WEFT_E_INPUT);
    EXPECT_NE(std::string(damaged.err.msg).find("is not a node of Chakra 0.0.1"), std::string::npos)
        << damaged.err.msg;
    Read nothing(Frame(Int(1, 1) + Text(2, "a") + Int(3, 3)));
    EXPECT_EQ(nothing.rc, WEFT_E_INPUT);
    EXPECT_NE(std::string(nothing.err.msg).find("no node shows which older one"), std::string::npos)
        << nothing.err.msg;
}

TEST(ChakraJson, FormOfTheFeeder)
{
    Read r("{\"workload_graph\": [{\"Id\": 0, \"Name\": \"a\", \"NodeType\": 7, \"runtime\": 3,"
           "\"is_cpu_op\": false, \"data_deps\": [4], \"ctrlDeps\": [5], \"comm_type\": 2,"
           "\"comm_size\": 4294967296, \"comm_priority\": -1}]}");
    ASSERT_EQ(r.rc, 0) << r.err.msg;
    ASSERT_EQ(r.et->nnodes, 1u);
    EXPECT_EQ(r.et->nodes[0].type, WEFT_ET_COMM_COLL_NODE);
    EXPECT_EQ(r.et->nodes[0].duration_us, 3u);
    EXPECT_EQ(r.et->nodes[0].data_deps[0], 4u);
    EXPECT_EQ(r.et->nodes[0].ctrl_deps[0], 5u);
    EXPECT_EQ(r.Number(0, "comm_size"), UINT64_C(4294967296));
    EXPECT_EQ(weft_et_find(&r.et->nodes[0], "comm_priority")->value.i64, -1);
}

/* As chakra_jsonizer prints it: objects one behind the other, without anything in between. */
TEST(ChakraJson, FormOfTheJsonizer)
{
    Read r("{\"version\":\"0.0.4\"}{\"id\":\"3\",\"name\":\"ar\",\"type\":\"COMM_COLL_NODE\","
           "\"dataDeps\":[\"1\"],\"durationMicros\":\"9\",\"attr\":[{\"name\":\"comm_type\","
           "\"int64Val\":\"0\"},{\"name\":\"b\",\"bytesVal\":\"AP8=\"},{\"name\":\"d\","
           "\"boolList\":{\"values\":[true,false]}},{\"name\":\"is_cpu_op\",\"boolVal\":false}]}");
    ASSERT_EQ(r.rc, 0) << r.err.msg;
    EXPECT_STREQ(r.et->version, "0.0.4");
    ASSERT_EQ(r.et->nnodes, 1u);
    EXPECT_EQ(r.et->nodes[0].id, 3u);
    EXPECT_EQ(r.et->nodes[0].data_deps[0], 1u);
    EXPECT_EQ(r.Number(0, "comm_type"), 0u);
    const weft_et_attr *b = weft_et_find(&r.et->nodes[0], "b");
    EXPECT_EQ(std::string(b->value.text.data, b->value.text.len), std::string("\0\xff", 2));
    EXPECT_EQ(weft_et_find(&r.et->nodes[0], "d")->nvalues, 2u);
}

TEST(ChakraJson, ErrorsNameLineAndField)
{
    const struct {
        const char *text, *message;
        int64_t line;
    } cases[] = {
        {"{}\n{\"id\": \"x\"}", "not a whole number: 'id'", 2},
        {"{}\n\n{\"kind\": 1}", "a node has no field 'kind'", 3},
        {"{\"id\": \"1\", \"type\": 4}", "the first object must be the metadata", 1},
        {"{}{\"attr\": [{\"name\": \"a\", \"int64Val\": \"1x\"}]}", "no valid value in 'int64Val'",
         1},
        {"{}{\"type\": \"NODE\"}", "no type of nodes: 'type'", 1},
        {"{\"workload_graph\": 1}", "not a list of nodes: 'workload_graph'", 1},
        {"{}{\"id\": ", "no valid JSON", 1},
    };
    for (const auto &c : cases) {
        Read r(c.text);
        EXPECT_EQ(r.rc, WEFT_E_INPUT) << c.text;
        EXPECT_NE(std::string(r.err.msg).find(c.message), std::string::npos) << r.err.msg;
        EXPECT_EQ(r.err.line, c.line) << c.text;
    }
}

} // namespace
