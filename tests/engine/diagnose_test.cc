// SPDX-License-Identifier: GPL-2.0-only
// PFC deadlocks, roots of pauses and head-of-line victims.
#include "world.h"

#include <algorithm>

namespace
{

constexpr uint32_t RING = 5;

// A ring of five switches with one host each: hosts are nodes 0 to 4, switches 5 to 9; host links
// come first, then s5-s6, s6-s7, ... s9-s5. A flow from host i to host i + 2 has one shortest path,
// clockwise.
weft_fabric *Ring()
{
    weft_err err = {};
    weft_fabric *f = weft_fabric_new();
    for (uint32_t i = 0; i < 2 * RING; i++)
        EXPECT_EQ(weft_fabric_add_node(f, i < RING ? WEFT_NODE_HOST : WEFT_NODE_SWITCH, i >= RING,
                                       nullptr, &err),
                  0);
    for (uint32_t i = 0; i < 2 * RING; i++) {
        weft_fabric_link l = {};
        l.a = i;
        l.b = i < RING ? i + RING : RING + (i + 1 - RING) % RING;
        l.rate_bps = 100000000000;
        l.delay_ps = WEFT_PS_PER_US;
        EXPECT_EQ(weft_fabric_add_link(f, &l, nullptr, &err), 0) << err.msg;
    }
    EXPECT_EQ(weft_fabric_finish(f, &err), 0) << err.msg;
    return f;
}

void UseRing(World &w)
{
    weft_fabric_free(w.fabric);
    w.fabric = Ring();
    w.config.fabric = w.fabric;
}

void PostRing(World &w)
{
    for (uint32_t i = 0; i < RING; i++)
        w.Send(i, (i + 2) % RING, 2000000, i);
}

std::string Explain(const World &w, uint64_t max = 20)
{
    std::string text;
    weft_engine_explain(
        w.e, max,
        [](void *c, const char *s) { *static_cast<std::string *>(c) += std::string(s) + "\n"; },
        &text);
    return text;
}

const Settings TINY = {{"switch.buffer", "256KiB"},  {"switch.reserve", "0"},
                       {"pfc.headroom", "45KB"},     {"transport.rto", "1ms"},
                       {"transport.retry-max", "3"}, {"pfc.allow-deadlock", "true"}};

} // namespace

TEST(Diagnose, ACyclicBufferDependencyDeadlocksAndTheCycleIsNamed)
{
    for (const char *quanta : {"0", "65535"}) {
        Settings s = TINY;
        s.push_back({"pfc.quanta", quanta});
        World w("single-switch", {{"hosts", "2"}}, s);
        UseRing(w);
        w.Build();
        PostRing(w);
        // without pause times the run falls silent; with them the refreshes go on, so it is ended
        const bool refreshed = quanta[0] != '0';
        EXPECT_EQ(weft_engine_run(w.e, WEFT_NEVER), refreshed ? WEFT_E_OUTCOME : 0);
        char text[256];
        ASSERT_EQ(weft_engine_find_deadlock(w.e, text, sizeof text), 1);
        const std::string cycle =
            "PFC deadlock at priority 3: s5->s6 waits for s6->s7 waits for s7->s8 waits for "
            "s8->s9 waits for s9->s5";
        EXPECT_EQ(text, cycle);
        EXPECT_EQ(weft_engine_find_deadlock(w.e, nullptr, 0), 1);
        char shorter[30];
        EXPECT_EQ(weft_engine_find_deadlock(w.e, shorter, sizeof shorter), 1);
        EXPECT_EQ(shorter, cycle.substr(0, 29));
        EXPECT_EQ(weft_engine_error(w.e)->msg, refreshed ? cycle : std::string());
        EXPECT_LT(w.acked.size(), RING);
        EXPECT_NE(Explain(w).find(cycle), std::string::npos) << Explain(w);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
    }
}

TEST(Diagnose, WithoutPfcOrWithRoomTheRingDoesNotDeadlock)
{
    for (const char *enabled : {"off", "on"}) {
        Settings s = TINY;
        s.push_back({"pfc.enabled", enabled});
        s.push_back({"transport.retry-max", "0"});
        if (enabled[1] == 'n')
            s.push_back({"switch.buffer", "64MiB"});
        World w("single-switch", {{"hosts", "2"}}, s);
        UseRing(w);
        w.Build();
        PostRing(w);
        char text[64];
        while (weft_engine_next(w.e) != WEFT_NEVER) {
            ASSERT_EQ(weft_engine_run(w.e, weft_engine_next(w.e) + 10 * WEFT_PS_PER_US), 0);
            ASSERT_EQ(weft_engine_find_deadlock(w.e, text, sizeof text), 0) << text;
            ASSERT_STREQ(text, "");
        }
        EXPECT_EQ(w.acked.size(), RING);
    }
}

// A link of 1 bps takes half a minute for a packet; pauses of 64 quanta are repeated each 164 ns
// meanwhile, so often that a run would take minutes until the next packet leaves.
TEST(Diagnose, PausesRepeatedBesideALinkThatHardlyMovesEndTheRun)
{
    for (const char *limit : {"1000", "0"}) {
        World w("single-switch", {{"hosts", "4"}, {"rate", "100Gbps"}},
                {{"switch.buffer", "1MB"},
                 {"pfc.quanta", "64"},
                 {"pfc.repeat-limit", limit},
                 {"transport.rto", "1s"}});
        w.Build();
        for (uint32_t s = 1; s < 4; s++)
            w.Send(s, 0, 4000000, s);
        weft_err err = {};
        weft_link_change slow = {};
        slow.link = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[0]].first_port].link;
        slow.kind = WEFT_LINK_RATE;
        slow.rate_bps = 1;
        ASSERT_EQ(weft_engine_change_links(w.e, &slow, 1, &err), 0) << err.msg;
        const bool ends = limit[0] != '0';
        EXPECT_EQ(weft_engine_run(w.e, 2 * WEFT_PS_PER_MS), ends ? WEFT_E_OUTCOME : 0);
        const std::string why = weft_engine_error(w.e)->msg;
        EXPECT_EQ(why.find("no packet has moved since "), ends ? 0 : std::string::npos) << why;
        for (const char *part :
             {"PFC pauses were repeated 1000 times: s4 repeats the pause of link h",
              "-s4 every 163.8 ns", "pfc.repeat-limit"})
            EXPECT_EQ(why.find(part) != std::string::npos, ends) << why;
        EXPECT_EQ(w.Totals().pfc_refreshes > 10000, !ends);
    }
}

// The same beside a message of another priority each 90 us, as retransmission timers would send.
TEST(Diagnose, PausesRepeatedBesideFewPacketsEndTheRun)
{
    World w("single-switch", {{"hosts", "4"}, {"rate", "100Gbps"}},
            {{"switch.buffer", "1MiB"},
             {"pfc.quanta", "64"},
             {"pfc.repeat-limit", "2000"},
             {"transport.rto", "1s"}});
    w.Build();
    for (uint32_t s = 1; s < 4; s++)
        w.Send(s, 0, 4000000, s);
    weft_err err = {};
    weft_link_change slow = {};
    slow.link = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[0]].first_port].link;
    slow.kind = WEFT_LINK_RATE;
    slow.rate_bps = 1;
    ASSERT_EQ(weft_engine_change_links(w.e, &slow, 1, &err), 0) << err.msg;
    int rc = 0;
    for (int64_t k = 1; k < 2000 && rc == 0; k++) {
        w.Send(1, 2, 100, 0, 1);
        rc = weft_engine_run(w.e, k * 90 * WEFT_PS_PER_US);
    }
    EXPECT_EQ(rc, WEFT_E_OUTCOME);
    const std::string why = weft_engine_error(w.e)->msg;
    EXPECT_NE(why.find("and hardly one while PFC pauses were repeated "), std::string::npos) << why;
}

// Hosts 0 to 5 send to host 6 through a bottleneck at host 6; host 0 also sends to host 7. All
// hosts are on the switch (node 8), whose port to host 6 is the root; the flow 0->7 waits in a
// paused NIC.
TEST(Diagnose, RootAndVictimOfAnIncast)
{
    World w("single-switch", {{"hosts", "8"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "4MiB"}});
    w.Build();
    for (uint32_t s = 0; s < 6; s++)
        w.Send(s, 6, 4000000, s);
    w.Send(0, 7, 40000000, 99);
    bool seen = false;
    uint64_t found = 0;
    EXPECT_EQ(weft_engine_victims(w.e, &found), 0u);
    for (int k = 0; k < 200 && !seen; k++) {
        ASSERT_EQ(weft_engine_run(w.e, (k + 1) * 5 * WEFT_PS_PER_US), 0);
        std::string text = Explain(w);
        EXPECT_EQ(text.find("deadlock"), std::string::npos);
        if (text.find("victims: ") == std::string::npos)
            continue;
        seen = true;
        EXPECT_NE(text.find("root of the pauses: s8->h6 (its queue "), std::string::npos) << text;
        EXPECT_NE(text.find("not paused itself)"), std::string::npos) << text;
        EXPECT_NE(text.find("; first paused: h"), std::string::npos) << text;
        EXPECT_NE(text.find("victims: h0->h7\n"), std::string::npos) << text;
        EXPECT_EQ(found, 0u);
        EXPECT_EQ(weft_engine_victims(w.e, &found), 1u);
        EXPECT_EQ(weft_engine_victims(w.e, &found), 1u) << "it still is";
        EXPECT_EQ(found, 1u) << "and is counted once";
    }
    EXPECT_TRUE(seen);
    EXPECT_EQ(Explain(w, 0), "");
    std::string one = Explain(w, 1);
    EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1);
    w.Run();
    EXPECT_EQ(Explain(w), "");
    EXPECT_EQ(weft_engine_victims(w.e, &found), 0u);
    EXPECT_EQ(found, 1u);
}

// The resume is lost: the port is paused though nothing is congested.
TEST(Diagnose, ALostResumeIsNotADeadlock)
{
    World w("single-switch", {{"hosts", "6"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "2MiB"}, {"transport.retry-max", "2"}});
    w.config.hooks.lose = [](void *, uint32_t, const weft_engine_pkt_view *v) {
        return static_cast<int>(v->kind == WEFT_PKT_PFC && !v->pause);
    };
    w.Build();
    for (uint32_t s = 0; s < 5; s++)
        w.Send(s, 5, 4000000, s);
    weft_engine_run(w.e, WEFT_NEVER);
    EXPECT_EQ(weft_engine_find_deadlock(w.e, nullptr, 0), 0);
    EXPECT_NE(Explain(w).find("a resume is missing"), std::string::npos) << Explain(w);
}
