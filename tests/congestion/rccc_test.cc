// SPDX-License-Identifier: GPL-2.0-only
// Receiver credits with numbers worked out by hand. 100 Gbps, 12 us: BDP 150 kB, so 225 kB of
// credit to begin with; packets of 4160 bytes with headers of no size; quanta of 256 bytes.
#include "algo.h"

#include "congestion/core_credit.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kRccc = weft_cc_find("rccc", nullptr);
enum { CREDIT, GRANTED };
constexpr uint64_t kMtu = 4160;

weft_cc_env Env()
{
    weft_cc_env env{};
    env.line_rate_bps = 100 * kGbps;
    env.base_rtt_ps = 12 * kUs;
    env.bdp_bytes = 150000;
    env.mtu_bytes = env.mtu_wire_bytes = kMtu;
    return env;
}

struct Rccc : Algo {
    explicit Rccc(Settings s = {}) : Algo(kRccc, s, Env())
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    uint64_t wanted(uint64_t backlog)
    {
        return ops->credit->wanted(state(), params(), backlog);
    }
    void granted(uint64_t bytes)
    {
        ops->credit->granted(state(), params(), 0, bytes, &out);
    }
};

} // namespace

TEST(Rccc, BeginsWithOneAndAHalfBdpThatNobodyGranted)
{
    Rccc a;
    EXPECT_EQ(a.observed(CREDIT), 225000.0);
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    for (int i = 0; i < 54; i++)
        a.sent(0, kMtu);
    EXPECT_EQ(a.observed(CREDIT), 360.0);
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX) << "more than 0 is enough for a packet";
    a.sent(0, kMtu);
    EXPECT_EQ(a.observed(CREDIT), 360.0 - kMtu);
    EXPECT_EQ(a.out.cwnd_bytes, 0u);
}

TEST(Rccc, TheFirstAnswerEndsWhatWasNotGranted)
{
    Rccc a, b, c;
    a.sent(0, kMtu);
    a.ack(1, ack_of(kMtu, kMtu, kMtu));
    EXPECT_EQ(a.observed(CREDIT), 0.0);
    EXPECT_EQ(a.out.cwnd_bytes, 0u);
    b.sent(0, kMtu);
    b.granted(16384);
    EXPECT_EQ(b.observed(CREDIT), 16384.0) << "a grant ends it, too, and counts";
    b.ack(1, ack_of(kMtu, kMtu, kMtu));
    EXPECT_EQ(b.observed(CREDIT), 16384.0) << "only the first answer";
    for (int i = 0; i < 55; i++)
        c.sent(0, kMtu);
    c.ack(1, ack_of(kMtu, kMtu, kMtu));
    EXPECT_EQ(c.observed(CREDIT), 225000.0 - 55 * kMtu) << "debts stay";
}

TEST(Rccc, WantsItsBacklogUpToOneAndAHalfBdpLessWhatItHas)
{
    Rccc a;
    EXPECT_EQ(a.wanted(0), 4352u) << "a packet at least before the first answer: 17 quanta";
    a.sent(0, 10 * kMtu);
    EXPECT_EQ(a.wanted(1u << 20), 41728u) << "225,000 - (225,000 - 41,600): 163 quanta";
    a.ack(1, ack_of(kMtu, kMtu, kMtu));
    EXPECT_EQ(a.wanted(0), 0u);
    EXPECT_EQ(a.wanted(1), 256u);
    EXPECT_EQ(a.wanted(100000), 100096u) << "391 quanta";
    EXPECT_EQ(a.wanted(1u << 20), 225024u) << "879 quanta";
    a.granted(16384);
    EXPECT_EQ(a.wanted(100000), 16384u + 83712) << "327 quanta beyond what was granted";
    a.sent(2, 17000); // 616 in debt
    EXPECT_EQ(a.wanted(1), 16384u + 768);
}

TEST(Rccc, GrantsAreCountedFromTheStartAndCappped)
{
    Rccc a;
    a.granted(32768);
    a.granted(16384); // overtaken
    EXPECT_EQ(a.observed(CREDIT), 32768.0);
    EXPECT_EQ(a.observed(GRANTED), 32768.0);
    a.granted(65536); // the one lost in between counts, too
    EXPECT_EQ(a.observed(CREDIT), 65536.0);
    a.granted(1u << 20);
    EXPECT_EQ(a.observed(CREDIT), 225000.0) << "no more than max-credit";
    EXPECT_EQ(a.observed(GRANTED), double(1u << 20));
}

TEST(Rccc, TheReceiversRules)
{
    Rccc a({{"grant", "10000B"},
            {"idle-credit", "2"},
            {"grant-rate", "0.5"},
            {"credit-frame", "80B"}});
    weft_cc_grants g{};
    a.ops->credit->rules(a.params(), &a.env, &g);
    EXPECT_EQ(g.grant_bytes, 39u * 256) << "whole quanta";
    EXPECT_EQ(g.idle_bytes, 300000u);
    EXPECT_EQ(g.rate_share, 0.5);
    EXPECT_EQ(g.frame_bytes, 80u);
    EXPECT_EQ(a.signals().data_bytes, 4u);
}

// NDP: what was sent is pulled again, packet by packet, and never more than the first window.
TEST(Rccc, AsNdpEveryPacketPullsOneMore)
{
    Rccc a({{"max-credit", "1"}, {"grant", "0B"}, {"grant-rate", "1"}, {"idle-credit", "0"}});
    weft_cc_grants g{};
    a.ops->credit->rules(a.params(), &a.env, &g);
    EXPECT_EQ(g.grant_bytes, 17u * 256) << "4160, rounded up";
    EXPECT_EQ(g.idle_bytes, 0u);
    for (int i = 1; i <= 36; i++) { // 150 kB
        a.sent(0, kMtu);
        EXPECT_EQ(a.wanted(1u << 30), (uint64_t{i * kMtu} + 255) / 256 * 256) << i;
    }
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX) << "240 are left";
    a.sent(0, kMtu);
    EXPECT_EQ(a.out.cwnd_bytes, 0u);
    uint64_t granted = 0;
    for (uint64_t sent = 37; sent < 200; sent++) { // grants come one by one; each lets one go
        granted += g.grant_bytes;
        a.granted(granted);
        EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX);
        a.sent(0, kMtu);
        EXPECT_LE(a.wanted(1u << 30), (sent + 1) * kMtu + 255);
    }
    Rccc least(Algo::Settings{{"grant", "1B"}});
    least.ops->credit->rules(least.params(), &least.env, &g);
    EXPECT_EQ(g.grant_bytes, 256u) << "at least a quantum";
}

// 40 packets, 24 of them marked, 8 trimmed before the last hop and 2 at it: of 30 whole ones 0.8
// were marked, so g = 0.4; rate = (1 - 8/40)(1 - 0.5 x 0.1). Then nothing: g = 0.2, and the rate
// comes back by 0.01, 0.02, 0.04, ...
TEST(Rccc, HeedsMarksAndTrimsBeforeTheLastHop)
{
    const weft_cc_core c = {0.3, 0.5, 0.5, 0.01, 0.225, 1.5};
    weft_cc_core_state s{};
    s.rate = 1;
    s.packets = 40;
    s.marked = 24;
    s.core_trims = 8;
    s.near_trims = 2;
    weft_cc_core_look(&s, &c);
    EXPECT_DOUBLE_EQ(s.share, 0.4);
    EXPECT_DOUBLE_EQ(s.rate, 0.8 * 0.95);
    EXPECT_EQ(s.packets + s.marked + s.core_trims + s.near_trims, 0u);
    for (double rate : {0.77, 0.79, 0.83, 0.91, 1.0, 1.0}) {
        weft_cc_core_look(&s, &c);
        EXPECT_NEAR(s.rate, rate, 1e-12);
    }
    s.rate = 0.5;
    s.packets = 10;
    s.marked = 1; // not enough to grant less, but the increase does not double
    weft_cc_core_look(&s, &c);
    EXPECT_DOUBLE_EQ(s.rate, 0.51);
    for (int i = 0; i < 9; i++) {
        s.packets = s.core_trims = 10;
        weft_cc_core_look(&s, &c);
    }
    EXPECT_DOUBLE_EQ(s.rate, 0.225);
    s.packets = 10;
    s.core_trims = 10; // all of them: no whole one
    weft_cc_core_look(&s, &c);
    EXPECT_DOUBLE_EQ(s.rate, 0.225);
    Rccc off, on({{"core-control", "true"}, {"core-least", "0.5"}});
    weft_cc_grants g{};
    off.ops->credit->rules(off.params(), &off.env, &g);
    EXPECT_EQ(g.core, nullptr);
    on.ops->credit->rules(on.params(), &on.env, &g);
    ASSERT_NE(g.core, nullptr);
    EXPECT_EQ(g.core->least, 0.5);
}
