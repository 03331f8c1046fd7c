/* SPDX-License-Identifier: GPL-2.0-only */
/* See sweep.h. */
#include "cli/sweep.h"

#include "base/file.h"
#include "cli/run_end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int weft_sweep_read_axis(const char *text, struct weft_sweep_axis *a, struct weft_err *err)
{
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || !eq[1])
        return weft_err_set(err, WEFT_E_USAGE, "--vary %s: must be KEY=VALUE|VALUE...", text);
    a->text = strdup(text);
    if (!a->text)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    a->key = a->text;
    a->text[eq - text] = '\0';
    for (char *p = a->text + (eq - text) + 1; p;) {
        if (a->n == WEFT_SWEEP_VALUES)
            return weft_err_set(err, WEFT_E_LIMIT, "--vary %s: more than %d values", a->key,
                                WEFT_SWEEP_VALUES);
        a->value[a->n++] = p;
        p = strchr(p, '|');
        if (p)
            *p++ = '\0';
    }
    return 0;
}

const char *weft_sweep_value(const struct weft_sweep *s, size_t axis, size_t row)
{
    for (size_t k = s->naxes - 1; k > axis; k--)
        row /= s->axis[k].n;
    return s->axis[axis].value[row % s->axis[axis].n];
}

static const char *cell(const struct weft_sweep *s, size_t row, size_t col,
                        char buf[WEFT_METRIC_TEXT_MAX])
{
    const struct weft_sweep_row *r = &s->rows[row];
    if (col < s->naxes)
        return weft_sweep_value(s, col, row);
    if (col < s->naxes + s->nmetrics)
        return weft_metric_format(s->metric[col - s->naxes].metric, r->metric[col - s->naxes], buf);
    if (strcmp(r->outcome, "finished") != 0)
        return r->outcome;
    snprintf(buf, WEFT_METRIC_TEXT_MAX, "%.3f", r->speed_up);
    return isnan(r->speed_up) ? "n/a" : buf;
}

static const char *heading(const struct weft_sweep *s, size_t col)
{
    if (col < s->naxes)
        return s->axis[col].key;
    return col < s->naxes + s->nmetrics ? s->metric[col - s->naxes].text : "speed-up";
}

void weft_sweep_text(FILE *out, const struct weft_sweep *s)
{
    const size_t ncols = s->naxes + s->nmetrics + 1;
    char buf[WEFT_METRIC_TEXT_MAX];
    size_t width[WEFT_SWEEP_KEYS + WEFT_SWEEP_METRICS + 1];
    for (size_t c = 0; c < ncols; c++) {
        width[c] = strlen(heading(s, c));
        for (size_t r = 0; r < s->ndone; r++) {
            size_t n = strlen(cell(s, r, c, buf));
            width[c] = n > width[c] ? n : width[c];
        }
    }
    for (size_t r = 0; r <= s->ndone; r++)
        for (size_t c = 0; c < ncols; c++) {
            const char *text = r ? cell(s, r - 1, c, buf) : heading(s, c);
            if (c + 1 < ncols)
                fprintf(out, "%-*s  ", (int)width[c], text);
            else
                fprintf(out, "%s\n", text);
        }
}

void weft_sweep_json(FILE *out, const struct weft_sweep *s)
{
    struct weft_json j;
    char key[WEFT_METRIC_KEY_MAX];
    weft_json_init(&j, out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "sweep");
    weft_outcome_json(&j, s->outcome, s->reason);
    weft_json_key(&j, "rows");
    weft_json_array(&j);
    for (size_t r = 0; r < s->ndone; r++) {
        weft_json_object(&j);
        weft_json_key(&j, "settings");
        weft_json_object(&j);
        for (size_t k = 0; k < s->naxes; k++)
            weft_json_kv_str(&j, s->axis[k].key, weft_sweep_value(s, k, r));
        weft_json_end_object(&j);
        weft_json_kv_str(&j, "outcome", s->rows[r].outcome);
        weft_json_kv_str(&j, "reason", s->rows[r].reason);
        for (size_t m = 0; m < s->nmetrics; m++)
            weft_json_kv_f64(&j, weft_metric_choice_key(&s->metric[m], key),
                             weft_metric_in_unit(s->metric[m].metric, s->rows[r].metric[m]));
        weft_json_kv_f64(&j, "speed_up", s->rows[r].speed_up);
        weft_json_end_object(&j);
    }
    weft_json_end_array(&j);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

struct weft_csv *weft_sweep_csv_open(const char *dir, const struct weft_sweep *s,
                                     struct weft_err *err)
{
    const char *names[WEFT_SWEEP_KEYS + WEFT_SWEEP_METRICS + 2];
    char path[WEFT_PATH_MAX], keys[WEFT_SWEEP_METRICS][WEFT_METRIC_KEY_MAX];
    size_t n = 0;
    for (size_t k = 0; k < s->naxes; k++)
        names[n++] = s->axis[k].key;
    names[n++] = "outcome";
    for (size_t m = 0; m < s->nmetrics; m++)
        names[n++] = weft_metric_choice_key(&s->metric[m], keys[m]);
    names[n++] = "speed_up";
    return weft_path_join(path, dir, "sweep.csv", err) ? NULL : weft_csv_open(path, names, n, err);
}

int weft_sweep_csv_row(struct weft_csv *csv, const struct weft_sweep *s, size_t row,
                       struct weft_err *err)
{
    for (size_t k = 0; k < s->naxes; k++)
        weft_csv_str(csv, weft_sweep_value(s, k, row));
    weft_csv_str(csv, s->rows[row].outcome);
    for (size_t m = 0; m <= s->nmetrics; m++) {
        double v = m < s->nmetrics
                       ? weft_metric_in_unit(s->metric[m].metric, s->rows[row].metric[m])
                       : s->rows[row].speed_up;
        const struct weft_metric *metric = m < s->nmetrics ? s->metric[m].metric : NULL;
        if (metric && weft_metric_counts(metric) && v >= 0 && v < 0x1p53)
            weft_csv_u64(csv, (uint64_t)v);
        else
            weft_csv_f64(csv, v, 6); /* empty when there is none */
    }
    return weft_csv_row(csv, err);
}

void weft_sweep_run_json(struct weft_json *j, const void *ctx)
{
    const struct weft_sweep *s = (const struct weft_sweep *)ctx;
    weft_json_kv_str(j, "command", "sweep");
    weft_outcome_json(j, s->outcome, s->reason);
    weft_json_kv_u64(j, "rows", s->nrows);
    weft_json_kv_u64(j, "rows_done", s->ndone);
    weft_json_key(j, "failed_rows");
    weft_json_array(j);
    for (size_t r = 0; r < s->ndone; r++) {
        if (!s->rows[r].reason)
            continue;
        weft_json_object(j);
        weft_json_kv_u64(j, "row", r + 1);
        weft_json_kv_str(j, "reason", s->rows[r].reason);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}
