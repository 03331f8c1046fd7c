/* SPDX-License-Identifier: GPL-2.0-only */
/* weft simai: runs an experiment of SimAI from the options and files of its simulator. */
#include "base/units.h"
#include "foreign/astra/ns3_files.h"
#include "foreign/hpcc/link_down.h"
#include "foreign/hpcc/profile.h"
#include "foreign/run_output.h"
#include "foreign/simai/layers.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/settings.h"
#include "run/source.h"
#include "topologies/topology.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS_FILE "ncclFlowModel_EndToEnd.csv" /* as SimAI calls it */
#define RUN_NAME "test1"                         /* the run in that file, as there */

struct simai_opts {
    struct weft_source_opts source;
    struct weft_foreign_opts run;
    const char *workload, *network, *config, *threads;
    int backend; /* enum */
    bool compat;
};

#define WEFT_OPTS struct simai_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("workload", 'w', workload, "FILE", "AICB's list of layers"),
    WEFT_TEXT("network-topo", 'n', network, "FILE", "topology of gen_Topo_Template.py"),
    WEFT_TEXT("network-conf", 'c', config, "FILE", "SimAI.conf"),
    WEFT_TEXT("thread", 't', threads, "N", "has no effect: see --set run.threads"),
    WEFT_CHOICE("backend", 0, backend, "packet|ideal",
                "ideal: without packets, and without SimAI.conf"),
    WEFT_FLAG("compat", 0, compat,
              "wire sizes, rounding, ACKs, buffer and hash as in the simulator"),
    WEFT_SOURCE_OPTS,
    WEFT_FOREIGN_OPTS("workload", 'o', 'q'),
};

/* Options of SimAI_analytical and SimAI_phynet. */
#define ANALYTICAL "SimAI_analytical's option; weft simai takes those of SimAI_simulator. "
static const struct weft_foreign_opt foreign[] = {
    {"-g|--gpus|-g_p_s|--gpus-per-server|-gps|-g_type|--gpu_type", ANALYTICAL
     "Servers and GPUs are in the topology: gen_Topo_Template.py -g GPUS -gps PER_SERVER "
     "-gt TYPE writes one for -n, --backend ideal plays it without packets"},
    {"-nv|--nvlink|-nic|--nic_busbw|-n_p_s|--nic_per_server|-nic_t|--nic_type", ANALYTICAL
     "Links are in the topology: gen_Topo_Template.py -nvbw RATE -bw RATE writes one for "
     "-n, --backend ideal plays it without packets"},
    {"-busbw|--bus-bandwidth",
     ANALYTICAL "weft derives bandwidths of collectives from links: -n TOPOLOGY with --backend "
                "ideal, whose rates stand for those of the table"},
    {"-r|--result|-r_f|--result_folder", ANALYTICAL "--out DIR is the folder of the results"},
    {"-dp_o|--dp_overlap|-ep_o|--ep_overlap|-tp_o|--tp_overlap|-pp_o|--pp_overlap",
     ANALYTICAL "What overlaps follows from the run here: exposed and total communication are in "
                "the results"},
    {"-v|--visual|-l|--lang", ANALYTICAL "weft report DIR makes a page of a run's results"},
};

enum { PACKET, IDEAL };

/* An experiment while it is read. */
struct experiment {
    const struct weft_cli *cli;
    const struct simai_opts *o;
    struct weft_arena *arena;
    struct weft_settings sets;
    struct weft_fabric *fabric;
    struct weft_astra_text *list;
    struct weft_scenario *s;
    struct weft_simai_layers layers;
    struct weft_hpcc_message_files files;
};

static void simai_note(const struct experiment *x, const char *text)
{
    if (!x->o->run.quiet)
        weft_log(x->cli->log, WEFT_LOG_INFO, "%s", text);
}

/* The topology is read before settings are resolved: those of it. */
static int set_topology(const struct weft_topology_ops *t, void *params,
                        const struct weft_strings *sets, struct weft_err *err)
{
    static const char *const prefixes[] = {"simai.", "topology."};
    char name[64];
    for (size_t i = 0; i < sets->n; i++)
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
            const size_t n = strlen(prefixes[k]);
            const char *at = sets->list[i] + n, *eq = strchr(sets->list[i], '=');
            if (strncmp(sets->list[i], prefixes[k], n) != 0 || !eq ||
                (size_t)(eq - at) >= sizeof name)
                continue;
            snprintf(name, sizeof name, "%.*s", (int)(eq - at), at);
            if (strcmp(name, "type") != 0 && weft_params_set(&t->params, params, name, eq + 1, err))
                return weft_err_prepend(err, "--set %s", sets->list[i]);
        }
    return 0;
}

static int read_topology(struct experiment *x, struct weft_err *err)
{
    const struct weft_topology_ops *t = weft_topology_find("simai", err);
    void *params = t ? calloc(1, t->params.struct_size) : NULL;
    if (!params)
        return t ? weft_err_no_memory(err, "a topology") : err->code;
    int code = weft_params_defaults(&t->params, params, err);
    if (!code)
        code = weft_params_set(&t->params, params, "file", x->o->network, err);
    if (!code)
        code = set_topology(t, params, &x->o->source.set, err);
    if (!code)
        code = t->build(params, &x->fabric, err);
    free(params);
    return code;
}

/* A value for one more rate. */
static int add_rate(struct weft_hpcc_config *c, struct weft_hpcc_map *m, uint64_t rate_bps,
                    double value)
{
    struct weft_hpcc_map_entry *grown = weft_arena_calloc(c->arena, m->n + 1, sizeof *grown);
    if (!grown)
        return WEFT_E_LIMIT;
    if (m->n)
        memcpy(grown, m->entries, m->n * sizeof *grown);
    grown[m->n++] = (struct weft_hpcc_map_entry){rate_bps, value};
    m->entries = grown;
    return 0;
}

/* SimAI's NVSwitches do not mark: rates that the maps of thresholds lack get some that no queue
 * reaches. */
static int complete_maps(const struct experiment *x, struct weft_hpcc_config *c,
                         struct weft_err *err)
{
    const double never_kb = (double)c->buffer_mib * 2048;
    char rate[WEFT_UNIT_TEXT_MAX], text[160];
    for (uint32_t l = 0; l < x->fabric->nlinks; l++) {
        const uint64_t bps = x->fabric->links[l].rate_bps;
        if (weft_hpcc_map_find(&c->kmin, bps) || weft_hpcc_map_find(&c->kmax, bps) ||
            weft_hpcc_map_find(&c->pmax, bps))
            continue;
        if (add_rate(c, &c->kmin, bps, never_kb) || add_rate(c, &c->kmax, bps, never_kb) ||
            add_rate(c, &c->pmax, bps, 1))
            return weft_err_no_memory(err, "a configuration");
        snprintf(text, sizeof text,
                 "KMIN_MAP has no entry for %s: ports of that rate (NVSwitches) never mark, as in "
                 "SimAI",
                 weft_format_rate(bps, rate));
        simai_note(x, text);
    }
    return 0;
}

/* Losses and the failing link of SimAI.conf. */
static int take_failures(struct experiment *x, const struct weft_hpcc_config *c,
                         struct weft_err *err)
{
    const char *output_lines,
        *down = weft_hpcc_link_down_setting(x->arena, c, x->fabric, &output_lines);
    int code = down ? 0 : weft_err_no_memory(err, "an experiment");
    if (!code && c->error_rate > 0)
        code = weft_settings_add(&x->sets, err, "topology.error-rate=%.17g", c->error_rate);
    if (!code && *down) {
        code = weft_settings_add(&x->sets, err, "%s", down);
        simai_note(x, output_lines);
    }
    return code;
}

/* SimAI reads GLOBAL_T, and gives all pairs the window and the RTT of the longest all the same
 * (network_frontend/ns3/common.h at b5ff47c and cef83f9): NVLink's pairs those of a rail. */
static void take_window(struct experiment *x, struct weft_hpcc_config *c)
{
    if (!c->global_t)
        simai_note(x,
                   "GLOBAL_T=0 has no effect, as in SimAI: the window and the RTT of all pairs are "
                   "those of the longest");
    c->global_t = 1;
}

/* SimAI.conf, but for its topology and flows. */
static int take_config(struct experiment *x, struct weft_err *err)
{
    struct weft_hpcc_pairs pairs = {0};
    struct weft_hpcc_config *c = weft_hpcc_config_read_settings(x->o->config, err);
    if (!c)
        return err->code;
    take_window(x, c);
    int code = complete_maps(x, c, err);
    if (!code)
        code = weft_hpcc_pairs_compute(x->fabric, c->payload_bytes, NULL, &pairs, err);
    struct weft_hpcc_flows none = {.file = (char *)c->file, .sorted = true};
    const struct weft_hpcc_profile_input in = {c,      x->o->network, x->fabric, &none,
                                               &pairs, x->o->compat,  NULL,      true};
    struct weft_hpcc_profile *p = code ? NULL : weft_hpcc_profile_new(&in, err);
    if (!code && !p)
        code = err->code;
    for (size_t i = 0; !code && i < p->nsets; i++)
        if (strncmp(p->sets[i], "workload.", 9) != 0 && strncmp(p->sets[i], "topology.", 9) != 0)
            code = weft_settings_add(&x->sets, err, "%s", p->sets[i]);
    for (size_t i = 0; !code && i < p->nwarnings; i++)
        simai_note(x, p->warnings[i]);
    if (!code)
        code = take_failures(x, c, err);
    if (!code)
        simai_note(x, "FLOW_FILE has no effect: the traffic is the workload's; FCT_OUTPUT_FILE and "
                      "PFC_OUTPUT_FILE are written into the run folder, and --set sample.what=... "
                      "samples queues and rates");
    if (!code)
        code = weft_hpcc_message_files(c, x->arena, &x->files, err);
    weft_hpcc_profile_free(p);
    weft_hpcc_config_free(c);
    return code;
}

/* A switch of SimAI's environment. */
static bool is_on(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

/* The GPUs per server of a topology of GPUs with NVLink SHARP, which are the second and the sixth
 * word of its first line; 0: of others. */
static uint64_t nvls_server(const char *topology)
{
    char line[256] = "", gpu[32] = "";
    uint64_t server = 0;
    FILE *f = fopen(topology, "r");
    if (f && !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    const char *p = line;
    for (int i = 0; i < 5; i++) {
        p += strspn(p, " \t");
        server = i == 1 ? strtoull(p, NULL, 10) : server;
        p += strcspn(p, " \t");
    }
    p += strspn(p, " \t");
    snprintf(gpu, sizeof gpu, "%.*s", (int)strcspn(p, " \t\r\n"), p);
    return strcmp(gpu, "H100") == 0 || strcmp(gpu, "H800") == 0 ? server : 0;
}

/* AS_NVLS_ENABLE: who adds up what TP groups reduce; @p alg is for the other collectives. */
static int take_nvls(struct experiment *x, const char *alg, struct weft_err *err)
{
    const uint64_t server = nvls_server(x->o->network);
    const bool whole = x->fabric->ndims > 1 ? strchr(alg, ',') != NULL
                                            : x->fabric->nhosts <= server; /* no ranks elsewhere */
    if (!is_on("AS_NVLS_ENABLE"))
        return weft_settings_add(&x->sets, err, "system.all-reduce=%s", alg);
    if (x->list->tp < 8 || x->list->tp > server || !whole) {
        simai_note(x,
                   "AS_NVLS_ENABLE=1 has no effect: SimAI lets NVSwitches add up all-reduces of TP "
                   "groups of 8 ranks and more in a server of H100 or H800");
        return weft_settings_add(&x->sets, err, "system.all-reduce=%s", alg);
    }
    simai_note(
        x, "AS_NVLS_ENABLE=1: NVSwitches add up all-reduces in a server, packet by packet "
           "(system.all-reduce=in-network); SimAI's takes in a quarter of the data, passes it on "
           "and takes in the next one meanwhile, which is 5 waits of AS_SEND_LAT instead of one "
           "and 5/4 of the time on the links");
    return weft_settings_add(&x->sets, err, "system.all-reduce=in-network%s",
                             x->fabric->ndims > 1 ? ",ring" : "");
}

/* AS_SEND_LAT, the wait before each message. SimAI's simulator multiplies the number by 1000 and
 * hands it to ns-3 as nanoseconds, so that it counts microseconds: its tutorial says so, and the
 * total times of its quick start, in microseconds, grow by 28 x 1200 from AS_SEND_LAT=6000 to 7200
 * over 28 messages one after the other. Its documents of version 1.7 say nanoseconds. */
static int take_send_latency(struct experiment *x, struct weft_err *err)
{
    enum { DEFAULT_US = 6, MAX_US = 1000000, LONG_US = 1000 };
    const char *text = getenv("AS_SEND_LAT");
    char *end = NULL;
    const unsigned long us = text ? strtoul(text, &end, 10) : DEFAULT_US;
    if (text && (*end || end == text || *text == '-' || us > MAX_US))
        return weft_err_set(err, WEFT_E_INPUT,
                            "AS_SEND_LAT=%s: must be whole microseconds, 0 to %d", text, MAX_US);
    if (!text && x->o->backend == IDEAL)
        return 0; /* SimAI_analytical has no such wait */
    if (!text)
        simai_note(
            x, "AS_SEND_LAT is not set: each message waits 6 us, the default that SimAI's tutorial "
               "names; its simulator waits 6 ms, and up to 31 ms since version 1.7, because its "
               "own defaults count nanoseconds");
    else if (us >= LONG_US)
        simai_note(x, "AS_SEND_LAT counts microseconds, as in SimAI's simulator (its documents of "
                      "version 1.7 say nanoseconds): each message waits 1 ms or more");
    return weft_settings_add(&x->sets, err, "system.send-latency=%luus", us);
}

/* What else SimAI takes from its environment. */
static int take_environment(struct experiment *x, struct weft_err *err)
{
    if (is_on("AS_NVLSTREE_ENABLE"))
        simai_note(x, "AS_NVLSTREE_ENABLE=1 has no effect: SimAI has no messages for NVLS trees");
    if (is_on("AS_PXN_ENABLE") && !x->fabric->transit)
        simai_note(
            x, "AS_PXN_ENABLE=1 has no effect: rings between servers stay on a rail, so that no "
               "message needs a GPU beside its sender to reach one");
    else if (!is_on("AS_PXN_ENABLE") && x->fabric->transit)
        simai_note(
            x, "AS_PXN_ENABLE is not 1: SimAI has no path for messages between GPUs that the "
               "network does not join; here they go through another GPU of their server all the "
               "same");
    return take_send_latency(x, err);
}

/* Whether groups are whole servers, or parts of servers that are alike. */
static bool fits_servers(const struct experiment *x)
{
    const uint64_t server = x->fabric->dims[0].size, tp = x->list->tp ? x->list->tp : 1;
    const uint64_t units[] = {tp, tp * (x->list->ep ? x->list->ep : 1)};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (server % units[i] != 0 && units[i] % server != 0)
            return false;
    return true;
}

static int read_files(struct experiment *x, struct weft_err *err)
{
    const char *alg = "ring";
    int code = read_topology(x, err);
    if (!code)
        code = weft_astra_text_read(x->o->workload, WEFT_ASTRA_DIALECT_SIMAI, &x->list, err);
    if (!code)
        code = weft_settings_add(&x->sets, err, "topology.type=simai");
    if (!code)
        code = weft_settings_add(&x->sets, err, "simai.file=%s", x->o->network);
    if (!code)
        code = weft_settings_add(&x->sets, err, "workload.type=astra-text");
    if (!code)
        code = weft_settings_add(&x->sets, err, "astra-text.file=%s", x->o->workload);
    if (!code)
        code = weft_settings_add(&x->sets, err, "astra-text.dialect=simai");
    if (!code && x->fabric->ndims > 1 && !fits_servers(x))
        simai_note(
            x, "groups do not fit into the servers: a collective is one ring over all its ranks");
    else if (!code && x->fabric->ndims > 1)
        alg = "ring,ring"; /* of a server, and of servers: all its NICs take part, as in SimAI */
    if (!code)
        code = take_nvls(x, alg, err);
    if (!code)
        code = weft_settings_add(&x->sets, err, "system.all-gather=%s", alg);
    if (!code)
        code = weft_settings_add(&x->sets, err, "system.reduce-scatter=%s", alg);
    if (!code)
        code = weft_settings_add(&x->sets, err, "system.all-to-all=direct");
    if (!code)
        code = take_environment(x, err);
    if (!code && x->o->backend == IDEAL) {
        simai_note(x, "SimAI.conf has no effect without packets");
        code = weft_settings_add(&x->sets, err, "network.backend=ideal");
        return code ? code : weft_settings_add(&x->sets, err, "ideal.contention=source");
    }
    return code || !x->o->config ? code : take_config(x, err);
}

static int simai_resolve(struct experiment *x, struct weft_err *err)
{
    char name[WEFT_PATH_MAX];
    weft_path_stem(name, x->o->workload);
    return weft_source_resolve(x->cli, &x->o->source, x->sets.list, x->sets.n, name, &x->s, err);
}

static int write_layers(void *ctx, const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    return weft_path_join(path, dir, LAYERS_FILE, err)
               ? err->code
               : weft_simai_layers_write(&((struct experiment *)ctx)->layers, path, RUN_NAME, err);
}

static int simai_play(struct experiment *x, struct weft_err *err)
{
    struct weft_ns3_files files;
    struct weft_foreign_run r = {.command = "simai",
                                 .opts = &x->o->run,
                                 .how = {.op = weft_simai_layers_op,
                                         .op_ctx = &x->layers,
                                         .again = weft_simai_layers_again,
                                         .files = &files.files},
                                 .beside = ", per layer in " LAYERS_FILE,
                                 .write = write_layers,
                                 .ctx = x};
    weft_ns3_files_init(&files, &x->files, LAYERS_FILE);
    int code = r.opts->show ? 0 : weft_astra_groups_check(x->list, x->fabric->nhosts, err);
    if (!code)
        code = weft_simai_layers_init(&x->layers, x->list, x->fabric->nhosts, err);
    if (!code)
        code = weft_foreign_play(x->cli, x->s, &r, err);
    weft_ns3_files_free(&files);
    return code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    struct experiment x = {.cli = cli, .o = (const struct simai_opts *)opts};
    if (!nargs && (!x.o->workload || !x.o->network))
        return weft_err_set(err, WEFT_E_USAGE, "-w (workload) and -n (topology) must be given");
    if (weft_foreign_check(&x.o->run, args, nargs, err))
        return err->code;
    x.arena = weft_arena_new();
    x.sets.arena = x.arena;
    int code = x.arena ? read_files(&x, err) : weft_err_no_memory(err, "an experiment");
    if (!code)
        code = simai_resolve(&x, err);
    if (!code)
        code = simai_play(&x, err);
    weft_simai_layers_free(&x.layers);
    weft_scenario_free(x.s);
    weft_astra_text_free(x.list);
    weft_fabric_free(x.fabric);
    weft_settings_free(&x.sets);
    weft_arena_free(x.arena);
    return code;
}

const struct weft_command weft_command_simai = {
    .name = "simai",
    .summary = "Run an experiment of SimAI",
    .usage = "-w FILE -n FILE [-c FILE] [OPTION]... [--set KEY=VALUE]...",
    .example = "weft simai -t 16 -w microAllReduce.txt -n Spectrum-X_128g_8gps_100Gbps_A100 -c "
               "SimAI.conf",
    .details =
        "Takes the options and files of SimAI_simulator as they are, and AS_SEND_LAT "
        "(microseconds),\n"
        "AS_NVLS_ENABLE and AS_PXN_ENABLE of its environment.\n"
        "Writes " LAYERS_FILE ", what rank 0 spends on each layer in SimAI's columns, beside "
        "weft's own files.\n"
        "What weft does otherwise is said; docs/how-to/coming-from.md compares.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .foreign = foreign,
    .nforeign = sizeof foreign / sizeof foreign[0],
    .run = run,
};
