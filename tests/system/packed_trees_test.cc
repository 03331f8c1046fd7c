/* SPDX-License-Identifier: GPL-2.0-only */
/* Packed trees over the links of a DGX-1V: time against the narrowest cut. */
#include "job.h"

namespace
{

const uint64_t kMB = 1000000;

/* NVLinks of 25 GB/s and 100 ns; pairs with two links have one of twice the rate. */
void Dgx1(weft_fabric *f)
{
    const uint32_t links[][3] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                                 {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                                 {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    weft_err err = {};
    f->routing = WEFT_ROUTING_TRANSIT;
    for (auto &l : links) {
        weft_fabric_link link = {l[0], l[1], l[2] * UINT64_C(200000000000), 100000, 0, 0};
        weft_fabric_add_link(f, &link, nullptr, &err);
    }
}

double RunUs(weft_coll_kind kind, const char *name, const char *algorithm)
{
    Job job(8);
    job.Everywhere(kind, 120 * kMB);
    Sim sim(job, {{name, algorithm}}, {{"contention", "source"}}, Dgx1);
    EXPECT_TRUE(sim.Made()) << sim.err.msg;
    int64_t end_ps = 0;
    for (uint32_t r = 0; r < 8; r++)
        end_ps = std::max(end_ps, sim.Result(r).end_ps);
    return double(end_ps) / 1e6;
}

} // namespace

/* 120 MB through a narrowest cut of 6 x 25 GB/s take 800 us, and a few pieces more to fill the
 * trees; up and down in both directions of each link, twice that, and what both lose by meeting in
 * FIFO order. */
TEST(PackedTrees, RunAtTheRateOfTheNarrowestCut)
{
    const struct {
        weft_coll_kind kind;
        const char *name;
        double us, most;
    } cases[] = {{WEFT_COLL_BROADCAST, "broadcast", 800, 1.1},
                 {WEFT_COLL_REDUCE, "reduce", 800, 1.1},
                 {WEFT_COLL_ALL_REDUCE, "all-reduce", 1600, 1.25}};
    for (auto &c : cases) {
        double us = RunUs(c.kind, c.name, "packed-trees:pieces=200");
        EXPECT_GT(us, c.us) << c.name;
        EXPECT_LT(us, c.most * c.us) << c.name;
    }
    EXPECT_GT(RunUs(WEFT_COLL_BROADCAST, "broadcast", "binomial"), 2 * 800);
}

TEST(PackedTrees, NeedDirectLinksAndWholeGroups)
{
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
    Sim star(job, {{"all-reduce", "packed-trees"}}, {});
    EXPECT_NE(std::string(star.err.msg).find("no links between ranks lead from rank 0"),
              std::string::npos)
        << star.err.msg;
    Sim list(job, {{"all-reduce", "ring,packed-trees"}, {"dims", "2,2"}}, {});
    EXPECT_NE(std::string(list.err.msg).find("name it alone"), std::string::npos) << list.err.msg;
}
