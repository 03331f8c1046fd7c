/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup weft-tests
 * Suite weft-attributes: every parameter of weft's tables is an attribute with the same default and
 * the same bounds; every TypeId is found by name; mistakes are refused.
 */
#include "congestion/cc_table.h"
#include "weft-test-util.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-choice.h"
#include "ns3/weft-topology.h"

#include <cstring>

using namespace ns3;

namespace
{

/**
 * @ingroup weft-tests
 * Checks the attributes that one table makes.
 */
class TableTestCase : public TestCase
{
  protected:
    /**
     * @param name name of the case
     */
    explicit TableTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * @param object an object with default attributes
     * @param holder the same object
     * @param table a table of its class
     * @param prefix prefix of the attributes' names
     */
    void CheckTable(ObjectBase* object,
                    WeftParamHolder* holder,
                    const weft_param_table& table,
                    const std::string& prefix)
    {
        const TypeId tid = object->GetInstanceTypeId();
        for (std::size_t i = 0; i < table.n; i++)
        {
            const weft_param& p = table.params[i];
            const std::string name = prefix + WeftCamelCase(p.name);
            TypeId::AttributeInformation info;
            NS_TEST_ASSERT_MSG_EQ(tid.LookupAttributeByName(name, &info),
                                  true,
                                  tid.GetName() << " has no attribute " << name);
            NS_TEST_EXPECT_MSG_EQ(info.help.empty(), false, name << " has no help");
            if (!p.def)
            {
                continue;
            }
            // The field holds the table's default after the attribute went there and back as ns-3
            // text.
            char want[WEFT_PARAM_TEXT_MAX];
            char got[WEFT_PARAM_TEXT_MAX];
            std::vector<std::max_align_t> blob(table.struct_size / sizeof(std::max_align_t) + 1);
            weft_err err = {};
            NS_TEST_ASSERT_MSG_EQ(weft_params_defaults(&table, blob.data(), &err), 0, err.msg);
            StringValue text;
            object->GetAttribute(name, text);
            NS_TEST_EXPECT_MSG_EQ(object->SetAttributeFailSafe(name, text),
                                  true,
                                  name << " refuses its own value " << text.Get());
            NS_TEST_EXPECT_MSG_EQ(
                std::string(weft_params_format(&p, holder->GetParamStruct(table), got, sizeof got)),
                std::string(weft_params_format(&p, blob.data(), want, sizeof want)),
                name << " after " << text.Get());
        }
    }
};

/**
 * @ingroup weft-tests
 * The fabric's own attributes.
 */
class EngineTablesTestCase : public TableTestCase
{
  public:
    EngineTablesTestCase()
        : TableTestCase("the engine's tables")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
        for (const weft_engine_section& section : weft_engine_sections)
        {
            CheckTable(PeekPointer(fabric),
                       PeekPointer(fabric),
                       section.params,
                       WeftCamelCase(section.name));
        }
    }
};

/**
 * @ingroup weft-tests
 * Attributes whose value is one of some words: numbers and words, in and out, right and wrong.
 */
class ChoicesTestCase : public TestCase
{
  public:
    ChoicesTestCase()
        : TestCase("choices are EnumValues, and words")
    {
    }

  private:
    /** A congestion control that weft does not have. */
    class OwnControl : public WeftCongestionControl
    {
      public:
        const weft_cc_ops* GetOps() const override
        {
            static weft_cc_ops ops = *weft_cc_find("none", nullptr);
            ops.name = "own";
            return &ops;
        }
    };

    /**
     * @param fabric a fabric
     * @param name an attribute
     * @return its number, and its word in text
     */
    static std::string Get(Ptr<WeftFabric> fabric, const std::string& name)
    {
        WeftEnumValue number;
        StringValue word;
        fabric->GetAttribute(name, number);
        fabric->GetAttribute(name, word);
        return std::to_string(number.Get()) + " " + word.Get();
    }

    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
        TypeId::AttributeInformation info;
        WeftFabric::GetTypeId().LookupAttributeByName("SwitchScheduler", &info);
        NS_TEST_EXPECT_MSG_EQ(info.checker->GetUnderlyingTypeInformation(),
                              "drr|packet-rr",
                              "ns-3 lists the choices");
        NS_TEST_EXPECT_MSG_EQ(info.checker->GetValueTypeName().find("ns3::EnumValue"),
                              0,
                              "and calls it an EnumValue");
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "SwitchScheduler"), "0 drr", "the default");
        fabric->SetAttribute("SwitchScheduler", WeftEnumValue(1));
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "SwitchScheduler"), "1 packet-rr", "by number");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetParams().sw.scheduler, 1, "as the engine has it");
        fabric->SetAttribute("SwitchScheduler", StringValue("drr"));
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "SwitchScheduler"), "0 drr", "by word");
        {
            WeftTestStderr said;
            NS_TEST_EXPECT_MSG_EQ(
                fabric->SetAttributeFailSafe("SwitchScheduler", StringValue("dr")),
                false,
                "no such word");
            NS_TEST_EXPECT_MSG_EQ(said.Count("'dr' is none of the choices drr|packet-rr"),
                                  1u,
                                  said.Text());
        }
        NS_TEST_EXPECT_MSG_EQ(fabric->SetAttributeFailSafe("SwitchScheduler", WeftEnumValue(2)),
                              false,
                              "no such number");
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "SwitchScheduler"), "0 drr", "neither changes anything");

        Config::SetDefault("ns3::WeftFabric::TransportRecovery", WeftEnumValue(1));
        NS_TEST_EXPECT_MSG_EQ(Get(CreateObject<WeftFabric>(), "TransportRecovery"),
                              "1 go-back-0",
                              "a default value");
        Config::Reset();
        NS_TEST_EXPECT_MSG_EQ(Get(CreateObject<WeftFabric>(), "TransportRecovery"),
                              "0 go-back-n",
                              "and back");

        const int hpcc = WeftCongestionControl::GetChoice("hpcc");
        fabric->SetAttribute("CongestionControl", WeftEnumValue(hpcc));
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "CongestionControl"),
                              std::to_string(hpcc) + " hpcc",
                              "a congestion control");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetCongestionControlName(), "hpcc", "it is taken");
        fabric->SetCongestionControl(CreateObject<OwnControl>());
        const std::string model =
            std::to_string(WeftCongestionControl::GetChoices().size() - 1) + " model";
        NS_TEST_EXPECT_MSG_EQ(Get(fabric, "CongestionControl"), model, "one of the script's own");
        fabric->SetAttribute("CongestionControl", StringValue("model"));
        NS_TEST_EXPECT_MSG_EQ(fabric->GetCongestionControlName(), "own", "which stays");
    }
};

/**
 * @ingroup weft-tests
 * Values of each type, in range and out of it.
 */
class ValuesTestCase : public TestCase
{
  public:
    ValuesTestCase()
        : TestCase("values arrive in the engine's parameters, bounds are kept")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
        const weft_engine_params& p = fabric->GetParams();

        fabric->SetAttribute("TransportRto", TimeValue(PicoSeconds(1234567)));
        NS_TEST_EXPECT_MSG_EQ(p.transport.rto_ps, 1234567, "a time to the picosecond");
        TimeValue time;
        fabric->GetAttribute("TransportRto", time);
        NS_TEST_EXPECT_MSG_EQ(time.Get(), PicoSeconds(1234567), "and back");
        fabric->SetAttribute("TransportRto", StringValue("2.5us"));
        NS_TEST_EXPECT_MSG_EQ(p.transport.rto_ps, 2500000, "a time as text");

        fabric->SetAttribute("EcnScaleRate", DataRateValue(DataRate("1600Gbps")));
        NS_TEST_EXPECT_MSG_EQ(p.ecn.scale_rate_bps, UINT64_C(1600000000000), "a rate");
        fabric->SetAttribute("EcnPmax", DoubleValue(1.0 / 3));
        NS_TEST_EXPECT_MSG_EQ(p.ecn.pmax, 1.0 / 3, "a ratio, all bits of it");
        fabric->SetAttribute("SwitchBuffer", UintegerValue(1 << 20));
        NS_TEST_EXPECT_MSG_EQ(p.sw.buffer_bytes, 1 << 20, "a size in bytes");
        fabric->SetAttribute("PfcEnabled", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(p.pfc.enabled, 0, "a switch");
        fabric->SetAttribute("TransportDataPrio", UintegerValue(5));
        NS_TEST_EXPECT_MSG_EQ(p.transport.data_prio, 5, "a count");

        NS_TEST_EXPECT_MSG_EQ(fabric->SetAttributeFailSafe("EcnPmax", DoubleValue(1500)),
                              false,
                              "above the maximum");
        NS_TEST_EXPECT_MSG_EQ(fabric->SetAttributeFailSafe("TransportDataPrio", UintegerValue(8)),
                              false,
                              "above the maximum");
        NS_TEST_EXPECT_MSG_EQ(
            fabric->SetAttributeFailSafe("TransportRto", TimeValue(PicoSeconds(999999))),
            false,
            "a picosecond below the minimum");
        NS_TEST_EXPECT_MSG_EQ(
            fabric->SetAttributeFailSafe("TransportRto", TimeValue(PicoSeconds(-5))),
            false,
            "negative");
        NS_TEST_EXPECT_MSG_EQ(fabric->SetAttributeFailSafe("EcnPmax", BooleanValue(true)),
                              false,
                              "of another type");
        NS_TEST_EXPECT_MSG_EQ(p.transport.rto_ps, 2500000, "what was refused changed nothing");
    }
};

/**
 * @ingroup weft-tests
 * Congestion controls.
 */
class CcTypesTestCase : public TableTestCase
{
  public:
    CcTypesTestCase()
        : TableTestCase("one TypeId per congestion control")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        std::size_t n = 0;
        const weft_cc_ops* const* table = weft_cc_table(&n);
        NS_TEST_ASSERT_MSG_GT(n, 0, "there are some");
        for (std::size_t i = 0; i < n; i++)
        {
            TypeId tid;
            const std::string name = WeftCongestionControl::GetTypeIdName(table[i]->name);
            NS_TEST_ASSERT_MSG_EQ(TypeId::LookupByNameFailSafe(name, &tid), true, name);
            NS_TEST_EXPECT_MSG_EQ(tid.IsChildOf(WeftCongestionControl::GetTypeId()), true, name);
            ObjectFactory factory;
            factory.SetTypeId(tid);
            Ptr<WeftCongestionControl> cc = factory.Create<WeftCongestionControl>();
            NS_TEST_EXPECT_MSG_EQ(cc->GetOps(), table[i], name);
            CheckTable(PeekPointer(cc), PeekPointer(cc), table[i]->params, "");
        }
        NS_TEST_EXPECT_MSG_EQ(WeftCongestionControl::GetTypeIdName("static-window"),
                              "ns3::WeftCcStaticWindow",
                              "how names are made");
    }
};

/**
 * @ingroup weft-tests
 * Topologies.
 */
class TopologyTypesTestCase : public TableTestCase
{
  public:
    TopologyTypesTestCase()
        : TableTestCase("one TypeId per topology")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        std::size_t n = 0;
        const weft_topology_ops* const* table = weft_topology_table(&n);
        NS_TEST_ASSERT_MSG_GT(n, 0, "there are some");
        for (std::size_t i = 0; i < n; i++)
        {
            TypeId tid;
            const std::string name = WeftTopology::GetTypeIdName(table[i]->name);
            NS_TEST_ASSERT_MSG_EQ(TypeId::LookupByNameFailSafe(name, &tid), true, name);
            ObjectFactory factory;
            factory.SetTypeId(tid);
            Ptr<WeftTopology> topology = factory.Create<WeftTopology>();
            NS_TEST_EXPECT_MSG_EQ(topology->GetOps(), table[i], name);
            CheckTable(PeekPointer(topology), PeekPointer(topology), table[i]->params, "");

            // Built from its defaults, or refused because something that it requires is missing.
            bool required = false;
            for (std::size_t k = 0; k < table[i]->params.n; k++)
            {
                required = required || !table[i]->params.params[k].def;
            }
            weft_err err = {};
            weft_fabric* graph = topology->Build(&err);
            NS_TEST_EXPECT_MSG_EQ(!graph, required, name << ": " << err.msg);
            if (required)
            {
                NS_TEST_EXPECT_MSG_NE(std::strstr(err.msg, "must be set"), nullptr, err.msg);
            }
            weft_fabric_free(graph);
        }
    }
};

/**
 * @ingroup weft-tests
 * How the congestion control of a fabric is chosen.
 */
class CcChoiceTestCase : public TestCase
{
  public:
    CcChoiceTestCase()
        : TestCase("choosing a congestion control")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        const TypeId dcqcn = TypeId::LookupByName("ns3::WeftCcDcqcn");
        NS_TEST_ASSERT_MSG_GT(dcqcn.GetAttributeN(), 0, "dcqcn has parameters");

        Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
        fabric->SetAttribute("CongestionControl", StringValue("static-window"));
        PointerValue model;
        fabric->GetAttribute("CongestionControlModel", model);
        NS_TEST_ASSERT_MSG_NE(model.Get<WeftCongestionControl>(), nullptr, "made by name");
        NS_TEST_EXPECT_MSG_EQ(model.Get<WeftCongestionControl>()->GetInstanceTypeId().GetName(),
                              "ns3::WeftCcStaticWindow",
                              "the one that was named");

        // A default value set beforehand reaches the object that is made by name.
        const TypeId::AttributeInformation info = dcqcn.GetAttribute(0);
        const std::string path = "ns3::WeftCcDcqcn::" + info.name;
        Ptr<AttributeValue> changed = info.checker->Create();
        if (info.checker->GetValueTypeName() == "ns3::DataRateValue")
        {
            changed = Create<DataRateValue>(DataRate("123Mbps"));
        }
        else if (info.checker->GetValueTypeName() == "ns3::TimeValue")
        {
            changed = Create<TimeValue>(NanoSeconds(54321));
        }
        else
        {
            changed = info.originalInitialValue->Copy();
        }
        Config::SetDefault(path, *changed);
        fabric->SetAttribute("CongestionControl", StringValue("dcqcn"));
        StringValue got;
        fabric->GetCongestionControl()->GetAttribute(info.name, got);
        Config::SetDefault(path, *info.originalInitialValue);
        NS_TEST_EXPECT_MSG_EQ(got.Get(), changed->SerializeToString(info.checker), path);

        weft_fabric* graph = weft_fabric_new();
        weft_err err = {};
        weft_fabric_add_node(graph, WEFT_NODE_HOST, 0, nullptr, &err);
        weft_fabric_add_node(graph, WEFT_NODE_HOST, 0, nullptr, &err);
        weft_fabric_link link = {0, 1, UINT64_C(100000000000), 1000, 0, 0};
        weft_fabric_add_link(graph, &link, nullptr, &err);
        NS_TEST_ASSERT_MSG_EQ(weft_fabric_finish(graph, &err), 0, err.msg);
        fabric->SetGraph(graph);
        fabric->SetCongestionControlName("dcqnc");
        NS_TEST_EXPECT_MSG_EQ(fabric->Build(&err), WEFT_E_INPUT, "no such algorithm");
        NS_TEST_EXPECT_MSG_NE(std::strstr(err.msg, "dcqcn"), nullptr, err.msg);

        fabric->SetAttribute("CongestionControl", StringValue("dcqcn"));
        NS_TEST_EXPECT_MSG_EQ(fabric->Build(&err), 0, err.msg);
        NS_TEST_EXPECT_MSG_EQ(fabric->SetAttributeFailSafe("EcnPmax", DoubleValue(0.5)),
                              false,
                              "a fabric in use keeps its parameters");
        NS_TEST_EXPECT_MSG_EQ(
            fabric->GetCongestionControl()->SetAttributeFailSafe(info.name, *changed),
            false,
            "and so does its congestion control");
    }
};

/**
 * @ingroup weft-tests
 * A fabric that nobody gave a graph.
 */
class NoGraphTestCase : public TestCase
{
  public:
    NoGraphTestCase()
        : TestCase("a fabric without graph says so")
    {
    }

  private:
    void DoRun() override
    {
        WeftTestRun run("ns3::WeftSimulatorImpl");
        Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
        weft_err err = {};
        NS_TEST_EXPECT_MSG_EQ(fabric->Build(&err), WEFT_E_INPUT, "refused");
        NS_TEST_EXPECT_MSG_NE(std::strstr(err.msg, "graph"), nullptr, err.msg);
    }
};

/**
 * @ingroup weft-tests
 * TypeIds by text only.
 */
class TypeIdsTestCase : public TestCase
{
  public:
    TypeIdsTestCase()
        : TestCase("TypeIds are found by name")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* name : {"ns3::WeftFabric",
                                 "ns3::WeftNetDevice",
                                 "ns3::WeftChannel",
                                 "ns3::WeftLan",
                                 "ns3::WeftSimulatorImpl",
                                 "ns3::WeftCongestionControl",
                                 "ns3::WeftTopology",
                                 "ns3::Node"})
        {
            TypeId tid;
            NS_TEST_EXPECT_MSG_EQ(TypeId::LookupByNameFailSafe(name, &tid), true, name);
        }
    }
};

/**
 * @ingroup weft-tests
 * The suite.
 */
class WeftAttributesTestSuite : public TestSuite
{
  public:
    WeftAttributesTestSuite()
        : TestSuite("weft-attributes", TestSuite::Type::UNIT)
    {
        AddTestCase(new TypeIdsTestCase());
        AddTestCase(new EngineTablesTestCase());
        AddTestCase(new ValuesTestCase());
        AddTestCase(new ChoicesTestCase);
        AddTestCase(new CcTypesTestCase());
        AddTestCase(new TopologyTypesTestCase());
        AddTestCase(new CcChoiceTestCase());
        AddTestCase(new NoGraphTestCase());
    }
} g_weftAttributesTestSuite; //!< Registers itself.

} // namespace
