/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits a collective into one phase per dimension of the fabric. */
#include "collective/phases.h"

#include <stdbool.h>

bool weft_coll_has_phases(enum weft_coll_kind kind)
{
    return kind == WEFT_COLL_ALL_REDUCE || kind == WEFT_COLL_ALL_GATHER ||
           kind == WEFT_COLL_REDUCE_SCATTER || kind == WEFT_COLL_ALL_TO_ALL;
}

static void phases_add(struct weft_coll_plan *p, enum weft_coll_kind kind, uint32_t dim)
{
    p->phase[p->n++] = (struct weft_coll_phase){kind, dim};
}

void weft_coll_plan_phases(enum weft_coll_kind kind, const uint32_t *order, uint32_t n,
                           enum weft_coll_turn turn, struct weft_coll_plan *out)
{
    out->n = 0;
    if (kind == WEFT_COLL_ALL_GATHER) {
        for (uint32_t i = n; i-- > 0;)
            phases_add(out, kind, order[i]);
        return;
    }
    if (kind != WEFT_COLL_ALL_REDUCE || turn == WEFT_COLL_TURN_WHOLE) {
        for (uint32_t i = 0; i < n; i++)
            phases_add(out, kind, order[i]);
        return;
    }
    uint32_t out_and_back = turn == WEFT_COLL_TURN_FOLD && n ? n - 1 : n;
    for (uint32_t i = 0; i < out_and_back; i++)
        phases_add(out, WEFT_COLL_REDUCE_SCATTER, order[i]);
    if (out_and_back < n)
        phases_add(out, WEFT_COLL_ALL_REDUCE, order[n - 1]);
    for (uint32_t i = out_and_back; i-- > 0;)
        phases_add(out, WEFT_COLL_ALL_GATHER, order[i]);
}

void weft_coll_cursor_begin(struct weft_coll_cursor *c, const struct weft_dims *dims,
                            const uint32_t *place, uint64_t bytes)
{
    *c = (struct weft_coll_cursor){.dims = dims, .total_bytes = bytes, .bytes = bytes};
    for (uint32_t d = 0; d < dims->n; d++)
        c->place[d] = place[d];
}

/*
 * All-to-all: what goes from place x to place y of the dimension under way. Of the n * n blocks
 * those whose source has been gathered over the finished dimensions, and whose destination is in
 * place in them and has y here.
 */
static uint64_t pair_bytes(const void *ctx, uint32_t x, uint32_t y)
{
    const struct weft_coll_cursor *c = ctx;
    const struct weft_dims *dims = c->dims;
    uint64_t n = 1, sources = 1, free_combos = 1, sum = 0;
    (void)x; /* ranks of the line agree in everything else, and what they send depends on y only */
    for (uint32_t d = 0; d < dims->n; d++) {
        n *= dims->size[d];
        if (c->done >> d & 1)
            sources *= dims->size[d];
        else if (d != c->dim)
            free_combos *= dims->size[d];
    }
    if (c->total_bytes % n == 0)
        return sources * free_combos * (c->total_bytes / n);
    for (uint64_t k = 0; k < free_combos; k++) {
        uint64_t rest = k, index = 0, stride = 1;
        for (uint32_t d = 0; d < dims->n; d++) {
            uint64_t at = d == c->dim ? y : c->place[d];
            if (d != c->dim && !(c->done >> d & 1)) {
                at = rest % dims->size[d];
                rest /= dims->size[d];
            }
            index += at * stride;
            stride *= dims->size[d];
        }
        sum += weft_coll_cut(c->total_bytes, n, index);
    }
    return sources * sum;
}

void weft_coll_cursor_call(struct weft_coll_cursor *c, const struct weft_coll_phase *phase,
                           struct weft_coll_call *call)
{
    uint32_t d = phase->dim;
    c->dim = d;
    *call = (struct weft_coll_call){.kind = phase->kind, .n = c->dims->size[d], .bytes = c->bytes};
    if (phase->kind == WEFT_COLL_ALL_GATHER && c->before[d]) {
        call->cut = 1; /* the way back of an all-reduce: pieces as they were cut */
        call->bytes = c->before[d];
    } else if (phase->kind == WEFT_COLL_ALL_TO_ALL) {
        c->pairs = (struct weft_coll_pairs){.ctx = c, .bytes = pair_bytes};
        call->pairs = &c->pairs;
    }
}

void weft_coll_cursor_next(struct weft_coll_cursor *c, const struct weft_coll_phase *phase)
{
    uint32_t d = phase->dim;
    switch (phase->kind) {
    case WEFT_COLL_REDUCE_SCATTER:
        c->before[d] = c->bytes;
        c->bytes = weft_coll_cut(c->bytes, c->dims->size[d], c->place[d]);
        break;
    case WEFT_COLL_ALL_GATHER:
        c->bytes = c->before[d] ? c->before[d] : c->bytes * c->dims->size[d];
        break;
    case WEFT_COLL_ALL_TO_ALL:
        c->done |= UINT32_C(1) << d;
        break;
    default:
        break;
    }
}
