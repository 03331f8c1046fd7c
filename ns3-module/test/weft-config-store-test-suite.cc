/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-config-store: ns-3's ConfigStore writes the module's attributes to XML and reads them.
 */
#include "weft-test-util.h"

#include "ns3/config-store.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-application-helper.h"
#include "ns3/weft-application.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * What both cases do with files.
 */
class StoreTestCase : public TestCase
{
  protected:
    /**
     * @param name name of the case
     */
    explicit StoreTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * @param file an XML file
     * @param mode "Save" or "Load"
     * @param step what to do with it
     */
    static void Store(const std::string& file, const std::string& mode, void (ConfigStore::*step)())
    {
        // Its constructor opens the file that the default values name.
        Config::SetDefault("ns3::ConfigStore::Filename", StringValue(file));
        Config::SetDefault("ns3::ConfigStore::FileFormat", StringValue("Xml"));
        Config::SetDefault("ns3::ConfigStore::Mode", StringValue(mode));
        ConfigStore store;
        (store.*step)();
    }

    /**
     * @param file an XML file
     * @param parts texts that it must have
     */
    void ExpectIn(const std::string& file, const std::vector<std::string>& parts)
    {
        std::ifstream in(file);
        std::stringstream text;
        text << in.rdbuf();
        for (const std::string& part : parts)
        {
            NS_TEST_EXPECT_MSG_EQ((text.str().find(part) != std::string::npos),
                                  true,
                                  "the file has no " << part);
        }
    }
};

/**
 * @ingroup weft-tests
 * Default values, there and back.
 */
class DefaultsTestCase : public StoreTestCase
{
  public:
    DefaultsTestCase()
        : StoreTestCase("ConfigStore XML of default values")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        const std::string file = CreateTempDirFilename("weft.xml");
        Config::SetDefault("ns3::WeftFabric::EcnKmin", UintegerValue(54321));
        Config::SetDefault("ns3::WeftIncast::FanIn", UintegerValue(3));
        Store(file, "Save", &ConfigStore::ConfigureDefaults);
        Config::Reset();
        ExpectIn(file,
                 {"name=\"ns3::WeftFabric::EcnKmin\" value=\"54321\"",
                  "name=\"ns3::WeftIncast::FanIn\" value=\"3\"",
                  "name=\"ns3::WeftFabric::PfcEnabled\" value=\"true\"",
                  "name=\"ns3::WeftCcDcqcn::RateAi\" value=\"",
                  "name=\"ns3::WeftTopologyLeafSpine::Leaves\" value=\""});

        Store(file, "Load", &ConfigStore::ConfigureDefaults);
        WeftFabricHelper helper;
        helper.SetTopology("single-switch", "Hosts", UintegerValue(5));
        Ptr<WeftFabric> fabric = helper.Install();
        WeftIncastHelper incast(1000);
        incast.Install(helper.GetHosts().Get(0));
        Simulator::Run();
        Config::Reset();
        UintegerValue kmin;
        fabric->GetAttribute("EcnKmin", kmin);
        NS_TEST_EXPECT_MSG_EQ(kmin.Get(), 54321, "the default that was loaded");
        struct weft_totals t;
        weft_engine_totals(fabric->GetEngine(), &t);
        NS_TEST_EXPECT_MSG_EQ(t.msgs_received, 3, "FanIn of the file, out of 4 peers");
    }
};

/**
 * @ingroup weft-tests
 * Values of the objects of a simulation.
 */
class ObjectsTestCase : public StoreTestCase
{
  public:
    ObjectsTestCase()
        : StoreTestCase("ConfigStore XML of a simulation's objects")
    {
    }

  private:
    void DoRun() override
    {
        const std::string file = CreateTempDirFilename("objects.xml");
        {
            WeftTestRun run("ns3::WeftSimulatorImpl");
            WeftFabricHelper helper;
            helper.SetTopology("single-switch", "Hosts", UintegerValue(2));
            helper.SetAttribute("EcnKmin", UintegerValue(777));
            helper.SetCongestionControl("dcqcn", "Gain", DoubleValue(0.125));
            helper.Install();
            WeftMessageSenderHelper sender(helper.GetHosts().Get(1), 4242);
            sender.Install(helper.GetHosts().Get(0));
            Store(file, "Save", &ConfigStore::ConfigureAttributes);
        }
        Config::Reset();
        ExpectIn(file,
                 {"$ns3::WeftNetDevice/Fabric/$ns3::WeftFabric/EcnKmin\" value=\"777\"",
                  "CongestionControlModel/$ns3::WeftCcDcqcn/Gain\" value=\"0.125\"",
                  "$ns3::WeftMessageSender/Bytes\" value=\"4242\""});
        std::ifstream stream(file);
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        const std::string once = "$ns3::WeftFabric/EcnKmin\"";
        const std::size_t first = text.find(once);
        NS_TEST_EXPECT_MSG_NE(first, std::string::npos, "the fabric is in the file");
        NS_TEST_EXPECT_MSG_EQ((text.find(once, first + 1) == std::string::npos),
                              true,
                              "once, not once for each port");

        // The same simulation with default values, until the file is read.
        WeftTestRun run("ns3::WeftSimulatorImpl");
        WeftFabricHelper helper;
        helper.SetTopology("single-switch", "Hosts", UintegerValue(2));
        Ptr<WeftFabric> fabric = helper.Install();
        WeftMessageSenderHelper sender(helper.GetHosts().Get(1), 1);
        ApplicationContainer apps = sender.Install(helper.GetHosts().Get(0));
        Store(file, "Load", &ConfigStore::ConfigureAttributes);
        Config::Reset();
        UintegerValue kmin;
        fabric->GetAttribute("EcnKmin", kmin);
        NS_TEST_EXPECT_MSG_EQ(kmin.Get(), 777, "EcnKmin");
        DoubleValue gain;
        fabric->GetCongestionControl()->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), 0.125, "Gain");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<WeftApplication>(apps.Get(0))->GetReceivedBytes(),
                              4242,
                              "Bytes");
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftConfigStoreTestSuite : public TestSuite
{
  public:
    WeftConfigStoreTestSuite()
        : TestSuite("weft-config-store", TestSuite::Type::UNIT)
    {
        AddTestCase(new DefaultsTestCase());
        AddTestCase(new ObjectsTestCase());
    }
} g_weftConfigStoreTestSuite; //!< Registers itself.

} // namespace
