/* SPDX-License-Identifier: GPL-2.0-only */
/* MSCCL programs that someone damaged: refused, or still right whatever comes first. */
#include "msccl_player.h"

#include "base/file.h"
#include "collective/algorithm.h"
#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace
{

namespace fs = std::filesystem;

/* The error, or "". */
std::string Load(const std::string &xml)
{
    static const TempDir dir; // of this process
    weft_err err = {};
    char text[1024];
    EXPECT_EQ(weft_file_write((dir / "algo.xml").c_str(), xml.data(), xml.size(), &err), 0);
    weft_coll_algorithm a = {};
    const std::string spec = "msccl:file=algo.xml";
    if (weft_coll_algorithm_parse(spec.c_str(), spec.size(), (dir / "").c_str(), &a, &err) != 0)
        return weft_err_format(&err, text, sizeof text);
    weft_coll_algorithm_release(&a);
    return "";
}

std::vector<msccl::Program> Generated()
{
    return {msccl::RingAllReduce(2),
            msccl::RingAllReduce(4),
            msccl::AllPairs(3, 1),
            msccl::AllPairs(4, 2),
            msccl::Tree(4),
            msccl::Tree(7),
            msccl::AllToAll(3),
            msccl::AllToAll(5),
            msccl::RingAllGather(3, true),
            msccl::RingAllGather(4, false)};
}

/* Those of the outside data that the player understands and that are small. */
std::vector<msccl::Program> Shared()
{
    const char *shared = getenv("WEFT_SHARED");
    const fs::path dir = fs::path(shared ? shared : "") / "data" / "msccl";
    std::vector<fs::path> files;
    std::vector<msccl::Program> programs;
    if (shared && fs::is_directory(dir))
        for (const auto &e : fs::directory_iterator(dir))
            if (e.path().extension() == ".xml" && fs::file_size(e) < 40000)
                files.push_back(e.path());
    std::sort(files.begin(), files.end());
    for (const fs::path &f : files) {
        std::ostringstream text;
        text << std::ifstream(f).rdbuf();
        msccl::Program p;
        if (msccl::Parse(text.str(), &p))
            programs.push_back(p);
    }
    return programs;
}

/* Drops a step, swaps two steps or blocks, loses or moves a dependency. */
void Damage(msccl::Program *p, std::mt19937_64 &rng)
{
    auto any = [&](size_t n) { return (size_t)(rng() % n); };
    for (;;) {
        msccl::Gpu &g = p->gpus[any(p->gpus.size())];
        if (g.tbs.empty())
            continue;
        msccl::Tb &tb = g.tbs[any(g.tbs.size())];
        if (tb.steps.empty())
            continue;
        const size_t at = any(tb.steps.size());
        msccl::Step &s = tb.steps[at];
        switch (any(6)) {
        case 0: /* later steps that others name move up with it */
            tb.steps.erase(tb.steps.begin() + (long)at);
            return;
        case 1:
            if (at == 0)
                continue;
            std::swap(tb.steps[at - 1], s);
            return;
        case 2:
            if (s.type == "nop")
                continue;
            std::swap(s.srcoff, tb.steps[any(tb.steps.size())].srcoff);
            return;
        case 3:
            std::swap(s.dstoff, tb.steps[any(tb.steps.size())].dstoff);
            return;
        case 4:
            if (s.depid < 0)
                continue;
            s.depid = s.deps = -1;
            if (s.type == "nop")
                tb.steps.erase(tb.steps.begin() + (long)at);
            return;
        default:
            if (s.depid < 0 || s.deps == 0)
                continue;
            s.deps--;
            return;
        }
    }
}

bool AlwaysRight(const msccl::Program &p, uint64_t seed, int times)
{
    std::mt19937_64 rng(seed);
    for (int i = 0; i < times; i++)
        if (!msccl::PlaysRight(p, rng))
            return false;
    return true;
}

/* The player agrees with what is right, so that its word on the damaged ones counts. */
TEST(MscclMutation, WholeProgramsAreProvedAndPlayRight)
{
    for (const auto &list : {Generated(), Shared()})
        for (const msccl::Program &p : list) {
            EXPECT_EQ(Load(p.Xml()), "") << p.Xml().substr(0, 200);
            EXPECT_TRUE(AlwaysRight(p, 1, 5)) << p.Xml().substr(0, 200);
        }
}

void DamageAndCheck(const std::vector<msccl::Program> &whole, int times, int plays)
{
    std::mt19937_64 rng(19);
    int refused = 0, taken = 0;
    for (int i = 0; i < times; i++) {
        msccl::Program p = whole[(size_t)i % whole.size()];
        Damage(&p, rng);
        const std::string why = Load(p.Xml());
        if (why.empty()) {
            taken++;
            EXPECT_TRUE(AlwaysRight(p, rng(), plays)) << i << p.Xml().substr(0, 200);
        } else {
            refused++;
        }
    }
    EXPECT_GT(refused, times / 5);
    EXPECT_GT(taken, times / 50); /* not everything is refused */
}

TEST(MscclMutation, DamagedOnesAreRefusedOrStillRight)
{
    DamageAndCheck(Generated(), 600, 15);
}

TEST(MscclMutation, DamagedPublicOnesAreRefusedOrStillRight)
{
    const auto programs = Shared();
    if (programs.empty())
        GTEST_SKIP() << "no outside data (WEFT_SHARED)";
    DamageAndCheck(programs, 100, 6);
}

/* A refusal of a race has to be one: some order ends wrongly. */
TEST(MscclMutation, LostDependenciesAreRacesThatThePlayerFindsToo)
{
    int found = 0, lost = 0;
    for (const msccl::Program &whole : {msccl::AllPairs(3, 1), msccl::Tree(7)})
        for (size_t g = 0; g < whole.gpus.size(); g++)
            for (size_t t = 0; t < whole.gpus[g].tbs.size(); t++)
                for (size_t s = 0; s < whole.gpus[g].tbs[t].steps.size(); s++) {
                    msccl::Program p = whole;
                    msccl::Step &step = p.gpus[g].tbs[t].steps[s];
                    if (step.depid < 0)
                        continue;
                    step.depid = step.deps = -1;
                    const std::string why = Load(p.Xml());
                    EXPECT_NE(why.find("no dependency and no message orders the two"),
                              std::string::npos)
                        << why;
                    lost++;
                    found += !AlwaysRight(p, 7, 300);
                }
    EXPECT_GT(lost, 10);
    EXPECT_EQ(found, lost);
}

} // namespace
