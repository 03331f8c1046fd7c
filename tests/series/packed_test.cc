/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpacked.h"

#include "tests/base/temp_dir.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

/* Numbers that do not pack well, so that cuts meet something. */
std::string record(int i)
{
    char text[64];
    snprintf(text, sizeof text, "%d,%llu\n", i, 6364136223846793005ULL * (unsigned)i * (unsigned)i);
    return text;
}

std::string records(int n)
{
    std::string all;
    for (int i = 0; i < n; i++)
        all += record(i);
    return all;
}

int put(weft_rows *r, int from, int to, weft_err *e = nullptr)
{
    int code = 0;
    for (int i = from; i < to && !code; i++) {
        const std::string text = record(i);
        weft_rows_put(r, text.data(), text.size());
        code = weft_rows_end(r, e);
    }
    return code;
}

TEST(Packed, AboveASizeTheTableIsPackedWhole)
{
    for (uint64_t above : {uint64_t{0}, uint64_t{1}, uint64_t{70000}, UINT64_MAX - 1}) {
        TempDir dir;
        weft_rows *r = weft_rows_open((dir / "t").c_str(), nullptr);
        weft_rows_pack_above(r, &weft_series_packer, above);
        put(r, 0, 10);
        EXPECT_EQ(weft_rows_flush(r, nullptr), 0);
        EXPECT_EQ(std::filesystem::exists(dir / "t"), above > 1);
        EXPECT_TRUE(weft_series_table_exists((dir / "t").c_str()));
        put(r, 10, 20000);
        EXPECT_EQ(weft_rows_close(r, nullptr), 0);
        const bool packed = above <= 70000;
        EXPECT_EQ(std::filesystem::exists(dir / "t"), !packed);
        EXPECT_EQ(std::filesystem::exists(dir / "t.zst"), packed);
        EXPECT_EQ(packed ? unpacked(dir / "t.zst") : slurp(dir / "t"), records(20000));
        weft_csv_reader reader;
        ASSERT_EQ(weft_series_table_open(&reader, (dir / "t").c_str(), nullptr), 0);
        int rows = 1; /* the first is the header */
        while (weft_csv_reader_next(&reader, nullptr) == 1)
            rows++;
        weft_csv_reader_close(&reader);
        EXPECT_EQ(rows, 20000);
    }
}

/* What a kill leaves after a flush has all that was flushed. */
TEST(Packed, AFlushShowsAllRows)
{
    TempDir dir;
    weft_rows *r = weft_rows_open((dir / "t").c_str(), nullptr);
    weft_rows_pack_above(r, &weft_series_packer, 0);
    for (int i = 0; i < 11; i++) { /* 2.6 MiB */
        put(r, 9000 * i, 9000 * (i + 1));
        for (int again = 0; again < 2; again++) {
            ASSERT_EQ(weft_rows_flush(r, nullptr), 0);
            bool whole = false;
            EXPECT_EQ(unpacked(dir / "t.zst", &whole), records(9000 * (i + 1)));
            EXPECT_TRUE(whole);
        }
    }
    EXPECT_EQ(weft_rows_close(r, nullptr), 0);
}

/* The wall clock decides when a run flushes: the bytes of the file do not tell. */
TEST(Packed, TheSameRowsAreTheSameFileWheneverItIsFlushed)
{
    TempDir dir;
    for (uint64_t above : {uint64_t{0}, uint64_t{1}, uint64_t{70000}, uint64_t{2500000}}) {
        std::string first;
        for (int flush_every : {0, 1, 9000, 33333, 100000}) {
            std::filesystem::remove(dir / "t.zst");
            weft_rows *r = weft_rows_open((dir / "t").c_str(), nullptr);
            weft_rows_pack_above(r, &weft_series_packer, above);
            for (int i = 0; i < 100000; i++) {
                put(r, i, i + 1);
                /* after each record only for some, as all of a part are packed again */
                const bool flush = flush_every == 1 ? i % 50000 < 50 || i % 50000 > 49950
                                                    : flush_every && i % flush_every == 0;
                if (flush) {
                    ASSERT_EQ(weft_rows_flush(r, nullptr), 0);
                }
            }
            ASSERT_EQ(weft_rows_close(r, nullptr), 0);
            const std::string bytes = slurp(dir / "t.zst");
            if (!flush_every) {
                first = bytes;
                EXPECT_EQ(unpacked(dir / "t.zst"), records(100000));
            }
            EXPECT_TRUE(bytes == first) << above << ' ' << flush_every;
        }
    }
}

/* A packed file can't take the place of what is no file. */
TEST(Packed, WhatIsNoFileIsNotPacked)
{
    TempDir dir;
    ASSERT_EQ(symlink("/dev/null", (dir / "t.zst").c_str()), 0);
    ASSERT_EQ(symlink("target", (dir / "link").c_str()), 0);
    for (const char *name : {"t", "link"}) {
        weft_rows *r = weft_rows_open((dir / name).c_str(), nullptr);
        weft_rows_pack_above(r, &weft_series_packer, 100);
        put(r, 0, 9000);
        EXPECT_EQ(weft_rows_close(r, nullptr), 0);
        EXPECT_EQ(slurp(dir / name), records(9000));
    }
}

/* Wherever the file is cut, what comes before is read. */
TEST(Packed, WhereverItIsCutTheBeginningIsRead)
{
    TempDir dir;
    const std::string path = dir / "t.zst", cut = dir / "cut.zst";
    weft_rows *r = weft_rows_open((dir / "t").c_str(), nullptr);
    weft_rows_pack_above(r, &weft_series_packer, 0);
    put(r, 0, 99000);
    EXPECT_EQ(weft_rows_close(r, nullptr), 0);
    const std::string bytes = slurp(path), all = records(99000);
    EXPECT_EQ(unpacked(path), all);
    size_t last = 0, more = 0;
    for (size_t size = 0; size <= bytes.size(); size += size % 4999 == 0 ? 1 : 4998) {
        std::ofstream(cut, std::ios::binary) << bytes.substr(0, size);
        bool whole = false;
        const std::string text = unpacked(cut, &whole);
        EXPECT_TRUE(whole) << size;
        ASSERT_EQ(text, all.substr(0, text.size())) << size;
        more += text.size() > last;
        last = text.size();
    }
    EXPECT_GT(more, 10u) << "a part is read before it has ended, too";
}

TEST(Packed, DamageIsAnError)
{
    TempDir dir;
    weft_rows *r = weft_rows_open((dir / "t").c_str(), nullptr);
    weft_rows_pack_above(r, &weft_series_packer, 0);
    put(r, 0, 9000);
    EXPECT_EQ(weft_rows_close(r, nullptr), 0);
    const std::string bytes = slurp(dir / "t.zst");
    for (size_t at : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
        std::string damaged = bytes;
        damaged[at] ^= 0x55;
        std::ofstream(dir / "t.zst", std::ios::binary) << damaged;
        weft_csv_reader reader;
        weft_err e = {};
        int rc = weft_series_table_open(&reader, (dir / "t").c_str(), &e);
        for (int i = 0; !rc && i < 9000; i++)
            if ((rc = weft_csv_reader_next(&reader, &e)) == 1)
                rc = 0;
        weft_csv_reader_close(&reader);
        EXPECT_LT(rc, 0) << at;
        if (at + 1 == bytes.size()) {
            EXPECT_STREQ(e.msg, "cannot read: Bad message") << "by the sum of the frame";
        }
    }
}

/* A frame of @p blocks blocks of 128 KiB that repeat one byte, in a window of 2^@p log bytes (RFC
 * 8878, 3.1.1). */
std::string repeated(char byte, int blocks, int log)
{
    std::string f("\x28\xb5\x2f\xfd\x00", 5);
    f += static_cast<char>((log - 10) << 3);
    for (int i = 0; i < blocks; i++) {
        const unsigned head = (i + 1 == blocks) | 1u << 1 | (128u << 10) << 3;
        f += {static_cast<char>(head), static_cast<char>(head >> 8), static_cast<char>(head >> 16)};
        f += byte;
    }
    return f;
}

/* Reads a table; how that ended. */
int read_table(const std::string &path, weft_err *e)
{
    weft_csv_reader reader;
    int rc = weft_series_table_open(&reader, path.c_str(), e);
    while (!rc && (rc = weft_csv_reader_next(&reader, e)) == 1)
        rc = 0;
    weft_csv_reader_close(&reader);
    return rc;
}

/* A few bytes take neither the memory nor the time of a large file. */
TEST(Packed, SmallFilesThatUnpackToMuchAreRefused)
{
    TempDir dir;
    const std::string path = dir / "t.zst";
    weft_err e = {};
    std::ofstream(path, std::ios::binary) << repeated('a', 100, 17); /* 12.5 MiB, no row */
    EXPECT_LE(unpacked(path).size(), size_t{13} << 20);
    EXPECT_EQ(read_table(dir / "t", &e), WEFT_E_INPUT) << e.msg;
    std::ofstream(path, std::ios::binary) << repeated('a', 160, 17);
    EXPECT_EQ(read_table(dir / "t", &e), WEFT_E_LIMIT);
    EXPECT_STREQ(e.msg, "a row is longer than 16 MiB");
    std::ofstream(path, std::ios::binary) << repeated('a', 4000, 17);
    bool whole = true;
    const std::string text = unpacked(path, &whole);
    EXPECT_FALSE(whole);
    EXPECT_LE(text.size(), size_t{65} << 20) << "of 500 MiB";
    EXPECT_GE(text.size(), size_t{63} << 20);
    std::ofstream(path, std::ios::binary) << repeated('a', 1, 25);
    EXPECT_EQ(unpacked(path).size(), size_t{128} << 10);
    std::ofstream(path, std::ios::binary) << repeated('a', 1, 26);
    EXPECT_EQ(read_table(dir / "t", &e), WEFT_E_LIMIT) << "64 MiB of window";
    EXPECT_STREQ(e.msg, "it unpacks to far more than its size: damaged, or else unpack it first "
                        "(zstd -d)");
}

/* However full the disk: whole parts are left, or the table as it was before it was packed. */
TEST(Packed, WhatDoesNotFitIsTakenBack)
{
    TempDir dir;
    for (uint64_t above : {uint64_t{0}, uint64_t{100000}})
        for (rlim_t limit : {10, 5000, 100001, 150000, 300000}) {
            const std::string path = dir / "t";
            std::filesystem::remove(path);
            std::filesystem::remove(path + ".zst");
            const pid_t pid = fork();
            if (pid == 0) {
                const rlimit most = {limit, limit};
                signal(SIGXFSZ, SIG_IGN);
                setrlimit(RLIMIT_FSIZE, &most);
                weft_err e = {};
                weft_rows *r = weft_rows_open(path.c_str(), &e);
                weft_rows_pack_above(r, &weft_series_packer, above);
                int code = 0;
                for (int i = 0; i < 500 && !code; i++)
                    if (!(code = put(r, 100 * i, 100 * (i + 1), &e)) && i % 50 == 0)
                        code = weft_rows_flush(r, &e);
                code = weft_rows_close(r, &e);
                _exit(code == WEFT_E_IO && std::string(e.msg) == "cannot write: File too large"
                          ? 0
                          : 1);
            }
            int status = 0;
            waitpid(pid, &status, 0);
            EXPECT_EQ(status, 0) << above << ' ' << limit;
            const bool plain = std::filesystem::exists(path);
            EXPECT_NE(plain, std::filesystem::exists(path + ".zst"));
            bool whole = true;
            const std::string text = plain ? slurp(path) : unpacked(path + ".zst", &whole);
            EXPECT_TRUE(whole);
            EXPECT_EQ(text, records(50000).substr(0, text.size()));
            EXPECT_TRUE(text.empty() || text.back() == '\n');
            if (limit > 100000) {
                EXPECT_GT(text.size(), 90000u) << above << ' ' << limit;
            }
        }
}

/* Also when nobody asks for it, parts end: a full disk takes a MiB of text at most. */
TEST(Packed, PartsEndByThemselves)
{
    TempDir dir;
    const std::string path = dir / "t";
    const pid_t pid = fork();
    if (pid == 0) {
        const rlimit most = {1000000, 1000000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &most);
        weft_err e = {};
        weft_rows *r = weft_rows_open(path.c_str(), &e);
        weft_rows_pack_above(r, &weft_series_packer, 0);
        const int code = put(r, 0, 1000000, &e);
        weft_rows_close(r, nullptr);
        _exit(code == WEFT_E_IO ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
    const std::string text = unpacked(path + ".zst");
    EXPECT_GT(text.size(), 1000000u);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(text.find(record(0)), 0u);
}

} // namespace
