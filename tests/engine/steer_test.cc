// SPDX-License-Identifier: GPL-2.0-only
// Valiant and minimal-adaptive routing against loads worked out by hand, and without deadlock on
// small lossless buffers.
#include "world.h"

namespace
{

constexpr double SER = 334240; // ps that a packet of 4096 bytes takes at 100 Gbps
constexpr uint64_t N = 400;    // packets per message

Settings With(const char *balance, const Settings &more = {})
{
    Settings s = {{"switch.balance", balance},
                  {"transport.recovery", "out-of-order"},
                  {"transport.rto", "100ms"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

struct Result {
    double last = 0;            // when the last message had arrived, in packet times
    std::vector<double> global; // packets over each direction of the links counted
};

// One message per host; `counted` says which ports to look at.
Result Play(World &w, uint64_t packets, uint32_t (*to)(const weft_fabric *, uint32_t),
            bool (*counted)(const weft_fabric *, uint32_t))
{
    Result r;
    w.Build();
    for (uint32_t h = 0; h < w.fabric->nhosts; h++)
        w.Send(h, to(w.fabric, h), packets * 4096);
    w.Run(1000 * WEFT_PS_PER_US);
    EXPECT_EQ(w.acked.size(), w.fabric->nhosts);
    for (const auto &d : w.received)
        r.last = std::max(r.last, double(d.received_ps) / SER);
    for (uint32_t p = 0; p < w.fabric->nports; p++)
        if (counted(w.fabric, p)) {
            struct weft_port_counters st;
            weft_engine_port_stats(w.e, p, &st);
            r.global.push_back(double(st.tx_payload_bytes) / 4096);
        }
    const auto t = w.Totals();
    EXPECT_EQ(t.retx_packets, 0u);
    for (uint64_t d : t.drops)
        EXPECT_EQ(d, 0u);
    return r;
}

double Mean(const std::vector<double> &v)
{
    double sum = 0;
    for (double x : v)
        sum += x;
    return sum / double(v.size());
}

bool All(const weft_fabric *, uint32_t)
{
    return true;
}

// ---- ring of 8, each host to the third next ("tornado") ----

uint32_t Tornado(const weft_fabric *f, uint32_t h)
{
    return (h + 3) % f->nhosts;
}

Result OnRing(const char *balance, const Settings &more = {})
{
    World w("ring", {{"size", "8"}, {"rate", "100Gbps"}, {"delay", "100ns"}}, With(balance, more));
    return Play(w, N, Tornado, All);
}

// By the routes each packet takes three links clockwise: 3 N on those, nothing on the others.
// By way of a random one of eight, from 0 to 3: over 0 to 3 three links clockwise (a packet that
// comes by its destination stays there); over 4 half of them so, half five links the other way;
// over 5 and 6 five the other way; over 7 one back, then half of them four links clockwise, half
// four the other way. Each way (4 x 3 + 1.5 + 2) / 8 = (2.5 + 5 + 5 + 1 + 2) / 8 = 1.9375 links per
// packet.
TEST(Steer, ValiantHalvesTheTornado)
{
    const Result minimal = OnRing("flow"), valiant = OnRing("valiant");
    for (double packets : minimal.global)
        EXPECT_TRUE(packets == 0 || packets == 3 * N) << packets;
    EXPECT_GT(minimal.last, 3.0 * N);
    EXPECT_NEAR(Mean(valiant.global), 1.9375 * N, 0.03 * N);
    for (double packets : valiant.global)
        EXPECT_NEAR(packets, 1.9375 * N, 0.2 * N);
    EXPECT_GT(valiant.last, 1.9 * N);
    EXPECT_LT(valiant.last, 0.85 * minimal.last);
}

// ---- dragonfly of 9 groups of 4 routers with 2 hosts and 2 global links: one link per pair of
// groups ----

uint32_t NextGroup(const weft_fabric *f, uint32_t h)
{
    return (h + 8) % f->nhosts;
}

bool Global(const weft_fabric *f, uint32_t port)
{
    return f->links[f->ports[port].link].cost > 1;
}

Result OnDragonfly(const char *balance, const Settings &more = {})
{
    World w("dragonfly",
            {{"host-rate", "100Gbps"},
             {"local-rate", "100Gbps"},
             {"global-rate", "100Gbps"},
             {"host-delay", "100ns"},
             {"local-delay", "100ns"},
             {"global-delay", "500ns"}},
            With(balance, more));
    return Play(w, N / 2, NextGroup, Global);
}

// By the routes the eight hosts of a group share the one link to the next: 8 x 200 packets on 9 of
// the 72 global links. By way of a random host, one of nine is in the own group and one in the
// next, and these take the direct link: 2 / 9 x 8 N. Of the others, one in nine crosses each other
// link of its group, first out and then in from another: 1 / 9 x 8 N twice. So each link carries 16
// / 9 N.
TEST(Steer, ValiantSpreadsGroupToGroupTrafficOfADragonfly)
{
    const double n = N / 2;
    const Result minimal = OnDragonfly("flow"), valiant = OnDragonfly("valiant");
    ASSERT_EQ(minimal.global.size(), 72u);
    for (double packets : minimal.global)
        EXPECT_TRUE(packets == 0 || packets == 8 * n) << packets;
    EXPECT_GT(minimal.last, 8 * n);
    EXPECT_NEAR(Mean(valiant.global), 16.0 / 9 * n, 0.02 * n);
    for (double packets : valiant.global)
        EXPECT_NEAR(packets, 16.0 / 9 * n, 0.4 * n);
    EXPECT_LT(valiant.last, 0.4 * minimal.last);
}

// ---- minimal-adaptive ----

// 2 x 2 mesh: h0 to h3 has two ways, h1 to h3 one. By dimension order both go over h1 -> h3, 2 N
// packets one after the other. If h0 spread its packets evenly whatever happens, 1.5 N would go
// there.
TEST(Steer, MinimalAdaptiveGoesRoundABusyDimension)
{
    double last[2];
    for (int k = 0; k < 2; k++) {
        World w("mesh", {{"shape", "2x2"}, {"rate", "100Gbps"}, {"delay", "100ns"}},
                With(k ? "minimal-adaptive" : "flow", {{"switch.buffer", "512KiB"}}));
        w.Build();
        w.Send(0, 3, N * 4096);
        w.Send(1, 3, N * 4096);
        w.Run();
        ASSERT_EQ(w.received.size(), 2u);
        last[k] = 0;
        for (const auto &d : w.received)
            last[k] = std::max(last[k], double(d.received_ps) / SER);
        EXPECT_EQ(w.Totals().retx_packets, 0u);
    }
    EXPECT_GT(last[0], 2.0 * N);
    EXPECT_LT(last[1], 1.55 * N);
}

uint32_t Transpose(const weft_fabric *f, uint32_t h)
{
    const uint32_t k = f->dims[0].size, to = h % k * k + h / k;
    return to == h ? (h + k + 1) % f->nhosts : to;
}

// Buffers with little beyond their headroom: pauses everywhere. Every packet arrives, none is
// dropped, and the laws of conservation hold throughout (Run).
TEST(Steer, NothingDeadlocksOnSmallLosslessBuffers)
{
    const Settings small = {
        {"pfc.headroom", "40KB"}, {"switch.reserve", "1KiB"}, {"switch.buffer", "800KB"}};
    for (const char *balance : {"minimal-adaptive", "valiant"})
        for (const char *shape : {"torus", "mesh"}) {
            SCOPED_TRACE(std::string(balance) + " " + shape);
            World w(shape, {{"shape", "5x5"}, {"rate", "100Gbps"}, {"delay", "100ns"}},
                    With(balance, small));
            w.Build();
            for (uint32_t h = 0; h < 25; h++)
                for (uint32_t i : {3u, 7u, 12u, 18u})
                    w.Send(h, (h + i) % 25, 200 * 4096, 0);
            for (uint32_t h = 0; h < 25; h++)
                w.Send(h, Transpose(w.fabric, h), 200 * 4096, 0);
            w.Run();
            const auto t = w.Totals();
            EXPECT_EQ(w.acked.size(), 125u);
            EXPECT_GT(t.pfc_pauses, 0u);
            EXPECT_EQ(t.retx_packets, 0u);
            for (uint64_t d : t.drops)
                EXPECT_EQ(d, 0u);
        }
}

TEST(Steer, ChannelsMustBeFreeAndRoutesSafe)
{
    weft_err err = {};
    World taken("torus", {}, With("valiant"), "dcqcn"); // 3, 4, 5 and 6, which CNPs have
    EXPECT_EQ(weft_engine_check_config(&taken.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("virtual channel 3 of lossless priority 3 is priority 6"),
              std::string::npos)
        << err.msg;
    taken.config.params.transport.cnp_prio = 7;
    EXPECT_EQ(weft_engine_check_config(&taken.config, &err), 0) << err.msg;
    for (const char *balance : {"valiant", "minimal-adaptive"}) {
        World unsafe("torus", {{"vcs", "1"}}, With(balance));
        EXPECT_EQ(weft_engine_check_config(&unsafe.config, &err), WEFT_E_INPUT);
        EXPECT_NE(std::string(err.msg).find("in a circle"), std::string::npos) << err.msg;
    }
    World order("torus", {}, {{"switch.balance", "valiant"}});
    EXPECT_EQ(weft_engine_check_config(&order.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("switch.balance=valiant reorders packets"),
              std::string::npos)
        << err.msg;
    World credit("multi", {{"dimensions", "torus shape=4x4 flow-control=credit"}},
                 With("minimal-adaptive"));
    EXPECT_EQ(weft_engine_check_config(&credit.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("flow-control=credit"), std::string::npos) << err.msg;
}

uint32_t Opposite(const weft_fabric *f, uint32_t h)
{
    return (h + f->nhosts / 2) % f->nhosts;
}

// Valiant runs under credit, too; on a HyperX; and in a Clos, where it draws among the spines.
TEST(Steer, ValiantElsewhere)
{
    const std::pair<const char *, Settings> fabrics[] = {
        {"multi", {{"dimensions", "torus shape=4x4 rate=100Gbps flow-control=credit"}}},
        {"multi", {{"dimensions", "mesh shape=3x3 rate=100Gbps flow-control=credit"}}},
        {"multi", {{"dimensions", "switch size=4 rate=800Gbps; ring size=6 rate=100Gbps"}}},
        {"hyperx", {{"shape", "3x3"}}},
        {"leaf-spine", {{"leaves", "2"}, {"spines", "4"}}},
    };
    for (const auto &[name, topo] : fabrics) {
        World w(name, topo, With("valiant", {{"credit.frame", "64B"}}));
        const Result r = Play(w, 50, Opposite, All);
        EXPECT_GT(r.last, 0);
    }
}

// Links fail under way: what heads for an intermediate that is cut off goes straight on.
TEST(Steer, FailedLinksAreNoTrap)
{
    for (const char *balance : {"valiant", "minimal-adaptive"}) {
        World w("torus", {{"shape", "4x4"}, {"rate", "100Gbps"}},
                {{"switch.balance", balance},
                 {"transport.recovery", "out-of-order"},
                 {"transport.rto", "200us"},
                 {"transport.retry-max", "0"},
                 {"pfc.enabled", "false"},
                 {"switch.buffer", "64MiB"}});
        w.Build();
        for (uint32_t h = 0; h < 16; h++)
            w.Send(h, (h + 5) % 16, N * 4096);
        weft_err err = {};
        ASSERT_EQ(weft_engine_run(w.e, 30 * WEFT_PS_PER_US), 0);
        weft_engine_set_now(w.e, 30 * WEFT_PS_PER_US);
        ASSERT_EQ(SetLink(w.e, 3, 0, &err), 0) << err.msg;
        ASSERT_EQ(weft_engine_run(w.e, 90 * WEFT_PS_PER_US), 0);
        weft_engine_set_now(w.e, 90 * WEFT_PS_PER_US);
        ASSERT_EQ(SetLink(w.e, 3, 1, &err), 0) << err.msg;
        w.Run();
        EXPECT_EQ(w.acked.size(), 16u) << balance;
    }
}

} // namespace
