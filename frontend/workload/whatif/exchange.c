/* SPDX-License-Identifier: GPL-2.0-only */
/* exchange: two ranks change places, with all that they compute, send and receive. */
#include "workload/whatif/relabel.h"

#include <inttypes.h>

struct exchange {
    uint64_t a, b;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct exchange, a, "a", NULL, NULL, NULL), .help = "a rank"},
    {WEFT_ROW_U64(struct exchange, b, "b", NULL, NULL, NULL),
     .help = "the rank that it changes places with"},
};

static uint32_t of(const void *ctx, uint32_t r, uint32_t c)
{
    const struct exchange *p = ctx;
    return r == p->a ? (uint32_t)p->b : r == p->b ? (uint32_t)p->a : r;
}

static int start(struct weft_transform *t, struct weft_err *err)
{
    const struct exchange *p = t->params;
    if (p->a >= t->ranks_in || p->b >= t->ranks_in)
        return weft_err_set(
            err, WEFT_E_INPUT, "%s is rank %" PRIu64 ", but the trace's ranks are 0 .. %" PRIu32,
            p->a >= t->ranks_in ? "a" : "b", p->a >= t->ranks_in ? p->a : p->b, t->ranks_in - 1);
    *(struct weft_relabel *)t->state = (struct weft_relabel){.copies = 1, .of = of, .ctx = p};
    return 0;
}

static uint32_t source_rank(const struct weft_transform *t, uint32_t rank)
{
    return of(t->params, rank, 0);
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    return weft_relabel_apply(t, source_rank(t, rank), 0, et, arena, err);
}

const struct weft_transform_ops weft_transform_exchange = {
    .name = "exchange",
    .title = "two ranks change places on the fabric, with all their traffic",
    .params = WEFT_PARAM_TABLE(params, struct exchange),
    .state_size = sizeof(struct weft_relabel),
    .start = start,
    .source_rank = source_rank,
    .look = weft_relabel_look,
    .resolve = weft_relabel_resolve,
    .apply = apply,
    .end = weft_relabel_end,
};
