// SPDX-License-Identifier: GPL-2.0-only
// Fabrics: every generator and reader of `weft list topologies` in small sizes.
#include "process.h"
#include "scenario.h"

#include <jansson.h>

#include <algorithm>
#include <cmath>

namespace
{

const uint64_t most_hosts = 36, most_links = 260;

// Dimensions of a grid: "3x2".
std::string shape(Draw &d)
{
    std::string s = std::to_string(d.between(2, 4));
    for (unsigned more = static_cast<unsigned>(d.below(3)); more > 0; more--)
        s += "x" + std::to_string(d.between(2, 3));
    return s;
}

bool reads_file(Tables &t, const std::string &topology)
{
    for (const Param &p : t.params("topology", topology))
        if (p.name == "file")
            return true;
    return false;
}

std::string value(Maker &m, const Taste &taste, const Param &p)
{
    Draw &d = m.draw;
    if (p.type == "rate")
        return taste.rate(d);
    if (p.type == "time")
        return taste.delay(d);
    if (p.name == "shape")
        return shape(d);
    if (p.name == "k")
        return d.chance(80) ? "4" : "2";
    if (p.type == "count")
        return any_count(d, p, d.chance(70) ? 4 : 9);
    return any_value(d, p);
}

// "switch size=4 rate=100Gbps": one dimension of topology multi.
std::string dimension(Maker &m, const Taste &taste, const std::string &name)
{
    Draw &d = m.draw;
    std::string text = name;
    for (const Param &p : m.tables.params("topology", name))
        if (d.chance(60))
            text += " " + p.name + "=" + value(m, taste, p);
    if (d.chance(10))
        text += " mtu=" + std::to_string(d.magnitude(256, 9216)) + "B";
    if (d.chance(10))
        text += " buffer=" + std::to_string(d.magnitude(65536, 8 << 20)) + "B";
    if (d.chance(15))
        text += " flow-control=credit";
    if (d.chance(10))
        text += " congestion-control=" + d.of(m.tables.names("cc"));
    return text;
}

std::string dimensions(Maker &m, const Taste &taste)
{
    static const std::vector<std::string> inner = {"switch", "ring",  "fully-connected",
                                                   "mesh",   "torus", "hypercube"};
    static const std::vector<std::string> outer = {
        "switch",         "ring",       "fully-connected", "rail-optimised", "dual-plane",
        "rail-optimised", "leaf-spine", "fat-tree",        "hyperx",         "dragonfly"};
    Draw &d = m.draw;
    std::string text = dimension(m, taste, d.of(inner));
    for (uint64_t more = d.below(3); more > 0; more--)
        text += "; " + dimension(m, taste, d.of(d.chance(60) ? inner : outer));
    return text;
}

std::string astra_network(Draw &d)
{
    const uint64_t n = d.between(1, 3);
    std::string kinds, sizes, rates, delays;
    for (uint64_t i = 0; i < n; i++) {
        const char *comma = i ? ", " : "";
        kinds += comma + d.word({"Ring", "FullyConnected", "Switch"});
        sizes += comma + std::to_string(d.between(2, 4));
        rates += comma + std::to_string(d.magnitude(1, 400));
        delays += comma + std::to_string(d.magnitude(0, 5000));
    }
    return "topology: [ " + kinds + " ]\nnpus_count: [ " + sizes + " ]\nbandwidth: [ " + rates +
           " ]\nlatency: [ " + delays + " ]\n";
}

void draw_topology(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const Taste taste(d);
    std::string name = d.of(m.tables.names("topologies"));
    if (m.several_ports)
        name = d.word({"dual-plane", "multi", "mesh", "torus", "ring", "fully-connected"});
    if (name == "nccl" || name == "simai" || name == "infragraph" ||
        name == "htsim") // dumps of machines: the readers' fuzzers have them
        name = "xml";
    name = m.given("topology.type").empty() ? name : m.given("topology.type");
    s.put("topology.type", name);
    if (name == "multi") {
        s.put("multi.dimensions", dimensions(m, taste));
    } else if (name == "preset") {
        s.put("preset.name", d.of(m.tables.presets()));
    } else if (name == "astra-network") {
        FILE *f = fopen((s.dir + "/network.yml").c_str(), "w");
        fputs(astra_network(d).c_str(), f);
        fclose(f);
        s.files = true;
        s.put("astra-network.file", "network.yml");
    } else if (reads_file(m.tables, name)) {
        write_graph(m, s, name);
    } else {
        for (const Param &p : m.tables.params("topology", name))
            if (d.chance(75) || p.type == "count" || p.name == "shape")
                s.put(name + "." + p.name, value(m, taste, p));
    }
}

} // namespace

Taste::Taste(Draw &d)
    : m_rates(static_cast<unsigned>(d.below(10))), m_delays(static_cast<unsigned>(d.below(6))),
      m_rate_bps(d.magnitude(1000000000, 1600000000000)), m_delay_ps(d.magnitude(0, 10000000))
{
}

std::string Taste::rate(Draw &d) const
{
    uint64_t bps = m_rate_bps;
    if (m_rates < 2)
        bps = 100000000000U << d.below(5);
    else if (m_rates < 5)
        bps = d.magnitude(1000000000, 1600000000000);
    else if (m_rates == 5)
        bps = d.magnitude(1, 1600000000000);
    else if (m_rates == 6)
        bps = d.magnitude(1, 100000);
    return std::to_string(bps) + "bps";
}

std::string Taste::delay(Draw &d) const
{
    int shift = 0;
    switch (m_delays) {
    case 0:
        return "0ps";
    case 1:
        return std::to_string(d.magnitude(0, 300000)) + "ps"; // no windows
    case 2:
        return std::to_string(d.magnitude(0, 100000000000)) + "ps";
    case 3:
        shift = static_cast<int>(d.below(3));
        break;
    default:
        return d.chance(50) ? "1us" : "500ns";
    }
    return std::to_string(m_delay_ps << shift) + "ps";
}

bool read_fabric(const std::string &weft, Scenario &s)
{
    std::vector<std::string> argv = {weft, "show", "fabric", "--json"};
    for (const auto &set : s.set)
        argv.insert(argv.end(), {"--set", set.first + "=" + set.second});
    if (s.get("workload.type").empty())
        argv.insert(argv.end(), {"--set", "workload.type=generate", "--set", "generate.ranks=1"});
    const Ended e = run_guarded(argv, s.dir, "fabric", Guard());
    if (e.code != 0)
        return false;
    json_t *doc = json_loads(e.out.c_str(), 0, nullptr);
    Fabric f;
    f.hosts = static_cast<uint64_t>(json_integer_value(json_object_get(doc, "hosts")));
    f.switches = static_cast<uint64_t>(json_integer_value(json_object_get(doc, "switches")));
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(doc, "links"), i, item)
    {
        f.links.push_back(
            {json_string_value(json_object_get(item, "a")),
             json_string_value(json_object_get(item, "b")),
             static_cast<uint64_t>(json_integer_value(json_object_get(item, "rate_bps"))),
             std::llround(json_number_value(json_object_get(item, "delay_ns")) * 1000)});
    }
    json_decref(doc);
    s.fabric = f;
    return f.hosts > 0;
}

void make_fabric(Maker &m, Scenario &s)
{
    for (int tries = 0; tries < 12; tries++) {
        s.set.clear();
        s.files = false;
        draw_topology(m, s);
        if (!read_fabric(m.weft, s))
            continue;
        const bool preset = s.get("topology.type") == "preset";
        if (s.fabric.hosts > (preset ? 400 : most_hosts) ||
            s.fabric.links.size() > (preset ? 1100 : most_links))
            continue;
        s.ranks = preset ? m.draw.between(2, 12) : s.fabric.hosts;
        return;
    }
    s.set.clear();
    s.files = false;
    s.put("topology.type", "leaf-spine");
    if (!read_fabric(m.weft, s)) {
        fprintf(stderr, "campaign: %s shows no fabric\n", m.weft.c_str());
        exit(2);
    }
    s.ranks = s.fabric.hosts;
}
