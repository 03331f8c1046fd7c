// SPDX-License-Identifier: GPL-2.0-only
// For tests of replay: the same world twice, simulated and replayed, with users whose traffic
// repeats itself, and whether both are the same to the last bit.
#ifndef WEFT_TESTS_ENGINE_REPLAY_PAIR_H
#define WEFT_TESTS_ENGINE_REPLAY_PAIR_H

#include "world.h"

#include "base/rng.h"

#include <cstring>
#include <memory>
#include <tuple>

inline const Settings oneSwitch = {{"hosts", "8"}};
inline const Settings sixLeaves = {{"leaves", "6"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
inline const Settings small = {{"transport.mtu", "1000B"}};

// A ring of hosts, or one in each group of them: whoever has received a step sends the next, at
// once or after computing.
class Ring
{
  public:
    Ring(World &world, int steps, uint64_t bytes, int64_t computePs = 0, uint32_t group = 0,
         bool twoWays = false)
        : w(world), m_steps(steps), m_bytes(bytes), m_computePs(computePs),
          m_group(group ? group : w.fabric->nhosts), m_ways(twoWays ? 2 : 1),
          m_at(m_ways * w.fabric->nhosts)
    {
        w.config.hooks.ctx = this;
        w.config.hooks.concurrency.local = true;
        w.config.hooks.pfc_late = 1;
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
        for (uint32_t way = 0; way < m_ways; way++)
            for (uint32_t h = 0; h < w.fabric->nhosts; h++)
                Post(h, way);
    }

    World &w;
    uint32_t crosses = UINT32_MAX; // sends something to host 1, too, whenever it has received

  private:
    void Post(uint32_t h, uint32_t way)
    {
        const uint32_t n = m_group, step = way ? n - 1 : 1;
        w.Send(h, h / n * n + (h + step) % n, m_bytes, 1000 * h + At(h, way)++);
    }

    int &At(uint32_t h, uint32_t way)
    {
        return m_at[way * w.fabric->nhosts + h];
    }

    void Received(const weft_completion &d)
    {
        const uint32_t h = d.msg.dst;
        if (h == crosses)
            w.Send(h, 1, 5000, 7000 + m_at[h]);
        const uint32_t way = m_ways > 1 && (h + 1) % m_group == d.msg.src % m_group;
        if (h >= w.fabric->nhosts || At(h, way) >= m_steps)
            return;
        if (!m_computePs) {
            Post(h, way);
            return;
        }
        w.At(d.received_ps + m_computePs, [this, h, way] { Post(h, way); });
    }

    int m_steps;
    uint64_t m_bytes;
    int64_t m_computePs;
    uint32_t m_group, m_ways;
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
        w.config.hooks.concurrency.local = true;
        w.config.hooks.pfc_late = 1;
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

    void Rings(int steps, uint64_t bytes, int64_t computePs = 0, uint32_t group = 0,
               bool twoWays = false)
    {
        for (World *w : {&off, &on})
            rings.push_back(std::make_unique<Ring>(*w, steps, bytes, computePs, group, twoWays));
    }

    void Build(weft_replaying how = WEFT_REPLAYING_EAGERLY)
    {
        weft_err err = {};
        off.Build();
        on.Build();
        ASSERT_EQ(weft_engine_set_replay(on.e, how, memory, &err), 0) << err.msg;
        /* those share all windows, in random orders */
        Threads(on, threads, 1);
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
    unsigned threads = 1;   // of the one that is replayed
    bool resamples = false; // it draws times of messages that scatter
    World off, on;
    std::vector<std::unique_ptr<Ring>> rings;
};

inline void SameMessages(const std::vector<weft_completion> &a,
                         const std::vector<weft_completion> &b)
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

inline void Same(const Pair &p)
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

#endif
