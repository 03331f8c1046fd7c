// SPDX-License-Identifier: GPL-2.0-only
// Configurations of the HPCC simulator with a topology and a flow list.
#include "scenario.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace
{

void write_flows(Draw &d, const Scenario &s)
{
    FILE *f = fopen((s.dir + "/flow.txt").c_str(), "w");
    const uint64_t n = d.between(1, 40);
    const bool incast = d.chance(40);
    const uint64_t most = std::min<uint64_t>(300000, 6000000 / n);
    std::vector<uint64_t> starts_ns;
    for (uint64_t i = 0; i < n; i++)
        starts_ns.push_back(2000000000 + (d.chance(40) ? 0 : d.below(200000)));
    if (d.chance(90))
        std::sort(starts_ns.begin(), starts_ns.end());
    fprintf(f, "%llu\n", (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t src = d.between(1, s.fabric.hosts - 1);
        const uint64_t dst = incast ? 0 : d.below(src);
        const bool turn = !incast && d.chance(50);
        fprintf(f, "%llu %llu %llu %u %llu %.9f\n", (unsigned long long)(turn ? dst : src),
                (unsigned long long)(turn ? src : dst), (unsigned long long)d.between(0, 7),
                100 + (unsigned)d.below(3), (unsigned long long)d.magnitude(0, most),
                (double)starts_ns[i] * 1e-9);
    }
    fclose(f);
}

// KMIN_MAP and so on name every rate of the fabric.
void write_maps(FILE *f, const Scenario &s)
{
    std::map<uint64_t, bool> rates;
    for (const Link &l : s.fabric.links)
        rates[l.rate_bps] = true;
    static const char *const maps[][2] = {
        {"KMIN_MAP", "100"}, {"KMAX_MAP", "400"}, {"PMAX_MAP", "0.2"}};
    for (const auto &map : maps) {
        fprintf(f, "%s %zu", map[0], rates.size());
        for (const auto &r : rates)
            fprintf(f, " %llu %s", (unsigned long long)r.first, map[1]);
        fputs("\n", f);
    }
}

void write_config(Draw &d, const Scenario &s)
{
    FILE *f = fopen((s.dir + "/config.txt").c_str(), "w");
    fputs("TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nENABLE_TRACE 0\n", f);
    fprintf(f, "CC_MODE %s\n", d.word({"1", "3", "7", "8", "10"}).c_str());
    write_maps(f, s);
    static const struct {
        const char *key;
        std::vector<std::string> values;
    } keys[] = {
        {"PACKET_PAYLOAD_SIZE", {"256", "1000", "1024", "4000"}},
        {"L2_CHUNK_SIZE", {"0", "4000"}},
        {"L2_BACK_TO_ZERO", {"0", "1"}},
        {"SIMULATOR_STOP_TIME", {"2.00001", "2.1", "4"}},
        {"ALPHA_RESUME_INTERVAL", {"1", "55"}},
        {"RP_TIMER", {"55", "900"}},
        {"FAST_RECOVERY_TIMES", {"1", "5"}},
        {"RATE_AI", {"5Mb/s", "50Mb/s"}},
        {"RATE_HAI", {"50Mb/s", "500Mb/s"}},
        {"MIN_RATE", {"100Mb/s", "1Gb/s"}},
        {"RATE_DECREASE_INTERVAL", {"4", "50"}},
        {"CLAMP_TARGET_RATE", {"0", "1"}},
        {"ERROR_RATE_PER_LINK", {"0", "0", "0.001"}},
        {"HAS_WIN", {"0", "1"}},
        {"VAR_WIN", {"0", "1"}},
        {"GLOBAL_T", {"0", "1"}},
        {"FAST_REACT", {"0", "1"}},
        {"MULTI_RATE", {"0", "1"}},
        {"SAMPLE_FEEDBACK", {"0", "1"}},
        {"RATE_BOUND", {"0", "1"}},
        {"ACK_HIGH_PRIO", {"0", "1"}},
        {"MI_THRESH", {"0", "5"}},
        {"INT_MULTI", {"1", "4"}},
        {"U_TARGET", {"0.5", "0.95"}},
        {"BUFFER_SIZE", {"1", "16", "32"}},
        {"PINT_LOG_BASE", {"1.01", "1.05"}},
        {"PINT_PROB", {"1.0", "0.1"}},
    };
    bool goes_round = false; // packets may, without an end: no timeout tells when that is one
    for (const auto &k : keys) {
        const bool ends = std::string(k.key) == "SIMULATOR_STOP_TIME";
        if (!d.chance(ends && goes_round ? 100 : 35))
            continue;
        const std::string value = ends && goes_round ? "2.1" : d.of(k.values);
        fprintf(f, "%s %s\n", k.key, value.c_str());
        goes_round |= std::string(k.key) == "L2_BACK_TO_ZERO" && value == "1";
    }
    if (d.chance(15)) {
        const Link &l = d.of(s.fabric.links);
        fprintf(f, "LINK_DOWN %llu %s %s\n", (unsigned long long)d.magnitude(2000000, 2000300),
                l.a.c_str() + 1, l.b.c_str() + 1);
    }
    fclose(f);
}

} // namespace

void make_hpcc(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    s.hpcc = true;
    s.compat = d.chance(50);
    write_graph(m, s, "hpcc");
    s.drop("hpcc.hosts-forward"); // weft hpcc has no such setting
    bool fits = read_fabric(m.weft, s);
    for (const Link &l : s.fabric.links) // base RTTs of more than 10 s are refused
        fits = fits && l.rate_bps > 1000000 && l.delay_ps < 1000000000;
    if (!fits) {
        s.fabric.hosts = 0;
        return;
    }
    s.set.clear();
    s.ranks = s.fabric.hosts;
    write_flows(d, s);
    write_config(d, s);
    if (d.chance(40))
        make_settings(m, s);
}
