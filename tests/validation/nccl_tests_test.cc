/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All-reduce on a DGX A100 (8 GPUs, NCCL's rings) as nccl-tests measured it, in the table of
 * docs/explanation/validation.md: against links of 80 % of NVLink's 300 GB/s and 10 us of software
 * per message.
 */
#include "tests/cli/program.h"

namespace
{

TEST(NcclTests, BusBandwidthOfDgxA100)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const struct {
        const char *size;
        double gbyte_per_s, within; /* measured; share */
    } points[] = {{"16MiB", 106, 0.1}, {"64MiB", 171, 0.1}, {"256MiB", 194, 0.12}};
    for (const auto &x : points) {
        const Said s = weft({"run", "--set", "topology.type=switch", "--set", "switch.size=8",
                             "--set", "switch.rate=1920Gbps", "--set", "switch.delay=250ns",
                             "--set", "workload.type=generate", "--set", "system.all-reduce=ring",
                             "--set", "system.endpoint-delay=10us", "--set",
                             std::string("generate.size=") + x.size, "--no-out", "--json"});
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_NEAR(value(s, "all_reduce_bus_bandwidth_bps") / 8e9 / x.gbyte_per_s, 1, x.within)
            << x.size;
    }
}

} // namespace
