/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft sweep: a scenario run with every combination of some settings, as one table.
 *
 * The values of the first --vary change slowest. The last one is what is compared: the speed-up of
 * a row is the end-to-end time with the first value of it, everything else the same, divided by
 * that of the row.
 */
#include "cli/execute.h"
#include "cli/source.h"
#include "cli/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 4096 };

struct sweep_opts {
    struct weft_source_opts source;
    struct weft_strings vary, metrics;
    const char *out;
    int json;
};

static const struct weft_opt options[] = {
    {"vary", 'v', WEFT_OPT_TEXTS, offsetof(struct sweep_opts, vary), "KEY=A|B|C", NULL,
     "run with each of these values of a setting; repeatable: every combination"},
    {"metric", 'm', WEFT_OPT_TEXTS, offsetof(struct sweep_opts, metrics), "NAME", NULL,
     "show this metric ('weft show output'); repeatable; default: end-to-end, "
     "dimension-utilisation"},
    WEFT_SOURCE_OPTS(sweep_opts),
    {"out", 'o', WEFT_OPT_TEXT, offsetof(struct sweep_opts, out), "DIR", NULL,
     "write sweep.csv and a run folder per row there; default: no files"},
    {"json", 0, WEFT_OPT_FLAG, offsetof(struct sweep_opts, json), NULL, NULL, "print as JSON"},
};

static int read_opts(const struct sweep_opts *o, struct weft_sweep *s, struct weft_err *err)
{
    static const char *const usual[] = {"end-to-end", "dimension-utilisation"};
    const char *const *names = o->metrics.n ? o->metrics.list : usual;
    s->nmetrics = o->metrics.n ? o->metrics.n : sizeof usual / sizeof usual[0];
    if (!o->vary.n)
        return weft_err_set(err, WEFT_E_USAGE,
                            "nothing to vary: --vary KEY=VALUE|VALUE, such as "
                            "--vary system.inter-dimension='baseline|themis'");
    if (o->vary.n > WEFT_SWEEP_KEYS || s->nmetrics > WEFT_SWEEP_METRICS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d --vary or %d --metric",
                            WEFT_SWEEP_KEYS, WEFT_SWEEP_METRICS);
    s->nrows = 1;
    for (; s->naxes < o->vary.n; s->naxes++) {
        struct weft_sweep_axis *a = &s->axis[s->naxes];
        if (weft_sweep_read_axis(o->vary.list[s->naxes], a, err))
            return err->code;
        for (size_t k = 0; k < s->naxes; k++)
            if (strcmp(s->axis[k].key, a->key) == 0)
                return weft_err_set(err, WEFT_E_USAGE, "--vary %s is given twice", a->key);
        s->nrows *= a->n;
        if (s->nrows > MAX_ROWS)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %d combinations", MAX_ROWS);
    }
    for (size_t m = 0; m < s->nmetrics; m++) {
        s->metric[m] = weft_metric_find(names[m], err);
        if (!s->metric[m])
            return err->code;
    }
    s->rows = (struct weft_sweep_row *)calloc(s->nrows, sizeof *s->rows);
    return s->rows ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory");
}

static int run_row(const struct weft_cli *cli, const struct sweep_opts *o, struct weft_sweep *s,
                   size_t row, char **args, int nargs, struct weft_err *err)
{
    struct weft_source_opts source = o->source;
    struct weft_execution x = {0};
    struct weft_scenario *scenario = NULL;
    char dir[WEFT_PATH_MAX], name[32], *text[WEFT_SWEEP_KEYS] = {0};
    int code = 0;
    source.set.list = (const char **)calloc(o->source.set.n + s->naxes, sizeof *source.set.list);
    if (!source.set.list)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory");
    if (o->source.set.n)
        memcpy(source.set.list, o->source.set.list, o->source.set.n * sizeof *source.set.list);
    for (size_t k = 0; !code && k < s->naxes; k++) {
        size_t size = strlen(s->axis[k].key) + strlen(weft_sweep_value(s, k, row)) + 2;
        text[k] = (char *)malloc(size);
        if (!text[k])
            code = weft_err_set(err, WEFT_E_LIMIT, "out of memory");
        else
            snprintf(text[k], size, "%s=%s", s->axis[k].key, weft_sweep_value(s, k, row));
        source.set.list[source.set.n++] = text[k];
    }
    struct weft_execute_opts eo = {0};
    if (!code && o->out) {
        snprintf(name, sizeof name, "%zu", row + 1);
        code = weft_path_join(dir, o->out, name, err);
        eo.out_dir = dir;
    }
    code = code ? code : weft_source_load(cli, &source, args, nargs, &scenario, err);
    code = code ? code : weft_execute(cli, scenario, &eo, &x, err);
    if (!code) {
        struct weft_sweep_row *r = &s->rows[row];
        r->outcome = x.summary.outcome;
        r->end_ps = (double)x.summary.end_ps;
        for (size_t m = 0; m < s->nmetrics; m++)
            r->metric[m] = weft_metric_value(s->metric[m], &x.summary);
        const struct weft_sweep_row *first = &s->rows[row - row % s->axis[s->naxes - 1].n];
        r->speed_up = NAN;
        if (r->end_ps > 0 && strcmp(r->outcome, "finished") == 0 &&
            strcmp(first->outcome, "finished") == 0)
            r->speed_up = first->end_ps / r->end_ps;
        code = x.code;
    } else {
        for (size_t k = s->naxes; k-- > 0;)
            weft_err_prepend(err, "%s=%s", s->axis[k].key, weft_sweep_value(s, k, row));
    }
    weft_execution_free(&x);
    weft_scenario_free(scenario);
    for (size_t k = 0; k < s->naxes; k++)
        free(text[k]);
    free(source.set.list);
    return code;
}

static int sweep(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                 struct weft_err *err)
{
    const struct sweep_opts *o = (const struct sweep_opts *)opts;
    struct weft_sweep s = {0};
    int bad = 0, code = read_opts(o, &s, err);
    if (!code && o->out)
        code = weft_mkdir_p(o->out, err);
    for (size_t r = 0; !code && r < s.nrows; r++) {
        code = run_row(cli, o, &s, r, args, nargs, err);
        if (code == WEFT_E_OUTCOME && s.rows[r].outcome) { /* it is a row all the same */
            bad = 1;
            code = 0;
        }
    }
    if (!code && o->out)
        code = weft_sweep_csv(o->out, &s, err);
    if (!code && o->json)
        weft_sweep_json(cli->out, &s);
    else if (!code)
        weft_sweep_text(cli->out, &s);
    for (size_t k = 0; k < WEFT_SWEEP_KEYS; k++)
        free(s.axis[k].text);
    free(s.rows);
    return code ? code : bad ? WEFT_E_OUTCOME : 0;
}

const struct weft_command weft_command_sweep = {
    .name = "sweep",
    .summary = "Run a scenario with every combination of some settings and compare",
    .usage = "[SCENARIO] --vary KEY=A|B... [--vary ...] [--metric NAME]... [--set KEY=VALUE]...",
    .example = "weft sweep scenarios/schedulers-4x4x4 --vary "
               "'system.inter-dimension=baseline|round-robin|themis'",
    .details = "The first --vary changes slowest. 'speed-up' compares the values of the last one: "
               "the end-to-end time with\nits first value, everything else the same, divided by "
               "that of the row.\n"
               "Quote the bars for the shell. Rows that did not finish show the outcome instead, "
               "and the exit code is 1.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct sweep_opts),
    .run = sweep,
};
