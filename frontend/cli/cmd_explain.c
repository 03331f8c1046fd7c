/* SPDX-License-Identifier: GPL-2.0-only */
/* weft explain: what a setting is, what it needs, what needs it, and what it does in a scenario. */
#include "cli/cli_internal.h"

#include "command/listing.h"
#include "report/report.h"
#include "run/source.h"

#include "base/compare.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct explain_opts {
    struct weft_source_opts source;
    bool json;
};

#define WEFT_OPTS struct explain_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_FLAG("json", 0, json, "print as JSON"),
};

/* Calls @p fn for every parameter of every table. */
static void each_param(const struct weft_cli *cli,
                       void (*fn)(void *ctx, const char *prefix, const struct weft_param *p),
                       void *ctx)
{
    size_t n;
    struct weft_listed e;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0;
             strcmp(l[i].singular, "transform") != 0 && strcmp(l[i].singular, "fault") != 0 &&
             strcmp(l[i].singular, "balancer") != 0 && l[i].get(cli, k, &e);
             k++) {
            for (size_t m = 0; e.params && m < e.params->n; m++)
                fn(ctx, e.name, &e.params->params[m]);
        }
    for (size_t m = 0; m < weft_job_param_table.n; m++)
        fn(ctx, "WORKLOAD", &weft_job_param_table.params[m]);
}

/* A key taken apart, and what was found of it. */
struct wanted {
    const char *key, *name; /* "pfc.quanta", "quanta" */
    size_t prefix;          /* length of "pfc" */
    const struct weft_param *found;
    const char **keys; /* all there are, to name the nearest; their texts are owned */
    size_t nkeys, capacity;
    FILE *out;
    struct weft_json *json;
};

static void explain_find(void *ctx, const char *prefix, const struct weft_param *p)
{
    struct wanted *w = (struct wanted *)ctx;
    if (!w->found && strlen(prefix) == w->prefix && strncmp(prefix, w->key, w->prefix) == 0 &&
        strcmp(p->name, w->name) == 0)
        w->found = p;
}

static void explain_collect(void *ctx, const char *prefix, const struct weft_param *p)
{
    struct wanted *w = (struct wanted *)ctx;
    const size_t size = strlen(prefix) + strlen(p->name) + 2;
    if (!WEFT_GROW(w->keys, w->nkeys, &w->capacity))
        return;
    char *key = (char *)malloc(size);
    if (!key)
        return;
    snprintf(key, size, "%s.%s", prefix, p->name);
    w->keys[w->nkeys++] = key;
}

static void free_keys(struct wanted *w)
{
    for (size_t i = 0; i < w->nkeys; i++)
        free((void *)(uintptr_t)w->keys[i]);
    free(w->keys);
}

static bool ends_word(char c)
{
    return !c || strchr(" =!|", c) != NULL;
}

/* Whether what stands at @p at is what a list is to have or to lack, and no key. */
static bool is_operand(const char *needs, const char *at)
{
    const size_t before = (size_t)(at - needs);
    return (before >= 5 && memcmp(at - 5, " has ", 5) == 0) ||
           (before >= 7 && memcmp(at - 7, " lacks ", 7) == 0);
}

/* Whether the text of a condition names @p key at the begin of a word, or behind a '$'. */
static bool mentions(const char *needs, const char *key)
{
    const size_t n = strlen(key);
    for (const char *p = needs; (p = strstr(p, key)); p++)
        if ((p == needs || p[-1] == ' ' || p[-1] == '$') && ends_word(p[n]) &&
            !is_operand(needs, p))
            return true;
    return false;
}

/* Tells a parameter whose effect depends on the one that is explained. */
static void print_dependent(void *ctx, const char *prefix, const struct weft_param *p)
{
    struct wanted *w = (struct wanted *)ctx;
    const bool own = strlen(prefix) == w->prefix && strncmp(prefix, w->key, w->prefix) == 0;
    char key[160];
    if (!p->needs || !(mentions(p->needs, w->key) || (own && mentions(p->needs, w->name))))
        return;
    snprintf(key, sizeof key, "%s.%s", prefix, p->name);
    if (!w->json) {
        fprintf(w->out, "%s  %s\n", w->nkeys++ ? "" : "decides whether these matter:\n", key);
        return;
    }
    weft_json_object(w->json);
    weft_json_kv_str(w->json, "key", key);
    weft_json_kv_str(w->json, "needs", p->needs);
    weft_json_end_object(w->json);
}

/* A setting in a scenario. */
struct in_scenario {
    const char *name; /* of the scenario */
    char value[WEFT_PARAM_TEXT_MAX + 256], why[1024];
    struct weft_origin origin;
    bool there; /* it is one of the scenario's */
    bool idle;  /* it has no effect, and why says why not */
};

static void look_at(struct in_scenario *in, const struct weft_scenario *s, const char *key)
{
    char buf[WEFT_PARAM_TEXT_MAX], own[160];
    for (size_t i = 0; i < s->ngroups; i++)
        for (size_t k = 0; k < s->groups[i].table->n; k++) {
            const struct weft_scenario_group *g = &s->groups[i];
            snprintf(own, sizeof own, "%s.%s", g->prefix, g->table->params[k].name);
            if (strcmp(own, key) != 0)
                continue;
            in->there = true;
            in->origin = g->origins[k];
            snprintf(in->value, sizeof in->value, "%s", weft_scenario_value_text(g, k, buf));
        }
}

/* A value that is given gets a warning when it has no effect: gives it once more. */
static int ask(const struct weft_cli *cli, const struct explain_opts *o, char **args, int nargs,
               const char *key, struct in_scenario *in, struct weft_err *err)
{
    static const char idle[] = ": has no effect: ";
    struct weft_log silent = {.level = WEFT_LOG_ERROR};
    struct weft_cli quiet = *cli;
    struct weft_source_opts more = o->source;
    struct weft_scenario *s = NULL, *again = NULL;
    struct weft_err ignored = {0};
    char set[sizeof in->value + 160];
    quiet.log = &silent;
    if (weft_source_load(&quiet, &o->source, args, nargs, &s, err))
        return err->code;
    in->name = args && nargs ? args[0] : "these settings";
    look_at(in, s, key);
    const char **list = (const char **)calloc(o->source.set.n + 1, sizeof *list);
    for (size_t i = 0; list && i < o->source.set.n; i++)
        list[i] = o->source.set.list[i];
    snprintf(set, sizeof set, "%s=%s", key, in->value);
    if (list) {
        list[o->source.set.n] = set;
        more.set = (struct weft_strings){list, o->source.set.n + 1};
    }
    if (list && in->there && !weft_source_load(&quiet, &more, args, nargs, &again, &ignored))
        for (size_t i = 0; i < again->nwarnings; i++) {
            const char *at = strstr(again->warnings[i], idle);
            if (!at || strncmp(again->warnings[i], "--set ", 6) != 0 ||
                strncmp(again->warnings[i] + 6, key, strlen(key)) != 0)
                continue;
            in->idle = true;
            snprintf(in->why, sizeof in->why, "%s", at + sizeof idle - 1);
        }
    free(list);
    weft_scenario_free(again);
    weft_scenario_free(s);
    return 0;
}

static void print_text(const struct weft_cli *cli, struct wanted *w, const struct in_scenario *in)
{
    char prefix[128];
    const struct weft_param_table one = {w->found, 1, 0};
    snprintf(prefix, sizeof prefix, "%.*s", (int)w->prefix, w->key);
    weft_print_params(cli->out, prefix, &one);
    each_param(cli, print_dependent, w);
    if (!in->name)
        return;
    fprintf(cli->out, "in %s:\n", in->name);
    if (!in->there) {
        fputs("  not a setting of it: it has chosen something else\n", cli->out);
        return;
    }
    fprintf(cli->out, "  = %s (%s", in->value,
            in->origin.kind == WEFT_ORIGIN_OVERRIDE ? "--set" : weft_origin_name(in->origin.kind));
    if (in->origin.kind == WEFT_ORIGIN_FILE)
        fprintf(cli->out, ", line %" PRId64, in->origin.line);
    fprintf(cli->out, ")\n  %s%s\n", in->idle ? "has no effect: " : "has an effect", in->why);
}

static void explain_print_json(const struct weft_cli *cli, struct wanted *w,
                               const struct in_scenario *in)
{
    struct weft_json j;
    const struct weft_param_table one = {w->found, 1, 0};
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "explain");
    weft_json_kv_str(&j, "key", w->key);
    weft_json_key(&j, "parameters");
    weft_json_params(&j, &one);
    weft_json_kv_array(&j, "needed_by");
    w->json = &j;
    each_param(cli, print_dependent, w);
    weft_json_end_array(&j);
    if (in->name) {
        weft_json_kv_object(&j, "scenario");
        weft_json_kv_str(&j, "name", in->name);
        weft_json_kv_str(&j, "value", in->there ? in->value : NULL);
        weft_json_kv_str(&j, "origin", in->there ? weft_origin_name(in->origin.kind) : NULL);
        weft_json_kv_bool(&j, "effective", in->there && !in->idle);
        weft_json_kv_str(&j, "reason", in->idle ? in->why : NULL);
        weft_json_end_object(&j);
    }
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

/* The metric whose name is nearest; NULL: none is near, or a setting is meant. */
static const char *nearest_metric(const struct wanted *w)
{
    size_t n;
    const struct weft_metric *m = weft_metrics(&n);
    const char **names = *w->name ? NULL : (const char **)calloc(n, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = m[i].name;
    const char *near = names ? weft_nearest(w->key, names, n) : NULL;
    free(names);
    return near;
}

static int explain_unknown(const struct weft_cli *cli, struct wanted *w, struct weft_err *err)
{
    each_param(cli, explain_collect, w);
    const char *near = nearest_metric(w);
    near = near ? near : weft_nearest(w->key, w->keys, w->nkeys);
    weft_err_set(err, WEFT_E_USAGE, "%s is called '%s'; %s%s%s",
                 *w->name ? "no setting" : "nothing", w->key,
                 near ? "did you mean '" : "'weft explain' lists all settings", near ? near : "",
                 near ? "'?" : "");
    free_keys(w);
    return err->code;
}

/* A parameter under the name of a workload, which only its scenario knows: web.load. */
static int find_in_scenario(const struct weft_cli *cli, const struct explain_opts *o, char **args,
                            int nargs, struct wanted *w, struct weft_err *err)
{
    struct weft_log silent = {.level = WEFT_LOG_ERROR};
    struct weft_cli quiet = *cli;
    struct weft_scenario *s = NULL;
    quiet.log = &silent;
    if (weft_source_load(&quiet, &o->source, args, nargs, &s, err))
        return err->code;
    for (size_t i = 0; i < s->ngroups && !w->found; i++)
        if (strlen(s->groups[i].prefix) == w->prefix &&
            strncmp(s->groups[i].prefix, w->key, w->prefix) == 0)
            w->found = weft_params_find(s->groups[i].table, w->name);
    weft_scenario_free(s);
    return 0;
}

/* All keys, sorted, each once. */
static int list(const struct weft_cli *cli)
{
    struct wanted w = {.key = ""};
    each_param(cli, explain_collect, &w);
    if (w.nkeys)
        qsort(w.keys, w.nkeys, sizeof *w.keys, weft_by_text);
    for (size_t i = 0; i < w.nkeys; i++)
        if (i == 0 || strcmp(w.keys[i], w.keys[i - 1]) != 0)
            fprintf(cli->out, "%s\n", w.keys[i]);
    free_keys(&w);
    return 0;
}

static int explain_explain(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                           struct weft_err *err)
{
    const struct explain_opts *o = (const struct explain_opts *)opts;
    struct wanted w = {.key = nargs ? args[0] : "", .out = cli->out};
    struct in_scenario in = {.name = NULL};
    if (nargs > 2)
        return weft_err_set(err, WEFT_E_USAGE, "one setting and one scenario at a time");
    if (nargs == 0)
        return o->json ? weft_err_set(err, WEFT_E_USAGE, "which setting?") : list(cli);
    const char *dot = strchr(w.key, '.');
    w.prefix = dot ? (size_t)(dot - w.key) : strlen(w.key);
    w.name = dot ? dot + 1 : "";
    each_param(cli, explain_find, &w);
    const bool in_one = nargs == 2 || o->source.set.n;
    if (!w.found && in_one && find_in_scenario(cli, o, args + 1, nargs - 1, &w, err))
        return err->code;
    if (!w.found && !in_one && !o->json && weft_explain_word(cli, w.key))
        return 0;
    if (!w.found)
        return explain_unknown(cli, &w, err);
    if (in_one && ask(cli, o, args + 1, nargs - 1, w.key, &in, err))
        return err->code;
    if (o->json)
        explain_print_json(cli, &w, &in);
    else
        print_text(cli, &w, &in);
    return 0;
}

const struct weft_command weft_command_explain = {
    .name = "explain",
    .summary = "Explain a setting: what it is, what it needs, what needs it, and what it does in a "
               "scenario",
    .usage = "[SECTION.PARAMETER [SCENARIO] | WORD] [--set KEY=VALUE]...",
    .example = "weft explain pfc.quanta scenarios/allreduce-clos16",
    .details =
        "Without a setting it lists all. With a scenario, or --set, it says what the value "
        "is there, where it\ncomes from, and whether it has an effect under the others. Names of "
        "workloads (web.load) need their scenario.\nOf a word, such as slowdown or hpcc, it says "
        "the "
        "metrics, columns and members of families that have it.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = explain_explain,
};
