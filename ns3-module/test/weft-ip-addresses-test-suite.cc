/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-ip-addresses: what the fabric makes of the addresses of ns-3's Internet stack: whose
 * they are, ways through hosts to the rest of the network, flows as ECMP tells them apart.
 */
#include "weft-ip-test-util.h"

#include "ns3/channel.h"
#include "ns3/global-value.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"
#include "ns3/udp-socket-factory.h"

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * A host of the fabric is the gateway to a node outside: TCP reaches it by static and by global
 * routes, and where no route does, it is said.
 */
class GatewayTestCase : public TestCase
{
  public:
    GatewayTestCase()
        : TestCase("the rest of the network, through a host")
    {
    }

  private:
    static constexpr uint64_t BYTES = 300000; //!< Of each transfer.

    /** Host 2 of a star has a link to a node that is not in the fabric. */
    struct Net
    {
        Net()
            : star(3, [](WeftFabricHelper&) {}),
              addresses(WeftTestInstallStack(star.helper))
        {
            outside.Create(1);
            InternetStackHelper().Install(outside);
            PointToPointHelper link;
            link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
            link.SetChannelAttribute("Delay", StringValue("10us"));
            Ipv4AddressHelper net("192.168.0.0", "255.255.255.0");
            far = net.Assign(link.Install(star.helper.GetHosts().Get(2), outside.Get(0)))
                      .GetAddress(1);
        }

        /**
         * @param node a node
         * @return its static routes
         */
        Ptr<Ipv4StaticRouting> Routes(Ptr<Node> node) const
        {
            return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
        }

        WeftTestStar star;                  //!< The fabric.
        std::vector<Ipv4Address> addresses; //!< Of its hosts.
        NodeContainer outside;              //!< The node outside.
        Ipv4Address far;                    //!< Its address.
    };

    /**
     * @param net the network with its routes
     * @param what they are
     */
    void Transfer(Net& net, const std::string& what)
    {
        Ptr<Node> host = net.star.helper.GetHosts().Get(0);
        Ptr<Node> node = net.outside.Get(0);
        WeftTestBulk out(host, node, net.far, 80, MicroSeconds(1), BYTES);
        WeftTestBulk in(node, host, net.addresses[0], 81, MicroSeconds(1), BYTES);
        Simulator::Stop(MilliSeconds(200));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(out.received, BYTES, what + ", out of the fabric");
        NS_TEST_EXPECT_MSG_EQ(in.received, BYTES, what + ", into it");
    }

    void DoRun() override
    {
        WeftTestSetTcp("TcpNewReno");
        {
            WeftTestRun run("ns3::WeftSimulatorImpl");
            Net net;
            net.Routes(net.star.helper.GetHosts().Get(0))
                ->AddNetworkRouteTo("192.168.0.0", "255.255.255.0", net.addresses[2], 1);
            net.Routes(net.outside.Get(0))->SetDefaultRoute("192.168.0.1", 1);
            Transfer(net, "static routes");
        }
        {
            WeftTestRun run("ns3::WeftSimulatorImpl");
            Net net;
            NS_TEST_EXPECT_MSG_EQ(net.star.Device(0)->GetChannel()->GetNDevices(),
                                  3,
                                  "to IP the fabric is one network");
            Ipv4GlobalRoutingHelper::PopulateRoutingTables();
            Transfer(net, "global routes");
        }
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Net net;
        Ptr<Node> host = net.star.helper.GetHosts().Get(0);
        net.Routes(host)->SetDefaultRoute("10.0.0.99", 1);
        Ptr<Socket> source = Socket::CreateSocket(host, UdpSocketFactory::GetTypeId());
        for (int i = 1; i <= 2; i++)
        {
            Simulator::Schedule(MicroSeconds(i), [&]() {
                source->SendTo(Create<Packet>(100), 0, InetSocketAddress(net.far, 9));
            });
        }
        Simulator::Schedule(MicroSeconds(3), [&]() {
            source->SendTo(Create<Packet>(100), 0, InetSocketAddress("239.1.2.3", 9));
        });
        WeftTestStderr said;
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(said.Count("sends to 192.168.0.2, which no host of the fabric has"),
                              1u,
                              "it is said, and once: " + said.Text());
        NS_TEST_EXPECT_MSG_EQ(said.Count("sends to 239.1.2.3, which is a group"),
                              1u,
                              "of a group, too: " + said.Text());
        Config::Reset();
    }
};

/**
 * @ingroup weft-tests
 * IPv6 through a gateway that the sender's route names by its link-local address.
 */
class Gateway6TestCase : public TestCase
{
  public:
    Gateway6TestCase()
        : TestCase("IPv6 through a host")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftTestStderr said;
        WeftTestStar star(3, [](WeftFabricHelper&) {});
        NodeContainer outside(1);
        Ptr<Node> host = star.helper.GetHosts().Get(0);
        Ptr<Node> gateway = star.helper.GetHosts().Get(2);
        InternetStackHelper().Install(NodeContainer(star.helper.GetHosts(), outside));
        Ipv6AddressHelper net("fd00:1::", Ipv6Prefix(64));
        NetDeviceContainer inside(star.Device(0));
        inside.Add(star.Device(2));
        Ipv6InterfaceContainer in = net.Assign(inside);
        net.SetBase("fd00:2::", Ipv6Prefix(64));
        Ipv6InterfaceContainer out =
            net.Assign(PointToPointHelper().Install(gateway, outside.Get(0)));
        in.SetForwarding(1, true);
        Ipv6StaticRoutingHelper routing;
        routing.GetStaticRouting(host->GetObject<Ipv6>())
            ->SetDefaultRoute(in.GetAddress(1, 0), in.GetInterfaceIndex(0));

        uint32_t arrived = 0;
        Ptr<Socket> sink = Socket::CreateSocket(outside.Get(0), UdpSocketFactory::GetTypeId());
        sink->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 9));
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> s) {
            while (Ptr<Packet> p = s->Recv())
            {
                arrived += p->GetSize();
            }
        }));
        Ptr<Socket> source = Socket::CreateSocket(host, UdpSocketFactory::GetTypeId());
        Simulator::Schedule(Seconds(3), [&]() { // after duplicate address detection
            source->SendTo(Create<Packet>(777), 0, Inet6SocketAddress(out.GetAddress(1, 1), 9));
        });
        Simulator::Stop(Seconds(4));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(arrived, 777u, "it comes out");
        NS_TEST_EXPECT_MSG_EQ(said.Text(), "", "neighbour discovery is no reason to complain");
    }
};

/**
 * @ingroup weft-tests
 * What is read of IP headers, and how CE is written into them.
 */
class IpInfoTestCase : public TestCase
{
  public:
    IpInfoTestCase()
        : TestCase("IP headers")
    {
    }

  private:
    /**
     * @param destPort port in the UDP header
     * @return a packet of 100 bytes behind UDP and IPv4
     */
    static Ptr<Packet> Make4(uint16_t destPort)
    {
        Ptr<Packet> p = Create<Packet>(100);
        UdpHeader udp;
        udp.SetSourcePort(7);
        udp.SetDestinationPort(destPort);
        p->AddHeader(udp);
        Ipv4Header ip;
        ip.SetSource("10.0.0.1");
        ip.SetDestination("10.0.0.2");
        ip.SetProtocol(17);
        ip.SetTtl(9);
        ip.SetPayloadSize(108);
        ip.SetDscp(Ipv4Header::DSCP_EF);
        ip.SetEcn(Ipv4Header::ECN_ECT0);
        ip.EnableChecksum();
        p->AddHeader(ip);
        return p;
    }

    void DoRun() override
    {
        const uint16_t v4 = WeftIpInfo::ETHERTYPE_IPV4;
        const uint16_t v6 = WeftIpInfo::ETHERTYPE_IPV6;
        Ptr<Packet> p = Make4(80);
        WeftIpInfo info(p, v4);
        NS_TEST_EXPECT_MSG_EQ(info.isIpv4, true, "IPv4");
        NS_TEST_EXPECT_MSG_EQ(info.tos, (0xb8 | 2), "EF and ECT(0)");
        NS_TEST_EXPECT_MSG_EQ(info.ipv4, Ipv4Address("10.0.0.2"), "destination");
        NS_TEST_EXPECT_MSG_EQ(info.payloadBytes, 100u, "payload");
        NS_TEST_EXPECT_MSG_EQ(WeftIpInfo::Precedence(v4, info.tos), 5u, "EF is 46 = 5 x 8 + 6");
        NS_TEST_EXPECT_MSG_EQ(info.flow, WeftIpInfo(Make4(80), v4).flow, "the same flow");
        NS_TEST_EXPECT_MSG_NE(info.flow, WeftIpInfo(Make4(81), v4).flow, "another flow");
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        WeftIpInfo::MarkCe(p, v4);
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        Ipv4Header after;
        after.EnableChecksum();
        p->RemoveHeader(after);
        NS_TEST_EXPECT_MSG_EQ(after.GetEcn(), Ipv4Header::ECN_CE, "CE");
        NS_TEST_EXPECT_MSG_EQ(after.GetDscp(), Ipv4Header::DSCP_EF, "the rest stays");
        NS_TEST_EXPECT_MSG_EQ(after.GetPayloadSize(), 108u, "the rest stays");
        NS_TEST_EXPECT_MSG_EQ(after.IsChecksumOk(), true, "checksum");
        NS_TEST_EXPECT_MSG_EQ(p->GetSize(), 108u, "nothing but the header was touched");

        Ptr<Packet> q = Create<Packet>(50);
        Ipv6Header ip6;
        ip6.SetDestination("2001:db8::2");
        ip6.SetTrafficClass(0x62);
        ip6.SetNextHeader(59);
        ip6.SetPayloadLength(50);
        q->AddHeader(ip6);
        WeftIpInfo info6(q, v6);
        NS_TEST_EXPECT_MSG_EQ(info6.isIpv6, true, "IPv6");
        NS_TEST_EXPECT_MSG_EQ(info6.tos, 0x62, "traffic class");
        NS_TEST_EXPECT_MSG_EQ(info6.ipv6, Ipv6Address("2001:db8::2"), "destination");
        NS_TEST_EXPECT_MSG_EQ(info6.payloadBytes, 50u, "payload");
        WeftIpInfo::MarkCe(q, v6);
        q->PeekHeader(ip6);
        NS_TEST_EXPECT_MSG_EQ(ip6.GetTrafficClass(), 0x63, "CE");

        WeftIpInfo other(Create<Packet>(3), 0x1234);
        NS_TEST_EXPECT_MSG_EQ((other.isIpv4 || other.isIpv6), false, "not IP");
        WeftIpInfo cut(Create<Packet>(3), v4);
        NS_TEST_EXPECT_MSG_EQ(cut.isIpv4, false, "too short");
    }
};

/**
 * @ingroup weft-tests
 * IPv6, raw Ethernet by MAC address, unknown destinations, and what does not fit.
 */
class AddressTestCase : public TestCase
{
  public:
    AddressTestCase()
        : TestCase("addresses")
    {
    }

  private:
    bool Raw(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address& from)
    {
        m_rawBytes += packet->GetSize();
        m_rawFrom = from;
        return protocol == 0x88b5;
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftTestStar star(3, [](WeftFabricHelper&) {});
        InternetStackHelper().Install(star.helper.GetHosts());
        Ipv6AddressHelper net("2001:db8::", Ipv6Prefix(64));
        NetDeviceContainer devices;
        for (uint32_t i = 0; i < 2; i++)
        {
            devices.Add(star.Device(i));
        }
        Ipv6InterfaceContainer interfaces = net.Assign(devices);
        uint32_t arrived = 0;
        Ptr<Socket> sink =
            Socket::CreateSocket(star.helper.GetHosts().Get(1), UdpSocketFactory::GetTypeId());
        sink->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 9));
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> s) {
            while (Ptr<Packet> p = s->Recv())
            {
                arrived += p->GetSize();
            }
        }));
        Ptr<Socket> source =
            Socket::CreateSocket(star.helper.GetHosts().Get(0), UdpSocketFactory::GetTypeId());
        Simulator::Schedule(Seconds(3), [&]() { // after duplicate address detection
            source->SendTo(Create<Packet>(777),
                           0,
                           Inet6SocketAddress(interfaces.GetAddress(1, 1), 9));
        });
        Simulator::Stop(Seconds(4));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(arrived, 777u, "IPv6");

        star.Device(2)->SetReceiveCallback(MakeCallback(&AddressTestCase::Raw, this));
        Ptr<WeftNetDevice> from = star.Device(0);
        WeftTestStderr said;
        NS_TEST_EXPECT_MSG_EQ(from->Send(Create<Packet>(100), star.Device(2)->GetAddress(), 0x88b5),
                              true,
                              "by MAC address");
        NS_TEST_EXPECT_MSG_EQ(
            from->Send(Create<Packet>(100), Mac48Address("02:00:00:00:00:99"), 0x88b5),
            false,
            "an address of no host");
        NS_TEST_EXPECT_MSG_EQ(said.Count("sends to the MAC address"), 1u, "which is said");
        NS_TEST_EXPECT_MSG_EQ(from->Send(Create<Packet>(100), from->GetBroadcast(), 0x88b5),
                              false,
                              "to all");
        NS_TEST_EXPECT_MSG_EQ(said.Count("which is a group"), 1u, "which is said");
        NS_TEST_EXPECT_MSG_EQ(
            from->Send(Create<Packet>(1501), star.Device(2)->GetAddress(), 0x88b5),
            false,
            "longer than the MTU");
        Ptr<NetDevice> port = star.helper.GetSwitches().Get(0)->GetDevice(0);
        NS_TEST_EXPECT_MSG_EQ(port->Send(Create<Packet>(100), from->GetAddress(), 0x88b5),
                              false,
                              "from a switch");
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_rawBytes, 100u, "one of them arrived");
        NS_TEST_EXPECT_MSG_EQ(m_rawFrom, from->GetAddress(), "and says from where");
    }

    uint32_t m_rawBytes{0}; //!< Received by host 2.
    Address m_rawFrom;      //!< From there.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftIpAddressesTestSuite : public TestSuite
{
  public:
    WeftIpAddressesTestSuite()
        : TestSuite("weft-ip-addresses", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new IpInfoTestCase);
        AddTestCase(new AddressTestCase);
        AddTestCase(new GatewayTestCase);
        AddTestCase(new Gateway6TestCase);
    }
};

WeftIpAddressesTestSuite g_weftIpAddressesTestSuite; //!< Registers the suite.

} // namespace
