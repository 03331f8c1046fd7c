/* SPDX-License-Identifier: GPL-2.0-only */
/* Aggregation trees: shape on known fabrics, and on every fabric of the table that they are trees.
 */
#include "topo.h"

#include "topologies/reduction_tree.h"

#include <set>

using namespace weft_test;

namespace
{

struct Tree {
    Tree(const weft_fabric *f, std::vector<uint32_t> hosts, uint64_t salt = 0)
    {
        rc = weft_reduction_tree_new(f, hosts.data(), (uint32_t)hosts.size(), salt, &t, &err);
    }
    ~Tree()
    {
        weft_reduction_tree_release(&t);
    }
    weft_reduction_tree t = {};
    weft_err err = {};
    int rc;
};

std::vector<uint32_t> All(const weft_fabric *f)
{
    std::vector<uint32_t> v;
    for (uint32_t h = 0; h < f->nhosts; h++)
        v.push_back(h);
    return v;
}

/* Every edge is a link between the right ends, counts of children and members add up. */
void Check(const weft_fabric *f, const std::vector<uint32_t> &hosts, const weft_reduction_tree &t)
{
    ASSERT_EQ(t.nleaves, hosts.size());
    std::vector<uint32_t> children(t.nswitches), members(t.nswitches);
    std::set<uint32_t> nodes;
    for (uint32_t i = 0; i < t.nswitches; i++) {
        EXPECT_EQ(f->nodes[t.switches[i].node].kind, WEFT_NODE_SWITCH);
        EXPECT_TRUE(nodes.insert(t.switches[i].node).second);
        if (i == 0) {
            EXPECT_EQ(t.switches[i].parent, WEFT_TREE_NONE);
            continue;
        }
        ASSERT_LT(t.switches[i].parent, i);
        children[t.switches[i].parent]++;
        EXPECT_EQ(f->ports[t.switches[i].up].node, t.switches[i].node);
        EXPECT_EQ(f->ports[f->ports[t.switches[i].up].peer].node,
                  t.switches[t.switches[i].parent].node);
    }
    for (uint32_t i = 0; i < t.nleaves; i++) {
        EXPECT_EQ(f->ports[t.leaves[i].up].node, f->hosts[hosts[i]]);
        EXPECT_EQ(f->ports[f->ports[t.leaves[i].up].peer].node,
                  t.switches[t.leaves[i].parent].node);
        children[t.leaves[i].parent]++;
        for (uint32_t s = t.leaves[i].parent; s != WEFT_TREE_NONE; s = t.switches[s].parent)
            members[s]++;
    }
    for (uint32_t i = 0; i < t.nswitches; i++) {
        EXPECT_EQ(t.switches[i].children, children[i]);
        EXPECT_EQ(t.switches[i].members, members[i]);
        EXPECT_GT(members[i], 0u);
        for (uint32_t l = 0; l < t.nleaves; l++) {
            bool below = false;
            for (uint32_t s = t.leaves[l].parent; s != WEFT_TREE_NONE; s = t.switches[s].parent)
                below = below || s == i;
            EXPECT_EQ(weft_tree_below(&t, i, l), below);
        }
    }
}

} // namespace

TEST(ReductionTree, ShapesOnAClos)
{
    const Fabric f =
        build("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}});
    Tree one(f.get(), {4, 5, 7});
    ASSERT_EQ(one.rc, 0) << one.err.msg;
    EXPECT_EQ(one.t.nswitches, 1u); // their leaf alone
    Check(f.get(), {4, 5, 7}, one.t);
    std::set<uint32_t> roots;
    for (uint64_t salt = 0; salt < 2; salt++) {
        Tree all(f.get(), All(f.get()), salt);
        ASSERT_EQ(all.rc, 0) << all.err.msg;
        EXPECT_EQ(all.t.nswitches, 5u); // four leaves and a spine
        EXPECT_EQ(f->nodes[all.t.switches[0].node].tier, 2u);
        roots.insert(all.t.switches[0].node);
        Check(f.get(), All(f.get()), all.t);
    }
    EXPECT_EQ(roots.size(), 2u); // each spine in turn
}

TEST(ReductionTree, ThreeTiers)
{
    const Fabric f = build("fat-tree", {{"k", "4"}});
    Tree all(f.get(), All(f.get()));
    ASSERT_EQ(all.rc, 0) << all.err.msg;
    EXPECT_EQ(all.t.nswitches, 1u + 4 + 8); // a core, one aggregation switch per pod, the edges
    Check(f.get(), All(f.get()), all.t);
    Tree pod(f.get(), {0, 1, 2, 3});
    EXPECT_EQ(pod.t.nswitches, 3u);
}

TEST(ReductionTree, WhoGivesAndWhoWants)
{
    const Fabric f =
        build("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "2"}});
    Tree all(f.get(), All(f.get()));
    uint32_t here = all.t.leaves[0].parent, there = all.t.leaves[3].parent;
    EXPECT_TRUE(weft_tree_gives(&all.t, there, WEFT_TREE_NONE));
    EXPECT_TRUE(weft_tree_gives(&all.t, here, 0));
    EXPECT_FALSE(weft_tree_gives(&all.t, there, 0));
    EXPECT_TRUE(weft_tree_wants(&all.t, here, 0, WEFT_TREE_NONE)); // host 1
    EXPECT_FALSE(weft_tree_wants(&all.t, here, WEFT_TREE_NONE, 2));
    EXPECT_TRUE(weft_tree_wants(&all.t, there, WEFT_TREE_NONE, 2));
    Tree apart(f.get(), {0, 2});
    EXPECT_FALSE(weft_tree_wants(&apart.t, apart.t.leaves[0].parent, 0, WEFT_TREE_NONE));
}

/* Of every topology: a proper tree over all hosts, or a reason. */
TEST(ReductionTree, OfEveryTopology)
{
    size_t n, trees = 0;
    const weft_topology_ops *const *table = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        weft_err err = {};
        const Fabric f = try_build(table[i]->name, {}, &err);
        if (!f)
            continue; // reads a file
        Tree all(f.get(), All(f.get()));
        if (all.rc) {
            EXPECT_EQ(all.rc, WEFT_E_INPUT);
            EXPECT_NE(std::string(all.err.msg), "");
            continue;
        }
        trees++;
        Check(f.get(), All(f.get()), all.t);
    }
    EXPECT_GE(trees, 5u);
}
