// SPDX-License-Identifier: GPL-2.0-only
// Traffic that repeats itself is taken over instead of simulated: each case runs with and without,
// is looked at, stopped and disturbed at odd moments, and gives the same to the last bit.
#include "world.h"

#include "base/rng.h"

#include <cstring>
#include <memory>
#include <tuple>

namespace
{

const Settings oneSwitch = {{"hosts", "8"}};
const Settings sixLeaves = {{"leaves", "6"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
const Settings small = {{"transport.mtu", "1000B"}};

// A ring of hosts, or one in each group of them: whoever has received a step sends the next, at
// once or after computing.
class Ring
{
  public:
    Ring(World &world, int steps, uint64_t bytes, int64_t computePs = 0, uint32_t group = 0)
        : w(world), m_steps(steps), m_bytes(bytes), m_computePs(computePs),
          m_group(group ? group : w.fabric->nhosts), m_at(w.fabric->nhosts)
    {
        w.config.hooks.ctx = this;
        w.config.hooks.local = w.config.hooks.pfc_late = 1;
        w.config.hooks.pfc = nullptr;
        w.config.hooks.received = [](void *c, const weft_completion *d) {
            auto *r = static_cast<Ring *>(c);
            r->w.received.push_back(*d);
            r->Received(*d);
        };
        w.config.hooks.acked = [](void *c, const weft_completion *d) {
            static_cast<Ring *>(c)->w.acked.push_back(*d);
        };
    }

    void Start()
    {
        for (uint32_t h = 0; h < w.fabric->nhosts; h++)
            Post(h);
    }

    World &w;
    uint32_t crosses = UINT32_MAX; // sends something to host 1, too, whenever it has received

  private:
    void Post(uint32_t h)
    {
        const uint32_t n = m_group;
        w.Send(h, h / n * n + (h + 1) % n, m_bytes, 1000 * h + m_at[h]++);
    }

    void Received(const weft_completion &d)
    {
        const uint32_t h = d.msg.dst;
        if (h == crosses)
            w.Send(h, 1, 5000, 7000 + m_at[h]);
        if (h >= m_at.size() || m_at[h] >= m_steps)
            return;
        if (!m_computePs) {
            Post(h);
            return;
        }
        w.At(d.received_ps + m_computePs, [this, h] { Post(h); });
    }

    int m_steps;
    uint64_t m_bytes;
    int64_t m_computePs;
    uint32_t m_group;
    std::vector<int> m_at;
};

// Hosts that answer what they receive by long messages, most of them to a neighbour at their switch
// and some far away, at once or after computing. What a host does depends on it alone.
class Talk
{
  public:
    Talk(World &world, uint32_t perLeaf, uint64_t seed)
        : w(world), m_perLeaf(perLeaf), m_left(world.fabric->nhosts, 5)
    {
        for (uint32_t h = 0; h < w.fabric->nhosts; h++)
            m_rng.push_back(weft_rng_stream(seed, "replay-test-talk", h));
        w.config.hooks.ctx = this;
        w.config.hooks.local = w.config.hooks.pfc_late = 1;
        w.config.hooks.pfc = nullptr;
        w.config.hooks.received = [](void *c, const weft_completion *d) {
            auto *t = static_cast<Talk *>(c);
            t->w.received.push_back(*d);
            t->Answer(d->msg.dst, d->received_ps);
        };
        w.config.hooks.acked = [](void *c, const weft_completion *d) {
            static_cast<Talk *>(c)->w.acked.push_back(*d);
        };
    }

    void Say(uint32_t h)
    {
        const uint64_t r = weft_rng_u64(&m_rng[h]);
        const uint32_t n = w.fabric->nhosts;
        const uint32_t near = h / m_perLeaf * m_perLeaf + (h + 1) % m_perLeaf;
        const uint32_t far = static_cast<uint32_t>((h + 1 + r % (n - 1)) % n);
        const uint32_t dst = r >> 40 & 15 ? near : far;
        w.Send(h, dst == h ? (h + 1) % n : dst, 1000 + (r >> 8) % 3'000'000, 1000 * h + m_left[h]);
    }

    World &w;

  private:
    void Answer(uint32_t h, int64_t now)
    {
        if (m_left[h]-- <= 0)
            return;
        const uint64_t r = weft_rng_u64(&m_rng[h]);
        if (r & 3) {
            Say(h);
            return;
        }
        w.At(now + static_cast<int64_t>(r >> 8) % (20 * WEFT_PS_PER_US), [this, h] { Say(h); });
    }

    uint32_t m_perLeaf;
    std::vector<int> m_left;
    std::vector<weft_rng> m_rng;
};

// The same world twice: simulated, and replayed.
struct Pair {
    Pair(const std::string &topology, const Settings &topo, const Settings &engine,
         const std::string &cc, const Settings &ccSettings = {})
        : off(topology, topo, engine, cc, ccSettings), on(topology, topo, engine, cc, ccSettings)
    {
    }

    void Rings(int steps, uint64_t bytes, int64_t computePs = 0, uint32_t group = 0)
    {
        for (World *w : {&off, &on})
            rings.push_back(std::make_unique<Ring>(*w, steps, bytes, computePs, group));
    }

    void Build(weft_replaying how = WEFT_REPLAYING_EAGERLY)
    {
        weft_err err = {};
        off.Build();
        on.Build();
        ASSERT_EQ(weft_engine_set_replay(on.e, how, memory, &err), 0) << err.msg;
        for (auto &r : rings)
            r->Start();
    }

    void RunTo(int64_t limit)
    {
        ASSERT_EQ(weft_engine_run(off.e, limit), 0) << weft_engine_error(off.e)->msg;
        ASSERT_EQ(weft_engine_run(on.e, limit), 0) << weft_engine_error(on.e)->msg;
    }

    weft_replay_figures Figures() const
    {
        weft_replay_figures f;
        weft_engine_replay_figures(on.e, &f);
        return f;
    }

    uint64_t memory = 64 << 20;
    World off, on;
    std::vector<std::unique_ptr<Ring>> rings;
};

void SameMessages(const std::vector<weft_completion> &a, const std::vector<weft_completion> &b)
{
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++) {
        const auto &x = a[i], &y = b[i];
        ASSERT_EQ(
            std::tie(x.id, x.post_ps, x.received_ps, x.acked_ps, x.ideal_ps, x.retx_bytes, x.cnps),
            std::tie(y.id, y.post_ps, y.received_ps, y.acked_ps, y.ideal_ps, y.retx_bytes, y.cnps))
            << i;
        ASSERT_EQ(std::tie(x.qpn, x.first_byte, x.first_psn, x.packets, x.msg.tag, x.msg.src),
                  std::tie(y.qpn, y.first_byte, y.first_psn, y.packets, y.msg.tag, y.msg.src))
            << i;
        ASSERT_EQ(memcmp(x.delay_ps, y.delay_ps, sizeof x.delay_ps), 0) << i;
    }
}

void Same(const Pair &p)
{
    SameMessages(p.off.received, p.on.received);
    SameMessages(p.off.acked, p.on.acked);
    for (uint32_t port = 0; port < p.off.fabric->nports; port++) {
        weft_port_counters s, t;
        weft_engine_port_stats(p.off.e, port, &s);
        weft_engine_port_stats(p.on.e, port, &t);
        ASSERT_EQ(memcmp(&s, &t, sizeof s), 0)
            << "port " << port << ", sent " << s.tx_packets << " and " << t.tx_packets;
        for (uint32_t prio = 0; prio < 8; prio++)
            ASSERT_EQ(weft_engine_queue_bytes(p.off.e, port, prio),
                      weft_engine_queue_bytes(p.on.e, port, prio));
    }
    auto s = p.off.Totals(), t = p.on.Totals();
    s.events = t.events = 0;
    s.windows = t.windows = 0;
    ASSERT_EQ(memcmp(&s, &t, sizeof s), 0);
    weft_err err = {};
    ASSERT_EQ(weft_engine_check(p.on.e, &err), 0) << err.msg;
}

} // namespace

// Permanent messages: most of their packets are skipped.
TEST(Replay, LapsOfPackets)
{
    for (const char *cc : {"none", "dcqcn", "static-window"}) {
        Pair p("single-switch", oneSwitch, small, cc);
        p.Build(WEFT_REPLAYING);
        for (World *w : {&p.off, &p.on})
            for (uint32_t h = 0; h < 8; h++)
                w->Send(h, (h + 3) % 8, 20'000'000 + 700 * h, h);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 8u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << cc << ": " << p.Figures().why;
        EXPECT_LT(p.on.Totals().events, p.off.Totals().events / 2);
    }
}

// Steps of a ring: whole laps are played, and what the user calls his messages stays with them.
TEST(Replay, LapsOfMessages)
{
    for (int64_t compute : {INT64_C(0), INT64_C(1234567)}) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(300, 20'000, compute);
        p.Build(WEFT_REPLAYING);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 2400u);
        EXPECT_GT(p.Figures().played_laps, 60u); // of several rounds each
        EXPECT_LT(p.on.Totals().events, p.off.Totals().events / 8);
    }
}

// Who looks at the state in the midst of a lap sees what there is, and what follows is played
// again.
TEST(Replay, LooksAtOddMoments)
{
    weft_rng rng = weft_rng_stream(1, "replay-test", 0);
    for (int64_t compute : {INT64_C(0), INT64_C(333333)}) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(80, 20'000, compute);
        p.Build();
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (9 * WEFT_PS_PER_US));
            p.RunTo(at);
            Same(p);
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps";
        }
        EXPECT_EQ(p.on.received.size(), 640u);
        EXPECT_GT(p.Figures().played_laps, 10u);
    }
}

// A message posted at any moment of a lap, from outside: at each of many offsets.
TEST(Replay, DisturbedAtAnyMoment)
{
    for (int k = 0; k < 60; k++) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(40, 20'000);
        p.Build();
        const int64_t at = 40 * WEFT_PS_PER_US + k * INT64_C(61'739);
        p.RunTo(at);
        for (World *w : {&p.off, &p.on}) {
            weft_engine_set_now(w->e, at);
            w->Send(5, 2, 30'000, 77);
        }
        p.RunTo(at + 30 * WEFT_PS_PER_US);
        Same(p);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "disturbed at " << at << " ps";
        EXPECT_EQ(p.on.received.size(), 321u);
    }
}

// The same by a timer of the user's, by a link that gets slower, and by one that fails.
TEST(Replay, DisturbedByTimersAndLinks)
{
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 12; k++) {
            Pair p("single-switch", oneSwitch,
                   {{"transport.mtu", "1000B"}, {"transport.rto", "50us"}}, "dcqcn");
            p.Rings(40, 20'000);
            p.Build();
            for (World *w : {&p.off, &p.on}) {
                const int64_t at = 40 * WEFT_PS_PER_US + k * INT64_C(301'739);
                w->At(at, [w, kind] {
                    weft_err err = {};
                    weft_link_change l = {};
                    l.link = 3;
                    l.kind = kind == 1 ? WEFT_LINK_RATE : WEFT_LINK_DOWN;
                    l.rate_bps = 40'000'000'000;
                    if (kind == 0)
                        w->Send(5, 2, 30'000, 77);
                    else
                        EXPECT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                });
                w->At(at + 30 * WEFT_PS_PER_US, [w, kind] {
                    weft_err err = {};
                    if (kind == 2) {
                        EXPECT_EQ(SetLink(w->e, 3, true, &err), 0) << err.msg;
                    }
                });
            }
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << "kind " << kind << ", moment " << k;
            EXPECT_EQ(p.on.received.size(), kind ? 320u : 321u);
        }
}

// Random fabrics, controls and messages; runs end at odd moments.
TEST(Replay, RandomTraffic)
{
    const char *controls[] = {"none", "dcqcn", "hpcc", "timely", "dctcp", "swift", "static-window"};
    uint64_t jumps = 0, plays = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        weft_rng rng = weft_rng_stream(seed, "replay-test", 1);
        const bool tree = weft_rng_u64(&rng) % 4 == 0;
        const Settings topo =
            tree ? Settings{{"leaves", "2"}, {"spines", "2"}, {"hosts-per-leaf", "4"}} : oneSwitch;
        Settings engine = small;
        if (weft_rng_u64(&rng) % 3 == 0)
            engine.emplace_back("switch.buffer", "400KB"),
                engine.emplace_back("pfc.headroom", "20KB"),
                engine.emplace_back("switch.reserve", "0B");
        if (weft_rng_u64(&rng) % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        Pair p(tree ? "leaf-spine" : "single-switch", topo, engine, controls[seed % 7]);
        const bool ring = weft_rng_u64(&rng) % 2;
        if (ring)
            p.Rings(
                60, 1000 + weft_rng_u64(&rng) % 60'000,
                static_cast<int64_t>(weft_rng_u64(&rng) % 2 * (weft_rng_u64(&rng) % 2'000'000)));
        p.Build();
        for (uint32_t h = 0; !ring && h < 8; h++) {
            const uint64_t r = weft_rng_u64(&rng), pairs = seed / 7;
            const uint32_t dst = static_cast<uint32_t>((h + 1 + pairs % 7) % 8);
            for (World *w : {&p.off, &p.on})
                w->Send(h, dst, 300'000 + (r >> 16) % 2'000'000, h);
        }
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (40 * WEFT_PS_PER_US));
            p.RunTo(at);
            if (weft_rng_u64(&rng) % 4 == 0)
                Same(p);
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, seed " << seed;
        }
        Same(p);
        jumps += p.Figures().jumps;
        plays += p.Figures().plays;
    }
    EXPECT_GT(jumps, 0u);
    EXPECT_GT(plays, 5u);
}

// Messages of random lengths that meet at random times repeat nothing: hardly any value is read for
// that, and few states are written down.
TEST(Replay, CostsLittleWhereNothingRepeats)
{
    for (const char *cc : {"hpcc", "dcqcn", "none"}) {
        Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "8"}}, small,
               cc);
        weft_rng rng = weft_rng_stream(1, "replay-test", 4);
        p.Build(WEFT_REPLAYING);
        for (int64_t i = 1; i <= 600; i++) {
            const uint64_t r = weft_rng_u64(&rng);
            const auto src = static_cast<uint32_t>(r % 32),
                       dst = static_cast<uint32_t>((src + 1 + (r >> 8) % 31) % 32);
            p.RunTo(i * WEFT_PS_PER_US / 2 + static_cast<int64_t>((r >> 16) % 100'000));
            for (World *w : {&p.off, &p.on})
                w->Send(src, dst, 1000 + (r >> 20) % 400'000, src);
        }
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        const weft_replay_figures f = p.Figures();
        const uint64_t events = p.off.Totals().events;
        EXPECT_GT(events, 1'000'000u);
        EXPECT_GT(f.values, 10'000u) << "it never looked";
        EXPECT_LT(f.values, 100'000 + (events / 16) + f.hops) << cc;
        EXPECT_LT(f.looks, 20 + (f.jumps * 20)) << cc;
    }
}

// Traffic that falls into pieces, one per switch: each is moved on by itself, and comes back when a
// message goes through it, a host looks, or a link gets slower.
TEST(Replay, PiecesAlone)
{
    const Settings topo = {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
    const char *controls[] = {"none", "dcqcn", "static-window", "swift"};
    uint64_t jumps = 0, hops = 0, all = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        weft_rng rng = weft_rng_stream(seed, "replay-test", 2);
        Settings engine = small;
        if (seed % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        Pair p("leaf-spine", topo, engine, controls[seed % 4]);
        Talk off(p.off, 4, seed), on(p.on, 4, seed);
        p.Build();
        for (uint32_t h = 0; h < 16; h += 4)
            off.Say(h), on.Say(h);
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (60 * WEFT_PS_PER_US));
            p.RunTo(at);
            const uint64_t what = weft_rng_u64(&rng) % 8;
            const auto link = static_cast<uint32_t>(weft_rng_u64(&rng) % 16);
            if (what < 2)
                Same(p);
            for (World *w : {&p.off, &p.on}) {
                weft_err err = {};
                weft_link_change l = {};
                l.link = link;
                l.kind = WEFT_LINK_RATE;
                l.rate_bps = what == 2 ? 40'000'000'000 : 100'000'000'000;
                weft_engine_set_now(w->e, at);
                if (what == 2 || what == 3) {
                    ASSERT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                }
                if (what == 4)
                    w->Send(link, (link + 5) % 16, 90'000, 77);
            }
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, seed " << seed;
        }
        Same(p);
        jumps += p.Figures().jumps;
        hops += p.Figures().hops;
        all += p.on.Totals().packet_hops;
    }
    EXPECT_GT(jumps, 300u);
    EXPECT_GT(hops, all / 10);
}

// Two pairs at switches of their own, at paces of their own: neither keeps the other from being
// skipped, and a message through one of them at any moment changes nothing.
TEST(Replay, PiecesDisturbedAtAnyMoment)
{
    for (int k = 0; k < 60; k++) {
        Pair p("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "4"}}, small,
               "dcqcn");
        p.Build();
        for (World *w : {&p.off, &p.on}) {
            w->Send(0, 1, 1'500'000, 1);
            w->Send(4, 5, 1'700'000, 2);
            w->Send(6, 7, 1'700'000, 3);
            for (uint64_t n = 0; n < 2; n++) /* the second after the first */
                w->At(12 * WEFT_PS_PER_US + k * INT64_C(1'739),
                      [w, n] { w->Send(2, 5, 30'000 + 5000 * n, 4 + n); });
        }
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "moment " << k;
        EXPECT_EQ(p.on.received.size(), 5u);
        EXPECT_GT(p.Figures().jumps, 2u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 3);
    }
}

// Pairs of hosts that first talk while others are skipped: what is known by QP has no place for
// them yet (memory checkers see it looked for).
TEST(Replay, PairsThatAreNew)
{
    Pair p("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "16"}}, small,
           "dcqcn");
    p.Build();
    for (World *w : {&p.off, &p.on}) {
        w->Send(0, 1, 3'000'000, 1);
        w->Send(2, 3, 3'000'000, 2);
        w->At(60 * WEFT_PS_PER_US, [w] {
            for (uint32_t k = 0; k < 240; k++)
                w->Send(16 + k / 15, 16 + (k / 15 + 1 + k % 15) % 16, 1000, 10 + k);
        });
    }
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.on.received.size(), 242u);
    EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << p.Figures().why;
}

// Rings at switches of their own are the same but for names: one of them is simulated.
TEST(Replay, Twins)
{
    for (const char *cc : {"none", "dcqcn", "static-window", "dctcp"}) {
        Pair p("leaf-spine", sixLeaves, small, cc);
        p.Rings(7, 300'000, 0, 4);
        p.Build();
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 168u);
        EXPECT_GE(p.Figures().copies, 5u * 4) << cc;
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << cc;
    }
}

// Twins that are looked at, get a message, or a slower link at any moment: most are still the same
// afterwards.
TEST(Replay, TwinsDisturbedAtAnyMoment)
{
    const char *controls[] = {"none", "dcqcn", "static-window", "swift", "timely"};
    uint64_t copies = 0;
    for (int k = 0; k < 80; k++) {
        weft_rng rng = weft_rng_stream(static_cast<uint64_t>(k), "replay-test", 3);
        Settings engine = small;
        if (k % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        if (k % 7 == 0)
            engine.emplace_back("switch.buffer", "1600KB");
        Pair p("leaf-spine", sixLeaves, engine, controls[k % 5]);
        p.Rings(6, 100'000 + 1000 * weft_rng_u64(&rng) % 300, k % 4 ? 0 : 1'234'567, 4);
        for (auto &r : p.rings)
            if (k % 2)
                r->crosses = 22;
        p.Build(k % 5 ? WEFT_REPLAYING_EAGERLY : WEFT_REPLAYING);
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (30 * WEFT_PS_PER_US));
            p.RunTo(at);
            const uint64_t what = weft_rng_u64(&rng) % 8;
            const auto host = static_cast<uint32_t>(weft_rng_u64(&rng) % 24);
            if (what == 0)
                Same(p);
            for (World *w : {&p.off, &p.on}) {
                weft_err err = {};
                weft_link_change l = {};
                l.link = host;
                l.kind = WEFT_LINK_RATE;
                l.rate_bps = what == 1 ? 40'000'000'000 : 100'000'000'000;
                weft_engine_set_now(w->e, at);
                if ((what == 1 || what == 2) && at % 3 == 0) {
                    ASSERT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                }
                if (what == 3 || what == 4) /* to where others send, too */
                    w->Send(host, what == 3 ? host / 4 * 4 + (host + 2) % 4 : (host + 5) % 24,
                            90'000, 77);
            }
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, case " << k;
        }
        Same(p);
        if (HasFatalFailure())
            FAIL() << "case " << k;
        copies += p.Figures().copies;
    }
    EXPECT_GT(copies, 1000u);
}

// What is drawn or marked in one of them is not known of the others.
TEST(Replay, TwinsThatMeet)
{
    for (const char *cc : {"dcqcn", "hpcc", "dctcp"})
        for (int k = 0; k < 12; k++) {
            Pair p("leaf-spine", sixLeaves, small, cc);
            p.Build(k % 2 ? WEFT_REPLAYING_EAGERLY : WEFT_REPLAYING);
            for (World *w : {&p.off, &p.on})
                for (uint32_t h = 0; h < 24; h++)
                    if (h % 4)
                        w->Send(h, h / 4 * 4, 200'000 + 10'000 * static_cast<uint64_t>(k), h);
            p.RunTo(WEFT_PS_PER_US * (7 + k));
            if (k % 3)
                Same(p);
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << cc << ", case " << k;
        }
}

// Ports that have been paused: what follows repeats itself, with packets that were held up on their
// way at first, and with the clocks of pauses as they were.
TEST(Replay, AfterPauses)
{
    for (int k = 0; k < 12; k++) {
        Pair p("single-switch", oneSwitch,
               {{"transport.mtu", "1000B"},
                {"switch.buffer", "1600KB"},
                {"pfc.headroom", "100KB"},
                {"switch.reserve", "0B"}},
               "none");
        p.Build();
        for (World *w : {&p.off, &p.on}) {
            for (uint32_t h = 1; h < 8; h++)
                w->Send(h, 0, 200'000, h);
            for (uint32_t h = 1; h < 8; h++)
                w->Send(h, h % 7 + 1, 4'000'000 + 100'000 * h, h);
        }
        p.RunTo((40 + 3 * k) * WEFT_PS_PER_US);
        Same(p);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "look " << k;
        EXPECT_GT(p.on.Totals().pfc_pauses, 0u);
        EXPECT_EQ(p.on.Totals().rtos, 0u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 10) << p.Figures().why;
    }
}

// What keeps traffic from being replayed is said.
TEST(Replay, SaysWhyNot)
{
    Pair p("single-switch", oneSwitch, small, "none");
    p.on.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
    p.Build(WEFT_REPLAYING);
    for (World *w : {&p.off, &p.on})
        w->Send(0, 1, 1'000'000);
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.Figures().hops, 0u);
    EXPECT_STREQ(p.Figures().why, "packets, queues or QPs are watched one by one");
}

// Without memory for a state nothing is replayed.
TEST(Replay, StaysWithinItsMemory)
{
    Pair p("single-switch", oneSwitch, small, "none");
    p.memory = 100'000;
    p.Rings(40, 200'000);
    p.Build();
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.Figures().hops, 0u);
}
