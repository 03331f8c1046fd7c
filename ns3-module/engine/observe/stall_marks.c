/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What looks at the progress of messages (stall.c) remember, and have to know of other processes:
 * how far their hosts have received what hosts of this process send, and how long the queues of
 * their ports have been. All say what has changed since they said it last.
 */
#include "core/context.h"
#include "stall.h"

#include <stdlib.h>
#include <string.h>

struct stall_mark *stall_mark_of(const struct weft_engine *e, uint32_t qp)
{
    return &e->stall.marks[qp];
}

int stall_reserve(struct weft_engine *e)
{
    struct stall *s = &e->stall;
    if (e->qps.pool.n <= s->cap)
        return 0;
    const uint32_t cap = e->qps.pool.n > 2 * s->cap ? e->qps.pool.n : 2 * s->cap;
    struct stall_mark *more = realloc(s->marks, cap * sizeof *more);
    if (!more)
        return -1;
    for (uint32_t i = s->cap; i < cap; i++)
        more[i] = (struct stall_mark){.message = UINT64_MAX};
    s->marks = more;
    s->cap = cap;
    return 0;
}

/* ---- what other processes know ---- */

/** A number of a QP or a port, as its process says. */
struct stall_report {
    uint64_t of, is;
};

static void stall_marks_say(struct weft_engine *e, uint64_t of, uint64_t is)
{
    const struct stall_report s = {of, is};
    send_buffer_add(e, &e->part.all, &s, sizeof s);
}

/* Whether all processes know what they should. */
static bool all_know(struct weft_engine *e, bool known)
{
    return part_least(e, known) > 0;
}

static void take_progress(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct stall_report s;
    memcpy(&s, answer, sizeof s);
    stall_mark_of(e, (uint32_t)s.of)->reported_psn = s.is;
}

bool stall_learn_progress(struct weft_engine *e, bool known)
{
    if (!all_know(e, known))
        return false;
    e->part.all.n = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        struct stall_mark *m = stall_mark_of(e, i);
        if (part_ends(e, q->src_host, q->dst_host) != PART_RECEIVES ||
            m->reported_psn == q->exp_psn)
            continue;
        m->reported_psn = q->exp_psn;
        stall_marks_say(e, i, q->exp_psn);
    }
    part_ask(e, sizeof(struct stall_report), take_progress, NULL);
    return true;
}

uint64_t stall_expected(const struct weft_engine *e, uint32_t qp)
{
    const struct qp *q = qp_at(e, qp);
    return part_own(e, e->fabric->hosts[q->dst_host]) ? q->exp_psn
                                                      : stall_mark_of(e, qp)->reported_psn;
}

static void take_queue(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct stall_report s;
    memcpy(&s, answer, sizeof s);
    e->stall.reported_queues[s.of] = s.is;
}

bool stall_learn_queues(struct weft_engine *e, bool known)
{
    const uint32_t n = e->fabric->nports;
    if (!e->stall.reported_queues)
        e->stall.reported_queues = calloc((size_t)n + 1, sizeof *e->stall.reported_queues);
    if (!all_know(e, known && e->stall.reported_queues))
        return false;
    e->part.all.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!part_own(e, e->fabric->ports[i].node) ||
            e->stall.reported_queues[i] == e->ports[i].st.max_queue_bytes)
            continue;
        e->stall.reported_queues[i] = e->ports[i].st.max_queue_bytes;
        stall_marks_say(e, i, e->ports[i].st.max_queue_bytes);
    }
    part_ask(e, sizeof(struct stall_report), take_queue, NULL);
    return true;
}

uint64_t stall_longest_queue(const struct weft_engine *e, uint32_t port)
{
    return part_own(e, e->fabric->ports[port].node) ? e->ports[port].st.max_queue_bytes
                                                    : e->stall.reported_queues[port];
}
