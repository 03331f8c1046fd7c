/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's TCP socket where its own buffer asks it to send nothing. */
#ifndef WEFT_BRIDGE_TCP_SOCKET_H
#define WEFT_BRIDGE_TCP_SOCKET_H

#include "tcp_ports.h"

#include "ns3/tcp-socket-base.h"

#include <memory>

namespace weft
{

/**
 * ns-3 3.37 asks for a segment of no bytes when what was sent fills the receiver's window to the
 * last byte and the congestion window has room (TcpTxBuffer::NextSeg takes a full window for one
 * with room, mended in later releases), and reads the segment that it then does not get. Here such
 * a request ends the sending for this time, as it does in later releases. Where no retransmission
 * timer would run after it, the oldest segment is sent again, as TcpSocketBase::DoRetransmit does
 * where nothing else is left.
 */
class TcpSocket : public ns3::TcpSocketBase
{
  public:
    static ns3::TypeId GetTypeId();
    TcpSocket() = default;
    TcpSocket(const TcpSocket &from);
    /** @return a socket without a node, with the congestion control @p variant, as of CreateSocket
     * of ns-3's protocol. */
    static ns3::Ptr<TcpSocket> Create(ns3::TypeId variant);
    /** @return a copy of this socket at the next free port of @p node. ns-3 takes ten times as long
     * to create and configure a socket. */
    ns3::Ptr<TcpSocket> CopyTo(ns3::Ptr<ns3::Node> node) const;

    /** @return 0, or -1 where the node had no port left. */
    int Bind() override;
    using ns3::TcpSocketBase::Bind;
    using ns3::TcpSocketBase::SetDelAckMaxCount;

  protected:
    uint32_t SendDataPacket(ns3::SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    uint32_t AvailableWindow() const override;
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;

  private:
    struct Attributes;

    uint16_t m_port{0}; //!< Of its own; 0: none was left, or a listening socket made it.
    // The caller asks for the window next, or the next time that it wants to send.
    mutable bool m_nothing{false}; //!< The window is to count as full then.
    bool m_paces{false};           //!< And whether the connection paces from then on.
    /**
     * Of its control. Copy constructors of ns-3 leave some out: TcpCubic of 3.42 and later has an
     * uninitialised TcpFriendliness.
     */
    std::shared_ptr<const Attributes> m_attributes;
};

} // namespace weft

#endif
