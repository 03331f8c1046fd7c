/* SPDX-License-Identifier: GPL-2.0-only */
/* weft compare: what differs between two runs, and what moved. */
#include "base/json.h"
#include "cli/cli_internal.h"
#include "command/command.h"
#include "report/compare.h"
#include "report/figure_text.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = WEFT_FIGURE_TEXT_MAX, SHOWN_MAX = 20 };

struct compare_opts {
    bool json, all;
    const char *tolerance, *html;
    struct weft_strings metrics;
};

#define WEFT_OPTS struct compare_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("tolerance", 't', tolerance, "PERCENT",
              "exit 1 when a figure of the simulated network moved by more; 0: when any moved"),
    WEFT_TEXTS("metric", 'm', metrics, "NAME",
               "look at this figure alone; repeatable; names: weft show output"),
    WEFT_FLAG("all", 'a', all, "list all figures, also those that moved little or not at all"),
    WEFT_FLAG("json", 0, json, "print as JSON"),
    WEFT_TEXT("html", 0, html, "FILE",
              "also write it there as a page with the figures of both (weft report)"),
};

/* ---- what is asked for ---- */

/* Whether @p metric is the figure @p name by the other of its two names. */
static bool is_other_name(const char *name, const char *metric)
{
    char buf[VALUE_MAX];
    const char *dot = strrchr(metric, '.'), *last = dot ? dot + 1 : metric;
    const size_t n = (size_t)(last - metric);
    const char *other = weft_metric_other_name(last, buf, sizeof buf);
    return other && strncmp(name, metric, n) == 0 && strcmp(name + n, other) == 0;
}

static bool is_requested(const struct compare_opts *o, const struct weft_figure_difference *d)
{
    char buf[VALUE_MAX];
    const char *name = weft_figure_name(d->key, buf);
    for (size_t i = 0; i < o->metrics.n; i++)
        if (strcmp(name, o->metrics.list[i]) == 0 || strcmp(d->key, o->metrics.list[i]) == 0 ||
            is_other_name(name, o->metrics.list[i]))
            return true;
    return !o->metrics.n;
}

/* Every --metric must be a figure of both runs. */
static int check_metrics(const struct weft_comparison *c, const struct compare_opts *o,
                         struct weft_err *err)
{
    for (size_t i = 0; i < o->metrics.n; i++) {
        const struct compare_opts one = {.metrics = {&o->metrics.list[i], 1}};
        bool found = false;
        for (size_t k = 0; k < c->nfigures; k++)
            found |= is_requested(&one, &c->figures[k]);
        if (!found)
            return weft_err_set(err, WEFT_E_INPUT, "the runs do not both have a figure '%s'%s",
                                o->metrics.list[i], "; weft compare --all lists those they have");
    }
    return 0;
}

/* Whether it moved by more than the tolerance, which is negative where none was given. */
static bool is_beyond(const struct weft_figure_difference *d, double tolerance)
{
    return tolerance >= 0 && !d->of_host && fabs(d->change) > tolerance;
}

static int read_tolerance(const char *text, double *out, struct weft_err *err)
{
    char *end;
    *out = -1;
    if (!text)
        return 0;
    *out = strtod(text, &end) / 100;
    if (end == text || (*end && strcmp(end, "%") != 0) || !(*out >= 0 && *out < 1e6))
        return weft_err_set(err, WEFT_E_USAGE,
                            "--tolerance %s: it is in percent, at least 0, such as 2.5", text);
    return 0;
}

/* ---- for people ---- */

static void print_runs(FILE *out, const struct weft_comparison *c)
{
    for (int side = 0; side < 2; side++)
        fprintf(out, "%s  %s: %s, %s%s\n", side ? "B" : "A", c->run[side].dir,
                c->run[side].scenario, c->run[side].outcome,
                c->run[side].partial ? " (partial results)" : "");
}

static void print_settings(FILE *out, const struct weft_comparison *c)
{
    if (!c->nsettings) {
        fputs("all settings are the same\n", out);
        return;
    }
    fprintf(out, "%-36s %-22s %s\n", "settings that differ", "A", "B");
    for (size_t i = 0; i < c->nsettings; i++) {
        const struct weft_setting_difference *d = &c->settings[i];
        const char *v[2];
        for (int side = 0; side < 2; side++)
            v[side] = !d->v[side] ? "(no such setting)" : d->v[side][0] ? d->v[side] : "(empty)";
        fprintf(out, "  %-34s %-22s %s\n", d->key, v[0], v[1]);
    }
}

static void print_figure(FILE *out, const struct weft_figure_difference *d, double tolerance)
{
    char name[VALUE_MAX], a[VALUE_MAX], b[VALUE_MAX], by[VALUE_MAX];
    fprintf(out, "  %-34s %-14s %-14s %s%s\n", weft_figure_name(d->key, name),
            weft_figure_value(d->key, d->v[0], a), weft_figure_value(d->key, d->v[1], b),
            weft_figure_change(d->change, by),
            is_beyond(d, tolerance) ? "  beyond the tolerance" : "");
}

/* What a run is looked at for comes first, however little it moved. */
static void print_headlines(FILE *out, const struct weft_comparison *c,
                            const struct compare_opts *o, double tolerance)
{
    static const char *const keys[] = {"end_to_end_ns", "exposed_communication_max_ns",
                                       "fct_p99_ns", "slowdown_p99"};
    fprintf(out, "%-36s %-14s %-14s %s\n", "figures", "A", "B", "from A to B");
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        for (size_t i = 0; i < c->nfigures; i++) /* requested ones stand below */
            if (!o->metrics.n && strcmp(c->figures[i].key, keys[k]) == 0)
                print_figure(out, &c->figures[i], tolerance);
}

static void print_figures(FILE *out, const struct weft_comparison *c, const struct compare_opts *o,
                          double tolerance)
{
    size_t shown = 0, left = 0;
    if (!c->nmoved && !o->all)
        fputs("no figure of the simulated network moved\n", out);
    else
        fputs(o->all ? "all figures, those that moved furthest first\n"
                     : "those that moved, furthest first\n",
              out);
    for (size_t i = 0; i < c->nfigures; i++) {
        const struct weft_figure_difference *d = &c->figures[i];
        if (d->of_host || !is_requested(o, d) || (!o->all && d->change == 0))
            continue;
        if (!o->all && shown == SHOWN_MAX && !is_beyond(d, tolerance)) {
            left++;
            continue;
        }
        shown += shown < SHOWN_MAX;
        print_figure(out, d, tolerance);
    }
    if (left)
        fprintf(out, "  ... and %zu more that moved less; --all lists them\n", left);
    if (!o->metrics.n)
        fprintf(out, "%zu of %zu figures are equal\n", c->nnetwork - c->nmoved, c->nnetwork);
}

static void print_one_sided(FILE *out, const struct weft_comparison *c)
{
    if (!c->none_sided)
        return;
    fprintf(out, "only one of the runs has");
    for (size_t i = 0; i < c->none_sided; i++)
        fprintf(out, "%s %s", i ? "," : "", c->one_sided[i]);
    fputc('\n', out);
}

static void print_host(FILE *out, const struct weft_comparison *c, const struct compare_opts *o)
{
    bool any = false;
    for (size_t i = 0; i < c->nfigures; i++) {
        if (!c->figures[i].of_host || !is_requested(o, &c->figures[i]))
            continue;
        if (!any)
            fputs("of the machine that simulated, not compared\n", out);
        any = true;
        print_figure(out, &c->figures[i], -1);
    }
}

/* ---- for programs ---- */

static void json_runs(struct weft_json *j, const struct weft_comparison *c)
{
    weft_json_kv_array(j, "runs");
    for (int side = 0; side < 2; side++) {
        weft_json_object(j);
        weft_json_kv_str(j, "folder", c->run[side].dir);
        weft_json_kv_str(j, "scenario", c->run[side].scenario);
        weft_json_kv_str(j, "outcome", c->run[side].outcome);
        weft_json_kv_bool(j, "partial", c->run[side].partial);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

static void json_settings(struct weft_json *j, const struct weft_comparison *c)
{
    weft_json_kv_array(j, "settings");
    for (size_t i = 0; i < c->nsettings; i++) {
        weft_json_object(j);
        weft_json_kv_str(j, "key", c->settings[i].key);
        weft_json_kv_str(j, "a", c->settings[i].v[0]);
        weft_json_kv_str(j, "b", c->settings[i].v[1]);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

static void json_figures(struct weft_json *j, const struct weft_comparison *c,
                         const struct compare_opts *o, double tolerance)
{
    weft_json_kv_array(j, "figures");
    for (size_t i = 0; i < c->nfigures; i++) {
        const struct weft_figure_difference *d = &c->figures[i];
        if (!is_requested(o, d) || (!o->all && d->change == 0))
            continue;
        weft_json_object(j);
        weft_json_kv_str(j, "key", d->key);
        weft_json_kv_f64(j, "a", d->v[0]);
        weft_json_kv_f64(j, "b", d->v[1]);
        weft_json_kv_f64(j, "change", isinf(d->change) ? NAN : d->change);
        weft_json_kv_bool(j, "host_dependent", d->of_host);
        weft_json_kv_bool(j, "beyond_tolerance", is_beyond(d, tolerance));
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

static int compare_print_json(const struct weft_cli *cli, const struct weft_comparison *c,
                              const struct compare_opts *o, double tolerance, struct weft_err *err)
{
    struct weft_json j;
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "compare");
    json_runs(&j, c);
    json_settings(&j, c);
    json_figures(&j, c, o, tolerance);
    weft_json_kv_array(&j, "only_in_one");
    for (size_t i = 0; i < c->none_sided; i++)
        weft_json_str(&j, c->one_sided[i]);
    weft_json_end_array(&j);
    weft_json_end_object(&j);
    return weft_json_finish(&j, err);
}

/* ---- as a page ---- */

static int write_page(const struct weft_cli *cli, const char *const dirs[2], const char *path,
                      struct weft_err *err)
{
    struct weft_runs runs;
    int code = weft_runs_open(dirs, 2, NULL, 0, &runs, err);
    if (!code && runs.n != 2)
        code = weft_err_set(err, WEFT_E_USAGE, "--html compares two runs, not sweeps");
    code = code ? code : weft_report_page(cli->err, &runs, path, err);
    weft_runs_close(&runs);
    return code;
}

/* ---- the command ---- */

static int compare_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                       struct weft_err *err)
{
    const struct compare_opts *o = (const struct compare_opts *)opts;
    double tolerance;
    if (nargs != 2)
        return weft_err_set(err, WEFT_E_USAGE, "compare needs the folders of two runs");
    if (read_tolerance(o->tolerance, &tolerance, err))
        return err->code;
    const char *const dirs[2] = {args[0], args[1]};
    struct weft_comparison *c = weft_compare_load(dirs, err);
    if (!c)
        return err->code;
    int code = check_metrics(c, o, err);
    if (!code && o->json) {
        code = compare_print_json(cli, c, o, tolerance, err);
    } else if (!code) {
        print_runs(cli->out, c);
        print_settings(cli->out, c);
        print_headlines(cli->out, c, o, tolerance);
        if (c->nmoved && !o->metrics.n)
            code = weft_compare_causes(cli->out, dirs, err);
        print_figures(cli->out, c, o, tolerance);
        print_one_sided(cli->out, c);
        print_host(cli->out, c, o);
    }
    if (!code && o->html)
        code = write_page(cli, dirs, o->html, err);
    for (size_t i = 0; !code && i < c->nfigures; i++)
        if (is_requested(o, &c->figures[i]) && is_beyond(&c->figures[i], tolerance))
            code = WEFT_E_OUTCOME;
    weft_comparison_free(c);
    return code;
}

const struct weft_command weft_command_compare = {
    .name = "compare",
    .summary = "Say what differs between two runs, and what moved",
    .usage = "DIR DIR [--tolerance PERCENT] [--html FILE]",
    .example = "weft compare out/before out/after --tolerance 2",
    .details = "DIR is the folder of a run (weft run --out). Settings that differ come first, then "
               "the figures of the summary, those\n"
               "that moved furthest first. Wall time, memory and other figures of the machine are "
               "shown and not held to the tolerance.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = compare_run,
};
