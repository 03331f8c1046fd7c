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

static size_t cc_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_cc_table(&n);
    return n;
}

static struct weft_listed cc_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_cc_ops *o = weft_cc_table(&n)[i];
    return (struct weft_listed){o->name,    o->title,   o->source,
                                &o->params, o->presets, o->observables};
}

static size_t topology_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_topology_table(&n);
    return n;
}

static struct weft_listed topology_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_topology_ops *o = weft_topology_table(&n)[i];
    return (struct weft_listed){o->name, o->title, o->source, &o->params};
}

static size_t collective_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_coll_table(&n);
    return n;
}

static struct weft_listed collective_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_coll_ops *o = weft_coll_table(&n)[i];
    return (struct weft_listed){o->name, o->title, o->source, &o->params};
}

static size_t workload_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_workload_table(&n);
    return n;
}

static struct weft_listed workload_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_workload_ops *o = weft_workload_table(&n)[i];
    return (struct weft_listed){o->name, o->title, o->source, &o->params};
}

static size_t fault_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_fault_kinds(&n);
    return n;
}

static struct weft_listed fault_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_fault_kind *k = weft_fault_kinds(&n)[i];
    return (struct weft_listed){k->name, k->title, NULL, &k->params};
}

static size_t backend_count(const struct weft_cli *cli)
{
    return cli->nbackends;
}

static struct weft_listed backend_get(const struct weft_cli *cli, size_t i)
{
    return (struct weft_listed){.name = cli->backends[i]->name,
                                .title = cli->backends[i]->title,
                                .backend = cli->backends[i]};
}

/* The sections of all backends and of the scenario itself, one after the other. */
static size_t section_count(const struct weft_cli *cli)
{
    size_t n = 6;
    for (size_t i = 0; i < cli->nbackends; i++)
        n += cli->backends[i]->nsections;
    return n;
}

static struct weft_listed section_get(const struct weft_cli *cli, size_t i)
{
    for (size_t b = 0; b < cli->nbackends; b++) {
        if (i < cli->backends[b]->nsections) {
            const struct weft_net_section *s = &cli->backends[b]->sections[i];
            return (struct weft_listed){s->name, s->help, NULL, &s->params};
        }
        i -= cli->backends[b]->nsections;
    }
    if (i == 0)
        return (struct weft_listed){"system", "the simulated NPUs and their collectives", NULL,
                                    &weft_system_param_table, weft_system_presets};
    if (i == 4)
        return (struct weft_listed){WEFT_LIBRARY_ELEMENT, "the collective library", NULL,
                                    &weft_library_param_table};
    if (i == 1)
        return (struct weft_listed){WEFT_FAULT_ELEMENT, "what goes wrong during the run", NULL,
                                    &weft_fault_param_table};
    if (i == 2)
        return (struct weft_listed){"sample", "what is recorded over time", NULL,
                                    &weft_sample_param_table};
    if (i == 5)
        return (struct weft_listed){"output", "the tables that a run writes", NULL,
                                    &weft_output_param_table};
    return (struct weft_listed){"run", "the run itself", NULL, &weft_run_param_table};
}

static size_t transform_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_transform_table(&n);
    return n;
}

static struct weft_listed transform_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_transform_ops *o = weft_transform_table(&n)[i];
    return (struct weft_listed){o->name, o->title, o->source, &o->params};
}

static size_t quantity_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_series_quantities(&n);
    return n;
}

static struct weft_listed quantity_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_series_quantity *q = &weft_series_quantities(&n)[i];
    return (struct weft_listed){.name = q->name, .title = q->help, .selector = q->selector};
}

static size_t plot_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_plots(&n);
    return n;
}

static struct weft_listed plot_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_plot *p = weft_plots(&n)[i];
    return (struct weft_listed){.name = p->name, .title = p->title, .source = p->files};
}

static size_t cdf_count(const struct weft_cli *cli)
{
    size_t n;
    (void)cli;
    weft_cdf_table(&n);
    return n;
}

static struct weft_listed cdf_get(const struct weft_cli *cli, size_t i)
{
    size_t n;
    (void)cli;
    const struct weft_cdf_entry *e = &weft_cdf_table(&n)[i];
    return (struct weft_listed){.name = e->name, .title = e->title, .source = e->source, .cdf = e};
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
    {"cc", "cc", "congestion controls", cc_count, cc_get},
    {"topologies", "topology", "fabric generators and readers", topology_count, topology_get},
    {"collectives", "collective",
     "collective algorithms; auto takes the cheapest of those that say what they cost",
     collective_count, collective_get},
    {"workloads", "workload", "workload readers and generators", workload_count, workload_get},
    {"models", "model", "models that the workload training knows: training.model",
     weft_listing_models, weft_listing_model},
    {"gpus", "gpu", "GPUs that it knows: training.gpu", weft_listing_gpus, weft_listing_gpu},
    {"distributions", "distribution", "flow sizes of public studies, for cdf and weft traffic",
     cdf_count, cdf_get},
    {"transforms", "transform", "changes to traces: weft trace transform", transform_count,
     transform_get},
    {"faults", "fault", "what can go wrong during a run: elements of <fault>", fault_count,
     fault_get},
    {"plots", "plot", "figures of runs: weft plot, weft report", plot_count, plot_get},
    {"quantities", "quantity",
     "what sample.what records over time, beside the observables of controls (weft show cc NAME)",
     quantity_count, quantity_get},
    {"backends", "backend", "network backends", backend_count, backend_get},
    {"sections", "section", "parameter sections of the backends, the system and the run",
     section_count, section_get},
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
