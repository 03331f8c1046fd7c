// SPDX-License-Identifier: GPL-2.0-only
// Arrays whose records keep their addresses: growth in steps, several at once, under a limit.
#include "ns3-module/engine/core/address_space.h"
#include "ns3-module/engine/core/stable.h"

#include "base/err.h"
#include "base/os.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true; /* it maps terabytes itself */
#else
constexpr bool kSanitized = false;
#endif

uint64_t Addresses()
{
    weft_os_bytes m;
    weft_os_memory(&m);
    return m.addresses;
}

} // namespace

TEST(Stable, RecordsKeepTheirAddressAndAreReused)
{
    stable s;
    ASSERT_TRUE(stable_init(&s, 64, 1000));
    char *first = s.base;
    uint32_t a = stable_alloc(&s), b = stable_alloc(&s);
    stable_release(&s, a);
    EXPECT_EQ(stable_alloc(&s), a);
    for (int i = 0; i < 998; i++)
        EXPECT_NE(stable_alloc(&s), NIL);
    EXPECT_EQ(stable_alloc(&s), NIL);
    EXPECT_EQ(s.base, first);
    EXPECT_EQ(s.peak, 1000u);
    EXPECT_NE(a, b);
    stable_fini(&s);
}

TEST(Stable, GrowsInItsPlaceAndMapsWhatItNeeds)
{
    const uint64_t before = Addresses();
    stable s, other;
    ASSERT_TRUE(stable_init_growing(&s, 64, 1u << 27));
    ASSERT_TRUE(stable_init_growing(&other, 64, 1u << 27));
    const bool counts = before && !s.fixed;
    if (counts) { /* 8 GiB each otherwise */
        EXPECT_LT(Addresses() - before, UINT64_C(64) << 20);
    }
    char *const first = s.base;
    for (uint32_t i = 0; i < 500000; i++) {
        ASSERT_EQ(stable_alloc(&s), i);
        ASSERT_EQ(stable_alloc(&other), i);
        memcpy(s.base + i * s.elem, &i, sizeof i);
    }
    EXPECT_EQ(s.base, first);
    for (uint32_t i = 0; i < 500000; i++)
        ASSERT_EQ(memcmp(s.base + i * s.elem, &i, sizeof i), 0);
    if (counts) {
        EXPECT_LT(Addresses() - before, UINT64_C(4) * 64 * 500000 + (UINT64_C(64) << 20));
    }
    stable_fini(&s);
    stable_fini(&other);
}

TEST(Stable, ArraysBesideHaveRoomForEachRecord)
{
    stable of, early, late;
    ASSERT_TRUE(stable_init_growing(&of, 8, 1u << 24));
    ASSERT_TRUE(stable_init_beside(&early, 96, &of));
    for (uint32_t i = 0; i < 600000; i++) {
        ASSERT_EQ(stable_alloc(&of), i);
        ASSERT_GE(early.max, of.n);
        early.base[i * early.elem + early.elem - 1] = 1;
    }
    ASSERT_TRUE(stable_init_beside(&late, 40, &of));
    ASSERT_GE(late.max, of.n);
    late.base[(of.max - 1) * late.elem] = 1;
    stable_fini(&early); /* in any order */
    while (of.n < 3000000)
        ASSERT_NE(stable_alloc(&of), NIL);
    EXPECT_GE(late.max, of.max);
    stable_fini(&late);
    stable_fini(&of);
}

TEST(Stable, ThreadsMayGrowItAtOnce)
{
    stable of, beside;
    ASSERT_TRUE(stable_init_growing(&of, 64, 1u << 24));
    ASSERT_TRUE(stable_init_beside(&beside, 16, &of));
    std::atomic<uint32_t> next{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back([&] {
            for (uint32_t i; (i = next.fetch_add(256)) < 2000000;) {
                ASSERT_TRUE(stable_room(&of, i + 256));
                memset(of.base + i * of.elem, 1, 256 * of.elem);
                memset(beside.base + i * beside.elem, 1, 256 * beside.elem);
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_LT(of.max, 2000000u); /* which they do not change */
    stable_note_room(&of);
    EXPECT_GE(of.max, 2000000u);
    EXPECT_GE(beside.max, of.max);
    stable_fini(&beside);
    stable_fini(&of);
}

TEST(Stable, AddressesAreUsedAgain)
{
    std::vector<stable> alive(3);
    for (stable &s : alive)
        ASSERT_TRUE(stable_init_growing(&s, 512, 1u << 23));
    for (int i = 0; i < 10000; i++) { /* 40 TB of addresses if none were given back */
        stable s;
        ASSERT_TRUE(stable_init_growing(&s, 512, 1u << 23));
        ASSERT_EQ(stable_alloc(&s), 0u);
        stable_fini(&s);
    }
    for (stable &s : alive)
        stable_fini(&s);
}

TEST(Stable, UnderALimitStepsAreSmallerAndTheErrorNamesIt)
{
    if (kSanitized || !Addresses())
        GTEST_SKIP() << "needs plain memory and /proc";
    const pid_t pid = fork();
    if (pid == 0) {
        stable s;
        weft_err err = {};
        const uint64_t now = Addresses();
        const rlimit limit = {now + 7 * ADDRESS_STEP, now + 7 * ADDRESS_STEP};
        rlimit in_force = {};
        if (setrlimit(RLIMIT_AS, &limit) || getrlimit(RLIMIT_AS, &in_force) ||
            in_force.rlim_cur != limit.rlim_cur)
            _exit(4);
        if (!stable_init_growing(&s, 64, 1u << 27) || s.fixed)
            _exit(1);
        while (stable_alloc(&s) != NIL) {
        }
        if (s.map->bytes < 6 * ADDRESS_STEP || s.n != s.max) /* doubling alone would end at 4 */
            _exit(2);
        if (stable_full(&s, "packets in flight", &err) != WEFT_E_LIMIT ||
            !strstr(err.msg, "out of memory for 2.097 MB more: packets in flight are more than ") ||
            !strstr(err.msg, "; ulimit -v ") || !strstr(err.msg, "; this process has "))
            _exit(3);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 4)
        GTEST_SKIP() << "no limit of addresses is to be had here, as under emulation";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}
