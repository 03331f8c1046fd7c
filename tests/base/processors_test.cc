// SPDX-License-Identifier: GPL-2.0-only
// How many processors there are for this process.
#include "base/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

// Quota and period of a control group, rounded up; "max" and anything else is no limit.
TEST(Processors, QuotaOfAControlGroup)
{
    EXPECT_EQ(weft_processors_quota("max 100000"), 0u);
    EXPECT_EQ(weft_processors_quota("100000 100000"), 1u);
    EXPECT_EQ(weft_processors_quota("100001 100000"), 2u);
    EXPECT_EQ(weft_processors_quota("50000 100000\n"), 1u);
    EXPECT_EQ(weft_processors_quota("1600000 100000"), 16u);
    EXPECT_EQ(weft_processors_quota("18446744073709551615 1"), UINT32_MAX);
    for (const char *none : {"", "max", "0 100000", "100000 0", "100000", "a b"})
        EXPECT_EQ(weft_processors_quota(none), 0u) << none;
}

// Those of the affinity at most; who shares them has the fewer, and one at least.
TEST(Processors, AreThoseOfTheAffinityAndShared)
{
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    const unsigned all = weft_processors();
    EXPECT_GE(all, 1u);
    EXPECT_LE(all, static_cast<unsigned>(CPU_COUNT(&before)));
    weft_processors_share(2);
    EXPECT_EQ(weft_processors(), all > 1 ? all / 2 : 1u);
    weft_processors_share(1000);
    EXPECT_EQ(weft_processors(), 1u);
    weft_processors_share(0);
    EXPECT_EQ(weft_processors(), all);

    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(weft_processors(), 1u);
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}
