// SPDX-License-Identifier: GPL-2.0-only
// What a control says of how its state moves (cc_replay.h): the same traffic at another time, from
// other packet numbers and counters of switches on, gives the same decisions. A field of the state
// that goes with one of these and is not in the table shows here.
#include "play.h"
#include "congestion/cc_replay.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_supply.h"

#include "base/rng.h"

using namespace weft_test;

namespace
{

using Moving = std::vector<weft_cc_moving>;

/// Numbers of one stream.
struct Draw {
    explicit Draw(unsigned seed) : rng(weft_rng_stream(seed, "moving", 0)) {}
    uint64_t operator()()
    {
        return weft_rng_u64(&rng);
    }
    weft_rng rng;
};

/// By how much everything moves.
constexpr int64_t kTime = 77777777777;
constexpr uint64_t kBytes = 123457000;

uint64_t count_of(size_t hop)
{
    return 1000003 * (hop + 1);
}

Moving moving_of(const weft_cc_ops *ops)
{
    Moving all;
    for (const weft_cc_moving *m = weft_cc_replay_of(ops)->moving; m && m->size; m++)
        all.push_back(*m);
    return all;
}

/// A QP under a control, and what it has sent and met so far.
struct Qp {
    Qp(const weft_cc_ops *ops, const Algo::Settings &settings) : a(ops, settings)
    {
        a.init(now);
        for (size_t i = 0; i < 3; i++)
            hops[i].rate_bps = 100 * kGbps;
    }
    /// A packet leaves, and its ACK comes.
    void round(Draw &draw, bool marks, bool loss)
    {
        const weft_cc_ops *ops = a.ops;
        now += int64_t(draw() % 700000) + 80000;
        nxt += 1000;
        if (ops->before_send)
            ops->before_send(a.state(), a.params(), now, &a.out);
        if (ops->on_send)
            ops->on_send(a.state(), a.params(), now, 1048, &a.out);
        if (ops->supply) {
            const weft_cc_leaving k = {una, nxt - 1000, nxt, nxt + 50000};
            ops->supply->tag(a.state(), a.params(), &k);
        }
        if (marks && ops->on_cnp && draw() % 8 == 0)
            ops->on_cnp(a.state(), a.params(), now, &a.out);
        if (loss && ops->on_rto && draw() % 40 == 0)
            ops->on_rto(a.state(), a.params(), now, &a.out);
        acknowledge(draw, marks);
        while (ops->on_timer && a.out.timer_at_ps <= now)
            ops->on_timer(a.state(), a.params(), a.out.timer_at_ps, &a.out);
    }
    void acknowledge(Draw &draw, bool marks)
    {
        const bool marked = draw() % 6 == 0;
        const uint64_t late = draw() % 20, queue = draw() % 30000;
        una += nxt - una > 20000 ? 1000 : 0;
        weft_cc_ack k = ack_of(una, nxt, nxt - una >= 20000 ? 1000 : 0);
        k.rtt_ps = int64_t(9 + late) * kUs;
        k.ecn_echo = marks && marked;
        k.pint = uint16_t(queue / 200);
        k.nhops = 3;
        k.hops = hops;
        for (size_t i = 0; i < 3; i++) {
            hops[i].ts_ps = now - int64_t(3 - i) * kUs;
            hops[i].tx_bytes += 1048 * (1 + draw() % 4);
            hops[i].qlen_bytes = queue;
        }
        if (a.ops->on_ack)
            a.ops->on_ack(a.state(), a.params(), now, &k, &a.out);
    }
    /// The same QP at another time and with other numbers.
    void move(const Moving &moving)
    {
        now += kTime;
        una += kBytes;
        nxt += kBytes;
        for (size_t i = 0; i < 3; i++) {
            hops[i].ts_ps += kTime;
            hops[i].tx_bytes += count_of(i);
        }
        if (a.out.timer_at_ps != WEFT_NEVER)
            a.out.timer_at_ps += kTime;
        size_t counter = 0;
        for (const weft_cc_moving &m : moving)
            for (size_t i = 0; i < m.n; i++) {
                int64_t v;
                char *at = static_cast<char *>(a.state()) + m.offset + i * m.stride;
                std::memcpy(&v, at, sizeof v);
                if (m.moves == WEFT_CC_MOVES_COUNT)
                    v += int64_t(count_of(counter++));
                else if (m.moves == WEFT_CC_MOVES_TIME && v != 0 && v != WEFT_NEVER)
                    v += kTime;
                else if (m.moves == WEFT_CC_MOVES_BYTES && v != 0)
                    v += int64_t(kBytes);
                std::memcpy(at, &v, sizeof v);
            }
    }
    Algo a;
    int64_t now = 1000;
    uint64_t una = 0, nxt = 0;
    weft_cc_hop hops[WEFT_CC_MAX_HOPS] = {};
};

/// Empty, or where a QP and the same one moved by `moving` part.
std::string parts(const weft_cc_ops *ops, const Moving &moving, unsigned seed,
                  const Algo::Settings &settings = {})
{
    const Moving all = moving_of(ops);
    bool seldom = false;
    for (const weft_cc_moving &m : all)
        seldom |= m.moves == WEFT_CC_MOVES_SELDOM;
    Draw before(seed);
    Qp here(ops, settings);
    for (unsigned i = 0; i < 50 + seed; i++)
        here.round(before, true, true);
    for (unsigned i = 0; i < 60; i++) /* until nothing that is rare has happened lately */
        here.round(before, !seldom, false);
    Qp there = here;
    there.move(moving);
    Draw one(seed + 1), other(seed + 1);
    for (unsigned i = 0; i < 60; i++) {
        here.round(one, !seldom, false);
        there.round(other, !seldom, false);
        const weft_cc_out &x = here.a.out, &y = there.a.out;
        const int64_t timer = x.timer_at_ps == WEFT_NEVER ? WEFT_NEVER : x.timer_at_ps + kTime;
        if (x.rate_bps != y.rate_bps || x.cwnd_bytes != y.cwnd_bytes || y.timer_at_ps != timer)
            return "decision " + std::to_string(i);
        Qp moved = here;
        moved.move(all);
        if (moved.a.state_bytes() != there.a.state_bytes())
            return "state after " + std::to_string(i);
    }
    return "";
}

class MovingState : public testing::TestWithParam<const weft_cc_ops *>
{
};

} // namespace

TEST_P(MovingState, GoesOnTheSameAtAnotherTimeWithOtherNumbers)
{
    const weft_cc_ops *ops = GetParam();
    for (unsigned seed = 1; seed <= 40; seed++) {
        EXPECT_EQ(parts(ops, moving_of(ops), seed), "") << "seed " << seed;
        if (std::string(ops->name) == "powertcp") {
            EXPECT_EQ(parts(ops, moving_of(ops), seed, {{"form", "delay"}}), "") << "seed " << seed;
        }
    }
}

// Not each: some are written by each ACK before they decide anything.
TEST_P(MovingState, AFieldThatIsLeftOutShows)
{
    const weft_cc_ops *ops = GetParam();
    const Moving all = moving_of(ops);
    size_t shown = 0;
    for (size_t left = 0; left < all.size(); left++) {
        Moving others = all;
        others.erase(others.begin() + std::ptrdiff_t(left));
        bool shows = false;
        for (unsigned seed = 1; seed <= 40 && !shows; seed++)
            shows = !parts(ops, others, seed).empty();
        shown += shows;
    }
    if (!all.empty()) {
        EXPECT_GT(shown, 0u);
    }
}

namespace
{

/// Controls whose traffic is replayed, but for those under credits, which count them from the
/// start.
std::vector<const weft_cc_ops *> replayed()
{
    std::vector<const weft_cc_ops *> some;
    for (const weft_cc_ops *ops : all())
        if (ops->replay && !(Algo(ops).needs() & WEFT_CC_NEEDS_CREDIT))
            some.push_back(ops);
    return some;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, MovingState, testing::ValuesIn(replayed()), [](const auto &info) {
    std::string s = info.param->name;
    for (char &c : s)
        c = c == '-' ? '_' : c;
    return s;
});
