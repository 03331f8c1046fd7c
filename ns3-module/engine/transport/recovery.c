/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of loss recoveries, made from recoveries.def: see recovery.h. */
#include "recovery.h"
#include "engine.h"

const struct recovery *recovery_of(int which)
{
#define RECOVERY(number, symbol, word) &recovery_##symbol,
    static const struct recovery *const table[] = {
#include "recoveries.def"
    };
#undef RECOVERY
    return (unsigned)which < WEFT_RECOVERIES ? table[which] : NULL;
}

int recovery_check(const struct recovery *r, struct weft_err *err)
{
    const char *missing = !r->gap                                    ? "gap"
                          : !r->acked                                ? "acked"
                          : !r->timeout                              ? "timeout"
                          : r->counts && !(r->flight && r->received) ? "flight"
                                                                     : NULL;
    if (!missing)
        return 0;
    return weft_err_set(err, WEFT_E_INTERNAL, "the loss recovery '%s' has no function '%s'",
                        r->name, missing);
}
