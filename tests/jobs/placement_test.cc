// SPDX-License-Identifier: GPL-2.0-only
// Which hosts jobs get.
#include "jobs/placement.h"

#include "tests/base/temp_dir.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <vector>

namespace
{

/* 4 leaves with 4 hosts each, or 4 servers of 4 with a rail for each place. */
struct Fabric {
    weft_fabric *f = weft_fabric_new();
    std::vector<uint8_t> taken = std::vector<uint8_t>(16);

    explicit Fabric(bool servers)
    {
        weft_err err = {};
        for (uint32_t h = 0; h < 16; h++)
            weft_fabric_add_node(f, WEFT_NODE_HOST, 0, nullptr, &err);
        for (uint32_t s = 0; s < 9; s++)
            weft_fabric_add_node(f, WEFT_NODE_SWITCH, s < 8 ? 1 : 2, nullptr, &err);
        for (uint32_t h = 0; h < 16; h++) {
            if (servers)
                link(h, 16 + h / 4, 0);
            link(h, servers ? 20 + h % 4 : 16 + h / 4, servers ? 1 : 0);
        }
        for (uint32_t s = 16; s < 24; s++)
            if (servers ? s >= 20 : true)
                link(s, 24, servers ? 1 : 0);
        if (servers) {
            f->ndims = 2;
            f->dims[0].kind = f->dims[1].kind = "switch";
            f->dims[0].size = f->dims[1].size = 4;
            f->dims[0].links = f->dims[1].links = 1;
            f->dims[0].rate_bps = f->dims[1].rate_bps = 100000000000;
        }
        EXPECT_EQ(weft_fabric_finish(f, &err), 0) << err.msg;
    }
    ~Fabric()
    {
        weft_fabric_free(f);
    }
    void link(uint32_t a, uint32_t b, uint32_t dim) const
    {
        weft_err err = {};
        weft_fabric_link l = {};
        l.a = a;
        l.b = b;
        l.rate_bps = 100000000000;
        l.dim = dim;
        EXPECT_EQ(weft_fabric_add_link(f, &l, nullptr, &err), 0) << err.msg;
    }
    std::vector<uint32_t> place(int policy, uint32_t n, const char *hosts = "",
                                const char *file = "", uint64_t seed = 1, bool shares = false)
    {
        const weft_placement p = {policy, seed, hosts, file, shares};
        std::vector<uint32_t> out(n);
        error = {};
        if (weft_place(&p, f, n, taken.data(), out.data(), &error))
            out.clear();
        return out;
    }
    weft_err error = {};
};

using Hosts = std::vector<uint32_t>;

TEST(Placement, PackedTakesTheFirstFree)
{
    Fabric w(false);
    w.taken[1] = 1;
    EXPECT_EQ(w.place(WEFT_PLACE_PACKED, 4), (Hosts{0, 2, 3, 4}));
    EXPECT_EQ(w.place(WEFT_PLACE_PACKED, 2), (Hosts{5, 6}));
    EXPECT_EQ(w.place(WEFT_PLACE_PACKED, 12), Hosts{});
    EXPECT_STREQ(w.error.msg, "12 ranks, but 9 of the fabric's 16 hosts are free; share=true takes "
                              "those of other workloads, too");
    EXPECT_EQ(w.place(WEFT_PLACE_PACKED, 3, "", "", 1, true), (Hosts{0, 1, 2}));
}

TEST(Placement, SpreadGoesRoundTheNeighbourhoods)
{
    Fabric leaves(false), servers(true);
    EXPECT_EQ(leaves.place(WEFT_PLACE_SPREAD, 6), (Hosts{0, 4, 8, 12, 1, 5}));
    EXPECT_EQ(servers.place(WEFT_PLACE_SPREAD, 6), (Hosts{0, 4, 8, 12, 1, 5}));
    EXPECT_EQ(servers.place(WEFT_PLACE_SPREAD, 3), (Hosts{2, 6, 9})); /* 1 and 5 are taken */
}

TEST(Placement, RailAlignedKeepsPlaces)
{
    Fabric w(true);
    const weft_dims fabric = {2, {4, 4}, {}, {}};
    weft_dims dims;
    w.taken[0] = 1; /* so that no server from there on has its first place free in common with it */
    const Hosts two = w.place(WEFT_PLACE_RAIL, 6);
    EXPECT_EQ(two, (Hosts{1, 2, 3, 5, 6, 7}));
    weft_place_dims(&fabric, two.data(), 6, &dims);
    EXPECT_EQ(dims.n, 2u);
    EXPECT_EQ(dims.size[0], 3u);
    EXPECT_EQ(dims.size[1], 2u);
    EXPECT_EQ(w.place(WEFT_PLACE_RAIL, 8), (Hosts{8, 9, 10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(w.place(WEFT_PLACE_RAIL, 2), Hosts{});
    Fabric flat(false);
    EXPECT_EQ(flat.place(WEFT_PLACE_RAIL, 4), Hosts{});
    EXPECT_NE(std::string(flat.error.msg).find("several dimensions"), std::string::npos);
}

TEST(Placement, RandomFollowsItsSeed)
{
    Fabric a(false), b(false), c(false);
    const Hosts first = a.place(WEFT_PLACE_RANDOM, 8, "", "", 7);
    EXPECT_EQ(std::set<uint32_t>(first.begin(), first.end()).size(), 8u);
    EXPECT_EQ(b.place(WEFT_PLACE_RANDOM, 8, "", "", 7), first);
    EXPECT_NE(c.place(WEFT_PLACE_RANDOM, 8, "", "", 8), first);
    const Hosts rest = a.place(WEFT_PLACE_RANDOM, 8, "", "", 7); /* all that is left */
    std::set<uint32_t> all(first.begin(), first.end());
    all.insert(rest.begin(), rest.end());
    EXPECT_EQ(all.size(), 16u);
}

TEST(Placement, ListsAndFiles)
{
    Fabric w(false);
    EXPECT_EQ(w.place(0, 4, "5,2-4"), (Hosts{5, 2, 3, 4}));
    TempDir dir;
    std::ofstream(dir / "hosts") << "15 14,\n0-1\n";
    EXPECT_EQ(w.place(0, 4, "", (dir / "hosts").c_str()), (Hosts{15, 14, 0, 1}));
    for (const char *bad : {"16", "6,6", "2", "6,", "x", "8-7", "6", "6,,7"}) {
        EXPECT_EQ(w.place(0, 2, bad), Hosts{}) << bad;
        EXPECT_EQ(w.error.code, WEFT_E_INPUT) << bad;
    }
    std::ofstream(dir / "bad") << "6\n 99\n";
    EXPECT_EQ(w.place(0, 2, "", (dir / "bad").c_str()), Hosts{});
    EXPECT_EQ(w.error.line, 2);
}

/* Ranks that do not count up the places of their hosts have no dimensions. */
TEST(Placement, DimensionsOfAJob)
{
    const weft_dims fabric = {2, {4, 4}, {}, {}};
    weft_dims dims;
    const Hosts all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, turned = {0, 4, 1, 5},
                odd = {0, 1, 2, 4, 5}, rails = {0, 2, 12, 14};
    weft_place_dims(&fabric, all.data(), 16, &dims);
    EXPECT_EQ(dims.n, 2u);
    EXPECT_EQ(dims.size[1], 4u);
    weft_place_dims(&fabric, turned.data(), 4, &dims);
    EXPECT_EQ(dims.n, 0u);
    weft_place_dims(&fabric, odd.data(), 5, &dims);
    EXPECT_EQ(dims.n, 0u);
    weft_place_dims(&fabric, rails.data(), 4, &dims);
    EXPECT_EQ(dims.n, 2u);
    EXPECT_EQ(dims.size[0], 2u);
    EXPECT_EQ(dims.size[1], 2u);
}

} // namespace
