/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-fabric-helper.h"

#include "congestion/cc_table.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-compat.h"
#include "ns3/weft-lan.h"
#include "ns3/weft-net-device.h"
#include "ns3/weft-ranks.h"
#include "ns3/weft-topology.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabricHelper");

namespace
{

/**
 * @return whether this simulation is divided among the processes of an MPI job
 */
bool
IsDistributed()
{
    const std::string impl = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    return impl == "ns3::DistributedSimulatorImpl" || impl == "ns3::NullMessageSimulatorImpl";
}

} // namespace

void
WeftFabricHelper::Setup()
{
    NS_LOG_FUNCTION_NOARGS();
    const std::string impl = "ns3::WeftSimulatorImpl";
    const bool made = WeftSimulatorExists();
    if (Time::GetResolution() != Time::PS)
    {
        // An event is waiting, or one has been executed.
        NS_ABORT_MSG_IF(made && (!Simulator::IsFinished() || !Simulator::Now().IsZero()),
                        "weft: WeftFabricHelper::Setup() comes too late: there are events, whose "
                        "times do not count picoseconds. Call it before nodes and events are made");
        Time::SetResolution(Time::PS);
    }
    Config::SetGlobal("SimulatorImplementationType", StringValue(impl));
    if (!made)
    {
        return;
    }
    const std::string other = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    if (other != impl)
    {
        NS_FATAL_ERROR_CONT("weft: WeftFabricHelper::Setup() comes too late to choose "
                            << impl << ": this simulation goes on under " << other
                            << ", with the same results in more time. Call it before nodes and "
                               "events are made");
    }
}

WeftFabricHelper::WeftFabricHelper()
{
    NS_LOG_FUNCTION(this);
    m_fabricFactory.SetTypeId("ns3::WeftFabric");
}

void
WeftFabricHelper::SetPairs(ObjectFactory& /* factory */)
{
}

void
WeftFabricHelper::SetTopologyType(const std::string& name)
{
    weft_err err = {};
    if (!weft_topology_find(name.c_str(), &err))
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    m_topologyFactory = ObjectFactory();
    m_topologyFactory.SetTypeId(WeftTopology::GetTypeIdName(name));
    m_hasTopology = true;
}

void
WeftFabricHelper::SetCongestionControlType(const std::string& name)
{
    TypeId tid;
    weft_err err = {};
    m_ccFactory = ObjectFactory();
    if (weft_cc_find(name.c_str(), &err))
    {
        m_ccFactory.SetTypeId(WeftCongestionControl::GetTypeIdName(name));
    }
    else if (TypeId::LookupByNameFailSafe(name, &tid) &&
             tid.IsChildOf(WeftCongestionControl::GetTypeId()))
    {
        m_ccFactory.SetTypeId(tid);
    }
    else
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    m_hasCc = true;
}

void
WeftFabricHelper::AddNodes(const NodeContainer& nodes, weft_node_kind kind)
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        NS_ABORT_MSG_IF(std::find(m_nodes.begin(), m_nodes.end(), *it) != m_nodes.end(),
                        "node " << (*it)->GetId() << " was added to the fabric twice");
        m_nodes.push_back(*it);
        m_nodeKinds.push_back(kind);
    }
}

void
WeftFabricHelper::AddHosts(const NodeContainer& hosts)
{
    NS_LOG_FUNCTION(this);
    AddNodes(hosts, WEFT_NODE_HOST);
}

void
WeftFabricHelper::AddSwitches(const NodeContainer& switches)
{
    NS_LOG_FUNCTION(this);
    AddNodes(switches, WEFT_NODE_SWITCH);
}

uint32_t
WeftFabricHelper::IndexOf(Ptr<Node> node) const
{
    auto it = std::find(m_nodes.begin(), m_nodes.end(), node);
    NS_ABORT_MSG_IF(it == m_nodes.end(),
                    "node " << node->GetId() << " has a link but was not added to the fabric");
    return it - m_nodes.begin();
}

void
WeftFabricHelper::AddLink(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay, double errorRate)
{
    NS_LOG_FUNCTION(this << a << b << rate << delay << errorRate);
    m_links.push_back({IndexOf(a), IndexOf(b), rate, delay, errorRate});
}

void
WeftFabricHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_fabricFactory.Set(name, value);
}

weft_fabric*
WeftFabricHelper::MakeGraph() const
{
    weft_err err = {};
    if (m_hasTopology)
    {
        NS_ABORT_MSG_IF(
            !m_nodes.empty(),
            "a fabric comes from SetTopology or from AddHosts, AddSwitches and AddLink, "
            "not from both");
        weft_fabric* graph = m_topologyFactory.Create<WeftTopology>()->Build(&err);
        if (!graph)
        {
            char text[WEFT_ERR_FILE_MAX + WEFT_ERR_MSG_MAX + 64];
            NS_FATAL_ERROR("weft: " << weft_err_format(&err, text, sizeof text));
        }
        return graph;
    }
    return MakeGraphOfNodes();
}

std::vector<uint32_t>
WeftFabricHelper::FindTiers() const
{
    const uint32_t far = m_nodes.size() + 1;
    std::vector<uint32_t> tier(m_nodes.size(), far);
    for (std::size_t i = 0; i < m_nodes.size(); i++)
    {
        if (m_nodeKinds[i] == WEFT_NODE_HOST)
        {
            tier[i] = 0;
        }
    }
    for (bool changed = true; changed;)
    {
        changed = false;
        for (const Link& l : m_links)
        {
            if (tier[l.a] + 1 < tier[l.b])
            {
                tier[l.b] = tier[l.a] + 1;
                changed = true;
            }
            if (tier[l.b] + 1 < tier[l.a])
            {
                tier[l.a] = tier[l.b] + 1;
                changed = true;
            }
        }
    }
    return tier;
}

weft_fabric*
WeftFabricHelper::MakeGraphOfNodes() const
{
    weft_err err = {};
    weft_fabric* graph = weft_fabric_new();
    NS_ABORT_MSG_IF(!graph, "out of memory for a fabric");
    const std::vector<uint32_t> tier = FindTiers();
    int rc = 0;
    for (std::size_t i = 0; i < m_nodes.size() && rc == 0; i++)
    {
        rc = weft_fabric_add_node(graph, m_nodeKinds[i], tier[i], nullptr, &err);
    }
    for (std::size_t i = 0; i < m_links.size() && rc == 0; i++)
    {
        const Link& l = m_links[i];
        weft_fabric_link link = {};
        link.a = l.a;
        link.b = l.b;
        link.rate_bps = l.rate.GetBitRate();
        link.delay_ps = l.delay.GetPicoSeconds();
        link.error_rate = l.errorRate;
        rc = weft_fabric_add_link(graph, &link, nullptr, &err);
    }
    if (rc == 0)
    {
        rc = weft_fabric_finish(graph, &err);
    }
    if (rc != 0)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    return graph;
}

void
WeftFabricHelper::InstallDevices()
{
    const weft_fabric* graph = m_fabric->GetGraph();
    std::vector<Ptr<WeftChannel>> channels(graph->nlinks);
    std::vector<Ptr<WeftNetDevice>> devices(graph->nports);
    for (uint32_t port = 0; port < graph->nports; port++)
    {
        const weft_fabric_port& p = graph->ports[port];
        if (!channels[p.link])
        {
            channels[p.link] = CreateObject<WeftChannel>();
        }
        devices[port] = CreateObject<WeftNetDevice>();
        devices[port]->SetAddress(Mac48Address::Allocate());
        NS_ABORT_MSG_IF(IsDistributed() && m_nodes[p.node]->GetSystemId() != 0,
                        "weft: node " << m_nodes[p.node]->GetId() << " belongs to rank "
                                      << m_nodes[p.node]->GetSystemId()
                                      << ", and ns-3's own simulators do not share a fabric out "
                                         "to ranks: call WeftFabricHelper::Setup() after "
                                         "MpiInterface::Enable");
        m_nodes[p.node]->AddDevice(devices[port]);
        devices[port]->Attach(m_fabric, port, channels[p.link]);
        m_devices.Add(devices[port]);
    }
    // For IP, the k-th ports of all hosts are one network.
    std::vector<Ptr<WeftLan>> lans;
    for (uint32_t host = 0; host < graph->nhosts; host++)
    {
        const weft_fabric_node& node = graph->nodes[graph->hosts[host]];
        for (uint32_t k = 0; k < node.nports; k++)
        {
            if (k == lans.size())
            {
                lans.push_back(CreateObject<WeftLan>());
            }
            lans[k]->Add(devices[node.first_port + k]);
            devices[node.first_port + k]->SetLan(lans[k]);
        }
    }
    for (uint32_t port = 0; port < graph->nports; port++)
    {
        const weft_fabric_port& p = graph->ports[port];
        if (port < p.peer)
        {
            const weft_fabric_link& l = graph->links[p.link];
            channels[p.link]->Connect(devices[port],
                                      devices[p.peer],
                                      DataRate(l.rate_bps),
                                      WeftTime(l.delay_ps));
        }
    }
}

void
WeftFabricHelper::ShareOut()
{
    const uint32_t ranks = WeftRanks::GetSize();
    bool switchesToo = false; // the script has said whose they are
    for (std::size_t i = 0; i < m_nodes.size(); i++)
    {
        switchesToo |= m_nodeKinds[i] == WEFT_NODE_SWITCH && m_nodes[i]->GetSystemId() != 0;
    }
    std::vector<uint8_t> owners;
    for (std::size_t i = 0; i < m_nodes.size(); i++)
    {
        const uint32_t rank = m_nodes[i]->GetSystemId();
        NS_ABORT_MSG_IF(ranks > 1 && rank >= ranks,
                        "weft: node " << m_nodes[i]->GetId() << " is of rank " << rank
                                      << ", and there are " << ranks);
        owners.push_back(m_nodeKinds[i] == WEFT_NODE_HOST || switchesToo ? rank : WEFT_PEER_BELOW);
    }
    if (ranks > 1)
    {
        m_fabric->ShareOut(owners);
    }
}

Ptr<WeftFabric>
WeftFabricHelper::Install()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_fabric, "a WeftFabricHelper installs one fabric");
    weft_err err = {};
    if (WeftCheckSimulation(&err) != 0)
    {
        NS_FATAL_ERROR("weft: " << err.msg);
    }
    weft_fabric* graph = MakeGraph();
    m_fabric = m_fabricFactory.Create<WeftFabric>();
    m_fabric->SetGraph(graph);
    if (m_hasCc)
    {
        m_fabric->SetCongestionControl(m_ccFactory.Create<WeftCongestionControl>());
    }
    if (m_nodes.empty())
    {
        const uint32_t ranks = WeftRanks::GetSize();
        for (uint32_t i = 0; i < graph->nnodes; i++)
        {
            const uint32_t host = graph->nodes[i].host; // hosts in blocks
            const uint32_t rank = host == UINT32_MAX ? 0 : uint64_t(host) * ranks / graph->nhosts;
            m_nodes.push_back(CreateObject<Node>(rank));
            m_nodeKinds.push_back(graph->nodes[i].kind);
        }
    }
    InstallDevices();
    ShareOut();
    return m_fabric;
}

NodeContainer
WeftFabricHelper::GetHosts() const
{
    NS_LOG_FUNCTION(this);
    NodeContainer hosts;
    for (std::size_t i = 0; i < m_nodes.size(); i++)
    {
        if (m_nodeKinds[i] == WEFT_NODE_HOST)
        {
            hosts.Add(m_nodes[i]);
        }
    }
    return hosts;
}

NodeContainer
WeftFabricHelper::GetSwitches() const
{
    NS_LOG_FUNCTION(this);
    NodeContainer switches;
    for (std::size_t i = 0; i < m_nodes.size(); i++)
    {
        if (m_nodeKinds[i] == WEFT_NODE_SWITCH)
        {
            switches.Add(m_nodes[i]);
        }
    }
    return switches;
}

NetDeviceContainer
WeftFabricHelper::GetDevices() const
{
    NS_LOG_FUNCTION(this);
    return m_devices;
}

void
WeftFabricHelper::SendMessage(Time at,
                              uint32_t src,
                              uint32_t dst,
                              uint64_t bytes,
                              uint64_t tag,
                              uint32_t prio) const
{
    NS_LOG_FUNCTION(this << at << src << dst << bytes << tag << prio);
    NS_ABORT_MSG_IF(!m_fabric, "Install comes before SendMessage");
    Ptr<WeftFabric> fabric = m_fabric;
    Simulator::Schedule(at - Simulator::Now(),
                        &WeftFabric::Send,
                        fabric,
                        src,
                        dst,
                        bytes,
                        tag,
                        prio);
}

int64_t
WeftFabricHelper::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    NS_ABORT_MSG_IF(!m_fabric, "Install comes before AssignStreams");
    return m_fabric->AssignStreams(stream);
}

} // namespace ns3
