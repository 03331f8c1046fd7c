/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written down for other processes in the midst of a window: completions, packets that
 * cross, last packets of messages. */
#include "core/context.h"
#include "core/grow.h"
#include "peers.h"
#include "window_threads.h"

void peers_may_complete(const struct weft_engine *e, int64_t t_ps, uint64_t id, uint32_t cluster)
{
    e->peers->at = (struct ev){t_ps, id};
    e->peers->cluster = cluster;
    e->peers->expected = true;
}

bool peers_completed_nothing(const struct weft_engine *e)
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
static struct completion *one_more(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (!GROW(p->completions, p->ncompletions + p->nown, &p->completions_cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for completions of other processes");
        return NULL;
    }
    return &p->completions[p->ncompletions + p->nown];
}

bool peers_passive(const struct weft_engine *e)
{
    return e->hooks.concurrency.passive && !e->peers->link.user;
}

void peers_completed(struct weft_engine *e, uint32_t msg, bool acked)
{
    struct peers *p = e->peers;
    struct completion *t = one_more(e);
    p->expected = false;
    if (t)
        *t = (struct completion){.at = p->at,
                                 .seq = p->nown++,
                                 .msg = msg,
                                 .cluster = p->cluster,
                                 .from = (uint8_t)p->link.me,
                                 .kind = acked ? COMPLETION_ACKED : COMPLETION_RECEIVED,
                                 .deferrable =
                                     peers_passive(e) || (acked && msg_at(e, msg)->deferrable)};
}

void peers_completion_add(struct weft_engine *e, const struct completion *t)
{
    struct completion *to = one_more(e);
    if (to) {
        *to = *t;
        e->peers->ncompletions++;
    }
}

/* A port has something in the outbox. */
static void peers_note_sent(struct weft_engine *e, uint32_t port)
{
    if (!outbox_ports_add(&e->peers->crossed, port))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for what goes to other processes");
}

void peers_send(struct weft_engine *e, uint32_t port, struct pkt *k, uint32_t i, int64_t at_ps)
{
    if (outbox_add(e, &e->threads->out[port], k, i, at_ps))
        peers_note_sent(e, port);
}

void peers_note_last(struct weft_engine *e, const struct qp *q, const struct msg *m)
{
    struct peers *p = e->peers;
    const struct peers_last l = {(uint32_t)(m - msg_at(e, 0)), msg_fields_of(e, m, CROSSES_SENT)};
    const unsigned to = p->owner[e->fabric->hosts[q->dst_host]];
    if (to != p->link.me)
        send_buffer_add(e, &p->lasts[to], &l, sizeof l);
}
