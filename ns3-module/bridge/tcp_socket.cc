/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_socket.h"

#include "reserve.h"

#include "ns3/inet-socket-address.h"
#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/type-id.h"

using namespace ns3;

namespace weft
{

namespace
{

/** @return a new object of the type that the attribute @p name of @p tcp is. */
template <typename T> Ptr<T> Make(Ptr<TcpL4Protocol> tcp, const char *name)
{
    TypeIdValue type;
    tcp->GetAttribute(name, type);
    ObjectFactory factory;
    factory.SetTypeId(type.Get());
    return factory.Create<T>();
}

} // namespace

/* The attributes of a control and their values. */
struct TcpSocket::Attributes {
    explicit Attributes(const Object &of)
    {
        for (TypeId id = of.GetInstanceTypeId(); id != Object::GetTypeId(); id = id.GetParent()) {
            for (size_t i = 0; i < id.GetAttributeN(); i++) {
                const auto attribute = id.GetAttribute(i);
                Ptr<AttributeValue> value = attribute.checker->Create();
                if (attribute.accessor->HasSetter() && attribute.accessor->Get(&of, *value)) {
                    values.emplace_back(attribute.accessor, value);
                }
            }
        }
    }

    std::vector<std::pair<Ptr<const AttributeAccessor>, Ptr<AttributeValue>>> values;
};

TcpSocket::TcpSocket(const TcpSocket &from)
    : TcpSocketBase(from), m_port(from.m_port), m_nothing(from.m_nothing), m_paces(from.m_paces),
      m_attributes(from.m_attributes)
{
    if (m_attributes) {
        for (const auto &[accessor, value] : m_attributes->values) {
            accessor->Set(PeekPointer(m_congestionControl), *value);
        }
    }
}

TypeId TcpSocket::GetTypeId()
{
    static TypeId id = TypeId("weft::TcpSocket")
                           .SetParent<TcpSocketBase>()
                           .SetGroupName("Weft")
                           .AddConstructor<TcpSocket>();
    return id;
}

Ptr<TcpSocket> TcpSocket::Create(TypeId variant)
{
    Reserve::Check();
    Ptr<TcpL4Protocol> tcp = CreateObject<TcpL4Protocol>();
    ObjectFactory control;
    control.SetTypeId(variant);
    Ptr<TcpSocket> socket = CreateObject<TcpSocket>();
    socket->SetRtt(Make<RttEstimator>(tcp, "RttEstimatorType"));
    socket->SetCongestionControlAlgorithm(control.Create<TcpCongestionOps>());
    socket->m_attributes = std::make_shared<Attributes>(*socket->m_congestionControl);
    socket->SetRecoveryAlgorithm(Make<TcpRecoveryOps>(tcp, "RecoveryType"));
    return socket;
}

Ptr<TcpSocket> TcpSocket::CopyTo(Ptr<Node> node) const
{
    Reserve::Check();
    Ptr<TcpSocket> socket = CopyObject<TcpSocket>(this);
    Ptr<TcpL4Protocol> tcp = node->GetObject<TcpPorts>()->Open(socket->m_port);
    socket->SetNode(node);
    socket->SetTcp(tcp);
    tcp->AddSocket(socket);
    return socket;
}

int TcpSocket::Bind()
{
    return m_port == 0 ? -1 : Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
}

uint32_t TcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    if (maxSize > 0) {
        return TcpSocketBase::SendDataPacket(seq, maxSize, withAck);
    }
    if (!m_nothing) {
        m_nothing = true;
        m_paces = m_tcb->m_pacing;
        m_tcb->m_pacing = false; // or it would try again after the time of no bytes, for ever
    }
    if (m_retxEvent.IsExpired()) {
        return TcpSocketBase::SendDataPacket(m_txBuffer->HeadSequence(), m_tcb->m_segmentSize,
                                             withAck);
    }
    return 0;
}

uint32_t TcpSocket::AvailableWindow() const
{
    if (!m_nothing) {
        return TcpSocketBase::AvailableWindow();
    }
    m_nothing = false;
    m_tcb->m_pacing = m_paces;
    return 0;
}

Ptr<TcpSocketBase> TcpSocket::Fork()
{
    Reserve::Check();
    return CopyObject<TcpSocket>(this);
}

} // namespace weft
