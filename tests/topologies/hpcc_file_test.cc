// SPDX-License-Identifier: GPL-2.0-only
// The reader of HPCC topology files: shipped files, and where each mistake is reported.
#include "topo.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace weft_test;

namespace
{

/// A file in the test's temporary directory, removed afterwards.
class TempFile
{
  public:
    explicit TempFile(const std::string &content)
        : m_path(testing::TempDir() + "weft_hpcc_" + std::to_string(getpid()) + "_" +
                 std::to_string(s_count++) + ".txt")
    {
        std::ofstream(m_path, std::ios::binary) << content;
    }
    ~TempFile()
    {
        std::remove(m_path.c_str());
    }
    const std::string &path() const
    {
        return m_path;
    }

  private:
    static int s_count;
    std::string m_path;
};
int TempFile::s_count = 0;

Fabric parse(const std::string &content)
{
    TempFile file(content);
    return build("hpcc", {{"file", file.path()}});
}

/// Expects failure at line:col with a message that contains `part`.
void expect_error(const std::string &content, int64_t line, int64_t col, const std::string &part)
{
    TempFile file(content);
    weft_err err{};
    Fabric f = try_build("hpcc", {{"file", file.path()}}, &err);
    EXPECT_EQ(f, nullptr) << content;
    EXPECT_EQ(err.code, WEFT_E_INPUT) << content;
    EXPECT_EQ(err.line, line) << text(err);
    EXPECT_EQ(err.col, col) << text(err);
    EXPECT_NE(std::string(err.msg).find(part), std::string::npos) << text(err);
    EXPECT_NE(text(err).find(".txt"), std::string::npos) << text(err);
}

std::string shared(const std::string &name)
{
    const char *dir = std::getenv("WEFT_SHARED");
    const std::string path = (dir ? std::string(dir) : "") + "/data/" + name;
    return access(path.c_str(), R_OK) == 0 ? path : "";
}

} // namespace

TEST(HpccFile, ReadsTheGrammar)
{
    Fabric f = parse(
        "5 2 5\n3 1\n0 1 100Gbps 1000ns 0.000000\n2 1 25Gb/s 0.001ms 0\n1 3 40000000000 1us 1e-6\n"
        "2 3 40000000000 1us 0.5\n4 3 10Mbps 0.5ms 1\n");
    ASSERT_NE(f, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    EXPECT_EQ(f->nnodes, 5u);
    EXPECT_EQ(f->nodes[1].kind, WEFT_NODE_SWITCH);
    EXPECT_EQ(f->nodes[3].kind, WEFT_NODE_SWITCH);
    EXPECT_EQ(f->nhosts, 3u);
    EXPECT_EQ(f->hosts[2], 4u);
    ASSERT_EQ(f->nlinks, 5u);
    const uint64_t rates[] = {100000000000, 25000000000, 40000000000, 40000000000, 10000000};
    const int64_t delays[] = {1000000, 1000000, 1000000, 1000000, 500000000};
    const double errors[] = {0, 0, 1e-6, 0.5, 1};
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(f->links[i].rate_bps, rates[i]);
        EXPECT_EQ(f->links[i].delay_ps, delays[i]);
        EXPECT_EQ(f->links[i].error_rate, errors[i]);
    }
    EXPECT_EQ(f->notes, nullptr);
}

/* Nodes of the simulators have one interface per neighbour: what the last line of a pair says. */
TEST(HpccFile, NodesHaveOneLinkBetweenThem)
{
    Fabric f = parse("3 1 5\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n2 0 50Gbps 2us 0\n2 1 "
                     "100Gbps 1us 0\n1 2 25Gbps 3us 0.5\n");
    ASSERT_NE(f, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    ASSERT_EQ(f->nlinks, 2u);
    EXPECT_EQ(f->links[0].rate_bps, 50000000000u);
    EXPECT_EQ(f->links[0].delay_ps, 2000000);
    EXPECT_EQ(f->links[1].rate_bps, 25000000000u);
    EXPECT_EQ(f->links[1].error_rate, 0.5);
    ASSERT_NE(f->notes, nullptr);
    EXPECT_NE(
        std::string(f->notes).find(":5:1: 3 of the 5 links join nodes that a link before them "
                                   "joins, from here on (2 and 0): the last of a pair counts"),
        std::string::npos)
        << f->notes;
}

// ns3-datacenter (PowerTCP, Reverie) counts ToRs before links; Reverie's header ends with two
// rates.
TEST(HpccFile, ReadsHeadersWithToRs)
{
    for (const char *header : {"4 2 2 3\n", "4 2 2 3 25000000000 25000000000\n"}) {
        Fabric f = parse(header + std::string("2 3 \n0 2 25000000000.0 1us 0\n1 3 25000000000.0 "
                                              "1us 0\n2 3 100000000000.0 5us 0\n"));
        ASSERT_NE(f, nullptr) << header;
        EXPECT_EQ(f->nlinks, 3u);
        EXPECT_EQ(f->nhosts, 2u);
        EXPECT_EQ(f->nodes[2].kind, WEFT_NODE_SWITCH);
    }
    expect_error("4 2 3 3\n", 1, 5, "the number of ToRs must be at most 2, got 3");
}

TEST(HpccFile, LineEndsHaveNoMeaning)
{
    Fabric f = parse("3\r\n1 2\t2 0\n2 1Gbps\n1us 0\n\n1 2 1Gbps 1us 0");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nlinks, 2u);
    EXPECT_EQ(f->nodes[2].tier, 1u);
}

TEST(HpccFile, TakesAnyRateAndFractionsOfBareRates)
{
    Fabric f = parse("2 0 1\n0 1 25000000000.0 0.000025ms 0\n");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->links[0].rate_bps, 25000000000u);
    EXPECT_EQ(f->links[0].delay_ps, 25000);
    EXPECT_EQ(parse("2 0 1\n0 1 1.6Tbps 0 0\n")->links[0].rate_bps, 1600000000000u);
}

TEST(HpccFile, TiersAreDistancesFromTheHosts)
{
    Fabric f =
        parse("5 3 4\n2 3 4\n0 2 1Gbps 1us 0\n2 4 1Gbps 1us 0\n4 3 1Gbps 1us 0\n3 1 1Gbps 1us 0\n");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nodes[2].tier, 1u);
    EXPECT_EQ(f->nodes[4].tier, 2u);
    EXPECT_EQ(f->nodes[0].tier, 0u);
}

TEST(HpccFile, HeaderErrors)
{
    expect_error("", 1, 1, "the file ends where the number of nodes should be");
    expect_error("3 1", 1, 4, "the file ends where the number of links should be");
    expect_error("3 1\n\n", 3, 1, "the number of links");
    expect_error("x 1 2", 1, 1, "the number of nodes must be a whole number, got 'x'");
    expect_error("3 1.5 2", 1, 3, "the number of switches must be a whole number, got '1.5'");
    expect_error("3 -1 2", 1, 3, "got '-1'");
    expect_error("0 0 0", 1, 1, "at least 1");
    expect_error("3 4 2\n", 1, 3, "the number of switches must be at most 3, got 4");
    expect_error("4000000000 0 1\n", 1, 1, "must be at most");
    expect_error("99999999999999999999999 0 1\n", 1, 1, "must be at most");
}

TEST(HpccFile, SwitchErrors)
{
    expect_error("3 1 2\n3\n", 2, 1, "a switch id must be at most 2, got 3");
    expect_error("4 2 2\n3   3\n", 2, 5, "switch 3 is listed twice");
    expect_error("3 2 2\n1 ", 2, 3, "the file ends where a switch id should be");
}

TEST(HpccFile, LinkErrors)
{
    const std::string head = "3 1 2\n2\n0 2 1Gbps 1us 0\n";
    expect_error(head, 4, 1, "the file ends where the first node of a link should be");
    expect_error(head + "1", 4, 2, "the second node");
    expect_error(head + "1 2 1Gbps 1us", 4, 14, "the file ends where a link error rate should be");
    expect_error(head + "7 2 1Gbps 1us 0", 4, 1,
                 "the first node of a link must be at most 2, got 7");
    expect_error(head + "1 3 1Gbps 1us 0", 4, 3,
                 "the second node of a link must be at most 2, got 3");
    expect_error(head + "1 1 1Gbps 1us 0", 4, 3, "joins node 1 to itself");
    expect_error(head + "1 2 1Gx 1us 0", 4, 5, "link rate");
    expect_error(head + "1 2 0 1us 0", 4, 5, "the link rate must be above 0");
    expect_error(head + "1 2 1Gbps 1 0", 4, 11, "link delay");
    expect_error(head + "1 2 1Gbps -1us 0", 4, 11, "link delay");
    expect_error(head + "1 2 1Gbps 1us 1.5", 4, 15, "probability from 0 to 1, got '1.5'");
    expect_error(head + "1 2 1Gbps 1us no", 4, 15, "link error rate");
    expect_error(head + "1 2 1Gbps 1us " + std::string(200, 'x'), 4, 15, "link error rate");
}

TEST(HpccFile, WhatFollowsTheLastLinkIsIgnoredWithARemark)
{
    for (const std::string &rest : {std::string("  1 0 1Gbps ???\n"), std::string("  1"),
                                    "  1" + std::string(200, 'x') + " y"}) {
        TempFile file("2 0 1\n0 1 1Gbps 1us 0\n\n" + rest);
        Fabric f = build("hpcc", {{"file", file.path()}});
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->nlinks, 1u);
        ASSERT_NE(f->notes, nullptr);
        EXPECT_EQ(std::string(f->notes).find(file.path() + ":4:3: ignored from '1"), 0u)
            << f->notes;
        EXPECT_NE(std::string(f->notes).find("the last of the 1 links that the header announces"),
                  std::string::npos)
            << f->notes;
    }
    TempFile clean("2 0 1\n0 1 1Gbps 1us 0\n\n");
    Fabric f = build("hpcc", {{"file", clean.path()}});
    EXPECT_EQ(f->notes, nullptr);
}

TEST(HpccFile, ARateThatLacksItsUnitIsRemarkedOnce)
{
    TempFile file("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100 1us 0\n");
    Fabric f = build("hpcc", {{"file", file.path()}});
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->links[1].rate_bps, 100u);
    ASSERT_NE(f->notes, nullptr);
    EXPECT_EQ(std::string(f->notes).find(file.path() + ":4: a link has less than 1 Mbps: a rate "
                                                       "without a unit is in bits per second"),
              0u)
        << f->notes;
}

TEST(HpccFile, GraphErrorsNameTheFile)
{
    expect_error("3 1 1\n2\n0 2 1Gbps 1us 0\n", 0, 0, "host 1 (node 1) has no link");
    expect_error("1 1 0\n0\n", 0, 0, "the fabric has no host");
}

TEST(HpccFile, MissingFileIsAnIoError)
{
    weft_err err{};
    EXPECT_EQ(try_build("hpcc", {{"file", "/nonexistent/topology.txt"}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO);
    EXPECT_NE(text(err).find("/nonexistent/topology.txt"), std::string::npos);
    err = {};
    EXPECT_EQ(try_build("hpcc", {{"file", "/"}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO);
    err = {};
    EXPECT_EQ(try_build("hpcc", {}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "hpcc: 'file' must be given");
}

TEST(HpccFile, EveryPrefixAndEveryChangedByteFailsOrReadsCleanly)
{
    const std::string good = "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 1Gbps 1us 0.5\n2 3 5 0.1ms 0";
    for (size_t i = 0; i + 1 < good.size(); i++) {
        TempFile prefix(good.substr(0, i));
        weft_err err{};
        Fabric f = try_build("hpcc", {{"file", prefix.path()}}, &err);
        EXPECT_EQ(f, nullptr) << i;
        for (char c : {'9', ' ', '\0', '-', 'z', '\n', '\xff'}) {
            std::string bad = good;
            bad[i] = c;
            TempFile file(bad);
            err = {};
            f = try_build("hpcc", {{"file", file.path()}}, &err);
            EXPECT_EQ(f == nullptr, err.code != 0);
        }
    }
}

TEST(HpccFile, ShippedFiles)
{
    const struct {
        const char *name;
        uint32_t nodes, switches, links, far_hops;
        bool trailing;
    } files[] = {{"hpcc/fat.txt", 376, 56, 480, 6, false},
                 {"hpcc/topology.txt", 66, 1, 65, 2, true},
                 {"hpcc/ali_32host_10rack.txt", 348, 28, 800, 4, false},
                 {"astra-sim/ns3/8_nodes_1_switch_topology.txt", 9, 1, 8, 2, false},
                 {"astra-sim/ns3/128_nodes_16_switch_topology.txt", 144, 16, 192, 4, false}};
    if (shared("hpcc/fat.txt").empty())
        GTEST_SKIP() << "WEFT_SHARED has no data/hpcc";
    for (const auto &x : files) {
        SCOPED_TRACE(x.name);
        const std::string path = shared(x.name);
        if (path.empty())
            continue;
        Fabric f = build("hpcc", {{"file", path}});
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->notes != nullptr, x.trailing);
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        EXPECT_EQ(f->nnodes, x.nodes);
        EXPECT_EQ(f->nswitches, x.switches);
        EXPECT_EQ(f->nlinks, x.links);
        Routes r = routes_of(f);
        uint32_t far = 0;
        for (uint32_t s = 0; s < f->nhosts; s++) {
            for (uint32_t d = 0; d < f->nhosts; d++) {
                ASSERT_NO_FATAL_FAILURE(expect_path(f, r, s, d, s * 131u + d));
                far = std::max(far, weft_routes_hops(r.get(), s, d));
            }
        }
        EXPECT_EQ(far, x.far_hops);
    }
}

TEST(HpccFile, HpccsOwnTopologyHasLinesThatItsHeaderDoesNotCount)
{
    const std::string path = shared("hpcc/topology.txt");
    if (path.empty())
        GTEST_SKIP() << "WEFT_SHARED has no data/hpcc";
    Fabric f = build("hpcc", {{"file", path}});
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(std::string(f->notes).find(path + ":68:1: ignored from '0' on"), 0u) << f->notes;
}

TEST(HpccFile, AstraSimsRingOfHostsIsRefusedWithTheReason)
{
    const std::string path = shared("astra-sim/ns3/8nodes_ring_topology.txt");
    if (path.empty())
        GTEST_SKIP() << "WEFT_SHARED has no data/astra-sim/ns3";
    weft_err err{};
    EXPECT_EQ(try_build("hpcc", {{"file", path}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_NE(text(err).find("hosts do not forward"), std::string::npos) << text(err);
}
