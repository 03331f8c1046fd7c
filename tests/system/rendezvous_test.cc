/* SPDX-License-Identifier: GPL-2.0-only */
/* Rendezvous, traffic classes and QPs by type of communication, dimensions that an operation leaves
 * out. */
#include "job.h"

#include <set>

namespace
{

const uint64_t kMiB = 1u << 20;
const int64_t kUs = 1000000;
/* 1 ns per byte, 1 us of latency. */
const Settings kPlain = {{"model", "flat"}, {"bandwidth", "8Gbps"}, {"latency", "1us"}};

/* ASTRA-sim's rendezvous: 8192 B from the receiver, then 1 MiB. */
TEST(Rendezvous, AstraSim)
{
    Job job(2);
    job.Send(0, 1, kMiB);
    job.Recv(1, 0, kMiB);
    Sim sim(job, With(AstraSystem(), {{"rendezvous", "1B"},
                                      {"rendezvous-handshake", "ready"},
                                      {"rendezvous-control", "8192B"}}));
    EXPECT_EQ(sim.EndNs(), 20683);
}

TEST(Rendezvous, RoundTripByHand)
{
    auto play = [](int64_t send_ps, int64_t recv_ps, const char *threshold) {
        Job job(2);
        job.Send(0, 1, 1000, 7, {job.Comp(0, send_ps)});
        job.Recv(1, 0, 1000, 7, {job.Comp(1, recv_ps)});
        Sim sim(job, {{"rendezvous", threshold}}, kPlain);
        EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
        EXPECT_EQ(sim.Totals().msgs_received, std::string(threshold) == "1000B" ? 3u : 1u);
        return sim.EndNs();
    };
    // request 64 B, grant 64 B, message 1000 B
    EXPECT_EQ(play(0, 0, "1000B"), 1064 + 1064 + 2000);
    // the receive is posted after the request came: grant and message from there
    EXPECT_EQ(play(0, 50 * kUs, "1000B"), 50000 + 1064 + 2000);
    EXPECT_EQ(play(50 * kUs, 0, "1000B"), 50000 + 1064 + 1064 + 2000);
    // smaller messages go at once and wait at the receiver
    EXPECT_EQ(play(0, 50 * kUs, "1001B"), 50000);
}

TEST(Rendezvous, WhatItWaitsFor)
{
    Job job(2);
    job.Send(0, 1, 1000);
    job.Recv(1, 0, 1000, 0, {job.Comp(1, 50 * kUs)});
    Sim sim(job, {{"rendezvous", "1B"}}, kPlain);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_PEER], 50 * kUs);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_NETWORK], 3064000);
    EXPECT_EQ(sim.Result(1).exposed_ps[WEFT_CAUSE_PEER], 0);
    EXPECT_EQ(sim.Result(1).exposed_ps[WEFT_CAUSE_NETWORK], 3064000);
    ASSERT_EQ(sim.path.size(), 2u); // rank 1's computation, then grant and message
    EXPECT_EQ(sim.path[0].rank, 1u);
    EXPECT_EQ(sim.path[1].messages, 2u);
    EXPECT_EQ(sim.Of(0, 0).start_ps, 51064000); // the message was posted
}

/* Both send before they receive: fine with eager messages; with rendezvous neither can, and it says
 * so. */
TEST(Rendezvous, BidirectionalSendThenRecv)
{
    auto make = [](bool after_send) {
        Job job(2);
        for (uint32_t r = 0; r < 2; r++) {
            uint32_t s = job.Send(r, 1 - r, kMiB);
            job.Recv(r, 1 - r, kMiB, 0,
                     after_send ? std::vector<uint32_t>{s} : std::vector<uint32_t>{});
        }
        return job;
    };
    Job chained = make(true), independent = make(false);
    for (const char *threshold : {"0", "2MiB"})
        EXPECT_TRUE(Sim(chained, {{"rendezvous", threshold}}, kPlain).Finished());
    EXPECT_TRUE(Sim(independent, {{"rendezvous", "1B"}}, kPlain).Finished());
    Sim stuck(chained, {{"rendezvous", "1B"}}, kPlain);
    EXPECT_FALSE(stuck.Finished());
    auto why = stuck.Explain();
    ASSERT_EQ(why.size(), 2u);
    EXPECT_EQ(
        why[0],
        "rank 0 waits in send 'send' (node 0) of 1MiB to rank 1 with tag 0: rendezvous with that "
        "rank, which has not issued that receive (node 1: 1 parents unfinished)");
}

/* Messages below and above the threshold with few tags, both ways round: each RECV gets its own, in
 * order. */
TEST(Rendezvous, MessagesOfATagStayInOrder)
{
    for (const char *handshake : {"round-trip", "ready"})
        for (uint32_t late = 0; late < 2; late++) {
            Job job(2);
            uint32_t c[2] = {job.Comp(0, late ? 90 * kUs : kUs), job.Comp(1, 30 * kUs)};
            for (uint32_t k = 0; k < 60; k++)
                for (uint32_t r = 0; r < 2; r++) {
                    const uint64_t bytes = 1000 + k * 37 % 61;
                    job.Send(r, 1 - r, bytes, k % 4, {c[r]});
                    job.Recv(r, 1 - r, bytes, k % 4);
                }
            Sim sim(
                job,
                {{"rendezvous", "1030B"}, {"rendezvous-handshake", handshake}, {"qps", "send:3"}},
                With(kPlain, {{"contention", "source"}}));
            ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
            EXPECT_TRUE(sim.Finished()) << sim.Explain()[0];
        }
}

TEST(Classes, PriorityAndQpsByType)
{
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t a = job.Coll(r, WEFT_COLL_ALL_TO_ALL, 8000);
        uint32_t b = job.Coll(r, WEFT_COLL_ALL_REDUCE, 4000, {a});
        for (uint32_t t = 0; t < 4; t++) {
            job.Send(r, (r + 1) % 4, 77, t, {b});
            job.Recv(r, (r + 3) % 4, 77, t, {b});
        }
    }
    Sim sim(
        job,
        {{"chunks", "2"}, {"priorities", "all-to-all:2,send:5"}, {"qps", "all-reduce:3,send:2"}},
        kPlain);
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    std::map<uint64_t, std::set<uint32_t>> qps; // by size
    for (const weft_completion &f : sim.flows) {
        qps[f.msg.bytes].insert(f.msg.qp);
        EXPECT_EQ(f.msg.prio, f.msg.bytes == 1000 ? 2u
                              : f.msg.bytes == 77 ? 5u
                                                  : WEFT_PRIO_DEFAULT);
    }
    EXPECT_EQ(qps[1000], (std::set<uint32_t>{0}));
    EXPECT_EQ(qps[500], (std::set<uint32_t>{0, 1, 2}));
    EXPECT_EQ(qps[77], (std::set<uint32_t>{0, 1}));
}

TEST(Classes, Mistakes)
{
    auto why = [](const char *key, const char *value) {
        weft_system_params p;
        weft_err err = {};
        EXPECT_EQ(weft_params_defaults(&weft_system_param_table, &p, &err), 0);
        EXPECT_EQ(weft_params_set(&weft_system_param_table, &p, key, value, &err), WEFT_E_INPUT);
        return std::string(err.msg);
    };
    EXPECT_EQ(why("priorities", "all-redude:2"),
              "parameter 'priorities': 'all-redude:2': 'all-redude' is not one of "
              "all-reduce|reduce|all-gather|gather|scatter|broadcast|all-to-all|reduce-scatter|"
              "reduce-scatter-block|barrier|send; did you mean all-reduce?");
    EXPECT_EQ(why("priorities", "send:8"),
              "parameter 'priorities': 'send:8': 8 is out of range; valid is 0 to 7");
    EXPECT_EQ(why("qps", "send:0"),
              "parameter 'qps': 'send:0': 0 is out of range; valid is 1 to 256");
    EXPECT_EQ(why("qps", "send:2,send:3"), "parameter 'qps': 'send:3': send is there twice");
    for (const char *text : {"send:x", "send:1;"})
        EXPECT_EQ(why("qps", text).find(std::string("parameter 'qps': '") + text + "': '"), 0u);
    for (const char *text : {"send", "send:", ":3", "send:1,,send:2", "send:1,"})
        EXPECT_NE(why("qps", text).find("write TYPE:QPS,..., such as all-reduce:4,send:2"),
                  std::string::npos);
}

/* Chakra's involved_dim on 4 x 4: ASTRA-sim takes 43,000 ns for either dimension alone. */
class Involved : public ::testing::Test
{
  protected:
    static Job World(uint32_t n, uint32_t mask, uint32_t entries)
    {
        Job job(n);
        for (uint32_t r = 0; r < n; r++) {
            weft_op op = {};
            op.kind = WEFT_OP_COLL;
            op.coll = WEFT_COLL_ALL_REDUCE;
            op.bytes = kMiB;
            op.name = "coll";
            op.involved = mask;
            op.ninvolved = entries;
            job.Add(r, op);
        }
        return job;
    }
    static Settings On(const char *dims, const char *algorithm)
    {
        return With(AstraSystem(algorithm), {{"dims", dims}, {"all-to-all", "direct"}});
    }
};

TEST_F(Involved, OneDimensionIsItsLines)
{
    for (uint32_t mask : {1u, 2u})
        for (const char *algorithm : {"ring", "ring,ring"}) {
            Job job = World(16, mask, 2);
            Sim sim(job, On("4,4", algorithm));
            ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
            EXPECT_EQ(sim.EndNs(), 43000);
            EXPECT_EQ(sim.Totals().bytes_received, 16 * 2 * 3 * kMiB / 4);
            for (const weft_completion &f : sim.flows)
                EXPECT_EQ(mask == 1 ? f.msg.src / 4 : f.msg.src % 4,
                          mask == 1 ? f.msg.dst / 4 : f.msg.dst % 4);
            EXPECT_EQ(sim.phases.front().members, 4u);
        }
}

TEST_F(Involved, TwoOfThreeAreTheirPlanes)
{
    Job job = World(64, 5, 3); // dimensions 0 and 2
    Sim sim(job, On("4,4,4", "ring,direct,ring"));
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(sim.EndNs(), 43040); // as 4 x 4 rings alone
    EXPECT_EQ(sim.phases.front().members, 16u);
}

TEST_F(Involved, AllOfThemOrMoreThanThereAre)
{
    Job job = World(4, 1, 4); // ASTRA-sim's four entries on one dimension
    Sim sim(job, On("4", "ring"));
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(sim.EndNs(), 43000);
    Job nothing = World(4, 2, 4); // a dimension with one place: nothing to do
    Sim none(nothing, On("4", "ring"));
    ASSERT_EQ(none.err.code, 0) << none.err.msg;
    EXPECT_EQ(none.EndNs(), 0);
}

TEST_F(Involved, WhatCanNotBe)
{
    auto why = [](Job job, Settings s) {
        Sim sim(job, s);
        EXPECT_EQ(sim.err.code, WEFT_E_INPUT);
        return std::string(sim.err.msg);
    };
    EXPECT_EQ(
        why(World(16, 1, 2), AstraSystem("ring")),
        "rank 0, node 0 'coll': involved_dim leaves out dimensions, but the ranks have none here; "
        "set system.dims (16: all ranks are one, the first)");
    EXPECT_EQ(why(World(64, 1, 2), On("4,4,4", "ring")),
              "rank 0, node 0 'coll': involved_dim has 2 entries, but there are 3 dimensions");
    EXPECT_EQ(
        why(World(64, 3, 3), On("4,4,4", "ring")),
        "rank 0, node 0 'coll': involved_dim leaves 2 dimensions, which 'ring' can't take as one; "
        "name one algorithm per dimension");
}

} // namespace
