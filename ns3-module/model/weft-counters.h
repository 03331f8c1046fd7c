/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_COUNTERS_H
#define WEFT_COUNTERS_H

#include "ns3-module/engine/engine.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/** A count by kind of packet: [WEFT_PKT_DATA] ... */
using WeftPacketCounts = std::array<uint64_t, WEFT_PKT_KINDS>;
/** A count of packets by the reason that they were dropped for: [WEFT_DROP_BUFFER] ... */
using WeftDropCounts = std::array<uint64_t, WEFT_DROP_REASONS>;

/**
 * @ingroup weft
 * What a fabric has counted so far: WeftFabric::GetTotals. A value, to be kept, compared and
 * printed.
 */
struct WeftTotals
{
    uint64_t messagesPosted{0};   //!< Messages given to Send.
    uint64_t messagesReceived{0}; //!< Messages whose last byte has arrived.
    uint64_t messagesAcked{0};    //!< Messages whose last ACK has arrived.
    uint64_t bytesPosted{0};      //!< Payload of messages posted.
    uint64_t bytesReceived{0};    //!< Payload that has arrived, each byte once.
    uint64_t packetHops{0};       //!< Transmissions of a packet on a link.
    uint64_t events{0};           //!< Events of the engine.
    WeftPacketCounts sent{};      //!< Packets created.
    WeftPacketCounts delivered{}; //!< Packets that reached the node they were for.
    WeftDropCounts drops{};       //!< Packets dropped.
    uint64_t ecnMarks{0};         //!< Packets marked.
    uint64_t pfcPauses{0};        //!< Priorities of ports stopped by PFC.
    uint64_t pfcResumes{0};       //!< Priorities of ports released by PFC.
    uint64_t pfcRefreshes{0};     //!< Frames that repeat a pause.
    uint64_t retransmissions{0};  //!< Packets sent again.
    uint64_t timeouts{0};         //!< Expiries of retransmission timers.
    uint64_t packetsInFlight{0};  //!< Packets alive now.
    uint64_t queuePairs{0};       //!< QPs opened.

    /**
     * @return the packets dropped, whatever the reason
     */
    uint64_t GetDrops() const;

    /**
     * @param engine an engine
     * @return what it has counted
     */
    static WeftTotals Read(weft_engine* engine);
};

/**
 * @ingroup weft
 * What a port has counted so far: WeftFabric::GetPortCounters, WeftNetDevice::GetCounters.
 */
struct WeftPortCounters
{
    uint64_t txPackets{0};      //!< Packets sent.
    uint64_t txBytes{0};        //!< Bytes of them on the wire, with preamble and gap.
    uint64_t txPayloadBytes{0}; //!< Payload in them, retransmissions included.
    Time busy{0};               //!< How long the port was sending.
    Time paused{0};             //!< How long at least one of its priorities was stopped.
    uint64_t maxQueueBytes{0};  //!< The longest that its egress queue was.
    uint64_t pauses{0};         //!< How often a priority of it was stopped.
    uint64_t ecnMarks{0};       //!< Packets marked in its queue.
    WeftDropCounts drops{}; //!< Packets dropped that wanted to leave by it, or that its link lost.

    /**
     * @return the packets dropped, whatever the reason
     */
    uint64_t GetDrops() const;

    /**
     * @param engine an engine
     * @param port one of its ports
     * @return what it has counted
     */
    static WeftPortCounters Read(weft_engine* engine, uint32_t port);
};

/**
 * @param a what was counted
 * @param b what was counted elsewhere or at another time
 * @return whether all counts are equal
 */
bool operator==(const WeftTotals& a, const WeftTotals& b);
/** @copydoc operator==(const WeftTotals&, const WeftTotals&) */
bool operator==(const WeftPortCounters& a, const WeftPortCounters& b);

/**
 * @param os the stream
 * @param totals printed as "messages posted 3, received 3 ...", on one line
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const WeftTotals& totals);
/**
 * @param os the stream
 * @param counters printed as "tx packets 3, bytes 3000 ...", on one line
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, const WeftPortCounters& counters);

} // namespace ns3

#endif /* WEFT_COUNTERS_H */
