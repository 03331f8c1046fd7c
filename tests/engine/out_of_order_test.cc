// SPDX-License-Identifier: GPL-2.0-only
// Out-of-order delivery over two paths of different length: nothing is taken for lost that is not.
#include "world.h"
#include "congestion/cc_table.h"

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;
constexpr int64_t SER = 334240; // 4096 + 62 + 20 bytes at 100 Gbps
constexpr uint64_t PACKETS = 64;

// h0 - s2 - {s4, s5} - s3 - h1; over s5 each link takes 3 us instead of 1 us.
weft_fabric *TwoPaths()
{
    weft_err err = {};
    weft_fabric *f = weft_fabric_new();
    const std::pair<uint32_t, uint32_t> links[] = {{0, 2}, {1, 3}, {2, 4}, {4, 3}, {2, 5}, {5, 3}};
    for (uint32_t i = 0; i < 6; i++)
        weft_fabric_add_node(f, i < 2 ? WEFT_NODE_HOST : WEFT_NODE_SWITCH,
                             i < 2   ? 0
                             : i < 4 ? 1
                                     : 2,
                             nullptr, &err);
    for (auto [a, b] : links) {
        weft_fabric_link l = {};
        l.a = a;
        l.b = b;
        l.rate_bps = 100000000000;
        l.delay_ps = a == 5 || b == 5 ? 3 * US : US;
        weft_fabric_add_link(f, &l, nullptr, &err);
    }
    EXPECT_EQ(weft_fabric_finish(f, &err), 0) << err.msg;
    return f;
}

// PACKETS packets from h0 to h1, every other one over the longer path.
void Spray(World &w)
{
    weft_fabric_free(w.fabric);
    w.config.fabric = w.fabric = TwoPaths();
    w.Build();
    w.Send(0, 1, PACKETS * 4096);
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    ASSERT_EQ(w.acked.size(), 1u);
}

Settings With(const std::string &recovery, const Settings &more = {})
{
    Settings s = {
        {"switch.balance", "spray"}, {"transport.recovery", recovery}, {"transport.rto", "100us"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

TEST(OutOfOrder, OvertakingCostsNothing)
{
    World w("single-switch", {}, With("out-of-order"));
    Spray(w);
    EXPECT_EQ(w.Totals().retx_packets, 0u);
    EXPECT_EQ(w.Totals().sent[WEFT_PKT_NACK], 0u);
    EXPECT_EQ(w.Totals().sent[WEFT_PKT_ACK], PACKETS);
    // The last packet takes the longer path, alone on its link: four times on a wire, 1 + 3 + 3 + 1
    // us.
    EXPECT_EQ(w.received[0].received_ps, int64_t(PACKETS - 1) * SER + 4 * SER + 8 * US);
}

TEST(OutOfOrder, OtherRecoveriesTakeOvertakingForLoss)
{
    for (const char *recovery : {"go-back-n", "selective-repeat"}) {
        World w("single-switch", {},
                With(recovery, {{"transport.allow-reordering", "true"},
                                {"transport.bdp-fc", "false"},
                                {"transport.nack-interval", "1us"}}));
        Spray(w);
        EXPECT_GT(w.Totals().retx_packets, 10u) << recovery;
        EXPECT_GT(w.received[0].received_ps, int64_t(PACKETS - 1) * SER + 4 * SER + 8 * US - 1);
    }
}

// Packet 20 is lost on its way once. A packet of the longer path comes 4 us late, in which 12
// others are sent; so 16 tells loss from overtaking, 4 does not.
TEST(OutOfOrder, OnlyWhatIsLostIsSentAgain)
{
    for (uint64_t reorder : {0, 16, 4}) {
        World w("single-switch", {},
                With("out-of-order", {{"transport.reorder-packets", std::to_string(reorder)}}));
        bool lost = false;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            const bool yes = !lost && v.kind == WEFT_PKT_DATA && v.psn == 20;
            lost |= yes;
            return yes;
        };
        Spray(w);
        EXPECT_TRUE(lost);
        if (reorder == 4)
            EXPECT_GT(w.Totals().retx_packets, 1u);
        else
            EXPECT_EQ(w.Totals().retx_packets, 1u) << reorder;
        EXPECT_EQ(w.Totals().rtos, reorder ? 0u : 1u) << reorder;
        if (reorder) // without it the timer, set by the last ACK that moved the window, decides
            EXPECT_LT(w.received[0].received_ps, 50 * US);
        else
            EXPECT_GT(w.received[0].received_ps, 100 * US);
    }
}

TEST(OutOfOrder, MessagesCompleteInTheOrderPosted)
{
    World w("single-switch", {}, With("out-of-order"));
    weft_fabric_free(w.fabric);
    w.config.fabric = w.fabric = TwoPaths();
    w.Build();
    for (uint64_t i = 0; i < 40;
         i++) // of one packet each: by themselves they would come in disorder
        w.Send(0, 1, 4096, i);
    w.Run();
    ASSERT_EQ(w.received.size(), 40u);
    for (uint64_t i = 0; i < 40; i++)
        EXPECT_EQ(w.received[i].msg.tag, i);
    EXPECT_EQ(w.Totals().retx_packets, 0u);
}

// What ACKs tell the congestion control, summed up by one that does nothing else.
uint64_t g_told;
const weft_cc_ops *const g_none = weft_cc_find("none", nullptr);

TEST(OutOfOrder, TheControlIsToldOfEachByteOnceWhateverComesFirst)
{
    weft_cc_ops listener = *g_none;
    listener.on_ack = [](void *, const void *, int64_t, const weft_cc_ack *a, weft_cc_out *) {
        g_told += a->received_bytes;
    };
    for (const char *recovery : {"out-of-order", "selective-repeat", "go-back-n"})
        for (int losses : {0, 1, 4}) {
            World w("single-switch", {}, With(recovery, {{"transport.allow-reordering", "true"}}));
            weft_fabric_free(w.fabric);
            w.config.fabric = w.fabric = TwoPaths();
            w.config.cc = &listener;
            int lost = 0, seen = 0;
            w.lose = [&](uint32_t, const weft_engine_pkt_view &) {
                return ++seen % 17 == 16 && lost++ < losses; // data and ACKs
            };
            g_told = 0;
            w.Build();
            uint64_t posted = 0;
            for (uint64_t bytes : {20000, 1, 0, 4096, 4097, 60000, 100, 100, 100, 9000}) {
                w.Send(0, 1, bytes);
                posted += bytes;
            }
            w.Run();
            EXPECT_EQ(w.acked.size(), 10u);
            EXPECT_EQ(g_told, posted) << recovery << ", " << losses << " losses";
            EXPECT_GE(lost, losses);
        }
}

TEST(OutOfOrder, IsWhatSprayingAsksFor)
{
    weft_err err = {};
    World w("single-switch", {}, {{"switch.balance", "spray"}});
    EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("transport.recovery=out-of-order"), std::string::npos)
        << err.msg;
}

} // namespace
