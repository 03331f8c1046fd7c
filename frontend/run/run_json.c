/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the run.json of a scenario. */
#include "run/run_json.h"

#include "base/plugin.h"
#include "command/versions.h"
#include "run/processes_alone.h"
#include "run/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

void weft_run_json_results(struct weft_json *j, const struct weft_execution *x)
{
    char key[WEFT_METRIC_KEY_MAX];
    if (x->nmetrics) {
        weft_json_kv_object(j, "metrics");
        for (size_t i = 0; i < x->nmetrics; i++) {
            const struct weft_metric_choice *c = &x->metrics[i];
            weft_json_kv_f64(
                j, weft_metric_choice_key(c, key),
                weft_metric_in_unit(c->metric, weft_metric_choice_value(c, &x->end.summary)));
        }
        weft_json_end_object(j);
    }
    weft_json_key(j, "summary");
    weft_summary_json(j, &x->end.summary, x->parts.fabric);
}

/* A setting that is not at its default, and who gave it. */
static void run_json_given_value(struct weft_json *j, const struct weft_scenario_group *g, size_t i,
                                 const void *defaults)
{
    const struct weft_param *p = &g->table->params[i];
    char key[160], buf[WEFT_PARAM_TEXT_MAX], def[WEFT_PARAM_TEXT_MAX];
    const bool text = p->type == WEFT_PARAM_STRING;
    const char *value = text ? *(const char *const *)((const char *)g->values + p->offset)
                             : weft_params_format(p, g->values, buf, sizeof buf);
    const char *usual = text ? p->def : weft_params_format(p, defaults, def, sizeof def);
    if (g->origins[i].kind == WEFT_ORIGIN_DEFAULT || !value ||
        strcmp(value, usual ? usual : "") == 0)
        return;
    snprintf(key, sizeof key, "%s.%s", g->prefix, p->name);
    weft_json_kv_object(j, key);
    weft_json_kv_str(j, "value", value);
    weft_json_kv_str(j, "default", usual);
    weft_json_kv_str(j, "from", weft_origin_name(g->origins[i].kind));
    weft_json_end_object(j);
}

/* The settings that are not at their defaults. */
static void run_json_given(struct weft_json *j, const struct weft_scenario *s)
{
    weft_json_object(j);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        void *defaults = calloc(1, g->table->struct_size + 1);
        char key[160];
        if (g->selector && g->selected_from.kind != WEFT_ORIGIN_DEFAULT) {
            snprintf(key, sizeof key, "%s.%s", g->label, g->selector);
            weft_json_kv_object(j, key);
            weft_json_kv_str(j, "value", g->selected);
            weft_json_kv_str(j, "default", NULL);
            weft_json_kv_str(j, "from", weft_origin_name(g->selected_from.kind));
            weft_json_end_object(j);
        }
        if (defaults && !weft_params_defaults(g->table, defaults, &(struct weft_err){0}))
            for (size_t k = 0; k < g->table->n; k++)
                run_json_given_value(j, g, k, defaults);
        free(defaults);
    }
    weft_json_end_object(j);
}

void weft_run_json_of_scenario(struct weft_json *j, const void *ctx)
{
    const struct weft_run_json_source *c = (const struct weft_run_json_source *)ctx;
    const struct weft_scenario *s = c->x->scenario;
    struct weft_version v[WEFT_VERSIONS];
    struct utsname host;
    char started[32] = "";
    struct tm tm;
    time_t t = (time_t)c->x->started_unix_s;
    weft_json_kv_str(j, "scenario", s->name);
    weft_json_kv_str(j, "file", s->file);
    if (c->outcome)
        weft_outcome_json(j, c->outcome, c->reason);
    else
        weft_outcome_json(j, c->x->end.summary.outcome, c->x->end.reason);
    weft_json_kv_object(j, "versions");
    weft_versions(c->cli, v);
    for (int i = 0; i < WEFT_VERSIONS; i++)
        weft_json_kv_str(j, v[i].name, v[i].value);
    weft_json_end_object(j);
    weft_json_kv_object(j, "machine");
    if (uname(&host) == 0) {
        weft_json_kv_str(j, "name", host.nodename);
        weft_json_kv_str(j, "kernel", host.release);
        weft_json_kv_str(j, "architecture", host.machine);
    }
    if (gmtime_r(&t, &tm))
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &tm);
    weft_json_kv_str(j, "started", started);
    weft_json_end_object(j);
    weft_processes_json(j, c->cli);
    if (c->x->files) {
        weft_json_kv_array(j, "files");
        for (size_t i = 0; i < c->x->files->n; i++)
            weft_json_str(j, c->x->files->names[i]);
        weft_json_end_array(j);
    }
    size_t nplugins;
    const char *const *plugins = weft_plugin_files(&nplugins);
    weft_json_kv_array(j, "plugins");
    for (size_t i = 0; i < nplugins; i++)
        weft_json_str(j, plugins[i]);
    weft_json_end_array(j);
    if (c->x->memo.file) {
        snprintf(started, sizeof started, "%016" PRIx64, c->x->memo.hash);
        weft_json_key(j, "replay_memo");
        weft_json_object(j);
        weft_json_kv_str(j, "file", c->x->memo.file);
        weft_json_kv_str(j, "fingerprint", c->x->memo.data ? started : NULL);
        weft_json_end_object(j);
    }
    weft_json_key(j, "warnings");
    weft_source_warnings_json(j, s);
    weft_json_key(j, "offered_load");
    weft_source_offered_json(j, s);
    weft_json_key(j, "config");
    weft_source_config_json(j, s);
    weft_json_kv_array(j, "overrides");
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        char key[160];
        if (g->selector && g->selected_from.kind == WEFT_ORIGIN_OVERRIDE) {
            snprintf(key, sizeof key, "%s.%s", g->label, g->selector);
            weft_json_str(j, key);
        }
        for (size_t k = 0; k < g->table->n; k++) {
            if (g->origins[k].kind != WEFT_ORIGIN_OVERRIDE)
                continue;
            snprintf(key, sizeof key, "%s.%s", g->prefix, g->table->params[k].name);
            weft_json_str(j, key);
        }
    }
    weft_json_end_array(j);
    weft_json_key(j, "given");
    run_json_given(j, s);
    if (!c->outcome)
        weft_run_json_results(j, c->x);
}

void weft_run_json_answer(struct weft_json *j, const struct weft_cli *cli, const char *command,
                          const struct weft_execution *x, const char *out_dir, int exit_code)
{
    weft_json_init(j, cli->out, "standard output", 2);
    weft_json_object(j);
    weft_json_kv_u64(j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(j, "command", command);
    weft_json_kv_i64(j, "exit_code", exit_code);
    weft_json_kv_str(j, "out", out_dir);
    weft_outcome_json(j, x->end.summary.outcome, x->end.reason);
    weft_processes_json(j, cli);
    weft_json_key(j, "warnings");
    weft_source_warnings_json(j, x->scenario);
    weft_run_json_results(j, x);
}
