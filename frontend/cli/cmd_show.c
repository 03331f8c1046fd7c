/* SPDX-License-Identifier: GPL-2.0-only */
/* weft show: one plug-in with its parameters, a resolved scenario, a fabric, the outputs, the
 * schema. */
#include "command/listing.h"
#include "report/columns.h"
#include "report/report.h"
#include "run/source.h"

#include "base/renamed.h"
#include "base/units.h"
#include "congestion/cc.h"
#include "congestion/cc_table.h"
#include "system/library.h"
#include "topologies/read.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct show_opts {
    struct weft_source_opts source;
    bool json, xml;
};

#define WEFT_OPTS struct show_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_FLAG("json", 0, json, "print as JSON"),
    WEFT_FLAG("xml", 0, xml, "show scenario: print a scenario file with every value"),
};

static void show_put(void *ctx, const char *text, size_t len)
{
    fwrite(text, 1, len, (FILE *)ctx);
}

static void json_start(struct weft_json *j, const struct weft_cli *cli)
{
    weft_json_init(j, cli->out, "standard output", 2);
    weft_json_object(j);
    weft_json_kv_u64(j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(j, "command", "show");
}

static void json_end(struct weft_json *j)
{
    weft_json_end_object(j);
    weft_json_finish(j, NULL);
}

static void print_presets(FILE *out, const char *section, const struct weft_preset *p)
{
    if (!p)
        return;
    fprintf(out, "presets: --set %s.preset=NAME\n", section);
    for (; p->name; p++)
        fprintf(out, "  %-16s %s [%s]\n      %s\n", p->name, p->help, p->source, p->settings);
}

/* What the series of a control show. */
static void print_observables(FILE *out, const struct weft_cc_observable *o)
{
    char name[WEFT_SERIES_NAME_MAX];
    if (!o)
        return;
    fputs("observables: --set sample.what=NAME, the column of series/control.csv\n", out);
    for (; o->name; o++)
        fprintf(out, "  %-16s %-20s %s\n", o->name, weft_series_observable_name(o, name), o->help);
}

static void json_observables(struct weft_json *j, const struct weft_cc_observable *o)
{
    char name[WEFT_SERIES_NAME_MAX];
    weft_json_array(j);
    for (; o && o->name; o++) {
        weft_json_object(j);
        weft_json_kv_str(j, "name", o->name);
        weft_json_kv_str(j, "column", weft_series_observable_name(o, name));
        weft_json_kv_str(j, "help", o->help);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

static void json_presets(struct weft_json *j, const struct weft_preset *p)
{
    weft_json_array(j);
    for (; p && p->name; p++) {
        weft_json_object(j);
        weft_json_kv_str(j, "name", p->name);
        weft_json_kv_str(j, "help", p->help);
        weft_json_kv_str(j, "source", p->source);
        weft_json_kv_str(j, "settings", p->settings);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

/* A distribution's mean and points: bytes, and the percentage of flows that are no larger. */
static void print_cdf(FILE *out, const struct weft_cdf_entry *e)
{
    char a[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "mean: %.0f bytes (%s)\npoints: size, percent of flows up to it\n",
            weft_listed_mean_bytes(e),
            weft_human_size((uint64_t)(weft_listed_mean_bytes(e) + 0.5), a));
    for (size_t i = 0; i < e->n; i++)
        fprintf(out, "  %10.0f  %g\n", e->points[i][0], e->points[i][1]);
}

static void json_cdf(struct weft_json *j, const struct weft_cdf_entry *e)
{
    weft_json_kv_f64(j, "mean_bytes", weft_listed_mean_bytes(e));
    weft_json_kv_array(j, "points");
    for (size_t i = 0; i < e->n; i++) {
        weft_json_array(j);
        weft_json_f64(j, e->points[i][0]);
        weft_json_f64(j, e->points[i][1]);
        weft_json_end_array(j);
    }
    weft_json_end_array(j);
}

/* The parameters of a backend: those of its one section, or where to find them. */
static void print_sections(FILE *out, const struct weft_net_backend *b)
{
    size_t n = 0;
    if (b->nsections == 1) {
        fputs("parameters:\n", out);
        weft_print_params(out, b->sections[0].name, &b->sections[0].params);
        return;
    }
    for (size_t i = 0; i < b->nsections; i++)
        n += b->sections[i].params.n;
    fprintf(out, "%zu parameters in %zu sections, 'weft show section NAME':\n", n, b->nsections);
    for (size_t i = 0; i < b->nsections; i++)
        fprintf(out, "  %-16s %s\n", b->sections[i].name, b->sections[i].help);
}

static void json_sections(struct weft_json *j, const struct weft_net_backend *b)
{
    weft_json_array(j);
    for (size_t i = 0; i < b->nsections; i++) {
        weft_json_object(j);
        weft_json_kv_str(j, "section", b->sections[i].name);
        weft_json_kv_str(j, "help", b->sections[i].help);
        weft_json_key(j, "parameters");
        weft_json_params(j, &b->sections[i].params);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

/* The settings of backends that need @p part, such as `balance=drill`: their keys in JSON, or with
 * their help. */
static void show_needing(const struct weft_cli *cli, const char *part, struct weft_json *j)
{
    char key[128];
    size_t n = 0;
    for (size_t b = 0; b < cli->nbackends; b++)
        for (size_t i = 0; i < cli->backends[b]->nsections; i++) {
            const struct weft_net_section *s = &cli->backends[b]->sections[i];
            for (size_t k = 0; k < s->params.n; k++) {
                const struct weft_param *p = &s->params.params[k];
                if (!p->needs || !weft_needs_part(p->needs, part))
                    continue;
                snprintf(key, sizeof key, "%s.%s", s->name, p->name);
                if (j)
                    weft_json_str(j, key);
                else
                    fprintf(cli->out, "%s  %-30s %s\n", n++ ? "" : "settings:\n", key, p->help);
            }
        }
    if (!j && !n)
        fputs("no settings\n", cli->out);
}

/* What every workload has beside the parameters of its type; NULL: it is none. */
static const struct weft_param_table *of_every(const struct weft_listing *l)
{
    return strcmp(l->singular, "workload") == 0 ? &weft_job_param_table : NULL;
}

static int show_listed(const struct weft_cli *cli, const struct show_opts *o,
                       const struct weft_listing *l, const char *name, struct weft_err *err)
{
    const char *names[128];
    struct weft_listed e;
    size_t k = 0;
    while (k < 128 && l->get(cli, k, &e)) {
        names[k++] = e.name;
        if (strcmp(e.name, name) != 0)
            continue;
        if (o->json) {
            struct weft_json j;
            json_start(&j, cli);
            weft_json_kv_str(&j, l->singular, e.name);
            weft_json_kv_str(&j, "title", e.title);
            weft_json_kv_str(&j, "source", e.source);
            weft_json_key(&j, "parameters");
            weft_json_params(&j, e.params);
            if (of_every(l)) {
                weft_json_key(&j, "parameters_of_every_workload");
                weft_json_params(&j, of_every(l));
            }
            if (e.backend) {
                weft_json_key(&j, "sections");
                json_sections(&j, e.backend);
            }
            if (e.needs) {
                weft_json_kv_array(&j, "settings");
                show_needing(cli, e.needs, &j);
                weft_json_end_array(&j);
            }
            if (e.cdf)
                json_cdf(&j, e.cdf);
            if (e.presets) {
                weft_json_key(&j, "presets");
                json_presets(&j, e.presets);
            }
            if (e.observables) {
                weft_json_key(&j, "observables");
                json_observables(&j, e.observables);
            }
            if (e.selector)
                weft_json_kv_str(&j, "selector", e.selector);
            json_end(&j);
            return 0;
        }
        fprintf(cli->out, "%s: %s\n", e.name, e.title);
        if (e.source)
            fprintf(cli->out, "source: %s\n", e.source);
        if (e.cdf) {
            print_cdf(cli->out, e.cdf);
            return 0;
        }
        if (e.selector) {
            fprintf(cli->out, "selector: %s\n", e.selector);
            return 0;
        }
        if (e.backend) {
            print_sections(cli->out, e.backend);
            return 0;
        }
        if (e.needs) {
            show_needing(cli, e.needs, NULL);
            return 0;
        }
        if (!e.params || e.params->n == 0) {
            fputs("no parameters\n", cli->out);
            return 0;
        }
        fputs("parameters:\n", cli->out);
        weft_print_params(cli->out, e.name, e.params);
        if (of_every(l)) {
            fputs("parameters of every workload (docs/explanation/jobs.md):\n", cli->out);
            weft_print_params(cli->out, e.name, of_every(l));
        }
        print_presets(cli->out, strcmp(l->singular, "section") == 0 ? e.name : "congestion-control",
                      e.presets);
        print_observables(cli->out, e.observables);
        return 0;
    }
    const struct weft_cc_ops *owner =
        strcmp(l->singular, "cc") == 0 ? weft_cc_preset_owner(name) : NULL;
    if (owner)
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is a preset of %s: 'weft show cc %s'", name,
                            owner->name, owner->name);
    const char *near = weft_nearest(name, names, k);
    if (near)
        return weft_err_set(err, WEFT_E_INPUT, "unknown %s '%s'; did you mean '%s'?", l->singular,
                            name, near);
    return weft_err_set(err, WEFT_E_INPUT, "unknown %s '%s'; see 'weft list %s'%s", l->singular,
                        name, l->plural, l->plugins ? " (--plugin FILE adds those of a file)" : "");
}

static int show_scenario(const struct weft_cli *cli, const struct show_opts *o, char **args,
                         int nargs, struct weft_err *err)
{
    struct weft_scenario *s;
    if (weft_source_load(cli, &o->source, args, nargs, &s, err))
        return err->code;
    if (o->xml) {
        struct weft_text_sink sink = {cli->out, show_put};
        weft_scenario_write_xml(s, &sink);
    } else if (o->json) {
        struct weft_json j;
        json_start(&j, cli);
        weft_json_kv_str(&j, "scenario", s->name);
        weft_json_key(&j, "config");
        weft_source_config_json(&j, s);
        json_end(&j);
    } else {
        weft_source_config_text(cli->out, s, true);
    }
    weft_scenario_free(s);
    return 0;
}

static void print_fabric(const struct weft_cli *cli, const struct weft_fabric *f, bool json)
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], rate[WEFT_UNIT_TEXT_MAX],
        delay[WEFT_UNIT_TEXT_MAX];
    struct weft_json j;
    if (json) {
        json_start(&j, cli);
        weft_json_kv_u64(&j, "hosts", f->nhosts);
        weft_json_kv_u64(&j, "switches", f->nswitches);
        weft_json_kv_array(&j, "links");
    } else {
        fprintf(cli->out, "hosts %u, switches %u, links %u\n", f->nhosts, f->nswitches, f->nlinks);
    }
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        weft_fabric_node_name(f, l->a, a);
        weft_fabric_node_name(f, l->b, b);
        if (!json) {
            fprintf(cli->out, "link %-5u %6s -- %-6s  %-8s %-8s dim %u\n", i, a, b,
                    weft_format_rate(l->rate_bps, rate), weft_format_time(l->delay_ps, delay),
                    l->dim);
            continue;
        }
        weft_json_object(&j);
        weft_json_kv_str(&j, "a", a);
        weft_json_kv_str(&j, "b", b);
        weft_json_kv_u64(&j, "rate_bps", l->rate_bps);
        weft_json_kv_f64(&j, "delay_ns", (double)l->delay_ps / 1000);
        weft_json_kv_u64(&j, "dim", l->dim);
        weft_json_end_object(&j);
    }
    if (json) {
        weft_json_end_array(&j);
        json_end(&j);
    }
}

/* The fabric that a scenario builds. */
static int show_fabric(const struct weft_cli *cli, const struct show_opts *o, char **args,
                       int nargs, struct weft_err *err)
{
    struct weft_scenario *s;
    struct weft_fabric *f = NULL;
    struct weft_source_opts source = o->source;
    source.no_workloads = true;
    if (weft_source_load(cli, &source, args, nargs, &s, err))
        return err->code;
    static const char *const uses[] = {"topology", "workload", "network"};
    int code = weft_source_check_uses(s, "show fabric", uses, 3, err);
    if (!code)
        code = weft_topology_build(s->topology, s->topology_params, &f, err);
    if (!code)
        print_fabric(cli, f, o->json);
    weft_fabric_free(f);
    weft_scenario_free(s);
    return code;
}

/* The fabric in a topology file of any kind. */
static int show_topology_file(const struct weft_cli *cli, const struct show_opts *o,
                              const char *file, struct weft_err *err)
{
    struct weft_fabric *f = NULL;
    int code = weft_topology_read(file, &f, err);
    if (!code) {
        weft_source_fabric_notes(cli, f);
        print_fabric(cli, f, o->json);
    }
    weft_fabric_free(f);
    return code;
}

/* The metrics of the run, of each workload, or of each class. */
static void show_metrics(const struct weft_cli *cli, const struct show_opts *o,
                         enum weft_metric_scope scope, struct weft_json *j)
{
    const char *before = weft_metric_scope_prefix(scope);
    char own[WEFT_METRIC_TEXT_MAX], name[2 * WEFT_METRIC_TEXT_MAX], key[2 * WEFT_METRIC_TEXT_MAX];
    size_t n;
    const struct weft_metric *m = weft_metrics_of(scope, &n);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%s", before, m[i].name);
        snprintf(key, sizeof key, "%s%s", before, weft_metric_key(&m[i], own));
        if (!o->json) {
            fprintf(cli->out, "  %-27s %-31s %s\n", name, key, m[i].help);
            continue;
        }
        weft_json_object(j);
        weft_json_kv_str(j, "metric", name);
        weft_json_kv_str(j, "key", key);
        weft_json_kv_str(j, "help", m[i].help);
        weft_json_end_object(j);
    }
}

/* A table in @p folder. */
static void show_file(const struct weft_cli *cli, const struct show_opts *o, const char *folder,
                      const struct weft_csv_file *f, struct weft_json *j)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", folder, f->name);
    if (!o->json)
        fprintf(cli->out, "%s: %s\n", name, f->help);
    for (size_t k = 0; k < f->n; k++) {
        if (!o->json) {
            fprintf(cli->out, "  %-18s %s\n", f->columns[k].name, f->columns[k].help);
            continue;
        }
        weft_json_object(j);
        weft_json_kv_str(j, "file", name);
        weft_json_kv_str(j, "column", f->columns[k].name);
        weft_json_kv_str(j, "unit", weft_column_unit_name(f->columns[k].unit));
        weft_json_kv_str(j, "help", f->columns[k].help);
        weft_json_end_object(j);
    }
}

static int show_output(const struct weft_cli *cli, const struct show_opts *o)
{
    struct weft_json j;
    if (o->json) {
        json_start(&j, cli);
        weft_json_kv_array(&j, "files");
    }
    for (int i = 0; i < WEFT_CSV_FILES; i++)
        show_file(cli, o, "", weft_csv_files[i], &j);
    for (int i = 0; i < WEFT_SERIES_FILES; i++)
        show_file(cli, o, WEFT_SERIES_DIR "/", weft_series_files[i], &j);
    if (o->json) {
        weft_json_end_array(&j);
        weft_json_kv_array(&j, "metrics");
    } else {
        fputs("metrics: name in expect.xml, key in JSON, meaning\n", cli->out);
    }
    for (int scope = WEFT_METRIC_OF_RUN; scope <= WEFT_METRIC_OF_CLASS; scope++)
        show_metrics(cli, o, (enum weft_metric_scope)scope, &j);
    if (o->json) {
        weft_json_end_array(&j);
        json_end(&j);
    }
    return 0;
}

/* Former names that are aliases until the next release. */
static int show_renamed(const struct weft_cli *cli, const struct show_opts *o)
{
    size_t n;
    struct weft_json j;
    const struct weft_renamed *r = weft_renamed_table(&n);
    if (o->json) {
        json_start(&j, cli);
        weft_json_kv_array(&j, "renamed");
    }
    for (size_t i = 0; i < n; i++) {
        const char *kind = weft_renamed_kind_name(r[i].kind);
        if (!o->json) {
            fprintf(cli->out, "%-8s %-16s is now %s\n", kind, r[i].former, r[i].present);
            continue;
        }
        weft_json_object(&j);
        weft_json_kv_str(&j, "kind", kind);
        weft_json_kv_str(&j, "former", r[i].former);
        weft_json_kv_str(&j, "present", r[i].present);
        weft_json_end_object(&j);
    }
    if (o->json) {
        weft_json_end_array(&j);
        json_end(&j);
    }
    return 0;
}

struct constants {
    const struct weft_cli *cli;
    struct weft_json *json; /* NULL: text */
};

static void show_constant(void *ctx, const char *name, const char *values, const char *source)
{
    const struct constants *c = (const struct constants *)ctx;
    if (!c->json) {
        fprintf(c->cli->out, "%-52s %s\n%-52s   [%s]\n", name, values, "", source);
        return;
    }
    weft_json_object(c->json);
    weft_json_kv_str(c->json, "constant", name);
    weft_json_kv_str(c->json, "values", values);
    weft_json_kv_str(c->json, "source", source);
    weft_json_end_object(c->json);
}

/* Constants of a collective library; what is measured or fitted says on what. */
static int show_library(const struct weft_cli *cli, const struct show_opts *o, char **args,
                        int nargs, struct weft_err *err)
{
    struct weft_json j;
    struct constants c = {cli, o->json ? &j : NULL};
    const bool rccl = nargs == 1 && strcmp(args[0], "rccl") == 0;
    if (nargs != 1 || (!rccl && strcmp(args[0], "nccl") != 0))
        return weft_err_set(err, WEFT_E_USAGE, "show library needs a name: nccl, rccl");
    if (o->json) {
        json_start(&j, cli);
        weft_json_kv_array(&j, "constants");
    } else {
        fputs("Values of LL, LL128, Simple where there are three by protocol.\n", cli->out);
    }
    if (rccl)
        weft_library_rccl_constants(show_constant, &c);
    else
        weft_library_constants(show_constant, &c);
    if (o->json) {
        weft_json_end_array(&j);
        json_end(&j);
    }
    return 0;
}

/* A word that is no family: its member of this name, if only one family has one. */
static int show_by_name(const struct weft_cli *cli, const struct show_opts *o, const char *name,
                        struct weft_err *err)
{
    size_t n, found = 0;
    char where[WEFT_ERR_MSG_MAX / 2] = "";
    struct weft_listed e;
    const struct weft_listing *l = weft_listings(&n), *owner = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; l[i].get(cli, k, &e); k++) {
            if (strcmp(e.name, name) != 0)
                continue;
            const size_t used = strlen(where);
            snprintf(where + used, sizeof where - used, "%s'weft show %s %s'",
                     found++ ? " or " : "", l[i].singular, name);
            owner = &l[i];
        }
    if (found == 1 && weft_listing_find(cli, owner->singular) == owner)
        return show_listed(cli, o, owner, name, err);
    if (found)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is several things: %s", name, where);
    return weft_err_set(err, WEFT_E_USAGE,
                        "cannot show '%s': it is no family ('weft list') and no member of one; a "
                        "setting: 'weft explain KEY'",
                        name);
}

static int show_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    const struct show_opts *o = (const struct show_opts *)opts;
    if (nargs == 0)
        return weft_err_set(err, WEFT_E_USAGE, "show what?");
    const char *what = args[0];
    if (strcmp(what, "scenario") == 0)
        return show_scenario(cli, o, args + 1, nargs - 1, err);
    if (strcmp(what, "fabric") == 0)
        return show_fabric(cli, o, args + 1, nargs - 1, err);
    if (o->source.set.n || o->source.seed || o->source.pcap || o->source.allow_deadlock)
        return weft_err_set(err, WEFT_E_USAGE, "settings belong to show scenario and show fabric");
    if (strcmp(what, "output") == 0)
        return show_output(cli, o);
    if (strcmp(what, "schema") == 0) {
        struct weft_text_sink sink = {cli->out, show_put};
        weft_scenario_write_schema(cli->backends, cli->nbackends, &sink);
        return 0;
    }
    if (strcmp(what, "renamed") == 0)
        return show_renamed(cli, o);
    if (strcmp(what, "library") == 0)
        return show_library(cli, o, args + 1, nargs - 1, err);
    const struct weft_listing *l = weft_listing_find(cli, what);
    if (!l && nargs == 1)
        return show_by_name(cli, o, what, err);
    if (!l)
        return weft_err_set(err, WEFT_E_USAGE, "cannot show '%s'; see 'weft list'", what);
    if (nargs != 2)
        return weft_err_set(err, WEFT_E_USAGE, "show %s needs one name; see 'weft list %s'",
                            l->singular, l->plural);
    if (strcmp(l->singular, "topology") == 0 && weft_file_is_regular(args[1]))
        return show_topology_file(cli, o, args[1], err);
    return show_listed(cli, o, l, args[1], err);
}

const struct weft_command weft_command_show = {
    .name = "show",
    .summary = "Explain one plug-in, a scenario, a fabric, the output files or the schema",
    .usage = "WHAT [NAME]",
    .example = "weft show cc dcqcn",
    .details =
        "WHAT is one of\n"
        "  cc NAME, topology NAME, collective NAME, workload NAME, transform NAME, fault NAME, "
        "backend NAME, section "
        "NAME: its parameters\n"
        "  NAME                 the same, where only one of them is called so\n"
        "  balancer NAME        its settings\n"
        "  quantity NAME        its selectors in sample.what\n"
        "  library nccl         constants of its model, each with its source\n"
        "  model NAME, gpu NAME what the workload training knows of it\n"
        "  distribution NAME    mean and points of flow sizes\n"
        "  topology FILE        the links of the fabric in a topology file; see weft topology\n"
        "  scenario SCENARIO    every key with its value and where it came from\n"
        "  fabric SCENARIO      the links of the fabric that a scenario builds\n"
        "  output               files, columns and metrics that a run writes\n"
        "  schema               the RELAX NG schema of scenario files\n"
        "  renamed              former names that still work, until the next release",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = show_run,
};
