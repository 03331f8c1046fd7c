/* SPDX-License-Identifier: GPL-2.0-only */
/* What the actions of weft trace have in common: what they read, and how their JSON begins. */
#include "trace_tools/trace.h"

#include "base/units.h"
#include "report/report.h"
#include "workload/chakra_read.h"
#include "workload/trace_files.h"

#include <sys/stat.h>

/* Graphs beyond this lie in a file. */
#define JOB_MEMORY_BYTES (UINT64_C(1) << 30)

unsigned weft_trace_idle(const struct weft_trace_opts *o, unsigned uses)
{
    const unsigned given = (o->set.n ? WEFT_TRACE_SET : 0) | (o->groups ? WEFT_TRACE_GROUPS : 0) |
                           (o->ranks ? WEFT_TRACE_RANKS : 0) | (o->json ? WEFT_TRACE_JSON : 0) |
                           (o->mend ? WEFT_TRACE_MEND : 0);
    const unsigned idle = given & ~uses;
    return idle & (0u - idle);
}

const char *weft_trace_option_name(unsigned bit)
{
    static const char *const names[] = {"--set", "--groups", "--ranks", "--json", "--mend"};
    return names[__builtin_ctz(bit)];
}

void weft_trace_json(struct weft_json *j, const struct weft_cli *cli, const char *command)
{
    weft_json_init(j, cli->out, "standard output", 2);
    weft_json_object(j);
    weft_json_kv_u64(j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(j, "command", command);
}

struct weft_workload *weft_trace_job(const struct weft_trace_opts *o, const char *prefix,
                                     struct weft_err *err)
{
    struct weft_workload *w = NULL;
    uint64_t ranks = 0;
    if (o->ranks && weft_parse_u64(o->ranks, &ranks, err)) {
        weft_err_prepend(err, "--ranks");
        return NULL;
    }
    if (ranks > UINT32_MAX) {
        weft_err_set(err, WEFT_E_INPUT, "--ranks: %s is too many", o->ranks);
        return NULL;
    }
    const struct weft_convert_options how = {.elem_bytes = WEFT_CHAKRA_ELEM_BYTES};
    weft_chakra_read_within(prefix, (uint32_t)ranks, o->groups, JOB_MEMORY_BYTES, &how, &w, err);
    return w;
}

int weft_trace_paths(const char *what, struct weft_arena *arena, const char ***paths, uint32_t *n,
                     struct weft_err *err)
{
    struct stat is;
    if (stat(what, &is) != 0 || S_ISDIR(is.st_mode))
        return weft_trace_files(what, 0, arena, paths, n, err);
    *paths = weft_arena_calloc(arena, 1, sizeof **paths);
    if (!*paths)
        return weft_err_no_memory(err, "the files of a trace");
    (*paths)[0] = what;
    *n = 1;
    return 0;
}
