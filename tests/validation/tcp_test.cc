// SPDX-License-Identifier: GPL-2.0-only
// Collectives over TCP against closed forms: a segment of 1,460 bytes occupies 1,538 of the wire,
// each part of a message has 16 bytes more, every second segment is answered by an ACK of 84 bytes
// on the way back.
#include "job.h"

namespace
{

constexpr double BYTE_PS = 80; // at 100 Gbps
constexpr double DELAY_PS = 1e6, ROUND_TRIP_PS = 4.3e6;

class TcpJobs : public testing::TestWithParam<const char *>
{
  protected:
    static Outcome Play(const std::vector<std::string> &more)
    {
        std::vector<std::string> sets = {
            "topology.type=single-switch", "single-switch.rate=100Gbps",
            "single-switch.delay=1us",     "workload.type=generate",
            "transport.type=tcp",          std::string("transport.variant=") + GetParam()};
        sets.insert(sets.end(), more.begin(), more.end());
        return RunJob(sets);
    }

    // What windows take to grow. CUBIC's HyStart ends slow start early, BBR drains what it filled
    // and probes with less.
    static double Ramp()
    {
        const std::string variant = GetParam();
        return (variant == "cubic" || variant == "bbr" ? 28 : 14) * ROUND_TRIP_PS;
    }

    // Alone on two links: the last segment follows the others on the second one.
    static double Message(double bytes)
    {
        return bytes / 1460 * 1538 * BYTE_PS + 2 * DELAY_PS;
    }
};

// 2 x 3 steps, in each of which every rank sends and receives a quarter. Besides, the ACKs of one
// direction share the links of the other, there is a handshake, and windows have to grow.
TEST_P(TcpJobs, RingAllReduce)
{
    const double size = 4 << 20;
    for (const char *connections : {"1", "4"}) {
        Outcome o = Play({"single-switch.hosts=4", "generate.kind=all-reduce", "generate.size=4MiB",
                          "system.all-reduce=ring", std::string("tcp.connections=") + connections});
        ASSERT_EQ(o.error, "");
        EXPECT_EQ(o.totals.msgs_received, 24u);
        EXPECT_EQ(o.totals.bytes_received, uint64_t(6 * size));
        EXPECT_EQ(o.totals.retx_packets, 0u);
        const double least = 6 * Message(size / 4);
        EXPECT_GE(double(o.endPs), least);
        EXPECT_LE(double(o.endPs), least * (1 + 84. / (2 * 1538)) + Ramp());
    }
}

// Seven ranks send to one: its link is never idle once the windows have grown, with buffer enough
// for all of them.
TEST_P(TcpJobs, GatherFillsTheLinkOfTheRoot)
{
    const double size = 1 << 20;
    Outcome o = Play({"single-switch.hosts=8", "generate.kind=gather", "generate.size=1MiB",
                      "system.gather=direct"});
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(o.totals.msgs_received, 7u);
    EXPECT_EQ(o.totals.drops[WEFT_DROP_BUFFER] + o.totals.retx_packets, 0u);
    EXPECT_GE(double(o.endPs), Message(7 * size));
    EXPECT_LE(double(o.endPs), Message(7 * size) + Ramp());
}

INSTANTIATE_TEST_SUITE_P(Variants, TcpJobs, testing::Values("newreno", "cubic", "dctcp", "bbr"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
