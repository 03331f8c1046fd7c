// SPDX-License-Identifier: GPL-2.0-only
// Generated training jobs: plans from settings, and what their traces hold.
#ifndef WEFT_TESTS_TRAINING_JOB_H
#define WEFT_TESTS_TRAINING_JOB_H

#include "workload/training/cost.h"
#include "workload/training/memory.h"
#include "workload/training/routing.h"
#include "workload/training/schedule.h"
#include "workload/training/training.h"

#include "wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace wire;

namespace training_job
{

using namespace wire;

using Settings = std::vector<std::pair<std::string, std::string>>;

inline weft_training_params params_of(const Settings &set)
{
    weft_training_params p;
    weft_err err{};
    EXPECT_EQ(weft_params_defaults(&weft_training_param_table, &p, &err), 0) << Text(err);
    for (const auto &[name, value] : set)
        EXPECT_EQ(
            weft_params_set(&weft_training_param_table, &p, name.c_str(), value.c_str(), &err), 0)
            << Text(err);
    return p;
}

inline weft_training_plan plan_of(const Settings &set)
{
    weft_training_plan plan{};
    weft_err err{};
    const weft_training_params p = params_of(set);
    EXPECT_EQ(weft_training_plan_make(&p, &plan, &err), 0) << Text(err);
    return plan;
}

inline std::string refusal(const Settings &set)
{
    weft_training_plan plan{};
    weft_err err{};
    const weft_training_params p = params_of(set);
    return weft_training_plan_make(&p, &plan, &err) ? Text(err) : "";
}

inline const weft_model &model(const std::string &name)
{
    size_t n;
    const weft_model *all = weft_models(&n);
    return *std::find_if(all, all + n, [&](const weft_model &m) { return name == m.name; });
}

/* One collective or message of a rank's trace. */
struct Node {
    int type, kind; /* node type; comm_type of collectives, else -1 */
    weft_comm comm;
    uint64_t bytes, peer, tag;
};

inline uint64_t attribute(const weft_et_node &n, const char *name)
{
    uint64_t v = 0;
    const weft_et_attr *a = weft_et_find(&n, name);
    if (a) {
        EXPECT_EQ(weft_et_attr_u64(a, &v), 0);
    }
    return v;
}

inline weft_comm comm_of(const weft_training_plan &q, const weft_et_node &n)
{
    const weft_et_attr *a = weft_et_find(&n, "pg_name");
    if (!a)
        return WEFT_COMM_WORLD;
    const uint64_t number = std::stoull(a->value.text.data);
    for (int c = WEFT_COMM_WORLD; c-- > 0;)
        if (weft_comm_size(&q, weft_comm(c)) > 1 && number >= weft_comm_number(&q, weft_comm(c), 0))
            return weft_comm(c);
    ADD_FAILURE() << "group " << number;
    return WEFT_COMM_WORLD;
}

inline std::vector<Node> nodes_of(const weft_training_plan &q, uint64_t rank)
{
    weft_arena *arena = weft_arena_new();
    weft_et *et = nullptr;
    weft_err err{};
    std::vector<Node> out;
    EXPECT_EQ(weft_training_et(&q, rank, false, arena, &et, &err), 0) << Text(err);
    for (size_t i = 0; i < et->nnodes; i++) {
        const weft_et_node &n = et->nodes[i];
        if (n.type == WEFT_ET_COMM_COLL_NODE)
            out.push_back({n.type, int(attribute(n, "comm_type")), comm_of(q, n),
                           attribute(n, "comm_size"), 0, 0});
        else if (n.type == WEFT_ET_COMM_SEND_NODE || n.type == WEFT_ET_COMM_RECV_NODE)
            out.push_back({n.type, -1, WEFT_COMM_WORLD, attribute(n, "comm_size"),
                           attribute(n, n.type == WEFT_ET_COMM_SEND_NODE ? "comm_dst" : "comm_src"),
                           attribute(n, "comm_tag")});
    }
    weft_arena_free(arena);
    return out;
}

/* Number and bytes of the collectives of a kind on a communicator. */
struct Sum {
    uint64_t n = 0, bytes = 0;
};

inline Sum collectives(const std::vector<Node> &nodes, weft_comm comm, int kind)
{
    Sum s;
    for (const Node &n : nodes)
        if (n.kind == kind && n.comm == comm) {
            s.n++;
            s.bytes += n.bytes;
        }
    return s;
}

inline uint64_t number(const std::vector<Node> &nodes, int kind)
{
    return std::count_if(nodes.begin(), nodes.end(), [&](const Node &n) { return n.kind == kind; });
}

inline Sum sends(const std::vector<Node> &nodes, uint64_t to)
{
    Sum s;
    for (const Node &n : nodes)
        if (n.type == WEFT_ET_COMM_SEND_NODE && n.peer == to) {
            s.n++;
            s.bytes += n.bytes;
        }
    return s;
}

constexpr int AR = WEFT_COLL_ALL_REDUCE, AG = WEFT_COLL_ALL_GATHER, RS = WEFT_COLL_REDUCE_SCATTER,
              A2A = WEFT_COLL_ALL_TO_ALL;

} // namespace training_job

#endif
