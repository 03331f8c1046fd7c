// SPDX-License-Identifier: GPL-2.0-only
// weft bench: the cases exist, run, and measure what they say.
#include "program.h"

namespace
{

TEST(Bench, ListsItsCases)
{
    Said s = weft({"bench", "--list"});
    EXPECT_EQ(s.code, 0) << s.err;
    for (const char *c : {"incast-32", "permutation-k8", "ring-allreduce-16", "all-to-all-16"})
        EXPECT_CONTAINS(s.out, c);
}

/* 16 hosts at 4 leaves: per ring step 12 messages cross 2 links and 4 cross 4; 1 MiB is 256 packets and as many ACKs. */
TEST(Bench, CountsPacketHopsOfTheRing)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    Said s = weft({"bench", "ring-allreduce-16", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"messages\": 480,");
    EXPECT_CONTAINS(s.out,
                    "\"packet_hops\": 614400,"); /* 30 steps * (12 * 2 + 4 * 4) links * 2 * 256 */
}

TEST(Bench, TakesOverridesAndReportsTheirErrors)
{
    Said bad = weft({"bench", "incast-32", "--set", "single-switch.host=3"});
    EXPECT_EQ(bad.code, 3);
    EXPECT_CONTAINS(bad.err, "case incast-32: ");
    Said s = weft({"bench", "all-to-all-16", "--backend", "ideal", "--json"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"messages\": 240,");
}

} // namespace
