/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marking curve that a congestion control is tuned for.
 */
#ifndef WEFT_CC_MARKING_H
#define WEFT_CC_MARKING_H

#include "base/linkage.h"

WEFT_C_BEGIN

/** The RED curve that an algorithm is tuned for: what ecn.kmin, ecn.kmax and ecn.pmax are unless
 * given. */
struct weft_cc_marking {
    const char *kmin;   /**< as text with unit, at a port of ecn.scale-rate (25 Gbps) */
    const char *kmax;   /**< the same; equal to kmin: one threshold, a step */
    const char *pmax;   /**< marking probability at kmax */
    const char *source; /**< paper, script */
};

/** The text of "kmin", "kmax" or "pmax"; NULL: neither. */
const char *weft_cc_marking_text(const struct weft_cc_marking *m, const char *name);

WEFT_C_END
#endif
