/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-tcp: each TCP variant over a dumbbell of weft's devices and switches does the same as
 * over one of point-to-point devices with drop-tail queues.
 */
#include "weft-tcp-test-util.h"

#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/test.h"

#include <iostream>
#include <memory>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * What a run of the dumbbell shows.
 */
struct Outcome
{
    uint64_t bytes{0}; //!< Received while the load was full.
    uint64_t retx{0};  //!< Segments sent again.
    uint64_t hash{0};  //!< Of all arrivals.
    uint64_t drops{0}; //!< In the network.
};

constexpr uint32_t FLOWS = 4;
constexpr uint32_t QUEUE_BYTES = 120000;

/** Delay of the access link of a host: all different, so that nothing meets to the picosecond. */
Time
AccessDelay(uint32_t host)
{
    return NanoSeconds(2000 + 371 * host);
}

/** Runs the flows over a network that is ready. */
Outcome
RunFlows(const NodeContainer& hosts, const std::vector<Ipv4Address>& addresses)
{
    std::vector<std::unique_ptr<WeftTestBulk>> flows;
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        flows.push_back(std::make_unique<WeftTestBulk>(hosts.Get(i),
                                                       hosts.Get(FLOWS + i),
                                                       addresses[FLOWS + i],
                                                       5000,
                                                       MicroSeconds(10 + 137 * i)));
    }
    Outcome o;
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    for (auto& f : flows)
    {
        o.bytes -= f->received;
    }
    Simulator::Stop(MilliSeconds(60));
    Simulator::Run();
    for (auto& f : flows)
    {
        o.bytes += f->received;
        o.retx += f->retx;
        o.hash = o.hash * 31 + f->hash;
    }
    return o;
}

/** The dumbbell of point-to-point devices with drop-tail queues. */
Outcome
RunPointToPoint()
{
    NodeContainer hosts;
    NodeContainer routers;
    hosts.Create(2 * FLOWS);
    routers.Create(2);
    InternetStackHelper().Install(NodeContainer(hosts, routers));
    Ipv4AddressHelper net("10.0.0.0", "255.255.255.0");
    std::vector<Ipv4Address> addresses;
    Outcome o;
    auto link = [&](Ptr<Node> a, Ptr<Node> b, const char* rate, Time delay, uint32_t queueBytes) {
        PointToPointHelper p2p;
        p2p.SetDeviceAttribute("DataRate", StringValue(rate));
        p2p.SetChannelAttribute("Delay", TimeValue(delay));
        p2p.SetQueue("ns3::DropTailQueue",
                     "MaxSize",
                     StringValue(std::to_string(queueBytes) + "B"));
        NetDeviceContainer devices = p2p.Install(a, b);
        Ipv4InterfaceContainer interfaces = net.Assign(devices);
        TrafficControlHelper().Uninstall(devices);
        net.NewNetwork();
        return interfaces.GetAddress(0);
    };
    for (uint32_t i = 0; i < 2 * FLOWS; i++)
    {
        addresses.push_back(
            link(hosts.Get(i), routers.Get(i / FLOWS), "10Gbps", AccessDelay(i), 10000000));
    }
    link(routers.Get(0), routers.Get(1), "1Gbps", MicroSeconds(20), QUEUE_BYTES);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return RunFlows(hosts, addresses);
}

/** What a fabric of the tests gets: the frames and buffers of point-to-point devices. */
void
SetLikePointToPoint(WeftFabricHelper& helper, uint32_t queueBytes)
{
    Config::SetDefault("ns3::WeftNetDevice::FrameOverhead", UintegerValue(2)); // PPP
    Config::SetDefault("ns3::WeftNetDevice::TxQueueLimit", UintegerValue(10000000));
    helper.SetAttribute("TransportGap", UintegerValue(0));
    helper.SetAttribute("TransportMinFrame", UintegerValue(0));
    helper.SetAttribute("SwitchReserve", UintegerValue(0));
    helper.SetAttribute("SwitchThreshold", StringValue("static"));
    helper.SetAttribute("SwitchLimit", UintegerValue(20000000));
    helper.SetAttribute("SwitchEgressThreshold", StringValue("static"));
    helper.SetAttribute("SwitchEgressLimit", UintegerValue(queueBytes));
    helper.SetAttribute("EcnPrioMap", StringValue("0:off"));
}

/** The dumbbell of weft's devices and switches. */
Outcome
RunWeft()
{
    NodeContainer hosts;
    NodeContainer switches;
    hosts.Create(2 * FLOWS);
    switches.Create(2);
    WeftFabricHelper helper;
    SetLikePointToPoint(helper, QUEUE_BYTES);
    helper.AddHosts(hosts);
    helper.AddSwitches(switches);
    for (uint32_t i = 0; i < 2 * FLOWS; i++)
    {
        helper.AddLink(hosts.Get(i), switches.Get(i / FLOWS), DataRate("10Gbps"), AccessDelay(i));
    }
    helper.AddLink(switches.Get(0), switches.Get(1), DataRate("1Gbps"), MicroSeconds(20));
    Ptr<WeftFabric> fabric = helper.Install();
    Outcome o = RunFlows(hosts, WeftTestInstallStack(helper));
    struct weft_totals totals;
    weft_engine_totals(fabric->GetEngine(), &totals);
    o.drops = totals.drops[WEFT_DROP_BUFFER];
    weft_err err = {};
    NS_ABORT_MSG_IF(weft_engine_check(fabric->GetEngine(), &err) != 0, err.msg);
    return o;
}

/**
 * @ingroup weft-tests
 * The same dumbbell twice: of point-to-point devices, and of weft's.
 */
class DumbbellTestCase : public TestCase
{
  public:
    /** @param variant TypeId of a congestion control, without "ns3::" */
    explicit DumbbellTestCase(const std::string& variant)
        : TestCase("dumbbell, " + variant),
          m_variant(variant)
    {
    }

  private:
    void DoRun() override
    {
        Outcome o[3];
        for (int k = 0; k < 3; k++)
        {
            WeftTestRun run(k == 1 ? "ns3::WeftSimulatorImpl" : "ns3::DefaultSimulatorImpl");
            WeftTestSetTcp(m_variant);
            o[k] = k == 0 ? RunPointToPoint() : RunWeft();
            Config::Reset();
        }
        std::cout << m_variant << ": point-to-point " << o[0].bytes << " bytes, " << o[0].retx
                  << " retransmissions; weft " << o[1].bytes << " bytes, " << o[1].retx
                  << " retransmissions, " << o[1].drops << " drops\n";
        // 1 Gbps for 60 ms carries 7.5 MB, 1448 bytes of each 1490.
        NS_TEST_EXPECT_MSG_GT(o[0].bytes, 6000000u, "the load is full");
        NS_TEST_EXPECT_MSG_EQ_TOL(o[1].bytes / double(o[0].bytes), 1.0, 0.01, "goodput");
        NS_TEST_EXPECT_MSG_GT(o[1].drops, 0u, "the queue is short enough to drop");
        NS_TEST_EXPECT_MSG_EQ(o[1].retx, o[0].retx, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(o[1].hash, o[0].hash, "each arrival, to the picosecond");
        NS_TEST_EXPECT_MSG_EQ(o[1].hash, o[2].hash, "both SimulatorImpls, byte for byte");
        NS_TEST_EXPECT_MSG_EQ(o[1].retx, o[2].retx, "both SimulatorImpls");
    }

    std::string m_variant; //!< TypeId.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftTcpTestSuite : public TestSuite
{
  public:
    WeftTcpTestSuite()
        : TestSuite("weft-tcp", TestSuite::Type::SYSTEM)
    {
        for (const char* variant : {"TcpNewReno", "TcpCubic", "TcpDctcp", "TcpBbr"})
        {
            AddTestCase(new DumbbellTestCase(variant));
        }
    }
};

WeftTcpTestSuite g_weftTcpTestSuite; //!< Registers the suite.

} // namespace
