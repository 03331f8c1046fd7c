/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft: what a script does with the module: the ways to a fabric, default values, Config
 * paths, streams, containers.
 */
#include "weft-test-util.h"

#include "ns3/application-container.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/names.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"

#include <fstream>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * The same fabric from a generator, from files, and by hand behaves the same.
 */
class WaysTestCase : public TestCase
{
  public:
    WaysTestCase()
        : TestCase("a fabric from a generator, from files and by hand")
    {
    }

  private:
    /**
     * @param way how to make the fabric
     * @return arrival times of an incast: ps
     */
    std::vector<int64_t> Arrivals(const std::string& way)
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        if (way == "generator")
        {
            helper.SetTopology("single-switch",
                               "Hosts",
                               UintegerValue(4),
                               "Rate",
                               DataRateValue(DataRate("100Gbps")),
                               "Delay",
                               TimeValue(NanoSeconds(700)));
        }
        else if (way == "hpcc")
        {
            const std::string file = CreateTempDirFilename("topology.txt");
            std::ofstream out(file);
            out << "5 1 4\n4\n";
            for (int i = 0; i < 4; i++)
            {
                out << i << " 4 100Gbps 0.0007ms 0\n";
            }
            out.close();
            helper.SetTopology("hpcc", "File", StringValue(file));
        }
        else if (way == "xml")
        {
            const std::string file = CreateTempDirFilename("topology.xml");
            std::ofstream(file) << "<topology type=\"single-switch\" hosts=\"4\" rate=\"100Gbps\" "
                                   "delay=\"700ns\"/>\n";
            helper.SetTopology("xml", "File", StringValue(file));
        }
        else
        {
            NodeContainer hosts(4);
            NodeContainer hub(1);
            helper.AddHosts(hosts);
            helper.AddSwitches(hub);
            for (int i = 0; i < 4; i++)
            {
                helper.AddLink(hosts.Get(i), hub.Get(0), DataRate("100Gbps"), NanoSeconds(700));
            }
        }
        Ptr<WeftFabric> fabric = helper.Install();
        NS_TEST_EXPECT_MSG_EQ(helper.GetHosts().GetN(), 4, way << ": hosts");
        NS_TEST_EXPECT_MSG_EQ(helper.GetSwitches().GetN(), 1, way << ": switches");
        NS_TEST_EXPECT_MSG_EQ(helper.GetDevices().GetN(), 8, way << ": devices");
        std::vector<int64_t> times;
        Callback<void, const weft_completion&> arrive(
            [&times](const weft_completion& m) { times.push_back(m.received_ps); });
        fabric->TraceConnectWithoutContext("MessageComplete", arrive);
        WeftIncastHelper incast(100000);
        incast.Install(helper.GetHosts().Get(0));
        Simulator::Run();
        return times;
    }

    void DoRun() override
    {
        const std::vector<int64_t> first = Arrivals("hand");
        NS_TEST_EXPECT_MSG_EQ(first.size(), 3, "three senders");
        for (const char* way : {"generator", "hpcc", "xml"})
        {
            NS_TEST_EXPECT_MSG_EQ((Arrivals(way) == first), true, way << " differs from by hand");
        }
    }
};

/**
 * @ingroup weft-tests
 * Config::SetDefault, for each class of the module that has attributes.
 */
class DefaultsTestCase : public TestCase
{
  public:
    DefaultsTestCase()
        : TestCase("Config::SetDefault")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Config::SetDefault("ns3::WeftFabric::PfcEnabled", BooleanValue(false));
        Config::SetDefault("ns3::WeftFabric::CongestionControl", StringValue("timely"));
        Config::SetDefault("ns3::WeftCcTimely::Beta", DoubleValue(0.25));
        Config::SetDefault("ns3::WeftTopologySingleSwitch::Hosts", UintegerValue(5));
        Config::SetDefault("ns3::WeftIncast::Rounds", UintegerValue(4));
        Config::SetDefault("ns3::WeftApplication::Priority", UintegerValue(2));
        WeftFabricHelper helper;
        helper.SetTopology("single-switch");
        Ptr<WeftFabric> fabric = helper.Install();
        std::map<uint32_t, int> prios;
        Callback<void, const weft_completion&> arrive(
            [&prios](const weft_completion& m) { prios[m.msg.prio]++; });
        fabric->TraceConnectWithoutContext("MessageComplete", arrive);
        WeftIncastHelper incast(1000);
        incast.Install(helper.GetHosts().Get(0));
        Simulator::Run();
        Config::Reset();

        BooleanValue pfc;
        fabric->GetAttribute("PfcEnabled", pfc);
        NS_TEST_EXPECT_MSG_EQ(pfc.Get(), false, "PfcEnabled");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetCongestionControlName(), "timely", "CongestionControl");
        DoubleValue beta;
        fabric->GetCongestionControl()->GetAttribute("Beta", beta);
        NS_TEST_EXPECT_MSG_EQ(beta.Get(), 0.25, "Beta");
        NS_TEST_EXPECT_MSG_EQ(helper.GetHosts().GetN(), 5, "Hosts");
        NS_TEST_EXPECT_MSG_EQ(prios.size(), 1, "one priority");
        NS_TEST_EXPECT_MSG_EQ(prios[2], 16, "4 rounds of 4 messages at priority 2");
    }
};

/**
 * @ingroup weft-tests
 * Config::Set and Config::Connect by path.
 */
class PathsTestCase : public TestCase
{
  public:
    PathsTestCase()
        : TestCase("Config paths")
    {
    }

  private:
    /**
     * Sink of MessageComplete of devices.
     * @param path context
     * @param m a message
     */
    void Arrive(std::string path, const weft_completion& m)
    {
        m_arrived[path] += m.msg.bytes;
    }

    /**
     * Sink of MessagePosted of applications.
     * @param path context
     * @param m a message
     */
    void Posted(std::string path, const weft_completion& m)
    {
        m_posted[path] += m.msg.bytes;
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        helper.SetTopology("single-switch", "Hosts", UintegerValue(3));
        Ptr<WeftFabric> fabric = helper.Install();
        WeftMessageSenderHelper sender(helper.GetHosts().Get(2), 1000);
        sender.Install(NodeContainer(helper.GetHosts().Get(0), helper.GetHosts().Get(1)));

        // The fabric hangs off its first device, its congestion control off the fabric.
        Config::Set("/NodeList/0/DeviceList/0/$ns3::WeftNetDevice/Fabric/EcnKmin",
                    UintegerValue(12345));
        Config::Set("/NodeList/0/DeviceList/0/$ns3::WeftNetDevice/Fabric/CongestionControlModel/"
                    "$ns3::WeftCcDcqcn/Gain",
                    DoubleValue(0.125));
        Config::Set("/NodeList/1/ApplicationList/0/$ns3::WeftMessageSender/Bytes",
                    UintegerValue(500));
        Config::Connect("/NodeList/*/DeviceList/*/$ns3::WeftNetDevice/MessageComplete",
                        MakeCallback(&PathsTestCase::Arrive, this));
        Config::Connect("/NodeList/*/ApplicationList/*/$ns3::WeftMessageSender/MessagePosted",
                        MakeCallback(&PathsTestCase::Posted, this));
        Names::Add("receiver", helper.GetHosts().Get(2));
        NS_TEST_EXPECT_MSG_EQ(Config::LookupMatches("/Names/receiver/DeviceList/*").GetN(),
                              1,
                              "a named host");
        Simulator::Run();
        Names::Clear();

        UintegerValue kmin;
        fabric->GetAttribute("EcnKmin", kmin);
        NS_TEST_EXPECT_MSG_EQ(kmin.Get(), 12345, "EcnKmin");
        DoubleValue gain;
        fabric->GetCongestionControl()->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), 0.125, "Gain");
        const std::string prefix = "/NodeList/";
        const std::string device = "/DeviceList/0/$ns3::WeftNetDevice/MessageComplete";
        const std::string app = "/ApplicationList/0/$ns3::WeftMessageSender/MessagePosted";
        NS_TEST_EXPECT_MSG_EQ(m_arrived.size(), 1, "one receiver");
        NS_TEST_EXPECT_MSG_EQ(m_arrived[prefix + "2" + device], 1500, "at host 2");
        NS_TEST_EXPECT_MSG_EQ(m_posted.size(), 2, "two senders");
        NS_TEST_EXPECT_MSG_EQ(m_posted[prefix + "0" + app], 1000, "by host 0");
        NS_TEST_EXPECT_MSG_EQ(m_posted[prefix + "1" + app], 500, "by host 1");
    }

    std::map<std::string, uint64_t> m_arrived; //!< Bytes, by context.
    std::map<std::string, uint64_t> m_posted;  //!< Bytes, by context.
};

/**
 * @ingroup weft-tests
 * Seeds of the engine from ns-3's run number and streams.
 */
class StreamsTestCase : public TestCase
{
  public:
    StreamsTestCase()
        : TestCase("AssignStreams")
    {
    }

  private:
    /**
     * @param stream for AssignStreams
     * @param rngRun ns-3's run number
     * @return how many packets a lossy link lost, and when the last message arrived
     */
    std::pair<uint64_t, int64_t> Losses(int64_t stream, uint64_t rngRun)
    {
        RngSeedManager::SetRun(rngRun);
        WeftTestRun run("ns3::WeftSimulatorImpl");
        NodeContainer hosts(2);
        WeftFabricHelper helper;
        helper.AddHosts(hosts);
        helper.AddLink(hosts.Get(0), hosts.Get(1), DataRate("100Gbps"), MicroSeconds(1), 0.02);
        Ptr<WeftFabric> fabric = helper.Install();
        NS_TEST_EXPECT_MSG_EQ(helper.AssignStreams(stream), 1, "streams used");
        helper.SendMessage(Seconds(0), 0, 1, 4096 * 2000);
        Simulator::Run();
        struct weft_totals t;
        weft_engine_totals(fabric->GetEngine(), &t);
        RngSeedManager::SetRun(1);
        return {t.drops[WEFT_DROP_ERROR], Simulator::Now().GetPicoSeconds()};
    }

    void DoRun() override
    {
        const auto first = Losses(5, 1);
        NS_TEST_EXPECT_MSG_GT(first.first, 10, "about 2 % of 2000 packets and their ACKs");
        NS_TEST_EXPECT_MSG_EQ((Losses(5, 1) == first), true, "the same stream and run");
        NS_TEST_EXPECT_MSG_EQ((Losses(6, 1) == first), false, "another stream");
        NS_TEST_EXPECT_MSG_EQ((Losses(5, 2) == first), false, "another run");
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftTestSuite : public TestSuite
{
  public:
    WeftTestSuite()
        : TestSuite("weft", TestSuite::Type::UNIT)
    {
        AddTestCase(new WaysTestCase());
        AddTestCase(new DefaultsTestCase());
        AddTestCase(new PathsTestCase());
        AddTestCase(new StreamsTestCase());
    }
} g_weftTestSuite; //!< Registers itself.

} // namespace
