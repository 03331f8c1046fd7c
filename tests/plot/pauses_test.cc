/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of pauses and throughput against pfc.csv and flows.csv. */
#include "folder.h"

namespace
{

/* s8 stops s9 and h0; s9, stopped, stops h1 and h2. Much later s7 stops h3. */
void make_storm(const std::string &dir)
{
    make_run(dir);
    write_file(dir + "/pfc.csv", "t_ns,port,node,peer,prio,event\n"
                                 "1000.000,10,s9,s8,3,pause\n"
                                 "1000.000,0,h0,s8,3,pause\n"
                                 "2000.000,1,h1,s9,3,pause\n"
                                 "2500.000,2,h2,s9,3,pause\n"
                                 "3000.000,10,s9,s8,3,resume\n"
                                 "4000.000,1,h1,s9,3,resume\n"
                                 "4500.000,2,h2,s9,3,resume\n"
                                 "5000.000,0,h0,s8,3,resume\n"
                                 "8000.000,3,h3,s7,3,pause\n"
                                 "9000.000,3,h3,s7,3,resume\n");
}

TEST(PausePlot, RowsAndHops)
{
    TempDir dir;
    make_storm(dir / "a");
    const auto all = plot({dir / "a", "pauses"});
    const auto first = curve(all, "stopped by where the congestion is"),
               second = curve(all, "by a node that was stopped itself (2nd hop)");
    ASSERT_EQ(first.size(), 3u);  /* s9, h0, h3 */
    ASSERT_EQ(second.size(), 2u); /* h1, h2 */
    double sum = 0;
    for (const Point &p : first)
        sum += p.x_to - p.x;
    EXPECT_NEAR(sum, 2 + 4 + 1, 1e-6); /* microseconds */
    EXPECT_NEAR(second[0].x, 2, 1e-6);
    EXPECT_NEAR(second[0].x_to, 4, 1e-6);
    EXPECT_NEAR(second[1].x_to - second[1].x, 2, 1e-6);
    EXPECT_LT(first[0].y, second[0].y); /* in the order in which they were stopped */
}

// A node is stopped at three ports, which end in another order: what it stops itself follows from
// the latest that lasts, as long as there is one of that priority.
TEST(PausePlot, HopsFollowThePausesThatLast)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/pfc.csv", "t_ns,port,node,peer,prio,event\n"
                                  "1000.000,7,s6,s9,3,pause\n" // 2nd hop for s6 below
                                  "1000.000,1,s8,s7,3,pause\n"
                                  "1100.000,2,s8,s6,3,pause\n"
                                  "1200.000,3,s8,s7,4,pause\n"
                                  "2000.000,10,h0,s8,3,pause\n" // from port 2: 3rd hop
                                  "2100.000,2,s8,s6,3,resume\n"
                                  "3000.000,11,h1,s8,3,pause\n" // from port 1: 2nd hop
                                  "3100.000,1,s8,s7,3,resume\n"
                                  "4000.000,12,h2,s8,3,pause\n" // port 3 is of another priority
                                  "5000.000,13,h3,s8,4,pause\n"
                                  "5100.000,3,s8,s7,4,resume\n"
                                  "6000.000,14,h4,s8,4,pause\n");
    std::map<double, std::string> hop; // of the pause that began then
    for (const Point &p : plot({dir / "a", "pauses"}))
        hop[p.x] = p.curve.substr(0, 7);
    EXPECT_EQ(hop[2], "3rd hop");
    EXPECT_EQ(hop[3], "by a no"); // "by a node that was stopped itself (2nd hop)"
    EXPECT_EQ(hop[4], "stopped");
    EXPECT_EQ(hop[5], "by a no");
    EXPECT_EQ(hop[6], "stopped");
}

// The axis of time begins at 0 where the first pause is close to it, so that it has that tick.
TEST(PausePlot, TimeBeginsAtZeroWhereItIsNear)
{
    TempDir dir;
    make_run(dir / "a");
    for (const bool near : {true, false}) {
        write_file(dir / "a/pfc.csv", std::string("t_ns,port,node,peer,prio,event\n") +
                                          (near ? "2000" : "900000") +
                                          ".000,0,h0,s8,3,pause\n1000000.000,0,h0,s8,3,resume\n");
        const Said s = weft({"plot", dir / "a", "pauses", "--to", "gnuplot", "--out", "-"});
        EXPECT_EQ(s.out.find("set xrange [0:") != std::string::npos, near) << s.out;
    }
}

// Thousands of short pauses look like one; the name of the port says how long it was stopped.
TEST(PausePlot, SaysHowLongPortsWereStopped)
{
    TempDir dir;
    make_run(dir / "a");
    std::string rows = "t_ns,port,node,peer,prio,event\n";
    for (int i = 0; i < 4000; i++)
        rows += std::to_string(1000 * i) + ".000,0,h0,s8,3,pause\n" +
                std::to_string(1000 * i + 250) + ".000,0,h0,s8,3,resume\n";
    write_file(dir / "a/pfc.csv", rows);
    EXPECT_EQ(plot({dir / "a", "pauses"}).size(), 1u);
    const Said s = weft({"plot", dir / "a", "pauses", "--to", "gnuplot", "--out", "-"});
    EXPECT_CONTAINS(s.out, "h0 to s8, p3: 1 ms");
    EXPECT_CONTAINS(weft({"plot", dir / "a", "pauses", "-o", dir / "p.csv"}).out,
                    "pauses less than 3.076 \u00b5s apart are drawn as one");
}

TEST(PauseTree, RootSpreadAndVictims)
{
    TempDir dir;
    make_storm(dir / "a");
    const Said s = weft({"plot", dir / "a", "pause-tree", "--to", "csv", "--out", "-"});
    ASSERT_EQ(s.code, 0) << s.err;
    const auto all = points_of(s.out);
    std::vector<std::string> texts;
    size_t arrows = 0;
    for (const Point &p : all) {
        if (!p.text.empty())
            texts.push_back(p.text);
        arrows += !std::isnan(p.x_to);
    }
    const std::vector<std::string> want = {"s8: root",
                                           "h0: stopped 4 \u00b5s",
                                           "s9: stopped 2 \u00b5s",
                                           "2 hosts (first h1): stopped 4 \u00b5s together",
                                           "s7: root",
                                           "h3: stopped 1 \u00b5s"};
    EXPECT_EQ(texts, want);
    EXPECT_EQ(arrows, 4u); /* to all but the roots */
}

TEST(PauseTree, PortsThatAreStoppedAddUpToThePauses)
{
    TempDir dir;
    make_storm(dir / "a");
    const Said s = weft({"plot", dir / "a", "pause-tree", "--to", "csv", "--out", "-"});
    std::istringstream in(s.out);
    std::map<std::string, double> area;
    std::map<std::string, std::pair<double, double>> last;
    for (std::string line; std::getline(in, line);) {
        double x, y;
        char name[32];
        if (sscanf(line.c_str(), "\"stopped ports, mean\",%31[^,],%lf,%lf,,,,", name, &x, &y) != 3)
            continue;
        if (last.count(name))
            area[name] += (x - last[name].first) * last[name].second;
        last[name] = {x, y};
    }
    EXPECT_NEAR(area["next to the congestion"], 7, 1e-4);
    EXPECT_NEAR(area["2nd hop"], 4, 1e-4);
}

// 100 MB in 10 us are 80 Tbps, and not 80000 of anything.
TEST(ThroughputPlot, LargeRatesAreInTbps)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv", "job,size_bytes,start_ns,fct_ns,slowdown\n"
                                    "j,100000000,0.000,10000.000,1.0\n");
    const auto all = plot({dir / "a", "throughput"});
    const auto goodput = curve(all, "", "goodput, all hosts together (Tbps)");
    ASSERT_FALSE(goodput.empty());
    EXPECT_NEAR(goodput[0].y, 80, 1e-6);
}

TEST(ThroughputPlot, AreaIsTheBytes)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv", "size_bytes,start_ns,fct_ns,slowdown\n"
                                    "100000,0.000,10000.000,1.0\n"     /* 80 Gbps */
                                    "200000,5000.000,20000.000,1.0\n"  /* 80 Gbps */
                                    "30000,5000.000,20000.000,1.0\n"); /* 12 Gbps */
    const Said s = weft({"plot", dir / "a", "throughput", "--to", "csv", "--out", "-"});
    const auto all = points_of(s.out);
    ASSERT_GT(all.size(), 300u);
    double bits = 0;
    const double width = 25.0 / 300; /* microseconds */
    for (size_t i = 0; i < 300; i++)
        bits += all[i].y * 1e9 * width * 1e-6;
    EXPECT_NEAR(bits, 8 * 330000, 8);
    EXPECT_NEAR(all[10].y, 80, 1e-6);
    EXPECT_NEAR(all[90].y, 172, 1e-6);
    /* Jain's index of 80, 80 and 12: 172^2 / (3 (2 80^2 + 12^2)) */
    double least = 1;
    for (size_t i = 300; i < all.size(); i++)
        least = std::min(least, all[i].y);
    EXPECT_NEAR(least, 92.0 * 92 / (2 * (80.0 * 80 + 12 * 12)), 1e-6); /* of the last two */
    EXPECT_NEAR(all[300 + 20].y, 172.0 * 172 / (3 * (2 * 6400 + 144)), 1e-6);
}

} // namespace
