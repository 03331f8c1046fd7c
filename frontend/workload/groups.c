/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Communicator groups: definitions by name, the groups in use by index.
 *
 * A definition becomes a group when a collective first names it. Two ranks that define one name
 * alike share the group; the order of groups is the order of first use, rank by rank.
 */
#include "workload/groups.h"

#include "workload/groups_json.h"

#include "base/grow.h"
#include "base/hash_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_USED UINT32_MAX
enum { NAMES_SHOWN = 8 };

struct def {
    char *name;
    uint32_t *ranks; /* n of them; n == 0: every rank */
    uint32_t n;
    uint32_t index; /* in groups, NOT_USED until a collective names it */
    enum weft_parallelism use;
    bool lost; /* the hash had no memory for it */
    UT_hash_handle hh;
};

/** A group in use. */
struct used {
    struct weft_group group;
    uint32_t checked_rank; /* the last rank found to be a member, UINT32_MAX: none */
    uint32_t alike;        /* the group of this name made before, NOT_USED: none */
    bool ascending;        /* its ranks */
};

/** The groups in use of one name. */
struct name {
    const char *text; /* of the first of them */
    uint32_t last;    /* in groups */
    bool lost;        /* the hash had no memory for it */
    UT_hash_handle hh;
};

struct weft_groups {
    struct weft_arena *arena;
    uint32_t nranks;
    uint32_t rank;
    struct def *shared; /* from the file */
    struct def *local;  /* from the current rank's trace */
    struct used *used;  /* used[0] is the world */
    struct name *names; /* of those in use but the world */
    uint32_t nused, cap;
};

static void free_defs(struct def **hash)
{
    struct def *d, *next;
    HASH_ITER(hh, *hash, d, next)
    {
        HASH_DEL(*hash, d);
        free(d->name);
        free(d->ranks);
        free(d);
    }
}

/** Enters the next group into the chain of its name; the world has none. */
static bool add_name(struct weft_groups *g, const char *text)
{
    struct name *name = NULL;
    if (!*text)
        return true;
    HASH_FIND_STR(g->names, text, name);
    if (name) {
        g->used[g->nused].alike = name->last;
    } else {
        name = calloc(1, sizeof *name);
        if (!name)
            return false;
        name->text = text;
        HASH_ADD_KEYPTR(hh, g->names, text, strlen(text), name);
        if (name->lost) {
            free(name);
            return false;
        }
    }
    name->last = g->nused;
    return true;
}

static void free_names(struct weft_groups *g)
{
    struct name *name, *next;
    HASH_ITER(hh, g->names, name, next)
    {
        HASH_DEL(g->names, name);
        free(name);
    }
}

/** Makes a group like @p def (n 0: all ranks). Returns its index or NOT_USED when out of memory. */
static uint32_t use(struct weft_groups *g, const struct weft_group *def)
{
    if (!WEFT_GROW(g->used, g->nused, &g->cap))
        return NOT_USED;
    const uint32_t count = def->n ? def->n : g->nranks;
    uint32_t *copy = weft_arena_calloc(g->arena, count, sizeof *copy);
    const char *text = *def->name ? weft_arena_strdup(g->arena, def->name) : "";
    if (!copy || !text)
        return NOT_USED;
    bool ascending = true;
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = def->n ? def->ranks[i] : i;
        ascending = ascending && (i == 0 || copy[i - 1] < copy[i]);
    }
    g->used[g->nused] = (struct used){.group = {text, copy, count, def->use},
                                      .checked_rank = UINT32_MAX,
                                      .alike = NOT_USED,
                                      .ascending = ascending};
    return add_name(g, text) ? g->nused++ : NOT_USED;
}

struct weft_groups *weft_groups_new(struct weft_arena *arena, uint32_t nranks)
{
    struct weft_groups *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->arena = arena;
    g->nranks = nranks;
    if (use(g, &(struct weft_group){.name = ""}) == NOT_USED) {
        weft_groups_free(g);
        return NULL;
    }
    return g;
}

void weft_groups_free(struct weft_groups *g)
{
    if (!g)
        return;
    free_defs(&g->shared);
    free_defs(&g->local);
    free_names(g);
    free(g->used);
    free(g);
}

void weft_groups_begin_rank(struct weft_groups *g, uint32_t rank)
{
    free_defs(&g->local);
    g->rank = rank;
}

static int add_def(struct def **hash, const struct weft_group *in, struct weft_err *err)
{
    struct def *old, *d;
    HASH_FIND_STR(*hash, in->name, old);
    if (old) {
        if (old->n == in->n &&
            (in->n == 0 || memcmp(old->ranks, in->ranks, in->n * sizeof *in->ranks) == 0))
            return 0;
        return weft_err_set(err, WEFT_E_INPUT,
                            "process group '%s' is defined twice, with different ranks", in->name);
    }
    d = calloc(1, sizeof *d);
    if (!d)
        return weft_err_no_memory(err, "process groups");
    d->name = strdup(in->name);
    d->ranks = malloc((in->n ? in->n : 1) * sizeof *d->ranks);
    d->n = in->n;
    d->index = NOT_USED;
    d->use = in->use;
    if (d->name && d->ranks) {
        if (in->n > 0)
            memcpy(d->ranks, in->ranks, in->n * sizeof *d->ranks);
        HASH_ADD_KEYPTR(hh, *hash, d->name, strlen(d->name), d);
        if (!d->lost)
            return 0;
    }
    free(d->name);
    free(d->ranks);
    free(d);
    return weft_err_no_memory(err, "process groups");
}

int weft_groups_define(struct weft_groups *g, const struct weft_group *def, struct weft_err *err)
{
    return add_def(&g->shared, def, err);
}

static int add_shared(void *ctx, const struct weft_group *def, struct weft_err *err)
{
    return weft_groups_define(ctx, def, err);
}

static int add_local(void *ctx, const struct weft_group *def, struct weft_err *err)
{
    return add_def(&((struct weft_groups *)ctx)->local, def, err);
}

int weft_groups_load(struct weft_groups *g, const char *path, struct weft_err *err)
{
    return weft_groups_json_file(path, g->nranks, add_shared, g, err);
}

int weft_groups_add_pytorch(struct weft_groups *g, const char *values, struct weft_err *err)
{
    return weft_groups_json_pytorch(values, g->nranks, add_local, g, err);
}

/** Appends the names of a hash to a list for people. */
static void list_names(struct def *hash, char *buf, size_t size, unsigned *shown)
{
    for (struct def *d = hash; d; d = d->hh.next) {
        size_t len = strlen(buf);
        if (*shown < NAMES_SHOWN)
            snprintf(buf + len, size - len, "%s'%.40s'", *shown ? ", " : "", d->name);
        else if (*shown == NAMES_SHOWN)
            snprintf(buf + len, size - len, ", ...");
        ++*shown;
    }
}

static int groups_unknown(struct weft_groups *g, const char *name, struct weft_err *err)
{
    char list[NAMES_SHOWN * 48 + 8] = "";
    unsigned shown = 0;
    list_names(g->shared, list, sizeof list, &shown);
    list_names(g->local, list, sizeof list, &shown);
    return weft_err_set(err, WEFT_E_INPUT,
                        "unknown process group '%s': %s%s. Groups come from process_group:init "
                        "nodes of the rank's trace and from a JSON file {\"%s\": [0, 1]}: "
                        "chakra.groups=FILE, --groups of weft trace, --comm-group-configuration of "
                        "weft astra-sim",
                        name, shown ? "known are " : "none is known", list, name);
}

static int not_member(const struct weft_groups *g, const struct weft_group *group,
                      struct weft_err *err)
{
    char list[256] = "";
    for (uint32_t i = 0; i < group->n && i <= NAMES_SHOWN; i++) {
        size_t len = strlen(list);
        if (i < NAMES_SHOWN)
            snprintf(list + len, sizeof list - len, "%s%" PRIu32, i ? ", " : "", group->ranks[i]);
        else
            snprintf(list + len, sizeof list - len, ", ...");
    }
    return weft_err_set(err, WEFT_E_INPUT,
                        "rank %" PRIu32 " is not a member of process group '%s' (ranks %s)",
                        g->rank, group->name, list);
}

/** True for n == 0 and for 0, 1, ..., nranks-1. */
static bool is_world(const struct weft_groups *g, const struct def *d)
{
    if (d->n != 0 && d->n != g->nranks)
        return false;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->ranks[i] != i)
            return false;
    return true;
}

/** The group that a definition stands for, made when it is new. */
static int groups_resolve(struct weft_groups *g, struct def *d, struct weft_err *err)
{
    if (strcmp(d->name, "0") == 0 && is_world(g, d)) {
        d->index = 0;
        return 0;
    }
    uint32_t n = d->n ? d->n : g->nranks;
    struct name *name = NULL;
    HASH_FIND_STR(g->names, d->name, name);
    for (uint32_t i = name ? name->last : NOT_USED; i != NOT_USED && d->index == NOT_USED;
         i = g->used[i].alike) {
        const struct weft_group *u = &g->used[i].group;
        bool same = u->n == n;
        for (uint32_t k = 0; k < n && same; k++)
            same = u->ranks[k] == (d->n ? d->ranks[k] : k);
        if (same)
            d->index = i;
    }
    if (d->index == NOT_USED)
        d->index = use(g, &(struct weft_group){d->name, d->ranks, d->n, d->use});
    return d->index == NOT_USED ? weft_err_no_memory(err, "process groups") : 0;
}

static bool is_member(const struct used *u, uint32_t rank)
{
    const uint32_t *ranks = u->group.ranks;
    uint32_t low = 0, high = u->group.n;
    if (u->ascending) {
        while (low < high) {
            const uint32_t mid = low + (high - low) / 2;
            if (ranks[mid] < rank)
                low = mid + 1;
            else
                high = mid;
        }
        return low < u->group.n && ranks[low] == rank;
    }
    while (low < high && ranks[low] != rank)
        low++;
    return low < high;
}

/** The definition of a name of @p len characters; the file wins. NULL when there is none. */
static struct def *definition(const struct weft_groups *g, const char *name, size_t len)
{
    struct def *d = NULL;
    HASH_FIND(hh, g->shared, name, len, d);
    if (!d)
        HASH_FIND(hh, g->local, name, len, d);
    return d;
}

/** Length of the digits in front of ".0": ASTRA-sim reads names as numbers, so that "3.0" is 3. The
 * whole length for any other name. */
static size_t whole_part(const char *name)
{
    const size_t digits = strspn(name, "0123456789"), all = strlen(name);
    if (digits == 0 || name[digits] != '.')
        return all;
    return digits + 1 + strspn(name + digits + 1, "0") == all ? digits : all;
}

int weft_groups_find(struct weft_groups *g, const char *name, uint32_t *index, struct weft_err *err)
{
    *index = 0;
    if (*name == '\0')
        return 0;
    struct def *d = definition(g, name, strlen(name));
    if (!d)
        d = definition(g, name, whole_part(name));
    if (!d)
        return strcmp(name, "0") == 0 ? 0 : groups_unknown(g, name, err);
    if (d->index == NOT_USED) {
        int rc = groups_resolve(g, d, err);
        if (rc < 0)
            return rc;
    }
    *index = d->index;
    struct used *u = &g->used[d->index];
    if (u->checked_rank != g->rank && is_member(u, g->rank))
        u->checked_rank = g->rank;
    return u->checked_rank == g->rank ? 0 : not_member(g, &u->group, err);
}

int weft_groups_add(struct weft_groups *g, const struct weft_group *def, uint32_t *index,
                    struct weft_err *err)
{
    *index = use(g, def);
    return *index == NOT_USED ? weft_err_no_memory(err, "process groups") : 0;
}

const char *weft_groups_name(const struct weft_groups *g, uint32_t index)
{
    return g->used[index].group.name;
}

uint32_t weft_groups_size(const struct weft_groups *g, uint32_t index)
{
    return g->used[index].group.n;
}

const uint32_t *weft_groups_ranks(const struct weft_groups *g, uint32_t index)
{
    return g->used[index].group.ranks;
}

int weft_groups_finish(const struct weft_groups *g, struct weft_workload *w, struct weft_err *err)
{
    w->groups = weft_arena_calloc(g->arena, g->nused, sizeof *w->groups);
    if (!w->groups)
        return weft_err_no_memory(err, "process groups");
    for (uint32_t i = 0; i < g->nused; i++)
        w->groups[i] = g->used[i].group;
    w->ngroups = g->nused;
    return 0;
}
