/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which algorithm plays an operation that asks for auto: the cheapest by auto_cost.c of those that
 * declare what they cost, over the whole group, or where the group is a grid one per dimension, as
 * NCCL's tuner compares its algorithms by a latency and a bandwidth. Those that are too near to
 * each other for that are simulated (auto_tune.c).
 *
 * What is taken follows from group, kind and size alone, so that all members take the same. It is
 * worked out before the run, once for each group, kind and class of sizes: 32 to an octave, by
 * their smallest size, and measured by that of the first operation of the class. Where the fabric
 * is not known, and for sizes that only their ends know, it is ring, direct or binomial.
 */
#include "system/auto.h"
#include "system/library.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* On larger fabrics it is not decided: the routes that it takes would cost a run's time and memory
 * again. */
#define FABRIC_PORTS_MAX (UINT32_C(1) << 17)

/* A choice that has been made, by its text. */
struct made {
    struct weft_choice choice;
    struct made *next;
    char text[];
};

struct weft_auto {
    struct weft_u64map picks; /* key_of() -> struct weft_auto_pick */
    struct weft_auto_pick *first;
    struct made *made;
    const struct weft_choice *fallback[WEFT_COLL_KINDS];
    struct weft_trials trials;
};

struct maker {
    struct weft_auto *a;
    const struct weft_auto_job *job;
    const struct weft_dims *dims;
    struct weft_auto_tuning tuning;
    struct weft_err *err;
};

/* --- keys --- */

/* Classes of sizes to an octave: what is right for the smallest size of one is at most 3 % off for
 * the others. */
#define CLASS_BITS 5u
#define CLASSES (UINT64_C(1) << CLASS_BITS)
#define KEY_BITS 11u /* of a class in a key */

static uint64_t class_of(uint64_t bytes)
{
    if (bytes < CLASSES)
        return bytes;
    const unsigned e = 63u - (unsigned)__builtin_clzll(bytes);
    return CLASSES * (e - CLASS_BITS + 1) + (bytes >> (e - CLASS_BITS) & (CLASSES - 1));
}

/* Its smallest size. */
static uint64_t class_bytes(uint64_t class)
{
    return class < CLASSES ? class : (CLASSES + class % CLASSES) << (class / CLASSES - 1);
}

static uint64_t key_of(const struct weft_op *op)
{
    const enum weft_coll_kind kind = weft_coll_run_as(op->coll);
    const uint64_t bytes = op->coll == WEFT_COLL_BARRIER ? 0 : op->bytes;
    return (((uint64_t)op->group << 8 | (op->involved & 0xff)) << 4 | (uint64_t)kind) << KEY_BITS |
           class_of(bytes);
}

const struct weft_auto_pick *weft_auto_pick_of(const struct weft_auto *a, const struct weft_op *op)
{
    void *found;
    if (!a || op->send_bytes || !weft_u64map_get(&a->picks, key_of(op), &found))
        return NULL;
    return found;
}

const struct weft_choice *weft_auto_of(const struct weft_auto *a, const struct weft_op *op)
{
    const struct weft_auto_pick *p = weft_auto_pick_of(a, op);
    return p ? p->choice : a->fallback[weft_coll_run_as(op->coll)];
}

/* --- choices by text --- */

static const struct weft_choice *choice_of(struct maker *m, const char *text)
{
    for (const struct made *i = m->a->made; i; i = i->next)
        if (strcmp(i->text, text) == 0)
            return &i->choice;
    struct made *i = malloc(sizeof *i + strlen(text) + 1);
    if (!i) {
        weft_err_no_memory(m->err, "the choice of algorithms");
        return NULL;
    }
    memcpy(i->text, text, strlen(text) + 1);
    if (weft_choice_parse(i->text, "", &i->choice, m->err)) {
        weft_choice_release(&i->choice);
        free(i);
        return NULL;
    }
    i->next = m->a->made;
    m->a->made = i;
    return &i->choice;
}

static int make_fallbacks(struct maker *m)
{
    for (int k = 0; k < WEFT_COLL_KINDS; k++) {
        m->a->fallback[k] = choice_of(m, weft_auto_without_fabric((enum weft_coll_kind)k));
        if (!m->a->fallback[k])
            return m->err->code;
    }
    return 0;
}

/* --- all operations --- */

static int decide(struct maker *m, const struct weft_auto_fabric *auto_fabric,
                  struct weft_candidates *candidates, uint64_t key, const struct weft_op *op)
{
    struct weft_ranking ranking;
    const uint64_t bytes = class_bytes(key & ((UINT64_C(1) << KEY_BITS) - 1));
    const bool by_library = weft_library_rank(candidates, op, bytes, &ranking);
    if (!by_library)
        weft_candidates_rank(candidates, op, bytes, &ranking);
    if (auto_fabric->lost)
        return weft_err_no_memory(m->err, "the choice of algorithms");
    if (!ranking.n || !auto_fabric->ports_left)
        return 0; /* as without a fabric */
    if (!by_library && weft_auto_tune(&m->tuning, op, &ranking, m->err))
        return m->err->code;
    struct weft_auto_pick *p = calloc(1, sizeof *p);
    if (!p)
        return weft_err_no_memory(m->err, "the choice of algorithms");
    p->link = m->a->first;
    m->a->first = p;
    p->choice = choice_of(m, ranking.choice[0].text);
    p->bytes = ranking.choice[0].measured ? op->bytes : bytes;
    p->cost_s = ranking.choice[0].s;
    p->measured = ranking.choice[0].measured;
    if (ranking.n > 1) {
        p->next_s = ranking.choice[1].s;
        memcpy(p->next, ranking.choice[1].text, sizeof p->next);
    }
    if (!p->choice)
        return m->err->code;
    return weft_u64map_put(&m->a->picks, key, p)
               ? weft_err_no_memory(m->err, "the choice of algorithms")
               : 0;
}

/* Operations that ask for it, one of each key. */
struct wanted {
    uint64_t key;
    uint32_t rank, op;
};

static int auto_by_key(const void *a, const void *b)
{
    const uint64_t x = ((const struct wanted *)a)->key, y = ((const struct wanted *)b)->key;
    return x < y ? -1 : x > y;
}

static int auto_collect(struct maker *m, struct wanted **out, size_t *n)
{
    const struct weft_workload *w = m->job->w;
    struct weft_u64map seen = {0};
    size_t cap = 0;
    int rc = 0;
    for (uint32_t r = 0; !rc && r < w->nranks; r++)
        for (uint32_t i = 0; !rc && i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind != WEFT_OP_COLL || op->group >= w->ngroups || op->send_bytes ||
                !weft_choice_given(m->job->choices, op)->automatic || w->groups[op->group].n < 2 ||
                weft_u64map_get(&seen, key_of(op), NULL))
                continue;
            if (!WEFT_GROW(*out, *n, &cap) || weft_u64map_put(&seen, key_of(op), NULL))
                rc = weft_err_no_memory(m->err, "the choice of algorithms");
            if (!rc)
                (*out)[(*n)++] = (struct wanted){key_of(op), r, i};
        }
    weft_u64map_release(&seen);
    if (*n)
        qsort(*out, *n, sizeof **out, auto_by_key);
    return rc;
}

static bool on_fabric(const struct weft_auto_job *job)
{
    const struct weft_system_env *env = job->env;
    if (!env || !env->net_fabric || env->net_fabric->nports > FABRIC_PORTS_MAX)
        return false;
    for (uint32_t r = 0; r < job->w->nranks; r++)
        if ((env->hosts ? env->hosts[r] : r) >= env->net_fabric->nhosts)
            return false;
    return true;
}

static int decide_all(struct maker *m, const struct wanted *wanted, size_t n)
{
    const struct weft_system_env *env = m->job->env;
    struct weft_auto_fabric auto_fabric;
    struct weft_candidates candidates = {.job = m->job, .dims = m->dims, .trials = &m->a->trials};
    uint32_t group = 0;
    int rc = weft_auto_fabric_new(env, &auto_fabric, m->err);
    if (rc)
        return rc;
    weft_auto_tuning_begin(&m->tuning, m->job);
    for (size_t i = 0; !rc && i < n; i++) {
        const struct weft_op *op = weft_workload_visit(m->job->w, wanted[i].rank, wanted[i].op);
        if (i == 0 || op->group != group) {
            weft_candidates_close(&candidates);
            group = op->group;
            rc = weft_candidates_open(&candidates, &auto_fabric, group, m->err);
        }
        if (!rc)
            rc = decide(m, &auto_fabric, &candidates, wanted[i].key, op);
    }
    weft_auto_tuning_end(&m->tuning);
    weft_candidates_close(&candidates);
    weft_auto_fabric_release(&auto_fabric);
    return rc;
}

int weft_auto_new(const struct weft_auto_job *job, const struct weft_dims *dims,
                  struct weft_auto **out, struct weft_err *err)
{
    struct maker m = {.job = job, .dims = dims, .err = err};
    struct wanted *wanted = NULL;
    size_t n = 0;
    bool any = false;
    *out = NULL;
    for (int k = 0; k < WEFT_COLL_KINDS; k++)
        any |= job->choices->kind[k].automatic;
    for (size_t i = 0; i < job->choices->nnamed; i++)
        any |= job->choices->named[i].automatic;
    if (!any)
        return 0;
    m.a = calloc(1, sizeof *m.a);
    if (!m.a)
        return weft_err_no_memory(err, "the choice of algorithms");
    int rc = make_fallbacks(&m);
    if (!rc && on_fabric(job))
        rc = auto_collect(&m, &wanted, &n);
    if (!rc && n) {
        rc = weft_trials_new(&m.a->trials, err);
        rc = rc ? rc : decide_all(&m, wanted, n);
    }
    free(wanted);
    if (rc)
        weft_auto_free(m.a);
    else
        *out = m.a;
    return rc;
}

void weft_auto_free(struct weft_auto *a)
{
    if (!a)
        return;
    for (struct weft_auto_pick *p = a->first, *next; p; p = next) {
        next = p->link;
        free(p);
    }
    for (struct made *i = a->made, *next; i; i = next) {
        next = i->next;
        weft_choice_release(&i->choice);
        free(i);
    }
    weft_trials_free(&a->trials);
    weft_u64map_release(&a->picks);
    free(a);
}
