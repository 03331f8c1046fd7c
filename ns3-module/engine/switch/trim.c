/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet trimming; see trim.h. */
#include "trim.h"
#include "balance/path_balancer.h"
#include "core/context.h"
#include "mmu_admit.h"
#include "prio_params.h"

int trim_check_config(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_switch_params *sw = &c->params.sw;
    const uint32_t lossless = prios_lossless(&c->params);
    if (!sw->trim_prios)
        return 0;
    if (sw->trim_prios & lossless)
        return weft_err_set(err, WEFT_E_INPUT,
                            "switch.trim-prios names priority %d, which PFC makes lossless "
                            "(pfc.prios): nothing of it is trimmed. Set pfc.enabled=false, or "
                            "other priorities",
                            __builtin_ctz((uint32_t)sw->trim_prios & lossless));
    if (lossless >> sw->trim_prio & 1)
        return weft_err_set(err, WEFT_E_INPUT,
                            "switch.trim-prio is %u, which PFC makes lossless (pfc.prios); "
                            "trimmed packets need a lossy priority",
                            (unsigned)sw->trim_prio);
    return 0;
}

bool trim_reported(const struct weft_engine *e, uint32_t prio)
{
    return e->p.sw.trim_prios >> prio & 1 && e->rc.profile[e->rc.of_prio[prio]].recovery->trimmed;
}

enum weft_drop_reason trim_admit(struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out,
                                 enum weft_drop_reason why)
{
    const uint32_t never = PKT_TRIM | PKT_CHANNEL | PKT_UPPER;
    if (why != WEFT_DROP_BUFFER || k->kind != WEFT_PKT_DATA || k->flags & never ||
        !(e->p.sw.trim_prios >> k->prio & 1))
        return why;
    struct port *p = &e->ports[out];
    p->dropped_payload += k->payload;
    k->payload = 0;
    k->train.wire = 0;
    if (k->frame > e->p.sw.trim_bytes)
        k->frame = (uint16_t)e->p.sw.trim_bytes;
    k->flags |= path_ends(e, k, out) ? PKT_TRIM | PKT_NEAR_CUT : PKT_TRIM;
    k->prio = (uint8_t)e->p.sw.trim_prio;
    p->st.trims++;
    e->tot.trims++;
    return mmu_admit(e, k, in, out);
}
