// SPDX-License-Identifier: GPL-2.0-only
// Packet size, buffer and congestion control per dimension, against hand-computed times.
#include "world.h"

namespace
{

// Hosts h = 4 * y + x. Inside: a switch per y; outside: a switch per x.
Settings Dims(const std::string &inner, const std::string &outer)
{
    return {{"dimensions", "switch size=4 rate=800Gbps delay=100ns " + inner +
                               "; switch size=2 rate=400Gbps delay=1us " + outer}};
}

uint64_t Packets(const std::string &inner, const std::string &outer, uint32_t dst, uint64_t bytes)
{
    World w("multi", Dims(inner, outer));
    w.Build();
    w.Send(0, dst, bytes);
    w.Run();
    EXPECT_EQ(w.acked.size(), 1u);
    return w.Totals().sent[WEFT_PKT_DATA];
}

TEST(Dimension, PacketsAreAsLongAsTheSmallestMtuOnTheWay)
{
    const std::string big = "mtu=8192B", small = "mtu=1024B";
    EXPECT_EQ(Packets(big, "", 1, 65536), 8u);    // inside only
    EXPECT_EQ(Packets(big, "", 4, 65536), 16u);   // outside only: transport.mtu, 4096
    EXPECT_EQ(Packets(big, "", 5, 65536), 16u);   // both
    EXPECT_EQ(Packets(small, "", 4, 65536), 16u); // does not touch the inside
    EXPECT_EQ(Packets(small, "", 5, 65536), 64u);
    EXPECT_EQ(Packets(small, small, 5, 65537), 65u);
}

// static-window inside: two packets of 8192 bytes per round trip. On the wire 8192 + 62 + 20 bytes
// at 10 ps per byte take 82740 ps; the ACK 66 + 20 bytes, 860 ps. Round trip over one switch:
//   2 x (82740 + 100000) + 2 x (860 + 100000) = 567200 ps.
// Packets 6 and 7 of 8 leave in the fourth round, the last one 82740 ps into it.
TEST(Dimension, TheInnerDimensionHasItsOwnWindow)
{
    World w("multi",
            Dims("mtu=8192B congestion-control=static-window static-window.window=16KiB", ""));
    w.Build();
    w.Send(0, 1, 65536);
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    EXPECT_EQ(w.received[0].received_ps, 3 * 567200 + 82740 + 2 * (82740 + 100000));
}

// Outside the run's control, none: packets follow one another. 4178 wire bytes at 20 ps: 83560 ps.
TEST(Dimension, TheOutermostDimensionOnTheWayDecides)
{
    for (uint32_t dst : {4u, 5u}) {
        World w("multi", Dims("congestion-control=static-window static-window.window=4KiB", ""));
        w.Build();
        w.Send(0, dst, 65536);
        w.Run();
        ASSERT_EQ(w.received.size(), 1u);
        const int64_t inside = dst == 5 ? 2 * (41780 + 100000) : 0;
        EXPECT_EQ(w.received[0].received_ps, inside + 15 * 83560 + 2 * (83560 + 1000000));
    }
}

TEST(Dimension, OnlyPacketsOfAControlThatListensToMarksAreMarked)
{
    for (bool inside : {false, true}) {
        World w("multi",
                Dims(inside ? "congestion-control=dcqcn dcqcn.rate-ai=80Mbps" : "",
                     "congestion-control=dctcp"),
                {{"ecn.kmin", "5KB"}, {"ecn.kmax", "20KB"}, {"ecn.scale-rate", "0"}});
        w.Build();
        for (uint32_t src = 1; src < 4; src++)
            w.Send(src, 0, 1 << 20);
        w.Run();
        EXPECT_EQ(w.acked.size(), 3u);
        EXPECT_EQ(w.Totals().ecn_marks > 0, inside);
        EXPECT_EQ(w.Totals().sent[WEFT_PKT_CNP] > 0, inside);
    }
}

// 2 switches inside, 4 outside, and 8 hosts that forward, which have the larger buffer.
TEST(Dimension, SwitchesHaveTheBufferOfTheirDimension)
{
    World w("multi", Dims("buffer=2MiB", ""));
    weft_buffer_figures b;
    weft_engine_buffer_sums(&w.config, &b);
    EXPECT_EQ(b.nodes, 14u);
    EXPECT_EQ(b.buffer_bytes, (2 * 2 + 12 * 32) * UINT64_C(1048576));
    w.Build();
    w.Send(0, 5, 1 << 20);
    w.Run();
    World tiny("multi", Dims("buffer=64KiB", ""));
    weft_err err = {};
    EXPECT_EQ(weft_engine_check_config(&tiny.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("65.54 KB buffer"), std::string::npos) << err.msg;
}

// Headroom is for the packets of the link's own dimension: three full ones.
TEST(Dimension, HeadroomFollowsTheMtu)
{
    weft_buffer_figures small, big;
    World a("multi", Dims("mtu=4096B", "")), b("multi", Dims("mtu=8192B", ""));
    weft_engine_buffer_sums(&a.config, &small);
    weft_engine_buffer_sums(&b.config, &big);
    const uint64_t prios = (uint64_t)__builtin_popcountll(a.config.params.pfc.prios);
    EXPECT_EQ(big.headroom_bytes - small.headroom_bytes, prios * (8 + 8) * 3 * 4096);
}

struct Wrong {
    const char *inner, *outer, *why;
};

TEST(Dimension, ImpossibleMixesAreErrors)
{
    const Wrong wrong[] = {
        {"congestion-control=dcqn", "", "did you mean 'dcqcn'"},
        {"congestion-control=hpcc", "congestion-control=hpcc-pint", "in different dimensions"},
        {"congestion-control=hpcc", "congestion-control=rccc", "or packets ask for credit"},
        {"congestion-control=hpcc-pint hpcc-pint.log-base=1.01", "congestion-control=hpcc-pint",
         "different dimensions: log-base (1.01 and 1.05); a port"},
        {"congestion-control=hpcc-pint hpcc-pint.log-base=1.01",
         "congestion-control=hpcc-pint hpcc-pint.average-time=5us",
         "log-base (1.01 and 1.05), average-time (0ps and 5us)"},
        {"congestion-control=static-window static-window.windw=1KB", "", "windw"},
        {"congestion-control=static-window static-window.window=1", "", "unit"},
    };
    for (const Wrong &x : wrong) {
        World w("multi", Dims(x.inner, x.outer));
        weft_err err = {};
        EXPECT_EQ(weft_engine_check_config(&w.config, &err), WEFT_E_INPUT) << x.inner;
        EXPECT_NE(std::string(err.msg).find(x.why), std::string::npos) << err.msg;
        EXPECT_NE(std::string(err.msg).find("switch"), std::string::npos) << err.msg;
    }
    for (const char *both : {"congestion-control=hpcc", "congestion-control=hpcc-pint"}) {
        World same("multi", Dims(both, both));
        same.Build();
        same.Send(0, 5, 1 << 20);
        same.Run();
        EXPECT_EQ(same.acked.size(), 1u);
    }
    EXPECT_THROW(World("multi", Dims("mtu=100KB", "")), std::runtime_error);
    EXPECT_THROW(World("multi", Dims("dcqcn.rate-ai=1Gbps", "")), std::runtime_error);
    EXPECT_THROW(World("multi", Dims("buffr=1MB", "")), std::runtime_error);
}

} // namespace
