/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of completion times against flows.csv. */
#include "folder.h"

#include <algorithm>

namespace
{

const char header[] = "id,src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown\n";

std::string flow(int id, long bytes, double start_ns, double fct_ns, double slowdown)
{
    char row[160];
    snprintf(row, sizeof row, "%d,0,1,%ld,%.3f,%.3f,%.3f,%.6f\n", id, bytes, start_ns, fct_ns,
             fct_ns / slowdown, slowdown);
    return row;
}

/* Nearest rank, written down once more. */
double percentile(std::vector<double> v, double p)
{
    std::sort(v.begin(), v.end());
    return v[(size_t)std::max(0.0, std::ceil(p * (double)v.size() / 100) - 1)];
}

TEST(SlowdownPlot, OnePointForEachSizeWhereThereAreFew)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = header;
    for (int i = 1; i <= 100; i++) /* slow-downs 1.01 .. 2.00, and 3 of another size */
        rows += flow(i, 1000, i, 1000 + i, 1 + i / 100.0);
    rows += flow(101, 5000, 1, 10, 4) + flow(102, 5000, 1, 10, 2) + flow(103, 5000, 1, 10, 3);
    write_file(dir / "a/flows.csv", rows);
    const auto all = plot({dir / "a", "slowdown"});
    const std::map<std::string, std::pair<double, double>> want = {
        {"median", {1.5, 3}}, {"95th percentile", {1.95, 4}}, {"99th percentile", {1.99, 4}}};
    for (const auto &w : want) {
        const auto c = curve(all, w.first);
        ASSERT_EQ(c.size(), 2u) << w.first;
        EXPECT_DOUBLE_EQ(c[0].x, 1000);
        EXPECT_DOUBLE_EQ(c[0].y, w.second.first) << w.first;
        EXPECT_DOUBLE_EQ(c[1].x, 5000);
        EXPECT_DOUBLE_EQ(c[1].y, w.second.second) << w.first;
    }
    EXPECT_EQ(all.size(), 6u);
}

TEST(SlowdownPlot, TwentyGroupsThatDoNotSplitASize)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = header;
    std::map<long, std::vector<double>> by_group; /* of 400 flows, 20 in each group */
    for (int i = 0; i < 400; i++) {
        /* the sizes of groups 3 and 4 are all the same */
        const long bytes = i >= 60 && i < 100 ? 7777 : 100 * (i + 1) + (i >= 60 ? 10000 : 0);
        const double slow = 1 + (i * 7919 % 400) / 100.0;
        rows += flow(i, bytes, i, 100, slow);
        by_group[i >= 60 && i < 100 ? 3 : i / 20].push_back(slow);
    }
    write_file(dir / "a/flows.csv", rows);
    const auto median = curve(plot({dir / "a", "slowdown"}), "median");
    ASSERT_EQ(median.size(), 19u);
    size_t k = 0;
    for (const auto &g : by_group)
        EXPECT_NEAR(median[k++].y, percentile(g.second, 50), 1e-6) << g.first;
    EXPECT_DOUBLE_EQ(median[3].x, 7777);
    EXPECT_DOUBLE_EQ(median[18].x, 100 * 400 + 10000);
}

TEST(SlowdownPlot, OfARunSaysWhatItsTableSays)
{
    TempDir dir;
    run_incast(dir / "a");
    std::map<double, std::vector<double>> by_size;
    for (auto &row : table(dir / "a/flows.csv"))
        by_size[std::stod(row["size_bytes"])].push_back(std::stod(row["slowdown"]));
    const auto all = plot({dir / "a", "slowdown"});
    ASSERT_FALSE(by_size.empty());
    const auto p99 = curve(all, "99th percentile");
    ASSERT_EQ(p99.size(), by_size.size());
    size_t k = 0;
    for (const auto &s : by_size) {
        EXPECT_DOUBLE_EQ(p99[k].x, s.first);
        EXPECT_NEAR(p99[k++].y, percentile(s.second, 99), 1e-6);
    }
}

TEST(CdfPlot, IsTheShareOfMessages)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = header;
    for (int i = 4; i >= 1; i--)
        rows += flow(i, 1000, i, i * 1000, i);
    write_file(dir / "a/flows.csv", rows);
    const auto slow = plot({dir / "a", "slowdown-cdf"}), fct = plot({dir / "a", "fct-cdf"});
    ASSERT_EQ(slow.size(), 4u);
    ASSERT_EQ(fct.size(), 4u);
    for (int i = 0; i < 4; i++) {
        EXPECT_DOUBLE_EQ(slow[i].x, i + 1);
        EXPECT_DOUBLE_EQ(fct[i].x, i + 1); /* microseconds */
        EXPECT_DOUBLE_EQ(slow[i].y, (i + 1) / 4.0);
        EXPECT_DOUBLE_EQ(fct[i].y, (i + 1) / 4.0);
    }
}

TEST(CdfPlot, ManyMessagesAreReducedAndKeepTheirEnds)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = header;
    for (int i = 1; i <= 20000; i++)
        rows += flow(i, 1000, i, 1000, 1 + i / 10000.0);
    write_file(dir / "a/flows.csv", rows);
    const auto c = plot({dir / "a", "slowdown-cdf"});
    EXPECT_LE(c.size(), 501u);
    EXPECT_NEAR(c.front().x, 1.0001, 1e-9);
    EXPECT_NEAR(c.back().x, 3, 1e-9);
    EXPECT_DOUBLE_EQ(c.back().y, 1);
    for (const Point &p : c) /* every one lies on the distribution */
        EXPECT_NEAR(p.y, (p.x - 1) / 2, 1e-6);
}

TEST(PlotWindow, LeavesOutWhatBeginsOutside)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv", header + flow(1, 10, 100, 10, 1) + flow(2, 10, 2000, 10, 2) +
                                        flow(3, 10, 9000, 10, 3));
    const auto c = plot({dir / "a", "slowdown-cdf", "--from", "1us", "--until", "5us"});
    ASSERT_EQ(c.size(), 1u);
    EXPECT_DOUBLE_EQ(c[0].x, 2);
}

TEST(PlotRows, ALastRowThatWasCutDoesNotCount)
{
    TempDir dir;
    make_run(dir / "a");
    const std::string whole = header + flow(1, 10, 100, 10, 1);
    write_file(dir / "a/flows.csv", whole + "2,0,1,10,200.0");
    EXPECT_EQ(plot({dir / "a", "slowdown-cdf"}).size(), 1u);
    write_file(dir / "a/flows.csv", whole + "2,0,1,10,200.000,10.000,10.000,1.5"); /* of 1.50000 */
    EXPECT_EQ(plot({dir / "a", "slowdown-cdf"}).size(), 1u);
    write_file(dir / "a/flows.csv", whole + "2,0,1,10\n");
    EXPECT_EQ(weft({"plot", dir / "a", "slowdown"}).code, 3);
}

TEST(PlotLabels, AreTheSettingsThatDiffer)
{
    TempDir dir;
    const std::string rows = header + flow(1, 10, 100, 10, 1);
    for (const char *cc : {"dcqcn", "hpcc", "swift"}) {
        make_run(dir / cc, std::string("\"congestion-control\": {\"name\": \"") + cc + "\", \"" +
                               cc + "-knob\": \"1\"}, \"switch\": {\"buffer\": \"" +
                               (cc[0] == 's' ? "2MB" : "1MB") + "\"}");
        write_file(dir / (std::string(cc) + "/flows.csv"), rows);
    }
    auto all = plot({dir / "dcqcn", dir / "hpcc", "slowdown-cdf"});
    EXPECT_EQ(curve(all, "dcqcn").size(), 1u);
    EXPECT_EQ(curve(all, "hpcc").size(), 1u);
    const Said s =
        weft({"plot", dir / "dcqcn", dir / "swift", "slowdown-cdf", "--to", "csv", "--out", "-"});
    EXPECT_CONTAINS(s.out, "\"dcqcn, buffer 1MB\"");
    EXPECT_CONTAINS(s.out, "\"swift, buffer 2MB\"");
    all = plot({dir / "dcqcn", dir / "hpcc", "slowdown-cdf", "-l", "A", "-l", "B"});
    EXPECT_EQ(curve(all, "B").size(), 1u);
    EXPECT_EQ(weft({"plot", dir / "dcqcn", dir / "hpcc", "slowdown", "-l", "A"}).code, 2);
    for (const bool nvls : {false, true}) {
        const std::string name = nvls ? "nvls" : "auto", rate = nvls ? "2187.5Gbps" : "0bps";
        make_run(dir / name, "\"in-network\": {\"aggregation-rate\": \"" + rate +
                                 "\"}, \"system\": {\"all-reduce\": \"" +
                                 (nvls ? "in-network" : "auto") + "\"}");
        write_file(dir / (name + "/flows.csv"), rows);
    }
    all = plot({dir / "auto", dir / "nvls", "slowdown-cdf"});
    EXPECT_EQ(curve(all, "aggregation-rate 2187.5Gbps, all-reduce in-network").size(), 1u);
}

} // namespace
