/* SPDX-License-Identifier: GPL-2.0-only */
/* straggle: some ranks compute more slowly, named ones or some drawn by lot. */
#include "base/compare.h"
#include "base/rng.h"
#include "workload/whatif/stretch.h"

#include <inttypes.h>
#include <stdlib.h>

struct straggle {
    struct weft_select select;
    double factor;
    uint64_t draw, seed;
};

/** Which ranks are slow: those whose ticket is at most this one. */
struct lot {
    uint64_t last;
};

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct straggle, factor, "factor", NULL, "0", "1e9"),
     .help = "how many times as long a slow rank's computations take"},
    {WEFT_ROW_U64(struct straggle, draw, "draw", "0", NULL, NULL),
     .help = "draw this many slow ranks by lot among those given; 0: all of those given are slow"},
    {WEFT_ROW_U64(struct straggle, seed, "seed", "1", NULL, NULL), .help = "of the lot",
     .needs = "draw!=0"},
    WEFT_SELECT_RANKS(struct straggle),
    WEFT_SELECT_OP(struct straggle),
};

static uint64_t ticket(const struct straggle *p, uint32_t rank)
{
    struct weft_rng r = weft_rng_stream(p->seed, "straggler", rank);
    return weft_rng_u64(&r);
}

static int start(struct weft_transform *t, struct weft_err *err)
{
    struct straggle *p = t->params;
    struct lot *lot = t->state;
    uint64_t n = 0;
    p->select.kind = WEFT_SELECT_COMPUTE;
    lot->last = UINT64_MAX;
    if (weft_select_check(&p->select, t->ranks_in, err))
        return err->code;
    if (p->draw == 0)
        return 0;
    uint64_t *tickets = malloc(t->ranks_in * sizeof *tickets);
    if (!tickets)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu32 " ranks", t->ranks_in);
    for (uint32_t r = 0; r < t->ranks_in; r++)
        if (weft_select_rank(&p->select, r))
            tickets[n++] = ticket(p, r);
    int rc = 0;
    if (p->draw > n) {
        rc = weft_err_set(err, WEFT_E_INPUT, "draw is %" PRIu64 ", but there are %" PRIu64 " ranks",
                          p->draw, n);
    } else {
        qsort(tickets, n, sizeof *tickets, weft_by_u64);
        lot->last = tickets[p->draw - 1];
    }
    free(tickets);
    return rc;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct straggle *p = t->params;
    const struct lot *lot = t->state;
    return ticket(p, rank) > lot->last
               ? 0
               : weft_stretch_apply(t, &p->select, p->factor, rank, et, arena, err);
}

const struct weft_transform_ops weft_transform_straggle = {
    .name = "straggle",
    .title = "ranks that compute more slowly, named or drawn by lot",
    .params = WEFT_PARAM_TABLE(params, struct straggle),
    .state_size = sizeof(struct lot),
    .start = start,
    .apply = apply,
};
