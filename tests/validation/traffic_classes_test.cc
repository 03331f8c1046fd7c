// SPDX-License-Identifier: GPL-2.0-only
// Traffic classes and QPs by type of communication on the packet backend: rank 0 sends four
// messages to rank 1 while both are in an all-gather, so that the two types share the link of rank
// 0.
#include "job.h"
#include "tests/base/temp_dir.h"
#include "tests/workload/trace.h"

#include <set>

namespace
{

constexpr uint64_t BYTES = 4 << 20; // of the all-gather, and of each message
constexpr int MESSAGES = 4;
constexpr double PACKET = (4096 + 62 + 20) * 20; // ps at 400 Gbps
constexpr double SERIAL = BYTES / 4096 * PACKET;
constexpr double END = 2e6 + PACKET; // two links and the hop of the last packet

// How the two types fared: when they ended, and on what they went.
struct Fared {
    std::string error;
    double gatherPs = 0;
    std::vector<double> sendPs; // in order
    std::set<uint32_t> gatherPrios, sendPrios, sendQps;
};

Fared Play(const std::vector<std::string> &more)
{
    TempDir dir;
    for (uint32_t r = 0; r < 2; r++) {
        Trace t;
        for (uint32_t k = 0; k < MESSAGES; k++)
            r ? t.recv(0, BYTES, {}, k) : t.send(1, BYTES, {}, k);
        t.coll(ALL_GATHER, BYTES);
        t.write(dir / ("t." + std::to_string(r) + ".et"));
    }
    std::vector<std::string> sets = {"topology.type=single-switch",  "single-switch.hosts=2",
                                     "single-switch.rate=400Gbps",   "single-switch.delay=1us",
                                     "workload.type=chakra",         "chakra.path=" + (dir / "t"),
                                     "congestion-control.name=none", "transport.mtu=4096B"};
    sets.insert(sets.end(), more.begin(), more.end());
    Outcome o = RunJob(sets);
    Fared s;
    s.error = o.error;
    s.gatherPs = double(o.opEndPs[{1, MESSAGES + 1}]); // rank 1 waits for rank 0's part
    for (uint64_t k = 1; k <= MESSAGES; k++)
        s.sendPs.push_back(double(o.opEndPs[{1, k}]));
    std::sort(s.sendPs.begin(), s.sendPs.end());
    for (auto &f : o.flows)
        if (f.msg.src == 0) {
            const bool send = f.msg.tag >> 63; // SEND and RECV
            (send ? s.sendPrios : s.gatherPrios).insert(f.msg.prio);
            if (send)
                s.sendQps.insert(f.qpn);
        }
    EXPECT_EQ(o.totals.bytes_received, (2 + MESSAGES) * BYTES);
    EXPECT_EQ(o.totals.drops[WEFT_DROP_BUFFER] + o.totals.retx_packets, 0u);
    return s;
}

} // namespace

// Messages of one QP follow one another, the all-gather behind them; those of four take turns, the
// all-gather behind the one on its QP. Between them the link is never idle.
TEST(TrafficClasses, MessagesOfATypeTakeTurnsOnItsQps)
{
    Fared one = Play({}), four = Play({"system.qps=send:4"});
    ASSERT_EQ(one.error, "");
    ASSERT_EQ(four.error, "");
    EXPECT_EQ(one.sendQps.size(), 1u);
    EXPECT_EQ(four.sendQps.size(), 4u);
    for (int k = 0; k < MESSAGES; k++) {
        EXPECT_NEAR(one.sendPs[k], (k + 1) * SERIAL + END, 0.03 * (k + 1) * SERIAL) << k;
        EXPECT_NEAR(four.sendPs[k], 4 * SERIAL + END, 0.03 * 4 * SERIAL) << k;
    }
    EXPECT_NEAR(one.gatherPs, 5 * SERIAL + END, 0.03 * 5 * SERIAL);
    EXPECT_NEAR(four.gatherPs, 5 * SERIAL + END, 0.03 * 5 * SERIAL);
}

// A class that is strictly first has the link to itself; one beside another shares by weight,
// however many QPs.
TEST(TrafficClasses, ATypeHasItsClass)
{
    const std::string lossless = "pfc.prios=76"; // 2, 3 and 6
    Fared first = Play({lossless, "system.priorities=all-gather:6,send:3", "system.qps=send:4"});
    ASSERT_EQ(first.error, "");
    EXPECT_EQ(first.gatherPrios, std::set<uint32_t>{6});
    EXPECT_EQ(first.sendPrios, std::set<uint32_t>{3});
    EXPECT_NEAR(first.gatherPs, SERIAL + END,
                2 * PACKET); // a packet under way goes on, at two ports
    EXPECT_NEAR(first.sendPs.back(), 5 * SERIAL + END, 0.03 * 5 * SERIAL);
    Fared beside = Play({lossless, "system.priorities=all-gather:2", "system.qps=send:4"});
    ASSERT_EQ(beside.error, "");
    EXPECT_NEAR(beside.gatherPs, 2 * SERIAL + END, 0.03 * 2 * SERIAL);
    Fared weighted = Play(
        {lossless, "system.priorities=all-gather:2", "system.qps=send:4", "switch.weight-map=2:3"});
    ASSERT_EQ(weighted.error, "");
    EXPECT_NEAR(weighted.gatherPs, 4.0 / 3 * SERIAL + END, 0.03 * 4.0 / 3 * SERIAL);
}

// The all-gather goes by TCP in a lossy class of weight 3, the messages by RoCE in a lossless one
// of weight 1: TCP has three quarters of the link until it is done, RoCE all of it from then on.
TEST(TrafficClasses, OneTypeGoesByTcpAndOneByRoce)
{
    Fared f = Play({"tcp.prios=2", "system.priorities=all-gather:1", "system.qps=send:4",
                    "switch.weight-map=1:3,3:1", "tcp.initial-window=4000"});
    ASSERT_EQ(f.error, "");
    EXPECT_EQ(f.gatherPrios, std::set<uint32_t>{1});
    EXPECT_EQ(f.sendPrios, std::set<uint32_t>{3});
    const double tcp = double(BYTES) / 1460 * (1460 + 58 + 20) * 20;
    const double handshake = 2 * 2e6;
    EXPECT_NEAR(f.gatherPs, handshake + tcp * 4 / 3 + END, 0.03 * tcp * 4 / 3);
    EXPECT_NEAR(f.sendPs.back(), tcp + 4 * SERIAL + END, 0.03 * (tcp + 4 * SERIAL));
}
