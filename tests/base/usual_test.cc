// SPDX-License-Identifier: GPL-2.0-only
// What most of a kind have, against counting.
#include "base/rng.h"
#include "base/usual.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

TEST(Usual, IsWhatMostOfAKindHave)
{
    weft_rng random = weft_rng_stream(7, "usual", 0);
    for (int round = 0; round < 200; round++) {
        std::vector<weft_usual> list(weft_rng_below(&random, 40));
        for (auto &x : list)
            x = {weft_rng_below(&random, 3), double(weft_rng_below(&random, 4)), -1, 99};
        ASSERT_EQ(weft_usual_find(list.data(), list.size(), nullptr), 0);
        std::map<uint64_t, std::map<double, size_t>> count;
        for (const auto &x : list)
            count[x.kind][x.value]++;
        for (const auto &x : list) {
            size_t all = 0, most = 0;
            for (const auto &c : count[x.kind]) {
                all += c.second;
                most = std::max(most, c.second);
            }
            EXPECT_EQ(count[x.kind][x.usual], most);
            EXPECT_EQ(x.others, all - most);
        }
    }
}
