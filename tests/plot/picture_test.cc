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
    EXPECT_CONTAINS(s.out, "set ylabel 'FCT slowdown (1: as alone, log scale)'\nset logscale y");
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
    const std::string line = " with lines ";
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
