/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/progress.h"

#include "temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace
{

constexpr int64_t second = 1000000000;

int64_t read_clock(void *user)
{
    return *static_cast<int64_t *>(user);
}

struct ProgressTest : testing::Test {
    int64_t now = 1000 * second;
    MemoryFile out;
    weft_progress p;
    void init(int is_tty)
    {
        weft_progress_init(&p, out.f, is_tty, "ops", read_clock, &now);
    }
};

TEST_F(ProgressTest, LineOnATerminal)
{
    init(1);
    now += 12 * second;
    weft_progress_update(&p, 12345678, 400, 1000);
    EXPECT_EQ(out.text(), "\r\033[Ksim 12.35 us  40.0 %  400/1000 ops  wall 12 s  left 18 s");
    weft_progress_finish(&p);
    EXPECT_EQ(out.text(),
              "\r\033[Ksim 12.35 us  40.0 %  400/1000 ops  wall 12 s  left 18 s\r\033[K");
}

TEST_F(ProgressTest, TerminalAtMostTenTimesASecond)
{
    init(1);
    for (int i = 0; i < 1000; i++) { /* one second in steps of 1 ms */
        weft_progress_update(&p, i, 0, 0);
        now += second / 1000;
    }
    const std::string text = out.text();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST_F(ProgressTest, FileOneLineEveryThirtySeconds)
{
    init(0);
    for (int i = 0; i < 95; i++) {
        weft_progress_update(&p, 0, uint64_t(i), 95);
        now += second;
    }
    weft_progress_finish(&p);
    EXPECT_EQ(out.text(), "sim 0 ps  31.6 %  30/95 ops  wall 30 s  left 1 min 5 s\n"
                          "sim 0 ps  63.2 %  60/95 ops  wall 1 min 0 s  left 35 s\n"
                          "sim 0 ps  94.7 %  90/95 ops  wall 1 min 30 s  left 5 s\n");
}

TEST_F(ProgressTest, AShortRunLeavesAFileEmpty)
{
    init(0);
    now += 29 * second;
    weft_progress_update(&p, 1, 1, 2);
    weft_progress_finish(&p);
    EXPECT_EQ(out.text(), "");
}

TEST_F(ProgressTest, UnknownTotalAndNothingDoneShowNoTimeLeft)
{
    init(1);
    weft_progress_update(&p, 5000, 7, 0);
    EXPECT_EQ(out.text(), "\r\033[Ksim 5 ns  7 ops  wall 0 s");
    now += 7325 * second;
    weft_progress_update(&p, 5000, 0, 10);
    EXPECT_EQ(out.text().substr(out.text().rfind("\r\033[K")),
              "\r\033[Ksim 5 ns  0.0 %  0/10 ops  wall 2 h 2 min");
}

TEST_F(ProgressTest, NoStreamNoDisplay)
{
    weft_progress_init(&p, nullptr, 1, "ops", nullptr, nullptr);
    weft_progress_update(&p, 1, 1, 1);
    weft_progress_finish(&p);
}

TEST(Progress, MonotonicClockMovesForward)
{
    const int64_t a = weft_clock_monotonic_ns(nullptr);
    EXPECT_GE(weft_clock_monotonic_ns(nullptr), a);
}

} // namespace
