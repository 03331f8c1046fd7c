/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies several transforms in a row, from the files of one trace to those of another. */
#include "workload/whatif/chain.h"

#include "base/file.h"
#include "base/grow.h"
#include "workload/chakra_read.h"
#include "workload/chakra_write.h"
#include "workload/convert.h"
#include "workload/groups_file.h"
#include "workload/groups_json.h"
#include "workload/trace_files.h"
#include "workload/trace_write.h"
#include "workload/whatif/select.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of one rank's trace; more lies in a file. */
#define RANK_MEMORY_BYTES ((size_t)512 << 20)

struct weft_chain {
    struct weft_arena *arena;
    const char *prefix;
    const char **paths;
    uint32_t ranks;
    struct weft_group_list groups; /* as given */
    struct weft_transform *list;
    size_t n;
};

int weft_group_list_add(struct weft_group_list *list, struct weft_arena *arena, const char *name,
                        const uint32_t *ranks, uint32_t n, struct weft_err *err)
{
    if (!WEFT_ARENA_GROW(arena, list->groups, list->n, &list->cap))
        return weft_err_no_memory(err, "a trace");
    uint32_t *copy = weft_arena_calloc(arena, n, sizeof *copy);
    const char *text = weft_arena_strdup(arena, name);
    if (!copy || !text)
        return weft_err_no_memory(err, "a trace");
    if (n)
        memcpy(copy, ranks, n * sizeof *copy);
    list->groups[list->n++] = (struct weft_group){.name = text, .ranks = copy, .n = n};
    return 0;
}

int weft_transform_begin_rank(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                              struct weft_err *err)
{
    weft_groups_begin_rank(t->groups, rank);
    return weft_convert_groups(t->groups, et, err);
}

int weft_transform_group(const struct weft_transform *t, const struct weft_et *et,
                         const struct weft_et_node *node, uint32_t *index, struct weft_err *err)
{
    char buf[32];
    struct weft_err why = {0};
    const int rc = weft_groups_find(t->groups, weft_node_group(node, buf, sizeof buf), index, &why);
    return rc ? weft_et_node_err(err, rc, et, node, "%s", why.msg) : 0;
}

static int add_given(void *ctx, const struct weft_group *def, struct weft_err *err)
{
    struct weft_chain *c = ctx;
    return weft_group_list_add(&c->groups, c->arena, def->name, def->ranks, def->n, err);
}

struct weft_chain *weft_chain_new(const char *prefix, const char *groups_file, struct weft_err *err)
{
    struct weft_chain *c = calloc(1, sizeof *c);
    int rc = c && (c->arena = weft_arena_new()) ? 0 : weft_err_no_memory(err, "a trace");
    if (!rc) {
        c->prefix = prefix;
        rc = weft_trace_files(prefix, 0, c->arena, &c->paths, &c->ranks, err);
    }
    if (!rc && groups_file && *groups_file)
        rc = weft_groups_json_file(groups_file, c->ranks, add_given, c, err);
    if (rc) {
        weft_chain_free(c);
        return NULL;
    }
    return c;
}

void weft_chain_free(struct weft_chain *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        struct weft_transform *t = &c->list[i];
        if (t->ops->end)
            t->ops->end(t);
        weft_groups_free(t->groups);
        free(t->params);
        free(t->state);
    }
    free(c->list);
    weft_arena_free(c->arena);
    free(c);
}

struct weft_transform *weft_chain_add(struct weft_chain *c, const struct weft_transform_ops *ops,
                                      struct weft_err *err)
{
    if (!WEFT_GROW_ONE(c->list, c->n)) {
        weft_err_no_memory(err, "a trace");
        return NULL;
    }
    struct weft_transform *t = &c->list[c->n++];
    *t = (struct weft_transform){.ops = ops, .arena = c->arena};
    t->params = calloc(1, ops->params.struct_size + 1);
    t->state = calloc(1, ops->state_size + 1);
    if (!t->params || !t->state) {
        weft_err_no_memory(err, "a trace");
        return NULL;
    }
    return weft_params_defaults(&ops->params, t->params, err) ? NULL : t;
}

const struct weft_transform *weft_chain_list(const struct weft_chain *c, size_t *n)
{
    *n = c->n;
    return c->list;
}

/* The trace of a rank behind the first n transforms. */
static int pull(struct weft_chain *c, size_t n, uint32_t rank, struct weft_arena *arena,
                struct weft_et **et, struct weft_err *err)
{
    if (n == 0)
        return weft_chakra_read_et(c->paths[rank], arena, et, err);
    struct weft_transform *t = &c->list[n - 1];
    const uint32_t from = t->ops->source_rank ? t->ops->source_rank(t, rank) : rank;
    int rc = pull(c, n - 1, from, arena, et, err);
    if (rc)
        return rc;
    rc = t->ops->apply(t, rank, *et, arena, err);
    return rc ? weft_err_prepend(err, "%s, rank %u", t->ops->name, rank) : 0;
}

static struct weft_arena *rank_arena(struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    if (arena)
        weft_arena_spill(arena, RANK_MEMORY_BYTES);
    else
        weft_err_no_memory(err, "a trace");
    return arena;
}

static int chain_look(struct weft_chain *c, size_t i, struct weft_err *err)
{
    struct weft_transform *t = &c->list[i];
    int rc = 0;
    for (uint32_t r = 0; !rc && r < t->ranks_in; r++) {
        struct weft_et *et = NULL;
        struct weft_arena *arena = rank_arena(err);
        rc = arena ? pull(c, i, r, arena, &et, err) : err->code;
        if (!rc && t->ops->look(t, r, et, err))
            rc = weft_err_prepend(err, "%s, rank %u", t->ops->name, r);
        weft_arena_free(arena);
    }
    if (!rc && t->ops->resolve && t->ops->resolve(t, err))
        rc = weft_err_prepend(err, "%s", t->ops->name);
    return rc;
}

/* Readies transform i for what those before it make. */
static int chain_start(struct weft_chain *c, size_t i, struct weft_err *err)
{
    struct weft_transform *t = &c->list[i];
    t->ranks_in = t->ranks_out = i ? t[-1].ranks_out : c->ranks;
    t->in = t->out = i ? t[-1].out : c->groups;
    t->groups = weft_groups_new(c->arena, t->ranks_in);
    if (!t->groups)
        return weft_err_no_memory(err, "a trace");
    for (size_t g = 0; g < t->in.n; g++)
        if (weft_groups_define(t->groups, &t->in.groups[g], err))
            return err->code;
    if (t->ops->start && t->ops->start(t, err))
        return weft_err_prepend(err, "%s", t->ops->name);
    return t->ops->look ? chain_look(c, i, err) : 0;
}

/** A trace on its way to files. */
struct writing {
    struct weft_chain *c;
    const struct weft_group_list *groups;
    const char *groups_file;
};

static int chain_write_rank(void *ctx, uint64_t rank, const char *path, struct weft_err *err)
{
    const struct writing *w = ctx;
    struct weft_et *et = NULL;
    struct weft_arena *arena = rank_arena(err);
    int rc = arena ? pull(w->c, w->c->n, (uint32_t)rank, arena, &et, err) : err->code;
    if (!rc && rank == 0 && w->groups->n) /* the last */
        rc = weft_groups_write(w->groups_file, w->groups->groups, w->groups->n, err);
    if (!rc)
        rc = weft_chakra_write_et(et, path, err);
    weft_arena_free(arena);
    return rc;
}

/* Files of one name in one folder would be read and written at once. */
static int refuse_same(const struct weft_chain *c, const char *out, struct weft_err *err)
{
    char from[WEFT_PATH_MAX], to[WEFT_PATH_MAX];
    struct stat a, b;
    const char *x = weft_path_base(c->prefix), *y = weft_path_base(out);
    const size_t n = weft_trace_stem(y);
    if (strlen(x) != n || strncmp(x, y, n) != 0)
        return 0;
    if (weft_path_dir(from, c->prefix, err) || weft_path_dir(to, out, err))
        return err->code;
    if (stat(from, &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' would be written over the trace that is read; choose another "
                            "prefix",
                            out);
    return 0;
}

int weft_chain_write(struct weft_chain *c, const char *out, uint64_t *ranks, bool *groups,
                     struct weft_err *err)
{
    struct writing w = {.c = c, .groups = &c->groups};
    *ranks = c->ranks;
    int rc = refuse_same(c, out, err);
    for (size_t i = 0; !rc && i < c->n; i++) {
        rc = chain_start(c, i, err);
        w.groups = &c->list[i].out;
        *ranks = c->list[i].ranks_out;
    }
    for (size_t i = 0; i < c->n; i++)
        c->list[i].touched = 0; /* passes for those behind it counted, too */
    *groups = w.groups->n > 0;
    w.groups_file = weft_arena_printf(c->arena, "%.*s.json", (int)weft_trace_stem(out), out);
    if (!rc && !w.groups_file)
        rc = weft_err_no_memory(err, "a trace");
    return rc ? rc : weft_trace_write(out, *ranks, chain_write_rank, &w, err);
}
