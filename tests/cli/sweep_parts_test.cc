// SPDX-License-Identifier: GPL-2.0-only
// Scenarios with several sweeps, their quick variants, bounds and pages.
#include "program.h"

#include <filesystem>

namespace
{

/* Ring all-reduce of 8 ranks, ideal: 14 x (size / 8 x 80 ps + 2 us + ...); direct a seventh of it.
 */
std::string scenario(const std::string &sweeps)
{
    return "<scenario name=\"s\">\n"
           "<topology type=\"single-switch\" hosts=\"8\" rate=\"100Gbps\"/>\n"
           "<network backend=\"ideal\"/><ideal contention=\"none\"/>\n"
           "<workload type=\"generate\" size=\"1MiB\"/>\n" +
           sweeps + "</scenario>\n";
}

const char *const TWO =
    "<sweep name=\"size\" title=\"against its size\" metrics=\"end-to-end\">"
    "<set system.chunks=\"1\"/>"
    "<vary generate.size=\"1MiB|4MiB\"/>"
    "<vary system.all-reduce=\"ring|direct\"/>"
    "<quick generate.size=\"4KiB\" system.chunks=\"2\"/>"
    "<bound metric=\"end-to-end\" where=\"system.all-reduce=direct\" "
    "over=\"system.all-reduce=ring\" min=\"0.14\" max=\"0.15\" why=\"a seventh\"/>"
    "<bound metric=\"messages\" where=\"generate.size=4MiB\" max=\"112\" quick=\"no\"/>"
    "</sweep>\n"
    "<sweep name=\"algorithm\" metrics=\"end-to-end\">"
    "<vary system.all-reduce=\"ring|direct\"/>"
    "<bound metric=\"speed-up\" where=\"system.all-reduce=direct\" min=\"6.9\"/>"
    "</sweep>\n";

TEST(SweepParts, AllInTurnIntoFoldersOfTheirNames)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario(TWO));
    Said s = weft({"sweep", "s.xml", "--out", "o"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.find("size: against its size\n"), 0u) << s.out;
    EXPECT_CONTAINS(s.out, "\n\nalgorithm\n");
    EXPECT_CONTAINS(s.out,
                    "  ok     end-to-end, system.all-reduce=direct, over that of "
                    "system.all-reduce=ring: 0.1429 in 2 rows, expected 0.14 to 0.15: a seventh\n");
    EXPECT_CONTAINS(s.out, "messages, generate.size=4MiB: 112 in 2 rows, expected at most 112\n");
    for (const char *row : {"size/4", "algorithm/2"})
        EXPECT_TRUE(std::filesystem::exists(dir / ("o/" + std::string(row) + "/finished"))) << row;
    EXPECT_FALSE(std::filesystem::exists(dir / "o/algorithm/3"));
    Said again = weft({"sweep", "s.xml", "--out", "o", "--resume"}, dir / "");
    EXPECT_EQ(again.out, s.out) << again.err;
}

TEST(SweepParts, OneOfThemQuickAndWithSettings)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario(TWO));
    Said s = weft({"sweep", "s.xml", "--part", "size", "--quick", "-o", "o"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "4KiB           direct");
    EXPECT_EQ(s.out.find("MiB"), std::string::npos) << s.out; // nor the bound that is not for it
    EXPECT_EQ(s.out.find("algorithm"), std::string::npos);
    EXPECT_CONTAINS(slurp(dir / "o/size/1/run.json"), "\"chunks\": \"2\"");
    s = weft({"sweep", "s.xml", "--part", "size", "--set", "system.chunks=3", "-o", "o"}, dir / "");
    EXPECT_CONTAINS(slurp(dir / "o/size/1/run.json"), "\"chunks\": \"3\"");
}

/* Files of <set>, <vary> and <quick> are those beside the scenario, wherever weft is. */
TEST(SweepParts, FilesAreThoseBesideTheScenario)
{
    TempDir dir;
    std::filesystem::create_directories(dir / "study");
    write_file(dir / "study/one.csv", "src,dst,size_bytes,start_ns\n0,1,1000,0\n");
    write_file(dir / "study/two.csv", "src,dst,size_bytes,start_ns\n0,1,1000,0\n1,2,1000,0\n");
    write_file(dir / "study/scenario.xml",
               "<scenario name=\"s\"><topology type=\"single-switch\" hosts=\"4\"/>\n"
               "<network backend=\"ideal\"/><workload type=\"flows\" file=\"one.csv\"/>\n"
               "<sweep metrics=\"messages\" speed-up=\"no\">"
               "<vary flows.file=\"one.csv|two.csv\"/>"
               "<bound metric=\"messages\" where=\"flows.file=two.csv\" min=\"2\"/>"
               "<quick flows.file=\"two.csv\"/></sweep></scenario>\n");
    Said s = weft({"sweep", "study", "-o", "o"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.err, "");
    EXPECT_EQ(s.out.find("flows.file  messages\none.csv     1\ntwo.csv     2\n"), 0u) << s.out;
    EXPECT_CONTAINS(s.out, "ok     messages, flows.file=two.csv: 2, expected at least 2");
    // Who gathers the rows knows which they are.
    ASSERT_EQ(weft({"sweep", "study", "-o", "e", "--emit", "parallel"}, dir / "").code, 0);
    ASSERT_EQ(system(("sh '" + (dir / "e/points.sh") + "' >/dev/null 2>&1").c_str()), 0);
    s = weft({"sweep", "--collect", "e"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "e/sweep.csv"), slurp(dir / "o/sweep.csv"));
    s = weft({"sweep", "study", "--quick"}, dir / "");
    EXPECT_CONTAINS(s.out, "\ntwo.csv     2\n");
    s = weft({"sweep", "scenario.xml"}, dir / "study");
    EXPECT_EQ(s.code, 0) << s.err;
    // On the command line a file is one where weft is.
    s = weft({"sweep", "study", "--vary", "flows.file=one.csv"}, dir / "");
    EXPECT_NE(s.code, 0);
    EXPECT_EQ(weft({"sweep", "study", "--vary", "flows.file=study/one.csv"}, dir / "").code, 0);
}

/* What a search finds can be claimed, and stands in a grid if more than one other axis is varied.
 */
TEST(SweepParts, WhatIsFoundIsAGridAndCanBeClaimed)
{
    TempDir dir;
    const std::string sweep =
        "<sweep metrics=\"end-to-end\" find=\"max generate.size where end-to-end &lt;= 100us\">"
        "<vary label.algorithm=\"a ring|direct\" system.all-reduce=\"ring|direct\"/>"
        "<vary system.chunks=\"1|2\"/>"
        "<vary generate.size=\"64KiB..4MiB*2\"/>"
        "<bound metric=\"found\" where=\"algorithm=direct\" min=\"4MiB\"/>"
        "<bound metric=\"found\" where=\"algorithm=direct\" over=\"algorithm=a ring\" min=\"2\"/>";
    write_file(dir / "s.xml", scenario(sweep + "</sweep>"));
    Said s = weft({"check", "s.xml"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    s = weft({"sweep", "s.xml", "--update", "page.md"}, dir / "");
    EXPECT_NE(s.code, 0);
    write_file(dir / "page.md", "<!-- sweep -->\n<!-- end -->\n");
    s = weft({"sweep", "s.xml", "--update", "page.md"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\nmax generate.size where end-to-end <= 100us\n"
                           "  algorithm  1       2\n"
                           "  a ring     256KiB  256KiB\n"
                           "  direct     4MiB    4MiB\n");
    EXPECT_CONTAINS(s.out,
                    "ok     found, algorithm=direct: 4MiB in 2 rows, expected at least 4MiB");
    EXPECT_CONTAINS(s.out, "over that of algorithm=a ring: 16 in 2 rows, expected at least 2");
    const std::string page = slurp(dir / "page.md");
    EXPECT_CONTAINS(page, "  direct     4MiB    4MiB\n");
    EXPECT_EQ(page.find("end-to-end  speed-up"), std::string::npos) << "the rows it took: " << page;
    write_file(dir / "s.xml", scenario("<sweep><vary generate.size=\"1MiB|2MiB\"/>"
                                       "<bound metric=\"found\" min=\"1\"/></sweep>"));
    s = weft({"sweep", "s.xml"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "nothing is searched for");
}

TEST(SweepParts, ABoundThatIsMissed)
{
    TempDir dir;
    write_file(
        dir / "s.xml",
        scenario("<sweep metrics=\"end-to-end\"><vary system.all-reduce=\"ring|direct\"/>\n"
                 "<bound metric=\"end-to-end\" max=\"100us\" why=\"not so slow\"/></sweep>"));
    Said s = weft({"sweep", "s.xml"}, dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "  MISSED end-to-end: 24.97 us to 174.8 us in 2 rows, expected at most "
                           "100us: not so slow\n");
    EXPECT_CONTAINS(s.err, "s.xml:6: bound missed: end-to-end: 24.97 us");
    s = weft({"sweep", "s.xml", "--json"}, dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "\"holds\": false");
    // A row without a value is no row within a bound.
    s = weft({"sweep", "s.xml", "--set", "run.until=30us"}, dir / "");
    EXPECT_CONTAINS(s.out, "MISSED end-to-end: n/a");
    // Settings of the command line are not those that the bounds are of.
    s = weft({"sweep", "s.xml", "--vary", "system.all-reduce=ring"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
}

TEST(SweepParts, TablesGoIntoAPage)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario(TWO));
    write_file(dir / "p.md", "one\n<!-- sweep size -->\nold\n<!-- end -->\ntwo\n<!-- sweep "
                             "algorithm -->\n<!-- end -->\n");
    Said s = weft({"sweep", "s.xml", "--update", "p.md"}, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    const std::string page = slurp(dir / "p.md");
    const std::string head = "one\n<!-- sweep size -->\n```\ngenerate.size  system.all-reduce  "
                             "end-to-end  messages  speed-up\n";
    EXPECT_EQ(page.substr(0, head.size()), head);
    EXPECT_CONTAINS(page, "a seventh\n  ok     messages");
    EXPECT_CONTAINS(page,
                    "```\n<!-- end -->\ntwo\n<!-- sweep algorithm -->\n```\nsystem.all-reduce");
    EXPECT_EQ(page.find("old"), std::string::npos);
    ASSERT_EQ(weft({"sweep", "s.xml", "--update", "p.md"}, dir / "").code, 0);
    EXPECT_EQ(slurp(dir / "p.md"), page);
    write_file(dir / "q.md", "nothing\n");
    s = weft({"sweep", "s.xml", "--part", "size", "--update", "q.md"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "q.md: --update: has no line '<!-- sweep size -->'");
    EXPECT_EQ(slurp(dir / "q.md"), "nothing\n");
}

/* Tables and claims speak of the label, the run has the settings. */
TEST(SweepParts, LabelsStandForLongValues)
{
    TempDir dir;
    write_file(dir / "s.xml",
               scenario("<sweep metrics=\"end-to-end\"><vary label.how=\"slow|fast\" "
                        "system.all-reduce=\"ring|direct\" system.chunks=\"1|2\"/>"
                        "<bound metric=\"speed-up\" where=\"how=fast\" min=\"2\"/></sweep>"));
    Said s = weft({"sweep", "s.xml", "-o", "o"}, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.find("how   end-to-end  speed-up\nslow  "), 0u) << s.out;
    EXPECT_CONTAINS(s.out, "speed-up, how=fast: ");
    EXPECT_EQ(slurp(dir / "o/sweep.csv").find("how,outcome,"), 0u);
    EXPECT_CONTAINS(slurp(dir / "o/2/run.json"), "\"all-reduce\": \"direct\"");
    EXPECT_CONTAINS(slurp(dir / "o/2/run.json"), "\"chunks\": \"2\"");
    for (const char *bad :
         {"label.how=a|b", "label.a=1|2 & label.b=1|2 & run.seed=1|2", "label.a=1|2 & run.seed=1"})
        EXPECT_EQ(weft({"sweep", "s.xml", "--vary", bad}, dir / "").code, 2) << bad;
}

/* What another source has for a metric: how far off each row is, as a table, as a claim, in files.
 */
TEST(SweepParts, ReferencesSayHowFarOffRowsAre)
{
    TempDir dir;
    const std::string axis = "<vary label.how=\"slow|fast\" system.all-reduce=\"ring|direct\" "
                             "reference.messages=\"100|-\"/>";
    const auto sweep = [&](const std::string &bound) {
        write_file(dir / "s.xml", scenario("<sweep metrics=\"messages, end-to-end\">" + axis +
                                           "<bound metric=\"messages\" " + bound + "/></sweep>"));
        return weft({"sweep", "s.xml", "-o", "o", "--json"}, dir / "");
    };
    Said s = sweep("where=\"how=slow\" over=\"reference\" min=\"1.1\" max=\"1.2\"");
    EXPECT_EQ(s.code, 0) << s.err; // 112 messages
    EXPECT_CONTAINS(s.out, "\"messages_off_pct\": 12");
    EXPECT_CONTAINS(s.out, "\"messages_off_pct\": null");
    const std::string csv = slurp(dir / "o/sweep.csv");
    EXPECT_EQ(csv.find("how,reference.messages,outcome,messages,end_to_end_ns,messages_off_pct,"),
              0u)
        << csv;
    EXPECT_CONTAINS(csv, ",12.000000,");
    s = weft({"sweep", "s.xml"}, dir / "");
    EXPECT_EQ(s.out.find("how   reference.messages  messages  off by    end-to-end  speed-up\n"
                         "slow  100                 112       +12.00 %  "),
              0u)
        << s.out;
    EXPECT_CONTAINS(s.out, "\nfast  -                   112       n/a       ");
    EXPECT_CONTAINS(s.out, "messages, how=slow, over the reference: 1.12, expected 1.1 to 1.2");
    // A row of which the other source has nothing is not within a bound.
    std::filesystem::remove_all(dir / "o");
    EXPECT_EQ(sweep("over=\"reference\" min=\"1.1\"").code, 1);
    std::filesystem::remove_all(dir / "o");
    s = weft({"sweep", "s.xml", "--vary", "system.chunks=1|2", "-m", "drops"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    write_file(dir / "s.xml",
               scenario("<sweep metrics=\"drops\"><vary system.chunks=\"1|2\"/>"
                        "<bound metric=\"drops\" over=\"reference\" max=\"1\"/></sweep>"));
    s = weft({"sweep", "s.xml"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "no axis has reference.drops");
    const std::pair<const char *, const char *> wrong[] = {
        {"reference.drops=1|2", "a reference belongs to values of settings"},
        {"run.seed=1|2 & reference.drosp=1|2", "did you mean 'drops'?"},
        {"run.seed=1|2 & reference.drops=1|2us", "'2us' is no"},
        {"run.seed=1|2 & reference.drops=1|0", "'0' is no"},
        {"run.seed=1|2 & reference.drops=1", "has as many values"}};
    for (const auto &[axes, says] : wrong) {
        s = weft({"sweep", "s.xml", "--vary", axes, "-m", "drops"}, dir / "");
        EXPECT_EQ(s.code, 2) << axes;
        EXPECT_CONTAINS(s.err, says);
    }
}

TEST(SweepParts, WhatIsWrongIsNamedWithItsPlace)
{
    TempDir dir;
    const struct {
        const char *sweep, *says;
    } wrong[] = {
        {"<sweep><vary a.b=\"1\"/></sweep><sweep><vary a.b=\"1\"/></sweep>",
         "several <sweep> need a name each"},
        {"<sweep name=\"a\"><vary a.b=\"1\"/></sweep><sweep name=\"a\"><vary a.b=\"1\"/></sweep>",
         "two <sweep> are called 'a'"},
        {"<sweep name=\"a b\"><vary a.b=\"1\"/></sweep>", "a name is made of"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"end-to-end\"/></sweep>",
         "<bound> needs 'metric', and 'min', 'max' or both"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"end-to-edn\" "
         "max=\"1us\"/></sweep>",
         "did you mean 'end-to-end'"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"end-to-end\" "
         "max=\"1\"/></sweep>",
         "'1' is no time"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"drops\" min=\"2\" "
         "max=\"1\"/></sweep>",
         "min 2 is above max 1"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"drops\" "
         "where=\"generate.siz=1MiB\" "
         "max=\"1\"/></sweep>",
         "generate.siz is not varied; did you mean 'generate.size'?"},
        {"<sweep><vary generate.size=\"1MiB|2MiB\"/><bound metric=\"drops\" "
         "over=\"generate.size=3MiB\" "
         "max=\"1\"/></sweep>",
         "generate.size is not '3MiB' in any row"},
        {"<sweep><vary generate.size=\"1MiB\"/><bound metric=\"drops\" mxa=\"1\"/></sweep>",
         "unknown attribute 'mxa' in <bound>; did you mean 'max'?"},
        {"<sweep><vary generate.size=\"1MiB\"/><bound metric=\"cpu-time-s\" max=\"1\"/></sweep>",
         "depends on the machine"},
        {"<sweep><vary generate.size=\"1MiB\"/><quick generate.size=\"4KiB\"/>"
         "<bound metric=\"drops\" where=\"generate.size=1MiB\" max=\"1\"/></sweep>",
         "generate.size is not '1MiB' in any row"},
        {"<sweep><vary generate.size=\"1MiB\"/><axis a.b=\"1\"/></sweep>", "<axis> inside <sweep>"},
    };
    for (auto &w : wrong) {
        write_file(dir / "s.xml", scenario(w.sweep));
        Said s = weft({"check", "s.xml"}, dir / "");
        EXPECT_EQ(s.code, 3) << w.sweep;
        EXPECT_CONTAINS(s.err, w.says);
        EXPECT_CONTAINS(s.err, "s.xml:5");
    }
    write_file(dir / "s.xml", scenario(TWO));
    Said s = weft({"sweep", "s.xml", "--part", "siz"}, dir / "");
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "did you mean 'size'?");
    s = weft({"sweep", "s.xml", "--json"}, dir / "");
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "choose one by --part");
    s = weft({"sweep", "s.xml", "--part", "algorithm", "--quick"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "has no <quick>");
}

} // namespace
