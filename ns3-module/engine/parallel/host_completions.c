/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completions for passive callbacks, called after a window. Each thread has a sorted list; a heap
 * of threads merges the lists.
 */
#include "base/heap.h"
#include "host_parts_internal.h"
#include "core/context.h"
#include "core/extension.h"
#include "window.h"
#include "window_threads.h"
#include "worker.h"

#include "base/fetch.h"

#include <string.h>

#define AHEAD 8u /**< messages of a thread that are fetched ahead */

/* Completions of a thread that are not reported yet. */
struct host_completions {
    struct worker_completion *next, *end;
    struct worker *of;
};

static bool host_completions_before(const struct host_completions *a,
                                    const struct host_completions *b)
{
    return completion_before(&a->next->completion, &b->next->completion);
}

/* A message gets its number. */
static void host_completions_number(struct weft_engine *e, struct msg *m)
{
    m->id = e->tot.msgs_posted++;
    e->tot.bytes_posted += m->bytes;
    extension_posted_in_call(e, m);
}

static void host_completions_call(struct weft_engine *e, struct worker *w,
                                  struct worker_completion *t)
{
    const bool acked = t->completion.kind == COMPLETION_ACKED,
               taken = t->completion.kind == COMPLETION_TAKEN;
    e->now = t->completion.at.t;
    if (t->completion.kind == COMPLETION_POSTED) {
        host_completions_number(e, msg_at(e, t->completion.msg));
        w->nposted++;
        return;
    }
    t->done.id = msg_at(e, t->completion.msg)->id;
    if (acked && w->nposted)
        worker_release_message(w, e, t->completion.msg);
    else if (acked)
        stable_release(&e->msgs, t->completion.msg);
    if (e->extension)
        extension_completed(e, t->done.qpn - WEFT_FIRST_QPN, acked, taken, &t->done);
    else if (acked && e->hooks.acked)
        e->hooks.acked(e->hooks.ctx, &t->done);
    else if (t->completion.kind == COMPLETION_RECEIVED && e->hooks.received)
        e->hooks.received(e->hooks.ctx, &t->done);
}

/* Completions of a thread from @p next on wait for the next window. */
static void host_completions_keep(struct worker *w, const struct worker_completion *next)
{
    const uint32_t left = (uint32_t)(w->completions + w->ncompletions - next);
    memmove(w->completions, next, left * sizeof *next);
    w->ncompletions = left;
}

void host_completions_report(struct weft_engine *e, struct window_threads *c, struct ev before)
{
    struct host_completions h[MOST_THREADS];
    const int64_t now = e->now;
    unsigned n = 0;
    for (unsigned k = 0; k < c->n; k++) {
        struct worker *w = &c->workers[k];
        if (w->ncompletions && ev_before(w->completions[0].completion.at, before))
            h[n++] = (struct host_completions){w->completions, w->completions + w->ncompletions, w};
    }
    for (unsigned i = n / 2; i-- > 0;)
        WEFT_HEAP_SINK(h, n, i, host_completions_before);
    while (n && ev_before(h[0].next->completion.at, before)) {
        struct worker_completion *t = h[0].next++;
        if (h[0].end - t > (ptrdiff_t)AHEAD) {
            weft_fetch(&t[AHEAD], sizeof *t);
            __builtin_prefetch(msg_at(e, t[AHEAD / 2].completion.msg), 1);
        }
        host_completions_call(e, h[0].of, t);
        if (h[0].next == h[0].end) {
            h[0].of->ncompletions = 0;
            h[0] = h[--n];
        }
        if (n)
            WEFT_HEAP_SINK(h, n, 0, host_completions_before);
    }
    for (unsigned k = 0; k < n; k++)
        host_completions_keep(h[k].of, h[k].next);
    e->now = now;
}
