// SPDX-License-Identifier: GPL-2.0-only
// One random simulation: settings, the files that they name, and what is known of its fabric.
#ifndef WEFT_TESTS_CAMPAIGN_SCENARIO_H
#define WEFT_TESTS_CAMPAIGN_SCENARIO_H

#include "tables.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

struct Link {
    std::string a, b; // h3, s16
    uint64_t rate_bps;
    int64_t delay_ps;
};

struct Fabric {
    std::vector<Link> links;
    uint64_t hosts = 0, switches = 0;
};

struct Scenario {
    uint64_t seed = 0;
    std::string dir;   // where it runs, with its files
    bool hpcc = false; // weft hpcc --config config.txt, else weft run
    bool compat = false;
    std::string control; // weft hpcc --control
    bool files = false;  // it reads files of the folder
    std::vector<std::pair<std::string, std::string>> set;
    Fabric fabric;
    uint64_t ranks = 0; // hosts that take part

    std::string get(const std::string &key) const
    {
        for (const auto &s : set)
            if (s.first == key)
                return s.second;
        return "";
    }
    void put(const std::string &key, const std::string &value)
    {
        for (auto &s : set)
            if (s.first == key) {
                s.second = value;
                return;
            }
        set.emplace_back(key, value);
    }
    void drop(const std::string &key)
    {
        for (size_t i = 0; i < set.size(); i++)
            if (set[i].first == key)
                set.erase(set.begin() + static_cast<long>(i--));
    }
    /* The command without where its results go. */
    std::vector<std::string> command(const std::string &weft) const
    {
        std::vector<std::string> argv = {weft, hpcc ? "hpcc" : "run"};
        if (hpcc)
            argv.insert(argv.end(), {"--config", "config.txt"});
        if (compat)
            argv.push_back("--compat");
        if (!control.empty())
            argv.insert(argv.end(), {"--control", control});
        for (const auto &s : set)
            argv.insert(argv.end(), {"--set", s.first + "=" + s.second});
        return argv;
    }
};

/* What draws a scenario works with. */
struct Maker {
    Draw &draw;
    Tables &tables;
    const std::string &weft;
    const std::vector<std::pair<std::string, std::string>> &with; // what every simulation has

    /* The value that `with` gives a key; empty: none. */
    std::string given(const std::string &key) const
    {
        for (const auto &w : with)
            if (w.first == key)
                return w.second;
        return "";
    }
};

/* Everything, from its seed. */
Scenario make_scenario(Tables &tables, const std::string &weft,
                       const std::vector<std::pair<std::string, std::string>> &with, uint64_t seed,
                       const std::string &dir);

/* Its parts. */
void make_fabric(Maker &m, Scenario &s);
/* Reads the fabric that the settings build; false: they build none. */
bool read_fabric(const std::string &weft, Scenario &s);
void make_workload(Maker &m, Scenario &s);
void make_trouble(Maker &m, Scenario &s);
void make_settings(Maker &m, Scenario &s);
void make_hpcc(Maker &m, Scenario &s);
/* Random files of readers, in the folder of the scenario. */
void write_graph(Maker &m, Scenario &s, const std::string &format);
void write_trace(Maker &m, Scenario &s);

/* Some rate and delay of a link, alike within a scenario. */
class Taste
{
  public:
    explicit Taste(Draw &d);
    std::string rate(Draw &d) const;
    std::string delay(Draw &d) const;

  private:
    unsigned m_rates, m_delays;
    uint64_t m_rate_bps, m_delay_ps;
};

#endif
