// SPDX-License-Identifier: GPL-2.0-only
// weft bench projects speed-ups near to those that were measured. speed_ups.csv: one_s and speed_up
// are of a machine of 16 cores, measured once each with commit 99f0477b; some of two threads are
// above 2, so they scatter by a quarter. Costs of that commit were counted on two cores, with as
// many threads, and scaled by one_s; two that page faults or other load had blown up are estimates:
// events alone of hgx-rail-optimised with HPCC, by their number, and posting of all-to-all-1024.
// The two constants of the model are fitted to the rows of 4 to 16 threads, so this is no forecast:
// fitted without the case in question they are 16 % off at 16 threads, in mean.
extern "C" {
#include "bench/bench.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

TEST(SpeedUps, AreProjectedAsMeasured)
{
    std::ifstream in(std::string(getenv("WEFT_SOURCE_DIR")) + "/tests/cli/speed_ups.csv");
    std::map<unsigned, std::vector<double>> errors;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string name, control;
        weft_bench_costs c = {};
        double measured = 0;
        fields >> name >> control >> c.threads >> c.one_s >> c.alone_s >> c.critical_s >>
            c.windows >> c.moved_packets >> measured;
        ASSERT_TRUE(fields) << line;
        const double error = weft_bench_speed_up(&c) / measured - 1;
        errors[c.threads].push_back(std::fabs(error));
        EXPECT_LT(error, c.threads == 16 ? 0.45 : 0.8) << line;
    }
    ASSERT_EQ(errors.size(), 4u);
    for (auto &[threads, all] : errors) {
        ASSERT_EQ(all.size(), 18u);
        double sum = 0;
        for (double error : all)
            sum += error;
        EXPECT_LT(sum / 18, 0.17) << threads << " threads";
        std::sort(all.begin(), all.end());
        EXPECT_LT(all[12], 0.22) << threads << " threads: two thirds";
    }
}
