/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of ranks and collectives against ranks.csv, ops.csv, collectives.csv. */
#include "folder.h"

namespace
{

/* A training loop of 4 ranks. */
void run_loop(const std::string &dir)
{
    const Said s = weft(small({"--set", "generate.pattern=data-parallel", "--set",
                               "generate.layers=2", "--quiet", "--out", dir}));
    ASSERT_EQ(s.code, 0) << s.err;
}

TEST(ExposedPlot, PartsOfEachBarAreTheColumns)
{
    TempDir dir;
    run_loop(dir / "a");
    const auto all = plot({dir / "a", "exposed"});
    const auto ranks = table(dir / "a/ranks.csv");
    ASSERT_EQ(ranks.size(), 4u);
    const std::map<std::string, std::string> parts = {{"compute", "compute_ns"},
                                                      {"network: data on its way", "network_ns"}};
    double unit = 0; /* nanoseconds to that of the figure, which is the same for all */
    for (const auto &part : parts) {
        const auto c = curve(all, part.first);
        ASSERT_EQ(c.size(), 4u) << part.first;
        for (size_t i = 0; i < 4; i++) {
            const double ns = std::stod(ranks[i].at(part.second));
            unit = unit ? unit : ns / (c[i].y_to - c[i].y);
            EXPECT_NEAR((c[i].y_to - c[i].y) * unit, ns, ns * 1e-6) << part.first << i;
            EXPECT_NEAR((c[i].x + c[i].x_to) / 2, (double)i, 1e-9);
        }
    }
    EXPECT_TRUE(unit == 1e3 || unit == 1e6) << unit;
    double top = 0; /* the bar of rank 0 ends where the rank does */
    for (const Point &p : all)
        top = p.x < 0.5 && !std::isnan(p.y_to) ? std::max(top, p.y_to) : top;
    EXPECT_NEAR(top * unit, std::stod(ranks[0].at("end_ns")), 1);
}

TEST(GanttPlot, CoversTheOperations)
{
    TempDir dir;
    run_loop(dir / "a");
    const auto all = plot({dir / "a", "gantt"});
    std::map<std::string, double> drawn, told; /* time of each kind on rank 2 */
    for (const Point &p : all)
        if (std::floor(p.y + 0.5) == 2)
            drawn[p.curve] += p.x_to - p.x;
    for (auto &row : table(dir / "a/ops.csv"))
        if (row["rank"] == "2" && row["kind"] == "compute")
            told["compute"] += std::stod(row["end_ns"]) - std::stod(row["start_ns"]);
    ASSERT_GT(told["compute"], 0);
    const double unit =
        std::pow(1000, std::round(std::log10(told["compute"] / drawn["compute"]) / 3));
    EXPECT_NEAR(drawn["compute"] * unit, told["compute"], told["compute"] * 1e-3);
    EXPECT_GT(drawn["all-reduce"], 0);
}

/* The same collective of two groups is two curves; a posted receive hides neither. */
TEST(GanttPlot, TellsKindsOfParallelismApart)
{
    TempDir dir;
    ASSERT_EQ(weft({"run",
                    "--set",
                    "topology.type=leaf-spine",
                    "--set",
                    "workload.type=training",
                    "--set",
                    "training.ranks=8",
                    "--set",
                    "training.tp=2",
                    "--set",
                    "training.pp=2",
                    "--set",
                    "training.layers=2",
                    "--set",
                    "training.sequence=1024",
                    "--set",
                    "network.backend=ideal",
                    "--out",
                    dir / "a",
                    "-q"},
                   dir / "")
                  .code,
              0);
    std::map<std::string, std::set<std::string>> used; /* by collective */
    for (auto &row : table(dir / "a/ops.csv"))
        used[row["kind"]].insert(row["parallelism"]);
    EXPECT_EQ(used["all-gather"], (std::set<std::string>{"dp", "tp"}));
    EXPECT_EQ(used["send"], (std::set<std::string>{"pp"}));
    EXPECT_EQ(used["compute"], (std::set<std::string>{""}));
    const auto all = plot({dir / "a", "gantt"});
    std::map<std::string, double> height;
    for (const Point &p : all)
        height[p.curve] = p.y_to - p.y;
    EXPECT_GT(height["tensor parallelism (tp)"], 0.3);
    EXPECT_GT(height["data parallelism (dp)"], 0.3);
    EXPECT_GT(height["pipeline (pp)"], 0.3);
    EXPECT_EQ(height.count("all-gather"), 0u);
    EXPECT_LT(height["receive posted"], 0.1);
}

/* The path's second step goes on at another rank; 3/4 of it are the network's. */
TEST(CriticalPathPlot, BoxesAreTheStepsByCause)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/critical_path.csv", "rank,begin_ns,end_ns,compute_ns,network_ns,reduce_ns\n"
                                            "10,0.000,1000.000,1000.000,0.000,0.000\n"
                                            "2,1000.000,5000.000,0.000,3000.000,1000.000\n");
    const auto all = plot({dir / "a", "critical-path"});
    const auto compute = curve(all, "compute (20 %)"),
               network = curve(all, "network: data on its way (60 %)"),
               reduce = curve(all, "adding up (20 %)"), jump = curve(all, "");
    ASSERT_TRUE(compute.size() == 1 && network.size() == 1 && reduce.size() == 1 &&
                jump.size() == 1);
    EXPECT_DOUBLE_EQ(compute[0].x, 0);
    EXPECT_DOUBLE_EQ(compute[0].x_to, 1);
    EXPECT_DOUBLE_EQ(network[0].x, 1);
    EXPECT_DOUBLE_EQ(network[0].x_to, 4);
    EXPECT_DOUBLE_EQ(reduce[0].x_to, 5);
    EXPECT_NEAR((compute[0].y + compute[0].y_to) / 2, 1, 1e-9); /* rank 2 is above rank 10 */
    EXPECT_NEAR((network[0].y + network[0].y_to) / 2, 0, 1e-9);
    EXPECT_DOUBLE_EQ(jump[0].x, 1);
    EXPECT_DOUBLE_EQ(jump[0].y, 1);
    EXPECT_DOUBLE_EQ(jump[0].y_to, 0);
}

TEST(CriticalPathPlot, OfARunIsAsLongAsTheRun)
{
    TempDir dir;
    run_loop(dir / "a");
    double drawn = 0, told = 0;
    for (const Point &p : plot({dir / "a", "critical-path"}))
        if (!p.curve.empty())
            drawn += p.x_to - p.x;
    for (auto &row : table(dir / "a/critical_path.csv"))
        told = std::max(told, std::stod(row["end_ns"]));
    const double unit = std::pow(1000, std::round(std::log10(told / drawn) / 3));
    EXPECT_NEAR(drawn * unit, told, told * 1e-3);
}

/* 40 ranks take turns: more than there are rows. */
TEST(CriticalPathPlot, ManyRanksShareRows)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = "rank,begin_ns,end_ns,compute_ns\n";
    for (int i = 0; i < 40; i++)
        rows += std::to_string(i) + "," + std::to_string(1000 * i) + "," +
                std::to_string(1000 * (i + 1)) + ",1000\n";
    write_file(dir / "a/critical_path.csv", rows);
    const auto boxes = curve(plot({dir / "a", "critical-path"}), "compute (100 %)");
    double drawn = 0, lowest = 0;
    for (const Point &p : boxes) {
        drawn += p.x_to - p.x;
        lowest = std::max(lowest, p.y);
    }
    EXPECT_NEAR(drawn, 40, 1e-6);
    EXPECT_NEAR(lowest, 19 - 0.36, 1e-6);
}

TEST(BusbwPlot, IsBusBytesByTime)
{
    TempDir dir;
    make_run(dir / "a");
    /* 8 Gbit/s of 1000 bytes take 1 us; the second of two equal ones took twice as long. Phases of
     * one collective all say the same. */
    write_file(dir / "a/ops.csv", "rank,node_id,kind,duration_ns\n"
                                  "0,1,all-reduce,1000.000\n"
                                  "0,2,all-reduce,2000.000\n"
                                  "0,3,all-reduce,1000.000\n"
                                  "0,4,compute,5.000\n");
    write_file(dir / "a/collectives.csv",
               "rank,node_id,collective,algorithm,dim,algbw_bps,busbw_bps\n"
               "0,1,all-reduce,ring,,8000000000,12000000000\n"
               "0,2,all-reduce,ring,,4000000000,6000000000\n"
               "0,3,all-reduce,ring,0,64000000000,96000000000\n"
               "0,3,all-reduce,ring,1,64000000000,96000000000\n");
    const Said s = weft({"plot", dir / "a", "busbw", "--to", "csv", "--out", "-"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, ",\"all-reduce, ring\",1000,8,"); /* 24000 bits in 3 us */
    EXPECT_CONTAINS(s.out, ",all-reduce over dimensions,8000,96,");
}

TEST(BusbwPlot, RunsOfSeveralSizesAreOneCurve)
{
    TempDir dir;
    std::vector<std::string> args = {"plot"};
    for (const char *size : {"64KiB", "128KiB", "1MiB"}) {
        const Said s = weft(small({"--set", std::string("generate.size=") + size, "--set",
                                   "system.all-reduce=ring", "--quiet", "--out", dir / size}));
        ASSERT_EQ(s.code, 0) << s.err;
        args.push_back(dir / size);
    }
    args.insert(args.end(), {"busbw", "--to", "csv", "--out", "-"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    std::istringstream in(s.out);
    std::string line, name;
    std::vector<std::string> sizes = {",65536,", ",131072,", ",1048576,"};
    std::getline(in, line);
    for (const std::string &x : sizes) {
        ASSERT_TRUE(std::getline(in, line)) << s.out;
        EXPECT_CONTAINS(line, x);
        EXPECT_TRUE(name.empty() || line.rfind(name, 0) == 0) << line;
        name = line.substr(0, line.find(x));
    }
}

} // namespace
