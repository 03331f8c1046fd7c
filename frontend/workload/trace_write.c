/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the rank files of a trace. Rank 0 is removed first and written last: an interrupted write
 * leaves a trace without rank 0, which every reader refuses.
 */
#define _GNU_SOURCE /* memmem */
#include "workload/trace_write.h"

#include "base/file.h"
#include "base/lock.h"
#include "workload/chakra_stream.h"
#include "workload/et_build.h"
#include "workload/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** The files of a trace: DIR/BASE.<rank>.et and TAIL. */
struct trace {
    char dir[WEFT_PATH_MAX], base[WEFT_PATH_MAX];
    const char *tail; /* ".gz" or "" */
    uint64_t ranks;
};

size_t weft_trace_stem(const char *prefix)
{
    const size_t n = strlen(prefix);
    return n > 3 && strcmp(prefix + n - 3, ".gz") == 0 ? n - 3 : n;
}

static int open_trace(struct trace *t, const char *prefix, uint64_t ranks, struct weft_err *err)
{
    const char *base = weft_path_base(prefix);
    const size_t n = weft_trace_stem(base);
    t->tail = base + n;
    t->ranks = ranks;
    if (n >= sizeof t->base)
        return weft_err_at(err, WEFT_E_LIMIT, prefix, 0, 0, "the path is too long");
    memcpy(t->base, base, n);
    t->base[n] = '\0';
    return weft_path_dir(t->dir, prefix, err);
}

static int rank_path(char path[WEFT_PATH_MAX], const struct trace *t, uint64_t rank,
                     struct weft_err *err)
{
    char name[WEFT_PATH_MAX + 40];
    snprintf(name, sizeof name, "%s.%" PRIu64 ".et%s", t->base, rank, t->tail);
    return weft_path_join(path, t->dir, name, err);
}

/* Whether a file is a trace that weft made, or has nothing in it. */
static bool is_ours(const char *path)
{
    struct stat st;
    struct weft_err ignored = {0};
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    if (st.st_size == 0)
        return true;
    const uint8_t *head;
    size_t size;
    int64_t offset;
    struct weft_chakra_stream *s = weft_chakra_open(path, &ignored);
    const int ours = s && weft_chakra_next(s, &head, &size, &offset, &ignored) == 1 && size > 0 &&
                     memmem(head, size, WEFT_ET_GENERATOR, strlen(WEFT_ET_GENERATOR)) &&
                     memmem(head, size, WEFT_ET_GENERATOR_WEFT, strlen(WEFT_ET_GENERATOR_WEFT));
    weft_chakra_close(s);
    return ours;
}

/* A rank file of an earlier trace: it goes, unless it is another's that would not be written over.
 */
static int clear_file(const struct trace *t, const char *name, uint64_t rank, int remove,
                      struct weft_err *err)
{
    char path[WEFT_PATH_MAX], new_path[WEFT_PATH_MAX];
    if (weft_path_join(path, t->dir, name, err))
        return err->code;
    if (rank < t->ranks && (rank_path(new_path, t, rank, err) || strcmp(path, new_path) == 0))
        return err->code;
    if (!is_ours(path))
        return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                           "would belong to the trace, but is not weft's: remove it, or choose "
                           "another prefix");
    if (remove && unlink(path) != 0)
        return weft_file_error(err, path, "remove", errno);
    return 0;
}

static int clear(const struct trace *t, int remove, struct weft_err *err)
{
    const size_t n = strlen(t->base);
    uint32_t rank;
    int rc = 0;
    DIR *d = opendir(t->dir);
    if (!d)
        return weft_file_error(err, t->dir, "read", errno);
    for (const struct dirent *e; !rc && (e = readdir(d));)
        if (strncmp(e->d_name, t->base, n) == 0 && weft_trace_rank_of(e->d_name + n, &rank))
            rc = clear_file(t, e->d_name, rank, remove, err);
    closedir(d);
    return rc;
}

/* Removes rank 0, if it is a file. */
static int break_old(const struct trace *t, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct stat st;
    if (rank_path(path, t, 0, err))
        return err->code;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && unlink(path) != 0)
        return weft_file_error(err, path, "remove", errno);
    return 0;
}

static int trace_write_all(const struct trace *t, weft_trace_rank_fn fn, void *ctx,
                           struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_err ignored = {0};
    int rc = 0;
    uint64_t r = t->ranks;
    while (!rc && r-- > 0) {
        rc = rank_path(path, t, r, err);
        if (!rc)
            rc = fn(ctx, r, path, err);
    }
    if (!rc)
        return 0;
    for (; r < t->ranks; r++) /* what there is of them is no trace */
        if (!rank_path(path, t, r, &ignored) && is_ours(path))
            unlink(path);
    return rc;
}

int weft_trace_write(const char *prefix, uint64_t ranks, weft_trace_rank_fn fn, void *ctx,
                     struct weft_err *err)
{
    struct trace t;
    char lock_name[WEFT_PATH_MAX + 8], path[WEFT_PATH_MAX];
    struct weft_lock *lock = NULL;
    int rc = open_trace(&t, prefix, ranks, err);
    if (!rc) {
        snprintf(lock_name, sizeof lock_name, ".%s.lock", t.base);
        rc = weft_path_join(path, t.dir, lock_name, err);
    }
    if (!rc) {
        lock = weft_lock_take(path, "one process at a time writes a trace", err);
        rc = lock ? 0 : err->code;
    }
    if (!rc)
        rc = clear(&t, 0, err);
    if (!rc)
        rc = break_old(&t, err);
    if (!rc)
        rc = clear(&t, 1, err);
    if (!rc)
        rc = trace_write_all(&t, fn, ctx, err);
    weft_lock_release(lock);
    return rc;
}
