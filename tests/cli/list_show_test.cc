// SPDX-License-Identifier: GPL-2.0-only
// weft list and weft show.
#include "program.h"

#include <fstream>
#include <regex>

#include <sstream>

namespace
{

const char *const lists[][2] = {{"cc", "cc"},
                                {"topologies", "topology"},
                                {"collectives", "collective"},
                                {"balancers", "balancer"},
                                {"workloads", "workload"},
                                {"transforms", "transform"},
                                {"backends", "backend"},
                                {"faults", "fault"},
                                {"sections", "section"}};

TEST(List, EveryEntryCanBeShown)
{
    for (auto &l : lists) {
        Said s = weft({"list", l[0]});
        ASSERT_EQ(s.code, 0) << s.err;
        std::istringstream lines(s.out);
        std::string line;
        int n = 0;
        while (std::getline(lines, line)) {
            const std::string name = line.substr(0, line.find(' '));
            Said one = weft({"show", l[1], name});
            EXPECT_EQ(one.code, 0) << one.err;
            EXPECT_EQ(one.out.rfind(name + ": ", 0), 0u) << one.out;
            EXPECT_CONTAINS(weft({"show", l[1], name, "--json"}).out, "\"parameters\": [");
            n++;
        }
        EXPECT_GE(n, 1) << l[0];
        EXPECT_CONTAINS(weft({"list", l[0], "--json"}).out, std::string("\"") + l[0] + "\": [");
    }
    EXPECT_CONTAINS(weft({"list"}).out, "topologies");
}

// All that `weft list` names is in its help, in the completion of shells, and can be listed.
/* The longest title is not cut. */
TEST(List, TitlesOfScenariosAreWhole)
{
    EXPECT_CONTAINS(weft({"list", "scenarios"}).out, "above the leaves, and an incast\n");
}

TEST(List, HelpAndCompletionNameEveryList)
{
    const std::string help = weft({"list", "--help"}).out;
    const std::string bash = weft({"help", "--as", "bash"}).out,
                      zsh = weft({"help", "--as", "zsh"}).out;
    std::istringstream lines(weft({"list"}).out);
    std::string line, bash_words, zsh_words;
    std::getline(lines, line); // the head
    while (std::getline(lines, line)) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        EXPECT_TRUE(std::regex_search(help, std::regex("[ ,]" + name + "[,;]"))) << name;
        EXPECT_TRUE(std::regex_search(bash, std::regex("words='[^']*\\b" + name + "\\b"))) << name;
        EXPECT_TRUE(std::regex_search(zsh, std::regex("1:argument:\\([^)]*\\b" + name + "\\b")))
            << name;
        EXPECT_EQ(weft({"list", name}).code, 0) << name;
    }
}

// Settings that a balancer needs alone, or shares, are shown with it.
TEST(Show, BalancersHaveTheirSettings)
{
    EXPECT_CONTAINS(weft({"show", "balancer", "letflow"}).out, "  switch.flowlet-gap ");
    EXPECT_CONTAINS(weft({"show", "drill"}).out, "  switch.drill-memory ");
    EXPECT_CONTAINS(weft({"show", "balancer", "entropy", "--json"}).out,
                    "\"switch.entropy-freeze\"");
    EXPECT_CONTAINS(weft({"show", "balancer", "spray"}).out, "no settings");
}

// Each row of `weft show renamed` works under its former name; settings and families get a warning.
TEST(Show, FormerNamesAreAliasesThatWarn)
{
    std::istringstream rows(weft({"show", "renamed"}).out);
    std::string kind, former, is, now, present;
    TempDir dir;
    const std::string inside = "<topology type=\"leaf-spine\"/><workload type=\"generate\"/>\n";
    std::ofstream(dir / "plain.xml") << "<scenario>" + inside + "</scenario>";
    int n = 0;
    for (; rows >> kind >> former >> is >> now >> present; n++) {
        const std::string warning = "'" + former + "' is called '" + present + "' now";
        if (kind == "family") {
            Said s = weft({"list", former});
            EXPECT_CONTAINS(s.err, warning);
            EXPECT_EQ(s.out, weft({"list", present}).out);
        } else if (kind == "section") {
            EXPECT_CONTAINS(weft({"check", dir / "plain.xml", "--set", former + ".events="}).err,
                            warning);
            EXPECT_CONTAINS(weft({"explain", former + ".events"}).err, "mean '" + present + ".");
            std::ofstream(dir / "s.xml") << "<scenario>" + inside + "<" + former + "/></scenario>";
            EXPECT_CONTAINS(weft({"check", dir / "s.xml"}).err, "s.xml:2:1: " + warning);
        } else {
            EXPECT_EQ(kind, "metric");
            Said s = weft({"sweep", dir / "plain.xml", "--vary", "run.seed=1|2", "--metric", former,
                           "--out", dir / "o"});
            EXPECT_EQ(s.code, 0) << s.err;
            EXPECT_CONTAINS(s.out, former);
        }
    }
    EXPECT_GE(n, 5);
    EXPECT_CONTAINS(weft({"show", "renamed", "--json"}).out, "\"former\": \"trouble\"");
}

TEST(Show, ParametersHaveDefaultsUnitsAndSources)
{
    Said s = weft({"show", "cc", "dcqcn"});
    EXPECT_CONTAINS(
        s.out,
        "dcqcn.rate-ai                  rate    default auto: 40Mbps per 10Gbps of line rate");
    EXPECT_CONTAINS(s.out, "source: ");
    Said bad = weft({"show", "cc", "dcqnc"});
    EXPECT_EQ(bad.code, 3);
    EXPECT_CONTAINS(bad.err, "did you mean 'dcqcn'");
    EXPECT_CONTAINS(weft({"show", "cc", "my-aimd"}).err,
                    "see 'weft list cc' (--plugin FILE adds those of a file)");
    EXPECT_EQ(weft({"show", "gpu", "my-aimd"}).err.find("--plugin"), std::string::npos);
    Said preset = weft({"show", "cc", "ndp"});
    EXPECT_EQ(preset.code, 3);
    EXPECT_CONTAINS(preset.err, "'ndp' is a preset of rccc: 'weft show cc rccc'");
}

/* What a setting needs to be empty, or given, is said in words. */
TEST(Show, NeedsAreSaidInWords)
{
    const Said s = weft({"show", "workload", "incast"});
    EXPECT_CONTAINS(s.out, "      needs hosts empty and hosts-file empty\n");
    EXPECT_CONTAINS(s.out, "      needs placement=random and hosts empty and hosts-file empty\n");
    EXPECT_CONTAINS(weft({"show", "section", "sample"}).out, "needs what given and on=interval\n");
    EXPECT_CONTAINS(weft({"show", "topology", "xml"}).out, "<link a=\"0\" b=\"2\" rate=");
}

/* A name alone is enough where only one family has it. */
TEST(Show, ByNameAlone)
{
    EXPECT_EQ(weft({"show", "training"}).out, weft({"show", "workload", "training"}).out);
    EXPECT_EQ(weft({"show", "dcqcn", "--json"}).out, weft({"show", "cc", "dcqcn", "--json"}).out);
    Said s = weft({"show", "ring"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "'weft show topology ring' or 'weft show collective ring'");
    s = weft({"show", "rong"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "cannot show 'rong'");
}

TEST(Show, OutputNamesColumnsAndMetrics)
{
    Said s = weft({"show", "output"});
    EXPECT_CONTAINS(s.out, "flows.csv: ");
    EXPECT_CONTAINS(s.out, "ideal_fct_ns");
    EXPECT_CONTAINS(s.out, "end_to_end_ns");
}

TEST(Show, FabricOfAScenarioAndOfAFile)
{
    Said s =
        weft({"show", "fabric", "--set", "topology.type=leaf-spine", "--set", "leaf-spine.leaves=2",
              "--set", "leaf-spine.hosts-per-leaf=2", "--set", "leaf-spine.spines=1", "--set",
              "workload.type=generate", "--set", "network.backend=ideal"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.rfind("hosts 4, switches 3, links 6\n", 0), 0u) << s.out;
    const std::string file = shared("astra-sim/ns3/8_nodes_1_switch_topology.txt");
    if (file.empty())
        GTEST_SKIP() << "no WEFT_SHARED data";
    EXPECT_EQ(weft({"show", "topology", file}).out.rfind("hosts 8, switches 1,", 0), 0u);
}

/* The build writes the schema; the sources have none that could grow old. */
TEST(Show, TheBuiltSchemaIsTheOneOfTheTables)
{
    const char *build = getenv("WEFT_BINARY_DIR");
    ASSERT_NE(build, nullptr);
    EXPECT_EQ(weft({"show", "schema"}).out, slurp(std::string(build) + "/share/weft/scenario.rng"));
    EXPECT_FALSE(std::ifstream(source_dir() + "/frontend/scenario/scenario.rng").is_open());
}

} // namespace
