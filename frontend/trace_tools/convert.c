/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace convert: from one form of a job to another. What is read is told by its content, what
 * is written by its name. */
#include "base/file.h"
#include "base/units.h"
#include "trace_tools/trace.h"
#include "workload/astra_text/astra_text.h"
#include "workload/chakra_read.h"
#include "workload/chakra_write.h"
#include "workload/goal/goal.h"
#include "workload/trace_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { GOAL_TEXT, GOAL_BINARY, CHAKRA };

static enum form form_of_name(const char *name)
{
    const size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, ".goal") == 0)
        return GOAL_TEXT;
    return n > 4 && strcmp(name + n - 4, ".bin") == 0 ? GOAL_BINARY : CHAKRA;
}

/* --set calc-scale=1us */
static int calc_scale(const struct weft_trace_opts *o, int64_t *out, struct weft_err *err)
{
    static const char key[] = "calc-scale=";
    *out = WEFT_PS_PER_NS;
    for (size_t i = 0; i < o->set.n; i++) {
        const char *text = o->set.list[i];
        text += strncmp(text, "goal.", 5) == 0 ? 5 : 0;
        if (strncmp(text, key, sizeof key - 1) != 0)
            return weft_err_set(err, WEFT_E_USAGE,
                                "--set %s: trace convert has calc-scale alone, for schedules that "
                                "become traces: calc-scale=1us",
                                o->set.list[i]);
        if (weft_parse_time_ps(text + sizeof key - 1, out, err))
            return weft_err_prepend(err, "--set %s", o->set.list[i]);
        if (*out < 1 || *out > WEFT_PS_PER_S)
            return weft_err_set(err, WEFT_E_INPUT, "--set %s: must be 1ps to 1s", o->set.list[i]);
    }
    return 0;
}

struct writing {
    const struct weft_goal *g;
    int64_t calc_ps;
};

static int trace_tool_convert_write_rank(void *ctx, uint64_t rank, const char *path,
                                         struct weft_err *err)
{
    const struct writing *w = (const struct writing *)ctx;
    struct weft_arena *arena = weft_arena_new();
    struct weft_et *et = NULL;
    int code = arena ? weft_goal_to_et(w->g, (uint32_t)rank, w->calc_ps, arena, &et, err)
                     : weft_err_no_memory(err, "a trace");
    if (!code)
        code = weft_chakra_write_et(et, path, err);
    weft_arena_free(arena);
    return code;
}

/* What the trace says in weft's words alone. */
static void remark(const struct weft_cli *cli, const struct weft_goal *g)
{
    uint64_t starts = 0, anywhere = 0;
    for (uint32_t r = 0; r < g->nranks; r++) {
        for (uint32_t i = 0; i < g->ranks[r].ndeps; i++)
            starts += g->ranks[r].deps[i].start;
        for (uint32_t i = 0; i < g->ranks[r].nops; i++)
            anywhere += g->ranks[r].ops[i].cpu || g->ranks[r].ops[i].nic;
    }
    if (starts)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%" PRIu64 " irequires: Chakra has none; the operation waits for what the other "
                 "waits for, and start_deps keeps which it is",
                 starts);
    if (anywhere)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%" PRIu64
                 " operations name a cpu or nic: attributes cpu_index and nic_index, which other "
                 "simulators do not know",
                 anywhere);
}

static int write_traces(const struct weft_cli *cli, const struct weft_goal *g, int64_t calc_ps,
                        const char *prefix, struct weft_err *err)
{
    struct writing w = {g, calc_ps};
    char dir[WEFT_PATH_MAX];
    int code = weft_path_dir(dir, prefix, err);
    if (!code)
        code = weft_mkdir_p(dir, err);
    if (!code)
        code = weft_trace_write(prefix, g->nranks, trace_tool_convert_write_rank, &w, err);
    if (code)
        return code;
    const int stem = (int)weft_trace_stem(prefix);
    fprintf(cli->out, "wrote %.*s.{0..%" PRIu32 "}.et%s\n", stem, prefix, g->nranks - 1,
            prefix + stem);
    remark(cli, g);
    return 0;
}

static int write_schedule(const struct weft_cli *cli, const struct weft_goal *g, enum form form,
                          const char *path, struct weft_err *err)
{
    struct weft_memfile m;
    int code = 0;
    if (form == GOAL_BINARY) {
        code = weft_goal_write_binary(g, path, err);
    } else {
        code = weft_memfile_open(&m, "a GOAL schedule", err);
        if (code)
            return code;
        code =
            weft_memfile_write(&m, "a GOAL schedule", path, weft_goal_write_text(g, m.f, err), err);
    }
    if (!code)
        fprintf(cli->out,
                "wrote %s: %" PRIu32 " ranks, %" PRIu64 " operations, %" PRIu64 " dependencies\n",
                path, g->nranks, g->nops, g->ndeps);
    return code;
}

static bool has_collectives(const struct weft_et *et)
{
    for (size_t i = 0; i < et->nnodes; i++)
        if (et->nodes[i].type == WEFT_ET_COMM_COLL_NODE)
            return true;
    return false;
}

/* A trace as it is; *collectives: it has some, and is nothing that a schedule says itself. */
static int read_traces(const struct weft_cli *cli, const char *prefix, struct weft_goal **out,
                       bool *collectives, struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_goal_notes notes = {0};
    const char **paths = NULL;
    uint32_t n = 0;
    int code = arena ? weft_trace_paths(prefix, arena, &paths, &n, err)
                     : weft_err_no_memory(err, "a trace");
    struct weft_goal *g = code ? NULL : weft_goal_new(n, prefix, err);
    if (!code && !g)
        code = err->code;
    for (uint32_t r = 0; !code && r < n; r++) {
        struct weft_arena *one = weft_arena_new();
        struct weft_et *et = NULL;
        code =
            one ? weft_chakra_read_et(paths[r], one, &et, err) : weft_err_no_memory(err, "a trace");
        *collectives = *collectives || (!code && has_collectives(et));
        if (!code && !*collectives)
            code = weft_goal_from_et(g, r, et, &notes, err);
        weft_arena_free(one);
        if (*collectives)
            break;
    }
    if (!code && !*collectives)
        code = weft_goal_finish(g, err);
    if (!code && !*collectives && notes.metadata)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%" PRIu64 " METADATA nodes are computations of no time", notes.metadata);
    weft_arena_free(arena);
    if (code || *collectives)
        weft_goal_free(g);
    else
        *out = g;
    return code;
}

/* The schedule of traces: of collectives, and whatever --set has something to say to, their
 * messages. */
static int schedule_of(const struct weft_cli *cli, const struct weft_trace_opts *o,
                       const char *prefix, struct weft_goal **out, struct weft_err *err)
{
    bool collectives = o->set.n > 0;
    const int code = collectives ? 0 : read_traces(cli, prefix, out, &collectives, err);
    return code || !collectives ? code : weft_trace_schedule(cli, o, prefix, out, err);
}

/* A list of layers becomes traces as with trace generate astra-text. */
static int convert_layers(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                          struct weft_err *err)
{
    char name[] = "astra-text", file[WEFT_PATH_MAX + 8];
    char *generate[] = {name, args[1]};
    struct weft_trace_opts with = *o;
    const char **sets = (const char **)malloc((o->set.n + 1) * sizeof *sets);
    if (!sets)
        return weft_err_no_memory(err, "settings");
    snprintf(file, sizeof file, "file=%s", args[0]);
    for (size_t i = 0; i < o->set.n; i++)
        sets[i] = o->set.list[i];
    sets[o->set.n] = file;
    with.set.list = sets;
    with.set.n = o->set.n + 1;
    const int code = weft_trace_generate(cli, &with, generate, 2, err);
    free(sets);
    return code;
}

/* What a form of conversion uses. */
static int convert_refuse(const struct weft_trace_opts *o, const char *form, unsigned uses,
                          struct weft_err *err)
{
    const unsigned idle = weft_trace_idle(o, uses);
    return idle ? weft_err_set(err, WEFT_E_USAGE, "trace convert of %s does not use %s", form,
                               weft_trace_option_name(idle))
                : 0;
}

int weft_trace_convert(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                       int nargs, struct weft_err *err)
{
    const enum form to = form_of_name(args[1]);
    struct weft_goal *g = NULL;
    int64_t calc_ps;
    if (to == CHAKRA && weft_astra_text_is(args[0])) {
        const int code = convert_refuse(o, "a list of layers", WEFT_TRACE_SET, err);
        return code ? code : convert_layers(cli, o, args, err);
    }
    if (to != CHAKRA && weft_astra_text_is(args[0]))
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s is a list of layers: convert it to a trace (weft trace convert %s "
                            "PREFIX), and that to a schedule",
                            args[0], args[0]);
    const bool traces = form_of_name(args[0]) == CHAKRA && !weft_file_is_regular(args[0]);
    if (to == CHAKRA && form_of_name(args[0]) == CHAKRA && weft_trace_is_et(args[0])) {
        const int code =
            traces ? convert_refuse(o, "traces to traces", WEFT_TRACE_JSON | WEFT_TRACE_MEND, err)
                   : convert_refuse(o, "a file to a file", WEFT_TRACE_MEND, err);
        return code ? code : weft_trace_convert_et(cli, o, args, nargs, err);
    }
    int code = traces         ? convert_refuse(o, "traces to a schedule",
                                               WEFT_TRACE_SET | WEFT_TRACE_GROUPS | WEFT_TRACE_RANKS, err)
               : to == CHAKRA ? convert_refuse(o, "a schedule to traces", WEFT_TRACE_SET, err)
                              : convert_refuse(o, "a schedule to a schedule", 0, err);
    if (!code && !traces)
        code = calc_scale(o, &calc_ps, err);
    if (!code && traces) {
        code = schedule_of(cli, o, args[0], &g, err);
    } else if (!code) {
        code = weft_goal_read(args[0], &g, err);
    }
    if (!code)
        code = to == CHAKRA ? write_traces(cli, g, calc_ps, args[1], err)
                            : write_schedule(cli, g, to, args[1], err);
    weft_goal_free(g);
    return code;
}
