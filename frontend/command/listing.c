/* SPDX-License-Identifier: GPL-2.0-only */
/* Families for list and show: each wraps the table of its own layer. */
#include "command/listing.h"

#include "base/renamed.h"
#include "base/scale.h"
#include "collective/collective.h"
#include "command/listing_training.h"
#include "congestion/cc.h"
#include "congestion/cc_table.h"
#include "plot/plot.h"
#include "topologies/balancer.h"
#include "topologies/topology.h"
#include "workload/whatif/transform.h"
#include "workload/workload.h"
#include "scenario/sections.h"

#include <string.h>

static bool cc_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    const struct weft_cc_ops *const *table = weft_cc_table(&n);
    if (i < n)
        *out = (struct weft_listed){table[i]->name,    table[i]->title,   table[i]->source,
                                    &table[i]->params, table[i]->presets, table[i]->observables};
    return i < n;
}

/* A family of plug-ins, whose @p table gives their number. */
#define PLUG_INS(family, ops, table)                                                               \
    static bool family##_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)        \
    {                                                                                              \
        size_t n;                                                                                  \
        (void)cli;                                                                                 \
        const struct ops *const *all = table(&n);                                                  \
        if (i < n)                                                                                 \
            *out = (struct weft_listed){all[i]->name, all[i]->title, all[i]->source,               \
                                        &all[i]->params};                                          \
        return i < n;                                                                              \
    }
PLUG_INS(topology, weft_topology_ops, weft_topology_table)
PLUG_INS(collective, weft_coll_ops, weft_coll_table)
PLUG_INS(workload, weft_workload_ops, weft_workload_table)
PLUG_INS(transform, weft_transform_ops, weft_transform_table)

static bool fault_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    const struct weft_fault_kind *const *kinds = weft_fault_kinds(&n);
    if (i < n)
        *out = (struct weft_listed){kinds[i]->name, kinds[i]->title, NULL, &kinds[i]->params};
    return i < n;
}

static bool backend_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    if (i >= cli->nbackends)
        return false;
    *out = (struct weft_listed){.name = cli->backends[i]->name,
                                .title = cli->backends[i]->title,
                                .backend = cli->backends[i]};
    return true;
}

/* The sections of all backends and of the scenario itself, one after the other. */
static bool section_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    static const struct weft_listed own[] = {
        {"system", "the simulated NPUs and their collectives", NULL, &weft_system_param_table,
         weft_system_presets},
        {WEFT_FAULT_ELEMENT, "what goes wrong during the run", NULL, &weft_fault_param_table},
        {"sample", "what is recorded over time", NULL, &weft_sample_param_table},
        {"run", "the run itself", NULL, &weft_run_param_table},
        {WEFT_LIBRARY_ELEMENT, "the collective library", NULL, &weft_library_param_table},
        {"output", "the tables that a run writes", NULL, &weft_output_param_table},
    };
    for (size_t b = 0; b < cli->nbackends; b++) {
        if (i < cli->backends[b]->nsections) {
            const struct weft_net_section *s = &cli->backends[b]->sections[i];
            *out = (struct weft_listed){s->name, s->help, NULL, &s->params};
            return true;
        }
        i -= cli->backends[b]->nsections;
    }
    if (i < sizeof own / sizeof own[0])
        *out = own[i];
    return i < sizeof own / sizeof own[0];
}

static bool quantity_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    const struct weft_series_quantity *q = weft_series_quantities(&n);
    if (i < n)
        *out =
            (struct weft_listed){.name = q[i].name, .title = q[i].help, .selector = q[i].selector};
    return i < n;
}

static bool plot_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    const struct weft_plot *const *plots = weft_plots(&n);
    if (i < n)
        *out = (struct weft_listed){
            .name = plots[i]->name, .title = plots[i]->title, .source = plots[i]->files};
    return i < n;
}

static bool balancer_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    struct weft_balancer_help help;
    if (!weft_balancer_help(i, &help))
        return false;
    const struct weft_balancer_ops *o = weft_balancer_at(i);
    *out = (struct weft_listed){.name = help.name,
                                .title = help.title,
                                .params = o ? &o->params : NULL,
                                .needs = help.needs};
    return true;
}

static bool cdf_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    const struct weft_cdf_entry *e = weft_cdf_table(&n);
    if (i < n)
        *out = (struct weft_listed){
            .name = e[i].name, .title = e[i].title, .source = e[i].source, .cdf = &e[i]};
    return i < n;
}

double weft_listed_mean_bytes(const struct weft_cdf_entry *e)
{
    struct weft_err ignored = {0};
    struct weft_cdf *c = weft_cdf_named(e->name, &ignored);
    const double mean = c ? weft_cdf_mean_bytes(c) : 0;
    weft_cdf_free(c);
    return mean;
}

static const struct weft_listing listings[] = {
    {"cc", "cc", "congestion controls", cc_get, true},
    {"topologies", "topology", "fabric generators and readers", topology_get, true},
    {"collectives", "collective",
     "collective algorithms; auto takes the cheapest of those that say what they cost",
     collective_get, true},
    {"balancers", "balancer", "load balancers", balancer_get, true},
    {"workloads", "workload", "workload readers and generators", workload_get, true},
    {"models", "model", "models that the workload training knows: training.model",
     weft_listing_model, false},
    {"gpus", "gpu", "GPUs that it knows: training.gpu", weft_listing_gpu, false},
    {"distributions", "distribution", "flow sizes of public studies, for cdf and weft traffic",
     cdf_get, false},
    {"transforms", "transform", "changes to traces: weft trace transform", transform_get, false},
    {"faults", "fault", "what can go wrong during a run: elements of <fault>", fault_get, false},
    {"plots", "plot", "figures of runs: weft plot, weft report", plot_get, false},
    {"quantities", "quantity",
     "what sample.what records over time, beside the observables of controls (weft show cc NAME)",
     quantity_get, false},
    {"backends", "backend", "network backends", backend_get, false},
    {"sections", "section", "parameter sections of the backends, the system and the run",
     section_get, false},
};

const struct weft_listing *weft_listings(size_t *n)
{
    *n = sizeof listings / sizeof listings[0];
    return listings;
}

const struct weft_listing *weft_listing_find(const struct weft_cli *cli, const char *word)
{
    const char *present = weft_renamed_find(WEFT_RENAMED_FAMILY, word);
    if (present) {
        weft_log(cli->log, WEFT_LOG_WARNING, WEFT_RENAMED_WARNING, word, present);
        word = present;
    }
    for (size_t i = 0; i < sizeof listings / sizeof listings[0]; i++)
        if (strcmp(listings[i].plural, word) == 0 || strcmp(listings[i].singular, word) == 0)
            return &listings[i];
    return NULL;
}

/* The length of the part of a condition at @p at; *behind: where the next begins. */
static size_t needs_part(const char *at, const char *joint, const char **behind)
{
    const char *end = strstr(at, joint);
    *behind = end ? end + strlen(joint) : at + strlen(at);
    return end ? (size_t)(end - at) : strlen(at);
}

/* Whether a part, such as `type=roce`, is one of those of an alternative. */
static bool needs_has(const char *alternative, size_t length, const char *part, size_t n)
{
    const char *next;
    for (const char *at = alternative; at < alternative + length; at = next) {
        const size_t k = needs_part(at, " and ", &next);
        const size_t left = (size_t)(alternative + length - at);
        if ((k < left ? k : left) == n && strncmp(at, part, n) == 0)
            return true;
    }
    return false;
}

bool weft_needs_part(const char *needs, const char *part)
{
    const char *next;
    for (const char *at = needs; *at; at = next)
        if (needs_has(at, needs_part(at, " or ", &next), part, strlen(part)))
            return true;
    return false;
}

/* Whether a part is one of every alternative. */
static bool needs_common(const char *needs, const char *part, size_t n)
{
    const char *next;
    for (const char *at = needs; *at; at = next) {
        const size_t length = needs_part(at, " or ", &next);
        if (!needs_has(at, length, part, n))
            return false;
    }
    return true;
}

/* Writes a part in words where it asks for an empty text, or for one that is not. */
static void needs_write_part(FILE *out, const char *part, size_t n)
{
    const bool empty = part[n - 1] == '=', given = empty && part[n - 2] == '!';
    fprintf(out, "%.*s%s", (int)(n - empty - given), part,
            given   ? " given"
            : empty ? " empty"
                    : "");
}

/* Writes the parts of an alternative that are common to all, or those that are not. */
static void needs_write(FILE *out, const char *needs, const char *alternative, size_t length,
                        bool common)
{
    const char *next;
    bool any = false;
    for (const char *at = alternative; at < alternative + length; at = next) {
        size_t n = needs_part(at, " and ", &next);
        const size_t left = (size_t)(alternative + length - at);
        n = n < left ? n : left;
        if (needs_common(needs, at, n) != common)
            continue;
        fputs(any ? " and " : "", out);
        needs_write_part(out, at, n);
        any = true;
    }
}

/* Prints what a parameter needs, for people: what all alternatives have in common comes first. */
static void print_needs(FILE *out, const char *needs)
{
    static const char virtual[] = "dimension.unset has ";
    const char *next;
    if (strncmp(needs, virtual, sizeof virtual - 1) == 0) {
        fprintf(out, "a dimension of the fabric that does not set its own %s",
                needs + sizeof virtual - 1);
        return;
    }
    const size_t first = needs_part(needs, " or ", &next);
    needs_write(out, needs, needs, first, true);
    if (!*next)
        return;
    bool any = false;
    for (const char *at = needs; *at && !any; at = next)
        any = needs_common(needs, at, needs_part(at, " and ", &next));
    fputs(any ? " and one of: " : "one of: ", out);
    for (const char *at = needs; *at; at = next) {
        const size_t length = needs_part(at, " or ", &next);
        needs_write(out, needs, at, length, false);
        fputs(*next ? "; " : "", out);
    }
}

void weft_print_params(FILE *out, const char *prefix, const struct weft_param_table *t)
{
    char key[128], def[WEFT_DEFAULT_TEXT_MAX];
    for (size_t i = 0; i < t->n; i++) {
        const struct weft_param *p = &t->params[i];
        snprintf(key, sizeof key, "%s.%s", prefix, p->name);
        fprintf(out, "  %-30s %-7s default %s%s", key, weft_param_type_name(p->type),
                p->scale ? WEFT_PARAM_AUTO ": " : "", weft_param_default_text(p, def, sizeof def));
        if (p->choices)
            fprintf(out, ", one of %s", p->choices);
        if (p->scale && (p->min || p->max))
            fprintf(out, "; else");
        if (p->min && p->max)
            fprintf(out, "%s %s .. %s", p->scale ? "" : ",", p->min, p->max);
        else if (p->min)
            fprintf(out, "%s at least %s", p->scale ? "" : ",", p->min);
        else if (p->max)
            fprintf(out, "%s at most %s", p->scale ? "" : ",", p->max);
        fprintf(out, "\n      %s%s%s%s\n", p->help, p->source ? " [" : "",
                p->source ? p->source : "", p->source ? "]" : "");
        if (p->needs) {
            fputs("      needs ", out);
            print_needs(out, p->needs);
            fputc('\n', out);
        }
    }
}

void weft_json_params(struct weft_json *j, const struct weft_param_table *t)
{
    char def[WEFT_DEFAULT_TEXT_MAX];
    weft_json_array(j);
    for (size_t i = 0; t && i < t->n; i++) {
        const struct weft_param *p = &t->params[i];
        weft_json_object(j);
        weft_json_kv_str(j, "name", p->name);
        weft_json_kv_str(j, "type", weft_param_type_name(p->type));
        weft_json_kv_str(j, "default", p->scale ? WEFT_PARAM_AUTO : p->def);
        if (p->scale)
            weft_json_kv_str(j, "default_rule", weft_param_default_text(p, def, sizeof def));
        weft_json_kv_str(j, "min", p->min);
        weft_json_kv_str(j, "max", p->max);
        weft_json_kv_str(j, "choices", p->choices);
        weft_json_kv_str(j, "help", p->help);
        weft_json_kv_str(j, "source", p->source);
        weft_json_kv_str(j, "needs", p->needs);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}
