/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replicate: copies of a job work as one, as more data-parallel replicas of it.
 *
 * Rank r of copy c is rank c * N + r of N. Communicators that grow span all copies: what a rank
 * hands in stays, but for an all-gather, whose shard is smaller as there are more members; sizes
 * per member of an all-to-all are shared out.
 */
#include "workload/trace_files.h"
#include "workload/whatif/relabel.h"

#include <inttypes.h>

struct replicate {
    uint64_t factor;
    const char *grow;
    bool world;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct replicate, factor, "factor", NULL, "1", "1048576"),
     .help = "copies of the job: as many times the ranks"},
    {WEFT_ROW_STRING(struct replicate, grow, "grow", ""),
     .help = "communicators whose name (pg_name) is like this span all copies, with * and ? and "
             "[a-z]; others exist once per copy"},
    {WEFT_ROW_BOOL(struct replicate, world, "world", "true"),
     .help = "that of all ranks spans all copies; else it, too, exists once per copy"},
};

static uint32_t of(const void *ctx, uint32_t r, uint32_t c)
{
    const struct weft_transform *t = ctx;
    return c * t->ranks_in + r;
}

static int start(struct weft_transform *t, struct weft_err *err)
{
    const struct replicate *p = t->params;
    struct weft_relabel *l = t->state;
    if (p->factor * t->ranks_in > WEFT_TRACE_RANKS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "%" PRIu64 " copies of %" PRIu32 " ranks are more than %" PRIu32
                            " ranks",
                            p->factor, t->ranks_in, WEFT_TRACE_RANKS_MAX);
    t->ranks_out = (uint32_t)p->factor * t->ranks_in;
    *l = (struct weft_relabel){
        .copies = (uint32_t)p->factor, .of = of, .ctx = t, .grow = p->grow, .world = p->world};
    return 0;
}

static uint32_t source_rank(const struct weft_transform *t, uint32_t rank)
{
    return rank % t->ranks_in;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    return weft_relabel_apply(t, rank % t->ranks_in, rank / t->ranks_in, et, arena, err);
}

const struct weft_transform_ops weft_transform_replicate = {
    .name = "replicate",
    .title = "more ranks: copies of the job as further data-parallel replicas",
    .source = "Zhu et al., Daydream, USENIX ATC 2020, section 4",
    .params = WEFT_PARAM_TABLE(params, struct replicate),
    .state_size = sizeof(struct weft_relabel),
    .start = start,
    .source_rank = source_rank,
    .look = weft_relabel_look,
    .resolve = weft_relabel_resolve,
    .apply = apply,
    .end = weft_relabel_end,
};
