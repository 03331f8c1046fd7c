// SPDX-License-Identifier: GPL-2.0-only
// The random numbers of ns-3 and of the C library.
#include "base/ns3_rng.h"

#include <gtest/gtest.h>

namespace
{

// Computed with ns-3 3.37: RngStream(1, stream, run).RandU01().
TEST(Ns3Rng, FirstNumbersOfNewVariables)
{
    const struct {
        uint64_t run, stream;
        double u;
    } known[] = {
        {1, 0, 0.81653204416825098},       {1, 1, 0.83515007368084404},
        {1, 38, 0.18724972683655638},      {1, 326, 0.27160228078562637},
        {1, 100000, 0.97029566620977103},  {2, 0, 0.68354149702392319},
        {2, 1, 0.77313976916788896},       {2, 38, 0.26670439855067873},
        {2, 326, 0.66408637285464578},     {2, 100000, 0.021350727984903249},
        {20, 0, 0.87003648396758104},      {20, 1, 0.75430192702794474},
        {20, 38, 0.6075923366889372},      {20, 326, 0.78556384062331153},
        {20, 100000, 0.59127885289164295},
    };
    for (auto &k : known) {
        weft_ns3_rng r;
        weft_ns3_rng_init(&r, 1, k.run, k.stream);
        EXPECT_DOUBLE_EQ(weft_ns3_rng_fresh(&r), k.u) << k.run << " " << k.stream;
    }
}

TEST(Ns3Rng, StartsAnywhere)
{
    weft_ns3_rng all, later;
    weft_ns3_rng_init(&all, 1, 7, 0);
    weft_ns3_rng_init(&later, 1, 7, 1000);
    for (int i = 0; i < 1000; i++)
        weft_ns3_rng_fresh(&all);
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(weft_ns3_rng_fresh(&all), weft_ns3_rng_fresh(&later));
}

// Written down from the GNU C library: the numbers 1, 2, 3 and 5000 after seeding.
TEST(LibcRand, KnownNumbers)
{
    const struct {
        uint32_t seed, first[3], last;
    } known[] = {
        {1u, {1804289383, 846930886, 1681692777}, 548048628},
        {2u, {1505335290, 1738766719, 190686788}, 675582280},
        {12345u, {383100999, 858300821, 357768173}, 1178655634},
        {2147483649u, {1081815585, 5219348, 1080917272}, 2048760201},
        {4294967295u, {254925627, 1205188300, 366127624}, 1508802883},
    };
    for (auto &k : known) {
        weft_libc_rand r;
        weft_libc_rand_init(&r, k.seed);
        for (uint32_t want : k.first)
            EXPECT_EQ(weft_libc_rand_next(&r), want) << k.seed;
        for (int i = 4; i < 5000; i++)
            weft_libc_rand_next(&r);
        EXPECT_EQ(weft_libc_rand_next(&r), k.last) << k.seed;
    }
}

} // namespace
