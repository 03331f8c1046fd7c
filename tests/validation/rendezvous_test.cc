// SPDX-License-Identifier: GPL-2.0-only
// Rendezvous of a ring's messages as packets: a request and a grant of 64 bytes before each, which
// cross two links.
#include "job.h"

TEST(RendezvousInPackets, CostsARoundTripPerStep)
{
    constexpr int RANKS = 4, STEPS = 2 * (RANKS - 1);
    std::vector<std::string> sets = {
        "topology.type=single-switch",  "single-switch.hosts=4",     "single-switch.rate=400Gbps",
        "single-switch.delay=1us",      "workload.type=generate",    "generate.size=4MiB",
        "congestion-control.name=none", "transport.mtu=4096B",       "system.all-reduce=ring",
        "system.rendezvous=64KiB",      "system.rendezvous-for=send"};
    Outcome eager = RunJob(sets);
    sets.back() = "system.rendezvous-for=all";
    Outcome meets = RunJob(sets);
    sets.push_back("system.rendezvous-handshake=ready");
    Outcome ready = RunJob(sets);
    for (const Outcome *o : {&eager, &meets, &ready})
        ASSERT_EQ(o->error, "");
    const double control = 2e6 + 2 * (64 + 62 + 20) * 20; // ps: two links, serialised twice
    EXPECT_NEAR(double(meets.endPs - eager.endPs), STEPS * 2 * control, 0.01 * STEPS * 2 * control);
    EXPECT_NEAR(double(ready.endPs - eager.endPs), STEPS * control, 0.01 * STEPS * control);
    EXPECT_EQ(meets.totals.msgs_received, 3 * eager.totals.msgs_received);
    EXPECT_EQ(ready.totals.msgs_received, 2 * eager.totals.msgs_received);
    EXPECT_EQ(meets.totals.bytes_received - eager.totals.bytes_received, STEPS * RANKS * 2 * 64u);
}
