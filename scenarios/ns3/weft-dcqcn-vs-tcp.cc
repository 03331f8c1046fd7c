/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * RoCE under DCQCN and one TCP connection, from two hosts to a third over one switch: who gets how
 * much of its link.
 *
 *   weft-dcqcn-vs-tcp --variant=TcpDctcp                a priority each, equal weights
 *   weft-dcqcn-vs-tcp --weights=1:1,3:3                 RoCE (priority 3) gets three times as much
 *   weft-dcqcn-vs-tcp --shared=true                     both in one queue, with one marking curve
 */
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/integer.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"
#include "ns3/weft-fabric-helper.h"

#include <iostream>

using namespace ns3;

namespace
{

uint64_t g_tcpBytes; //!< Received over TCP.

void
Fill(Ptr<Socket> socket, uint32_t)
{
    while (socket->GetTxAvailable() >= 65536 && socket->Send(Create<Packet>(65536)) > 0)
    {
    }
}

void
Read(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        g_tcpBytes += packet->GetSize();
    }
}

void
Accept(Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeCallback(&Read));
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftFabricHelper::Setup();
    std::string variant = "TcpDctcp";
    std::string weights = "1:1,3:1";
    bool shared = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("variant", "ns-3's TCP: TcpDctcp, TcpCubic, TcpNewReno, TcpBbr", variant);
    cmd.AddValue("weights", "of the priorities: TCP has 1, RoCE 3", weights);
    cmd.AddValue("shared", "TCP has priority 3 too", shared);
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + variant));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));

    Config::SetDefault("ns3::WeftNetDevice::IpPriority", IntegerValue(shared ? 3 : 1));

    WeftFabricHelper helper;
    helper.SetTopology("single-switch",
                       "Hosts",
                       UintegerValue(3),
                       "Rate",
                       DataRateValue(DataRate("10Gbps")));
    helper.SetCongestionControl("dcqcn");
    helper.SetAttribute("SwitchWeightMap", StringValue(weights));
    Ptr<WeftFabric> fabric = helper.Install();
    NodeContainer hosts = helper.GetHosts();

    // TCP from host 1.
    InternetStackHelper().Install(hosts);
    Ipv4AddressHelper net("10.0.0.0", "255.0.0.0");
    Ipv4InterfaceContainer addresses;
    for (uint32_t h = 0; h < hosts.GetN(); h++)
    {
        addresses.Add(net.Assign(hosts.Get(h)->GetDevice(0)));
    }
    Ptr<Socket> sink = Socket::CreateSocket(hosts.Get(0), TcpSocketFactory::GetTypeId());
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
    sink->Listen();
    sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                            MakeCallback(&Accept));
    Ptr<Socket> source = Socket::CreateSocket(hosts.Get(1), TcpSocketFactory::GetTypeId());
    source->SetSendCallback(MakeCallback(&Fill));
    source->Bind();
    const InetSocketAddress to(addresses.GetAddress(0), 5000);
    Simulator::ScheduleWithContext(hosts.Get(1)->GetId(), MicroSeconds(10), [source, to]() {
        source->Connect(to); // once the stacks have started
    });

    // RoCE from host 2: two QPs by turns, so that there is always something to send.
    ApplicationContainer roce;
    for (uint32_t qp = 0; qp < 2; qp++)
    {
        WeftMessageSenderHelper sender(hosts.Get(0), 64 << 10);
        sender.SetAttribute("Count", UintegerValue(0));
        sender.SetAttribute("Qp", UintegerValue(qp));
        roce.Add(sender.Install(hosts.Get(2)));
    }
    const Time end = MilliSeconds(50);
    Simulator::Stop(end);
    Simulator::Run();

    uint64_t roceBytes = 0;
    for (uint32_t i = 0; i < roce.GetN(); i++)
    {
        roceBytes += DynamicCast<WeftApplication>(roce.Get(i))->GetReceivedBytes();
    }
    const WeftTotals t = fabric->GetTotals();
    const double tcpGbps = g_tcpBytes * 8 / end.GetSeconds() / 1e9;
    const double roceGbps = roceBytes * 8 / end.GetSeconds() / 1e9;
    std::cout << variant << " " << tcpGbps << " Gbps, RoCE under DCQCN " << roceGbps << " Gbps, "
              << t.ecn_marks << " marks, " << t.pfc_pauses << " pauses, "
              << t.drops[WEFT_DROP_BUFFER] << " drops\n";
    Simulator::Destroy();
    // Both get something, and together they leave no more of 10 Gb/s than their headers.
    return tcpGbps > 0.1 && roceGbps > 0.1 && tcpGbps + roceGbps > 8.5 ? 0 : 1;
}
