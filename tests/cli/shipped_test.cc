// SPDX-License-Identifier: GPL-2.0-only
// The scenarios that weft ships: valid, within their own expectations, and with traces that can be
// made again.
#include "program.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;

namespace
{

std::vector<std::string> shipped()
{
    std::vector<std::string> names;
    for (auto &e : fs::directory_iterator(source_dir() + "/scenarios"))
        if (fs::exists(e.path() / "scenario.xml"))
            names.push_back(e.path().string());
    return names;
}

/* What 'weft check' says that a run will cost is what it took, within a factor of two. */
void expect_cost(const std::string &path, const std::string &run_json)
{
    const std::string check = weft({"check", path, "--json"}).out;
    const size_t at = check.find("\"cost\": {");
    EXPECT_EQ(at == std::string::npos, json_number(run_json, "packet_hops") == 0) << path << check;
    if (at == std::string::npos)
        return;
    EXPECT_CONTAINS(weft({"check", path}).out, "\ncost: about ");
    std::vector<std::pair<std::string, std::string>> figures = {{"packet_hops", "packet_hops"}};
#ifndef __SANITIZE_ADDRESS__
    figures.push_back({"memory_bytes", "peak_rss_bytes"});
#endif
    for (const auto &[estimate, taken] : figures) {
        const double ratio = json_number(check, estimate, at) / json_number(run_json, taken);
        EXPECT_GT(ratio, 0.5) << path << " " << taken;
        EXPECT_LT(ratio, 2.0) << path << " " << taken;
    }
}

TEST(Shipped, EveryScenarioMeetsItsExpectationsAndHasAReadme)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    ASSERT_FALSE(shipped().empty());
    for (const std::string &path : shipped()) {
        if (lacks_ns3(path))
            continue;
        TempDir dir;
        Said s = weft({"run", path}, dir / "");
        EXPECT_EQ(s.code, 0) << path << "\n" << s.out << s.err;
        EXPECT_EQ(s.err, "") << path;
        EXPECT_TRUE(fs::exists(path + "/README.md"));
        for (const auto &run : fs::directory_iterator(dir / "out"))
            expect_cost(path, slurp(run.path() / "run.json"));
        if (fs::exists(path + "/expect.xml")) {
            EXPECT_CONTAINS(s.out, "expectations of ");
        }
    }
}

std::vector<std::string> studies()
{
    std::vector<std::string> names;
    for (const std::string &path : shipped())
        if (slurp(path + "/scenario.xml").find("<quick ") != std::string::npos)
            names.push_back(fs::path(path).filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/* What a study claims holds in its small variant, too; its page has the tables of the large one. */
class StudyClaims : public testing::TestWithParam<const char *>
{
};

TEST_P(StudyClaims, HoldInTheQuickVariant)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    const std::string path = source_dir() + "/scenarios/" + GetParam();
    if (lacks_ns3(path))
        GTEST_SKIP() << "needs ns-3";
    Said s = weft({"sweep", path, "--quick", "-j", "2"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.out << s.err;
    EXPECT_CONTAINS(s.out, "\nclaims\n");
    const std::string page = slurp(path + "/README.md");
    EXPECT_CONTAINS(page, "\nclaims\n  ok ");
    EXPECT_EQ(page.find("MISSED"), std::string::npos);
}

/* CMakeLists.txt lists the studies, so that each is a test of its own. */
const char *const kStudies[] = {WEFT_STUDIES};
INSTANTIATE_TEST_SUITE_P(Shipped, StudyClaims, testing::ValuesIn(kStudies),
                         [](const testing::TestParamInfo<const char *> &info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Shipped, EveryStudyIsATest)
{
    EXPECT_EQ(studies(), std::vector<std::string>(std::begin(kStudies), std::end(kStudies)));
}

/* The index of the studies has each of them once, with one figure that exists. */
TEST(Shipped, TheIndexHasEachStudyOnce)
{
    const std::string index = slurp(source_dir() + "/docs/how-to/studies.md");
    for (const std::string &name : studies()) {
        const std::string page = "[" + name + "](../../scenarios/" + name + "/README.md)";
        const size_t row = index.find("\n| " + page + " |");
        ASSERT_NE(row, std::string::npos) << name;
        EXPECT_EQ(index.find("\n| " + page + " |", row + 1), std::string::npos) << name;
        const std::string figure = "[![" + name + "](../../scenarios/" + name + "/";
        const size_t file = index.find(figure);
        ASSERT_NE(file, std::string::npos) << name << " has no figure";
        EXPECT_EQ(index.find(figure, file + 1), std::string::npos) << name;
        const size_t begin = file + figure.size();
        const std::string picture = index.substr(begin, index.find(')', begin) - begin);
        EXPECT_TRUE(fs::exists(source_dir() + "/scenarios/" + name + "/" + picture)) << picture;
    }
}

/* The ring of pfc-deadlock is refused with its circle, and a run that is allowed ends in it, named.
 */
TEST(Shipped, RingOfPfcDeadlockIsRefusedAndDeadlocks)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    const std::string path = source_dir() + "/scenarios/pfc-deadlock";
    Said refused = weft(
        {"run", path, "--set", "fault.events=", "--set", "pfc.allow-deadlock=false"}, dir / "");
    EXPECT_EQ(refused.code, 3) << refused.out << refused.err;
    EXPECT_CONTAINS(refused.err, "circle: s10->s11, s11->s12, s12->s13, s13->s14, s14->s10");
    Said stands = weft({"run", path, "--set", "fault.events="}, dir / "");
    EXPECT_EQ(stands.code, 1) << stands.out << stands.err;
    const std::string circle = "PFC deadlock at priority 3: s10->s11 waits for s11->s12";
    EXPECT_CONTAINS(stands.err, circle);
    EXPECT_CONTAINS(stands.err, "h0 -> h4: message 0 of 10 MB (tag 0)");
    // where pauses are repeated that is seen at once, and explained the same
    Said repeats =
        weft({"run", path, "--set", "fault.events=", "--set", "pfc.quanta=65535"}, dir / "");
    EXPECT_EQ(repeats.code, 1) << repeats.out << repeats.err;
    EXPECT_EQ(repeats.err.find("weft: error: " + circle), 0u) << repeats.err;
    EXPECT_EQ(repeats.err.find(circle), repeats.err.rfind(circle)) << "is said once\n"
                                                                   << repeats.err;
    for (const char *part :
         {"root of the pauses: the ports that wait for each other",
          "h0 -> h4: message 0 of 10 MB (tag 0)", "priority 3 of h0 is paused by PFC since",
          "  in all, 10 messages are under way"})
        EXPECT_CONTAINS(repeats.err, part);
    std::vector<std::string> args =
        with_sets({"run"}, {"topology.type=dragonfly", "dragonfly.routers=2",
                            "dragonfly.terminals=2", "dragonfly.global-links=1", "dragonfly.vcs=1",
                            "workload.type=generate", "generate.kind=all-to-all",
                            "generate.size=8MB", "switch.balance=minimal-adaptive",
                            "transport.recovery=out-of-order", "congestion-control.name=none",
                            "switch.buffer=700KB", "pfc.allow-deadlock=true", "pfc.quanta=65535"});
    Said waits = weft(args, dir / "");
    EXPECT_EQ(waits.code, 1) << waits.out << waits.err;
    EXPECT_EQ(waits.err.find("weft: error: PFC deadlock at priority 3: s12->"), 0u) << waits.err;
    EXPECT_CONTAINS(waits.err, "rank 0 waits in all-to-all");
    Said again =
        weft({"run", path, "--set", "fault.events=link-down link=s14-s10 at=1ms until=1010us"},
             dir / "");
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_CONTAINS(again.err, "PFC deadlock at priority 3");
}

/* The command that the README gives makes the trace that is shipped, byte by byte. */
TEST(Shipped, TraceOfAllreduceClos16CanBeMadeAgain)
{
    const std::string path = source_dir() + "/scenarios/allreduce-clos16";
    const std::string readme = slurp(path + "/README.md");
    size_t at = readme.find("weft trace generate trace/dp16");
    ASSERT_NE(at, std::string::npos);
    std::string command = readme.substr(at, readme.find("```", at) - at);
    std::vector<std::string> args;
    std::istringstream words(command);
    for (std::string w; words >> w;)
        if (w != "weft" && w != "\\")
            args.push_back(w);
    TempDir dir;
    Said s = weft(args, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    int n = 0;
    for (auto &e : fs::directory_iterator(path + "/trace")) {
        EXPECT_EQ(slurp(e.path()), slurp(dir / ("trace/" + e.path().filename().string())))
            << e.path();
        n++;
    }
    EXPECT_EQ(n, 16);
}

/* Two runs of the demo give the same bytes. */
TEST(Shipped, AllreduceClos16IsReproducible)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    for (const char *out : {"a", "b"})
        ASSERT_EQ(weft({"run", source_dir() + "/scenarios/allreduce-clos16", "-q", "--out", out},
                       dir / "")
                      .code,
                  0);
    for (const char *f : {"flows.csv", "ops.csv", "links.csv", "pfc.csv"})
        EXPECT_EQ(slurp(dir / ("a/" + std::string(f))), slurp(dir / ("b/" + std::string(f)))) << f;
}

} // namespace
