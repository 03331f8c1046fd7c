/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads tables of layers. */
#include "workload/training/csv_table.h"
#include "workload/training/layered.h"

#include <stdio.h>
#include <string.h>

enum { NAME, PARAMETERS, FLOPS, STEP_FLOPS, KEPT, SENT, COLUMNS };

static const char *const columns[COLUMNS] = {"layer",      "parameters", "flops",
                                             "step-flops", "kept",       "sent"};

static int row(struct weft_csv_table *t, void *ctx)
{
    struct weft_layered *m = ctx;
    struct weft_layer *l = &m->layer[m->n];
    double x[COLUMNS] = {0};
    if (m->n == WEFT_LAYERED_MAX)
        return weft_csv_table_err(t, 0, "more than %d layers", WEFT_LAYERED_MAX);
    if (!*t->field[NAME] || strlen(t->field[NAME]) >= WEFT_LAYERED_NAME)
        return weft_csv_table_err(t, NAME, "layer '%s': a name has 1 to %d bytes", t->field[NAME],
                                  WEFT_LAYERED_NAME - 1);
    for (int k = PARAMETERS; k < COLUMNS; k++)
        if (weft_csv_table_number(t, k, k == FLOPS || k == STEP_FLOPS ? 1e18 : 1e12, &x[k]))
            return t->err->code;
    if (x[FLOPS] + x[STEP_FLOPS] + x[KEPT] <= 0)
        return weft_csv_table_err(
            t, FLOPS, "layer '%s' takes no time: flops, step-flops and kept are 0", t->field[NAME]);
    snprintf(l->name, sizeof l->name, "%s", t->field[NAME]);
    l->params = (uint64_t)x[PARAMETERS];
    l->flops = x[FLOPS];
    l->step_flops = x[STEP_FLOPS];
    l->kept = (uint64_t)x[KEPT];
    l->sent = (uint64_t)x[SENT];
    m->n++;
    return 0;
}

int weft_layered_read(const char *path, struct weft_layered *out, struct weft_err *err)
{
    out->n = 0;
    const int rc = weft_csv_table_read(path, columns, COLUMNS, row, out, err);
    if (rc || out->n)
        return rc;
    return weft_err_at(err, WEFT_E_INPUT, path, 1, 1, "a model has one layer at least");
}
