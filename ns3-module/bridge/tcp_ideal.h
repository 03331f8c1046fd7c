/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ideal duration of a part of a message over TCP: the least that it can take alone on the
 * fabric, on its connection as that is when the part is posted. It consists of
 *
 *  - what is left of the handshake: SYN, SYN-ACK, and the ACK right before the data, which wait for
 *    it at each link unless it is lost;
 *  - round trips. The window at most doubles with each and is never larger than the buffers of the
 * two sockets; a window that is sent in less than a round trip is followed by the next one after
 * it;
 *  - the time of what remains from host to host, one segment behind the other
 *    (weft_engine_frames_ideal_ps()).
 *
 * Where less is certain, less counts: links that change on the way can shorten round trips, so
 * these then don't count; and what has no room in the send buffer may be cut into shorter segments.
 */
#ifndef WEFT_TCP_IDEAL_H
#define WEFT_TCP_IDEAL_H

#include "ns3-module/engine/engine.h"

#include <cstdint>

namespace weft
{

/** A connection when a part of a message is posted. */
struct TcpStart {
    uint32_t flow;        //!< Of its data, see WeftIpInfo::FlowHash().
    uint32_t backFlow;    //!< Of its ACKs.
    bool connected;       //!< It is established.
    uint64_t roomBytes;   //!< In the send buffer.
    uint64_t mostBytes;   //!< Most that can be under way: the smaller of the sockets' buffers.
    int64_t openedPs;     //!< When its SYN was sent.
    uint64_t windowBytes; //!< What it can have on its way at once, before anything is acknowledged.
    uint64_t segmentBytes; //!< Of a full segment.
};

/** A part of a message. */
struct TcpPart {
    uint32_t src;           //!< Sending host.
    uint32_t dst;           //!< Receiving host.
    uint64_t bytes;         //!< Of the stream.
    bool behindAck;         //!< The ACK of the handshake went right before it, all the way.
    int64_t postPs;         //!< When it was posted.
    weft_engine_mark since; //!< The same.
};

/**
 * @param engine the fabric
 * @param start the connection when the part was posted
 * @param part the part, which arrives now
 * @return its ideal duration, ps
 */
int64_t TcpIdealPs(weft_engine *engine, const TcpStart &start, const TcpPart &part);

} // namespace weft

#endif /* WEFT_TCP_IDEAL_H */
