/* SPDX-License-Identifier: GPL-2.0-only */
/* The hash table of p2p.h. */
#include "system/p2p.h"

#include <stdlib.h>

struct weft_p2p *weft_p2p_find(const struct weft_npu *npu, uint32_t peer, uint64_t tag)
{
    struct weft_p2p probe, *e;
    memset(&probe, 0, sizeof probe);
    probe.key.tag = tag;
    probe.key.peer = peer;
    HASH_FIND(hh, npu->p2p, &probe.key, sizeof probe.key, e);
    return e;
}

struct weft_p2p *weft_p2p_entry(struct weft_npu *npu, uint32_t peer, uint64_t tag)
{
    struct weft_p2p *e = weft_p2p_find(npu, peer, tag);
    if (e)
        return e;
    e = calloc(1, sizeof *e);
    if (e) {
        e->key.tag = tag;
        e->key.peer = peer;
        HASH_ADD(hh, npu->p2p, key, sizeof e->key, e);
        if (!e->failed)
            return e;
        free(e);
    }
    weft_npu_no_memory(npu, "messages");
    return NULL;
}

void weft_p2p_tidy(struct weft_npu *npu, struct weft_p2p *e)
{
    if (!e->head && !e->waiting.head && !e->controls && !e->wanting && !e->prog) {
        HASH_DEL(npu->p2p, e);
        free(e);
    }
}

void weft_p2p_free(struct weft_npu *npu)
{
    struct weft_p2p *e, *tmp;
    HASH_ITER(hh, npu->p2p, e, tmp)
    {
        for (struct weft_arrival *m = e->head, *next; m; m = next) {
            next = m->next;
            free(m);
        }
        HASH_DEL(npu->p2p, e);
        free(e);
    }
}
