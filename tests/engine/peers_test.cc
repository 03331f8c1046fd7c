// SPDX-License-Identifier: GPL-2.0-only
// A simulation by several processes gives what one gives: engines that share a fabric run on
// threads of this program, which exchange by memory, beside one that has all of it; every counter
// and record is compared at odd moments.
#include "meeting.h"
#include "same.h"

#include "base/rng.h"

#include <cstring>
#include <deque>
#include <memory>
#include <thread>

namespace
{

// All that can be seen of a world.
struct Seen {
    std::vector<weft_port_counters> ports;
    std::vector<uint64_t> queues;
    weft_totals totals;
    int64_t now, next;
    weft_motion motion = WEFT_MOTION_NONE;
    uint64_t victims = 0, found = 0;
    std::vector<std::string> said; // what is paused, and stands still, and why
};

constexpr int64_t kStill = 20 * WEFT_PS_PER_US; // without progress

Seen Look(const World &w, int64_t at, bool why)
{
    Seen s;
    const auto say = [](void *to, const char *text) {
        static_cast<std::vector<std::string> *>(to)->push_back(text);
    };
    s.motion = weft_engine_motion(w.e, at, kStill);
    if (why || s.motion == WEFT_MOTION_STUCK) {
        weft_engine_explain_stuck(w.e, 5, say, &s.said);
        weft_engine_explain(w.e, 20, say, &s.said);
        s.victims = weft_engine_victims(w.e, &s.found);
    }
    for (uint32_t port = 0; port < w.fabric->nports; port++) {
        s.ports.emplace_back();
        weft_engine_port_stats(w.e, port, &s.ports.back());
        for (uint32_t prio = 0; prio < 8; prio++)
            s.queues.push_back(weft_engine_queue_bytes(w.e, port, prio));
    }
    s.totals = w.Totals();
    s.totals.windows = s.totals.events = 0;
    s.now = weft_engine_now(w.e);
    s.next = weft_engine_next(w.e);
    return s;
}

void SameSeen(const Seen &a, const Seen &b)
{
    ASSERT_EQ(memcmp(&a.totals, &b.totals, sizeof a.totals), 0)
        << a.totals.packet_hops << " and " << b.totals.packet_hops << ", posted "
        << a.totals.msgs_posted << " and " << b.totals.msgs_posted << ", acked "
        << a.totals.msgs_acked << " and " << b.totals.msgs_acked << ", alive "
        << a.totals.packets_in_flight << " and " << b.totals.packets_in_flight;
    for (size_t i = 0; i < a.ports.size(); i++)
        ASSERT_EQ(memcmp(&a.ports[i], &b.ports[i], sizeof a.ports[i]), 0)
            << "port " << i << ", sent " << a.ports[i].tx_packets << " and "
            << b.ports[i].tx_packets;
    ASSERT_EQ(a.queues, b.queues);
    ASSERT_EQ(a.now, b.now);
    ASSERT_EQ(a.motion, b.motion);
    ASSERT_EQ(a.said, b.said);
    ASSERT_EQ(a.victims, b.victims);
    ASSERT_EQ(a.found, b.found);
}

void SameTold(const std::vector<weft_completion> &a, const std::vector<weft_completion> &b)
{
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++) {
        weft_completion x = a[i], y = b[i];
        x.msg.token = y.msg.token = {};
        ASSERT_EQ(memcmp(&x, &y, sizeof x), 0)
            << i << ": message " << x.id << " and " << y.id << ", h" << x.msg.src << " and h"
            << y.msg.src << ", received " << x.received_ps << " and " << y.received_ps << ", acked "
            << x.acked_ps << " and " << y.acked_ps << ", ideal " << x.ideal_ps << " and "
            << y.ideal_ps << ", sent again " << x.retx_bytes << " and " << y.retx_bytes << ", cnps "
            << x.cnps << " and " << y.cnps << ", QP " << x.qpn << " and " << y.qpn << ", delays "
            << testing::PrintToString(x.delay_ps) << " and " << testing::PrintToString(y.delay_ps);
    }
}

using Make = std::function<void(World &)>; // builds and loads a world

// Runs it alone, and shared out to 2 and 3 processes, until nothing is left or gets on; of an odd
// seed, processes forget the ports of others; of every third seed, they give little at once.
// Returns what was seen last.
Seen Compare(const std::function<std::unique_ptr<World>()> &make, const Make &load, uint64_t seed)
{
    Seen last = {};
    const auto compare = [&](unsigned n) {
        Meeting meeting(n);
        std::vector<std::unique_ptr<World>> worlds;
        std::vector<std::vector<Seen>> seen(n + 1);
        std::vector<std::string> failed(n + 1);
        std::deque<Peer> peers;
        for (unsigned k = 0; k <= n; k++)
            worlds.push_back(make());
        const auto run = [&](unsigned k) {
            World &w = *worlds[k];
            weft_rng rng = weft_rng_stream(seed, "peers-test", 1);
            weft_err err = {};
            int64_t limit = 0;
            while (failed[k].empty() && weft_engine_next(w.e) != WEFT_NEVER) {
                limit += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (7 * WEFT_PS_PER_US));
                if (weft_engine_run(w.e, limit))
                    failed[k] = weft_engine_error(w.e)->msg;
                else if (weft_engine_check(w.e, &err))
                    failed[k] = err.msg;
                if (!failed[k].empty())
                    break;
                seen[k].push_back(Look(w, limit, seen[k].size() % 3 == 0));
                if (seen[k].back().motion == WEFT_MOTION_STUCK)
                    break;
            }
            if (k < n && !failed[k].empty())
                meeting.Leave();
        };
        std::vector<std::thread> threads;
        for (unsigned k = 0; k <= n; k++) {
            World &w = *worlds[k];
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            weft_peers p = {n, k, nullptr, Exchange, seed % 3 ? size_t(0) : 700};
            if (k < n) {
                peers.push_back({&meeting, k});
                p.ctx = &peers.back();
                w.config.peers = seed % 2 ? &p : nullptr;
            }
            w.Build();
            weft_err err = {};
            if (k < n) {
                ASSERT_EQ(weft_engine_set_peers(w.e, &p, &err), 0) << err.msg;
            }
            load(w);
        }
        for (unsigned k = 0; k <= n; k++)
            threads.emplace_back(run, k);
        for (std::thread &t : threads)
            t.join();
        for (unsigned k = 0; k <= n; k++)
            ASSERT_EQ(failed[k], "") << "process " << k << " of " << n;
        for (unsigned k = 0; k < n; k++) {
            SameTold(worlds[k]->received, worlds[n]->received);
            SameTold(worlds[k]->acked, worlds[n]->acked);
            ASSERT_EQ(worlds[k]->pfc.size(), worlds[n]->pfc.size());
            for (size_t i = 0; i < seen[n].size() && i < seen[k].size(); i++) {
                SameSeen(seen[k][i], seen[n][i]);
                if (testing::Test::HasFatalFailure())
                    FAIL() << "look " << i << ", process " << k << " of " << n;
            }
            ASSERT_EQ(seen[k].size(), seen[n].size());
        }
        last = seen[n].back();
    };
    for (unsigned n : {2u, 3u}) {
        SCOPED_TRACE(std::to_string(n) + " processes, seed " + std::to_string(seed));
        if (!testing::Test::HasFatalFailure())
            compare(n);
    }
    return last;
}

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
    {"none", "none", "leaf-spine", leafSpine, {{"transport.mtu", "1000B"}}},
    {"none with pauses", "none", "leaf-spine", leafSpine, tight},
    {"dcqcn with pauses", "dcqcn", "leaf-spine", leafSpine,
     With(tight, {{"ecn.kmin", "10KB"}, {"ecn.kmax", "50KB"}})},
    {"hpcc", "hpcc", "leaf-spine", leafSpine, tight},
    {"hpcc-pint", "hpcc-pint", "leaf-spine", leafSpine, tight},
    {"bolt", "bolt", "leaf-spine", leafSpine, tight},
    {"swift", "swift", "fat-tree", fatTree, {{"transport.mtu", "4096B"}}},
    {"lossy", "none", "leaf-spine", leafSpine,
     With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "300us"}})},
    {"selective repeat", "swift", "fat-tree", fatTree,
     With(tight, {{"pfc.enabled", "off"},
                  {"transport.rto", "100us"},
                  {"transport.recovery", "selective-repeat"}})},
    {"adaptive", "none", "leaf-spine", leafSpine,
     With(tight, {{"switch.balance", "adaptive"}, {"transport.recovery", "selective-repeat"}})},
    {"spray", "dctcp", "fat-tree", fatTree,
     With(tight, {{"switch.balance", "spray"}, {"transport.recovery", "out-of-order"}})},
    {"nscc", "nscc", "fat-tree", fatTree,
     With(tight, {{"transport.recovery", "rud"},
                  {"switch.balance", "entropy"},
                  {"pfc.enabled", "off"},
                  {"transport.rto", "100us"}})},
    {"pauses end", "none", "leaf-spine", leafSpine,
     With(tight, {{"pfc.quanta", "900"}, {"pfc.refresh", "0.5"}})},
    {"one switch",
     "dcqcn",
     "single-switch",
     {{"hosts", "8"}},
     With(tight, {{"switch.buffer", "2MB"}})},
    {"hosts forward", "none", "torus", {{"shape", "4x4"}, {"delay", "500ns"}}, tight},
    {"short links", "none", "torus", {{"shape", "4x4"}, {"delay", "20ns"}}, tight},
    {"servers", "dcqcn", "leaf-spine",
     With(leafSpine, {{"host-delay", "50ns"}, {"uplink-delay", "700ns"}}), tight},
    {"servers that lose", "swift", "leaf-spine",
     With(leafSpine, {{"host-delay", "50ns"}, {"uplink-delay", "700ns"}}),
     With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "100us"}})},
    {"delays differ", "timely", "leaf-spine",
     With(leafSpine, {{"host-delay", "237ns"}, {"uplink-delay", "2us"}}), tight},
};

// Retransmission timeouts, of which the end of a run has many, are short.
Settings Quick(Settings s)
{
    for (const auto &[key, value] : s)
        if (key == "transport.rto")
            return s;
    return With(s, {{"transport.rto", "200us"}});
}

class Peers : public testing::TestWithParam<Case>
{
};

// Messages that a timer posts, some at once and some at the same moment.
void Load(World &w, uint64_t seed)
{
    weft_rng rng = weft_rng_stream(seed, "peers-test", 0);
    for (int i = 0; i < 80; i++) {
        const uint32_t n = w.fabric->nhosts;
        const auto src = static_cast<uint32_t>(weft_rng_u64(&rng) % n);
        const auto dst = static_cast<uint32_t>((src + 1 + weft_rng_u64(&rng) % (n - 1)) % n);
        const auto prio = static_cast<uint32_t>(3 + weft_rng_u64(&rng) % 2);
        const uint64_t bytes = 1 + weft_rng_u64(&rng) % 200000;
        const int64_t at = static_cast<int64_t>(weft_rng_u64(&rng) % 30) * 2 * WEFT_PS_PER_US;
        const auto post = [=, &w] { w.Send(src, dst, bytes, static_cast<uint64_t>(i), prio); };
        if (i < 10)
            post();
        else
            w.At(i < 20 ? 0 : at, post);
    }
}

} // namespace

TEST_P(Peers, GiveWhatOneGives)
{
    const Case &c = GetParam();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Compare(
            [&] {
                return std::make_unique<World>(c.topology, c.topo, Quick(c.engine), c.cc,
                                               Settings{}, seed);
            },
            [&](World &w) { Load(w, seed); }, seed);
        if (HasFatalFailure())
            FAIL() << "seed " << seed;
    }
}

TEST(PeersThatAnswer, GiveWhatOneGives)
{
    const struct {
        const char *recovery, *balance, *cc;
    } runs[] = {{"go-back-n", "flow", "dcqcn"},
                {"selective-repeat", "flow", "hpcc"},
                {"out-of-order", "spray", "dctcp"},
                {"rud", "entropy", "nscc"}};
    for (const auto &[recovery, balance, cc] : runs) {
        Compare(
            [&, recovery = recovery, balance = balance, cc = cc] {
                auto w = std::make_unique<World>("fat-tree", fatTree,
                                                 With(tight, {{"transport.recovery", recovery},
                                                              {"switch.balance", balance},
                                                              {"pfc.enabled", "off"},
                                                              {"transport.rto", "100us"}}),
                                                 cc);
                w->Answer();
                return w;
            },
            [](World &w) { w.Ask(); }, 7);
        if (HasFatalFailure())
            FAIL() << recovery;
    }
}

// What a host answers to another of its server arrives within the window, before a longer message
// on another server does: nothing else is due at the first then.
TEST(PeersThatAnswer, TheirNeighbours)
{
    for (uint64_t bytes = 12'000; bytes < 30'000; bytes += 2'000) {
        Compare(
            [] {
                auto w = std::make_unique<World>(
                    "multi",
                    Settings{{"dimensions", "fully-connected size=2 rate=100Gbps delay=5ns; switch "
                                            "size=2 rate=100Gbps delay=700ns"}},
                    Settings{{"transport.mtu", "1000B"}});
                w->config.hooks.received = [](void *c, const weft_completion *d) {
                    auto *v = static_cast<World *>(c);
                    v->received.push_back(*d);
                    if (d->msg.tag)
                        v->Send(d->msg.dst, d->msg.dst ^ 1u, 1);
                };
                return w;
            },
            [bytes](World &w) {
                w.Send(2, 0, 1, 1);
                w.Send(2, 3, bytes);
            },
            1);
        if (HasFatalFailure())
            FAIL() << bytes << " bytes";
    }
}

// All links lose everything from 30 us on: what hosts have received by then, and the ACKs that were
// lost, are known to two processes.
TEST(PeersThatStandStill, SayWhatOneSays)
{
    const Seen last = Compare(
        [] {
            return std::make_unique<World>("fat-tree", fatTree,
                                           With(tight, {{"pfc.enabled", "off"},
                                                        {"transport.rto", "5us"},
                                                        {"transport.rto-backoff-max", "0"},
                                                        {"transport.retry-max", "0"}}));
        },
        [](World &w) {
            for (uint32_t h = 0; h < 8; h++)
                w.Send(h, 15 - h, 4000000);
            w.At(30 * WEFT_PS_PER_US, [&w] {
                weft_err err = {};
                std::vector<weft_link_change> all(w.fabric->nlinks);
                for (uint32_t i = 0; i < w.fabric->nlinks; i++) {
                    all[i].link = i;
                    all[i].kind = WEFT_LINK_BIT_ERRORS;
                    all[i].bit_error_rate = 0.5;
                }
                ASSERT_EQ(weft_engine_change_links(w.e, all.data(), all.size(), &err), 0)
                    << err.msg;
            });
        },
        2);
    EXPECT_EQ(last.motion, WEFT_MOTION_STUCK);
    ASSERT_GE(last.said.size(), 5u);
    EXPECT_NE(last.said[0].find("no progress since "), std::string::npos) << last.said[0];
    EXPECT_EQ(last.said[0].find("beyond packet 0 "), std::string::npos) << last.said[0];
}

// Ideal durations of packets that are balanced go by the port that a QP sends through, which is
// another one while a link is down: the receiver's process knows that, too.
TEST(PeersWhoseLinksFlap, GiveWhatOneGives)
{
    Compare(
        [] {
            return std::make_unique<World>("torus", Settings{{"shape", "4x4"}, {"delay", "500ns"}},
                                           With(tight, {{"transport.recovery", "out-of-order"},
                                                        {"switch.balance", "spray"},
                                                        {"pfc.enabled", "off"},
                                                        {"transport.rto", "100us"}}));
        },
        [](World &w) {
            for (uint64_t i = 0; i < 48; i++) // three for each QP: before, meanwhile, afterwards
                w.At(static_cast<int64_t>(i / 16) * 200 * WEFT_PS_PER_US, [&w, i] {
                    const uint32_t src = i % 16;
                    w.Send(src, (src + (src % 2 ? 4 : 1)) % 16, 3000, i);
                });
            for (const auto kind : {WEFT_LINK_DOWN, WEFT_LINK_UP})
                w.At((kind == WEFT_LINK_DOWN ? 100 : 300) * WEFT_PS_PER_US, [&w, kind] {
                    weft_err err = {};
                    std::vector<weft_link_change> some(w.fabric->nlinks / 3);
                    for (uint32_t i = 0; i < some.size(); i++) {
                        some[i].link = 3 * i;
                        some[i].kind = kind;
                    }
                    ASSERT_EQ(weft_engine_change_links(w.e, some.data(), some.size(), &err), 0)
                        << err.msg;
                });
        },
        2);
}

// What one process has read otherwise than the others is said by all of them.
TEST(PeersThatPlaySomethingElse, EndWithAnError)
{
    for (const bool other_fabric : {false, true}) {
        constexpr unsigned kPeers = 3;
        Meeting meeting(kPeers);
        std::deque<World> worlds;
        std::deque<Peer> peers;
        std::vector<std::thread> threads;
        for (unsigned k = 0; k < kPeers; k++) {
            const bool other = k == 1;
            peers.push_back({&meeting, k});
            worlds.emplace_back("leaf-spine", leafSpine, Settings{{"transport.mtu", "1000B"}});
            World &w = worlds.back();
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            w.fabric->links[0].delay_ps += other && other_fabric;
            w.Build();
            weft_err err = {};
            const weft_peers p = {kPeers, k, &peers.back(), Exchange, 0};
            ASSERT_EQ(weft_engine_set_peers(w.e, &p, &err), 0) << err.msg;
            for (uint32_t i = 0; i < 4; i++)
                w.Send(i, (i + 5) % 8, 20'000 + (i == 3 && other && !other_fabric), i);
        }
        for (World &w : worlds)
            threads.emplace_back([&w] { weft_engine_run(w.e, WEFT_NEVER); });
        for (std::thread &t : threads)
            t.join();
        for (const World &w : worlds) {
            EXPECT_EQ(weft_engine_error(w.e)->code, WEFT_E_INPUT);
            EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("have different fabrics"),
                      std::string::npos)
                << weft_engine_error(w.e)->msg;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Peers, testing::ValuesIn(cases));
