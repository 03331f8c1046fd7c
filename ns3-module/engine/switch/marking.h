/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marking curve of a port: section ecn, with what the congestion control is tuned for in place
 * of what nobody gave.
 *
 * A default curve is never above what the buffer lets a queue reach: its Kmin is at most half of
 * what one ingress port may hold before XOFF, or before its packets are dropped, so that marks come
 * before pauses (DCQCN, SIGCOMM 2015, section 4), and Kmax shrinks with it. Thresholds that
 * somebody gave stay.
 */
#ifndef WEFT_ENGINE_MARKING_H
#define WEFT_ENGINE_MARKING_H

#include "core/port.h"
#include "prio_params.h"
#include "congestion/cc_marking.h"

/** Inputs of a default curve. */
struct marking_basis {
    const struct weft_cc_marking *tuned; /**< of the control whose packets the port marks */
    /** the pool that the priority's packets share at the switch; 0: no switch */
    uint64_t shared_bytes;
};

/** The curve of a port of @p rate_bps. WEFT_E_INPUT: ecn.rate-map is malformed, or has no such
 * rate. */
int marking_of(const struct prio_params *p, uint64_t rate_bps, const struct marking_basis *basis,
               struct marking *out, struct weft_err *err);
/** Changes a curve in proportion to the rate of its port, which was @p from_bps. */
void marking_scale(struct marking *curve, uint64_t rate_bps, uint64_t from_bps);
/** Whether ecn.rate-map has every rate of the fabric, if it is used. */
int marking_check_rate_map(const struct weft_fabric *f, const struct prio_params prios[WEFT_PRIOS],
                           struct weft_err *err);
/** Share that one ingress port may take of @p shared_bytes while it is the only one and sends to a
 * port of @p rate_bps, before XOFF or drops. */
uint64_t marking_one_ingress_bytes(const struct prio_params *p, uint64_t shared_bytes,
                                   uint64_t rate_bps);
/** The curve that ports of dimension @p dim have by default: what its control is tuned for, or the
 * first of @p ops, the controls of @p ndims dimensions, that listens to marks; with @p dctcp,
 * DCTCP's step. */
const struct weft_cc_marking *marking_tuned(const struct weft_cc_ops *const *ops, uint32_t ndims,
                                            uint32_t dim, bool dctcp);

#endif
