// SPDX-License-Identifier: GPL-2.0-only
// Irregular fabrics: hosts and switches joined at random, as files of weft and of the HPCC
// simulator.
#include "scenario.h"

#include <cstdio>

namespace
{

struct Edge {
    uint64_t a, b;
    std::string rate, delay;
};

struct Graph {
    uint64_t hosts, switches;
    std::vector<Edge> edges;
};

// A tree of switches with more links between them; each host at one switch or two, some at each
// other.
Graph draw_graph(Draw &d)
{
    const Taste taste(d);
    Graph g = {d.between(2, 12), d.between(1, 6), {}};
    auto add = [&](uint64_t a, uint64_t b) {
        if (a != b)
            g.edges.push_back({a, b, taste.rate(d), taste.delay(d)});
    };
    for (uint64_t s = 1; s < g.switches; s++)
        add(g.hosts + s, g.hosts + d.below(s));
    for (uint64_t more = d.below(2 * g.switches); more > 0; more--)
        add(g.hosts + d.below(g.switches), g.hosts + d.below(g.switches));
    const bool homed_twice = d.chance(30);
    for (uint64_t h = 0; h < g.hosts; h++) {
        add(h, g.hosts + d.below(g.switches));
        if (homed_twice && d.chance(60))
            add(h, g.hosts + d.below(g.switches));
    }
    if (d.chance(15))
        for (uint64_t more = d.below(5); more > 0; more--)
            add(d.below(g.hosts), d.below(g.hosts));
    return g;
}

// Hosts in a ring or a line, without a switch, which have to forward.
Graph draw_hosts(Draw &d)
{
    const Taste taste(d);
    Graph g = {d.between(3, 8), 0, {}};
    const bool closed = d.chance(60);
    for (uint64_t h = 0; h + (closed ? 0 : 1) < g.hosts; h++)
        g.edges.push_back({h, (h + 1) % g.hosts, taste.rate(d), taste.delay(d)});
    if (d.chance(40))
        g.edges.push_back({0, g.hosts / 2, taste.rate(d), taste.delay(d)});
    return g;
}

} // namespace

void write_graph(Maker &m, Scenario &s, const std::string &format)
{
    Draw &d = m.draw;
    const bool direct = d.chance(25);
    const Graph g = direct ? draw_hosts(d) : draw_graph(d);
    const bool hpcc = format == "hpcc";
    FILE *f = fopen((s.dir + (hpcc ? "/topology.txt" : "/topology.xml")).c_str(), "w");
    s.files = true;
    if (hpcc) {
        s.put("topology.type", "hpcc");
        s.put("hpcc.file", "topology.txt");
        if (direct || d.chance(20))
            s.put("hpcc.hosts-forward", "true");
        fprintf(f, "%llu %llu %zu\n", (unsigned long long)(g.hosts + g.switches),
                (unsigned long long)g.switches, g.edges.size());
        for (uint64_t i = 0; i < g.switches; i++)
            fprintf(f, "%llu ", (unsigned long long)(g.hosts + i));
        fputs("\n", f);
        for (const Edge &e : g.edges)
            fprintf(f, "%llu %llu %s %s %s\n", (unsigned long long)e.a, (unsigned long long)e.b,
                    e.rate.c_str(), e.delay.c_str(), d.chance(3) ? "0.001" : "0");
    } else {
        s.put("topology.type", "xml");
        s.put("xml.file", "topology.xml");
        fprintf(f, "<topology routing=\"%s\">\n", direct || d.chance(20) ? "transit" : "shortest");
        fprintf(f, "  <nodes kind=\"host\" count=\"%llu\"/>\n", (unsigned long long)g.hosts);
        if (g.switches)
            fprintf(f, "  <nodes kind=\"switch\" count=\"%llu\"/>\n",
                    (unsigned long long)g.switches);
        const bool costs = d.chance(20);
        for (const Edge &e : g.edges) {
            fprintf(f, "  <link a=\"%llu\" b=\"%llu\" rate=\"%s\" delay=\"%s\"",
                    (unsigned long long)e.a, (unsigned long long)e.b, e.rate.c_str(),
                    e.delay.c_str());
            if (costs)
                fprintf(f, " cost=\"%llu\"", (unsigned long long)d.between(1, 3));
            fputs("/>\n", f);
        }
        fputs("</topology>\n", f);
    }
    fclose(f);
}
