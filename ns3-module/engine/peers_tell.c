/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be told of messages: peers.h. */
#include "context.h"
#include "peers.h"
#include "room.h"

#include <string.h>

void peers_tells(const struct weft_engine *e, int64_t t_ps, uint64_t id, uint32_t cluster)
{
    e->peers->at = (struct ev){t_ps, id};
    e->peers->cluster = cluster;
    e->peers->expected = true;
}

bool peers_told_nothing(const struct weft_engine *e)
{
    const bool nothing = e->peers->expected;
    e->peers->expected = false;
    return nothing;
}

bool peers_beyond(const struct weft_engine *e, int64_t t_ps, uint64_t id)
{
    const struct ev at = {t_ps, id};
    return !ev_before(at, e->peers->until);
}

void peers_may_tell(const struct weft_engine *e, int64_t t_ps, uint64_t id)
{
    const struct ev at = {t_ps, id};
    if (ev_before(at, e->peers->bound))
        e->peers->bound = at;
}

/* The place for one more behind the others; NULL, and the engine has failed: there is none. */
static struct tell *one_more(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (!ROOM(p->tells, p->ntells + p->nown, &p->tells_cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what is to be told");
        return NULL;
    }
    return &p->tells[p->ntells + p->nown];
}

void peers_tell(struct weft_engine *e, uint32_t msg, bool acked, const struct weft_completion *done)
{
    struct peers *p = e->peers;
    struct tell *t = one_more(e);
    p->expected = false;
    if (!t)
        return;
    memset(t, 0, sizeof *t);
    t->at = p->at;
    t->seq = p->nown++;
    t->msg = msg;
    t->cluster = p->cluster;
    t->from = (uint8_t)p->link.me;
    t->acked = acked;
    if (acked) {
        t->acked_too.retx_bytes = done->retx_bytes;
        t->acked_too.cnps = (uint32_t)done->cnps;
        return;
    }
    t->received.received_ps = done->received_ps;
    t->received.ideal_ps = done->ideal_ps;
    t->received.start_byte = done->first_byte;
    t->received.first_psn = done->first_psn;
    t->received.npkts = done->packets;
    memcpy(t->received.held_ps, msg_at(e, msg)->held_ps, sizeof t->received.held_ps);
}

void peers_await(struct weft_engine *e, const struct tell *t)
{
    struct tell *to = one_more(e);
    if (to) {
        *to = *t;
        e->peers->ntells++;
    }
}
