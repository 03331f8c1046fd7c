/* SPDX-License-Identifier: GPL-2.0-only */
/* control.csv: a column per observable of the controls of a run, those of one name together. */
#include "series/series_internal.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column. */
struct observable {
    char name[WEFT_SERIES_NAME_MAX];
    const char *unit;
};

struct weft_observables {
    const struct weft_series_choice *choice;
    struct observable *columns;
    size_t ncolumns;
    size_t **place; /* by control of the choice, and observable of it: its column */
};

size_t weft_observables_count(const struct weft_cc_ops *control)
{
    size_t n = 0;
    while (control->observables && control->observables[n].name)
        n++;
    return n;
}

static size_t column_of(struct weft_observables *o, const struct weft_cc_observable *one)
{
    struct observable *c = &o->columns[o->ncolumns];
    weft_series_observable_name(one, c->name);
    c->unit = one->unit;
    for (size_t i = 0; i < o->ncolumns; i++)
        if (strcmp(o->columns[i].name, c->name) == 0)
            return i;
    return o->ncolumns++;
}

static int name_columns(struct weft_observables *o, struct weft_err *err)
{
    const struct weft_series_choice *c = o->choice;
    size_t most = 1;
    for (size_t k = 0; k < c->ncontrols; k++)
        most += weft_observables_count(c->controls[k]);
    o->columns = (struct observable *)calloc(most, sizeof *o->columns);
    o->place = (size_t **)calloc(c->ncontrols + 1, sizeof *o->place);
    if (!o->columns || !o->place)
        return weft_err_no_memory(err, "series of congestion controls");
    for (size_t k = 0; k < c->ncontrols; k++) {
        const size_t n = weft_observables_count(c->controls[k]);
        o->place[k] = (size_t *)calloc(n + 1, sizeof *o->place[k]);
        if (!o->place[k])
            return weft_err_no_memory(err, "series of congestion controls");
        for (size_t i = 0; i < n; i++)
            o->place[k][i] = column_of(o, &c->controls[k]->observables[i]);
    }
    return 0;
}

struct weft_observables *weft_observables_new(const struct weft_series_choice *c,
                                              struct weft_err *err)
{
    struct weft_observables *o = (struct weft_observables *)calloc(1, sizeof *o);
    if (!o) {
        weft_err_no_memory(err, "series of congestion controls");
        return NULL;
    }
    o->choice = c;
    if (!name_columns(o, err))
        return o;
    weft_observables_free(o);
    return NULL;
}

void weft_observables_free(struct weft_observables *o)
{
    if (!o)
        return;
    for (size_t k = 0; o->place && k < o->choice->ncontrols; k++)
        free(o->place[k]);
    free(o->place);
    free(o->columns);
    free(o);
}

struct weft_csv *weft_observables_open(const struct weft_observables *o, const char *path,
                                       struct weft_err *err)
{
    const struct weft_csv_file *f = weft_series_files[WEFT_SERIES_CONTROL];
    const char *names[WEFT_COLUMNS_MAX];
    size_t n = 0;
    for (; n < f->n; n++)
        names[n] = f->columns[n].name;
    for (size_t i = 0; i < o->ncolumns && n < WEFT_COLUMNS_MAX; i++)
        names[n++] = o->columns[i].name;
    struct weft_csv *csv = weft_csv_open(path, names, n, err);
    if (csv)
        weft_csv_flush_every(csv, 0);
    return csv;
}

static void put_value(struct weft_csv *csv, const char *unit, double v)
{
    if (strcmp(unit, "ps") == 0)
        weft_csv_f64(csv, v / (double)WEFT_PS_PER_NS, 3);
    else
        weft_csv_f64(csv, v, strcmp(unit, "bps") == 0 || strcmp(unit, "bytes") == 0 ? 0 : 6);
}

void weft_observables_row(const struct weft_observables *o, const struct weft_cc_ops *control,
                          const double *observed, const struct weft_qp_row *row,
                          struct weft_series_sample *s)
{
    double values[WEFT_COLUMNS_MAX];
    size_t k = 0;
    for (size_t i = 0; i < o->ncolumns; i++)
        values[i] = NAN;
    while (k < o->choice->ncontrols && o->choice->controls[k] != control)
        k++;
    const size_t n = k < o->choice->ncontrols ? weft_observables_count(control) : 0;
    for (size_t i = 0; i < n; i++)
        values[o->place[k][i]] = observed[i];
    weft_columns_fields(weft_series_files[WEFT_SERIES_CONTROL], s->csv[WEFT_SERIES_CONTROL], row);
    for (size_t i = 0; i < o->ncolumns; i++)
        put_value(s->csv[WEFT_SERIES_CONTROL], o->columns[i].unit, values[i]);
    s->rows++;
    if (!s->err.code)
        weft_csv_row(s->csv[WEFT_SERIES_CONTROL], &s->err);
}
