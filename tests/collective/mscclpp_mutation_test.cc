/* SPDX-License-Identifier: GPL-2.0-only */
/* MSCCL++ plans that someone damaged: refused, or still right whatever comes first. */
#include "mscclpp_player.h"

#include "base/file.h"
#include "collective/algorithm.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

namespace
{

/* The error, or "". */
std::string Load(const std::string &json)
{
    static const TempDir dir; // of this process
    weft_err err = {};
    char text[1024];
    EXPECT_EQ(weft_file_write((dir / "plan.json").c_str(), json.data(), json.size(), &err), 0);
    weft_coll_algorithm a = {};
    const std::string spec = "msccl:file=plan.json";
    if (weft_coll_algorithm_parse(spec.c_str(), spec.size(), (dir / "").c_str(), &a, &err) != 0)
        return weft_err_format(&err, text, sizeof text);
    weft_coll_algorithm_release(&a);
    return "";
}

std::vector<mscclpp::Plan> Generated()
{
    using namespace mscclpp;
    return {GatherByWrites(2),      GatherByWrites(4),         GatherByReads(2, false),
            GatherByReads(3, true), ReduceByPackets(2, 1),     ReduceByPackets(3, 2),
            ReduceByReads(2),       ReduceByReads(4),          GatherOverScratch(2),
            GatherOverScratch(3),   ExchangeBehindABarrier(2), ExchangeBehindABarrier(4)};
}

bool AlwaysRight(const mscclpp::Plan &p, uint64_t seed, int times)
{
    std::mt19937_64 rng(seed);
    for (int i = 0; i < times; i++)
        if (!mscclpp::PlaysRight(p, rng))
            return false;
    return true;
}

/* Drops or swaps operations, moves buffers and shares, loses signals, semaphores and waits. */
void Damage(mscclpp::Plan *p, std::mt19937_64 &rng)
{
    auto any = [&](size_t n) { return (size_t)(rng() % n); };
    for (;;) {
        mscclpp::Gpu &g = p->gpus[any(p->gpus.size())];
        std::vector<mscclpp::Op> &ops = g.tbs[any(g.tbs.size())];
        if (ops.empty())
            continue;
        const size_t at = any(ops.size());
        mscclpp::Op &op = ops[at], &two = ops[any(ops.size())];
        switch (any(7)) {
        case 0:
            ops.erase(ops.begin() + (long)at);
            return;
        case 1:
            if (at == 0)
                continue;
            std::swap(ops[at - 1], op);
            return;
        case 2:
            if (op.src.empty() || two.src.empty())
                continue;
            std::swap(op.src[0], two.src[0]);
            return;
        case 3:
            if (op.dst.empty() || two.dst.empty())
                continue;
            std::swap(op.dst.back(), two.dst.back());
            return;
        case 4:
            if (op.peers.size() < 2)
                continue;
            op.peers.erase(op.peers.begin() + (long)any(op.peers.size()));
            return;
        case 5:
            if (op.name != "signal" && op.name != "wait")
                continue;
            op.name = "rlx" + op.name;
            return;
        default:
            if (g.tbs.size() < 2)
                continue;
            std::swap(g.tbs[0], g.tbs[1]);
            return;
        }
    }
}

/* The player agrees with what is right, so that its word on the damaged ones counts. */
TEST(MscclppMutation, WholePlansAreProvedAndPlayRight)
{
    for (const mscclpp::Plan &p : Generated()) {
        EXPECT_EQ(Load(p.Json()), "") << p.Json();
        EXPECT_TRUE(AlwaysRight(p, 1, 50)) << p.Json();
    }
}

TEST(MscclppMutation, DamagedOnesAreRefusedOrStillRight)
{
    const auto whole = Generated();
    std::mt19937_64 rng(19);
    int refused = 0, taken = 0;
    for (int i = 0; i < 500; i++) {
        mscclpp::Plan p = whole[(size_t)i % whole.size()];
        Damage(&p, rng);
        if (!Load(p.Json()).empty()) {
            refused++;
            continue;
        }
        taken++;
        EXPECT_TRUE(AlwaysRight(p, rng(), 20)) << i << p.Json();
    }
    EXPECT_GT(refused, 250);
    EXPECT_GT(taken, 12); /* not everything is refused */
}

/* A refusal of a race or of a circle has to be one: some order ends wrongly, or never. */
TEST(MscclppMutation, LostWaitsAreFoundByThePlayerToo)
{
    int lost = 0, found = 0;
    for (const mscclpp::Plan &whole :
         {mscclpp::GatherOverScratch(2), mscclpp::GatherByReads(3, true),
          mscclpp::ReduceByPackets(3, 2), mscclpp::ExchangeBehindABarrier(4)})
        for (size_t g = 0; g < whole.gpus.size(); g++)
            for (size_t t = 0; t < whole.gpus[g].tbs.size(); t++)
                for (size_t k = 0; k < whole.gpus[g].tbs[t].size(); k++) {
                    mscclpp::Plan p = whole;
                    auto &ops = p.gpus[g].tbs[t];
                    const std::string name = ops[k].name;
                    if (name != "wait" && name != "sem_acquire" && name != "barrier")
                        continue;
                    ops.erase(ops.begin() + (long)k);
                    if (Load(p.Json()).empty())
                        continue;
                    lost++;
                    found += !AlwaysRight(p, 7, 400);
                }
    EXPECT_GT(lost, 20);
    EXPECT_EQ(found, lost);
}

} // namespace
