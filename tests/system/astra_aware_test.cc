/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim's congestion-aware backend, measured, to the nanosecond: every hop stores and forwards,
 * a link sends one message after the other. With one switch the sender's link is the only one on
 * which messages of these algorithms meet, so that forwarding=store-and-forward with
 * contention=source is the same model. 1 MiB, 50 GiB/s and 500 ns per link, 4 chunks one at a time,
 * endpoint delay 10 ns, reductions at 1600 GB/s.
 */
#include "astra.h"

namespace
{

int64_t Aware(const char *topology, const Golden &g, Settings more = {})
{
    const std::string t = topology;
    Job job(g.n);
    job.Everywhere(g.kind, g.bytes);
    Sim run(
        job, With(AstraSystem(g.algorithm), more),
        {{"model", "path"},
         {"forwarding", "store-and-forward"},
         {"contention", "source"},
         {"quantum", "1ns"}},
        [&](weft_fabric *f) { t == "switch" ? BuildSwitch(f, g.n) : BuildFullyConnected(f, g.n); });
    EXPECT_EQ(run.err.code, 0) << run.err.msg;
    return run.EndNs();
}

const weft_coll_kind kKinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                 WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL};

TEST(AstraSimAware, SwitchAndFullyConnected)
{
    const char *const algs[] = {"ring", "direct", kHd};
    const struct {
        const char *topology;
        uint32_t n;
        int64_t ns[4][3]; // 0: ASTRA-sim has none
    } rows[] = {
        {"switch",
         4,
         {{84280, 47640, 75256},
          {129328, 82192, 125296},
          {42880, 24080, 37888},
          {82840, 23600, 0}}},
        {"switch",
         8,
         {{126600, 47400, 93336},
          {301712, 160304, 285584},
          {64160, 23840, 47048},
          {249800, 23600, 0}}},
        {"fc",
         4,
         {{43000, 14360, 37968}, {64744, 21608, 62708}, {22240, 7440, 19244}, {41560, 6960, 0}}},
        {"fc",
         8,
         {{64440, 9240, 47168}, {151016, 21608, 142872}, {33080, 4760, 23964}, {125480, 4520, 0}}},
    };
    for (const auto &row : rows)
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++)
                if (row.ns[k][a]) {
                    const Golden g = {row.n, algs[a], kKinds[k], kMiB, row.ns[k][a]};
                    EXPECT_EQ(Aware(row.topology, g), g.ns)
                        << row.topology << " " << ::testing::PrintToString(g);
                }
}

/* 3, 6 and 12 NPUs: 1 MiB does not divide; ASTRA-sim rounds blocks down, weft has all bytes. */
TEST(AstraSimAware, NumbersOfNpusThatAreNoPowerOfTwo)
{
    const struct {
        uint32_t n;
        int64_t ring, direct;
    } rows[] = {{3, 69560, 47816}, {6, 107100, 47468}, {12, 162092, 47252}};
    for (const auto &r : rows) {
        EXPECT_EQ(Aware("switch", {r.n, "ring", WEFT_COLL_ALL_REDUCE, kMiB, 0}), r.ring) << r.n;
        EXPECT_EQ(Aware("switch", {r.n, "direct", WEFT_COLL_ALL_REDUCE, kMiB, 0}), r.direct) << r.n;
    }
}

/*
 * Of the rounds of the reducing half (7, 4, 2 and 1 one after the other) ASTRA-sim charges the
 * additions of 4, 2, 1 and 1, depending on how its packets are counted; weft those of all, 3 *
 * floor(32 KiB / 1600 GB/s) = 60 ns each.
 */
TEST(AstraSimAware, DirectWithAWindow)
{
    const struct {
        const char *algorithm;
        int64_t all_reduce, not_charged, all_to_all;
    } rows[] = {{"direct:window=1", 125880, 3, 62480},
                {"direct:window=2", 71880, 2, 35720},
                {"direct:window=4", 47160, 1, 23600},
                {"direct:window=7", 47400, 0, 23600}};
    for (const auto &r : rows) {
        EXPECT_EQ(Aware("switch", {8, r.algorithm, WEFT_COLL_ALL_REDUCE, kMiB, 0}),
                  r.all_reduce + 4 * r.not_charged * 60)
            << r.algorithm;
        EXPECT_EQ(Aware("switch", {8, r.algorithm, WEFT_COLL_ALL_TO_ALL, kMiB, 0}), r.all_to_all)
            << r.algorithm;
    }
}

/*
 * Its example configurations on a ring of 4, 8 and 16, all four collectives with the ring
 * algorithm: Ring_4chunks (one chunk at a time) and the one validated against an HGX-H100 (two at a
 * time, memory of 3350 GB/s), which share the link to the next NPU.
 */
TEST(AstraSimAware, ExampleConfigurations)
{
    const struct {
        uint32_t n;
        int64_t one[4], two[4];
    } rows[] = {{4, {43000, 64744, 22240, 41560}, {29800, 59104, 15217, 29800}},
                {8, {64440, 151016, 33080, 125480}, {34680, 137216, 17627, 68840}},
                {16, {99640, 323560, 50740, 391240}, {49585, 293440, 25135, 195925}}};
    for (const auto &r : rows)
        for (int k = 0; k < 4; k++) {
            const Golden g = {r.n, "ring", kKinds[k], kMiB, 0};
            EXPECT_EQ(Aware("fc", g), r.one[k]) << ::testing::PrintToString(g);
            EXPECT_EQ(Aware("fc", g, {{"active-chunks", "2"}, {"reduce-bandwidth", "3350GB/s"}}),
                      r.two[k])
                << ::testing::PrintToString(g);
        }
}

} // namespace
