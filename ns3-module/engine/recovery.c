/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of loss recoveries: see recovery.h. */
#include "recovery.h"
#include "engine.h"

const struct recovery *recovery_of(int which)
{
    static const struct recovery *const table[WEFT_RECOVERIES] = {
        [WEFT_RECOVERY_GO_BACK_N] = &recovery_go_back_n,
        [WEFT_RECOVERY_GO_BACK_0] = &recovery_go_back_0,
        [WEFT_RECOVERY_SELECTIVE_REPEAT] = &recovery_selective_repeat,
        [WEFT_RECOVERY_OUT_OF_ORDER] = &recovery_out_of_order};
    return (unsigned)which < WEFT_RECOVERIES ? table[which] : NULL;
}
