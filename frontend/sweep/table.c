/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a sweep as a table: for people, as JSON, and as sweep.csv. */
#include "base/file.h"
#include "run/end.h"
#include "sweep/bound.h"
#include "sweep/find.h"

#include <math.h>
#include <string.h>

/* Settings, seeds, metrics, how far off references they are, speed-up. */
enum {
    COLUMNS_MAX = 2 * WEFT_SWEEP_KEYS + WEFT_SWEEP_METRICS + 2,
    CELL_MAX = 2 * WEFT_METRIC_TEXT_MAX + 8
};

/* What the key of a metric ends with that says how far off its reference it is. */
#define OFF "_off_pct"

/* What a column right of settings and seeds shows. */
struct metric_column {
    size_t metric;                          /* nmetrics: the speed-up */
    const struct weft_sweep_reference *off; /* how far off this it is; NULL: the metric */
};

/* Each metric, and right of it how far off its reference it is. */
static struct metric_column metric_column(const struct weft_sweep *s, size_t col)
{
    struct metric_column c = {0};
    for (; c.metric < s->nmetrics; c.metric++) {
        const struct weft_sweep_reference *f = weft_sweep_reference_of(s, c.metric);
        if (col-- == 0)
            return c;
        if (f && col-- == 0) {
            c.off = f;
            return c;
        }
    }
    return c;
}

static const char *off_text(double off, char buf[CELL_MAX])
{
    snprintf(buf, CELL_MAX, isnan(off) ? "n/a" : "%+.2f %%", off);
    return buf;
}

static const char *metric_text(const struct weft_metric *m, double v, double ci95,
                               char buf[CELL_MAX])
{
    char mean[WEFT_METRIC_TEXT_MAX], ci[WEFT_METRIC_TEXT_MAX];
    if (m->type == WEFT_PARAM_U64 && !isnan(v) && v != floor(v)) /* a mean */
        snprintf(mean, sizeof mean, "%.4g", v);
    else
        weft_sweep_metric_text(m, v, mean);
    snprintf(buf, CELL_MAX, "%s%s%s", mean, isnan(ci95) ? "" : " +- ",
             isnan(ci95) ? "" : weft_sweep_metric_text(m, ci95, ci));
    return buf;
}

static const char *cell(const struct weft_sweep *s, const struct weft_sweep_row *r, size_t row,
                        size_t col, char buf[CELL_MAX])
{
    if (col < s->ncolumns)
        return weft_sweep_value(s, col, row);
    col -= s->ncolumns;
    if (s->seeds.n && col-- == 0) {
        snprintf(buf, CELL_MAX, "%zu", r->nseeds);
        return buf;
    }
    const struct metric_column c = metric_column(s, col);
    if (c.off)
        return off_text(weft_sweep_off(s, c.off, row, r), buf);
    if (c.metric < s->nmetrics)
        return metric_text(s->metric[c.metric].metric, r->metric[c.metric], r->ci95[c.metric], buf);
    if (r->outcome != WEFT_OUTCOME_FINISHED)
        return weft_outcome_name(r->outcome);
    snprintf(buf, CELL_MAX, "%.3f", r->speed_up);
    return isnan(r->speed_up) ? "n/a" : buf;
}

static const char *heading(const struct weft_sweep *s, size_t col)
{
    if (col < s->ncolumns)
        return weft_sweep_key(s, col);
    col -= s->ncolumns;
    if (s->seeds.n && col-- == 0)
        return "seeds";
    const struct metric_column c = metric_column(s, col);
    return c.off ? "off by" : c.metric < s->nmetrics ? s->metric[c.metric].text : "speed-up";
}

static void print_cell(FILE *out, const char *text, size_t width, bool last)
{
    if (last)
        fprintf(out, "%s\n", text);
    else
        fprintf(out, "%-*s  ", (int)width, text);
}

void weft_sweep_text(FILE *out, const struct weft_sweep *s)
{
    const size_t n =
        s->ncolumns + (s->seeds.n > 0) + s->nmetrics + s->nreferences + !s->no_speed_up;
    char buf[CELL_MAX];
    size_t width[COLUMNS_MAX];
    struct weft_sweep_row r;
    for (size_t c = 0; c < n; c++)
        width[c] = strlen(heading(s, c));
    for (size_t row = 0; row < s->nrows; row++) {
        weft_sweep_row(s, row, &r);
        for (size_t c = 0; r.there && c < n; c++) {
            const size_t len = strlen(cell(s, &r, row, c, buf));
            width[c] = len > width[c] ? len : width[c];
        }
    }
    for (size_t c = 0; c < n; c++)
        print_cell(out, heading(s, c), width[c], c + 1 == n);
    for (size_t row = 0; row < s->nrows; row++) {
        weft_sweep_row(s, row, &r);
        for (size_t c = 0; r.there && c < n; c++)
            print_cell(out, cell(s, &r, row, c, buf), width[c], c + 1 == n);
    }
}

static void row_json(struct weft_json *j, const struct weft_sweep *s, size_t row,
                     const struct weft_sweep_row *r)
{
    char key[WEFT_METRIC_KEY_MAX], ci[WEFT_METRIC_KEY_MAX + 8], off[WEFT_METRIC_KEY_MAX + 8];
    weft_json_object(j);
    weft_json_kv_object(j, "settings");
    for (size_t c = 0; c < s->ncolumns; c++)
        weft_json_kv_str(j, weft_sweep_key(s, c), weft_sweep_value(s, c, row));
    weft_json_end_object(j);
    weft_json_kv_str(j, "outcome", weft_outcome_name(r->outcome));
    weft_json_kv_str(j, "reason", r->reason);
    if (s->seeds.n)
        weft_json_kv_u64(j, "seeds", r->nseeds);
    for (size_t m = 0; m < s->nmetrics; m++) {
        weft_json_kv_f64(j, weft_metric_choice_key(&s->metric[m], key), r->metric[m]);
        snprintf(ci, sizeof ci, "%s_ci95", key);
        if (s->seeds.n)
            weft_json_kv_f64(j, ci, r->ci95[m]);
    }
    for (size_t i = 0; i < s->nreferences; i++) {
        weft_metric_choice_key(&s->metric[s->reference[i].metric], key);
        snprintf(off, sizeof off, "%s" OFF, key);
        weft_json_kv_f64(j, off, weft_sweep_off(s, &s->reference[i], row, r));
    }
    weft_json_kv_f64(j, "speed_up", r->speed_up);
    weft_json_end_object(j);
}

void weft_sweep_json(FILE *out, const struct weft_sweep *s, const struct weft_sweep_bounds *b)
{
    struct weft_json j;
    struct weft_sweep_row r;
    weft_json_init(&j, out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "sweep");
    weft_outcome_json(&j, s->outcome, s->reason);
    weft_json_kv_array(&j, "rows");
    for (size_t row = 0; row < s->nrows; row++) {
        weft_sweep_row(s, row, &r);
        if (r.there)
            row_json(&j, s, row, &r);
    }
    weft_json_end_array(&j);
    if (s->find)
        weft_sweep_find_json(&j, s->find, s);
    if (b)
        weft_sweep_bounds_json(&j, b, s);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

struct weft_csv *weft_sweep_csv_open(const char *dir, const struct weft_sweep *s,
                                     struct weft_err *err)
{
    const char *names[2 * WEFT_SWEEP_KEYS + 2 * WEFT_SWEEP_METRICS + 4];
    char path[WEFT_PATH_MAX], keys[WEFT_SWEEP_METRICS][WEFT_METRIC_KEY_MAX],
        ci[WEFT_SWEEP_METRICS][WEFT_METRIC_KEY_MAX + 8],
        off[WEFT_SWEEP_KEYS][WEFT_METRIC_KEY_MAX + 16];
    const int most = WEFT_METRIC_KEY_MAX - 1;
    size_t n = 0;
    for (size_t c = 0; c < s->ncolumns; c++)
        names[n++] = weft_sweep_key(s, c);
    names[n++] = "outcome";
    if (s->seeds.n)
        names[n++] = "seeds";
    for (size_t m = 0; m < s->nmetrics; m++) {
        names[n++] = weft_metric_choice_key(&s->metric[m], keys[m]);
        snprintf(ci[m], sizeof ci[m], "%.*s_ci95", most, keys[m]);
        if (s->seeds.n)
            names[n++] = ci[m];
    }
    for (size_t i = 0; i < s->nreferences; i++) {
        snprintf(off[i], sizeof off[i], "%.*s" OFF, most, keys[s->reference[i].metric]);
        names[n++] = off[i];
    }
    names[n++] = "speed_up";
    names[n++] = "folder";
    return weft_path_join(path, dir, "sweep.csv", err) ? NULL : weft_csv_open(path, names, n, err);
}

static void csv_metric(struct weft_csv *csv, const struct weft_metric *m, double v)
{
    if (weft_metric_counts(m) && v >= 0 && v < 0x1p53 && v == floor(v))
        weft_csv_u64(csv, (uint64_t)v);
    else
        weft_csv_f64(csv, v, 6); /* empty when there is none */
}

/* The folders of a row's runs: one, or one for each seed. */
static void csv_folders(struct weft_csv *csv, const struct weft_sweep *s, size_t row)
{
    const size_t n = weft_sweep_points_per_row(s);
    char text[512] = "";
    for (size_t i = 0, at = 0; i < n && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu", i ? " " : "", row * n + i + 1);
    weft_csv_str(csv, text);
}

int weft_sweep_csv_row(struct weft_csv *csv, const struct weft_sweep *s, size_t row,
                       struct weft_err *err)
{
    struct weft_sweep_row r;
    weft_sweep_row(s, row, &r);
    for (size_t c = 0; c < s->ncolumns; c++)
        weft_csv_str(csv, weft_sweep_value(s, c, row));
    weft_csv_str(csv, weft_outcome_name(r.outcome));
    if (s->seeds.n)
        weft_csv_u64(csv, r.nseeds);
    for (size_t m = 0; m < s->nmetrics; m++) {
        csv_metric(csv, s->metric[m].metric, r.metric[m]);
        if (s->seeds.n)
            weft_csv_f64(csv, r.ci95[m], 6);
    }
    for (size_t i = 0; i < s->nreferences; i++)
        weft_csv_f64(csv, weft_sweep_off(s, &s->reference[i], row, &r), 6);
    weft_csv_f64(csv, r.speed_up, 6);
    csv_folders(csv, s, row);
    return weft_csv_row(csv, err);
}
