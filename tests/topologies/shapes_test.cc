// SPDX-License-Identifier: GPL-2.0-only
// Generators against formulas, several sizes each: hosts, switches, links, degrees, diameter,
// bisection bandwidth, dimensions. Rates are 100 Gbps unless given.
#include "topo.h"

#include "topologies/deadlock.h"
#include "topologies/measure.h"

#include <algorithm>
#include <array>
#include <cstdint>

using namespace weft_test;

namespace
{

constexpr uint64_t G = 1000000000;
constexpr uint64_t R = 100 * G;

struct Expected {
    uint32_t hosts, switches, links;
    uint32_t min_degree, max_degree; // links of a host
    uint32_t diameter;               // links on the longest route
    uint64_t bisection_bps;
    std::vector<uint32_t> dims;
};

struct Case {
    const char *name;
    Settings settings;
    Expected want;
};

std::string describe(const Case &c)
{
    std::string s = c.name;
    for (const auto &[k, v] : c.settings)
        s += " " + k + "=" + v;
    return s;
}

// Degrees, symmetry of both directions, dimensions.
void expect_shape(const Fabric &f, const Expected &w)
{
    EXPECT_EQ(f->nhosts, w.hosts);
    EXPECT_EQ(f->nswitches, w.switches);
    EXPECT_EQ(f->nlinks, w.links);
    uint32_t lo = UINT32_MAX, hi = 0;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        lo = std::min(lo, f->nodes[f->hosts[h]].nports);
        hi = std::max(hi, f->nodes[f->hosts[h]].nports);
    }
    EXPECT_EQ(lo, w.min_degree);
    EXPECT_EQ(hi, w.max_degree);
    ASSERT_EQ(f->ndims, w.dims.size());
    for (uint32_t d = 0; d < f->ndims; d++)
        EXPECT_EQ(f->dims[d].size, w.dims[d]) << "dimension " << d;
}

void check(const std::vector<Case> &cases)
{
    ASSERT_GE(cases.size(), 5u);
    for (const Case &c : cases) {
        SCOPED_TRACE(describe(c));
        Settings s = c.settings;
        const weft_topology_ops *ops = weft_topology_find(c.name, nullptr);
        ASSERT_NE(ops, nullptr);
        for (size_t i = 0; i < ops->params.n; i++) {
            const weft_param &p = ops->params.params[i];
            if (p.type == WEFT_PARAM_RATE &&
                std::none_of(s.begin(), s.end(), [&](auto &kv) { return kv.first == p.name; }))
                s.emplace_back(p.name, "100Gbps");
        }
        Fabric f = build(c.name, s);
        ASSERT_NE(f, nullptr);
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        ASSERT_NO_FATAL_FAILURE(expect_shape(f, c.want));
        Routes r = routes_of(f);
        ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
        weft_err err{};
        weft_path_figures paths;
        ASSERT_EQ(weft_fabric_path_figures(r.get(), f.get(), 1u << 24, &paths, &err), 0);
        EXPECT_EQ(paths.diameter, c.want.diameter);
        EXPECT_GE(paths.min_paths, 1u);
        uint64_t bps = 0;
        ASSERT_EQ(weft_fabric_bisection_bps(f.get(), &bps, &err), 0);
        EXPECT_EQ(bps, c.want.bisection_bps);
        // Two virtual channels where there are circles, and what is said to have none has none.
        for (uint32_t d = 0; d < f->ndims; d++)
            f->dims[d].acyclic = false;
        EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), 0) << text(err);
        // The same backwards: every link carries as much either way.
        for (uint32_t a = 0; a < f->nhosts; a += 3)
            for (uint32_t b = 0; b < f->nhosts; b += 5)
                EXPECT_EQ(weft_routes_hops(r.get(), a, b), weft_routes_hops(r.get(), b, a));
    }
}

} // namespace

TEST(Shapes, Ring)
{
    std::vector<Case> cases;
    for (uint32_t n : {2u, 3u, 4u, 8u, 9u, 16u})
        cases.push_back({"ring",
                         {{"size", std::to_string(n)}},
                         {n,
                          0,
                          n == 2 ? 1 : n,
                          n == 2 ? 1u : 2u,
                          n == 2 ? 1u : 2u,
                          n / 2,
                          n == 2  ? R
                          : n % 2 ? 2 * R
                                  : 2 * R,
                          {n}}});
    cases.push_back({"ring", {{"size", "8"}, {"links", "2"}}, {8, 0, 16, 4, 4, 4, 4 * R, {8}}});
    check(cases);
}

TEST(Shapes, Torus)
{
    check({{"torus", {{"shape", "8"}}, {8, 0, 8, 2, 2, 4, 2 * R, {8}}},
           {"torus", {{"shape", "4x4"}}, {16, 0, 32, 4, 4, 4, 8 * R, {4, 4}}},
           {"torus", {{"shape", "2x2x2"}}, {8, 0, 12, 3, 3, 3, 4 * R, {2, 2, 2}}},
           {"torus", {{"shape", "4x4x4"}}, {64, 0, 192, 6, 6, 6, 32 * R, {4, 4, 4}}},
           {"torus", {{"shape", "3x6"}}, {18, 0, 36, 4, 4, 4, 6 * R, {3, 6}}},
           {"torus", {{"shape", "2x2x2x4"}}, {32, 0, 80, 5, 5, 5, 16 * R, {2, 2, 2, 4}}}});
}

TEST(Shapes, Mesh)
{
    check({{"mesh", {{"shape", "2"}}, {2, 0, 1, 1, 1, 1, R, {2}}},
           {"mesh", {{"shape", "8"}}, {8, 0, 7, 1, 2, 7, R, {8}}},
           {"mesh", {{"shape", "4x4"}}, {16, 0, 24, 2, 4, 6, 4 * R, {4, 4}}},
           {"mesh", {{"shape", "3x4"}}, {12, 0, 17, 2, 4, 5, 3 * R, {3, 4}}},
           {"mesh", {{"shape", "3x3x2"}}, {18, 0, 33, 3, 5, 5, 9 * R, {3, 3, 2}}}});
}

TEST(Shapes, Hypercube)
{
    std::vector<Case> cases;
    for (uint32_t n = 1; n <= 6; n++)
        cases.push_back({"hypercube",
                         {{"order", std::to_string(n)}},
                         {1u << n, 0, n << (n - 1), n, n, n, (uint64_t{1} << (n - 1)) * R,
                          std::vector<uint32_t>(n, 2)}});
    check(cases);
}

TEST(Shapes, FullyConnected)
{
    std::vector<Case> cases;
    for (uint32_t n : {2u, 4u, 6u, 8u, 16u})
        cases.push_back({"fully-connected",
                         {{"size", std::to_string(n)}},
                         {n, 0, n * (n - 1) / 2, n - 1, n - 1, 1, n / 2 * (n / 2) * R, {n}}});
    check(cases);
}

TEST(Shapes, Switch)
{
    std::vector<Case> cases;
    for (uint32_t n : {2u, 4u, 8u, 16u, 32u})
        for (uint32_t s : {1u, 4u})
            cases.push_back({"switch",
                             {{"size", std::to_string(n)}, {"switches", std::to_string(s)}},
                             {n, s, n * s, s, s, 2, n / 2 * s * R, {n}}});
    check(cases);
}

TEST(Shapes, FatTree)
{
    std::vector<Case> cases;
    for (uint32_t k : {2u, 4u, 6u, 8u}) {
        uint32_t h = k * k * k / 4;
        cases.push_back({"fat-tree",
                         {{"k", std::to_string(k)}},
                         {h, 5 * k * k / 4, 3 * h, 1, 1, 6, h / 2 * R, {h}}});
    }
    for (uint32_t k : {4u, 8u, 16u}) {
        uint32_t h = k * k / 2;
        cases.push_back({"fat-tree",
                         {{"k", std::to_string(k)}, {"tiers", "2"}},
                         {h, k + k / 2, 2 * h, 1, 1, 4, h / 2 * R, {h}}});
    }
    // ConWeave's fat_k4_100G_OS2 and fat_k8_100G_OS2.
    cases.push_back(
        {"fat-tree", {{"k", "4"}, {"oversubscription", "2"}}, {32, 20, 64, 1, 1, 6, 8 * R, {32}}});
    cases.push_back({"fat-tree",
                     {{"k", "8"}, {"oversubscription", "2"}},
                     {256, 80, 512, 1, 1, 6, 64 * R, {256}}});
    check(cases);
}

TEST(Shapes, LeafSpine)
{
    std::vector<Case> cases;
    for (auto [l, s, h] :
         {std::array{2u, 1u, 4u}, {4u, 4u, 4u}, {4u, 2u, 8u}, {8u, 8u, 2u}, {6u, 3u, 5u}})
        cases.push_back(
            {"leaf-spine",
             {{"leaves", std::to_string(l)},
              {"spines", std::to_string(s)},
              {"hosts-per-leaf", std::to_string(h)}},
             {l * h, l + s, l * h + l * s, 1, 1, 4, l / 2 * std::min(h, s) * R, {l * h}}});
    check(cases);
}

TEST(Shapes, RailOptimised)
{
    check({{"rail-optimised",
            {{"rails", "8"}, {"nodes", "4"}, {"spines", "4"}},
            {32, 12, 64, 1, 1, 4, 16 * R, {32}}},
           {"rail-optimised",
            {{"rails", "2"}, {"nodes", "2"}, {"spines", "1"}},
            {4, 3, 6, 1, 1, 4, 2 * R, {4}}},
           {"rail-optimised", {{"rails", "1"}, {"nodes", "8"}}, {8, 1, 8, 1, 1, 2, 4 * R, {8}}},
           // Two leaves per rail of 4 nodes each: half crosses 4 spines from 4 leaves.
           {"rail-optimised",
            {{"rails", "4"}, {"nodes", "8"}, {"nodes-per-leaf", "4"}, {"spines", "2"}},
            {32, 10, 48, 1, 1, 4, 8 * R, {32}}},
           {"rail-optimised",
            {{"rails", "8"}, {"nodes", "16"}, {"nodes-per-leaf", "8"}, {"spines", "8"}},
            {128, 24, 256, 1, 1, 4, 64 * R, {128}}}});
}

TEST(Shapes, DualPlane)
{
    // Half of the NPUs are in the first segment; its ToRs have `aggregations` uplinks each.
    check({{"dual-plane",
            {{"rails", "8"}, {"segments", "2"}, {"nodes", "4"}},
            {64, 40, 256, 2, 2, 4, 64 * R, {64}}},
           {"dual-plane",
            {{"rails", "8"}, {"segments", "2"}, {"nodes", "4"}, {"dual-plane", "false"}},
            {64, 36, 256, 2, 2, 4, 64 * R, {64}}},
           {"dual-plane",
            {{"rails", "2"}, {"segments", "2"}, {"nodes", "8"}, {"aggregations", "3"}},
            {32, 14, 88, 2, 2, 4, 12 * R, {32}}},
           {"dual-plane",
            {{"rails", "1"}, {"segments", "4"}, {"nodes", "2"}, {"aggregations", "1"}},
            {8, 10, 24, 2, 2, 4, 4 * R, {8}}},
           {"dual-plane",
            {{"rails", "4"},
             {"segments", "2"},
             {"nodes", "2"},
             {"links-per-pair", "2"},
             {"aggregations", "2"}},
            {16, 20, 96, 2, 2, 4, 16 * R, {16}}}});
}

TEST(Shapes, HyperX)
{
    // Half the switches on either side of the outermost dimension S: (S/2)^2 links for each of the
    // other coordinates, but no more than the NPUs of one half send.
    check({{"hyperx", {{"shape", "4"}, {"terminals", "1"}}, {4, 4, 10, 1, 1, 3, 2 * R, {4}}},
           {"hyperx", {{"shape", "4x4"}, {"terminals", "2"}}, {32, 16, 80, 1, 1, 4, 16 * R, {32}}},
           {"hyperx", {{"shape", "4x4"}, {"terminals", "4"}}, {64, 16, 112, 1, 1, 4, 16 * R, {64}}},
           {"hyperx", {{"shape", "2x2x2"}, {"terminals", "3"}}, {24, 8, 36, 1, 1, 5, 4 * R, {24}}},
           {"hyperx",
            {{"shape", "3x4"}, {"terminals", "4"}, {"links-per-pair", "2"}},
            {48, 12, 108, 1, 1, 4, 24 * R, {48}}}});
}

TEST(Shapes, Dragonfly)
{
    // Even numbers of groups: (g/2)^2 pairs of groups, each with a*h/(g-1) global links; no more
    // than what the NPUs send.
    auto links = [](uint32_t a, uint32_t p, uint32_t h, uint32_t g) {
        return g * (a * p + a * (a - 1) / 2) + g * a * h / 2;
    };
    check({{"dragonfly",
            {{"routers", "3"}, {"terminals", "2"}, {"global-links", "1"}},
            {24, 12, links(3, 2, 1, 4), 1, 1, 5, 4 * R, {24}}},
           {"dragonfly",
            {{"routers", "5"}, {"terminals", "2"}, {"global-links", "1"}},
            {60, 30, links(5, 2, 1, 6), 1, 1, 5, 9 * R, {60}}},
           {"dragonfly",
            {{"routers", "4"}, {"terminals", "2"}, {"global-links", "2"}, {"groups", "2"}},
            {16, 8, links(4, 2, 2, 2), 1, 1, 4, 8 * R, {16}}},
           {"dragonfly",
            {{"routers", "6"}, {"terminals", "3"}, {"global-links", "1"}, {"groups", "4"}},
            {72, 24, links(6, 3, 1, 4), 1, 1, 5, 8 * R, {72}}},
           {"dragonfly",
            {{"routers", "4"}, {"terminals", "1"}, {"global-links", "1"}, {"groups", "1"}},
            {4, 4, 4 + 6, 1, 1, 3, 2 * R, {4}}}});
}

TEST(Shapes, WithoutVirtualChannelsCirclesAreFound)
{
    weft_err err{};
    for (uint32_t n : {2u, 3u, 4u, 8u, 9u}) {
        Fabric f = build("ring", {{"size", std::to_string(n)}, {"vcs", "1"}});
        EXPECT_EQ(f->vcs, 1u);
        // Two links are the most that anyone goes on three NPUs: nobody waits for anybody.
        EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), n > 3 ? WEFT_E_INPUT : 0) << n;
    }
    Fabric d = build("dragonfly", {{"vcs", "1"}});
    EXPECT_EQ(weft_deadlock_check(d.get(), nullptr, &err), WEFT_E_INPUT);
    Fabric m = build("multi", {{"dimensions", "switch size=2; torus shape=3x5 vcs=1"}});
    EXPECT_EQ(weft_deadlock_check(m.get(), nullptr, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("dimension 2 (ring)"), std::string::npos) << err.msg;
}

// A ring that lost a link is a line: packets go the other way, dimension by dimension as before.
TEST(Shapes, WithOneLinkDownDimensionOrderHolds)
{
    weft_err err{};
    for (const Settings &s : {Settings{{"shape", "4x4"}}, Settings{{"shape", "3x3x4"}},
                              Settings{{"shape", "4x4"}, {"vcs", "1"}}}) {
        Fabric f = build("torus", s);
        const bool channels = f->vcs == 2;
        for (uint32_t l = 0; l < f->nlinks; l++) {
            std::vector<uint8_t> down(f->nlinks);
            down[l] = 1;
            Routes r(weft_routes_new_without(f.get(), down.data(), &err));
            ASSERT_NE(r, nullptr) << err.msg;
            EXPECT_TRUE(weft_routes_by_dims(r.get()));
            ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
            uint32_t longest = 0;
            for (uint32_t a = 0; a < f->nhosts; a++)
                for (uint32_t b = 0; b < f->nhosts; b++) {
                    uint32_t ports[32], dim = 0;
                    uint32_t n = weft_routes_path(r.get(), a, b, 1, ports, 32);
                    longest = std::max(longest, n);
                    for (uint32_t i = 0; i < n; i++) {
                        EXPECT_NE(f->ports[ports[i]].link, l);
                        EXPECT_GE(f->links[f->ports[ports[i]].link].dim, dim);
                        dim = f->links[f->ports[ports[i]].link].dim;
                    }
                }
            // Along the line of 4 (3 links) instead of around (2), then as far as before.
            if (channels && f->ndims == 2) {
                EXPECT_EQ(longest, 5u);
            }
            EXPECT_EQ(weft_deadlock_check(f.get(), down.data(), &err), channels ? 0 : WEFT_E_INPUT)
                << text(err);
        }
    }
}

// Two links of one ring cut it in pieces: packets leave dimension order, every pair still has a
// path, and the circle that these paths close is found.
TEST(Shapes, ARingInPiecesIsRoutedAroundAndChecked)
{
    weft_err err{};
    Fabric f = build("torus", {{"shape", "4x4"}});
    std::vector<uint8_t> down(f->nlinks);
    for (uint32_t l = 0; l < f->nlinks; l++)
        if ((f->links[l].a == 0 && f->links[l].b == 1) ||
            (f->links[l].a == 2 && f->links[l].b == 3))
            down[l] = 1;
    ASSERT_EQ(std::count(down.begin(), down.end(), 1), 2);
    Routes r(weft_routes_new_without(f.get(), down.data(), &err));
    ASSERT_NE(r, nullptr) << err.msg;
    EXPECT_FALSE(weft_routes_by_dims(r.get()));
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 3u);
    EXPECT_EQ(weft_deadlock_check(f.get(), down.data(), &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("wait for each other in a circle: h"), std::string::npos)
        << err.msg;
}

// Up-down routes stay up-down without any one switch.
TEST(Shapes, AClosWithoutASwitchHasNoCircle)
{
    weft_err err{};
    for (const char *name : {"leaf-spine", "fat-tree", "rail-optimised", "dual-plane"}) {
        SCOPED_TRACE(name);
        Fabric f = build(name);
        for (uint32_t s = 0; s < f->nnodes; s++) {
            if (f->nodes[s].kind != WEFT_NODE_SWITCH || f->nodes[s].tier < 2)
                continue;
            std::vector<uint8_t> down(f->nlinks);
            for (uint32_t l = 0; l < f->nlinks; l++)
                down[l] = f->links[l].a == s || f->links[l].b == s;
            EXPECT_EQ(weft_deadlock_check(f.get(), down.data(), &err), 0)
                << "s" << s << " " << text(err);
        }
    }
}
