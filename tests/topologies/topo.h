// SPDX-License-Identifier: GPL-2.0-only
// Building fabrics and routes in tests.
#ifndef WEFT_TESTS_TOPOLOGIES_TOPO_H
#define WEFT_TESTS_TOPOLOGIES_TOPO_H

#include "base/units.h"
#include "topologies/routes.h"
#include "topologies/topology.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_test
{

struct FabricFree {
    void operator()(weft_fabric *f) const
    {
        weft_fabric_free(f);
    }
};
struct RoutesFree {
    void operator()(weft_routes *r) const
    {
        weft_routes_free(r);
    }
};
using Fabric = std::unique_ptr<weft_fabric, FabricFree>;
using Routes = std::unique_ptr<weft_routes, RoutesFree>;
using Settings = std::vector<std::pair<std::string, std::string>>;

inline std::string text(const weft_err &err)
{
    char buf[2048];
    return weft_err_format(&err, buf, sizeof buf);
}

/// Builds a fabric; on failure returns null and fills *err.
inline Fabric try_build(const char *name, const Settings &settings, weft_err *err)
{
    const weft_topology_ops *ops = weft_topology_find(name, err);
    if (!ops)
        return nullptr;
    std::vector<unsigned char> params(ops->params.struct_size + 1);
    if (weft_params_defaults(&ops->params, params.data(), err))
        return nullptr;
    for (const auto &[key, value] : settings)
        if (weft_params_set(&ops->params, params.data(), key.c_str(), value.c_str(), err))
            return nullptr;
    weft_fabric *f = nullptr;
    return Fabric(weft_topology_build(ops, params.data(), &f, err) == 0 ? f : nullptr);
}

inline Fabric build(const char *name, const Settings &settings = {})
{
    weft_err err{};
    Fabric f = try_build(name, settings, &err);
    EXPECT_NE(f, nullptr) << text(err);
    return f;
}

inline Routes routes_of(const Fabric &f)
{
    weft_err err{};
    Routes r(weft_routes_new(f.get(), &err));
    EXPECT_NE(r, nullptr) << text(err);
    return r;
}

inline uint32_t peer_of(const Fabric &f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/// The checks that every finished fabric passes: the numbering of fabric.h.
inline void expect_numbered(const Fabric &f)
{
    ASSERT_EQ(f->nports, 2 * f->nlinks);
    uint32_t next = 0, hosts = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        ASSERT_EQ(f->nodes[i].first_port, next);
        next += f->nodes[i].nports;
        if (f->nodes[i].kind == WEFT_NODE_HOST) {
            ASSERT_EQ(f->hosts[hosts], i);
            ASSERT_EQ(f->nodes[i].host, hosts);
            ASSERT_EQ(f->nodes[i].tier, 0u);
            hosts++;
        } else {
            ASSERT_EQ(f->nodes[i].host, UINT32_MAX);
        }
        uint32_t last_link = 0;
        for (uint32_t p = f->nodes[i].first_port; p < next; p++) {
            ASSERT_EQ(f->ports[p].node, i);
            ASSERT_EQ(f->ports[f->ports[p].peer].peer, p);
            ASSERT_EQ(f->ports[f->ports[p].peer].link, f->ports[p].link);
            const weft_fabric_link &l = f->links[f->ports[p].link];
            ASSERT_TRUE((l.a == i && l.b == peer_of(f, p)) || (l.b == i && l.a == peer_of(f, p)));
            ASSERT_TRUE(p == f->nodes[i].first_port || f->ports[p].link > last_link);
            last_link = f->ports[p].link;
        }
    }
    ASSERT_EQ(next, f->nports);
    ASSERT_EQ(hosts, f->nhosts);
    ASSERT_EQ(f->nswitches + f->nhosts, f->nnodes);
}

/// Switches of a tier.
inline uint32_t count_tier(const Fabric &f, uint32_t tier)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nnodes; i++)
        n += f->nodes[i].kind == WEFT_NODE_SWITCH && f->nodes[i].tier == tier;
    return n;
}

/// A flow's path is connected, ends at dst and has the shortest length.
inline void expect_path(const Fabric &f, const Routes &r, uint32_t src, uint32_t dst, uint32_t hash)
{
    uint32_t ports[64];
    const uint32_t n = weft_routes_path(r.get(), src, dst, hash, ports, 64);
    ASSERT_EQ(n, weft_routes_hops(r.get(), src, dst)) << src << "->" << dst;
    uint32_t node = f->hosts[src];
    for (uint32_t i = 0; i < n; i++) {
        ASSERT_EQ(f->ports[ports[i]].node, node);
        node = peer_of(f, ports[i]);
        ASSERT_TRUE(i + 1 == n || weft_fabric_forwards(f.get(), node)) << "a host transits";
    }
    ASSERT_EQ(node, f->hosts[dst]);
}

/// Every pair, a few hashes each.
inline void expect_all_pairs(const Fabric &f, const Routes &r)
{
    for (uint32_t s = 0; s < f->nhosts; s++)
        for (uint32_t d = 0; d < f->nhosts; d++)
            for (uint32_t h = 0; h < 3; h++)
                ASSERT_NO_FATAL_FAILURE(expect_path(f, r, s, d, (s * 7919u + d) * 31u + h));
}

} // namespace weft_test

#endif
