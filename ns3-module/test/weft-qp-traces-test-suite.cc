/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/*
 * Trace sources of QPs, messages and links: each connected by Config paths, at the devices and at
 * the fabric, and compared with the engine's counters or with numbers worked out by hand.
 */
#include "congestion/cc_table.h"
#include "weft-test-util.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-net-device.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace
{

using namespace ns3;

/**
 * @ingroup weft-tests
 * Eight senders to one receiver, small buffers without PFC, and a link that fails for a while.
 */
class QpTracesTestCase : public TestCase
{
  public:
    /**
     * @param impl SimulatorImpl
     */
    explicit QpTracesTestCase(const std::string& impl)
        : TestCase("sources of QPs, messages and links by path, " + impl),
          m_impl(impl)
    {
    }

  private:
    // Sinks, with the path; the device's and the fabric's sources differ for links only.
    void Packet(std::string path,
                Time time,
                const weft_engine_qp_view& qp,
                const weft_engine_pkt_view&)
    {
        Count(path, time);
        m_bad += qp.dst_host != 8 || qp.qpn < WEFT_FIRST_QPN;
    }

    void Qp(std::string path, Time time, const weft_engine_qp_view&)
    {
        Count(path, time);
    }

    void Value(std::string path, Time time, const weft_engine_qp_view& qp, uint64_t value)
    {
        Count(path, time);
        m_values[path.substr(path.rfind('/') + 1)][qp.qpn].push_back(value);
    }

    void CcValue(std::string path,
                 Time time,
                 const weft_engine_qp_view&,
                 const std::string& name,
                 double)
    {
        Count(path, time);
        m_names.insert(name);
    }

    void Message(std::string path, const weft_completion& message)
    {
        Count(path, Simulator::Now());
        m_bad += message.qpn < WEFT_FIRST_QPN || message.packets != 256;
    }

    void DeviceLink(std::string path, Time time, bool up)
    {
        Count(path, time);
        m_up.push_back(up);
    }

    void FabricLink(std::string path, Time time, uint32_t link, bool)
    {
        Count(path, time);
        m_bad += link != 0;
    }

    void LinkChanged()
    {
        m_linkChanges++;
        m_upNow.push_back(m_device->IsLinkUp());
    }

    /**
     * @param path where the sink was connected
     * @param time that it was told
     */
    void Count(const std::string& path, Time time)
    {
        const std::string name = path.substr(path.rfind('/') + 1);
        const bool fabric = path.find("/Fabric/") != std::string::npos;
        (fabric ? m_fabric : m_ports)[name]++;
        m_bad += time != Simulator::Now();
    }

    void Connect()
    {
        using T = QpTracesTestCase;
        for (const std::string& to :
             {std::string("/NodeList/*/DeviceList/*/$ns3::WeftNetDevice/"),
              std::string("/NodeList/0/DeviceList/0/$ns3::WeftNetDevice/Fabric/")})
        {
            for (const char* name : {"Ack", "Nack", "Retransmission"})
            {
                Config::Connect(to + name, MakeCallback(&T::Packet, this));
            }
            Config::Connect(to + "Cnp", MakeCallback(&T::Qp, this));
            Config::Connect(to + "QpRate", MakeCallback(&T::Value, this));
            Config::Connect(to + "QpWindow", MakeCallback(&T::Value, this));
            Config::Connect(to + "CcValue", MakeCallback(&T::CcValue, this));
            for (const char* name : {"MessageStart", "MessageComplete", "MessageAcked"})
            {
                Config::Connect(to + name, MakeCallback(&T::Message, this));
            }
        }
        Config::Connect("/NodeList/*/DeviceList/*/$ns3::WeftNetDevice/LinkState",
                        MakeCallback(&T::DeviceLink, this));
        Config::Connect("/NodeList/0/DeviceList/0/$ns3::WeftNetDevice/Fabric/LinkState",
                        MakeCallback(&T::FabricLink, this));
    }

    void DoRun() override
    {
        WeftTestRun run(m_impl);
        WeftFabricHelper helper;
        helper.SetTopology("single-switch",
                           "Hosts",
                           UintegerValue(9),
                           "Rate",
                           StringValue("100Gbps"));
        helper.SetCongestionControl("dcqcn");
        helper.SetAttribute("PfcEnabled", BooleanValue(false));
        helper.SetAttribute("SwitchBuffer", UintegerValue(512 << 10));
        helper.SetAttribute("EcnKmin", UintegerValue(10000));
        helper.SetAttribute("EcnKmax", UintegerValue(400000));
        helper.SetAttribute("EcnPmax", StringValue("0.2"));
        helper.SetAttribute("SwitchLossyAlpha", StringValue("0.125"));
        helper.SetAttribute("TransportRto", StringValue("500us"));
        Ptr<WeftFabric> fabric = helper.Install();
        Connect();
        m_device = DynamicCast<WeftNetDevice>(helper.GetHosts().Get(0)->GetDevice(0));
        m_device->AddLinkChangeCallback(MakeCallback(&QpTracesTestCase::LinkChanged, this));
        for (uint32_t i = 0; i < 8; i++)
        {
            helper.SendMessage(Seconds(0), i, 8, 1 << 20);
        }
        for (bool up : {false, true})
        {
            Simulator::Schedule(MicroSeconds(up ? 700 : 100), [fabric, up] {
                weft_err err = {};
                NS_ABORT_MSG_IF(fabric->TrySetLink(0, up, &err) != 0, err.msg);
            });
        }
        Simulator::Run();

        struct weft_totals t;
        weft_engine_totals(fabric->GetEngine(), &t);
        NS_TEST_EXPECT_MSG_EQ(m_bad, 0, "what sinks are given is right");
        const std::map<std::string, uint64_t> expected = {{"Ack", t.delivered[WEFT_PKT_ACK]},
                                                          {"Nack", t.delivered[WEFT_PKT_NACK]},
                                                          {"Cnp", t.delivered[WEFT_PKT_CNP]},
                                                          {"Retransmission", t.retx_packets},
                                                          {"MessageStart", 8},
                                                          {"MessageComplete", 8},
                                                          {"MessageAcked", 8},
                                                          {"LinkState", 2}};
        for (const auto& [name, n] : expected)
        {
            NS_TEST_EXPECT_MSG_GT(n, 0, name << " happens");
            NS_TEST_EXPECT_MSG_EQ(m_fabric[name], n, name << " at the fabric");
            // Both ends of a link report it.
            NS_TEST_EXPECT_MSG_EQ(m_ports[name], (name == "LinkState" ? 2 * n : n), name);
        }
        for (const char* name : {"QpRate", "QpWindow", "CcValue"})
        {
            NS_TEST_EXPECT_MSG_GT(m_fabric[name], 0, name);
            NS_TEST_EXPECT_MSG_EQ(m_fabric[name], m_ports[name], name);
        }
        NS_TEST_EXPECT_MSG_EQ(m_values["QpRate"].size(), 8, "one per QP");
        for (const auto& [qpn, rates] : m_values["QpRate"])
        {
            // Each value is told twice: at the device and at the fabric.
            NS_TEST_EXPECT_MSG_EQ(rates[0], UINT64_C(100000000000), "DCQCN begins at line rate");
            NS_TEST_EXPECT_MSG_GT(rates.size(), 4, "and changes it");
            NS_TEST_EXPECT_MSG_EQ(m_values["QpWindow"][qpn].size(), 2, "but has no window");
        }
        std::set<std::string> names;
        for (auto o = weft_cc_find("dcqcn", nullptr)->observables; o->name; o++)
        {
            names.insert(o->name);
        }
        NS_TEST_EXPECT_MSG_EQ((m_names == names), true, "every observable is shown");
        NS_TEST_EXPECT_MSG_EQ((m_up == std::vector<bool>{false, false, true, true}), true, "link");
        NS_TEST_EXPECT_MSG_EQ(m_linkChanges, 2, "link change callback");
        NS_TEST_EXPECT_MSG_EQ((m_upNow == std::vector<bool>{false, true}), true, "IsLinkUp");
        m_device = nullptr;
    }

    std::string m_impl;                       //!< SimulatorImpl.
    std::map<std::string, uint64_t> m_fabric; //!< Calls by source, at the fabric.
    std::map<std::string, uint64_t> m_ports;  //!< The same at the devices.
    std::map<std::string, std::map<uint32_t, std::vector<uint64_t>>>
        m_values;                  //!< QpRate and QpWindow by QP.
    std::set<std::string> m_names; //!< Of CcValue.
    std::vector<bool> m_up;        //!< What LinkState said.
    std::vector<bool> m_upNow;     //!< IsLinkUp at each change.
    Ptr<WeftNetDevice> m_device;   //!< Whose link fails.
    int m_linkChanges{0};          //!< Calls of the link change callback.
    int m_bad{0};                  //!< Arguments that were wrong.
};

/**
 * @ingroup weft-tests
 * The round trip of one packet and the window of a static-window QP, by hand.
 */
class QpValuesTestCase : public TestCase
{
  public:
    QpValuesTestCase()
        : TestCase("round trip and window, by hand")
    {
    }

  private:
    /** Sink of Ack. */
    void Ack(Time time, const weft_engine_qp_view& qp, const weft_engine_pkt_view& packet)
    {
        m_rttPs = time.GetPicoSeconds() - packet.sent_ps;
        m_una = qp.una_psn;
        m_expected = packet.psn;
    }

    /** Sink of QpWindow. */
    void Window(Time, const weft_engine_qp_view&, uint64_t bytes)
    {
        m_windows.push_back(bytes);
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        helper.SetTopology("single-switch",
                           "Hosts",
                           UintegerValue(2),
                           "Rate",
                           StringValue("100Gbps"),
                           "Delay",
                           StringValue("1us"));
        helper.SetCongestionControl("static-window", "Window", UintegerValue(123456));
        Ptr<WeftFabric> fabric = helper.Install();
        fabric->TraceConnectWithoutContext("Ack", MakeCallback(&QpValuesTestCase::Ack, this));
        fabric->TraceConnectWithoutContext("QpWindow",
                                           MakeCallback(&QpValuesTestCase::Window, this));
        fabric->Send(0, 1, 4096);
        Simulator::Run();
        // 4178 B and 86 B at 80 ps per byte, over two links of 1 us each way.
        NS_TEST_EXPECT_MSG_EQ(m_rttPs, 2 * (334240 + 1000000) + 2 * (6880 + 1000000), "round trip");
        NS_TEST_EXPECT_MSG_EQ(m_una, 0, "the ACK has not been counted yet");
        NS_TEST_EXPECT_MSG_EQ(m_expected, 1, "and says that packet 1 is next");
        NS_TEST_EXPECT_MSG_EQ((m_windows == std::vector<uint64_t>{123456}), true, "one window");
    }

    int64_t m_rttPs{0};              //!< Of the last ACK.
    uint64_t m_una{99};              //!< The QP's at that time.
    uint64_t m_expected{0};          //!< The ACK's.
    std::vector<uint64_t> m_windows; //!< In order.
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftQpTracesTestSuite : public TestSuite
{
  public:
    WeftQpTracesTestSuite()
        : TestSuite("weft-qp-traces", TestSuite::Type::SYSTEM)
    {
        for (const char* impl : g_weftTestImpls)
        {
            AddTestCase(new QpTracesTestCase(impl));
        }
        AddTestCase(new QpValuesTestCase);
    }
} g_weftQpTracesTestSuite; //!< Registers itself.

} // namespace
