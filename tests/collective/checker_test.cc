/* SPDX-License-Identifier: GPL-2.0-only */
/* Proves every algorithm of the table, and that the checker finds what it says it finds. */
#include "collective/algorithm.h"
#include "collective/checker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" const struct weft_coll_ops weft_coll_ring;
extern "C" const struct weft_coll_ops weft_coll_direct;

namespace
{

const weft_coll_kind kKinds[] = {
    WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER, WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL,
    WEFT_COLL_BROADCAST,  WEFT_COLL_REDUCE,     WEFT_COLL_GATHER,         WEFT_COLL_SCATTER};

/* Settings of each algorithm besides its defaults. An algorithm from a file has its own test. */
const char *const kSpecs[] = {"ring",
                              "ring:channels=3",
                              "ring:bidirectional=true",
                              "ring:channels=2:bidirectional=true",
                              "direct",
                              "direct:window=1",
                              "direct:window=5",
                              "halving-doubling",
                              "halving-doubling:reduction=forwarded",
                              "recursive-doubling",
                              "bruck",
                              "double-binary-tree",
                              "double-binary-tree:pieces=1",
                              "double-binary-tree:pieces=7",
                              "binomial",
                              "parameter-server",
                              "parameter-server:servers=3",
                              "parameter-server:servers=0",
                              "parameter-server:rack=4",
                              "parameter-server:servers=0:rack=8",
                              "parameter-server:servers=2:rack=3",
                              "in-network",
                              "nccl-ring",
                              "nccl-ring:channels=3:node=4:chunk=1MiB:slices=2",
                              "nccl-ring:channels=2:node=8:rails=2:protocol=ll:slices=1",
                              "nccl-ring:channels=15:node=8:order=mesh8:slices=1",
                              "nccl-tree:channels=4:node=4",
                              "nccl-tree:channels=3:node=8:protocol=ll128:chunk=1MiB",
                              "nccl-nvls:channels=2",
                              "nccl-nvls:channels=3:node=4:chunk=1MiB",
                              "nccl-p2p:channels=2:node=4:chunk=256KiB:peers=3",
                              "nccl-p2p:peers=1",
                              "nccl-pat:channels=3:node=1",
                              "nccl-pat:node=1:chunk=4KiB:peers=2:slots=4"};

/* Sizes of pairs that all differ; some are 0. */
uint64_t PairBytes(const void *, uint32_t from, uint32_t to)
{
    return (from * 7919u + to * 104729u) % 5000u;
}
uint64_t SomePairBytes(const void *, uint32_t from, uint32_t to)
{
    return (from + to) % 3 ? 0 : from * 100 + to;
}

class Proof : public ::testing::TestWithParam<const char *>
{
  protected:
    void SetUp() override
    {
        weft_err err = {};
        ASSERT_EQ(weft_coll_algorithm_parse(GetParam(), strlen(GetParam()), "", &alg_, &err), 0)
            << err.msg;
    }
    void TearDown() override
    {
        weft_coll_algorithm_release(&alg_);
    }
    void Prove(weft_coll_call call)
    {
        weft_err err = {};
        weft_coll_proof proof;
        weft_coll_use(&call, &alg_);
        if (!alg_.ops->supports(&call, nullptr))
            return;
        ASSERT_EQ(weft_coll_prove(alg_.ops, &call, &proof, &err), 0)
            << err.msg << "; root " << call.root << ", " << call.bytes << " B";
        if (strcmp(alg_.ops->name, "nccl-nvls") != 0) { /* it copies, too */
            EXPECT_EQ(proof.messages * 2, proof.instrs);
        }
        if (call.n == 1) {
            EXPECT_EQ(proof.instrs, 0u);
        }
        proved_++;
    }
    void ProveKinds(uint32_t n, const std::vector<uint64_t> &sizes)
    {
        weft_coll_call call = {};
        call.n = n;
        for (weft_coll_kind kind : kKinds) {
            for (uint64_t bytes : sizes) {
                call.kind = kind;
                call.bytes = bytes;
                std::vector<uint32_t> roots = {0};
                if (weft_coll_has_root(kind))
                    roots = {0, n / 3, n - 1};
                for (uint32_t root : roots) {
                    call.root = root;
                    Prove(call);
                }
                call.root = 0;
                if (kind == WEFT_COLL_ALL_GATHER) {
                    call.cut = 1;
                    Prove(call);
                    call.cut = 0;
                }
            }
        }
    }

    weft_coll_algorithm alg_ = {};
    size_t proved_ = 0;
};

TEST_P(Proof, UpTo16Ranks)
{
    for (uint32_t n = 1; n <= 16; n++)
        ProveKinds(n, {0, 5, 1000003, 64 * 720720});
    EXPECT_GT(proved_, 0u);
}

TEST_P(Proof, UpTo33Ranks)
{
    for (uint32_t n = 17; n <= 33; n++)
        ProveKinds(n, {5, 1000003});
    EXPECT_GT(proved_, 0u);
}

TEST_P(Proof, Of64And100Ranks)
{
    for (uint32_t n : {64u, 100u})
        ProveKinds(n, {1000003});
    EXPECT_GT(proved_, 0u);
}

TEST_P(Proof, Of128Ranks)
{
    ProveKinds(128, {1000003});
    EXPECT_GT(proved_, 0u);
}

/* All-to-all-v: sizes known to all, and known to the ends of a pair only. */
TEST_P(Proof, PairsOfDifferentSize)
{
    for (uint32_t n : {1u, 2u, 3u, 5u, 8u, 16u, 31u})
        for (int local : {0, 1}) {
            weft_coll_pairs pairs = {nullptr, local ? SomePairBytes : PairBytes, local};
            weft_coll_call call = {};
            call.kind = WEFT_COLL_ALL_TO_ALL;
            call.n = n;
            call.pairs = &pairs;
            Prove(call);
        }
}

INSTANTIATE_TEST_SUITE_P(All, Proof, ::testing::ValuesIn(kSpecs), [](const auto &info) {
    std::string name = info.param;
    for (char &c : name)
        if (!isalnum((unsigned char)c))
            c = '_';
    return name;
});

/* Every algorithm of the table that is not read from a file is among kSpecs. */
TEST(Proofs, CoverTheTable)
{
    size_t n;
    const weft_coll_ops *const *table = weft_coll_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool found = table[i]->load || table[i]->plan; // packing_test.cc
        for (const char *spec : kSpecs)
            found = found || std::string(spec).substr(0, strcspn(spec, ":")) == table[i]->name;
        EXPECT_TRUE(found) << table[i]->name;
    }
}

/* The ring and direct with one channel and no window. */
const struct {
    uint64_t channels;
    bool bidirectional;
} kRing = {1, 0};
const uint64_t kNoWindow = 0;

weft_coll_call Call(weft_coll_kind kind, uint32_t n, uint64_t bytes, const void *params)
{
    weft_coll_call c = {};
    c.kind = kind;
    c.n = n;
    c.bytes = bytes;
    c.params = params;
    return c;
}

int ProveOne(const weft_coll_ops *ops, weft_coll_kind kind, uint32_t n, uint64_t bytes,
             weft_coll_proof *p, weft_err *err)
{
    weft_coll_call c =
        Call(kind, n, bytes, strcmp(ops->name, "direct") ? (const void *)&kRing : &kNoWindow);
    return weft_coll_prove(ops, &c, p, err);
}

TEST(Checker, CountsMessagesAndBytes)
{
    weft_err err = {};
    weft_coll_proof p;
    // Ring all-reduce of 1000 B on 4 ranks: 6 steps of 4 messages, 2 * 3 * 1000 B.
    ASSERT_EQ(ProveOne(&weft_coll_ring, WEFT_COLL_ALL_REDUCE, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 24u);
    EXPECT_EQ(p.bytes, 6000u);
    // Ring all-to-all on 4: 6 relay steps of 4 messages; distances 1, 2, 3 carry 1000 B once,
    // twice, three times.
    ASSERT_EQ(ProveOne(&weft_coll_ring, WEFT_COLL_ALL_TO_ALL, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 24u);
    EXPECT_EQ(p.bytes, 6000u);
    // Direct all-to-all: everything but what stays at home.
    ASSERT_EQ(ProveOne(&weft_coll_direct, WEFT_COLL_ALL_TO_ALL, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 12u);
    EXPECT_EQ(p.bytes, 3000u);
    // All-gather: each of 4 shards of 1000 B reaches 3 others.
    ASSERT_EQ(ProveOne(&weft_coll_direct, WEFT_COLL_ALL_GATHER, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.bytes, 12000u);
}

/* Broken variants of the ring: each changes one instruction of rank 1. */
using Edit = void (*)(weft_coll_instr *in, uint64_t i);
Edit g_edit;

void BrokenInstr(const weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                 weft_coll_instr *out)
{
    weft_coll_ring.instr(c, rank, lane, i, out);
    if (rank == 1)
        g_edit(out, i);
}

std::string Broken(Edit edit, weft_coll_kind kind = WEFT_COLL_ALL_REDUCE)
{
    weft_coll_ops ops = weft_coll_ring;
    ops.instr = BrokenInstr;
    g_edit = edit;
    weft_err err = {};
    EXPECT_EQ(ProveOne(&ops, kind, 4, 1000, nullptr, &err), WEFT_E_INTERNAL);
    return err.msg;
}

TEST(Checker, FindsWhatIsBroken)
{
    auto has = [](const std::string &text, const char *what) {
        EXPECT_NE(text.find(what), std::string::npos) << text;
    };
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 3)
                in->first_block = (in->first_block + 1) % 4;
        }),
        "other blocks than its peer expects");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 2) // sends on before it has added up
                in->dep = WEFT_COLL_DEP_NONE;
        }),
        "posted receive may still change");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 3) // replaces instead of adding: contributions are lost
                in->action = WEFT_COLL_RECV;
        }),
        "contributions in block");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 7) // adds where it must replace
                in->action = WEFT_COLL_RECV_REDUCE;
        }),
        "for the second time");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 0)
                in->peer_instr = 99;
        }),
        "does not have");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 0)
                in->peer = 1;
        }),
        "or itself");
    has(Broken(
            [](weft_coll_instr *in, uint64_t i) {
                if (i == 1)
                    in->action = WEFT_COLL_RECV_REDUCE;
            },
            WEFT_COLL_ALL_GATHER),
        "without a sum");
    has(Broken([](weft_coll_instr *in, uint64_t i) {
            if (i == 1) { // waits for a receive that needs this one
                in->dep = WEFT_COLL_DEP_INSTR;
                in->dep_instr = 3;
            }
        }),
        "waits for a later");
}

/* Two ranks that each receive before they send. */
TEST(Checker, FindsADeadlock)
{
    weft_coll_ops ops = weft_coll_ring;
    ops.supports = weft_coll_ring.supports;
    ops.count = [](const weft_coll_call *, uint32_t, uint32_t) -> uint64_t { return 2; };
    ops.instr = [](const weft_coll_call *, uint32_t rank, uint32_t, uint64_t i,
                   weft_coll_instr *out) {
        out->peer = 1 - rank;
        out->nblocks = 1;
        if (i == 0) {
            out->action = WEFT_COLL_RECV;
            out->first_block = 1 - rank;
        } else {
            out->action = WEFT_COLL_SEND;
            out->peer_instr = 0;
            out->first_block = rank;
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_instr = 0;
        }
    };
    weft_err err = {};
    EXPECT_EQ(ProveOne(&ops, WEFT_COLL_ALL_GATHER, 2, 8, nullptr, &err), WEFT_E_INTERNAL);
    EXPECT_NE(
        std::string(err.msg).find("deadlock: 2 ranks wait, rank 0 before instruction 1 of lane 0"),
        std::string::npos)
        << err.msg;
}

TEST(Checker, FindsAWrongByteFormula)
{
    weft_coll_ops ops = weft_coll_direct;
    ops.total_bytes = [](const weft_coll_call *c) { return c->bytes; };
    weft_err err = {};
    EXPECT_EQ(ProveOne(&ops, WEFT_COLL_ALL_TO_ALL, 4, 1000, nullptr, &err), WEFT_E_INTERNAL);
    EXPECT_NE(std::string(err.msg).find("3000 bytes were sent, not 1000"), std::string::npos)
        << err.msg;
}

} // namespace
