// SPDX-License-Identifier: GPL-2.0-only
// Counts, degrees, hops and group sizes of the generators against their formulae.
#include "topo.h"

using namespace weft_test;

namespace
{

std::string n(uint64_t v)
{
    return std::to_string(v);
}

void expect_degree(const Fabric &f, uint32_t tier, uint32_t degree)
{
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (f->nodes[i].kind == WEFT_NODE_SWITCH && f->nodes[i].tier == tier) {
            ASSERT_EQ(f->nodes[i].nports, degree) << "switch " << i;
        }
    }
}

} // namespace

TEST(SingleSwitch, IsAStar)
{
    for (uint32_t hosts : {1u, 2u, 33u}) {
        Fabric f = build("single-switch", {{"hosts", n(hosts)}});
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        EXPECT_EQ(f->nhosts, hosts);
        EXPECT_EQ(f->nswitches, 1u);
        EXPECT_EQ(f->nlinks, hosts);
        ASSERT_NO_FATAL_FAILURE(expect_degree(f, 1, hosts));
        Routes r = routes_of(f);
        for (uint32_t d = 1; d < hosts; d++)
            EXPECT_EQ(weft_routes_hops(r.get(), 0, d), 2u);
    }
}

TEST(Dumbbell, CrossesTheBottleneck)
{
    Fabric f = build("dumbbell", {{"left", "3"},
                                  {"right", "2"},
                                  {"host-rate", "100Gbps"},
                                  {"bottleneck-rate", "40Gbps"},
                                  {"host-delay", "1us"},
                                  {"bottleneck-delay", "5us"}});
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    EXPECT_EQ(f->nhosts, 5u);
    EXPECT_EQ(f->nswitches, 2u);
    EXPECT_EQ(f->nlinks, 6u);
    EXPECT_EQ(f->links[5].rate_bps, 40000000000u);
    EXPECT_EQ(f->links[5].delay_ps, 5 * WEFT_PS_PER_US);
    EXPECT_EQ(f->links[0].rate_bps, 100000000000u);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 2u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 3), 3u);
    EXPECT_EQ(weft_routes_hops(r.get(), 4, 3), 2u);
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
}

TEST(LeafSpine, CountsDegreesHopsAndGroups)
{
    struct {
        uint32_t hosts, leaves, spines, links;
    } sizes[] = {{4, 4, 4, 1}, {1, 2, 1, 1}, {16, 3, 5, 2}, {3, 7, 2, 4}, {2, 1, 3, 1}};
    for (auto z : sizes) {
        SCOPED_TRACE(testing::Message()
                     << z.hosts << " " << z.leaves << " " << z.spines << " " << z.links);
        Fabric f = build("leaf-spine", {{"hosts-per-leaf", n(z.hosts)},
                                        {"leaves", n(z.leaves)},
                                        {"spines", n(z.spines)},
                                        {"links-per-pair", n(z.links)}});
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        EXPECT_EQ(f->nhosts, z.hosts * z.leaves);
        EXPECT_EQ(count_tier(f, 1), z.leaves);
        EXPECT_EQ(count_tier(f, 2), z.spines);
        EXPECT_EQ(f->nlinks, z.hosts * z.leaves + z.leaves * z.spines * z.links);
        ASSERT_NO_FATAL_FAILURE(expect_degree(f, 1, z.hosts + z.spines * z.links));
        ASSERT_NO_FATAL_FAILURE(expect_degree(f, 2, z.leaves * z.links));
        Routes r = routes_of(f);
        ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
        const uint32_t leaf0 = f->nhosts, spine0 = leaf0 + z.leaves;
        for (uint32_t s = 0; s < f->nhosts; s++) {
            for (uint32_t d = 0; d < f->nhosts; d++) {
                const bool local = s / z.hosts == d / z.hosts;
                ASSERT_EQ(weft_routes_hops(r.get(), s, d), s == d ? 0u : local ? 2u : 4u);
                ASSERT_EQ(weft_routes_lookup(r.get(), s, d).n, s == d ? 0u : 1u);
                // The source's leaf: one port down, or every uplink.
                ASSERT_EQ(weft_routes_lookup(r.get(), leaf0 + s / z.hosts, d).n,
                          local ? 1u : z.spines * z.links);
            }
            // A spine: every parallel link to the leaf.
            ASSERT_EQ(weft_routes_lookup(r.get(), spine0, s).n, z.links);
        }
    }
}

TEST(FatTree, CountsDegreesHopsAndGroups)
{
    for (uint32_t k : {2u, 4u, 6u, 8u}) {
        SCOPED_TRACE(k);
        Fabric f = build("fat-tree", {{"k", n(k)}});
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        EXPECT_EQ(f->nhosts, k * k * k / 4);
        EXPECT_EQ(count_tier(f, 1), k * k / 2);
        EXPECT_EQ(count_tier(f, 2), k * k / 2);
        EXPECT_EQ(count_tier(f, 3), k * k / 4);
        EXPECT_EQ(f->nlinks, 3 * k * k * k / 4);
        for (uint32_t tier : {1, 2, 3}) {
            ASSERT_NO_FATAL_FAILURE(expect_degree(f, tier, k));
        }
        Routes r = routes_of(f);
        const uint32_t half = k / 2, per_pod = half * half;
        const uint32_t edge0 = f->nhosts, agg0 = edge0 + k * half, core0 = agg0 + k * half;
        for (uint32_t s = 0; s < f->nhosts; s++) {
            for (uint32_t d = 0; d < f->nhosts; d++) {
                const bool edge = s / half == d / half, pod = s / per_pod == d / per_pod;
                ASSERT_EQ(weft_routes_hops(r.get(), s, d), s == d ? 0u : edge ? 2u : pod ? 4u : 6u);
                ASSERT_NO_FATAL_FAILURE(expect_path(f, r, s, d, s * 2654435761u + d));
                ASSERT_EQ(weft_routes_lookup(r.get(), edge0 + s / half, d).n, edge ? 1u : half);
                ASSERT_EQ(weft_routes_lookup(r.get(), agg0 + s / per_pod * half, d).n,
                          pod ? 1u : half);
            }
            for (uint32_t c = core0; c < f->nnodes; c++)
                ASSERT_EQ(weft_routes_lookup(r.get(), c, s).n, 1u);
        }
    }
}

TEST(FatTree, AggregationSwitchesOfOneColumnShareTheirCores)
{
    Fabric f = build("fat-tree", {{"k", "4"}});
    // Switch j of each pod reaches cores 2j and 2j+1: two ports to cores, the last two of the four.
    const uint32_t agg0 = 16 + 8, core0 = 16 + 8 + 8;
    for (uint32_t a = 0; a < 8; a++) {
        const uint32_t p = f->nodes[agg0 + a].first_port;
        EXPECT_EQ(peer_of(f, p + 2), core0 + a % 2 * 2);
        EXPECT_EQ(peer_of(f, p + 3), core0 + a % 2 * 2 + 1);
    }
}

TEST(FatTree, RefusesAnOddK)
{
    weft_err err{};
    EXPECT_EQ(try_build("fat-tree", {{"k", "7"}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "fat-tree: k must be even and at least 2, got 7; nearest are 6 and 8");
    EXPECT_EQ(try_build("fat-tree", {{"k", "3"}}, &err), nullptr);
    EXPECT_STREQ(err.msg, "fat-tree: k must be even and at least 2, got 3; nearest are 2 and 4");
}

TEST(FatTree, TakesTheTwoRates)
{
    Fabric f =
        build("fat-tree", {{"k", "4"}, {"host-rate", "100Gbps"}, {"fabric-rate", "400Gbps"}});
    for (uint32_t l = 0; l < f->nlinks; l++)
        EXPECT_EQ(f->links[l].rate_bps, l < 16 ? 100000000000u : 400000000000u);
}

TEST(Generators, RefuseValuesOutOfRange)
{
    const struct {
        const char *topology, *key, *value;
    } bad[] = {{"single-switch", "hosts", "0"},
               {"single-switch", "hosts", "65537"},
               {"single-switch", "rate", "0"},
               {"single-switch", "rate", "400"},
               {"leaf-spine", "spines", "0"},
               {"leaf-spine", "leafs", "4"},
               {"leaf-spine", "links-per-pair", "-1"},
               {"dumbbell", "host-delay", "2s"},
               {"fat-tree", "k", "0"}};
    for (const auto &b : bad) {
        weft_err err{};
        EXPECT_EQ(try_build(b.topology, {{b.key, b.value}}, &err), nullptr)
            << b.key << "=" << b.value;
        EXPECT_EQ(err.code, WEFT_E_INPUT) << b.key << "=" << b.value;
    }
}
