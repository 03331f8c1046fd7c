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
    void update(int64_t sim_ps, uint64_t done, uint64_t total, uint64_t done_bytes = 0,
                uint64_t total_bytes = 0)
    {
        const weft_progress_state s = {sim_ps, done, total, done_bytes, total_bytes};
        weft_progress_update(&p, &s);
    }
};

TEST_F(ProgressTest, LineOnATerminal)
{
    init(1);
    now += 12 * second;
    update(12345678, 400, 1000);
    EXPECT_EQ(out.text(),
              "\r\033[Ksim 12.35 us (1.029 us/s)  40.0 %  400/1000 ops  wall 12 s  left 18 s");
    weft_progress_finish(&p);
    EXPECT_EQ(
        out.text(),
        "\r\033[Ksim 12.35 us (1.029 us/s)  40.0 %  400/1000 ops  wall 12 s  left 18 s\r\033[K");
}

TEST_F(ProgressTest, TerminalAtMostTenTimesASecond)
{
    init(1);
    for (int i = 0; i < 1000; i++) { /* one second in steps of 1 ms */
        update(i, 0, 0);
        now += second / 1000;
    }
    const std::string text = out.text();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST_F(ProgressTest, FileOneLineEveryThirtySeconds)
{
    init(0);
    for (int i = 0; i < 95; i++) {
        update(0, uint64_t(i), 95);
        now += second;
    }
    weft_progress_finish(&p);
    EXPECT_EQ(out.text(), "sim 0 ps (0 ps/s)  31.6 %  30/95 ops  wall 30 s  left 1 min 5 s\n"
                          "sim 0 ps (0 ps/s)  63.2 %  60/95 ops  wall 1 min 0 s  left 35 s\n"
                          "sim 0 ps (0 ps/s)  94.7 %  90/95 ops  wall 1 min 30 s  left 5 s\n");
}

TEST_F(ProgressTest, AShortRunLeavesAFileEmpty)
{
    init(0);
    now += 29 * second;
    update(1, 1, 2);
    weft_progress_finish(&p);
    EXPECT_EQ(out.text(), "");
}

TEST_F(ProgressTest, UnknownTotalAndNothingDoneShowNoTimeLeft)
{
    init(1);
    update(5000, 7, 0);
    EXPECT_EQ(out.text(), "\r\033[Ksim 5 ns  7 ops  wall 0 s");
    now += 7325 * second;
    update(5000, 0, 10);
    EXPECT_EQ(out.text().substr(out.text().rfind("\r\033[K")),
              "\r\033[Ksim 5 ns (0 ps/s)  0.0 %  0/10 ops  wall 2 h 2 min");
}

/* One operation that is long under way: the share and the time left go by its bytes. */
TEST_F(ProgressTest, BytesBeforeItems)
{
    init(1);
    now += 20 * second;
    update(2000000, 0, 16, 250000000, 1000000000);
    EXPECT_EQ(
        out.text(),
        "\r\033[Ksim 2 us (100 ns/s)  25.0 %  250 MB/1 GB  0/16 ops  wall 20 s  left 1 min 0 s");
}

TEST_F(ProgressTest, MoreBytesThanForeseenAreAllOfThem)
{
    init(1);
    now += 20 * second;
    update(2000000, 15, 16, 1001, 1000);
    EXPECT_EQ(
        out.text(),
        "\r\033[Ksim 2 us (100 ns/s)  100.0 %  1.001 KB/1 KB  15/16 ops  wall 20 s  left 0 s");
}

TEST_F(ProgressTest, DueBeforeEachLineAndNotOtherwise)
{
    init(0);
    EXPECT_FALSE(weft_progress_due(&p));
    now += 30 * second;
    EXPECT_TRUE(weft_progress_due(&p));
    update(1, 1, 2);
    EXPECT_FALSE(weft_progress_due(&p));
    init(1);
    EXPECT_TRUE(weft_progress_due(&p));
    weft_progress_init(&p, nullptr, 1, "ops", read_clock, &now);
    EXPECT_FALSE(weft_progress_due(&p));
}

TEST_F(ProgressTest, NoStreamNoDisplay)
{
    weft_progress_init(&p, nullptr, 1, "ops", nullptr, nullptr);
    update(1, 1, 1);
    weft_progress_finish(&p);
}

TEST(Progress, MonotonicClockMovesForward)
{
    const int64_t a = weft_clock_monotonic_ns(nullptr);
    EXPECT_GE(weft_clock_monotonic_ns(nullptr), a);
}

} // namespace
