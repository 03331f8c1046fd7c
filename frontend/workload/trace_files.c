/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding the files of a trace by listing its folder, so that a hole in the ranks and ranks too
 * many are seen, and a mistyped prefix can be answered with the ones that exist.
 */
#include "workload/trace_files.h"
#include "base/compare.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SUGGESTIONS_MAX = 4096 };

struct finder {
    struct weft_arena *arena;
    const char *prefix;
    const char *dir;   /* folder, "." when the prefix has none */
    const char *base;  /* last part of the prefix */
    const char **path; /* by rank, NULL: absent */
    uint32_t cap;
    uint32_t found;
    uint32_t end;        /* highest rank found + 1 */
    const char **others; /* prefixes of other traces in the folder */
    size_t nothers;
};

bool weft_trace_rank_of(const char *s, uint32_t *rank)
{
    if (*s++ != '.' || *s < '0' || *s > '9' || (s[0] == '0' && s[1] != '.'))
        return false;
    uint64_t r = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        r = r * 10 + (uint64_t)(*s - '0');
        if (r > UINT32_MAX)
            return false;
    }
    *rank = (uint32_t)r;
    return strcmp(s, ".et") == 0 || strcmp(s, ".et.gz") == 0;
}

static int add_rank(struct finder *f, uint32_t rank, const char *entry, struct weft_err *err)
{
    if (rank >= WEFT_TRACE_RANKS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "trace '%s': rank %" PRIu32 " is over the limit of %" PRIu32 " ranks",
                            f->prefix, rank, WEFT_TRACE_RANKS_MAX);
    if (rank >= f->cap) {
        uint32_t cap = f->cap ? f->cap : 64;
        while (cap <= rank)
            cap *= 2;
        const char **p = weft_arena_calloc(f->arena, cap, sizeof *p);
        if (!p)
            return weft_err_no_memory(err, "the files of a trace");
        if (f->cap > 0)
            memcpy(p, f->path, f->cap * sizeof *p);
        f->path = p;
        f->cap = cap;
    }
    if (f->path[rank])
        return weft_err_set(err, WEFT_E_INPUT,
                            "rank %" PRIu32
                            " of the trace '%s' is there twice, as .et and as .et.gz: remove one",
                            rank, f->prefix);
    /* The path is the prefix as the user gave it plus what the folder has behind it. */
    f->path[rank] = weft_arena_printf(f->arena, "%s%s", f->prefix, entry + strlen(f->base));
    if (!f->path[rank])
        return weft_err_no_memory(err, "the files of a trace");
    f->found++;
    if (rank + 1 > f->end)
        f->end = rank + 1;
    return 0;
}

/** Remembers "NAME" when the entry is NAME.0.et, to suggest it. */
static int add_other(struct finder *f, const char *entry, struct weft_err *err)
{
    const char *dot = strstr(entry, ".0.et");
    uint32_t rank;
    if (!dot || !weft_trace_rank_of(dot, &rank) || f->nothers == SUGGESTIONS_MAX)
        return 0;
    const char *name = weft_arena_strndup(f->arena, entry, (size_t)(dot - entry));
    if (!name)
        return weft_err_no_memory(err, "the files of a trace");
    f->others[f->nothers++] = name;
    return 0;
}

static int scan(struct finder *f, struct weft_err *err)
{
    size_t base_len = strlen(f->base);
    f->others = weft_arena_calloc(f->arena, SUGGESTIONS_MAX, sizeof *f->others);
    if (!f->others)
        return weft_err_no_memory(err, "the files of a trace");
    DIR *d = opendir(f->dir);
    if (!d)
        return weft_err_set(err,
                            errno == ENOENT || errno == ENOTDIR ? WEFT_E_INPUT
                            : errno == ENOMEM                   ? WEFT_E_LIMIT
                                                                : WEFT_E_IO,
                            "trace '%s': cannot open the folder '%s': %s", f->prefix, f->dir,
                            strerror(errno));
    int rc = 0;
    const struct dirent *e;
    while (rc == 0 && (e = readdir(d))) {
        uint32_t rank;
        if (strncmp(e->d_name, f->base, base_len) == 0 &&
            weft_trace_rank_of(e->d_name + base_len, &rank))
            rc = add_rank(f, rank, e->d_name, err);
        else
            rc = add_other(f, e->d_name, err);
    }
    closedir(d);
    return rc;
}

static int nothing_found(struct finder *f, struct weft_err *err)
{
    const char *tail = strstr(f->base, ".et");
    if (tail && (tail[3] == '\0' || strcmp(tail, ".et.gz") == 0))
        return weft_err_set(err, WEFT_E_INPUT,
                            "no rank file '%s.0.et': a trace is named by its prefix, without "
                            "'.<rank>.et'",
                            f->prefix);
    qsort(f->others, f->nothers, sizeof *f->others, weft_by_text);
    const char *near = weft_nearest(f->base, f->others, f->nothers);
    if (!near && f->nothers > 0)
        near = f->others[0];
    if (near)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "no rank file '%s.0.et': found 0 files of this trace; the folder has the "
            "trace '%s'",
            f->prefix, near);
    return weft_err_set(
        err, WEFT_E_INPUT,
        "no rank file '%s.0.et': found 0 files of this trace, and no other trace in "
        "'%s'",
        f->prefix, f->dir);
}

static int check_ranks(struct finder *f, uint32_t nranks, struct weft_err *err)
{
    uint32_t need = nranks ? nranks : f->end;
    for (uint32_t r = 0; r < need; r++) {
        if (r < f->cap && f->path[r])
            continue;
        if (nranks > 0 && f->found == r && f->end == r)
            return weft_err_set(err, WEFT_E_INPUT,
                                "missing rank file '%s.%" PRIu32 ".et': the trace has %" PRIu32
                                " rank files, but %" PRIu32 " ranks are needed; ranks=%" PRIu32
                                " leaves the other hosts free",
                                f->prefix, r, f->found, nranks, f->found);
        return weft_err_set(err, WEFT_E_INPUT,
                            "missing rank file '%s.%" PRIu32 ".et': found %" PRIu32
                            " rank files, the highest is rank %" PRIu32,
                            f->prefix, r, f->found, f->end - 1);
    }
    if (f->end > need)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the trace '%s' has %" PRIu32 " rank files, up to rank %" PRIu32
                            ", but only %" PRIu32
                            " ranks are wanted: use a fabric with as many hosts as "
                            "the trace has ranks, or a trace of %" PRIu32 " ranks",
                            f->prefix, f->found, f->end - 1, need, need);
    return 0;
}

int weft_trace_files(const char *prefix, uint32_t nranks, struct weft_arena *arena,
                     const char ***paths, uint32_t *n, struct weft_err *err)
{
    struct finder f = {.arena = arena, .prefix = prefix};
    const char *slash = strrchr(prefix, '/');
    f.base = slash ? slash + 1 : prefix;
    f.dir = !slash            ? "."
            : slash == prefix ? "/"
                              : weft_arena_strndup(arena, prefix, (size_t)(slash - prefix));
    if (!f.dir)
        return weft_err_no_memory(err, "the files of a trace");
    int rc = scan(&f, err);
    if (rc < 0)
        return rc;
    if (f.found == 0)
        return nothing_found(&f, err);
    rc = check_ranks(&f, nranks, err);
    if (rc < 0)
        return rc;
    *paths = f.path;
    *n = f.end;
    return 0;
}
