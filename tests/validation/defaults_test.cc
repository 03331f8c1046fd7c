// SPDX-License-Identifier: GPL-2.0-only
// Every congestion control with its default parameters, from 10 Gbps to 1.6 Tbps: the bottleneck is
// used, nothing is lost with PFC, and queues are shorter than without a control.
#include "job.h"
#include "congestion/cc_table.h"

namespace
{

using Sets = std::vector<std::string>;

Sets Incast(const std::string &control, const std::string &rate, int senders,
            const std::string &size)
{
    return {"topology.type=single-switch", "single-switch.hosts=" + std::to_string(senders + 1),
            "single-switch.rate=" + rate,  "workload.type=generate",
            "generate.kind=gather",        "generate.size=" + size,
            "system.gather=direct",        "congestion-control.name=" + control};
}

/// Payload that reached the receiver, as a share of what the bottleneck could have sent.
double Use(const Outcome &o, uint64_t rateBps)
{
    return static_cast<double>(o.totals.bytes_received) * 8e12 / static_cast<double>(o.endPs) /
           static_cast<double>(rateBps);
}

uint64_t Lost(const Outcome &o)
{
    return o.totals.drops[WEFT_DROP_BUFFER] + o.totals.drops[WEFT_DROP_HEADROOM] +
           o.totals.drops[WEFT_DROP_ERROR] + o.totals.rtos;
}

struct Case {
    std::string control, rate;
    uint64_t rateBps;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.control << " at " << c.rate;
}

std::vector<Case> Cases()
{
    size_t n;
    const weft_cc_ops *const *table = weft_cc_table(&n);
    std::vector<Case> all;
    for (size_t i = 0; i < n; i++)
        for (const char *rate : {"10Gbps", "25Gbps", "100Gbps", "400Gbps", "800Gbps", "1.6Tbps"}) {
            uint64_t bps = 0;
            weft_parse_rate_bps(rate, &bps, nullptr);
            all.push_back({table[i]->name, rate, bps});
        }
    return all;
}

class Defaults : public testing::TestWithParam<Case>
{
};

TEST_P(Defaults, FourToOneUsesTheBottleneckAndLosesNothing)
{
    const Case &c = GetParam();
    const Outcome o = RunJob(Incast(c.control, c.rate, 4, "64MB"));
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(o.totals.bytes_received, 4u * 64000000u);
    EXPECT_GE(Use(o, c.rateBps), 0.85);
    EXPECT_EQ(Lost(o), 0u);
}

/* Where the base RTT is a few packets and a sender's share of it less than one, PINT averages over
 * more. */
TEST(DefaultsOfPint, ManySendersOnSlowLinksUseTheBottleneck)
{
    for (const char *rate : {"10Gbps", "25Gbps"})
        for (int senders : {16, 32, 64}) {
            uint64_t bps = 0;
            weft_parse_rate_bps(rate, &bps, nullptr);
            const Outcome o = RunJob(Incast("hpcc-pint", rate, senders, "2MB"));
            ASSERT_EQ(o.error, "");
            EXPECT_GE(Use(o, bps), 0.85) << senders << " senders at " << rate;
            EXPECT_EQ(Lost(o), 0u);
        }
}

INSTANTIATE_TEST_SUITE_P(Of, Defaults, testing::ValuesIn(Cases()), [](const auto &info) {
    std::string name = info.param.control + "_" + info.param.rate;
    std::replace_if(
        name.begin(), name.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
});

} // namespace

// Not only the case above: other numbers of senders, and a Clos where everybody sends to everybody.
TEST(DefaultDcqcn, IncastsOfTwoAndOfThirtyTwo)
{
    for (const char *rate : {"100Gbps", "400Gbps", "1.6Tbps"}) {
        uint64_t bps = 0;
        weft_parse_rate_bps(rate, &bps, nullptr);
        for (const auto &[senders, size] : {std::pair<int, const char *>{2, "64MB"}, {32, "8MB"}}) {
            const Outcome o = RunJob(Incast("dcqcn", rate, senders, size));
            ASSERT_EQ(o.error, "");
            EXPECT_GE(Use(o, bps), 0.85) << senders << " senders at " << rate;
            EXPECT_EQ(Lost(o), 0u);
        }
    }
}

TEST(DefaultDcqcn, AllToAllTakesNotMuchLongerThanWithoutControl)
{
    Sets clos = {"topology.type=leaf-spine",    "leaf-spine.leaves=4",
                 "leaf-spine.hosts-per-leaf=4", "leaf-spine.spines=4",
                 "workload.type=generate",      "generate.kind=all-to-all",
                 "generate.size=64MB"};
    auto end = [&](const char *control) {
        Sets s = clos;
        s.push_back(std::string("congestion-control.name=") + control);
        const Outcome o = RunJob(s);
        EXPECT_EQ(o.error, "");
        return static_cast<double>(o.endPs);
    };
    EXPECT_LE(end("dcqcn"), 1.1 * end("none"));
}

// Lossy priorities have a threshold of their own: a burst that one ingress port may hold does not
// die at 1/8 of the buffer.
TEST(LossyAlpha, OneSenderIntoASlowPortFillsHalfTheBufferBeforeItLoses)
{
    Sets s = {"topology.type=dumbbell", "dumbbell.left=1",
              "dumbbell.right=1",       "pfc.enabled=false",
              "switch.buffer=4MiB",     "congestion-control.name=none",
              "workload.type=generate", "generate.kind=gather",
              "system.gather=direct",   "dumbbell.bottleneck-rate=100Gbps"};
    auto drops = [&](const char *size, const char *alpha) {
        Sets all = s;
        all.push_back(std::string("generate.size=") + size);
        all.push_back(std::string("switch.lossy-alpha=") + alpha);
        const Outcome o = RunJob(all);
        EXPECT_EQ(o.error, "");
        return o.totals.drops[WEFT_DROP_BUFFER];
    };
    // 3/4 of what is sent waits: 1.5 MB are below 1/2 of 4 MiB, and above 1/9.
    EXPECT_EQ(drops("2MB", "1"), 0u);
    EXPECT_GT(drops("2MB", "1/8"), 0u);
}
