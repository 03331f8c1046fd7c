/* SPDX-License-Identifier: GPL-2.0-only */
/* The table, the cutting into chunks and blocks, and single instructions worked out by hand. */
#include "collective/algorithm.h"

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

/* A chosen algorithm and calls with it. */
class Chosen
{
  public:
    explicit Chosen(const char *spec)
    {
        weft_err err = {};
        EXPECT_EQ(weft_coll_algorithm_parse(spec, std::string(spec).size(), "", &alg_, &err), 0)
            << err.msg;
    }
    Chosen(const Chosen &) = delete;
    Chosen &operator=(const Chosen &) = delete;
    ~Chosen()
    {
        weft_coll_algorithm_release(&alg_);
    }
    weft_coll_call Call(weft_coll_kind kind, uint32_t n, uint64_t bytes = 0) const
    {
        weft_coll_call c = {};
        c.kind = kind;
        c.n = n;
        c.bytes = bytes;
        weft_coll_use(&c, &alg_);
        return c;
    }
    weft_coll_instr Instr(weft_coll_kind kind, uint32_t n, uint32_t rank, uint32_t lane,
                          uint64_t i) const
    {
        weft_coll_call c = Call(kind, n);
        weft_coll_instr in = {};
        alg_.ops->instr(&c, rank, lane, i, &in);
        return in;
    }
    uint64_t Count(weft_coll_kind kind, uint32_t n, uint32_t rank, uint32_t lane = 0) const
    {
        weft_coll_call c = Call(kind, n);
        return alg_.ops->count(&c, rank, lane);
    }
    uint64_t Range(weft_coll_kind kind, uint32_t n, uint64_t bytes, uint64_t first,
                   uint64_t blocks) const
    {
        weft_coll_call c = Call(kind, n, bytes);
        return weft_coll_range_bytes(&c, weft_coll_parts(alg_.ops, &c), first, blocks);
    }
    const weft_coll_ops *Ops() const
    {
        return alg_.ops;
    }

  private:
    weft_coll_algorithm alg_ = {};
};

TEST(Blocks, BytesOfRanges)
{
    Chosen ring("ring");
    // 10 B in 4 blocks: 3 3 3 1
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_REDUCE, 4, 10, 0, 1), 3u);
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_REDUCE, 4, 10, 3, 1), 1u);
    EXPECT_EQ(ring.Range(WEFT_COLL_REDUCE_SCATTER, 4, 10, 1, 3), 7u);
    // 2 B in 4 blocks: 1 1 0 0
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_REDUCE, 4, 2, 2, 1), 0u);
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_REDUCE, 4, 2, 0, 4), 2u);
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_GATHER, 4, 10, 2, 2), 20u);
    // all-to-all: block (s, d) = s * 4 + d; a row is the 10 B that s sends
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_TO_ALL, 4, 10, 2 * 4 + 3, 1), 1u);
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_TO_ALL, 4, 10, 2 * 4 + 0, 4), 10u);
    EXPECT_EQ(ring.Range(WEFT_COLL_ALL_TO_ALL, 4, 10, 1 * 4 + 3, 2), 4u);
    weft_coll_call c = ring.Call(WEFT_COLL_ALL_TO_ALL, 16384);
    EXPECT_EQ(weft_coll_units(&c), 268435456u);
    // two channels: 10 B on 4 ranks are 8 parts of 2, the last ones empty; in a reduce-scatter each
    // 3 are 2 and 1
    Chosen two("ring:channels=2");
    EXPECT_EQ(two.Range(WEFT_COLL_ALL_REDUCE, 4, 10, 4, 1), 2u);
    EXPECT_EQ(two.Range(WEFT_COLL_ALL_REDUCE, 4, 10, 5, 1), 0u);
    EXPECT_EQ(two.Range(WEFT_COLL_REDUCE_SCATTER, 4, 10, 0, 1), 2u);
    EXPECT_EQ(two.Range(WEFT_COLL_REDUCE_SCATTER, 4, 10, 1, 1), 1u);
    EXPECT_EQ(two.Range(WEFT_COLL_REDUCE_SCATTER, 4, 10, 6, 2), 1u);
}

TEST(Kinds, PlayedAs)
{
    EXPECT_EQ(weft_coll_run_as(WEFT_COLL_BARRIER), WEFT_COLL_ALL_REDUCE);
    EXPECT_EQ(weft_coll_run_as(WEFT_COLL_REDUCE_SCATTER_BLOCK), WEFT_COLL_REDUCE_SCATTER);
    EXPECT_EQ(weft_coll_run_as(WEFT_COLL_GATHER), WEFT_COLL_GATHER);
    EXPECT_FALSE(weft_coll_has_root(WEFT_COLL_ALL_REDUCE));
    EXPECT_TRUE(weft_coll_has_root(WEFT_COLL_SCATTER));
}

TEST(Algorithm, SaysWhatIsWrongWithItsText)
{
    auto message = [](const std::string &spec) {
        weft_err err = {};
        weft_coll_algorithm a;
        EXPECT_EQ(weft_coll_algorithm_parse(spec.c_str(), spec.size(), "", &a, &err), WEFT_E_INPUT);
        return std::string(err.msg);
    };
    EXPECT_NE(message("rng").find("did you mean 'ring'"), std::string::npos);
    EXPECT_NE(message("ring:chanels=2").find("channels"), std::string::npos);
    EXPECT_NE(message("ring:2").find("write NAME:PARAMETER=VALUE"), std::string::npos);
    EXPECT_NE(message("ring:").find("nothing follows ':'"), std::string::npos);
    EXPECT_NE(message("ring:channels=2:channels=3").find("channels is there twice"),
              std::string::npos);
    EXPECT_NE(message("binomial:x=1").find("has no parameters"), std::string::npos);
    EXPECT_NE(message("ring:channels=0").find("channels"), std::string::npos);
}

TEST(Ring, InstructionsByHand)
{
    Chosen ring("ring");
    // All-reduce on 4: rank 0 sends block 0 to 1 first, with nothing to wait for.
    weft_coll_instr in = ring.Instr(WEFT_COLL_ALL_REDUCE, 4, 0, 0, 0);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(in.peer, 1u);
    EXPECT_EQ(in.peer_instr, 1u);
    EXPECT_EQ(in.first_block, 0u);
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_NONE);
    // Step 2 takes block 1 of rank 3, added up; step 3 is the first that replaces.
    in = ring.Instr(WEFT_COLL_ALL_REDUCE, 4, 0, 0, 5);
    EXPECT_EQ(in.action, WEFT_COLL_RECV_REDUCE);
    EXPECT_EQ(in.peer, 3u);
    EXPECT_EQ(in.first_block, 1u);
    EXPECT_EQ(in.dep_instr, 3u);
    EXPECT_EQ(ring.Instr(WEFT_COLL_ALL_REDUCE, 4, 0, 0, 7).action, WEFT_COLL_RECV);
    // All-to-all on 4, step 5: distance 3, hop 2: rank 3 passes on block 1 -> 0.
    in = ring.Instr(WEFT_COLL_ALL_TO_ALL, 4, 3, 0, 10);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(in.first_block, 1u * 4 + 0);
    // The second ring of a channel runs the other way: rank 0 sends to 3.
    EXPECT_EQ(Chosen("ring:bidirectional=true").Instr(WEFT_COLL_ALL_REDUCE, 4, 0, 1, 0).peer, 3u);
}

TEST(Ring, SixteenThousandRanksCostNothing)
{
    Chosen ring("ring");
    const uint32_t n = 16384;
    EXPECT_EQ(ring.Count(WEFT_COLL_ALL_REDUCE, n, 7), 4u * (n - 1));
    EXPECT_EQ(ring.Count(WEFT_COLL_ALL_TO_ALL, n, 7), uint64_t{n} * (n - 1));
    // The relay's last step: distance n-1, hop n-2: rank r passes on what began at r + 2 for r + 1.
    EXPECT_EQ(ring.Instr(WEFT_COLL_ALL_TO_ALL, n, 5, 0, uint64_t{n} * (n - 1) - 2).first_block,
              uint64_t{7} * n + 6);
    // Where the relay's distance changes, for every distance: exact in spite of the square root.
    for (uint64_t d = 1; d < n; d++)
        ASSERT_EQ(ring.Instr(WEFT_COLL_ALL_TO_ALL, n, 0, 0, d * (d - 1)).first_block, d);
}

TEST(Direct, SpreadsReceivers)
{
    Chosen direct("direct");
    weft_coll_instr in = direct.Instr(WEFT_COLL_ALL_TO_ALL, 8, 6, 0, 3);
    EXPECT_EQ(in.peer, 2u); // 6 + 1 + 3 mod 8
    EXPECT_EQ(in.first_block, 6u * 8 + 2);
    in = direct.Instr(WEFT_COLL_ALL_REDUCE, 8, 6, 0, 14); // first send of the second half
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_UPTO);
    EXPECT_EQ(in.dep_instr, 13u);
    EXPECT_EQ(in.first_block, 6u);
    // A window of 2: message 2 waits for receive 0.
    in = Chosen("direct:window=2").Instr(WEFT_COLL_ALL_TO_ALL, 8, 6, 0, 2);
    EXPECT_EQ(in.dep, WEFT_COLL_DEP_INSTR);
    EXPECT_EQ(in.dep_instr, 0u);
}

TEST(HalvingDoubling, ThreeRanksByHand)
{
    // p = 2: rank 2 folds into rank 0. All-reduce of 3 blocks.
    Chosen hd("halving-doubling");
    EXPECT_EQ(hd.Count(WEFT_COLL_ALL_REDUCE, 3, 2), 2u);
    EXPECT_EQ(hd.Count(WEFT_COLL_ALL_REDUCE, 3, 0), 6u); // fold, 2 * (send, receive), unfold
    EXPECT_EQ(hd.Count(WEFT_COLL_ALL_REDUCE, 3, 1), 4u);
    weft_coll_instr in = hd.Instr(WEFT_COLL_ALL_REDUCE, 3, 1, 0, 0);
    EXPECT_EQ(in.peer, 0u); // gives away the even blocks 0 and 2 ...
    EXPECT_EQ(in.first_block, 0u);
    EXPECT_EQ(in.nblocks, 2u);
    EXPECT_EQ(in.stride, 2u);
    EXPECT_EQ(in.peer_instr, 2u); // ... into the receive after the fold and rank 0's send
    in = hd.Instr(WEFT_COLL_ALL_REDUCE, 3, 0, 0, 5);
    EXPECT_EQ(in.action, WEFT_COLL_SEND);
    EXPECT_EQ(in.peer, 2u);
    EXPECT_EQ(in.nblocks, 3u);
}

TEST(Bruck, FiveRanksByHand)
{
    // All-to-all, step 1: distances 2 and 3 have bit 1; both begin to move where bit 0 took them.
    Chosen bruck("bruck");
    weft_coll_call c = bruck.Call(WEFT_COLL_ALL_TO_ALL, 5);
    weft_coll_instr in = bruck.Instr(WEFT_COLL_ALL_TO_ALL, 5, 1, 0, 2);
    EXPECT_EQ(in.peer, 3u);
    ASSERT_EQ(in.nblocks, 2u);
    EXPECT_EQ(bruck.Ops()->block(&c, 1, 0, 2, 0), 1u * 5 + 3); // own block, distance 2
    EXPECT_EQ(bruck.Ops()->block(&c, 1, 0, 2, 1),
              0u * 5 + 3);                                  // of rank 0, distance 3, one hop done
    EXPECT_EQ(bruck.Count(WEFT_COLL_ALL_TO_ALL, 5, 0), 6u); // 3 steps
}

TEST(DoubleBinaryTree, EvenRanksAreInsideOneTreeOnly)
{
    Chosen dbt("double-binary-tree:pieces=1");
    for (uint32_t n = 2; n <= 64; n += 2)
        for (uint32_t r = 0; r < n; r++) {
            // lane 0 and 4: receives from children; a rank with a child in both is inside both
            bool both = dbt.Count(WEFT_COLL_ALL_REDUCE, n, r, 0) &&
                        dbt.Count(WEFT_COLL_ALL_REDUCE, n, r, 4);
            EXPECT_FALSE(both) << r << " of " << n;
        }
}

} // namespace
