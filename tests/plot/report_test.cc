/* SPDX-License-Identifier: GPL-2.0-only */
/* weft report and weft compare --html: what the page says, and that it stands alone. */
#include "folder.h"

namespace
{

bool has_gnuplot()
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

size_t count(const std::string &text, const std::string &part)
{
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at++)
        n++;
    return n;
}

/* Nothing that a browser would fetch or run. */
void expect_alone(const std::string &page)
{
    for (const char *never : {"<script", "<link", "<img", "<iframe", "src=", "url(", "@import",
                              "onload", "GNUPLOT", "javascript:"})
        EXPECT_LACKS(page, never);
    size_t elsewhere = 0;
    for (size_t at = 0; (at = page.find("://", at)) != std::string::npos; at++)
        elsewhere += page.compare(at - 4, 18, "http://www.w3.org/") != 0;
    EXPECT_EQ(elsewhere, 0u);
    EXPECT_CONTAINS(page, "default-src 'none'");
    EXPECT_CONTAINS(page, "prefers-color-scheme:dark");
    EXPECT_CONTAINS(page, "@media print");
}

TEST(Report, OfATrainingStepSaysWhereItsTimeWent)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    ASSERT_EQ(weft(small({"--set", "generate.pattern=data-parallel", "--set", "generate.layers=2",
                          "--quiet", "--out", dir / "a"}))
                  .code,
              0);
    const Said s = weft({"report", dir / "a"});
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "a/report.html");
    expect_alone(page);
    double computed = 0, exposed = 0, end = 0;
    const auto ranks = table(dir / "a/ranks.csv");
    for (const auto &r : ranks) {
        computed += std::stod(r.at("compute_ns")) / (double)ranks.size();
        exposed += std::stod(r.at("exposed_ns")) / (double)ranks.size();
        end = std::max(end, std::stod(r.at("end_ns")));
    }
    char want[160];
    snprintf(want, sizeof want,
             "the mean rank computed %.1f %% and waited for communication %.1f %%",
             100 * computed / end, 100 * exposed / end);
    EXPECT_CONTAINS(page, want);
    for (const char *id : {"exposed", "gantt", "busbw", "slowdown", "fct-cdf", "throughput"})
        EXPECT_EQ(count(page, std::string("<figure id=\"") + id + "\""), 1u) << id;
    EXPECT_EQ(count(page, "<figure id=\"pauses\""), 0u); /* there were none */
    EXPECT_EQ(count(page, "<figure"), count(page, "</svg>"));
    /* settings that were made, and none of the others */
    EXPECT_CONTAINS(page, "<th>single-switch.hosts</th><td>4</td>");
    EXPECT_CONTAINS(page, "<th>generate.layers</th><td>2</td><td>8</td>");
    for (const char *key : {"generate.kind", "generate.repeat", "roce.mtu", "transport.mtu"})
        EXPECT_LACKS(page, std::string("<th>") + key + "</th>");
    ASSERT_EQ(weft({"report", dir / "a"}).code, 0);
    EXPECT_EQ(slurp(dir / "a/report.html"), page);
}

/* Only the root of a gather waits; means over all ranks would say that hardly anybody does. */
TEST(Report, RanksThatWaitForNothingAreNotCounted)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    ASSERT_EQ(weft(small({"--set", "generate.kind=gather", "--quiet", "--out", dir / "a"})).code,
              0);
    const Said s = weft({"report", dir / "a"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(slurp(dir / "a/report.html"), "waited for communication 100.0 %");
}

TEST(Report, NamesThePauses)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv",
               "id,src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,own_nic_ns,"
               "congestion_control_ns,loss_recovery_ns,pfc_pause_ns,fabric_queueing_ns\n"
               "7,3,1,1000,0.000,4000.000,1000.000,4.0,300.000,0.000,0.000,2400.000,300.000\n");
    write_file(dir / "a/pfc.csv", "t_ns,port,node,peer,prio,event\n"
                                  "100.000,1,s9,s8,3,pause\n"
                                  "200.000,2,h3,s9,3,pause\n"
                                  "900.000,2,h3,s9,3,resume\n"
                                  "950.000,1,s9,s8,3,resume\n");
    const Said s = weft({"report", dir / "a", "-o", dir / "r.html"});
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "r.html");
    EXPECT_CONTAINS(page, "80.0 % was being stopped by PFC pauses");
    EXPECT_CONTAINS(page, "<th>message 7, h3 to h1</th>");
    EXPECT_CONTAINS(page, "Pauses began at s8. A root paused others");
    EXPECT_LT(page.find("80.0 %"), page.find("10.0 % was")); /* what weighs most comes first */
}

TEST(Report, OneOfEverythingAtOneMomentIsDrawn)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_run(dir / "a");
    write_file(dir / "a/flows.csv", "id,src,dst,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown\n"
                                    "0,0,1,1000,0.000,1000.000,1000.000,1.0\n");
    write_file(dir / "a/pfc.csv", "t_ns,port,node,peer,prio,event\n"
                                  "69445.000,1,h1,s8,3,pause\n"
                                  "69445.000,2,h2,s8,3,pause\n");
    write_file(dir / "a/links.csv", "port,from,to,dim,util_pct,rate_bps,tx_bytes,pause_ns,"
                                    "max_queue_bytes,drops_buffer,drops_headroom,drops_error,"
                                    "drops_link\n"
                                    "1,h1,s8,0,0,1000000000,0,0,0,0,0,0,0\n");
    std::filesystem::create_directories(dir / "a/series");
    write_file(dir / "a/series/queue.csv", "t_ns,port,node,peer,prio,queue_bytes\n"
                                           "5.000,4,s8,h1,3,1\n");
    const Said s = weft({"report", dir / "a"});
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "a/report.html");
    for (const char *id : {"slowdown", "slowdown-cdf", "fct-cdf", "throughput", "links", "queue",
                           "pauses", "pause-tree"})
        EXPECT_EQ(count(page, std::string("<figure id=\"") + id + "\""), 1u) << id;
}

TEST(Report, SideBySideSaysWhatMoved)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    run_incast(dir / "a");
    run_incast(dir / "b", {"--set", "incast.size=40KB"});
    const Said s = weft({"compare", dir / "a", dir / "b", "--html", dir / "c.html", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out[0], '{');
    EXPECT_CONTAINS(s.err, "c.html");
    const std::string page = slurp(dir / "c.html");
    expect_alone(page);
    EXPECT_CONTAINS(page, "What moved");
    EXPECT_CONTAINS(page, "The runs differ in incast.size.");
    EXPECT_CONTAINS(page, "<h3>size 20KB</h3>");
    EXPECT_CONTAINS(page, "<h3>size 40KB</h3>");
}

/* Nine runs: no sentences, but which of them had least and most. */
TEST(Report, OfManyRunsNamesTheExtremes)
{
    TempDir dir;
    std::vector<std::string> args = {"report", "--out", dir / "page.html"};
    for (int i = 0; i < 9; i++) {
        const std::string run = dir / std::to_string(i);
        std::filesystem::create_directories(run);
        write_file(run + "/run.json",
                   "{\"schema_version\": 1, \"scenario\": \"by-hand\", \"outcome\": \"" +
                       std::string(i == 4 ? "failed" : "finished") +
                       "\", \"partial\": false, \"config\": {\"run\": {\"seed\": \"" +
                       std::to_string(i) + "\"}}, \"summary\": {\"end_to_end_ns\": " +
                       std::to_string(1000 * ((i + 3) % 9)) + ", \"messages\": 5}}\n");
        args.push_back(run);
    }
    const Said s = weft(args);
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "page.html");
    EXPECT_CONTAINS(page, "9 runs, 1 of them did not finish");
    EXPECT_CONTAINS(page, "<th>end-to-end time</th><td>0 ps</td><td>seed 6</td><td>8 us</td>"
                          "<td>seed 5</td>");
    const std::string answer = page.substr(page.find("Least and most"), 2000);
    EXPECT_LACKS(answer.substr(0, answer.find("</section>")), "messages"); /* all have 5 */
}

TEST(Report, WhatFilesSayIsTextToIt)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    make_run(dir / "a", "\"switch\": {\"<b>x\": \"<script>alert(1)</script>\"}");
    write_file(dir / "a/flows.csv",
               "id,src,dst,job,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown\n"
               "0,<i>,1,<script>,10,0.000,20.000,10.000,2.0\n");
    ASSERT_EQ(weft({"report", dir / "a"}).code, 0);
    const std::string page = slurp(dir / "a/report.html");
    expect_alone(page);
    EXPECT_LACKS(page, "<i>");
}

/* A run that a full disk ended leaves tables without any row, and a run.json of its beginning. */
TEST(Report, OfAFullDiskSaysThatItIsPartial)
{
    if (!has_gnuplot())
        GTEST_SKIP() << "no gnuplot";
    TempDir dir;
    ASSERT_EQ(weft(small({"--quiet", "--out", dir / "a"})).code, 0);
    write_file(dir / "a/ranks.csv", "");
    write_file(dir / "a/links.csv", "link,from");
    Said s = weft({"report", dir / "a"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "ranks.csv: it has no row of column names");
    std::string run = slurp(dir / "a/run.json");
    for (const auto &[from, to] :
         {std::pair{"\"outcome\": \"finished\"", "\"outcome\": \"running\""},
          {"\"partial\": false", "\"partial\": true"},
          {"\"summary\"", "\"none\""}}) {
        const size_t at = run.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        run.replace(at, strlen(from), to);
    }
    write_file(dir / "a/run.json", run);
    s = weft({"report", dir / "a"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "1 run (partial results), ");
    const std::string page = slurp(dir / "a/report.html");
    EXPECT_CONTAINS(page, "The run did not finish: it was killed, the disk of its folder was full");
    EXPECT_CONTAINS(page, "<figure id=\"slowdown\"");
    s = weft({"report", dir / "a", dir / "a"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "2 runs (2 with partial results), ");
}

TEST(Report, WithoutGnuplotItSaysWhatToInstall)
{
    TempDir dir;
    run_incast(dir / "a");
    const std::string path = env_or_die("PATH");
    setenv("PATH", "/nonexistent", 1);
    const Said s = weft({"report", dir / "a"});
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(s.code, 4);
    EXPECT_CONTAINS(s.err, "gnuplot-nox");
    EXPECT_FALSE(std::filesystem::exists(dir / "a/report.html"));
}

} // namespace
