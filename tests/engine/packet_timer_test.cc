// SPDX-License-Identifier: GPL-2.0-only
// rud: a retransmission timer for each packet.
#include "once.h"
#include "world.h"

#include <map>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

const Settings kSwitch = {{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}};

Settings Rud(const Settings &more = {})
{
    Settings s = {{"transport.recovery", "rud"}, {"transport.rto", "100us"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

/// When each packet was sent, and how often the first `times` of it get lost.
struct Sent {
    std::map<uint64_t, std::vector<int64_t>> at;
    std::map<uint64_t, size_t> lost;
    void On(World &w)
    {
        w.lose = [this, &w](uint32_t, const weft_engine_pkt_view &v) {
            if (v.kind != WEFT_PKT_DATA || v.hops)
                return false;
            at[v.psn].push_back(v.sent_ps);
            return at[v.psn].size() <= lost[v.psn];
        };
    }
};

} // namespace

// Packets that follow one another by 0.34 us are sent again as far apart, each 100 us after it was
// sent, and 200 and 400 us after that; others that come through move none of this.
TEST(PacketTimer, EachPacketWaitsFromWhenItWasSentAndDoubles)
{
    World w("single-switch", kSwitch, Rud());
    Sent s;
    s.lost = {{10, 1}, {40, 3}, {41, 1}, {900, 2}};
    s.On(w);
    w.Build();
    w.Send(0, 1, 1000 * 4096);
    w.Run();
    ExpectAllOnceInOrder(w, "four packets");
    EXPECT_EQ(w.Totals().rtos, 7u);
    EXPECT_EQ(w.Totals().retx_packets, 7u);
    for (auto &[psn, n] : s.lost) {
        const auto &at = s.at[psn];
        ASSERT_EQ(at.size(), n + 1) << psn;
        for (size_t i = 0; i < n; i++) {
            EXPECT_GE(at[i + 1] - at[i], 100 * US << i) << psn;
            EXPECT_LE(at[i + 1] - at[i], (100 * US << i) + US / 2)
                << psn; // one packet is being sent
        }
    }
}

TEST(PacketTimer, BackoffAndRetriesHaveTheirLimits)
{
    for (const char *limit : {"rto-backoff-max", "retry-max"}) {
        const bool backoff = std::string(limit) == "rto-backoff-max";
        World w("single-switch", kSwitch, Rud({{std::string("transport.") + limit, "2"}}));
        Sent s;
        s.lost = {{5, 5}};
        s.On(w);
        w.Build();
        w.Send(0, 1, 100 * 4096);
        if (!backoff) {
            EXPECT_EQ(weft_engine_run(w.e, WEFT_PS_PER_S), WEFT_E_OUTCOME);
            EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("2 retransmission timeouts"),
                      std::string::npos);
            continue;
        }
        w.Run();
        ExpectAllOnceInOrder(w, limit);
        EXPECT_LE(s.at[5][5] - s.at[5][4], 401 * US);
    }
}

// A timeout is told with the value of the packet that was lost: bitmap passes over it 15 times.
TEST(PacketTimer, TheLostPacketsEntropyValueIsTold)
{
    const Settings bitmap = {{"switch.balance", "entropy"},
                             {"switch.entropy-policy", "bitmap"},
                             {"switch.entropy-values", "4"}};
    World w("leaf-spine", {{"leaves", "2"}, {"spines", "4"}, {"hosts-per-leaf", "1"}}, Rud(bitmap));
    Sent s;
    s.lost = {{20, 1}};
    s.On(w);
    std::map<uint32_t, int> after; // packets by path, in the time in which the value is passed over
    auto inner = w.lose;
    uint32_t path = 0;
    w.lose = [&](uint32_t port, const weft_engine_pkt_view &v) {
        if (v.kind == WEFT_PKT_DATA && v.hops == 0) {
            if (v.psn == 20 && s.at[20].empty())
                path = v.flow_hash;
            else if (!s.at[20].empty() && v.sent_ps > s.at[20][0] + 101 * US &&
                     v.sent_ps < s.at[20][0] + 103 * US)
                after[v.flow_hash]++;
        }
        return inner(port, v);
    };
    w.Build();
    w.Send(0, 1, 4000 * 4096);
    w.Run();
    ExpectAllOnceInOrder(w, "bitmap");
    EXPECT_EQ(after.count(path), 0u);
    EXPECT_EQ(after.size(), 3u) << "the others are taken";
}

// Eight senders fill a queue that drops. When a timer expires and the window is full, a packet
// without payload asks for an ACK, at most once per base RTT: 4 us of links, and twice a full
// packet and an ACK at 100 Gbps.
TEST(PacketTimer, AFullWindowIsProbed)
{
    for (int probes = 0; probes < 2; probes++) {
        World w("single-switch", {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                Rud({{"transport.probe-frame", probes ? "62B" : "0B"},
                     {"transport.ack-every-bytes", "16KiB"},
                     {"transport.ack-prio", "6"},
                     {"pfc.enabled", "false"},
                     {"switch.reserve", "0B"},
                     {"switch.egress-threshold", "static"},
                     {"switch.egress-limit", "250KB"}}),
                "nscc");
        std::map<uint32_t, std::vector<int64_t>> sent;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            if (v.kind == WEFT_PKT_REQUEST && !v.hops) {
                EXPECT_EQ(v.frame_bytes, 64u);
                EXPECT_EQ(v.payload_bytes, 0u);
                EXPECT_EQ(v.prio, 6u);
                sent[v.src_host].push_back(v.sent_ps);
            }
            return false;
        };
        w.Build();
        for (uint32_t h = 1; h < 9; h++)
            w.Send(h, 0, 2 << 20);
        w.Run();
        ExpectAllOnceInOrder(w, "incast with drops");
        EXPECT_GT(w.Totals().rtos, 0u);
        EXPECT_EQ(w.Totals().sent[WEFT_PKT_REQUEST] > 0, probes == 1);
        for (auto &[host, at] : sent)
            for (size_t i = 1; i < at.size(); i++)
                EXPECT_GE(at[i] - at[i - 1], 4 * US + 2 * 8 * (4178 + 86) * 10) << host;
    }
}
