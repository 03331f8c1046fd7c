/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an HPCC configuration to weft's settings: a list of overrides "section.parameter=value".
 *
 * Always: payload size, buffer, stop time, congestion control (in its mode=hpcc) with its
 * parameters, ECN thresholds, GLOBAL_T's base RTT and BDP. With compat, also everything in
 * compat.def: wire sizes, rounding, ACKs, buffer constants, hash.
 *
 * A value that weft can't honour and that would change the result is an error; a key without any
 * effect is a warning.
 */
#ifndef WEFT_HPCC_PROFILE_H
#define WEFT_HPCC_PROFILE_H

#include "foreign/hpcc/config.h"
#include "foreign/hpcc/pairs.h"

WEFT_C_BEGIN

/** What a configuration amounts to. */
struct weft_hpcc_profile {
    struct weft_arena *arena; /**< owns everything */
    const char **sets;        /**< overrides for weft_scenario_load */
    size_t nsets;
    const char **warnings;
    size_t nwarnings;
};

/** What it is made from. The flows must have passed weft_hpcc_flows_check. */
struct weft_hpcc_profile_input {
    const struct weft_hpcc_config *config;
    const char *topology_path; /**< where TOPOLOGY_FILE was found */
    const struct weft_fabric *fabric;
    const struct weft_hpcc_flows *flows;
    const struct weft_hpcc_pairs *pairs;
    bool compat;
    const char *control; /**< a congestion control of weft's, with its own defaults, in place of
                              CC_MODE; NULL: CC_MODE decides */
    bool other_traffic;  /**< flows are another's, and the simulator's files are not written */
};

/** Translates. NULL on failure, *err says why. */
struct weft_hpcc_profile *weft_hpcc_profile_new(const struct weft_hpcc_profile_input *in,
                                                struct weft_err *err);
void weft_hpcc_profile_free(struct weft_hpcc_profile *p);

/** One row of compat.def. */
struct weft_hpcc_compat {
    const char *key, *value, *why;
};
/** All rows; *n receives their number. */
const struct weft_hpcc_compat *weft_hpcc_compat_table(size_t *n);

WEFT_C_END
#endif
