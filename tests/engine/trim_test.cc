// SPDX-License-Identifier: GPL-2.0-only
// Packet trimming, and the delivery that is made for it: what is cut is asked for at once, and
// nothing else is sent again.
#include "once.h"
#include "world.h"

#include <algorithm>
#include <map>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;
constexpr uint64_t KIB = 1024;

const Settings kSwitch = {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", "1us"}};

// Lossy data in priority 3, whose queue may hold 180 KB.
Settings Lossy(const std::string &recovery, bool trims, const Settings &more = {})
{
    Settings s = {{"pfc.enabled", "false"},
                  {"transport.recovery", recovery},
                  {"transport.ack-prio", "6"},
                  {"switch.reserve", "0B"},
                  {"switch.egress-limit", "180KB"},
                  {"switch.egress-threshold", "static"},
                  {"switch.trim-prios", trims ? "8" : "0"}};
    for (auto &m : more) {
        s.erase(std::remove_if(s.begin(), s.end(), [&](auto &x) { return x.first == m.first; }),
                s.end());
        s.push_back(m);
    }
    return s;
}

int64_t Incast(World &w, uint64_t bytes = 1024 * KIB)
{
    w.Build();
    for (uint32_t h = 0; h < 8; h++)
        w.Send(h, 8, bytes);
    w.Run();
    int64_t last = 0;
    for (auto &d : w.received)
        last = std::max(last, d.received_ps);
    return last;
}

} // namespace

// 8 x 256 packets of 4178 bytes at 80 ps each.
TEST(Trim, EachTrimIsOneNackAndOnePacketSentAgain)
{
    const int64_t full = INT64_C(8) * 256 * 4178 * 80;
    for (const char *recovery : {"rud", "out-of-order"})
        for (const char *cc : {"nscc", "none", "dctcp"}) {
            World w("single-switch", kSwitch, Lossy(recovery, true, {{"switch.buffer", "64MiB"}}),
                    cc);
            const int64_t last = Incast(w);
            const auto t = w.Totals();
            ExpectAllOnceInOrder(w, std::string(recovery) + " " + cc);
            EXPECT_GT(t.trims, 20u) << cc;
            EXPECT_EQ(t.sent[WEFT_PKT_NACK], t.trims) << recovery << " " << cc;
            EXPECT_EQ(t.retx_packets, t.trims) << recovery << " " << cc;
            EXPECT_EQ(weft_totals_drops(&t), 0u);
            EXPECT_EQ(t.rtos, 0u) << "no timer had to find anything";
            EXPECT_GE(last, full);
            if (std::string(cc) == "nscc") {
                EXPECT_LT(last, full * 103 / 100 + 10 * US) << recovery;
            }
        }
}

TEST(Trim, BeatsDropping)
{
    int64_t last[2];
    for (bool trims : {false, true}) {
        World w("single-switch", kSwitch, Lossy("rud", trims, {{"transport.rto", "400us"}}),
                "nscc");
        last[trims] = Incast(w);
        ExpectAllOnceInOrder(w, trims ? "trim" : "drop");
        EXPECT_EQ(w.Totals().rtos > 0, !trims);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_BUFFER] > 0, !trims);
    }
    EXPECT_LT(last[1], last[0]);
}

// Three hosts, two packets at once: the second finds no room beside what is queued. What is left of
// it overtakes in the class of trimmed packets.
TEST(Trim, CutsToTheSizeInItsClassAndSaysSo)
{
    World w("single-switch", kSwitch,
            Lossy("rud", true,
                  {{"switch.egress-limit", "5000B"},
                   {"switch.trim-size", "100B"},
                   {"switch.trim-prio", "6"}}));
    std::vector<weft_engine_pkt_view> cut;
    w.user = &cut;
    std::vector<uint8_t> events(64, 1u << WEFT_PKT_SENT);
    w.config.hooks.packet_events = events.data();
    w.config.hooks.packet = [](void *c, int64_t, uint32_t, weft_pkt_event,
                               const weft_engine_pkt_view *v) {
        if (v->kind == WEFT_PKT_DATA && v->payload_bytes == 0)
            static_cast<std::vector<weft_engine_pkt_view> *>(static_cast<World *>(c)->user)
                ->push_back(*v);
    };
    w.Build();
    for (uint32_t h = 0; h < 3; h++)
        w.Send(h, 8, 4096);
    w.Run();
    ExpectAllOnceInOrder(w, "three packets");
    ASSERT_EQ(cut.size(), 1u);
    EXPECT_EQ(w.Totals().trims, 1u);
    EXPECT_EQ(cut[0].frame_bytes, 100u);
    EXPECT_EQ(cut[0].prio, 6u);
    EXPECT_EQ(cut[0].psn, 0u);
    uint64_t at_ports = 0;
    for (uint32_t p = 0; p < w.fabric->nports; p++) {
        weft_port_counters c;
        weft_engine_port_stats(w.e, p, &c);
        at_ports += c.trims;
    }
    EXPECT_EQ(at_ports, 1u);
}

// Three packets at once and room for two, of which one is on the line: the third is lost, or, where
// a coin is tossed, the one that waits, about as often.
TEST(Trim, ACoinSaysWhichOfTwoPackets)
{
    for (bool trims : {true, false})
        for (const char *overflow : {"arriving", "toss"}) {
            std::map<uint32_t, int> lost;
            for (uint64_t seed = 1; seed <= 40; seed++) {
                World w("single-switch", kSwitch,
                        Lossy("rud", trims,
                              {{"switch.egress-limit", "5000B"}, {"switch.overflow", overflow}}),
                        "none", {}, seed);
                w.Build();
                for (uint32_t h = 0; h < 3; h++)
                    w.Send(h, 8, 4096);
                w.Run();
                ExpectAllOnceInOrder(w, overflow);
                EXPECT_EQ(w.Totals().retx_packets, 1u);
                EXPECT_EQ(w.Totals().trims, trims ? 1u : 0u);
                EXPECT_EQ(w.Totals().drops[WEFT_DROP_BUFFER], trims ? 0u : 1u);
                lost[std::max_element(w.received.begin(), w.received.end(), [](auto &a, auto &b) {
                         return a.received_ps < b.received_ps;
                     })->id]++;
            }
            if (std::string(overflow) == "arriving") {
                EXPECT_EQ(lost[2], 40);
                continue;
            }
            EXPECT_EQ(lost[0], 0) << "on the line already";
            EXPECT_EQ(lost[1] + lost[2], 40);
            EXPECT_GT(lost[1], 10);
            EXPECT_GT(lost[2], 10);
        }
}

// Limits for ports of 100 Gbps: 10 packets there, 20 at an uplink of 200 Gbps, 10 at both without.
TEST(Trim, LimitsGrowWithTheRateOfThePort)
{
    for (const char *scale : {"100Gbps", "0"}) {
        World w("leaf-spine",
                {{"leaves", "2"},
                 {"hosts-per-leaf", "8"},
                 {"spines", "1"},
                 {"host-rate", "100Gbps"},
                 {"uplink-rate", "200Gbps"}},
                Lossy("rud", false,
                      {{"switch.egress-limit", "41580B"}, {"switch.egress-scale-rate", scale}}),
                "none");
        w.Build();
        for (uint32_t h = 0; h < 8; h++) {
            w.Send(h, 8 + h, 256 * KIB);               /* 800 Gbps into the uplink */
            w.Send(8 + h, 8 + (h + 1) % 2, 256 * KIB); /* 400 Gbps into the ports of two hosts */
        }
        w.Run();
        ExpectAllOnceInOrder(w, scale);
        uint64_t longest[2] = {0, 0}; /* by rate */
        for (uint32_t p = 0; p < w.fabric->nports; p++) {
            const auto &port = w.fabric->ports[p];
            if (w.fabric->nodes[port.node].kind != WEFT_NODE_SWITCH)
                continue;
            weft_port_counters c;
            weft_engine_port_stats(w.e, p, &c);
            uint64_t &most = longest[w.fabric->links[port.link].rate_bps > 100000000000];
            most = std::max(most, c.max_queue_bytes);
        }
        const uint64_t fits[2] = {10, *scale == '1' ? 20u : 10u};
        for (int fast = 0; fast < 2; fast++) { /* with some ACKs besides */
            EXPECT_GE(longest[fast], fits[fast] * 4158) << scale;
            EXPECT_LT(longest[fast], (fits[fast] + 1) * 4158) << scale;
        }
    }
}

// Thirty packets of 4,158 bytes at once: one is on the line, ten find room in the queue of 41,580
// bytes, fifteen where a port leads to a host and has half as much again. The others, 19 or 14, are
// trimmed and come again together, when eleven or sixteen find room.
TEST(Trim, PortsToHostsHaveAThresholdOfTheirOwn)
{
    for (const bool last_hop : {true, false})
        for (const char *scale : {"1", "1.5"}) {
            const Settings one = {{"hosts", "31"}, {"rate", "100Gbps"}, {"delay", "1us"}};
            const Settings two = {{"leaves", "2"},
                                  {"hosts-per-leaf", "30"},
                                  {"spines", "1"},
                                  {"host-rate", "100Gbps"},
                                  {"uplink-rate", "100Gbps"}};
            World w(last_hop ? "single-switch" : "leaf-spine", last_hop ? one : two,
                    Lossy("rud", true,
                          {{"switch.egress-limit", "41580B"}, {"switch.trim-host-scale", scale}}),
                    "none");
            w.Build();
            for (uint32_t h = 0; h < 30; h++)
                w.Send(h, last_hop ? 30 : 30 + h, 4096);
            w.Run();
            ExpectAllOnceInOrder(w, scale);
            const bool wide = last_hop && std::string(scale) == "1.5";
            EXPECT_EQ(w.Totals().trims, wide ? 14u : 19u + 8u) << scale << " " << last_hop;
        }
}

// Lost NACKs, lost trimmed packets, lost ACKs and data, a class of trimmed packets without room:
// every message arrives once, and it ends.
TEST(Trim, NothingIsLostForGood)
{
    for (const char *recovery : {"rud", "out-of-order", "selective-repeat", "go-back-n"})
        for (const char *room : {"3:60KB,5:60KB", "3:9000B,5:200B", "3:20KB,5:0B"})
            for (int every : {0, 7}) {
                World w("single-switch", kSwitch,
                        Lossy(recovery, true,
                              {{"switch.egress-limit-map", room},
                               {"switch.egress-limit", "1MB"},
                               {"transport.retry-max", "0"},
                               {"transport.nack-interval", "1us"},
                               {"transport.rto", "200us"}}),
                        "nscc");
                uint64_t n = 0;
                if (every)
                    w.lose = [&](uint32_t, const weft_engine_pkt_view &) {
                        return ++n % uint64_t(every) == 0 && n < 3000;
                    };
                Incast(w, 100 * KIB);
                const std::string what = std::string(recovery) + " " + room;
                ExpectAllOnceInOrder(w, what);
                EXPECT_GT(w.Totals().trims, 0u) << what;
            }
}

TEST(Trim, LossAndReorderPacketsUnderRud)
{
    for (const char *reorder : {"0", "3", "40"})
        for (uint64_t seed : {1, 2, 3}) {
            World w("leaf-spine", {{"leaves", "2"}, {"hosts-per-leaf", "4"}, {"spines", "4"}},
                    Lossy("rud", seed != 2,
                          {{"switch.balance", "entropy"},
                           {"switch.egress-limit", "40KB"},
                           {"transport.reorder-packets", reorder},
                           {"transport.rto", "300us"}}),
                    "nscc", {}, seed);
            uint64_t n = 0;
            w.lose = [&](uint32_t, const weft_engine_pkt_view &) { return ++n % 53 == 0; };
            w.Build();
            for (uint32_t h = 0; h < 4; h++)
                for (uint64_t bytes : {300 * KIB, UINT64_C(1), UINT64_C(0), 50 * KIB})
                    w.Send(h, 4 + (h + seed) % 4 / 2, bytes);
            w.Run();
            ExpectAllOnceInOrder(w, std::string("reorder ") + reorder);
        }
}

// All to all over four spines of which two fail in the midst and one returns, with tiny queues.
TEST(Trim, LinksFailAndReturnUnderRud)
{
    for (const char *policy : {"oblivious", "bitmap", "reps", "mixed"}) {
        World w("leaf-spine", {{"leaves", "2"}, {"hosts-per-leaf", "4"}, {"spines", "4"}},
                Lossy("rud", true,
                      {{"switch.balance", "entropy"},
                       {"switch.entropy-policy", policy},
                       {"switch.egress-limit-map", "3:30KB,5:1KB"},
                       {"transport.retry-max", "0"},
                       {"transport.rto", "100us"}}),
                "nscc");
        w.Build();
        for (uint32_t a = 0; a < 8; a++)
            for (uint32_t b = 0; b < 8; b++)
                if (a != b)
                    w.Send(a, b, 200 * KIB + a);
        weft_err err = {};
        const uint32_t last = w.fabric->nlinks - 1;
        ASSERT_EQ(weft_engine_run(w.e, 8 * US), 0);
        ASSERT_EQ(SetLink(w.e, last, false, &err), 0) << err.msg;
        ASSERT_EQ(SetLink(w.e, last - 1, false, &err), 0) << err.msg;
        ASSERT_EQ(weft_engine_run(w.e, 30 * US), 0);
        ASSERT_EQ(SetLink(w.e, last, true, &err), 0) << err.msg;
        w.Run();
        ExpectAllOnceInOrder(w, policy);
        EXPECT_GT(w.Totals().trims, 0u) << policy;
        EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK] + w.Totals().drops[WEFT_DROP_BUFFER], 0u);
    }
}

// One lost packet does not hold up a window that counts what is in flight.
TEST(Rud, AWindowCountsWhatIsInFlight)
{
    int64_t took[2];
    for (bool counts : {false, true}) {
        World w(
            "single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"transport.recovery", counts ? "rud" : "out-of-order"}, {"transport.rto", "300us"}},
            "static-window");
        bool lost = false;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            const bool yes = !lost && v.kind == WEFT_PKT_DATA && v.psn == 5;
            lost |= yes;
            return yes;
        };
        w.Build();
        w.Send(0, 1, 1000 * 4096);
        w.Run();
        ExpectAllOnceInOrder(w, "one loss");
        EXPECT_EQ(w.Totals().retx_packets, 1u);
        took[counts] = w.received[0].received_ps;
    }
    EXPECT_GT(took[0], 600 * US) << "the window stands still until the timer";
    EXPECT_LT(took[1], 400 * US);
}

TEST(Trim, RefusesLosslessPriorities)
{
    for (const auto &[more, text] :
         {std::pair<Settings, const char *>{{{"switch.trim-prios", "12"}}, "names priority 3"},
          {{{"switch.trim-prios", "4"}, {"switch.trim-prio", "3"}}, "switch.trim-prio is 3"}}) {
        World w("single-switch", kSwitch, more);
        weft_err err = {};
        EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
        EXPECT_NE(std::string(err.msg).find(text), std::string::npos) << err.msg;
    }
}
