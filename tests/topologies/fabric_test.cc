// SPDX-License-Identifier: GPL-2.0-only
#include "topo.h"

#include "topologies/fabric_reach.h"

#include <cmath>

using namespace weft_test;

namespace
{

/// A fabric from a string of node kinds ("hhs") and a list of links.
Fabric make(const char *kinds, const std::vector<std::pair<uint32_t, uint32_t>> &links)
{
    Fabric f(weft_fabric_new());
    for (const char *k = kinds; *k; k++)
        EXPECT_EQ(weft_fabric_add_node(f.get(), *k == 'h' ? WEFT_NODE_HOST : WEFT_NODE_SWITCH,
                                       *k == 'h' ? 0 : 1, nullptr, nullptr),
                  0);
    for (auto [a, b] : links) {
        weft_fabric_link l{a, b, 1000, 1, 0.0, 0};
        EXPECT_EQ(weft_fabric_add_link(f.get(), &l, nullptr, nullptr), 0);
    }
    return f;
}

std::string finish_error(const Fabric &f)
{
    weft_err err{};
    int rc = weft_fabric_finish(f.get(), &err);
    EXPECT_EQ(rc, err.code);
    return rc ? err.msg : "";
}

std::string link_error(weft_fabric_link l)
{
    Fabric f = make("hhs", {});
    weft_err err{};
    int rc = weft_fabric_add_link(f.get(), &l, nullptr, &err);
    EXPECT_EQ(rc, rc ? WEFT_E_INPUT : 0);
    EXPECT_EQ(f->nlinks, rc ? 0u : 1u);
    return err.msg;
}

} // namespace

TEST(Fabric, NumbersHostsAndPortsInOrder)
{
    // Node ids mixed: s0 h1 s2 h3. Links in an order that is not by node.
    Fabric f = make("shsh", {{2, 0}, {3, 2}, {0, 1}, {0, 2}});
    ASSERT_EQ(finish_error(f), "");
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    EXPECT_EQ(f->nhosts, 2u);
    EXPECT_EQ(f->nswitches, 2u);
    EXPECT_EQ(f->nodes[3].host, 1u);
    // Node 0: links 0, 2, 3 -> ports 0, 1, 2. Node 1: link 2 -> port 3.
    // Node 2: links 0, 1, 3 -> ports 4, 5, 6. Node 3: link 1 -> port 7.
    EXPECT_EQ(f->nodes[0].nports, 3u);
    EXPECT_EQ(f->ports[1].link, 2u);
    EXPECT_EQ(f->ports[1].peer, 3u);
    EXPECT_EQ(f->ports[2].peer, 6u);
    EXPECT_EQ(f->ports[0].peer, 4u);
    EXPECT_EQ(f->ports[7].peer, 5u);
}

TEST(Fabric, NamesNodes)
{
    Fabric f = make("shsh", {{2, 0}, {3, 2}, {0, 1}});
    ASSERT_EQ(finish_error(f), "");
    char buf[WEFT_NODE_NAME_MAX];
    EXPECT_STREQ(weft_fabric_node_name(f.get(), 0, buf), "s0");
    EXPECT_STREQ(weft_fabric_node_name(f.get(), 1, buf), "h0");
    EXPECT_STREQ(weft_fabric_node_name(f.get(), 2, buf), "s2");
    EXPECT_STREQ(weft_fabric_node_name(f.get(), 3, buf), "h1");
}

TEST(Fabric, RefusesBadLinks)
{
    EXPECT_EQ(link_error({0, 2, 1, 0, 0.0, 0}), "");
    EXPECT_EQ(link_error({0, 2, 1, 0, 1.0, 0}), "");
    EXPECT_EQ(link_error({0, 3, 1, 0, 0.0, 0}), "link 0-3: there is no node 3, nodes are 0 .. 2");
    EXPECT_EQ(link_error({9, 0, 1, 0, 0.0, 0}), "link 9-0: there is no node 9, nodes are 0 .. 2");
    EXPECT_EQ(link_error({1, 1, 1, 0, 0.0, 0}), "link 1-1 joins a node to itself");
    EXPECT_EQ(link_error({0, 2, 0, 0, 0.0, 0}), "link 0-2: the rate must be above 0");
    EXPECT_EQ(link_error({0, 2, 1, -1, 0.0, 0}), "link 0-2: the delay must not be negative");
    EXPECT_NE(link_error({0, 2, 1, 0, 1.5, 0}), "");
    EXPECT_NE(link_error({0, 2, 1, 0, -0.1, 0}), "");
    EXPECT_NE(link_error({0, 2, 1, 0, std::nan(""), 0}), "");
}

TEST(Fabric, RefusesWhatCannotCarryAJob)
{
    EXPECT_EQ(finish_error(make("s", {})), "the fabric has no host");
    EXPECT_EQ(finish_error(make("hhs", {{0, 2}})), "host 1 (node 1) has no link");
    EXPECT_EQ(finish_error(make("hhss", {{0, 2}, {1, 3}})),
              "host 0 (node 0) cannot reach host 1 (node 1): no switches or direct link join them, "
              "and hosts do "
              "not forward");
}

TEST(Fabric, HostsDoNotForward)
{
    // A ring of four hosts: neighbours only.
    EXPECT_NE(finish_error(make("hhhh", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}))
                  .find("host 0 (node 0) cannot reach host 2"),
              std::string::npos);
    // Two islands joined by a host with a link to each.
    EXPECT_NE(finish_error(make("hhhss", {{0, 3}, {1, 3}, {1, 4}, {2, 4}}))
                  .find("host 0 (node 0) cannot reach host 2"),
              std::string::npos);
}

TEST(Fabric, AcceptsUnusualButConnectedGraphs)
{
    EXPECT_EQ(finish_error(make("h", {})), "") << "one host alone";
    EXPECT_EQ(finish_error(make("hh", {{0, 1}})), "") << "two hosts back to back";
    EXPECT_EQ(finish_error(make("hhh", {{0, 1}, {1, 2}, {2, 0}})), "") << "a full mesh of hosts";
    EXPECT_EQ(finish_error(make("hhss", {{0, 2}, {1, 2}})), "") << "a spare switch";
    EXPECT_EQ(finish_error(make("hhss", {{0, 2}, {1, 2}, {0, 3}, {1, 3}})), "") << "two rails";
    EXPECT_EQ(finish_error(make("hhhss", {{0, 3}, {1, 3}, {1, 4}, {2, 4}, {0, 2}})), "")
        << "the pair without a common island has a direct link";
}

TEST(Fabric, CannotChangeAfterFinish)
{
    Fabric f = make("hh", {{0, 1}});
    ASSERT_EQ(finish_error(f), "");
    weft_fabric_link l{0, 1, 1, 0, 0.0, 0};
    EXPECT_EQ(weft_fabric_add_link(f.get(), &l, nullptr, nullptr), WEFT_E_INTERNAL);
    EXPECT_EQ(weft_fabric_add_node(f.get(), WEFT_NODE_HOST, 0, nullptr, nullptr), WEFT_E_INTERNAL);
    EXPECT_EQ(weft_fabric_finish(f.get(), nullptr), WEFT_E_INTERNAL);
}

TEST(Fabric, ReturnsIdsInTheOrderAdded)
{
    Fabric f(weft_fabric_new());
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t id = 99999;
        ASSERT_EQ(weft_fabric_add_node(f.get(), WEFT_NODE_HOST, 0, &id, nullptr), 0);
        ASSERT_EQ(id, i);
    }
    for (uint32_t i = 0; i < 199; i++) {
        uint32_t id = 99999;
        weft_fabric_link l{i, i + 1, 1, 0, 0.0, 0};
        ASSERT_EQ(weft_fabric_add_link(f.get(), &l, &id, nullptr), 0);
        ASSERT_EQ(id, i);
    }
}

TEST(Fabric, TiersByDistance)
{
    // h0 - s2 - s3 - s4 - h1, s5 hangs on s3, s6 is unconnected.
    Fabric f = make("hhsssss", {{0, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 5}});
    ASSERT_EQ(finish_error(f), "");
    ASSERT_EQ(weft_fabric_tiers_by_distance(f.get(), nullptr), 0);
    const uint32_t want[] = {0, 0, 1, 2, 1, 3, 0};
    for (uint32_t i = 0; i < 7; i++)
        EXPECT_EQ(f->nodes[i].tier, want[i]) << i;
}

TEST(Fabric, FreeTakesNull)
{
    weft_fabric_free(nullptr);
    weft_routes_free(nullptr);
}

/* One dimension's links carry a share of their rate; others, and a share of 1, leave them alone. */
TEST(Fabric, LinksOfADimensionCarryAShareOfTheirRate)
{
    Fabric f(weft_fabric_new());
    for (int i = 0; i < 4; i++)
        ASSERT_EQ(weft_fabric_add_node(f.get(), i < 2 ? WEFT_NODE_HOST : WEFT_NODE_SWITCH, i / 2,
                                       nullptr, nullptr),
                  0);
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t h = 0; h < 2; h++) {
            weft_fabric_link l{h, 2 + d, 400000000000u, 1, 0.0, d};
            ASSERT_EQ(weft_fabric_add_link(f.get(), &l, nullptr, nullptr), 0);
        }
    f->dims[0].rate_bps = f->dims[1].rate_bps = 400000000000u;
    weft_fabric_slow(f.get(), 0, 1);
    EXPECT_EQ(f->links[0].rate_bps, 400000000000u);
    weft_fabric_slow(f.get(), 0, 0.75);
    EXPECT_EQ(f->dims[0].rate_bps, 300000000000u);
    EXPECT_EQ(f->dims[1].rate_bps, 400000000000u);
    EXPECT_EQ(f->links[1].rate_bps, 300000000000u);
    EXPECT_EQ(f->links[2].rate_bps, 400000000000u);
    weft_fabric_slow(f.get(), 1, 1e-12);
    EXPECT_EQ(f->links[3].rate_bps, 1u) << "never none";
}
