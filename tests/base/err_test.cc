/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/err.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

std::string text(const weft_err &e)
{
    char buf[2048];
    return weft_err_format(&e, buf, sizeof buf);
}

TEST(Err, SetHasNoPlace)
{
    weft_err e = {};
    EXPECT_EQ(weft_err_set(&e, WEFT_E_USAGE, "%d apples", 3), WEFT_E_USAGE);
    EXPECT_EQ(e.code, WEFT_E_USAGE);
    EXPECT_EQ(text(e), "3 apples");
}

TEST(Err, NullIsAllowed)
{
    EXPECT_EQ(weft_err_set(nullptr, WEFT_E_IO, "x"), WEFT_E_IO);
    EXPECT_EQ(weft_err_at(nullptr, WEFT_E_INPUT, "f", 1, 2, "x"), WEFT_E_INPUT);
    EXPECT_EQ(weft_err_at_byte(nullptr, WEFT_E_INPUT, "f", 1, "x"), WEFT_E_INPUT);
    EXPECT_EQ(weft_err_prepend(nullptr, "x"), 0);
    EXPECT_EQ(weft_err_locate(nullptr, "f", 1, 2), 0);
}

TEST(Err, Places)
{
    weft_err e = {};
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 12, 5, "bad");
    EXPECT_EQ(text(e), "a.xml:12:5: bad");
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 12, 0, "bad");
    EXPECT_EQ(text(e), "a.xml:12: bad");
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 0, 0, "bad");
    EXPECT_EQ(text(e), "a.xml: bad");
    weft_err_at_byte(&e, WEFT_E_INPUT, "t.et", 0, "bad");
    EXPECT_EQ(text(e), "t.et: at byte 0: bad");
    weft_err_at_byte(&e, WEFT_E_INPUT, "t.et", INT64_C(5000000000), "bad");
    EXPECT_EQ(text(e), "t.et: at byte 5000000000: bad");
    weft_err_at(&e, WEFT_E_INPUT, nullptr, 1, 1, "bad");
    EXPECT_EQ(text(e), "bad");
}

TEST(Err, SetForgetsAnOldPlace)
{
    weft_err e = {};
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 12, 5, "bad");
    weft_err_set(&e, WEFT_E_IO, "worse");
    EXPECT_EQ(text(e), "worse");
    EXPECT_EQ(e.line, 0);
}

TEST(Err, PrependKeepsCodeAndPlace)
{
    weft_err e = {};
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 2, 3, "radix must be even");
    EXPECT_EQ(weft_err_prepend(&e, "<%s>", "topology"), WEFT_E_INPUT);
    EXPECT_EQ(weft_err_prepend(&e, "scenario"), WEFT_E_INPUT);
    EXPECT_EQ(text(e), "a.xml:2:3: scenario: <topology>: radix must be even");
}

TEST(Err, MessageMayQuoteItself)
{
    weft_err e = {};
    weft_err_at(&e, WEFT_E_INPUT, "inner.txt", 4, 0, "old");
    weft_err_at(&e, WEFT_E_INPUT, e.file, 9, 0, "new after '%s'", e.msg);
    EXPECT_EQ(text(e), "inner.txt:9: new after 'old'");
    weft_err_prepend(&e, "%s", e.msg);
    EXPECT_EQ(text(e), "inner.txt:9: new after 'old': new after 'old'");
}

TEST(Err, LocateFillsAnEmptyPlaceOnly)
{
    weft_err e = {};
    EXPECT_EQ(weft_err_locate(&e, "a", 1, 1), 0);
    EXPECT_STREQ(e.file, "") << "no error, no place";
    weft_err_set(&e, WEFT_E_INPUT, "bad");
    EXPECT_EQ(weft_err_locate(&e, "a.xml", 7, 8), WEFT_E_INPUT);
    EXPECT_EQ(text(e), "a.xml:7:8: bad");
    weft_err_locate(&e, "b.xml", 1, 1);
    EXPECT_EQ(text(e), "a.xml:7:8: bad");
}

TEST(Err, LongMessageIsCut)
{
    weft_err e = {};
    const std::string longer(3000, 'x');
    weft_err_set(&e, WEFT_E_INPUT, "%s", longer.c_str());
    const std::string msg = e.msg;
    EXPECT_EQ(msg.size(), size_t(WEFT_ERR_MSG_MAX - 1));
    EXPECT_EQ(msg.substr(msg.size() - 4), "x...");
    weft_err_prepend(&e, "context");
    const std::string again = e.msg;
    EXPECT_EQ(again.size(), size_t(WEFT_ERR_MSG_MAX - 1));
    EXPECT_EQ(again.substr(0, 10), "context: x");
    EXPECT_EQ(again.substr(again.size() - 4), "x...");
}

TEST(Err, CutLeavesNoHalfCharacter)
{
    weft_err e = {};
    std::string two; /* every character of two bytes; one byte in front shifts the cut */
    for (int i = 0; i < 1000; i++)
        two += "\xc3\xa4";
    for (const std::string &s : {two, "x" + two}) {
        weft_err_set(&e, WEFT_E_INPUT, "%s", s.c_str());
        const std::string msg = e.msg;
        ASSERT_EQ(msg.substr(msg.size() - 3), "...");
        EXPECT_EQ(static_cast<unsigned char>(msg[msg.size() - 4]), 0xa4u);
    }
}

TEST(Err, LongFileKeepsItsTail)
{
    weft_err e = {};
    const std::string path = std::string(400, 'd') + "/the-file.et";
    weft_err_at(&e, WEFT_E_INPUT, path.c_str(), 0, 0, "bad");
    const std::string file = e.file;
    EXPECT_EQ(file.size(), size_t(WEFT_ERR_FILE_MAX - 1));
    EXPECT_EQ(file.substr(0, 4), "...d");
    EXPECT_EQ(file.substr(file.size() - 12), "/the-file.et");
}

TEST(Err, FormatTerminatesInASmallBuffer)
{
    weft_err e = {};
    weft_err_at(&e, WEFT_E_INPUT, "a.xml", 1, 2, "bad");
    char buf[8];
    EXPECT_STREQ(weft_err_format(&e, buf, sizeof buf), "a.xml:1");
    char untouched = 'u';
    weft_err_format(&e, &untouched, 0);
    EXPECT_EQ(untouched, 'u');
}

TEST(Err, ExitCodes)
{
    EXPECT_EQ(weft_exit_code(0), 0);
    EXPECT_EQ(weft_exit_code(WEFT_E_OUTCOME), 1);
    EXPECT_EQ(weft_exit_code(WEFT_E_USAGE), 2);
    EXPECT_EQ(weft_exit_code(WEFT_E_INPUT), 3);
    EXPECT_EQ(weft_exit_code(WEFT_E_IO), 4);
    EXPECT_EQ(weft_exit_code(WEFT_E_LIMIT), 5);
    EXPECT_EQ(weft_exit_code(WEFT_E_INTERNAL), 70);
    EXPECT_EQ(weft_exit_code(WEFT_E_INTERRUPTED), 130);
    EXPECT_EQ(weft_exit_code(-42), 70);
    EXPECT_EQ(weft_exit_code(7), 70);
}

TEST(Nearest, FindsTypos)
{
    const char *const names[] = {"none", "static-window", "dcqcn", "timely", "hpcc"};
    EXPECT_STREQ(weft_nearest("dcqnc", names, 5), "dcqcn"); /* a swap is one edit */
    EXPECT_STREQ(weft_nearest("DCQCN", names, 5), "dcqcn");
    EXPECT_STREQ(weft_nearest("hpc", names, 5), "hpcc");
    EXPECT_STREQ(weft_nearest("static_windw", names, 5), "static-window");
    EXPECT_STREQ(weft_nearest("timely", names, 5), "timely");
    const char *metric[] = {"fct-max", "end-to-end", "elapsed"};
    EXPECT_STREQ(weft_nearest("end2end", metric, 3), "end-to-end"); /* '-' costs nothing */
    EXPECT_STREQ(weft_nearest("endtoend", metric, 3), "end-to-end");
}

TEST(Nearest, KeepsSilentWhenFar)
{
    const char *const names[] = {"none", "static-window", "dcqcn"};
    EXPECT_EQ(weft_nearest("bbr", names, 3), nullptr);
    EXPECT_EQ(weft_nearest("", names, 3), nullptr);
    EXPECT_EQ(weft_nearest(nullptr, names, 3), nullptr);
    EXPECT_EQ(weft_nearest("none", nullptr, 0), nullptr);
    EXPECT_EQ(weft_nearest(std::string(5000, 'n').c_str(), names, 3), nullptr);
}

TEST(Nearest, LimitIsOnePlusAThird)
{
    const char *const names[] = {"abcdef"};
    EXPECT_STREQ(weft_nearest("abcxyz", names, 1), "abcdef"); /* 6 letters: up to 3 edits */
    EXPECT_EQ(weft_nearest("abwxyz", names, 1), nullptr);
    const char *const one[] = {"a"};
    EXPECT_EQ(weft_nearest("b", one, 1), nullptr) << "nothing in common";
}

TEST(Nearest, FirstOfEqualsAndBestOfAll)
{
    const char *const names[] = {"rate-xx", "rate-ab", "rate-ba", "rate-ai"};
    EXPECT_STREQ(weft_nearest("rate-ai", names, 4), "rate-ai");
    EXPECT_STREQ(weft_nearest("rate-aa", names, 4), "rate-ab");
}

} // namespace
