/* SPDX-License-Identifier: GPL-2.0-only */
/* weft topology: figures, checks, conversions and pictures of fabrics. */
#include "base/units.h"
#include "cli/cli_internal.h"
#include "report/report.h"
#include "run/source.h"
#include "topologies/deadlock.h"
#include "topologies/measure.h"
#include "topologies/presets.h"
#include "topologies/read.h"
#include "topologies/write.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pairs of hosts whose routes are looked at; larger fabrics are sampled. */
#define PAIRS_MAX (UINT64_C(1) << 24)
/* Largest fabric whose bisection is computed unasked. */
#define BISECTION_LINKS_MAX 60000u
#define TIERS_MAX 64u
/* Largest fabric of which a picture shows every node. */
#define NODES_WHOLE 100u

struct topology_opts {
    struct weft_source_opts source;
    const char *to, *output;
    bool json;
};

#define WEFT_OPTS struct topology_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("to", 't', to, "FORMAT", "convert: xml (default), hpcc, dot or svg"),
    WEFT_TEXT("output", 'o', output, "FILE",
              "convert, draw: write there; default: standard output"),
    WEFT_FLAG("json", 0, json, "show: print as JSON"),
};

/* A fabric and the scenario that it comes from. */
struct source {
    struct weft_scenario *scenario;
    struct weft_fabric *fabric;
    struct weft_routes *routes; /* once wanted */
};

static void close_source(struct source *s)
{
    weft_routes_free(s->routes);
    weft_fabric_free(s->fabric);
    if (s->scenario)
        weft_scenario_free(s->scenario);
}

/* Whether a file is a scenario; topology files are everything else. */
static bool is_scenario(const char *file)
{
    char text[4096];
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return strstr(text, "<scenario") != NULL;
}

/* What each verb needs: the fabric, to show it its buffers, to check it all that the backend
 * checks. */
static int check_uses(const struct weft_scenario *s, const char *verb, struct weft_err *err)
{
    static const char *const uses[] = {"topology", "network", "transport", "switch",  "pfc",
                                       "credit",   "uet",     "ecn",       "capture", "tcp"};
    const size_t n = strcmp(verb, "show") == 0 ? 7 : strcmp(verb, "check") == 0 ? 10 : 1;
    char command[32];
    snprintf(command, sizeof command, "topology %s", verb);
    return weft_source_check_uses(s, command, uses, n, err);
}

/*
 * Resolves SOURCE: a scenario, a topology file, or a preset. The latter two become a scenario with
 * that topology and whatever --set adds.
 */
static int open_source(const struct weft_cli *cli, const struct topology_opts *o, const char *verb,
                       char **args, int nargs, struct source *s, struct weft_err *err)
{
    char type[64], value[WEFT_PATH_MAX + 64], path[WEFT_PATH_MAX];
    size_t n = 0;
    *s = (struct source){0};
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one fabric at a time; '%s' is one too many",
                            args[1]);
    const char *sets[3];
    struct weft_err quiet = {0};
    int code = 0;
    if (nargs == 0 || !weft_file_is_regular(args[0]) || !is_scenario(args[0])) {
        if (nargs && weft_file_is_regular(args[0])) {
            const struct weft_topology_ops *ops = weft_topology_reader(args[0], err);
            if (!ops)
                code = err->code;
            snprintf(type, sizeof type, "topology.type=%s", ops ? ops->name : "");
            snprintf(value, sizeof value, "%s.file=%s", ops ? ops->name : "", args[0]);
            nargs = 0;
            sets[n++] = type;
            sets[n++] = value;
        } else if (nargs && !weft_preset_path(args[0], path, &quiet)) {
            snprintf(value, sizeof value, "preset.name=%s", args[0]);
            nargs = 0;
            sets[n++] = "topology.type=preset";
            sets[n++] = value;
        }
        if (nargs == 0)
            sets[n++] = "workload.type=generate";
        if (quiet.code == WEFT_E_LIMIT) {
            *err = quiet;
            code = err->code;
        }
    }
    if (!code && n)
        code = weft_source_resolve(cli, &o->source, sets, n, "", &s->scenario, err);
    else if (!code)
        code = weft_source_load(cli, &o->source, args, nargs, &s->scenario, err);
    if (!code)
        code = check_uses(s->scenario, verb, err);
    if (!code)
        code = weft_topology_build(s->scenario->topology, s->scenario->topology_params, &s->fabric,
                                   err);
    if (!code)
        weft_source_fabric_notes(cli, s->fabric);
    return code;
}

/* What `show` prints. */
struct figures {
    struct weft_path_figures paths;
    uint64_t bisection_bps; /* 0: not computed */
    struct weft_tier_figures tiers[TIERS_MAX];
    uint32_t ntiers;
    struct weft_buffer_figures buffers;
    bool has_buffers;
};

static int topology_measure(struct source *s, struct figures *g, struct weft_err *err)
{
    const struct weft_fabric *f = s->fabric;
    const struct weft_net_backend *b = s->scenario->backend;
    *g = (struct figures){0};
    s->routes = weft_routes_new(f, err);
    if (!s->routes || weft_fabric_path_figures(s->routes, f, PAIRS_MAX, &g->paths, err))
        return err->code;
    if (f->nlinks <= BISECTION_LINKS_MAX && weft_fabric_bisection_bps(f, &g->bisection_bps, err))
        return err->code;
    g->ntiers = weft_fabric_tier_figures(f, g->tiers, TIERS_MAX);
    if (b->buffers) {
        struct weft_net_config c = weft_scenario_net_config(s->scenario, f);
        b->buffers(&c, &g->buffers);
        g->has_buffers = true;
    }
    return 0;
}

/* The rates of a host's links together. */
static uint64_t host_rate(const struct weft_fabric *f)
{
    const struct weft_fabric_node *x = &f->nodes[f->hosts[0]];
    uint64_t sum = 0;
    for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
        sum += f->links[f->ports[p].link].rate_bps;
    return sum;
}

static void show_setting(void *out, const char *name, const char *value)
{
    fprintf(out, ", %s %s", name, value);
}

static void show_text(FILE *out, const struct weft_fabric *f, const struct figures *g)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX], c[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "hosts %u, switches %u, links %u%s\n", f->nhosts, f->nswitches, f->nlinks,
            f->transit ? "; hosts forward" : "");
    for (uint32_t d = 0; d < f->ndims; d++) {
        fprintf(out, "dimension %u  %-16s size %-6u %u link%s of %s, %s per NPU%s", d,
                f->dims[d].kind, f->dims[d].size, f->dims[d].links,
                f->dims[d].links == 1 ? "" : "s", weft_human_rate((double)f->dims[d].rate_bps, a),
                weft_human_time(f->dims[d].delay_ps, b),
                f->dims[d].spans && d > 0 ? ", joins the inner dimensions" : "");
        weft_dim_settings_each(&f->dims[d].set, out, show_setting);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < g->ntiers; i++) {
        const struct weft_tier_figures *t = &g->tiers[i];
        fprintf(out, "tier %u.%u     %u switch%s of %u", t->dim, t->tier, t->switches,
                t->switches == 1 ? "" : "es", t->min_ports);
        if (t->max_ports > t->min_ports)
            fprintf(out, " to %u", t->max_ports);
        fprintf(out, " ports, %s down, %s up", weft_human_rate((double)t->down_bps, a),
                weft_human_rate((double)t->up_bps, b));
        if (t->same_bps)
            fprintf(out, ", %s among themselves", weft_human_rate((double)t->same_bps, c));
        if (t->up_bps)
            fprintf(out, ", oversubscription %.3g : 1", (double)t->down_bps / (double)t->up_bps);
        fputc('\n', out);
    }
    fprintf(out, "diameter     %u links, mean %.3f\n", g->paths.diameter, g->paths.mean_hops);
    fprintf(out, "paths        %" PRIu64 " to %" PRIu64 " of equal cost per pair of hosts",
            g->paths.min_paths, g->paths.max_paths);
    if (g->paths.sources_looked < f->nhosts)
        fprintf(out, " (to %u of the hosts)", g->paths.sources_looked);
    fputc('\n', out);
    if (g->bisection_bps)
        fprintf(out, "bisection    %s, %.3g of what half of the hosts send\n",
                weft_human_rate((double)g->bisection_bps, a),
                (double)g->bisection_bps / ((double)host_rate(f) * (f->nhosts / 2)));
    else if (f->nhosts > 1)
        fprintf(out, "bisection    not computed: more than %u links\n", BISECTION_LINKS_MAX);
    if (g->has_buffers)
        fprintf(out, "buffers      %s in %" PRIu64 " forwarding nodes: headroom %s, reserve %s\n",
                weft_human_size(g->buffers.buffer_bytes, a), g->buffers.nodes,
                weft_human_size(g->buffers.headroom_bytes, b),
                weft_human_size(g->buffers.reserve_bytes, c));
}

static void show_setting_json(void *j, const char *name, const char *value)
{
    weft_json_kv_str(j, name, value);
}

static void show_dims_json(struct weft_json *j, const struct weft_fabric *f)
{
    weft_json_kv_array(j, "dimensions");
    for (uint32_t d = 0; d < f->ndims; d++) {
        weft_json_object(j);
        weft_json_kv_str(j, "kind", f->dims[d].kind);
        weft_json_kv_u64(j, "size", f->dims[d].size);
        weft_json_kv_u64(j, "links_per_npu", f->dims[d].links);
        weft_json_kv_u64(j, "rate_bps", f->dims[d].rate_bps);
        weft_json_kv_f64(j, "delay_ns", (double)f->dims[d].delay_ps / 1000);
        weft_json_kv_bool(j, "direct", f->dims[d].direct);
        weft_json_kv_bool(j, "spans", f->dims[d].spans);
        weft_dim_settings_each(&f->dims[d].set, j, show_setting_json);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

static void show_json(const struct weft_cli *cli, const struct weft_fabric *f,
                      const struct figures *g)
{
    struct weft_json j;
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "topology show");
    weft_json_kv_u64(&j, "hosts", f->nhosts);
    weft_json_kv_u64(&j, "switches", f->nswitches);
    weft_json_kv_u64(&j, "links", f->nlinks);
    weft_json_kv_bool(&j, "hosts_forward", f->transit);
    weft_json_kv_u64(&j, "virtual_channels", f->vcs);
    show_dims_json(&j, f);
    weft_json_kv_array(&j, "tiers");
    for (uint32_t i = 0; i < g->ntiers; i++) {
        weft_json_object(&j);
        weft_json_kv_u64(&j, "dim", g->tiers[i].dim);
        weft_json_kv_u64(&j, "tier", g->tiers[i].tier);
        weft_json_kv_u64(&j, "switches", g->tiers[i].switches);
        weft_json_kv_u64(&j, "down_bps", g->tiers[i].down_bps);
        weft_json_kv_u64(&j, "up_bps", g->tiers[i].up_bps);
        weft_json_end_object(&j);
    }
    weft_json_end_array(&j);
    weft_json_kv_u64(&j, "diameter", g->paths.diameter);
    weft_json_kv_f64(&j, "mean_hops", g->paths.mean_hops);
    weft_json_kv_u64(&j, "min_paths", g->paths.min_paths);
    weft_json_kv_u64(&j, "max_paths", g->paths.max_paths);
    weft_json_kv_u64(&j, "bisection_bps", g->bisection_bps);
    if (g->has_buffers) {
        weft_json_kv_u64(&j, "buffer_bytes", g->buffers.buffer_bytes);
        weft_json_kv_u64(&j, "headroom_bytes", g->buffers.headroom_bytes);
        weft_json_kv_u64(&j, "reserve_bytes", g->buffers.reserve_bytes);
    }
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

static int show(const struct weft_cli *cli, const struct topology_opts *o, struct source *s,
                struct weft_err *err)
{
    struct figures g;
    int code = topology_measure(s, &g, err);
    if (code)
        return code;
    if (o->json)
        show_json(cli, s->fabric, &g);
    else
        show_text(cli->out, s->fabric, &g);
    return 0;
}

/* Routes of every pair, then whether they can deadlock, then the backend's own checks. */
static int topology_check(const struct weft_cli *cli, const struct topology_opts *o,
                          struct source *s, struct weft_err *err)
{
    struct weft_path_figures paths;
    const struct weft_net_backend *b = s->scenario->backend;
    struct weft_net_config c = weft_scenario_net_config(s->scenario, s->fabric);
    s->routes = weft_routes_new(s->fabric, err);
    if (!s->routes || weft_fabric_path_figures(s->routes, s->fabric, PAIRS_MAX, &paths, err))
        return err->code;
    if (s->fabric->nhosts > 1 && paths.min_paths == 0)
        return weft_err_set(err, WEFT_E_INPUT, "some pair of hosts has no route");
    int code = b->check ? b->check(&c, err) : 0;
    if (code)
        return code;
    fprintf(cli->out, "hosts %u, switches %u, links %u: every pair has a route\n",
            s->fabric->nhosts, s->fabric->nswitches, s->fabric->nlinks);
    code = weft_deadlock_check(s->fabric, NULL, err);
    if (!code) {
        fprintf(cli->out, "no circle of waiting links with %u virtual channel%s\n", s->fabric->vcs,
                s->fabric->vcs == 1 ? "" : "s");
    } else if (code == WEFT_E_INPUT) {
        fprintf(cli->out, "%s%s\n", err->msg,
                o->source.allow_deadlock ? "" : "; PFC is off, so packets are dropped instead");
        *err = (struct weft_err){0};
        code = 0;
    }
    return code;
}

/* Writes what @p write makes of the fabric to a file or standard output. */
static int write_as(const struct weft_cli *cli,
                    int (*write)(const struct weft_fabric *f, FILE *out, struct weft_err *err),
                    const char *output, const struct source *s, struct weft_err *err)
{
    struct weft_memfile text;
    if (weft_memfile_open(&text, "a topology", err))
        return err->code;
    int code = write(s->fabric, text.f, err);
    if (output)
        return weft_memfile_write(&text, "a topology", output, code, err);
    const int closed = weft_memfile_close(&text, "a topology", code ? NULL : err);
    code = code ? code : closed;
    if (!code)
        fwrite(text.data, 1, text.size, cli->out);
    free(text.data);
    return code;
}

static int convert(const struct weft_cli *cli, const char *format, const char *output,
                   struct source *s, struct weft_err *err)
{
    size_t n;
    const struct weft_topology_writer *w = weft_topology_writers(&n);
    const char *names[16];
    for (size_t i = 0; i < n; i++) {
        names[i] = w[i].name;
        if (strcmp(w[i].name, format) == 0)
            return write_as(cli, w[i].write, output, s, err);
    }
    return weft_err_set(err, WEFT_E_USAGE, "cannot write '%s'%s", format,
                        WEFT_MEANT(format, names, n, "; there are xml, hpcc, dot and svg"));
}

/* Large fabrics are folded, and all that are not drawn as SVG. */
static int topology_draw(const struct weft_cli *cli, const char *output, struct source *s,
                         struct weft_err *err)
{
    const char *dot = output ? strrchr(weft_path_base(output), '.') : NULL;
    if (dot && strcmp(dot, ".svg") != 0)
        return weft_topology_picture_file(cli, s->fabric, output, err);
    return s->fabric->nnodes > NODES_WHOLE ? write_as(cli, weft_topology_picture, output, s, err)
                                           : convert(cli, "svg", output, s, err);
}

static void print_preset(void *ctx, const char *name, const char *file)
{
    struct weft_fabric *f = NULL;
    if (weft_topology_read(file, &f, NULL) == 0)
        fprintf((FILE *)ctx, "%-24s hosts %u, switches %u, links %u\n", name, f->nhosts,
                f->nswitches, f->nlinks);
    weft_fabric_free(f);
}

static int topology_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                        struct weft_err *err)
{
    static const char *const verbs[] = {"show", "check", "convert", "draw", "presets"};
    const struct topology_opts *o = (const struct topology_opts *)opts;
    struct source s;
    size_t v = 0;
    while (nargs && v < 5 && strcmp(args[0], verbs[v]) != 0)
        v++;
    if (nargs == 0 || v == 5)
        return weft_err_set(err, WEFT_E_USAGE,
                            "topology what? show, check, convert, draw, presets");
    if (v == 4)
        return weft_preset_each(print_preset, cli->out, err);
    int code = open_source(cli, o, verbs[v], args + 1, nargs - 1, &s, err);
    if (!code && v == 0)
        code = show(cli, o, &s, err);
    else if (!code && v == 1)
        code = topology_check(cli, o, &s, err);
    else if (!code && v == 3)
        code = topology_draw(cli, o->output, &s, err);
    else if (!code)
        code = convert(cli, o->to ? o->to : "xml", o->output, &s, err);
    close_source(&s);
    return code;
}

const struct weft_command weft_command_topology = {
    .name = "topology",
    .summary = "Figures, checks, conversions and pictures of fabrics",
    .usage = "show|check|convert|draw|presets [SOURCE] [--set KEY=VALUE]...",
    .example = "weft topology show dgx-h100-pod",
    .details =
        "SOURCE is a scenario, a topology file (weft XML, HPCC, SimAI, ASTRA-sim network, NCCL "
        "dump), "
        "or a preset.\n"
        "  show     dimensions, tiers, oversubscription, diameter, paths, bisection, buffers\n"
        "  check    every pair has a route; routes cannot deadlock; buffers hold the headroom\n"
        "  convert  writes xml, hpcc, dot or svg (--to)\n"
        "  draw     writes a picture (svg, or by the ending of -o); of more than 100 nodes what "
        "hangs together is one box "
        "(gnuplot draws it; convert --to svg has every node)\n"
        "  presets  lists the topologies that come with weft\n"
        "Without SOURCE: the fabric of --set topology.type=... and its parameters.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = topology_run,
};
