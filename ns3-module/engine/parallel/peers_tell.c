/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be told of messages: peers.h. */
#include "core/context.h"
#include "core/grow.h"
#include "peers.h"

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

/* The place for one more behind the others; NULL, and the engine has failed: there is none. */
static struct tell *one_more(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (!GROW(p->tells, p->ntells + p->nown, &p->tells_cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what is to be told");
        return NULL;
    }
    return &p->tells[p->ntells + p->nown];
}

bool peers_listens(const struct weft_engine *e)
{
    return e->hooks.concurrency.passive && !e->peers->link.user;
}

void peers_tell(struct weft_engine *e, uint32_t msg, bool acked)
{
    struct peers *p = e->peers;
    struct tell *t = one_more(e);
    p->expected = false;
    if (t)
        *t = (struct tell){.at = p->at,
                           .seq = p->nown++,
                           .msg = msg,
                           .cluster = p->cluster,
                           .from = (uint8_t)p->link.me,
                           .acked = acked,
                           .late = peers_listens(e) || (acked && msg_at(e, msg)->deferrable)};
}

void peers_await(struct weft_engine *e, const struct tell *t)
{
    struct tell *to = one_more(e);
    if (to) {
        *to = *t;
        e->peers->ntells++;
    }
}
