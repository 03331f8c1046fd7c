// SPDX-License-Identifier: GPL-2.0-only
// What goes wrong: kinds of `weft list faults`, at the beginning, at the same time, at random
// times.
#include "scenario.h"

#include <algorithm>

namespace
{

class Moments
{
  public:
    explicit Moments(Draw &d)
        : m_span_ps(d.magnitude(100000, 2000000000)), m_tie_ps(d.below(m_span_ps))
    {
    }
    uint64_t at(Draw &d) const
    {
        const uint64_t how = d.below(4);
        return how == 0 ? 0 : how == 1 ? m_tie_ps : d.below(m_span_ps);
    }
    uint64_t after(Draw &d, uint64_t begin) const
    {
        return begin + 1 + (d.chance(30) ? d.below(1000) : d.below(m_span_ps));
    }

  private:
    uint64_t m_span_ps, m_tie_ps;
};

std::string link(Draw &d, const Fabric &f)
{
    std::string text = std::to_string(d.below(f.links.size()));
    if (d.chance(10))
        text += "," + std::to_string(d.below(f.links.size()));
    if (d.chance(15)) {
        const Link &l = d.of(f.links);
        text = (d.chance(50) ? l.a + "-" + l.b : l.b + "-" + l.a) + "#all";
    }
    return text;
}

// A link that leads to a host.
size_t host_link(Draw &d, const Fabric &f)
{
    std::vector<size_t> all;
    for (size_t i = 0; i < f.links.size(); i++)
        if (f.links[i].a[0] == 'h' || f.links[i].b[0] == 'h')
            all.push_back(i);
    return d.of(all);
}

std::string ps(uint64_t t)
{
    return std::to_string(t) + "ps";
}

std::string event(Maker &m, const Fabric &f, const Moments &when)
{
    Draw &d = m.draw;
    std::string kind = d.of(m.tables.names("faults"));
    if (f.switches == 0 && kind == "switch-down")
        kind = "link-down";
    std::string text = kind;
    const uint64_t begin = when.at(d);
    const uint64_t period = when.after(d, 0) + 1;
    uint64_t least = UINT64_MAX;
    for (const Link &l : f.links)
        least = std::min(least, l.rate_bps);
    least = std::max<uint64_t>(least, 3);
    for (const Param &p : m.tables.params("fault", kind)) {
        std::string v;
        if (p.name == "link")
            v = link(d, f);
        else if (p.name == "switch")
            v = "s" + std::to_string(f.hosts + d.below(f.switches));
        else if (p.name == "at")
            v = ps(begin);
        else if (p.name == "until")
            v = d.chance(kind == "bit-errors" ? 40 : 70) ? ps(when.after(d, begin)) : "";
        else if (p.name == "period")
            v = ps(period);
        else if (p.name == "down")
            v = ps(1 + d.below(period - 1));
        else if (p.name == "count")
            v = std::to_string(d.between(1, 5));
        else if (p.name == "rate") // below the rate of the link that `link` named
            v = std::to_string(d.magnitude(
                    std::max<uint64_t>(1, least / (d.chance(10) ? least : 50)), least - 1)) +
                "bps";
        else if (p.name == "ber")
            v = d.word({"0", "1", "1e-9", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3"});
        else
            v = any_value(d, p);
        if (!v.empty())
            text += " " + p.name + "=" + v;
    }
    return text;
}

} // namespace

void make_faults(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    if (s.fabric.links.empty())
        return;
    const Moments when(d);
    std::string all;
    if (d.chance(15)) { // a cable that is bad from the beginning to the end
        all = "bit-errors link=" + link(d, s.fabric) +
              " ber=" + d.word({"1e-7", "1e-6", "5e-6", "1e-5", "3e-5", "1e-4"});
        s.put("fault.events", all);
        if (d.chance(50))
            return;
    }
    if (m.several_ports) { // one of a host's, while there is traffic, often for good
        const uint64_t at = d.magnitude(0, 100000000);
        all = d.word({"link-down", "link-down", "flap"}) +
              " link=" + std::to_string(host_link(d, s.fabric)) + " at=" + ps(at);
        if (all[0] == 'f')
            all += " period=" + ps(20000000) + " down=" + ps(d.between(1, 19999999)) +
                   " count=" + std::to_string(d.between(1, 5));
        if (d.chance(70)) {
            s.put("fault.events", all);
            return;
        }
    }
    for (uint64_t n = d.between(1, d.chance(70) ? 2 : 6); n > 0; n--)
        all += (all.empty() ? "" : "; ") + event(m, s.fabric, when);
    s.put("fault.events", all);
}
