/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/log.h"

#include "temp_dir.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

struct Line {
    weft_log_level level;
    std::string text;
};

void keep(void *user, weft_log_level level, const char *line)
{
    static_cast<std::vector<Line> *>(user)->push_back({level, line});
}

TEST(Log, PassesOnUpToItsLevel)
{
    std::vector<Line> lines;
    struct weft_log log = {WEFT_LOG_WARNING, keep, &lines, {}};
    weft_log(&log, WEFT_LOG_ERROR, "e %d", 1);
    weft_log(&log, WEFT_LOG_WARNING, "w");
    weft_log(&log, WEFT_LOG_INFO, "i");
    weft_log(&log, WEFT_LOG_DEBUG, "d");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].text, "e 1");
    EXPECT_EQ(lines[0].level, WEFT_LOG_ERROR);
    EXPECT_EQ(lines[1].text, "w");
}

TEST(Log, CountsWhatItDrops)
{
    struct weft_log log = {};
    weft_log(&log, WEFT_LOG_WARNING, "w");
    weft_log(&log, WEFT_LOG_WARNING, "w");
    weft_log(&log, WEFT_LOG_DEBUG, "d");
    EXPECT_EQ(log.count[WEFT_LOG_WARNING], 2u);
    EXPECT_EQ(log.count[WEFT_LOG_DEBUG], 1u);
    EXPECT_EQ(log.count[WEFT_LOG_ERROR], 0u);
}

TEST(Log, NullAndUnknownLevelsAreDropped)
{
    weft_log(nullptr, WEFT_LOG_ERROR, "x");
    struct weft_log log = {};
    weft_log(&log, static_cast<weft_log_level>(99), "x");
    for (uint64_t c : log.count)
        EXPECT_EQ(c, 0u);
}

TEST(Log, LongLineIsCut)
{
    std::vector<Line> lines;
    struct weft_log log = {WEFT_LOG_DEBUG, keep, &lines, {}};
    weft_log(&log, WEFT_LOG_INFO, "%s", std::string(5000, 'z').c_str());
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].text.size(), size_t(WEFT_LOG_LINE_MAX - 1));
    EXPECT_EQ(lines[0].text.substr(lines[0].text.size() - 4), "z...");
}

TEST(Log, FileSink)
{
    MemoryFile out;
    weft_log_file file = {out.f, 0};
    struct weft_log log = {WEFT_LOG_DEBUG, weft_log_file_sink, &file, {}};
    weft_log(&log, WEFT_LOG_ERROR, "broke");
    weft_log(&log, WEFT_LOG_WARNING, "odd");
    weft_log(&log, WEFT_LOG_INFO, "going");
    weft_log(&log, WEFT_LOG_DEBUG, "detail");
    EXPECT_EQ(out.text(), "weft: error: broke\nweft: warning: odd\nweft: going\n"
                          "weft: debug: detail\n");
}

TEST(Log, FileSinkInColor)
{
    MemoryFile out;
    weft_log_file file = {out.f, 1};
    weft_log_file_sink(&file, WEFT_LOG_ERROR, "broke");
    EXPECT_EQ(out.text(), "weft: \033[1;31merror:\033[0m broke\n");
}

TEST(Log, ColorOnlyWhereItIsWanted)
{
    EXPECT_EQ(weft_log_wants_color(1, nullptr, "xterm"), 1);
    EXPECT_EQ(weft_log_wants_color(1, "", "xterm"), 1) << "NO_COLOR must not be empty";
    EXPECT_EQ(weft_log_wants_color(1, "1", "xterm"), 0);
    EXPECT_EQ(weft_log_wants_color(1, "0", "xterm"), 0) << "any value means no";
    EXPECT_EQ(weft_log_wants_color(0, nullptr, "xterm"), 0);
    EXPECT_EQ(weft_log_wants_color(1, nullptr, "dumb"), 0);
    EXPECT_EQ(weft_log_wants_color(1, nullptr, nullptr), 0);
}

TEST(Log, LevelNames)
{
    EXPECT_STREQ(weft_log_level_name(WEFT_LOG_ERROR), "error");
    EXPECT_STREQ(weft_log_level_name(WEFT_LOG_DEBUG), "debug");
    EXPECT_STREQ(weft_log_level_name(WEFT_LOG_LEVELS), "unknown");
}

} // namespace
