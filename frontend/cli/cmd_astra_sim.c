/* SPDX-License-Identifier: GPL-2.0-only */
/* weft astra-sim: runs an experiment of ASTRA-sim from the options and files of its frontends. */
#include "base/units.h"
#include "foreign/astra/experiment.h"
#include "foreign/astra/ns3_files.h"
#include "foreign/run_output.h"
#include "jobs/jobs.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/source.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

struct astra_opts {
    struct weft_source_opts source;
    const char *workload, *system, *network, *memory, *groups, *logical;
    const char *queues, *injection_scale, *comm_scale, *compute_scale, *rendezvous, *passes;
    const char *logging, *logging_folder, *stat_path, *run_name, *stat_rows, *stat_row;
    struct weft_strings units, links, bandwidths, latencies, htsim;
    const char *out;
    int backend; /* enum weft_astra_backend */
    bool compat, no_out, json, quiet, show;
};

#define TEXT_OPT(name, field, arg, help)                                                           \
    {                                                                                              \
        name, 0, WEFT_OPT_TEXT, offsetof(struct astra_opts, field), arg, NULL, help                \
    }
#define LIST_OPT(name, field, help)                                                                \
    {                                                                                              \
        name, 0, WEFT_OPT_LIST, offsetof(struct astra_opts, field), "VALUES", NULL, help           \
    }
#define FLAG_OPT(name, letter, field, help)                                                        \
    {                                                                                              \
        name, letter, WEFT_OPT_FLAG, offsetof(struct astra_opts, field), NULL, NULL, help          \
    }

static const struct weft_opt options[] = {
    TEXT_OPT("workload-configuration", workload, "PREFIX", "Chakra traces PREFIX.0.et ..."),
    TEXT_OPT("system-configuration", system, "FILE", "system JSON, or text of ASTRA-sim 1.0"),
    TEXT_OPT("network-configuration", network, "FILE",
             "analytical YAML, network JSON of 1.0, or ns-3's config.txt"),
    TEXT_OPT("remote-memory-configuration", memory, "FILE", "remote memory JSON"),
    TEXT_OPT("comm-group-configuration", groups, "FILE",
             "JSON of process groups; a name with 'empty' in it: none"),
    TEXT_OPT("logical-topology-configuration", logical, "FILE", "JSON with logical-dims, for ns-3"),
    TEXT_OPT("num-queues-per-dim", queues, "N", "queues of a dimension; default 1"),
    TEXT_OPT("injection-scale", injection_scale, "X", "factor of endpoint-delay; default 1"),
    TEXT_OPT("rendezvous-protocol", rendezvous, "BOOL",
             "receivers ask for each message; default false"),
    TEXT_OPT("comm-scale", comm_scale, "X", "has no effect, as in ASTRA-sim 2"),
    TEXT_OPT("compute-scale", compute_scale, "X", "has no effect, as in ASTRA-sim 2"),
    TEXT_OPT("num-passes", passes, "N", "has no effect on traces"),
    TEXT_OPT("run-name", run_name, "NAME", "name of the run"),
    TEXT_OPT("logging-configuration", logging, "FILE", "has no effect"),
    TEXT_OPT("logging-folder", logging_folder, "DIR", "has no effect"),
    TEXT_OPT("path", stat_path, "DIR", "has no effect: see --out"),
    TEXT_OPT("total-stat-rows", stat_rows, "N", "has no effect"),
    TEXT_OPT("stat-row", stat_row, "N", "has no effect"),
    LIST_OPT("units-count", units, "in place of the network file's: NPUs per dimension"),
    LIST_OPT("links-count", links, "in place of the network file's: links per dimension"),
    LIST_OPT("link-bandwidth", bandwidths, "in place of the network file's, 2^30 byte/s"),
    LIST_OPT("link-latency", latencies, "in place of the network file's, ns"),
    {"htsim_opts", 0, WEFT_OPT_REST, offsetof(struct astra_opts, htsim), "ARGUMENTS", NULL,
     "everything behind it is htsim's: -topo FILE is the fabric, the rest has no effect"},
    {"backend", 0, WEFT_OPT_CHOICE, offsetof(struct astra_opts, backend), NULL,
     "auto|congestion-unaware|congestion-aware|packet",
     "auto: packets for ns-3; else as ASTRA-sim's analytical networks, aware in one dimension"},
    FLAG_OPT("compat", 0, compat,
             "ns-3: wire sizes, rounding, ACKs, buffer and hash as in the simulator"),
    WEFT_SOURCE_OPTS(astra_opts),
    {"out", 'o', WEFT_OPT_TEXT, offsetof(struct astra_opts, out), "DIR", NULL,
     "run folder; default out/NAME of the workload"},
    FLAG_OPT("no-out", 0, no_out, "write no files"),
    FLAG_OPT("show-settings", 0, show, "print the resolved settings instead of running"),
    FLAG_OPT("json", 0, json, "print the summary as JSON"),
    FLAG_OPT("quiet", 'q', quiet, "no results, no notes; errors and warnings only"),
};

static struct weft_astra_options options_of(const struct astra_opts *o)
{
    return (struct weft_astra_options){
        .workload = o->workload,
        .system = o->system,
        .network = o->network,
        .memory = o->memory,
        .groups = o->groups,
        .logical = o->logical,
        .queues = o->queues,
        .injection_scale = o->injection_scale,
        .comm_scale = o->comm_scale,
        .compute_scale = o->compute_scale,
        .rendezvous = o->rendezvous,
        .passes = o->passes,
        .logging = o->logging,
        .logging_folder = o->logging_folder,
        .stat_path = o->stat_path,
        .run_name = o->run_name,
        .stat_rows = o->stat_rows,
        .stat_row = o->stat_row,
        .units_count = o->units.list,
        .nunits_count = o->units.n,
        .links_count = o->links.list,
        .nlinks_count = o->links.n,
        .link_bandwidth = o->bandwidths.list,
        .nlink_bandwidth = o->bandwidths.n,
        .link_latency = o->latencies.list,
        .nlink_latency = o->latencies.n,
        .htsim = o->htsim.list,
        .nhtsim = o->htsim.n,
        .backend = (enum weft_astra_backend)o->backend,
        .compat = o->compat,
    };
}

/* The scenario that the experiment and the settings of the command line come to. */
static int astra_sim_resolve(const struct weft_cli *cli, const struct astra_opts *o,
                             const struct weft_astra_experiment *x, struct weft_scenario **out,
                             struct weft_err *err)
{
    for (size_t i = 0; i < x->nnotes && !o->quiet; i++)
        weft_log(cli->log, WEFT_LOG_INFO, "%s", x->notes[i]);
    return weft_source_resolve(cli, &o->source, x->sets, x->nsets, x->name, out, err);
}

/* One rank in ASTRA-sim's words; its cycles are nanoseconds. */
static void print_rank(FILE *out, uint32_t rank, const struct weft_rank_result *r)
{
    const int64_t end = r->end_ps / WEFT_PS_PER_NS, gpu = r->compute_ps / WEFT_PS_PER_NS;
    const int64_t overlap = r->comm_ps - r->exposed_comm_ps;
    const struct {
        const char *what;
        int64_t ps;
    } times[] = {{"CPU time", r->cpu_ps},
                 {"GPU time", r->compute_ps},
                 {"Comm time", r->comm_ps},
                 {"Total compute-communication overlap", overlap}};
    if (!r->finished) {
        fprintf(out, "sys[%u] did not finish\n", rank);
        return;
    }
    fprintf(out,
            "sys[%u] finished, %" PRId64 " cycles, exposed communication %" PRId64 " cycles.\n",
            rank, end, end - gpu);
    fprintf(out, "sys[%u], Wall time: %" PRId64 "\n", rank, end);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (times[i].ps > 0)
            fprintf(out, "sys[%u], %s: %" PRId64 "\n", rank, times[i].what,
                    times[i].ps / WEFT_PS_PER_NS);
}

static void print_ranks(void *ctx, const struct weft_jobs *jobs)
{
    FILE *out = (FILE *)ctx;
    struct weft_rank_result r;
    const struct weft_job_plan *plan = weft_jobs_plan(jobs, 0);
    for (uint32_t i = 0; plan->workload && i < plan->workload->nranks; i++) {
        weft_jobs_rank(jobs, 0, i, &r);
        print_rank(out, i, &r);
    }
}

static int astra_sim_play(const struct weft_cli *cli, const struct astra_opts *o,
                          struct weft_scenario *s, const struct weft_hpcc_message_files *of,
                          struct weft_err *err)
{
    struct weft_execution x = {0};
    struct weft_ns3_files files;
    char dir[WEFT_PATH_MAX];
    struct weft_execute_opts eo = {.out_dir = o->out,
                                   .progress = o->quiet ? NULL : cli->err,
                                   .progress_is_tty = cli->err_is_tty,
                                   .ended = o->json || o->quiet ? NULL : print_ranks,
                                   .ended_ctx = cli->out,
                                   .files = of->fct || of->pfc ? &files.files : NULL};
    weft_ns3_files_init(&files, of, NULL);
    int code = weft_run_folder(&eo, o->no_out, s->name, dir, err);
    if (!code)
        code = weft_execute(cli, s, &eo, &x, err);
    weft_interrupt_saved();
    code = code ? code : x.end.code;
    weft_run_say(
        cli, &x,
        &(struct weft_run_output){
            .command = "astra-sim", .out_dir = eo.out_dir, .json = o->json, .quiet = o->quiet},
        code);
    weft_ns3_files_free(&files);
    weft_execution_free(&x);
    return code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct astra_opts *o = (const struct astra_opts *)opts;
    struct weft_scenario *s = NULL;
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option", args[0]);
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    const struct weft_astra_options ao = options_of(o);
    struct weft_astra_experiment *x = weft_astra_experiment_new(&ao, err);
    if (!x)
        return err->code;
    int code = astra_sim_resolve(cli, o, x, &s, err);
    if (!code && o->show)
        weft_source_config_text(cli->out, s, true);
    else if (!code)
        code = astra_sim_play(cli, o, s, &x->files, err);
    weft_astra_experiment_free(x);
    weft_scenario_free(s);
    return code;
}

const struct weft_command weft_command_astra_sim = {
    .name = "astra-sim",
    .summary = "Run an experiment of ASTRA-sim",
    .usage = "--workload-configuration PREFIX --system-configuration FILE\n"
             "       --network-configuration FILE [OPTION]... [--set KEY=VALUE]...",
    .example = "weft astra-sim --workload-configuration all_reduce/all_reduce "
               "--system-configuration Ring_4chunks.json --network-configuration Ring_8npus.yml",
    .details =
        "Takes the options and files of ASTRA-sim 2's frontends (analytical, ns-3, htsim) and of "
        "1.0's analytical one as they are.\n"
        "Prints each rank as ASTRA-sim does (a cycle is a nanosecond), then weft's summary; writes "
        "weft's run folder.\n"
        "What weft does otherwise is said once per key; values that it can't honour are errors. "
        "docs/how-to/coming-from.md compares the numbers.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct astra_opts),
    .run = run,
};
