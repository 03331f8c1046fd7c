/* SPDX-License-Identifier: GPL-2.0-only */
/* weft fct: percentiles by size, pooled over seeds, against numbers worked out here. */
#include "folder.h"

#include <algorithm>

namespace
{

const char header[] = "job,id,from,to,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown\n";

std::string flow(const char *job, int id, long bytes, double fct_ns, double ideal_ns)
{
    char row[160];
    snprintf(row, sizeof row, "%s,%d,0,1,%ld,%d.000,%.3f,%.3f,%.6f\n", job, id, bytes, id, fct_ns,
             ideal_ns, fct_ns / ideal_ns);
    return row;
}

/* A run of @p cc and @p seed: workload "web" with 100 messages of 5 KB, slow-downs k, k + 0.01,
 * ..., and 10 of 2 MB; workload "burst" with 5 of 50 KB. */
void make(const std::string &dir, const char *cc, int seed, double k, double ideal_ns)
{
    make_run(dir, std::string("\"congestion-control\": {\"name\": \"") + cc +
                      "\"}, \"run\": {\"seed\": \"" + std::to_string(seed) + "\"}");
    std::string rows = header;
    int id = 0;
    for (int i = 0; i < 100; i++)
        rows += flow("web", id++, 5000, 1000 * (k + i / 100.0), ideal_ns);
    for (int i = 0; i < 10; i++)
        rows += flow("web", id++, 2000000, 1e5 * (k + i), 1e5);
    for (int i = 0; i < 5; i++)
        rows += flow("burst", id++, 50000, 1e4 * k * (i + 1), 1e4);
    write_file(dir + "/flows.csv", rows);
}

std::map<std::string, std::vector<std::string>> fct_rows(std::vector<std::string> args)
{
    std::map<std::string, std::vector<std::string>> out;
    args.insert(args.begin(), "fct");
    args.insert(args.end(), {"--to", "csv"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    std::istringstream in(s.out);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "run,workload,size_over_bytes,size_to_bytes,messages,seeds,slowdown_p50,"
                    "slowdown_p50_ci95,slowdown_p95,slowdown_p95_ci95,slowdown_p99,"
                    "slowdown_p99_ci95");
    while (std::getline(in, line)) {
        const auto c = cells_of(line);
        if (c.size() == 12)
            out[c[0] + "|" + c[1] + "|" + c[2] + "|" + c[3]] = c;
        else
            ADD_FAILURE() << line;
    }
    return out;
}

} // namespace

TEST(Fct, PoolsSeedsByWorkloadAndSize)
{
    TempDir dir;
    make(dir / "a1", "dcqcn", 1, 1, 1000);
    make(dir / "a2", "dcqcn", 2, 2, 1000);
    make(dir / "b1", "hpcc", 1, 1, 1000);
    make(dir / "b2", "hpcc", 2, 1, 1000);
    const auto t = fct_rows({dir / "a1", dir / "a2", dir / "b1", dir / "b2"});
    // two labels, two workloads, four buckets and all
    EXPECT_EQ(t.size(), 20u);
    const auto &small = t.at("dcqcn|web|0|10000");
    EXPECT_EQ(small[4], "200");
    EXPECT_EQ(small[5], "2");
    // 1.00 .. 1.99 and 2.00 .. 2.99: the 100th of 200 is 1.99, the 190th 2.89, the 198th 2.97
    EXPECT_DOUBLE_EQ(std::stod(small[6]), 1.99);
    EXPECT_DOUBLE_EQ(std::stod(small[8]), 2.89);
    EXPECT_DOUBLE_EQ(std::stod(small[10]), 2.97);
    // medians of the seeds are 1.49 and 2.49: t(1) = 12.706 times 0.5
    EXPECT_NEAR(std::stod(small[7]), 12.706 * 0.5, 0.01);
    EXPECT_DOUBLE_EQ(std::stod(t.at("hpcc|web|0|10000")[7]), 0);
    EXPECT_EQ(t.at("dcqcn|burst|10000|100000")[4], "10");
    EXPECT_EQ(t.at("dcqcn|burst|0|10000")[6], ""); // none
    EXPECT_EQ(t.at("dcqcn|web|1000000|")[4], "20");
    EXPECT_EQ(t.at("dcqcn|web|0|")[4], "220");
}

TEST(Fct, HasOneBaselineForAllRuns)
{
    TempDir dir;
    make(dir / "a", "dcqcn", 1, 1, 1000);
    make(dir / "b", "hpcc", 1, 1, 1250); // INT makes its packets longer
    EXPECT_DOUBLE_EQ(std::stod(fct_rows({dir / "a", dir / "b"}).at("hpcc|web|0|10000")[6]), 1.49);
    const auto alone = fct_rows({dir / "b"});
    for (const auto &row : alone) {
        if (row.second[1] == "web" && row.second[3] == "10000") {
            EXPECT_NEAR(std::stod(row.second[6]), 1.49 / 1.25, 1e-6);
        }
    }
    EXPECT_CONTAINS(weft({"fct", dir / "a", dir / "b"}).out, "the least of any of these runs");
}

TEST(Fct, WritesLatexAndTakesBucketsAndJobs)
{
    TempDir dir;
    make(dir / "a", "dcqcn", 1, 1, 1000);
    make(dir / "b", "hpcc_x", 1, 2, 1000);
    const Said s = weft(
        {"fct", dir / "a", dir / "b", "--to", "latex", "--job", "web", "--buckets", "10KB,1MB"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\\begin{tabular}{lrrrr}");
    EXPECT_CONTAINS(s.out, "slowdown & $\\le$10KB & $\\le$1MB & $>$1MB & all");
    EXPECT_CONTAINS(s.out, "hpcc\\_x & 2.49 & - & ");
    EXPECT_LACKS(s.out, "burst");
    EXPECT_CONTAINS(weft({"fct", dir / "a", "--buckets", "1MB,10KB"}).err, "each larger");
    EXPECT_CONTAINS(weft({"fct", dir / "a", "--job", "none"}).err, "of a workload 'none'");
    EXPECT_EQ(weft({"fct", dir / "a", "--job", "none"}).code, 3);
    EXPECT_EQ(weft({"fct"}).code, 2);
}

/* One baseline is of the same hosts and size: what a far host takes alone is none for a near one.
 */
TEST(Fct, TheBaselineOfSeveralRunsIsThatOfTheHosts)
{
    TempDir dir;
    for (const char *cc : {"dcqcn", "hpcc"}) {
        make_run(dir / cc, std::string("\"congestion-control\": {\"name\": \"") + cc + "\"}");
        write_file(dir / (std::string(cc) + "/flows.csv"),
                   std::string(header) + "web,1,0,1,5000,0.000,1000.000,1000.000,1\n"
                                         "web,2,0,9,5000,0.000,2000.000,2000.000,1\n");
    }
    const auto rows = fct_rows({dir / "dcqcn", dir / "hpcc"});
    EXPECT_EQ(rows.at("dcqcn|web|0|").at(10), "1");
}

TEST(SlowdownPlot, SeedsAreOneCurveInABand)
{
    TempDir dir;
    make(dir / "a1", "dcqcn", 1, 1, 1000);
    make(dir / "a2", "dcqcn", 2, 2, 1000);
    make(dir / "b1", "hpcc", 1, 1, 1000);
    make(dir / "b2", "hpcc", 2, 1, 1000);
    const auto all =
        plot({dir / "a1", dir / "a2", dir / "b1", dir / "b2", "slowdown", "--job", "web"});
    const auto median = curve(all, "dcqcn", "median");
    ASSERT_EQ(median.size(), 2u);
    EXPECT_DOUBLE_EQ(median[0].y, 1.99);
    size_t bands = 0;
    for (const Point &p : all)
        if (p.panel == "median" && (p.curve == "dcqcn (band)" || p.curve == "hpcc (band)") &&
            p.x == 5000) {
            bands++;
            EXPECT_TRUE((p.y == 1.49 && p.y_to == 2.49) || (p.y == 1.49 && p.y_to == 1.49));
        }
    EXPECT_EQ(bands, 2u);
    const auto both = plot({dir / "a1", dir / "b1", "slowdown"});
    EXPECT_EQ(curve(both, "dcqcn", "burst: 99th percentile").size(), 1u);
}
