/* SPDX-License-Identifier: GPL-2.0-only */
/* weft check: everything that a run checks before its first event, and the resolved configuration.
 */
#include "command/command.h"
#include "run/cost.h"
#include "run/execute.h"
#include "foreign/hpcc/run.h"
#include "foreign/subject.h"
#include "report/expect.h"
#include "report/report.h"
#include "sweep/bound.h"
#include "sweep/find.h"

#include "congestion/cc_replay.h"

#include <inttypes.h>
#include <stddef.h>

struct check_opts {
    struct weft_source_opts source;
    bool json, quiet, all;
};

#define WEFT_OPTS struct check_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_FLAG("json", 0, json, "print as JSON"),
    WEFT_FLAG("quiet", 'q', quiet, "print warnings and errors only"),
    WEFT_FLAG("all", 0, all, "print settings at their defaults, too"),
};

/* Bounds beside the scenario must be readable too. */
static int check_expect(const struct weft_scenario *s, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    if (!s->file[0])
        return 0;
    if (weft_path_dir(dir, s->file, err) || weft_path_join(path, dir, "expect.xml", err))
        return err->code;
    if (!weft_file_is_regular(path))
        return 0;
    struct weft_expect *e = weft_expect_load(path, err);
    const char *const *names = e ? weft_source_job_names(s, err) : NULL;
    if (names)
        weft_expect_check(e, names, s->njobs, err);
    weft_expect_free(e);
    return err->code;
}

/* What nets and estimates say of a scenario. */
struct check_found {
    struct weft_thread_figures threads;
    struct weft_replay_figures replay;
    struct weft_cost cost;
};

/* What shows only when net and system are made: groups of switches, trees packed into links. */
static int check_prepares(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                          struct check_found *found, struct weft_err *err)
{
    struct weft_net_config config = weft_scenario_net_config(s, parts->fabric);
    struct weft_net *net = NULL;
    struct weft_jobs *jobs;
    config.dry = true;
    int code = weft_execute_prepare(s, parts, &config, NULL, NULL, &net, &jobs, err);
    if (net && net->ops->threads)
        net->ops->threads(net, &found->threads);
    if (net && net->ops->replay)
        net->ops->replay(net, &found->replay);
    weft_jobs_free(jobs);
    if (net)
        net->ops->free(net);
    return code;
}

/* What weft sweep would make of a <sweep>, or of its small variant. */
static int check_sweep(const struct weft_cli *cli, const struct weft_scenario *s,
                       const struct weft_scenario_sweep *w, bool quick, struct weft_err *err)
{
    struct weft_sweep sweep;
    struct weft_sweep_find find;
    struct weft_sweep_bounds bounds;
    const struct weft_sweep_texts texts = {.vary = quick ? w->quick_vary : w->vary,
                                           .nvary = w->nvary,
                                           .metric = w->metrics,
                                           .nmetrics = w->nmetrics,
                                           .seeds = w->seeds};
    int code = weft_sweep_plan(&sweep, cli, &texts, err);
    if (!code && w->find)
        code = weft_sweep_find_read(&find, &sweep, w->find, err);
    sweep.find = w->find ? &find : NULL;
    for (size_t i = 0; i < w->nbounds && !code; i++)
        if (!quick || !w->bounds[i].full_only)
            code = weft_sweep_bounds_read(&bounds, &sweep, &w->bounds[i], 1, s->file, err);
    weft_sweep_free(&sweep);
    if (code == WEFT_E_USAGE)
        err->code = WEFT_E_INPUT;
    return code ? weft_err_locate(err, s->file, w->line, w->col) : 0;
}

static int check_sweeps(const struct weft_cli *cli, const struct weft_scenario *s,
                        struct weft_err *err)
{
    for (size_t i = 0; i < s->nsweeps; i++)
        if (check_sweep(cli, s, s->sweeps[i], false, err) ||
            (s->sweeps[i]->nquick && check_sweep(cli, s, s->sweeps[i], true, err)))
            return err->code;
    return 0;
}

static uint64_t count_ops(const struct weft_workload *w)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < w->nranks; r++)
        n += w->dags[r].nops;
    return n;
}

/* Where the ranks of a job are, as ranges of hosts. */
static void print_hosts(FILE *out, const struct weft_job_plan *j)
{
    const char *comma = ", hosts ";
    const uint32_t *hosts = j->nics ? j->nics : j->hosts, n = j->nranks * j->nnics;
    for (uint32_t r = 0, end; r < n; r = end) {
        for (end = r + 1; end < n && hosts[end] == hosts[end - 1] + 1;)
            end++;
        fprintf(out, "%s%u", comma, hosts[r]);
        if (end - r > 1)
            fprintf(out, "-%u", hosts[end - 1]);
        comma = ",";
    }
}

/* What replay will take over, as far as that is known before. */
static void print_replay(FILE *out, const struct weft_scenario *s, const struct check_found *found)
{
    if (!s->backend->uses_cc)
        return;
    struct weft_scenario_classes by;
    weft_scenario_classes(s, &by);
    if (!s->replays)
        fputs("replay: off, each packet is simulated\n", out);
    else if (by.tcp >> WEFT_NET_PRIOS & 1)
        fputs("replay: none of what goes by TCP: each packet is simulated\n", out);
    else if (s->cc->state_size && !weft_cc_replay_of(s->cc)->moving)
        fprintf(out,
                "replay: none of what runs under %s, which does not say how its state moves: each "
                "packet is simulated\n",
                s->cc->name);
    else if (found->replay.why)
        fprintf(out, "replay: none, as %s: each packet is simulated%s\n", found->replay.why,
                found->replay.nreasons
                    ? "; run.replay=1% takes over messages that take as long as before"
                    : "");
    else if (found->replay.nreasons)
        fprintf(out,
                "replay: messages that take as long as before, within the tolerance, are taken "
                "over; nothing else, as %s\n",
                found->replay.reasons[0].why);
    else
        fprintf(out, "replay: %s is taken over instead of simulated\n",
                s->replay_tolerance ? "what repeats itself, or has settled within the tolerance,"
                                    : "what repeats itself exactly");
}

static void print_text(const struct weft_cli *cli, const struct weft_subject *subject,
                       const struct weft_scenario_parts *p, const struct check_found *found,
                       bool all)
{
    const struct weft_scenario *s = subject->s;
    fprintf(cli->out, "%s: valid, %zu warning%s\n", s->name, s->nwarnings,
            s->nwarnings == 1 ? "" : "s");
    fprintf(cli->out, "fabric: hosts %u, switches %u, links %u\n", p->fabric->nhosts,
            p->fabric->nswitches, p->fabric->nlinks);
    for (uint32_t i = 0; i < p->njobs; i++) {
        const struct weft_job_plan *j = &p->jobs[i];
        fprintf(cli->out, "workload%s%s: ranks %u", p->njobs > 1 ? " " : "",
                p->njobs > 1 ? j->name : "", j->nranks);
        if (j->workload)
            fprintf(cli->out, ", operations %" PRIu64 ", communicator groups %u",
                    count_ops(j->workload), j->workload->ngroups);
        if (p->njobs > 1)
            print_hosts(cli->out, j);
        fputc('\n', cli->out);
    }
    if (subject->hpcc)
        fprintf(cli->out, "flows: %zu\n", subject->hpcc->job.flows->n);
    if (found->cost.seen) {
        fputs("cost: ", cli->out);
        weft_cost_text(cli->out, &found->cost);
        fputc('\n', cli->out);
    }
    print_replay(cli->out, s, found);
    if (found->threads.alone && weft_run_threads(s->run) != 1)
        fprintf(cli->out, "threads: one runs all hosts, as %s\n", found->threads.alone);
    weft_source_offered_text(cli->out, "offered load: ", s);
    fputc('\n', cli->out);
    weft_source_config_text(cli->out, s, all);
}

static void check_print_json(const struct weft_cli *cli, const struct weft_scenario *s,
                             const struct weft_scenario_parts *p, const struct weft_cost *cost)
{
    struct weft_json j;
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "check");
    weft_json_kv_str(&j, "scenario", s->name);
    weft_json_kv_u64(&j, "hosts", p->fabric->nhosts);
    weft_json_kv_u64(&j, "switches", p->fabric->nswitches);
    weft_json_kv_u64(&j, "links", p->fabric->nlinks);
    uint64_t ranks = 0, operations = 0;
    for (uint32_t i = 0; i < p->njobs; i++) {
        ranks += p->jobs[i].nranks;
        operations += p->jobs[i].workload ? count_ops(p->jobs[i].workload) : 0;
    }
    weft_json_kv_u64(&j, "ranks", ranks);
    weft_json_kv_u64(&j, "operations", operations);
    weft_json_key(&j, "cost");
    weft_cost_json(&j, cost);
    weft_json_key(&j, "warnings");
    weft_source_warnings_json(&j, s);
    weft_json_key(&j, "offered_load");
    weft_source_offered_json(&j, s);
    weft_json_key(&j, "config");
    weft_source_config_json(&j, s);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

/* A configuration has no jobs: its fabric is there. */
static int check_hpcc(const struct weft_cli *cli, const struct check_opts *o,
                      const struct weft_subject *subject, struct weft_err *err)
{
    const struct weft_scenario *s = subject->s;
    const struct weft_scenario_parts parts = {.fabric = subject->hpcc->job.fabric};
    if (weft_hpcc_run_check(subject->hpcc, err))
        return err->code;
    const struct check_found found = {0};
    if (o->json)
        check_print_json(cli, s, &parts, &found.cost);
    else if (!o->quiet)
        print_text(cli, subject, &parts, &found, o->all);
    return 0;
}

static int check_scenario(const struct weft_cli *cli, const struct check_opts *o,
                          const struct weft_subject *subject, struct weft_err *err)
{
    struct weft_scenario *s = subject->s;
    struct weft_scenario_parts parts = {0};
    struct check_found found = {0};
    int code = weft_scenario_build(s, &parts, err);
    if (!code)
        weft_source_fabric_notes(cli, parts.fabric);
    weft_source_workload_notes(cli, &parts);
    if (!code)
        code = weft_source_advise(cli, s, &parts, err);
    if (!code)
        code = check_prepares(s, &parts, &found, err);
    if (!code)
        code = check_expect(s, err);
    if (!code)
        code = check_sweeps(cli, s, err);
    if (!code && !o->quiet)
        weft_cost_estimate(cli, s, &parts, WEFT_COST_BUDGET_S, &found.cost);
    if (!code && o->json)
        check_print_json(cli, s, &parts, &found.cost);
    else if (!code && !o->quiet)
        print_text(cli, subject, &parts, &found, o->all);
    weft_scenario_parts_free(&parts);
    return code;
}

static int check_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                     struct weft_err *err)
{
    const struct check_opts *o = (const struct check_opts *)opts;
    struct weft_subject subject;
    int code = weft_subject_load(cli, &o->source, args, nargs, &subject, err);
    if (!code)
        code = (subject.hpcc ? check_hpcc : check_scenario)(cli, o, &subject, err);
    weft_subject_free(&subject);
    return code;
}

const struct weft_command weft_command_check = {
    .name = "check",
    .summary = "Check a scenario without running it and print its settings",
    .usage = "[SCENARIO] [--set KEY=VALUE]...",
    .example = "weft check scenarios/allreduce-clos16",
    .details = "Reads every input file, builds the fabric, the NPUs and all that a run builds "
               "before its first event, so that it refuses what 'weft run' refuses, and warns of "
               "every setting that can't have an effect under the others, with the value that "
               "rules it out. Says what flows offer to each tier of the fabric, and about how "
               "many packet-hops, how much CPU time and memory the run will take.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = check_run,
};
