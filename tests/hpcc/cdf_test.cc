// SPDX-License-Identifier: GPL-2.0-only
// Flow-size distributions and the traffic made from them.
#include "base/cdf.h"
#include "foreign/hpcc/flow.h"
#include "workload/traffic/poisson.h"

#include "files.h"

#include <cmath>
#include <set>

namespace
{

weft_cdf *cdf(const std::string &text)
{
    TextFile f(text);
    weft_err err = {};
    weft_cdf *c = weft_cdf_read(f.path.c_str(), &err);
    EXPECT_NE(c, nullptr) << where(err);
    return c;
}

std::string error_of(const std::string &text)
{
    TextFile f(text);
    weft_err err = {};
    weft_cdf *c = weft_cdf_read(f.path.c_str(), &err);
    EXPECT_EQ(c, nullptr) << text;
    weft_cdf_free(c);
    return where(err);
}

TEST(Cdf, MeanAndQuantilesByHand)
{
    weft_cdf *c = cdf("0 0\n1000 50\n3000 100\n");
    EXPECT_DOUBLE_EQ(weft_cdf_mean_bytes(c), 500 * 0.5 + 2000 * 0.5);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 0), 0);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 25), 500);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 50), 1000);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 75), 2000);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 100), 3000);
    weft_cdf_free(c);
}

// As ConWeave's workloads/*.txt have them: probabilities, and a size of its own at the start.
TEST(Cdf, ProbabilitiesAndSteps)
{
    weft_cdf *c = cdf("1000 0\n1000 0.5\n3000 1");
    EXPECT_DOUBLE_EQ(weft_cdf_mean_bytes(c), 1000 * 0.5 + 2000 * 0.5);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 25), 1000);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 50), 1000);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 75), 2000);
    weft_cdf_free(c);
    c = cdf("100 0\n300 20\n600 20\n1000 100"); // nothing from 300 to 600
    EXPECT_DOUBLE_EQ(weft_cdf_mean_bytes(c), 200 * 0.2 + 800 * 0.8);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 10), 200);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 20), 300);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 60), 800);
    weft_cdf_free(c);
    c = cdf("0 0\n100 0\n300 100\n500 100");
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 0), 100);
    EXPECT_EQ(weft_cdf_quantile_bytes(c, 100), 300);
    weft_cdf_free(c);
    EXPECT_NE(error_of("0 0\n0 50\n2 100\n"), "") << "half of the flows of no bytes";
}

TEST(Cdf, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(error_of(""), "1:1: a distribution needs at least two lines 'size percent'");
    EXPECT_EQ(error_of("0 5\n10 100\n"), "1:3: the first percentile must be 0, got '5'");
    EXPECT_EQ(error_of("0 0\n10 50\n9 100\n"), "3:1: sizes must not decrease, but 9 follows 10");
    EXPECT_EQ(error_of("0 0\n10 50\n20 49\n"),
              "3:4: percentiles must increase up to 100, but '49' follows 50");
    EXPECT_EQ(error_of("0 0\n10 50\n10 50\n"), "3:4: 10 50 is there twice");
    EXPECT_EQ(error_of("0 0\n10 101\n"),
              "2:4: percentiles must increase up to 100, but '101' follows 0");
    EXPECT_EQ(error_of("0 0\n10 99\n"), "3:1: the last percentile must be 100, not 99");
    EXPECT_EQ(error_of("0 0\nten 100\n"), "2:1: a flow size must be a number, got 'ten'");
    EXPECT_EQ(error_of("0 0\n10\n20 100\n"), "3:1: line 2 has a size without a percentile");
    EXPECT_EQ(error_of("0 0\n10"),
              "2:3: the file ends where the percentile of that size should be");
}

// A flow has at least one byte, so that sizes below it would carry more than the load asked for.
TEST(Cdf, SizesBelowAByteAreRefused)
{
    EXPECT_EQ(error_of("0 0\n0.01 50\n0.02 100\n"),
              "4:1: sizes are in bytes, and a flow has at least one: with a mean of 0.01 the load "
              "would be "
              "100 times the requested one; are these another unit?");
    EXPECT_NE(error_of("0 0\n1 99\n2 100\n").find("1.97 times"), std::string::npos);
    weft_cdf_free(cdf("0 0\n1000 100\n"));
}

TEST(Cdf, ShippedDistributions)
{
    NEEDS_SHARED_DATA();
    const struct {
        const char *name;
        double mean_bytes;
    } cases[] = {{"WebSearch_distribution", 1711250},
                 {"AliStorage2019", 0},
                 {"FbHdp_distribution", 0},
                 {"GoogleRPC2008", 0}};
    for (const auto &k : cases) {
        const std::string path = shared_data() + "/cdf/" + k.name + ".txt";
        weft_err err = {};
        weft_cdf *c = weft_cdf_read(path.c_str(), &err);
        ASSERT_NE(c, nullptr) << k.name << " " << where(err);
        const double mean = weft_cdf_mean_bytes(c);
        EXPECT_GT(mean, 100) << k.name;
        if (k.mean_bytes > 0) {
            EXPECT_NEAR(mean, k.mean_bytes, 1) << k.name;
        }
        weft_cdf_free(c);
    }
}

weft_traffic_config base_config(const weft_cdf *c)
{
    weft_traffic_config k = {};
    k.cdf = c;
    k.hosts = 16;
    k.rate_bps = UINT64_C(100000000000);
    k.load = 0.5;
    k.start_ps = INT64_C(2000000000000);
    k.duration_ps = INT64_C(20000000000); /* 20 ms */
    k.seed = 1;
    return k;
}

std::string text_of(const weft_traffic_config &k)
{
    weft_err err = {};
    weft_traffic *t = weft_traffic_new(&k, &err);
    EXPECT_NE(t, nullptr) << err.msg;
    MemoryFile out;
    weft_traffic_write(t, out.f);
    weft_traffic_free(t);
    return out.text();
}

TEST(Traffic, SizesLoadAndDestinationsAreAsAsked)
{
    weft_cdf *c = cdf("0 0\n10000 50\n30000 100\n"); /* mean 12500, deviation about 8400 */
    weft_traffic_config k = base_config(c);
    weft_err err = {};
    weft_traffic *t = weft_traffic_new(&k, &err);
    ASSERT_NE(t, nullptr) << err.msg;
    /* 16 hosts x 50 Gbps x 20 ms / 12500 B = 160000 flows; bounds are 5 standard deviations. */
    const double n = static_cast<double>(t->n);
    EXPECT_NEAR(n, 160000, 5 * std::sqrt(160000.0));
    EXPECT_NEAR(static_cast<double>(t->bytes) / n, 12500 - 0.5, 5 * 8400 / std::sqrt(n));
    const double load = static_cast<double>(t->bytes) * 8 / (16 * 100e9 * 20e-3);
    EXPECT_NEAR(load, 0.5, 0.5 * 5 * std::sqrt((1 + 0.45) / n));
    std::vector<unsigned> per_pair(16 * 16);
    int64_t last = 0;
    for (size_t i = 0; i < t->n; i++) {
        const weft_traffic_flow &w = t->list[i];
        ASSERT_LT(w.src, 16u);
        ASSERT_LT(w.dst, 16u);
        ASSERT_GE(w.start_ps, k.start_ps);
        ASSERT_LT(w.start_ps, k.start_ps + k.duration_ps);
        ASSERT_EQ(w.start_ps % 1000, 0);
        ASSERT_GE(w.start_ps, last);
        last = w.start_ps;
        per_pair[w.src * 16 + w.dst]++;
    }
    for (unsigned s = 0; s < 16; s++)
        for (unsigned d = 0; d < 16; d++) /* 160000 / 240 = 667 each */
            EXPECT_NEAR(per_pair[s * 16 + d], s == d ? 0 : 667, s == d ? 0 : 5 * std::sqrt(667.0));
    weft_traffic_free(t);
    weft_cdf_free(c);
}

TEST(Traffic, GapsAreExponential)
{
    weft_cdf *c = cdf("0 0\n1000 100\n");
    weft_traffic_config k = base_config(c);
    k.hosts = 2;
    weft_err err = {};
    weft_traffic *t = weft_traffic_new(&k, &err);
    ASSERT_NE(t, nullptr) << err.msg;
    std::vector<double> gaps;
    int64_t last = -1;
    for (size_t i = 0; i < t->n; i++) {
        if (t->list[i].src != 0)
            continue;
        if (last >= 0)
            gaps.push_back(static_cast<double>(t->list[i].start_ps - last));
        last = t->list[i].start_ps;
    }
    /* Mean 500 B x 8 / 50 Gbps = 80 ns; P(gap > 160 ns) = e^-2. */
    const double n = static_cast<double>(gaps.size());
    double sum = 0, beyond = 0;
    for (double g : gaps) {
        sum += g;
        beyond += g > 160000;
    }
    EXPECT_GT(n, 200000);
    EXPECT_NEAR(sum / n, 80000, 5 * 80000 / std::sqrt(n));
    EXPECT_NEAR(beyond / n, std::exp(-2), 0.004);
    weft_traffic_free(t);
    weft_cdf_free(c);
}

TEST(Traffic, SeedsDecide)
{
    weft_cdf *c = cdf("0 0\n1000000 100\n");
    weft_traffic_config k = base_config(c);
    k.duration_ps = INT64_C(1000000000);
    const std::string one = text_of(k);
    EXPECT_EQ(one, text_of(k));
    k.seed = 2;
    EXPECT_NE(one, text_of(k));
    weft_cdf_free(c);
}

TEST(Traffic, WhatIsWrittenIsRead)
{
    weft_cdf *c = cdf("0 0\n1000000 100\n");
    weft_traffic_config k = base_config(c);
    k.duration_ps = INT64_C(1000000000);
    TextFile f(text_of(k));
    weft_err err = {};
    weft_traffic *t = weft_traffic_new(&k, &err);
    weft_hpcc_flows *l = weft_hpcc_flows_read(f.path.c_str(), WEFT_HPCC_FLOW_HPCC, &err);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_TRUE(l->sorted);
    ASSERT_EQ(l->n, t->n);
    for (size_t i = 0; i < l->n; i++) {
        EXPECT_EQ(l->list[i].start_ps, t->list[i].start_ps);
        EXPECT_EQ(l->list[i].bytes, t->list[i].bytes);
        EXPECT_EQ(l->list[i].src, t->list[i].src);
        EXPECT_EQ(l->list[i].dst, t->list[i].dst);
    }
    weft_traffic_free(t);
    weft_hpcc_flows_free(l);
    weft_cdf_free(c);
}

TEST(Traffic, SenselessRequestsAreRefused)
{
    weft_cdf *c = cdf("0 0\n1000 100\n");
    const struct {
        void (*spoil)(weft_traffic_config &);
        int code;
    } cases[] = {
        {[](weft_traffic_config &k) { k.hosts = 1; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.load = 0; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.load = NAN; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.rate_bps = 0; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.duration_ps = 0; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.start_ps = INT64_MAX; }, WEFT_E_INPUT},
        {[](weft_traffic_config &k) { k.duration_ps = INT64_C(1000000000000000); }, WEFT_E_LIMIT},
    };
    for (const auto &x : cases) {
        weft_traffic_config k = base_config(c);
        x.spoil(k);
        weft_err err = {};
        EXPECT_EQ(weft_traffic_new(&k, &err), nullptr);
        EXPECT_EQ(err.code, x.code) << err.msg;
    }
    weft_cdf_free(c);
}

} // namespace
