/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffer, scheduling and marking parameters of each priority: the common ones of sections
 * switch and ecn, with the entries of the *-map parameters ("PRIO:VALUE,PRIO:VALUE") in their
 * place.
 */
#ifndef WEFT_ENGINE_PRIO_PARAMS_H
#define WEFT_ENGINE_PRIO_PARAMS_H

#include "engine.h"

#include "base/int128.h"

#include <stdbool.h>

#define EGRESS_LIMIT_MAX (UINT64_C(1) << 31) /**< queues are counted in 32 bits */

/** Parameters of one priority. */
struct prio_params {
    struct weft_switch_params sw; /**< alpha, limit, egress-alpha and egress-limit are its own */
    struct weft_ecn_params ecn;   /**< kmin, kmax and pmax are its own; rate_map "" when so given */
    uint64_t weight;              /**< of deficit round robin */
    bool marked;                  /**< false: packets are never marked */
    bool egress_given;            /**< an egress map names the priority */
    bool lossless;
};

/** Reads the maps. WEFT_E_INPUT names the parameter and the entry: malformed, out of range, given
 * twice, or without effect. */
int prio_params_read(const struct weft_engine_params *p, struct prio_params out[WEFT_PRIOS],
                     struct weft_err *err);

/** egress-threshold=static: the longest queue of a port of @p rate_bps. */
static inline uint64_t egress_limit_bytes(const struct weft_switch_params *sw, uint64_t rate_bps)
{
    const uint64_t at = sw->egress_scale_rate_bps;
    const weft_u128 n = at ? (weft_u128)sw->egress_limit_bytes * rate_bps / at : 0;
    return !at ? sw->egress_limit_bytes : n < EGRESS_LIMIT_MAX ? (uint64_t)n : EGRESS_LIMIT_MAX;
}

/** Bit mask of the lossless priorities. */
static inline uint8_t prios_lossless(const struct weft_engine_params *p)
{
    return p->pfc.enabled ? (uint8_t)p->pfc.prios : 0;
}

#endif
