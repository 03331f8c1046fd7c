// SPDX-License-Identifier: GPL-2.0-only
// Packed trees on the packet backend: delivered bytes, time against the narrowest cut, and the gain
// over a ring.
#include "job.h"
#include "tests/base/temp_dir.h"

namespace
{

constexpr double BYTES = 96 << 20;
constexpr double WIRE = (4096 + 62 + 20) / 4096.0; // of a payload byte
constexpr double ACK = 86 / 4096.0;

// NVLinks of a DGX-1V at 25 GB/s and 100 ns; pairs with two links have one of twice the rate.
std::string Dgx1(const TempDir &dir)
{
    const int links[][3] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                            {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                            {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    std::ofstream f(dir / "dgx1.xml");
    f << "<topology routing=\"transit\"><nodes kind=\"host\" count=\"8\"/>";
    for (auto &l : links)
        f << "<link a=\"" << l[0] << "\" b=\"" << l[1] << "\" rate=\"" << 200 * l[2]
          << "Gbps\" delay=\"100ns\"/>";
    f << "</topology>";
    return dir / "dgx1.xml";
}

Outcome Play(const std::vector<std::string> &fabric, const std::string &kind,
             const std::string &algorithm)
{
    std::vector<std::string> sets = {
        "workload.type=generate",           "generate.kind=" + kind,        "generate.size=96MiB",
        "system." + kind + "=" + algorithm, "congestion-control.name=none", "transport.mtu=4096B"};
    sets.insert(sets.end(), fabric.begin(), fabric.end());
    return RunJob(sets);
}

} // namespace

// Two trees of a square, one each way round: a broadcast takes half of the data over each, an
// all-reduce half of it up and half of it down every link, with the ACKs of the other direction. A
// ring one way round takes 1.5 times the data.
TEST(PackedTreesInPackets, OnASquare)
{
    const std::vector<std::string> square = {"topology.type=torus", "torus.shape=2x2",
                                             "torus.rate=400Gbps", "torus.delay=100ns"};
    const double one = BYTES * 20; // ps, at 400 Gbps
    Outcome down = Play(square, "broadcast", "packed-trees:pieces=256");
    ASSERT_EQ(down.error, "");
    EXPECT_EQ(down.totals.bytes_received, 3 * BYTES);
    EXPECT_GT(double(down.endPs), 0.5 * one * WIRE);
    EXPECT_LT(double(down.endPs), 0.5 * one * (WIRE + ACK) * 1.03);
    Outcome trees = Play(square, "all-reduce", "packed-trees:pieces=256");
    ASSERT_EQ(trees.error, "");
    EXPECT_EQ(trees.totals.bytes_received, 2 * 3 * BYTES);
    EXPECT_GT(double(trees.endPs), one * WIRE);
    EXPECT_LT(double(trees.endPs), one * (WIRE + ACK) * 1.1);
    Outcome ring = Play(square, "all-reduce", "ring");
    ASSERT_EQ(ring.error, "");
    EXPECT_GT(double(ring.endPs), 1.5 * one * WIRE);
    EXPECT_LT(double(trees.endPs), 0.75 * double(ring.endPs));
}

// 96 MiB through a narrowest cut of 6 x 25 GB/s.
TEST(PackedTreesInPackets, OnAnIrregularFabric)
{
    TempDir dir;
    const std::vector<std::string> dgx = {
        "topology.type=xml", "xml.file=" + Dgx1(dir),
        "pfc.allow-deadlock=true"}; // trees take direct links only
    const double cut = BYTES * 1e12 / 150e9;
    const struct {
        const char *kind, *other;
        double bytes, times, most;
    } cases[] = {{"broadcast", "binomial", 7 * BYTES, 1, 1.1},
                 {"reduce", "binomial", 7 * BYTES, 1, 1.1},
                 {"all-reduce", "ring", 14 * BYTES, 2, 1.25}};
    for (auto &c : cases) {
        Outcome o = Play(dgx, c.kind, "packed-trees:pieces=256");
        ASSERT_EQ(o.error, "") << c.kind;
        EXPECT_EQ(o.totals.bytes_received, c.bytes) << c.kind;
        EXPECT_EQ(o.totals.bytes_posted, c.bytes) << c.kind;
        EXPECT_GT(double(o.endPs), c.times * cut * WIRE) << c.kind;
        EXPECT_LT(double(o.endPs), c.times * cut * (WIRE + ACK) * c.most) << c.kind;
        Outcome other = Play(dgx, c.kind, c.other);
        ASSERT_EQ(other.error, "");
        EXPECT_LT(1.5 * double(o.endPs), double(other.endPs)) << c.kind;
    }
}
