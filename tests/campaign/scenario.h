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
    std::string control;           // weft hpcc --control
    std::string file;              // a scenario file, whose settings are not in `set`; empty: none
    bool mixed = false;            // a workload says what carries it
    bool jobs = false;             // workloads begin later, are repeated, or there are several
    uint64_t most_bytes = 3000000; // what all messages together may be, so that it ends soon
    bool files = false;            // it reads files of the folder
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
        if (!file.empty())
            argv.push_back(file);
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
    bool several_ports = false; // hosts of it are to have several, and links of theirs fail

    /* The value that `with` gives a key; empty: none. */
    std::string given(const std::string &key) const
    {
        for (const auto &w : with)
            if (w.first == key)
                return w.second;
        return "";
    }
};

/* Everything, from its seed. @p plain: one workload, and nothing that watches it. */
Scenario make_scenario(Tables &tables, const std::string &weft,
                       const std::vector<std::pair<std::string, std::string>> &with, bool plain,
                       uint64_t seed, const std::string &dir);

/* Its parts. */
void make_fabric(Maker &m, Scenario &s);
/* Reads the fabric that the settings build; false: they build none. */
bool read_fabric(const std::string &weft, Scenario &s);
void make_workload(Maker &m, Scenario &s);
void make_faults(Maker &m, Scenario &s);
void make_settings(Maker &m, Scenario &s);
void make_hpcc(Maker &m, Scenario &s);
/* Several jobs, or what one may have; draws on what was drawn. */
void make_jobs(Maker &m, Scenario &s);
/* Settings of traffic of type cdf. */
std::vector<std::pair<std::string, std::string>> cdf_settings(Draw &d, Scenario &s);
/* What watches it. */
void make_observers(Maker &m, Scenario &s);
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
