/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What switches put into data packets for congestion controls: INT stamps, the code of PINT.
 */
#ifndef WEFT_CC_SWITCH_H
#define WEFT_CC_SWITCH_H

#include <stddef.h>
#include <stdint.h>

/** What one switch egress port stamps on a data packet when it leaves (NEEDS_INT). */
struct weft_cc_hop {
    int64_t ts_ps;       /**< time of departure: start of serialisation */
    uint64_t tx_bytes;   /**< wire bytes sent by this port before this packet */
    uint64_t qlen_bytes; /**< egress occupancy of the port, all priorities, without this packet */
    uint64_t rate_bps;   /**< rate of the port */
};
/** Most hops that an INT stack records; a longer path drops the later ones. */
#define WEFT_CC_MAX_HOPS 16

/** Stamps that a state has room for at first, where the path has @p hops switches; 0: unknown. */
static inline uint32_t weft_cc_stamps(uint32_t hops)
{
    return hops && hops < WEFT_CC_MAX_HOPS ? hops : WEFT_CC_MAX_HOPS;
}

/** What an algorithm's signals cost and how switches make them. */
struct weft_cc_signals {
    uint32_t data_bytes; /**< bytes that the signal adds to each data packet */
    uint32_t ack_bytes;  /**< bytes that the echo adds to each ACK and NACK */
    double pint_base;    /**< NEEDS_PINT: base of the logarithmic code, > 1 */
    int pint_tables; /**< NEEDS_PINT: the switches' arithmetic is weft_pint_update_tables, and ACKs
                        carry a draw */
    int64_t pint_t_ps;     /**< NEEDS_PINT: averaging time T of the switches' utilisation; 0: the
                              fabric's largest base RTT */
    uint32_t pint_packets; /**< NEEDS_PINT: T is at least as long as so many full packets take at
                              the port's rate; 0: any */
    /** The state ends with an array of WEFT_CC_MAX_HOPS, of @c hop_bytes each, behind
     * @c head_bytes. At first it has only weft_cc_stamps(env->hops) of these, which `init` writes;
     * before an ACK brings more stamps, the others come, with zeros. head_bytes = 0: it has all. */
    size_t head_bytes, hop_bytes;
};

#endif
