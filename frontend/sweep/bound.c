/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks bounds on the rows of a sweep: the claims of a study. */
#include "sweep/bound.h"

#include "base/file.h"
#include "sweep/find.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEED_UP = WEFT_SWEEP_METRICS, FOUND };

/* What the rows of a bound came to. */
struct found {
    size_t rows;
    double low, high; /* NaN: some row has no value */
    bool holds;
};

/* "KEY=VALUE": the column of the key, and where the value is on its axis. */
static int read_match(const struct weft_sweep *s, char *text, struct weft_sweep_match *m,
                      struct weft_err *err)
{
    const char *keys[WEFT_SWEEP_KEYS];
    char *value = strchr(text, '=');
    if (!value)
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is not KEY=VALUE", text);
    *value++ = '\0';
    for (m->column = 0; m->column < s->ncolumns; m->column++) {
        keys[m->column] = weft_sweep_key(s, m->column);
        if (strcmp(keys[m->column], text) == 0)
            break;
    }
    if (m->column == s->ncolumns)
        return weft_err_set(err, WEFT_E_INPUT, "%s is not varied%s", text,
                            WEFT_MEANT(text, keys, s->ncolumns, ""));
    const struct weft_sweep_axis *a = &s->axis[s->column[m->column].axis];
    const struct weft_sweep_values *v = &a->value[s->column[m->column].key];
    for (m->place = 0; m->place < v->n; m->place++)
        if (strcmp(v->list[m->place], value) == 0)
            return 0;
    return weft_err_set(err, WEFT_E_INPUT, "%s is not '%s' in any row%s", text, value,
                        WEFT_MEANT(value, v->list, v->n, ""));
}

/* "KEY=VALUE and KEY=VALUE". */
static int read_where(struct weft_sweep *s, struct weft_sweep_bound *b, struct weft_err *err)
{
    static const char joint[] = " and ";
    char *text = b->given->where ? weft_arena_strdup(s->arena, b->given->where) : NULL;
    if (b->given->where && !text)
        return weft_err_no_memory(err, "bounds");
    while (text) {
        char *next = strstr(text, joint);
        if (next) {
            *next = '\0';
            next += sizeof joint - 1;
        }
        if (b->nwhere == WEFT_SWEEP_KEYS)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %d conditions", WEFT_SWEEP_KEYS);
        if (read_match(s, text, &b->where[b->nwhere++], err))
            return err->code;
        text = next;
    }
    return 0;
}

static int read_metric(struct weft_sweep *s, struct weft_sweep_bound *b, struct weft_err *err)
{
    b->metric = SPEED_UP;
    if (strcmp(b->given->metric, "speed-up") == 0)
        return 0;
    b->metric = FOUND;
    if (strcmp(b->given->metric, "found") == 0)
        return s->find ? 0
                       : weft_err_set(err, WEFT_E_INPUT,
                                      "nothing is searched for: <sweep find=\"...\">");
    for (b->metric = 0; b->metric < s->nmetrics; b->metric++)
        if (strcmp(s->metric[b->metric].text, b->given->metric) == 0)
            return 0;
    if (s->nmetrics == WEFT_SWEEP_METRICS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d metrics", WEFT_SWEEP_METRICS);
    if (weft_metric_choose(b->given->metric, &s->metric[s->nmetrics], err))
        return err->code;
    if (s->metric[s->nmetrics].metric->host_dependent)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' depends on the machine; bounds are for simulated results",
                            b->given->metric);
    s->nmetrics++;
    return 0;
}

/* A limit: of a ratio a number, else a value of the metric. */
static int read_limit(const struct weft_sweep *s, const struct weft_sweep_bound *b,
                      const char *text, double *out, struct weft_err *err)
{
    const bool ratio = b->given->over || b->metric == SPEED_UP;
    const struct weft_metric *m = ratio || b->metric == FOUND ? NULL : s->metric[b->metric].metric;
    if (!text)
        return 0;
    if (!ratio && b->metric == FOUND)
        return weft_sweep_number(text, -1, out)
                   ? 0
                   : weft_err_set(err, WEFT_E_INPUT, "'%s' is no number", text);
    if (!weft_sweep_number(text, m ? (int)m->type : WEFT_PARAM_F64, out))
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is no %s", text,
                            m ? weft_param_type_name(m->type) : "number");
    *out = m ? weft_metric_in_unit(m, *out) : *out;
    return 0;
}

/* "reference", or "KEY=VALUE" of another row. */
static int read_over(struct weft_sweep *s, struct weft_sweep_bound *b, struct weft_err *err)
{
    if (!b->given->over)
        return 0;
    if (strcmp(b->given->over, "reference") == 0) {
        b->reference = b->metric < s->nmetrics ? weft_sweep_reference_of(s, b->metric) : NULL;
        return b->reference
                   ? 0
                   : weft_err_set(err, WEFT_E_INPUT, "no axis has " WEFT_SWEEP_REFERENCE "%s",
                                  b->given->metric);
    }
    char *over = weft_arena_strdup(s->arena, b->given->over);
    return over ? read_match(s, over, &b->over, err) : weft_err_no_memory(err, "bounds");
}

static int read_bound(struct weft_sweep *s, struct weft_sweep_bound *b, struct weft_err *err)
{
    b->min = -INFINITY;
    b->max = INFINITY;
    if (read_metric(s, b, err) || read_where(s, b, err) || read_over(s, b, err) ||
        read_limit(s, b, b->given->min, &b->min, err) ||
        read_limit(s, b, b->given->max, &b->max, err))
        return err->code;
    if (b->min > b->max)
        return weft_err_set(err, WEFT_E_INPUT, "min %s is above max %s", b->given->min,
                            b->given->max);
    return 0;
}

int weft_sweep_bounds_read(struct weft_sweep_bounds *b, struct weft_sweep *s,
                           const struct weft_scenario_row_bound *given, size_t n, const char *file,
                           struct weft_err *err)
{
    *b = (struct weft_sweep_bounds){.file = file};
    b->list = (struct weft_sweep_bound *)weft_arena_calloc(s->arena, n + 1, sizeof *b->list);
    if (!b->list)
        return weft_err_no_memory(err, "bounds");
    for (; b->n < n; b->n++) {
        b->list[b->n].given = &given[b->n];
        if (read_bound(s, &b->list[b->n], err)) {
            weft_err_prepend(err, "<bound metric=\"%s\">", given[b->n].metric);
            return weft_err_locate(err, file, given[b->n].line, given[b->n].col);
        }
    }
    return 0;
}

/* How many rows lie between two neighbours on an axis. */
static size_t stride_of(const struct weft_sweep *s, size_t axis)
{
    size_t stride = 1;
    for (size_t k = axis + 1; k < s->naxes; k++)
        stride *= s->axis[k].n;
    return stride;
}

static size_t place_of(const struct weft_sweep *s, size_t axis, size_t row)
{
    return row / stride_of(s, axis) % s->axis[axis].n;
}

static bool matches(const struct weft_sweep *s, const struct weft_sweep_bound *b, size_t row)
{
    for (size_t i = 0; i < b->nwhere; i++) {
        const size_t column = b->where[i].column, axis = s->column[column].axis;
        const struct weft_sweep_values *v = &s->axis[axis].value[s->column[column].key];
        if (strcmp(v->list[place_of(s, axis, row)], v->list[b->where[i].place]) != 0)
            return false;
    }
    return true;
}

/* The value of a row that came to its end; else NaN. */
static double value_in(const struct weft_sweep *s, const struct weft_sweep_bound *b, size_t row)
{
    struct weft_sweep_row r;
    if (b->metric == FOUND)
        return weft_sweep_found(s->find, s, row);
    weft_sweep_row(s, row, &r);
    if (!weft_outcome_is_good(r.outcome))
        return NAN;
    return b->metric == SPEED_UP ? r.speed_up : r.metric[b->metric];
}

static double value_of(const struct weft_sweep *s, const struct weft_sweep_bound *b, size_t row)
{
    const double v = value_in(s, b, row);
    if (!b->given->over)
        return v;
    if (b->reference)
        return v / weft_sweep_reference_value(s, b->reference, row);
    const size_t axis = s->column[b->over.column].axis, stride = stride_of(s, axis);
    const size_t other = row - place_of(s, axis, row) * stride + b->over.place * stride;
    return v / value_in(s, b, other);
}

static struct found bound_look(const struct weft_sweep *s, const struct weft_sweep_bound *b)
{
    struct found f = {.low = INFINITY, .high = -INFINITY, .holds = true};
    for (size_t row = 0; row < s->nrows; row++) {
        if (!matches(s, b, row) || (b->metric == FOUND && place_of(s, s->find->axis, row) > 0))
            continue;
        const double v = value_of(s, b, row);
        f.rows++;
        f.holds = f.holds && v >= b->min && v <= b->max; /* NaN: no */
        f.low = v < f.low || isnan(v) ? v : f.low;
        f.high = v > f.high || isnan(v) ? v : f.high;
    }
    return f;
}

static const char *bound_number(const struct weft_sweep *s, const struct weft_sweep_bound *b,
                                double v, char buf[WEFT_METRIC_TEXT_MAX])
{
    if (!b->given->over && b->metric == FOUND) {
        snprintf(buf, WEFT_METRIC_TEXT_MAX, "%s", weft_sweep_found_text(s->find, s, v));
        return buf;
    }
    if (!b->given->over && b->metric != SPEED_UP)
        return weft_sweep_metric_text(s->metric[b->metric].metric, v, buf);
    snprintf(buf, WEFT_METRIC_TEXT_MAX, isnan(v) ? "n/a" : "%.4g", v);
    return buf;
}

/* "end-to-end, KEY=VALUE, over KEY=VALUE: 1.2 us to 3 us in 4 rows, expected at most 4us". */
static void bound_describe(const struct weft_sweep *s, const struct weft_sweep_bound *b,
                           const struct found *f, FILE *out)
{
    const struct weft_scenario_row_bound *given = b->given;
    char low[WEFT_METRIC_TEXT_MAX], high[WEFT_METRIC_TEXT_MAX];
    bound_number(s, b, f->low, low);
    bound_number(s, b, f->high, high);
    fprintf(out, "%s%s%s%s%s: %s", given->metric, given->where ? ", " : "",
            given->where ? given->where : "",
            b->reference  ? ", over the "
            : given->over ? ", over that of "
                          : "",
            given->over ? given->over : "", low);
    if (strcmp(low, high) != 0)
        fprintf(out, " to %s", high);
    if (f->rows > 1)
        fprintf(out, " in %zu rows", f->rows);
    if (given->min && given->max)
        fprintf(out, ", expected %s to %s", given->min, given->max);
    else
        fprintf(out, ", expected at %s %s", given->min ? "least" : "most",
                given->min ? given->min : given->max);
    if (given->why)
        fprintf(out, ": %s", given->why);
}

void weft_sweep_bounds_text(FILE *out, const struct weft_sweep_bounds *b,
                            const struct weft_sweep *s)
{
    if (b->n)
        fputs("\nclaims\n", out);
    for (size_t i = 0; i < b->n; i++) {
        const struct found f = bound_look(s, &b->list[i]);
        fprintf(out, "  %-6s ", f.holds ? "ok" : "MISSED");
        bound_describe(s, &b->list[i], &f, out);
        fputc('\n', out);
    }
}

void weft_sweep_bounds_json(struct weft_json *j, const struct weft_sweep_bounds *b,
                            const struct weft_sweep *s)
{
    weft_json_kv_array(j, "bounds");
    for (size_t i = 0; i < b->n; i++) {
        const struct weft_scenario_row_bound *given = b->list[i].given;
        const struct found f = bound_look(s, &b->list[i]);
        weft_json_object(j);
        weft_json_kv_str(j, "metric", given->metric);
        weft_json_kv_str(j, "where", given->where);
        weft_json_kv_str(j, "over", given->over);
        weft_json_kv_str(j, "min", given->min);
        weft_json_kv_str(j, "max", given->max);
        weft_json_kv_str(j, "why", given->why);
        weft_json_kv_u64(j, "rows", f.rows);
        weft_json_kv_f64(j, "low", f.low);
        weft_json_kv_f64(j, "high", f.high);
        weft_json_kv_bool(j, "holds", f.holds);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

int weft_sweep_bounds_check(const struct weft_sweep_bounds *b, const struct weft_sweep *s,
                            struct weft_log *log)
{
    struct weft_err ignored = {0};
    int code = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct found f = bound_look(s, &b->list[i]);
        struct weft_memfile t;
        if (f.holds)
            continue;
        code = WEFT_E_OUTCOME;
        if (weft_memfile_open(&t, "a bound", &ignored))
            continue;
        bound_describe(s, &b->list[i], &f, t.f);
        if (!weft_memfile_close(&t, "a bound", &ignored))
            weft_log(log, WEFT_LOG_ERROR, "%s:%" PRId64 ": bound missed: %.*s", b->file,
                     b->list[i].given->line, (int)t.size, t.data);
        free(t.data);
    }
    return code;
}
