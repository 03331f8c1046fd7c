// SPDX-License-Identifier: GPL-2.0-only
// What operating systems do not agree on: this one's way, and that of others, side by side.
#include "tests/base/os.h"

#include <gtest/gtest.h>

#include <climits>
#include <csignal>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

struct Ways {
    const char *name;
    bool (*own_file)(char *, size_t);
    bool (*program)(char *, size_t);
    unsigned (*processors)();
    bool (*end_with)(pid_t);
    FILE *(*stream_open)(void *, const weft_os_stream *);
    int (*nameless_file)();
    bool (*reserve)(int, off_t, off_t);
};

class Os : public testing::TestWithParam<Ways>
{
};

INSTANTIATE_TEST_SUITE_P(
    On, Os,
    testing::Values(Ways{"here", weft_os_own_file, weft_os_program, weft_os_processors,
                         weft_os_end_with, weft_os_stream_open, weft_os_nameless_file,
                         weft_os_reserve},
                    Ways{"elsewhere", elsewhere_own_file, elsewhere_program, elsewhere_processors,
                         elsewhere_end_with, elsewhere_stream_open, elsewhere_nameless_file,
                         elsewhere_reserve}),
    [](const auto &info) { return std::string(info.param.name); });

/* A stream's other end. */
struct Text {
    std::string text;
    size_t at = 0;
    int closed = 0;
};

ssize_t Read(void *cookie, char *buf, size_t size)
{
    auto t = static_cast<Text *>(cookie);
    const size_t n = std::min(size, t->text.size() - t->at);
    memcpy(buf, t->text.data() + t->at, n);
    t->at += n;
    return static_cast<ssize_t>(n);
}

ssize_t Write(void *cookie, const char *data, size_t size)
{
    auto t = static_cast<Text *>(cookie);
    if (t->text.size() + size > 100000)
        return 0;
    t->text.append(data, size);
    return static_cast<ssize_t>(size);
}

int Close(void *cookie)
{
    static_cast<Text *>(cookie)->closed++;
    return 0;
}

} // namespace

TEST_P(Os, KnowsTheProgram)
{
    char own[PATH_MAX], program[PATH_MAX];
    // dladdr, which others have, says what this program was started by
    ASSERT_TRUE(GetParam().own_file(own, sizeof own));
    EXPECT_NE(std::string(own).find("/base_test"), std::string::npos) << own;
    EXPECT_EQ(own[0], '/');
    EXPECT_FALSE(GetParam().own_file(own, 5));
    if (GetParam().program(program, sizeof program)) {
        EXPECT_STREQ(program, own);
    }
}

TEST_P(Os, CountsProcessors)
{
    EXPECT_GE(GetParam().processors(), 1u);
    EXPECT_LE(GetParam().processors(), static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF)));
}

TEST_P(Os, ReadsAndWritesStreams)
{
    Text t{"one\ntwo\n"};
    const weft_os_stream in = {Read, nullptr, Close};
    FILE *f = GetParam().stream_open(&t, &in);
    ASSERT_NE(f, nullptr);
    char line[10];
    EXPECT_STREQ(fgets(line, sizeof line, f), "one\n");
    EXPECT_STREQ(fgets(line, sizeof line, f), "two\n");
    EXPECT_EQ(fgets(line, sizeof line, f), nullptr);
    EXPECT_TRUE(feof(f));
    fclose(f);
    EXPECT_EQ(t.closed, 1);

    Text to;
    const weft_os_stream out = {nullptr, Write, nullptr};
    f = GetParam().stream_open(&to, &out);
    ASSERT_NE(f, nullptr);
    fprintf(f, "%d lines\n", 3);
    EXPECT_EQ(fflush(f), 0);
    EXPECT_EQ(to.text, "3 lines\n");
    const std::string much(200000, 'x');
    fwrite(much.data(), 1, much.size(), f);
    EXPECT_TRUE(fflush(f) != 0 || ferror(f));
    fclose(f);
}

TEST_P(Os, MakesFilesWithoutNames)
{
    const int fd = GetParam().nameless_file();
    ASSERT_GE(fd, 0);
    struct stat st;
    ASSERT_TRUE(GetParam().reserve(fd, 4096, 8192));
    ASSERT_EQ(fstat(fd, &st), 0);
    EXPECT_EQ(st.st_size, 12288);
    EXPECT_EQ(st.st_nlink, 0u);
    ASSERT_TRUE(GetParam().reserve(fd, 0, 10)); // what there is stays
    ASSERT_EQ(fstat(fd, &st), 0);
    EXPECT_EQ(st.st_size, 12288);
    EXPECT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

TEST_P(Os, NoticesThatTheParentHasGone)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        _exit(GetParam().end_with(parent) && !GetParam().end_with(1) ? 0 : 1);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(Os, NamesSignals)
{
    EXPECT_STREQ(weft_os_signal_name(SIGKILL), "KILL");
    EXPECT_STREQ(weft_os_signal_name(SIGSEGV), "SEGV");
    EXPECT_STREQ(weft_os_signal_name(1000), "?");
}
