/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GOAL schedules as Chakra traces, and back.
 *
 * A node per operation: calc is a COMP_NODE of the CPU, `requires` are data_deps. What Chakra has
 * no field for is in attributes of weft's own: `duration_ps` (Chakra's durations are in
 * microseconds), `cpu_index`, `nic_index`, and `start_deps` for `irequires`, whose nearest is in
 * ctrl_deps: to wait for what the other waits for; `any_source` and `any_tag` for recv ... -1.
 *
 * Back, a trace that was not a schedule has its accelerator on cpu 0, its CPU on 1, messages on 2
 * and memory accesses on 3, since these do not wait for each other.
 */
#include "workload/goal/goal_internal.h"

#include "base/grow.h"
#include "base/hash_table.h"
#include "base/units.h"
#include "workload/et_build.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Dependencies by the operation that waits. */
static const struct weft_goal_dep *by_waiter(const struct weft_goal_rank *k, uint32_t *first,
                                             struct weft_goal_dep *sorted)
{
    for (uint32_t i = 0; i < k->ndeps; i++)
        first[k->deps[i].op + 1]++;
    for (uint32_t i = 0; i < k->nops; i++)
        first[i + 1] += first[i];
    for (uint32_t i = k->ndeps; i-- > 0;)
        sorted[--first[k->deps[i].op + 1]] = k->deps[i];
    return sorted; /* those of op lie from first[op + 1] on */
}

struct out {
    struct weft_et_build b;
    const struct weft_goal_rank *k;
    const uint32_t *first; /* by_waiter: first + 1 */
    const struct weft_goal_dep *deps;
    uint64_t *ids; /* scratch */
};

static uint32_t last_dep(const struct out *o, uint32_t op)
{
    return op + 1 < o->k->nops ? o->first[op + 1] : o->k->ndeps;
}

/* What an operation waits for. */
static void add_deps(struct out *o, uint32_t op)
{
    size_t n = 0;
    for (uint32_t i = o->first[op]; i < last_dep(o, op); i++) {
        const struct weft_goal_dep *d = &o->deps[i];
        if (!d->start) {
            weft_et_build_data_dep(&o->b, d->on);
            continue;
        }
        o->ids[n++] = d->on;
        for (uint32_t j = o->first[d->on]; j < last_dep(o, d->on); j++)
            weft_et_build_ctrl_dep(&o->b, o->deps[j].on);
    }
    if (n)
        weft_et_build_sizes(&o->b, "start_deps", o->ids, n);
}

static int goal_chakra_add_node(struct out *o, const struct weft_goal *g, uint32_t i,
                                int64_t calc_ps, struct weft_err *err)
{
    const struct weft_goal_op *op = &o->k->ops[i];
    const char *name = op->label ? op->label : "";
    if (op->kind == WEFT_GOAL_CALC) {
        if (op->value > (uint64_t)(INT64_MAX / 4 / calc_ps))
            return weft_goal_err(g, op, err, "it takes longer than simulated time lasts");
        const uint64_t ps = op->value * (uint64_t)calc_ps;
        weft_et_build_node(&o->b, i, WEFT_ET_COMP_NODE, name,
                           (ps + WEFT_PS_PER_US / 2) / WEFT_PS_PER_US);
        weft_et_build_int(&o->b, "is_cpu_op", WEFT_ET_BOOL, 1);
        weft_et_build_int(&o->b, "duration_ps", WEFT_ET_INT64, (int64_t)ps);
    } else {
        const bool peer = op->peer == WEFT_GOAL_ANY, tag = op->tag == WEFT_GOAL_ANY;
        weft_et_build_message(
            &o->b, i, op->kind == WEFT_GOAL_SEND ? WEFT_ET_COMM_SEND_NODE : WEFT_ET_COMM_RECV_NODE,
            name, op->value, peer ? 0 : op->peer, tag ? 0 : op->tag);
        if (peer)
            weft_et_build_int(&o->b, "any_source", WEFT_ET_BOOL, 1);
        if (tag)
            weft_et_build_int(&o->b, "any_tag", WEFT_ET_BOOL, 1);
    }
    weft_et_build_int(&o->b, "cpu_index", WEFT_ET_UINT32, op->cpu);
    if (op->nic)
        weft_et_build_int(&o->b, "nic_index", WEFT_ET_UINT32, op->nic);
    add_deps(o, i);
    return 0;
}

int weft_goal_to_et(const struct weft_goal *g, uint32_t rank, int64_t calc_ps,
                    struct weft_arena *arena, struct weft_et **out, struct weft_err *err)
{
    const struct weft_goal_rank *k = &g->ranks[rank];
    uint32_t *first = calloc((size_t)k->nops + 2, sizeof *first);
    struct weft_goal_dep *sorted = calloc((size_t)k->ndeps + 1, sizeof *sorted);
    uint64_t *ids = calloc((size_t)k->ndeps + 1, sizeof *ids);
    struct out o = {.k = k, .ids = ids};
    int rc = first && sorted && ids ? 0 : weft_err_no_memory(err, "a GOAL schedule");
    if (!rc) {
        o.deps = by_waiter(k, first, sorted);
        o.first = first + 1;
        weft_et_build_start(&o.b, arena);
    }
    for (uint32_t i = 0; !rc && i < k->nops; i++)
        rc = goal_chakra_add_node(&o, g, i, calc_ps, err);
    if (!rc)
        rc = weft_et_build_finish(&o.b, out, err);
    free(first);
    free(sorted);
    free(ids);
    return rc;
}

/* --- and back --- */

struct id {
    uint64_t id;
    uint32_t op;
    bool lost;
    UT_hash_handle hh;
};

struct in {
    struct weft_goal *g;
    const struct weft_et *et;
    struct weft_goal_rank *k;
    struct id *ids, *table;
    uint32_t dep_cap;
    struct weft_err *err;
};

static int goal_chakra_refuse(const struct in *x, const struct weft_et_node *n, const char *what)
{
    return weft_et_node_err(x->err, WEFT_E_INPUT, x->et, n, "%s", what);
}

/* An integer attribute that may be absent. */
static int attribute(const struct in *x, const struct weft_et_node *n, const char *name,
                     uint64_t none, uint64_t max, uint64_t *out)
{
    const struct weft_et_attr *a = weft_et_find(n, name);
    int64_t i;
    *out = none;
    if (!a || a->kind == WEFT_ET_NONE)
        return 0;
    if (weft_et_attr_u64(a, out) == 0) {
        if (*out <= max)
            return 0;
    } else if (weft_et_attr_i64(a, &i) == 0 && max == UINT64_MAX) {
        *out = (uint64_t)i;
        return 0;
    }
    return weft_et_node_err(x->err, WEFT_E_INPUT, x->et, n,
                            "attribute %s is not a number from 0 to %" PRIu64, name, max);
}

/* A time in the units of a schedule that Chakra's writer made: nanoseconds. */
static int duration(const struct in *x, const struct weft_et_node *n, struct weft_goal_op *op)
{
    uint64_t ps;
    if (attribute(x, n, "duration_ps", UINT64_MAX, INT64_MAX, &ps) &&
        weft_et_find(n, "duration_ps"))
        return x->err->code;
    *x->err = (struct weft_err){0};
    if (ps != UINT64_MAX) {
        op->value = (ps + 500) / 1000;
        return 0;
    }
    if (n->duration_us > INT64_MAX / 1000)
        return goal_chakra_refuse(x, n, "its duration does not fit");
    op->value = n->duration_us * 1000;
    if (n->duration_us == 0 && (weft_et_find(n, "num_ops") || n->type != WEFT_ET_COMP_NODE))
        return goal_chakra_refuse(
            x, n,
            "it has no duration_micros; GOAL has times alone, so give it one (a run of "
            "weft has them in ops.csv)");
    return 0;
}

static int peer_of(const struct in *x, const struct weft_et_node *n, struct weft_goal_op *op)
{
    const bool send = n->type == WEFT_ET_COMM_SEND_NODE;
    const char *peer = send ? "comm_dst" : "comm_src";
    uint64_t v, any_source, any_tag;
    if (!weft_et_find(n, peer) || !weft_et_find(n, "comm_size"))
        return goal_chakra_refuse(x, n,
                                  send ? "a send needs comm_dst and comm_size"
                                       : "a receive needs comm_src and comm_size");
    if (attribute(x, n, peer, 0, UINT32_MAX - 1, &v))
        return x->err->code;
    op->peer = (uint32_t)v;
    if (attribute(x, n, "comm_size", 0, INT64_MAX, &op->value) ||
        attribute(x, n, "comm_tag", 0, UINT64_MAX, &v))
        return x->err->code;
    if (v >= UINT32_MAX)
        return goal_chakra_refuse(x, n, "comm_tag does not fit into the 32 bits of GOAL's tags");
    op->tag = (uint32_t)v;
    if (attribute(x, n, "any_source", 0, !send, &any_source) ||
        attribute(x, n, "any_tag", 0, !send, &any_tag))
        return x->err->code;
    op->peer = any_source ? WEFT_GOAL_ANY : op->peer;
    op->tag = any_tag ? WEFT_GOAL_ANY : op->tag;
    return 0;
}

enum { ACCELERATOR = 0, CPU = 1, MESSAGES = 2, MEMORY = 3 };

static int goal_chakra_operation(const struct in *x, const struct weft_et_node *n,
                                 struct weft_goal_op *op, struct weft_goal_notes *notes)
{
    uint64_t cpu_op = 0, cpu, nic;
    uint32_t unit = MESSAGES;
    int rc = attribute(x, n, "is_cpu_op", 0, 1, &cpu_op);
    *op = (struct weft_goal_op){.kind = WEFT_GOAL_CALC};
    switch (n->type) {
    case WEFT_ET_METADATA_NODE:
        notes->metadata++;
        break;
    case WEFT_ET_COMP_NODE:
    case WEFT_ET_MEM_LOAD_NODE:
    case WEFT_ET_MEM_STORE_NODE:
        unit = n->type != WEFT_ET_COMP_NODE ? MEMORY : cpu_op ? CPU : ACCELERATOR;
        rc = rc ? rc : duration(x, n, op);
        break;
    case WEFT_ET_COMM_SEND_NODE:
    case WEFT_ET_COMM_RECV_NODE:
        op->kind = n->type == WEFT_ET_COMM_SEND_NODE ? WEFT_GOAL_SEND : WEFT_GOAL_RECV;
        rc = rc ? rc : peer_of(x, n, op);
        break;
    case WEFT_ET_COMM_COLL_NODE:
        return goal_chakra_refuse(
            x, n,
            "GOAL has sends, receives and computations alone, no collectives: which "
            "messages it is made of is up to an algorithm and a fabric");
    default:
        return goal_chakra_refuse(x, n, "it has no type that Chakra defines");
    }
    rc = rc ? rc : attribute(x, n, "cpu_index", unit, UINT16_MAX, &cpu);
    rc = rc ? rc : attribute(x, n, "nic_index", 0, UINT16_MAX, &nic);
    if (!rc) {
        op->cpu = (uint32_t)cpu;
        op->nic = (uint32_t)nic;
    }
    return rc;
}

static int depend(struct in *x, uint32_t op, uint64_t id, bool start)
{
    const struct id *on;
    HASH_FIND(hh, x->table, &id, sizeof id, on);
    if (!on || on->op == op)
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->et, &x->et->nodes[op],
                                "it waits for node %" PRIu64 ", which %s", id,
                                on ? "it is itself" : "the trace does not have");
    if (x->k->ndeps == WEFT_GOAL_OPS_MAX || !WEFT_GROW(x->k->deps, x->k->ndeps, &x->dep_cap))
        return weft_err_no_memory(x->err, "a GOAL schedule");
    x->k->deps[x->k->ndeps++] = (struct weft_goal_dep){op, on->op, start};
    return 0;
}

static int dependencies(struct in *x, uint32_t i)
{
    const struct weft_et_node *n = &x->et->nodes[i];
    const struct weft_et_attr *start = weft_et_find(n, "start_deps");
    int rc = 0;
    for (size_t k = 0; !rc && k < n->ndata_deps; k++)
        rc = depend(x, i, n->data_deps[k], false);
    if (!start || start->kind != WEFT_ET_LIST(WEFT_ET_INT64)) {
        for (size_t k = 0; !rc && k < n->nctrl_deps; k++)
            rc = depend(x, i, n->ctrl_deps[k], false);
        return rc;
    }
    for (size_t k = 0; !rc && k < start->nvalues; k++)
        rc = depend(x, i, (uint64_t)start->values[k].i64, true);
    return rc;
}

static bool is_label(const char *s)
{
    static const char *const taken[] = {"send", "recv", "calc", "requires", "irequires", "rank"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(s, taken[i]) == 0)
            return false;
    if (!isalpha((unsigned char)*s))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return *s == '\0';
}

static int by_label(const void *a, const void *b)
{
    return strcmp((*(const struct weft_goal_op *const *)a)->label,
                  (*(const struct weft_goal_op *const *)b)->label);
}

/* The names of the nodes are labels where all that need one have one, no two the same. */
static int keep_labels(struct in *x)
{
    const struct weft_goal_op **named = calloc((size_t)x->k->nops + 1, sizeof *named);
    bool *needs = calloc((size_t)x->k->nops + 1, sizeof *needs), good = true;
    uint32_t n = 0;
    int rc = named && needs ? 0 : weft_err_no_memory(x->err, "a GOAL schedule");
    for (uint32_t i = 0; !rc && i < x->k->ndeps; i++)
        needs[x->k->deps[i].op] = needs[x->k->deps[i].on] = true;
    for (uint32_t i = 0; !rc && i < x->k->nops; i++) {
        const char *name = x->et->nodes[i].name;
        if (!*name) {
            good = good && !needs[i];
            continue;
        }
        good = good && is_label(name);
        x->k->ops[i].label = weft_arena_strdup(x->g->arena, name);
        rc = x->k->ops[i].label ? 0 : weft_err_no_memory(x->err, "a GOAL schedule");
        named[n++] = &x->k->ops[i];
    }
    if (!rc && n)
        qsort(named, n, sizeof(void *), by_label);
    for (uint32_t i = 1; !rc && i < n; i++)
        good = good && by_label(&named[i - 1], &named[i]) != 0;
    for (uint32_t i = 0; !rc && !good && i < x->k->nops; i++)
        x->k->ops[i].label = NULL;
    free(named);
    free(needs);
    return rc;
}

static int read_nodes(struct in *x, struct weft_goal_notes *notes)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < x->k->nops; i++) {
        struct id *twice;
        x->ids[i].id = x->et->nodes[i].id;
        x->ids[i].op = i;
        HASH_FIND(hh, x->table, &x->ids[i].id, sizeof x->ids[i].id, twice);
        if (twice)
            return goal_chakra_refuse(x, &x->et->nodes[i], "its id is used twice");
        HASH_ADD(hh, x->table, id, sizeof x->ids[i].id, &x->ids[i]);
        rc = x->ids[i].lost ? weft_err_no_memory(x->err, "a GOAL schedule")
                            : goal_chakra_operation(x, &x->et->nodes[i], &x->k->ops[i], notes);
    }
    for (uint32_t i = 0; !rc && i < x->k->nops; i++)
        rc = dependencies(x, i);
    return rc ? rc : keep_labels(x);
}

int weft_goal_from_et(struct weft_goal *g, uint32_t rank, const struct weft_et *et,
                      struct weft_goal_notes *notes, struct weft_err *err)
{
    struct in x = {.g = g, .et = et, .k = &g->ranks[rank], .err = err};
    if (et->nnodes > WEFT_GOAL_OPS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "a trace of %zu nodes is too long", et->nnodes);
    x.k->nops = (uint32_t)et->nnodes;
    x.k->ops = weft_arena_calloc(g->arena, et->nnodes, sizeof *x.k->ops);
    x.ids = calloc(et->nnodes + 1, sizeof *x.ids);
    int rc = x.k->ops && x.ids ? read_nodes(&x, notes) : weft_err_no_memory(err, "a GOAL schedule");
    struct weft_goal_dep *deps = x.k->deps;
    x.k->deps = rc ? NULL : weft_arena_calloc(g->arena, x.k->ndeps, sizeof *deps);
    if (!rc && !x.k->deps)
        rc = weft_err_no_memory(err, "a GOAL schedule");
    if (!rc && x.k->ndeps)
        memcpy(x.k->deps, deps, x.k->ndeps * sizeof *deps);
    HASH_CLEAR(hh, x.table);
    free(deps);
    free(x.ids);
    return rc;
}
