// SPDX-License-Identifier: GPL-2.0-only
// Rounds of several threads: each has its call in each round, also where the system gives fewer
// threads than were asked for; there are none before the first round.
extern "C" {
#include "parallel/thread_pool.h"
}

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace
{

struct Calls {
    std::vector<unsigned> of; // by number
    static void Count(void *ctx, unsigned number)
    {
        static_cast<Calls *>(ctx)->of[number]++;
    }
};

long threads()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(ThreadPool, EachHasItsCallInEachRound)
{
    std::thread([] {}).join(); // with the first one a sanitizer begins its own
    const long before = threads();
    for (const unsigned n : {1u, 2u, 3u, 8u}) {
        thread_pool *pool;
        weft_err err = {};
        ASSERT_EQ(thread_pool_new(n, &pool, &err), 0) << err.msg;
        EXPECT_EQ(threads(), before);
        Calls calls{std::vector<unsigned>(n)};
        for (unsigned round = 1; round <= 5000; round++) {
            ASSERT_EQ(thread_pool_do(pool, Calls::Count, &calls), n);
            ASSERT_EQ(calls.of, std::vector<unsigned>(n, round));
        }
        EXPECT_EQ(threads(), before + n - 1);
        thread_pool_free(pool);
        EXPECT_EQ(threads(), before);
    }
}

TEST(ThreadPool, TheCallerDoesWhatMissingThreadsWouldHave)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer needs address space of its own";
#endif
    thread_pool *pool;
    weft_err err = {};
    ASSERT_EQ(thread_pool_new(64, &pool, &err), 0) << err.msg;
    rlimit before, none, in_force = {};
    getrlimit(RLIMIT_AS, &before);
    none = before;
    none.rlim_cur = 1 << 20; // less than there is: no stack for a thread
    ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
    getrlimit(RLIMIT_AS, &in_force);
    if (in_force.rlim_cur != none.rlim_cur) {
        thread_pool_free(pool);
        GTEST_SKIP() << "no limit of addresses is to be had here, as under emulation";
    }
    Calls calls{std::vector<unsigned>(64)};
    const unsigned first = thread_pool_do(pool, Calls::Count, &calls);
    setrlimit(RLIMIT_AS, &before);
    EXPECT_LT(first, 64u); // some stacks are kept from threads before
    EXPECT_EQ(thread_pool_do(pool, Calls::Count, &calls), first);
    EXPECT_EQ(calls.of, std::vector<unsigned>(64, 2));
    thread_pool_free(pool);
}

} // namespace
