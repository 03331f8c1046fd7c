// SPDX-License-Identifier: GPL-2.0-only
// Frames of other transports: carried, queued, marked and dropped like RoCE's packets.
#include "world.h"

#include <map>

namespace
{

struct Arrival {
    int64_t t;
    uint32_t port;
    uint64_t handle;
    bool ce;
};

// What the hooks of frames tell.
struct Frames {
    std::vector<Arrival> arrived;
    std::vector<uint64_t> left;
    std::map<uint64_t, weft_drop_reason> dropped;
    World *w;

    explicit Frames(World &world) : w(&world)
    {
        w->user = this;
        w->config.hooks.frame_left = [](void *c, uint64_t h) { Of(c)->left.push_back(h); };
        w->config.hooks.frame_received = [](void *c, uint32_t port, uint64_t h, int ce) {
            Of(c)->arrived.push_back(
                {weft_engine_now(static_cast<World *>(c)->e), port, h, ce != 0});
        };
        w->config.hooks.frame_dropped = [](void *c, uint32_t, uint32_t, uint64_t h,
                                           weft_drop_reason why) {
            EXPECT_TRUE(Of(c)->dropped.emplace(h, why).second);
        };
        w->Build();
    }

    static Frames *Of(void *c)
    {
        return static_cast<Frames *>(static_cast<World *>(c)->user);
    }

    int Send(const weft_engine_frame &f, std::string *why = nullptr)
    {
        weft_err err = {};
        int rc = weft_engine_send_frame(w->e, &f, &err);
        if (why)
            *why = err.msg;
        else
            EXPECT_EQ(rc, 0) << err.msg;
        return rc;
    }

    // n frames of 1000 bytes from one flow, with handles from first on.
    void Burst(uint32_t src, uint32_t dst, uint32_t n, uint32_t prio, uint64_t first = 0,
               int ect = 0, uint32_t flow = 1)
    {
        for (uint32_t i = 0; i < n; i++)
            Send({src, dst, UINT32_MAX, prio, 1000, 900, flow, ect, first + i});
    }
};

const Settings STAR = {{"hosts", "4"}, {"rate", "100Gbps"}, {"delay", "1us"}};

void SetLinkOfHost(World &w, uint32_t host, bool up)
{
    weft_err err = {};
    weft_link_change c = {};
    c.link = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[host]].first_port].link;
    c.kind = up ? WEFT_LINK_UP : WEFT_LINK_DOWN;
    ASSERT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
}

} // namespace

// One frame over two links of 100 Gbps and 1 us: 80 ps per byte, 1000 + 20 bytes on the wire,
// twice.
TEST(Frame, TakesTheTimeOfItsBytes)
{
    World w("single-switch", STAR);
    Frames f(w);
    f.Send({0, 2, UINT32_MAX, 0, 1000, 900, 7, 0, 42});
    EXPECT_EQ(f.left, std::vector<uint64_t>{42}) << "an idle NIC starts it at once";
    w.Run();
    ASSERT_EQ(f.arrived.size(), 1u);
    EXPECT_EQ(f.arrived[0].t, 2 * (1020 * 80 + 1000000));
    EXPECT_EQ(f.arrived[0].handle, 42u);
    EXPECT_FALSE(f.arrived[0].ce);
    EXPECT_EQ(w.fabric->ports[f.arrived[0].port].node, w.fabric->hosts[2]);
    auto t = w.Totals();
    EXPECT_EQ(t.sent[WEFT_PKT_FRAME], 1u);
    EXPECT_EQ(t.delivered[WEFT_PKT_FRAME], 1u);
    EXPECT_EQ(t.qps, 0u) << "its path is no QP";
    EXPECT_EQ(t.packets_in_flight, 0u);
    struct weft_port_counters s;
    weft_engine_port_stats(w.e, w.fabric->nodes[w.fabric->hosts[0]].first_port, &s);
    EXPECT_EQ(s.tx_payload_bytes, 900u);
}

TEST(Frame, ShortOnesArePaddedAndKeepTheirOrder)
{
    World w("single-switch", STAR);
    Frames f(w);
    for (uint64_t h = 0; h < 3; h++)
        f.Send({1, 0, UINT32_MAX, 0, 40, 0, 7, 0, h});
    w.Run();
    ASSERT_EQ(f.arrived.size(), 3u);
    for (uint64_t h = 0; h < 3; h++) {
        EXPECT_EQ(f.arrived[h].handle, h);
        EXPECT_EQ(f.arrived[h].t, int64_t(2 + h) * 84 * 80 + 2000000);
    }
}

// Two hosts at line rate into one: the queue grows by one frame per frame sent, to 100 000 bytes,
// where 100 frames of 1000 bytes wait; then every second one is dropped.
TEST(Frame, LossyQueueDropsWhatDoesNotFit)
{
    World w("single-switch", STAR,
            {{"switch.reserve", "0"},
             {"switch.threshold", "static"},
             {"switch.limit", "10MB"},
             {"switch.egress-threshold", "static"},
             {"switch.egress-limit", "100kB"}});
    Frames f(w);
    f.Burst(0, 3, 1000, 0, 0);
    f.Burst(1, 3, 1000, 0, 10000);
    w.Run();
    // 2000 come, 1000 are sent while they come, 100 wait at the end; one more is on the wire
    // meanwhile
    EXPECT_NEAR(double(f.arrived.size()), 1100, 2);
    EXPECT_EQ(f.arrived.size() + f.dropped.size(), 2000u);
    for (auto &d : f.dropped)
        EXPECT_EQ(d.second, WEFT_DROP_BUFFER);
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_BUFFER], f.dropped.size());
}

// In a lossless priority the same burst is paused instead.
TEST(Frame, LosslessPriorityPauses)
{
    World w("single-switch", STAR, {{"switch.buffer", "1MiB"}});
    Frames f(w);
    f.Burst(0, 3, 1000, 3, 0);
    f.Burst(1, 3, 1000, 3, 10000);
    w.Run();
    EXPECT_EQ(f.arrived.size(), 2000u);
    EXPECT_GT(w.Totals().pfc_pauses, 0u);
}

// ECN: capable frames are marked where the queue is above the threshold, others never; and RoCE
// data of a congestion control that does not look at ECN is not marked either.
TEST(Frame, OnlyCapableFramesAreMarked)
{
    for (const char *atEnqueue : {"false", "true"}) {
        World w("single-switch", STAR,
                {{"ecn.scale-rate", "0"},
                 {"ecn.kmin", "20kB"},
                 {"ecn.kmax", "20kB"},
                 {"ecn.at-enqueue", atEnqueue}});
        Frames f(w);
        f.Burst(0, 3, 200, 0, 0, 1);
        f.Burst(1, 3, 200, 0, 10000, 0, 2);
        w.Send(2, 3, 400000, 0, 0);
        w.Run();
        ASSERT_EQ(f.arrived.size(), 400u);
        uint64_t ce = 0;
        for (auto &a : f.arrived) {
            ce += a.ce;
            EXPECT_FALSE(a.ce && a.handle >= 10000);
        }
        EXPECT_GT(ce, 100u); // the queue passes 20 frames within the first 20 of 200
        EXPECT_LT(ce, 200u);
        EXPECT_EQ(w.Totals().ecn_marks, ce);
    }
}

// At one NIC, frames and QPs of one priority send packet by packet in turn: 1000 + 20 against 4178
// bytes.
TEST(Frame, TakesTurnsWithQpsOfItsPriority)
{
    World w("single-switch", STAR, {{"switch.buffer", "16MiB"}});
    Frames f(w);
    f.Burst(0, 1, 500, 3);
    w.Send(0, 2, 4096 * 200, 0, 3);
    w.Run();
    EXPECT_EQ(f.arrived.size(), 500u);
    ASSERT_EQ(w.received.size(), 1u);
    const int64_t alone = 200 * (4178 * 80);
    EXPECT_NEAR(double(w.received[0].received_ps),
                double(alone + 200 * (1020 * 80) + 4178 * 80 + 2000000), double(2 * 4178 * 80));
}

// Deficit round robin at a switch port: weights 3 to 1 between frames and RoCE.
TEST(Frame, SharesAPortWithRoceByWeights)
{
    World w("single-switch", STAR,
            {{"switch.weight-map", "0:3,3:1"},
             {"switch.buffer", "64MiB"},
             {"switch.egress-alpha", "16"},
             {"switch.alpha", "8"},
             {"switch.lossy-alpha", "8"}});
    Frames f(w);
    f.Burst(0, 3, 20000, 0);
    for (int i = 0; i < 400; i++)
        w.Send(1, 3, 40960, 0, 3);
    ASSERT_EQ(weft_engine_run(w.e, WEFT_PS_PER_MS), 0);
    uint64_t roce = w.received.size() * (4158 * 10), frames = f.arrived.size() * 1000;
    EXPECT_TRUE(f.dropped.empty());
    EXPECT_NEAR(double(frames) / double(frames + roce), 0.75, 0.02 * 0.75);
    EXPECT_LT(f.arrived.size(), 20000u) << "both had something to send all the time";
    w.Run();
}

// Flows of one pair of hosts spread over equal-cost paths, each keeping to its own.
TEST(Frame, FlowsKeepToAPathEach)
{
    World w("leaf-spine", {{"leaves", "2"}, {"hosts-per-leaf", "2"}, {"spines", "4"}});
    Frames f(w);
    std::map<uint32_t, uint32_t> spinePackets;
    for (uint32_t flow = 0; flow < 64; flow++)
        f.Burst(0, 3, 5, 0, flow * 10, 0, flow);
    w.Run();
    ASSERT_EQ(f.arrived.size(), 320u);
    uint32_t used = 0;
    for (uint32_t i = 0; i < w.fabric->nports; i++) {
        const weft_fabric_port &p = w.fabric->ports[i];
        if (w.fabric->nodes[p.node].tier != 2)
            continue;
        struct weft_port_counters s;
        weft_engine_port_stats(w.e, i, &s);
        used += s.tx_packets > 0;
        EXPECT_EQ(s.tx_packets % 5, 0u) << "a flow was split";
    }
    EXPECT_EQ(used, 4u);
}

TEST(Frame, LinkFailureDropsAndSays)
{
    World w("single-switch", STAR);
    Frames f(w);
    f.Burst(0, 1, 100, 0);
    ASSERT_EQ(weft_engine_run(w.e, 2 * WEFT_PS_PER_US), 0);
    SetLinkOfHost(w, 1, false);
    f.Burst(1, 0, 1, 0, 1000); // its own link is down
    w.Run();
    EXPECT_EQ(f.arrived.size() + f.dropped.size(), 101u);
    EXPECT_EQ(f.dropped.at(1000), WEFT_DROP_LINK);
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], f.dropped.size());
    SetLinkOfHost(w, 1, true);
    f.Burst(1, 0, 1, 0, 2000);
    w.Run();
    EXPECT_EQ(f.arrived.back().handle, 2000u);
}

// Full mesh of three, link 0 (h0-h1) down. A frame that the sender's routes still send out of the
// port to h2 gets to h1 if NPUs forward; else it is dropped at the port and told so, never handed
// to h2.
TEST(Frame, NoHostThatForwardsForNobodyTakesOneForAnother)
{
    for (const char *forward : {"false", "true"}) {
        SCOPED_TRACE(forward);
        World w("fully-connected", {{"size", "3"}, {"hosts-forward", forward}});
        Frames f(w);
        const uint32_t first = w.fabric->nodes[w.fabric->hosts[0]].first_port;
        uint32_t to2 = first;
        while (w.fabric->ports[w.fabric->ports[to2].peer].node != w.fabric->hosts[2])
            to2++;
        std::string why;
        if (forward[0] == 'f') {
            EXPECT_NE(f.Send({0, 1, to2, 0, 1000, 900, 1, 0, 1}, &why), 0);
            EXPECT_NE(why.find("no path leads from port"), std::string::npos) << why;
        }
        weft_err err = {};
        weft_link_change down = {};
        down.link = w.fabric->ports[first].link;
        ASSERT_EQ(w.fabric->ports[w.fabric->ports[first].peer].node, w.fabric->hosts[1]);
        down.kind = WEFT_LINK_DOWN;
        ASSERT_EQ(weft_engine_change_links(w.e, &down, 1, &err), 0) << err.msg;
        f.Send({0, 1, to2, 0, 1000, 900, 1, 0, 7});
        w.Run();
        if (forward[0] == 'f') {
            EXPECT_TRUE(f.arrived.empty());
            ASSERT_EQ(f.dropped.count(7), 1u);
            EXPECT_EQ(f.dropped.at(7), WEFT_DROP_LINK);
        } else {
            ASSERT_EQ(f.arrived.size(), 1u);
            EXPECT_EQ(w.fabric->ports[f.arrived[0].port].node, w.fabric->hosts[1]);
        }
    }
}

TEST(Frame, RefusesWhatCannotBeSent)
{
    World w("single-switch", STAR);
    Frames f(w);
    std::string why;
    EXPECT_NE(f.Send({0, 0, UINT32_MAX, 0, 100, 0, 0, 0, 0}, &why), 0);
    EXPECT_NE(f.Send({0, 9, UINT32_MAX, 0, 100, 0, 0, 0, 0}, &why), 0);
    EXPECT_NE(why.find("hosts 0 to 3"), std::string::npos) << why;
    EXPECT_NE(f.Send({0, 1, UINT32_MAX, 8, 100, 0, 0, 0, 0}, &why), 0);
    EXPECT_NE(f.Send({0, 1, w.fabric->nports, 0, 100, 0, 0, 0, 0}, &why), 0);
    EXPECT_NE(f.Send({0, 1, UINT32_MAX, 0, 70000, 0, 0, 0, 0}, &why), 0);
    EXPECT_NE(f.Send({0, 1, UINT32_MAX, 3, 9018, 9000, 0, 0, 0}, &why), 0);
    EXPECT_NE(why.find("transport.mtu"), std::string::npos) << why;
    EXPECT_EQ(w.Totals().sent[WEFT_PKT_FRAME], 0u);
}
