/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of sampled series and of sweeps against their tables. */
#include "folder.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace
{

std::string csv_of(std::vector<std::string> args)
{
    args.insert(args.begin(), "plot");
    args.insert(args.end(), {"--to", "csv", "--out", "-"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    return s.out;
}

TEST(QueuePlot, IsTheTableWithZerosWhereItWasIdle)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/queue.csv", "t_ns,port,node,peer,prio,queue_bytes\n"
                                           "1000.000,4,s1,h0,3,5000\n"
                                           "2000.000,4,s1,h0,3,0\n"
                                           "2000.000,5,s1,h1,3,700\n"
                                           "9000.000,4,s1,h0,3,8000\n");
    /* times up to 9 us are in us; queues in KB */
    EXPECT_EQ(csv_of({dir / "a", "queue"}),
              "panel,curve,x (\u00b5s),y (KB),x_to (\u00b5s),y_to (KB),value,text\n"
              ",\"s1 to h0, p3\",1,5,,,,\n"
              ",\"s1 to h0, p3\",2,0,,,,\n"
              ",\"s1 to h0, p3\",8,0,,,,\n" /* it was idle until then */
              ",\"s1 to h0, p3\",9,8,,,,\n"
              ",\"s1 to h1, p3\",2,0.7,,,,\n");
}

/* On change a value holds until the next row: no zeros in between, and steps. */
TEST(QueuePlot, OnChangeIsStepsOfTheTable)
{
    TempDir dir;
    make_run(dir / "a", "\"sample\": {\"on\": \"change\"}");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/queue.csv", "t_ns,port,node,peer,prio,queue_bytes\n"
                                           "1000.000,4,s1,h0,3,5000\n"
                                           "2000.000,4,s1,h0,3,0\n"
                                           "9000.000,4,s1,h0,3,8000\n");
    EXPECT_EQ(csv_of({dir / "a", "queue"}),
              "panel,curve,x (\u00b5s),y (KB),x_to (\u00b5s),y_to (KB),value,text\n"
              ",\"s1 to h0, p3\",1,5,,,,\n"
              ",\"s1 to h0, p3\",2,0,,,,\n"
              ",\"s1 to h0, p3\",9,8,,,,\n");
    const Said s = weft({"plot", dir / "a", "queue", "--to", "gnuplot", "--out", "-"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "with lines");
}

TEST(QueuePlot, OfEachRunTheLongest)
{
    TempDir dir;
    std::vector<std::string> args;
    for (const char *cc : {"dcqcn", "hpcc"}) {
        make_run(dir / cc, std::string("\"congestion-control\": {\"name\": \"") + cc + "\"}");
        std::filesystem::create_directories(dir / (std::string(cc) + "/series"));
        write_file(dir / (std::string(cc) + "/series/queue.csv"),
                   std::string("t_ns,port,node,peer,prio,queue_bytes\n") +
                       "1000.000,4,s1,h0,3,100\n3000.000,5,s1,h1,3," +
                       (cc[0] == 'd' ? "9000" : "2000") + "\n");
        args.push_back(dir / cc);
    }
    args.push_back("queue");
    const std::string csv = csv_of(args);
    EXPECT_CONTAINS(csv, ",\"dcqcn: s1 to h1, p3\",3,9,");
    EXPECT_CONTAINS(csv, ",\"hpcc: s1 to h1, p3\",3,2,");
    EXPECT_LACKS(csv, "h0");
}

TEST(QueuePlot, ManySamplesKeepTheirPeak)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    std::string rows = "t_ns,port,node,peer,prio,queue_bytes\n";
    for (int i = 1; i <= 12345; i++)
        rows += std::to_string(i) + "000.000,4,s1,h0,3," + (i == 7777 ? "123456" : "10") + "\n";
    write_file(dir / "a/series/queue.csv", rows);
    const std::string csv = csv_of({dir / "a", "queue"});
    EXPECT_LE(std::count(csv.begin(), csv.end(), '\n'), 1001);
    EXPECT_CONTAINS(csv, ",123.456,");
}

TEST(ControlPlot, HasAPanelForTheRateAndForEachColumn)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/qp.csv", "t_ns,qpn,src,dst,prio,rate_bps\n"
                                        "1000.000,7,0,2,3,50000000000\n");
    write_file(dir / "a/series/control.csv", "t_ns,qpn,src,dst,prio,alpha,target_bps,nothing\n"
                                             "1000.000,7,0,2,3,0.25,60000000000,\n"
                                             "2000.000,7,0,2,3,0.125,70000000000,\n");
    EXPECT_EQ(csv_of({dir / "a", "control"}),
              "panel,curve,x,y,x_to,y_to,value,text\n"
              "rate (Gbps) over simulated time (ns),\"h0 to h2, QP 7\",1000,50,,,,\n"
              "alpha over simulated time (\u00b5s),\"h0 to h2, QP 7\",1,0.25,,,,\n"
              "alpha over simulated time (\u00b5s),\"h0 to h2, QP 7\",2,0.125,,,,\n"
              "target (Gbps) over simulated time (\u00b5s),\"h0 to h2, QP 7\",1,60,,,,\n"
              "target (Gbps) over simulated time (\u00b5s),\"h0 to h2, QP 7\",2,70,,,,\n");
    const std::string script =
        weft({"plot", dir / "a", "control", "--to", "gnuplot", "--out", "-"}).out;
    for (const char *axis : {"'rate (Gbps)'", "'alpha'", "'target (Gbps)'"})
        EXPECT_CONTAINS(script, axis);
}

// Seven queue pairs with a larger alpha sent less than the one that the panel of the rate shows.
TEST(ControlPlot, ShowsTheQueuePairsThatSentMost)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    std::string rates = "t_ns,qpn,src,dst,rate_bps,goodput_bps\n",
                kept = "t_ns,qpn,src,dst,alpha\n";
    for (const char *at : {"1000.000,", "2000.000,"}) {
        for (int qpn = 1; qpn <= 7; qpn++) {
            rates += at + std::to_string(qpn) + ",0,2,5000000000,1000\n";
            kept += at + std::to_string(qpn) + ",0,2,1\n";
        }
        rates += at + std::string("9,1,2,") + (at[0] == '1' ? "1" : "2") + "000000000,5000\n";
        kept += at + std::string("9,1,2,") + (at[0] == '1' ? "0.5\n" : "0.25\n");
    }
    write_file(dir / "a/series/qp.csv", rates);
    write_file(dir / "a/series/control.csv", kept);
    for (const char *axis : {"rate (Gbps)", "alpha"})
        EXPECT_EQ(curve(plot({dir / "a", "control"}), "h1 to h2, QP 9", axis).size(), 2u) << axis;
}

size_t count_of(const std::string &text, const std::string &part)
{
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        n++;
    return n;
}

// Panels of the same time axis have one label; what never changes has no panel beside others.
TEST(RatePlot, OneLabelAndNoPanelOfWhatNeverChanges)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    const std::string head = "t_ns,qpn,src,dst,prio,rate_bps,window_bytes,goodput_bps\n";
    write_file(dir / "a/series/qp.csv", head + "1000.000,7,0,2,3,50000000000,1000,40000000000\n"
                                               "2000.000,7,0,2,3,50000000000,2000,50000000000\n");
    const auto script = [&](const char *preset) {
        return weft({"plot", dir / "a", "rate", "--preset", preset, "--to", "gnuplot", "-o", "-"})
            .out;
    };
    EXPECT_LACKS(script("page"), "'rate (Gbps)'");
    EXPECT_CONTAINS(script("page"), "'goodput (Gbps)'");
    EXPECT_EQ(count_of(script("page"), "set xlabel 'simulated time"), 1U);
    EXPECT_CONTAINS(script("slide"), "pdfcairo size 12.000in,6.3"); // 16:9, whatever the panels
    write_file(dir / "a/series/qp.csv", head + "1000.000,7,0,2,3,50000000000,1000,0\n"
                                               "2000.000,7,0,2,3,50000000000,1000,0\n");
    EXPECT_CONTAINS(script("page"), "'rate (Gbps)'"); // alone it has
}

TEST(QueueCdfPlot, IsTheShareOfTime)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/queue_histogram.csv",
               "port,node,peer,prio,from_bytes,to_bytes,time_ns\n"
               "4,s1,h0,3,0,1000,6000.000\n"
               "4,s1,h0,3,1000,2000,3000.000\n"
               "4,s1,h0,3,2000,4000,1000.000\n");
    EXPECT_EQ(csv_of({dir / "a", "queue-cdf"}),
              "panel,curve,x (KB),y (0 to 1),x_to (KB),y_to (0 to 1),value,text\n"
              ",\"s1 to h0, p3\",1,0.6,,,,\n"
              ",\"s1 to h0, p3\",2,0.9,,,,\n"
              ",\"s1 to h0, p3\",4,1,,,,\n");
}

/* Of several runs the same port, or ports together, over seeds. */
TEST(QueueCdfPlot, OfSeveralRunsTheSamePortOrAllTogether)
{
    TempDir dir;
    const char *header = "port,node,peer,prio,from_bytes,to_bytes,time_ns\n";
    const struct {
        const char *name, *cc, *seed, *rows;
    } runs[] = {
        {"a", "dcqcn", "1",
         "4,s1,h0,3,0,1000,6000.000\n4,s1,h0,3,1000,9000,4000.000\n"
         "5,s1,s2,3,0,1000,10000.000\n"},
        {"b", "dcqcn", "2", "4,s1,h0,3,0,1000,10000.000\n5,s1,s2,3,0,1000,10000.000\n"},
        {"c", "hpcc", "1", "4,s1,h0,3,0,1000,10000.000\n5,s1,s2,3,0,2000,10000.000\n"},
    };
    for (const auto &r : runs) {
        make_run(dir / r.name, std::string("\"congestion-control\": {\"name\": \"") + r.cc +
                                   "\"}, \"run\": {\"seed\": \"" + r.seed + "\"}");
        std::filesystem::create_directories(dir / r.name + "/series");
        write_file(dir / r.name + "/series/queue_histogram.csv", std::string(header) + r.rows);
    }
    const auto same = plot({dir / "a", dir / "b", dir / "c", "queue-cdf"});
    const auto d = curve(same, "dcqcn: s1 to h0, p3");
    ASSERT_FALSE(d.empty());
    EXPECT_DOUBLE_EQ(d.back().x, 9);
    EXPECT_DOUBLE_EQ(d[d.size() - 2].y, 0.8); // of both seeds
    EXPECT_EQ(curve(same, "hpcc: s1 to h0, p3").size(), 1u);
    EXPECT_TRUE(curve(same, "hpcc: s1 to s2, p3").empty());
    const auto all = plot({dir / "a", dir / "b", dir / "c", "queue-cdf", "--ports", "all"});
    EXPECT_DOUBLE_EQ(curve(all, "dcqcn")[curve(all, "dcqcn").size() - 2].y, 0.9);
    const auto core = plot({dir / "a", dir / "c", "queue-cdf", "--ports", "switches"});
    EXPECT_DOUBLE_EQ(curve(core, "hpcc").back().x, 2);
    const auto one = plot({dir / "a", dir / "c", "queue-cdf", "--ports", "s1-s2"});
    EXPECT_EQ(curve(one, "hpcc: s1 to s2, p3").size(), 1u);
}

TEST(QueueMapPlot, HasARowForEachPort)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/queue.csv", "t_ns,port,node,peer,prio,queue_bytes\n"
                                           "1000.000,4,s1,h10,3,5000\n"
                                           "2000.000,5,s1,h2,3,700\n"
                                           "9000.000,4,s1,h10,3,8000\n");
    const auto all = plot({dir / "a", "queue-map"});
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].value, 0); // the ground
    EXPECT_EQ(all[0].y_to - all[0].y, 2);
    double most = 0;
    for (const Point &p : std::vector<Point>(all.begin() + 1, all.end())) {
        EXPECT_EQ(p.y_to - p.y, 1);
        EXPECT_EQ(p.y, p.value == 0.7 ? -0.5 : 0.5); // h2 stands before h10
        most = std::max(most, p.value);
    }
    EXPECT_DOUBLE_EQ(most, 8);
}

TEST(TierLoadPlot, IsAllLinksOfATierTogether)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/links.csv", "port,from,to,rate_bps,tx_bytes\n0,h0,s2,100,9\n"
                                    "1,h1,s2,100,9\n2,s2,s3,100,9\n3,s3,s2,100,0\n");
    write_file(dir / "a/series/throughput.csv", "t_ns,port,node,peer,throughput_bps\n"
                                                "1000.000,0,h0,s2,100\n"
                                                "1000.000,1,h1,s2,50\n"
                                                "2000.000,1,h1,s2,20\n"
                                                "2000.000,2,s2,s3,30\n");
    const auto all = plot({dir / "a", "tier-load"});
    const auto hosts = curve(all, "from hosts"), core = curve(all, "between switches");
    ASSERT_EQ(hosts.size(), 2u);
    EXPECT_DOUBLE_EQ(hosts[0].y, 75);
    EXPECT_DOUBLE_EQ(hosts[1].y, 10);
    EXPECT_DOUBLE_EQ(core[1].y, 15); /* the idle link counts */
}

/* Links that carried something and have no samples do not count. */
TEST(TierLoadPlot, IsOfTheSampledLinksOnly)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/links.csv", "port,from,to,rate_bps,tx_bytes\n0,h0,s2,100,9\n"
                                    "1,s2,s3,100,9\n2,s3,s2,100,9\n3,s2,s4,100,0\n");
    write_file(dir / "a/series/throughput.csv", "t_ns,port,from,to,throughput_bps\n"
                                                "1000.000,1,s2,s3,60\n"
                                                "2000.000,1,s2,s3,40\n");
    const auto all = plot({dir / "a", "tier-load"});
    ASSERT_EQ(all.size(), 2u); /* no curve of hosts */
    const auto core = curve(all, "between switches (1 of 3 links)");
    ASSERT_EQ(core.size(), 2u);
    EXPECT_DOUBLE_EQ(core[0].y, 60);
    EXPECT_DOUBLE_EQ(core[1].y, 40);
}

/* Links of a fabric in both directions: (from, to, dim, util). */
std::string links_of(const std::vector<std::tuple<std::string, std::string, int, double>> &list)
{
    std::string rows = "from,to,dim,util_pct,rate_bps\n";
    for (const auto &l : list) {
        const std::string more = "," + std::to_string(std::get<2>(l)) + ",";
        rows += std::get<0>(l) + "," + std::get<1>(l) + more + std::to_string(std::get<3>(l)) +
                ",100000000000\n";
        rows += std::get<1>(l) + "," + std::get<0>(l) + more + "1,100000000000\n";
    }
    return rows;
}

TEST(LinksPlot, SmallFabricsAreDrawnWhole)
{
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/links.csv", links_of({{"h0", "s2", 0, 40}, {"h1", "s2", 0, 60}}));
    std::map<std::string, int> texts;
    std::vector<double> values;
    for (const Point &p : plot({dir / "a", "links"})) {
        if (!p.text.empty())
            texts[p.text]++;
        if (!std::isnan(p.value))
            values.push_back(p.value);
    }
    EXPECT_EQ(texts, (std::map<std::string, int>{{"h0", 1}, {"h1", 1}, {"s2", 1}}));
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, (std::vector<double>{40, 60})); /* the busier direction */
}

TEST(LinksPlot, LargeOnesAreFoldedByWhatHangsTogether)
{
    TempDir dir;
    make_run(dir / "a");
    std::vector<std::tuple<std::string, std::string, int, double>> list;
    for (int pod = 0; pod < 4; pod++) { /* 4 racks of 25 hosts, each to both of two spines */
        const std::string leaf = "s" + std::to_string(100 + pod);
        for (int h = 0; h < 25; h++)
            list.emplace_back("h" + std::to_string(25 * pod + h), leaf, 0,
                              pod == 2 && h == 7 ? 93 : 5);
        list.emplace_back(leaf, "s104", 0, 20 + pod);
        list.emplace_back(leaf, "s105", 0, 30 + pod);
    }
    write_file(dir / "a/links.csv", links_of(list));
    std::vector<std::string> texts;
    std::vector<double> values;
    for (const Point &p : plot({dir / "a", "links"})) {
        if (!p.text.empty())
            texts.push_back(p.text);
        if (!std::isnan(p.value))
            values.push_back(p.value);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"s104", "s105", "s100", "s101", "s102", "s103",
                                               "h0-24", "h25-49", "h50-74", "h75-99"}));
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, (std::vector<double>{5, 5, 5, 20, 21, 22, 23, 30, 31, 32, 33, 93}));
}

// Neighbours of a ring stand next to each other, in whatever order its links are listed.
TEST(LinksPlot, HostsStandInTheOrderOfTheirNames)
{
    TempDir dir;
    make_run(dir / "a");
    std::vector<std::tuple<std::string, std::string, int, double>> list;
    for (int i = 0; i < 12; i++)
        list.emplace_back("h" + std::to_string(i * 5 % 12), "h" + std::to_string((i * 5 + 1) % 12),
                          0, 50);
    write_file(dir / "a/links.csv", links_of(list));
    size_t links = 0;
    for (const Point &p : plot({dir / "a", "links"}))
        if (p.value == 50) {
            EXPECT_LT(hypot(p.x_to - p.x, (p.y_to - p.y) / 3.5), 0.25);
            links++;
        }
    EXPECT_EQ(links, 12u);
}

// Of names that would touch each other a picture has one in so many; a table has all.
TEST(LinksPlot, NamesDoNotTouch)
{
    TempDir dir;
    make_run(dir / "a");
    std::vector<std::tuple<std::string, std::string, int, double>> list;
    for (int i = 0; i < 30; i++)
        list.emplace_back("h" + std::to_string(1000 + i), "s2000", 0, 50);
    write_file(dir / "a/links.csv", links_of(list));
    size_t all = 0;
    for (const Point &p : plot({dir / "a", "links"}))
        all += p.text[0] == 'h';
    EXPECT_EQ(all, 30u);
    for (const char *preset : {"page", "paper-1col", "slide"}) {
        const Said s =
            weft({"plot", dir / "a", "links", "-p", preset, "--to", "gnuplot", "-o", "-"});
        ASSERT_EQ(s.code, 0) << s.err;
        const double width = std::string(preset) == "page" ? 920
                             : *preset == 'p'              ? 366
                                                           : 1320,
                     letter = std::string(preset) == "page" ? 7
                              : *preset == 'p'              ? 6.2
                                                            : 10.9;
        std::istringstream in(s.out);
        double left = NAN, right = NAN, x, y;
        std::vector<double> names;
        for (std::string line; std::getline(in, line);) {
            if (sscanf(line.c_str(), "%lf %lf \"h1", &x, &y) == 2 &&
                line.find("\"h1") != std::string::npos)
                names.push_back(x);
            sscanf(line.c_str(), "set lmargin at screen %lf", &left);
            sscanf(line.c_str(), "set rmargin at screen %lf", &right);
        }
        ASSERT_GE(names.size(), 2u);
        for (size_t i = 1; i < names.size(); i++) /* the axis goes from -0.04 to 1.04 */
            EXPECT_GT((names[i] - names[i - 1]) / 1.08 * (right - left) * width, 5 * letter)
                << preset;
    }
}

// Names of rows have a line each.
TEST(QueueMapPlot, NamesOfRowsDoNotTouch)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    std::string rows = "t_ns,port,from,to,prio,queue_bytes\n";
    for (int t = 1; t <= 2; t++)
        for (int i = 0; i < 120; i++)
            rows += std::to_string(1000 * t) + ".000," + std::to_string(i) + ",s1,h" +
                    std::to_string(i) + ",3,1000\n";
    write_file(dir / "a/series/queue.csv", rows);
    const Said s = weft({"plot", dir / "a", "queue-map", "--to", "gnuplot", "-o", "-"});
    ASSERT_EQ(s.code, 0) << s.err;
    const size_t at = s.out.find("set ytics");
    const std::string ticks = s.out.substr(at, s.out.find('\n', at) - at);
    size_t n = 0;
    for (size_t i = 0; (i = ticks.find("'s1 to h", i)) != std::string::npos; i++)
        n++;
    EXPECT_EQ(n, 40u);                          /* of 670 pixels, 110 of them margins */
    EXPECT_CONTAINS(s.out, "plot wide = 0.00"); /* areas overlap, or there are seams */
}

// Units are those in which numbers are short, whatever was sampled.
TEST(RatePlot, LongRttsAreInMilliseconds)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    const auto script_of = [&](const std::string &first, const std::string &second) {
        write_file(dir / "a/series/qp.csv", "t_ns,src,dst,qpn,rtt_ns,rate_bps\n1000.000,0,1,2," +
                                                first + "\n2000.000,0,1,2," + second + "\n");
        return weft({"plot", dir / "a", "rate", "--to", "gnuplot", "-o", "-"}).out;
    };
    const std::string usual = script_of("8000.000,300000000000", "9000.000,200000000000");
    EXPECT_CONTAINS(usual, "set ylabel 'RTT (\u00b5s)'");
    EXPECT_CONTAINS(usual, "set ylabel 'rate (Gbps)'");
    const std::string large = script_of("8000000.000,3000000000000", "9000000.000,200000000000");
    EXPECT_CONTAINS(large, "set ylabel 'RTT (ms)'");
    EXPECT_CONTAINS(large, "set ylabel 'rate (Tbps)'");
}

/* 30 and 10 at once: 40^2 / (2 (30^2 + 10^2)); alone there is nothing to be fair to. */
TEST(RatePlot, JainsIndexOfGoodput)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/qp.csv", "t_ns,qpn,src,dst,goodput_bps\n"
                                        "1000.000,1,0,2,30000000000\n"
                                        "1000.000,2,1,2,10000000000\n"
                                        "2000.000,1,0,2,20000000000\n"
                                        "2000.000,2,1,2,20000000000\n"
                                        "3000.000,1,0,2,40000000000\n");
    const auto c = curve(plot({dir / "a", "rate"}), "all queue pairs", "Jain's index of goodput");
    ASSERT_EQ(c.size(), 2u);
    EXPECT_DOUBLE_EQ(c[0].x, 1);
    EXPECT_DOUBLE_EQ(c[0].y, 0.8);
    EXPECT_DOUBLE_EQ(c[1].y, 1);
}

/* Seven probes have a larger window than the flow that sends nearly all: every panel shows it. */
TEST(RatePlot, ShowsTheQueuePairsThatSentMost)
{
    TempDir dir;
    make_run(dir / "a");
    std::filesystem::create_directories(dir / "a/series");
    std::string rows = "t_ns,qpn,src,dst,goodput_bps,window_bytes\n";
    for (int qpn = 1; qpn <= 7; qpn++)
        rows += "1000.000," + std::to_string(qpn) + ",0,2,1000,90000\n";
    write_file(dir / "a/series/qp.csv", rows + "1000.000,9,1,2,5000,8000\n");
    for (const char *axis : {"goodput (Gbps)", "window (KB)"})
        EXPECT_EQ(curve(plot({dir / "a", "rate"}), "h1 to h2, QP 9", axis).size(), 1u) << axis;
}

/* Two links are full at some time; the one that carries more is shown, not the first by name. */
TEST(LinkThroughputPlot, ShowsThoseThatCarriedMost)
{
    TempDir dir;
    std::vector<std::string> args;
    for (const char *run : {"a", "b"}) {
        make_run(dir / run);
        std::filesystem::create_directories(dir / run + "/series");
        write_file(dir / run + "/series/throughput.csv",
                   "t_ns,node,peer,throughput_bps\n"
                   "1000.000,h0,s2,100000000000\n1000.000,s2,h1,99000000000\n"
                   "2000.000,h0,s2,0\n2000.000,s2,h1,99000000000\n");
        args.push_back(dir / run);
    }
    args.push_back("link-throughput");
    const auto all = plot(args);
    ASSERT_EQ(all.size(), 4u);
    for (const Point &p : all)
        EXPECT_CONTAINS(p.curve, "s2 to h1");
}

TEST(SeriesPlot, SaysHowToSample)
{
    TempDir dir;
    make_run(dir / "a");
    for (const char *kind :
         {"queue", "buffer", "rate", "control", "queue-cdf", "link-throughput"}) {
        const Said s = weft({"plot", dir / "a", kind});
        EXPECT_EQ(s.code, 3);
        EXPECT_CONTAINS(s.err, "sample.what=");
    }
}

void make_sweep(const std::string &dir, const std::string &csv)
{
    std::filesystem::create_directories(dir);
    write_file(dir + "/sweep.csv", csv);
    write_file(dir + "/run.json", "{\"schema_version\": 1, \"command\": \"sweep\"}\n");
}

TEST(SweepPlot, WhatIsZeroInAllRowsHasNoPanel)
{
    TempDir dir;
    make_sweep(dir / "s", "congestion-control.name,outcome,drops,end_to_end_ns,speed_up\n"
                          "none,finished,0,2000,1\n"
                          "hpcc,finished,0,1000,2\n");
    const std::string csv = csv_of({dir / "s", "sweep"});
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv; // two bars, of one metric
}

TEST(SweepPlot, NothingButZeroIsSaid)
{
    TempDir dir;
    make_sweep(dir / "s", "switch.buffer,outcome,drops,speed_up\n1MB,finished,0,1\n");
    const Said s = weft({"plot", dir / "s", "sweep"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "/s has a value other than 0");
}

TEST(SweepPlot, DrawsTheMetricsThatAreNamed)
{
    TempDir dir;
    make_sweep(dir / "s", "congestion-control.name,outcome,max_queue_bytes,job.web.fct_p99_ns,x\n"
                          "none,finished,5,2000,1\n"
                          "hpcc,finished,4,1000,2\n");
    const auto lines = [&](std::vector<std::string> more) {
        std::vector<std::string> args = {dir / "s", "sweep"};
        args.insert(args.end(), more.begin(), more.end());
        const std::string csv = csv_of(args);
        return std::count(csv.begin(), csv.end(), '\n') - 1;
    };
    EXPECT_EQ(lines({}), 6);
    EXPECT_EQ(lines({"-m", "max-queue"}), 2);
    EXPECT_EQ(lines({"-m", "max-queue", "-m", "job.web.fct-p99"}), 4);
    const Said s = weft({"plot", dir / "s", "sweep", "-m", "max-queu"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "has no metric 'max-queu'; did you mean 'max-queue'?");
}

TEST(SweepPlot, APercentSignInANameIsNoFormat)
{
    TempDir dir;
    make_sweep(dir / "s", "load,outcome,end_to_end_ns,speed_up\n"
                          "20 % of it,finished,2000,1\n"
                          "60 % of it,finished,1000,2\n");
    const Said s = weft({"plot", dir / "s", "sweep", "--to", "gnuplot", "--out", "-"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_NE(s.out.find("'20 %% of it'"), std::string::npos) << s.out;
}

/* Words that are turned go on to the right of the last bar: the panel leaves room for them. */
TEST(SweepPlot, TurnedWordsEndInsideThePicture)
{
    TempDir dir;
    const auto right = [&](const char *words) {
        std::string rows = "run,outcome,end_to_end_ns,speed_up\n";
        for (char c = 'a'; c < 'g'; c++)
            rows += std::string(words) + c + ",finished,2000,1\n";
        make_sweep(dir / "s", rows);
        const Said s = weft({"plot", dir / "s", "sweep", "--to", "gnuplot", "--out", "-"});
        const size_t at = s.out.find("set rmargin at screen ");
        return at == std::string::npos ? NAN : std::stod(s.out.substr(at + 22));
    };
    EXPECT_GT(right("short"), 0.95);
    EXPECT_LT(right("15-to-1 of 1 MB and 1 MiB of buffer "), 0.9);
    EXPECT_GT(right("15-to-1 of 1 MB and 1 MiB of buffer "), 0.6);
}

/* A million times as much on one axis: the unit is not of the largest, of which it is 1e-06. */
TEST(SweepPlot, LogAxisHasAUnitBetween)
{
    TempDir dir;
    make_sweep(dir / "s", "generate.size,outcome,all_reduce_bus_bandwidth_bps,speed_up\n"
                          "8B,finished,3000000,1\n"
                          "1GiB,finished,3000000000000,1\n");
    EXPECT_CONTAINS(csv_of({dir / "s", "sweep"}), "y (Gbps)");
}

TEST(SweepPlot, LinesOverTheNumbersInTheirOrder)
{
    TempDir dir;
    make_sweep(dir / "s", "switch.buffer,congestion-control.name,outcome,seeds,slowdown_p99,"
                          "slowdown_p99_ci95,drops,speed_up\n"
                          "10MB,dcqcn,finished,2,3.5,0.1,0,1\n"
                          "10MB,hpcc,finished,2,2.5,0.1,0,1\n"
                          "2MB,dcqcn,finished,2,7.5,0.1,40,1\n"
                          "2MB,hpcc,failed,,,,,\n");
    EXPECT_EQ(csv_of({dir / "s", "sweep"}),
              "panel,curve,x (bytes),y,x_to (bytes),y_to,value,text\n"
              "slowdown p99,dcqcn,2000000,7.5,,,,\n"
              "slowdown p99,dcqcn,10000000,3.5,,,,\n"
              "slowdown p99,,2000000,7.4,2000000,7.6,,\n" /* intervals */
              "slowdown p99,,10000000,3.4,10000000,3.6,,\n"
              "slowdown p99,hpcc,10000000,2.5,,,,\n"
              "slowdown p99,,10000000,2.4,10000000,2.6,,\n"
              "drops,dcqcn,2000000,40,,,,\n"
              "drops,dcqcn,10000000,0,,,,\n"
              "drops,hpcc,10000000,0,,,,\n");
    /* an interval that goes below the axis begins where that does: gnuplot sees its other end */
    make_sweep(dir / "wide", "switch.buffer,outcome,seeds,fct_p99_ns,fct_p99_ns_ci95,speed_up\n"
                             "10MB,finished,2,3000,5000,1\n"
                             "20MB,finished,2,2000,100,1\n");
    const std::string wide = csv_of({dir / "wide", "sweep"});
    EXPECT_NE(wide.find(",10000000,0,10000000,8,"), std::string::npos) << wide;
}

/* tp 8 goes with dp 4, tp 16 with dp 2: one axis, and not a curve for each dp. */
TEST(SweepPlot, SettingsThatChangeTogetherAreOneAxis)
{
    TempDir dir;
    make_sweep(dir / "s", "NIC,training.tp,training.dp,outcome,job.web.fct_p50_ns,speed_up\n"
                          "200G,8,4,finished,4000000,1\n"
                          "200G,16,2,finished,3000000,1\n"
                          "400G,8,4,finished,2000000,1\n"
                          "400G,16,2,finished,1000000,1\n");
    EXPECT_EQ(csv_of({dir / "s", "sweep"}), "panel,curve,x,y (ms),x_to,y_to (ms),value,text\n"
                                            ",200G,8,4,,,,\n"
                                            ",200G,16,3,,,,\n"
                                            ",400G,8,2,,,,\n"
                                            ",400G,16,1,,,,\n");
    const Said s = weft({"plot", dir / "s", "sweep", "--to", "gnuplot", "--out", "-"});
    EXPECT_NE(s.out.find("'Sweep over NIC, training.tp'"), std::string::npos) << s.out;
    EXPECT_NE(s.out.find("'web: FCT p50 (ms)'"), std::string::npos) << s.out;
}

/* Eight controls on two fabrics: eight groups of two bars. */
TEST(SweepPlot, GroupsAreOfTheAxisThatHasFewValues)
{
    TempDir dir;
    std::string rows = "links,control,outcome,drops,speed_up\n";
    for (const char *links : {"whole", "slow"})
        for (int i = 0; i < 8; i++)
            rows += std::string(links) + ",cc" + char('a' + i) + ",finished,3,1\n";
    make_sweep(dir / "s", rows);
    const std::string csv = csv_of({dir / "s", "sweep"});
    EXPECT_NE(csv.find(",whole,-0.4,0,0,3,,\n"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",slow,0,0,0.4,3,,\n"), std::string::npos) << csv;
}

TEST(SweepPlot, BarsWithoutNumbersAndHeatMapOverTwoLongAxes)
{
    TempDir dir;
    make_sweep(dir / "bars", "congestion-control.name,outcome,end_to_end_ns,speed_up\n"
                             "dcqcn,finished,2000.000,1\n"
                             "hpcc,finished,1000.000,2\n");
    EXPECT_EQ(csv_of({dir / "bars", "sweep"}),
              "panel,curve,x,y (\u00b5s),x_to,y_to (\u00b5s),value,text\n"
              ",,-0.35,0,0.35,2,,\n"
              ",,0.65,0,1.35,1,,\n");
    std::string rows = "system.chunks,switch.buffer,outcome,drops,speed_up\n";
    for (int c = 1; c <= 4; c++)
        for (int b = 1; b <= 5; b++)
            rows += std::to_string(c) + "," + std::to_string(b) + "MB,finished," +
                    std::to_string(10 * c + b) + ",1\n";
    make_sweep(dir / "heat", rows);
    const auto heat = points_of(csv_of({dir / "heat", "sweep"}));
    ASSERT_EQ(heat.size(), 20u);
    for (const Point &p : heat) /* x: buffers, y: chunks */
        EXPECT_DOUBLE_EQ(p.value, 10 * (p.y + 1.5) + p.x + 1.5);
    const Said script = weft({"plot", dir / "heat", "sweep", "--to", "gnuplot", "--out", "-"});
    EXPECT_NE(script.out.find("sprintf('%.3g', $5)"), std::string::npos) << script.out;
    EXPECT_NE(script.out.find("$5 < 28 ?"), std::string::npos) << script.out; /* of 11 to 45 */
    EXPECT_NE(script.out.find("set xlabel 'switch.buffer' "), std::string::npos) << script.out;
    const Said picture = weft({"plot", dir / "heat", "sweep", "--to", "svg", "--out", "-"});
    for (const char *value : {">11<", ">23<", ">45<"})
        EXPECT_NE(picture.out.find(value), std::string::npos) << value;
}

/* What a reference has is no axis; how far off rows are is a panel, also below 0. */
TEST(SweepPlot, OffByIsAPanel)
{
    TempDir dir;
    make_sweep(dir / "s", "generate.size,reference.elapsed,outcome,elapsed_ns,elapsed_ns_off_pct,"
                          "speed_up\n"
                          "1KB,1us,finished,900,-10.0,1\n"
                          "2KB,-,finished,1000,,1\n"
                          "4KB,1us,finished,1100,10.0,1\n");
    EXPECT_EQ(csv_of({dir / "s", "sweep"}), "panel,curve,x (bytes),y,x_to (bytes),y_to,value,text\n"
                                            "elapsed (ns),,1000,900,,,,\n"
                                            "elapsed (ns),,2000,1000,,,,\n"
                                            "elapsed (ns),,4000,1100,,,,\n"
                                            "\"elapsed, off by (%)\",,1000,-10,,,,\n"
                                            "\"elapsed, off by (%)\",,4000,10,,,,\n");
}

/* Two axes of words: a group for each value of the first, in it a bar of each of the last. */
TEST(SweepPlot, BarsInGroups)
{
    TempDir dir;
    make_sweep(dir / "bars", "fabric,scheduler,outcome,end_to_end_ns,speed_up\n"
                             "2D,fixed,finished,2000.000,1\n"
                             "2D,themis,finished,1000.000,2\n"
                             "3D,fixed,finished,4000.000,1\n"
                             "3D,themis,failed,,\n");
    EXPECT_EQ(csv_of({dir / "bars", "sweep"}),
              "panel,curve,x,y (\u00b5s),x_to,y_to (\u00b5s),value,text\n"
              ",fixed,-0.4,0,0,2,,\n"
              ",fixed,0.6,0,1,4,,\n"
              ",themis,0,0,0.4,1,,\n");
}

TEST(SweepPlot, ASweepStandsForItsRuns)
{
    TempDir dir;
    const Said s =
        weft({"sweep", "--set", "network.backend=ideal", "--set", "topology.type=single-switch",
              "--set", "single-switch.hosts=4", "--set", "workload.type=generate", "--vary",
              "generate.size=64KiB|128KiB|1MiB", "--out", dir / "s"});
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string csv = csv_of({dir / "s", "fct-cdf"});
    for (const char *label : {"size 64KiB", "size 128KiB", "size 1MiB"})
        EXPECT_CONTAINS(csv, label);
    EXPECT_CONTAINS(csv_of({dir / "s", "sweep"}), ",65536,");
}

// Rows with a label are called by it, by what else varies and by their seed; what a long value has
// in common with the others is left out, and what stays too long gives way to the folder.
TEST(SweepPlot, RunsHaveTheNamesOfTheirRows)
{
    TempDir dir;
    std::vector<std::string> args = {"sweep", "--out", dir / "s", "--seeds", "1..2"};
    for (const char *set : {"network.backend=ideal", "topology.type=multi",
                            "workload.type=generate", "generate.size=64KiB"})
        args.insert(args.end(), {"--set", set});
    const std::string inner = "switch size=4 rate=400Gbps delay=250ns; leaf-spine leaves=2 ";
    args.insert(args.end(), {"--vary",
                             "label.fabric=1:1|2:1 & multi.dimensions=" + inner + "spines=2|" +
                                 inner + "spines=1",
                             "--vary", "system.all-reduce=ring|direct"});
    const Said s = weft(args);
    ASSERT_EQ(s.code, 0) << s.err;
    const auto names = [&](const std::vector<std::string> &runs) {
        std::set<std::string> out;
        std::vector<std::string> what = runs;
        what.push_back("fct-cdf");
        for (const Point &p : plot(what))
            out.insert(p.curve);
        return out;
    };
    EXPECT_EQ(names({dir / "s"}).count("seed 2, 2:1, all-reduce direct"), 1u);
    EXPECT_EQ(names({dir / "s/1", dir / "s/5"}), (std::set<std::string>{"1:1", "2:1"}));
    std::filesystem::rename(dir / "s/1", dir / "a");
    std::filesystem::rename(dir / "s/5", dir / "b");
    EXPECT_EQ(names({dir / "a", dir / "b"}),
              (std::set<std::string>{"dimensions spines=2", "dimensions spines=1"}));
    std::string run = slurp(dir / "b/run.json");
    for (size_t at = run.find(inner); at != std::string::npos; at = run.find(inner, at + 1))
        run.replace(at, inner.size(),
                    "ring size=4 rate=1600Gbps delay=900ns; leaf-spine leaves=2 hosts-per-leaf=8 ");
    write_file(dir / "b/run.json", run);
    EXPECT_EQ(names({dir / "a", dir / "b"}), (std::set<std::string>{"a", "b"}));
    std::filesystem::create_directory(dir / "other");
    std::filesystem::rename(dir / "b", dir / "other/a"); // of the same name: with its folder
    EXPECT_EQ(names({dir / "a", dir / "other/a"}).size(), 2u);
}

} // namespace
