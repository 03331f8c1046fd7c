// SPDX-License-Identifier: GPL-2.0-only
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

TEST(None, LineRateWithoutWindowOrTimer)
{
    Algo a(weft_cc_find("none", nullptr));
    a.init();
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX);
    EXPECT_EQ(a.out.timer_at_ps, WEFT_NEVER);
}

TEST(None, NeedsNothingAndKeepsNothing)
{
    const weft_cc_ops *ops = weft_cc_find("none", nullptr);
    EXPECT_EQ(ops->needs, 0u);
    EXPECT_EQ(ops->state_size, 0u);
    EXPECT_EQ(ops->params.n, 0u);
    EXPECT_EQ(ops->before_send, nullptr);
    EXPECT_EQ(ops->on_send, nullptr);
    EXPECT_EQ(ops->on_ack, nullptr);
    EXPECT_EQ(ops->on_timer, nullptr);
}
