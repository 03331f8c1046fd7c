/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PINT: the switch's running utilisation and the code that carries it (Ben Basat et al., "PINT:
 * Probabilistic In-band Network Telemetry", SIGCOMM 2020; layout as in the HPCC simulator).
 *
 * A port keeps u and updates it when a data packet leaves, with T an averaging time, B the port's
 * rate, q its queue, dt <= T the time since its last packet and s that packet's size:
 *
 *   u = dt q / (B T^2) + s / (B T) + (T - dt) u / T.
 *
 * The packet carries the largest code of its path, code = log_base max(1, ceil(512 u)), rounded up
 * or down at random so that the decoded value base^code / 512 is right on average. Codes stop at
 * u = 512; base 1.05 needs 8 bits, 1.01 needs 11.
 *
 * The HPCC simulator evaluates products and quotients of u by tables of logarithms with random
 * rounding, as a switch would, and counts queues in units of 256 bytes: weft_pint_update_tables.
 * weft_pint_update is plain double; only the code is rounded. A guess by libm's log is corrected
 * with exact comparisons of powers, so that the code does not depend on libm's last bit.
 */
#ifndef WEFT_CC_PINT_CODE_H
#define WEFT_CC_PINT_CODE_H

#include "base/linkage.h"
#include "base/ns3_rng.h"

#include <stdint.h>

WEFT_C_BEGIN

/** The code for utilisation @p u; @p uniform01 in [0, 1) decides the rounding. log_base > 1. */
uint16_t weft_pint_encode(double u, double log_base, double uniform01);
/** The utilisation that @p code stands for. */
double weft_pint_decode(uint16_t code, double log_base);
/**
 * The port's utilisation now. @p dt_ps: since its last packet, of @p last_size_bytes on the wire,
 * began to leave; @p t_ps: averaging time T > 0; @p qlen_bytes: its egress queue, without the
 * packet that leaves now.
 */
double weft_pint_update(double u_prev, int64_t dt_ps, int64_t t_ps, uint64_t qlen_bytes,
                        uint32_t last_size_bytes, uint64_t rate_bps);
/**
 * The same as a switch with tables of logarithms computes it, in whole nanoseconds. A logarithm
 * takes the 16 leading bits of its argument, the last rounded at random by @p draws, and keeps 15
 * bits behind the point; u is looked up as u x 8192 and the queue as its 256-byte units.
 */
double weft_pint_update_tables(double u_prev, int64_t dt_ns, int64_t t_ns, uint64_t qlen_bytes,
                               uint32_t last_size_bytes, uint64_t rate_bps,
                               struct weft_libc_rand *draws);

WEFT_C_END
#endif
