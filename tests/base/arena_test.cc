/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <string>
#include <vector>

namespace
{

struct ArenaTest : testing::Test {
    weft_arena *a = weft_arena_new();
    ~ArenaTest() override
    {
        weft_arena_free(a);
    }
};

TEST_F(ArenaTest, ZeroedAndAligned)
{
    for (size_t size : {1u, 15u, 16u, 17u, 100u, 5000u, 70000u, 3u << 20, 8u}) {
        auto *p = static_cast<unsigned char *>(weft_arena_alloc(a, size));
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 16, 0u) << size;
        for (size_t i = 0; i < size; i++)
            ASSERT_EQ(p[i], 0) << "byte " << i << " of " << size;
        memset(p, 0xff, size);
    }
}

TEST_F(ArenaTest, SizeZeroIsValid)
{
    void *p = weft_arena_alloc(a, 0);
    EXPECT_NE(p, nullptr);
    EXPECT_NE(weft_arena_alloc(a, 0), p);
    EXPECT_NE(weft_arena_calloc(a, 0, 100), nullptr);
}

TEST_F(ArenaTest, OverflowIsNull)
{
    EXPECT_EQ(weft_arena_calloc(a, SIZE_MAX / 2, 3), nullptr);
    EXPECT_EQ(weft_arena_alloc(a, SIZE_MAX), nullptr);
    EXPECT_EQ(weft_arena_alloc(a, SIZE_MAX - 16), nullptr);
    EXPECT_EQ(weft_arena_strndup(a, "x", SIZE_MAX), nullptr);
    EXPECT_EQ(weft_arena_used(a), 0u);
}

TEST_F(ArenaTest, UsedCountsRoundedRequests)
{
    EXPECT_EQ(weft_arena_used(a), 0u);
    weft_arena_alloc(a, 1);
    EXPECT_EQ(weft_arena_used(a), 16u);
    weft_arena_alloc(a, 16);
    EXPECT_EQ(weft_arena_used(a), 32u);
    weft_arena_alloc(a, 100000);
    EXPECT_EQ(weft_arena_used(a), 32u + 100000u);
}

TEST_F(ArenaTest, ALargeRequestLeavesTheSharedBlockInUse)
{
    auto *p = static_cast<char *>(weft_arena_alloc(a, 16));
    weft_arena_alloc(a, 1 << 20);
    auto *q = static_cast<char *>(weft_arena_alloc(a, 16));
    EXPECT_EQ(q - p, 16) << "the second small request follows the first";
}

TEST_F(ArenaTest, Strings)
{
    const std::string longer(20000, 'y');
    EXPECT_STREQ(weft_arena_strdup(a, "hello"), "hello");
    EXPECT_STREQ(weft_arena_strdup(a, ""), "");
    EXPECT_EQ(weft_arena_strdup(a, longer.c_str()), longer);
    EXPECT_STREQ(weft_arena_strndup(a, "hello", 2), "he");
    EXPECT_STREQ(weft_arena_strndup(a, nullptr, 0), "");
    EXPECT_STREQ(weft_arena_printf(a, "%s-%d", "rank", 12), "rank-12");
    EXPECT_EQ(weft_arena_printf(a, "%s", longer.c_str()), longer);
}

TEST(Arena, FreeOfNullAndOfEmpty)
{
    weft_arena_free(nullptr);
    weft_arena_free(weft_arena_new());
}

/* 60 MB past a limit of 1 MB: what was written reads back after its memory was let go. */
TEST_F(ArenaTest, SpillsToAFileAndComesBack)
{
    weft_arena_spill(a, 1 << 20);
    const size_t size = 100000;
    std::vector<uint64_t *> blocks;
    for (uint64_t i = 0; i < 100; i++) {
        auto *p = static_cast<uint64_t *>(weft_arena_alloc(a, size));
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 16, 0u);
        for (size_t k = 0; k < size / 8; k += 1000)
            ASSERT_EQ(p[k], 0u);
        for (size_t k = 0; k < size / 8; k++)
            p[k] = i * size + k;
        blocks.push_back(p);
    }
    auto *big = static_cast<char *>(weft_arena_alloc(a, 50 << 20)); /* more than a block */
    ASSERT_NE(big, nullptr);
    big[0] = big[(50 << 20) - 1] = 'x';
    EXPECT_GE(weft_arena_spilled(a), (size_t)58 << 20);
    EXPECT_LT(weft_arena_spilled(a), (size_t)130 << 20);
    weft_arena_relax(a);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < blocks.size(); i++)
        for (size_t k = 0; k < size / 8; k++)
            wrong += blocks[i][k] != i * size + k;
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(big[0], 'x');
    EXPECT_EQ(big[(50 << 20) - 1], 'x');
}

TEST_F(ArenaTest, StaysInMemoryUpToTheLimitAndWithoutAFile)
{
    weft_arena_spill(a, 64 << 20);
    ASSERT_NE(weft_arena_alloc(a, 32 << 20), nullptr);
    EXPECT_EQ(weft_arena_spilled(a), 0u);
    weft_arena *b = weft_arena_new();
    setenv("TMPDIR", "/nonexistent", 1);
    weft_arena_spill(b, 16);
    unsetenv("TMPDIR");
    EXPECT_NE(weft_arena_alloc(b, 1 << 20), nullptr);
    EXPECT_EQ(weft_arena_spilled(b), 0u);
    weft_arena_relax(b);
    weft_arena_free(b);
    weft_arena_relax(nullptr);
}

} // namespace
