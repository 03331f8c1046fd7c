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
#include "topologies/topology.h"
#include "workload/whatif/transform.h"
#include "workload/workload.h"
#include "scenario/sections.h"

#include <string.h>

static bool cc_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    (void)cli;
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
    (void)cli;
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
    (void)cli;
    const struct weft_series_quantity *q = weft_series_quantities(&n);
    if (i < n)
        *out =
            (struct weft_listed){.name = q[i].name, .title = q[i].help, .selector = q[i].selector};
    return i < n;
}

static bool plot_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    (void)cli;
    const struct weft_plot *const *plots = weft_plots(&n);
    if (i < n)
        *out = (struct weft_listed){
            .name = plots[i]->name, .title = plots[i]->title, .source = plots[i]->files};
    return i < n;
}

static bool cdf_get(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    size_t n;
    (void)cli;
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
    {"cc", "cc", "congestion controls", cc_get},
    {"topologies", "topology", "fabric generators and readers", topology_get},
    {"collectives", "collective",
     "collective algorithms; auto takes the cheapest of those that say what they cost",
     collective_get},
    {"workloads", "workload", "workload readers and generators", workload_get},
    {"models", "model", "models that the workload training knows: training.model",
     weft_listing_model},
    {"gpus", "gpu", "GPUs that it knows: training.gpu", weft_listing_gpu},
    {"distributions", "distribution", "flow sizes of public studies, for cdf and weft traffic",
     cdf_get},
    {"transforms", "transform", "changes to traces: weft trace transform", transform_get},
    {"faults", "fault", "what can go wrong during a run: elements of <fault>", fault_get},
    {"plots", "plot", "figures of runs: weft plot, weft report", plot_get},
    {"quantities", "quantity",
     "what sample.what records over time, beside the observables of controls (weft show cc NAME)",
     quantity_get},
    {"backends", "backend", "network backends", backend_get},
    {"sections", "section", "parameter sections of the backends, the system and the run",
     section_get},
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

const char *weft_needs_text(const char *needs, char *buf, size_t size)
{
    static const char virtual[] = "dimension.unset has ";
    const size_t n = sizeof virtual - 1;
    if (strncmp(needs, virtual, n) != 0)
        return needs;
    snprintf(buf, size, "a dimension of the fabric that does not set its own %s", needs + n);
    return buf;
}

void weft_print_params(FILE *out, const char *prefix, const struct weft_param_table *t)
{
    char key[128], def[WEFT_DEFAULT_TEXT_MAX], needs[160];
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
        if (p->needs)
            fprintf(out, "      needs %s\n", weft_needs_text(p->needs, needs, sizeof needs));
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
