/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/file.h"

#include "temp_dir.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

namespace
{

struct Contents {
    int rc;
    std::string data;
    weft_err e;
};

Contents read(const std::string &path, size_t max_bytes)
{
    Contents c = {};
    char *data = nullptr;
    size_t size = 0;
    c.rc = weft_file_read(path.c_str(), max_bytes, &data, &size, &c.e);
    if (c.rc == 0) {
        EXPECT_EQ(data[size], '\0');
        c.data.assign(data, size);
        free(data);
    }
    return c;
}

TEST(File, WriteThenRead)
{
    TempDir dir;
    weft_err e = {};
    for (size_t size :
         {size_t(0), size_t(1), size_t(4095), size_t(4096), size_t(4097), size_t(1000000)}) {
        std::string data(size, 'x');
        if (size > 0)
            data[size / 2] = '\0';
        const std::string path = dir / "f";
        ASSERT_EQ(weft_file_write(path.c_str(), data.data(), size, &e), 0) << e.msg;
        const Contents c = read(path, 1000000);
        EXPECT_EQ(c.rc, 0);
        EXPECT_EQ(c.data, data);
    }
}

TEST(File, WriteLeavesNothingElseBehind)
{
    TempDir dir;
    ASSERT_EQ(weft_file_write((dir / "f").c_str(), "a", 1, nullptr), 0);
    ASSERT_EQ(weft_file_write((dir / "f").c_str(), "b", 1, nullptr), 0);
    EXPECT_EQ(slurp(dir / "f"), "b");
    const auto it = std::filesystem::directory_iterator(dir / "");
    EXPECT_EQ(std::distance(begin(it), end(it)), 1);
}

TEST(File, FailedWriteKeepsTheOldFileAndCleansUp)
{
    TempDir dir;
    const std::string blocked = dir / "d";
    ASSERT_EQ(weft_mkdir_p((blocked + "/inner").c_str(), nullptr), 0);
    weft_err e = {};
    EXPECT_EQ(weft_file_write(blocked.c_str(), "a", 1, &e), WEFT_E_IO) << "it is a directory";
    EXPECT_STREQ(e.file, blocked.c_str());
    const auto it = std::filesystem::directory_iterator(dir / "");
    EXPECT_EQ(std::distance(begin(it), end(it)), 1);
    EXPECT_EQ(weft_file_write((dir / "none/f").c_str(), "a", 1, &e), WEFT_E_IO);
}

TEST(File, WriteFollowsLinks)
{
    TempDir dir;
    std::ofstream(dir / "target") << "old";
    ASSERT_EQ(chmod((dir / "target").c_str(), 0640), 0);
    ASSERT_EQ(symlink("target", (dir / "near").c_str()), 0);
    ASSERT_EQ(symlink((dir / "near").c_str(), (dir / "far").c_str()), 0);
    ASSERT_EQ(symlink("absent", (dir / "dangling").c_str()), 0);
    weft_err e = {};
    ASSERT_EQ(weft_file_write((dir / "far").c_str(), "new", 3, &e), 0) << e.msg;
    EXPECT_EQ(slurp(dir / "target"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(dir / "far"));
    EXPECT_TRUE(std::filesystem::is_symlink(dir / "near"));
    struct stat st;
    ASSERT_EQ(stat((dir / "target").c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0640U) << "the mode stays";
    ASSERT_EQ(weft_file_write((dir / "dangling").c_str(), "x", 1, &e), 0) << e.msg;
    EXPECT_EQ(slurp(dir / "absent"), "x");
    ASSERT_EQ(symlink("loop", (dir / "loop").c_str()), 0);
    EXPECT_EQ(weft_file_write((dir / "loop").c_str(), "x", 1, &e), WEFT_E_IO);
    EXPECT_STREQ(e.msg, "cannot write: Too many levels of symbolic links");
}

TEST(File, WriteGoesThroughWhatIsNotAFile)
{
    TempDir dir;
    const std::string fifo = dir / "fifo", null = dir / "null";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    Contents c;
    std::thread reader([&] { c = read(fifo, 100); });
    weft_err e = {};
    EXPECT_EQ(weft_file_write(fifo.c_str(), "through", 7, &e), 0) << e.msg;
    reader.join();
    EXPECT_EQ(c.data, "through");
    EXPECT_TRUE(std::filesystem::is_fifo(fifo));
    if (mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
        GTEST_SKIP() << "only root makes devices";
    EXPECT_EQ(weft_file_write(null.c_str(), "x", 1, &e), 0) << e.msg;
    EXPECT_TRUE(std::filesystem::is_character_file(null));
}

TEST(File, SizeLimit)
{
    TempDir dir;
    const std::string path = dir / "f";
    ASSERT_EQ(weft_file_write(path.c_str(), "0123456789", 10, nullptr), 0);
    EXPECT_EQ(read(path, 10).rc, 0);
    const Contents c = read(path, 9);
    EXPECT_EQ(c.rc, WEFT_E_LIMIT);
    EXPECT_STREQ(c.e.msg, "larger than the limit of 9 bytes");
    EXPECT_EQ(read(path, 0).rc, WEFT_E_LIMIT);
    EXPECT_EQ(read(path, SIZE_MAX).rc, 0);
}

TEST(File, ReadsAPipeOfUnknownSize)
{
    TempDir dir;
    const std::string path = dir / "pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const std::string data(100000, 'p');
    std::thread writer([&] {
        FILE *f = fopen(path.c_str(), "w");
        fwrite(data.data(), 1, data.size(), f);
        fclose(f);
    });
    const Contents c = read(path, 1 << 20);
    writer.join();
    EXPECT_EQ(c.rc, 0);
    EXPECT_EQ(c.data, data);
}

TEST(File, ReadErrors)
{
    TempDir dir;
    Contents c = read(dir / "absent", 10);
    EXPECT_EQ(c.rc, WEFT_E_IO);
    EXPECT_STREQ(c.e.msg, "cannot open: No such file or directory");
    c = read(dir / "", 10);
    EXPECT_EQ(c.rc, WEFT_E_IO);
    EXPECT_STREQ(c.e.msg, "cannot read: Is a directory");
}

// A path that is not there names the nearest of its first part that is not.
TEST(File, MissingPathsNameTheNearest)
{
    TempDir dir;
    weft_err e = {};
    ASSERT_EQ(weft_mkdir_p((dir / "out/first").c_str(), &e), 0) << e.msg;
    const std::string meant = "; did you mean '" + (dir / "out/first") + "'?";
    EXPECT_EQ(read(dir / "out/frist/run.json", 10).e.msg,
              "cannot open: No such file or directory" + meant);
    char buf[WEFT_FILE_MEANT_MAX];
    EXPECT_EQ(weft_file_meant(buf, (dir / "out/frist/").c_str()), meant);
    EXPECT_STREQ(weft_file_meant(buf, (dir / "out/first").c_str()), "");
    EXPECT_STREQ(weft_file_meant(buf, (dir / "out/zzzzz").c_str()), "");
    EXPECT_STREQ(weft_file_meant(buf, "/"), "");
    EXPECT_STREQ(weft_file_meant(buf, ""), "");
}

TEST(File, MakesDirectories)
{
    TempDir dir;
    weft_err e = {};
    EXPECT_EQ(weft_mkdir_p((dir / "a/b//c/").c_str(), &e), 0) << e.msg;
    EXPECT_TRUE(weft_file_is_dir((dir / "a/b/c").c_str()));
    EXPECT_EQ(weft_mkdir_p((dir / "a/b/c").c_str(), &e), 0) << "again";
    EXPECT_EQ(weft_mkdir_p("/", &e), 0);
    EXPECT_EQ(weft_mkdir_p("", &e), WEFT_E_USAGE);

    ASSERT_EQ(weft_file_write((dir / "file").c_str(), "x", 1, nullptr), 0);
    EXPECT_EQ(weft_mkdir_p((dir / "file/sub").c_str(), &e), WEFT_E_IO);
    EXPECT_EQ(std::string(e.file), dir / "file");
    EXPECT_STREQ(e.msg, "cannot create the directory: Not a directory");
    EXPECT_EQ(weft_mkdir_p("/proc/none", &e), WEFT_E_IO);
    EXPECT_STREQ(e.msg, "cannot create the directory: No such file or directory");
    if (geteuid() != 0) {
        ASSERT_EQ(chmod((dir / "a").c_str(), 0500), 0);
        EXPECT_EQ(weft_mkdir_p((dir / "a/new").c_str(), &e), WEFT_E_IO);
        EXPECT_STREQ(e.msg, "cannot create the directory: Permission denied");
        chmod((dir / "a").c_str(), 0700);
    }
    EXPECT_EQ(weft_mkdir_p(std::string(5000, 'x').c_str(), &e), WEFT_E_LIMIT);
    EXPECT_TRUE(weft_file_is_regular((dir / "file").c_str()));
    EXPECT_FALSE(weft_file_is_regular((dir / "a").c_str()));
    EXPECT_FALSE(weft_file_is_dir((dir / "file").c_str()));
    EXPECT_FALSE(weft_file_is_regular((dir / "absent").c_str()));
}

TEST(File, JoinsPaths)
{
    const char *const cases[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"},   {"a//", "b", "a/b"},
                                    {"/", "b", "/b"},  {"", "b", "b"},       {"a", "/b", "/b"},
                                    {"a", "", "a/"},   {".", "b/c", "./b/c"}};
    char buf[WEFT_PATH_MAX];
    for (const auto &c : cases) {
        EXPECT_EQ(weft_path_join(buf, c[0], c[1], nullptr), 0);
        EXPECT_STREQ(buf, c[2]);
    }
    EXPECT_EQ(weft_path_join(buf, std::string(WEFT_PATH_MAX, 'a').c_str(), "b", nullptr),
              WEFT_E_LIMIT);
}

TEST(File, SplitsPaths)
{
    const char *const cases[][3] = {{"a/b", "a", "b"},  {"b", ".", "b"},     {"/b", "/", "b"},
                                    {"a//b", "a", "b"}, {"a/b/", "a/b", ""}, {"/a/b", "/a", "b"}};
    char buf[WEFT_PATH_MAX];
    for (const auto &c : cases) {
        EXPECT_EQ(weft_path_dir(buf, c[0], nullptr), 0);
        EXPECT_STREQ(buf, c[1]) << c[0];
        EXPECT_STREQ(weft_path_base(c[0]), c[2]) << c[0];
    }
    EXPECT_EQ(weft_path_dir(buf, (std::string(5000, 'a') + "/b").c_str(), nullptr), WEFT_E_LIMIT);
}

} // namespace
