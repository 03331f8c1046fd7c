// SPDX-License-Identifier: GPL-2.0-only
// A bound of its own: the shortest delay over all links that are ever up, and the payload at all
// the rate that its two hosts have.
#include "checks.h"

#include <algorithm>
#include <map>
#include <queue>
#include <regex>
#include <string>

namespace
{

using Delays = std::map<std::string, int64_t>;

class Distances
{
  public:
    explicit Distances(const Fabric &f)
    {
        for (const Link &l : f.links) {
            m_near[l.a].push_back({l.b, l.delay_ps});
            m_near[l.b].push_back({l.a, l.delay_ps});
        }
    }
    // Dijkstra's shortest paths from a host.
    const Delays &from(const std::string &host)
    {
        Delays &d = m_from[host];
        if (!d.empty())
            return d;
        using Entry = std::pair<int64_t, std::string>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
        open.push({0, host});
        while (!open.empty()) {
            const Entry e = open.top();
            open.pop();
            if (!d.insert({e.second, e.first}).second)
                continue;
            for (const auto &n : m_near[e.second])
                open.push({e.first + n.second, n.first});
        }
        return d;
    }

  private:
    std::map<std::string, std::vector<std::pair<std::string, int64_t>>> m_near;
    std::map<std::string, Delays> m_from;
};

// Rates of all links of each host together; faults may change them.
std::map<std::string, double> host_rates(const Scenario &s)
{
    double given = 0;
    const std::string events = s.get("fault.events");
    static const std::regex rate("rate=([0-9]+)bps");
    for (std::sregex_iterator i(events.begin(), events.end(), rate), end; i != end; ++i)
        given = std::max(given, std::stod((*i)[1]));
    std::map<std::string, double> all;
    for (const Link &l : s.fabric.links)
        for (const std::string &end : {l.a, l.b})
            all[end] += std::max(given, static_cast<double>(l.rate_bps));
    return all;
}

} // namespace

void check_physics(const Scenario &s, const Results &r, Findings &f)
{
    Distances distances(s.fabric);
    auto rates = host_rates(s);
    // Where ways or rates change, the ideal is a bound of its own that may lie lower than this one.
    const std::string balance = s.get("switch.balance");
    const bool tcp = s.get("transport.type") == "tcp";
    const bool one_way = (balance.empty() || balance == "flow") &&
                         s.get("transport.type") != "uet" && s.get("uet.prios").empty() &&
                         s.get("fault.events").empty() && !tcp && s.get("tcp.prios").empty() &&
                         !s.hpcc && !s.mixed;
    const std::string prios = s.get("tcp.prios");
    const uint64_t tcp_prios = prios.empty() ? 0 : std::stoull(prios);
    const bool rounded = s.compat || !s.get("transport.time-quantum").empty();
    for (size_t i = 0; i < r.flows.rows(); i++) {
        const std::string src = "h" + r.flows.text(i, "from"), dst = "h" + r.flows.text(i, "to");
        if (src == dst)
            continue;
        const Delays &delay = distances.from(src);
        const auto way = delay.find(dst);
        if (way == delay.end()) {
            f.add("physics", "%s and %s are not joined, and message %s arrived", src.c_str(),
                  dst.c_str(), r.flows.text(i, "id").c_str());
            continue;
        }
        const double wire =
            rounded ? 0 : 8e12 * r.flows.real(i, "size_bytes") / std::min(rates[src], rates[dst]);
        const double least = (static_cast<double>(way->second) + wire) * (1 - 1e-12) - 2;
        const double fct = static_cast<double>(r.flows.ps(i, "fct_ns"));
        const double ideal = static_cast<double>(r.flows.ps(i, "ideal_fct_ns"));
        const double back = static_cast<double>(r.flows.ps(i, "ack_ns") - r.flows.ps(i, "fct_ns"));
        if (one_way && ideal < least)
            f.add("ideal-bound",
                  "message %s, %s to %s, %s bytes: ideal %.0f ps, nothing takes less than %.0f ps",
                  r.flows.text(i, "id").c_str(), src.c_str(), dst.c_str(),
                  r.flows.text(i, "size_bytes").c_str(), ideal, least);
        // A message of TCP may be acknowledged and still wait for an earlier one on another
        // connection.
        const bool by_tcp = tcp || s.mixed || tcp_prios >> std::stoul(r.flows.text(i, "prio")) & 1;
        const double ack = by_tcp ? fct + back - least : back;
        if (fct < least || ack < static_cast<double>(way->second) - 1)
            f.add("physics",
                  "message %s, %s to %s, %s bytes: fct %.0f ps, ACK %.0f ps later; "
                  "nothing takes less than %.0f ps, %lld ps of it on the way",
                  r.flows.text(i, "id").c_str(), src.c_str(), dst.c_str(),
                  r.flows.text(i, "size_bytes").c_str(), fct, back, least, (long long)way->second);
    }
}
