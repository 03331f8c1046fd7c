// SPDX-License-Identifier: GPL-2.0-only
// Writers of topology files and their round trips, pictures, and the presets.
#include "readers.h"

#include "topologies/deadlock.h"
#include "topologies/presets.h"
#include "topologies/write.h"

#include <set>
#include <sstream>

using namespace readers;

TEST(TopologyReaders, XmlSaysEverything)
{
    size_t n;
    const weft_topology_ops *const *t = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool needs_file = false;
        for (size_t k = 0; k < t[i]->params.n; k++)
            needs_file |= !t[i]->params.params[k].def;
        if (needs_file)
            continue;
        SCOPED_TRACE(t[i]->name);
        Fabric f = build(t[i]->name);
        const std::string xml = written(f, weft_fabric_write_xml);
        Fabric g = read_text(xml);
        ASSERT_NE(g, nullptr) << xml;
        ASSERT_NO_FATAL_FAILURE(expect_same(f, g));
        EXPECT_EQ(written(g, weft_fabric_write_xml), xml);
        for (uint32_t d = 0; d < f->ndims; d++)
            EXPECT_STREQ(f->dims[d].kind, g->dims[d].kind);
    }
}

TEST(TopologyReaders, XmlKeepsWhatDimensionsSetForThemselves)
{
    Fabric f = build(
        "multi", {{"dimensions", "torus shape=2x3 mtu=8KiB static-window.window=64KiB "
                                 "congestion-control=static-window; switch size=2 buffer=1MiB"}});
    const std::string xml = written(f, weft_fabric_write_xml);
    Fabric g = read_text(xml);
    ASSERT_NE(g, nullptr) << xml;
    EXPECT_EQ(written(g, weft_fabric_write_xml), xml);
    ASSERT_EQ(g->ndims, 3u);
    for (uint32_t d = 0; d < 2; d++) {
        EXPECT_EQ(g->dims[d].set.mtu_bytes, 8192u);
        EXPECT_STREQ(g->dims[d].set.control, "static-window window=64KiB");
    }
    EXPECT_EQ(g->dims[2].set.mtu_bytes, 0u);
    EXPECT_EQ(g->dims[2].set.buffer_bytes, 1048576u);
    Fabric h = read_text(
        "<topology type=\"multi\"><dimension type=\"ring\" size=\"4\" mtu=\"2KiB\"/></topology>");
    ASSERT_NE(h, nullptr);
    EXPECT_EQ(h->dims[0].set.mtu_bytes, 2048u);
}

TEST(TopologyReaders, HpccTextRoundTripsWhatItCanSay)
{
    for (const char *name : {"fat-tree", "leaf-spine", "dumbbell", "dual-plane"}) {
        SCOPED_TRACE(name);
        Fabric f = build(name), g = read_text(written(f, weft_fabric_write_hpcc));
        ASSERT_NE(g, nullptr);
        EXPECT_EQ(written(g, weft_fabric_write_hpcc), written(f, weft_fabric_write_hpcc));
    }
    weft_err err{};
    FILE *out = tmpfile();
    EXPECT_EQ(weft_fabric_write_hpcc(build("torus").get(), out, &err), WEFT_E_INPUT);
    Fabric parallel = build("leaf-spine", {{"links-per-pair", "2"}});
    EXPECT_EQ(weft_fabric_write_hpcc(parallel.get(), out, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("has one link between two nodes"), std::string::npos)
        << err.msg;
    fclose(out);
}

TEST(TopologyReaders, PicturesNameEveryNode)
{
    for (const char *name : {"fat-tree", "torus", "ring", "multi"}) {
        Fabric f = build(name);
        const std::string svg = written(f, weft_fabric_write_svg),
                          dot = written(f, weft_fabric_write_dot);
        for (uint32_t i = 0; i < f->nnodes; i++) {
            char buf[WEFT_NODE_NAME_MAX];
            const std::string node = weft_fabric_node_name(f.get(), i, buf);
            EXPECT_NE(svg.find(">" + node + "</text>"), std::string::npos) << name << " " << node;
            EXPECT_NE(dot.find("  " + node + " [shape"), std::string::npos) << name << " " << node;
        }
        EXPECT_EQ(svg.find("nan"), std::string::npos);
    }
}

TEST(TopologyReaders, EveryPresetBuildsAndCannotDeadlock)
{
    struct Seen {
        int n = 0;
        static void look(void *ctx, const char *name, const char *file)
        {
            SCOPED_TRACE(name);
            static_cast<Seen *>(ctx)->n++;
            weft_err err{};
            Fabric f = read(file, &err);
            ASSERT_NE(f, nullptr) << text(err);
            EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), 0) << text(err);
            Fabric g = build("preset", {{"name", name}});
            EXPECT_EQ(g->nlinks, f->nlinks);
        }
    } seen;
    weft_err err{};
    ASSERT_EQ(weft_preset_each(Seen::look, &seen, &err), 0) << text(err);
    EXPECT_GE(seen.n, 8);
    EXPECT_EQ(try_build("preset", {{"name", "dgx-h100-pot"}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("'dgx-h100-pod'"), std::string::npos) << err.msg;
}

TEST(TopologyReaders, HpccPresetIsTheFileOfThatSimulator)
{
    const char *shared = getenv("WEFT_SHARED");
    const std::string file = std::string(shared ? shared : "") + "/data/hpcc/fat.txt";
    if (!std::ifstream(file))
        GTEST_SKIP() << "no " << file;
    weft_err err{};
    Fabric f = build("preset", {{"name", "hpcc-fat-tree-320"}}), g = read(file, &err);
    ASSERT_NE(g, nullptr) << text(err);
    ASSERT_EQ(f->nnodes, g->nnodes);
    auto edges = [](const Fabric &x) {
        std::multiset<std::tuple<uint32_t, uint32_t, uint64_t, int64_t>> s;
        for (uint32_t i = 0; i < x->nlinks; i++)
            s.insert({x->links[i].a, x->links[i].b, x->links[i].rate_bps, x->links[i].delay_ps});
        return s;
    };
    EXPECT_EQ(edges(f), edges(g));
}
