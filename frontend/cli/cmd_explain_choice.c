/* SPDX-License-Identifier: GPL-2.0-only */
/* weft explain-choice: what a collective library compares for an operation, and what it takes. */
#include "base/units.h"
#include "cli/bench_rows.h"
#include "run/source.h"
#include "system/library.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct explain_choice_opts {
    struct weft_source_opts source;
    const char *nodes;
};

#define WEFT_OPTS struct explain_choice_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("nodes", 'n', nodes, "N", "nodes; default: those of the cluster's file"),
};

static int read_kind(const char *name, enum weft_coll_kind *out, struct weft_err *err)
{
    static const enum weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                                WEFT_COLL_REDUCE_SCATTER};
    char word[32];
    snprintf(word, sizeof word, "%s", name);
    for (char *p = word; *p; p++)
        *p = *p == '_' ? '-' : *p; /* as nccl-tests writes it */
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(weft_coll_kind_name(kinds[i]), word) == 0) {
            *out = kinds[i];
            return 0;
        }
    return weft_err_set(err, WEFT_E_USAGE,
                        "'%s' is none of all-reduce, all-gather, reduce-scatter, for which the "
                        "library has a choice",
                        name);
}

static void print(const struct weft_cli *cli, const struct weft_scenario *s,
                  const struct weft_library_group *g, enum weft_coll_kind kind, uint64_t bytes)
{
    struct weft_library_row rows[WEFT_LIBRARY_ROWS];
    char text[WEFT_CHOICE_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX];
    const size_t n = weft_library_rows(s->system, g, kind, bytes, rows);
    fprintf(
        cli->out, "%s of %s over %" PRIu32 " node%s of %" PRIu32 " rank%s, %" PRIu32 " channels\n",
        weft_coll_kind_name(kind), weft_format_size(bytes, size), g->nodes, WEFT_PLURAL(g->nodes),
        g->node, WEFT_PLURAL(g->node), weft_library_channels(s->system, g));
    fprintf(cli->out, "%-9s %-7s %12s %12s %12s\n", "algorithm", "proto", "latency", "bandwidth",
            "time");
    for (size_t i = 0; i < n; i++)
        fprintf(cli->out, "%-9s %-7s %9.1f us %7.1f GB/s %9.1f us%s\n",
                weft_library_algo_name(rows[i].algo), weft_library_proto_name(rows[i].proto),
                rows[i].latency_us, rows[i].GBps, rows[i].us, i ? "" : "  taken");
    if (!n)
        return;
    weft_library_text(s->system, g, kind, bytes, &rows[0], text);
    fprintf(cli->out, "played by %s\n", text);
}

/* The scenario, with the nodes that are wanted (0: its own) in place of its own. */
static int explain_choice_load(const struct weft_cli *cli, const struct explain_choice_opts *o,
                               char **args, uint32_t nodes, struct weft_arena *a,
                               struct weft_scenario **out, struct weft_err *err)
{
    struct weft_source_opts source = o->source;
    const char *setting;
    uint32_t gpus = 0;
    int code = weft_source_load(cli, &source, args, 1, out, err);
    if (code || !nodes)
        return code;
    code = weft_cluster_of(*out, a, &nodes, &gpus, &setting, err);
    if (!code && !setting)
        code = weft_err_set(err, WEFT_E_INPUT,
                            "-n: the topology of %s has no dimension with nodes=, as clusters have",
                            args[0]);
    const struct weft_strings nodes_set = {&setting, 1};
    if (!code)
        code = weft_strings_join(a, &o->source.set, &nodes_set, &source.set, err);
    if (code)
        return code;
    weft_scenario_free(*out);
    *out = NULL;
    return weft_source_load(cli, &source, args, 1, out, err);
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct explain_choice_opts *o = (const struct explain_choice_opts *)opts;
    struct weft_library_group g;
    struct weft_scenario *s = NULL;
    enum weft_coll_kind kind = WEFT_COLL_ALL_REDUCE;
    uint64_t bytes, nodes = 0;
    if (nargs != 3)
        return weft_err_set(err, WEFT_E_USAGE, "a collective, a size and a cluster must be given");
    if (read_kind(args[0], &kind, err) ||
        weft_bench_rows_size("SIZE", args[1], NULL, &bytes, err) ||
        weft_bench_rows_count("-n", o->nodes, 1, 65536, &nodes, err))
        return err->code;
    struct weft_arena *arena = weft_arena_new();
    int code = arena ? explain_choice_load(cli, o, args + 2, (uint32_t)nodes, arena, &s, err)
                     : weft_err_no_memory(err, "a cluster");
    if (!code && s->system->library == WEFT_LIBRARY_IDEAL)
        code = weft_err_set(err, WEFT_E_INPUT,
                            "%s has system.library=ideal: no library chooses; add --set "
                            "system.library=nccl",
                            args[2]);
    if (!code)
        code = weft_cluster_group(s, &g, err);
    if (!code)
        print(cli, s, &g, kind, bytes);
    weft_scenario_free(s);
    weft_arena_free(arena);
    return code;
}

const struct weft_command weft_command_explain_choice = {
    .name = "explain-choice",
    .summary = "Show what a collective library's tuner compares for an operation",
    .usage = "COLLECTIVE SIZE CLUSTER [-n NODES] [--set KEY=VALUE]...",
    .example = "weft explain-choice all-reduce 16MiB dgx-h100",
    .details =
        "Prints the tuner's latency, bandwidth and time of each algorithm and protocol that may be "
        "taken, fastest first, and the program that plays the first one.\n"
        "SIZE is the buffer of a rank; of an all-gather the whole result; 64M, 64MB and 64MiB are "
        "the "
        "same, as in nccl-tests. CLUSTER is a file of "
        "scenarios/clusters, by name, or any scenario with system.library=nccl.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = run,
};
