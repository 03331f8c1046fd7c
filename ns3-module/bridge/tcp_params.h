/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters that choose and configure TCP: transport.type, transport.variant and section tcp.
 */
#ifndef WEFT_TCP_PARAMS_H
#define WEFT_TCP_PARAMS_H

#include "ns3-module/engine/engine.h"

#include <cstdint>

/** What carries messages. */
enum TransportType
{
    TRANSPORT_ROCE,
    TRANSPORT_TCP
};

/** Section transport: that of the engine, and the choice of the transport. */
struct TransportParams
{
    weft_transport_params roce; //!< The engine's.
    int type;                   //!< enum TransportType.
    int variant;                //!< Number of the TCP variant.
};

/** Section tcp. */
struct TcpParams
{
    uint64_t prios;              //!< Bit mask: with RoCE, the priorities whose messages go by TCP.
    uint64_t prio;               //!< Of messages that ask for none.
    uint64_t connections;        //!< Per pair of hosts.
    uint64_t mtuBytes;           //!< Largest IP packet.
    uint64_t initialWindow;      //!< Segments.
    int64_t minRtoPs;            //!< Least retransmission timeout.
    int64_t connectTimeoutPs;    //!< Until a SYN is repeated.
    int64_t delayedAckPs;        //!< Longest wait of an ACK; 0: see TcpDelayedAckPs.
    uint64_t ackEvery;           //!< Segments per ACK.
    uint64_t sendBufferBytes;    //!< Of a socket.
    uint64_t receiveBufferBytes; //!< Of a socket.
    uint64_t retries;            //!< Timeouts in a row after which a connection fails.
    int ecn;                     //!< NewReno and CUBIC ask for marks.
};

/** Ethernet header and FCS around an IP packet. */
constexpr uint32_t TCP_FRAME_OVERHEAD_BYTES = 18;
/** IPv4 and TCP headers of a segment with data; there are no options. */
constexpr uint32_t TCP_HEADER_BYTES = 40;

/**
 * @return the table of section transport, over TransportParams
 */
weft_param_table TransportParamTable();
/**
 * @return the table of section tcp, over TcpParams
 */
weft_param_table TcpParamTable();
/**
 * @param variant a number of TransportParams::variant
 * @return the name of a TypeId
 */
const char* TcpVariantTypeId(int variant);
/**
 * @param tcp section tcp
 * @return the longest time that an ACK waits for the next segment
 */
int64_t TcpDelayedAckPs(const TcpParams& tcp);
/**
 * Whether transport and TCP parameters go together with each other and with the engine's.
 * @param transport section transport
 * @param tcp section tcp
 * @param pfc section pfc
 * @param fabric the fabric
 * @param [out] err filled when not
 * @return 0 or a WEFT_E_* code
 */
int TcpCheckParams(const TransportParams& transport,
                   const TcpParams& tcp,
                   const weft_pfc_params& pfc,
                   const weft_fabric* fabric,
                   weft_err* err);

#endif /* WEFT_TCP_PARAMS_H */
