// SPDX-License-Identifier: GPL-2.0-only
// What watches a run, in half of all simulations: samples of every quantity, at intervals or on
// change, looks for victims of pauses, captures. None of these may change what a run does.
#include "scenario.h"

#include <algorithm>

namespace
{

bool by_tcp(const Scenario &s)
{
    return s.mixed || s.get("transport.type") == "tcp" || !s.get("tcp.prios").empty();
}

// How long a run is about, by its slowest link. Where packets are lost, timers make it longer,
// those of TCP much.
uint64_t span_ps(const Scenario &s)
{
    const Fabric &f = s.fabric;
    uint64_t least = 1600000000000U, delay = 0;
    for (const Link &l : f.links) {
        least = std::min(least, l.rate_bps);
        delay = std::max(delay, static_cast<uint64_t>(l.delay_ps));
    }
    const uint64_t bytes = least < 10000000 ? 3000 : s.most_bytes;
    const double ps = 8e12 * static_cast<double>(bytes) / static_cast<double>(least);
    const uint64_t timers = by_tcp(s)                       ? 1000000000000
                            : s.get("fault.events").empty() ? 1000000
                                                            : 1000000000;
    return static_cast<uint64_t>(std::min(ps, 1e15)) + 20 * delay + timers;
}

std::string a_node(Draw &d, const Fabric &f)
{
    if (f.switches && d.chance(50))
        return "s" + std::to_string(f.hosts + d.below(f.switches));
    return "h" + std::to_string(d.below(f.hosts));
}

std::string prios(Draw &d)
{
    return d.chance(50) ? ".p3" : ".p" + std::to_string(d.below(4)) + "-7";
}

// "queue:s*.p3": a quantity and which of its objects.
std::string item(Draw &d, const Scenario &s, const std::string &quantity)
{
    const bool of_nodes = quantity == "buffer" || quantity == "queue-histogram";
    const bool of_ports = quantity == "queue" || quantity == "throughput" || quantity == "pause";
    if (d.chance(50))
        return quantity;
    if (of_nodes)
        return quantity + ":s*";
    if (of_ports)
        return quantity + ":" + d.word({"h*", "s*", "*", a_node(d, s.fabric)}) +
               (quantity != "throughput" && d.chance(30) ? prios(d) : "");
    return quantity + ":" +
           d.word({"flow 0-" + std::to_string(d.below(9)),
                   "qp 1-" + std::to_string(d.between(1, 9)), "h*",
                   "h" + std::to_string(d.below(s.fabric.hosts)) + ".p3"});
}

void sample(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    static const std::vector<std::string> changing = {
        "queue", "queue-histogram", "buffer", "pause", "qp", "rate", "window", "cwnd", "control"};
    const bool on_change = d.chance(25);
    const std::vector<std::string> &all =
        on_change && d.chance(97) ? changing : m.tables.names("quantities");
    std::string what;
    for (uint64_t n = d.between(1, 3); n > 0; n--)
        what += (what.empty() ? "" : ",") + item(d, s, d.of(all));
    s.put("sample.what", what);
    if (on_change)
        s.put("sample.on", "change");
    const uint64_t span = span_ps(s);
    if (!on_change && (span > 5000000000 || d.chance(85))) // else each 10 us
        s.put("sample.interval", std::to_string(d.magnitude(std::max<uint64_t>(span / 500, 100000),
                                                            std::max<uint64_t>(span, 200000))) +
                                     "ps");
    if (d.chance(10))
        s.put("output.compress", d.word({"zstd", "none"}));
    else if (d.chance(10))
        s.put("output.compress-above", std::to_string(d.magnitude(0, 100000)) + "B");
}

} // namespace

void make_observers(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    if (s.fabric.links.empty() || !d.chance(50))
        return;
    if (d.chance(85))
        sample(m, s);
    if (d.chance(12)) // at most some hundred looks
        s.put("run.victims", std::to_string(span_ps(s) / d.between(3, 300) + 1000) + "ps");
    if (!by_tcp(s) && d.chance(15)) {
        s.put("capture.links", d.word({"all", "hosts", a_node(d, s.fabric),
                                       std::to_string(d.below(s.fabric.links.size()))}));
        if (d.chance(30))
            s.put("capture.snaplen", std::to_string(d.magnitude(14, 65535)) + "B");
    }
}
