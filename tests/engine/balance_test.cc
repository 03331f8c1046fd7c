// SPDX-License-Identifier: GPL-2.0-only
// Load balancing among equal-cost ports.
#include "world.h"

namespace
{

const Settings CLOS = {{"leaves", "2"},
                       {"spines", "4"},
                       {"hosts-per-leaf", "4"},
                       {"host-rate", "100Gbps"},
                       {"uplink-rate", "100Gbps"}};

// Payload bytes that each uplink of the first leaf carried.
std::vector<uint64_t> Uplinks(const World &w)
{
    std::vector<uint64_t> bytes;
    const weft_fabric_node &leaf = w.fabric->nodes[8];
    for (uint32_t p = leaf.first_port; p < leaf.first_port + leaf.nports; p++)
        if (w.fabric->nodes[w.fabric->ports[w.fabric->ports[p].peer].node].kind ==
            WEFT_NODE_SWITCH) {
            struct weft_port_counters st;
            weft_engine_port_stats(w.e, p, &st);
            bytes.push_back(st.tx_payload_bytes);
        }
    return bytes;
}

} // namespace

TEST(Balance, SprayingUsesEveryUplinkAlike)
{
    World w("leaf-spine", CLOS,
            {{"switch.balance", "spray"},
             {"transport.recovery", "selective-repeat"},
             {"transport.bdp-fc", "false"}});
    w.Build();
    w.Send(0, 4, 4096000);
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    for (uint64_t b : Uplinks(w))
        EXPECT_EQ(b, 1024000u);
    EXPECT_EQ(w.Totals().retx_packets, 0u); // equal paths, no other traffic: nothing is overtaken
}

TEST(Balance, SprayingSharesFourFlowsWithoutCollisions)
{
    // Four hosts send through one leaf to another: by hash two of them meet on an uplink, spread
    // they do not.
    int64_t last[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        World w("leaf-spine", CLOS,
                {{"switch.balance", k ? "spray" : "flow"},
                 {"transport.recovery", "selective-repeat"},
                 {"transport.bdp-fc", "false"}});
        w.Build();
        for (uint32_t i = 0; i < 4; i++)
            w.Send(i, 4 + i, 4096000);
        w.Run();
        ASSERT_EQ(w.received.size(), 4u);
        for (const auto &d : w.received)
            last[k] = std::max(last[k], d.received_ps);
    }
    EXPECT_GT(double(last[0]), 1.8 * double(last[1]));
}

TEST(Balance, TwoLinksOfOnePairCarryTwiceTheTraffic)
{
    int64_t last[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        World w("leaf-spine",
                {{"leaves", "2"},
                 {"spines", "1"},
                 {"hosts-per-leaf", "2"},
                 {"host-rate", "100Gbps"},
                 {"uplink-rate", "100Gbps"},
                 {"links-per-pair", k ? "2" : "1"}},
                {{"switch.balance", "spray"},
                 {"transport.recovery", "selective-repeat"},
                 {"transport.bdp-fc", "false"}});
        w.Build();
        w.Send(0, 2, 8192000);
        w.Send(1, 3, 8192000);
        w.Run();
        ASSERT_EQ(w.received.size(), 2u);
        for (const auto &d : w.received)
            last[k] = std::max(last[k], d.received_ps);
    }
    EXPECT_NEAR(double(last[0]) / double(last[1]), 2.0, 0.05);
}

TEST(Balance, AdaptiveAvoidsTheBusyUplinks)
{
    World w("leaf-spine", CLOS,
            {{"switch.balance", "adaptive"},
             {"transport.recovery", "selective-repeat"},
             {"transport.bdp-fc", "false"}});
    w.Build();
    for (uint32_t i = 0; i < 4; i++)
        w.Send(i, 4 + i, 4096000);
    w.Run();
    for (const auto &d : w.received)
        EXPECT_LT(double(d.received_ps), 1.1 * double(d.ideal_ps));
}

TEST(Balance, FlowletsChangePortOnlyAfterAGap)
{
    for (const char *gap : {"0ps", "10us"}) {
        SCOPED_TRACE(gap);
        World w("leaf-spine", CLOS, {{"switch.balance", "flowlet"}, {"switch.flowlet-gap", gap}});
        w.Build();
        for (uint32_t i = 0; i < 4; i++)
            w.Send(i, 4,
                   1024000); // the receiver is the bottleneck, and the ACK clock leaves no gap of
                             // 10 us
        w.Run();
        ASSERT_EQ(w.received.size(), 4u);
        if (gap[0] == '1') {
            EXPECT_EQ(w.Totals().retx_packets, 0u); // each flow on one path
            for (uint64_t b : Uplinks(w))
                EXPECT_EQ(b % 1024000, 0u);
        }
    }
}

TEST(Balance, ReorderingIsNotTakenForLossUnasked)
{
    weft_err err = {};
    World a("leaf-spine", CLOS, {{"switch.balance", "spray"}});
    EXPECT_EQ(weft_engine_check_config(&a.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("selective-repeat"), std::string::npos) << err.msg;
    a.config.params.transport.allow_reordering = 1;
    EXPECT_EQ(weft_engine_check_config(&a.config, &err), 0) << err.msg;
    World b("leaf-spine", CLOS,
            {{"switch.balance", "adaptive"}, {"transport.recovery", "selective-repeat"}}, "hpcc");
    EXPECT_EQ(weft_engine_check_config(&b.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("'hpcc' follows the switches of one path"),
              std::string::npos)
        << err.msg;
}
