/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-traces: trace sources fire, agree with the engine's counters, reach per-port sinks by
 * Config path, and connecting them changes nothing.
 */
#include "weft-test-util.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-net-device.h"

#include <cstring>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * Counts what the trace sources of an 8-to-1 incast show.
 */
class IncastTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     * @param pfc whether PFC is on; with it off the small buffer drops
     * @param traces whether sinks are connected
     */
    IncastTestCase(const std::string& impl, bool pfc, bool traces)
        : TestCase(std::string("incast, PFC ") + (pfc ? "on, " : "off, ") +
                   (traces ? "traced, " : "untraced, ") + impl),
          m_impl(impl),
          m_pfc(pfc),
          m_traces(traces)
    {
    }

    /** When the simulation ended, by whether PFC was on: the same in all cases. */
    static std::map<bool, int64_t> s_ends;

  private:
    /** Counts of one kind of sink. */
    struct Counts
    {
        uint64_t pause{0};    //!< PfcPause.
        uint64_t resume{0};   //!< PfcResume.
        uint64_t drop{0};     //!< Drop.
        uint64_t mark{0};     //!< EcnMark.
        uint64_t queue{0};    //!< QueueBytes.
        uint64_t maxQueue{0}; //!< Largest value of QueueBytes.
        uint64_t complete{0}; //!< MessageComplete.
        uint64_t acked{0};    //!< MessageAcked.
        uint64_t badTime{0};  //!< Callbacks whose time was not Now().
    };

    // Sinks of the fabric's trace sources.
    void Pause(Time time, uint32_t, uint32_t)
    {
        m_fabric.pause++;
        m_fabric.badTime += time != Simulator::Now();
    }

    void Resume(Time time, uint32_t, uint32_t)
    {
        m_fabric.resume++;
        m_fabric.badTime += time != Simulator::Now();
    }

    void Drop(Time time, uint32_t, weft_drop_reason why, const weft_engine_pkt_view& packet)
    {
        m_fabric.drop += why == WEFT_DROP_BUFFER && packet.frame_bytes > 0;
        m_fabric.badTime += time != Simulator::Now();
    }

    void Mark(Time time, uint32_t, const weft_engine_pkt_view& packet)
    {
        m_fabric.mark += packet.kind == WEFT_PKT_DATA && packet.dst_host == 8;
        m_fabric.badTime += time != Simulator::Now();
    }

    void Queue(Time time, uint32_t, uint32_t, uint64_t bytes)
    {
        m_fabric.queue++;
        m_fabric.maxQueue = std::max(m_fabric.maxQueue, bytes);
        m_fabric.badTime += time != Simulator::Now();
    }

    void Complete(const weft_completion& done)
    {
        m_fabric.complete++;
        m_fabric.badTime += done.received_ps != Simulator::Now().GetPicoSeconds();
    }

    void Acked(const weft_completion& done)
    {
        m_fabric.acked++;
        m_fabric.badTime += done.acked_ps != Simulator::Now().GetPicoSeconds();
    }

    // Sinks of the devices' trace sources, connected by path.
    void PortPause(std::string, Time, uint32_t)
    {
        m_ports.pause++;
    }

    void PortResume(std::string, Time, uint32_t)
    {
        m_ports.resume++;
    }

    void PortDrop(std::string, Time, weft_drop_reason, const weft_engine_pkt_view&)
    {
        m_ports.drop++;
    }

    void PortMark(std::string, Time, const weft_engine_pkt_view&)
    {
        m_ports.mark++;
    }

    void PortQueue(std::string, Time, uint32_t, uint64_t)
    {
        m_ports.queue++;
    }

    void PortComplete(std::string path, const weft_completion&)
    {
        m_ports.complete++;
        m_completePath = path;
    }

    /**
     * The C++ values of what has been counted are those of the engine.
     * @param fabric the fabric
     * @param device of host 0
     * @param t what the engine says
     */
    void CheckCounters(Ptr<WeftFabric> fabric, Ptr<NetDevice> device, const struct weft_totals& t)
    {
        const WeftTotals totals = fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.msgs_posted, 8, "messages");
        NS_TEST_EXPECT_MSG_EQ(totals.msgs_acked, t.msgs_acked, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(totals.bytes_received, 8 << 20, "bytes");
        NS_TEST_EXPECT_MSG_EQ(totals.ecn_marks, t.ecn_marks, "marks");
        NS_TEST_EXPECT_MSG_EQ(totals.pfc_pauses, t.pfc_pauses, "pauses");
        NS_TEST_EXPECT_MSG_EQ(totals.retx_packets, t.retx_packets, "packets sent again");
        NS_TEST_EXPECT_MSG_EQ(totals.drops[WEFT_DROP_BUFFER], t.drops[WEFT_DROP_BUFFER], "drops");
        NS_TEST_EXPECT_MSG_EQ(totals.GetDrops(), t.drops[WEFT_DROP_BUFFER], "no others");
        NS_TEST_EXPECT_MSG_EQ(totals.sent[WEFT_PKT_DATA], t.sent[WEFT_PKT_DATA], "data packets");
        NS_TEST_EXPECT_MSG_EQ((totals == fabric->GetTotals()), true, "a value");
        NS_TEST_EXPECT_MSG_EQ((totals == WeftTotals()), false, "that has something in it");
        std::ostringstream text;
        text << totals;
        NS_TEST_EXPECT_MSG_EQ(text.str().find("messages posted 8, received 8, acknowledged 8, "),
                              0,
                              text.str());
        const WeftPortCounters port = DynamicCast<WeftNetDevice>(device)->GetCounters();
        struct weft_port_counters s;
        weft_engine_port_stats(fabric->GetEngine(), 0, &s);
        NS_TEST_EXPECT_MSG_EQ(port.tx_packets, s.tx_packets, "packets of host 0");
        NS_TEST_EXPECT_MSG_EQ(port.tx_payload_bytes, s.tx_payload_bytes, "payload");
        NS_TEST_EXPECT_MSG_EQ(port.GetBusy().GetPicoSeconds(), s.busy_ps, "time spent sending");
        NS_TEST_EXPECT_MSG_GT(port.GetBusy(), Time(0), "which is some");
        NS_TEST_EXPECT_MSG_EQ(port.GetPaused().GetPicoSeconds(), s.paused_ps, "time paused");
        NS_TEST_EXPECT_MSG_EQ((port == fabric->GetPortCounters(0)), true, "host 0 has port 0");
    }

    void Connect(Ptr<WeftFabric> fabric)
    {
        const std::string port = "/NodeList/*/DeviceList/*/$ns3::WeftNetDevice/";
        using T = IncastTestCase;
        fabric->TraceConnectWithoutContext("PfcPause", MakeCallback(&T::Pause, this));
        fabric->TraceConnectWithoutContext("PfcResume", MakeCallback(&T::Resume, this));
        fabric->TraceConnectWithoutContext("Drop", MakeCallback(&T::Drop, this));
        fabric->TraceConnectWithoutContext("EcnMark", MakeCallback(&T::Mark, this));
        fabric->TraceConnectWithoutContext("QueueBytes", MakeCallback(&T::Queue, this));
        fabric->TraceConnectWithoutContext("MessageComplete", MakeCallback(&T::Complete, this));
        fabric->TraceConnectWithoutContext("MessageAcked", MakeCallback(&T::Acked, this));
        Config::Connect(port + "PfcPause", MakeCallback(&T::PortPause, this));
        Config::Connect(port + "PfcResume", MakeCallback(&T::PortResume, this));
        Config::Connect(port + "Drop", MakeCallback(&T::PortDrop, this));
        Config::Connect(port + "EcnMark", MakeCallback(&T::PortMark, this));
        Config::Connect(port + "QueueBytes", MakeCallback(&T::PortQueue, this));
        Config::Connect(port + "MessageComplete", MakeCallback(&T::PortComplete, this));
    }

    void DoRun() override
    {
        WeftTestRun run(m_impl);
        WeftFabricHelper helper;
        NodeContainer hosts(9);
        NodeContainer sw(1);
        helper.AddHosts(hosts);
        helper.AddSwitches(sw);
        for (uint32_t i = 0; i < hosts.GetN(); i++)
        {
            helper.AddLink(hosts.Get(i), sw.Get(0), DataRate("100Gbps"), MicroSeconds(1));
        }
        helper.SetCongestionControl("dcqcn");
        helper.SetAttribute("PfcEnabled", BooleanValue(m_pfc));
        helper.SetAttribute("SwitchBuffer", UintegerValue(m_pfc ? 2 << 20 : 256 << 10));
        helper.SetAttribute("SwitchReserve", UintegerValue(1024));
        helper.SetAttribute("EcnKmin", UintegerValue(10000));
        helper.SetAttribute("EcnKmax", UintegerValue(40000));
        helper.SetAttribute("Seed", UintegerValue(7));
        Ptr<WeftFabric> fabric = helper.Install();
        if (m_traces)
        {
            Connect(fabric);
        }
        for (uint32_t i = 0; i < 8; i++)
        {
            helper.SendMessage(Seconds(0), i, 8, 1 << 20, i);
        }
        Simulator::Run();

        weft_err err = {};
        NS_TEST_EXPECT_MSG_EQ(weft_engine_check(fabric->GetEngine(), &err), 0, err.msg);
        struct weft_totals totals;
        weft_engine_totals(fabric->GetEngine(), &totals);
        NS_TEST_EXPECT_MSG_EQ(totals.msgs_acked, 8, "all messages are delivered");
        CheckCounters(fabric, hosts.Get(0)->GetDevice(0), totals);

        const int64_t end = Simulator::Now().GetPicoSeconds();
        if (s_ends.count(m_pfc))
        {
            NS_TEST_EXPECT_MSG_EQ(end, s_ends[m_pfc], "ends when it did with and without traces");
        }
        s_ends[m_pfc] = end;

        if (!m_traces)
        {
            NS_TEST_EXPECT_MSG_EQ(m_fabric.complete + m_ports.complete, 0, "no sink, no call");
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_fabric.badTime, 0, "times are Simulator::Now()");
        NS_TEST_EXPECT_MSG_EQ(m_fabric.complete, 8, "messages received");
        NS_TEST_EXPECT_MSG_EQ(m_fabric.acked, 8, "messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_fabric.mark, totals.ecn_marks, "marks");
        NS_TEST_EXPECT_MSG_GT(m_fabric.mark, 0, "an incast is marked");
        NS_TEST_EXPECT_MSG_EQ(m_fabric.drop, totals.drops[WEFT_DROP_BUFFER], "drops");
        if (m_pfc)
        {
            NS_TEST_EXPECT_MSG_GT(m_fabric.pause, 0, "an incast pauses");
            NS_TEST_EXPECT_MSG_EQ(m_fabric.pause, totals.pfc_pauses, "pauses");
            NS_TEST_EXPECT_MSG_EQ(m_fabric.resume, totals.pfc_resumes, "resumes");
            NS_TEST_EXPECT_MSG_EQ(m_fabric.pause, m_fabric.resume, "every pause ends");
            NS_TEST_EXPECT_MSG_EQ(m_fabric.drop, 0, "PFC keeps from dropping");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(m_fabric.pause, 0, "no PFC");
            NS_TEST_EXPECT_MSG_GT(m_fabric.drop, 0, "a small buffer drops");
        }
        // Port 8 of the switch leads to host 8: the h-th link is the h-th port of the switch.
        struct weft_port_counters stats;
        const uint32_t port = fabric->GetGraph()->nodes[9].first_port + 8;
        weft_engine_port_stats(fabric->GetEngine(), port, &stats);
        NS_TEST_EXPECT_MSG_EQ(m_fabric.maxQueue, stats.max_queue_bytes, "the queue's maximum");

        NS_TEST_EXPECT_MSG_EQ(m_ports.pause, m_fabric.pause, "pauses by port");
        NS_TEST_EXPECT_MSG_EQ(m_ports.resume, m_fabric.resume, "resumes by port");
        NS_TEST_EXPECT_MSG_EQ(m_ports.drop, m_fabric.drop, "drops by port");
        NS_TEST_EXPECT_MSG_EQ(m_ports.mark, m_fabric.mark, "marks by port");
        NS_TEST_EXPECT_MSG_EQ(m_ports.queue, m_fabric.queue, "queue changes by port");
        NS_TEST_EXPECT_MSG_EQ(m_ports.complete, 8, "messages by port");
        NS_TEST_EXPECT_MSG_EQ(m_completePath,
                              "/NodeList/" + std::to_string(hosts.Get(8)->GetId()) +
                                  "/DeviceList/0/$ns3::WeftNetDevice/MessageComplete",
                              "at the receiving host");
    }

    std::string m_impl;         //!< SimulatorImpl.
    bool m_pfc;                 //!< PFC is on.
    bool m_traces;              //!< Sinks are connected.
    Counts m_fabric;            //!< Seen at the fabric's trace sources.
    Counts m_ports;             //!< Seen at the devices'.
    std::string m_completePath; //!< Context of a MessageComplete.
};

std::map<bool, int64_t> IncastTestCase::s_ends;

/**
 * @ingroup weft-tests
 * Connecting and disconnecting while the simulation runs.
 */
class DisconnectTestCase : public TestCase
{
  public:
    DisconnectTestCase()
        : TestCase("sinks come and go while the simulation runs")
    {
    }

  private:
    /** Sink of MessageComplete: the first call is the last. */
    void Complete(const weft_completion&)
    {
        m_calls++;
        // Not here: a TracedCallback must not lose a sink while it calls its sinks.
        Simulator::ScheduleNow(&DisconnectTestCase::Change, this);
    }

    /** Takes one sink away and adds another. */
    void Change()
    {
        m_fabric->TraceDisconnectWithoutContext("MessageComplete",
                                                MakeCallback(&DisconnectTestCase::Complete, this));
        m_fabric->TraceConnectWithoutContext("MessageAcked",
                                             MakeCallback(&DisconnectTestCase::Acked, this));
    }

    /** Sink of MessageAcked, connected late. */
    void Acked(const weft_completion&)
    {
        m_acked++;
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        helper.SetTopology("dumbbell");
        helper.SetCongestionControl("none");
        m_fabric = helper.Install();
        m_fabric->TraceConnectWithoutContext("MessageComplete",
                                             MakeCallback(&DisconnectTestCase::Complete, this));
        m_fabric->Send(0, 1, 1);
        m_fabric->Send(0, 1, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_calls, 1, "called once");
        NS_TEST_EXPECT_MSG_EQ(m_acked, 2, "the other one sees both");
        m_fabric = nullptr;
    }

    Ptr<WeftFabric> m_fabric; //!< The fabric.
    int m_calls{0};           //!< Of MessageComplete.
    int m_acked{0};           //!< Of MessageAcked.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftTracesTestSuite : public TestSuite
{
  public:
    WeftTracesTestSuite()
        : TestSuite("weft-traces", TestSuite::Type::SYSTEM)
    {
        for (const char* impl : g_weftTestImpls)
        {
            for (bool pfc : {true, false})
            {
                AddTestCase(new IncastTestCase(impl, pfc, false));
                AddTestCase(new IncastTestCase(impl, pfc, true));
            }
        }
        AddTestCase(new DisconnectTestCase());
    }
} g_weftTracesTestSuite; //!< Registers itself.

} // namespace
