/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/hash.h"

#include <gtest/gtest.h>

namespace
{

TEST(Hash, KnownValues)
{
    /* XXH64 with seed 0: published test values of the empty input and of "abc". */
    EXPECT_EQ(weft_hash64("", 0), UINT64_C(0xef46db3751d8e999));
    EXPECT_EQ(weft_hash64(nullptr, 0), UINT64_C(0xef46db3751d8e999));
    EXPECT_EQ(weft_hash64("abc", 3), UINT64_C(0x44bc2cf5ad770999));
}

TEST(Hash, DependsOnEveryByte)
{
    char data[100] = {};
    const uint64_t zero = weft_hash64(data, sizeof data);
    for (char &c : data) {
        c = 1;
        EXPECT_NE(weft_hash64(data, sizeof data), zero);
        c = 0;
    }
    EXPECT_NE(weft_hash64(data, sizeof data - 1), zero);
}

} // namespace
