// SPDX-License-Identifier: GPL-2.0-only
// Weighted deficit round robin among RoCE priorities that share a port.
#include "world.h"

#include <map>

namespace
{

const Settings STAR = {{"hosts", "4"}, {"rate", "100Gbps"}, {"delay", "1us"}};

// Bytes of the messages of each priority received in 4 ms.
std::map<uint64_t, uint64_t> Shares(const Settings &engine,
                                    const std::vector<std::pair<uint32_t, uint32_t>> &flows)
{
    Settings all = {{"pfc.prios", "63"}, {"switch.buffer", "16MiB"}};
    all.insert(all.end(), engine.begin(), engine.end());
    World w("single-switch", STAR, all);
    w.Build();
    // so many messages of 10 packets that each priority has some left at the end
    for (int k = 0; k < 1280; k++)
        for (auto [src, prio] : flows)
            w.Send(src, 3, 40960, prio, prio);
    EXPECT_EQ(weft_engine_run(w.e, 4 * WEFT_PS_PER_MS), 0);
    std::map<uint64_t, uint64_t> bytes;
    for (auto &d : w.received)
        bytes[d.msg.tag] += 40960;
    for (auto [src, prio] : flows)
        EXPECT_LT(bytes[prio], 1280u * 40960) << "priority " << prio << " ran out of messages";
    w.Run();
    EXPECT_EQ(w.acked.size(), 1280 * flows.size());
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
    return bytes;
}

// Within 2 % of the share. 4 ms at 100 Gbps carry 50 MB x 4096 / 4178.
void ExpectShare(uint64_t bytes, double share)
{
    double want = 50e6 * 4096 / 4178 * share;
    EXPECT_NEAR(double(bytes), want, 0.02 * want);
}

} // namespace

TEST(Scheduler, PrioritiesShareAPortEquallyByDefault)
{
    auto b = Shares({}, {{0, 2}, {1, 3}, {2, 4}});
    for (uint64_t prio : {2, 3, 4})
        ExpectShare(b[prio], 1.0 / 3);
}

TEST(Scheduler, WeightsDivideASwitchPort)
{
    auto b = Shares({{"switch.weight-map", "2:4,3:2"}}, {{0, 2}, {1, 3}, {2, 4}});
    ExpectShare(b[2], 4.0 / 7);
    ExpectShare(b[3], 2.0 / 7);
    ExpectShare(b[4], 1.0 / 7);
    b = Shares({{"switch.weight-map", "4:9"}, {"switch.quantum", "256B"}}, {{0, 3}, {1, 4}});
    ExpectShare(b[3], 0.1);
    ExpectShare(b[4], 0.9);
}

TEST(Scheduler, WeightsDivideTheNicOfOneHost)
{
    auto b = Shares({{"switch.weight-map", "2:4,3:2"}}, {{0, 2}, {0, 3}, {0, 4}});
    ExpectShare(b[2], 4.0 / 7);
    ExpectShare(b[3], 2.0 / 7);
    ExpectShare(b[4], 1.0 / 7);
}

// What an idle priority does not use goes to the others, in proportion.
TEST(Scheduler, UnusedSharesAreDivided)
{
    auto b = Shares({{"switch.weight-map", "2:4,3:3,5:100"}}, {{0, 3}, {1, 4}});
    ExpectShare(b[3], 0.75);
    ExpectShare(b[4], 0.25);
}

TEST(Scheduler, StrictPrioritiesComeFirst)
{
    auto b =
        Shares({{"switch.strict-prios", "16"}, {"switch.weight-map", "3:1000"}}, {{0, 3}, {1, 4}});
    EXPECT_EQ(b[3], 0u);
    ExpectShare(b[4], 1.0);
}
