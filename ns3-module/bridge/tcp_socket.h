/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's TCP socket where its own buffer asks it to send nothing. */
#ifndef WEFT_BRIDGE_TCP_SOCKET_H
#define WEFT_BRIDGE_TCP_SOCKET_H

#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"

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
    /** @return a socket of @p tcp with the congestion control @p variant, as of its CreateSocket.
     */
    static ns3::Ptr<TcpSocket> Create(ns3::Ptr<ns3::TcpL4Protocol> tcp, ns3::TypeId variant);

  protected:
    uint32_t SendDataPacket(ns3::SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;
    uint32_t AvailableWindow() const override;
    ns3::Ptr<ns3::TcpSocketBase> Fork() override;

  private:
    // The caller asks for the window next, or the next time that it wants to send.
    mutable bool m_nothing{false}; //!< The window is to count as full then.
    bool m_paces{false};           //!< And whether the connection paces from then on.
};

} // namespace weft

#endif
