/* SPDX-License-Identifier: GPL-2.0-only */
#include "weft-net-device.h"

#include "weft-channel.h"
#include "weft-trace-source.h"

#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNetDevice");

NS_OBJECT_ENSURE_REGISTERED(WeftNetDevice);

TypeId
WeftNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftNetDevice>()
            .AddAttribute("Fabric",
                          "The fabric that the port belongs to",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&WeftNetDevice::GetFabric),
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
            .AddTraceSource("PfcPause",
                            "A priority of the port was stopped by PFC",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_pfcPause),
                            "ns3::WeftNetDevice::PfcTracedCallback")
            .AddTraceSource("PfcResume",
                            "A priority of the port was released by PFC",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_pfcResume),
                            "ns3::WeftNetDevice::PfcTracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped at the port",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_drop),
                            "ns3::WeftNetDevice::DropTracedCallback")
            .AddTraceSource("EcnMark",
                            "A packet was ECN-marked in the port's queue",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_ecnMark),
                            "ns3::WeftNetDevice::MarkTracedCallback")
            .AddTraceSource("QueueBytes",
                            "The egress queue of the port changed (switches only)",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_queueBytes),
                            "ns3::WeftNetDevice::QueueTracedCallback")
            .AddTraceSource("MessageComplete",
                            "The last byte of a message arrived at this host. A host with several "
                            "ports reports it on the first",
                            MakeWeftTraceSourceAccessor(&WeftNetDevice::m_messageComplete),
                            "ns3::WeftFabric::MessageTracedCallback");
    return tid;
}

WeftNetDevice::WeftNetDevice()
{
}

WeftNetDevice::~WeftNetDevice()
{
}

void
WeftNetDevice::DoDispose()
{
    if (m_fabric)
    {
        m_fabric->SetDevice(m_port, nullptr);
        for (int i = 0; i < WeftFabric::PORT_TRACES; i++)
        {
            if (m_hasSinks[i])
            {
                m_fabric->CountPortSinks(static_cast<WeftFabric::PortTrace>(i), -1);
                m_hasSinks[i] = false;
            }
        }
    }
    m_fabric = nullptr;
    m_channel = nullptr;
    m_node = nullptr;
    NetDevice::DoDispose();
}

void
WeftNetDevice::Attach(Ptr<WeftFabric> fabric, uint32_t port, Ptr<WeftChannel> channel)
{
    m_fabric = fabric;
    m_port = port;
    m_channel = channel;
    m_fabric->SetDevice(port, this);
    TraceSinksChanged();
}

Ptr<WeftFabric>
WeftNetDevice::GetFabric() const
{
    return m_fabric;
}

uint32_t
WeftNetDevice::GetPort() const
{
    return m_port;
}

void
WeftNetDevice::TraceSinksChanged()
{
    if (!m_fabric)
    {
        return;
    }
    const bool now[] = {!m_pfcPause.IsEmpty() || !m_pfcResume.IsEmpty(),
                        !m_drop.IsEmpty(),
                        !m_ecnMark.IsEmpty(),
                        !m_queueBytes.IsEmpty(),
                        !m_messageComplete.IsEmpty()};
    static_assert(sizeof now / sizeof now[0] == WeftFabric::PORT_TRACES,
                  "one entry per WeftFabric::PortTrace");
    for (int i = 0; i < WeftFabric::PORT_TRACES; i++)
    {
        if (now[i] != m_hasSinks[i])
        {
            m_hasSinks[i] = now[i];
            m_fabric->CountPortSinks(static_cast<WeftFabric::PortTrace>(i), now[i] ? 1 : -1);
        }
    }
}

void
WeftNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
WeftNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
WeftNetDevice::GetChannel() const
{
    return m_channel;
}

void
WeftNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
WeftNetDevice::GetAddress() const
{
    return m_address;
}

bool
WeftNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
WeftNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
WeftNetDevice::IsLinkUp() const
{
    return m_channel != nullptr;
}

void
WeftNetDevice::AddLinkChangeCallback(Callback<void> /* callback */)
{
    // The links of a fabric are always up.
}

bool
WeftNetDevice::IsBroadcast() const
{
    return true;
}

Address
WeftNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
WeftNetDevice::IsMulticast() const
{
    return false;
}

Address
WeftNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
WeftNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
WeftNetDevice::IsBridge() const
{
    return false;
}

bool
WeftNetDevice::IsPointToPoint() const
{
    return true;
}

bool
WeftNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
WeftNetDevice::SendFrom(Ptr<Packet> packet,
                        const Address& /* source */,
                        const Address& dest,
                        uint16_t protocolNumber)
{
    NS_LOG_WARN("packet of " << packet->GetSize() << " bytes to " << dest << ", protocol 0x"
                             << std::hex << protocolNumber << std::dec
                             << ", refused: a WeftNetDevice does not carry the IP stack's packets; "
                                "use WeftFabric::Send for messages");
    return false;
}

Ptr<Node>
WeftNetDevice::GetNode() const
{
    return m_node;
}

void
WeftNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
WeftNetDevice::NeedsArp() const
{
    return false;
}

void
WeftNetDevice::SetReceiveCallback(ReceiveCallback /* cb */)
{
    // Nothing arrives for the IP stack.
}

void
WeftNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback /* cb */)
{
    // Nothing arrives for the IP stack.
}

bool
WeftNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3
