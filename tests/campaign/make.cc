// SPDX-License-Identifier: GPL-2.0-only
// A whole simulation from its seed.
#include "process.h"
#include "scenario.h"

#include <filesystem>

Scenario make_scenario(Tables &tables, const std::string &weft,
                       const std::vector<std::pair<std::string, std::string>> &with, bool plain,
                       uint64_t seed, const std::string &dir)
{
    Draw d(seed * 2 + 1);
    d.next();
    Maker m = {d, tables, weft, with};
    Scenario s;
    s.seed = seed;
    s.dir = dir;
    std::filesystem::create_directories(dir);
    if (with.empty() && d.chance(12)) {
        for (int tries = 0; tries < 8 && s.fabric.hosts < 2; tries++) {
            s.set.clear();
            make_hpcc(m, s);
        }
        if (s.fabric.hosts > 1 && !plain)
            make_observers(m, s);
        if (s.fabric.hosts > 1)
            return s;
        s.hpcc = s.compat = false;
    }
    m.several_ports = !plain && m.given("topology.type").empty() && d.chance(10);
    make_fabric(m, s);
    make_workload(m, s);
    if (m.several_ports || d.chance(60))
        make_faults(m, s);
    make_settings(m, s);
    if (!plain) {
        make_jobs(m, s);
        make_observers(m, s);
    }
    for (const auto &w : with)
        s.put(w.first, w.second);
    return s;
}
