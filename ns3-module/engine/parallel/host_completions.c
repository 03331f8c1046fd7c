/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completions for passive callbacks, called after a window. Each thread has a sorted list; a heap
 * of threads merges the lists.
 */
#include "host_parts_internal.h"
#include "core/context.h"
#include "core/extension.h"
#include "window.h"
#include "window_threads.h"
#include "worker.h"

#include "base/fetch.h"

#include <string.h>

#define AHEAD 8u /**< messages of a thread that are fetched ahead */

/* What a thread has left to tell. */
struct host_completions {
    struct worker_completion *next, *end;
    struct worker *of;
};

/* Puts the first of the heap in its place, whose next has changed. */
static void host_completions_sink(struct host_completions *h, unsigned n)
{
    const struct host_completions first = h[0];
    unsigned at = 0;
    for (unsigned child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n &&
            completion_before(&h[child + 1].next->completion, &h[child].next->completion))
            child++;
        if (!completion_before(&h[child].next->completion, &first.next->completion))
            break;
        h[at] = h[child];
    }
    h[at] = first;
}

/* Adds what a thread has to tell. */
static void host_completions_add(struct host_completions *h, unsigned n,
                                 struct host_completions more)
{
    unsigned at = n;
    for (; at && completion_before(&more.next->completion, &h[(at - 1) / 2].next->completion);
         at = (at - 1) / 2)
        h[at] = h[(at - 1) / 2];
    h[at] = more;
}

/* A message gets its number. */
static void host_completions_number(struct weft_engine *e, struct msg *m)
{
    m->id = e->tot.msgs_posted++;
    e->tot.bytes_posted += m->bytes;
    extension_posted_in_call(e, m);
}

static void host_completions_call(struct weft_engine *e, struct worker_completion *t)
{
    const bool acked = t->completion.kind == COMPLETION_ACKED,
               taken = t->completion.kind == COMPLETION_TAKEN;
    e->now = t->completion.at.t;
    if (t->completion.kind == COMPLETION_POSTED) {
        host_completions_number(e, msg_at(e, t->completion.msg));
        return;
    }
    t->done.id = msg_at(e, t->completion.msg)->id;
    if (acked)
        stable_release(&e->msgs, t->completion.msg);
    if (e->extension)
        extension_completed(e, t->done.qpn - WEFT_FIRST_QPN, acked, taken, &t->done);
    else if (acked && e->hooks.acked)
        e->hooks.acked(e->hooks.ctx, &t->done);
    else if (t->completion.kind == COMPLETION_RECEIVED && e->hooks.received)
        e->hooks.received(e->hooks.ctx, &t->done);
}

/* What a thread has left to tell from @p next on waits. */
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
            host_completions_add(
                h, n++,
                (struct host_completions){w->completions, w->completions + w->ncompletions, w});
    }
    while (n && ev_before(h[0].next->completion.at, before)) {
        struct worker_completion *t = h[0].next++;
        if (h[0].end - t > (ptrdiff_t)AHEAD) {
            weft_fetch(&t[AHEAD], sizeof *t);
            __builtin_prefetch(msg_at(e, t[AHEAD / 2].completion.msg), 1);
        }
        host_completions_call(e, t);
        if (h[0].next == h[0].end) {
            h[0].of->ncompletions = 0;
            h[0] = h[--n];
        }
        if (n)
            host_completions_sink(h, n);
    }
    for (unsigned k = 0; k < n; k++)
        host_completions_keep(h[k].of, h[k].next);
    e->now = now;
}
