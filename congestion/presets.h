/* SPDX-License-Identifier: GPL-2.0-only */
/* The presets of the algorithms that have some; see base/preset.h. */
#ifndef WEFT_CC_PRESETS_H
#define WEFT_CC_PRESETS_H

#include "congestion/cc.h"

WEFT_C_BEGIN

extern const struct weft_preset weft_dcqcn_presets[];
extern const struct weft_preset weft_hpcc_presets[];
extern const struct weft_preset weft_hpcc_pint_presets[];
extern const struct weft_preset weft_timely_presets[];
extern const struct weft_preset weft_dctcp_presets[];
extern const struct weft_preset weft_rccc_presets[];
extern const struct weft_preset weft_smartt_presets[];
extern const struct weft_preset weft_mprdma_presets[];

WEFT_C_END
#endif
