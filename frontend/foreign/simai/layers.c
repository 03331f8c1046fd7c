/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums the time of rank 0 by layer, in the columns of SimAI's EndToEnd.csv. */
#include "foreign/simai/layers.h"

#include "base/rows.h"
#include "base/units.h"

#include <string.h>

#define GIB ((double)(UINT64_C(1) << 30))

int weft_simai_layers_init(struct weft_simai_layers *l, const struct weft_astra_text *list,
                           uint64_t nranks, struct weft_err *err)
{
    struct weft_et *et;
    *l = (struct weft_simai_layers){.list = list, .nranks = nranks, .arena = weft_arena_new()};
    l->part = l->arena ? weft_arena_calloc(l->arena, list->nlayers, sizeof *l->part) : NULL;
    if (!l->part)
        return weft_err_no_memory(err, "layers");
    return weft_astra_text_et(list, nranks, 1, 0, true, l->arena, &et, &l->ops, err);
}

void weft_simai_layers_op(void *ctx, const struct weft_op_record *record)
{
    struct weft_simai_layers *l = (struct weft_simai_layers *)ctx;
    if (record->rank != 0 || record->op->id == 0)
        return;
    const struct weft_astra_op *op = &l->ops[record->op->id - 1];
    struct weft_simai_part *p = &l->part[op->layer][op->part];
    l->end_ps = record->end_ps > l->end_ps ? record->end_ps : l->end_ps;
    if (record->op->kind == WEFT_OP_COLL) {
        p->issued_ps = record->ready_ps;
        p->exposed_ps += op->blocking ? record->end_ps - record->ready_ps : 0;
    } else if (!op->update) {
        p->compute_ps += record->end_ps - record->start_ps;
    } else if (p->exposed_ps) { /* which was awaited */
        p->exposed_ps += record->end_ps - record->ready_ps;
    }
    if (record->op->kind == WEFT_OP_COLL || op->update) {
        p->comm_ps += record->end_ps - record->ready_ps;
        p->end_ps = record->end_ps;
    }
    if ((record->op->kind != WEFT_OP_COLL && !op->update) || p->exposed_ps)
        l->busy_until_ps = record->end_ps > l->busy_until_ps ? record->end_ps : l->busy_until_ps;
}

void weft_simai_layers_again(void *ctx)
{
    struct weft_simai_layers *l = (struct weft_simai_layers *)ctx;
    memset(l->part, 0, l->list->nlayers * sizeof *l->part);
    l->busy_until_ps = l->end_ps = 0;
}

static double us(int64_t ps)
{
    return (double)ps / WEFT_PS_PER_US;
}

/* ", total, algbw, busbw" of a collective. */
static void put_comm(struct weft_rows *rows, const struct weft_simai_layers *l, uint64_t layer,
                     int k)
{
    const struct weft_simai_part *p = &l->part[layer][k];
    const enum weft_coll_kind kind = l->list->layers[layer].part[k].kind;
    double alg = 0, factor = 0;
    if (p->comm_ps) {
        const uint64_t n =
            weft_astra_group_size(l->list, l->list->layers[layer].part[k].scope, l->nranks);
        alg = (double)l->list->layers[layer].part[k].bytes / us(p->comm_ps) * 1e6 / GIB;
        factor = (kind == WEFT_COLL_ALL_REDUCE ? 2.0 : 1.0) * (double)(n - 1) / (double)n;
    }
    weft_rows_printf(rows, ",%.0f,%.2f,%.2f", us(p->comm_ps), alg, alg * factor);
}

struct totals {
    int64_t dp, dp_ep, tp, ep, compute, in_bubble;
};

static void layers_add(struct totals *t, const struct weft_simai_layers *l, uint64_t layer)
{
    const struct weft_astra_layer *a = &l->list->layers[layer];
    const struct weft_simai_part *p = l->part[layer];
    const int64_t model = p[0].exposed_ps + p[1].exposed_ps;
    const int64_t compute = p[0].compute_ps + p[1].compute_ps + p[2].compute_ps;
    *(a->part[0].scope == WEFT_ASTRA_EP ? &t->ep : &t->tp) += model;
    *(a->part[2].scope == WEFT_ASTRA_DP_EP ? &t->dp_ep : &t->dp) += p[2].exposed_ps;
    t->compute += compute;
    t->in_bubble += strcmp(a->name, "embedding_layer") == 0 ? 0 : model + compute;
}

static void put_totals(struct weft_rows *rows, const struct totals *t,
                       const struct weft_simai_layers *l, const char *run)
{
    const struct weft_astra_text *a = l->list;
    const double stages =
        a->pp > 1 && a->ga && a->vpp ? (double)(a->pp - 1) / (double)a->ga / (double)a->vpp : 0;
    const double bubble = us(t->in_bubble) * stages, exposed = us(l->end_ps - t->compute);
    const double total = us(t->compute) + exposed + bubble;
    const double values[] = {us(t->dp), us(t->dp_ep), us(t->tp),      us(t->ep),
                             0,         bubble,       us(t->compute), exposed};
    weft_rows_printf(rows,
                     "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, "
                     "Expose_EP_comm, Expose_PP_comm, "
                     "bubble time, total comp, total exposed comm, Total time\n%s",
                     run);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        weft_rows_printf(rows, ", %.0f (%.2f%%)", values[i],
                         total > 0 ? values[i] / total * 100 : 0);
    weft_rows_printf(rows, ", %.0f\n", total);
}

int weft_simai_layers_write(struct weft_simai_layers *l, const char *path, const char *run,
                            struct weft_err *err)
{
    struct weft_rows *rows = weft_rows_open(path, err);
    struct totals t = {0};
    if (!rows)
        return err->code;
    /* At the end the rank waits for layer 0. */
    struct weft_simai_part *last = &l->part[0][WEFT_ASTRA_WEIGHT_GRADIENT];
    if (!last->exposed_ps && last->end_ps > l->busy_until_ps)
        last->exposed_ps = last->end_ps - l->busy_until_ps;
    weft_rows_printf(
        rows,
        "layer_name,%s,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,"
        "ig exposed comm,fwd total comm,algbw,busbw,wg total comm,algbw,busbw,ig total "
        "comm,algbw,busbw\n",
        run);
    for (uint64_t i = 0; i < l->list->nlayers; i++) {
        static const int order[] = {WEFT_ASTRA_FORWARD, WEFT_ASTRA_WEIGHT_GRADIENT,
                                    WEFT_ASTRA_INPUT_GRADIENT};
        weft_rows_printf(rows, "%s,%s", l->list->layers[i].name, run);
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++)
            weft_rows_printf(rows, ",%.0f", us(l->part[i][order[k]].compute_ps));
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++)
            weft_rows_printf(rows, ",%.0f", us(l->part[i][order[k]].exposed_ps));
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++)
            put_comm(rows, l, i, order[k]);
        weft_rows_printf(rows, "\n");
        weft_rows_end(rows, NULL);
        layers_add(&t, l, i);
    }
    put_totals(rows, &t, l, run);
    weft_rows_end(rows, NULL);
    return weft_rows_close(rows, err);
}

void weft_simai_layers_free(struct weft_simai_layers *l)
{
    weft_arena_free(l->arena);
}
