// SPDX-License-Identifier: GPL-2.0-only
// Fabrics whose hosts forward: rings, tori, rails behind NVLink. Neighbour traffic meets no other,
// virtual channels keep PFC from deadlocking, nothing is lost.
#include "world.h"

#include <algorithm>
#include <set>

namespace
{

// Every host to every other.
void AllToAll(World &w, uint64_t bytes)
{
    for (uint32_t i = 1; i < w.fabric->nhosts; i++)
        for (uint32_t s = 0; s < w.fabric->nhosts; s++)
            w.Send(s, (s + i) % w.fabric->nhosts, bytes, uint64_t(s) << 32 | i);
}

void ExpectAllArrived(World &w, uint64_t bytes)
{
    const uint64_t pairs = uint64_t(w.fabric->nhosts) * (w.fabric->nhosts - 1);
    const auto t = w.Totals();
    EXPECT_EQ(w.acked.size(), pairs);
    EXPECT_EQ(t.bytes_received, pairs * bytes);
    EXPECT_EQ(t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM] + t.drops[WEFT_DROP_ERROR],
              0u);
    EXPECT_EQ(t.packets_in_flight, 0u);
    EXPECT_EQ(t.retx_packets, 0u);
    std::set<uint64_t> tags;
    for (const auto &d : w.received)
        tags.insert(d.msg.tag);
    EXPECT_EQ(tags.size(), pairs);
}

const Settings SMALL = {{"switch.buffer", "256KiB"},
                        {"switch.reserve", "0"},
                        {"transport.rto", "10s"},
                        {"switch.alpha", "1"}};

Settings With(Settings s, std::initializer_list<std::pair<std::string, std::string>> more)
{
    for (const auto &m : more)
        s.push_back(m);
    return s;
}

} // namespace

TEST(Transit, AllToAllLosesNothingOnEveryGenerator)
{
    size_t n;
    const weft_topology_ops *const *table = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool needsFile = false;
        for (size_t k = 0; k < table[i]->params.n; k++)
            needsFile |= !table[i]->params.params[k].def;
        if (needsFile)
            continue;
        SCOPED_TRACE(table[i]->name);
        World w(table[i]->name, {});
        w.Build();
        AllToAll(w, 20000);
        w.Run();
        ExpectAllArrived(w, 20000);
    }
}

TEST(Transit, NeighboursOnDirectFabricsDoNotDisturbEachOther)
{
    const std::vector<std::pair<std::string, Settings>> fabrics = {{"ring", {{"size", "8"}}},
                                                                   {"torus", {{"shape", "4x4"}}},
                                                                   {"torus", {{"shape", "2x2x2"}}},
                                                                   {"mesh", {{"shape", "3x3"}}},
                                                                   {"hypercube", {{"order", "3"}}}};
    for (const auto &[name, settings] : fabrics) {
        SCOPED_TRACE(name);
        World w(name, settings);
        w.Build();
        for (uint32_t p = 0; p < w.fabric->nports; p++) {
            const weft_fabric_port &port = w.fabric->ports[p];
            w.Send(w.fabric->nodes[port.node].host,
                   w.fabric->nodes[w.fabric->ports[port.peer].node].host, 400000);
        }
        w.Run();
        ASSERT_EQ(w.received.size(), w.fabric->nports);
        // Alone on an empty fabric, but for ACKs of the data that comes the other way (60 B + gap
        // per packet).
        for (const auto &d : w.received)
            EXPECT_LE(double(d.received_ps - d.post_ps), 1.03 * double(d.ideal_ps));
    }
}

TEST(Transit, OneRingStepTakesTheSameEverywhere)
{
    // The two directions of a bidirectional ring at once, n - 1 steps of a ring all-gather each
    // way.
    World w("ring", {{"size", "8"}, {"rate", "100Gbps"}, {"delay", "1us"}});
    w.Build();
    for (uint32_t i = 0; i < 8; i++) {
        w.Send(i, (i + 1) % 8, 1000000);
        w.Send(i, (i + 7) % 8, 1000000);
    }
    w.Run();
    ASSERT_EQ(w.received.size(), 16u);
    for (const auto &d : w.received)
        EXPECT_EQ(d.received_ps - d.post_ps, w.received[0].received_ps - w.received[0].post_ps);
}

TEST(Transit, DimensionsAreCorrectedInOrder)
{
    World w("torus", {{"shape", "4x4"}});
    w.Build();
    w.Send(0, 5, 1000000); // (0,0) to (1,1): over host 1, not over host 4
    w.Run();
    struct weft_port_counters st;
    for (uint32_t p = 0; p < w.fabric->nports; p++) {
        weft_engine_port_stats(w.e, p, &st);
        const uint32_t from = w.fabric->ports[p].node,
                       to = w.fabric->ports[w.fabric->ports[p].peer].node;
        const bool data = (from == 0 && to == 1) || (from == 1 && to == 5);
        EXPECT_EQ(st.tx_payload_bytes, data ? 1000000u : 0u) << from << "->" << to;
    }
}

TEST(Transit, RingWithoutVirtualChannelsIsRefusedWithTheCycle)
{
    World w("torus", {{"shape", "4x4"}, {"vcs", "1"}});
    weft_err err = {};
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find(
                  "4 channels wait for each other in a circle: h0->h1, h1->h2, h2->h3, h3->h0"),
              std::string::npos)
        << err.msg;
    w.config.params.pfc.allow_deadlock = 1;
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), 0);
    w.config.params.pfc.allow_deadlock = 0;
    w.config.params.pfc.enabled = 0;
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), 0);
}

TEST(Transit, VirtualChannelsMakeTheDifferenceBetweenDeadlockAndCompletion)
{
    for (const char *vcs : {"1", "2"}) {
        SCOPED_TRACE(vcs);
        // three flows share each link, and a host's own takes half of it, so that the others pile
        // up
        World w("ring", {{"size", "8"}, {"rate", "100Gbps"}, {"vcs", vcs}},
                With(SMALL, {{"pfc.allow-deadlock", "true"}, {"transport.retry-max", "1"}}));
        w.Build();
        for (uint32_t i = 0; i < 8; i++)
            w.Send(i, (i + 3) % 8, 4000000);
        weft_engine_run(w.e, WEFT_PS_PER_S * 100);
        char text[512];
        if (vcs[0] == '1') {
            EXPECT_EQ(weft_engine_find_deadlock(w.e, text, sizeof text), 1);
            EXPECT_NE(std::string(text).find("h0->h1 waits for h1->h2"), std::string::npos) << text;
            EXPECT_LT(w.acked.size(), 8u);
            continue;
        }
        EXPECT_EQ(weft_engine_find_deadlock(w.e, text, sizeof text), 0) << text;
        EXPECT_EQ(w.acked.size(), 8u);
        const auto t = w.Totals();
        EXPECT_GT(t.pfc_pauses, 0u); // there was something to deadlock over
        EXPECT_EQ(t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM], 0u);
    }
}

TEST(Transit, HeavyAllToAllOnSmallBuffersFinishesOnEveryShapeWithVirtualChannels)
{
    // Buffers a little larger than their headroom, 38 KB per port and lossless channel at 100 Gbps
    // and 1 us.
    struct Tight {
        std::string name;
        Settings settings;
        std::string buffer;
    };
    const std::string ring = "ring rate=100Gbps size=4";
    const std::vector<Tight> fabrics = {
        {"ring", {{"size", "9"}}, "200KiB"},
        {"torus", {{"shape", "5x4"}}, "360KiB"},
        {"mesh", {{"shape", "4x4"}}, "190KiB"},
        {"hypercube", {{"order", "4"}}, "170KiB"},
        {"hyperx", {{"shape", "3x3"}}, "250KiB"},
        {"dragonfly", {}, "600KiB"},
        {"multi",
         {{"dimensions", "switch size=4 rate=100Gbps; rail-optimised rails=4 nodes=4 "
                         "rail-only=true rate=100Gbps"}},
         "170KiB"},
        {"multi", {{"dimensions", ring + "; torus shape=4x2 rate=100Gbps"}}, "440KiB"}};
    for (const auto &[name, given, buffer] : fabrics) {
        SCOPED_TRACE(name);
        Settings settings = given;
        const weft_param_table &t = weft_topology_find(name.c_str(), nullptr)->params;
        for (size_t i = 0; i < t.n; i++)
            if (t.params[i].type == WEFT_PARAM_RATE)
                settings.emplace_back(t.params[i].name, "100Gbps");
        World w(name, settings,
                {{"switch.buffer", buffer}, {"switch.reserve", "0"}, {"transport.rto", "10s"}});
        w.Build();
        AllToAll(w, 200000);
        w.Run(WEFT_PS_PER_MS);
        ExpectAllArrived(w, 200000);
        EXPECT_GT(w.Totals().pfc_pauses, 0u) << "the buffers were never short";
    }
}

TEST(Transit, ForwardedAndOwnPacketsShareALinkEvenly)
{
    // 0 and 1 both send over 1->2; the link is the bottleneck of both.
    World w("ring", {{"size", "8"}, {"rate", "100Gbps"}}, {{"transport.rto", "1s"}});
    w.Build();
    w.Send(0, 2, 4000000);
    w.Send(1, 2, 4000000);
    w.Run();
    ASSERT_EQ(w.received.size(), 2u);
    EXPECT_NEAR(double(w.received[0].received_ps), double(w.received[1].received_ps),
                0.02 * double(w.received[1].received_ps));
}

TEST(Transit, RefusesWhatCannotWork)
{
    weft_err err = {};
    World a("ring", {}, {{"transport.ack-ignores-pause", "true"}});
    EXPECT_EQ(weft_engine_check_config(&a.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("hosts forward"), std::string::npos) << err.msg;
    World b("ring", {}, {{"transport.cnp-prio", "4"}}, "dcqcn");
    EXPECT_EQ(weft_engine_check_config(&b.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("priority 4, which must be free"), std::string::npos)
        << err.msg;
    World c("ring", {}, {{"pfc.prios", "128"}});
    EXPECT_EQ(weft_engine_check_config(&c.config, &err), WEFT_E_INPUT);
}
