/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which ops of different ranks are the same collective.
 *
 * Traces do not say. weft takes all COLL ops of one (group, kind, root, bytes, involved dimensions)
 * that ask for the same algorithm, if any, as a class: the k-th op of
 * a class, in ascending node id, is the same collective on every member. So ranks may issue
 * different collectives in any order, and equal ones match in program order whatever the timing.
 * Barriers have no bytes; all-to-alls whose sizes differ from pair to pair are a class of their
 * own, whatever the sizes.
 *
 * Instances are numbered over the whole workload. The numbering depends only on the read-only
 * graphs, and is how messages name the collective that they belong to.
 *
 * A class that its members do not all issue equally often can never end: that is an error here.
 */
#include "system/system_internal.h"

#include "base/hash.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) ((elt)->count = UINT64_MAX)
#include <uthash.h>

struct class
{
    struct {
        uint64_t bytes, algorithm; /* hash of its own one, 0: none */
        uint32_t group, kind, root, involved;
    } key;
    uint64_t count;      /* ops of the class on each member; UINT64_MAX: hash table out of memory */
    uint64_t seen;       /* on the rank being read */
    uint64_t base;       /* number of its first instance */
    uint32_t rank;       /* being read */
    uint32_t first_rank; /* with a count */
    uint32_t members;    /* ranks that issue it */
    /* of its first op on first_rank */
    uint64_t id;
    const char *name;
    enum weft_coll_kind coll;
    UT_hash_handle hh;
};

static struct class *class_of(const struct weft_workload *w, struct class **all,
                              const struct weft_op *op, int make)
{
    struct class probe, *c;
    memset(&probe, 0, sizeof probe);
    probe.key.bytes = op->coll == WEFT_COLL_BARRIER || op->send_bytes ? 0 : op->bytes;
    probe.key.group = op->group;
    probe.key.kind = op->send_bytes ? WEFT_COLL_KINDS : (uint32_t)op->coll;
    if (weft_coll_has_root(op->coll))
        probe.key.root = op->has_root ? op->root : w->groups[op->group].ranks[0];
    probe.key.involved = op->involved;
    if (op->algorithm)
        probe.key.algorithm = weft_hash64(op->algorithm, strlen(op->algorithm));
    HASH_FIND(hh, *all, &probe.key, sizeof probe.key, c);
    if (!c && make) {
        c = calloc(1, sizeof *c);
        if (!c)
            return NULL;
        c->key = probe.key;
        c->id = op->id;
        c->name = op->name;
        c->coll = op->coll;
        HASH_ADD(hh, *all, key, sizeof c->key, c);
        if (c->count == UINT64_MAX) {
            free(c);
            return NULL;
        }
    }
    return c;
}

static int unequal(const struct weft_workload *w, const struct class *c, uint32_t rank,
                   uint64_t has, struct weft_err *err)
{
    char size[WEFT_UNIT_TEXT_MAX];
    const char *group = w->groups[c->key.group].name;
    return weft_err_set(
        err, WEFT_E_INPUT,
        "rank %u, node %" PRIu64 " '%s': %s of %s in group %s%s%s: rank %u has %" PRIu64 " of "
        "them, rank %u has %" PRIu64 "; "
        "the extra ones would wait for ever",
        c->first_rank, c->id, c->name, weft_coll_kind_name(c->coll),
        weft_format_size(c->key.bytes, size), *group ? "'" : "", *group ? group : "of all ranks",
        *group ? "'" : "", c->first_rank, c->count, rank, has);
}

/* The rank whose ops of class c were being read has no more of them. */
static int close_rank(const struct weft_workload *w, struct class *c, struct weft_err *err)
{
    if (c->members == 0) {
        c->first_rank = c->rank;
        c->count = c->seen;
    } else if (c->seen != c->count) {
        return unequal(w, c, c->rank, c->seen, err);
    }
    c->members++;
    c->seen = 0;
    return 0;
}

static int count_classes(const struct weft_workload *w, struct class **all, struct weft_err *err)
{
    for (uint32_t r = 0; r < w->nranks; r++) {
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind != WEFT_OP_COLL)
                continue;
            struct class *c = class_of(w, all, op, 1);
            if (!c)
                return weft_err_no_memory(err, "collectives");
            if (c->seen && c->rank != r) {
                int rc = close_rank(w, c, err);
                if (rc)
                    return rc;
            }
            c->rank = r;
            c->seen++;
        }
    }
    return 0;
}

/* Closes the last rank of every class and gives out the numbers. */
static int number_classes(const struct weft_workload *w, struct class *all, uint64_t *n,
                          struct weft_err *err)
{
    *n = 0;
    for (struct class *c = all; c; c = c->hh.next) { /* in the order added */
        int rc = close_rank(w, c, err);
        if (rc)
            return rc;
        const struct weft_group *g = &w->groups[c->key.group];
        for (uint32_t m = 0; c->members != g->n && m < g->n; m++) {
            bool found = false;
            const struct weft_dag *d = &w->dags[g->ranks[m]];
            for (uint32_t i = 0; i < d->nops && !found; i++) {
                struct weft_op own;
                const struct weft_op *op = weft_dag_op(d, i, &own);
                found = op->kind == WEFT_OP_COLL && class_of(w, &all, op, 0) == c;
            }
            if (!found)
                return unequal(w, c, g->ranks[m], 0, err);
        }
        c->base = *n;
        *n += c->count;
    }
    if (*n > UINT32_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "more than 2^32 collectives in one workload");
    return 0;
}

/* Into states the instance of each op; into order, per instance, the id of its node on the first
 * rank that has it: the same on every rank, and program order as that rank sees it. */
static void write_numbers(const struct weft_workload *w, struct class *all,
                          struct weft_op_state *states, uint64_t *order)
{
    uint64_t at = 0;
    for (uint32_t r = 0; r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++, at++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind != WEFT_OP_COLL)
                continue;
            struct class *c = class_of(w, &all, op, 0);
            if (c->rank != r)
                c->seen = 0;
            c->rank = r;
            uint64_t instance = c->base + c->seen++;
            states[at].instance = (uint32_t)instance;
            if (order && r == c->first_rank)
                order[instance] = op->id;
        }
}

int weft_coll_ids(const struct weft_workload *w, struct weft_op_state *states, uint64_t *ninstances,
                  uint64_t **order, struct weft_err *err)
{
    struct class *all = NULL, *c, *tmp;
    int rc = count_classes(w, &all, err);
    if (!rc)
        rc = number_classes(w, all, ninstances, err);
    if (!rc && order) {
        *order = calloc(*ninstances ? *ninstances : 1, sizeof **order);
        if (!*order)
            rc = weft_err_no_memory(err, "collectives");
    }
    if (!rc && states)
        write_numbers(w, all, states, order ? *order : NULL);
    HASH_ITER(hh, all, c, tmp)
    {
        HASH_DEL(all, c);
        free(c);
    }
    return rc;
}
