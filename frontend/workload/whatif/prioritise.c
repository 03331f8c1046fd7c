/* SPDX-License-Identifier: GPL-2.0-only */
/* prioritise: comm_priority of collectives, which counts where collectives wait
 * (system.intra-dimension=priority). */
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

#include <stdlib.h>

enum { CONSTANT, LATER, EARLIER };

struct prioritise {
    struct weft_select select;
    int order;
    uint64_t priority;
};

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct prioritise, order, "order", "later-first",
                   "constant|later-first|earlier-first"),
     .help = "later-first: the later in the trace, by id, the more urgent, as gradients of the "
             "first layers are; earlier-first: the reverse; constant: all alike"},
    {WEFT_ROW_U64(struct prioritise, priority, "priority", "1", NULL, "1000000000"),
     .help = "of all, or the lowest given; other collectives have 0 unless the trace says else"},
    WEFT_SELECT_OP(struct prioritise),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct prioritise),
    WEFT_SELECT_RANKS(struct prioritise),
};

static int start(struct weft_transform *t, struct weft_err *err)
{
    struct prioritise *p = t->params;
    p->select.kind = WEFT_SELECT_COLLECTIVE;
    return weft_select_check(&p->select, t->ranks_in, err);
}

static int prioritise_by_id(const void *x, const void *y)
{
    const struct weft_et_node *a = *(struct weft_et_node *const *)x,
                              *b = *(struct weft_et_node *const *)y;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct prioritise *p = t->params;
    size_t n = 0;
    int rc = 0;
    if (!weft_select_rank(&p->select, rank))
        return 0;
    struct weft_et_node **chosen = malloc((et->nnodes + 1) * sizeof *chosen);
    if (!chosen)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu operations", et->nnodes);
    for (size_t i = 0; i < et->nnodes; i++)
        if (weft_select_node(&p->select, &et->nodes[i]))
            chosen[n++] = &et->nodes[i];
    qsort(chosen, n, sizeof *chosen, prioritise_by_id);
    for (size_t i = 0; !rc && i < n; i++) {
        const uint64_t step = p->order == LATER ? i : p->order == EARLIER ? n - 1 - i : 0;
        rc = weft_node_set_u64(chosen[i], arena, "comm_priority", p->priority + step, err);
    }
    t->touched += n;
    free(chosen);
    return rc;
}

const struct weft_transform_ops weft_transform_prioritise = {
    .name = "prioritise",
    .title = "priorities of collectives by their order in the trace",
    .source = "Jayarajan et al., P3, MLSys 2019; Peng et al., ByteScheduler, SOSP 2019",
    .params = WEFT_PARAM_TABLE(params, struct prioritise),
    .start = start,
    .apply = apply,
};
