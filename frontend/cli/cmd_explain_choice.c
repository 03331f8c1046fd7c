/* SPDX-License-Identifier: GPL-2.0-only */
/* weft explain-choice: what a collective library compares for an operation, and what it takes. */
#include "base/units.h"
#include "run/source.h"
#include "system/library.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct explain_choice_opts {
    struct weft_source_opts source;
};

static const struct weft_opt options[] = {WEFT_SOURCE_OPTS(explain_choice_opts)};

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

/* The world of a fabric: its first dimension is the node. */
static int read_group(const struct weft_scenario *s, struct weft_library_group *out,
                      struct weft_err *err)
{
    struct weft_scenario_parts parts;
    struct weft_dims dims;
    const int code = weft_scenario_build_net(s, &parts, err);
    if (code)
        return code;
    weft_scenario_dims(parts.fabric, &dims);
    const uint32_t n = parts.fabric->nhosts, node = dims.n > 1 ? dims.size[0] : n;
    *out = (struct weft_library_group){.n = n,
                                       .node = node,
                                       .nodes = n / node,
                                       .link_GBps = weft_library_link_GBps(parts.fabric),
                                       .nic_GBps = dims.n > 1 ? (double)dims.rate_bps[1] / 8e9 : 0};
    weft_scenario_parts_free(&parts);
    return 0;
}

static void print(const struct weft_cli *cli, const struct weft_scenario *s,
                  const struct weft_library_group *g, enum weft_coll_kind kind, uint64_t bytes)
{
    struct weft_library_row rows[WEFT_LIBRARY_ROWS];
    char text[WEFT_CHOICE_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX];
    const size_t n = weft_library_rows(s->system, g, kind, bytes, rows);
    fprintf(cli->out,
            "%s of %s over %" PRIu32 " nodes of %" PRIu32 " ranks, %" PRIu32 " channels\n",
            weft_coll_kind_name(kind), weft_human_size(bytes, size), g->nodes, g->node,
            weft_library_channels(s->system, g));
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

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct explain_choice_opts *o = (const struct explain_choice_opts *)opts;
    struct weft_library_group g;
    struct weft_scenario *s = NULL;
    enum weft_coll_kind kind = WEFT_COLL_ALL_REDUCE;
    uint64_t bytes;
    if (nargs != 3)
        return weft_err_set(err, WEFT_E_USAGE, "a collective, a size and a cluster must be given");
    if (read_kind(args[0], &kind, err))
        return err->code;
    if (weft_parse_size_bytes(args[1], &bytes, err))
        return weft_err_set(err, WEFT_E_USAGE, "%s: %s", args[1], err->msg);
    int code = weft_source_load(cli, &o->source, args + 2, 1, &s, err);
    if (!code && s->system->library == WEFT_LIBRARY_IDEAL)
        code = weft_err_set(err, WEFT_E_INPUT,
                            "%s has system.library=ideal: no library chooses; add --set "
                            "system.library=nccl",
                            args[2]);
    if (!code)
        code = read_group(s, &g, err);
    if (!code)
        print(cli, s, &g, kind, bytes);
    weft_scenario_free(s);
    return code;
}

extern const struct weft_command weft_command_explain_choice;
const struct weft_command weft_command_explain_choice = {
    .name = "explain-choice",
    .summary = "Show what a collective library's tuner compares for an operation",
    .usage = "COLLECTIVE SIZE CLUSTER [--set KEY=VALUE]...",
    .example = "weft explain-choice all-reduce 16MiB dgx-h100",
    .details =
        "Prints the tuner's latency, bandwidth and time of each algorithm and protocol that may be "
        "taken, fastest first, and the program that plays the first one.\n"
        "SIZE is the buffer of a rank; of an all-gather the whole result. CLUSTER is a file of "
        "scenarios/clusters, by name, or any scenario with system.library=nccl.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct explain_choice_opts),
    .run = run,
};
