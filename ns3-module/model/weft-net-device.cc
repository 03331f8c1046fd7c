/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-net-device.h"

#include "weft-channel.h"
#include "weft-lan.h"
#include "weft-trace-source.h"

#include "ns3/boolean.h"
#include "ns3/integer.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/queue-limits.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNetDevice");

NS_OBJECT_ENSURE_REGISTERED(WeftNetDevice);

TypeId
WeftNetDevice::GetTypeId()
{
    static TypeId tid = MakeTypeId();
    return tid;
}

TypeId
WeftNetDevice::MakeTypeId()
{
    TypeId tid =
        TypeId("ns3::WeftNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftNetDevice>()
            .AddAttribute("Fabric",
                          "The fabric, on its port 0 (the first device of its first node); null on "
                          "the others, so that Config paths and ConfigStore come to it once",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&WeftNetDevice::GetFabricOfFirstPort),
                          MakePointerChecker<WeftFabric>())
            .AddAttribute("Port",
                          "The fabric's number of this port",
                          TypeId::ATTR_GET,
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftNetDevice::GetPort),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "Mtu",
                "The MTU that the ns-3 IP stack sees; RoCE uses the fabric's TransportMtu",
                UintegerValue(1500),
                MakeUintegerAccessor(&WeftNetDevice::SetMtu, &WeftNetDevice::GetMtu),
                MakeUintegerChecker<uint16_t>())
            .AddAttribute("FrameOverhead",
                          "Frame bytes around a packet of the IP stack: Ethernet header and FCS",
                          UintegerValue(18),
                          MakeUintegerAccessor(&WeftNetDevice::m_overheadBytes),
                          MakeUintegerChecker<uint32_t>(0, 512))
            .AddAttribute("TxQueueLimit",
                          "Frame bytes of the IP stack that wait at the NIC at most, for each "
                          "priority; 0: no limit",
                          UintegerValue(150000),
                          MakeUintegerAccessor(&WeftNetDevice::m_txLimitBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "IpPriority",
                "Priority of the IP stack's packets; -1: the precedence of each, which is "
                "the three upper bits of its DSCP",
                IntegerValue(-1),
                MakeIntegerAccessor(&WeftNetDevice::m_ipPriority),
                MakeIntegerChecker<int32_t>(-1, WEFT_PRIOS - 1))
            .AddAttribute("AnyPort",
                          "Packets of the IP stack leave by the port of the host that the hash of "
                          "their flow gives, as QPs do; false: by this one",
                          BooleanValue(false),
                          MakeBooleanAccessor(&WeftNetDevice::m_anyPort),
                          MakeBooleanChecker());
#define WEFT_ROW(NAME, MEMBER, HELP)                                                               \
    tid.AddTraceSource(#NAME,                                                                      \
                       HELP,                                                                       \
                       MakeTraceSourceAccessor(&WeftNetDevice::MEMBER),                            \
                       "ns3::Packet::TracedCallback");
    WEFT_STACK_TRACES(WEFT_ROW)
#undef WEFT_ROW
#define WEFT_ROW(KIND, NAME, MEMBER, ALL, ALL_HELP, TYPE, HELP)                                    \
    tid.AddTraceSource(#NAME,                                                                      \
                       HELP,                                                                       \
                       MakeWeftTraceSourceAccessor(&WeftNetDevice::MEMBER),                        \
                       "ns3::" #TYPE);
    WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
#define WEFT_ROW(KIND, NAME, MEMBER, TYPE, HELP)                                                   \
    tid.AddTraceSource(#NAME,                                                                      \
                       HELP,                                                                       \
                       MakeWeftTraceSourceAccessor(&WeftNetDevice::MEMBER),                        \
                       "ns3::" #TYPE);
    WEFT_PORT_TRACES(WEFT_ROW)
#undef WEFT_ROW
    return tid;
}

WeftNetDevice::WeftNetDevice()
{
    NS_LOG_FUNCTION(this);
}

WeftNetDevice::~WeftNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
WeftNetDevice::DoDispose()
{
    if (m_fabric)
    {
        m_fabric->m_devices.Remove(m_port, this);
        for (int i = 0; i < WeftFanOut::TRACES; i++)
        {
            if (m_hasSinks[i])
            {
                m_hasSinks[i] = false;
                m_fabric->m_fanOut.SetPortSinks(static_cast<WeftFanOut::PortTrace>(i),
                                                m_port,
                                                false);
            }
        }
    }
    m_fabric = nullptr;
    m_channel = nullptr;
    m_lan = nullptr;
    m_node = nullptr;
    m_queues = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

void
WeftNetDevice::Attach(Ptr<WeftFabric> fabric, uint32_t port, Ptr<WeftChannel> channel)
{
    NS_LOG_FUNCTION(this << fabric << port << channel);
    m_fabric = fabric;
    m_port = port;
    m_channel = channel;
    const weft_fabric* graph = m_fabric->GetGraph();
    m_fabric->m_devices.Add(graph->nports, port, this);
    m_isHost = graph->nodes[graph->ports[port].node].kind == WEFT_NODE_HOST;
    if (m_isHost && !m_queues)
    {
        m_queues = CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues",
                                                                       UintegerValue(WEFT_PRIOS));
        m_queues->SetSelectQueueCallback([this](Ptr<QueueItem> item) -> std::size_t {
            // The IP header is still apart from the packet.
            if (auto i4 = DynamicCast<Ipv4QueueDiscItem>(item))
            {
                return GetPriority(i4->GetProtocol(), i4->GetHeader().GetTos());
            }
            if (auto i6 = DynamicCast<Ipv6QueueDiscItem>(item))
            {
                return GetPriority(i6->GetProtocol(), i6->GetHeader().GetTrafficClass());
            }
            return GetPriority(0, 0);
        });
        AggregateObject(m_queues);
    }
    TraceSinksChanged();
}

uint32_t
WeftNetDevice::GetPriority(uint16_t protocol, uint8_t tos) const
{
    return m_ipPriority < 0 ? WeftIpInfo::Precedence(protocol, tos) : m_ipPriority;
}

uint32_t
WeftNetDevice::GetMaxFrameBytes() const
{
    return m_mtu + m_overheadBytes;
}

Ptr<WeftFabric>
WeftNetDevice::GetFabric() const
{
    NS_LOG_FUNCTION(this);
    return m_fabric;
}

Ptr<WeftFabric>
WeftNetDevice::GetFabricOfFirstPort() const
{
    return m_port == 0 ? m_fabric : nullptr;
}

WeftPortCounters
WeftNetDevice::GetCounters()
{
    NS_LOG_FUNCTION(this);
    return m_fabric ? m_fabric->GetPortCounters(m_port) : WeftPortCounters();
}

uint32_t
WeftNetDevice::GetPort() const
{
    NS_LOG_FUNCTION(this);
    return m_port;
}

void
WeftNetDevice::TraceSinksChanged()
{
    NS_LOG_FUNCTION(this);
    if (!m_fabric)
    {
        return;
    }
    bool now[WeftFanOut::TRACES] = {};
#define WEFT_ROW(KIND, NAME, MEMBER, ...) now[WeftFanOut::KIND] |= !MEMBER.IsEmpty();
    WEFT_SHARED_TRACES(WEFT_ROW)
    WEFT_PORT_TRACES(WEFT_ROW)
#undef WEFT_ROW
    now[WeftFanOut::LINK] |= !m_linkChange.IsEmpty();
    for (int i = 0; i < WeftFanOut::TRACES; i++)
    {
        if (now[i] != m_hasSinks[i])
        {
            m_hasSinks[i] = now[i];
            m_fabric->m_fanOut.SetPortSinks(static_cast<WeftFanOut::PortTrace>(i), m_port, now[i]);
        }
    }
}

void
WeftNetDevice::SetIfIndex(const uint32_t index)
{
    NS_LOG_FUNCTION(this << index);
    m_ifIndex = index;
}

uint32_t
WeftNetDevice::GetIfIndex() const
{
    NS_LOG_FUNCTION(this);
    return m_ifIndex;
}

Ptr<Channel>
WeftNetDevice::GetChannel() const
{
    NS_LOG_FUNCTION(this);
    if (m_lan)
    {
        return m_lan;
    }
    return m_channel;
}

void
WeftNetDevice::SetLan(Ptr<WeftLan> lan)
{
    NS_LOG_FUNCTION(this << lan);
    m_lan = lan;
}

Ptr<WeftChannel>
WeftNetDevice::GetLink() const
{
    NS_LOG_FUNCTION(this);
    return m_channel;
}

void
WeftNetDevice::SetAddress(Address address)
{
    NS_LOG_FUNCTION(this << address);
    m_address = Mac48Address::ConvertFrom(address);
}

Address
WeftNetDevice::GetAddress() const
{
    NS_LOG_FUNCTION(this);
    return m_address;
}

bool
WeftNetDevice::SetMtu(const uint16_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    m_mtu = mtu;
    return true;
}

uint16_t
WeftNetDevice::GetMtu() const
{
    NS_LOG_FUNCTION(this);
    return m_mtu;
}

bool
WeftNetDevice::IsLinkUp() const
{
    NS_LOG_FUNCTION(this);
    if (!m_fabric || !m_channel)
    {
        return false;
    }
    const weft_engine* engine = m_fabric->GetEngine();
    const uint8_t* down = engine ? weft_engine_links_down(engine) : nullptr;
    return !down || !down[m_fabric->GetGraph()->ports[m_port].link];
}

void
WeftNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    NS_LOG_FUNCTION(this);
    m_linkChange.ConnectWithoutContext(callback);
    TraceSinksChanged();
}

bool
WeftNetDevice::IsBroadcast() const
{
    NS_LOG_FUNCTION(this);
    return true;
}

Address
WeftNetDevice::GetBroadcast() const
{
    NS_LOG_FUNCTION(this);
    return Mac48Address::GetBroadcast();
}

bool
WeftNetDevice::IsMulticast() const
{
    NS_LOG_FUNCTION(this);
    return false;
}

Address
WeftNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    NS_LOG_FUNCTION(this << multicastGroup);
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
WeftNetDevice::GetMulticast(Ipv6Address addr) const
{
    NS_LOG_FUNCTION(this << addr);
    return Mac48Address::GetMulticast(addr);
}

bool
WeftNetDevice::IsBridge() const
{
    NS_LOG_FUNCTION(this);
    return false;
}

bool
WeftNetDevice::IsPointToPoint() const
{
    NS_LOG_FUNCTION(this);
    return false; // to the IP stack the hosts of a fabric are one link
}

bool
WeftNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
WeftNetDevice::SendFrom(Ptr<Packet> packet,
                        const Address& /* source */,
                        const Address& dest,
                        uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    const uint32_t prio = GetPriority(protocolNumber, WeftIpInfo(packet, protocolNumber).tos);
    const uint32_t bytes = packet->GetSize() + m_overheadBytes;
    if (!m_isHost || packet->GetSize() > m_mtu)
    {
        NS_LOG_WARN(
            "packet of " << packet->GetSize() << " bytes refused: the port is "
                         << (m_isHost ? "of a smaller MTU" : "of a switch, or of no fabric"));
        m_macTxDrop(packet);
        return false;
    }
    Ptr<NetDeviceQueue> queue = m_queues->GetTxQueue(prio);
    const bool full = m_txLimitBytes && m_txBytes[prio] + bytes > m_txLimitBytes;
    if (full)
    {
        m_macTxDrop(packet);
        return false;
    }
    m_txBytes[prio] += bytes;
    queue->NotifyQueuedBytes(bytes);
    if (!m_fabric->SendFrame(this,
                             m_anyPort ? UINT32_MAX : m_port,
                             packet,
                             protocolNumber,
                             dest,
                             prio,
                             bytes))
    {
        m_txBytes[prio] -= bytes;
        queue->NotifyTransmittedBytes(bytes);
        m_macTxDrop(packet);
        return false;
    }
    m_macTx(packet);
    if (m_txLimitBytes && m_txBytes[prio] + GetMaxFrameBytes() > m_txLimitBytes)
    {
        queue->Stop();
    }
    return true;
}

void
WeftNetDevice::FrameLeft(Ptr<const Packet> packet, uint32_t prio, uint32_t bytes)
{
    NS_LOG_FUNCTION(this << packet << prio << bytes);
    m_phyTxBegin(packet);
    m_txBytes[prio] -= bytes;
    m_txDone[prio] += bytes;
    Ptr<NetDeviceQueue> queue = m_queues->GetTxQueue(prio);
    if (!m_waking && (queue->IsStopped() || queue->GetQueueLimits()))
    {
        m_waking = true;
        // As an event of the node: queue discs must not run inside of the engine.
        Simulator::ScheduleWithContext(m_node->GetId(),
                                       Time(0),
                                       &WeftNetDevice::WakeQueues,
                                       Ptr<WeftNetDevice>(this));
    }
}

void
WeftNetDevice::WakeQueues()
{
    m_waking = false;
    for (uint32_t prio = 0; m_queues && prio < WEFT_PRIOS; prio++)
    {
        Ptr<NetDeviceQueue> queue = m_queues->GetTxQueue(prio);
        queue->NotifyTransmittedBytes(m_txDone[prio]);
        m_txDone[prio] = 0;
        if (!m_txLimitBytes || m_txBytes[prio] + GetMaxFrameBytes() <= m_txLimitBytes)
        {
            queue->Wake();
        }
    }
}

void
WeftNetDevice::Receive(Ptr<Packet> packet, uint16_t protocol, Address from)
{
    NS_LOG_FUNCTION(this << packet << protocol << from);
    if (!m_node)
    {
        return; // disposed of meanwhile
    }
    m_phyRxEnd(packet);
    m_macPromiscRx(packet);
    m_macRx(packet);
    bool taken = false;
    if (!m_promiscReceive.IsNull())
    {
        taken |= m_promiscReceive(this, packet, protocol, from, m_address, NetDevice::PACKET_HOST);
    }
    if (!m_receive.IsNull())
    {
        taken |= m_receive(this, packet, protocol, from);
    }
    if (!taken)
    {
        m_macRxDrop(packet);
    }
}

Ptr<Node>
WeftNetDevice::GetNode() const
{
    NS_LOG_FUNCTION(this);
    return m_node;
}

void
WeftNetDevice::SetNode(Ptr<Node> node)
{
    NS_LOG_FUNCTION(this << node);
    m_node = node;
}

bool
WeftNetDevice::NeedsArp() const
{
    NS_LOG_FUNCTION(this);
    return false;
}

void
WeftNetDevice::SetReceiveCallback(ReceiveCallback cb)
{
    NS_LOG_FUNCTION(this);
    m_receive = cb;
}

void
WeftNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    NS_LOG_FUNCTION(this);
    m_promiscReceive = cb;
}

bool
WeftNetDevice::SupportsSendFrom() const
{
    NS_LOG_FUNCTION(this);
    return false;
}

} // namespace ns3
