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
    struct weft_foreign_opts run;
    int backend; /* enum weft_astra_backend */
    bool compat;
};

#define WEFT_OPTS struct astra_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("workload-configuration", 0, workload, "PREFIX", "Chakra traces PREFIX.0.et ..."),
    WEFT_TEXT("system-configuration", 0, system, "FILE", "system JSON, or text of ASTRA-sim 1.0"),
    WEFT_TEXT("network-configuration", 0, network, "FILE",
              "analytical YAML, network JSON of 1.0, or ns-3's config.txt"),
    WEFT_TEXT("remote-memory-configuration", 0, memory, "FILE", "remote memory JSON"),
    WEFT_TEXT("comm-group-configuration", 0, groups, "FILE",
              "JSON of process groups; a name with 'empty' in it: none"),
    WEFT_TEXT("logical-topology-configuration", 0, logical, "FILE",
              "JSON with logical-dims, for ns-3"),
    WEFT_TEXT("num-queues-per-dim", 0, queues, "N", "queues of a dimension; default 1"),
    WEFT_TEXT("injection-scale", 0, injection_scale, "X", "factor of endpoint-delay; default 1"),
    WEFT_TEXT("rendezvous-protocol", 0, rendezvous, "BOOL",
              "receivers ask for each message; default false"),
    WEFT_TEXT("comm-scale", 0, comm_scale, "X", "has no effect, as in ASTRA-sim 2"),
    WEFT_TEXT("compute-scale", 0, compute_scale, "X", "has no effect, as in ASTRA-sim 2"),
    WEFT_TEXT("num-passes", 0, passes, "N", "has no effect on traces"),
    WEFT_TEXT("run-name", 0, run_name, "NAME", "name of the run"),
    WEFT_TEXT("logging-configuration", 0, logging, "FILE", "has no effect"),
    WEFT_TEXT("logging-folder", 0, logging_folder, "DIR", "has no effect"),
    WEFT_TEXT("path", 0, stat_path, "DIR", "has no effect: see --out"),
    WEFT_TEXT("total-stat-rows", 0, stat_rows, "N", "has no effect"),
    WEFT_TEXT("stat-row", 0, stat_row, "N", "has no effect"),
    WEFT_LIST("units-count", 0, units, "VALUES",
              "in place of the network file's: NPUs per dimension"),
    WEFT_LIST("links-count", 0, links, "VALUES",
              "in place of the network file's: links per dimension"),
    WEFT_LIST("link-bandwidth", 0, bandwidths, "VALUES",
              "in place of the network file's, 2^30 byte/s"),
    WEFT_LIST("link-latency", 0, latencies, "VALUES", "in place of the network file's, ns"),
    WEFT_REST("htsim_opts", 0, htsim, "ARGUMENTS",
              "everything behind it is htsim's: -topo FILE is the fabric, the rest has no effect"),
    WEFT_CHOICE(
        "backend", 0, backend, "auto|congestion-unaware|congestion-aware|packet",
        "auto: packets for ns-3; else as ASTRA-sim's analytical networks, aware in one dimension"),
    WEFT_FLAG("compat", 0, compat,
              "ns-3: wire sizes, rounding, ACKs, buffer and hash as in the simulator"),
    WEFT_SOURCE_OPTS,
    WEFT_FOREIGN_OPTS("workload", 'o', 'q'),
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
    for (size_t i = 0; i < x->nnotes && !o->run.quiet; i++)
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
    struct weft_ns3_files files;
    struct weft_foreign_run r = {.command = "astra-sim",
                                 .opts = &o->run,
                                 .how = {.ended = o->run.json || o->run.quiet ? NULL : print_ranks,
                                         .ended_ctx = cli->out,
                                         .files = of->fct || of->pfc ? &files.files : NULL}};
    weft_ns3_files_init(&files, of, NULL);
    const int code = weft_foreign_play(cli, s, &r, err);
    weft_ns3_files_free(&files);
    return code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct astra_opts *o = (const struct astra_opts *)opts;
    struct weft_scenario *s = NULL;
    if (weft_foreign_check(&o->run, args, nargs, err))
        return err->code;
    const struct weft_astra_options ao = options_of(o);
    struct weft_astra_experiment *x = weft_astra_experiment_new(&ao, err);
    if (!x)
        return err->code;
    int code = astra_sim_resolve(cli, o, x, &s, err);
    if (!code)
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
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = run,
};
