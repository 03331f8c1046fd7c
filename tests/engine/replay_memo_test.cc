// SPDX-License-Identifier: GPL-2.0-only
// Messages that take as long as before are taken over within a tolerance: completion times stay
// near those of the simulation of every packet, the error is measured, and counters are conserved.
#include "replay_pair.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace
{

const double tolerance = 0.01;
const Settings fabric = {{"leaves", "4"}, {"spines", "4"}, {"hosts-per-leaf", "4"}};

using Times = std::map<std::pair<uint64_t, uint64_t>, double>; // by QP and number there

Times TimesOf(const World &w)
{
    Times t;
    for (const weft_completion &d : w.received)
        t[{d.qpn, d.first_psn}] = static_cast<double>(d.received_ps - d.post_ps);
    return t;
}

struct Errors {
    double mean = 0, p99 = 0, end = 0;
};

Errors Compare(const World &off, const World &on)
{
    const Times a = TimesOf(off), b = TimesOf(on);
    std::vector<double> all;
    Errors e;
    EXPECT_EQ(a.size(), b.size());
    for (const auto &t : a) {
        all.push_back(std::fabs(b.at(t.first) - t.second) / t.second);
        e.mean += all.back() / static_cast<double>(a.size());
    }
    std::sort(all.begin(), all.end());
    e.p99 = all[all.size() * 99 / 100];
    const auto last = [](const World &w) {
        return static_cast<double>(w.received.back().received_ps);
    };
    e.end = std::fabs(last(on) - last(off)) / last(off);
    return e;
}

double Mean(const World &w)
{
    double sum = 0;
    for (const auto &t : TimesOf(w))
        sum += t.second / static_cast<double>(w.received.size());
    return sum;
}

void Check(World &w)
{
    weft_err err = {};
    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
}

// A ring of 16 hosts, whose messages of @p bytes take part of it over the spines; or two rings in
// opposite directions, which share NICs.
void Begin(Pair &p, int steps, uint64_t bytes, bool both = false, bool twoWays = false)
{
    weft_err err = {};
    p.Rings(steps, bytes, 0, 0, twoWays);
    p.off.Build();
    p.on.Build();
    Threads(p.on, p.threads, 1);
    for (World *w : {&p.off, &p.on}) {
        if (w == &p.off && !both)
            continue;
        ASSERT_EQ(weft_engine_set_replay(w->e, WEFT_REPLAYING, p.memory, &err), 0) << err.msg;
        weft_engine_set_tolerance(w->e, tolerance, p.resamples);
    }
    for (auto &r : p.rings)
        r->Start();
}

// Messages of @p n random sizes between random hosts, before @p until.
void Disturb(Pair &p, weft_rng *rng, int n, uint64_t until)
{
    for (int k = 0; k < n; k++) {
        const auto src = static_cast<uint32_t>(weft_rng_u64(rng) % 16);
        const uint32_t dst = (src + 1 + static_cast<uint32_t>(weft_rng_u64(rng) % 15)) % 16;
        const uint64_t bytes = 1 + weft_rng_u64(rng) % 400'000;
        const auto at = static_cast<int64_t>(weft_rng_u64(rng) % until);
        for (World *w : {&p.off, &p.on})
            w->At(at, [w, src, dst, bytes] { w->Send(src, dst, bytes, 1000); });
    }
}

// A ring of which most messages are taken over, with small errors, the measured one among them, and
// everything counted.
void IsTakenOver(Pair &p, const char *name)
{
    Begin(p, 100, 1'000'000);
    p.RunTo(WEFT_PS_PER_S);
    Check(p.on);
    const Errors e = Compare(p.off, p.on);
    const weft_replay_figures f = p.Figures();
    EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << name;
    EXPECT_GT(f.taken, p.on.received.size() / 2) << name << ": " << f.why;
    EXPECT_GT(f.checks, 15u) << name;
    EXPECT_LT(e.mean, 0.01) << name;
    EXPECT_LT(e.p99, 0.05) << name;
    EXPECT_LT(e.end, 0.005) << name;
    EXPECT_LT(e.mean, 2 * f.error + 0.0001) << name;
    EXPECT_LT(f.error, 4 * e.mean + 0.001) << name;
    EXPECT_LT(e.end, 2 * f.end_error + 0.0001) << name;
    const weft_totals a = p.off.Totals(), b = p.on.Totals();
    EXPECT_EQ(a.sent[WEFT_PKT_DATA], b.sent[WEFT_PKT_DATA]) << name;
    EXPECT_EQ(a.sent[WEFT_PKT_ACK], b.sent[WEFT_PKT_ACK]) << name;
    EXPECT_EQ(a.packet_hops, b.packet_hops) << name;
}

// Ways to spread packets over equal paths, with a control for each, and by how much the load of a
// link may be off: recycled entropy values keep to some paths, by chance.
struct Spreading {
    const char *name, *cc;
    Settings engine;
    double load;
};

Settings Spread(const char *balance, const char *recovery)
{
    return {{"transport.mtu", "4096B"},
            {"transport.rto", "300us"},
            {"transport.recovery", recovery},
            {"switch.balance", balance},
            {"switch.entropy-policy", "reps"}};
}

const Spreading spreadings[] = {{"spray", "dcqcn", Spread("spray", "out-of-order"), 0.02},
                                {"adaptive", "swift", Spread("adaptive", "out-of-order"), 0.02},
                                {"drill", "none", Spread("drill", "out-of-order"), 0.02},
                                {"entropy", "dcqcn", Spread("entropy", "out-of-order"), 0.4},
                                {"rud", "nscc", Spread("entropy", "rud"), 0.4}};

// A link between switches goes down at @p ps and comes back later, or is slower in between.
void DisturbLink(Pair &p, weft_rng *rng, int64_t ps, bool slow)
{
    const uint32_t uplink = static_cast<uint32_t>(weft_rng_u64(rng) % 16);
    for (World *w : {&p.off, &p.on})
        for (const bool back : {false, true})
            w->At(ps + (back ? 90 * WEFT_PS_PER_US : 0), [w, uplink, slow, back] {
                weft_err err = {};
                weft_link_change c = {};
                c.link = w->fabric->nlinks - 1 - uplink;
                const auto rate = w->fabric->links[c.link].rate_bps;
                c.kind = slow ? WEFT_LINK_RATE : back ? WEFT_LINK_UP : WEFT_LINK_DOWN;
                c.rate_bps = back ? rate : rate / 4;
                ASSERT_EQ(weft_engine_change_links(w->e, &c, 1, &err), 0) << err.msg;
            });
}

} // namespace

// Steps of a ring whose hosts are at different distances: nearly all messages are taken over.
TEST(ReplayMemo, Ring)
{
    for (const char *cc : {"none", "dcqcn", "hpcc", "swift", "timely"}) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        IsTakenOver(p, cc);
    }
}

// Long messages: once those of all queue pairs are known, or have been checked, the messages that
// are being sent are taken over as well. Little more is simulated than what the memo learns from.
TEST(ReplayMemo, FromTheMiddle)
{
    for (const char *cc : {"none", "dcqcn", "hpcc", "swift"}) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        Begin(p, 20, 16'000'000);
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        const Errors e = Compare(p.off, p.on);
        const weft_replay_figures f = p.Figures();
        const double steps = 20 * (1 - static_cast<double>(f.skipped_hops) /
                                           static_cast<double>(p.on.Totals().packet_hops));
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << cc;
        EXPECT_GE(f.checks, 16u) << cc;
        EXPECT_LT(steps, 5.5) << cc << ": " << f.why;
        EXPECT_LT(e.mean, 0.002) << cc;
        EXPECT_LT(e.mean, 2 * f.error + 0.0001) << cc;
        EXPECT_EQ(p.off.Totals().packet_hops, p.on.Totals().packet_hops) << cc;
    }
}

// The same, packet by packet over all spines: the load of links between switches is that of the
// simulation.
TEST(ReplayMemo, Sprayed)
{
    for (const Spreading &s : spreadings) {
        Pair p("leaf-spine", fabric, s.engine, s.cc);
        IsTakenOver(p, s.name);
        for (uint32_t port = 0; port < p.on.fabric->nports; port++) {
            weft_port_counters off, on;
            weft_engine_port_stats(p.off.e, port, &off);
            weft_engine_port_stats(p.on.e, port, &on);
            EXPECT_NEAR(static_cast<double>(on.tx_payload_bytes),
                        static_cast<double>(off.tx_payload_bytes),
                        s.load * static_cast<double>(off.tx_payload_bytes) + 50'000)
                << s.name << ", port " << port;
        }
    }
}

// Two rings in opposite directions: messages that share a NIC drift apart, and are simulated.
TEST(ReplayMemo, RingsThatShareNics)
{
    for (const char *cc : {"none", "dcqcn", "swift"}) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        Begin(p, 30, 4'000'000, false, true);
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        EXPECT_EQ(p.Figures().taken, 0u) << cc;
        EXPECT_LT(Compare(p.off, p.on).mean, 0.01) << cc;
    }
}

// The same, but times of these are drawn from those seen: most are taken over, their mean and the
// end stay near the simulation of every packet, though single messages need not.
TEST(ReplayMemo, Resampled)
{
    for (const char *cc : {"none", "dcqcn", "hpcc", "swift"}) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        p.resamples = true;
        Begin(p, 200, 1'000'000, false, true);
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        const weft_replay_figures f = p.Figures();
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << cc;
        EXPECT_GT(f.taken, p.on.received.size() / 3) << cc << ": " << f.why;
        EXPECT_GT(f.checks, 15u) << cc;
        const double mean = Mean(p.on) / Mean(p.off) - 1, end = Compare(p.off, p.on).end;
        EXPECT_LT(std::fabs(mean), 2 * f.error + 0.001) << cc;
        EXPECT_LT(end, 2 * f.end_error + 0.001) << cc;
        EXPECT_LT(f.error, 0.06) << cc;
        const weft_totals a = p.off.Totals(), b = p.on.Totals();
        EXPECT_EQ(a.sent[WEFT_PKT_DATA], b.sent[WEFT_PKT_DATA]) << cc;
    }
}

// Bursts with silence between them, as collectives have: groups fall apart, and form again in
// another order each time. The first message of a queue pair is taken over, too, until somebody
// else sends, or a host is late.
TEST(ReplayMemo, GroupsThatFormAgain)
{
    for (const char *cc : {"none", "dcqcn", "swift"}) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        weft_rng rng = weft_rng_stream(7, "replay-memo-test", 1);
        Begin(p, 0, 1);
        for (int burst = 0; burst < 60; burst++)
            for (uint32_t host = 0; host < 16; host++) {
                const bool late = burst == 40 && host == 3, other = burst == 45 && host == 5;
                const int64_t at = (burst + 1) * 300 * WEFT_PS_PER_US +
                                   static_cast<int64_t>(weft_rng_below(&rng, WEFT_PS_PER_US)) +
                                   late * 150 * WEFT_PS_PER_US;
                const uint32_t to = (host + (other ? 4 : 1)) % 16;
                for (World *w : {&p.off, &p.on})
                    w->At(at, [w, host, to] { w->Send(host, to, 1'000'000, 1); });
            }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        const Errors e = Compare(p.off, p.on);
        const weft_replay_figures f = p.Figures();
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << cc;
        EXPECT_GT(f.taken, p.on.received.size() * 3 / 5) << cc << ": " << f.why;
        EXPECT_GT(f.checks, 15u) << cc;
        EXPECT_LT(e.mean, 0.01) << cc;
        EXPECT_LT(e.end, 0.005) << cc;
        const weft_totals a = p.off.Totals(), b = p.on.Totals();
        EXPECT_EQ(a.sent[WEFT_PKT_DATA], b.sent[WEFT_PKT_DATA]) << cc;
        EXPECT_EQ(a.packet_hops, b.packet_hops) << cc;
    }
}

// Messages of others that meet a ring, links that change, looks: whatever happens in between,
// nothing is lost, and the ring ends when it should.
TEST(ReplayMemo, Disturbed)
{
    uint64_t taken = 0;
    double mean = 0, end = 0; // under HPCC single rings are off by more
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const char *const controls[] = {"none", "dcqcn", "hpcc", "swift"};
        weft_rng rng = weft_rng_stream(seed, "replay-memo-test", 0);
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, controls[seed % 4]);
        Begin(p, 40, 500'000 + weft_rng_u64(&rng) % 500'000);
        Disturb(p, &rng, 4, 800 * WEFT_PS_PER_US);
        for (int k = 0; k < 5; k++) { // looks in the midst
            p.RunTo(static_cast<int64_t>((k + 1) * 170 * WEFT_PS_PER_US));
            Check(p.on);
            if (HasFatalFailure())
                FAIL() << "seed " << seed;
        }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        const Errors e = Compare(p.off, p.on);
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << "seed " << seed;
        EXPECT_LT(e.mean, 0.05) << "seed " << seed;
        EXPECT_LT(e.mean, 2 * p.Figures().error + 0.001) << "seed " << seed;
        EXPECT_LT(e.end, 0.01) << "seed " << seed;
        taken += p.Figures().taken;
        mean += e.mean / 24;
        end += e.end / 24;
        if (HasFailure())
            FAIL() << "seed " << seed;
    }
    EXPECT_GT(taken, 4000u);
    EXPECT_LT(mean, 0.012);
    EXPECT_LT(end, 0.003);
}

// Messages that are taken over while a train is on its way, and given back as a host answers the
// one before it: where the message is by then goes by the end of the train.
TEST(ReplayMemo, DisturbedInTrains)
{
    uint64_t taken = 0;
    double mean = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        weft_rng rng = weft_rng_stream(seed, "replay-memo-trains", 0);
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}, {"transport.train", "15"}},
               seed % 2 ? "none" : "dcqcn");
        Begin(p, 40, 4'000'000);
        for (int k = 0; k < 6; k++) {
            const auto to = static_cast<uint32_t>(weft_rng_below(&rng, 16));
            const auto at = static_cast<int64_t>(weft_rng_below(&rng, 500 * WEFT_PS_PER_US));
            for (World *w : {&p.off, &p.on})
                w->At(at, [w, to] { w->Send((to + 1) % 16, to, 70'000, 1000); });
        }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        const Errors e = Compare(p.off, p.on);
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << "seed " << seed;
        EXPECT_LT(e.end, 0.005) << "seed " << seed;
        taken += p.Figures().taken;
        mean += e.mean / 24;
    }
    EXPECT_GT(taken, 8000u);
    EXPECT_LT(mean, 0.003);
}

// The same of sprayed packets, with a link that changes in between: senders and receivers go on
// from what was taken over, whatever order packets come in.
TEST(ReplayMemo, SprayedAndDisturbed)
{
    uint64_t taken = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        const Spreading &s = spreadings[seed % 5];
        const bool slow = seed % 2;
        weft_rng rng = weft_rng_stream(seed, "replay-memo-sprayed", 0);
        Pair p("leaf-spine", fabric, s.engine, s.cc);
        p.resamples = seed % 3 == 0;
        Begin(p, 50, 300'000 + weft_rng_u64(&rng) % 500'000, false, p.resamples);
        Disturb(p, &rng, 6, 800 * WEFT_PS_PER_US);
        DisturbLink(p, &rng, static_cast<int64_t>((200 + seed * 20) * WEFT_PS_PER_US), slow);
        for (int k = 0; k < 7; k++) {
            p.RunTo(static_cast<int64_t>((k + 1) * 130 * WEFT_PS_PER_US));
            Check(p.on);
            if (HasFatalFailure())
                FAIL() << "seed " << seed;
        }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << "seed " << seed;
        if (slow) { // else what was on the link is lost, which nothing of a message taken over is
            EXPECT_NEAR(Mean(p.on) / Mean(p.off), 1, 0.1) << "seed " << seed;
        }
        taken += p.Figures().taken;
        if (HasFailure())
            FAIL() << "seed " << seed << ", " << s.name;
    }
    EXPECT_GT(taken, 6000u);
}

// The same where times are drawn, in rings that share NICs: messages given back at any moment are
// received in order, none sooner than alone.
TEST(ReplayMemo, ResampledAndDisturbed)
{
    uint64_t taken = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const char *const controls[] = {"none", "dcqcn", "hpcc", "swift"};
        weft_rng rng = weft_rng_stream(seed, "replay-memo-drawn", 0);
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, controls[seed % 4]);
        p.resamples = true;
        Begin(p, 60, 100'000 + weft_rng_u64(&rng) % 300'000, false, seed % 3 != 0);
        Disturb(p, &rng, 12, 1500 * WEFT_PS_PER_US);
        for (int k = 0; k < 7; k++) {
            p.RunTo(static_cast<int64_t>((k + 1) * 170 * WEFT_PS_PER_US));
            Check(p.on);
            if (HasFatalFailure())
                FAIL() << "seed " << seed;
        }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << "seed " << seed;
        EXPECT_NEAR(Mean(p.on) / Mean(p.off), 1, 0.2) << "seed " << seed;
        taken += p.Figures().taken;
        if (HasFailure())
            FAIL() << "seed " << seed;
    }
    EXPECT_GT(taken, 5000u);
}

// A message whose time drawn is long holds up short ones behind it, which are received after it all
// the same.
TEST(ReplayMemo, ResampledInOrder)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        weft_rng rng = weft_rng_stream(seed, "replay-memo-order", 0);
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, "none");
        p.resamples = true;
        Begin(p, 0, 1);
        for (int round = 0; round < 60; round++)
            for (uint32_t h = 0; h < 16; h++) {
                const int64_t at = round * 500 * WEFT_PS_PER_US +
                                   static_cast<int64_t>(weft_rng_below(&rng, 100 * WEFT_PS_PER_US));
                for (World *w : {&p.off, &p.on})
                    w->At(at, [w, h] {
                        for (const uint64_t bytes : {2'000'000, 70'000, 70'000, 70'000})
                            w->Send(h, (h + 5) % 16, bytes, 1);
                    });
            }
        p.RunTo(WEFT_PS_PER_S);
        Check(p.on);
        std::map<uint32_t, uint64_t> next; // first PSN, by QP
        for (const weft_completion &d : p.on.received) {
            EXPECT_GE(d.first_psn, next[d.qpn]) << "seed " << seed;
            next[d.qpn] = d.first_psn + d.packets;
        }
        EXPECT_EQ(p.on.acked.size(), p.off.acked.size()) << "seed " << seed;
        EXPECT_GT(p.Figures().taken, 500u) << "seed " << seed << ": " << p.Figures().why;
    }
}

// The same bytes by any number of threads.
void SameByThreads(const Settings &engine, const char *cc)
{
    for (unsigned threads : {2u, 3u}) {
        Pair p("leaf-spine", fabric, engine, cc);
        p.threads = threads;
        Begin(p, 60, 500'000, true);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_GT(p.Figures().taken, 300u) << cc << ": " << p.Figures().why;
    }
}

TEST(ReplayMemo, Threads)
{
    SameByThreads({{"transport.mtu", "4096B"}}, "hpcc");
    for (const Spreading &s : spreadings)
        SameByThreads(s.engine, s.cc);
}

// Entries of a ring are kept for the next run, which begins with them. Whatever is wrong with them
// is refused, or makes times wrong and nothing else.
TEST(ReplayMemo, Kept)
{
    weft_err err = {};
    const char *const cc = "hpcc";
    const auto ring = [&](const std::vector<char> &kept, std::vector<char> *now) {
        Pair p("leaf-spine", fabric, {{"transport.mtu", "4096B"}}, cc);
        Begin(p, 20, 500'000);
        err = {};
        if (weft_engine_memo_set(p.on.e, kept.data(), kept.size(), &err))
            return uint64_t{0};
        EXPECT_EQ(weft_engine_run(p.on.e, WEFT_PS_PER_S), 0) << weft_engine_error(p.on.e)->msg;
        Check(p.on);
        EXPECT_EQ(p.on.acked.size(), 16u * 20);
        void *data = nullptr;
        size_t size = 0;
        EXPECT_EQ(weft_engine_memo_get(p.on.e, 1 << 20, &data, &size, &err), 0);
        now->assign(static_cast<char *>(data), static_cast<char *>(data) + size);
        free(data);
        EXPECT_EQ(weft_engine_memo_get(p.on.e, 250, &data, &size, &err), 0);
        EXPECT_LE(size, 250u);
        EXPECT_GT(size, 0u);
        free(data);
        return p.Figures().taken;
    };
    std::vector<char> kept, more, again;
    const uint64_t first = ring({}, &kept), second = ring(kept, &more);
    ASSERT_GT(first, 100u);
    EXPECT_GT(second, first + 16);
    EXPECT_EQ(ring(kept, &again), second);
    EXPECT_EQ(more, again); // the same by any two runs
    EXPECT_EQ(kept.size(), more.size());
    weft_rng rng = weft_rng_stream(1, "replay-memo-kept", 0);
    int refused = 0, taken = 0;
    for (size_t at = 0; at < kept.size(); at += 8 * (1 + weft_rng_u64(&rng) % 8)) {
        const uint64_t draw = weft_rng_u64(&rng);
        const double values[] = {NAN, INFINITY, -1, 0, 1e300, 1e17, 3e7, 0.5};
        std::vector<char> other = kept;
        if (draw & 1)
            memcpy(&other[at], &values[draw >> 1 & 7], 8);
        else
            other[at + (draw >> 1 & 7)] ^= static_cast<char>(1 << (draw >> 4 & 7));
        ring(other, &again);
        (err.code ? refused : taken)++;
        if (HasFailure())
            FAIL() << "byte " << at;
    }
    EXPECT_GT(refused, 5);
    EXPECT_GT(taken, 5);
    kept.pop_back();
    EXPECT_EQ(ring(kept, &again), 0u);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
}
