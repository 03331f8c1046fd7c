// SPDX-License-Identifier: GPL-2.0-only
// Data parallelism without collectives: parameter servers and gossip.
#include "training_job.h"

#include "system/joint.h"

#include <map>

using namespace training_job;

namespace
{

Settings with(Settings set, const Settings &more)
{
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

const Settings servers = {{"model", "resnet-50"}, {"data-parallel", "parameter-server"}};
const Settings gossip = {{"model", "resnet-50"}, {"data-parallel", "gossip"}};
const uint64_t params = 25557032;

/* Messages of a rank by their other end. */
std::map<uint64_t, Sum> messages(const std::vector<Node> &nodes, int type)
{
    std::map<uint64_t, Sum> out;
    for (const Node &n : nodes)
        if (n.type == type) {
            out[n.peer].n++;
            out[n.peer].bytes += n.bytes;
        }
    return out;
}

weft_joint look(const weft_training_plan &q)
{
    weft_workload *w = nullptr;
    weft_joint joint{};
    weft_err err{};
    EXPECT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
    EXPECT_EQ(w->nranks, weft_training_ranks(&q));
    EXPECT_EQ(weft_joint_look(w, &joint, &err), 0) << Text(err);
    EXPECT_EQ(joint.unreceived + joint.unequal + joint.reordered, 0u);
    weft_workload_free(w);
    return joint;
}

} // namespace

/* Eight workers push 4 bytes per parameter to two servers and pull 2; each server has half of each
 * of five buckets. */
TEST(TrainingExchange, Servers)
{
    const weft_training_plan q = plan_of(with(servers, {{"ranks", "10"}, {"servers", "2"}}));
    EXPECT_EQ(q.world, 8u);
    EXPECT_EQ(q.dp, 8u);
    const std::vector<Node> worker = nodes_of(q, 5), server = nodes_of(q, 9);
    uint64_t pushed = 0, pulled = 0;
    for (const auto &[peer, sum] : messages(worker, WEFT_ET_COMM_SEND_NODE)) {
        EXPECT_GE(peer, 8u);
        EXPECT_EQ(sum.n, 5u);
        EXPECT_EQ(sum.bytes, 4 * params / 2);
        pushed += sum.bytes;
    }
    for (const auto &[peer, sum] : messages(worker, WEFT_ET_COMM_RECV_NODE))
        pulled += sum.bytes;
    EXPECT_EQ(pushed, 4 * params);
    EXPECT_EQ(pulled, 2 * params);
    EXPECT_EQ(number(worker, AR), 0u);
    const auto in = messages(server, WEFT_ET_COMM_RECV_NODE),
               out = messages(server, WEFT_ET_COMM_SEND_NODE);
    EXPECT_EQ(in.size(), 8u);
    for (uint64_t w = 0; w < 8; w++) {
        EXPECT_EQ(in.at(w).bytes, 4 * params / 2);
        EXPECT_EQ(out.at(w).bytes, 2 * params / 2);
    }
}

/* Parameters that servers cannot share out evenly go one more to the first; every message has its
 * other end, on paper and in the job. */
TEST(TrainingExchange, ServersPlayToTheirEnd)
{
    for (const char *how : {"false", "true"})
        for (const Settings &job : std::vector<Settings>{{{"ranks", "7"}, {"servers", "3"}},
                                                         {{"ranks", "2"}},
                                                         {{"ranks", "5"},
                                                          {"model", "gpt3-13b"},
                                                          {"layers", "2"},
                                                          {"microbatches", "2"},
                                                          {"check-memory", "false"}}}) {
            const weft_training_plan q =
                plan_of(with(with(servers, job), {{"iterations", "3"}, {"asynchronous", how}}));
            EXPECT_GT(look(q).critical_ps, 0);
        }
    const weft_training_plan q = plan_of(with(servers, {{"ranks", "7"}, {"servers", "3"}}));
    const uint64_t fc = 2049000; /* the first bucket: three equal parts of it */
    EXPECT_EQ(nodes_of(q, 6).front().bytes, 4 * fc / 3);
}

/* To both neighbours on a ring all weights once per iteration, whatever the number of ranks. */
TEST(TrainingExchange, GossipOnARing)
{
    for (const char *ranks : {"3", "8", "16"}) {
        const weft_training_plan q = plan_of(with(gossip, {{"ranks", ranks}, {"iterations", "2"}}));
        const auto out = messages(nodes_of(q, 1), WEFT_ET_COMM_SEND_NODE);
        ASSERT_EQ(out.size(), 2u);
        for (uint64_t peer : {0, 2}) {
            EXPECT_EQ(out.at(peer).n, 2u);
            EXPECT_EQ(out.at(peer).bytes, 2 * 4 * params);
        }
        EXPECT_GT(look(q).critical_ps, 0);
    }
    const weft_training_plan two = plan_of(with(gossip, {{"ranks", "2"}}));
    EXPECT_EQ(messages(nodes_of(two, 0), WEFT_ET_COMM_SEND_NODE).at(1).n, 1u);
}

/* One neighbour in each iteration: 1, 2, 4 ranks ahead, then 1 again. */
TEST(TrainingExchange, GossipAtPowersOfTwo)
{
    const weft_training_plan q =
        plan_of(with(gossip, {{"ranks", "8"}, {"gossip", "exponential"}, {"iterations", "4"}}));
    std::vector<uint64_t> to, from;
    for (const Node &n : nodes_of(q, 6)) {
        if (n.type == WEFT_ET_COMM_SEND_NODE)
            to.push_back(n.peer);
        if (n.type == WEFT_ET_COMM_RECV_NODE)
            from.push_back(n.peer);
    }
    EXPECT_EQ(to, (std::vector<uint64_t>{7, 0, 2, 7}));
    EXPECT_EQ(from, (std::vector<uint64_t>{5, 4, 2, 5}));
    look(q);
}

/* Beside tensor and pipeline parallelism each rank exchanges its own part. */
TEST(TrainingExchange, GossipOfAPipeline)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"tp", "2"},
                                          {"pp", "2"},
                                          {"layers", "4"},
                                          {"iterations", "2"},
                                          {"data-parallel", "gossip"},
                                          {"check-memory", "false"}});
    const std::vector<Node> n = nodes_of(q, 9);
    EXPECT_EQ(sends(n, 11).bytes, 2 * 4 * weft_training_stage_params(&q, 1).dense);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, AR).n, 0u);
    EXPECT_GT(look(q).critical_ps, 0);
}

TEST(TrainingExchange, RefusalsSayWhatWouldDo)
{
    const std::vector<std::pair<Settings, const char *>> cases = {
        {with(servers, {{"ranks", "2"}, {"servers", "2"}}), "leaves none to train"},
        {{{"ranks", "5"}, {"tp", "2"}, {"data-parallel", "parameter-server"}}, "takes dp alone"},
        {{{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"data-parallel", "gossip"}},
         "without experts"},
        {{{"ranks", "8"}, {"cp", "2"}, {"data-parallel", "gossip"}}, "gossip with cp"},
        {{{"ranks", "8"}, {"pp", "2"}, {"schedule", "2bw"}, {"data-parallel", "gossip"}},
         "ends each iteration"},
        {{{"ranks", "8"}, {"servers", "2"}}, "need data-parallel=parameter-server"},
        {{{"ranks", "8"}, {"gossip", "exponential"}}, "needs data-parallel=gossip"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(set).find(part), std::string::npos) << refusal(set) << " for " << part;
}
