// SPDX-License-Identifier: GPL-2.0-only
#include "checks.h"

#include <cstdlib>
#include <map>

namespace
{

// What came to a node and left it, by links.csv; what began and ended there, by flows.csv.
struct Node {
    uint64_t in = 0, out = 0, sent = 0, received = 0;
};

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

// Only switches pass packets on: no link joins two hosts, and no file says otherwise. Scenario
// files have their topology inside.
bool hosts_are_ends(const Scenario &s)
{
    const std::string type = s.get("topology.type");
    if (s.hpcc || type.empty() || type == "multi" || type == "preset" || type == "xml" ||
        type == "hpcc" || type == "astra-network")
        return false;
    for (const Link &l : s.fabric.links)
        if (l.a[0] == 'h' && l.b[0] == 'h')
            return false;
    return true;
}

void nodes(const Scenario &s, const Results &r, bool finished, Findings &f)
{
    std::map<std::string, Node> at;
    for (size_t i = 0; i < r.links.rows(); i++) {
        const uint64_t bytes = r.links.u64(i, "tx_payload_bytes");
        at[r.links.text(i, "from")].out += bytes;
        at[r.links.text(i, "to")].in += bytes;
    }
    uint64_t again = 0;
    bool sums = false; // in switches: rows of a host to itself, which say nothing of links
    for (size_t i = 0; i < r.flows.rows(); i++) {
        again += r.flows.u64(i, "retx_bytes");
        if (r.flows.text(i, "from") == r.flows.text(i, "to")) {
            sums = true;
            continue;
        }
        at["h" + r.flows.text(i, "from")].sent += r.flows.u64(i, "size_bytes");
        at["h" + r.flows.text(i, "to")].received += r.flows.u64(i, "size_bytes");
    }
    double drops = 0;
    for (const char *key : {"drops", "retransmissions"}) {
        const auto d = r.summary.find(key);
        drops += d == r.summary.end() ? 1 : d->second;
    }
    const bool exact = finished && drops == 0 && again == 0 && !sums && !r.tcp.exists();
    const bool ends = hosts_are_ends(s);
    for (const auto &n : at) {
        const Node &v = n.second;
        const char *name = n.first.c_str();
        if (v.in < v.received || v.out < v.sent)
            f.add("conservation",
                  "%s received %llu bytes of messages and sent %llu, its links carried %llu in and "
                  "%llu out",
                  name, (unsigned long long)v.received, (unsigned long long)v.sent,
                  (unsigned long long)v.in, (unsigned long long)v.out);
        if (exact &&
            (v.in + v.sent != v.out + v.received || (ends && name[0] == 'h' && v.in != v.received)))
            f.add("conservation",
                  "without losses %s had %llu bytes in and %llu of its own, %llu out and %llu to "
                  "itself",
                  name, (unsigned long long)v.in, (unsigned long long)v.sent,
                  (unsigned long long)v.out, (unsigned long long)v.received);
    }
}

void rates(const Scenario &s, const Results &r, Findings &f)
{
    const std::string events = s.get("fault.events");
    const bool exact =
        !has(events, "degrade") && s.get("transport.time-quantum").empty() && !s.compat;
    const auto elapsed = r.summary.find("elapsed_ns");
    for (size_t i = 0; i < r.links.rows(); i++) {
        const int64_t busy = r.links.ps(i, "busy_ns");
        if (elapsed != r.summary.end() &&
            static_cast<double>(busy) > elapsed->second * 1000 * (1 + 1e-12) + 1)
            f.add("elapsed", "port %zu was busy for %lld ps of %.3f ns", i, (long long)busy,
                  elapsed->second);
        if (!exact)
            continue;
        const double packets = r.links.real(i, "tx_packets");
        const double longest = 8e12 * 20000 / r.links.real(i, "rate_bps");
        const double wire = 8e12 * r.links.real(i, "tx_bytes") / r.links.real(i, "rate_bps");
        const bool cut = has(events, "down") || has(events, "flap");
        if (static_cast<double>(busy) > wire * (1 + 1e-12) + packets + 1 ||
            (!cut && static_cast<double>(busy) < wire * (1 - 1e-12) - packets - longest - 1))
            f.add("links", "port %zu was busy for %lld ps with bytes for %.0f ps", i,
                  (long long)busy, wire);
    }
}

} // namespace

void check_links(const Scenario &s, const Results &r, bool finished, Findings &f)
{
    if (!r.links.exists()) {
        f.add("lost", "links.csv is not there");
        return;
    }
    nodes(s, r, finished, f);
    rates(s, r, f);
}
