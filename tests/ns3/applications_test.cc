/* SPDX-License-Identifier: GPL-2.0-only */
/* What a script can get wrong with the helpers of applications: it ends, and says why. */
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/weft-all-to-all.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-fabric-helper.h"

#include <gtest/gtest.h>

#include <functional>

using namespace ns3;

namespace
{

/* Each death test runs a whole simulation in a process of its own. */
void script(const std::function<void(NodeContainer hosts, NodeContainer switches)> &body)
{
    WeftFabricHelper::Setup();
    WeftFabricHelper helper;
    helper.SetTopology("single-switch", "Hosts", UintegerValue(3));
    helper.Install();
    body(helper.GetHosts(), helper.GetSwitches());
    Simulator::Run();
}

class ApplicationMistakes : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    }
};

TEST_F(ApplicationMistakes, NodeThatIsNoHost)
{
    EXPECT_DEATH(script([](NodeContainer, NodeContainer switches) {
                     WeftIncastHelper(1000).Install(switches);
                 }),
                 "node 3 is not a host of a fabric");
    EXPECT_DEATH(script([](NodeContainer, NodeContainer) {
                     WeftMessageSenderHelper(CreateObject<Node>(), 1000);
                 }),
                 "node 4 is not a host of a fabric");
}

TEST_F(ApplicationMistakes, UnknownApplication)
{
    EXPECT_DEATH(WeftApplicationHelper("ns3::WeftOutcast"), "'ns3::WeftOutcast' is not");
    EXPECT_DEATH(WeftApplicationHelper("ns3::WeftFabric"), "'ns3::WeftFabric' is not");
    EXPECT_DEATH(WeftApplicationHelper("ns3::WeftApplication"), "'ns3::WeftApplication' is not");
}

TEST_F(ApplicationMistakes, ReceiversThatCannotBe)
{
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftMessageSenderHelper(hosts.Get(0), 1000).Install(hosts.Get(0));
                 }),
                 "WeftMessageSender on host 0: ");
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftApplicationHelper sender("ns3::WeftMessageSender");
                     sender.SetAttribute("RemoteHost", UintegerValue(17));
                     sender.Install(hosts.Get(0));
                 }),
                 "WeftMessageSender on host 0: .*17");
}

TEST_F(ApplicationMistakes, Incast)
{
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftIncastHelper incast(1000);
                     incast.SetAttribute("FanIn", UintegerValue(3));
                     incast.Install(hosts.Get(1));
                 }),
                 "FanIn is 3, more than its 2 peers");
}

TEST_F(ApplicationMistakes, AllToAll)
{
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftAllToAllHelper(1000).Install(hosts.Get(1));
                 }),
                 "its group has 1 members and needs 2");
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftAllToAllHelper(1000).Install(NodeContainer(hosts, hosts.Get(1)));
                 }),
                 "host 1 is in an all-to-all twice");
}

TEST_F(ApplicationMistakes, Distribution)
{
    EXPECT_DEATH(script([](NodeContainer hosts, NodeContainer) {
                     WeftCdfTrafficHelper("/nowhere/sizes.txt", 0.5).Install(hosts.Get(2));
                 }),
                 "WeftCdfTraffic on host 2: CdfFile: /nowhere/sizes.txt");
}

} // namespace
