/* SPDX-License-Identifier: GPL-2.0-only */
/* Rendezvous of the messages of collectives: closed forms, every algorithm, what is waited for. */
#include "collective/algorithm.h"
#include "job.h"

#include <cstring>

namespace
{

const int64_t kUs = 1000000;
/* 1 ns per byte, 1 us of latency. */
const Settings kPlain = {{"model", "flat"}, {"bandwidth", "8Gbps"}, {"latency", "1us"}};
const Settings kAll = {{"rendezvous", "1B"}, {"rendezvous-for", "all"}};

} // namespace

/* A ring's receive is posted when the one before is over, together with the send of that step: a
 * control message of 64 B goes before each message, or two. */
TEST(CollRendezvous, RingByHand)
{
    const int64_t message = 2000, control = 1064;
    for (int n : {3, 4, 8})
        for (const char *handshake : {"ready", "round-trip"}) {
            Job job(n);
            job.Everywhere(WEFT_COLL_ALL_REDUCE, 1000 * n);
            Sim sim(job, With(kAll, {{"rendezvous-handshake", handshake}}), kPlain);
            const int controls = handshake[1] == 'e' ? 1 : 2;
            EXPECT_EQ(sim.EndNs(), 2 * (n - 1) * (message + controls * control)) << n;
            EXPECT_EQ(sim.Totals().msgs_received, uint64_t(2 * (n - 1) * n * (1 + controls)));
        }
    // smaller messages wait for nothing
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 4000);
    Sim sim(job, {{"rendezvous", "1001B"}, {"rendezvous-for", "all"}}, kPlain);
    EXPECT_EQ(sim.EndNs(), 6 * message);
    Sim sends(job, {{"rendezvous", "1B"}}, kPlain); // SENDs only
    EXPECT_EQ(sends.EndNs(), 6 * message);
}

/* A binomial broadcast on 2: the root asks, the late rank answers when it is there. */
TEST(CollRendezvous, WaitsForALateReceiver)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_BROADCAST, 1000);
    job.Coll(1, WEFT_COLL_BROADCAST, 1000, {job.Comp(1, 50 * kUs)});
    Sim eager(job, {}, kPlain);
    EXPECT_EQ(eager.EndNs(0), 0); // it has posted its message
    Sim sim(job, kAll, kPlain);
    EXPECT_EQ(sim.EndNs(0), 51064);
    EXPECT_EQ(sim.EndNs(1), 53064);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_PEER], 50 * kUs);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_NETWORK], 1064000);
    EXPECT_EQ(sim.Result(1).exposed_ps[WEFT_CAUSE_DEPENDENCY], 1064000); // its grant on the way
    EXPECT_EQ(sim.Result(1).exposed_ps[WEFT_CAUSE_NETWORK], 2000000);
    EXPECT_EQ(sim.Of(0, 0).start_ps, 51064000); // of the first message
}

/* LogGP costs come when the message is granted: the overhead once per message. */
TEST(CollRendezvous, OverheadFollowsTheGrant)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_BROADCAST, 1000);
    job.Coll(1, WEFT_COLL_BROADCAST, 1000);
    Sim sim(job, With(kAll, {{"send-overhead", "300ns"}}), kPlain);
    EXPECT_EQ(sim.EndNs(0), 2 * 1064 + 300);
    EXPECT_EQ(sim.EndNs(1), 2 * 1064 + 300 + 2000);
}

TEST(CollRendezvous, NamesWhomItWaitsFor)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_BROADCAST, 1000);
    job.Coll(1, WEFT_COLL_BROADCAST, 1000, {job.Recv(1, 0, 8)});
    job.Send(0, 1, 8, 0, {0}); // after the broadcast: never
    Sim sim(job, kAll, kPlain);
    EXPECT_FALSE(sim.Finished());
    EXPECT_EQ(sim.Explain()[0],
              "rank 0 waits in broadcast 'coll' (node 0) for rank 1: chunk 0 of 1, step 0, "
              "which has not issued it (node 1: 1 parents unfinished)");
    Sim eager(job, {}, kPlain);
    EXPECT_TRUE(eager.Finished());
}

/* Every algorithm and collective ends, and moves the same data and a grant, or a request and a
 * grant, per message. */
TEST(CollRendezvous, EveryAlgorithmEnds)
{
    const char *const settings[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                    "broadcast",  "reduce",     "gather",         "scatter"};
    const weft_coll_kind kinds[] = {
        WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER, WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL,
        WEFT_COLL_BROADCAST,  WEFT_COLL_REDUCE,     WEFT_COLL_GATHER,         WEFT_COLL_SCATTER};
    size_t n = 0, played = 0;
    const weft_coll_ops *const *table = weft_coll_table(&n);
    for (size_t a = 0; a < n; a++)
        for (size_t k = 0; k < 8; k++)
            for (uint32_t ranks : {2u, 3u, 4u, 7u, 8u}) {
                weft_coll_call call = {};
                call.kind = kinds[k];
                call.n = ranks;
                weft_err err = {};
                weft_coll_algorithm alg = {};
                if (table[a]->plan || table[a]->in_network ||
                    weft_coll_algorithm_parse(table[a]->name, strlen(table[a]->name), "", &alg,
                                              &err))
                    continue;
                weft_coll_use(&call, &alg);
                const bool can = alg.ops->supports(&call, nullptr);
                weft_coll_algorithm_release(&alg);
                if (!can)
                    continue;
                Job job(ranks);
                job.Everywhere(kinds[k], 6000);
                const Settings base = {{settings[k], table[a]->name}, {"chunks", "3"}};
                Sim eager(job, base, kPlain);
                ASSERT_TRUE(eager.Finished())
                    << table[a]->name << " " << settings[k] << " " << ranks;
                for (uint64_t controls : {1, 2}) {
                    Sim sim(job,
                            With(With(base, kAll), {{"rendezvous-handshake",
                                                     controls == 1 ? "ready" : "round-trip"}}),
                            kPlain);
                    EXPECT_TRUE(sim.Finished())
                        << table[a]->name << " " << settings[k] << " " << ranks;
                    const uint64_t extra =
                        sim.Totals().msgs_received - eager.Totals().msgs_received;
                    EXPECT_EQ(sim.Totals().bytes_received - eager.Totals().bytes_received,
                              64 * extra);
                    EXPECT_LE(extra,
                              controls * eager.Totals().msgs_received); // empty ones need none
                    EXPECT_GT(extra, 0u);
                    EXPECT_EQ(extra % controls, 0u);
                }
                played++;
            }
    EXPECT_GT(played, 80u);
}

/* Over dimensions, several at once, under every scheduler. */
TEST(CollRendezvous, OverDimensions)
{
    for (const char *inter : {"baseline", "round-robin", "themis"})
        for (const char *intra : {"concurrent", "fifo", "lifo", "smallest-first", "priority"}) {
            Job job(16);
            for (uint64_t size : {64000, 8000, 32000})
                job.Everywhere(WEFT_COLL_ALL_REDUCE, size);
            Sim sim(job,
                    With(kAll, {{"dims", "4,4"},
                                {"all-reduce", "ring,direct"},
                                {"dim-bandwidths", "8GB/s,1GB/s"},
                                {"dim-latencies", "1us,1us"},
                                {"chunks", "8"},
                                {"active-chunks", "2"},
                                {"inter-dimension", inter},
                                {"intra-dimension", intra}}),
                    kPlain);
            ASSERT_TRUE(sim.Finished()) << inter << " " << intra << ": " << sim.err.msg;
            uint64_t data = 0;
            for (auto &f : sim.flows)
                data += f.msg.tag >> 62 & 1 ? 0 : f.msg.bytes;
            EXPECT_EQ(data, 2 * 15 * 104000u);
        }
}
