/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether all processes play the same: each has read scenario and workload by itself, maybe on
 * another machine. What they have in common is hashed, the fabric and the messages posted, and
 * compared whenever they exchange.
 */
#include "core/context.h"
#include "peers.h"

#include "base/hash.h"

/* Adds @p n numbers to what was hashed before. */
static uint64_t add(uint64_t before, const uint64_t *number, size_t n)
{
    const uint64_t both[2] = {before, weft_hash64(number, n * sizeof *number)};
    return weft_hash64(both, sizeof both);
}

uint64_t peers_same_fabric(const struct weft_fabric *f)
{
    uint64_t hash = add(0, (const uint64_t[]){f->nnodes, f->nhosts, f->nlinks}, 3);
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        hash = add(hash, (const uint64_t[]){l->a, l->b, l->rate_bps, (uint64_t)l->delay_ps}, 4);
    }
    return hash;
}

void peers_same_post(struct weft_engine *e, const struct weft_msg *m)
{
    e->peers->same = add(
        e->peers->same, (const uint64_t[]){(uint64_t)e->now, m->src, m->dst, m->bytes, m->prio}, 5);
}

bool peers_same(struct weft_engine *e, unsigned k, const struct peers_head *h)
{
    struct peers *p = e->peers;
    if (h->same == p->same || p->link.user || h->code || e->err.code)
        return true;
    p->failed =
        engine_fail(e, WEFT_E_INPUT,
                    "processes %u and %u have different fabrics or messages: all have to read "
                    "the same files, also on other machines",
                    k < p->link.me ? k : p->link.me, k < p->link.me ? p->link.me : k) != 0;
    return false;
}
