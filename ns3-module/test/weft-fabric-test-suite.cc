/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-fabric: messages over small fabrics take exactly the time worked out by hand, and
 * Simulator::Now() is that time inside the callbacks.
 *
 * The numbers use the default sizes: a full packet has 4096 B of payload, 62 B of headers and 20 B
 * of preamble and gap, 4178 B on the wire; an ACK 66 + 20 = 86 B. At 100 Gb/s a byte lasts 80 ps,
 * at 50 Gb/s 160 ps.
 */
#include "weft-test-util.h"

#include "ns3/channel.h"
#include "ns3/default-simulator-impl.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-topology.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

const int64_t FULL = 4178 * 80; //!< A full packet at 100 Gb/s: 334,240 ps.
const int64_t DELAY = 1000000;  //!< Propagation of each link: 1 us.

/**
 * @ingroup weft-tests
 * What a trace sink remembers of a message.
 */
struct Seen
{
    int64_t nowPs;        //!< Simulator::Now() in the callback.
    weft_completion done; //!< What it was given.
};

/**
 * @ingroup weft-tests
 * Builds dumbbells and records complete and acknowledged messages.
 */
class Dumbbell
{
  public:
    /**
     * @param bottleneck rate between the switches
     * @param hosts per side
     */
    explicit Dumbbell(const std::string& bottleneck, uint64_t hosts = 1)
    {
        helper.SetTopology("dumbbell",
                           "Left",
                           UintegerValue(hosts),
                           "Right",
                           UintegerValue(hosts),
                           "HostRate",
                           DataRateValue(DataRate("100Gbps")),
                           "BottleneckRate",
                           DataRateValue(DataRate(bottleneck)));
        helper.SetCongestionControl("none");
        fabric = helper.Install();
        fabric->TraceConnectWithoutContext("MessageComplete",
                                           MakeCallback(&Dumbbell::Complete, this));
        fabric->TraceConnectWithoutContext("MessageAcked", MakeCallback(&Dumbbell::Acked, this));
    }

    /**
     * Sink of MessageComplete.
     * @param done the message
     */
    void Complete(const weft_completion& done)
    {
        complete.push_back({Simulator::Now().GetPicoSeconds(), done});
    }

    /**
     * Sink of MessageAcked.
     * @param done the message
     */
    void Acked(const weft_completion& done)
    {
        acked.push_back({Simulator::Now().GetPicoSeconds(), done});
    }

    WeftFabricHelper helper;    //!< The helper.
    Ptr<WeftFabric> fabric;     //!< The fabric.
    std::vector<Seen> complete; //!< Messages received.
    std::vector<Seen> acked;    //!< Messages acknowledged.
};

/**
 * @ingroup weft-tests
 * One message alone.
 */
class MessageTimeTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     * @param bottleneck rate between the switches
     * @param bytes size of the message
     * @param startPs when it is posted
     * @param expectPs posted to last byte received
     * @param ackPs last byte received to last ACK at the sender
     */
    MessageTimeTestCase(const std::string& impl,
                        const std::string& bottleneck,
                        uint64_t bytes,
                        int64_t startPs,
                        int64_t expectPs,
                        int64_t ackPs)
        : TestCase(std::to_string(bytes) + " B over " + bottleneck + ", " + impl),
          m_impl(impl),
          m_bottleneck(bottleneck),
          m_bytes(bytes),
          m_startPs(startPs),
          m_expectPs(expectPs),
          m_ackPs(ackPs)
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run(m_impl);
        Dumbbell d(m_bottleneck);
        d.helper.SendMessage(PicoSeconds(m_startPs), 0, 1, m_bytes, 77);
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(d.complete.size(), 1, "one message is received");
        NS_TEST_ASSERT_MSG_EQ(d.acked.size(), 1, "one message is acknowledged");
        const Seen& c = d.complete[0];
        NS_TEST_EXPECT_MSG_EQ(c.done.post_ps, m_startPs, "time of posting");
        NS_TEST_EXPECT_MSG_EQ(c.done.received_ps, m_startPs + m_expectPs, "time of reception");
        NS_TEST_EXPECT_MSG_EQ(c.nowPs, m_startPs + m_expectPs, "Now() in the callback");
        NS_TEST_EXPECT_MSG_EQ(c.done.ideal_ps, m_expectPs, "ideal duration");
        NS_TEST_EXPECT_MSG_EQ(c.done.msg.tag, 77, "the tag is carried");
        const Seen& a = d.acked[0];
        NS_TEST_EXPECT_MSG_EQ(a.done.acked_ps,
                              m_startPs + m_expectPs + m_ackPs,
                              "time of the last ACK");
        NS_TEST_EXPECT_MSG_EQ(a.nowPs, a.done.acked_ps, "Now() in the callback");

        weft_err err = {};
        NS_TEST_EXPECT_MSG_EQ(weft_engine_check(d.fabric->GetEngine(), &err), 0, err.msg);
    }

    std::string m_impl;       //!< SimulatorImpl.
    std::string m_bottleneck; //!< Rate between the switches.
    uint64_t m_bytes;         //!< Size.
    int64_t m_startPs;        //!< Posted.
    int64_t m_expectPs;       //!< Duration.
    int64_t m_ackPs;          //!< Duration of the ACK.
};

/**
 * @ingroup weft-tests
 * Nodes and links of the script: two hosts, no switch.
 */
class ByHandTestCase : public TestCase
{
  public:
    ByHandTestCase()
        : TestCase("two hosts joined by hand")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        NodeContainer hosts(2);
        WeftFabricHelper helper;
        helper.AddHosts(hosts);
        helper.AddLink(hosts.Get(0), hosts.Get(1), DataRate("100Gbps"), MicroSeconds(1));
        helper.SetCongestionControl("none");
        Ptr<WeftFabric> fabric = helper.Install();
        NS_TEST_ASSERT_MSG_EQ(helper.GetHosts().GetN(), 2, "hosts");
        NS_TEST_ASSERT_MSG_EQ(helper.GetHosts().Get(1), hosts.Get(1), "the script's own node");
        NS_TEST_ASSERT_MSG_EQ(helper.GetDevices().GetN(), 2, "devices");
        NS_TEST_ASSERT_MSG_EQ(hosts.Get(0)->GetNDevices(), 1, "one port per host");
        Ptr<Channel> channel = hosts.Get(0)->GetDevice(0)->GetChannel();
        NS_TEST_ASSERT_MSG_EQ(channel->GetNDevices(), 2, "the link has two ends");
        NS_TEST_ASSERT_MSG_EQ(channel->GetDevice(1), hosts.Get(1)->GetDevice(0), "the other end");

        fabric->Send(0, 1, 4096);
        Simulator::Run();
        struct weft_totals totals;
        weft_engine_totals(fabric->GetEngine(), &totals);
        NS_TEST_EXPECT_MSG_EQ(totals.msgs_received, 1, "received");
        // The data packet there, its ACK back.
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetPicoSeconds(),
                              FULL + DELAY + 86 * 80 + DELAY,
                              "the simulation ends with the last ACK");
    }
};

/**
 * @ingroup weft-tests
 * What a process of a distributed simulation other than the first has for a SimulatorImpl.
 */
class TestRankOneImpl : public DefaultSimulatorImpl
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TestRankOneImpl")
                                .SetParent<DefaultSimulatorImpl>()
                                .SetGroupName("Simulator")
                                .AddConstructor<TestRankOneImpl>();
        return tid;
    }

    uint32_t GetSystemId() const override
    {
        return 1;
    }
};

NS_OBJECT_ENSURE_REGISTERED(TestRankOneImpl);

/**
 * @ingroup weft-tests
 * A fabric is not made a second time by another rank, and Setup says when it comes too late.
 */
class SimulationTestCase : public TestCase
{
  public:
    SimulationTestCase()
        : TestCase("ranks, and a late Setup")
    {
    }

  private:
    /**
     * @return what Setup prints
     */
    static std::string Setup()
    {
        WeftTestStderr said;
        WeftFabricHelper::Setup();
        return said.Text();
    }

    /**
     * @return the TypeId of the SimulatorImpl
     */
    static std::string Impl()
    {
        return Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    }

    void DoRun() override
    {
        {
            WeftTestRun run("ns3::TestRankOneImpl");
            Simulator::Schedule(Seconds(1), []() {}); // there is an implementation
            ObjectFactory factory("ns3::WeftTopologySingleSwitch");
            weft_err err = {};
            Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
            fabric->SetGraph(factory.Create<WeftTopology>()->Build(&err));
            NS_TEST_EXPECT_MSG_EQ(fabric->Build(&err), WEFT_E_INPUT, "another rank's fabric");
            NS_TEST_EXPECT_MSG_NE(std::string(err.msg).find("rank 1 of a distributed simulation"),
                                  std::string::npos,
                                  err.msg);
        }
        {
            WeftTestRun run("ns3::DefaultSimulatorImpl");
            NS_TEST_EXPECT_MSG_EQ(Setup(), "", "in time");
            NS_TEST_EXPECT_MSG_EQ(Impl(), "ns3::WeftSimulatorImpl", "it is chosen");
            NS_TEST_EXPECT_MSG_EQ(Setup(), "", "again");
        }
        WeftTestRun run("ns3::DefaultSimulatorImpl");
        Simulator::Schedule(Seconds(1), []() {});
        NS_TEST_EXPECT_MSG_NE(Setup().find("too late"), std::string::npos, "an event waits");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_NE(Setup().find("goes on under ns3::DefaultSimulatorImpl"),
                              std::string::npos,
                              "an event was executed");
    }
};

/**
 * @ingroup weft-tests
 * Stop(delay) between engine events, and going on afterwards.
 */
class StopTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit StopTestCase(const std::string& impl)
        : TestCase("Stop in the middle, then go on, " + impl),
          m_impl(impl)
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run(m_impl);
        Dumbbell d("100Gbps");
        d.fabric->Send(0, 1, 4096 * 10);
        // The first packet is on its last link; the engine's next event is later than the stop.
        Simulator::Stop(PicoSeconds(2 * (FULL + DELAY) + 7));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetPicoSeconds(),
                              2 * (FULL + DELAY) + 7,
                              "stopped when asked to");
        NS_TEST_EXPECT_MSG_EQ(Simulator::IsFinished(), true, "stopped");
        NS_TEST_EXPECT_MSG_EQ(d.complete.size(), 0, "nothing received yet");
        // A second message, from in between; its packets queue behind those of the first.
        d.fabric->Send(0, 1, 4096);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(d.complete.size(), 2, "both are received");
        NS_TEST_EXPECT_MSG_EQ(d.complete[0].nowPs, 12 * FULL + 3 * DELAY, "the first");
        NS_TEST_EXPECT_MSG_EQ(d.complete[1].nowPs, 13 * FULL + 3 * DELAY, "the second");
    }

    std::string m_impl; //!< SimulatorImpl.
};

/**
 * @ingroup weft-tests
 * Two fabrics in one simulation: each message of one posts a message in the other.
 */
class TwoFabricsTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit TwoFabricsTestCase(const std::string& impl)
        : TestCase("two fabrics, " + impl),
          m_impl(impl)
    {
    }

  private:
    /**
     * A message arrived in one fabric: the next starts in the other.
     * @param to the other
     * @param done the message
     */
    void Relay(WeftFabric* to, const weft_completion& done)
    {
        m_arrivals.push_back(Simulator::Now().GetPicoSeconds());
        if (done.msg.tag < 5)
        {
            to->Send(0, 1, 4096, done.msg.tag + 1);
        }
    }

    void DoRun() override
    {
        WeftTestRun run(m_impl);
        Dumbbell a("100Gbps");
        Dumbbell b("100Gbps");
        auto relay = [this](WeftFabric* to) {
            return Callback<void, const weft_completion&>(
                [this, to](const weft_completion& done) { Relay(to, done); });
        };
        a.fabric->TraceConnectWithoutContext("MessageComplete", relay(PeekPointer(b.fabric)));
        b.fabric->TraceConnectWithoutContext("MessageComplete", relay(PeekPointer(a.fabric)));
        a.fabric->Send(0, 1, 4096, 0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_arrivals.size(), 6, "relayed five times");
        for (std::size_t i = 0; i < m_arrivals.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_arrivals[i],
                                  static_cast<int64_t>(i + 1) * 3 * (FULL + DELAY),
                                  "each hop of the relay takes three links");
        }
    }

    std::string m_impl;              //!< SimulatorImpl.
    std::vector<int64_t> m_arrivals; //!< Times.
};

/**
 * @ingroup weft-tests
 * What the device says about the IP stack's packets.
 */
class DeviceTestCase : public TestCase
{
  public:
    DeviceTestCase()
        : TestCase("a WeftNetDevice refuses packets of the IP stack")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Dumbbell d("100Gbps");
        Ptr<NetDevice> device = d.helper.GetDevices().Get(0);
        NS_TEST_EXPECT_MSG_EQ(device->Send(Create<Packet>(100), device->GetBroadcast(), 0x0800),
                              false,
                              "refused");
        NS_TEST_EXPECT_MSG_EQ(device->SupportsSendFrom(), false, "no SendFrom");
        NS_TEST_EXPECT_MSG_EQ(device->IsLinkUp(), true, "connected");
        NS_TEST_EXPECT_MSG_EQ(device->GetNode(), d.helper.GetHosts().Get(0), "the host's port");
    }
};

/**
 * @ingroup weft-tests
 * A fabric that is disposed of halfway sends nothing more, though its simulation goes on, and shows
 * what it has counted. Its congestion control is used until then, which the build with sanitizers
 * watches.
 */
class DisposeTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     * @param inside from a callback of the engine, else from an event of ns-3
     */
    DisposeTestCase(const std::string& impl, bool inside)
        : TestCase(impl + ": Dispose " + (inside ? "in a callback" : "in an event")),
          m_impl(impl),
          m_inside(inside)
    {
    }

  private:
    /** Disposes of the fabric. */
    void DisposeNow()
    {
        m_fabric->Dispose();
        m_atDispose = Totals();
    }

    /**
     * Sink of MessageComplete.
     * @param done the message
     */
    void Complete(const weft_completion& /* done */)
    {
        m_complete++;
        if (m_inside && m_complete == 1)
        {
            DisposeNow();
        }
    }

    /**
     * @return the counters
     */
    struct weft_totals Totals() const
    {
        struct weft_totals t;
        ::weft_engine_totals(m_fabric->GetEngine(), &t);
        return t;
    }

    void DoRun() override
    {
        WeftTestRun run(m_impl);
        WeftFabricHelper helper;
        helper.SetTopology("single-switch", "Hosts", UintegerValue(9));
        helper.SetCongestionControl("dcqcn");
        m_fabric = helper.Install();
        m_fabric->TraceConnectWithoutContext("MessageComplete",
                                             MakeCallback(&DisposeTestCase::Complete, this));
        for (uint32_t host = 1; host < 9; host++)
        {
            m_fabric->Send(host, 0, 10000 * host);
            m_fabric->Send(host, 0, 1000000);
        }
        if (!m_inside)
        {
            Simulator::Schedule(MicroSeconds(40), &DisposeTestCase::DisposeNow, this);
        }
        Simulator::Schedule(MilliSeconds(50), []() {});
        Simulator::Run();
        const auto t = Totals();
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), MilliSeconds(50), "the simulation went on");
        NS_TEST_EXPECT_MSG_GT(m_atDispose.packet_hops, 0, "something was sent before");
        NS_TEST_EXPECT_MSG_LT(t.msgs_received, 16, "not everything arrived");
        NS_TEST_EXPECT_MSG_EQ(t.packet_hops,
                              m_atDispose.packet_hops,
                              "nothing was sent afterwards");
        NS_TEST_EXPECT_MSG_EQ(t.ecn_marks, m_atDispose.ecn_marks, "nor marked");
        m_fabric = nullptr;
    }

    std::string m_impl;             //!< SimulatorImpl.
    bool m_inside;                  //!< Disposes in a callback of the engine.
    Ptr<WeftFabric> m_fabric;       //!< The fabric.
    uint32_t m_complete{0};         //!< Messages.
    struct weft_totals m_atDispose; //!< The counters when it was disposed of.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftFabricTestSuite : public TestSuite
{
  public:
    WeftFabricTestSuite()
        : TestSuite("weft-fabric", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimulationTestCase);
        for (const char* impl : g_weftTestImpls)
        {
            // One packet: three links, each its serialisation and its delay. An empty message is a
            // packet of 62 B, padded to 64 B. Each ACK takes three links of 86 B.
            const int64_t ack = 3 * (86 * 80 + DELAY);
            AddTestCase(new MessageTimeTestCase(impl, "100Gbps", 4096, 0, 3 * (FULL + DELAY), ack));
            AddTestCase(
                new MessageTimeTestCase(impl, "100Gbps", 0, 12345, 3 * (84 * 80 + DELAY), ack));
            // 1,000,000 B are 244 full packets and one of 576 B (658 B, 52,640 ps). The last one
            // follows the full packet before it, which is stored and forwarded twice: 244 x 334,240
            // + 52,640 + 2 x 334,240 + 3 x 1,000,000.
            AddTestCase(new MessageTimeTestCase(impl, "100Gbps", 1000000, 0, 85275680, ack));
            // The bottleneck at half the rate paces everything: one full packet to it, 244 x
            // 668,480 on it, then the last full packet and the short one on the last link: 2 x
            // 334,240 + 163,109,120 + 52,640 + 3,000,000.
            AddTestCase(new MessageTimeTestCase(impl,
                                                "50Gbps",
                                                1000000,
                                                1,
                                                166830240,
                                                3 * DELAY + 86 * (80 + 160 + 80)));
            AddTestCase(new StopTestCase(impl));
            AddTestCase(new TwoFabricsTestCase(impl));
            AddTestCase(new DisposeTestCase(impl, false));
            AddTestCase(new DisposeTestCase(impl, true));
        }
        AddTestCase(new ByHandTestCase());
        AddTestCase(new DeviceTestCase());
    }
} g_weftFabricTestSuite; //!< Registers itself.

} // namespace
