/* SPDX-License-Identifier: GPL-2.0-only */
/* Every message of weft_system_check. */
#include "job.h"

namespace
{

std::string Check(Job &job, const Settings &settings = {}, int code = WEFT_E_INPUT)
{
    weft_system_params p;
    weft_err err = {};
    EXPECT_EQ(weft_params_defaults(&weft_system_param_table, &p, &err), 0) << err.msg;
    for (auto &s : settings)
        EXPECT_EQ(weft_params_set(&weft_system_param_table, &p, s.first, s.second, &err), 0)
            << err.msg;
    EXPECT_EQ(weft_system_check(job.Workload(), &p, &err), code) << err.msg;
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
    EXPECT_EQ(
        Check(job, {{"all-gather", "rink"}}),
        "system.all-gather: no collective algorithm is called 'rink', did you mean 'ring'? (there "
        "are: ring, direct)");
}

TEST(Check, CollectiveThatCannotBeSimulated)
{
    Job job(2);
    job.Comp(1, 5);
    job.Coll(1, WEFT_COLL_BROADCAST, 100);
    EXPECT_EQ(Check(job),
              "rank 1, node 1 'coll': broadcast cannot be simulated: the collectives that can "
              "are all-reduce, all-gather, reduce-scatter, all-to-all and barrier");
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
    EXPECT_EQ(Check(self), "rank 1, node 0 'recv': it receives from its own rank 1");
    Job tag(2);
    tag.Send(0, 1, 8, UINT64_C(1) << 62);
    EXPECT_EQ(Check(tag, {}, WEFT_E_LIMIT),
              "rank 0, node 0 'send': tag 4611686018427387904 is outside of -2^62 to 2^62 - 1");
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
