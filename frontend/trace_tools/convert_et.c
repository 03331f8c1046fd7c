/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace convert from trace to trace: of any schema and form to today's, or to JSON. */
#include "base/compare.h"
#include "base/file.h"
#include "trace_tools/trace.h"
#include "workload/chakra_json.h"
#include "workload/chakra_read.h"
#include "workload/chakra_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Leaves out of a list what names the node itself or none of @p ids; returns how many. */
static size_t mend_list(const uint64_t *ids, size_t nids, uint64_t own, const uint64_t *deps,
                        size_t *n)
{
    uint64_t *list = (uint64_t *)(uintptr_t)deps; /* the trace is ours */
    size_t kept = 0;
    const size_t before = *n;
    for (size_t i = 0; i < before; i++)
        if (list[i] != own && bsearch(&list[i], ids, nids, sizeof *ids, weft_by_u64))
            list[kept++] = list[i];
    *n = kept;
    return before - kept;
}

/* Leaves out dependencies that can't be met; WEFT_E_LIMIT: out of memory. */
static int mend(struct weft_et *et, struct weft_arena *a, size_t *left_out, struct weft_err *err)
{
    uint64_t *ids = (uint64_t *)weft_arena_calloc(a, et->nnodes, sizeof *ids);
    if (!ids)
        return weft_err_no_memory(err, "a trace");
    for (size_t i = 0; i < et->nnodes; i++)
        ids[i] = et->nodes[i].id;
    qsort(ids, et->nnodes, sizeof *ids, weft_by_u64);
    for (size_t i = 0; i < et->nnodes; i++) {
        struct weft_et_node *n = &et->nodes[i];
        *left_out += mend_list(ids, et->nnodes, n->id, n->ctrl_deps, &n->nctrl_deps);
        *left_out += mend_list(ids, et->nnodes, n->id, n->data_deps, &n->ndata_deps);
    }
    return 0;
}

static int write_json(const struct weft_et *et, const char *path, struct weft_err *err)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return weft_file_error(err, path, "create", errno);
    int rc = weft_chakra_json_write(et, f, path, err);
    if (fclose(f) && !rc)
        rc = weft_file_error(err, path, "write", errno);
    return rc;
}

static int convert(const struct weft_cli *cli, const struct weft_trace_opts *o, const char *from,
                   const char *to, struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_et *et;
    size_t left_out = 0;
    int rc = a ? weft_chakra_read_et(from, a, &et, err) : weft_err_no_memory(err, "a trace");
    if (!rc && o->mend)
        rc = mend(et, a, &left_out, err);
    if (!rc)
        rc = ends_in(to, ".json") ? write_json(et, to, err) : weft_chakra_write_et(et, to, err);
    if (!rc && left_out)
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%s: %zu dependencies on the node itself or on nodes that are not there are left "
                 "out",
                 from, left_out);
    if (!rc)
        fprintf(cli->out, "%s: %zu nodes%s%s -> %s\n", from, et->nnodes,
                et->older && *et->older ? " of schema " : "", et->older ? et->older : "", to);
    weft_arena_free(a);
    return rc;
}

bool weft_trace_is_et(const char *name)
{
    return !weft_file_is_regular(name) || ends_in(name, ".et") || ends_in(name, ".et.gz") ||
           ends_in(name, ".json");
}

int weft_trace_convert_et(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                          int nargs, struct weft_err *err)
{
    const char *in = args[0], *out = args[1], **paths = NULL;
    char to[WEFT_PATH_MAX];
    uint32_t n = 0;
    if (strcmp(in, out) == 0)
        return weft_err_set(err, WEFT_E_USAGE, "a trace can't be converted onto itself");
    if (weft_file_is_regular(in)) {
        if (!ends_in(out, ".json") && !ends_in(out, ".et") && !ends_in(out, ".et.gz"))
            return weft_err_set(err, WEFT_E_USAGE,
                                "'%s' must end in .et, .et.gz or .json, which say what to write",
                                out);
        return convert(cli, o, in, out, err);
    }
    struct weft_arena *a = weft_arena_new();
    int rc = a ? weft_trace_paths(in, a, &paths, &n, err) : weft_err_no_memory(err, "a trace");
    for (uint32_t r = 0; r < n && !rc; r++) {
        const int len =
            snprintf(to, sizeof to, "%s.%" PRIu32 "%s", out, r, o->json ? ".json" : ".et");
        if (len < 0 || (size_t)len >= sizeof to)
            rc = weft_err_set(err, WEFT_E_LIMIT, "the path is too long");
        else
            rc = convert(cli, o, paths[r], to, err);
    }
    weft_arena_free(a);
    return rc;
}
