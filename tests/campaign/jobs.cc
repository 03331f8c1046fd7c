// SPDX-License-Identifier: GPL-2.0-only
// Several workloads in one fabric, each with hosts, a start, a class and a transport: a scenario
// file in place of settings. And the same of one workload, in settings.
#include "scenario.h"

#include <algorithm>
#include <cstdio>

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string escaped(const std::string &text)
{
    std::string all;
    for (char c : text)
        all += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
    return all;
}

std::string element(const std::string &name, const Settings &attributes)
{
    std::string text = "  <" + name;
    for (const auto &a : attributes)
        text += " " + a.first + "=\"" + escaped(a.second) + "\"";
    return text + "/>\n";
}

// Takes the settings TYPE.KEY out of a scenario, as attributes of <NAME type=TYPE>; not those of a
// section that has the name of the type.
Settings taken(Maker &m, Scenario &s, const std::string &name)
{
    const std::string type = s.get(name + ".type"), prefix = type + ".";
    const std::vector<Param> &params = m.tables.params(name, type);
    const auto known = [&](const std::string &key) {
        return std::any_of(params.begin(), params.end(),
                           [&](const Param &p) { return prefix + p.name == key; });
    };
    Settings all = {{"type", type}};
    Settings left;
    for (const auto &set : s.set)
        if (known(set.first))
            all.emplace_back(set.first.substr(prefix.size()), set.second);
        else if (set.first != name + ".type")
            left.push_back(set);
    s.set = left;
    return all;
}

std::string bytes(Draw &d, uint64_t most)
{
    return std::to_string(d.magnitude(1, most)) + "B";
}

// What every workload may have.
void own(Draw &d, Scenario &s, Settings &job)
{
    if (d.chance(40))
        job.emplace_back("placement", d.word({"packed", "spread", "random",
                                              d.chance(90) ? "random" : "rail-aligned"}));
    if (d.chance(40))
        job.emplace_back("start", std::to_string(d.magnitude(0, 100000000)) + "ps");
    if (d.chance(25))
        job.emplace_back("priority", std::to_string(d.below(8)));
    if (d.chance(25))
        job.emplace_back("repeat", std::to_string(d.between(1, 3)));
    if (d.chance(25) && s.get("transport.type").empty() && s.get("uet.prios").empty() &&
        s.get("tcp.prios").empty()) {
        job.emplace_back("transport", d.word({"roce", "tcp", "uet"}));
        s.mixed = true;
    }
}

// A workload beside another.
Settings beside(Draw &d, Scenario &s)
{
    const std::string type = d.word({"generate", "generate", "incast", "cdf"});
    const uint64_t n = s.fabric.hosts;
    Settings job = {{"type", type}};
    if (type == "generate") {
        job.emplace_back("kind", d.word({"all-reduce", "all-to-all", "all-gather", "gather"}));
        job.emplace_back("size", bytes(d, s.most_bytes / (n * n) + 1));
        job.emplace_back("ranks", std::to_string(d.between(1, std::max<uint64_t>(1, n / 2))));
        if (d.chance(40))
            job.emplace_back("count", std::to_string(d.between(1, 3)));
    } else if (type == "incast") {
        job.emplace_back("degree", std::to_string(d.between(1, n - 1)));
        job.emplace_back("size", bytes(d, s.most_bytes / (2 * n) + 1));
        job.emplace_back("period", "10us");
        job.emplace_back("duration", "21us");
    } else {
        for (const auto &p : cdf_settings(d, s))
            job.push_back(p);
    }
    return job;
}

} // namespace

// Flows with sizes from a distribution, so long that they amount to what others do.
Settings cdf_settings(Draw &d, Scenario &s)
{
    Settings all;
    double most = 0;
    for (const Link &l : s.fabric.links)
        if (l.a[0] == 'h' || l.b[0] == 'h')
            most = std::max(most, static_cast<double>(l.rate_bps));
    const double load = d.chance(20) ? 1 + d.unit() : 0.05 + 0.9 * d.unit();
    double bytes = static_cast<double>(s.most_bytes); // of all of them
    if (d.chance(60)) {
        FILE *f = fopen((s.dir + "/sizes.txt").c_str(), "w");
        uint64_t size = d.magnitude(1, 1000), percent = 0;
        bytes = std::min(bytes, 300.0 * static_cast<double>(size)); // few where they are small
        fprintf(f, "%llu 0\n", (unsigned long long)size);
        for (uint64_t n = d.between(1, 4); n > 0; n--) {
            size += d.magnitude(1, 20000);
            percent = n == 1 ? 100 : percent + d.below(100 - percent);
            fprintf(f, "%llu %llu\n", (unsigned long long)size, (unsigned long long)percent);
        }
        fclose(f);
        s.files = true;
        all.emplace_back("sizes-file", "sizes.txt");
    } else {
        all.emplace_back("sizes", d.word({"websearch", "hadoop", "alistorage", "googlerpc"}));
    }
    char text[32];
    snprintf(text, sizeof text, "%.4f", load);
    all.emplace_back("load", text);
    const double ps =
        8e12 * bytes / (load * std::max(most, 1.0) * static_cast<double>(s.fabric.hosts));
    all.emplace_back("duration",
                     std::to_string(static_cast<uint64_t>(std::min(ps, 1e14)) + 1) + "ps");
    if (d.chance(40))
        all.emplace_back("pattern", d.word({"all-to-all", "permutation", "hot-spot"}));
    if (d.chance(30))
        all.emplace_back("arrivals", "log-normal");
    if (d.chance(15))
        all.emplace_back("load-on", "core");
    return all;
}

void make_jobs(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    if (s.fabric.hosts < 2 || !m.with.empty())
        return;
    const unsigned how = static_cast<unsigned>(d.below(100));
    if (how < 8) { // one workload
        Settings job;
        own(d, s, job);
        for (const auto &a : job)
            s.put(s.get("workload.type") + "." + a.first, a.second);
    }
    s.jobs = how < 20;
    if (how < 8 || how >= 20)
        return;
    for (const char *key : {"dims", "dim-bandwidths", "dim-latencies"}) // of all ranks
        s.drop(std::string("system.") + key);
    std::string text = "<scenario name=\"jobs\">\n" + element("topology", taken(m, s, "topology"));
    Settings first = taken(m, s, "workload");
    first.emplace_back("name", "first");
    own(d, s, first);
    text += element("workload", first);
    for (uint64_t n = d.between(1, 2); n > 0; n--) {
        Settings job = beside(d, s);
        job.emplace_back("name", "job" + std::to_string(n));
        own(d, s, job);
        job.emplace_back("share", d.chance(95) ? "true" : "auto");
        text += element("workload", job);
    }
    FILE *f = fopen((s.dir + "/scenario.xml").c_str(), "w");
    fputs((text + "</scenario>\n").c_str(), f);
    fclose(f);
    s.files = true;
    s.file = "scenario.xml";
}
