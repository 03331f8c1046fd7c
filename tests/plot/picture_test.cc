/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures: what gnuplot draws, what is made of it, and what happens without it. */
#include "folder.h"

#include <set>

namespace
{

bool has_gnuplot()
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* A run with a workload whose name is markup to SVG, quotes to gnuplot, and a command to a shell.
 */
void make_nasty(const std::string &dir)
{
    make_run(dir);
    write_file(dir + "/flows.csv", "job,size_bytes,start_ns,fct_ns,slowdown\n"
                                   "a<b>&'\"\"`x`\\,10,0.000,10.000,1.0\n"
                                   "$(touch x) EOD,10,0.000,10.000,2.0\n");
}

TEST(Plot, SvgStandsAloneAndIsTheSameEachTime)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_nasty(dir / "a");
    const std::vector<std::string> args = {"plot", dir / "a", "slowdown-cdf", "--out", "-"};
    const Said first = weft(args, dir / "a");
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(weft(args).out, first.out);
    EXPECT_CONTAINS(first.out, "a&lt;b");
    EXPECT_CONTAINS(first.out, "$(touch x) EOD");
    EXPECT_CONTAINS(first.out, "prefers-color-scheme:dark");
    EXPECT_CONTAINS(first.out, "share of messages (0 to 1)");
    for (const char *never :
         {"GNUPLOT", "<script", "href=\"http", "url(http", "@import", "gnuplot_"})
        EXPECT_LACKS(first.out, never);
    size_t links = 0; /* names of XML alone, nothing that is fetched */
    for (size_t at = 0; (at = first.out.find("http", at)) != std::string::npos; at++)
        links += first.out.compare(at, 18, "http://www.w3.org/") != 0;
    EXPECT_EQ(links, 0u);
    EXPECT_FALSE(std::filesystem::exists(dir / "a/x"));
}

TEST(Plot, PdfIsTheSameEachTime)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_nasty(dir / "a");
    const std::vector<std::string> args = {"plot", dir / "a", "fct-cdf", "--to",
                                           "pdf",  "--out",   "-"};
    const Said first = weft(args);
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out.substr(0, 5), "%PDF-");
    sleep(1); /* it would have the time in it */
    EXPECT_EQ(weft(args).out, first.out);
}

TEST(Plot, TheEndingOfTheFileSaysTheFormat)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_nasty(dir / "a");
    const std::vector<std::pair<std::string, std::string>> formats = {{"f.svg", "<?xml"},
                                                                      {"f.pdf", "%PDF-"},
                                                                      {"f.png", "\x89PNG"},
                                                                      {"f.csv", "panel,"},
                                                                      {"d.x/f", "<?xml"}};
    std::filesystem::create_directory(dir / "d.x");
    for (const auto &[name, begin] : formats) {
        const Said s = weft({"plot", dir / "a", "fct-cdf", "-o", dir / name});
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(slurp(dir / name).substr(0, begin.size()), begin) << name;
    }
    const Said bad = weft({"plot", dir / "a", "fct-cdf", "-o", dir / "f.jpg"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_CONTAINS(bad.err, "no format has the ending '.jpg'");
    ASSERT_EQ(weft({"plot", dir / "a", "fct-cdf", "--to", "csv", "-o", dir / "f.jpg"}).code, 0);
}

TEST(Plot, DefaultPlaceIsTheFolder)
{
    TempDir dir;
    make_nasty(dir / "a");
    const Said s = weft({"plot", dir / "a", "slowdown", "--to", "gnuplot"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(slurp(dir / "a/slowdown.gp"), "$d0 << EOD");
}

TEST(Plot, WithoutGnuplotItSaysWhatToInstall)
{
    TempDir dir;
    make_nasty(dir / "a");
    const std::string path = env_or_die("PATH");
    setenv("PATH", "/nonexistent", 1);
    const Said picture = weft({"plot", dir / "a", "slowdown"});
    const Said script = weft({"plot", dir / "a", "slowdown", "--to", "gnuplot", "--out", "-"});
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(picture.code, 4);
    EXPECT_CONTAINS(picture.err, "gnuplot-nox");
    EXPECT_FALSE(std::filesystem::exists(dir / "a/slowdown.svg"));
    EXPECT_EQ(script.code, 0) << script.err;
    EXPECT_CONTAINS(script.out, "set multiplot");
}

TEST(Plot, ScriptDrawsWithGnuplotAlone)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_nasty(dir / "a");
    ASSERT_EQ(weft({"plot", dir / "a", "slowdown", "--to", "gnuplot"}).code, 0);
    const std::string out = dir / "out.svg";
    EXPECT_EQ(
        system(("gnuplot -e 'set terminal svg' '" + (dir / "a/slowdown.gp") + "' > '" + out + "'")
                   .c_str()),
        0);
    EXPECT_CONTAINS(slurp(out), "</svg>");
}

TEST(Plot, AxesThatAreToBeLogarithmicAreAndSaySo)
{
    TempDir dir;
    make_nasty(dir / "a");
    const Said s = weft({"plot", dir / "a", "slowdown", "--logy", "--to", "gnuplot", "-o", "-"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "set ylabel 'FCT slowdown (1: as alone, log scale)'");
    EXPECT_CONTAINS(s.out, "\nset logscale y");
}

TEST(Plot, SizesAreInKBAsElsewhere)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv", "job,size_bytes,start_ns,fct_ns,slowdown\n"
                                    "j,100,0.000,10.000,1.0\nj,20000000,0.000,10.000,2.0\n");
    ASSERT_EQ(weft({"plot", dir / "a", "slowdown"}).code, 0);
    const std::string svg = slurp(dir / "a/slowdown.svg");
    for (const char *size : {">1KB<", ">10KB<", ">100KB<", ">1MB<"})
        EXPECT_CONTAINS(svg, size);
    EXPECT_LACKS(svg, "kB");
}

/* The script of a figure. */
std::string script_of(std::vector<std::string> args)
{
    args.insert(args.begin(), "plot");
    args.insert(args.end(), {"--to", "gnuplot", "--out", "-"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    return s.out;
}

/* How often a part occurs in a text. */
size_t times(const std::string &text, const std::string &part)
{
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at++)
        n++;
    return n;
}

/* Pixels of a picture, from the comment of its script. */
std::pair<int, int> size_of(const std::string &script)
{
    std::pair<int, int> size = {0, 0};
    const std::string before = "set terminal svg size ";
    const size_t at = script.find(before);
    EXPECT_NE(at, std::string::npos);
    EXPECT_EQ(sscanf(script.c_str() + at + before.size(), "%d,%d", &size.first, &size.second), 2);
    return size;
}

/* Runs with queues at 40 ports, the k-th with longer ones, a fabric, pauses and operations. Returns
 * their folders. */
std::vector<std::string> make_many(const std::string &dir, int n)
{
    std::vector<std::string> dirs;
    for (int k = 1; k <= n; k++) {
        dirs.push_back(dir + "/r" + std::to_string(k));
        make_run(dirs.back(), "\"switch\": {\"buffer\": \"" + std::to_string(k) + "MB\"}");
        std::string json = slurp(dirs.back() + "/run.json");
        json.insert(json.find("\"end_to_end_ns\""),
                    "\"elapsed_ns\": " + std::to_string(1000 * k) + ", ");
        write_file(dirs.back() + "/run.json", json);
        std::filesystem::create_directories(dirs.back() + "/series");
        std::string queues = "t_ns,port,from,to,prio,queue_bytes\n",
                    links = "from,to,dim,util_pct,rate_bps\n", ops = "rank,kind,start_ns,end_ns\n",
                    pauses = "t_ns,port,node,peer,prio,event\n";
        for (int port = 0; port < 40; port++) {
            const std::string host = "h" + std::to_string(port);
            for (int t = 1; t <= 2; t++)
                queues += std::to_string(1000 * t) + ".000," + std::to_string(port) + ",s40," +
                          host + ",3," + std::to_string(1000 * k * (port + 1)) + "\n";
            links += host + ",s40,0,50,1000\ns40," + host + ",0,10,1000\n";
            ops += std::to_string(port) + ",compute,0.000," + std::to_string(1000 * k) + ".000\n";
            for (const char *event : {"100.000,?,pause", "500.000,?,resume"})
                pauses +=
                    std::string(event).replace(8, 1, std::to_string(port) + "," + host + ",s40,3") +
                    "\n";
        }
        write_file(dirs.back() + "/series/queue.csv", queues);
        write_file(dirs.back() + "/links.csv", links);
        write_file(dirs.back() + "/ops.csv", ops);
        write_file(dirs.back() + "/pfc.csv", pauses);
    }
    return dirs;
}

// Below each other, nine panels would be a strip that no page has room for.
TEST(PlotOfManyRuns, PanelsStandSideBySide)
{
    TempDir dir;
    std::vector<std::string> args = make_many(dir / "", 9);
    for (const std::string kind : {"queue-map", "links", "pauses", "gantt", "pause-tree"}) {
        args.push_back(kind);
        const std::string script = script_of(args);
        args.pop_back();
        EXPECT_LE(size_of(script).second, 1300) << kind;
        for (const char *column : {"0.000000", "0.333333", "0.666667"})
            EXPECT_GE(times(script, std::string("\nset origin ") + column), 3u) << kind;
        EXPECT_EQ(times(script, "\nset key"), kind == "queue-map" ? 0u : 1u) << kind;
        EXPECT_EQ(times(script, "\nset colorbox"), kind == "queue-map" || kind == "links" ? 1u : 0u)
            << kind;
    }
}

// A colour, a length and a row are the same in all panels.
TEST(PlotOfManyRuns, PanelsHaveOneScale)
{
    TempDir dir;
    std::vector<std::string> args = make_many(dir / "", 9);
    args.push_back("queue-map");
    const std::string script = script_of(args);
    EXPECT_EQ(times(script, "set cbrange [0:360]\n"), 10u); /* 9 panels and the colours */
    EXPECT_EQ(times(script, "set cblabel 'queue (KB)'"), 10u);
    EXPECT_EQ(times(script, "set yrange [15.5:-0.5]\n"), 9u);
    EXPECT_EQ(times(script, "'s40 to h24' 0"), 9u); /* the first of 16 ports */
    EXPECT_LACKS(script, "'s40 to h23'");
    args.back() = "gantt";
    EXPECT_EQ(times(script_of(args), "set xrange [0:9]\n"), 9u);
}

TEST(PlotOfManyRuns, CaptionSaysWhatIsLeftOut)
{
    TempDir dir;
    std::vector<std::string> args = make_many(dir / "", 13);
    args.insert(args.begin(), "plot");
    for (const char *kind : {"queue-map", "links", "pauses", "gantt", "pause-tree"}) {
        std::vector<std::string> a = args;
        a.insert(a.end(), {kind, "-o", dir / "f.csv"});
        const Said s = weft(a);
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, "The first 12 of 13 runs are shown.");
    }
}

// Each run has its first hop at another port; one legend for both panels says what all colours are.
TEST(Plot, LegendOfSeveralPanelsHasTheCurvesOfAll)
{
    TempDir dir;
    for (const bool both : {true, false}) {
        const std::string run = dir / (both ? "a" : "b");
        make_run(run);
        write_file(run + "/pfc.csv",
                   std::string("t_ns,port,node,peer,prio,event\n1000.000,1,s9,s8,3,pause\n") +
                       (both ? "2000.000,2,h1,s9,3,pause\n" : ""));
    }
    const std::string script = script_of({dir / "a", dir / "b", "pauses"});
    EXPECT_EQ(times(script, "\nset key"), 1u);
    for (const char *hop :
         {"'stopped by where the congestion is'", "'by a node that was stopped itself (2nd hop)'"})
        EXPECT_EQ(times(script, std::string(" title ") + hop), 1u);
    EXPECT_GT(script.rfind("\nset key"), script.rfind("\nset origin"));
}

// Sizes that are close to each other have ticks of their own, in the unit of all sizes.
TEST(Plot, LinearSizesAreInKBToo)
{
    TempDir dir;
    make_run(dir / "a");
    const std::string head = "job,size_bytes,start_ns,fct_ns,slowdown\n";
    write_file(dir / "a/flows.csv", head + "j,65536,0.000,10.000,1.0\nj,65536,0.000,10.000,2.0\n");
    const std::string one = script_of({dir / "a", "slowdown"});
    EXPECT_CONTAINS(one, "set xtics nomirror out ('65.536KB' 65536) norotate");
    EXPECT_CONTAINS(one, "set xrange [32768:98304]");
    write_file(dir / "a/flows.csv",
               head + "j,500000,0.000,10.000,1.0\nj,1500000,0.000,10.000,2.0\n");
    EXPECT_CONTAINS(script_of({dir / "a", "slowdown"}),
                    "('600KB' 600000, '800KB' 800000, '1MB' 1000000, '1.2MB' 1200000, "
                    "'1.4MB' 1400000)");
}

// What a label loses where there is no room is never its unit.
TEST(Plot, LabelsKeepTheirUnits)
{
    TempDir dir;
    make_nasty(dir / "a");
    const std::string narrow = script_of({dir / "a", "throughput", "-p", "paper-1col"});
    EXPECT_CONTAINS(narrow, "set ylabel 'goodput, all hosts together (Gbps)'");
    const std::string low = script_of({dir / "a", "slowdown", "--logy", "--height", "150"});
    EXPECT_CONTAINS(low, "set ylabel 'FCT slowdown' ");
    EXPECT_CONTAINS(low, "set xlabel 'size of the message (bytes)'");
}

// A scale of logarithms whose points are within a power of ten would have one number or two.
TEST(Plot, AxesWithinAPowerOfTenAreLinear)
{
    TempDir dir;
    for (const bool wide : {false, true}) {
        make_run(dir / "a");
        write_file(dir / "a/flows.csv", "job,size_bytes,start_ns,fct_ns,slowdown\n"
                                        "j,10,0.000,2000.000,1.0\n"
                                        "j,10,0.000," +
                                            std::string(wide ? "20001.000" : "19999.000") +
                                            ",2.0\n");
        const Said s = weft({"plot", dir / "a", "fct-cdf", "--to", "gnuplot", "--out", "-"});
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.out, wide ? "\nset logscale x" : "\nunset logscale x");
        EXPECT_CONTAINS(s.out, wide ? "s, log scale)" : "s)");
    }
}

// Colours repeat from the eighth curve on; the dashes of their lines then differ.
TEST(Plot, TwelveLinesHaveTwelveStyles)
{
    TempDir dir;
    std::vector<std::string> args = {"plot"};
    for (int i = 0; i < 12; i++) {
        args.push_back(dir / ("r" + std::to_string(i)));
        make_run(args.back());
        write_file(args.back() + "/flows.csv", "job,size_bytes,start_ns,fct_ns,slowdown\n"
                                               "j,10,0.000,2000.000,1.0\n"
                                               "j,10,0.000,3000.000,2.0\n");
    }
    args.insert(args.end(), {"fct-cdf", "--to", "gnuplot", "--out", "-"});
    const Said s = weft(args);
    ASSERT_EQ(s.code, 0) << s.err;
    std::set<std::string> styles;
    const std::string line = "NaN with lines "; /* in the legend */
    for (size_t at = s.out.find(line); at != std::string::npos; at = s.out.find(line, at + 1))
        styles.insert(s.out.substr(at, s.out.find(" title", at) - at));
    EXPECT_EQ(styles.size(), 12u);
}

TEST(Plot, RefusesWhatItCannotDraw)
{
    TempDir dir;
    make_run(dir / "a");
    const std::vector<std::pair<std::vector<std::string>, std::pair<int, const char *>>> cases = {
        {{"plot", dir / "a", "slowdwon"}, {2, "did you mean 'slowdown'"}},
        {{"plot", dir / "a"}, {2, "plot needs folders"}},
        {{"plot", dir / "a", "gantt"}, {3, "no operations of ranks"}},
        {{"plot", dir / "nowhere", "gantt"}, {3, "no folder of a run"}},
        {{"plot", dir / "a", "gantt", "--from", "5"}, {2, "--from 5"}},
        {{"plot", dir / "a", "gantt", "--from", "5ms", "--until", "5ms"},
         {2, "before --until 5ms"}},
        {{"plot", dir / "a", "fct-cdf", "--job", "web"}, {3, "with --job web"}},
        {{"plot", dir / "a", "slowdown", "--job", "web"}, {3, "with --job web"}},
        {{"plot", dir / "a", "queue", "--from", "1s", "--until", "2s"},
         {3, "with --from 1s --until 2s"}},
        {{"plot", dir / "a", "queue-cdf", "--ports", "s9-h9"}, {3, "with --ports s9-h9"}},
    };
    for (const auto &c : cases) {
        const Said s = weft(c.first);
        EXPECT_EQ(s.code, c.second.first) << s.err;
        EXPECT_CONTAINS(s.err, c.second.second);
    }
}

TEST(Plot, LargeFabricsAreFolded)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    const Said s = weft({"topology", "draw", "--set", "topology.type=fat-tree", "--set",
                         "fat-tree.k=16", "--set", "fat-tree.host-rate=100Gbps"});
    ASSERT_EQ(s.code, 0) << s.err;
    for (const char *text : {">1024 hosts, 320 switches, 3072 links<", ">1024 hosts (16 boxes)<",
                             ">128 switches (16 boxes)<", ">64 switches (1 box)<",
                             ">1024 links of 100 Gbps, dimension 0, tier 1<"})
        EXPECT_CONTAINS(s.out, text);
    EXPECT_LT(s.out.size(), 100000u);
}

// All rows failed: there is no folder of a run.
TEST(Plot, ASweepWithoutRunsIsRefused)
{
    TempDir dir;
    write_file(dir / "s.xml", "");
    EXPECT_NE(weft({"sweep", dir / "s.xml", "--vary", "run.seed=1|2", "--out", dir / "o"}).code, 0);
    for (const char *kind : {"slowdown", "gantt", "links", "queue-cdf"}) {
        const Said s = weft({"plot", dir / "o", kind, "--to", "csv", "--out", "-"});
        EXPECT_EQ(s.code, 3) << kind;
        EXPECT_CONTAINS(s.err, "no run of the sweep has a folder");
    }
}

TEST(Plot, ListsItsKinds)
{
    const Said plot_list = weft({"plot", "--list"}), list = weft({"list", "plots"});
    for (const char *kind : {"slowdown", "gantt", "busbw", "exposed"}) {
        EXPECT_CONTAINS(plot_list.out, kind);
        EXPECT_CONTAINS(list.out, kind);
    }
}

TEST(Plot, EveryKindIsExplained)
{
    const std::string page = slurp(source_dir() + "/docs/reference/lists.md");
    std::istringstream in(weft({"plot", "--list"}).out);
    for (std::string line; std::getline(in, line);) {
        const std::string name = line.substr(0, line.find(' '));
        EXPECT_CONTAINS(page, "| `" + name + "` |");
    }
}

} // namespace
