/* SPDX-License-Identifier: GPL-2.0-only */
/* What other sources have for the metrics of a sweep, row by row, and how far from it rows are. */
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

/* In the place of a value: the other source has none. */
#define NONE "-"

/* The metric of a column "reference.METRIC". */
static int find_metric(const struct weft_sweep *s, const char *name, size_t *out,
                       struct weft_err *err)
{
    const char *names[WEFT_SWEEP_METRICS];
    for (*out = 0; *out < s->nmetrics; ++*out) {
        names[*out] = s->metric[*out].text;
        if (strcmp(names[*out], name) == 0)
            return 0;
    }
    return weft_err_set(err, WEFT_E_USAGE,
                        "--vary " WEFT_SWEEP_REFERENCE "%s: the sweep does not show '%s'%s", name,
                        name, WEFT_MEANT(name, names, s->nmetrics, ""));
}

static int check_values(const struct weft_sweep *s, size_t column, const struct weft_metric *m,
                        struct weft_err *err)
{
    const struct weft_sweep_values *v =
        &s->axis[s->column[column].axis].value[s->column[column].key];
    double value;
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->list[i], NONE) != 0 &&
            (!weft_sweep_number(v->list[i], (int)m->type, &value) || value == 0))
            return weft_err_set(err, WEFT_E_USAGE, "--vary %s: '%s' is no %s other than 0",
                                weft_sweep_key(s, column), v->list[i],
                                weft_param_type_name(m->type));
    return 0;
}

int weft_sweep_read_references(struct weft_sweep *s, struct weft_err *err)
{
    const size_t len = strlen(WEFT_SWEEP_REFERENCE);
    for (size_t c = 0; c < s->ncolumns; c++) {
        struct weft_sweep_reference *f = &s->reference[s->nreferences];
        if (strncmp(weft_sweep_key(s, c), WEFT_SWEEP_REFERENCE, len) != 0)
            continue;
        f->column = c;
        if (find_metric(s, weft_sweep_key(s, c) + len, &f->metric, err) ||
            check_values(s, c, s->metric[f->metric].metric, err))
            return err->code;
        s->nreferences++;
    }
    return 0;
}

const struct weft_sweep_reference *weft_sweep_reference_of(const struct weft_sweep *s,
                                                           size_t metric)
{
    for (size_t i = 0; i < s->nreferences; i++)
        if (s->reference[i].metric == metric)
            return &s->reference[i];
    return NULL;
}

double weft_sweep_reference_value(const struct weft_sweep *s, const struct weft_sweep_reference *f,
                                  size_t row)
{
    const struct weft_metric *m = s->metric[f->metric].metric;
    double v;
    if (!weft_sweep_number(weft_sweep_value(s, f->column, row), (int)m->type, &v))
        return NAN; /* it is NONE */
    return weft_metric_in_unit(m, v);
}

double weft_sweep_off(const struct weft_sweep *s, const struct weft_sweep_reference *f, size_t row,
                      const struct weft_sweep_row *r)
{
    const double there = weft_sweep_reference_value(s, f, row);
    return 100 * (r->metric[f->metric] - there) / there;
}
