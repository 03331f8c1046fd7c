/* SPDX-License-Identifier: GPL-2.0-only */
/* scenarios/figures: one command draws each figure, and they show what the papers say. */
#include "folder.h"

#include <algorithm>

namespace
{

std::vector<Point> draw(const std::string &name, const std::string &dir)
{
    setenv("WEFT", (env_or_die("WEFT_BINARY_DIR") + "/frontend/cli/weft").c_str(), 1);
    const std::string command =
        source_dir() + "/scenarios/figures --out '" + dir + "' --to csv " + name + " >/dev/null";
    EXPECT_EQ(system(command.c_str()), 0) << command;
    return points_of(slurp(dir + "/" + name + ".csv"));
}

/* Mean of y between two times. */
double mean(const std::vector<Point> &c, double from, double to)
{
    double sum = 0;
    size_t n = 0;
    for (const Point &p : c)
        if (p.x >= from && p.x <= to) {
            sum += p.y;
            n++;
        }
    return sum / (double)n;
}

/* DCQCN (SIGCOMM 2015): two flows come to share the link. */
TEST(PaperFigures, TwoDcqcnFlowsConverge)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    std::map<std::string, std::vector<Point>> rate; /* the first panel: before x goes back */
    for (const Point &p : draw("dcqcn-converges", dir / "")) {
        auto &c = rate[p.curve];
        if (c.empty() || p.x > c.back().x)
            c.push_back(p);
        if (rate.size() == 2 && p.x < 0.1 && c.size() > 100)
            break;
    }
    ASSERT_EQ(rate.size(), 2u);
    const auto &first = rate.begin()->second, &second = rate.rbegin()->second;
    EXPECT_NEAR(mean(first, 0.1, 1.9), 40, 0.1); /* alone on the link, in ms and Gbps */
    EXPECT_GT(mean(first, 2.5, 6), 1.15 * mean(second, 2.5, 6));
    EXPECT_NEAR(mean(first, 11.5, 13) / mean(second, 11.5, 13), 1, 0.1);
}

/* HPCC (SIGCOMM 2019): its queue is gone within some round trips, DCQCN's stays much longer. */
TEST(PaperFigures, HpccKeepsTheQueueOfAnIncastShort)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    std::map<std::string, std::vector<Point>> queue; /* the linear panel alone */
    for (const Point &p : draw("incast-queue", dir / "")) {
        auto &c = queue[p.curve.substr(0, p.curve.find(':'))];
        if (c.empty() || p.x > c.back().x)
            c.push_back(p);
    }
    ASSERT_TRUE(queue.count("hpcc") && queue.count("dcqcn") && queue.count("none"));
    EXPECT_LT(mean(queue["hpcc"], 0.5, 2), 0.05); /* MB at most: some 10 KB */
    EXPECT_GT(mean(queue["dcqcn"], 0.1, 0.5), 5);
    EXPECT_GT(mean(queue["none"], 0.1, 0.5), 20);
}

} // namespace
