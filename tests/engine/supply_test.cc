// SPDX-License-Identifier: GPL-2.0-only
// Bolt's half in switches (the engine's supply.h): when a warning leaves and comes back, which
// packets keep their mark, that it costs nothing but its time, and that the ways of running a
// simulation agree.
#include "once.h"
#include "same.h"

#include "base/rng.h"
#include "congestion/cc_supply.h"

#include <algorithm>
#include <map>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;

// 80 ps a byte. A packet of 1000 B is a frame of 1068 B and takes 1088 B on the wire.
const Settings kSwitch = {{"hosts", "5"}, {"rate", "100Gbps"}, {"delay", "1us"}};
const Settings kSmall = {{"transport.mtu", "1000B"}, {"transport.ack-prio", "6"}};

/// All that packets did.
struct Seen {
    struct Event {
        int64_t t;
        uint32_t port;
        weft_pkt_event what;
        weft_engine_pkt_view v;
    };
    std::vector<Event> events;
    std::vector<uint8_t> wanted;
    void Listen(World &w)
    {
        w.user = this;
        wanted.assign(w.fabric->nports, 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED);
        w.config.hooks.packet_events = wanted.data();
        w.config.hooks.packet = [](void *c, int64_t t, uint32_t port, weft_pkt_event what,
                                   const weft_engine_pkt_view *v) {
            static_cast<Seen *>(static_cast<World *>(c)->user)
                ->events.push_back({t, port, what, *v});
        };
    }
    /// Those of a kind that started, at hosts (0 hops for data) or behind the switch.
    std::vector<Event> Sent(weft_pkt_kind kind, uint32_t hops) const
    {
        std::vector<Event> s;
        for (const Event &x : events)
            if (x.what == WEFT_PKT_SENT && x.v.kind == kind && x.v.hops == hops)
                s.push_back(x);
        return s;
    }
    size_t Tagged(uint32_t tag, uint32_t src, uint32_t hops) const
    {
        size_t n = 0;
        for (const Event &x : Sent(WEFT_PKT_DATA, hops))
            n += x.v.src_host == src && x.v.tags & tag;
        return n;
    }
};

/// One switch under bolt, whose packets are seen.
struct Watched : Seen {
    World w;
    explicit Watched(const Settings &bolt, const Settings &engine = kSmall)
        : w("single-switch", kSwitch, engine, "bolt", bolt)
    {
        Listen(w);
        w.Build();
    }
};

uint32_t Qpn(const Seen &seen, uint32_t src)
{
    for (auto &x : seen.events)
        if (x.v.kind == WEFT_PKT_DATA && x.v.src_host == src)
            return x.v.qpn;
    return 0;
}

} // namespace

// Two senders begin at once: at 1 us + 87,040 ps both their first packets are at the switch; one
// starts, one waits. When the second pair comes, that one is still there for the first of the pair,
// and two are for the other: its sender is the first to be warned. The warning, 84 B on the wire,
// arrives 6,720 ps + 1 us later, 2.09 us after its cause was sent; the ACK of that takes twice as
// long. By then windows have shrunk as the equation says.
TEST(Supply, AWarningComesBackBeforeTheAck)
{
    Watched seen(Settings{{"ai", "0"}});
    World &w = seen.w;
    w.Send(0, 4, 200000);
    w.Send(1, 4, 200000);
    const int64_t ser = 1088 * 80, back = 84 * 80 + US;
    ASSERT_EQ(weft_engine_run(w.e, 2 * US + 4 * ser + back + 1), 0);
    std::vector<Seen::Event> came;
    for (auto &x : seen.events) {
        EXPECT_FALSE(x.v.kind == WEFT_PKT_ACK && x.what == WEFT_PKT_ARRIVED && x.v.hops);
        if (x.v.kind == WEFT_PKT_WARNING && x.what == WEFT_PKT_ARRIVED)
            came.push_back(x);
    }
    ASSERT_GE(came.size(), 2u);
    EXPECT_EQ(came[0].t, US + 2 * ser + back);
    EXPECT_EQ(came[0].v.dst_host, 1u);
    EXPECT_EQ(came[0].v.sent_ps, ser);
    EXPECT_EQ(came[0].v.queue_bytes, 2u * 1068);
    EXPECT_EQ(came[0].v.rate_bps, 100000000000u);
    // before the first ACK R is line rate, that of the port: a packet whenever (now - last) Q >= r
    double left[2] = {0, 0};
    int64_t last[2] = {0, 0};
    for (auto &x : came) {
        const double q = double(x.v.queue_bytes) / 1088, r = double(x.t - x.v.sent_ps);
        const uint32_t h = x.v.dst_host;
        if (double(x.t - last[h]) * q >= r) {
            left[h] -= 1000;
            last[h] = x.t;
        }
    }
    EXPECT_LT(left[1], 0);
    Watched none(Settings{{"ai", "0"}});
    World &alone = none.w;
    alone.Send(0, 4, 200000);
    ASSERT_EQ(weft_engine_run(alone.e, 2 * US), 0);
    double first[2], now[2];
    weft_engine_observe(alone.e, Qpn(none, 0), first);
    for (uint32_t h : {0u, 1u}) {
        weft_engine_observe(w.e, Qpn(seen, h), now);
        EXPECT_EQ(now[0], first[0] + left[h]) << h;
    }
    w.Run();
    ExpectAllOnceInOrder(w, "two");
}

// Each data packet has its sender warned at most once, and says so: over two switches as well.
TEST(Supply, WarnsOncePerPacket)
{
    World w("leaf-spine", With(leafSpine, {{"host-rate", "100Gbps"}}), kSmall, "bolt");
    Seen seen;
    seen.Listen(w);
    w.Build();
    for (uint32_t h = 1; h < 16; h++)
        w.Send(h, 0, 100000);
    w.Run();
    ExpectAllOnceInOrder(w, "incast");
    std::map<std::pair<uint32_t, int64_t>, int> warned;
    size_t arrived = 0, made = w.Totals().sent[WEFT_PKT_WARNING];
    for (auto &x : seen.events)
        if (x.v.kind == WEFT_PKT_WARNING && x.what == WEFT_PKT_ARRIVED &&
            w.fabric->nodes[w.fabric->ports[x.port].node].kind == WEFT_NODE_HOST) {
            arrived++;
            EXPECT_EQ(++warned[std::make_pair(x.v.qpn, x.v.sent_ps)], 1);
        }
    EXPECT_EQ(arrived, made);
    EXPECT_EQ(w.Totals().delivered[WEFT_PKT_WARNING], made);
    EXPECT_GT(made, 500u);
    size_t tagged = 0; // at the last hop
    for (auto &x : seen.events)
        tagged += x.v.kind == WEFT_PKT_DATA && x.what == WEFT_PKT_ARRIVED &&
                  x.v.tags & WEFT_CC_TAG_WARNED &&
                  w.fabric->nodes[w.fabric->ports[x.port].node].kind == WEFT_NODE_HOST;
    EXPECT_EQ(tagged, made);
}

// Nothing is congested and supply does not count: a mark is kept for each token of a flow that
// ended, and for no other.
TEST(Supply, PacketsOfALastWindowLetOthersGrow)
{
    const Settings tokens = {{"threshold", "100000"}, {"supply-matching", "false"}, {"ai", "0"}};
    Watched seen(tokens);
    World &w = seen.w;
    w.Send(0, 4, 3000000);
    w.Send(1, 4, 200000);
    w.Run();
    const size_t left = seen.Tagged(WEFT_CC_TAG_LAST, 1, 1);
    EXPECT_GT(left, 40u);
    EXPECT_EQ(seen.Tagged(WEFT_CC_TAG_FIRST, 1, 1) + seen.Tagged(WEFT_CC_TAG_GAIN, 1, 0) + left,
              200u);
    EXPECT_EQ(seen.Tagged(WEFT_CC_TAG_GAIN, 0, 1) + seen.Tagged(WEFT_CC_TAG_GAIN, 1, 1), left);
    // at most so many are remembered
    Watched least(With(tokens, {{"tokens", "1"}}));
    World &few = least.w;
    few.Send(1, 4, 200000);
    few.Run();
    few.Send(0, 4, 3000000);
    few.Run();
    EXPECT_EQ(least.Tagged(WEFT_CC_TAG_GAIN, 0, 1), 1u);
    // a flow of one window leaves none
    Watched nothing(tokens);
    World &once = nothing.w;
    once.Send(0, 4, 3000000);
    once.Send(1, 4, 20000);
    once.Run();
    EXPECT_EQ(nothing.Tagged(WEFT_CC_TAG_LAST, 1, 1), 20u);
    EXPECT_EQ(nothing.Tagged(WEFT_CC_TAG_LAST, 1, 1), nothing.Tagged(WEFT_CC_TAG_FIRST, 1, 1));
    EXPECT_EQ(nothing.Tagged(WEFT_CC_TAG_GAIN, 0, 1), 0u);
    Watched no(With(tokens, {{"ramp-up", "false"}}));
    World &off = no.w;
    off.Send(0, 4, 3000000);
    off.Send(1, 4, 200000);
    off.Run();
    EXPECT_EQ(no.Tagged(WEFT_CC_TAG_GAIN, 0, 1), 0u);
}

// A window of a few packets goes out back to back once per round trip, which the link is idle for
// the rest of: a packet of supply is kept, so that the first of each burst keeps its mark and the
// others lose theirs; three kept, three do.
TEST(Supply, IsWhatTheLinkCouldHaveSent)
{
    for (const size_t burst : {1u, 3u}) {
        World w("single-switch", kSwitch, kSmall, "bolt",
                {{"max-window", "0.2"},
                 {"ai", "0"},
                 {"ramp-up", "false"},
                 {"threshold", "100000"},
                 {"supply-burst", std::to_string(burst)}});
        Seen seen;
        seen.Listen(w);
        w.Build();
        w.Send(0, 4, 400000);
        w.Run();
        const auto out = seen.Sent(WEFT_PKT_DATA, 1), in = seen.Sent(WEFT_PKT_DATA, 0);
        ASSERT_EQ(out.size(), 400u);
        // the rule, on the times at which packets came: 80 ps per byte of 1088
        int64_t spare = INT64_MAX / 2, at = 0;
        const int64_t packet = 1088 * 80, most = packet * int64_t(burst);
        size_t kept = 0, bursts = 0;
        for (size_t i = 0; i < out.size(); i++) {
            const int64_t t = in[i].t + packet + US; // arrives, and starts at once
            ASSERT_EQ(out[i].t, t);
            bursts += i == 0 || t - at > packet;
            spare = std::min(spare + (t - at) - packet, most);
            at = t;
            const bool keeps = in[i].v.tags & WEFT_CC_TAG_GAIN && spare >= packet;
            spare -= keeps ? packet : 0;
            kept += keeps;
            EXPECT_EQ((out[i].v.tags & WEFT_CC_TAG_GAIN) != 0, keeps) << i;
        }
        EXPECT_GT(bursts, 10u);
        EXPECT_GE(kept, (bursts - 3) * burst);
        EXPECT_LE(kept, bursts * burst);
    }
}

// Marks are counted by the receiver, so that coalesced ACKs bring all of them.
TEST(Supply, CoalescedAcksTellOfAllMarks)
{
    for (const char *every : {"1", "4"}) {
        Watched seen(Settings{}, With(kSmall, {{"transport.ack-every", every}}));
        World &w = seen.w;
        w.Send(0, 4, 1000000);
        w.Send(1, 4, 300000);
        w.Run();
        size_t marks = 0;
        for (auto &x : seen.Sent(WEFT_PKT_ACK, 0))
            marks += x.v.tags;
        EXPECT_EQ(marks, seen.Tagged(WEFT_CC_TAG_GAIN, 0, 1) + seen.Tagged(WEFT_CC_TAG_GAIN, 1, 1));
        EXPECT_GT(marks, 10u);
    }
}

// Warnings take none of the ingress, and of egress pools what there is: the laws hold, which Run
// asks about.
TEST(Supply, WarningsAndEgressPools)
{
    for (const char *prio : {"3", "6"}) {
        World w("single-switch", {{"hosts", "17"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                With(kSmall, {{"transport.ack-prio", prio},
                              {"switch.buffer", "2MB"},
                              {"switch.reserve", "0B"},
                              {"switch.egress-lossless-pool", "1MB"},
                              {"switch.egress-lossy-pool", "300KB"}}),
                "bolt");
        w.Build();
        for (uint32_t h = 0; h < 16; h++)
            for (uint32_t to : {16u, (h + 1) % 16})
                w.Send(h, to, 300000);
        w.Run(5 * US);
        ExpectAllOnceInOrder(w, prio);
        EXPECT_GT(w.Totals().sent[WEFT_PKT_WARNING], 1000u);
    }
}

// Warnings begin in the middle of a way, of which balancers that write into packets know nothing:
// under each of them all ends, and all warnings arrive.
TEST(Supply, UnderEveryBalancer)
{
    for (const std::string balance : kBalances) {
        World w("leaf-spine", With(leafSpine, {{"host-rate", "100Gbps"}}),
                With(kSmall, {{"switch.balance", balance}, {"transport.recovery", "out-of-order"}}),
                "bolt");
        w.Build();
        for (uint32_t h = 0; h < 16; h++)
            for (uint32_t to : {0u, (h + 5) % 16})
                if (to != h)
                    w.Send(h, to, 100000);
        w.Run();
        ExpectAllOnceInOrder(w, balance);
        EXPECT_GT(w.Totals().sent[WEFT_PKT_WARNING], 500u) << balance;
        EXPECT_EQ(w.Totals().delivered[WEFT_PKT_WARNING], w.Totals().sent[WEFT_PKT_WARNING])
            << balance;
    }
}

namespace
{

/// A flow of 20 MB, and one of 2 MB that joins it after 500 us and ends some 330 us later.
struct Newcomer {
    int64_t first_ps = 0, second_ps = 0; // when they are complete
    uint64_t peak = 0;                   // since the second began
    int64_t long_ps = 0;                 // when more than 25 KB waited last
    double mean = 0;                     // of the queue while there are two

    Newcomer(const char *cc, const Settings &settings)
        : w("single-switch", {{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "2us"}},
            {{"transport.ack-prio", "6"}}, cc, settings)
    {
        w.user = this;
        w.config.hooks.queue = [](void *c, int64_t t, uint32_t port, uint32_t prio,
                                  uint64_t bytes) {
            auto *n = static_cast<Newcomer *>(static_cast<World *>(c)->user);
            if (prio != 3 ||
                n->w.fabric->nodes[n->w.fabric->ports[port].node].kind != WEFT_NODE_SWITCH)
                return;
            if (t > 500 * US && !n->second_ps && n->w.received.empty())
                n->area += double(n->queue) * double(t - std::max(n->at, 500 * US));
            n->queue = bytes;
            n->at = t;
            if (t > 500 * US) {
                n->peak = std::max(n->peak, bytes);
                n->long_ps = bytes > 25000 ? t : n->long_ps;
            }
        };
        w.Build();
        w.Send(0, 2, 20000000);
        weft_err err = {};
        EXPECT_EQ(weft_engine_timer(
                      w.e, 500 * US,
                      [](void *c, uint64_t) { static_cast<World *>(c)->Send(1, 2, 2000000); }, &w,
                      0, &err),
                  0);
        w.Run();
        for (auto &d : w.received)
            (d.msg.src ? second_ps : first_ps) = d.received_ps;
        mean = area / double(second_ps - 500 * US);
    }

  private:
    World w;
    uint64_t queue = 0;
    int64_t at = 0;
    double area = 0;
};

} // namespace

// What the paper shows (figures of a flow that joins and one that ends), of which
// docs/explanation/congestion-control.md has the figures: the queue of a newcomer is gone within
// three round trips and stays short, where Swift's stands at its target; and what a flow that ends
// leaves is taken sooner by tokens, by supply, and by both together.
TEST(Supply, ANewcomerAndAFlowThatEnds)
{
    const Newcomer bolt("bolt", {}), swift("swift", {}), hpcc("hpcc", {});
    EXPECT_LT(bolt.peak, hpcc.peak);
    EXPECT_LT(bolt.peak, 100000u);
    EXPECT_LT(bolt.long_ps, 525 * US);
    EXPECT_LT(bolt.long_ps, hpcc.long_ps);
    EXPECT_LT(bolt.mean, 10000);
    EXPECT_GT(swift.mean, 20 * bolt.mean);
    EXPECT_LT(bolt.second_ps, hpcc.second_ps);
    EXPECT_LT(bolt.second_ps, swift.second_ps);
    EXPECT_LT(double(bolt.first_ps), 1.01 * double(swift.first_ps));
    EXPECT_GT(double(hpcc.first_ps), 1.07 * double(swift.first_ps));
    const Newcomer supply("bolt", {{"ramp-up", "false"}});
    const Newcomer tokens("bolt", {{"supply-matching", "false"}});
    const Newcomer neither("bolt", {{"ramp-up", "false"}, {"supply-matching", "false"}});
    EXPECT_EQ(neither.second_ps, bolt.second_ps); // its queue is never short until then
    EXPECT_LT(bolt.first_ps, supply.first_ps);
    EXPECT_LT(bolt.first_ps, tokens.first_ps);
    EXPECT_LT(supply.first_ps, neither.first_ps);
    EXPECT_LT(tokens.first_ps, neither.first_ps);
    EXPECT_GT(neither.first_ps - bolt.first_ps, 10 * US);
}
