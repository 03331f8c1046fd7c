// SPDX-License-Identifier: GPL-2.0-only
// Reading flow.txt and trace.txt.
#include "foreign/hpcc/flow.h"
#include "foreign/hpcc/trace.h"
#include "topologies/topology.h"

#include "files.h"

namespace
{

weft_hpcc_flows *read(const std::string &text, weft_err *err,
                      weft_hpcc_flow_format format = WEFT_HPCC_FLOW_HPCC)
{
    TextFile f(text);
    return weft_hpcc_flows_read(f.path.c_str(), format, err);
}

std::string error_of(const std::string &text)
{
    weft_err err = {};
    weft_hpcc_flows *l = read(text, &err);
    EXPECT_EQ(l, nullptr) << text;
    weft_hpcc_flows_free(l);
    return where(err);
}

TEST(HpccFlow, ColumnsAndExactStarts)
{
    weft_err err = {};
    weft_hpcc_flows *l = read("3\n0 1 3 100 1000 2.000008279\n1 0 5 200 5000000000 2.1\n"
                              "0 1 3 100 0 2.1000000000004\n",
                              &err);
    ASSERT_NE(l, nullptr) << where(err);
    ASSERT_EQ(l->n, 3u);
    EXPECT_EQ(l->list[0].start_ps, INT64_C(2000008279000));
    EXPECT_EQ(l->list[0].pg, 3u);
    EXPECT_EQ(l->list[0].sport, 10000u);
    EXPECT_EQ(l->list[0].dport, 100u);
    EXPECT_EQ(l->list[1].bytes, UINT64_C(5000000000)); /* beyond 32 bits */
    EXPECT_EQ(l->list[1].dport, 200u);
    EXPECT_EQ(l->list[1].sport, 10000u); /* another pair */
    EXPECT_EQ(l->list[2].sport, 10001u); /* the pair's second */
    EXPECT_EQ(l->list[2].qp, 1u);
    EXPECT_EQ(l->list[2].start_ps, INT64_C(2100000000000)); /* below half a picosecond */
    EXPECT_EQ(l->list[2].line, 4);
    EXPECT_TRUE(l->sorted);
    EXPECT_EQ(l->trailing_line, 0);
    weft_hpcc_flows_free(l);
}

TEST(HpccFlow, UnsortedFilesAreSortedStably)
{
    weft_err err = {};
    weft_hpcc_flows *l =
        read("4\n0 1 3 1 10 2\n0 1 3 2 10 1\n0 1 3 3 10 2\n0 1 3 4 10 1\n0 0 0\n", &err);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_FALSE(l->sorted);
    EXPECT_EQ(l->trailing_line, 6);
    const unsigned order[] = {2, 4, 1, 3};
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQ(l->list[i].dport, order[i]);
        EXPECT_EQ(l->list[i].sport, 10000 + i); /* ports follow the launch order */
    }
    weft_hpcc_flows_free(l);
}

TEST(HpccFlow, PortsWrapAt16Bits)
{
    std::string text = "55537\n";
    for (int i = 0; i < 55537; i++)
        text += "0 1 3 1 1 2\n";
    weft_err err = {};
    weft_hpcc_flows *l = read(text, &err);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_EQ(l->list[55535].sport, 65535u);
    EXPECT_EQ(l->list[55536].sport, 0u);
    EXPECT_EQ(l->list[55536].qp, 55536u);
    weft_hpcc_flows_free(l);
}

TEST(HpccFlow, ConweaveLinesHaveNoPort)
{
    weft_err err = {};
    weft_hpcc_flows *l = read("1\n0 1 3 1000 2.5\n", &err, WEFT_HPCC_FLOW_CONWEAVE);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_EQ(l->list[0].bytes, 1000u);
    EXPECT_EQ(l->list[0].dport, WEFT_HPCC_DPORT);
    weft_hpcc_flows_free(l);
}

TEST(HpccFlow, TheNumberOfColumnsTellsTheFormat)
{
    const struct {
        const char *text;
        weft_hpcc_flow_format format;
    } cases[] = {{"1\n0 1 3 100 1000 2\n", WEFT_HPCC_FLOW_HPCC},
                 {"1\n0 1 3 1000 2\n", WEFT_HPCC_FLOW_CONWEAVE},
                 {"\n 1 \r\n\r\n\t0 1\t3 1000  2 \r\n", WEFT_HPCC_FLOW_CONWEAVE},
                 {"0\n", WEFT_HPCC_FLOW_HPCC},
                 {"1 0 1 3 100 1000 2", WEFT_HPCC_FLOW_HPCC}}; /* one line for all */
    for (const auto &c : cases) {
        weft_err err = {};
        weft_hpcc_flows *l = read(c.text, &err, WEFT_HPCC_FLOW_AUTO);
        ASSERT_NE(l, nullptr) << c.text << where(err);
        EXPECT_EQ(l->format, c.format) << c.text;
        for (size_t i = 0; i < l->n; i++)
            EXPECT_EQ(l->list[i].bytes, 1000u) << c.text;
        weft_hpcc_flows_free(l);
    }
}

TEST(HpccFlow, MistakesAreNamedWithTheirPlace)
{
    EXPECT_EQ(error_of(""), "1:1: the file ends where the number of flows should be");
    EXPECT_EQ(error_of("2\n0 1 3 100 10 2\n"),
              "3:1: flow 2 of 2: the file ends where the source node of a flow should be");
    EXPECT_EQ(error_of("1\n0 0 3 100 10 2\n"),
              "2:3: flow 1 of 1: the flow goes from node 0 to itself");
    EXPECT_EQ(error_of("1\n0 1 8 100 10 2\n"),
              "2:5: flow 1 of 1: the priority group of a flow must be at most 7, got 8");
    EXPECT_EQ(error_of("1\n0 1 3 100 -10 2\n"),
              "2:11: flow 1 of 1: the size of a flow must be a whole number, got '-10'");
    EXPECT_EQ(error_of("1\n0 1 3 100 10 2s\n"), "2:14: flow 1 of 1: the start of a flow must be a "
                                                "number (of s, not negative), got '2s'");
    EXPECT_EQ(error_of("4000000000\n0 1 3 100 10 2\n"),
              "1:1: the file announces 4000000000 flows, but is too short for them");
}

weft_fabric *two_hosts()
{
    weft_err err = {};
    weft_fabric *f = weft_fabric_new();
    weft_fabric_add_node(f, WEFT_NODE_HOST, 0, nullptr, &err);
    weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, nullptr, &err);
    weft_fabric_add_node(f, WEFT_NODE_HOST, 0, nullptr, &err);
    for (uint32_t h : {0u, 2u}) {
        weft_fabric_link l = {h, 1, UINT64_C(100000000000), 1000000, 0, 0};
        weft_fabric_add_link(f, &l, nullptr, &err);
    }
    weft_fabric_finish(f, &err);
    return f;
}

TEST(HpccFlow, EndsMustBeHosts)
{
    weft_fabric *f = two_hosts();
    const struct {
        const char *text, *error;
    } cases[] = {
        {"1\n0 2 3 100 10 2\n", ""},
        {"2\n0 2 3 100 10 2\n0 1 3 100 10 2\n",
         "3:0: the destination of the flow is node 1, which is a switch"},
        {"1\n7 2 3 100 10 2\n",
         "2:0: the source of the flow is node 7, but the topology has nodes 0 to 2"},
    };
    for (const auto &c : cases) {
        weft_err err = {};
        weft_hpcc_flows *l = read(c.text, &err);
        ASSERT_NE(l, nullptr) << where(err);
        const int rc = weft_hpcc_flows_check(l, f, &err);
        EXPECT_EQ(rc, c.error[0] ? WEFT_E_INPUT : 0);
        EXPECT_EQ(rc ? where(err) : "", c.error);
        weft_hpcc_flows_free(l);
    }
    weft_fabric_free(f);
}

TEST(HpccTrace, IdsBeyondTheTopologyAreSkipped)
{
    TextFile f("4\n0 7 2 3\n");
    weft_hpcc_trace t;
    weft_err err = {};
    ASSERT_EQ(weft_hpcc_trace_read(f.path.c_str(), 3, &t, &err), 0) << where(err);
    ASSERT_EQ(t.n, 2u);
    EXPECT_EQ(t.nodes[1], 2u);
    EXPECT_EQ(t.skipped, 2u);
    weft_hpcc_trace_free(&t);
}

TEST(HpccTrace, MistakesAreNamed)
{
    const struct {
        const char *text, *error;
    } cases[] = {
        {"2\n0", "2:2: the file ends where the id of a traced node should be"},
        {"1\nx", "2:1: the id of a traced node must be a whole number, got 'x'"},
        {"99 1", "1:1: the file announces 99 nodes, but is too short for them"},
    };
    for (const auto &c : cases) {
        TextFile f(c.text);
        weft_hpcc_trace t;
        weft_err err = {};
        EXPECT_EQ(weft_hpcc_trace_read(f.path.c_str(), 3, &t, &err), WEFT_E_INPUT);
        EXPECT_EQ(where(err), c.error);
        EXPECT_EQ(t.nodes, nullptr);
    }
}

TEST(HpccFlow, ShippedFilesAreRead)
{
    NEEDS_SHARED_DATA();
    const std::string dir = shared_data() + "/hpcc/";
    weft_err err = {};
    weft_hpcc_flows *l =
        weft_hpcc_flows_read((dir + "flow.txt").c_str(), WEFT_HPCC_FLOW_HPCC, &err);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_EQ(l->n, 2u);
    EXPECT_EQ(l->list[1].bytes, 200000000u);
    EXPECT_EQ(l->trailing_line, 4); /* the simulator reads n lines and leaves the rest */
    weft_hpcc_flows_free(l);
    l = weft_hpcc_flows_read((dir + "flow_tcp_0.txt").c_str(), WEFT_HPCC_FLOW_HPCC, &err);
    ASSERT_NE(l, nullptr) << where(err);
    EXPECT_EQ(l->n, 0u);
    weft_hpcc_flows_free(l);
    weft_hpcc_trace t;
    ASSERT_EQ(weft_hpcc_trace_read((dir + "trace.txt").c_str(), 66, &t, &err), 0) << where(err);
    EXPECT_EQ(t.n, 66u);
    EXPECT_EQ(t.skipped, 282u);
    weft_hpcc_trace_free(&t);
}

} // namespace
