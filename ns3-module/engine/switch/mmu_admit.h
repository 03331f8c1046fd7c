/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets into the shared buffer and out of it, as most do: within what is reserved for them. */
#ifndef WEFT_ENGINE_MMU_ADMIT_H
#define WEFT_ENGINE_MMU_ADMIT_H

#include "core/context.h"
#include "mmu.h"
#include "mmu_admit.h"

/** Admits a packet from ingress @p in to egress @p out, or says why not (WEFT_DROP_REASONS:
 * admitted). Sends XOFF when due. */
static inline enum weft_drop_reason mmu_admit(struct weft_engine *e, const struct pkt *k,
                                              uint32_t in, uint32_t out)
{
    struct port *p = port_at(e, in);
    const uint32_t prio = came_in(k);
    const uint64_t bytes = (uint64_t)p->lane[prio].in_bytes + k->frame;
    if (__builtin_expect(bytes > e->p.sw.reserve_bytes, 0) ||
        __builtin_expect(p->lane[prio].in_hdrm | e->mmu.slow, 0))
        return mmu_admit_shared(e, k, in, out);
    p->lane[prio].in_bytes = (uint32_t)bytes;
    return WEFT_DROP_REASONS;
}

/** Releases a packet that leaves the switch through @p out. Sends XON when due. @p lazy: the port
 * is, so no port of the switch pauses anyone. */
static inline void mmu_release(struct weft_engine *e, const struct pkt *k, uint32_t out, bool lazy)
{
    struct port *p = port_at(e, k->in_port);
    const uint32_t prio = came_in(k);
    if (__builtin_expect(p->lane[prio].in_bytes > e->p.sw.reserve_bytes, 0) ||
        __builtin_expect(p->lane[prio].in_hdrm | e->mmu.slow, 0) ||
        (!lazy && __builtin_expect(p->xoff_sent >> prio & 1, 0)))
        mmu_release_shared(e, k, out);
    else
        p->lane[prio].in_bytes -= k->frame;
}

/** Whether a packet from ingress @p in may come and go in an instant without a trace in the buffer.
 */
static inline bool mmu_passes(const struct weft_engine *e, const struct pkt *k, uint32_t in)
{
    const struct lane *l = &port_at(e, in)->lane[came_in(k)];
    return (uint64_t)l->in_bytes + k->frame <= e->p.sw.reserve_bytes && !(l->in_hdrm | e->mmu.slow);
}

#endif
