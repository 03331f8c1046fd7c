/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_TRACE_TABLE_H
#define WEFT_TRACE_TABLE_H

/**
 * @file
 * @ingroup weft
 * The trace sources that the engine feeds, once: their members, their place in the TypeIds and the
 * engine's hooks that they need are made from these tables.
 *
 * The last table has those that the device feeds: of packets of the IP stack.
 *
 * A new source of the engine is a row here, a kind of WeftFanOut::PortTrace when its hook has none
 * yet, and a line in weft-fan-out.cc that calls it.
 */

#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @ingroup weft
 * The trace source of a callback type.
 * @tparam F a pointer to a function without result, as the TracedCallback types of classes are
 */
template <typename F>
struct WeftSourceOf;

/**
 * @ingroup weft
 * See above.
 * @tparam Args the arguments of its sinks
 */
template <typename... Args>
struct WeftSourceOf<void (*)(Args...)>
{
    using Type = TracedCallback<Args...>; //!< The trace source.
};

} // namespace ns3

/**
 * Trace sources that WeftFabric and, for one port, WeftNetDevice have:
 * ROW(kind of WeftFanOut::PortTrace, name, member, of the fabric: type of its sinks and help, of a
 * device: type of its sinks and help)
 */
#define WEFT_SHARED_TRACES(ROW)                                                                    \
    ROW(PFC,                                                                                       \
        PfcPause,                                                                                  \
        m_pfcPause,                                                                                \
        WeftFabric::PfcTracedCallback,                                                             \
        "A priority of a port was stopped by PFC",                                                 \
        WeftNetDevice::PfcTracedCallback,                                                          \
        "A priority of the port was stopped by PFC")                                               \
    ROW(PFC,                                                                                       \
        PfcResume,                                                                                 \
        m_pfcResume,                                                                               \
        WeftFabric::PfcTracedCallback,                                                             \
        "A priority of a port was released by PFC",                                                \
        WeftNetDevice::PfcTracedCallback,                                                          \
        "A priority of the port was released by PFC")                                              \
    ROW(DROP,                                                                                      \
        Drop,                                                                                      \
        m_drop,                                                                                    \
        WeftFabric::DropTracedCallback,                                                            \
        "A packet was dropped",                                                                    \
        WeftNetDevice::DropTracedCallback,                                                         \
        "A packet was dropped at the port")                                                        \
    ROW(MARK,                                                                                      \
        EcnMark,                                                                                   \
        m_ecnMark,                                                                                 \
        WeftFabric::MarkTracedCallback,                                                            \
        "A packet was ECN-marked",                                                                 \
        WeftNetDevice::MarkTracedCallback,                                                         \
        "A packet was ECN-marked in the port's queue")                                             \
    ROW(QUEUE,                                                                                     \
        QueueBytes,                                                                                \
        m_queueBytes,                                                                              \
        WeftFabric::QueueTracedCallback,                                                           \
        "A switch's egress queue changed",                                                         \
        WeftNetDevice::QueueTracedCallback,                                                        \
        "The egress queue of the port changed (switches only)")                                    \
    ROW(LINK,                                                                                      \
        LinkState,                                                                                 \
        m_linkState,                                                                               \
        WeftFabric::LinkTracedCallback,                                                            \
        "A link failed or came back",                                                              \
        WeftNetDevice::LinkTracedCallback,                                                         \
        "The link of the port failed or came back")                                                \
    ROW(START,                                                                                     \
        MessageStart,                                                                              \
        m_messageStart,                                                                            \
        WeftFabric::MessageTracedCallback,                                                         \
        "A message was posted at its sender",                                                      \
        WeftFabric::MessageTracedCallback,                                                         \
        "A message was posted at this host. A host with several ports reports it on the first")    \
    ROW(MESSAGE,                                                                                   \
        MessageComplete,                                                                           \
        m_messageComplete,                                                                         \
        WeftFabric::MessageTracedCallback,                                                         \
        "The last byte of a message arrived at its receiver",                                      \
        WeftFabric::MessageTracedCallback,                                                         \
        "The last byte of a message arrived at this host. A host with several ports reports it "   \
        "on the first")                                                                            \
    ROW(ACKED,                                                                                     \
        MessageAcked,                                                                              \
        m_messageAcked,                                                                            \
        WeftFabric::MessageTracedCallback,                                                         \
        "The last ACK of a message arrived at its sender",                                         \
        WeftFabric::MessageTracedCallback,                                                         \
        "The last ACK of a message arrived at this host, its sender. A host with several ports "   \
        "reports it on the first")                                                                 \
    ROW(ACK,                                                                                       \
        Ack,                                                                                       \
        m_ack,                                                                                     \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "An ACK arrived at the sender of a QP",                                                    \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "An ACK arrived for a QP that sends through the port")                                     \
    ROW(NACK,                                                                                      \
        Nack,                                                                                      \
        m_nack,                                                                                    \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "A NACK arrived at the sender of a QP",                                                    \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "A NACK arrived for a QP that sends through the port")                                     \
    ROW(RETX,                                                                                      \
        Retransmission,                                                                            \
        m_retransmission,                                                                          \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "A QP is about to send a packet again",                                                    \
        WeftFabric::QpPacketTracedCallback,                                                        \
        "A QP is about to send a packet again through the port")                                   \
    ROW(CNP,                                                                                       \
        Cnp,                                                                                       \
        m_cnp,                                                                                     \
        WeftFabric::QpTracedCallback,                                                              \
        "A congestion notification arrived at the sender of a QP",                                 \
        WeftFabric::QpTracedCallback,                                                              \
        "A congestion notification arrived for a QP that sends through the port")                  \
    ROW(RATE,                                                                                      \
        QpRate,                                                                                    \
        m_qpRate,                                                                                  \
        WeftFabric::QpValueTracedCallback,                                                         \
        "The congestion control of a QP has set another rate (bit/s)",                             \
        WeftFabric::QpValueTracedCallback,                                                         \
        "The congestion control of a QP that sends through the port has set another rate (bit/s)") \
    ROW(RATE,                                                                                      \
        QpWindow,                                                                                  \
        m_qpWindow,                                                                                \
        WeftFabric::QpValueTracedCallback,                                                         \
        "The congestion control of a QP has set another window (bytes)",                           \
        WeftFabric::QpValueTracedCallback,                                                         \
        "The congestion control of a QP that sends through the port has set another window "       \
        "(bytes)")                                                                                 \
    ROW(RATE,                                                                                      \
        CcValue,                                                                                   \
        m_ccValue,                                                                                 \
        WeftFabric::CcValueTracedCallback,                                                         \
        "A value that a congestion control lets observe has changed",                              \
        WeftFabric::CcValueTracedCallback,                                                         \
        "A value that the congestion control of a QP that sends through the port lets observe "    \
        "has changed")

/** Trace sources that only WeftNetDevice has: ROW(kind, name, member, type of its sinks, help) */
#define WEFT_PORT_TRACES(ROW)                                                                      \
    ROW(SENT,                                                                                      \
        PacketSent,                                                                                \
        m_packetSent,                                                                              \
        WeftNetDevice::PacketTracedCallback,                                                       \
        "The port began to send a packet")                                                         \
    ROW(RECEIVED,                                                                                  \
        PacketReceived,                                                                            \
        m_packetReceived,                                                                          \
        WeftNetDevice::PacketTracedCallback,                                                       \
        "A packet came in through the port, completely")                                           \
    ROW(QUEUED,                                                                                    \
        PacketQueued,                                                                              \
        m_packetQueued,                                                                            \
        WeftNetDevice::PacketTracedCallback,                                                       \
        "A packet entered the egress queue of the port (switches and hosts that forward)")         \
    ROW(SNIFF,                                                                                     \
        Sniffer,                                                                                   \
        m_sniffer,                                                                                 \
        Packet::TracedCallback,                                                                    \
        "A frame that the port began to send, or that came in through it completely, from its "    \
        "Ethernet header on and without FCS: RoCE, PFC and packets of the IP stack")               \
    ROW(SNIFF,                                                                                     \
        PromiscSniffer,                                                                            \
        m_promiscSniffer,                                                                          \
        Packet::TracedCallback,                                                                    \
        "The same as Sniffer: a link has two ends, and all that is on it is for one of them")

/** Trace sources of WeftNetDevice for packets of the IP stack: ROW(name, member, help) */
#define WEFT_STACK_TRACES(ROW)                                                                     \
    ROW(MacTx, m_macTx, "A packet of the IP stack was queued at the NIC")                          \
    ROW(MacTxDrop,                                                                                 \
        m_macTxDrop,                                                                               \
        "A packet of the IP stack was dropped before it was queued: the queue is full, or "        \
        "no host has its destination")                                                             \
    ROW(PhyTxBegin, m_phyTxBegin, "A packet of the IP stack left the queue of the NIC")            \
    ROW(PhyRxEnd, m_phyRxEnd, "A packet of the IP stack arrived at the host")                      \
    ROW(PhyRxDrop,                                                                                 \
        m_phyRxDrop,                                                                               \
        "A packet of the IP stack was lost to an error on the link, on its way to this "           \
        "port (of a host or a switch)")                                                            \
    ROW(MacPromiscRx, m_macPromiscRx, "A packet of the IP stack arrived at the host")              \
    ROW(MacRx, m_macRx, "A packet of the IP stack arrived at the host")                            \
    ROW(MacRxDrop,                                                                                 \
        m_macRxDrop,                                                                               \
        "A packet of the IP stack that came in through the port was dropped: the switch "          \
        "has no buffer for it, or no protocol of the host takes it")

#endif /* WEFT_TRACE_TABLE_H */
