/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serving instances that decode: each iteration gives every request of the batch one token, with
 * all-reduces between the ranks of the instance.
 */
#include "workload/traffic/decode.h"

#include <stdlib.h>

/* A request of an instance. */
struct member {
    uint32_t request, next; /* next: WEFT_NO_SLOT at the end of its list */
    uint64_t tokens;        /* still to come */
    int64_t added_ps, begin_ps;
    uint64_t iterations;
};

/* Members in the order they were added. */
struct queue {
    uint32_t first, last, n;
};

struct instance {
    struct queue waiting, batch;
    bool busy;       /* in an iteration */
    uint32_t done;   /* all-reduces of it */
    uint64_t flying; /* messages of the present one */
};

struct weft_decode {
    struct weft_decode_config c;
    struct weft_reactor *r;
    void (*over)(struct weft_reactor *r, const struct weft_decoded *d);
    struct weft_slots members;
    struct instance instances[];
};

static struct member *member_of(const struct weft_decode *d, uint32_t i)
{
    return (struct member *)weft_slot(&d->members, i);
}

static void decode_append(struct weft_decode *d, struct queue *q, uint32_t i)
{
    member_of(d, i)->next = WEFT_NO_SLOT;
    if (q->n++)
        member_of(d, q->last)->next = i;
    else
        q->first = i;
    q->last = i;
}

static uint32_t take_first(struct weft_decode *d, struct queue *q)
{
    const uint32_t i = q->first;
    q->first = member_of(d, i)->next;
    q->n--;
    return i;
}

/* The next part of its computation, which begins now. */
static void compute(struct weft_decode *d, uint32_t at, int64_t now_ps)
{
    const struct instance *x = &d->instances[at];
    const int64_t n = d->c.all_reduces, k = x->done;
    const int64_t part_ps = d->c.iteration_ps / n + (k < d->c.iteration_ps % n);
    weft_reactor_timer(d->r, now_ps + part_ps, d->c.cookies + at);
}

/* Begins an iteration of who is there, if anybody is. */
static void begin_iteration(struct weft_decode *d, uint32_t at, int64_t now_ps)
{
    struct instance *x = &d->instances[at];
    while (x->waiting.n && (d->c.batch == 0 || x->batch.n < d->c.batch)) {
        const uint32_t i = take_first(d, &x->waiting);
        member_of(d, i)->begin_ps = now_ps;
        decode_append(d, &x->batch, i);
    }
    x->busy = x->batch.n > 0;
    x->done = 0;
    if (x->busy)
        compute(d, at, now_ps);
}

static void decode_report(struct weft_decode *d, const struct member *m, int64_t now_ps)
{
    const struct weft_decoded over = {.request = m->request,
                                      .added_ps = m->added_ps,
                                      .end_ps = now_ps,
                                      .wait_ps = m->begin_ps - m->added_ps,
                                      .service_ps = (int64_t)m->iterations * d->c.iteration_ps};
    d->over(d->r, &over);
}

static void end_iteration(struct weft_decode *d, uint32_t at, int64_t now_ps)
{
    struct instance *x = &d->instances[at];
    for (uint32_t left = x->batch.n; left; left--) {
        const uint32_t i = take_first(d, &x->batch);
        struct member *m = member_of(d, i);
        m->iterations++;
        if (--m->tokens) {
            decode_append(d, &x->batch, i);
            continue;
        }
        decode_report(d, m, now_ps);
        weft_slots_give_back(&d->members, i);
    }
    begin_iteration(d, at, now_ps);
}

/* A part of the computation and its all-reduce are over. */
static void go_on(struct weft_decode *d, uint32_t at, int64_t now_ps)
{
    if (++d->instances[at].done < d->c.all_reduces)
        compute(d, at, now_ps);
    else
        end_iteration(d, at, now_ps);
}

void weft_decode_fired(struct weft_decode *d, int64_t now_ps, uint64_t cookie)
{
    const uint32_t at = (uint32_t)(cookie - d->c.cookies), tp = d->c.tp;
    const uint32_t first = d->c.first_rank + at * tp;
    struct instance *x = &d->instances[at];
    x->flying = (uint64_t)tp * (tp - 1);
    for (uint32_t i = 0; i < tp; i++)
        for (uint32_t k = 1; k < tp; k++)
            weft_reactor_send(d->r, now_ps, first + i, first + (i + k) % tp,
                              x->batch.n * d->c.vector_bytes, 0, cookie);
    if (tp == 1)
        go_on(d, at, now_ps);
}

void weft_decode_arrived(struct weft_decode *d, int64_t now_ps, uint64_t cookie)
{
    const uint32_t at = (uint32_t)(cookie - d->c.cookies);
    if (--d->instances[at].flying == 0)
        go_on(d, at, now_ps);
}

bool weft_decode_owns(const struct weft_decode *d, uint64_t cookie)
{
    return cookie - d->c.cookies < d->c.ninstances;
}

void weft_decode_add(struct weft_decode *d, uint32_t instance, uint32_t request, uint64_t tokens,
                     int64_t now_ps)
{
    const uint32_t i = weft_reactor_place(d->r, &d->members, "requests");
    if (i == WEFT_NO_SLOT)
        return;
    *member_of(d, i) = (struct member){.request = request, .tokens = tokens, .added_ps = now_ps};
    decode_append(d, &d->instances[instance].waiting, i);
    if (!d->instances[instance].busy)
        begin_iteration(d, instance, now_ps);
}

void weft_decode_clear(struct weft_decode *d)
{
    weft_slots_clear(&d->members);
    for (uint32_t i = 0; i < d->c.ninstances; i++)
        d->instances[i] = (struct instance){.busy = false};
}

struct weft_decode *weft_decode_new(const struct weft_decode_config *c, struct weft_reactor *r,
                                    void (*over)(struct weft_reactor *r,
                                                 const struct weft_decoded *d))
{
    struct weft_decode *d = (struct weft_decode *)calloc(
        1, sizeof *d + (size_t)c->ninstances * sizeof(struct instance));
    if (!d)
        return NULL;
    d->c = *c;
    d->r = r;
    d->over = over;
    d->members = WEFT_SLOTS_OF(struct member);
    return d;
}

void weft_decode_free(struct weft_decode *d)
{
    if (d)
        weft_slots_release(&d->members);
    free(d);
}
