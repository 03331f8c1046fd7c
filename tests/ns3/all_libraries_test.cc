/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft beside every ns-3 library that is installed. TypeIds and log components are global to a
 * process and a name used twice ends it at start; a library that the linker leaves out loses its
 * TypeIds.
 */
#include "ns3-module/bridge/bridge.h"

#include "topologies/topology.h"

#include "ns3/type-id.h"
#include "ns3/weft-congestion-control.h"
#include "ns3/weft-topology.h"
#include "congestion/cc_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace
{

/* Whether ns-3 has the library: an installed one may have been built with a few modules. */
bool has_library(const std::string &component)
{
    return std::string(NS3_LIBRARIES " ").find("weft_ns3_" + component + " ") != std::string::npos;
}

TEST(AllLibraries, EveryTypeIdResolvesByName)
{
    std::set<std::string> names;
    unsigned weft = 0;
    for (uint16_t i = 0; i < ns3::TypeId::GetRegisteredN(); i++) {
        const std::string name = ns3::TypeId::GetRegistered(i).GetName();
        EXPECT_TRUE(names.insert(name).second) << name << " twice";
        ns3::TypeId tid;
        ASSERT_TRUE(ns3::TypeId::LookupByNameFailSafe(name, &tid)) << name;
        EXPECT_EQ(tid, ns3::TypeId::GetRegistered(i));
        weft += name.rfind("ns3::Weft", 0) == 0;
    }
    size_t cc = 0, topologies = 0;
    weft_cc_table(&cc);
    weft_topology_table(&topologies);
    EXPECT_EQ(weft, 7 + 5 + cc + topologies); /* the module's own classes and its applications */
    EXPECT_GT(names.size(), has_library("lte") ? 500u : 200u);
}

TEST(AllLibraries, TypesOfLibrariesThatOnlyTextNames)
{
    const struct {
        const char *component, *type;
    } others[] = {{"point-to-point", "ns3::PointToPointNetDevice"},
                  {"csma", "ns3::CsmaChannel"},
                  {"wifi", "ns3::WifiNetDevice"},
                  {"lte", "ns3::LteEnbNetDevice"},
                  {"applications", "ns3::BulkSendApplication"}};
    for (const auto &other : others) {
        ns3::TypeId tid;
        EXPECT_EQ(ns3::TypeId::LookupByNameFailSafe(other.type, &tid), has_library(other.component))
            << other.type;
    }
    for (const char *name :
         {"ns3::TcpDctcp", "ns3::PfifoFastQueueDisc", "ns3::WeftFabric", "ns3::WeftNetDevice",
          "ns3::WeftChannel", "ns3::WeftSimulatorImpl", "ns3::WeftCongestionControl",
          "ns3::WeftTopology", "ns3::WeftApplication", "ns3::WeftMessageSender", "ns3::WeftIncast",
          "ns3::WeftAllToAll", "ns3::WeftCdfTraffic"}) {
        ns3::TypeId tid;
        EXPECT_TRUE(ns3::TypeId::LookupByNameFailSafe(name, &tid)) << name;
    }
    size_t n = 0;
    const weft_cc_ops *const *cc = weft_cc_table(&n);
    for (size_t i = 0; i < n; i++) {
        ns3::TypeId tid;
        EXPECT_TRUE(ns3::TypeId::LookupByNameFailSafe(
            ns3::WeftCongestionControl::GetTypeIdName(cc[i]->name), &tid))
            << cc[i]->name;
    }
    const weft_topology_ops *const *topo = weft_topology_table(&n);
    for (size_t i = 0; i < n; i++) {
        ns3::TypeId tid;
        EXPECT_TRUE(ns3::TypeId::LookupByNameFailSafe(
            ns3::WeftTopology::GetTypeIdName(topo[i]->name), &tid))
            << topo[i]->name;
    }
}

/* Upstream's libraries have the version in their names, Debian's in their SONAMEs:
 * libns3-core.so.37. All that are loaded are of one version. */
TEST(AllLibraries, VersionIsThatOfTheLoadedLibraries)
{
    static const std::regex name("/libns3([.][0-9]+)?-[a-z0-9-]+[.]so([.][0-9]+)?");
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::set<std::string> versions;
    for (std::smatch m; std::getline(maps, line);)
        if (std::regex_search(line, m, name))
            versions.insert("3" + (m[1].matched ? m[1].str() : m[2].str()));
    EXPECT_EQ(versions, std::set<std::string>{weft_ns3_version()});
}

} // namespace
