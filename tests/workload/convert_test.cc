/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes to operations: what each kind needs, what it gets, and every complaint with its byte. */
#include "job.h"

using namespace wire;

namespace
{

constexpr int64_t HEADER = 8; // bytes of Header(): the first node starts here

Bytes Send(uint64_t id, const Bytes &attrs)
{
    return NodeHead(id, "s", 5) + attrs;
}

Bytes Recv(uint64_t id, const Bytes &attrs)
{
    return NodeHead(id, "r", 6) + attrs;
}

/** Reads a job of @p ranks ranks whose rank 0 has the node after a first one; the rest is empty. */
weft_err ErrorOf(const Bytes &node, size_t ranks = 2)
{
    std::vector<Bytes> files(ranks);
    files[0] = Frame(Comp(1000, "first")) + Frame(node);
    Job j(files);
    EXPECT_NE(j.rc, 0);
    return j.err;
}

const int64_t SECOND = HEADER + static_cast<int64_t>(Frame(Comp(1000, "first")).size());

} // namespace

TEST(Convert, Compute)
{
    Job j({Frame(Comp(1, "plain")) +
           Frame(NodeHead(2, "timed", 4) + Int(7, 13) + Attr("is_cpu_op", Int(27, 1))) +
           Frame(NodeHead(3, "roof", 4) + AttrInt("num_ops", 1000) + AttrInt("tensor_size", 64)) +
           Frame(NodeHead(4, "real", 4) +
                 Attr("num_ops", Fixed(3, UINT64_C(0x4004000000000000), 8)))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    const weft_op *op = j.Op(0, 1);
    EXPECT_EQ(op->kind, WEFT_OP_COMP);
    EXPECT_STREQ(op->name, "plain");
    EXPECT_FALSE(op->cpu);
    EXPECT_FALSE(op->has_flops);
    EXPECT_EQ(op->duration_ps, 0);
    op = j.Op(0, 2);
    EXPECT_TRUE(op->cpu);
    EXPECT_EQ(op->duration_ps, 13000000);
    op = j.Op(0, 3);
    EXPECT_TRUE(op->has_flops);
    EXPECT_EQ(op->flops, 1000.0);
    EXPECT_EQ(op->tensor_bytes, 64u);
    EXPECT_EQ(j.Op(0, 4)->flops, 2.5);
}

TEST(Convert, CollectiveOfEachKind)
{
    Bytes nodes;
    for (int k = 0; k < WEFT_COLL_KINDS; k++)
        nodes += Frame(Coll(static_cast<uint64_t>(k), "c", k, 100 + k));
    Job j({nodes});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    for (int k = 0; k < WEFT_COLL_KINDS; k++) {
        const weft_op *op = j.Op(0, static_cast<uint64_t>(k));
        EXPECT_EQ(op->kind, WEFT_OP_COLL);
        EXPECT_EQ(op->coll, k);
        EXPECT_EQ(op->bytes, 100u + static_cast<unsigned>(k));
        EXPECT_EQ(op->group, 0u);
        EXPECT_EQ(op->priority, 0);
    }
    EXPECT_STREQ(weft_coll_kind_name(WEFT_COLL_ALL_REDUCE), "all-reduce");
    EXPECT_STREQ(weft_coll_kind_name(WEFT_COLL_BARRIER), "barrier");
    EXPECT_STREQ(weft_coll_kind_name(WEFT_COLL_KINDS), "unknown");
}

TEST(Convert, RootAlgorithmAndSizesOfCollectives)
{
    auto list = [](std::initializer_list<uint64_t> values) {
        Bytes b;
        for (uint64_t v : values)
            b += Int(1, v);
        return Blob(14, b); // uint64_list
    };
    Job j({Frame(Coll(1, "b", WEFT_COLL_BROADCAST, 64) + AttrInt("comm_root", 1) +
                 Attr("comm_algorithm", Blob(29, "binomial"))) +
               Frame(Coll(2, "v", WEFT_COLL_ALL_TO_ALL, 0) + Attr("comm_send_sizes", list({3, 4})) +
                     Attr("comm_recv_sizes", list({3, 9}))) +
               Frame(Coll(3, "plain", WEFT_COLL_BROADCAST, 64)),
           {}});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    const weft_op *op = j.Op(0, 1);
    EXPECT_TRUE(op->has_root);
    EXPECT_EQ(op->root, 1u);
    EXPECT_STREQ(op->algorithm, "binomial");
    op = j.Op(0, 2);
    ASSERT_NE(op->send_bytes, nullptr);
    EXPECT_EQ(op->send_bytes[1], 4u);
    EXPECT_EQ(op->recv_bytes[1], 9u);
    EXPECT_EQ(op->bytes, 7u);
    EXPECT_FALSE(j.Op(0, 3)->has_root);
    EXPECT_EQ(j.Op(0, 3)->algorithm, nullptr);
    auto says = [&](const Bytes &attrs, const char *what) {
        const std::string text = Text(ErrorOf(Coll(7, "x", WEFT_COLL_ALL_TO_ALL, 0) + attrs));
        EXPECT_NE(text.find(what), std::string::npos) << text;
    };
    says(AttrInt("comm_root", 5), "the job's ranks are 0 .. 1");
    says(Attr("comm_send_sizes", list({1, 2, 3})), "a list of 2 sizes");
    says(Attr("comm_send_sizes", list({1, 2})), "must be given together");
    says(AttrInt("comm_algorithm", 5), "must be a text");
    says(Attr("involved_dim", Blob(28, Blob(1, Varint(0)))),
         "must be true for at least one dimension");
    says(AttrInt("involved_dim", 1), "must be a list of 1 to 32 booleans");
}

TEST(Convert, CollectiveAttributes)
{
    Job j({Frame(Coll(1, "zero", 0, 0) + AttrInt("comm_priority", -4) + Int(7, 99)) +
           Frame(NodeHead(2, "barrier", 7) + AttrInt("comm_type", 9)) +
           Frame(Coll(3, "dims", 0, 8) +
                 Attr("involved_dim", Blob(28, Blob(1, Varint(0) + Varint(1)))))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 3)->involved, 2u);
    EXPECT_EQ(j.Op(0, 3)->ninvolved, 2u);
    EXPECT_EQ(j.Op(0, 1)->involved, 0u); // all of them
    EXPECT_EQ(j.Op(0, 1)->bytes, 0u);
    EXPECT_EQ(j.Op(0, 1)->priority, -4);
    EXPECT_EQ(j.Op(0, 1)->duration_ps, 0); // a recorded duration does not apply to a collective
    EXPECT_EQ(j.Op(0, 2)->coll, WEFT_COLL_BARRIER);
    EXPECT_EQ(j.Op(0, 3)->bytes, 8u);
}

TEST(Convert, EveryIntegerTypeServes)
{
    auto le = [](int field, int bytes) { return Fixed(field, 2, bytes); };
    const Bytes twos[] = {Int(7, 2),  Int(9, 2), Int(11, 2), Int(13, 2), Int(15, 4),
                          Int(17, 4), le(19, 4), le(21, 8),  le(23, 4),  le(25, 8)};
    for (const Bytes &two : twos) {
        Job j({Frame(NodeHead(1, "c", 7) + Attr("comm_type", two) + Attr("comm_size", two) +
                     Attr("is_cpu_op", two) + Attr("comm_priority", two))});
        ASSERT_EQ(j.rc, 0) << Text(j.err);
        EXPECT_EQ(j.Op(0, 1)->coll, WEFT_COLL_ALL_GATHER);
        EXPECT_EQ(j.Op(0, 1)->bytes, 2u);
        EXPECT_EQ(j.Op(0, 1)->priority, 2);
        EXPECT_TRUE(j.Op(0, 1)->cpu);
    }
    Job b({Frame(NodeHead(1, "c", 7) + Attr("comm_type", Int(27, 1)) +
                 Attr("comm_size", Int(27, 1)))});
    ASSERT_EQ(b.rc, 0) << Text(b.err);
    EXPECT_EQ(b.Op(0, 1)->coll, WEFT_COLL_REDUCE);
    EXPECT_EQ(b.Op(0, 1)->bytes, 1u);
}

TEST(Convert, SizesOf64Bits)
{
    Job j({Frame(NodeHead(1, "c", 7) + AttrInt("comm_type", 0) +
                 Attr("comm_size", Int(13, UINT64_MAX)))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->bytes, UINT64_MAX);
}

TEST(Convert, SendAndReceive)
{
    Job j(
        {Frame(Send(1, AttrInt("comm_size", 5) + AttrInt("comm_dst", 1) + AttrInt("comm_tag", 7))),
         Frame(Recv(1, AttrInt("comm_size", 5) + AttrInt("comm_src", 0) + AttrInt("comm_dst", 1) +
                           AttrInt("comm_tag", 7))) +
             Frame(Send(2, AttrInt("comm_size", 0) + AttrInt("comm_dst", 0) +
                               AttrInt("comm_src", 1))) +
             Frame(Send(3, AttrInt("comm_size", 1) + AttrInt("comm_dst", 0) +
                               AttrInt("comm_tag", -1)))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->kind, WEFT_OP_SEND);
    EXPECT_EQ(j.Op(0, 1)->peer, 1u);
    EXPECT_EQ(j.Op(0, 1)->tag, 7u);
    EXPECT_EQ(j.Op(0, 1)->bytes, 5u);
    EXPECT_EQ(j.Op(1, 1)->kind, WEFT_OP_RECV);
    EXPECT_EQ(j.Op(1, 1)->peer, 0u);
    EXPECT_EQ(j.Op(1, 2)->tag, 0u);
    EXPECT_EQ(j.Op(1, 3)->tag, UINT64_MAX);
}

TEST(Convert, MemoryAndMetadata)
{
    Job j({Frame(NodeHead(1, "l", 2) + AttrInt("tensor_size", 4096)) +
           Frame(NodeHead(2, "s", 3) + Int(7, 5)) + Frame(NodeHead(3, "m", 1))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->kind, WEFT_OP_MEM);
    EXPECT_EQ(j.Op(0, 1)->tensor_bytes, 4096u);
    EXPECT_EQ(j.Op(0, 2)->kind, WEFT_OP_MEM);
    EXPECT_EQ(j.Op(0, 2)->duration_ps, 5000000);
    EXPECT_EQ(j.Op(0, 3)->kind, WEFT_OP_META);
}

TEST(Convert, NamesAreSharedBetweenRanks)
{
    Job j({Frame(Comp(1, "layer")), Frame(Comp(1, "layer"))});
    ASSERT_EQ(j.rc, 0) << Text(j.err);
    EXPECT_EQ(j.Op(0, 1)->name, j.Op(1, 1)->name);
}

TEST(ConvertError, MissingAttributes)
{
    weft_err e = ErrorOf(NodeHead(5, "ar", 7) + AttrInt("comm_size", 8));
    EXPECT_ERR(e, WEFT_E_INPUT, SECOND,
               "node 5 'ar': attribute 'comm_type' is missing; a COMM_COLL_NODE needs it");
    EXPECT_NE(std::string(e.file).find("t.0.et"), std::string::npos);
    EXPECT_ERR(ErrorOf(NodeHead(5, "ar", 7) + AttrInt("comm_type", 0)), WEFT_E_INPUT, SECOND,
               "'comm_size' is missing");
    EXPECT_ERR(ErrorOf(Send(5, AttrInt("comm_dst", 1))), WEFT_E_INPUT, SECOND,
               "'comm_size' is missing; a COMM_SEND_NODE needs it");
    EXPECT_ERR(ErrorOf(Send(5, AttrInt("comm_size", 1))), WEFT_E_INPUT, SECOND,
               "'comm_dst' is missing");
    EXPECT_ERR(ErrorOf(Recv(5, AttrInt("comm_size", 1))), WEFT_E_INPUT, SECOND,
               "'comm_src' is missing; a COMM_RECV_NODE needs it");
    EXPECT_ERR(ErrorOf(NodeHead(5, "l", 2)), WEFT_E_INPUT, SECOND, "'tensor_size' is missing");
    // An attribute with a name and no value is as good as absent.
    EXPECT_ERR(ErrorOf(NodeHead(5, "ar", 7) + Attr("comm_type", "")), WEFT_E_INPUT, SECOND,
               "'comm_type' is missing");
}

TEST(ConvertError, WrongTypesAndSigns)
{
    EXPECT_ERR(ErrorOf(Coll(5, "ar", 0, -5)), WEFT_E_INPUT, SECOND,
               "'comm_size' is -5 (int64_val), but must be an integer that is not negative");
    EXPECT_ERR(ErrorOf(NodeHead(5, "ar", 7) + Attr("comm_type", Blob(29, "ALL_REDUCE"))),
               WEFT_E_INPUT, SECOND, "'comm_type' is \"ALL_REDUCE\" (string_val)");
    EXPECT_ERR(ErrorOf(NodeHead(5, "ar", 7) + AttrInt("comm_type", 0) +
                       Attr("comm_size", Fixed(3, UINT64_C(0x4004000000000000), 8))),
               WEFT_E_INPUT, SECOND, "'comm_size' is 2.5 (double_val)");
    EXPECT_ERR(ErrorOf(NodeHead(5, "c", 4) + AttrInt("num_ops", -1)), WEFT_E_INPUT, SECOND,
               "'num_ops' is -1");
    EXPECT_ERR(
        ErrorOf(NodeHead(5, "c", 4) + Attr("num_ops", Fixed(3, UINT64_C(0x7ff8000000000000), 8))),
        WEFT_E_INPUT, SECOND, "finite");
    EXPECT_ERR(ErrorOf(NodeHead(5, "c", 4) + AttrInt("tensor_size", -1)), WEFT_E_INPUT, SECOND,
               "'tensor_size' is -1");
    EXPECT_ERR(ErrorOf(Coll(5, "ar", 0, 1) + Attr("comm_priority", Int(13, UINT64_MAX))),
               WEFT_E_INPUT, SECOND, "'comm_priority' is 18446744073709551615");
    EXPECT_ERR(ErrorOf(Coll(5, "ar", 0, 1) + Attr("pg_name", Int(28, 1))), WEFT_E_INPUT, SECOND,
               "is not a Chakra node"); // a list member with a varint
    EXPECT_ERR(ErrorOf(Coll(5, "ar", 0, 1) + Attr("is_cpu_op", Blob(29, "x"))), WEFT_E_INPUT,
               SECOND, "'is_cpu_op'");
    EXPECT_ERR(ErrorOf(Send(5, AttrInt("comm_size", 1) + AttrInt("comm_dst", 1) +
                                   Attr("comm_tag", Blob(29, "x")))),
               WEFT_E_INPUT, SECOND, "'comm_tag'");
}

/* Chakra's draft of storage operations. */
TEST(ConvertError, StorageNodesNameWhatStandsForThem)
{
    const char *names[] = {"STORAGE_NODE", "BATCH_NODE", "CHECKPOINT_NODE"};
    for (int k = 0; k < 3; k++) {
        const Bytes node = NodeHead(5, "n", 8 + k) + Blob(11, Int(1, 1) + Blob(10, Int(1, 3)));
        EXPECT_ERR(ErrorOf(node), WEFT_E_INPUT, SECOND, names[k]);
        EXPECT_ERR(ErrorOf(node), WEFT_E_INPUT, SECOND, "MEM_LOAD_NODE or MEM_STORE_NODE");
    }
}

TEST(ConvertError, UnknownTypes)
{
    EXPECT_ERR(ErrorOf(NodeHead(5, "n", 11)), WEFT_E_INPUT, SECOND,
               "unknown node type 11; Chakra defines 1 (METADATA_NODE) .. 7 (COMM_COLL_NODE)");
    EXPECT_ERR(ErrorOf(NodeHead(5, "n", 0)), WEFT_E_INPUT, SECOND, "it has no type");
    EXPECT_ERR(ErrorOf(NodeHead(5, "n", 0) + Int(3, UINT64_MAX)), WEFT_E_INPUT, SECOND,
               "unknown node type -1");
    EXPECT_ERR(ErrorOf(Coll(5, "ar", 10, 1)), WEFT_E_INPUT, SECOND,
               "comm_type 10 is not a collective");
}

TEST(ConvertError, Peers)
{
    EXPECT_ERR(ErrorOf(Send(5, AttrInt("comm_size", 1) + AttrInt("comm_dst", 2))), WEFT_E_INPUT,
               SECOND, "comm_dst is rank 2, but the job's ranks are 0 .. 1");
    EXPECT_ERR(ErrorOf(Recv(5, AttrInt("comm_size", 1) + AttrInt("comm_src", -1))), WEFT_E_INPUT,
               SECOND, "'comm_src' is -1");
    EXPECT_ERR(
        ErrorOf(Recv(5, AttrInt("comm_size", 1) + Attr("comm_src", Int(13, UINT64_C(1) << 32)))),
        WEFT_E_INPUT, SECOND, "comm_src is rank 4294967296");
    EXPECT_ERR(
        ErrorOf(Send(5, AttrInt("comm_size", 1) + AttrInt("comm_dst", 1) + AttrInt("comm_src", 1))),
        WEFT_E_INPUT, SECOND, "comm_src is rank 1, but this is the trace of rank 0");
}

TEST(ConvertError, DurationOverflow)
{
    const uint64_t most = UINT64_C(9223372036854); // 2^63 - 1 ps, in whole us
    Job ok({Frame(NodeHead(1, "c", 4) + Int(7, most))});
    ASSERT_EQ(ok.rc, 0) << Text(ok.err);
    EXPECT_EQ(ok.Op(0, 1)->duration_ps, INT64_C(9223372036854000000));
    EXPECT_ERR(ErrorOf(NodeHead(5, "c", 4) + Int(7, most + 1)), WEFT_E_INPUT, SECOND,
               "duration_micros is 9223372036855");
}

TEST(ConvertError, GzipSaysSo)
{
    Folder dir;
    Bytes plain = Header() + Frame(Coll(5, "ar", 77, 1));
    std::string path = dir.Write("t.0.et", plain);
    ASSERT_EQ(system(("gzip " + path).c_str()), 0);
    weft_workload *w = nullptr;
    weft_err err{};
    EXPECT_NE(weft_chakra_read((dir / "t").c_str(), 0, nullptr, &w, &err), 0);
    EXPECT_ERR(err, WEFT_E_INPUT, HEADER, "(the byte counts uncompressed data)");
    EXPECT_NE(std::string(err.file).find("t.0.et.gz"), std::string::npos);
}

/* STG names its schema in an attribute and counts elements; others count bytes. */
TEST(Convert, SizesOfStgCountElements)
{
    const Bytes ranks = Frame(Coll(1, "c", 0, 64)) +
                        Frame(NodeHead(2, "x", 4) + Int(7, 1) + Attr("tensor_size", Int(7, 10)));
    const Bytes stg = Frame(Blob(2, Blob(1, "schema") + Blob(29, "symbolic_tensor_network")));
    const Bytes other = Frame(Blob(2, Blob(1, "schema") + Blob(29, "symbolic_tensor")));
    Job elements({ranks, Frame(Coll(1, "c", 0, 64))}, "", stg), bytes({ranks, ""}, "", other);
    ASSERT_EQ(elements.rc, 0) << Text(elements.err);
    ASSERT_EQ(bytes.rc, 0) << Text(bytes.err);
    EXPECT_EQ(elements.Op(0, 1)->bytes, 128u);
    EXPECT_EQ(elements.Op(1, 1)->bytes, 128u);
    EXPECT_EQ(elements.Op(0, 2)->tensor_bytes, 20u);
    EXPECT_EQ(bytes.Op(0, 1)->bytes, 64u);
    EXPECT_STREQ(elements.w->schema, "0.0.4 of STG (symbolic_tensor_network), elements of 2 B");
    EXPECT_NE(std::string(elements.w->notes).find("t.0.et: sizes of STG's traces count elements"),
              std::string::npos);
    EXPECT_EQ(bytes.w->notes, nullptr);
    weft_workload *w = nullptr;
    weft_err err = {};
    const weft_convert_options four = {4, false, nullptr};
    ASSERT_EQ(weft_chakra_read_within(elements.prefix.c_str(), 0, "", 1 << 20, &four, &w, &err), 0);
    EXPECT_EQ(w->dags[0].ops[0].bytes, 256u);
    weft_workload_free(w);
    Job huge({Frame(Coll(1, "c", 0, INT64_MAX))}, "", stg);
    EXPECT_EQ(huge.rc, 0) << Text(huge.err);
    EXPECT_EQ(weft_chakra_read_within(huge.prefix.c_str(), 0, "", 1 << 20, &four, &w, &err),
              WEFT_E_LIMIT);
    EXPECT_NE(std::string(err.msg).find("elements of 4 bytes are too many"), std::string::npos);
}
