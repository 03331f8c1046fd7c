// SPDX-License-Identifier: GPL-2.0-only
// Workloads that are flows: loads, patterns, incasts, lists.
#include "tests/base/temp_dir.h"
#include "workload/traffic/cdf_table.h"
#include "workload/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

/* A source with some settings, on hosts of 100 Gbps, four behind each switch, and 8 x 50 Gbps from
 * them upwards. */
struct Made {
    weft_flow_source *s = nullptr;
    weft_err err = {};
    uint32_t nranks = 0;
    std::vector<uint64_t> bps;
    std::vector<uint32_t> node;

    Made(const char *type, const Settings &set, uint32_t room = 32)
    {
        const weft_workload_ops *ops = weft_workload_find(type, &err);
        std::vector<char> params(ops->params.struct_size);
        EXPECT_EQ(weft_params_defaults(&ops->params, params.data(), &err), 0) << err.msg;
        for (const auto &p : set)
            EXPECT_EQ(weft_params_set(&ops->params, params.data(), p.first.c_str(),
                                      p.second.c_str(), &err),
                      0)
                << err.msg;
        if (ops->ranks(params.data(), room, &nranks, &err))
            return;
        for (uint32_t r = 0; r < nranks; r++) {
            bps.push_back(100000000000);
            node.push_back(r / 4);
        }
        const weft_flow_site site = {nranks, 1, bps.data(), node.data(), 400000000000};
        if (ops->flows(params.data(), &site, &s, &err))
            s = nullptr;
    }
    ~Made()
    {
        weft_flow_source_free(s);
    }
    std::vector<weft_flow> take(size_t most = SIZE_MAX)
    {
        std::vector<weft_flow> all;
        weft_flow w;
        while (s && all.size() < most && s->next(s, &w, &err) == 1)
            all.push_back(w);
        return all;
    }
};

double bytes_of(const std::vector<weft_flow> &flows)
{
    double sum = 0;
    for (const weft_flow &w : flows)
        sum += double(w.bytes);
    return sum;
}

/* 32 hosts at 12.5 GB/s for 200 ms. */
const double kAccess = 32 * 12.5e9 * 0.2;

TEST(Traffic, OffersTheLoadAsked)
{
    for (const char *sizes : {"websearch", "hadoop", "alistorage", "googlerpc"})
        for (const char *arrivals : {"poisson", "log-normal"}) {
            /* The mean of bursty intervals takes long to show; so many small flows are not needed
             * for it. */
            const bool small =
                std::string(sizes) == "googlerpc" || std::string(sizes) == "alistorage";
            const double load = small ? 0.01 : 0.5;
            Made m("cdf", {{"sizes", sizes},
                           {"load", std::to_string(load)},
                           {"arrivals", arrivals},
                           {"sigma", "1"},
                           {"duration", "200ms"}});
            const auto flows = m.take();
            EXPECT_NEAR(bytes_of(flows) / kAccess / load, 1, 0.03)
                << sizes << " " << arrivals << " " << flows.size();
            int64_t last = 0;
            for (const weft_flow &w : flows) {
                ASSERT_GE(w.start_ps, last);
                last = w.start_ps;
                ASSERT_NE(w.src, w.dst);
                ASSERT_LT(w.dst, 32u);
            }
            EXPECT_LT(last, 200000000000);
        }
}

/* The links upwards carry 0.4 of 50 GB/s, whoever sends to whom. */
TEST(Traffic, OffersItToTheCore)
{
    for (const char *pattern : {"all-to-all", "permutation", "hot-spot"}) {
        Made m("cdf",
               {{"load", "0.4"}, {"load-on", "core"}, {"pattern", pattern}, {"duration", "4s"}});
        double crossing = 0;
        for (const weft_flow &w : m.take())
            crossing += w.src / 4 != w.dst / 4 ? double(w.bytes) : 0;
        EXPECT_NEAR(crossing / (50e9 * 4) / 0.4, 1, 0.03) << pattern;
    }
    Made near("cdf", {{"load-on", "core"}}, 4); /* all behind one switch */
    EXPECT_EQ(near.s, nullptr);
    EXPECT_EQ(std::string(near.err.msg),
              "load-on=core, but no flow leaves its switch; nearest: load-on=access");
}

TEST(Traffic, PatternsSayWhoSendsToWhom)
{
    Made m("cdf", {{"pattern", "permutation"}});
    std::map<uint32_t, uint32_t> to;
    std::set<uint32_t> receivers;
    for (const weft_flow &w : m.take(5000)) {
        ASSERT_TRUE(to.emplace(w.src, w.dst).first->second == w.dst);
        receivers.insert(w.dst);
    }
    EXPECT_EQ(to.size(), 32u);
    EXPECT_EQ(receivers.size(), 32u);
    EXPECT_TRUE(m.s->endless);
    Made hot("cdf", {{"pattern", "hot-spot"}, {"hot-ranks", "2"}, {"hot-share", "0.5"}});
    size_t n = 0;
    for (const weft_flow &w : hot.take(20000))
        n += w.dst < 2;
    EXPECT_NEAR(double(n) / 20000, 0.5 + 0.5 * 2 / 32, 0.02);
    Made none("cdf", {{"pattern", "hot-spot"}, {"hot-ranks", "32"}});
    EXPECT_EQ(none.s, nullptr);
}

/* The same flows each time, others with another seed, and again the same from the beginning. */
TEST(Traffic, FollowsItsSeed)
{
    auto text = [](const std::vector<weft_flow> &flows) {
        std::string s;
        for (const weft_flow &w : flows)
            s += std::to_string(w.src) + ">" + std::to_string(w.dst) + ":" +
                 std::to_string(w.bytes) + "@" + std::to_string(w.start_ps) + "\n";
        return s;
    };
    for (const char *type : {"cdf", "incast"}) {
        Made a(type, {}), b(type, {}), c(type, {{"seed", "2"}});
        const std::string first = text(a.take(500));
        EXPECT_EQ(text(b.take(500)), first);
        EXPECT_NE(text(c.take(500)), first);
        a.s->rewind(a.s, 0);
        EXPECT_EQ(text(a.take(500)), first);
        a.s->rewind(a.s, 1);
        EXPECT_NE(text(a.take(500)), first);
    }
}

TEST(Incast, SoManyAtOnceEachPeriod)
{
    Made m("incast",
           {{"degree", "16"}, {"size", "64KiB"}, {"period", "100us"}, {"duration", "10ms"}});
    const auto flows = m.take();
    ASSERT_EQ(flows.size(), 99u * 16);
    std::set<uint32_t> receivers;
    for (size_t i = 0; i < flows.size(); i += 16) {
        std::set<uint32_t> senders;
        for (size_t k = i; k < i + 16; k++) {
            EXPECT_EQ(flows[k].start_ps, int64_t(i / 16 + 1) * 100000000);
            EXPECT_EQ(flows[k].dst, flows[i].dst);
            EXPECT_EQ(flows[k].bytes, 65536u);
            senders.insert(flows[k].src);
        }
        EXPECT_EQ(senders.size(), 16u);
        EXPECT_EQ(senders.count(flows[i].dst), 0u);
        receivers.insert(flows[i].dst);
    }
    EXPECT_GT(receivers.size(), 20u);
    Made all("incast", {{"degree", "32"}});
    EXPECT_EQ(all.s, nullptr);
    EXPECT_EQ(std::string(all.err.msg),
              "degree is 32, but 32 ranks have at most 31 senders for one receiver");
}

TEST(FlowList, ReadsColumnsByTheirNames)
{
    TempDir dir;
    const std::string csv = dir / "f.csv", txt = dir / "flow.txt";
    std::ofstream(csv)
        << "id,\"a,b\",dst,src,size_bytes,prio,start_ns\r\n0,\"x,y\",3,1,1000,5,2.5\n1,,2,0,7,,1\n";
    Made m("flows", {{"file", csv}, {"priorities", "file"}});
    auto flows = m.take();
    ASSERT_EQ(flows.size(), 2u) << m.err.msg;
    EXPECT_EQ(flows[0].src, 0u);
    EXPECT_EQ(flows[0].start_ps, 1000);
    EXPECT_EQ(flows[0].prio, WEFT_FLOW_PRIO_DEFAULT);
    EXPECT_EQ(flows[1].dst, 3u);
    EXPECT_EQ(flows[1].bytes, 1000u);
    EXPECT_EQ(flows[1].start_ps, 2500);
    EXPECT_EQ(flows[1].prio, 5u);
    std::ofstream(txt) << "2\n0 1 3 100 5000 0.000001\n1 0 3 100 6000 0\n";
    Made h("flows", {{"file", txt}});
    flows = h.take();
    ASSERT_EQ(flows.size(), 2u) << h.err.msg;
    EXPECT_EQ(flows[0].bytes, 6000u);
    EXPECT_EQ(flows[1].start_ps, 1000000);
    const std::pair<const char *, int> bad[] = {{"src,dst,size_bytes\n", 1},
                                                {"src,dst,size_bytes,start_ns\n1,1,5,0\n", 2},
                                                {"src,dst,size_bytes,start_ns\n\n1,2,x,0\n", 3},
                                                {"src,dst,size_bytes,start_ns\n1,32,5,0\n", 2},
                                                {"src,dst,size_bytes,start_ns\n1,2,5\n", 2}};
    for (const auto &b : bad) {
        std::ofstream(csv) << b.first;
        Made wrong("flows", {{"file", csv}});
        EXPECT_EQ(wrong.s, nullptr) << b.first;
        EXPECT_EQ(wrong.err.line, b.second) << b.first << wrong.err.msg;
    }
}

TEST(CdfTable, IsInOrderAndSaysWhereItIsFrom)
{
    size_t n;
    const weft_cdf_entry *t = weft_cdf_table(&n);
    const std::map<std::string, double> means = {{"websearch", 1711250},
                                                 {"hadoop", 120420.75},
                                                 {"alistorage", 40869.8},
                                                 {"googlerpc", 2891.6}};
    ASSERT_EQ(n, means.size());
    for (size_t i = 0; i < n; i++) {
        weft_err err = {};
        weft_cdf *c = weft_cdf_named(t[i].name, &err);
        ASSERT_NE(c, nullptr);
        EXPECT_NEAR(weft_cdf_mean_bytes(c) / means.at(t[i].name), 1, 0.01) << t[i].name;
        EXPECT_STRNE(t[i].source, "");
        EXPECT_EQ(c->percent[0], 0);
        EXPECT_EQ(c->percent[c->n - 1], 100);
        for (size_t k = 1; k < c->n; k++) {
            EXPECT_GT(c->bytes[k], c->bytes[k - 1]);
            EXPECT_GT(c->percent[k], c->percent[k - 1]);
        }
        weft_cdf_free(c);
    }
    weft_err err = {};
    EXPECT_EQ(weft_cdf_named("websaerch", &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("websearch"), std::string::npos);
}

} // namespace
