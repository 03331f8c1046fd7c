/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_ports.h"

#include "ns3/ipv4-interface.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-interface.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"

using namespace ns3;

namespace weft
{

namespace
{

// ns-3's ephemeral ports: 49152 to 65535, where the second is taken first and the first last.
constexpr uint32_t FIRST_PORT = 49152;
constexpr uint32_t PORTS = 65536 - FIRST_PORT;

} // namespace

TypeId TcpPorts::GetTypeId()
{
    static TypeId id = TypeId("weft::TcpPorts")
                           .SetParent<IpL4Protocol>()
                           .SetGroupName("Weft")
                           .AddConstructor<TcpPorts>();
    return id;
}

void TcpPorts::Install(Ptr<Node> node)
{
    Ptr<TcpPorts> ports = CreateObject<TcpPorts>();
    ports->m_node = node;
    ports->m_own = node->GetObject<TcpL4Protocol>();
    node->AggregateObject(ports);
    node->GetObject<Ipv4>()->Insert(ports);
}

Ptr<TcpL4Protocol> TcpPorts::Open(uint16_t &port)
{
    port = 0;
    if (m_protocols.size() == PORTS) {
        return m_own;
    }
    Ptr<TcpL4Protocol> protocol = CreateObject<TcpL4Protocol>();
    protocol->SetNode(m_node);
    protocol->SetDownTarget(m_own->GetDownTarget());
    m_protocols.push_back(protocol);
    port = static_cast<uint16_t>(FIRST_PORT + m_protocols.size() % PORTS);
    return protocol;
}

int TcpPorts::GetProtocolNumber() const
{
    return TcpL4Protocol::PROT_NUMBER;
}

IpL4Protocol::RxStatus TcpPorts::Receive(Ptr<Packet> packet, const Ipv4Header &header,
                                         Ptr<Ipv4Interface> interface)
{
    TcpHeader tcp;
    packet->PeekHeader(tcp);
    const uint32_t at = (tcp.GetDestinationPort() - FIRST_PORT - 1) % PORTS;
    const bool open = tcp.GetDestinationPort() >= FIRST_PORT && at < m_protocols.size();
    return (open ? m_protocols[at] : m_own)->Receive(packet, header, interface);
}

IpL4Protocol::RxStatus TcpPorts::Receive(Ptr<Packet> packet, const Ipv6Header &header,
                                         Ptr<Ipv6Interface> interface)
{
    return m_own->Receive(packet, header, interface);
}

void TcpPorts::SetDownTarget(DownTargetCallback target)
{
    m_own->SetDownTarget(target);
}

void TcpPorts::SetDownTarget6(DownTargetCallback6 target)
{
    m_own->SetDownTarget6(target);
}

IpL4Protocol::DownTargetCallback TcpPorts::GetDownTarget() const
{
    return m_own->GetDownTarget();
}

IpL4Protocol::DownTargetCallback6 TcpPorts::GetDownTarget6() const
{
    return m_own->GetDownTarget6();
}

void TcpPorts::DoDispose()
{
    for (const Ptr<TcpL4Protocol> &protocol : m_protocols) {
        protocol->Dispose();
    }
    m_protocols.clear();
    m_own = nullptr;
    m_node = nullptr;
    IpL4Protocol::DoDispose();
}

} // namespace weft
