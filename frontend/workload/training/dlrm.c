/* SPDX-License-Identifier: GPL-2.0-only */
/* Recommendation models: presets, files of tables, dense layers. */
#include "workload/training/dlrm.h"

#include "workload/training/csv_table.h"

#include <stdio.h>
#include <string.h>

static const struct preset {
    const char *name, *source;
    uint64_t features, columns;
    uint64_t bottom[WEFT_DLRM_MLP_MAX], top[WEFT_DLRM_MLP_MAX];
    uint64_t crosses, cross_rank, tables;
    uint64_t rows[32];
    double lookups[32];
} presets[] = {
#define WEFT_DLRM(symbol, title, from, dense, width, below, above, dcn, rank, n, rows, lookups)    \
    {title, from, dense, width, below, above, dcn, rank, n, rows, lookups},
#include "workload/training/dlrm.def"
#undef WEFT_DLRM
};

size_t weft_dlrm_presets(void)
{
    return sizeof presets / sizeof presets[0];
}

void weft_dlrm_preset(size_t i, struct weft_dlrm *out)
{
    const struct preset *p = &presets[i];
    *out = (struct weft_dlrm){.name = p->name,
                              .source = p->source,
                              .features = p->features,
                              .columns = p->columns,
                              .crosses = p->crosses,
                              .cross_rank = p->cross_rank,
                              .ntables = p->tables};
    memcpy(out->bottom, p->bottom, sizeof out->bottom);
    memcpy(out->top, p->top, sizeof out->top);
    for (uint64_t t = 0; t < p->tables; t++)
        out->table[t] = (struct weft_table){.rows = p->rows[p->rows[1] ? t : 0],
                                            .columns = p->columns,
                                            .lookups = p->lookups[p->rows[1] ? t : 0]};
}

/* ---- files of tables ---- */

static int row(struct weft_csv_table *f, void *ctx)
{
    struct weft_dlrm *m = ctx;
    double x[3];
    if (m->ntables == WEFT_DLRM_TABLES_MAX)
        return weft_csv_table_err(f, 0, "more than %d tables", WEFT_DLRM_TABLES_MAX);
    for (int k = 0; k < 3; k++) {
        if (weft_csv_table_number(f, k, 1e12, &x[k]))
            return f->err->code;
        if (x[k] <= 0 || (k < 2 && x[k] < 1))
            return weft_csv_table_err(f, k, "%s is '%s', but a table has some", f->columns[k],
                                      f->field[k]);
    }
    m->table[m->ntables++] = (struct weft_table){(uint64_t)x[0], (uint64_t)x[1], x[2]};
    return 0;
}

int weft_dlrm_read_tables(const char *path, struct weft_dlrm *m, struct weft_err *err)
{
    static const char *const columns[] = {"rows", "columns", "lookups"};
    m->ntables = 0;
    const int rc = weft_csv_table_read(path, columns, 3, row, m, err);
    if (rc || m->ntables)
        return rc;
    return weft_err_at(err, WEFT_E_INPUT, path, 1, 1, "a model has one table at least");
}

/* ---- dense layers ---- */

static struct weft_layer *dlrm_add(struct weft_layered *d, const char *name, uint64_t number)
{
    struct weft_layer *l = &d->layer[d->n++];
    snprintf(l->name, sizeof l->name, "%s%u", name, (unsigned)number);
    return l;
}

/* A product with @p in x @p out weights and biases; its result is kept before and after the
 * activation. */
static uint64_t product(struct weft_layered *d, const char *name, uint64_t number, uint64_t in,
                        uint64_t out)
{
    struct weft_layer *l = dlrm_add(d, name, number);
    l->params = in * out + out;
    l->flops = 2.0 * (double)(in * out);
    l->kept = 2 * out;
    l->sent = out;
    return out;
}

void weft_dlrm_dense(struct weft_dlrm *m, struct weft_layered *d)
{
    uint64_t in = m->features, all = m->columns;
    *d = (struct weft_layered){
        .name = m->name, .source = m->source, .samples = "samples", .positions = 1};
    for (uint64_t i = 0; i < WEFT_DLRM_MLP_MAX && m->bottom[i]; i++)
        in = product(d, "bottom", i + 1, in, m->bottom[i]);
    m->nbottom = d->n;
    for (uint64_t t = 0; t < m->ntables; t++)
        all += m->table[t].columns;
    for (uint64_t i = 0; i < m->crosses; i++) {
        struct weft_layer *l = dlrm_add(d, "cross", i + 1);
        l->params = 2 * all * m->cross_rank + all;
        l->flops = 4.0 * (double)(all * m->cross_rank);
        l->kept = 2 * all + m->cross_rank;
        l->sent = all;
    }
    if (m->crosses ==
        0) { /* products of all pairs of rows, and the result from below beside them */
        const uint64_t vectors = m->ntables + 1, pairs = vectors * (vectors - 1) / 2;
        struct weft_layer *l = dlrm_add(d, "interaction", 1);
        l->flops = 2.0 * (double)(vectors * all);
        l->kept = all + pairs;
        l->sent = all = pairs + m->columns;
    }
    in = all;
    for (uint64_t i = 0; i < WEFT_DLRM_MLP_MAX && m->top[i]; i++)
        in = product(d, "top", i + 1, in, m->top[i]);
}
