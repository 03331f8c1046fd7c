// SPDX-License-Identifier: GPL-2.0-only
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

uint64_t window(const Algo::Settings &settings, weft_cc_env env = default_env())
{
    Algo a(weft_cc_find("static-window", nullptr), settings, env);
    a.init();
    EXPECT_EQ(a.out.rate_bps, env.line_rate_bps);
    EXPECT_EQ(a.out.timer_at_ps, WEFT_NEVER);
    return a.out.cwnd_bytes;
}

} // namespace

TEST(StaticWindow, IsOneBdpByDefault)
{
    EXPECT_EQ(window({}), 100000u);
}

TEST(StaticWindow, ScalesTheBdp)
{
    EXPECT_EQ(window({{"window-bdp", "1.5"}}), 150000u);
    EXPECT_EQ(window({{"window-bdp", "1/3"}}), 33333u);
}

TEST(StaticWindow, TakesBytesBeforeTheRatio)
{
    EXPECT_EQ(window({{"window", "64KiB"}, {"window-bdp", "2"}}), 65536u);
}

TEST(StaticWindow, IsAtLeastOneMtu)
{
    EXPECT_EQ(window({{"window", "10B"}}), 1000u);
    EXPECT_EQ(window({{"window-bdp", "0.001"}}), 1000u);
    weft_cc_env env = default_env();
    env.bdp_bytes = 0;
    EXPECT_EQ(window({}, env), 1000u);
}

TEST(StaticWindow, SurvivesAnEnormousProduct)
{
    weft_cc_env env = default_env();
    env.bdp_bytes = UINT64_MAX;
    EXPECT_EQ(window({{"window-bdp", "1000"}}, env), UINT64_C(1) << 63);
}

TEST(StaticWindow, RefusesRatiosOutOfRange)
{
    const weft_cc_ops *ops = weft_cc_find("static-window", nullptr);
    Algo a(ops);
    for (const char *bad : {"0", "-1", "1001", "nan", "wide"}) {
        weft_err err{};
        EXPECT_EQ(weft_params_set(&ops->params, a.params(), "window-bdp", bad, &err), WEFT_E_INPUT)
            << bad;
    }
    weft_err err{};
    EXPECT_EQ(weft_params_set(&ops->params, a.params(), "window", "1000", &err), WEFT_E_INPUT)
        << "a size without a unit";
}
