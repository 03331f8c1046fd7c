/* SPDX-License-Identifier: GPL-2.0-only */
/* Transports by traffic class; see profile.h. */
#include "profile.h"
#include "core/control_config.h"
#include "core/context.h"
#include "recovery.h"

#include <inttypes.h>

int profile_check(const struct weft_engine_params *p, struct weft_err *err)
{
    for (uint32_t i = 0; i < profile_count(p); i++) {
        const int which = i == PROFILE_UET ? p->uet.t.recovery : p->transport.recovery;
        const char *section = i == PROFILE_UET ? "uet" : "transport";
        if (!recovery_of(which))
            return weft_err_set(err, WEFT_E_INPUT,
                                "%s.recovery is number %d; see enum weft_recovery", section, which);
        const int rc = recovery_check(recovery_of(which), err);
        if (rc)
            return rc;
    }
    if (!p->uet.prios)
        return 0;
    if (p->transport.ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause holds for all priorities of a NIC, those "
                            "of uet.prios too; unset one of them");
    return 0;
}

void profile_init(struct weft_engine *e)
{
    struct rc *rc = &e->rc;
    for (uint32_t k = 0; k <= WEFT_PRIOS; k++)
        rc->of_prio[k] = (uint8_t)profile_of_prio(&e->p, k);
    for (uint32_t i = 0; i < PROFILES; i++) {
        struct profile *f = &rc->profile[i];
        f->t = profile_transport(&e->p, i < profile_count(&e->p) ? i : PROFILE_RUN);
        f->recovery = recovery_of(f->t.recovery);
        f->low_rto = f->recovery->low_rto;
        f->by_bytes = f->recovery->counts && f->t.ack_every_bytes;
        f->sparse = f->by_bytes || f->t.ack_every > 1;
        f->ack_after = (uint32_t)(f->by_bytes ? f->t.ack_every_bytes : f->t.ack_every);
        rc->low_rto |= f->low_rto;
        rc->by_bytes |= f->by_bytes;
        rc->sparse |= f->sparse;
    }
}
