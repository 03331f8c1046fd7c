/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-application.h"

#include "weft-net-device.h"
#include "weft-time.h"

#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftApplication");

NS_OBJECT_ENSURE_REGISTERED(WeftApplication);

namespace
{

/** Value of the attribute Priority that leaves the choice to the fabric. */
const uint8_t FABRICS_PRIORITY = WEFT_PRIOS;

/**
 * @param node a node
 * @return its first device of a fabric; fatal when the node is no host of one
 */
Ptr<WeftNetDevice>
FindDevice(Ptr<Node> node)
{
    for (uint32_t i = 0; node && i < node->GetNDevices(); i++)
    {
        Ptr<WeftNetDevice> device = DynamicCast<WeftNetDevice>(node->GetDevice(i));
        if (!device)
        {
            continue;
        }
        const weft_fabric* graph = device->GetFabric()->GetGraph();
        if (graph->nodes[graph->ports[device->GetPort()].node].kind == WEFT_NODE_HOST)
        {
            return device;
        }
    }
    NS_FATAL_ERROR("weft: node " << (node ? static_cast<int64_t>(node->GetId()) : -1)
                                 << " is not a host of a fabric: applications run on the nodes of "
                                    "WeftFabricHelper::GetHosts(), after Install()");
    return nullptr;
}

/**
 * @param device device of a host
 * @return the host's entry in the graph
 */
const weft_fabric_node&
HostEntry(Ptr<WeftNetDevice> device)
{
    const weft_fabric* graph = device->GetFabric()->GetGraph();
    return graph->nodes[graph->ports[device->GetPort()].node];
}

} // namespace

TypeId
WeftApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftApplication")
            .SetParent<Application>()
            .SetGroupName("Weft")
            .AddAttribute("Priority",
                          "Priority of the messages, 0 to 7; 8: the fabric's TransportDataPrio",
                          UintegerValue(FABRICS_PRIORITY),
                          MakeUintegerAccessor(&WeftApplication::m_prio),
                          MakeUintegerChecker<uint8_t>(0, FABRICS_PRIORITY))
            .AddAttribute("Qp",
                          "Which QP between two hosts at that priority: applications that name "
                          "different numbers do not share a QP",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftApplication::m_qp),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("MessagePosted",
                            "The application posted a message",
                            MakeTraceSourceAccessor(&WeftApplication::m_postedTrace),
                            "ns3::WeftApplication::MessageTracedCallback")
            .AddTraceSource("MessageReceived",
                            "The last byte of a message of the application arrived",
                            MakeTraceSourceAccessor(&WeftApplication::m_receivedTrace),
                            "ns3::WeftApplication::MessageTracedCallback")
            .AddTraceSource("MessageAcked",
                            "The last ACK of a message of the application arrived",
                            MakeTraceSourceAccessor(&WeftApplication::m_ackedTrace),
                            "ns3::WeftApplication::MessageTracedCallback");
    return tid;
}

WeftApplication::WeftApplication()
{
    NS_LOG_FUNCTION(this);
}

WeftApplication::~WeftApplication()
{
    NS_LOG_FUNCTION(this);
}

void
WeftApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_fabric)
    {
        m_fabric->RemoveListener(m_ref);
    }
    m_fabric = nullptr;
    Application::DoDispose();
}

uint32_t
WeftApplication::GetHostNumber(Ptr<Node> node)
{
    NS_LOG_FUNCTION(node);
    return HostEntry(FindDevice(node)).host;
}

void
WeftApplication::Bind()
{
    if (!m_fabric)
    {
        Ptr<WeftNetDevice> device = FindDevice(GetNode());
        m_fabric = device->GetFabric();
        m_host = HostEntry(device).host;
        m_ref = m_fabric->AddListener(this);
    }
}

Ptr<WeftFabric>
WeftApplication::GetFabric()
{
    NS_LOG_FUNCTION(this);
    Bind();
    return m_fabric;
}

uint32_t
WeftApplication::GetHost()
{
    NS_LOG_FUNCTION(this);
    Bind();
    return m_host;
}

uint64_t
WeftApplication::GetHostRate()
{
    NS_LOG_FUNCTION(this);
    const weft_fabric* graph = GetFabric()->GetGraph();
    const weft_fabric_node& node = graph->nodes[graph->hosts[m_host]];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < node.nports; i++)
    {
        sum += graph->links[graph->ports[node.first_port + i].link].rate_bps;
    }
    return sum;
}

void
WeftApplication::SetPeers(const std::vector<uint32_t>& hosts)
{
    NS_LOG_FUNCTION(this);
    m_peers = hosts;
}

const std::vector<uint32_t>&
WeftApplication::GetPeers()
{
    NS_LOG_FUNCTION(this);
    if (m_peers.empty())
    {
        const uint32_t nhosts = GetFabric()->GetGraph()->nhosts;
        for (uint32_t host = 0; host < nhosts; host++)
        {
            if (host != m_host)
            {
                m_peers.push_back(host);
            }
        }
    }
    return m_peers;
}

bool
WeftApplication::IsRunning() const
{
    NS_LOG_FUNCTION(this);
    return m_running;
}

void
WeftApplication::Post(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    NS_LOG_FUNCTION(this << src << dst << bytes << tag);
    Bind();
    weft_completion posted = {};
    posted.msg.src = src;
    posted.msg.dst = dst;
    posted.msg.bytes = bytes;
    posted.msg.tag = tag;
    posted.msg.token.number = m_ref;
    posted.msg.prio = m_prio == FABRICS_PRIORITY ? UINT32_MAX : m_prio;
    posted.msg.qp = m_qp;
    posted.post_ps = WeftPs(Simulator::Now());
    weft_err err = {};
    if (m_fabric->TrySend(posted.msg, &posted.id, &err) != 0)
    {
        NS_FATAL_ERROR("weft: " << GetInstanceTypeId().GetName() << " on host " << m_host << ": "
                                << err.msg);
    }
    NS_LOG_LOGIC("host " << m_host << " posted message " << posted.id << ", " << bytes << " bytes, "
                         << src << " to " << dst);
    m_posted++;
    m_postedTrace(posted);
}

void
WeftApplication::StartApplication()
{
    Bind();
    m_running = true;
    Start();
}

void
WeftApplication::StopApplication()
{
    m_running = false;
}

void
WeftApplication::MessageReceived(const weft_completion& message)
{
    m_received++;
    m_receivedBytes += message.msg.bytes;
    m_receivedTrace(message);
    Received(message);
}

void
WeftApplication::MessageAcked(const weft_completion& message)
{
    m_ackedTrace(message);
    Acked(message);
}

void
WeftApplication::Received(const weft_completion& /* message */)
{
    NS_LOG_FUNCTION(this);
}

void
WeftApplication::Acked(const weft_completion& /* message */)
{
    NS_LOG_FUNCTION(this);
}

uint64_t
WeftApplication::GetPosted() const
{
    NS_LOG_FUNCTION(this);
    return m_posted;
}

uint64_t
WeftApplication::GetReceived() const
{
    NS_LOG_FUNCTION(this);
    return m_received;
}

uint64_t
WeftApplication::GetReceivedBytes() const
{
    NS_LOG_FUNCTION(this);
    return m_receivedBytes;
}

int64_t
WeftApplication::AssignStreams(int64_t /* stream */)
{
    NS_LOG_FUNCTION(this);
    return 0;
}

} // namespace ns3
