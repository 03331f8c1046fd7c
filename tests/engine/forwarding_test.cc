// SPDX-License-Identifier: GPL-2.0-only
// Who forwards when links fail: every generator and preset, each class of its links in turn. What
// switches, and hosts where they may forward, still join is delivered to the host that it names;
// everything else is cut off, waits, and is named. Which pairs are joined is found here by a search
// of its own.
#include "tables.h"
#include "world.h"

#include "topologies/deadlock.h"
#include "topologies/presets.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace
{

using Pair = std::pair<uint32_t, uint32_t>;
constexpr int64_t kUs = WEFT_PS_PER_US;

struct Case {
    std::string name;
    Settings topology;
    std::string label;
};

// Every generator that needs no file and every preset, as they are, and with hosts that forward
// where that is a setting.
std::vector<Case> Fabrics()
{
    size_t n;
    std::vector<Case> list;
    const weft_topology_ops *const *table = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool file = false, forward = false;
        for (size_t k = 0; k < table[i]->params.n; k++) {
            file |= !table[i]->params.params[k].def;
            forward |= std::string(table[i]->params.params[k].name) == "hosts-forward";
        }
        if (file)
            continue;
        list.push_back({table[i]->name, {}, table[i]->name});
        if (forward)
            list.push_back({table[i]->name,
                            {{"hosts-forward", "true"}},
                            std::string(table[i]->name) + " forwarding"});
    }
    list.push_back({"ring", {{"size", "3"}}, "ring of 3"});
    list.push_back({"fully-connected", {{"size", "3"}, {"links", "2"}}, "two links each"});
    list.push_back(
        {"multi", {{"dimensions", "fully-connected size=4; ring size=3"}}, "full, then ring"});
    list.push_back(
        {"multi",
         {{"dimensions", "fully-connected size=4; leaf-spine leaves=2 hosts-per-leaf=4 spines=2"}},
         "full, then Clos"});
    auto add = [](void *ctx, const char *name, const char *) {
        auto to = static_cast<std::vector<Case> *>(ctx);
        to->push_back({"preset", {{"name", name}}, name});
        World w("preset", {{"name", name}});
        if (w.fabric->routing == WEFT_ROUTING_DIMS)
            to->push_back({"preset",
                           {{"name", name}, {"hosts-forward", "true"}},
                           std::string(name) + " forwarding"});
    };
    weft_err err = {};
    EXPECT_EQ(weft_preset_each(add, &list, &err), 0) << err.msg;
    return list;
}

// One link of each class: its dimension and what is at its ends.
std::vector<uint32_t> LinkClasses(const weft_fabric *f)
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>, uint32_t> first;
    for (uint32_t l = 0; l < f->nlinks; l++) {
        const weft_fabric_link &k = f->links[l];
        const uint32_t a = f->nodes[k.a].tier, b = f->nodes[k.b].tier;
        first.insert({{k.dim, std::min(a, b), std::max(a, b), k.rate_bps}, l});
    }
    std::vector<uint32_t> links;
    for (const auto &[key, link] : first)
        links.push_back(link);
    return links;
}

// Hosts that a packet of host `src` can come to without `down`.
std::vector<bool> Reached(const weft_fabric *f, uint32_t src, uint32_t down)
{
    std::vector<bool> seen(f->nnodes);
    std::vector<uint32_t> queue = {f->hosts[src]};
    seen[queue[0]] = true;
    for (size_t at = 0; at < queue.size(); at++) {
        const weft_fabric_node &x = f->nodes[queue[at]];
        if (at > 0 && x.kind == WEFT_NODE_HOST && !f->transit)
            continue;
        for (uint32_t p = x.first_port; p < x.first_port + x.nports; p++) {
            const uint32_t to = f->ports[f->ports[p].peer].node;
            if (f->ports[p].link == down || seen[to])
                continue;
            seen[to] = true;
            queue.push_back(to);
        }
    }
    std::vector<bool> hosts;
    for (uint32_t h = 0; h < f->nhosts; h++)
        hosts.push_back(seen[f->hosts[h]]);
    return hosts;
}

// Which pairs talk: all of a small fabric, of a large one some at every distance, and all of the
// two hosts at the failed link.
std::set<Pair> Pairs(const weft_fabric *f, uint32_t link)
{
    const uint32_t n = f->nhosts;
    std::set<Pair> pairs;
    std::set<uint32_t> shifts;
    for (uint32_t s = 1; s < n; s += n <= 32 ? 1 : 1 + s)
        shifts.insert({s, n - s});
    for (uint32_t s : shifts)
        for (uint32_t h = 0; h < n; h++)
            pairs.insert({h, (h + s) % n});
    for (uint32_t end : {f->links[link].a, f->links[link].b})
        for (uint32_t h = 0; f->nodes[end].kind == WEFT_NODE_HOST && h < n; h++)
            if (h != f->nodes[end].host)
                pairs.insert({{f->nodes[end].host, h}, {h, f->nodes[end].host}});
    return pairs;
}

std::set<Pair> Got(const World &w)
{
    std::set<Pair> got;
    for (const auto &d : w.received)
        EXPECT_TRUE(got.insert({d.msg.src, d.msg.dst}).second);
    return got;
}

std::vector<std::string> Explained(const World &w)
{
    std::vector<std::string> said;
    weft_engine_explain(
        w.e, 5000,
        [](void *to, const char *s) { static_cast<std::vector<std::string> *>(to)->push_back(s); },
        &said);
    return said;
}

// Payload that came into each host over all links and did not leave it again is what was received,
// as nothing is sent twice.
void ExpectPayloadAtItsHosts(const World &w, uint64_t bytes)
{
    std::vector<int64_t> kept(w.fabric->nhosts), want(w.fabric->nhosts);
    for (uint32_t p = 0; p < w.fabric->nports; p++) {
        struct weft_port_counters st;
        weft_engine_port_stats(w.e, p, &st);
        const weft_fabric_node &from = w.fabric->nodes[w.fabric->ports[p].node];
        const weft_fabric_node &to = w.fabric->nodes[w.fabric->ports[w.fabric->ports[p].peer].node];
        if (to.kind == WEFT_NODE_HOST)
            kept[to.host] += static_cast<int64_t>(st.tx_payload_bytes);
        if (from.kind == WEFT_NODE_HOST)
            kept[from.host] -= static_cast<int64_t>(st.tx_payload_bytes);
    }
    for (const auto &d : w.received) {
        want[d.msg.dst] += static_cast<int64_t>(bytes);
        want[d.msg.src] -= static_cast<int64_t>(bytes);
    }
    EXPECT_EQ(kept, want);
}

const Settings kEngine = {{"transport.rto", "500us"}, {"pfc.allow-deadlock", "true"}};

} // namespace

TEST(Forwarding, EveryClassOfLinksOfEveryFabricFromTheStart)
{
    const uint64_t bytes = 6000;
    for (const Case &c : Fabrics()) {
        World plan(c.name, c.topology);
        for (uint32_t link : LinkClasses(plan.fabric)) {
            SCOPED_TRACE(c.label + ", link " + std::to_string(link));
            World w(c.name, c.topology, kEngine);
            w.Build();
            weft_err err = {};
            ASSERT_EQ(SetLink(w.e, link, false, &err), 0) << err.msg;
            std::set<Pair> joined;
            uint32_t cut = 0;
            std::map<uint32_t, std::vector<bool>> reached;
            for (const Pair &p : Pairs(w.fabric, link)) {
                w.Send(p.first, p.second, bytes);
                if (!reached.count(p.first))
                    reached[p.first] = Reached(w.fabric, p.first, link);
                if (reached[p.first][p.second])
                    joined.insert(p);
                else
                    cut++;
            }
            w.Run(500 * kUs);
            EXPECT_EQ(Got(w), joined);
            EXPECT_EQ(w.acked.size(), joined.size());
            EXPECT_EQ(w.Totals().retx_packets, 0u);
            ExpectPayloadAtItsHosts(w, bytes);
            const auto said = Explained(w);
            if (!cut) {
                EXPECT_TRUE(said.empty()) << said[0];
                continue;
            }
            char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
            const std::string name =
                std::string(weft_fabric_node_name(w.fabric, w.fabric->links[link].a, a)) + "-" +
                weft_fabric_node_name(w.fabric, w.fabric->links[link].b, b);
            ASSERT_EQ(said.size(), cut + 1);
            EXPECT_EQ(said[0], "the fabric is partitioned: " + std::to_string(cut) +
                                   " QPs have no path; links down: " + name + " since 0ps");
            for (size_t i = 1; i < said.size(); i++)
                EXPECT_NE(said[i].find("no path leads there"), std::string::npos) << said[i];
        }
    }
}

// The link fails under way and comes back: everything arrives once, at the host that it names.
TEST(Forwarding, EveryClassOfLinksOfEveryFabricUnderWay)
{
    for (const Case &c : Fabrics()) {
        World plan(c.name, c.topology);
        for (uint32_t link : LinkClasses(plan.fabric)) {
            SCOPED_TRACE(c.label + ", link " + std::to_string(link));
            World w(c.name, c.topology, kEngine);
            w.Build();
            const auto pairs = Pairs(w.fabric, link);
            for (const Pair &p : pairs)
                w.Send(p.first, p.second, 12000);
            weft_err err = {};
            for (bool up : {false, true}) {
                const int64_t at = up ? 400 * kUs : kUs;
                ASSERT_EQ(weft_engine_run(w.e, at), 0) << weft_engine_error(w.e)->msg;
                weft_engine_set_now(w.e, at);
                ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
                ASSERT_EQ(SetLink(w.e, link, up, &err), 0) << err.msg;
                ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
            }
            w.Run(WEFT_PS_PER_MS);
            EXPECT_EQ(Got(w), pairs);
            EXPECT_EQ(w.acked.size(), pairs.size());
            EXPECT_EQ(w.Totals().packets_in_flight, 0u);
        }
    }
}

// A failed link that nobody uses makes nothing faster, and one in use makes things slower.
TEST(Forwarding, AFailureMakesNoAllToAllFaster)
{
    auto last = [](uint32_t down) {
        World w("preset", {{"name", "dgx-h100-pod"}}, kEngine);
        w.Build();
        weft_err err = {};
        if (down != UINT32_MAX) {
            EXPECT_EQ(SetLink(w.e, down, false, &err), 0) << err.msg;
        }
        for (uint32_t shift = 1; shift < 64; shift++)
            for (uint32_t h = 0; h < 64; h++)
                w.Send(h, (h + shift) % 64, 16384);
        w.Run(WEFT_PS_PER_MS);
        EXPECT_EQ(w.acked.size(), 64u * 63);
        int64_t t = 0;
        for (const auto &d : w.received)
            t = std::max(t, d.received_ps);
        return t;
    };
    World plan("preset", {{"name", "dgx-h100-pod"}});
    const weft_fabric *f = plan.fabric;
    uint32_t unused = UINT32_MAX, used = UINT32_MAX;
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (f->links[l].dim == 0 && f->nodes[f->links[l].a].host == 100)
            unused = l;
        else if (f->links[l].dim == 0 && f->nodes[f->links[l].a].host == 3)
            used = l;
    ASSERT_NE(unused, UINT32_MAX);
    ASSERT_NE(used, UINT32_MAX);
    const int64_t intact = last(UINT32_MAX);
    EXPECT_EQ(last(unused), intact);
    EXPECT_GT(last(used), intact);
}

// Ways over other hosts with everything that hosts do for them: buffers that pause and drop, turns
// at the NIC, ACKs back, every recovery; in windows or one queue the same.
TEST(Forwarding, HostsForwardAfterAFailureAsSwitchesDo)
{
    const Settings fabric = {{"size", "4"}, {"hosts-forward", "true"}, {"rate", "100Gbps"}};
    for (const char *recovery : kRecoveries)
        for (const char *pfc : {"true", "false"})
            for (const char *cc : {"none", "dcqcn", "hpcc"}) {
                SCOPED_TRACE(std::string(recovery) + " pfc " + pfc + " " + cc);
                if (std::string(recovery) == "go-back-0" && std::string(pfc) == "false")
                    continue; // drops of each round start whole messages anew
                World w("fully-connected", fabric,
                        {{"transport.recovery", recovery},
                         {"pfc.enabled", pfc},
                         {"switch.buffer", "256KiB"},
                         {"switch.reserve", "0"},
                         {"transport.rto", "200us"}},
                        cc);
                w.Build();
                weft_err err = {};
                // h0-h1 is gone from 3 us on, later h0-h2 too; all that h0 sends and gets goes over
                // h3
                for (uint32_t i = 1; i < 4; i++)
                    for (uint32_t h = 0; h < 4; h++)
                        w.Send(h, (h + i) % 4, 400000);
                for (uint32_t link : {0u, 1u}) {
                    const int64_t at = (3 + 7 * link) * kUs;
                    ASSERT_EQ(weft_engine_run(w.e, at), 0) << weft_engine_error(w.e)->msg;
                    weft_engine_set_now(w.e, at);
                    ASSERT_EQ(SetLink(w.e, link, false, &err), 0) << err.msg;
                }
                w.Run();
                EXPECT_EQ(w.acked.size(), 12u);
                const auto t = w.Totals();
                EXPECT_EQ(t.bytes_received, 12u * 400000);
                EXPECT_EQ(t.packets_in_flight, 0u);
                if (std::string(cc) == "none" && std::string(recovery) == "go-back-n") {
                    if (std::string(pfc) == "true")
                        EXPECT_GT(t.pfc_pauses, 0u) << "the buffer of h3 was never short";
                    else
                        EXPECT_GT(t.drops[WEFT_DROP_BUFFER], 0u)
                            << "the buffer of h3 was never short";
                }
                EXPECT_EQ(t.drops[WEFT_DROP_HEADROOM], 0u);
            }
}

// Deadlocks of what failures leave are looked for over the routes that packets really take.
TEST(Forwarding, TheDeadlockCheckFollowsForwardingHosts)
{
    weft_err err = {};
    // Four hosts in a full mesh without its diagonals are a ring, whose routes over hosts go in a
    // circle.
    World open("fully-connected", {{"size", "5"}, {"hosts-forward", "true"}});
    std::vector<uint8_t> down(open.fabric->nlinks, 1);
    for (uint32_t l = 0; l < open.fabric->nlinks; l++) {
        const uint32_t a = open.fabric->links[l].a, b = open.fabric->links[l].b;
        down[l] = !(b == a + 1 || (a == 0 && b == 4));
    }
    EXPECT_EQ(weft_deadlock_check(open.fabric, down.data(), &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("wait for each other in a circle: h"), std::string::npos)
        << err.msg;
    World shut("fully-connected", {{"size", "5"}});
    err = {};
    EXPECT_EQ(weft_deadlock_check(shut.fabric, down.data(), &err), 0)
        << "nobody forwards: " << err.msg;
}

// Valiant's intermediates are hosts that forward.
TEST(Forwarding, ValiantNeedsHostsThatForward)
{
    const Settings engine = {{"switch.balance", "valiant"}, {"transport.recovery", "out-of-order"}};
    weft_err err = {};
    World shut("fully-connected", {{"size", "4"}}, engine);
    EXPECT_EQ(weft_engine_check_config(&shut.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("set fully-connected.hosts-forward=true"),
              std::string::npos)
        << err.msg;
    for (const Case &c :
         {Case{"fully-connected", {{"size", "4"}, {"hosts-forward", "true"}}, "full"},
          Case{"multi",
               {{"dimensions",
                 "fully-connected size=4; leaf-spine leaves=2 hosts-per-leaf=4 spines=2"}},
               "full, then Clos"}}) {
        SCOPED_TRACE(c.label);
        World w(c.name, c.topology, engine);
        w.Build();
        for (uint32_t i = 1; i < w.fabric->nhosts; i++)
            for (uint32_t h = 0; h < w.fabric->nhosts; h++)
                w.Send(h, (h + i) % w.fabric->nhosts, 100000);
        w.Run();
        EXPECT_EQ(w.acked.size(), w.fabric->nhosts * (w.fabric->nhosts - 1));
        ExpectPayloadAtItsHosts(w, 100000);
    }
}

// A host that is linked to the source itself and forwards for nobody is no way-point.
TEST(Forwarding, ValiantGoesRoundHostsThatAreLinkedDirectly)
{
    const std::string path = testing::TempDir() + "/weft-ring-and-chord.txt";
    std::ofstream file(path);
    file << "10 5 11\n5 6 7 8 9\n";
    for (int i = 0; i < 5; i++) // a ring of five switches with a host each
        file << i << ' ' << 5 + i << " 10Gbps 1us 0\n"
             << 5 + i << ' ' << 5 + (i + 1) % 5 << " 10Gbps 1us 0\n";
    file << "0 2 10Gbps 1us 0\n";
    file.close();
    World w("hpcc", {{"file", path}},
            {{"switch.balance", "valiant"},
             {"transport.recovery", "out-of-order"},
             {"pfc.allow-deadlock", "true"}});
    w.Build();
    for (uint32_t i = 1; i < 5; i++)
        for (uint32_t h = 0; h < 5; h++)
            w.Send(h, (h + i) % 5, 100000);
    w.Run();
    EXPECT_EQ(w.acked.size(), 20u);
    ExpectPayloadAtItsHosts(w, 100000);
}

// On one switch there is no way round: packets of a QP stay in one priority, and so in order.
TEST(Forwarding, ValiantOnOneSwitchKeepsTheOrder)
{
    for (const char *recovery : {"go-back-n", "go-back-0"}) {
        SCOPED_TRACE(recovery);
        World w("single-switch", {{"hosts", "4"}},
                {{"switch.balance", "valiant"},
                 {"transport.recovery", recovery},
                 {"transport.allow-reordering", "true"},
                 {"transport.rto", "200us"}});
        w.Build();
        for (uint32_t i = 1; i < 4; i++)
            for (uint32_t h = 0; h < 4; h++)
                w.Send(h, (h + i) % 4, 250000);
        weft_err err = {};
        for (int k = 0; k < 6; k++) {
            const int64_t at = (5 + 5 * k) * kUs;
            ASSERT_EQ(weft_engine_run(w.e, at), 0) << weft_engine_error(w.e)->msg;
            weft_engine_set_now(w.e, at);
            ASSERT_EQ(SetLink(w.e, 0, k % 2, &err), 0) << err.msg;
        }
        w.Run(50 * kUs, 100 * WEFT_PS_PER_MS);
        EXPECT_EQ(w.acked.size(), 12u);
    }
    World calm("single-switch", {{"hosts", "4"}},
               {{"switch.balance", "valiant"}, {"transport.allow-reordering", "true"}});
    calm.Build();
    for (uint32_t h = 1; h < 4; h++)
        calm.Send(0, h, 250000);
    calm.Run();
    EXPECT_EQ(calm.Totals().retx_packets, 0u);
}

// A path whose MTU is smaller than the packets of a QP is none for it; and one opened meanwhile can
// use both.
TEST(Forwarding, APathOfASmallerMtuIsNoneForLongPackets)
{
    const Settings fabric = {
        {"dimensions",
         "switch size=4 mtu=4096B; leaf-spine leaves=2 hosts-per-leaf=4 spines=2 mtu=1024B"}};
    World w("multi", fabric);
    w.Build();
    weft_err err = {};
    w.Send(0, 1, 400000);
    ASSERT_EQ(weft_engine_run(w.e, 2 * kUs), 0);
    weft_engine_set_now(w.e, 2 * kUs);
    uint32_t link = 0;
    while (w.fabric->links[link].dim != 0 || w.fabric->links[link].a != w.fabric->hosts[0])
        link++;
    ASSERT_EQ(SetLink(w.e, link, false, &err), 0) << err.msg;
    w.Send(0, 2, 400000); // opened now: its packets fit
    w.Run();
    ASSERT_EQ(Got(w), std::set<Pair>{Pair(0, 2)});
    const auto said = Explained(w);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_NE(
        said[1].find(
            "the path that is left takes packets of up to 1024B, but those of this QP are 4096B"),
        std::string::npos)
        << said[1];
    ASSERT_EQ(SetLink(w.e, link, true, &err), 0) << err.msg;
    w.Send(0, 2, 100000);
    w.Run();
    EXPECT_EQ(w.acked.size(), 3u);
}

// A message that names a port of its host leaves by it, whatever the hash; a number above those of
// the ports goes around.
TEST(Forwarding, AMessageLeavesByThePortThatItNames)
{
    World w("dual-plane", {}, {});
    w.Build();
    const weft_fabric_node &host = w.fabric->nodes[w.fabric->hosts[0]];
    ASSERT_EQ(host.nports, 2u);
    uint64_t sent[2] = {0, 0};
    for (uint8_t nic : {1, 2, 4, 1}) {
        weft_err err = {};
        weft_msg m = {};
        m.dst = w.fabric->nhosts - 1;
        m.bytes = nic * 1000u;
        m.prio = WEFT_PRIO_DEFAULT;
        m.qp = nic;
        m.nic = nic;
        ASSERT_EQ(weft_engine_send(w.e, &m, nullptr, &err), 0) << err.msg;
        sent[(nic - 1) % 2] += m.bytes;
    }
    w.Run();
    ASSERT_EQ(w.received.size(), 4u);
    for (uint32_t k = 0; k < 2; k++) {
        struct weft_port_counters st;
        weft_engine_port_stats(w.e, host.first_port + k, &st);
        EXPECT_EQ(st.tx_payload_bytes, sent[k]) << k;
    }
}
