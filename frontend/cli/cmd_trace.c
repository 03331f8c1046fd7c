/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace: Chakra execution traces: making, changing, and looking into them. */
#include "trace_tools/trace.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* In the order of the bits. */
#define WEFT_OPTS struct weft_trace_opts
static const struct weft_opt options[] = {
    WEFT_TEXTS(
        "set", 's', set, "KEY=VALUE",
        "generate, synthesize: a parameter such as layers=8 (weft show workload generate, "
        "training; "
        "weft show transform synthesize); convert: calc-scale, ranks, passes, all-reduce ...; "
        "compare: a setting of "
        "runs"),
    WEFT_TEXT(
        "groups", 0, groups, "FILE",
        "info, check, transform, synthesize, convert, compare: JSON file of communicator groups"),
    WEFT_TEXT("ranks", 0, ranks, "N",
              "info, check, convert to GOAL: the job must have exactly this many"),
    WEFT_FLAG("json", 0, json, "all but generate: print as JSON; convert: write it, of a prefix"),
    WEFT_FLAG(
        "mend", 0, mend,
        "convert: leave out dependencies on nodes that are not there, and of nodes on themselves"),
};

static const struct {
    const char *name;
    weft_trace_action run;
    int least, most; /* arguments */
    const char *takes;
    unsigned uses; /* which options */
} actions[] = {
    {"generate", weft_trace_generate, 1, 2, "a prefix, and before it perhaps a workload",
     WEFT_TRACE_SET},
    {"info", weft_trace_info, 1, 1, "one prefix",
     WEFT_TRACE_GROUPS | WEFT_TRACE_RANKS | WEFT_TRACE_JSON},
    {"check", weft_trace_check, 1, 1, "one prefix",
     WEFT_TRACE_GROUPS | WEFT_TRACE_RANKS | WEFT_TRACE_JSON},
    {"dump", weft_trace_dump, 1, 1, "one file or prefix", WEFT_TRACE_JSON},
    {"diff", weft_trace_diff, 2, 2, "two files or two prefixes", WEFT_TRACE_JSON},
    {"transform", weft_trace_transform, 2, INT_MAX,
     "a prefix, another for what is written, and transforms", WEFT_TRACE_GROUPS | WEFT_TRACE_JSON},
    {"synthesize", weft_trace_synthesize, 2, 2, "a prefix, and another for what is written",
     WEFT_TRACE_SET | WEFT_TRACE_GROUPS | WEFT_TRACE_JSON},
    {"convert", weft_trace_convert, 2, 2, "the trace, and the new one",
     WEFT_TRACE_SET | WEFT_TRACE_GROUPS | WEFT_TRACE_RANKS | WEFT_TRACE_JSON | WEFT_TRACE_MEND},
    {"compare", weft_trace_compare, 2, 2, "two prefixes",
     WEFT_TRACE_SET | WEFT_TRACE_GROUPS | WEFT_TRACE_JSON},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

/* Refuses the first option that the action does not use, and says which do. */
static int trace_refuse_idle(const struct weft_trace_opts *o, int which, struct weft_err *err)
{
    const unsigned idle = weft_trace_idle(o, actions[which].uses);
    char users[128] = "";
    size_t n = 0;
    if (!idle)
        return 0;
    for (int i = 0; i < ACTIONS; i++)
        if (actions[i].uses & idle)
            n += (size_t)snprintf(users + n, sizeof users - n, "%s%s", n ? ", " : "",
                                  actions[i].name);
    return weft_err_set(err, WEFT_E_USAGE, "trace %s does not use %s; it belongs to trace %s",
                        actions[which].name, weft_trace_option_name(idle), users);
}

static int trace_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                     struct weft_err *err)
{
    const struct weft_trace_opts *o = (const struct weft_trace_opts *)opts;
    const char *names[ACTIONS];
    int which = 0;
    for (int i = 0; i < ACTIONS; i++)
        names[i] = actions[i].name;
    if (nargs == 0)
        return weft_err_set(err, WEFT_E_USAGE,
                            "generate, info, check, dump, diff, transform, synthesize, convert or "
                            "compare?");
    while (which < ACTIONS && strcmp(args[0], names[which]) != 0)
        which++;
    if (which == ACTIONS)
        return weft_err_set(err, WEFT_E_USAGE, "unknown action '%s'%s", args[0],
                            WEFT_MEANT(args[0], names, ACTIONS,
                                       "; there are: generate, info, check, dump, diff, transform, "
                                       "synthesize, convert, compare"));
    if (nargs - 1 < actions[which].least || nargs - 1 > actions[which].most)
        return weft_err_set(err, WEFT_E_USAGE, "trace %s takes %s", args[0], actions[which].takes);
    if (trace_refuse_idle(o, which, err))
        return err->code;
    return actions[which].run(cli, o, args + 1, nargs - 1, err);
}

const struct weft_command weft_command_trace = {
    .name = "trace",
    .summary = "Generate, change and look into Chakra execution traces",
    .usage = "generate [WORKLOAD] PREFIX [--set KEY=VALUE]... | info PREFIX | check PREFIX | dump "
             "FILE|PREFIX | diff A B | transform PREFIX OUT [TRANSFORM [KEY=VALUE]...]... | "
             "synthesize PREFIX OUT [--set KEY=VALUE]... | convert FROM TO | compare A B [--set "
             "KEY=VALUE]...",
    .example =
        "weft trace generate trace/dp16 --set ranks=16 --set pattern=data-parallel --set layers=8",
    .details =
        "A trace is one file per rank: PREFIX.0.et, PREFIX.1.et, ...\n"
        "generate  writes those of the workload 'generate' (microbenchmarks), or of 'training'\n"
        "          with its communicators in PREFIX.json: 'weft show workload NAME' lists "
        "parameters\n"
        "info      counts operations and bytes by kind and group; the longest path without "
        "network\n"
        "check     whether it can be played to its end: dependencies, groups, each receive its\n"
        "          send, each collective all of its members\n"
        "dump      every node with all attributes\n"
        "diff      how two traces differ, node by node; exit code 1 when they do\n"
        "transform reads one trace and writes another, changed by transforms in the order given:\n"
        "          'weft list transforms' has them, 'weft show transform NAME' their parameters;\n"
        "          without any it is a copy. Communicators of --groups go to OUT.json\n"
        "synthesize writes another trace with the statistics of one, without its names and exact\n"
        "          sizes ('weft show transform synthesize'), and compares the two\n"
        "convert   what FROM is shows in its content, what to write in the end of TO:\n"
        "          traces of any schema (0.0.1 to today's) and JSON to today's, or to JSON "
        "(.json),\n"
        "          with every field;\n"
        "          lists of layers of ASTRA-sim 1.0 and SimAI to traces, with groups in TO.json:\n"
        "          --set ranks=16 passes=2 and what else 'weft show workload astra-text' has;\n"
        "          GOAL schedules (LogGOPSim, ATLAHS) to traces, --set calc-scale=1us being the\n"
        "          time of a unit of calc (1ns), and traces to GOAL (.goal: text, .bin: binary):\n"
        "          collectives become the messages of their algorithms, --set\n"
        "          all-reduce=halving-doubling reduce-bandwidth=2TB/s and what else\n"
        "          'weft show section system' has, with the groups of --groups or FROM.json\n"
        "compare   plays two traces on three fabrics, on the ideal backend unless --set says "
        "else;\n"
        "          communicators are in A.json and B.json, or in --groups FILE",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = trace_run,
};
