// SPDX-License-Identifier: GPL-2.0-only
// SimAI's topology files: headers, and what the links of NVSwitches and of others join.
#include "readers.h"

using namespace readers;

namespace
{

Fabric simai(const std::string &text)
{
    File file(text);
    return build("simai", {{"file", file.path}});
}

std::string notes(const Fabric &f)
{
    return f->notes ? f->notes : "";
}

/* Two servers of two GPUs with an NVSwitch each, four links that are not NVLinks' behind @p head.
 */
std::string servers(const std::string &head, const std::string &network)
{
    return head +
           "0 4 2400Gbps 25ns 0\n1 4 2400Gbps 25ns 0\n2 5 2400Gbps 25ns 0\n3 5 2400Gbps 25ns 0\n" +
           network;
}

} // namespace

/* Some files repeat the GPUs per server behind the GPU type, also those without a switch. */
TEST(SimaiFile, GpusPerServerMayFollowTheType)
{
    for (const char *again : {"", " 1"}) {
        SCOPED_TRACE(again);
        const std::string end = again + std::string("\n");
        Fabric two = simai("2 1 0 0 1 H100" + end + "0 1 200Gbps 0.0005ms 0\n");
        ASSERT_NE(two, nullptr);
        EXPECT_EQ(two->nhosts, 2u);
        EXPECT_EQ(two->links[0].rate_bps, 200000000000u);
        Fabric three = simai("3 1 0 1 2 H100" + end + "2\n0 2 200Gbps 1us 0\n1 2 200Gbps 1us 0\n");
        ASSERT_NE(three, nullptr);
        EXPECT_EQ(three->nhosts, 2u);
    }
    Fabric first = simai("3 1 0 1 2 H100 2\n0 2 200Gbps 1us 0\n1 2 200Gbps 1us 0\n");
    ASSERT_NE(first, nullptr); // 2 is the switch
    EXPECT_EQ(first->nodes[2].kind, WEFT_NODE_SWITCH);
}

TEST(SimaiFile, ANetworkOfAllSpansTheServers)
{
    Fabric f = simai(servers("7 2 2 1 8 H100\n4 5 6\n", "0 6 400Gbps 1us 0\n1 6 400Gbps 1us 0\n"
                                                        "2 6 400Gbps 1us 0\n3 6 400Gbps 1us 0\n"));
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(f->ndims, 2u);
    EXPECT_TRUE(f->dims[1].spans);
    EXPECT_FALSE(f->transit);
    EXPECT_EQ(notes(f), "");
    EXPECT_EQ(weft_routes_hops(routes_of(f).get(), 0, 3), 2u);
}

/* A switch per rail: GPU 0 reaches GPU 3 over GPU 1, its neighbour on that rail. */
TEST(SimaiFile, RailsWithoutASpineAreReachedOverNvlink)
{
    Fabric f =
        simai(servers("8 2 2 2 8 H100\n4 5 6 7\n", "0 6 400Gbps 1us 0\n1 7 400Gbps 1us 0\n"
                                                   "2 6 400Gbps 1us 0\n3 7 400Gbps 1us 0\n"));
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(f->ndims, 2u);
    EXPECT_FALSE(f->dims[1].spans);
    EXPECT_TRUE(f->transit);
    EXPECT_NE(notes(f).find("the network does not join all GPUs"), std::string::npos) << notes(f);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 2u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 2u);
    uint32_t p[8];
    ASSERT_EQ(weft_routes_path(r.get(), 0, 3, 1, p, 8), 4u);
    const uint32_t nodes[] = {0, 4, 1, 7};
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(f->ports[p[i]].node, nodes[i]);
}

/* Three rails of which two share a switch: GPUs forward along shortest paths. */
TEST(SimaiFile, NetworksOfSomeGpusAreOneDimension)
{
    Fabric f = simai("10 3 2 2 12 H100\n6 7 8 9\n0 6 2400Gbps 25ns 0\n1 6 2400Gbps 25ns 0\n2 6 "
                     "2400Gbps 25ns 0\n3 7 2400Gbps 25ns 0\n4 7 2400Gbps 25ns 0\n5 7 2400Gbps 25ns "
                     "0\n0 8 400Gbps 1us 0\n1 8 400Gbps 1us 0\n3 8 400Gbps 1us 0\n4 8 400Gbps 1us "
                     "0\n2 9 400Gbps 1us 0\n5 9 400Gbps 1us 0\n");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->ndims, 1u);
    EXPECT_TRUE(f->transit);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 4), 2u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 5), 4u);
}

/* NVSwitches behind a switch of NVSwitches: shortest paths, and of equally short ones NVLink's. */
TEST(SimaiFile, NvswitchesMayBeJoined)
{
    const std::string
        up = "4 6 2400Gbps 25ns 0\n5 6 2400Gbps 25ns 0\n",
        net = "0 7 400Gbps 1us 0\n1 7 400Gbps 1us 0\n2 8 400Gbps 1us 0\n3 8 400Gbps 1us "
              "0\n7 9 400Gbps 1us 0\n8 9 400Gbps 1us 0\n";
    for (const char *head :
         {"10 2 2 4 12 H100\n4 5 6 7 8 9\n", "10 2 3 3 12 H100\n4 5 6 7 8 9\n"}) {
        SCOPED_TRACE(head);
        Fabric f = simai(servers(head, up + net));
        ASSERT_NE(f, nullptr);
        ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, routes_of(f)));
        EXPECT_EQ(f->ndims, 1u);
        EXPECT_FALSE(f->transit);
        EXPECT_EQ(notes(f), "");
        Routes r = routes_of(f);
        uint32_t p[8];
        for (uint32_t hash = 0; hash < 8; hash++) {
            ASSERT_EQ(weft_routes_path(r.get(), 0, 3, hash, p, 8), 4u);
            EXPECT_EQ(f->ports[p[1]].node, 4u); // though 7, 9 and 8 are as near
            ASSERT_EQ(weft_routes_path(r.get(), 0, 1, hash, p, 8), 2u);
            EXPECT_EQ(f->ports[p[1]].node, 4u);
        }
    }
}
