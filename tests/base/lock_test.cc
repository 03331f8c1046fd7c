/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/lock.h"

#include "temp_dir.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

TEST(Lock, OneAtATime)
{
    TempDir dir;
    const std::string path = dir / "lock";
    weft_err e = {};
    weft_lock *a = weft_lock_take(path.c_str(), "a rule", &e);
    ASSERT_NE(a, nullptr) << e.msg;
    EXPECT_EQ(weft_lock_holds(a), 1);
    EXPECT_EQ(weft_lock_take(path.c_str(), "a rule", &e), nullptr);
    EXPECT_EQ(e.code, WEFT_E_IO);
    EXPECT_EQ(std::string(e.file), path);
    EXPECT_NE(std::string(e.msg).find("a rule, and it is in use by process " +
                                      std::to_string(getpid()) + " on "),
              std::string::npos)
        << e.msg;
    weft_lock_release(a);
    EXPECT_FALSE(std::filesystem::exists(path)) << "the file goes with the lock";
    a = weft_lock_take(path.c_str(), "a rule", &e);
    EXPECT_NE(a, nullptr);
    weft_lock_release(a);
}

TEST(Lock, AKilledProcessLeavesNoLock)
{
    TempDir dir;
    const std::string path = dir / "lock";
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (!weft_lock_take(path.c_str(), "", nullptr) || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char c;
    ASSERT_EQ(read(ready[0], &c, 1), 1);
    weft_err e = {};
    EXPECT_EQ(weft_lock_take(path.c_str(), "", &e), nullptr);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    EXPECT_TRUE(std::filesystem::exists(path));
    weft_lock *l = weft_lock_take(path.c_str(), "", &e);
    EXPECT_NE(l, nullptr) << e.msg;
    weft_lock_release(l);
    close(ready[0]);
    close(ready[1]);
}

} // namespace
