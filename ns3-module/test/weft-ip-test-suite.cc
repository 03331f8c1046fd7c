/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-ip: packets of ns-3's Internet stack share queues, buffers, marking and links with
 * RoCE.
 */
#include "weft-ip-test-util.h"

#include "ns3/flow-monitor-helper.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <iostream>
#include <memory>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * DCTCP keeps a switch queue around its marking threshold, and drops nothing.
 */
class DctcpQueueTestCase : public TestCase
{
  public:
    DctcpQueueTestCase()
        : TestCase("DCTCP keeps the queue at the marking threshold")
    {
    }

  private:
    static constexpr uint32_t THRESHOLD = 100000; //!< Bytes.

    void Queue(Time time, uint32_t /* prio */, uint64_t bytes)
    {
        m_area += m_bytes * (time - m_since).GetSeconds();
        m_most = std::max(m_most, bytes);
        m_bytes = bytes;
        m_since = time;
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftTestSetTcp("TcpDctcp");
        WeftTestStar star(3, [](WeftFabricHelper& h) {
            h.SetAttribute("EcnPrioMap", StringValue("0:100kB:100kB:1"));
            h.SetAttribute("EcnScaleRate", DataRateValue(DataRate("10Gbps")));
        });
        auto addresses = WeftTestInstallStack(star.helper);
        std::vector<std::unique_ptr<WeftTestBulk>> flows;
        for (uint32_t i = 0; i < 2; i++)
        {
            flows.push_back(std::make_unique<WeftTestBulk>(star.helper.GetHosts().Get(i),
                                                           star.helper.GetHosts().Get(2),
                                                           addresses[2],
                                                           5000 + i,
                                                           MicroSeconds(1 + 13 * i)));
        }
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const uint32_t peer = star.fabric->GetGraph()->ports[star.Device(2)->GetPort()].peer;
        star.helper.GetDevices().Get(peer)->TraceConnectWithoutContext(
            "QueueBytes",
            MakeCallback(&DctcpQueueTestCase::Queue, this));
        m_since = Simulator::Now();
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        const double mean = m_area / 0.020;
        std::cout << "DCTCP: mean queue " << mean << " bytes, most " << m_most << "\n";
        NS_TEST_EXPECT_MSG_EQ_TOL(mean, double(THRESHOLD), 0.25 * THRESHOLD, "mean queue");
        NS_TEST_EXPECT_MSG_LT(m_most, 2 * THRESHOLD, "longest queue");
        NS_TEST_EXPECT_MSG_EQ(star.Totals().drops[WEFT_DROP_BUFFER], 0u, "drops");
        NS_TEST_EXPECT_MSG_GT(star.Totals().ecn_marks, 100u, "marks");
        // 10 Gbps for 25 ms, 1448 bytes of each 1526 on the wire
        NS_TEST_EXPECT_MSG_GT(flows[0]->received + flows[1]->received,
                              0.97 * 31.25e6 * 1448 / 1526,
                              "the link is full");
        Config::Reset();
    }

    double m_area{0};    //!< Byte seconds.
    uint64_t m_bytes{0}; //!< Queued now.
    uint64_t m_most{0};  //!< Most queued.
    Time m_since;        //!< Of m_bytes.
};

/**
 * @ingroup weft-tests
 * 32 senders into one port with a small queue: drops and timeouts; with a large one: none.
 */
class IncastTestCase : public TestCase
{
  public:
    IncastTestCase()
        : TestCase("TCP incast of 32 to 1")
    {
    }

  private:
    void Drop(Time, uint32_t, weft_drop_reason why, Ptr<const Packet> packet)
    {
        m_traced += why == WEFT_DROP_BUFFER && packet->GetSize() > 0;
    }

    void Run(uint32_t queueBytes, bool expectLoss)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftTestSetTcp("TcpNewReno");
        m_traced = 0;
        WeftTestStar star(33, [&](WeftFabricHelper& h) {
            h.SetAttribute("SwitchEgressThreshold", StringValue("static"));
            h.SetAttribute("SwitchEgressLimit", UintegerValue(queueBytes));
            h.SetAttribute("SwitchReserve", UintegerValue(0));
        });
        auto addresses = WeftTestInstallStack(star.helper);
        star.fabric->TraceConnectWithoutContext("FrameDrop",
                                                MakeCallback(&IncastTestCase::Drop, this));
        FlowMonitorHelper monitors;
        Ptr<FlowMonitor> monitor = monitors.Install(star.helper.GetHosts());
        std::vector<std::unique_ptr<WeftTestBulk>> flows;
        for (uint32_t i = 0; i < 32; i++)
        {
            flows.push_back(std::make_unique<WeftTestBulk>(star.helper.GetHosts().Get(i),
                                                           star.helper.GetHosts().Get(32),
                                                           addresses[32],
                                                           5000 + i,
                                                           MicroSeconds(1),
                                                           100000));
        }
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        uint64_t retx = 0;
        uint64_t timeouts = 0;
        Time end;
        for (auto& f : flows)
        {
            NS_TEST_EXPECT_MSG_EQ(f->received, 100000u, "everything arrives in the end");
            retx += f->retx;
            timeouts += f->timeouts;
            end = std::max(end, f->last);
        }
        const auto totals = star.Totals();
        std::cout << "incast, " << queueBytes << " bytes: " << totals.drops[WEFT_DROP_BUFFER]
                  << " drops, " << retx << " retransmissions, " << timeouts << " timeouts, ends at "
                  << end.GetMicroSeconds() << " us\n";
        NS_TEST_EXPECT_MSG_EQ(totals.drops[WEFT_DROP_BUFFER], m_traced, "FrameDrop shows each");
        NS_TEST_EXPECT_MSG_EQ((totals.drops[WEFT_DROP_BUFFER] > 0), expectLoss, "drops");
        NS_TEST_EXPECT_MSG_EQ((timeouts > 0), expectLoss, "timeouts");
        NS_TEST_EXPECT_MSG_EQ((retx > 0), expectLoss, "retransmissions");
        // 32 x 100 kB at 10 Gbps, 1448 bytes of each 1526: 2.7 ms
        NS_TEST_EXPECT_MSG_EQ((end < MilliSeconds(4)), !expectLoss, "when it ends");
        monitor->CheckForLostPackets(MilliSeconds(100));
        uint64_t sent = 0;
        uint64_t arrived = 0;
        uint64_t lost = 0;
        for (const auto& stats : monitor->GetFlowStats())
        {
            sent += stats.second.txPackets;
            arrived += stats.second.rxPackets;
            lost += stats.second.lostPackets;
        }
        NS_TEST_EXPECT_MSG_EQ(monitor->GetFlowStats().size(), 64u, "32 flows of data, 32 of ACKs");
        NS_TEST_EXPECT_MSG_EQ(sent, totals.sent[WEFT_PKT_FRAME], "FlowMonitor: sent");
        NS_TEST_EXPECT_MSG_EQ(arrived, totals.delivered[WEFT_PKT_FRAME], "FlowMonitor: arrived");
        NS_TEST_EXPECT_MSG_EQ(lost, m_traced, "FlowMonitor: lost");
        Config::Reset();
    }

    void DoRun() override
    {
        Run(64000, true);
        Run(8000000, false);
    }

    uint64_t m_traced{0}; //!< Drops traced.
};

/**
 * @ingroup weft-tests
 * RoCE and TCP share a switch port by the weights of their priorities.
 */
class SharedPortTestCase : public TestCase
{
  public:
    SharedPortTestCase()
        : TestCase("RoCE and TCP share a port by weights")
    {
    }

  private:
    static constexpr uint32_t MESSAGE = 40960; //!< Bytes.

    void Complete(const weft_completion& done)
    {
        m_roce += done.msg.bytes;
        if (Simulator::Now() < MilliSeconds(50))
        {
            m_star->fabric->Send(0, 2, MESSAGE);
        }
    }

    /**
     * @param impl SimulatorImpl
     * @return hash of all arrivals of TCP
     */
    uint64_t Run(const char* impl)
    {
        WeftTestRun run(impl);
        WeftTestSetTcp("TcpCubic");
        m_roce = 0;
        WeftTestStar star(3, [&](WeftFabricHelper& h) {
            h.SetCongestionControl("none");
            h.SetAttribute("SwitchWeightMap", StringValue("1:1,3:3"));
            h.SetAttribute("SwitchEgressThreshold", StringValue("static"));
            h.SetAttribute("SwitchEgressLimit", UintegerValue(1000000));
        });
        m_star = &star;
        auto addresses = WeftTestInstallStack(star.helper);
        star.fabric->TraceConnectWithoutContext("MessageComplete",
                                                MakeCallback(&SharedPortTestCase::Complete, this));
        // Precedence 1 is priority 1.
        WeftTestBulk tcp(star.helper.GetHosts().Get(1),
                         star.helper.GetHosts().Get(2),
                         addresses[2],
                         5000,
                         MicroSeconds(1),
                         UINT64_MAX,
                         1 << 5);
        for (uint32_t i = 0; i < 200; i++)
        {
            star.fabric->Send(0, 2, MESSAGE);
        }
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const uint64_t tcpBefore = tcp.received;
        const uint64_t roceBefore = m_roce;
        Simulator::Stop(MilliSeconds(40));
        Simulator::Run();
        // Deficits count frames: 1448 bytes of TCP in 1506, 4096 of RoCE in 4158.
        const double tcpBytes = (tcp.received - tcpBefore) * 1506.0 / 1448;
        const double roceBytes = (m_roce - roceBefore) * 4158.0 / 4096;
        std::cout << "shared port: TCP " << tcpBytes << " RoCE " << roceBytes << " share of TCP "
                  << tcpBytes / (tcpBytes + roceBytes) << "\n";
        NS_TEST_EXPECT_MSG_EQ_TOL(tcpBytes / (tcpBytes + roceBytes), 0.25, 0.02 * 0.25, "share");
        NS_TEST_EXPECT_MSG_GT(star.Totals().pfc_pauses, 0u, "RoCE is paused");
        NS_TEST_EXPECT_MSG_EQ(star.Totals().drops[WEFT_DROP_HEADROOM], 0u, "and not dropped");
        Config::Reset();
        return tcp.hash;
    }

    void DoRun() override
    {
        const uint64_t hash = Run("ns3::WeftSimulatorImpl");
        NS_TEST_EXPECT_MSG_EQ(Run("ns3::DefaultSimulatorImpl"), hash, "byte for byte");
    }

    uint64_t m_roce{0};            //!< Bytes of RoCE received.
    WeftTestStar* m_star{nullptr}; //!< The world.
};

/**
 * @ingroup weft-tests
 * The queue of a NIC is bounded; queue discs above it keep the rest; priorities have one each.
 */
class QueueLimitTestCase : public TestCase
{
  public:
    QueueLimitTestCase()
        : TestCase("NIC queues and flow control")
    {
    }

  private:
    void Dropped(Ptr<const Packet>)
    {
        m_dropped++;
    }

    void Begun(Ptr<const Packet>)
    {
        m_begun++;
    }

    /**
     * @param queueDiscs whether there are any
     * @param tos of the packets
     * @return how many of 50 packets arrive
     */
    uint32_t Run(bool queueDiscs, uint8_t tos)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Config::SetDefault("ns3::WeftNetDevice::TxQueueLimit", UintegerValue(10000));
        WeftTestStar star(2, [](WeftFabricHelper&) {});
        auto addresses = WeftTestInstallStack(star.helper, queueDiscs);
        star.Device(0)->TraceConnectWithoutContext(
            "MacTxDrop",
            MakeCallback(&QueueLimitTestCase::Dropped, this));
        star.Device(0)->TraceConnectWithoutContext("PhyTxBegin",
                                                   MakeCallback(&QueueLimitTestCase::Begun, this));
        m_dropped = 0;
        m_begun = 0;
        uint32_t arrived = 0;
        Ptr<Socket> sink =
            Socket::CreateSocket(star.helper.GetHosts().Get(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> s) {
            while (s->Recv())
            {
                arrived++;
            }
        }));
        Ptr<Socket> source =
            Socket::CreateSocket(star.helper.GetHosts().Get(0), UdpSocketFactory::GetTypeId());
        source->SetIpTos(tos);
        source->Connect(InetSocketAddress(addresses[1], 9));
        Simulator::Schedule(MicroSeconds(1), [&]() {
            for (int i = 0; i < 50; i++)
            {
                source->Send(Create<Packet>(1000));
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_dropped, 0u, "a stopped queue is not offered packets");
        NS_TEST_EXPECT_MSG_EQ(m_begun, arrived, "what leaves arrives");
        NS_TEST_EXPECT_MSG_EQ(star.Totals().delivered[WEFT_PKT_FRAME],
                              arrived,
                              "the engine's count");
        Config::Reset();
        return arrived;
    }

    void DoRun() override
    {
        // Frames of 1046 bytes: one on the wire; 9 fill the queue so far that no full one fits.
        NS_TEST_EXPECT_MSG_EQ(Run(false, 0), 10u, "without queue discs");
        NS_TEST_EXPECT_MSG_EQ(Run(true, 0), 50u, "with them");
        NS_TEST_EXPECT_MSG_EQ(Run(true, 0xb8), 50u, "in priority 5");
    }

    uint32_t m_dropped{0}; //!< MacTxDrop.
    uint32_t m_begun{0};   //!< PhyTxBegin.
};

/**
 * @ingroup weft-tests
 * PhyRxDrop and MacRxDrop: where packets of the stack are lost, each once.
 */
class RxDropTestCase : public TestCase
{
  public:
    RxDropTestCase()
        : TestCase("PhyRxDrop and MacRxDrop")
    {
    }

  private:
    /**
     * Counts a packet.
     * @param n the counter
     */
    static void Count(uint32_t* n, Ptr<const Packet> /* packet */)
    {
        (*n)++;
    }

    void DoRun() override
    {
        const uint32_t N = 300;
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        NodeContainer hosts(3);
        NodeContainer sw(1);
        helper.AddHosts(hosts);
        helper.AddSwitches(sw);
        for (uint32_t h = 0; h < 3; h++)
        {
            const double errors = h == 1 ? 0.1 : 0;
            helper.AddLink(hosts.Get(h), sw.Get(0), DataRate("10Gbps"), MicroSeconds(1), errors);
        }
        helper.SetCongestionControl("none");
        helper.SetAttribute("SwitchBuffer", UintegerValue(64 << 10));
        helper.SetAttribute("SwitchReserve", UintegerValue(1024));
        helper.SetAttribute("PfcEnabled", BooleanValue(false));
        Ptr<WeftFabric> fabric = helper.Install();
        const auto addresses = WeftTestInstallStack(helper);
        for (uint32_t h = 0; h < 3; h++)
        {
            hosts.Get(h)->GetDevice(0)->SetAttribute("TxQueueLimit", UintegerValue(0));
        }

        enum
        {
            HOST,
            SWITCH,
            PLACES
        };

        uint32_t phy[PLACES][3] = {};
        uint32_t mac[PLACES][3] = {};
        uint32_t came = 0;
        uint32_t ended = 0;
        for (uint32_t h = 0; h < 3; h++)
        {
            for (int place : {HOST, SWITCH})
            {
                Ptr<NetDevice> device =
                    place == HOST ? hosts.Get(h)->GetDevice(0) : sw.Get(0)->GetDevice(h);
                device->TraceConnectWithoutContext("PhyRxDrop",
                                                   MakeBoundCallback(&Count, &phy[place][h]));
                device->TraceConnectWithoutContext("MacRxDrop",
                                                   MakeBoundCallback(&Count, &mac[place][h]));
            }
        }
        Ptr<Socket> sink = Socket::CreateSocket(hosts.Get(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        Ptr<NetDevice> receiver = hosts.Get(1)->GetDevice(0);
        receiver->TraceConnectWithoutContext("MacPromiscRx", MakeBoundCallback(&Count, &came));
        receiver->TraceConnectWithoutContext("PhyRxEnd", MakeBoundCallback(&Count, &ended));
        Simulator::Schedule(MicroSeconds(1), [&]() {
            for (uint32_t h : {0, 2})
            {
                Ptr<Socket> s = Socket::CreateSocket(hosts.Get(h), UdpSocketFactory::GetTypeId());
                for (uint32_t i = 0; i < N; i++)
                {
                    s->SendTo(Create<Packet>(1000), 0, InetSocketAddress(addresses[1], 9));
                }
            }
            hosts.Get(2)->GetDevice(0)->Send(Create<Packet>(100),
                                             hosts.Get(0)->GetDevice(0)->GetAddress(),
                                             0x88b5);
        });
        Simulator::Run();
        struct weft_totals t;
        weft_engine_totals(fabric->GetEngine(), &t);
        NS_TEST_EXPECT_MSG_GT(t.drops[WEFT_DROP_ERROR], 5, "the link loses some");
        NS_TEST_EXPECT_MSG_GT(t.drops[WEFT_DROP_BUFFER], 50, "the switch drops some");
        NS_TEST_EXPECT_MSG_EQ(phy[HOST][1], t.drops[WEFT_DROP_ERROR], "on their way to host 1");
        NS_TEST_EXPECT_MSG_EQ(phy[HOST][0] + phy[HOST][2] + phy[SWITCH][0] + phy[SWITCH][1] +
                                  phy[SWITCH][2],
                              0,
                              "and nowhere else (there are no ACKs)");
        NS_TEST_EXPECT_MSG_EQ(mac[SWITCH][0] + mac[SWITCH][2],
                              t.drops[WEFT_DROP_BUFFER],
                              "at the ports that they came in through");
        NS_TEST_EXPECT_MSG_EQ(mac[SWITCH][1], 0, "nothing comes in through that one");
        NS_TEST_EXPECT_MSG_EQ(came, 2 * N - mac[SWITCH][0] - mac[SWITCH][2] - phy[HOST][1], "rest");
        NS_TEST_EXPECT_MSG_EQ(ended, came, "PhyRxEnd");
        NS_TEST_EXPECT_MSG_EQ(mac[HOST][0], 1, "a protocol that nobody takes");
        NS_TEST_EXPECT_MSG_EQ(mac[HOST][1], 0, "UDP is taken");
        Config::Reset();
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftIpTestSuite : public TestSuite
{
  public:
    WeftIpTestSuite()
        : TestSuite("weft-ip", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RxDropTestCase);
        AddTestCase(new QueueLimitTestCase);
        AddTestCase(new DctcpQueueTestCase);
        AddTestCase(new IncastTestCase);
        AddTestCase(new SharedPortTestCase);
    }
};

WeftIpTestSuite g_weftIpTestSuite; //!< Registers the suite.

} // namespace
