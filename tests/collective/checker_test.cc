/* SPDX-License-Identifier: GPL-2.0-only */
/* Proves every algorithm of the table, and that the checker finds what it says it finds. */
#include "collective/checker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" const struct weft_coll_ops weft_coll_ring;
extern "C" const struct weft_coll_ops weft_coll_direct;

namespace
{

const weft_coll_kind kKinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                 WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL};

std::vector<uint32_t> Sizes()
{
    std::vector<uint32_t> v;
    for (uint32_t n = 1; n <= 33; n++)
        v.push_back(n);
    for (uint32_t n : {64u, 100u, 128u})
        v.push_back(n);
    return v;
}

class EveryAlgorithm : public ::testing::TestWithParam<size_t>
{
  protected:
    const weft_coll_ops *Ops()
    {
        size_t n;
        return weft_coll_table(&n)[GetParam()];
    }
};

TEST_P(EveryAlgorithm, DoesWhatItsKindSays)
{
    size_t proved = 0;
    for (weft_coll_kind kind : kKinds) {
        for (uint32_t n : Sizes()) {
            if (!Ops()->supports(kind, n, nullptr))
                continue;
            for (uint64_t bytes : {uint64_t{0}, uint64_t{5}, uint64_t{1000003}}) {
                if (bytes != 1000003 && n > 33)
                    continue; // data flow is the same: only the byte count differs
                weft_err err = {};
                weft_coll_proof proof;
                ASSERT_EQ(weft_coll_prove(Ops(), kind, n, bytes, &proof, &err), 0) << err.msg;
                EXPECT_EQ(proof.messages * 2, proof.instrs);
                if (n == 1) {
                    EXPECT_EQ(proof.instrs, 0u);
                }
                proved++;
            }
        }
    }
    EXPECT_GT(proved, 0u);
}

std::string AlgorithmName(const ::testing::TestParamInfo<size_t> &info)
{
    size_t n;
    return weft_coll_table(&n)[info.param]->name;
}

size_t TableSize()
{
    size_t n;
    weft_coll_table(&n);
    return n;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryAlgorithm, ::testing::Range(size_t{0}, TableSize()),
                         AlgorithmName);

TEST(Checker, CountsMessagesAndBytes)
{
    weft_err err = {};
    weft_coll_proof p;
    // Ring all-reduce of 1000 B on 4 ranks: 6 steps of 4 messages, 2 * 3 * 1000 B.
    ASSERT_EQ(weft_coll_prove(&weft_coll_ring, WEFT_COLL_ALL_REDUCE, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 24u);
    EXPECT_EQ(p.bytes, 6000u);
    // Ring all-to-all on 4: 6 relay steps of 4 messages; distances 1, 2, 3 carry 1000 B once, twice, three times.
    ASSERT_EQ(weft_coll_prove(&weft_coll_ring, WEFT_COLL_ALL_TO_ALL, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 24u);
    EXPECT_EQ(p.bytes, 6000u);
    // Direct all-to-all: everything but what stays at home.
    ASSERT_EQ(weft_coll_prove(&weft_coll_direct, WEFT_COLL_ALL_TO_ALL, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.messages, 12u);
    EXPECT_EQ(p.bytes, 3000u);
    // All-gather: each of 4 shards of 1000 B reaches 3 others.
    ASSERT_EQ(weft_coll_prove(&weft_coll_direct, WEFT_COLL_ALL_GATHER, 4, 1000, &p, &err), 0);
    EXPECT_EQ(p.bytes, 12000u);
}

/* Broken variants of the ring: each changes one instruction of rank 1. */
using Edit = void (*)(weft_coll_instr *in, uint64_t i);
Edit g_edit;

void BrokenInstr(enum weft_coll_kind kind, uint32_t n, uint32_t rank, uint64_t i,
                 struct weft_coll_instr *out)
{
    weft_coll_ring.instr(kind, n, rank, i, out);
    if (rank == 1)
        g_edit(out, i);
}

std::string Broken(Edit edit, weft_coll_kind kind = WEFT_COLL_ALL_REDUCE)
{
    weft_coll_ops ops = weft_coll_ring;
    ops.instr = BrokenInstr;
    g_edit = edit;
    weft_err err = {};
    EXPECT_EQ(weft_coll_prove(&ops, kind, 4, 1000, nullptr, &err), WEFT_E_INTERNAL);
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
    ops.count = [](enum weft_coll_kind, uint32_t, uint32_t) -> uint64_t { return 2; };
    ops.instr = [](enum weft_coll_kind, uint32_t, uint32_t rank, uint64_t i,
                   struct weft_coll_instr *out) {
        *out = {};
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
    EXPECT_EQ(weft_coll_prove(&ops, WEFT_COLL_ALL_GATHER, 2, 8, nullptr, &err), WEFT_E_INTERNAL);
    EXPECT_NE(std::string(err.msg).find("deadlock: 2 ranks wait, rank 0 before instruction 1"),
              std::string::npos)
        << err.msg;
}

TEST(Checker, FindsAWrongByteFormula)
{
    weft_coll_ops ops = weft_coll_direct;
    ops.total_bytes = [](enum weft_coll_kind, uint32_t, uint64_t bytes) { return bytes; };
    weft_err err = {};
    EXPECT_EQ(weft_coll_prove(&ops, WEFT_COLL_ALL_TO_ALL, 4, 1000, nullptr, &err), WEFT_E_INTERNAL);
    EXPECT_NE(std::string(err.msg).find("3000 bytes were sent, not 1000"), std::string::npos)
        << err.msg;
}

} // namespace
