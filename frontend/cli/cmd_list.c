/* SPDX-License-Identifier: GPL-2.0-only */
/* weft list: what there is to choose from. */
#include "cli/cli_internal.h"
#include "command/listing.h"
#include "run/source.h"
#include "report/report.h"
#include "base/units.h"
#include "base/preset.h"
#include "base/xml.h"
#include "topologies/presets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct list_opts {
    bool json;
};

#define WEFT_OPTS struct list_opts
static const struct weft_opt options[] = {
    WEFT_FLAG("json", 0, json, "print as JSON"),
};

/* Where one line of a list goes. */
struct line_to {
    FILE *out;
    struct weft_json *json; /* NULL: text */
};

static void line(const struct line_to *to, const char *name, const char *title)
{
    if (!to->json) {
        fprintf(to->out, "%-16s  %s\n", name, title);
        return;
    }
    weft_json_object(to->json);
    weft_json_kv_str(to->json, "name", name);
    weft_json_kv_str(to->json, "title", title);
    weft_json_end_object(to->json);
}

/* The first sentence of a scenario's description, its white space made single. */
static void first_sentence(const char *file, char *buf, size_t size)
{
    struct weft_err err = {0};
    struct weft_arena *a = weft_arena_new();
    struct weft_xml_elem *root = NULL;
    char *text = NULL;
    size_t len, n = 0;
    buf[0] = '\0';
    if (a && !weft_file_read(file, WEFT_XML_MAX_BYTES, &text, &len, &err) &&
        !weft_xml_parse(text, len, file, a, &root, &err)) {
        const struct weft_xml_elem *d = root->children;
        while (d && strcmp(d->name, "description") != 0)
            d = d->next;
        for (const char *p = d ? d->text : ""; *p && n + 1 < size; p++) {
            bool space = *p == ' ' || *p == '\n' || *p == '\t';
            if (space && (n == 0 || buf[n - 1] == ' '))
                continue;
            if (space && buf[n - 1] == '.')
                break;
            buf[n++] = space ? ' ' : *p;
        }
        while (n > 0 && (buf[n - 1] == ' ' || buf[n - 1] == '.'))
            n--;
        buf[n] = '\0';
    }
    free(text);
    weft_arena_free(a);
}

static void list_scenario(void *ctx, const char *name, const char *file)
{
    char title[512];
    first_sentence(file, title, sizeof title);
    line((const struct line_to *)ctx, name, title);
}

static int list_metrics(const struct weft_cli *cli, const struct line_to *to, struct weft_err *err)
{
    char name[2 * WEFT_METRIC_TEXT_MAX];
    for (int scope = WEFT_METRIC_OF_RUN; scope <= WEFT_METRIC_OF_CLASS; scope++) {
        size_t n;
        const struct weft_metric *m = weft_metrics_of((enum weft_metric_scope)scope, &n);
        for (size_t i = 0; i < n; i++) {
            snprintf(name, sizeof name, "%s%s",
                     weft_metric_scope_prefix((enum weft_metric_scope)scope), m[i].name);
            line(to, name, m[i].help);
        }
    }
    return 0;
}

static void list_topology_preset(void *ctx, const char *name, const char *file)
{
    char key[128], title[512];
    snprintf(key, sizeof key, "preset.name=%s", name);
    first_sentence(file, title, sizeof title);
    line((const struct line_to *)ctx, key, *title ? title : "a topology: weft topology presets");
}

/* Presets as they are set: topologies, and sets of parameters of controls and sections. */
static int list_presets(const struct weft_cli *cli, const struct line_to *to, struct weft_err *err)
{
    char key[128], title[512];
    size_t n;
    struct weft_listed e;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; l[i].get(cli, k, &e); k++) {
            const bool section = strcmp(l[i].singular, "section") == 0;
            for (const struct weft_preset *p = e.presets; p && p->name; p++) {
                snprintf(key, sizeof key, "%s.preset=%s", section ? e.name : "congestion-control",
                         p->name);
                snprintf(title, sizeof title, "%s: %s", e.name, p->help);
                line(to, key, title);
            }
        }
    return weft_preset_each(list_topology_preset, (void *)(uintptr_t)to, err);
}

static int list_scenarios(const struct weft_cli *cli, const struct line_to *to,
                          struct weft_err *err)
{
    return weft_source_each(list_scenario, (void *)(uintptr_t)to, err);
}

static int list_clusters(const struct weft_cli *cli, const struct line_to *to, struct weft_err *err)
{
    return weft_source_each_cluster(list_scenario, (void *)(uintptr_t)to, err);
}

/* What is no family of plug-ins. */
static const struct {
    const char *name, *help;
    int (*list)(const struct weft_cli *cli, const struct line_to *to, struct weft_err *err);
} others[] = {
    {"presets", "sets of parameters, and topologies, by a name", list_presets},
    {"scenarios", "shipped scenarios", list_scenarios},
    {"clusters", "clusters of GPUs for 'weft nccl-tests'", list_clusters},
    {"metrics", "numbers of a run's summary", list_metrics},
};
enum { NOTHERS = sizeof others / sizeof others[0] };

const char *weft_list_other(size_t i)
{
    return i < NOTHERS ? others[i].name : NULL;
}

static void list_all(const struct weft_cli *cli)
{
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    fputs("weft list WHAT, where WHAT is one of:\n", cli->out);
    for (size_t i = 0; i < n; i++)
        fprintf(cli->out, "  %-13s %s\n", l[i].plural, l[i].help);
    for (size_t i = 0; i < NOTHERS; i++)
        fprintf(cli->out, "  %-13s %s\n", others[i].name, others[i].help);
}

static int list_unknown(const char *word, struct weft_err *err)
{
    const char *names[24];
    size_t n, k = 0;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < NOTHERS; i++)
        names[k++] = others[i].name;
    for (size_t i = 0; i < n && k < 24; i++)
        names[k++] = l[i].plural;
    return weft_err_set(err, WEFT_E_USAGE, "cannot list '%s'%s", word,
                        WEFT_MEANT(word, names, k, "; 'weft list' says what can be listed"));
}

static void list_family(const struct weft_cli *cli, const struct line_to *to,
                        const struct weft_listing *l)
{
    struct weft_listed e;
    for (size_t i = 0; l->get(cli, i, &e); i++) {
        char title[512], mean[WEFT_UNIT_TEXT_MAX];
        if (e.cdf)
            snprintf(title, sizeof title, "%s; mean %s [%s]", e.title,
                     weft_human_size((uint64_t)(weft_listed_mean_bytes(e.cdf) + 0.5), mean),
                     e.source);
        line(to, e.name, e.cdf ? title : e.title);
    }
}

/* Everything that there is to list. */
static int list_all_json(const struct weft_cli *cli, struct weft_err *err)
{
    struct weft_json j;
    const struct line_to to = {cli->out, &j};
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "list");
    for (size_t i = 0; i < n; i++) {
        weft_json_kv_array(&j, l[i].plural);
        list_family(cli, &to, &l[i]);
        weft_json_end_array(&j);
    }
    int code = 0;
    for (size_t i = 0; !code && i < NOTHERS; i++) {
        weft_json_kv_array(&j, others[i].name);
        code = others[i].list(cli, &to, err);
        weft_json_end_array(&j);
    }
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
    return code;
}

static int list_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    const struct list_opts *o = (const struct list_opts *)opts;
    struct weft_json j;
    if (nargs == 0 && o->json)
        return list_all_json(cli, err);
    if (nargs == 0) {
        list_all(cli);
        return 0;
    }
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one list at a time");
    const struct weft_listing *l = weft_listing_find(cli, args[0]);
    size_t other = 0;
    while (other < NOTHERS && strcmp(args[0], others[other].name) != 0)
        other++;
    if (!l && other == NOTHERS)
        return list_unknown(args[0], err);
    struct line_to to = {cli->out, o->json ? &j : NULL};
    if (o->json) {
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "list");
        weft_json_kv_array(&j, l ? l->plural : args[0]);
    }
    int code = 0;
    if (l)
        list_family(cli, &to, l);
    else
        code = others[other].list(cli, &to, err);
    if (o->json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
    return code;
}

const struct weft_command weft_command_list = {
    .name = "list",
    .summary = "List congestion controls, topologies, collectives, balancers, workloads, models, "
               "transforms, backends, faults, scenarios",
    .usage = "[WHAT]",
    .example = "weft list cc",
    .details = "WHAT is one of cc, topologies, collectives, balancers, workloads, models, gpus, "
               "distributions, transforms, faults, plots, quantities, backends, sections, presets, "
               "scenarios, clusters, "
               "metrics; "
               "without it, they are explained. 'weft show' explains one entry with its "
               "parameters.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = list_run,
};
