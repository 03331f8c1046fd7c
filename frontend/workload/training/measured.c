/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads measured efficiencies. */
#include "workload/training/measured.h"

#include "workload/training/csv_table.h"

#include <stdlib.h>

enum { OPERATION, PASS, ROWS, EFFICIENCY, COLUMNS };

static const char *const kernels[] = {
#define WEFT_KERNEL(symbol, name) name,
#include "workload/training/kernels.def"
#undef WEFT_KERNEL
};
static const char *const passes[] = {"forward", "inputs", "weights", "all"};
static const char *const columns[COLUMNS] = {"operation", "pass", "rows", "efficiency"};

static int real(struct weft_csv_table *t, int field, double most, double *out)
{
    char *end;
    *out = strtod(t->field[field], &end);
    if (*t->field[field] && !*end && *out > 0 && *out <= most)
        return 0;
    return weft_csv_table_err(t, field, "%s is '%s', but must be a number above 0, up to %g",
                              columns[field], t->field[field], most);
}

static int measured_add(struct weft_csv_table *t, struct weft_measured_curve *c, double rows,
                        double efficiency)
{
    uint32_t at = 0;
    while (at < c->n && c->rows[at] < rows)
        at++;
    if (at < c->n && c->rows[at] <= rows)
        return weft_csv_table_err(t, ROWS, "%s, %s has an efficiency at these rows already",
                                  t->field[OPERATION], t->field[PASS]);
    if (c->n == WEFT_MEASURED_MAX)
        return weft_err_at(t->err, WEFT_E_LIMIT, t->path, t->line, 1,
                           "%s, %s has more than %d lines", t->field[OPERATION], t->field[PASS],
                           WEFT_MEASURED_MAX);
    for (uint32_t i = c->n++; i > at; i--) {
        c->rows[i] = c->rows[i - 1];
        c->efficiency[i] = c->efficiency[i - 1];
    }
    c->rows[at] = rows;
    c->efficiency[at] = efficiency;
    return 0;
}

static int read_line(struct weft_csv_table *t, void *ctx)
{
    struct weft_measured *out = ctx;
    double rows = 0, efficiency;
    const int kernel = weft_csv_table_word(t, OPERATION, kernels, WEFT_KERNELS);
    const int pass = kernel < 0 ? -1 : weft_csv_table_word(t, PASS, passes, WEFT_KERNEL_PASSES);
    if (pass < 0)
        return t->err->code;
    int rc = *t->field[ROWS] ? real(t, ROWS, 1e12, &rows) : 0;
    rc = rc ? rc : real(t, EFFICIENCY, 1, &efficiency);
    return rc ? rc : measured_add(t, &out->curve[kernel][pass], rows, efficiency);
}

int weft_measured_read(const char *path, struct weft_measured *out, struct weft_err *err)
{
    *out = (struct weft_measured){0};
    return weft_csv_table_read(path, columns, COLUMNS, read_line, out, err);
}

double weft_measured_at(const struct weft_measured *m, enum weft_kernel kernel,
                        enum weft_kernel_pass pass, double rows)
{
    const struct weft_measured_curve *c = &m->curve[kernel][pass];
    if (c->n == 0)
        c = &m->curve[kernel][WEFT_KERNEL_ALL];
    if (c->n == 0)
        return 0;
    uint32_t above = 0;
    while (above < c->n && c->rows[above] < rows)
        above++;
    if (above == 0)
        return c->efficiency[0];
    if (above == c->n)
        return c->efficiency[c->n - 1];
    const double share = (rows - c->rows[above - 1]) / (c->rows[above] - c->rows[above - 1]);
    return c->efficiency[above - 1] + share * (c->efficiency[above] - c->efficiency[above - 1]);
}
