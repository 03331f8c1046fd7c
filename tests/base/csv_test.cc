/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/csv.h"

#include "base/rng.h"
#include "temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <unistd.h>

namespace
{

const char *const columns[] = {"id", "start_ns", "what"};

struct OutFile {
    TempDir dir;
    const std::string path = dir / "t.csv";
    std::string text() const
    {
        return slurp(path);
    }
};

TEST(Csv, RowsOfEveryType)
{
    const char *const names[] = {"u", "i", "ns", "f", "s", "none"};
    OutFile out;
    weft_err e = {};
    weft_csv *csv = weft_csv_open(out.path.c_str(), names, 6, &e);
    ASSERT_NE(csv, nullptr);
    weft_csv_u64(csv, UINT64_MAX);
    weft_csv_i64(csv, INT64_MIN);
    weft_csv_ps_as_ns(csv, 1234567);
    weft_csv_f64(csv, 2.0 / 3, 4);
    weft_csv_str(csv, "plain");
    weft_csv_empty(csv);
    EXPECT_EQ(weft_csv_row(csv, &e), 0);
    EXPECT_EQ(weft_csv_rows(csv), 1u);
    EXPECT_EQ(weft_csv_close(csv, &e), 0);
    EXPECT_EQ(out.text(), "u,i,ns,f,s,none\n"
                          "18446744073709551615,-9223372036854775808,1234.567,0.6667,plain,\n");
}

TEST(Csv, Quoting)
{
    const char *const names[] = {"a,b"};
    const struct {
        const char *in, *out;
    } cases[] = {{"plain text", "plain text"},
                 {"a,b", "\"a,b\""},
                 {"say \"hi\"", "\"say \"\"hi\"\"\""},
                 {"\"", "\"\"\"\""},
                 {"two\nlines", "\"two\nlines\""},
                 {"cr\r", "\"cr\r\""},
                 {" blank ", " blank "},
                 {"", ""},
                 {nullptr, ""},
                 {"\xc3\xa4", "\xc3\xa4"}};
    for (const auto &c : cases) {
        OutFile out;
        weft_csv *csv = weft_csv_open(out.path.c_str(), names, 1, nullptr);
        weft_csv_str(csv, c.in);
        weft_csv_row(csv, nullptr);
        weft_csv_close(csv, nullptr);
        EXPECT_EQ(out.text(), "\"a,b\"\n" + std::string(c.out) + "\n");
    }
}

TEST(Csv, RealNumbers)
{
    const char *const names[] = {"x"};
    const struct {
        double v;
        int decimals;
        const char *out;
    } cases[] = {{0.5, 0, "0"},
                 {1.5, 0, "2"},
                 {0.1, 3, "0.100"},
                 {-0.0, 2, "0.00"},
                 {-0.001, 2, "0.00"},
                 {-0.01, 2, "-0.01"},
                 {1e20, 1, "100000000000000000000.0"},
                 {NAN, 2, ""},
                 {INFINITY, 2, ""},
                 {1, -5, "1"},
                 {-10, 0, "-10"},
                 {-0.4, 0, "0"}};
    for (const auto &c : cases) {
        OutFile out;
        weft_csv *csv = weft_csv_open(out.path.c_str(), names, 1, nullptr);
        weft_csv_f64(csv, c.v, c.decimals);
        weft_csv_row(csv, nullptr);
        weft_csv_close(csv, nullptr);
        EXPECT_EQ(out.text(), "x\n" + std::string(c.out) + "\n");
    }
    OutFile out;
    weft_csv *csv = weft_csv_open(out.path.c_str(), names, 1, nullptr);
    weft_csv_f64(csv, -1.7976931348623157e308, 99); /* the longest text there is */
    EXPECT_EQ(weft_csv_row(csv, nullptr), 0);
    weft_csv_close(csv, nullptr);
    EXPECT_EQ(out.text().size(), 2u + 1 + 309 + 1 + 17 + 1);
}

// Numbers that the row before has, too, are copied from it: of rows that differ here and there,
// also after long ones, which leave in several pieces.
TEST(Csv, RowsLikeTheOneBefore)
{
    const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    const std::string longText(1010, 'x');
    OutFile out;
    weft_err e = {};
    weft_csv *csv = weft_csv_open(out.path.c_str(), names, 7, &e);
    ASSERT_NE(csv, nullptr);
    weft_csv_flush_every(csv, 0);
    weft_rng rng = weft_rng_stream(1, "csv-test", 0);
    std::string expected = "a,b,c,d,e,f,g\n";
    uint64_t value[5] = {};
    for (int row = 0; row < 5000; row++) {
        for (uint64_t &v : value)
            if (weft_rng_u64(&rng) % 3 == 0)
                v = weft_rng_u64(&rng) % 3 * 1234567;
        const bool none = weft_rng_u64(&rng) % 4 == 0;
        const char *text = weft_rng_u64(&rng) % 50 == 0 ? longText.c_str() : "y";
        const auto ps = static_cast<int64_t>(value[2]);
        weft_csv_u64(csv, value[0]);
        weft_csv_i64(csv, -static_cast<int64_t>(value[1]));
        none ? weft_csv_empty(csv) : weft_csv_ps_as_ns(csv, ps);
        weft_csv_str(csv, text);
        weft_csv_f64(csv, static_cast<double>(value[3]), static_cast<int>(value[4] % 2));
        weft_csv_u64(csv, value[3]);
        weft_csv_ps_as_ns(csv, -ps);
        ASSERT_EQ(weft_csv_row(csv, &e), 0) << e.msg;
        char buf[200];
        snprintf(buf, sizeof buf, "%llu,-%llu,", (unsigned long long)value[0],
                 (unsigned long long)value[1]);
        expected += value[1] ? buf : std::to_string(value[0]) + ",0,";
        snprintf(buf, sizeof buf, "%.3f", static_cast<double>(ps) / 1e3);
        expected += (none ? std::string() : buf) + "," + text + ",";
        snprintf(buf, sizeof buf, "%.*f,%llu,", static_cast<int>(value[4] % 2),
                 static_cast<double>(value[3]), (unsigned long long)value[3]);
        expected += buf;
        snprintf(buf, sizeof buf, "%s%.3f\n", ps ? "-" : "", static_cast<double>(ps) / 1e3);
        expected += buf;
    }
    EXPECT_EQ(weft_csv_close(csv, &e), 0) << e.msg;
    EXPECT_TRUE(out.text() == expected);
}

TEST(Csv, RowsAreInTheFileAsTheyHappen)
{
    TempDir dir;
    const std::string path = dir / "flows.csv";
    weft_err e = {};
    weft_csv *csv = weft_csv_open(path.c_str(), columns, 3, &e);
    ASSERT_NE(csv, nullptr) << e.msg;
    EXPECT_EQ(slurp(path), "id,start_ns,what\n");
    for (uint64_t i = 0; i < 2; i++) {
        weft_csv_u64(csv, i);
        weft_csv_ps_as_ns(csv, 500);
        weft_csv_str(csv, "x");
        ASSERT_EQ(weft_csv_row(csv, &e), 0);
    }
    EXPECT_EQ(slurp(path), "id,start_ns,what\n0,0.500,x\n1,0.500,x\n");
    EXPECT_EQ(weft_csv_close(csv, &e), 0);
}

TEST(Csv, FlushesWhenAsked)
{
    TempDir dir;
    const std::string path = dir / "flows.csv";
    weft_csv *csv = weft_csv_open(path.c_str(), columns, 1, nullptr);
    weft_csv_flush_every(csv, 0);
    weft_csv_u64(csv, 1);
    weft_csv_row(csv, nullptr);
    EXPECT_EQ(slurp(path), "id\n");
    EXPECT_EQ(weft_csv_flush(csv, nullptr), 0);
    EXPECT_EQ(slurp(path), "id\n1\n");
    weft_csv_flush_every(csv, 2);
    weft_csv_u64(csv, 2);
    weft_csv_row(csv, nullptr);
    EXPECT_EQ(slurp(path), "id\n1\n2\n");
    EXPECT_EQ(weft_csv_close(csv, nullptr), 0);
}

TEST(Csv, AWrongNumberOfFieldsIsABug)
{
    for (int fields : {0, 2, 4}) {
        OutFile out;
        weft_csv *csv = weft_csv_open(out.path.c_str(), columns, 3, nullptr);
        for (int i = 0; i < fields; i++)
            weft_csv_u64(csv, 1);
        weft_err e = {};
        EXPECT_EQ(weft_csv_row(csv, &e), WEFT_E_INTERNAL) << fields;
        EXPECT_STREQ(e.msg, "row 1 has another number of fields than the header's 3");
        EXPECT_EQ(weft_csv_row(csv, &e), WEFT_E_INTERNAL) << "the failure stays";
        EXPECT_EQ(weft_csv_close(csv, &e), WEFT_E_INTERNAL);
    }
}

TEST(Csv, ARowThatIsNotEndedIsABug)
{
    OutFile out;
    weft_csv *csv = weft_csv_open(out.path.c_str(), columns, 3, nullptr);
    weft_csv_u64(csv, 1);
    weft_err e = {};
    EXPECT_EQ(weft_csv_close(csv, &e), WEFT_E_INTERNAL);
}

TEST(Csv, CannotCreate)
{
    weft_err e = {};
    EXPECT_EQ(weft_csv_open("/nonexistent/dir/x.csv", columns, 3, &e), nullptr);
    EXPECT_EQ(e.code, WEFT_E_IO);
    EXPECT_STREQ(e.file, "/nonexistent/dir/x.csv");
    EXPECT_STREQ(e.msg, "cannot create: No such file or directory");
}

TEST(Csv, AFullDiskIsReported)
{
    if (access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "no /dev/full here";
    weft_err e = {};
    EXPECT_EQ(weft_csv_open("/dev/full", columns, 3, &e), nullptr)
        << "the header cannot be written";
    EXPECT_EQ(e.code, WEFT_E_IO);
    EXPECT_STREQ(e.file, "/dev/full");
    EXPECT_STREQ(e.msg, "cannot write: No space left on device");
}

TEST(Csv, CloseOfNull)
{
    EXPECT_EQ(weft_csv_close(nullptr, nullptr), 0);
}

} // namespace
