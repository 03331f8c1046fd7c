/* SPDX-License-Identifier: GPL-2.0-only */
/* Random sequences of hooks of a congestion control. */
#ifndef WEFT_PLUGINS_TRY_CC_H
#define WEFT_PLUGINS_TRY_CC_H

#include "congestion/cc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether its hooks stay in bounds, write all of their output and only their own state, and do the
 * same for the same input. WEFT_E_OUTCOME. */
int weft_try_cc_hooks(const struct weft_cc_ops *o, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
