/* SPDX-License-Identifier: GPL-2.0-only */
/* Transports by traffic class; see profile.h. */
#include "profile.h"
#include "core/context.h"
#include "qp.h"
#include "recovery.h"

#include <inttypes.h>

uint32_t profile_count(const struct weft_engine_params *p)
{
    return p->uet.prios ? PROFILES : 1;
}

uint32_t profile_of_prio(const struct weft_engine_params *p, uint32_t prio)
{
    return prio < WEFT_PRIOS && p->uet.prios >> prio & 1 ? PROFILE_UET : PROFILE_RUN;
}

struct weft_transport_params profile_transport(const struct weft_engine_params *p, uint32_t which)
{
    const struct weft_transport_params *own = &p->uet.t;
    struct weft_transport_params t = p->transport;
    if (which == PROFILE_RUN)
        return t;
    t.ack_prio = own->ack_prio;
    t.ack_every = 1;
    t.ack_every_bytes = own->ack_every_bytes;
    t.nack_interval_ps = own->nack_interval_ps;
    t.rto_ps = own->rto_ps;
    t.retry_max = own->retry_max;
    t.rto_backoff_max = own->rto_backoff_max;
    t.header_bytes = own->header_bytes;
    t.ack_bytes = own->ack_bytes;
    t.nack_bytes = own->nack_bytes;
    t.probe_bytes = own->probe_bytes;
    t.pad_bytes = own->pad_bytes;
    t.base_rtt_ps = own->base_rtt_ps;
    t.bdp_bytes = 0;
    t.recovery = own->recovery;
    t.reorder_packets = own->reorder_packets;
    t.uet = true;
    return t;
}

uint64_t profile_longest_header(const struct weft_engine_params *p)
{
    const uint64_t run = p->transport.header_bytes, uet = p->uet.t.header_bytes;
    return p->uet.prios && uet > run ? uet : run;
}

uint64_t profile_answer_prios(const struct weft_engine_params *p, bool cnps)
{
    return UINT64_C(1) << p->transport.ack_prio |
           (p->uet.prios ? UINT64_C(1) << p->uet.t.ack_prio : 0) |
           (cnps ? UINT64_C(1) << p->transport.cnp_prio : 0);
}

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
