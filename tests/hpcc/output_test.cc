// SPDX-License-Identifier: GPL-2.0-only
// Base RTTs, and the lines of fct.txt, pfc.txt and qlen.txt.
#include "base/units.h"
#include "foreign/hpcc/config.h"
#include "foreign/hpcc/output.h"
#include "foreign/hpcc/pairs.h"
#include "foreign/hpcc/qlen.h"
#include "foreign/hpcc/slowdown.h"
#include "topologies/topology.h"

#include "files.h"
#include "tests/base/rows_file.h"

namespace
{

/* The fabric of a topology file in HPCC's format. */
weft_fabric *read_topology(const std::string &path)
{
    weft_err err = {};
    const weft_topology_ops *t = weft_topology_find("hpcc", &err);
    std::vector<char> params(t->params.struct_size);
    weft_params_defaults(&t->params, params.data(), &err);
    weft_params_set(&t->params, params.data(), "file", path.c_str(), &err);
    weft_fabric *f = nullptr;
    weft_topology_build(t, params.data(), &f, &err);
    EXPECT_NE(f, nullptr) << where(err);
    return f;
}

/* Hosts 0, 1, 4; switches 2, 3. 0 -25G- 2 -100G- 3 -40G- 1, and 0 -10G- 4 -...- none. */
const char small_topology[] = "5 2 4\n2 3\n0 2 25Gbps 1us 0\n2 3 100Gbps 2us 0\n"
                              "3 1 40Gbps 0.5us 0\n4 2 10Gbps 3us 0\n";

TEST(HpccPairs, WorkedByHand)
{
    TextFile topology(small_topology);
    TextFile list("3\n0 1 3 100 2500 2\n1 4 3 100 1000 2\n4 0 3 100 0 2\n");
    weft_fabric *f = read_topology(topology.path);
    weft_err err = {};
    weft_hpcc_flows *l = weft_hpcc_flows_read(list.path.c_str(), WEFT_HPCC_FLOW_HPCC, &err);
    ASSERT_NE(l, nullptr) << where(err);
    weft_hpcc_pairs p;
    ASSERT_EQ(weft_hpcc_pairs_compute(f, 1000, l, &p, &err), 0);
    /* 0-1: 2 x 3500 + 320 + 80 + 200 at 25G; 1-4: 2 x 5500 + 200 + 80 + 800 at 10G;
     * 4-0: 2 x 4000 + 800 + 320 at 10G. */
    EXPECT_EQ(l->list[0].rtt_ns, 7600u);
    EXPECT_EQ(l->list[0].bw_bps, UINT64_C(25000000000));
    EXPECT_EQ(l->list[1].rtt_ns, 12080u);
    EXPECT_EQ(l->list[1].bw_bps, UINT64_C(10000000000));
    EXPECT_EQ(l->list[2].rtt_ns, 9120u);
    EXPECT_EQ(p.max_rtt_ns, 12080u);
    EXPECT_EQ(p.max_bdp_bytes, 23750u); /* 0-1: 7600 ns at 25 Gbps */
    /* The same one by one; hosts are 0, 1 and 4's number, 2. */
    weft_hpcc_pair_table *t = weft_hpcc_pair_table_new(f, 1000, &err);
    ASSERT_NE(t, nullptr) << where(err);
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < l->n; i++) {
            weft_hpcc_flow one = {};
            weft_hpcc_pair_table_find(t, f->nodes[l->list[i].src].host,
                                      f->nodes[l->list[i].dst].host, &one);
            EXPECT_EQ(one.rtt_ns, l->list[i].rtt_ns);
            EXPECT_EQ(one.bw_bps, l->list[i].bw_bps);
        }
    weft_hpcc_pair_table_free(t);
    /* 2500 B in 3 packets: 2644 B at 25G take 846.08 ns. */
    EXPECT_EQ(weft_hpcc_standalone_ns(&l->list[0], 1000), 7600u + 846);
    EXPECT_EQ(weft_hpcc_standalone_ns(&l->list[1], 1000), 12080u + 838);
    EXPECT_EQ(weft_hpcc_standalone_ns(&l->list[2], 1000), 9120u + 38); /* a header alone */
    weft_hpcc_flows_free(l);
    weft_fabric_free(f);
}

TEST(HpccPairs, HostsDoNotTransitAndHighIdsComeFirst)
{
    /* From 0 to 1 there are two paths of two hops, over switch 3 (slow, near) or 2 (fast,
     * far), and host 4 beside both. The higher id wins, in whatever order the links are listed. */
    TextFile topology("5 2 6\n2 3\n0 2 100Gbps 9us 0\n0 3 10Gbps 1us 0\n2 1 100Gbps 9us 0\n"
                      "3 1 10Gbps 1us 0\n4 0 100Gbps 1ns 0\n4 1 100Gbps 1ns 0\n");
    TextFile list("1\n0 1 3 100 1000 2\n");
    weft_fabric *f = read_topology(topology.path);
    weft_err err = {};
    weft_hpcc_flows *l = weft_hpcc_flows_read(list.path.c_str(), WEFT_HPCC_FLOW_HPCC, &err);
    ASSERT_NE(f, nullptr);
    ASSERT_NE(l, nullptr);
    weft_hpcc_pairs p;
    ASSERT_EQ(weft_hpcc_pairs_compute(f, 1000, l, &p, &err), 0);
    EXPECT_EQ(l->list[0].rtt_ns, 2u * 2000 + 1600);
    EXPECT_EQ(l->list[0].bw_bps, UINT64_C(10000000000));
    weft_hpcc_flows_free(l);
    weft_fabric_free(f);
}

TEST(HpccOutput, Addresses)
{
    EXPECT_EQ(weft_hpcc_ip(0), 0x0b000001u);
    EXPECT_EQ(weft_hpcc_ip(5), 0x0b000501u);
    EXPECT_EQ(weft_hpcc_ip(319), 0x0b013f01u);
}

TEST(HpccOutput, FctLine)
{
    weft_hpcc_flow w = {};
    w.src = 5;
    w.dst = 300;
    w.sport = 10001;
    w.dport = 100;
    w.bytes = 1000;
    w.rtt_ns = 4160;
    w.bw_bps = UINT64_C(100000000000);
    RowsFile out;
    weft_hpcc_fct_line(out.rows, WEFT_HPCC_FLOW_HPCC, &w, INT64_C(2000008279000), 4300999, 1000);
    weft_hpcc_fct_line(out.rows, WEFT_HPCC_FLOW_CONWEAVE, &w, INT64_C(2000008279000), 4300999,
                       1000);
    EXPECT_EQ(out.text(), "0b000501 0b012c01 10001 100 1000 2000008279 4300 4243\n"
                          "5 300 10001 100 1000 2000008279 4300 4243\n");
}

TEST(HpccOutput, PfcLine)
{
    TextFile topology(small_topology);
    weft_fabric *f = read_topology(topology.path);
    RowsFile out;
    weft_net_pfc w = {INT64_C(2000001500000), f->nodes[2].first_port + 2, 3, 1};
    weft_hpcc_pfc_line(out.rows, f, &w); /* switch 2's third link, to host 4 */
    w = {INT64_C(2000002000000), f->nodes[4].first_port, 3, 0};
    weft_hpcc_pfc_line(out.rows, f, &w);
    EXPECT_EQ(out.text(), "2000001500 2 1 3 1\n2000002000 4 0 1 0\n");
    weft_fabric_free(f);
}

/* Two ports of a switch change; what waits at a moment is what holds once all of it has happened.
 */
TEST(HpccQlen, CountsAndDumps)
{
    TextFile topology(small_topology);
    weft_fabric *f = read_topology(topology.path);
    weft_err err = {};
    RowsFile out;
    const int64_t ns = 1000, start = 1999999900 * ns;
    weft_hpcc_qlen *q = weft_hpcc_qlen_new(f, start, 2100000000 * ns, out.rows, &err);
    ASSERT_NE(q, nullptr);
    const uint32_t first = f->nodes[2].first_port;
    weft_hpcc_qlen_change(q, start - 50 * ns, first, 3, 7000);
    weft_hpcc_qlen_change(q, start, first, 3, 2000);
    weft_hpcc_qlen_change(q, start, first, 0, 999); /* 2 KB, the first sample */
    weft_hpcc_qlen_change(q, start + 1, f->nodes[0].first_port, 3, 5000); /* a host: none */
    weft_hpcc_qlen_change(q, start + 99 * ns, first, 3, 0);
    weft_hpcc_qlen_change(q, start + 100 * ns, first + 1, 3, 1000);
    weft_hpcc_qlen_change(q, start + 100 * ns, first + 1, 3, 0); /* and again: not seen */
    EXPECT_EQ(out.text(), "");
    weft_hpcc_qlen_change(q, start + 201 * ns, first, 0, 1000);
    weft_hpcc_qlen_change(q, start + 100001 * ns, first, 0, 0);
    EXPECT_EQ(weft_hpcc_qlen_reach(q, 2000100000 * ns, &err), 0);
    EXPECT_EQ(out.text(), "time: 2000000000\n2 1 1 0 1\n2 2 2\n2 3 2\n3 1 2\n3 2 2\n");
    EXPECT_EQ(weft_hpcc_qlen_reach(q, WEFT_NEVER, &err), 0);
    /* from 1,999,999,900 to 2,100,000,000 there are 1,000,002 samples; port 1 held 1 KB in 998 */
    EXPECT_EQ(out.text(), "time: 2000000000\n2 1 1 0 1\n2 2 2\n2 3 2\n3 1 2\n3 2 2\n"
                          "time: 2100000000\n2 1 999003 998 1\n2 2 1000002\n2 3 1000002\n"
                          "3 1 1000002\n3 2 1000002\n");
    weft_hpcc_qlen_free(q);
    weft_fabric_free(f);
}

/* Starts between multiples of 100 ns never meet one of 100 ms, and a run cut short has no more. */
TEST(HpccQlen, DumpsAreSamples)
{
    TextFile topology(small_topology);
    weft_fabric *f = read_topology(topology.path);
    weft_err err = {};
    for (const int64_t start_ns : {2000000050, 2000000100}) {
        RowsFile out;
        weft_hpcc_qlen *q =
            weft_hpcc_qlen_new(f, start_ns * 1000, INT64_C(2300000000000), out.rows, &err);
        ASSERT_NE(q, nullptr);
        EXPECT_EQ(weft_hpcc_qlen_reach(q, INT64_C(2299999999999), &err), 0);
        const std::string text = out.text();
        EXPECT_EQ(std::count(text.begin(), text.end(), ':'), start_ns % 100 ? 0 : 2);
        weft_hpcc_qlen_free(q);
    }
    weft_fabric_free(f);
}

TEST(HpccSlowdown, BucketsByHand)
{
    /* 40 flows: two per bucket. Sizes 1..40, slowdown 1 + size / 100, given in descending order. */
    std::vector<weft_hpcc_fct> list;
    for (uint64_t i = 40; i >= 1; i--)
        list.push_back({i, 1.0 + static_cast<double>(i) / 100});
    weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1];
    weft_hpcc_slowdown(list.data(), list.size(), b);
    EXPECT_EQ(b[0].flows, 2u);
    EXPECT_EQ(b[0].max_bytes, 2u);
    EXPECT_DOUBLE_EQ(b[0].mean, 1.015);
    EXPECT_DOUBLE_EQ(b[0].p50, 1.02);
    EXPECT_EQ(b[19].max_bytes, 40u);
    EXPECT_DOUBLE_EQ(b[19].p99, 1.40);
    EXPECT_EQ(b[20].flows, 40u);
    EXPECT_DOUBLE_EQ(b[20].p50, 1.21); /* place 20 of 0..39 */
    EXPECT_DOUBLE_EQ(b[20].p95, 1.39); /* place 38 */
    TempDir dir;
    weft_err err = {};
    ASSERT_EQ(weft_hpcc_slowdown_csv((dir / "s.csv").c_str(), b, &err), 0) << where(err);
    const std::string csv = slurp(dir / "s.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n', csv.find('\n') + 1) + 1),
              "upto_pct,max_bytes,flows,slowdown_mean,slowdown_p50,slowdown_p95,slowdown_p99\n"
              "5,2,2,1.015000,1.020000,1.020000,1.020000\n");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 21);
}

TEST(HpccSlowdown, FewOrNoFlows)
{
    weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1];
    weft_hpcc_slowdown(nullptr, 0, b);
    EXPECT_EQ(b[20].flows, 0u);
    weft_hpcc_fct one = {7, 1.5};
    weft_hpcc_slowdown(&one, 1, b);
    EXPECT_EQ(b[20].flows, 1u);
    EXPECT_EQ(b[19].p99, 1.5);
    EXPECT_EQ(b[0].flows, 0u);
}

/* The columns of a line, separated by single blanks. */
std::vector<std::string> split(const std::string &line)
{
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string w; in >> w;)
        words.push_back(w);
    return words;
}

/* Everything in the reference's fct.txt but the completion time follows from the inputs. */
TEST(HpccReference, FctColumnsThatDoNotDependOnTheSimulation)
{
    NEEDS_SHARED_DATA();
    for (const std::string &dir : reference_cases()) {
        weft_err err = {};
        weft_hpcc_config *c = weft_hpcc_config_read((dir + "/config.txt").c_str(), nullptr, &err);
        ASSERT_NE(c, nullptr) << where(err);
        weft_fabric *f = read_topology(dir + "/topology.txt");
        weft_hpcc_flows *l =
            weft_hpcc_flows_read((dir + "/flow.txt").c_str(), WEFT_HPCC_FLOW_HPCC, &err);
        ASSERT_NE(l, nullptr) << where(err);
        ASSERT_EQ(weft_hpcc_flows_check(l, f, &err), 0) << where(err);
        weft_hpcc_pairs p;
        ASSERT_EQ(weft_hpcc_pairs_compute(f, c->payload_bytes, l, &p, &err), 0);
        std::map<std::string, std::string> expected; /* pair and ports -> line without fct */
        size_t lines = 0;
        std::istringstream in(slurp(dir + "/fct.txt"));
        for (std::string line; std::getline(in, line); lines++) {
            auto w = split(line);
            ASSERT_EQ(w.size(), 8u);
            w[6] = "0";
            std::string all;
            for (const auto &x : w)
                all += (all.empty() ? "" : " ") + x;
            expected[w[0] + w[1] + w[2]] = all + "\n";
        }
        EXPECT_EQ(lines, l->n) << dir;
        EXPECT_EQ(expected.size(), l->n) << dir;
        for (size_t i = 0; i < l->n; i++) {
            RowsFile out;
            weft_hpcc_fct_line(out.rows, l->format, &l->list[i], l->list[i].start_ps, 0,
                               c->payload_bytes);
            const auto w = split(out.text());
            EXPECT_EQ(out.text(), expected[w[0] + w[1] + w[2]]) << dir;
        }
        const std::string name = std::filesystem::path(dir).filename().string();
        const uint64_t rtt = name[1] == '1' ? 6240 : name[1] == '2' ? 4160 : 12480;
        EXPECT_EQ(p.max_rtt_ns, rtt) << dir; /* the README's numbers */
        EXPECT_EQ(p.max_bdp_bytes, rtt * 100 / 8) << dir;
        weft_hpcc_flows_free(l);
        weft_fabric_free(f);
        weft_hpcc_config_free(c);
    }
}

} // namespace
