// SPDX-License-Identifier: GPL-2.0-only
// Settings of the transport, switches, congestion control and NPUs, drawn from their tables.
#include "scenario.h"

#include <algorithm>
#include <map>

namespace
{

// A fresh number for each call of this: what a priority, a rank or a rate of a map is.
std::string prio_map(Draw &d, const std::vector<std::string> &values)
{
    std::string text;
    uint64_t prio = d.below(4);
    for (uint64_t n = d.between(1, 3); n > 0 && prio < 8; n--, prio += d.between(1, 3))
        text += (text.empty() ? "" : ",") + std::to_string(prio) + ":" + d.of(values);
    return text;
}

std::string class_map(Draw &d, uint64_t most)
{
    static const std::vector<std::string> what = {"all-reduce", "all-gather", "reduce-scatter",
                                                  "all-to-all", "send",       "broadcast"};
    const uint64_t first = d.below(what.size());
    std::string text;
    for (uint64_t i = 0; i < d.between(1, 3); i++)
        text += (i ? "," : "") + what[(first + i) % what.size()] + ":" +
                std::to_string(d.between(most > 7 ? 1 : 0, most));
    return text;
}

// Factors of n, as sizes of dimensions.
std::string dims_of(Draw &d, uint64_t n, size_t *how_many)
{
    std::string text;
    *how_many = 0;
    while (n > 1 && *how_many < 4) {
        std::vector<uint64_t> factors;
        for (uint64_t f = 2; f <= n; f++)
            if (n % f == 0)
                factors.push_back(f);
        const uint64_t f = *how_many == 3 ? n : d.of(factors);
        text += (text.empty() ? "" : ",") + std::to_string(f);
        n /= f;
        ++*how_many;
    }
    return text;
}

std::string list_of(Draw &d, size_t n, const std::vector<std::string> &values)
{
    std::string text;
    for (size_t i = 0; i < n; i++)
        text += (i ? "," : "") + d.of(values);
    return text;
}

std::string free_text(Maker &m, const Scenario &s, const std::string &key)
{
    Draw &d = m.draw;
    if (key == "switch.alpha-map" || key == "switch.egress-alpha-map")
        return prio_map(d, {"1/1024", "1/8", "1", "64"});
    if (key == "switch.limit-map" || key == "switch.egress-limit-map")
        return prio_map(d, {"0", "2000B", "64KiB", "1MiB"});
    if (key == "switch.weight-map")
        return prio_map(d, {"1", "2", "7", "1000"});
    if (key == "ecn.prio-map")
        return prio_map(d, {"off", "0:0:1", "5KB:20KB:0.1", "50KB:50KB:1"});
    if (key == "ecn.rate-map" && !s.fabric.links.empty()) {
        std::map<uint64_t, bool> rates;
        for (const Link &l : s.fabric.links)
            rates[l.rate_bps] = true;
        std::string text;
        for (const auto &r : rates)
            text += (text.empty() ? "" : ",") + std::to_string(r.first) +
                    "bps:" + d.word({"0:0:1", "10KB:40KB:0.2", "100KB:400KB:0.01"});
        return rates.size() <= 8 ? text : "";
    }
    if (key == "uet.control")
        return d.of(m.tables.names("cc"));
    if (key == "system.stragglers")
        return std::to_string(d.below(s.ranks)) + ":" + d.word({"1.5", "1", "3", "100"});
    if (key == "system.priorities")
        return class_map(d, 7);
    if (key == "system.qps")
        return class_map(d, 9);
    return "";
}

void draw_some(Maker &m, Scenario &s, const std::string &what, const std::string &name,
               const std::string &prefix, uint64_t n)
{
    static const std::vector<std::string> elsewhere = {
        "transport.type", "transport.variant", "system.algorithm-dir",
        "system.dims",    "system.quantum",    "system.remote-memory-file"};
    const std::vector<Param> &all = m.tables.params(what, name);
    for (; n > 0 && !all.empty(); n--) {
        const Param &p = m.draw.of(all);
        const std::string key = prefix + "." + p.name;
        if (std::find(elsewhere.begin(), elsewhere.end(), key) != elsewhere.end())
            continue;
        const bool few = p.type == "count" && what == "section" && name == "system";
        std::string v = p.type == "text" ? free_text(m, s, key)
                        : few            ? any_count(m.draw, p, 24)
                                         : any_value(m.draw, p);
        if (key == "system.quantum" || (p.type == "time" && name == "system"))
            v = std::to_string(m.draw.magnitude(0, 20000000)) + "ps";
        if (!v.empty())
            s.put(key, v);
    }
}

void draw_balance(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const Param &balance = m.tables.param("section", "switch", "balance");
    const Param &recovery = m.tables.param("section", "transport", "recovery");
    if (d.chance(60))
        s.put("transport.recovery", d.of(recovery.choices));
    if (!d.chance(40))
        return;
    const std::string how = d.of(balance.choices);
    const std::string cc = s.get("congestion-control.name");
    if ((cc == "hpcc" || cc == "hpcc-pint" || cc == "powertcp") && d.chance(95))
        return; // they follow the switches of one path
    s.put("switch.balance", how);
    if (how != "flow" && how != "flowlet" && d.chance(96))
        s.put("transport.recovery", "out-of-order");
    if (how == "entropy") {
        s.put("switch.entropy-values", std::to_string(1u << d.magnitude(0, 12)));
        if (d.chance(50))
            s.put("transport.recovery", "rud");
    }
    if (how == "flowlet" && d.chance(50))
        s.put("switch.flowlet-gap", std::to_string(d.magnitude(0, 5000000)) + "ps");
    if (d.chance(10))
        s.put("transport.allow-reordering", "true");
    if (d.chance(30))
        s.put("transport.reorder-packets", std::to_string(d.magnitude(0, 200)));
}

// One word, as users write it, and sometimes what it would imply.
void draw_uet(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    s.put("transport.type", "uet");
    const std::string cc = s.get("congestion-control.name");
    if (d.chance(30))
        s.put("transport.recovery", "rod");
    else if ((cc == "hpcc" || cc == "hpcc-pint" || cc == "powertcp") && d.chance(95))
        s.put("switch.balance", "flow"); // they follow the switches of one path
    if (d.chance(20))
        s.put("switch.trim-prios", "0");
    if (d.chance(30))
        s.put("switch.egress-limit", std::to_string(d.magnitude(5000, 1 << 20)) + "B");
    if (d.chance(30))
        s.put("switch.entropy-policy",
              d.of(m.tables.param("section", "switch", "entropy-policy").choices));
}

// Some classes of it beside RoCE: all that ask for none, or some of those that messages have.
void draw_uet_beside(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    s.put("uet.prios", std::to_string(d.chance(30) ? 8 : d.between(1, 255)));
    if (d.chance(60))
        s.put("system.priorities", class_map(d, 7));
    if (d.chance(25))
        s.put("uet.recovery", "rod");
    const std::string how = s.get("switch.balance");
    const bool leads =
        how == "conga" || how == "conweave" || how == "valiant" || how == "minimal-adaptive";
    if (leads && d.chance(95))
        s.drop("switch.balance");
    draw_some(m, s, "section", "uet", "uet", d.below(4));
    if (d.chance(40) && !s.get("uet.control").empty())
        s.drop("uet.control");
    if (d.chance(20))
        s.put("switch.trim-prios", "0");
    if (d.chance(30))
        s.put("switch.entropy-policy",
              d.of(m.tables.param("section", "switch", "entropy-policy").choices));
}

// What 802.1Qbb's headroom takes at least: bytes on the way there and back on the longest link.
double headroom_bytes(const Fabric &f)
{
    double most = 0;
    for (const Link &l : f.links)
        most = std::max(most, 2e-12 / 8 * static_cast<double>(l.delay_ps) *
                                  static_cast<double>(l.rate_bps));
    return most;
}

void draw_buffers(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const bool small = d.chance(40);
    if (small)
        s.put("switch.buffer", std::to_string(d.magnitude(65536, 2 << 20)) + "B");
    else if (d.chance(30))
        s.put("switch.buffer", std::to_string(d.magnitude(2 << 20, 1 << 30)) + "B");
    if (d.chance(small ? 90 : 25))
        s.put("switch.reserve", d.word({"0", "100B", small ? "256B" : "64KiB"}));
    if (d.chance(25))
        s.put("pfc.enabled", "false");
    else if (d.chance(25))
        s.put("pfc.prios",
              std::to_string(d.chance(30) ? d.below(256) : 1U << d.below(8) | 1U << d.below(8)));
    const bool wide = headroom_bytes(s.fabric) > (small ? 10000 : 300000);
    if (d.chance(wide ? 92 : 25))
        s.put("pfc.headroom", std::to_string(d.magnitude(1, wide ? 5000 : 50000)) + "B");
    if (d.chance(20))
        s.put("pfc.quanta", std::to_string(d.magnitude(64, 65535)));
    if (!d.chance(10))
        s.put("pfc.allow-deadlock", "true");
}

// One algorithm, or one for each dimension, of one kind of collective.
std::string algorithm(Maker &m, const std::string &kind, const std::string &otherwise)
{
    Draw &d = m.draw;
    const std::string name = d.of(m.tables.names("collectives"));
    if (name == "msccl" || name == "chakra")
        return otherwise;
    const std::vector<std::string> &does = m.tables.offers(name);
    const bool offered = does.empty() || std::find(does.begin(), does.end(), kind) != does.end();
    if (!offered && !d.chance(3))
        return otherwise;
    std::string text = name;
    for (const Param &p : m.tables.params("collective", name))
        if (d.chance(40))
            text += ":" + p.name + "=" + (p.type == "count" ? any_count(d, p, 6) : any_value(d, p));
    return text;
}

void draw_collectives(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    size_t dims = 0;
    if (s.ranks > 3 && d.chance(25)) {
        s.put("system.dims", dims_of(d, s.ranks, &dims));
        if (d.chance(30))
            s.put("system.dim-bandwidths", list_of(d, dims, {"1GB/s", "50GB/s", "400Gbps"}));
        if (d.chance(30))
            s.put("system.dim-latencies", list_of(d, dims, {"0", "500ns", "2us"}));
    }
    for (const Param &p : m.tables.params("section", "system")) {
        const bool kind = p.type == "text" && p.help.rfind("algorithm of ", 0) == 0;
        if (!kind || !d.chance(45))
            continue;
        std::string text = algorithm(m, p.name, p.dflt);
        const std::string first = text;
        if (dims > 1 && first != "auto" && d.chance(70)) /* auto is for all dimensions */
            for (size_t i = 1; i < dims; i++)
                text += "," + (d.chance(50) ? first : algorithm(m, p.name, first));
        s.put("system." + p.name, text);
    }
    if (d.chance(35)) {
        s.put("system.chunks", std::to_string(d.between(1, 9)));
        s.put("system.active-chunks", std::to_string(d.between(1, 5)));
        for (const char *key : {"inter-dimension", "intra-dimension", "all-reduce-phases"})
            if (d.chance(50))
                s.put(std::string("system.") + key,
                      d.of(m.tables.param("section", "system", key).choices));
    }
}

} // namespace

void make_settings(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const std::string cc = d.of(m.tables.names("cc"));
    if (s.hpcc && d.chance(40)) {
        s.control = cc; // in place of CC_MODE
    } else if (!s.hpcc && (m.several_ports || d.chance(75))) {
        s.put("congestion-control.name", cc);
        if (m.several_ports && cc == "nscc" && d.chance(50))
            s.put("nscc.credit", "true");
        if (d.chance(40))
            draw_some(m, s, "cc", cc, cc, d.between(1, 3));
    }
    if (!s.hpcc && !m.several_ports && d.chance(10)) {
        s.put("transport.type", "tcp");
        for (const Param &p : m.tables.params("cc", cc))
            s.drop(cc + "." + p.name);
        s.drop("congestion-control.name");
    } else if (d.chance(6)) {
        s.put("tcp.prios", std::to_string(d.below(256)));
    }
    if (s.get("transport.type") == "tcp" || !s.get("tcp.prios").empty()) {
        s.put("transport.variant", d.of(m.tables.param("section", "transport", "variant").choices));
        draw_some(m, s, "section", "tcp", "tcp", d.below(3));
    }
    const bool given = !m.given("uet.prios").empty();
    if (!s.hpcc && s.get("transport.type").empty() && d.chance(12) && !given)
        draw_uet(m, s);
    else if (!s.hpcc)
        draw_balance(m, s);
    const bool beside = d.chance(12) || given;
    if (!s.hpcc && s.get("transport.type").empty() && beside)
        draw_uet_beside(m, s);
    draw_buffers(m, s);
    if (!s.hpcc)
        draw_collectives(m, s);
    if (d.chance(30))
        s.put("transport.mtu", (d.chance(50) ? d.word({"256", "1000", "4097", "9216"})
                                             : std::to_string(d.magnitude(256, 9216))) +
                                   "B");
    static const std::vector<std::string> sections = {"transport", "switch", "pfc",       "ecn",
                                                      "credit",    "system", "in-network"};
    for (uint64_t n = d.chance(50) ? d.between(1, 3) : 0; n > 0; n--) {
        const std::string section = d.of(sections);
        if (s.hpcc && (section == "system" || section == "in-network")) // flows have none
            continue;
        draw_some(m, s, "section", section, section, d.between(1, 3));
    }
    const std::string kmin = s.get("ecn.kmin"), kmax = s.get("ecn.kmax");
    if (kmin.empty() != kmax.empty() || !kmin.empty()) // the one or both: in order
        s.put(kmin.empty() ? "ecn.kmin" : "ecn.kmax", kmin.empty() ? kmax : kmin);
    if (d.chance(8))
        s.put("run.until", std::to_string(d.magnitude(1, 100000000000)) + "ps");
    if (s.get("transport.recovery") == "go-back-0") // packets may go round, which 1 s is long for
        s.put("run.stall-after", "10ms");
    s.put("run.seed", std::to_string(d.chance(10) ? d.next() : d.below(1000)));
}
