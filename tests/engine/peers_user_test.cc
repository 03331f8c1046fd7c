// SPDX-License-Identifier: GPL-2.0-only
// A user who does something else in each process, as a script of ns-3 does: what each posts, is
// told and executes is what one process has of it, to the last counter and record.
#include "meeting.h"
#include "same.h"

#include "base/rng.h"

#include <deque>
#include <map>
#include <memory>
#include <thread>

namespace
{

// Hosts of one process answer, also for each other, and have events of their own.
class Script
{
  public:
    Script(World &world, unsigned n, unsigned me, bool blocks)
        : w(world), m_n(n), m_me(me), m_blocks(blocks)
    {
        for (uint32_t i = 0; i < w.fabric->nnodes; i++)
            m_owner.push_back(WEFT_PEER_BELOW);
        for (uint32_t h = 0; h < w.fabric->nhosts; h++)
            m_owner[w.fabric->hosts[h]] = static_cast<uint8_t>(Owner(h));
        user.ctx = this;
        user.owner = m_owner.data();
        user.next = [](void *c) { return static_cast<Script *>(c)->Next(); };
        user.run = [](void *c) { static_cast<Script *>(c)->RunFirst(); };
        user.stopped = [](void *c) { return static_cast<Script *>(c)->stop; };
        w.user = this;
        w.config.hooks.received = [](void *c, const weft_completion *d) {
            auto *world = static_cast<World *>(c);
            world->received.push_back(*d);
            static_cast<Script *>(world->user)->React(*d, d->msg.dst);
        };
        w.config.hooks.acked = [](void *c, const weft_completion *d) {
            auto *world = static_cast<World *>(c);
            world->acked.push_back(*d);
            static_cast<Script *>(world->user)->React(*d, d->msg.src);
        };
    }

    unsigned Owner(uint32_t host) const
    {
        return m_blocks ? host * m_n / w.fabric->nhosts : host % m_n;
    }

    // All hosts begin at once, then at random times.
    void Begin(uint64_t seed)
    {
        weft_rng rng = weft_rng_stream(seed, "peers-user-test", 0);
        const uint32_t n = w.fabric->nhosts;
        for (uint32_t i = 0; i < 5 * n; i++) {
            const uint32_t src = i % n;
            const auto dst = static_cast<uint32_t>((src + 1 + weft_rng_u64(&rng) % (n - 1)) % n);
            const uint64_t bytes = 1 + weft_rng_u64(&rng) % 60000;
            const auto at = static_cast<int64_t>(weft_rng_u64(&rng) % (60 * WEFT_PS_PER_US));
            if (Mine(src))
                At(i < n ? 0 : at, src, [=, this] { w.Send(src, dst, bytes, 4); });
        }
    }

    // Those of one time are in the order of their hosts.
    void At(int64_t t, uint32_t host, std::function<void()> what)
    {
        m_events.emplace(std::make_pair(t, host), std::move(what));
        if (m_running)
            weft_engine_lower_limit(w.e, t);
    }

    int64_t Next() const
    {
        return m_events.empty() || stop ? WEFT_NEVER : m_events.begin()->first.first;
    }

    void RunFirst()
    {
        const auto what = m_events.begin()->second;
        m_events.erase(m_events.begin());
        what();
    }

    // The only process runs all, until the time of an event that comes first.
    void RunAlone()
    {
        while (!stop) {
            const int64_t own = Next(), next = weft_engine_next(w.e);
            if (own == WEFT_NEVER && next == WEFT_NEVER)
                return;
            if (own <= next) {
                weft_engine_set_now(w.e, own);
                RunFirst();
            } else {
                m_running = true;
                ASSERT_EQ(weft_engine_run(w.e, own), 0) << weft_engine_error(w.e)->msg;
                m_running = false;
            }
        }
    }

    World &w;
    weft_peers_user user = {};
    bool stop = false;

  private:
    // m_me of UINT_MAX: the only process.
    bool Mine(uint32_t host) const
    {
        return m_me == UINT32_MAX || Owner(host) == m_me;
    }

    // At once, at the same time or a little later, from this host or the next one of its process.
    void React(const weft_completion &d, uint32_t host)
    {
        const uint64_t dice = weft_mix64(d.id * 3 + (d.acked_ps ? 1 : 0));
        if (d.msg.tag == 0 || dice % 3 == 0)
            return;
        const uint32_t n = w.fabric->nhosts;
        uint32_t src = host;
        if (dice >> 8 & 1)
            do
                src = (src + 1) % n;
            while (Owner(src) != Owner(host));
        const auto dst = static_cast<uint32_t>((src + 1 + (dice >> 16) % (n - 1)) % n);
        const uint64_t bytes = 1 + (dice >> 32) % 20000, left = d.msg.tag - 1;
        const int64_t later[] = {-1, 0, 1000, 123456, 3777777};
        const int64_t wait = later[(dice >> 24) % 5];
        const auto post = [=, this] { w.Send(src, dst, bytes, left); };
        if (wait < 0)
            post();
        else
            At(weft_engine_now(w.e) + wait, src, post);
    }

    unsigned m_n, m_me;
    bool m_blocks, m_running = false;
    std::vector<uint8_t> m_owner;
    std::multimap<std::pair<int64_t, uint32_t>, std::function<void()>> m_events;
};

struct Case {
    const char *name;
    const char *cc;
    const char *topology;
    Settings topo, engine;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.name;
}

const Settings fatTree = {{"k", "4"}};

const Case cases[] = {
    {"none with pauses", "none", "leaf-spine", leafSpine, tight},
    {"dcqcn", "dcqcn", "fat-tree", fatTree,
     With(tight, {{"ecn.kmin", "10KB"}, {"ecn.kmax", "50KB"}})},
    {"hpcc", "hpcc", "leaf-spine", leafSpine, tight},
    {"lossy", "swift", "leaf-spine", leafSpine,
     With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "100us"}})},
    {"pauses end", "none", "leaf-spine", leafSpine,
     With(tight, {{"pfc.quanta", "900"}, {"pfc.refresh", "0.5"}})},
    {"one switch",
     "dcqcn",
     "single-switch",
     {{"hosts", "8"}},
     With(tight, {{"switch.buffer", "2MB"}})},
    {"short links", "none", "torus", {{"shape", "4x4"}, {"delay", "20ns"}}, tight},
    {"servers", "dcqcn", "leaf-spine",
     With(leafSpine, {{"host-delay", "50ns"}, {"uplink-delay", "700ns"}}), tight},
};

class PeersUser : public testing::TestWithParam<Case>
{
};

// What a process is told: the part of all that concerns its hosts.
void SameTold(const Script &s, unsigned k, const std::vector<weft_completion> &own,
              const std::vector<weft_completion> &all, bool acked)
{
    size_t i = 0;
    for (weft_completion x : all) {
        if (s.Owner(acked ? x.msg.src : x.msg.dst) != k)
            continue;
        ASSERT_LT(i, own.size());
        weft_completion y = own[i++];
        x.msg.token = y.msg.token = {};
        ASSERT_EQ(memcmp(&x, &y, sizeof x), 0)
            << i << ": message " << x.id << " and " << y.id << ", h" << x.msg.src << " and h"
            << y.msg.src << ", posted " << x.post_ps << " and " << y.post_ps << ", received "
            << x.received_ps << " and " << y.received_ps;
    }
    ASSERT_EQ(i, own.size());
}

} // namespace

TEST_P(PeersUser, HasHisPartOfWhatOneHas)
{
    const Case &c = GetParam();
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const unsigned n = seed < 3 ? 2 : 3;
        SCOPED_TRACE(std::to_string(n) + " processes, seed " + std::to_string(seed));
        Meeting meeting(n);
        std::deque<World> worlds;
        std::deque<Script> scripts;
        std::deque<Peer> peers;
        std::vector<weft_totals> totals(n + 1);
        for (unsigned k = 0; k <= n; k++) {
            worlds.emplace_back(c.topology, c.topo, c.engine, c.cc, Settings{}, seed);
            World &w = worlds.back();
            scripts.emplace_back(w, n, k < n ? k : UINT32_MAX, seed % 2 == 0);
            w.config.hooks.pfc_late = 1;
            w.config.hooks.concurrency.local = k < n;
            peers.push_back({&meeting, k});
            const weft_peers p = {n, k, &peers.back(), Exchange, 0, &scripts.back().user};
            w.config.peers = k < n && seed > 1 ? &p : nullptr;
            w.Build();
            weft_err err = {};
            if (k < n) {
                ASSERT_EQ(weft_engine_set_peers(w.e, &p, &err), 0) << err.msg;
            }
            scripts.back().Begin(seed);
        }
        std::vector<std::vector<weft_port_counters>> ports(n + 1);
        std::vector<std::string> failed(n + 1);
        const auto run = [&](unsigned k) {
            World &w = worlds[k];
            weft_err err = {};
            if (k == n)
                scripts[k].RunAlone();
            else if (weft_engine_run(w.e, WEFT_NEVER))
                failed[k] = weft_engine_error(w.e)->msg;
            if (failed[k].empty() && weft_engine_check(w.e, &err))
                failed[k] = err.msg;
            totals[k] = w.Totals();
            totals[k].events = totals[k].windows = 0;
            for (uint32_t i = 0; i < w.fabric->nports; i++) {
                ports[k].emplace_back();
                weft_engine_port_stats(w.e, i, &ports[k].back());
            }
            if (!failed[k].empty())
                meeting.Leave();
        };
        std::vector<std::thread> threads;
        for (unsigned k = 0; k <= n; k++)
            threads.emplace_back(run, k);
        for (std::thread &t : threads)
            t.join();
        for (unsigned k = 0; k < n; k++) {
            ASSERT_EQ(failed[k], "") << "process " << k;
            SameTold(scripts[k], k, worlds[k].received, worlds[n].received, false);
            SameTold(scripts[k], k, worlds[k].acked, worlds[n].acked, true);
            ASSERT_EQ(memcmp(&totals[k], &totals[n], sizeof totals[n]), 0)
                << totals[k].packet_hops << " and " << totals[n].packet_hops << ", posted "
                << totals[k].msgs_posted << " and " << totals[n].msgs_posted;
            for (size_t i = 0; i < ports[n].size(); i++)
                ASSERT_EQ(memcmp(&ports[k][i], &ports[n][i], sizeof ports[n][i]), 0)
                    << "port " << i;
            ASSERT_EQ(weft_engine_now(worlds[k].e), weft_engine_now(worlds[n].e));
        }
        ASSERT_GT(totals[n].msgs_acked, 5u * worlds[n].fabric->nhosts);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, PeersUser, testing::ValuesIn(cases));
