/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees packed into graphs: as many as the narrowest cut allows, within the capacities, and proved.
 */
#include "collective/algorithm.h"
#include "collective/checker.h"
#include "collective/tree_packing.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace
{

using Edges = std::vector<weft_coll_edge>;

void Both(Edges *e, uint32_t a, uint32_t b, uint64_t rate)
{
    e->push_back({a, b, rate});
    e->push_back({b, a, rate});
}

/* NVLinks of a DGX-1 with V100s: pairs and how many links. */
Edges Dgx1()
{
    const uint32_t links[][3] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                                 {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                                 {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    Edges e;
    for (auto &l : links)
        Both(&e, l[0], l[1], l[2] * 200000000000u);
    return e;
}

/* The narrowest cut between the root and anybody: all sets of ranks without the root. */
uint64_t NarrowestCut(uint32_t n, const Edges &edges, uint32_t root)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t set = 1; set < (1u << n); set++) {
        if (set >> root & 1)
            continue;
        uint64_t into = 0;
        for (auto &e : edges)
            if (!(set >> e.from & 1) && (set >> e.to & 1))
                into += e.rate_bps;
        least = std::min(least, into);
    }
    return least;
}

void Check(uint32_t n, const Edges &edges, uint32_t root)
{
    const weft_coll_graph g = {n, edges.size(), edges.data()};
    weft_packing *p;
    weft_err err = {};
    ASSERT_EQ(weft_packing_new(&g, root, &p, &err), 0) << err.msg;
    EXPECT_EQ(p->weight * p->unit_bps, NarrowestCut(n, edges, root)); // Edmonds
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> cap, used;
    for (auto &e : edges)
        cap[{e.from, e.to}] += e.rate_bps;
    uint64_t weights = 0;
    for (uint32_t t = 0; t < p->ntrees; t++) {
        const weft_packed_tree &tree = p->tree[t];
        EXPECT_EQ(tree.before, weights);
        weights += tree.weight;
        for (uint32_t v = 0; v < n; v++) {
            uint32_t steps = 0;
            for (uint32_t at = v; at != root; at = tree.parent[at])
                ASSERT_LT(steps++, n); // everybody hangs on the root
            if (v != root) {
                used[{tree.parent[v], v}] += tree.weight * p->unit_bps;
                EXPECT_EQ(tree.child[tree.first[tree.parent[v]] + tree.place[v]], v);
            }
        }
    }
    EXPECT_EQ(weights, p->weight);
    for (auto &[link, rate] : used)
        EXPECT_LE(rate, cap[link]) << link.first << "-" << link.second;
    weft_packing_free(p);
}

void Prove(uint32_t n, const Edges &edges, const std::string &spec)
{
    const weft_coll_graph g = {n, edges.size(), edges.data()};
    weft_coll_algorithm a;
    weft_err err = {};
    ASSERT_EQ(weft_coll_algorithm_parse(spec.c_str(), spec.size(), "", &a, &err), 0) << err.msg;
    for (weft_coll_kind kind : {WEFT_COLL_BROADCAST, WEFT_COLL_REDUCE, WEFT_COLL_ALL_REDUCE})
        for (uint64_t bytes : {0, 5, 1000003})
            for (uint32_t root : {0u, n - 1}) {
                weft_coll_call c = {};
                c.kind = kind;
                c.n = n;
                c.bytes = bytes;
                c.root = kind == WEFT_COLL_ALL_REDUCE ? 0 : root;
                weft_coll_use(&c, &a);
                void *program;
                ASSERT_EQ(a.ops->plan(&c, &g, &program, &err), 0) << err.msg;
                c.program = program;
                EXPECT_EQ(weft_coll_prove(a.ops, &c, nullptr, &err), 0) << err.msg;
                a.ops->unload(program);
            }
    weft_coll_algorithm_release(&a);
}

Edges Random(uint32_t n, uint32_t seed)
{
    std::mt19937 r(seed);
    Edges e;
    for (uint32_t v = 1; v < n; v++)
        Both(&e, v, r() % v, (1 + r() % 4) * 100);
    for (uint32_t k = 0; k < 2 * n; k++) {
        uint32_t a = r() % n, b = r() % n;
        if (a != b)
            Both(&e, a, b, (1 + r() % 4) * 100);
    }
    return e;
}

} // namespace

/* A DGX-1V reaches all six links of a GPU. */
TEST(Packing, Dgx1UsesEveryLinkOfAGpu)
{
    const Edges e = Dgx1();
    EXPECT_EQ(NarrowestCut(8, e, 0), 1200000000000u);
    for (uint32_t root = 0; root < 8; root++)
        Check(8, e, root);
    Prove(8, e, "packed-trees:pieces=3");
    Prove(8, e, "packed-trees");
}

TEST(Packing, SimpleGraphs)
{
    for (uint32_t n = 2; n <= 9; n++) {
        Edges ring, full, path;
        for (uint32_t v = 0; v < n; v++) {
            if (n > 2 || v == 0)
                Both(&ring, v, (v + 1) % n, 50);
            if (v + 1 < n)
                Both(&path, v, v + 1, 100 + 50 * v);
            for (uint32_t w = v + 1; w < n; w++)
                Both(&full, v, w, 10);
        }
        for (const Edges &e : {ring, full, path}) {
            Check(n, e, n / 2);
            Prove(n, e, "packed-trees:pieces=2");
        }
    }
    // one direction faster than the other
    Check(3, {{0, 1, 30}, {1, 2, 20}, {0, 2, 10}, {2, 1, 10}, {1, 0, 10}, {2, 0, 10}}, 0);
}

TEST(Packing, RandomGraphs)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        const uint32_t n = 3 + seed % 8;
        Check(n, Random(n, seed), seed % n);
        if (seed % 8 == 0)
            Prove(n, Random(n, seed), "packed-trees:pieces=1");
    }
}

/* Rates with a tiny common divisor: a coarser unit, less than the bound by no more than that. */
TEST(Packing, OddRatesGetACoarserUnit)
{
    Edges e;
    Both(&e, 0, 1, 99991);
    Both(&e, 1, 2, 70001);
    Both(&e, 0, 2, 50021);
    const weft_coll_graph g = {3, e.size(), e.data()};
    weft_packing *p;
    weft_err err = {};
    ASSERT_EQ(weft_packing_new(&g, 0, &p, &err), 0) << err.msg;
    EXPECT_LE(p->weight, WEFT_PACKING_TREES_MAX);
    EXPECT_LE(p->weight * p->unit_bps, NarrowestCut(3, e, 0));
    EXPECT_GE(p->weight * p->unit_bps, 0.95 * NarrowestCut(3, e, 0));
    weft_packing_free(p);
}

TEST(Packing, NamesARankThatNoLinkReaches)
{
    const Edges e = {{0, 1, 10}, {1, 0, 10}};
    const weft_coll_graph g = {3, e.size(), e.data()};
    weft_packing *p;
    weft_err err = {};
    EXPECT_EQ(weft_packing_new(&g, 0, &p, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("to rank 2"), std::string::npos) << err.msg;
}
