/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources whose flows follow from the arrival of others. */
#include "workload/traffic/reactor.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

uint32_t weft_reactor_place(struct weft_reactor *r, struct weft_slots *of, const char *what)
{
    const uint32_t i = weft_slots_take(of);
    if (i == WEFT_NO_SLOT)
        weft_reactor_fail(r, what);
    return i;
}

void weft_reactor_fail(struct weft_reactor *r, const char *what)
{
    if (!r->err.code)
        weft_err_set(&r->err, WEFT_E_LIMIT, "out of memory for %s", what);
}

static struct weft_reactor_item *item_of(const struct weft_reactor *r, uint32_t i)
{
    return (struct weft_reactor_item *)weft_slot(&r->items, i);
}

static void reactor_push(struct weft_reactor *r, int64_t t_ps, const struct weft_reactor_item *item)
{
    const uint32_t i = weft_reactor_place(r, &r->items, "flows");
    if (i == WEFT_NO_SLOT)
        return;
    *item_of(r, i) = *item;
    if (weft_heap_push(&r->heap, t_ps, i))
        weft_reactor_fail(r, "flows");
}

void weft_reactor_send(struct weft_reactor *r, int64_t t_ps, uint32_t src, uint32_t dst,
                       uint64_t bytes, uint32_t qp, uint64_t cookie)
{
    const struct weft_flow flow = {.src = src,
                                   .dst = dst,
                                   .bytes = bytes,
                                   .start_ps = t_ps,
                                   .prio = WEFT_FLOW_PRIO_DEFAULT,
                                   .qp = qp};
    reactor_push(r, t_ps,
                 &(struct weft_reactor_item){.flow = flow, .cookie = cookie, .is_flow = true});
}

void weft_reactor_timer(struct weft_reactor *r, int64_t t_ps, uint64_t cookie)
{
    reactor_push(r, t_ps, &(struct weft_reactor_item){.cookie = cookie});
}

void weft_reactor_request(struct weft_reactor *r, const struct weft_request *request)
{
    if (r->base.requests.ended)
        r->base.requests.ended(r->base.requests.ctx, request);
}

/* Remembers whose flow is under way. */
static void reactor_note(struct weft_reactor *r, uint32_t item)
{
    if (r->made - r->first == r->room) {
        uint64_t done = 0; /* those at the front that have arrived */
        while (r->first + done < r->made && r->by_number[done] == UINT32_MAX)
            done++;
        const uint64_t kept = r->made - r->first - done,
                       room = kept > r->room / 2 ? 2 * r->room + 64 : r->room;
        if (kept)
            memmove(r->by_number, r->by_number + done, kept * sizeof *r->by_number);
        r->first += done;
        uint32_t *more = (uint32_t *)realloc(r->by_number, (room ? room : 64) * sizeof *more);
        if (!more) {
            weft_reactor_fail(r, "flows under way");
            return;
        }
        r->by_number = more;
        r->room = room ? room : 64;
    }
    r->by_number[r->made++ - r->first] = item;
    r->open++;
}

static void reactor_begin(struct weft_reactor *r)
{
    if (!r->begun)
        r->ops->begin(r, 0);
    r->begun = true;
}

static int64_t due(struct weft_flow_source *base)
{
    struct weft_reactor *r = (struct weft_reactor *)base;
    reactor_begin(r);
    if (r->heap.n)
        return r->heap.e[0].t_ps;
    return r->open ? WEFT_FLOW_WAITS : WEFT_NEVER;
}

static int next(struct weft_flow_source *base, struct weft_flow *out, struct weft_err *err)
{
    struct weft_reactor *r = (struct weft_reactor *)base;
    reactor_begin(r);
    if (!r->err.code && !r->heap.n)
        return 0;
    int made = WEFT_FLOW_NONE_YET;
    if (!r->err.code) {
        const struct weft_heap_entry e = weft_heap_pop(&r->heap);
        const struct weft_reactor_item item = *item_of(r, e.slot);
        if (item.is_flow) {
            *out = item.flow;
            reactor_note(r, e.slot);
            made = 1;
        } else {
            weft_slots_give_back(&r->items, e.slot);
            r->ops->fired(r, e.t_ps, item.cookie);
        }
    }
    if (!r->err.code)
        return made;
    *err = r->err;
    return err->code;
}

static void arrived(struct weft_flow_source *base, uint64_t number, int64_t now_ps)
{
    struct weft_reactor *r = (struct weft_reactor *)base;
    if (r->err.code || number < r->first || number >= r->made)
        return;
    const uint32_t i = r->by_number[number - r->first];
    const uint64_t cookie = item_of(r, i)->cookie;
    r->by_number[number - r->first] = UINT32_MAX;
    r->open--;
    weft_slots_give_back(&r->items, i);
    r->ops->arrived(r, now_ps, cookie);
}

static void reactor_rewind_to(struct weft_flow_source *base, uint64_t k)
{
    struct weft_reactor *r = (struct weft_reactor *)base;
    r->heap.n = 0;
    weft_slots_clear(&r->items);
    r->first = r->made = r->open = 0;
    r->err = (struct weft_err){0};
    r->ops->begin(r, k);
    r->begun = true;
}

static void reactor_free_source(struct weft_flow_source *base)
{
    struct weft_reactor *r = (struct weft_reactor *)base;
    r->ops->free(r);
}

void weft_reactor_init(struct weft_reactor *r, const struct weft_reactor_ops *ops, bool endless)
{
    r->ops = ops;
    r->items = WEFT_SLOTS_OF(struct weft_reactor_item);
    r->base = (struct weft_flow_source){.next = next,
                                        .rewind = reactor_rewind_to,
                                        .free = reactor_free_source,
                                        .due = due,
                                        .arrived = arrived,
                                        .endless = endless};
}

void weft_reactor_release(struct weft_reactor *r)
{
    weft_heap_release(&r->heap);
    weft_slots_release(&r->items);
    free(r->by_number);
}
