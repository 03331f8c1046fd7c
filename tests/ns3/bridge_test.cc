/* SPDX-License-Identifier: GPL-2.0-only */
/* The contract of net.h, kept by the packet backend, in the engine's own loop and under both
 * SimulatorImpls. */
#include "net_fixture.h"

#include "tests/base/temp_dir.h"

using namespace weft_test;

namespace
{

/* 4096 + 62 + 20 bytes at 100 Gb/s, and the delay of each link. */
const int64_t FULL = 4178 * 80, DELAY = 1000000;
const Settings DUMBBELL = {{"host-rate", "100Gbps"}, {"bottleneck-rate", "100Gbps"}};

/* Callers cut a run into slices by events: writing packets down takes most of the time. */
TEST(BridgeCapture, PacketsCountAsEvents)
{
    TempDir dir;
    const std::string folder = dir / "";
    Fabric f("dumbbell", DUMBBELL);
    uint64_t events[2];
    for (const char *links : {"", "all"}) {
        Net n(f, "none", {{"capture.links", links}}, {}, folder.c_str());
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        ASSERT_EQ(n.send(0, 1, 4096), 0);
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        events[*links != 0] = n.net->ops->events(n.net);
        EXPECT_EQ(n.totals().packet_hops, 6u);
    }
    EXPECT_EQ(events[1], events[0] + 6 * 64);
}

class Bridge : public ::testing::TestWithParam<const char *>
{
  protected:
    Settings settings(Settings more = {}) const
    {
        more.push_back({"ns3.simulator-impl", GetParam()});
        return more;
    }
};

TEST_P(Bridge, OneMessageToThePicosecond)
{
    Fabric f("dumbbell", DUMBBELL);
    Recorder r;
    Net n(f, "none", settings(), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    EXPECT_EQ(n.now(), 0);
    ASSERT_EQ(n.send(0, 1, 4096, 5, 6), 0);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    const int64_t received = 3 * (FULL + DELAY), acked = received + 3 * (86 * 80 + DELAY);
    EXPECT_EQ(r.log,
              (std::vector<Recorder::Entry>{{"received", 5, 0, received}, {"sent", 5, 6, acked}}));
    EXPECT_EQ(n.now(), acked);
    ASSERT_EQ(r.flows.size(), 1u);
    EXPECT_EQ(r.flows[0].id, 0u);
    EXPECT_EQ(r.flows[0].msg.src, 0u);
    EXPECT_EQ(r.flows[0].msg.dst, 1u);
    EXPECT_EQ(r.flows[0].msg.bytes, 4096u);
    EXPECT_EQ(r.flows[0].post_ps, 0);
    EXPECT_EQ(r.flows[0].received_ps, received);
    EXPECT_EQ(r.flows[0].acked_ps, acked);
    EXPECT_EQ(r.flows[0].ideal_ps, received);
    EXPECT_EQ(r.flows[0].retx_bytes, 0u);
    EXPECT_EQ(r.flows[0].cnps, 0u);

    const weft_totals t = n.totals();
    EXPECT_EQ(t.msgs_posted, 1u);
    EXPECT_EQ(t.msgs_received, 1u);
    EXPECT_EQ(t.msgs_acked, 1u);
    EXPECT_EQ(t.bytes_received, 4096u);
    EXPECT_EQ(t.packet_hops, 6u);
    EXPECT_EQ(t.sent[WEFT_PKT_DATA], 1u);
    EXPECT_EQ(t.sent[WEFT_PKT_ACK], 1u);
    EXPECT_GT(t.events, 0u);
    weft_port_counters s;
    n.net->ops->port_stats(n.net, 0, &s); /* port 0 is host 0's only one */
    EXPECT_EQ(s.tx_packets, 1u);
    EXPECT_EQ(s.tx_bytes, 4178u);
    EXPECT_EQ(s.tx_payload_bytes, 4096u);
    EXPECT_EQ(s.busy_ps, FULL);
    EXPECT_EQ(n.check(), 0) << n.error.msg;
    EXPECT_EQ(n.net->ops->explain(n.net, 9, nullptr, nullptr), 0u);
}

TEST_P(Bridge, TimersInOrderAndNowInside)
{
    Fabric f("dumbbell", DUMBBELL);
    Net n(f, "none", settings());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    struct Ctx {
        Net *net;
        std::vector<std::pair<uint64_t, int64_t>> fired;
    } ctx = {&n, {}};
    auto fn = [](void *c, uint64_t arg) {
        auto *x = static_cast<Ctx *>(c);
        x->fired.push_back({arg, x->net->now()});
        weft_err err = {};
        if (arg == 3) /* a timer of now, from a timer */
            x->net->net->ops->after(
                x->net->net, 0,
                [](void *y, uint64_t a) {
                    static_cast<Ctx *>(y)->fired.push_back({a, static_cast<Ctx *>(y)->net->now()});
                },
                c, 33, &err);
    };
    weft_err err = {};
    for (auto t : {std::pair<int64_t, uint64_t>{50, 1}, {20, 2}, {50, 3}, {0, 4}, {50, 5}})
        ASSERT_EQ(n.net->ops->after(n.net, t.first, fn, &ctx, t.second, &err), 0) << err.msg;
    EXPECT_EQ(n.net->ops->after(n.net, -1, fn, &ctx, 0, &err), WEFT_E_INPUT);
    ASSERT_EQ(n.run(), 0);
    EXPECT_EQ(ctx.fired, (std::vector<std::pair<uint64_t, int64_t>>{
                             {4, 0}, {2, 20}, {1, 50}, {3, 50}, {5, 50}, {33, 50}}));
}

TEST_P(Bridge, RunUntilIncludesItsEnd)
{
    Fabric f("dumbbell", DUMBBELL);
    Recorder r;
    Net n(f, "none", settings());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    const int64_t received = 3 * (FULL + DELAY);
    ASSERT_EQ(n.send(0, 1, 4096), 0);
    ASSERT_EQ(n.run(received - 1), 0);
    EXPECT_EQ(r.log.size(), 0u);
    EXPECT_LE(n.now(), received - 1);
    ASSERT_EQ(n.run(received), 0);
    EXPECT_EQ(r.log.size(), 1u);
    EXPECT_EQ(n.now(), received);
    ASSERT_EQ(n.run(received), 0); /* nothing more to do until then */
    EXPECT_EQ(r.log.size(), 1u);
    ASSERT_EQ(n.run(), 0);
    EXPECT_EQ(r.log.size(), 2u);
}

TEST_P(Bridge, StopEndsAfterTheCallback)
{
    Fabric f("dumbbell", DUMBBELL);
    Net n(f, "none", settings());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    struct Ctx {
        Net *net;
        int fired;
    } ctx = {&n, 0};
    auto fn = [](void *c, uint64_t arg) {
        auto *x = static_cast<Ctx *>(c);
        x->fired++;
        if (arg)
            x->net->net->ops->stop(x->net->net);
    };
    weft_err err = {};
    for (uint64_t stop : {0, 1, 0, 1, 0}) /* all at the same time */
        ASSERT_EQ(n.net->ops->after(n.net, 10, fn, &ctx, stop, &err), 0);
    ASSERT_EQ(n.run(), 0);
    EXPECT_EQ(ctx.fired, 2);
    ASSERT_EQ(n.run(), 0);
    EXPECT_EQ(ctx.fired, 4);
    ASSERT_EQ(n.run(), 0);
    EXPECT_EQ(ctx.fired, 5);
    EXPECT_EQ(n.now(), 10);
}

TEST_P(Bridge, BadMessagesAreRefused)
{
    Fabric f("dumbbell", DUMBBELL);
    Net n(f, "none", settings());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    EXPECT_EQ(n.send(0, 2, 1), WEFT_E_INPUT);
    EXPECT_EQ(n.send(7, 1, 1), WEFT_E_INPUT);
    EXPECT_EQ(n.send(1, 1, 1), WEFT_E_INPUT);
    const weft_msg prio = {0, 1, 1, 0, {}, 8};
    EXPECT_EQ(n.net->ops->send(n.net, &prio, &n.error), WEFT_E_INPUT);
    EXPECT_NE(std::string(n.error.msg), "");
    ASSERT_EQ(n.run(), 0); /* and leave nothing behind */
    EXPECT_EQ(n.totals().msgs_posted, 0u);
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

TEST_P(Bridge, ExplainsWhatIsUnfinished)
{
    Fabric f("dumbbell", DUMBBELL);
    Net n(f, "none", settings());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    ASSERT_EQ(n.send(0, 1, 1 << 20, 99), 0);
    ASSERT_EQ(n.send(1, 0, 1 << 20, 98), 0);
    ASSERT_EQ(n.run(2 * DELAY), 0);
    std::vector<std::string> said;
    auto fn = [](void *c, const char *s) {
        static_cast<std::vector<std::string> *>(c)->push_back(s);
    };
    EXPECT_EQ(n.net->ops->explain(n.net, 1, fn, &said), 2u);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("h0"), std::string::npos) << said[0];
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

TEST_P(Bridge, IncastPausesAndTheObserverSees)
{
    Fabric f("single-switch", {{"hosts", "9"}, {"rate", "100Gbps"}});
    Recorder r;
    Net n(f, "none", settings({{"switch.buffer", "1MiB"}}), r.observer());
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    r.listen(n);
    for (uint32_t i = 0; i < 8; i++)
        ASSERT_EQ(n.send(i, 8, 1 << 20, i), 0);
    ASSERT_EQ(n.run(), 0) << n.error.msg;
    const weft_totals t = n.totals();
    EXPECT_EQ(t.msgs_acked, 8u);
    EXPECT_EQ(t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM] + t.drops[WEFT_DROP_ERROR],
              0u);
    EXPECT_GT(t.pfc_pauses, 0u);
    EXPECT_EQ(t.pfc_pauses, t.pfc_resumes);
    uint64_t pauses = 0, resumes = 0;
    for (auto &p : r.pfcs) {
        (p.pause ? pauses : resumes)++;
        EXPECT_EQ(p.prio, 3u);
        EXPECT_LT(p.port, 8u); /* the senders' ports come first */
    }
    EXPECT_EQ(pauses, t.pfc_pauses);
    EXPECT_EQ(resumes, t.pfc_resumes);
    EXPECT_EQ(r.flows.size(), 8u);
    for (auto &flow : r.flows)
        EXPECT_GE(flow.received_ps - flow.post_ps, flow.ideal_ps);
    EXPECT_EQ(n.check(), 0) << n.error.msg;
}

TEST_P(Bridge, RefreshesAreCountedApart)
{
    uint64_t refreshes[2];
    for (bool expires : {false, true}) {
        Fabric f("single-switch", {{"hosts", "9"}, {"rate", "100Gbps"}});
        Net n(f, "none",
              settings({{"switch.buffer", "1MiB"}, {"pfc.quanta", expires ? "200" : "0"}}));
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        for (uint32_t i = 0; i < 8; i++)
            ASSERT_EQ(n.send(i, 8, 1 << 20, i), 0);
        ASSERT_EQ(n.run(), 0) << n.error.msg;
        const weft_totals t = n.totals();
        EXPECT_EQ(t.pfc_pauses, t.pfc_resumes);
        refreshes[expires] = t.pfc_refreshes;
    }
    EXPECT_EQ(refreshes[0], 0u);
    EXPECT_GT(refreshes[1], 0u);
}

INSTANTIATE_TEST_SUITE_P(Impl, Bridge, ::testing::Values("auto", "weft", "default"),
                         [](const auto &info) { return std::string(info.param); });

TEST(BridgeLife, OneAtATimeButManyAfterEachOther)
{
    Fabric f("dumbbell", DUMBBELL);
    for (int i = 0; i < 4; i++) {
        Net n(f, "dcqcn", {{"ns3.simulator-impl", i % 2 ? "default" : "weft"}});
        ASSERT_EQ(n.rc, 0) << n.error.msg;
        EXPECT_EQ(n.now(), 0);
        ASSERT_EQ(n.send(0, 1, 100000), 0);
        ASSERT_EQ(n.run(), 0);
        EXPECT_EQ(n.totals().msgs_acked, 1u);
        Net second(f, "dcqcn", {{"ns3.simulator-impl", "weft"}});
        EXPECT_EQ(second.rc, WEFT_E_LIMIT);
        Net beside(f, "dcqcn"); /* it is not in ns-3's Simulator */
        EXPECT_EQ(beside.rc, 0) << beside.error.msg;
    }
}

TEST(BridgeLife, FreedWhileBusy)
{
    Fabric f("dumbbell", DUMBBELL);
    Net n(f, "none");
    ASSERT_EQ(n.rc, 0) << n.error.msg;
    ASSERT_EQ(n.send(0, 1, 1 << 20), 0);
    ASSERT_EQ(n.run(5 * DELAY), 0);
    EXPECT_EQ(n.totals().msgs_received, 0u);
}

TEST(BridgeConfig, IsCheckedBeforeNs3SeesIt)
{
    Fabric f("dumbbell", DUMBBELL);
    weft_err err = {};
    {
        Net n(f, "dcqcn", {{"ecn.kmin", "500KB"}, {"ecn.kmax", "100KB"}});
        EXPECT_EQ(n.rc, WEFT_E_INPUT);
        EXPECT_NE(std::string(n.error.msg).find("kmin"), std::string::npos) << n.error.msg;
        EXPECT_EQ(weft_net_packet.check(&n.config, &err), WEFT_E_INPUT);
    }
    Net good(f, "dcqcn");
    EXPECT_EQ(good.rc, 0) << good.error.msg;
    EXPECT_EQ(weft_net_packet.check(&good.config, &err), 0);
}

TEST(BridgeConfig, Sections)
{
    const std::vector<const char *> names = {"transport",  "switch", "pfc", "ecn", "credit",
                                             "in-network", "uet",    "tcp", "ns3", "capture"};
    ASSERT_EQ(weft_net_packet.nsections, names.size());
    size_t end = 0;
    for (size_t i = 0; i < names.size(); i++) {
        const weft_net_section &s = weft_net_packet.sections[i];
        EXPECT_STREQ(s.name, names[i]);
        EXPECT_NE(s.help, nullptr);
        EXPECT_GE(s.offset, end) << "sections overlap";
        end = s.offset + s.params.struct_size;
    }
    EXPECT_LE(end, weft_net_packet.params_size);
    EXPECT_STREQ(weft_net_packet.name, "packet");
    EXPECT_EQ(weft_net_packet.uses_cc, 1);
}

} // namespace
