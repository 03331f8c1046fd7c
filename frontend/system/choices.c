/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which algorithm plays an operation: the one that it asks for itself, else that of its kind; where
 * that is auto, what auto.c chose for it.
 */
#include "system/system_internal.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int parse_named(struct weft_choices *c, const struct weft_op *op, const char *dir,
                       struct weft_err *err)
{
    for (size_t i = 0; i < c->nnamed; i++)
        if (strcmp(c->named[i].text, op->algorithm) == 0)
            return 0;
    if (!WEFT_GROW_ONE(c->named, c->nnamed))
        return weft_err_no_memory(err, "algorithms");
    return weft_choice_parse(op->algorithm, dir, &c->named[c->nnamed++], err);
}

int weft_choices_new(const struct weft_workload *w, const struct weft_system_params *p,
                     struct weft_choices *out, struct weft_err *err)
{
    struct weft_system_params own = *p;
    int rc = 0;
    *out = (struct weft_choices){.named = NULL};
    for (int k = 0; !rc && k < WEFT_COLL_KINDS; k++) {
        const char *const *text = weft_choice_param(&own, (enum weft_coll_kind)k);
        if (!text)
            continue;
        rc = weft_choice_parse(*text, p->algorithm_dir, &out->kind[k], err);
        if (rc)
            weft_err_prepend(err, "system.%s", weft_coll_kind_name((enum weft_coll_kind)k));
    }
    for (uint32_t r = 0; !rc && r < w->nranks; r++)
        for (uint32_t i = 0; !rc && i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind != WEFT_OP_COLL || !op->algorithm)
                continue;
            rc = parse_named(out, op, p->algorithm_dir, err);
            if (rc)
                weft_err_prepend(err, "rank %u, node %" PRIu64 " '%s': its algorithm", r, op->id,
                                 op->name);
        }
    if (rc)
        weft_choices_free(out);
    return rc;
}

int weft_choices_resolve(struct weft_choices *c, const struct weft_workload *w,
                         const struct weft_system_params *p, const struct weft_system_env *env,
                         const struct weft_dims *dims, const struct weft_shape *shapes,
                         const struct weft_ring *rings, struct weft_err *err)
{
    const struct weft_auto_job job = {w, p, env, c, shapes, rings};
    return weft_auto_new(&job, dims, &c->autos, err);
}

void weft_choices_free(struct weft_choices *c)
{
    for (size_t k = 0; k < WEFT_COLL_KINDS; k++)
        weft_choice_release(&c->kind[k]);
    for (size_t i = 0; i < c->nnamed; i++)
        weft_choice_release(&c->named[i]);
    free(c->named);
    weft_auto_free(c->autos);
    *c = (struct weft_choices){.named = NULL};
}

const struct weft_choice *weft_choice_of(const struct weft_choices *c, const struct weft_op *op)
{
    const struct weft_choice *wanted = weft_choice_given(c, op);
    return wanted->automatic ? weft_auto_of(c->autos, op) : wanted;
}

struct weft_coll_call weft_call_of(const struct weft_group *g, const uint32_t *sorted,
                                   const struct weft_op *op)
{
    struct weft_coll_call c = {
        .kind = weft_coll_run_as(op->coll),
        .n = g->n,
        .bytes = op->coll == WEFT_COLL_BARRIER ? 0 : op->bytes,
    };
    if (op->has_root)
        c.root = weft_position(g, sorted, op->root);
    return c;
}

uint64_t weft_split_bytes(const void *ctx, uint32_t from, uint32_t to)
{
    const struct weft_splits *s = ctx;
    uint64_t whole = from == s->position ? s->op->send_bytes[to] : s->op->recv_bytes[from];
    return weft_coll_cut(whole, s->chunks, s->chunk);
}
