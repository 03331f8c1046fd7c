// SPDX-License-Identifier: GPL-2.0-only
// Links that fail and come back: what is lost, where packets go then, and that everything completes
// or the partition is named.
#include "tables.h"
#include "world.h"

#include "base/rng.h"
#include "tests/base/temp_dir.h"

#include <deque>
#include <fstream>
#include <map>
#include <set>

namespace
{

// Changes of links, carried out by timers of the engine.
class Changes
{
  public:
    explicit Changes(World &w) : m_world(w) {}

    void At(int64_t t, uint32_t link, bool up)
    {
        m_world.At(t, [this, link, up] {
            weft_err err = {};
            ASSERT_EQ(SetLink(m_world.e, link, up, &err), 0) << err.msg;
            ASSERT_EQ(weft_engine_check(m_world.e, &err), 0) << err.msg;
        });
    }

  private:
    World &m_world;
};

// The links at a node.
std::vector<uint32_t> LinksOf(const weft_fabric *f, uint32_t node)
{
    std::vector<uint32_t> links;
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (f->links[l].a == node || f->links[l].b == node)
            links.push_back(l);
    return links;
}

std::string Explain(weft_engine *e)
{
    std::string all;
    weft_engine_explain(
        e, 20,
        [](void *c, const char *s) { *static_cast<std::string *>(c) += std::string(s) + "\n"; },
        &all);
    return all;
}

const Settings kLeafSpine = {{"leaves", "4"},
                             {"spines", "4"},
                             {"hosts-per-leaf", "4"},
                             {"host-rate", "100Gbps"},
                             {"uplink-rate", "100Gbps"}};
const uint32_t kHosts = 16, kLeaf0 = 16, kSpine0 = 20;

// Every host sends to one on the next leaf.
void SendPermutation(World &w, uint64_t bytes)
{
    for (uint32_t h = 0; h < kHosts; h++)
        w.Send(h, (h + 4) % kHosts, bytes, h);
}

// Each message was received once and acknowledged once.
void ExpectAllOnce(const World &w, size_t n)
{
    std::set<uint64_t> ids;
    for (auto &d : w.received)
        EXPECT_TRUE(ids.insert(d.id).second) << "message " << d.id << " received twice";
    EXPECT_EQ(ids.size(), n);
    EXPECT_EQ(w.acked.size(), n);
}

} // namespace

TEST(Link, AFailedSpineCostsPacketsButNoMessage)
{
    for (const char *recovery : kRecoveries)
        for (const char *cc : {"none", "dcqcn", "hpcc", "swift", "powertcp", "hpcc-pint"}) {
            SCOPED_TRACE(std::string(recovery) + " " + cc);
            World w("leaf-spine", kLeafSpine, {{"transport.recovery", recovery}}, cc);
            w.Build();
            Changes changes(w);
            SendPermutation(w, 500000);
            for (uint32_t l : LinksOf(w.fabric, kSpine0))
                changes.At(20 * WEFT_PS_PER_US, l, false);
            w.Run();
            ExpectAllOnce(w, kHosts);
            auto t = w.Totals();
            EXPECT_GT(t.drops[WEFT_DROP_LINK], 0u);
            EXPECT_EQ(t.drops[WEFT_DROP_ERROR] + t.drops[WEFT_DROP_HEADROOM], 0u);
            EXPECT_EQ(t.packets_in_flight, 0u);
        }
}

// Nothing is sent towards a spine after it failed, and the ECMP groups use it again when it is
// back.
TEST(Link, RoutesAvoidAndReturn)
{
    World w("leaf-spine", kLeafSpine);
    w.Build();
    weft_err err = {};
    auto links = LinksOf(w.fabric, kSpine0);
    for (uint32_t l : links)
        ASSERT_EQ(SetLink(w.e, l, false, &err), 0);
    auto over_spine = [&] {
        uint64_t packets = 0;
        for (uint32_t p = 0; p < w.fabric->nports; p++) {
            struct weft_port_counters st;
            weft_engine_port_stats(w.e, p, &st);
            if (w.fabric->ports[w.fabric->ports[p].peer].node == kSpine0)
                packets += st.tx_packets;
        }
        return packets;
    };
    for (int i = 0; i < 4; i++)
        SendPermutation(w, 20000);
    w.Run();
    EXPECT_EQ(w.Totals().msgs_acked, 4u * kHosts);
    EXPECT_EQ(over_spine(), 0u);
    for (uint32_t l : links)
        ASSERT_EQ(SetLink(w.e, l, true, &err), 0);
    SendPermutation(w, 20000);
    w.Run();
    EXPECT_EQ(w.Totals().msgs_acked, 5u * kHosts);
    EXPECT_GT(over_spine(), 0u);
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], 0u);
}

// 100 Gbps, 1 us, no padding or gaps: a packet of 1000 + 0 bytes takes 80 ns per hop. The
// receiver's link fails at 0.5 us, when the packet is on the sender's link (it then meets a switch
// without a route), or at 1.5 us, when it is on the link itself; it is back at 10 us, when the QP
// starts over.
TEST(Link, AParkedQpStartsOverWhenThePathReturns)
{
    const Settings bare = {{"transport.header", "0"},
                           {"transport.gap", "0"},
                           {"transport.min-frame", "0"},
                           {"transport.mtu", "1000B"}};
    for (int64_t down_ns : {500, 1500}) {
        World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}}, bare);
        w.Build();
        Changes changes(w);
        w.Send(0, 1, 1000);
        changes.At(down_ns * WEFT_PS_PER_NS, 1, false);
        changes.At(10 * WEFT_PS_PER_US, 1, true);
        w.Run();
        ASSERT_EQ(w.received.size(), 1u);
        EXPECT_EQ(w.received[0].received_ps, (10000 + 2 * 1080) * WEFT_PS_PER_NS);
        EXPECT_EQ(w.received[0].ideal_ps, 2 * 1080 * WEFT_PS_PER_NS);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], 1u);
        EXPECT_EQ(w.Totals().rtos, 0u);
        // Before the switch the packet dies for want of a route, at the port it came in through;
        // after it on the failed link.
        struct weft_port_counters in, out;
        const uint32_t first = w.fabric->nodes[2].first_port;
        weft_engine_port_stats(w.e, first, &in);
        weft_engine_port_stats(w.e, first + 1, &out);
        EXPECT_EQ(in.drops[WEFT_DROP_LINK], down_ns == 500 ? 1u : 0u);
        EXPECT_EQ(out.drops[WEFT_DROP_LINK], down_ns == 1500 ? 1u : 0u);
        EXPECT_EQ(out.tx_packets, down_ns == 500 ? 1u : 2u);
    }
}

// Down and up again while a packet is on the link: it is lost all the same.
TEST(Link, AFlapLosesWhatIsOnTheLink)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"transport.rto", "50us"}});
    w.Build();
    Changes changes(w);
    w.Send(0, 1, 1000);
    changes.At(1500 * WEFT_PS_PER_NS, 1, false);
    changes.At(1500 * WEFT_PS_PER_NS, 1, true);
    w.Run();
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], 1u);
    ExpectAllOnce(w, 1);
}

// 4,000 bytes at 1 Gbps are on their way for 32 us, of which the link is down for one: what is sent
// after that comes behind what is lost, and the clock never runs backwards.
TEST(Link, NothingOvertakesWhatAFlapCutOff)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "1Gbps"}, {"delay", "100ns"}},
            {{"transport.rto", "1ms"},
             {"transport.mtu", "4000B"},
             {"transport.header", "0"},
             {"transport.gap", "0"},
             {"transport.min-frame", "0"}});
    w.Build();
    Changes changes(w);
    w.Send(0, 1, 4000, 1, 3);
    changes.At(2 * WEFT_PS_PER_US, 0, false);
    changes.At(3 * WEFT_PS_PER_US, 0, true);
    ASSERT_EQ(weft_engine_run(w.e, WEFT_PS_PER_US), 0);
    w.Send(0, 1, 100, 2, 4);
    w.Run();
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_LINK], 1u);
    ASSERT_EQ(w.received.size(), 2u);
    // The host begins at 32 us, with the lost one; the other one follows it on both links.
    const int64_t us = WEFT_PS_PER_US;
    EXPECT_EQ(w.received[0].msg.tag, 1u);
    EXPECT_EQ(w.received[0].received_ps, 32 * us + 2 * (32 * us + us / 10));
    EXPECT_EQ(w.received[1].received_ps, w.received[0].received_ps + 8 * us / 10);
}

TEST(Link, APartitionEndsTheRunAndIsNamed)
{
    World w("leaf-spine", kLeafSpine, {}, "dcqcn");
    w.Build();
    Changes changes(w);
    SendPermutation(w, 500000);
    w.Send(0, 1, 500000); // within leaf 0
    std::vector<uint32_t> uplinks;
    for (uint32_t l : LinksOf(w.fabric, kLeaf0))
        if (w.fabric->links[l].b >= kSpine0)
            uplinks.push_back(l);
    ASSERT_EQ(uplinks.size(), 4u);
    for (uint32_t l : uplinks)
        changes.At(10 * WEFT_PS_PER_US, l, false);
    w.Run();
    // 4 messages leave leaf 0 and 4 come to it.
    EXPECT_EQ(w.Totals().msgs_posted - w.Totals().msgs_acked, 8u);
    EXPECT_EQ(weft_engine_next(w.e), WEFT_NEVER);
    EXPECT_LT(weft_engine_now(w.e), 100 * WEFT_PS_PER_MS);
    std::string why = Explain(w.e);
    EXPECT_NE(
        why.find("the fabric is partitioned: 8 QPs have no path; links down: s16-s20 since 10"),
        std::string::npos)
        << why;
    EXPECT_NE(why.find("h0 -> h4"), std::string::npos) << why;
    EXPECT_NE(why.find("no path leads there"), std::string::npos) << why;
    // Posted while there is no path: waits too; and all goes on when one uplink is back.
    w.Send(3, 9, 1000);
    weft_err err = {};
    ASSERT_EQ(SetLink(w.e, uplinks[2], true, &err), 0);
    w.Run();
    ExpectAllOnce(w, kHosts + 2);
    EXPECT_EQ(Explain(w.e), "");
}

// Both hosts are linked to both switches; when one link of the sender fails, its QPs go through the
// other.
TEST(Link, QpsMoveToAnotherPortOfTheirHost)
{
    const TempDir dir;
    const std::string path = dir / "dual_homed.txt";
    std::ofstream(path) << "4 2 4\n2 3\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n1 2 100Gbps 1us 0\n1 "
                           "3 100Gbps 1us 0\n";
    for (const char *recovery : {"go-back-n", "selective-repeat", "out-of-order"})
        for (uint32_t link = 0; link < 4; link++) {
            World w("hpcc", {{"file", path}}, {{"transport.recovery", recovery}});
            w.Build();
            Changes changes(w);
            for (uint32_t qp = 0; qp < 8; qp++) {
                weft_err err = {};
                weft_msg m = {0, 1, 200000, qp, 0, UINT32_MAX, qp};
                ASSERT_EQ(weft_engine_send(w.e, &m, nullptr, &err), 0) << err.msg;
            }
            changes.At(30 * WEFT_PS_PER_US, link, false);
            w.Run();
            ExpectAllOnce(w, 8);
            EXPECT_GT(w.Totals().drops[WEFT_DROP_LINK], 0u);
        }
}

// Links flap at random under an incast that pauses them; at the end all are up. Nothing hangs,
// nothing comes twice, every count adds up after each change, and each pause seen has its resume.
TEST(Link, RandomFlapsUnderPfc)
{
    uint64_t pauses = 0, drops = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (const char *recovery : kRecoveries) {
            SCOPED_TRACE(std::string(recovery) + " seed " + std::to_string(seed));
            World w("leaf-spine", kLeafSpine,
                    {{"transport.recovery", recovery},
                     {"transport.retry-max", "0"},
                     {"transport.rto", "200us"},
                     {"transport.rto-backoff-max", "2"},
                     {"switch.buffer", "4MiB"},
                     {"pfc.quanta", seed % 2 ? "0" : "2000"}},
                    seed % 3 ? "none" : "dcqcn", {}, seed);
            w.Build();
            Changes changes(w);
            for (uint32_t h = 1; h < kHosts; h++) {
                w.Send(h, 0, 200000, h);
                w.Send(h, (h + 5) % kHosts, 100000, h);
            }
            weft_rng rng = weft_rng_stream(seed, "flaps", 0);
            std::set<uint32_t> touched;
            for (int i = 0; i < 40; i++) {
                uint32_t link = static_cast<uint32_t>(weft_rng_f64(&rng) * w.fabric->nlinks);
                touched.insert(link);
                changes.At(static_cast<int64_t>(weft_rng_f64(&rng) * 400) * WEFT_PS_PER_US, link,
                           weft_rng_f64(&rng) < 0.4);
            }
            for (uint32_t l : touched)
                changes.At(400 * WEFT_PS_PER_US, l, true);
            w.Run(20 * WEFT_PS_PER_US, WEFT_PS_PER_S);
            ExpectAllOnce(w, 2 * (kHosts - 1));
            EXPECT_EQ(w.Totals().packets_in_flight, 0u);
            std::map<std::pair<uint32_t, uint32_t>, int> paused;
            for (auto &p : w.pfc)
                paused[{p.port, p.prio}] = p.pause;
            for (auto &[key, on] : paused)
                EXPECT_EQ(on, 0) << "port " << key.first;
            pauses += w.Totals().pfc_pauses;
            drops += w.Totals().drops[WEFT_DROP_LINK];
        }
    EXPECT_GT(pauses, 100u);
    EXPECT_GT(drops, 1000u);
}

TEST(Link, NoSuchLink)
{
    World w("single-switch", {{"hosts", "2"}});
    w.Build();
    weft_err err = {};
    EXPECT_EQ(SetLink(w.e, 2, false, &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "link 2, but the fabric has links 0 to 1");
}
