/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All congestion controls, by name, and what one needs under its parameters.
 */
#ifndef WEFT_CC_TABLE_H
#define WEFT_CC_TABLE_H

#include "cc.h"

WEFT_C_BEGIN

/** Whether an algorithm has every hook and table that is required, and those that go together;
 * WEFT_E_INTERNAL names the first that is missing. */
int weft_cc_check_ops(const struct weft_cc_ops *ops, struct weft_err *err);

/** All algorithms, in the order of cc_table.def; *n receives their number. */
const struct weft_cc_ops *const *weft_cc_table(size_t *n);
/** The first algorithm with a preset called @p name; NULL: none has. */
const struct weft_cc_ops *weft_cc_preset_owner(const char *name);
/** What @p ops needs under @p params: bits of enum weft_cc_needs. */
unsigned weft_cc_needs(const struct weft_cc_ops *ops, const void *params);
/** Bytes of state at first, where the path has @p hops switches (0: unknown) and signals are
 * @p signals. */
size_t weft_cc_state_bytes(const struct weft_cc_ops *ops, const struct weft_cc_signals *signals,
                           uint32_t hops);
/** Longest text of weft_cc_signal_names. */
#define WEFT_CC_SIGNALS_TEXT_MAX 96
/** The same as words: "ecn, cnp, cnp-packet"; "none". cnp-packet: CNPs are packets of their own.
 * Returns @p buf. */
const char *weft_cc_signal_names(const struct weft_cc_ops *ops, const void *params, char *buf,
                                 size_t size);
/** The algorithm called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_cc_ops *weft_cc_find(const char *name, struct weft_err *err);

/** Adds a struct weft_cc_ops that was loaded at run time (base/plugin.h), before any network is
 * made. */
int weft_cc_add(const void *ops, struct weft_err *err);

WEFT_C_END
#endif
