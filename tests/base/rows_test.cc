/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/rows.h"

#include "rows_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

TEST(Rows, OnlyWholeRecordsReachTheFile)
{
    RowsFile out;
    weft_rows_put(out.rows, "one\n", 4);
    EXPECT_EQ(out.text(), "") << "it is not ended";
    EXPECT_EQ(weft_rows_end(out.rows, nullptr), 0);
    weft_rows_printf(out.rows, "%d %s", 2, "tw");
    EXPECT_EQ(out.text(), "one\n");
    weft_rows_printf(out.rows, "o\n");
    weft_rows_end(out.rows, nullptr);
    EXPECT_EQ(out.text(), "one\n2 two\n");
    const std::string lengthy(5000, 'x');
    weft_rows_printf(out.rows, "%s\n", lengthy.c_str());
    weft_rows_end(out.rows, nullptr);
    EXPECT_EQ(out.text(), "one\n2 two\n" + lengthy + "\n");
}

/* However full the disk (here: however large a file may be), the file ends with a record. */
TEST(Rows, WhatDoesNotFitIsTakenBackToTheLastRecord)
{
    TempDir dir;
    for (rlim_t limit : {1000, 65536, 65537, 100000}) {
        const std::string path = dir / "rows";
        const pid_t pid = fork();
        if (pid == 0) {
            const rlimit most = {limit, limit};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &most);
            weft_err e = {};
            weft_rows *r = weft_rows_open(path.c_str(), &e);
            int code = 0;
            for (int i = 0; i < 100000 && !code; i++) {
                weft_rows_printf(r, "record %06d\n", i);
                code = weft_rows_end(r, &e);
            }
            code = weft_rows_close(r, &e);
            _exit(code == WEFT_E_IO && std::string(e.msg) == "cannot write: File too large" ? 0
                                                                                            : 1);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
        const std::string text = slurp(path);
        EXPECT_EQ(text.size(), limit / 14 * 14);
        EXPECT_EQ(text.substr(text.size() - 1), "\n");
    }
}

TEST(Rows, WritesThroughWhatIsNoFile)
{
    TempDir dir;
    const std::string target = dir / "target", link = dir / "link";
    std::ofstream(target) << "old";
    ASSERT_EQ(symlink("target", link.c_str()), 0);
    weft_rows *r = weft_rows_open(link.c_str(), nullptr);
    weft_rows_put(r, "new\n", 4);
    weft_rows_end(r, nullptr);
    EXPECT_EQ(weft_rows_close(r, nullptr), 0);
    EXPECT_EQ(slurp(target), "new\n");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
}

} // namespace
