// SPDX-License-Identifier: GPL-2.0-only
// Credit at hosts of several ports, of which one loses its link: what was asked for, and is granted
// ahead, moves to the port by which the ACKs leave.
#include "once.h"
#include "tamper.h"
#include "world.h"

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

struct Fabric {
    const char *topology;
    Settings topo;
};

const Fabric kFabrics[] = {
    {"dual-plane", {{"rails", "2"}, {"segments", "2"}, {"nodes", "2"}, {"aggregations", "2"}}},
    {"mesh", {{"shape", "3x3"}}},
    {"torus", {{"shape", "4x2"}}},
};

/// Grants at the ports of their hosts, by the port that sends them.
struct Ports {
    std::map<uint32_t, uint64_t> granted, before; // by port, and by QP: quanta
    std::vector<uint8_t> events;
    void Listen(World &w)
    {
        w.user = this;
        events.assign(w.fabric->nports, 1 << WEFT_PKT_SENT);
        w.config.hooks.packet_events = events.data();
        w.config.hooks.packet = [](void *c, int64_t, uint32_t port, weft_pkt_event,
                                   const weft_engine_pkt_view *v) {
            if (v->kind != WEFT_PKT_GRANT || v->hops)
                return;
            auto *p = static_cast<Ports *>(static_cast<World *>(c)->user);
            p->granted[port] += v->psn - p->before[v->qpn];
            p->before[v->qpn] = v->psn;
        };
    }
};

void AllToAll(World &w, uint64_t bytes)
{
    for (uint32_t src = 0; src < w.fabric->nhosts; src++)
        for (uint32_t dst = 0; dst < w.fabric->nhosts; dst++)
            if (src != dst)
                w.Send(src, dst, bytes);
}

void RunTo(World &w, int64_t t)
{
    ASSERT_EQ(weft_engine_run(w.e, t), 0) << weft_engine_error(w.e)->msg;
    weft_engine_set_now(w.e, t);
}

void Change(World &w, int64_t at_ps, uint32_t link, bool up)
{
    RunTo(w, at_ps);
    weft_err err = {};
    ASSERT_EQ(SetLink(w.e, link, up, &err), 0) << err.msg;
}

Settings Engine(const Settings &more = {})
{
    Settings s = {{"pfc.enabled", "false"},
                  {"transport.recovery", "rud"},
                  {"transport.rto", "100us"},
                  {"switch.trim-prios", "8"},
                  {"transport.ack-prio", "6"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

const std::pair<const char *, Settings> kControls[] = {{"rccc", {}},
                                                       {"nscc", {{"credit", "true"}}}};

} // namespace

// Every link of a host in turn, at times when QPs ask for credit, are granted some ahead, or have
// all that they want; down for good, or until later.
TEST(GrantFailure, AllArrivesWhicheverPortOfAHostIsLost)
{
    for (const Fabric &f : kFabrics)
        for (const auto &[cc, settings] : kControls)
            for (const int64_t at_us : {3, 20, 60})
                for (const bool returns : {false, true})
                    for (uint32_t link = 0; link < 3; link++) {
                        World w(f.topology, f.topo, Engine(), cc, settings);
                        w.Build();
                        AllToAll(w, 300000);
                        Change(w, at_us * US, link, false);
                        if (returns)
                            Change(w, (at_us + 25) * US, link, true);
                        w.Run();
                        ExpectAllOnceInOrder(w, f.topology + std::string(" ") + cc + " link " +
                                                    std::to_string(link) + " at " +
                                                    std::to_string(at_us));
                    }
}

// The pacer of a port that has no link grants nothing more; that of the other makes all.
TEST(GrantFailure, ThePortThatIsLeftGrantsEverything)
{
    World w(kFabrics[0].topology, kFabrics[0].topo, Engine(), "rccc");
    const weft_fabric_node &host = w.fabric->nodes[w.fabric->hosts[0]];
    ASSERT_EQ(host.nports, 2u);
    Ports ports;
    ports.Listen(w);
    w.Build();
    for (uint32_t src = 1; src < w.fabric->nhosts; src++)
        w.Send(src, 0, 4 << 20);
    RunTo(w, 40 * US);
    const uint32_t lost = ports.granted[host.first_port] ? 0 : 1;
    const uint64_t before = ports.granted[host.first_port + lost],
                   beside = ports.granted[host.first_port + 1 - lost];
    ASSERT_GT(before, 0u);
    Change(w, 41 * US, w.fabric->ports[host.first_port + lost].link, false);
    w.Run();
    ExpectAllOnceInOrder(w, "incast");
    EXPECT_LE(ports.granted[host.first_port + lost], before + 64);
    EXPECT_GT(ports.granted[host.first_port + 1 - lost] - beside, 7u * 3 * 4096);
}

// A QP that is in the list of a port other than that by which it is granted, as if it had not
// moved: its list leads nowhere, or round. That ends the run, within the event.
TEST(Walk, CreditOfAnotherPortEndsTheRun)
{
    World w(kFabrics[0].topology, kFabrics[0].topo, Engine(), "rccc");
    w.Build();
    AllToAll(w, 1 << 20);
    RunTo(w, 20 * US);
    tamper_swap_ack_ports(w.e, 0);
    EXPECT_EQ(weft_engine_run(w.e, WEFT_PS_PER_S), WEFT_E_INTERNAL);
    EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("requested credit"), std::string::npos)
        << weft_engine_error(w.e)->msg;
}

// Lists that have been made circles, met by the checks of conservation.
TEST(Walk, ACircleOfPacketsIsFoundByTheCheck)
{
    for (const bool link : {false, true}) {
        World w("single-switch", {{"hosts", "4"}});
        w.Build();
        for (uint32_t src = 1; src < 4; src++)
            w.Send(src, 0, 1 << 20);
        RunTo(w, 20 * US);
        weft_err err = {};
        ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        ASSERT_TRUE(tamper_packets_in_a_circle(w.e, link));
        EXPECT_EQ(weft_engine_check(w.e, &err), WEFT_E_INTERNAL);
        EXPECT_EQ(weft_engine_error(w.e)->code, WEFT_E_INTERNAL);
        const std::string msg = weft_engine_error(w.e)->msg;
        EXPECT_NE(msg.find(link ? "on a link' does not end" : "'packets of a queue"),
                  std::string::npos)
            << msg;
    }
}

TEST(Walk, ACircleOfTurnsEndsTheRun)
{
    World w("single-switch", {{"hosts", "4"}}, {{"transport.ns3-event-order", "true"}});
    w.Build();
    for (uint32_t dst = 1; dst < 4; dst++)
        w.Send(0, dst, 1 << 20);
    RunTo(w, 20 * US);
    ASSERT_TRUE(tamper_turns_in_a_circle(w.e, 0));
    EXPECT_EQ(weft_engine_run(w.e, WEFT_PS_PER_S), WEFT_E_INTERNAL);
    EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("'turns of QPs"), std::string::npos)
        << weft_engine_error(w.e)->msg;
}
