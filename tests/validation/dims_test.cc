// SPDX-License-Identifier: GPL-2.0-only
// Collectives over fabrics of several dimensions against their closed forms: time, and what each
// dimension carries.
#include "job.h"

namespace
{

constexpr double kFrame = 4096 + 62 + 20; // a full packet on the wire
constexpr double kAck = 86;

std::vector<std::string> AllReduce(std::vector<std::string> more)
{
    std::vector<std::string> sets = {"workload.type=generate", "congestion-control.name=none"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

// Reduce-scatter over one dimension after the other, then all-gather back, on one chunk of `bytes`.
// In a dimension of n the steps are n - 1 messages of the block that is left / n to the next NPU,
// 400 Gbps (20 ps per byte) and 1 us away. ACKs come back over the other direction of the link;
// where that carries data too (two NPUs), they take its time.
double DimensionOrdered(const std::vector<int> &dims, double bytes)
{
    double ps = 0;
    for (int n : dims) {
        ps += 2 * (n - 1) * (bytes / n / 4096 * (kFrame + (n == 2 ? kAck : 0)) * 20 + 1e6);
        bytes /= n;
    }
    return ps;
}

} // namespace

TEST(Dimensions, RingAllReduceOnATorusIsWithinOnePercentOfTheClosedForm)
{
    const struct {
        const char *shape;
        std::vector<int> dims;
        const char *algorithms;
    } cases[] = {{"4x4", {4, 4}, "ring,ring"},
                 {"2x2x2", {2, 2, 2}, "ring,ring,ring"},
                 {"3x5", {3, 5}, "ring,ring"}};
    for (auto &c : cases) {
        Outcome o =
            RunJob(AllReduce({"topology.type=torus", std::string("torus.shape=") + c.shape,
                              "torus.rate=400Gbps", "torus.delay=1us", "generate.size=60MiB",
                              std::string("system.all-reduce=") + c.algorithms}));
        ASSERT_EQ(o.error, "") << c.shape;
        const double expected = DimensionOrdered(c.dims, 60 * 1048576.0);
        EXPECT_NEAR(static_cast<double>(o.endPs), expected, 0.01 * expected) << c.shape;
        EXPECT_EQ(o.totals.pfc_pauses, 0u);
    }
}

// Half of the data goes each way round, so that each direction of a link carries data and the ACKs
// of the other.
TEST(Dimensions, BothDirectionsOfARingCarryHalfEach)
{
    Outcome o = RunJob(
        AllReduce({"topology.type=ring", "ring.size=8", "ring.rate=400Gbps", "ring.delay=1us",
                   "generate.size=64MiB", "system.all-reduce=ring:bidirectional=true"}));
    ASSERT_EQ(o.error, "");
    const double expected = 14 * (1024 * (kFrame + kAck) * 20 + 1e6);
    EXPECT_NEAR(static_cast<double>(o.endPs), expected, 0.01 * expected);
    ASSERT_EQ(o.dims.size(), 1u);
    EXPECT_EQ(o.dims[0].leastPayload, o.dims[0].mostPayload);
    EXPECT_EQ(o.dims[0].mostPayload, 14u * 1024 * 4096);
}

// 8 GPUs at an NVLink switch, 16 such servers in a rail-optimised Clos, S bytes: an NPU sends 2 x
// 7/8 x S through its NVLink and 2 x 15/16 x S/8 through its NIC, and an ACK for each packet that
// it receives.
TEST(Dimensions, BusyTimeOfEachDimensionMatchesItsVolume)
{
    const double size = 8 * 1048576.0;
    for (const char *algorithms : {"ring,ring", "direct,ring", "ring,halving-doubling"}) {
        Outcome o = RunJob(
            AllReduce({"topology.type=multi",
                       "multi.dimensions=switch size=8 rate=3600Gbps delay=250ns; rail-optimised "
                       "rails=8 nodes=16 rate=400Gbps",
                       "generate.size=8MiB", std::string("system.all-reduce=") + algorithms}));
        ASSERT_EQ(o.error, "") << algorithms;
        ASSERT_EQ(o.dims.size(), 2u);
        const double volume[] = {2 * 7 / 8.0 * size, 2 * 15 / 16.0 * size / 8},
                     psPerByte[] = {8e3 / 3600, 20};
        for (int d = 0; d < 2; d++) {
            EXPECT_EQ(o.dims[d].leastPayload, static_cast<uint64_t>(volume[d]))
                << algorithms << " " << d;
            EXPECT_EQ(o.dims[d].mostPayload, static_cast<uint64_t>(volume[d]))
                << algorithms << " " << d;
            const double busy = volume[d] / 4096 * (kFrame + kAck) * psPerByte[d];
            EXPECT_NEAR(static_cast<double>(o.dims[d].leastBusyPs), busy, 0.01 * busy)
                << algorithms << " " << d;
            EXPECT_NEAR(static_cast<double>(o.dims[d].mostBusyPs), busy, 0.01 * busy)
                << algorithms << " " << d;
        }
    }
}
