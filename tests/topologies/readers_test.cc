// SPDX-License-Identifier: GPL-2.0-only
// Readers of topology files of others: what they make.
#include "readers.h"

#include "topologies/deadlock.h"
#include "topologies/write.h"

#include <set>
#include <sstream>

using namespace readers;

TEST(TopologyReaders, NcclServerHasItsNvlinksPciAndNics)
{
    Fabric f = read_text(NCCL);
    ASSERT_NE(f, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
    EXPECT_EQ(f->nhosts, 4u);
    EXPECT_EQ(f->nswitches, 7u);        // 2 CPUs, 2 PCI switches, 2 NICs, 1 NVSwitch
    EXPECT_EQ(f->nlinks, 4u + 8u + 1u); // NVLinks, PCI (4 GPUs, 2 switches, 2 NICs), between CPUs
    std::multiset<uint64_t> rates;
    for (uint32_t i = 0; i < f->nlinks; i++)
        rates.insert(f->links[i].rate_bps);
    EXPECT_EQ(rates.count(12 * 20 * uint64_t{8000000000}), 4u); // 12 NVLinks of 20 GB/s
    EXPECT_EQ(rates.count(16 * uint64_t{8000000000}), 1u);      // between AMD CPUs: 16 GB/s
    EXPECT_EQ(rates.count(252061538462u), 7u);                  // 16 GT/s x 16 x 128/130
    const std::string notes = f->notes ? f->notes : "";
    EXPECT_NE(notes.find("<fpga> is not known here"), std::string::npos) << notes;
    EXPECT_NE(notes.find("taken as 8 GT/s x 16"), std::string::npos) << notes;
    Routes r = routes_of(f);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t p[8];
            EXPECT_EQ(weft_routes_path(r.get(), a, b, 1, p, 8),
                      a == b ? 0u : 2u); // NVLink, never PCI
            if (a != b) {
                EXPECT_EQ(f->links[f->ports[p[0]].link].rate_bps, 240 * uint64_t{8000000000});
            }
        }
}

TEST(TopologyReaders, ManyRemarksAreCounted)
{
    std::string text = NCCL;
    std::string unknown;
    for (int i = 0; i < 5000; i++)
        unknown += "<unheard-of/>";
    text.insert(text.rfind("</system>"), unknown);
    Fabric f = read_text(text);
    ASSERT_NE(f, nullptr);
    const std::string notes = f->notes;
    EXPECT_LE(std::count(notes.begin(), notes.end(), '\n'), 18) << notes;
    EXPECT_NE(notes.find(" more elements have no effect"), std::string::npos) << notes;
}

TEST(TopologyReaders, NodesThatNoLinkOfTheFileCanReach)
{
    File file("<topology>\n<nodes kind=\"host\" count=\"4194304\"/>\n</topology>\n");
    weft_err err = {};
    EXPECT_EQ(try_build("xml", {{"file", file.path}}, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_EQ(err.line, 2);
    EXPECT_NE(std::string(err.msg).find("4194304 nodes are more than a file of 60 bytes can link"),
              std::string::npos)
        << err.msg;
}

TEST(TopologyReaders, NcclServersJoinOverTheirNics)
{
    File file(NCCL);
    for (const char *rails : {"false", "true"}) {
        Fabric f = build("nccl", {{"file", file.path}, {"nodes", "3"}, {"rails", rails}});
        ASSERT_NE(f, nullptr);
        EXPECT_EQ(f->nhosts, 12u);
        EXPECT_EQ(f->nswitches, 21u + (rails[0] == 't' ? 2 : 1));
        Routes r = routes_of(f);
        EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 2u);
        EXPECT_EQ(weft_routes_hops(r.get(), 0, 4), 6u); // PCI, NIC, network, NIC, PCI
        weft_err err{};
        EXPECT_EQ(weft_deadlock_check(f.get(), nullptr, &err), 0) << text(err);
    }
}

TEST(TopologyReaders, NcclDevicesByTheirClass)
{
    Fabric f = read_text(NCCL_CLASSES);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 3u);
    EXPECT_EQ(f->nswitches, 1u + 2u + 2u);
    EXPECT_NE(std::string(f->notes ? f->notes : "")
                  .find("3 GPUs and 2 NICs are known by their PCI class alone"),
              std::string::npos);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 2u); // GPU, bridge, GPU
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 4u); // over the CPU
    File file(NCCL_CLASSES);
    Fabric two = build("nccl", {{"file", file.path}, {"nodes", "2"}});
    ASSERT_NE(two, nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(two, routes_of(two)));
}

TEST(TopologyReaders, NcclMachinesShareAnNvswitchThatNobodyShows)
{
    Fabric f = read_text(NCCL_MACHINES);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 2u);
    EXPECT_EQ(f->nswitches, 2u + 2u + 1u + 1u); // CPUs, NICs, NVSwitch, network
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("<gin> in a NIC is not known"),
              std::string::npos);
    Routes r = routes_of(f);
    uint32_t p[8];
    ASSERT_EQ(weft_routes_path(r.get(), 0, 1, 3, p, 8), 2u);
    EXPECT_EQ(f->links[f->ports[p[0]].link].rate_bps, 5774400000000u); // 18 x 40.1 GB/s
    uint32_t cpus = 0;
    for (uint32_t l = 0; l < f->nlinks; l++) // no link joins the CPUs of two machines
        cpus += f->links[l].rate_bps == 48000000000u;
    EXPECT_EQ(cpus, 0u);
}

TEST(TopologyReaders, RcclXgmiLinksAndMachines)
{
    Fabric f = read_text(RCCL);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 5u);
    EXPECT_EQ(f->nswitches, 2u + 2u + 1u);
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("<hxgmi> in a GPU is not known"),
              std::string::npos);
    auto rate = [&](uint32_t a, uint32_t b) {
        for (uint32_t l = 0; l < f->nlinks; l++)
            if (f->links[l].a == a && f->links[l].b == b)
                return f->links[l].rate_bps / 8000000000;
        return uint64_t{0};
    };
    EXPECT_EQ(rate(0, 1), 48u);
    EXPECT_EQ(rate(0, 2), 96u);
    EXPECT_EQ(rate(1, 2), 48u);
    EXPECT_EQ(rate(3, 4), 36u);
    EXPECT_EQ(rate(0, 3) + rate(0, 4), 0u); // the same bus address, another machine
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 1), 1u);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 3), 6u); // over CPU, NIC, network, NIC, CPU
    ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
}

TEST(TopologyReaders, SimaiServersTalkOverNvswitches)
{
    Fabric f = read_text(SIMAI);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 4u);
    ASSERT_EQ(f->ndims, 2u);
    EXPECT_EQ(f->dims[0].size, 2u);
    EXPECT_EQ(f->dims[0].rate_bps, 2880000000000u);
    EXPECT_EQ(f->dims[1].rate_bps, 400000000000u);
    EXPECT_FALSE(f->transit);
    Routes r = routes_of(f);
    uint32_t p[8];
    ASSERT_EQ(weft_routes_path(r.get(), 0, 1, 7, p, 8), 2u);
    EXPECT_EQ(peer_of(f, p[0]), 4u);
    ASSERT_EQ(weft_routes_path(r.get(), 0, 2, 7, p, 8), 2u);
    EXPECT_EQ(peer_of(f, p[0]), 6u);
    ASSERT_EQ(weft_routes_path(r.get(), 0, 3, 7, p, 8),
              4u); // over the aggregation switch, not NVLink
    EXPECT_EQ(peer_of(f, p[1]), 8u);
}

// Some files repeat the GPUs per server at the end of the first line.
TEST(TopologyReaders, SimaiHeaderWithASeventhNumber)
{
    std::string seven = SIMAI;
    seven.replace(seven.find("H100\n"), 5, "H100 2\n");
    Fabric f = read_text(SIMAI), g = read_text(seven.c_str());
    ASSERT_NE(f, nullptr);
    ASSERT_NE(g, nullptr);
    EXPECT_EQ(written(f, weft_fabric_write_xml), written(g, weft_fabric_write_xml));
}

TEST(TopologyReaders, AstraDimensionsBecomeAFabric)
{
    Fabric f = read_text(YAML);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 16u);
    ASSERT_EQ(f->ndims, 3u);
    EXPECT_STREQ(f->dims[0].kind, "ring");
    EXPECT_STREQ(f->dims[1].kind, "fully-connected");
    EXPECT_STREQ(f->dims[2].kind, "switch");
    EXPECT_EQ(f->dims[0].rate_bps, 50 * uint64_t{8} * 1073741824); // GB are 2^30 bytes there
    EXPECT_EQ(f->dims[2].delay_ps, 2000500);
    EXPECT_NE(std::string(f->notes ? f->notes : "").find("'extra-key' has no effect"),
              std::string::npos);
    Fabric j = read_text("{\n  \"logical-dims\": [\"8\",\"2\"]\n}\n");
    ASSERT_NE(j, nullptr);
    EXPECT_EQ(j->nhosts, 16u);
    Fabric old = read_text(
        "{\"topology-name\": \"Hierarchical\", \"topologies-per-dim\": [\"Ring\", \"Switch\"],"
        "\"units-count\": [4, 2], \"link-bandwidth\": [100, 25], \"link-latency\": [50, 500]}");
    ASSERT_NE(old, nullptr);
    EXPECT_EQ(old->dims[0].rate_bps, 100 * uint64_t{8} * 1073741824);
    EXPECT_EQ(old->dims[1].delay_ps, 500000);
}

/* links-count of ASTRA-sim 1 multiplies: all links of a ring and to a switch, those of a pair where
 * all are joined; odd links of a ring and odd rests of a pair carry nothing. */
TEST(TopologyReaders, AstraLinksCountMultipliesBandwidth)
{
    const uint64_t unit = uint64_t{8} * 1073741824;
    Fabric f =
        read_text("{\"topologies-per-dim\": [\"Ring\", \"FullyConnected\", \"Switch\", \"Ring\"],"
                  "\"dimension-type\": [\"N\", \"N\", \"P\", \"P\"], \"units-count\": [4, 3, 2, 2],"
                  "\"links-count\": [2, 5, 6, 5], \"link-bandwidth\": [250, 25, 12.5, 10],"
                  "\"link-latency\": [500, 500, 500, 100], \"nic-latency\": [1, 2, 3, 0],"
                  "\"router-latency\": [7, 7, 8, 7], \"hbm-latency\": [500, 500, 500, 500],"
                  "\"hbm-bandwidth\": [370, 370, 370, 370], \"hbm-scale\": [0, 0, 0, 0]}");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->dims[0].rate_bps, 500 * unit);
    EXPECT_EQ(f->dims[1].rate_bps, 50 * unit); // 5 links to 2 others: 2 each
    EXPECT_EQ(f->dims[2].rate_bps, 75 * unit);
    EXPECT_EQ(f->dims[3].rate_bps, 40 * unit); // 4 of 5
    EXPECT_EQ(f->dims[0].delay_ps, 502000);    // a NIC at both ends
    EXPECT_EQ(f->dims[1].delay_ps, 504000);
    EXPECT_EQ(f->dims[2].delay_ps, 507000); // twice that: two links, two NICs, one router
    EXPECT_STREQ(f->notes ? f->notes : "", "");
    weft_err err{};
    File few("{\"topologies-per-dim\": [\"FullyConnected\"], \"units-count\": [8],\n"
             "\"links-count\": [6], \"link-bandwidth\": [50], \"link-latency\": [500]}");
    EXPECT_EQ(try_build("astra-network", {{"file", few.path}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("6 links are too few"), std::string::npos) << err.msg;
}

/* What ASTRA-sim's readers end at is an error here, not a default. */
TEST(TopologyReaders, AstraKeysThatAreMissingAreErrors)
{
    const std::string top = "topology: [ Switch, Ring ]\n", n = "npus_count: [ 4, 2 ]\n",
                      bw = "bandwidth: [ 50, 25 ]\n", lat = "latency: [ 500, 500 ]\n";
    const auto said = [](const std::string &text) {
        weft_err err{};
        File file(text.c_str());
        EXPECT_EQ(try_build("astra-network", {{"file", file.path}}, &err), nullptr) << text;
        return std::to_string(err.line) + ": " + err.msg;
    };
    ASSERT_NE(read_text((top + n + bw + lat).c_str()), nullptr);
    EXPECT_EQ(said(top + n + lat),
              "2: the key 'bandwidth' is missing: ASTRA-sim needs it beside 'npus_count'");
    EXPECT_EQ(said(top + n + bw),
              "2: the key 'latency' is missing: ASTRA-sim needs it beside 'npus_count'");
    EXPECT_EQ(said(n + bw + lat),
              "1: the key 'topology' is missing: ASTRA-sim needs it beside 'npus_count'");
    EXPECT_EQ(said("{\"topologies-per-dim\": [\"Ring\"], \"units-count\": [4],\n"
                   "\"link-latency\": [5]}"),
              "1: the key 'link-bandwidth' is missing: ASTRA-sim needs it beside 'units-count'");
    EXPECT_EQ(said(top + n + "bandwidth: [ 50 ]\n" + lat),
              "3: 'bandwidth' has 1 value for 2 dimensions");
    EXPECT_EQ(said(top + n + "bandwidth: 50\n" + lat),
              "3: 'bandwidth' has 1 value for 2 dimensions");
    EXPECT_EQ(said(top + n + bw + "latency: [ 1, 2, 3 ]\n"),
              "4: 'latency' has 3 values for 2 dimensions");
    EXPECT_EQ(said("topology: [ Switch ]\n" + n + bw + lat),
              "1: 'topology' has 1 value for 2 dimensions");
    EXPECT_EQ(said("{\"topologies-per-dim\": [\"Ring\"], \"dimensions-count\": 2,\n"
                   "\"units-count\": [4], \"link-bandwidth\": [25], \"link-latency\": [5]}"),
              "1: 'dimensions-count' is 2, but 'units-count' has 1 values");
}

/* Two NPUs in a ring are joined by one cable, of one link or of two. */
TEST(TopologyReaders, AstraRingOfTwoNeedsOneLink)
{
    const auto ring = [](const char *size, const char *links) {
        return std::string("{\"topologies-per-dim\": [\"Ring\"], \"units-count\": [") + size +
               "], \"links-count\": [" + links +
               "], \"link-bandwidth\": [12.5], \"link-latency\": [500]}";
    };
    const uint64_t unit = uint64_t{100} * 1073741824;
    Fabric one = read_text(ring("2", "1").c_str());
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->dims[0].rate_bps, unit);
    EXPECT_EQ(one->nlinks, 1u);
    EXPECT_NE(std::string(one->notes ? one->notes : "").find("ASTRA-sim 1.0 refuses it"),
              std::string::npos);
    Fabric two = read_text(ring("2", "2").c_str()), three = read_text(ring("2", "3").c_str());
    ASSERT_NE(two, nullptr);
    ASSERT_NE(three, nullptr);
    EXPECT_EQ(two->dims[0].rate_bps, 2 * unit);
    EXPECT_EQ(three->dims[0].rate_bps, 2 * unit);
    weft_err err{};
    File few(ring("3", "1").c_str());
    EXPECT_EQ(try_build("astra-network", {{"file", few.path}}, &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("1 links are too few"), std::string::npos) << err.msg;
}

TEST(TopologyReaders, AstraRingOfHostsWorksWhenHostsForward)
{
    const char *ring = "4 0 4\n0 1 25Gbps 0.005ms 0\n1 2 25Gbps 0.005ms 0\n2 3 25Gbps 0.005ms 0\n3 "
                       "0 25Gbps 0.005ms 0\n";
    File file(ring);
    weft_err err{};
    EXPECT_EQ(try_build("hpcc", {{"file", file.path}}, &err), nullptr);
    Fabric f = build("hpcc", {{"file", file.path}, {"hosts-forward", "true"}});
    ASSERT_NE(f, nullptr);
    Routes r = routes_of(f);
    EXPECT_EQ(weft_routes_hops(r.get(), 0, 2), 2u);
}
