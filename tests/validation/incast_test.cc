// SPDX-License-Identifier: GPL-2.0-only
// 32-to-1 incast through the whole packet backend, under both simulator implementations of ns-3.
#include "job.h"

namespace
{

struct Incast {
    weft_totals totals = {};
    std::vector<int64_t> flows; // id, received, acked of each, in order
    uint64_t pauses = 0;
};

Incast RunIncast(const std::vector<std::string> &sets)
{
    Incast in;
    weft_err err = {};
    const weft_net_backend *backends[] = {&weft_net_packet};
    std::vector<std::string> all = {"topology.type=single-switch", "single-switch.hosts=33",
                                    "single-switch.rate=100Gbps", "switch.buffer=12MiB",
                                    "workload.type=generate"};
    all.insert(all.end(), sets.begin(), sets.end());
    std::vector<const char *> texts;
    for (auto &s : all)
        texts.push_back(s.c_str());
    weft_scenario_options o = {backends, 1, texts.data(), texts.size()};
    weft_scenario *s = nullptr;
    EXPECT_EQ(weft_scenario_load(nullptr, &o, &s, &err), 0) << err.msg;
    weft_fabric *fabric = nullptr;
    EXPECT_EQ(weft_topology_build(s->topology, s->topology_params, &fabric, &err), 0) << err.msg;
    weft_net_config c = weft_scenario_net_config(s, fabric);
    c.observer.ctx = &in;
    c.observer.flow = [](void *ctx, const weft_completion *f) {
        auto &v = static_cast<Incast *>(ctx)->flows;
        v.insert(v.end(), {static_cast<int64_t>(f->id), f->received_ps, f->acked_ps});
    };
    c.observer.pfc = [](void *ctx, const weft_net_pfc *p) {
        static_cast<Incast *>(ctx)->pauses += p->pause != 0;
    };
    weft_net *net = nullptr;
    EXPECT_EQ(s->backend->create(&c, &net, &err), 0) << err.msg;
    for (uint32_t h = 0; h < 32; h++) {
        weft_msg m = {h, 32, 1000000, h, {h}, WEFT_PRIO_DEFAULT};
        EXPECT_EQ(net->ops->send(net, &m, &err), 0) << err.msg;
    }
    EXPECT_EQ(net->ops->run(net, WEFT_NEVER, &err), 0) << err.msg;
    EXPECT_EQ(net->ops->check(net, &err), 0) << err.msg;
    net->ops->totals(net, &in.totals);
    net->ops->free(net);
    weft_fabric_free(fabric);
    weft_scenario_free(s);
    return in;
}

uint64_t Drops(const weft_totals &t)
{
    return t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM] + t.drops[WEFT_DROP_ERROR];
}

} // namespace

TEST(Incast32, WithPfcLosesNothing)
{
    Incast in = RunIncast({"congestion-control.name=none"});
    EXPECT_EQ(Drops(in.totals), 0u);
    EXPECT_GT(in.totals.pfc_pauses, 0u);
    EXPECT_EQ(in.pauses, in.totals.pfc_pauses);
    EXPECT_EQ(in.totals.bytes_received, 32000000u);
    EXPECT_EQ(in.totals.msgs_acked, 32u);
}

TEST(Incast32, WithoutPfcRetransmitsWhatItDrops)
{
    Incast in = RunIncast({"congestion-control.name=none", "pfc.enabled=off"});
    EXPECT_GT(in.totals.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_EQ(in.totals.pfc_pauses, 0u);
    EXPECT_GT(in.totals.retx_packets, 0u);
    EXPECT_EQ(in.totals.bytes_received, 32000000u);
    EXPECT_EQ(in.totals.msgs_acked, 32u);
}

TEST(Incast32, IsTheSameUnderEitherSimulatorImplementation)
{
    if (!weft_ns3_version())
        GTEST_SKIP() << "needs ns-3";
    for (const char *cc : {"none", "dcqcn"}) {
        std::string name = "congestion-control.name=" + std::string(cc);
        Incast a = RunIncast({name, "ns3.simulator-impl=weft"});
        Incast b = RunIncast({name, "ns3.simulator-impl=default"});
        EXPECT_EQ(a.flows, b.flows) << cc;
        EXPECT_EQ(a.totals.events, b.totals.events) << cc;
        EXPECT_EQ(a.flows.size(), 32u * 3);
    }
}
