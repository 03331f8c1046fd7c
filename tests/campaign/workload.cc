// SPDX-License-Identifier: GPL-2.0-only
// What is played: generated collectives and training, or a random trace.
#include "scenario.h"

#include "tests/workload/trace.h"

#include <algorithm>
#include <cstdio>

namespace
{

// Sizes that divide badly, end in the midst of a packet, or are nothing at all.
uint64_t size(Draw &d, uint64_t most)
{
    uint64_t v = 0;
    switch (d.below(7)) {
    case 0:
        v = d.below(4);
        break;
    case 1:
        v = d.of(std::vector<uint64_t>{255, 256, 257, 4095, 4096, 4097, 8192, 65536});
        break;
    case 2:
        v = most;
        break;
    default:
        v = d.magnitude(1, most);
    }
    return std::min(v, most);
}

// The least rate of the fabric bounds sizes, too: a slow link makes a long run, not a large one.
uint64_t most_of(const Scenario &s, uint64_t copies)
{
    uint64_t least = UINT64_MAX;
    for (const Link &l : s.fabric.links)
        least = std::min(least, l.rate_bps);
    const uint64_t most = s.most_bytes / std::max<uint64_t>(copies, 1);
    return least < 10000000 ? std::min<uint64_t>(most, 3000) : most;
}

std::string whole_us(Draw &d)
{
    return std::to_string(d.chance(30) ? 0 : d.magnitude(0, 300)) + "us";
}

void generated(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const uint64_t n = s.ranks;
    if (s.ranks != s.fabric.hosts || d.chance(10)) {
        s.ranks = d.between(1, s.ranks);
        s.put("generate.ranks", std::to_string(s.ranks));
    }
    if (d.chance(20)) {
        s.put("generate.pattern", "data-parallel");
        s.put("generate.layers", std::to_string(d.between(1, 5)));
        s.put("generate.bucket-layers", std::to_string(d.between(1, 3)));
        s.put("generate.iterations", std::to_string(d.between(1, 2)));
        for (const char *key : {"forward-time", "backward-time", "optimizer-time"})
            s.put(std::string("generate.") + key, whole_us(d));
        s.put("generate.size", std::to_string(size(d, most_of(s, 12 * n))) + "B");
        return;
    }
    const std::string kind = d.of(m.tables.param("workload", "generate", "kind").choices);
    const uint64_t count = d.between(1, 3);
    s.put("generate.kind", kind);
    s.put("generate.count", std::to_string(count));
    const uint64_t copies = kind == "all-gather" || kind == "gather" ? n * n : 3 * n;
    s.put("generate.size", std::to_string(size(d, most_of(s, copies * count))) + "B");
    if (d.chance(40))
        s.put("generate.overlap", "true");
    if (d.chance(30))
        s.put("generate.compute-time", whole_us(d));
}

// Some factor of n.
uint64_t factor(Draw &d, uint64_t n)
{
    std::vector<uint64_t> all;
    for (uint64_t f = 1; f <= n; f++)
        if (n % f == 0)
            all.push_back(f);
    return d.of(all);
}

// A transformer of a few thousand parameters, divided in every way that there is.
void training(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    static const std::vector<std::pair<const char *, const char *>> tiny = {
        {"model", "llama3-8b"}, {"hidden", "64"},        {"heads", "4"},   {"kv-heads", "4"},
        {"head-dim", "16"},     {"ffn", "128"},          {"vocab", "256"}, {"sequence", "32"},
        {"layers", "4"},        {"kernel-launch", "1us"}};
    for (const auto &t : tiny)
        s.put(std::string("training.") + t.first, t.second);
    const bool experts = d.chance(30);
    if (experts) {
        s.put("training.model", "mixtral-8x7b");
        s.put("training.experts", "4");
        s.put("training.expert-ffn", "64");
    }
    s.put("training.ranks", std::to_string(s.ranks));
    uint64_t left = s.ranks;
    for (const char *key : {"tp", "pp", "cp"}) {
        const uint64_t n = std::min<uint64_t>(4, factor(d, left));
        if (left % n || n == 3 || !d.chance(70))
            continue;
        s.put(std::string("training.") + key, std::to_string(n));
        left /= n;
    }
    if (experts && left % 2 == 0)
        s.put("training.ep", "2");
    for (const Param &p : m.tables.params("workload", "training")) {
        const std::string key = "training." + p.name;
        const bool other = p.name == "table-sharding" || p.name == "pooled-fp32" ||
                           p.name == "asynchronous" || p.name == "gossip";
        const bool named = !s.get(key).empty() || p.name == "gpu" || p.name == "model" || other;
        if (!named && (p.type == "choice" || p.type == "bool") && d.chance(40))
            s.put(key, any_value(d, p));
    }
    const std::string how = s.get("training.data-parallel");
    if (how == "gossip" && d.chance(50))
        s.put("training.gossip", "exponential");
    if (how == "parameter-server" && d.chance(50))
        s.put("training.asynchronous", "true");
    if (s.get("training.schedule") == "interleaved")
        s.put("training.virtual-stages", "2");
    s.put("training.iterations", std::to_string(d.between(1, 2)));
    s.put("training.microbatches", std::to_string(2 * d.between(1, 4)));
}

// Messages that begin at times of their own, or when others have arrived.
void traffic(Maker &m, Scenario &s, const std::string &type)
{
    Draw &d = m.draw;
    const auto put = [&](const char *key, const std::string &value) {
        s.put(type + "." + key, value);
    };
    const auto bytes = [&](uint64_t copies) {
        return std::to_string(std::max<uint64_t>(1, size(d, most_of(s, copies)))) + "B";
    };
    const uint64_t n = s.ranks, servers = d.between(1, n - 1), clients = n - servers;
    put("ranks", std::to_string(n));
    for (const Param &p : m.tables.params("workload", type))
        if ((p.type == "choice" || p.type == "bool") && d.chance(50))
            put(p.name.c_str(), any_value(d, p));
    if (type == "incast") {
        const uint64_t degree = d.between(1, n - 1), times = d.between(1, 5);
        put("degree", std::to_string(degree));
        put("size", bytes(degree * times));
        put("period", "10us");
        put("duration", std::to_string(10 * times + 1) + "us");
        return;
    }
    if (type == "inference") {
        put("prefill", std::to_string(servers));
        put("kv-bytes", bytes(9));
        put("prompt-tokens", std::to_string(d.between(1, 3)));
        put("prefill-rate", "100000");
        put("rate", "20000");
        put("count", std::to_string(d.between(1, 3)));
        return;
    }
    put("servers", std::to_string(servers));
    put("stripe-count", std::to_string(d.between(1, servers)));
    put("count", std::to_string(d.between(1, 3)));
    if (type == "checkpoint") {
        const uint64_t replicas = d.between(1, std::min<uint64_t>(servers, 3));
        put("replicas", std::to_string(replicas));
        put("size", bytes(3 * replicas * clients));
        put("stripe-size", std::to_string(d.magnitude(50000, 200000)) + "B");
        put("in-flight", std::to_string(d.below(4)));
        put("period", "20us");
        return;
    }
    put("size", bytes(3 * clients));
    put("depth", std::to_string(d.between(1, 3)));
    put("read-share", d.word({"0", "0.5", "1"}));
    put("service-time", whole_us(d));
    if (d.chance(40))
        put("iops", "50000");
}

Deps some_before(Draw &d, uint64_t newest, bool must)
{
    Deps deps;
    if (newest && (must || d.chance(70)))
        deps.push_back(newest);
    if (newest > 1 && d.chance(30))
        deps.push_back(d.between(1, newest - 1));
    return deps;
}

} // namespace

// Steps that all ranks take in one order, so that no rank waits for one that waits for it.
void write_trace(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const uint64_t n = s.ranks;
    std::vector<Trace> ranks(n);
    std::vector<uint64_t> newest(n, 0);
    std::vector<uint64_t> group;
    for (uint64_t r = 0; r < n; r++)
        if (d.chance(50))
            group.push_back(r);
    const uint64_t steps = d.between(2, 14), most = most_of(s, 4 * n * steps);
    for (uint64_t step = 0; step < steps; step++) {
        const uint64_t a = d.below(n), b = d.below(n), bytes = size(d, most);
        switch (d.below(6)) {
        case 0:
            newest[a] = ranks[a].cpu(d.magnitude(0, 100), some_before(d, newest[a], false));
            break;
        case 1:
            newest[a] = ranks[a].load(bytes + 1, some_before(d, newest[a], false), d.chance(50));
            break;
        case 2: {
            static const std::vector<int> kinds = {0, 2, 6, 7, 9};
            const int kind = d.of(kinds);
            const bool part = group.size() > 1 && d.chance(40);
            for (uint64_t r = 0; r < n; r++)
                if (!part || std::find(group.begin(), group.end(), r) != group.end())
                    newest[r] = ranks[r].coll(kind, kind == 9 ? 0 : bytes, part ? "1" : "",
                                              some_before(d, newest[r], true));
            break;
        }
        default:
            if (a == b && !d.chance(1))
                break;
            newest[a] =
                ranks[a].send(static_cast<uint32_t>(b), bytes, some_before(d, newest[a], false),
                              static_cast<uint32_t>(step));
            newest[b] = ranks[b].recv(static_cast<uint32_t>(a), bytes,
                                      a == b ? Deps() : some_before(d, newest[b], false),
                                      static_cast<uint32_t>(step));
        }
    }
    for (uint64_t r = 0; r < n; r++) {
        if (!newest[r])
            ranks[r].cpu(1);
        ranks[r].write(s.dir + "/trace." + std::to_string(r) + ".et" + (r % 2 ? "" : ".gz"));
    }
    s.files = true;
    s.put("chakra.path", "trace");
    s.put("chakra.ranks", std::to_string(n));
    if (group.size() < 2)
        return;
    FILE *f = fopen((s.dir + "/groups.json").c_str(), "w");
    fputs("{\"1\": [", f);
    for (size_t i = 0; i < group.size(); i++)
        fprintf(f, "%s%llu", i ? ", " : "", (unsigned long long)group[i]);
    fputs("]}\n", f);
    fclose(f);
    s.put("chakra.groups", "groups.json");
}

void make_workload(Maker &m, Scenario &s)
{
    Draw &d = m.draw;
    const std::vector<std::string> &all = m.tables.names("workloads");
    const bool trains = std::find(all.begin(), all.end(), "training") != all.end();
    std::string type = s.ranks > 1 && d.chance(30) ? "chakra" : "generate";
    if (s.ranks > 1 && trains && d.chance(12))
        type = "training";
    const bool flows = s.ranks > 1 && d.chance(10);
    if (flows)
        type = d.word({"incast", "checkpoint", "storage", "inference", "cdf"});
    type = m.given("workload.type").empty() ? type : m.given("workload.type");
    s.put("workload.type", type);
    if (type == "training")
        return training(m, s);
    if (type == "generate")
        return generated(m, s);
    if (type == "cdf") {
        for (const auto &p : cdf_settings(d, s))
            s.put("cdf." + p.first, p.second);
        return;
    }
    if (type != "chakra" && s.ranks > 1)
        return traffic(m, s, type);
    s.put("system.memory-bandwidth", d.word({"50GB/s", "1GB/s", "2TB/s"}));
    if (d.chance(35)) {
        const bool traffic = s.ranks > 3 && d.chance(60);
        if (traffic) // some hosts are memories
            s.ranks -= d.between(1, s.ranks / 2);
        s.put("system.remote-memory",
              traffic && d.chance(90) ? "pool" : d.word({"per-npu", "pool", "per-node"}));
        if (traffic)
            s.put("system.remote-traffic", "true");
        s.put("system.remote-latency", std::to_string(d.magnitude(0, 2000)) + "ns");
        s.put("system.remote-bandwidth", d.word({"0", "10GB/s", "100GB/s"}));
        if (s.get("system.remote-memory") == "per-node")
            s.put("system.remote-node", std::to_string(d.between(1, s.ranks)));
    }
    write_trace(m, s);
    if (d.chance(30)) {
        s.put("system.rendezvous", std::to_string(d.magnitude(1, 20000)) + "B");
        for (const char *key : {"rendezvous-for", "rendezvous-handshake"})
            s.put(std::string("system.") + key,
                  d.of(m.tables.param("section", "system", key).choices));
    }
}
