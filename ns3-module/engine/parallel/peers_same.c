/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether all processes play the same: each has read scenario and workload by itself, maybe on
 * another machine. What they have in common is hashed, the fabric and the messages posted, and
 * compared whenever they exchange. Equal parts lie once on each machine.
 */
#include "core/context.h"
#include "core/fail.h"
#include "peers.h"

#include "base/hash.h"

/* Adds @p n numbers to what was hashed before. */
static uint64_t same_hash(uint64_t before, const uint64_t *number, size_t n)
{
    const uint64_t both[2] = {before, weft_hash64(number, n * sizeof *number)};
    return weft_hash64(both, sizeof both);
}

uint64_t peers_same_fabric(const struct weft_fabric *f)
{
    uint64_t hash = same_hash(0, (const uint64_t[]){f->nnodes, f->nhosts, f->nlinks}, 3);
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        hash =
            same_hash(hash, (const uint64_t[]){l->a, l->b, l->rate_bps, (uint64_t)l->delay_ps}, 4);
    }
    return hash;
}

void peers_same_post(struct weft_engine *e, const struct weft_msg *m)
{
    e->peers->same = same_hash(
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

/* ---- once on each machine ---- */

void peers_share(struct weft_engine *e)
{
    const struct weft_peers *link = &e->peers->link;
    struct weft_err err = {0};
    if (weft_fabric_share(e->fabric, link, &err) ||
        weft_routes_share(e->routing.routes, link, &err))
        e->peers->failed = engine_fail(e, err.code, "%s", err.msg) != 0;
}

void peers_unread(const struct weft_engine *e)
{
    weft_fabric_unread(e->fabric);
    weft_routes_unread(e->routing.routes);
}
