/* SPDX-License-Identifier: GPL-2.0-only */
/* The table, the cutting into chunks and blocks, and single instructions worked out by hand. */
#include "collective/collective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace
{

TEST(CollTable, FindsByNameAndSuggests)
{
    weft_err err = {};
    const weft_coll_ops *ring = weft_coll_find("ring", &err);
    ASSERT_NE(ring, nullptr);
    EXPECT_STREQ(ring->name, "ring");
    EXPECT_EQ(weft_coll_find("rng", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("did you mean 'ring'"), std::string::npos) << err.msg;
    err = {};
    EXPECT_EQ(weft_coll_find("completely-other", &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("there are: ring, direct"), std::string::npos) << err.msg;
}

TEST(Chunker, CutsIntoPiecesThatAddUp)
{
    for (uint64_t bytes : {0ull, 1ull, 3ull, 4ull, 5ull, 10ull, 1000003ull, 1048577ull})
        for (uint64_t chunks : {1ull, 2ull, 3ull, 4ull, 7ull, 64ull}) {
            uint64_t n = weft_coll_chunks(bytes, chunks), sum = 0;
            ASSERT_GE(n, 1u);
            ASSERT_LE(n, chunks);
            for (uint64_t i = 0; i < n; i++) {
                uint64_t b = weft_coll_chunk_bytes(bytes, chunks, i);
                if (bytes) {
                    EXPECT_GT(b, 0u);
                }
                EXPECT_LE(b, weft_coll_chunk_bytes(bytes, chunks, 0));
                sum += b;
            }
            EXPECT_EQ(sum, bytes) << bytes << " in " << chunks;
        }
}

TEST(Chunker, HandComputed)
{
    EXPECT_EQ(weft_coll_chunks(1048577, 4), 4u); // 262145 * 3 + 262142
    EXPECT_EQ(weft_coll_chunk_bytes(1048577, 4, 0), 262145u);
    EXPECT_EQ(weft_coll_chunk_bytes(1048577, 4, 3), 262142u);
    EXPECT_EQ(weft_coll_chunks(3, 4), 3u); // smaller than the number of chunks
    EXPECT_EQ(weft_coll_chunks(5, 4), 3u); // 2 + 2 + 1
    EXPECT_EQ(weft_coll_chunk_bytes(5, 4, 2), 1u);
    EXPECT_EQ(weft_coll_chunks(0, 4), 1u);
}

TEST(Blocks, BytesOfRanges)
{
    // 10 B in 4 blocks: 3 3 3 1
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_REDUCE, 4, 10, 0, 1), 3u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_REDUCE, 4, 10, 3, 1), 1u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_REDUCE_SCATTER, 4, 10, 1, 3), 7u);
    // 2 B in 4 blocks: 1 1 0 0
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_REDUCE, 4, 2, 2, 1), 0u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_REDUCE, 4, 2, 0, 4), 2u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_GATHER, 4, 10, 2, 2), 20u);
    // all-to-all: block (s, d) = s * 4 + d; a row is the 10 B that s sends
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_TO_ALL, 4, 10, 2 * 4 + 3, 1), 1u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_TO_ALL, 4, 10, 2 * 4 + 0, 4), 10u);
    EXPECT_EQ(weft_coll_range_bytes(WEFT_COLL_ALL_TO_ALL, 4, 10, 1 * 4 + 3, 2), 4u);
    EXPECT_EQ(weft_coll_blocks(WEFT_COLL_ALL_TO_ALL, 16384), 268435456u);
}

TEST(PlayedAs, NamesWhatCannotBe)
{
    weft_err err = {};
    weft_coll_kind as;
    EXPECT_EQ(weft_coll_played_as(WEFT_COLL_BARRIER, &as, &err), 0);
    EXPECT_EQ(as, WEFT_COLL_ALL_REDUCE);
    EXPECT_EQ(weft_coll_played_as(WEFT_COLL_REDUCE_SCATTER_BLOCK, &as, &err), 0);
    EXPECT_EQ(as, WEFT_COLL_REDUCE_SCATTER);
    for (weft_coll_kind k :
         {WEFT_COLL_BROADCAST, WEFT_COLL_REDUCE, WEFT_COLL_GATHER, WEFT_COLL_SCATTER}) {
        err = {};
        EXPECT_EQ(weft_coll_played_as(k, &as, &err), WEFT_E_INPUT);
        EXPECT_NE(std::string(err.msg).find(weft_coll_kind_name(k)), std::string::npos);
    }
}

TEST(Ring, InstructionsByHand)
{
    weft_err err = {};
    const weft_coll_ops *ring = weft_coll_find("ring", &err);
    weft_coll_instr in;
    // All-reduce on 4: rank 0 sends block 0 to 1 first, with nothing to wait for.
    ring->instr(WEFT_COLL_ALL_REDUCE, 4, 0, 0, &in);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(in.peer, 1u);
    EXPECT_EQ(in.peer_instr, 1u);
    EXPECT_EQ(in.first_block, 0u);
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_NONE);
    // Step 2 takes block 1 of rank 3, added up; step 3 is the first that replaces.
    ring->instr(WEFT_COLL_ALL_REDUCE, 4, 0, 5, &in);
    EXPECT_EQ(in.action, WEFT_COLL_RECV_REDUCE);
    EXPECT_EQ(in.peer, 3u);
    EXPECT_EQ(in.first_block, 1u);
    EXPECT_EQ(in.dep_instr, 3u);
    ring->instr(WEFT_COLL_ALL_REDUCE, 4, 0, 7, &in);
    EXPECT_EQ(in.action, WEFT_COLL_RECV);
    // All-to-all on 4, step 5: distance 3, hop 2: rank 3 passes on block 1 -> 0.
    ring->instr(WEFT_COLL_ALL_TO_ALL, 4, 3, 10, &in);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(in.first_block, 1u * 4 + 0);
}

TEST(Ring, SixteenThousandRanksCostNothing)
{
    weft_err err = {};
    const weft_coll_ops *ring = weft_coll_find("ring", &err);
    const uint32_t n = 16384;
    EXPECT_EQ(ring->count(WEFT_COLL_ALL_REDUCE, n, 7), 4u * (n - 1));
    EXPECT_EQ(ring->count(WEFT_COLL_ALL_TO_ALL, n, 7), uint64_t{n} * (n - 1));
    // The relay's last step: distance n-1, hop n-2: rank r passes on what began at r + 2 for r + 1.
    weft_coll_instr in;
    ring->instr(WEFT_COLL_ALL_TO_ALL, n, 5, uint64_t{n} * (n - 1) - 2, &in);
    EXPECT_EQ(in.first_block, uint64_t{7} * n + 6);
    // Where the relay's distance changes, for every distance: exact in spite of the square root.
    for (uint64_t d = 1; d < n; d++) {
        ring->instr(WEFT_COLL_ALL_TO_ALL, n, 0, d * (d - 1), &in); // first step of distance d
        ASSERT_EQ(in.first_block, d);
    }
}

TEST(Direct, SpreadsReceivers)
{
    weft_err err = {};
    const weft_coll_ops *direct = weft_coll_find("direct", &err);
    weft_coll_instr in;
    direct->instr(WEFT_COLL_ALL_TO_ALL, 8, 6, 3, &in);
    EXPECT_EQ(in.peer, 2u); // 6 + 1 + 3 mod 8
    EXPECT_EQ(in.first_block, 6u * 8 + 2);
    direct->instr(WEFT_COLL_ALL_REDUCE, 8, 6, 14, &in); // first send of the second half
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_ALL);
    EXPECT_EQ(in.first_block, 6u);
}

} // namespace
