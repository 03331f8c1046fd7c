// SPDX-License-Identifier: GPL-2.0-only
// Equal-cost groups, their use by flows, and the memory that they take.
#include "topo.h"

#include "base/rng.h"

#include <map>

using namespace weft_test;

namespace
{

/// Pearson's statistic of counts against a uniform expectation.
double chi_square(const std::vector<uint64_t> &counts)
{
    double total = 0, x = 0;
    for (uint64_t c : counts)
        total += static_cast<double>(c);
    const double want = total / static_cast<double>(counts.size());
    for (uint64_t c : counts)
        x += (static_cast<double>(c) - want) * (static_cast<double>(c) - want) / want;
    return x;
}

} // namespace

TEST(Routes, GroupsAreAscendingPortsOfTheNode)
{
    Fabric f = build("leaf-spine", {{"spines", "3"}, {"links-per-pair", "2"}});
    Routes r = routes_of(f);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        for (uint32_t d = 0; d < f->nhosts; d++) {
            weft_route_group g = weft_routes_lookup(r.get(), i, d);
            for (uint32_t j = 0; j < g.n; j++) {
                EXPECT_EQ(f->ports[g.ports[j]].node, i);
                EXPECT_TRUE(j == 0 || g.ports[j] > g.ports[j - 1]);
            }
        }
    }
}

TEST(Routes, AHostHasNoPortToItself)
{
    Fabric f = build("single-switch");
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_lookup(r.get(), f->hosts[3], 3).n, 0u);
    EXPECT_EQ(weft_routes_hops(r.get(), 3, 3), 0u);
    uint32_t port = 77;
    EXPECT_EQ(weft_routes_path(r.get(), 3, 3, 1, &port, 1), 0u);
    EXPECT_EQ(port, 77u);
}

TEST(Routes, PathWritesAtMostMaxAndReturnsAll)
{
    Fabric f = build("fat-tree");
    Routes r = routes_of(f);
    uint32_t ports[6] = {1, 1, 1, 4242, 4242, 4242};
    EXPECT_EQ(weft_routes_path(r.get(), 0, 15, 9, ports, 3), 6u);
    EXPECT_EQ(ports[3], 4242u);
    EXPECT_EQ(ports[0], f->nodes[0].first_port);
}

TEST(Routes, AFlowKeepsItsPath)
{
    Fabric f = build("fat-tree", {{"k", "8"}});
    Routes r = routes_of(f), again = routes_of(f);
    for (uint32_t h = 0; h < 50; h++) {
        uint32_t a[6], b[6];
        ASSERT_EQ(weft_routes_path(r.get(), 1, 100, h, a, 6), 6u);
        ASSERT_EQ(weft_routes_path(again.get(), 1, 100, h, b, 6), 6u);
        EXPECT_TRUE(std::equal(a, a + 6, b));
    }
}

TEST(Routes, EcmpSpreadsFlowsEvenlyOverAllPaths)
{
    // k = 8: 4 aggregation switches x 4 cores = 16 paths between pods.
    Fabric f = build("fat-tree", {{"k", "8"}});
    Routes r = routes_of(f);
    std::map<uint32_t, uint64_t> by_core;
    weft_rng rng = weft_rng_stream(7, "flows", 0);
    const int flows = 32000;
    for (int i = 0; i < flows; i++) {
        uint32_t p[6];
        ASSERT_EQ(
            weft_routes_path(r.get(), 0, 127, static_cast<uint32_t>(weft_rng_u64(&rng)), p, 6), 6u);
        by_core[peer_of(f, p[2])]++;
    }
    ASSERT_EQ(by_core.size(), 16u);
    std::vector<uint64_t> counts;
    for (auto &[core, c] : by_core)
        counts.push_back(c);
    EXPECT_LT(chi_square(counts), 37.7) << "15 degrees of freedom, p = 0.001";
}

TEST(Routes, EcmpSpreadsConsecutiveHashesToo)
{
    std::vector<uint64_t> counts(7);
    for (uint32_t h = 0; h < 70000; h++)
        counts[weft_ecmp_pick(h, 5, 7)]++;
    EXPECT_LT(chi_square(counts), 22.5) << "6 degrees of freedom, p = 0.001";
}

TEST(Routes, NodesChooseIndependently)
{
    // Flows that node 3 sends to its port 0 must not all agree at node 4 (polarisation).
    std::vector<uint64_t> counts(8);
    for (uint32_t h = 0; h < 64000; h++)
        if (weft_ecmp_pick(h, 3, 8) == 0)
            counts[weft_ecmp_pick(h, 4, 8)]++;
    EXPECT_LT(chi_square(counts), 24.4) << "7 degrees of freedom, p = 0.001";
}

TEST(Routes, ParallelLinksAreBothUsed)
{
    Fabric f =
        build("leaf-spine",
              {{"hosts-per-leaf", "1"}, {"leaves", "2"}, {"spines", "1"}, {"links-per-pair", "2"}});
    Routes r = routes_of(f);
    std::map<uint32_t, uint64_t> up, down;
    for (uint32_t h = 0; h < 10000; h++) {
        uint32_t p[4];
        ASSERT_EQ(weft_routes_path(r.get(), 0, 1, h, p, 4), 4u);
        up[p[1]]++;
        down[p[2]]++;
    }
    ASSERT_EQ(up.size(), 2u);
    ASSERT_EQ(down.size(), 2u);
    for (auto *m : {&up, &down})
        for (auto &[port, c] : *m)
            EXPECT_NEAR(static_cast<double>(c), 5000.0, 165.0) << "3.3 sigma";
}

TEST(Routes, RefuseAnUnfinishedFabric)
{
    Fabric f(weft_fabric_new());
    weft_err err{};
    EXPECT_EQ(weft_routes_new(f.get(), &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INTERNAL);
}

TEST(Routes, MemoryIsSwitchesTimesEdgeSwitches)
{
    // 80 switches x 32 classes, not 80 x 128 hosts: one word per entry and little else.
    Fabric f = build("fat-tree", {{"k", "8"}});
    Routes r = routes_of(f);
    EXPECT_GE(weft_routes_bytes(r.get()), 80u * 32u * 4u);
    EXPECT_LT(weft_routes_bytes(r.get()),
              80u * 32u * 4u + 16u * f->nports + 24u * f->nhosts + 16384u);
}
