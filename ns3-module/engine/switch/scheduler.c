/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler of a port: which priority it serves. The weights are quanta, bytes per turn
 * (prio_params.c reads them). The strict priorities come first, highest first; then surplus round
 * robin over the rest: a priority keeps its turn while its deficit is positive and may overdraw it
 * by one packet (Adiseshu, Parulkar, Varghese: "A reliable and scalable striping protocol", SIGCOMM
 * 1996), which shares the link as deficit round robin does without knowing the next packet's size.
 */
#include "switch.h"
#include "core/context.h"

uint32_t scheduler_pick(const struct weft_engine *e, struct port *p, uint32_t eligible)
{
    uint32_t strict = eligible & (uint32_t)e->p.sw.strict_prios;
    if (strict)
        return 31u - (uint32_t)__builtin_clz(strict);
    if (e->p.sw.scheduler == WEFT_SCHED_PACKET_RR) {
        uint32_t after =
            eligible & ~((2u << p->drr) - 1); /* priorities above the one served last */
        p->drr = (uint8_t)__builtin_ctz(after ? after : eligible);
        return p->drr;
    }
    if ((eligible & 1u << p->drr) && p->lane[p->drr].deficit > 0)
        return p->drr;
    for (uint32_t k = (p->drr + 1u) % WEFT_PRIOS;; k = (k + 1) % WEFT_PRIOS) {
        if (!(eligible & 1u << k)) {
            p->lane[k].deficit = 0;
            continue;
        }
        p->lane[k].deficit += e->mmu.quantum[k];
        if (p->lane[k].deficit > 0) {
            p->drr = (uint8_t)k;
            return k;
        }
    }
}
