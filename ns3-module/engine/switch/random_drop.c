/* SPDX-License-Identifier: GPL-2.0-only */
/* The coin of a full queue; see random_drop.h. */
#include "random_drop.h"
#include "core/context.h"
#include "mmu.h"

#include "base/rng.h"

#include <stdlib.h>

int random_drop_init(struct weft_engine *e, struct weft_err *err)
{
    if (e->p.sw.overflow != WEFT_OVERFLOW_TOSS)
        return 0;
    e->drop_rngs = calloc(e->fabric->nports, sizeof *e->drop_rngs);
    if (!e->drop_rngs)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", e->fabric->nports);
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        e->drop_rngs[i] = weft_rng_stream(e->seed, "overflow", i);
    return 0;
}

/* Packets that any switch may lose: data that is neither cut already nor bound for an upper
 * channel. */
static bool may_go(const struct pkt *k)
{
    return k->kind == WEFT_PKT_DATA && !(k->flags & (PKT_TRIM | PKT_CHANNEL | PKT_UPPER));
}

bool random_drop_last(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out)
{
    const struct lane *l = &e->ports[out].lane[k->prio];
    if (!may_go(k) || l->q.head == NIL)
        return false;
    const struct pkt *last = pkt_at(e, l->q.tail);
    return may_go(last) && last->in_port != NIL && mmu_queue_full(e, k, in, out) &&
           weft_rng_u64(&e->drop_rngs[out]) >> 63;
}
