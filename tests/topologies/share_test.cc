// SPDX-License-Identifier: GPL-2.0-only
// A graph and its routes once for two processes: they are what they were.
#include "topo.h"

#include "../pair.h"

#include "base/shared.h"

using namespace weft_test;

namespace
{

/// All that is read of both, in numbers.
std::vector<uint64_t> all_of(const weft_fabric *f, const weft_routes *r)
{
    std::vector<uint64_t> v;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const weft_fabric_node &n = f->nodes[i];
        v.insert(v.end(), {n.kind, n.tier, n.host, n.first_port, n.nports});
        for (uint32_t d = 0; d < f->nhosts; d++) {
            const weft_route_group g = weft_routes_lookup(r, i, d);
            v.push_back(g.n);
            v.insert(v.end(), g.ports, g.ports + g.n);
        }
    }
    for (uint32_t i = 0; i < f->nports; i++)
        v.insert(v.end(), {f->ports[i].node, f->ports[i].link, f->ports[i].peer});
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const weft_fabric_link &l = f->links[i];
        v.insert(v.end(), {l.a, l.b, l.rate_bps, static_cast<uint64_t>(l.delay_ps), l.dim, l.cost});
    }
    v.insert(v.end(), f->hosts, f->hosts + f->nhosts);
    return v;
}

bool stays(const weft_peers &peers, const char *name, const Settings &settings)
{
    weft_err err = {};
    const Fabric f = build(name, settings);
    const Routes r = routes_of(f);
    const std::vector<uint64_t> before = all_of(f.get(), r.get());
    const void *nodes = f->nodes, *group = weft_routes_lookup(r.get(), 0, 1).ports;
    if (weft_fabric_share(f.get(), &peers, &err) || weft_routes_share(r.get(), &peers, &err))
        return false;
    // those of instances of dimensions are each one's own
    const bool moved = weft_routes_lookup(r.get(), 0, 1).ports != group;
    const bool well = f->nodes != nodes && moved == !weft_routes_by_dims(r.get()) &&
                      all_of(f.get(), r.get()) == before;
    weft_fabric_unread(f.get());
    weft_routes_unread(r.get());
    return well && all_of(f.get(), r.get()) == before && weft_routes_bytes(r.get()) > 0;
}

} // namespace

TEST(Share, AGraphAndItsRoutesStayWhatTheyAre)
{
    Pair::run([](const weft_peers &p) { return stays(p, "fat-tree", {{"k", "8"}}); });
    Pair::run([](const weft_peers &p) { return stays(p, "ring", {{"size", "6"}}); });
    Pair::run([](const weft_peers &p) {
        return stays(p, "multi", {{"dimensions", "switch size=2; torus shape=3x5 vcs=1"}});
    });
}
