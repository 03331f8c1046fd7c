// SPDX-License-Identifier: GPL-2.0-only
// Route tables against a brute-force oracle, on random graphs with everything in them: hosts with
// several links, parallel links, direct links between hosts, islands, spare switches.
#include "topo.h"

#include "base/rng.h"

#include <algorithm>
#include <deque>

using namespace weft_test;

namespace
{

constexpr uint32_t FAR = UINT32_MAX;

/// Per link, whether it is down; empty: none.
using Down = std::vector<uint8_t>;

bool is_up(const Fabric &f, const Down &down, uint32_t port)
{
    return down.empty() || !down[f->ports[port].link];
}

/// Links from each node to `dst` when no host but the source and dst may be on the way.
std::vector<uint32_t> distances(const Fabric &f, uint32_t dst, const Down &down = {})
{
    std::vector<uint32_t> d(f->nnodes, FAR);
    std::deque<uint32_t> queue = {dst};
    d[dst] = 0;
    while (!queue.empty()) {
        const uint32_t x = queue.front();
        queue.pop_front();
        if (x != dst && f->nodes[x].kind == WEFT_NODE_HOST)
            continue;
        for (uint32_t p = f->nodes[x].first_port; p < f->nodes[x].first_port + f->nodes[x].nports;
             p++) {
            const uint32_t y = peer_of(f, p);
            if (d[y] == FAR && is_up(f, down, p)) {
                d[y] = d[x] + 1;
                queue.push_back(y);
            }
        }
    }
    return d;
}

/// The ports that the oracle allows; `d` as above.
std::vector<uint32_t> best_ports(const Fabric &f, const std::vector<uint32_t> &d, uint32_t dst,
                                 uint32_t node, const Down &down = {})
{
    std::vector<uint32_t> ports;
    if (node == dst || d[node] == FAR)
        return ports;
    for (uint32_t p = f->nodes[node].first_port;
         p < f->nodes[node].first_port + f->nodes[node].nports; p++) {
        const uint32_t y = peer_of(f, p);
        if ((y == dst || f->nodes[y].kind == WEFT_NODE_SWITCH) && d[y] != FAR &&
            d[y] + 1 == d[node] && is_up(f, down, p))
            ports.push_back(p);
    }
    return ports;
}

/// A random graph, not finished.
Fabric random_graph(uint64_t seed)
{
    weft_rng rng = weft_rng_stream(seed, "graph", 0);
    Fabric f(weft_fabric_new());
    const uint32_t n = 2 + static_cast<uint32_t>(weft_rng_below(&rng, 48));
    const uint64_t host_share = weft_rng_below(&rng, 100);
    for (uint32_t i = 0; i < n; i++)
        weft_fabric_add_node(
            f.get(), weft_rng_below(&rng, 100) < host_share ? WEFT_NODE_HOST : WEFT_NODE_SWITCH, 0,
            nullptr, nullptr);
    const uint64_t direct_share = weft_rng_below(&rng, 2) ? 100 : 5;
    const uint64_t links = n + weft_rng_below(&rng, 4 * n);
    for (uint64_t i = 0; i < links; i++) {
        const uint32_t a = static_cast<uint32_t>(weft_rng_below(&rng, n));
        const uint32_t b = static_cast<uint32_t>(weft_rng_below(&rng, n));
        const bool direct =
            f->nodes[a].kind == WEFT_NODE_HOST && f->nodes[b].kind == WEFT_NODE_HOST;
        if (a == b || (direct && weft_rng_below(&rng, 100) >= direct_share))
            continue;
        weft_fabric_link l{a, b, 1, 0, 0.0, 0};
        for (uint64_t k = weft_rng_below(&rng, 5) == 0 ? 2 : 1; k > 0; k--)
            weft_fabric_add_link(f.get(), &l, nullptr, nullptr);
    }
    return f;
}

} // namespace

TEST(RoutesOracle, RandomGraphs)
{
    int accepted = 0, refused = 0, uneven = 0, direct = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        SCOPED_TRACE(seed);
        Fabric f = random_graph(seed);
        weft_err err{};
        const int rc = weft_fabric_finish(f.get(), &err);
        if (f->nhosts == 0) {
            ASSERT_EQ(rc, WEFT_E_INPUT);
            continue;
        }
        std::vector<std::vector<uint32_t>> d;
        bool connected = true;
        for (uint32_t h = 0; h < f->nhosts; h++) {
            d.push_back(distances(f, f->hosts[h]));
            for (uint32_t g = 0; g < f->nhosts; g++)
                connected = connected && d[h][f->hosts[g]] != FAR;
        }
        ASSERT_EQ(rc, connected ? 0 : WEFT_E_INPUT) << err.msg;
        connected ? accepted++ : refused++;
        if (!connected)
            continue;
        Routes r = routes_of(f);
        for (uint32_t h = 0; h < f->nhosts; h++) {
            for (uint32_t x = 0; x < f->nnodes; x++) {
                const weft_route_group g = weft_routes_lookup(r.get(), x, h);
                const std::vector<uint32_t> got(g.ports, g.ports + g.n);
                const std::vector<uint32_t> want = best_ports(f, d[h], f->hosts[h], x);
                ASSERT_EQ(got, want) << "node " << x << " to host " << h;
                uneven += f->nodes[x].kind == WEFT_NODE_HOST && !want.empty() &&
                          want.size() < f->nodes[x].nports;
                direct += f->nodes[x].kind == WEFT_NODE_HOST && d[h][x] == 1;
            }
            for (uint32_t g = 0; g < f->nhosts; g++)
                ASSERT_EQ(weft_routes_hops(r.get(), g, h), d[h][f->hosts[g]]);
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 300);
    EXPECT_GT(uneven, 1000) << "hosts that use only some of their ports";
    EXPECT_GT(direct, 1000) << "direct links";
}

// The same graphs with some links down. A host with one port that works doesn't know what lies
// behind it, so that port is right too where there is no path.
TEST(RoutesOracle, RandomGraphsWithLinksDown)
{
    int checked = 0, cut = 0, other = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        SCOPED_TRACE(seed);
        Fabric f = random_graph(seed);
        weft_err err{};
        if (weft_fabric_finish(f.get(), &err) || f->nlinks == 0)
            continue;
        weft_rng rng = weft_rng_stream(seed, "down", 0);
        const uint64_t share = 1 + weft_rng_below(&rng, 60);
        Down down(f->nlinks);
        for (auto &l : down)
            l = weft_rng_below(&rng, 100) < share;
        Routes r(weft_routes_new_without(f.get(), down.data(), &err));
        ASSERT_NE(r, nullptr) << err.msg;
        Routes whole = routes_of(f);
        for (uint32_t h = 0; h < f->nhosts; h++) {
            const auto d = distances(f, f->hosts[h], down);
            for (uint32_t x = 0; x < f->nnodes; x++) {
                const weft_route_group g = weft_routes_lookup(r.get(), x, h);
                const std::vector<uint32_t> got(g.ports, g.ports + g.n);
                std::vector<uint32_t> want = best_ports(f, d, f->hosts[h], x, down);
                const weft_fabric_node &node = f->nodes[x];
                if (x != f->hosts[h] && d[x] == FAR && node.kind == WEFT_NODE_HOST &&
                    node.nports == 1 && is_up(f, down, node.first_port) && got.size() == 1)
                    want = {node.first_port};
                ASSERT_EQ(got, want) << "node " << x << " to host " << h;
                checked++;
                cut += d[x] == FAR && distances(f, f->hosts[h])[x] != FAR;
                const weft_route_group w = weft_routes_lookup(whole.get(), x, h);
                other += d[x] != FAR && got != std::vector<uint32_t>(w.ports, w.ports + w.n);
            }
        }
    }
    EXPECT_GT(checked, 50000);
    EXPECT_GT(cut, 1000) << "pairs that lose their last path";
    EXPECT_GT(other, 1000) << "groups that change";
}

TEST(RoutesOracle, DualHomedHostsUseBothLeaves)
{
    // Two leaves, one spine; every host on both leaves.
    Fabric f(weft_fabric_new());
    for (int i = 0; i < 4; i++)
        weft_fabric_add_node(f.get(), WEFT_NODE_HOST, 0, nullptr, nullptr);
    for (int i = 0; i < 3; i++)
        weft_fabric_add_node(f.get(), WEFT_NODE_SWITCH, 1, nullptr, nullptr);
    for (uint32_t h = 0; h < 4; h++) {
        for (uint32_t s : {4u, 5u}) {
            weft_fabric_link l{h, s, 1, 0, 0.0, 0};
            weft_fabric_add_link(f.get(), &l, nullptr, nullptr);
        }
    }
    ASSERT_EQ(weft_fabric_finish(f.get(), nullptr), 0);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_lookup(r.get(), 0, 3).n, 2u);
    EXPECT_EQ(weft_routes_lookup(r.get(), 4, 3).n, 1u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 3), 2u);
    EXPECT_EQ(weft_routes_lookup(r.get(), 6, 3).n, 0u) << "a switch without links";
}

TEST(RoutesOracle, HostsWithTheSameNeighbourHostAreToldApart)
{
    // Hosts 0, 1, 2 and a switch: 1 and 2 have the same neighbours in the same order.
    Fabric f(weft_fabric_new());
    for (int i = 0; i < 3; i++)
        weft_fabric_add_node(f.get(), WEFT_NODE_HOST, 0, nullptr, nullptr);
    weft_fabric_add_node(f.get(), WEFT_NODE_SWITCH, 1, nullptr, nullptr);
    for (auto [a, b] : {std::pair<uint32_t, uint32_t>{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
        weft_fabric_link l{a, b, 1, 0, 0.0, 0};
        weft_fabric_add_link(f.get(), &l, nullptr, nullptr);
    }
    ASSERT_EQ(weft_fabric_finish(f.get(), nullptr), 0);
    Routes r = routes_of(f);
    for (uint32_t d : {1u, 2u}) {
        const weft_route_group g = weft_routes_lookup(r.get(), 0, d);
        ASSERT_EQ(g.n, 1u);
        EXPECT_EQ(peer_of(f, g.ports[0]), d);
        EXPECT_EQ(weft_routes_hops(r.get(), 0, d), 1u);
    }
    EXPECT_EQ(weft_routes_hops(r.get(), 1, 2), 2u) << "through the switch, not through host 0";
}
