// SPDX-License-Identifier: GPL-2.0-only
// Links that change their rate, flip bits, or fail together: against hand-computed times and the
// binomial distribution.
#include "world.h"

#include <cmath>

namespace
{

const Settings kBare = {{"transport.header", "0"},
                        {"transport.gap", "0"},
                        {"transport.min-frame", "0"},
                        {"transport.mtu", "1000B"}};

weft_link_change Rate(uint32_t link, uint64_t bps)
{
    weft_link_change c = {};
    c.link = link;
    c.kind = WEFT_LINK_RATE;
    c.rate_bps = bps;
    return c;
}

weft_link_change BitErrors(uint32_t link, double ber)
{
    weft_link_change c = {};
    c.link = link;
    c.kind = WEFT_LINK_BIT_ERRORS;
    c.bit_error_rate = ber;
    return c;
}

// Runs up to a time, then changes a link.
void ChangeAt(World &w, int64_t t, weft_link_change c)
{
    weft_err err = {};
    ASSERT_EQ(weft_engine_run(w.e, t), 0);
    weft_engine_set_now(w.e, t);
    ASSERT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
}

struct weft_port_counters Stats(const World &w, uint32_t port)
{
    struct weft_port_counters st;
    weft_engine_port_stats(w.e, port, &st);
    return st;
}

} // namespace

// Ten packets of 1000 bytes: 80 ns each at 100 Gbps, 160 ns at 50. The first has begun when the
// rate halves, and so has the sixth (720 to 880 ns) when it is restored at 800 ns.
TEST(LinkChange, ThePacketBeingSentKeepsItsRate)
{
    for (bool restored : {false, true})
        for (const char *cc : {"none", "dcqcn"}) {
            World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}}, kBare,
                    cc);
            w.Build();
            w.Send(0, 1, 10000);
            ChangeAt(w, 40 * WEFT_PS_PER_NS, Rate(0, 50000000000));
            if (restored)
                ChangeAt(w, 800 * WEFT_PS_PER_NS, Rate(0, 100000000000));
            w.Run();
            ASSERT_EQ(w.received.size(), 1u);
            const int64_t sent = restored ? 880 + 4 * 80 : 80 + 9 * 160;
            EXPECT_EQ(w.received[0].received_ps, (sent + 1000 + 80 + 1000) * WEFT_PS_PER_NS);
            // A message posted now is alone on the fabric as it is now.
            w.Send(0, 1, 10000);
            w.Run();
            ASSERT_EQ(w.received.size(), 2u);
            EXPECT_EQ(w.received[1].received_ps - w.received[1].post_ps,
                      ((restored ? 80 : 160) * 10 + 1000 + 80 + 1000) * WEFT_PS_PER_NS);
            EXPECT_EQ(w.received[1].ideal_ps, w.received[1].received_ps - w.received[1].post_ps);
        }
}

// Link 0 is slow from host 0 to the switch and not the other way.
TEST(LinkChange, OneDirectionAlone)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}}, kBare);
    w.Build();
    weft_link_change c = Rate(0, 50000000000);
    c.direction = w.fabric->links[0].a == 0 ? WEFT_LINK_FORWARD : WEFT_LINK_BACK;
    ChangeAt(w, 0, c);
    w.Send(0, 1, 10000);
    w.Run();
    w.Send(1, 0, 10000);
    w.Run();
    ASSERT_EQ(w.received.size(), 2u);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(w.received[i].received_ps - w.received[i].post_ps,
                  ((i == 0 ? 160 : 80) * 10 + 1000 + 80 + 1000) * WEFT_PS_PER_NS);
}

// A port at a quarter of its rate holds 100 KB, or with thresholds in proportion 25 KB, which is
// where it marks, too.
TEST(LinkChange, ThresholdsStayOrScale)
{
    for (bool scaled : {false, true}) {
        World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                {{"pfc.enabled", "false"},
                 {"switch.egress-threshold", "static"},
                 {"switch.egress-limit", "100KB"},
                 {"switch.reserve", "0B"},
                 {"switch.lossy-alpha", "8"},
                 {"transport.recovery", "selective-repeat"},
                 {"transport.bdp-fc", "false"},
                 {"transport.mtu", "1000B"},
                 {"ecn.scale-rate", "0"},
                 {"ecn.kmin", "80KB"},
                 {"ecn.kmax", "80KB"}},
                "dcqcn");
        w.Build();
        const uint32_t port = w.fabric->nodes[2].first_port + 1;
        weft_link_change c = Rate(1, 25000000000);
        c.scaled = scaled;
        ChangeAt(w, 0, c);
        w.Send(0, 1, 400000);
        w.Run();
        ASSERT_EQ(w.received.size(), 1u);
        const uint64_t most = Stats(w, port).max_queue_bytes;
        EXPECT_LE(most, scaled ? 25000u : 100000u);
        EXPECT_GT(most, scaled ? 20000u : 80000u);
        EXPECT_GT(Stats(w, port).ecn_marks, 0u);
        // Back at its rate everything is as it was built.
        ChangeAt(w, weft_engine_now(w.e), Rate(1, 100000000000));
    }
}

// The switch's port to the receiver goes at a quarter of its rate: what comes in at 100 Gbps
// queues, and PFC pauses the sender; nothing is lost.
TEST(LinkChange, PfcHoldsBackWhatASlowLinkCannotTake)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "1MB"}});
    w.Build();
    w.Send(0, 1, 4000000);
    ChangeAt(w, 10 * WEFT_PS_PER_US, Rate(1, 25000000000));
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    EXPECT_GT(w.Totals().pfc_pauses, 0u);
    for (int r = 0; r < WEFT_DROP_REASONS; r++)
        EXPECT_EQ(w.Totals().drops[r], 0u);
    // 10 us at 100 Gbps, the rest of the 4 MB at 25 Gbps, with 4 to 8 % of headers.
    const double us = static_cast<double>(w.received[0].received_ps) / WEFT_PS_PER_US;
    EXPECT_NEAR(us, 10 + (4e6 * 1.06 - 125000) * 8 / 25e3, 60);
}

// A packet of n bytes is lost with probability 1 - (1 - BER)^8n: here 1000 bytes, and ACKs of 60.
TEST(LinkChange, BitErrorsFollowTheBinomialDistribution)
{
    const double ber = 1e-5;
    const Settings transport = {
        {"transport.header", "0"},      {"transport.gap", "0"},
        {"transport.min-frame", "0"},   {"transport.mtu", "1000B"},
        {"transport.ack-frame", "60B"}, {"transport.recovery", "selective-repeat"},
        {"transport.rto", "100us"},     {"transport.retry-max", "0"}};
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "10ns"}}, transport);
    w.Build();
    ChangeAt(w, 0, BitErrors(1, ber));
    const uint64_t packets = 40000;
    for (uint64_t i = 0; i < 40; i++)
        w.Send(0, 1, packets / 40 * 1000);
    w.Run();
    ASSERT_EQ(w.received.size(), 40u);
    const uint32_t toReceiver = w.fabric->nodes[2].first_port + 1,
                   fromReceiver = w.fabric->nodes[1].first_port;
    const std::pair<uint32_t, double> directions[] = {{toReceiver, 1000}, {fromReceiver, 60}};
    for (auto [port, bytes] : directions) {
        const double n = static_cast<double>(Stats(w, port).tx_packets);
        const double p = 1 - std::pow(1 - ber, 8 * bytes);
        EXPECT_GE(n, packets);
        EXPECT_NEAR(static_cast<double>(Stats(w, port).drops[WEFT_DROP_ERROR]), n * p,
                    4 * std::sqrt(n * p))
            << bytes << " bytes";
    }
    EXPECT_EQ(Stats(w, w.fabric->nodes[0].first_port).drops[WEFT_DROP_ERROR], 0u);
    // And none any more.
    const uint64_t before = w.Totals().drops[WEFT_DROP_ERROR];
    ChangeAt(w, weft_engine_now(w.e), BitErrors(1, 0));
    w.Send(0, 1, 5000000);
    w.Run();
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_ERROR], before);
}

// All links of a spine go down at one instant: its buffer is empty then, what it held and what was
// on its links is counted as lost there, once, and every message arrives over the others.
TEST(LinkChange, AFailedSwitchLosesWhatItHolds)
{
    for (const char *recovery : {"go-back-n", "selective-repeat"}) {
        World w("leaf-spine",
                {{"leaves", "4"},
                 {"spines", "2"},
                 {"hosts-per-leaf", "4"},
                 {"host-rate", "100Gbps"},
                 {"uplink-rate", "100Gbps"}},
                {{"transport.recovery", recovery}});
        w.Build();
        for (uint32_t h = 4; h < 16; h++) // an incast onto leaf 0: queues at the spines
            w.Send(h, h % 4, 300000, h);
        const uint32_t spine = 20;
        std::vector<weft_link_change> down;
        for (uint32_t l = 0; l < w.fabric->nlinks; l++)
            if (w.fabric->links[l].a == spine || w.fabric->links[l].b == spine) {
                weft_link_change c = {};
                c.link = l;
                c.kind = WEFT_LINK_DOWN;
                down.push_back(c);
            }
        ASSERT_EQ(down.size(), 4u);
        weft_err err = {};
        const int64_t t = 20 * WEFT_PS_PER_US;
        ASSERT_EQ(weft_engine_run(w.e, t), 0);
        weft_engine_set_now(w.e, t);
        auto held = [&] {
            uint64_t bytes = 0;
            const weft_fabric_node &n = w.fabric->nodes[spine];
            for (uint32_t p = n.first_port; p < n.first_port + n.nports; p++)
                for (uint32_t k = 0; k < 8; k++)
                    bytes += weft_engine_queue_bytes(w.e, p, k);
            return bytes;
        };
        EXPECT_GT(held(), 0u);
        ASSERT_EQ(weft_engine_change_links(w.e, down.data(), down.size(), &err), 0) << err.msg;
        EXPECT_EQ(held(), 0u);
        w.Run();
        EXPECT_EQ(w.received.size(), 12u);
        uint64_t lost = 0, counted = 0;
        for (auto &c : down)
            lost += c.lost_packets;
        for (uint32_t p = 0; p < w.fabric->nports; p++)
            for (auto &c : down)
                counted +=
                    w.fabric->ports[p].link == c.link ? Stats(w, p).drops[WEFT_DROP_LINK] : 0;
        EXPECT_GT(lost, 0u);
        EXPECT_EQ(lost, counted);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], counted);
    }
}

TEST(LinkChange, WrongChangesAreRefusedWhole)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}});
    w.Build();
    weft_err err = {};
    weft_link_change two[2] = {};
    two[0].kind = WEFT_LINK_DOWN;
    two[1] = Rate(1, 200000000000);
    EXPECT_EQ(weft_engine_change_links(w.e, two, 2, &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "link 1 cannot change its rate to 200Gbps: it was built for 100Gbps, and "
                          "buffers and congestion control for that");
    EXPECT_EQ(weft_engine_links_down(w.e), nullptr);
    two[1] = BitErrors(1, 1.5);
    EXPECT_EQ(weft_engine_change_links(w.e, two, 2, &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "link 1: a bit error rate of 1.5 is not 0 to 1");
    w.Send(0, 1, 1000);
    w.Run();
    EXPECT_EQ(w.received.size(), 1u);
}

// What is left of a torus is checked like the torus: one link less is a line, a ring in pieces is
// left by routes that can close a circle.
TEST(LinkChange, RoutesThatCanDeadlockAreNamed)
{
    World w("torus", {{"shape", "4x4"}});
    weft_err err = {};
    const weft_fabric *f = w.fabric;
    std::vector<uint8_t> down(f->nlinks);
    auto cut = [&](uint32_t a, uint32_t b) {
        for (uint32_t l = 0; l < f->nlinks; l++)
            if (f->links[l].a == a && f->links[l].b == b)
                down[l] = 1;
    };
    cut(0, 1);
    EXPECT_EQ(weft_engine_check_links(f, &w.config.params.pfc, down.data(), &err), 0) << err.msg;
    cut(2, 3);
    EXPECT_EQ(weft_engine_check_links(f, &w.config.params.pfc, down.data(), &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("in a circle: h"), std::string::npos) << err.msg;
    EXPECT_EQ(std::string(err.msg).find("vcs=2"), std::string::npos) << err.msg;
    w.config.params.pfc.allow_deadlock = 1;
    EXPECT_EQ(weft_engine_check_links(f, &w.config.params.pfc, down.data(), &err), 0);
    w.config.params.pfc.allow_deadlock = w.config.params.pfc.enabled = 0;
    EXPECT_EQ(weft_engine_check_links(f, &w.config.params.pfc, down.data(), &err), 0);
}
