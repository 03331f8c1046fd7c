// SPDX-License-Identifier: GPL-2.0-only
// Bolt's sender with numbers worked out by hand. Line rate 100 Gbps, packets of 1000 bytes, 1048 on
// the wire, a window of 100 packets at first.
#include "algo.h"
#include "congestion/cc_supply.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kBolt = weft_cc_find("bolt", nullptr);
using Settings = Algo::Settings;
constexpr int64_t kNs = WEFT_PS_PER_NS;
enum { WINDOW, RTT };

struct Sender : Algo {
    explicit Sender(Settings s = {}) : Algo(kBolt, s)
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    double warn(int64_t now_ps, int64_t rtt_ps, double packets, uint64_t gbps = 100)
    {
        const weft_cc_warning w = {rtt_ps, static_cast<uint64_t>(packets * 1048), gbps * kGbps};
        ops->supply->warned(state(), params(), now_ps, &w, &out);
        return observed(WINDOW);
    }
    double answer(int64_t now_ps, uint64_t una, uint64_t nxt, uint32_t gains = 0,
                  int64_t rtt_ps = 10 * kUs)
    {
        weft_cc_ack a = ack_of(una, nxt);
        a.rtt_ps = rtt_ps;
        a.gains = gains;
        ack(now_ps, a);
        return observed(WINDOW);
    }
    uint32_t tag(uint64_t una, uint64_t from, uint64_t end)
    {
        const weft_cc_leaving k = {una, from, std::min(from + 1000, end), end};
        return ops->supply->tag(state(), params(), &k);
    }
};

constexpr uint32_t GAIN = WEFT_CC_TAG_GAIN, LAST = WEFT_CC_TAG_LAST, FIRST = WEFT_CC_TAG_FIRST;

} // namespace

TEST(Bolt, StartsWithOneBdp)
{
    Sender a;
    EXPECT_EQ(a.observed(WINDOW), 100000.0);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(Sender(Settings{{"max-window", "0.5"}}).observed(WINDOW), 50000.0);
}

// r / (Q R / C): before the first ACK R is line rate; 2 us / (20 x 1) = 100 ns.
TEST(Bolt, AWarningTakesOnePacketAndThenNoneForItsShareOfTheRoundTrip)
{
    Sender a;
    EXPECT_EQ(a.warn(100 * kNs - 1, 2 * kUs, 20), 100000.0);
    EXPECT_EQ(a.warn(100 * kNs, 2 * kUs, 20), 99000.0);
    EXPECT_EQ(a.warn(200 * kNs - 1, 2 * kUs, 20), 99000.0);
    EXPECT_EQ(a.warn(200 * kNs, 2 * kUs, 20), 98000.0);
    EXPECT_EQ(a.warn(249 * kNs, 2 * kUs, 40), 98000.0); // twice the queue, half the time
    EXPECT_EQ(a.warn(250 * kNs, 2 * kUs, 40), 97000.0);
    EXPECT_EQ(a.out.cwnd_bytes, 97000u);
}

// An RTT of 10 us: R = 100 kB x 8 / 10 us = 80 Gbps. With a port of 400 Gbps its share is 0.2: 1 us
// / (10 x 0.2) = 500 ns. Of half the RTT it is twice that.
TEST(Bolt, TheShareIsThatOfTheRateThatItHas)
{
    Sender a(Settings{{"ai", "0"}});
    a.answer(10 * kUs, 1000, 100000);
    EXPECT_EQ(a.warn(10 * kUs, 1 * kUs, 10, 400), 99000.0); // long since the last
    EXPECT_EQ(a.warn(10 * kUs + 505 * kNs, 1 * kUs, 10, 400), 99000.0);
    EXPECT_EQ(a.warn(10 * kUs + 506 * kNs, 1 * kUs, 10, 400), 98000.0); // 79.2 Gbps: 505.05 ns
    Sender b(Settings{{"ai", "0"}});
    b.answer(10 * kUs, 1000, 100000, 0, 5 * kUs);
    EXPECT_EQ(b.warn(10 * kUs, 1 * kUs, 10, 400), 99000.0);
    EXPECT_EQ(b.warn(10 * kUs + 252 * kNs, 1 * kUs, 10, 400), 99000.0);
    EXPECT_EQ(b.warn(10 * kUs + 253 * kNs, 1 * kUs, 10, 400), 98000.0); // 158.4 Gbps: 252.5 ns
}

TEST(Bolt, LeavesTheTargetQueueStanding)
{
    Sender a(Settings{{"target-queue", "10480B"}}); // ten packets
    EXPECT_EQ(a.warn(50 * kUs, 2 * kUs, 10), 100000.0);
    EXPECT_EQ(a.warn(50 * kUs, 2 * kUs, 20), 99000.0); // 2 us / 10
    EXPECT_EQ(a.warn(50 * kUs + 200 * kNs - 1, 2 * kUs, 20), 99000.0);
    EXPECT_EQ(a.warn(50 * kUs + 200 * kNs, 2 * kUs, 20), 98000.0);
}

TEST(Bolt, AtOnePacketEachWarningTakesItsShare)
{
    Sender a(Settings{{"max-window", "0.1"}, {"min-window", "300B"}});
    EXPECT_EQ(a.observed(WINDOW), 10000.0);
    for (int i = 1; i <= 9; i++)
        a.warn(i * 100 * kUs, 2 * kUs, 20);
    EXPECT_EQ(a.observed(WINDOW), 1000.0);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.warn(901 * kUs, 2 * kUs, 20), 500.0);
    EXPECT_EQ(a.out.cwnd_bytes, 1000u);
    EXPECT_EQ(a.out.rate_bps, 524000000u); // half of 1048 B in a base RTT of 8 us
    EXPECT_EQ(a.warn(901 * kUs, 2 * kUs, 20), 300.0);
    EXPECT_EQ(Sender(Settings{{"max-decrease", "0.25"}, {"max-window", "0.1"}}).warn(1, 2 * kUs, 0),
              1e4);
}

TEST(Bolt, GrowsByAPacketPerRoundTripAndByEachMark)
{
    Sender a(Settings{{"max-window", "2"}});
    EXPECT_EQ(a.answer(8 * kUs, 1000, 100000), 101000.0);
    EXPECT_EQ(a.answer(9 * kUs, 99000, 180000), 101000.0);
    EXPECT_EQ(a.answer(10 * kUs, 100000, 200000), 102000.0);
    EXPECT_EQ(a.answer(11 * kUs, 101000, 201000, 1), 103000.0);
    EXPECT_EQ(a.answer(12 * kUs, 105000, 205000, 4), 107000.0); // one ACK for four packets
    EXPECT_EQ(a.answer(13 * kUs, 200000, 300000, 0), 108000.0);
    EXPECT_EQ(a.answer(14 * kUs, 201000, 301000, 200), 200000.0); // the most
    Sender b(Settings{{"max-window", "2"}, {"ai", "2.5"}});
    EXPECT_EQ(b.answer(8 * kUs, 1000, 100000), 102500.0);
}

TEST(Bolt, ALossTakesHalfOncePerRoundTrip)
{
    Sender a(Settings{{"ai", "0"}});
    a.answer(8 * kUs, 1000, 100000);
    weft_cc_ack lost = ack_of(1000, 100000, 0);
    lost.nack = true;
    lost.rtt_ps = 10 * kUs;
    lost.gains = 5; // says nothing then
    a.ack(10 * kUs, lost);
    EXPECT_EQ(a.observed(WINDOW), 50000.0);
    a.ack(20 * kUs - 1, lost);
    EXPECT_EQ(a.observed(WINDOW), 50000.0);
    lost.nack = false;
    lost.trimmed_bytes = 1000;
    a.ack(20 * kUs, lost);
    EXPECT_EQ(a.observed(WINDOW), 25000.0);
    a.rto(29 * kUs);
    EXPECT_EQ(a.observed(WINDOW), 25000.0);
    a.rto(30 * kUs);
    EXPECT_EQ(a.observed(WINDOW), 12500.0);
}

// A flow of 250 packets: the first window, what may grow, the last window.
TEST(Bolt, TagsSayWhichWindowAPacketIsOf)
{
    Sender a(Settings{{"ai", "0"}});
    EXPECT_EQ(a.tag(0, 0, 250000), FIRST);
    EXPECT_EQ(a.tag(0, 99000, 250000), FIRST);
    a.answer(10 * kUs, 1000, 100000);
    EXPECT_EQ(a.tag(1000, 100000, 250000), GAIN);
    EXPECT_EQ(a.tag(50000, 149000, 250000), GAIN);
    EXPECT_EQ(a.tag(51000, 150000, 250000), LAST); // 100 packets are left
    EXPECT_EQ(a.tag(150000, 249000, 250000), LAST);
    // posted before it was over: the same flow
    EXPECT_EQ(a.tag(160000, 250000, 600000), GAIN);
    EXPECT_EQ(a.tag(500000, 599000, 600000), LAST);
    // and after: another, shorter than a window
    EXPECT_EQ(a.tag(600000, 600000, 650000), FIRST | LAST);
    a.answer(100 * kUs, 601000, 650000);
    EXPECT_EQ(a.tag(601000, 649000, 650000), LAST);
}

TEST(Bolt, SignalsAndRules)
{
    Sender a;
    EXPECT_EQ(a.signals().data_bytes, 6u);
    EXPECT_EQ(a.signals().ack_bytes, 6u);
    weft_cc_supply r{};
    a.ops->supply->rules(a.params(), &r);
    EXPECT_EQ(r.threshold, 2);
    EXPECT_EQ(r.tokens, 256u);
    EXPECT_EQ(r.burst, 1);
    EXPECT_EQ(r.frame_bytes, 64u);
    Sender none(Settings{{"ramp-up", "false"}, {"supply-matching", "false"}});
    none.ops->supply->rules(none.params(), &r);
    EXPECT_EQ(r.tokens, 0u);
    EXPECT_EQ(r.burst, 0);
}
