/* SPDX-License-Identifier: GPL-2.0-only */
/* Every message of weft_system_check. */
#include "job.h"

#include "system/lists.h"

namespace
{

std::string Check(Job &job, const Settings &settings = {}, int code = WEFT_E_INPUT)
{
    weft_system_params p;
    weft_err err = {};
    EXPECT_EQ(weft_params_defaults(&weft_system_param_table, &p, &err), 0) << err.msg;
    for (auto &s : settings)
        if (weft_params_set(&weft_system_param_table, &p, s.first, s.second, &err)) {
            EXPECT_EQ(err.code, code) << err.msg;
            return err.msg;
        }
    EXPECT_EQ(weft_system_check(job.Workload(), &p, nullptr, &err), code) << err.msg;
    return err.msg;
}

TEST(Check, DefaultsAreValid)
{
    Job job(2);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 100).Everywhere(WEFT_COLL_ALL_TO_ALL, 100);
    EXPECT_EQ(Check(job, {}, 0), "");
}

TEST(Check, UnknownAlgorithm)
{
    Job job(2);
    EXPECT_EQ(Check(job, {{"all-gather", "rink"}}),
              "system.all-gather: unknown collective algorithm 'rink'; did you mean 'ring'?");
}

TEST(Check, AlgorithmThatDoesNotFit)
{
    Job job(2);
    job.Comp(0, 5);
    job.Comp(1, 5);
    job.Coll(0, WEFT_COLL_BROADCAST, 100);
    job.Coll(1, WEFT_COLL_BROADCAST, 100);
    EXPECT_EQ(Check(job, {{"broadcast", "ring"}}),
              "rank 0, node 1 'coll': algorithm ring on 2 ranks: ring does all-reduce, all-gather, "
              "reduce-scatter and all-to-all");
    EXPECT_EQ(Check(job, {}, 0), "");
}

TEST(Check, RootOutsideOfTheGroup)
{
    Job job(3);
    uint32_t g = job.AddGroup("tp", {0, 1});
    weft_op op = {};
    op.kind = WEFT_OP_COLL;
    op.name = "b";
    op.coll = WEFT_COLL_BROADCAST;
    op.group = g;
    op.has_root = true;
    op.root = 2;
    job.Add(0, op);
    EXPECT_EQ(Check(job), "rank 0, node 0 'b': its root, rank 2, is no member of group 'tp'");
}

TEST(Check, Dimensions)
{
    Job job(16);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 100);
    EXPECT_EQ(Check(job, {{"dims", "4,4"}, {"all-reduce", "ring,direct"}}, 0), "");
    EXPECT_EQ(Check(job, {{"dims", "4,5"}}),
              "system.dims=4,5 has 20 places, but there are 16 ranks");
    EXPECT_EQ(Check(job, {{"all-reduce", "ring,direct"}}),
              "'ring,direct' has 2 algorithms, one per dimension, but there are 0 dimensions; set "
              "system.dims");
    // fewer than dimensions: never a part of the dimensions without a word
    EXPECT_EQ(Check(job, {{"dims", "2,2,4"}, {"all-reduce", "ring,direct"}}),
              "'ring,direct' has 2 algorithms, one per dimension, but there are 3 dimensions; one "
              "algorithm alone takes all ranks as one dimension");
    EXPECT_EQ(Check(job, {{"dims", "4,4"}, {"dim-bandwidths", "50GB/s"}}),
              "system.dim-bandwidths: 1 values for 2 dimensions");
    EXPECT_EQ(Check(job, {{"dims", "4,4"}, {"all-reduce", "ring,bruck"}}),
              "rank 0, node 0 'coll': dimension 1, all-reduce: algorithm bruck on 4 ranks: bruck "
              "does all-gather and all-to-all");
    Job odd(4);
    uint32_t g = odd.AddGroup("odd", {0, 1, 2});
    for (uint32_t r = 0; r < 3; r++)
        odd.Coll(r, WEFT_COLL_ALL_REDUCE, 100, {}, g);
    EXPECT_EQ(
        Check(odd, {{"dims", "2,2"}, {"all-reduce", "ring,ring"}}),
        "rank 0, node 0 'coll': 'ring,ring' is one algorithm per dimension, but the 3 members "
        "of group 'odd' are not all combinations of places in the dimensions; name one "
        "algorithm for it");
}

TEST(Check, SizesOfPairsThatDisagree)
{
    const uint64_t send0[] = {0, 7}, recv0[] = {0, 9}, send1[] = {9, 0}, recv1[] = {8, 0};
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.name = "a2av";
        op.coll = WEFT_COLL_ALL_TO_ALL;
        op.send_bytes = r ? send1 : send0;
        op.recv_bytes = r ? recv1 : recv0;
        job.Add(r, op);
    }
    EXPECT_EQ(Check(job),
              "rank 0, node 0 'a2av': it sends 7 B to rank 1, which expects 8 B (node 0)");
    EXPECT_EQ(Check(job, {{"all-to-all", "bruck"}}),
              "rank 0, node 0 'a2av': algorithm bruck on 2 ranks: bruck passes on blocks whose "
              "sizes only their ends know; use direct");
}

TEST(Check, Stragglers)
{
    Job job(2);
    EXPECT_EQ(Check(job, {{"stragglers", "1:1.5"}}, 0), "");
    EXPECT_EQ(Check(job, {{"stragglers", "2:1.5"}}),
              "system.stragglers: there is no rank 2, only 0 to 1");
    EXPECT_EQ(Check(job, {{"stragglers", "1:-2"}}),
              "parameter 'stragglers': '1:-2': -2 is out of range; valid is 0.000001 to 1000000");
    EXPECT_EQ(
        Check(job, {{"stragglers", "1"}}),
        "parameter 'stragglers': '1': write RANK:FACTOR,..., such as 3:1.5,7:2 (rank 3 computes "
        "1.5 times as long)");
}

// Maps by type of communication name the kinds of collectives in the order of their enum.
TEST(Check, TypesOfCommunicationAreTheKindsOfCollectives)
{
    weft_list list = {"x", &weft_priorities_form, 0};
    weft_list_item item;
    for (int k = 0; k <= WEFT_COLL_KINDS; k++)
        for (const weft_list_form *form : {&weft_priorities_form, &weft_qps_form}) {
            const char *name =
                k < WEFT_COLL_KINDS ? weft_coll_kind_name(weft_coll_kind(k)) : "send";
            const std::string text = std::string(name) + ":1";
            list = {text.c_str(), form, 0};
            ASSERT_EQ(weft_list_next(&list, &item, nullptr), 1) << name;
            EXPECT_EQ(item.field[0].value.index, k);
        }
}

TEST(Check, CollectiveThatNotAllIssue)
{
    Job job(3);
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t k = 0; k < (r == 1 ? 2u : 1u); k++)
            job.Coll(r, WEFT_COLL_ALL_REDUCE, 1024);
    EXPECT_EQ(Check(job),
              "rank 0, node 0 'coll': all-reduce of 1KiB in group of all ranks: rank 0 has 1 "
              "of them, rank 1 has 2; the extra ones would wait for ever");
    Job sizes(2);
    sizes.Coll(0, WEFT_COLL_ALL_REDUCE, 1024);
    sizes.Coll(1, WEFT_COLL_ALL_REDUCE, 2048);
    EXPECT_EQ(Check(sizes),
              "rank 0, node 0 'coll': all-reduce of 1KiB in group of all ranks: rank 0 has 1 "
              "of them, rank 1 has 0; the extra ones would wait for ever");
    Job group(3);
    uint32_t g = group.AddGroup("tp", {2, 0});
    group.Coll(2, WEFT_COLL_ALL_GATHER, 7, {}, g);
    EXPECT_EQ(Check(group),
              "rank 2, node 0 'coll': all-gather of 7B in group 'tp': rank 2 has 1 of them, "
              "rank 0 has 0; the extra ones would wait for ever");
}

TEST(Check, Groups)
{
    Job job(3);
    uint32_t g = job.AddGroup("tp", {0, 1});
    job.Coll(2, WEFT_COLL_ALL_REDUCE, 8, {}, g);
    EXPECT_EQ(Check(job), "rank 2, node 0 'coll': rank 2 is no member of group 'tp'");
    Job twice(3);
    twice.AddGroup("tp", {0, 1, 0});
    EXPECT_EQ(Check(twice), "group 'tp' has rank 0 twice");
    Job outside(3);
    outside.AddGroup("tp", {0, 3});
    EXPECT_EQ(Check(outside), "group 'tp' has rank 3, but the workload has the ranks 0 to 2");
    Job unknown(1);
    unknown.Coll(0, WEFT_COLL_ALL_REDUCE, 8, {}, 4);
    EXPECT_EQ(Check(unknown), "rank 0, node 0 'coll': group 4 does not exist");
}

TEST(Check, Peers)
{
    Job far(2);
    far.Send(0, 2, 8);
    EXPECT_EQ(Check(far),
              "rank 0, node 0 'send': it sends to rank 2, but there are the ranks 0 to 1");
    Job self(2);
    self.Recv(1, 1, 8);
    EXPECT_EQ(Check(self, {}, 0), "");
    Job tag(2);
    tag.Send(0, 1, 8, UINT64_C(1) << 60);
    EXPECT_EQ(Check(tag, {}, WEFT_E_LIMIT),
              "rank 0, node 0 'send': tag 1152921504606846976 is outside of -2^60 to 2^60 - 1");
}

TEST(Check, Durations)
{
    Job mem(1);
    mem.Mem(0, 100);
    EXPECT_EQ(Check(mem), "rank 0, node 0 'mem': it has no duration, only tensor_size; set "
                          "system.memory-bandwidth");
    Job flops(1);
    weft_op op = {};
    op.kind = WEFT_OP_COMP;
    op.name = "matmul";
    op.has_flops = true;
    op.flops = 10;
    op.tensor_bytes = 10;
    flops.Add(0, op);
    EXPECT_EQ(Check(flops),
              "rank 0, node 0 'matmul': its duration follows from num_ops; set system.peak-flops");
    EXPECT_EQ(Check(flops, {{"peak-flops", "1"}}),
              "rank 0, node 0 'matmul': its duration follows from tensor_size; set "
              "system.memory-bandwidth");
    Job none(1);
    none.Comp(0, 0);
    EXPECT_EQ(Check(none, {}, 0), "");
    EXPECT_EQ(
        Check(none, {{"roofline", "true"}}),
        "rank 0, node 0 'comp': system.roofline is on, but it has neither num_ops nor a duration");
}

TEST(Check, NewChecksToo)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, 8);
    Sim sim(job);
    EXPECT_FALSE(sim.Made());
    EXPECT_EQ(sim.err.code, WEFT_E_INPUT);
}

TEST(Check, AThousandChunksAtOnce)
{
    Job job(2);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, UINT64_C(1) << 40);
    Sim sim(job, {{"chunks", "1000"}, {"active-chunks", "1000"}});
    EXPECT_TRUE(sim.Finished());
}

} // namespace
