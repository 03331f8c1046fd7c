// SPDX-License-Identifier: GPL-2.0-only
// Runs with one planted cause: kinds of causes, fabrics and workloads, drawn by a seed.
#ifndef WEFT_TESTS_DIAGNOSE_PLANTED_H
#define WEFT_TESTS_DIAGNOSE_PLANTED_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <regex>
#include <string>
#include <vector>

using Texts = std::vector<std::string>;

struct Fabric {
    const char *name, *rate; // the rate in Gbps
    unsigned hosts, first_switch, hosts_per_switch;
    Texts sets;
    // The switch that a host's (first) link goes to.
    std::string leaf(unsigned host) const
    {
        const unsigned nth = std::string(name) == "rails" ? host % 8 : host / hosts_per_switch;
        return "s" + std::to_string(first_switch + nth);
    }
};

inline const std::vector<Fabric> &fabrics()
{
    static const std::vector<Fabric> all = {
        {"switch",
         "100",
         16,
         16,
         16,
         {"topology.type=single-switch", "single-switch.hosts=16", "single-switch.rate=100Gbps"}},
        {"leaves", "400", 16, 16, 4, {"topology.type=leaf-spine"}},
        {"wide",
         "100",
         16,
         16,
         8,
         {"topology.type=leaf-spine", "leaf-spine.hosts-per-leaf=8", "leaf-spine.leaves=2",
          "leaf-spine.spines=8", "leaf-spine.host-rate=100Gbps", "leaf-spine.uplink-rate=100Gbps"}},
        {"tree", "400", 16, 16, 2, {"topology.type=fat-tree", "fat-tree.k=4"}},
        {"rails", "400", 32, 32, 0, {"topology.type=rail-optimised"}},
        {"groups", "400", 72, 72, 2, {"topology.type=dragonfly"}},
    };
    return all;
}

inline const std::vector<std::pair<std::string, Texts>> &workloads()
{
    static const std::vector<std::pair<std::string, Texts>> all = {
        {"ring", {"workload.type=generate", "generate.size=8MiB", "system.all-reduce=ring"}},
        {"all-reduce", {"workload.type=generate", "generate.size=8MiB"}},
        {"all-to-all",
         {"workload.type=generate", "generate.kind=all-to-all", "generate.size=4MiB"}},
        {"data-parallel",
         {"workload.type=generate", "generate.pattern=data-parallel", "generate.size=2MiB",
          "generate.layers=4"}},
        {"websearch", {"workload.type=cdf", "cdf.load=0.4", "cdf.duration=500us"}},
        {"hadoop", {"workload.type=cdf", "cdf.load=0.3", "cdf.sizes=hadoop", "cdf.duration=300us"}},
    };
    return all;
}

// A kind of cause. In settings, LINK is the link of a host, SLOW a part of its rate, ORDER a random
// order of 16 ranks. Of several variants one is drawn.
struct Kind {
    const char *name;
    std::vector<Texts> variants;
    Texts works, fabrics;         // empty: any
    const char *cause;            // what the first change is to match
    const char *report = nullptr; // and the first finding of the report; NULL: the same
};

inline const std::vector<Kind> &kinds()
{
    const Texts traffic = {"all-to-all", "websearch"}, graphs = {"ring", "all-to-all"};
    static const std::vector<Kind> all = {
        {"slow link",
         {{"fault.events=degrade link=LINK rate=SLOW"}},
         {},
         {},
         "fault 'degrade",
         "A fault \\(degrade"},
        {"bit errors",
         {{"fault.events=bit-errors link=LINK ber=1e-7"},
          {"fault.events=bit-errors link=LINK ber=1e-6"}},
         {},
         {},
         "fault 'bit-errors",
         "A fault \\(bit"},
        {"flapping link",
         {{"fault.events=flap link=LINK at=10us period=200us down=50us count=20"}},
         {},
         {},
         "fault 'flap",
         "A fault \\(flap"},
        {"failed link",
         {{"fault.events=link-down link=LINK at=50us until=1ms"}},
         {},
         {},
         "fault 'link-down",
         "A fault \\(link-down"},
        {"slow cable", {{"run.link-rates=LINK:SLOW"}}, {}, {}, "^link ", "its peers have"},
        {"short timer",
         {{"transport.rto=5us"}, {"transport.rto=10us"}, {"transport.rto=20us"}},
         traffic,
         {},
         "transport.rto"},
        {"small buffer",
         {{"switch.buffer=1800KiB"}, {"switch.buffer=1200KiB"}},
         traffic,
         {},
         "switch.buffer"},
        {"low thresholds",
         {{"congestion-control.name=dcqcn", "ecn.kmin=2KB", "ecn.kmax=8KB", "ecn.pmax=1",
           "ecn.scale-rate=0"}},
         {"all-to-all", "websearch", "ring"},
         {},
         "ECN thresholds|ecn\\.",
         "ecn\\."},
        {"small packets",
         {{"transport.mtu=256B"}, {"transport.mtu=512B"}},
         {},
         {},
         "transport.mtu"},
        {"large headers",
         {{"transport.header=512B", "transport.mtu=1024B"}},
         {},
         {},
         "transport.header|transport.mtu"},
        {"wrong algorithm",
         {{"system.all-reduce=direct"},
          {"system.all-reduce=recursive-doubling"},
          {"system.all-reduce=double-binary-tree"}},
         {"all-reduce"},
         {},
         "system.all-reduce"},
        {"many chunks",
         {{"system.chunks=64"}},
         {"all-reduce", "data-parallel"},
         {},
         "system.chunks"},
        {"bad placement",
         {{"generate.placement=random", "generate.ranks=8"}},
         {"ring"},
         {"leaves", "tree", "groups"},
         "placement"},
        {"bad order",
         {{"system.order=ORDER"}},
         {"ring"},
         {"leaves", "tree", "wide"},
         "system.order"},
        {"another job",
         {{"JOB"}},
         {"ring", "all-to-all", "data-parallel"},
         {},
         "without the workload",
         "workloads share"},
        {"straggler",
         {{"system.stragglers=3:2"}, {"system.stragglers=1:3"}},
         {"data-parallel"},
         {},
         "system.stragglers"},
        {"one spine",
         {{"leaf-spine.spines=1"}, {"leaf-spine.spines=2"}},
         traffic,
         {"leaves"},
         "links between switches",
         "Links between switches carry less"},
        {"slow uplinks",
         {{"leaf-spine.uplink-rate=100Gbps"}},
         traffic,
         {"leaves"},
         "links between switches",
         "Links between switches carry less"},
        {"slow recovery of rates",
         {{"congestion-control.name=dcqcn", "dcqcn.rate-ai=1Mbps", "dcqcn.rate-hai=1Mbps",
           "dcqcn.rate-timer=1ms"}},
         traffic,
         {},
         "dcqcn"},
        {"small window",
         {{"congestion-control.name=static-window", "static-window.window=8KiB"},
          {"congestion-control.name=static-window", "static-window.window=16KiB"}},
         {},
         {},
         "static-window"},
        {"little headroom",
         {{"pfc.headroom=512B", "switch.buffer=2MiB"}},
         traffic,
         {},
         "pfc.headroom|switch.buffer"},
        {"lossy class",
         {{"pfc.enabled=false", "switch.buffer=1MiB"}},
         traffic,
         {},
         "pfc.enabled|flow control|switch.buffer"},
        {"slow reductions",
         {{"system.reduce-bandwidth=200Gbps"}},
         {"ring", "data-parallel"},
         {},
         "system.reduce-bandwidth"},
        {"slow software",
         {{"system.endpoint-delay=20us"}},
         {"ring", "all-reduce"},
         {},
         "endpoint-delay"},
        {"restarted messages",
         {{"transport.recovery=go-back-0", "fault.events=bit-errors link=LINK ber=1e-7"}},
         graphs,
         {},
         "transport.recovery|bit-errors",
         "transport.recovery|A fault"},
        {"rare NACKs",
         {{"transport.nack-interval=100ms", "fault.events=bit-errors link=LINK ber=1e-7"}},
         graphs,
         {},
         "nack-interval|bit-errors",
         "nack-interval|A fault"},
        {"small share of the buffer",
         {{"switch.alpha=1/1024", "switch.buffer=4MiB"}},
         traffic,
         {},
         "switch.alpha|switch.buffer"},
        {"overload", {{"cdf.load=0.95"}}, {"websearch"}, {"switch", "tree", "wide"}, "load"},
    };
    return all;
}

struct Planted {
    const Kind *kind;
    const Fabric *fabric;
    std::string work;
    Texts healthy, sick; // settings, of "another job" the scenario in xml
    std::string xml_healthy, xml_sick;
    bool decoy;
};

class Draw
{
  public:
    explicit Draw(uint64_t seed) : m_random(seed) {}
    Planted next(size_t number)
    {
        const Kind &kind = kinds()[number % kinds().size()];
        const Fabric &fabric = pick_named(fabrics(), kind.fabrics);
        const auto &work = pick_named(workloads(), kind.works);
        Planted p = {&kind, &fabric, name_of(work), fabric.sets, {}, "", "", false};
        p.healthy.insert(p.healthy.end(), work.second.begin(), work.second.end());
        p.sick = p.healthy;
        bool fault = false;
        std::string link;
        for (const std::string &text : settings(kind, fabric, &link)) {
            if (text == "JOB")
                two_jobs(p);
            else
                p.sick.push_back(text);
            fault = fault || text.rfind("fault.", 0) == 0;
        }
        const Texts decoys = {"switch.quantum=8KiB", "transport.cnp-prio=5", "pfc.xon-offset=6KiB",
                              "fault.events=degrade link=" + link +
                                  " rate=" + std::to_string(std::stoul(fabric.rate) - 1) + "Gbps"};
        const unsigned decoy = below(12);
        if (decoy < decoys.size() && !(fault && decoy == 3) && p.xml_sick.empty()) {
            p.sick.push_back(decoys[decoy]);
            p.decoy = true;
        }
        return p;
    }

    // Plants another cause beside that of p. False: the two have nothing to do with each other's
    // workload or fabric, or set the same.
    bool add(Planted &p, const Kind &kind)
    {
        std::string link;
        if (&kind == p.kind || !p.xml_sick.empty() || !has(kind.works, p.work) ||
            !has(kind.fabrics, p.fabric->name))
            return false;
        for (std::string text : settings(kind, *p.fabric, &link)) {
            const std::string key = text.substr(0, text.find('='));
            for (std::string &own : p.sick) {
                if (own.substr(0, own.find('=')) != key || own == text)
                    continue;
                if (key != "fault.events")
                    return false;
                own += "; " + text.substr(key.size() + 1);
                text.clear();
            }
            if (text == "JOB")
                return false;
            if (!text.empty())
                p.sick.push_back(text);
        }
        return true;
    }

  private:
    static bool has(const Texts &names, const std::string &name)
    {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    }
    // One variant of a kind on a fabric, at a link that is drawn.
    Texts settings(const Kind &kind, const Fabric &fabric, std::string *link)
    {
        const unsigned host = below(std::min(fabric.hosts, 8u));
        *link = "h" + std::to_string(host) + "-" + fabric.leaf(host);
        static const unsigned parts[] = {2, 4, 10};
        const std::string slow = std::to_string(std::stoul(fabric.rate) / parts[below(3)]) + "Gbps";
        std::vector<unsigned> order(16);
        std::iota(order.begin(), order.end(), 0);
        for (size_t i = order.size(); i > 1; i--)
            std::swap(order[i - 1], order[below(static_cast<unsigned>(i))]);
        std::string ranks;
        for (unsigned r : order)
            ranks += (ranks.empty() ? "" : ",") + std::to_string(r);
        Texts out;
        for (std::string s : kind.variants[below(static_cast<unsigned>(kind.variants.size()))]) {
            s = std::regex_replace(s, std::regex("LINK"), *link);
            s = std::regex_replace(s, std::regex("SLOW"), slow);
            out.push_back(std::regex_replace(s, std::regex("ORDER"), ranks));
        }
        return out;
    }
    std::mt19937_64 m_random;
    unsigned below(unsigned n)
    {
        return static_cast<unsigned>(m_random() % n);
    }
    static std::string name_of(const Fabric &f)
    {
        return f.name;
    }
    static std::string name_of(const std::pair<std::string, Texts> &w)
    {
        return w.first;
    }
    template <typename T> const T &pick_named(const std::vector<T> &all, const Texts &names)
    {
        std::vector<const T *> some;
        for (const T &t : all)
            if (names.empty() || std::find(names.begin(), names.end(), name_of(t)) != names.end())
                some.push_back(&t);
        return *some[below(static_cast<unsigned>(some.size()))];
    }
    // A scenario file of the workload on eight ranks, and one with traffic of another beside it.
    void two_jobs(Planted &p)
    {
        std::string topology, job, system;
        for (const std::string &s : p.healthy) {
            const size_t dot = s.find('.'), is = s.find('=');
            const std::string element = s.substr(0, dot), name = s.substr(dot + 1, is - dot - 1);
            const std::string attribute = " " + name + "=\"" + s.substr(is + 1) + "\"";
            (element == "workload" || element == "generate" ? job
             : element == "system"                          ? system
                                                            : topology) += attribute;
        }
        const std::string head = "<scenario name=\"jobs\"><topology" + topology + "/><system" +
                                 system +
                                 "/><workload name=\"main\" ranks=\"8\" "
                                 "placement=\"spread\"" +
                                 job + "/>";
        p.xml_healthy = head + "</scenario>";
        p.xml_sick = head + "<workload name=\"noise\" type=\"cdf\" load=\"0." +
                     std::to_string(5 + below(5)) + "\"/></scenario>";
    }
};

#endif
