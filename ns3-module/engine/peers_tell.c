/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be told of messages: peers.h. */
#include "context.h"
#include "peers.h"

#include <stdlib.h>
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

/* Makes room for one more; false, and the engine has failed: there is none. */
static bool make_room(struct weft_engine *e, struct tell **list, uint32_t n, uint32_t *cap)
{
    if (n < *cap)
        return true;
    const uint32_t more = *cap ? 2 * *cap : 64;
    struct tell *grown = realloc(*list, more * sizeof *grown);
    if (!grown) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what is to be told");
        return false;
    }
    *list = grown;
    *cap = more;
    return true;
}

void peers_tell(struct weft_engine *e, uint32_t msg, bool acked, const struct weft_completion *done)
{
    struct peers *p = e->peers;
    p->expected = false;
    if (!make_room(e, &p->own, p->nown, &p->own_cap))
        return;
    struct tell *t = &p->own[p->nown++];
    *t = (struct tell){.at = p->at,
                       .seq = p->nown,
                       .msg = msg,
                       .cluster = p->cluster,
                       .from = (uint8_t)p->link.me,
                       .acked = acked,
                       .done = *done};
    memcpy(t->held_ps, msg_at(e, msg)->held_ps, sizeof t->held_ps);
}

void peers_await(struct weft_engine *e, const struct tell *t)
{
    struct peers *p = e->peers;
    if (make_room(e, &p->tells, p->ntells, &p->tells_cap))
        p->tells[p->ntells++] = *t;
}
