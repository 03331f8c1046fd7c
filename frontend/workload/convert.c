/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces to a job: order the nodes, find the groups, convert each node, link the dependencies.
 * The conversion of one node is in convert_node.c.
 */
#include "workload/convert_node.h"

#include "base/budget.h"
#include "base/compare.h"
#include "workload/deps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weft_convert *weft_convert_new(uint32_t nranks, const char *groups_file,
                                      struct weft_err *err)
{
    struct weft_convert *c = calloc(1, sizeof *c);
    struct weft_arena *arena = weft_arena_new();
    struct weft_workload *w = arena ? weft_arena_alloc(arena, sizeof *w) : NULL;
    if (!c || !w || !(w->dags = weft_arena_calloc(arena, nranks, sizeof *w->dags))) {
        weft_arena_free(arena);
        free(c);
        weft_err_no_memory(err, "a job");
        return NULL;
    }
    w->arena = arena;
    w->nranks = nranks;
    c->job = w;
    c->elem_bytes = 1;
    c->names = weft_names_new(arena);
    c->groups = weft_groups_new(arena, nranks);
    int rc = c->names && c->groups ? 0 : weft_err_no_memory(err, "a job");
    if (rc == 0 && groups_file && *groups_file)
        rc = weft_groups_load(c->groups, groups_file, err);
    if (rc < 0) {
        weft_convert_free(c);
        return NULL;
    }
    return c;
}

void weft_convert_free(struct weft_convert *c)
{
    if (!c)
        return;
    weft_names_free(c->names);
    weft_groups_free(c->groups);
    weft_workload_free(c->job);
    free(c);
}

/** Ascending id; equal ids in file order, which is the order of the array that both point into. */
static int convert_by_id(const void *a, const void *b)
{
    const struct weft_et_node *x = *(const struct weft_et_node *const *)a;
    const struct weft_et_node *y = *(const struct weft_et_node *const *)b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x > y) - (x < y);
}

/** The nodes in ascending id; a repeated id is an error. Caller frees *out. */
static int sort_nodes(const struct weft_et *et, const struct weft_et_node ***out,
                      struct weft_err *err)
{
    size_t n = et->nnodes;
    bool ascending = true;
    if (n >= UINT32_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "a trace of %zu nodes is over the limit of %" PRIu32,
                            n, UINT32_MAX - 1);
    const struct weft_et_node **sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return weft_err_no_memory(err, "a job");
    for (size_t i = 0; i < n; i++) {
        if (i % WEFT_VISIT_OPS == 0)
            weft_arena_relax(et->arena);
        sorted[i] = &et->nodes[i];
        ascending = ascending && (i == 0 || et->nodes[i - 1].id < et->nodes[i].id);
    }
    *out = sorted;
    if (ascending)
        return 0;
    qsort(sorted, n, sizeof *sorted, convert_by_id);
    for (size_t i = 1; i < n; i++) {
        if (sorted[i - 1]->id != sorted[i]->id)
            continue;
        if (sorted[i - 1]->offset < 0)
            return weft_et_node_err(err, WEFT_E_INPUT, et, sorted[i],
                                    "its id is used twice, first by '%s'", sorted[i - 1]->name);
        return weft_et_node_err(err, WEFT_E_INPUT, et, sorted[i],
                                "its id is used twice, first by '%s' at byte %" PRId64,
                                sorted[i - 1]->name, sorted[i - 1]->offset);
    }
    return 0;
}

int weft_convert_groups(struct weft_groups *groups, const struct weft_et *et, struct weft_err *err)
{
    for (size_t i = 0; i < et->nnodes; i++) {
        const struct weft_et_node *node = &et->nodes[i];
        struct weft_err why = {0};
        if (i % WEFT_VISIT_OPS == 0)
            weft_arena_relax(et->arena);
        if (node->type != WEFT_ET_METADATA_NODE || !node->inputs.present ||
            !strstr(node->name, "process_group:init"))
            continue;
        int rc = weft_groups_add_pytorch(groups, node->inputs.values, &why);
        if (rc < 0)
            return weft_et_node_err(err, rc, et, node, "%s", why.msg);
    }
    return 0;
}

/** Lets go of the memory behind what lies in files. */
static void relax(const struct weft_convert *c)
{
    weft_arena_relax(c->et->arena);
    weft_arena_relax(c->job->arena);
}

void weft_convert_spill(struct weft_convert *c, size_t memory_bytes)
{
    weft_arena_spill(c->job->arena, memory_bytes);
}

/** Holds the memory of the job against the size of the files that it comes from, see
 * chakra_decode.c. */
static int check_budget(struct weft_convert *c, struct weft_err *err)
{
    const uint64_t used = weft_arena_used(c->job->arena);
    c->file_bytes += c->et->file_bytes;
    if (c->et->file_bytes == 0 || used <= weft_budget(c->file_bytes))
        return 0;
    return weft_err_at(err, WEFT_E_LIMIT, c->et->file, 0, 0,
                       "the traces so far, %" PRIu64 " bytes, make a graph of %" PRIu64
                       " MiB, over %u times as much%s",
                       c->file_bytes, used >> 20, (unsigned)WEFT_BUDGET_FACTOR,
                       c->et->gzip ? "; if they are meant to, unpack them with gunzip" : "");
}

/* STG, the symbolic tensor graph generator, says so in an attribute and counts elements. */
static bool counts_elements(const struct weft_et *et)
{
    const struct weft_et_attr *a = weft_et_find_in(et->attrs, et->nattrs, "schema");
    static const char name[] = "symbolic_tensor_network";
    return a && a->kind == WEFT_ET_STRING && a->value.text.len == sizeof name - 1 &&
           memcmp(a->value.text.data, name, a->value.text.len) == 0;
}

/* What sizes count, said for the first file; with its schema, which is that of the job. */
static int note_schema(struct weft_convert *c, const struct weft_et *et, struct weft_err *err)
{
    struct weft_workload *w = c->job;
    const bool older = et->older && *et->older, elements = counts_elements(et);
    c->unit_bytes = elements ? c->elem_bytes : 1;
    if (elements && !w->notes) {
        char note[WEFT_ERR_MSG_MAX];
        snprintf(note, sizeof note,
                 "%.150s: sizes of STG's traces count elements, taken as %" PRIu32
                 " bytes each (chakra.elem-bytes)\n",
                 et->file ? et->file : "trace", c->elem_bytes);
        w->notes = weft_arena_strdup(w->arena, note);
        if (!w->notes)
            return weft_err_no_memory(err, "a job");
    }
    if (w->schema || (!older && !elements && (!et->version || !*et->version)))
        return 0;
    char stg[80];
    snprintf(stg, sizeof stg, "0.0.4 of STG (symbolic_tensor_network), elements of %" PRIu32 " B",
             c->elem_bytes);
    w->schema = weft_arena_strdup(w->arena, elements ? stg : older ? et->older : et->version);
    return w->schema ? 0 : weft_err_no_memory(err, "a job");
}

static const struct weft_param node_algorithm[] = {
    {.name = "node", .type = WEFT_PARAM_U64},
    {.name = "algorithm", .type = WEFT_PARAM_STRING},
};
const struct weft_list_form weft_node_algorithms_form = {
    .like = "NODE:ALGORITHM,..., such as 7:direct,12:chakra:file=all_reduce",
    .fields = node_algorithm,
    .nfields = 2,
    .unique = true,
};

/* Reads a list of algorithms by node. */
static int read_algorithms(struct weft_convert *c, const char *text, struct weft_err *err)
{
    struct weft_list list = {.text = text, .form = &weft_node_algorithms_form};
    struct weft_list_item item;
    size_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == ',';
    c->algorithms = weft_arena_calloc(c->job->arena, n, sizeof *c->algorithms);
    int rc = c->algorithms ? weft_list_next(&list, &item, err) : weft_err_no_memory(err, "a job");
    for (; rc == 1; rc = weft_list_next(&list, &item, err)) {
        struct weft_node_algorithm *a = &c->algorithms[c->nalgorithms++];
        a->id = item.field[0].value.u64;
        a->algorithm = weft_arena_strndup(c->job->arena, item.field[1].text, item.field[1].len);
        if (!a->algorithm)
            return weft_err_no_memory(err, "a job");
    }
    if (rc == 0 && c->nalgorithms)
        qsort(c->algorithms, c->nalgorithms, sizeof *c->algorithms, weft_by_u64);
    return rc;
}

/* Says which nodes were given an algorithm and are no collectives. */
static int note_unused(struct weft_convert *c, struct weft_err *err)
{
    struct weft_workload *w = c->job;
    for (size_t i = 0; i < c->nalgorithms && !c->replay; i++) {
        if (c->algorithms[i].used)
            continue;
        w->notes = weft_arena_printf(
            w->arena,
            "%snode %" PRIu64 " is no collective on any rank: its algorithm, %s, has no "
            "effect (chakra.algorithms)\n",
            w->notes ? w->notes : "", c->algorithms[i].id, c->algorithms[i].algorithm);
        if (!w->notes)
            return weft_err_no_memory(err, "a job");
    }
    return 0;
}

int weft_convert_take_options(struct weft_convert *c, const struct weft_convert_options *o,
                              struct weft_err *err)
{
    c->elem_bytes = o->elem_bytes;
    c->replay = o->replay;
    return o->algorithms && *o->algorithms ? read_algorithms(c, o->algorithms, err) : 0;
}

int weft_convert_rank(struct weft_convert *c, uint32_t rank, const struct weft_et *et,
                      struct weft_err *err)
{
    struct weft_dag *dag = &c->job->dags[rank];
    const struct weft_et_node **sorted = NULL;
    int rc = note_schema(c, et, err);
    rc = rc ? rc : sort_nodes(et, &sorted, err);
    c->rank = rank;
    c->et = et;
    weft_groups_begin_rank(c->groups, rank);
    if (rc == 0)
        rc = weft_convert_groups(c->groups, et, err);
    if (rc == 0) {
        dag->nops = (uint32_t)et->nnodes;
        dag->ops = weft_arena_calloc(c->job->arena, et->nnodes, sizeof *dag->ops);
        rc = dag->ops ? 0 : weft_err_no_memory(err, "a job");
    }
    for (uint32_t i = 0; rc == 0 && i < dag->nops; i++) {
        if (i % WEFT_VISIT_OPS == 0)
            relax(c);
        rc = weft_convert_node(c, sorted[i], &dag->ops[i], err);
    }
    relax(c);
    if (rc == 0)
        rc = weft_deps_link(et, sorted, c->job->arena, dag, err);
    if (rc == 0)
        rc = check_budget(c, err);
    relax(c);
    free(sorted);
    return rc;
}

int weft_convert_finish(struct weft_convert *c, struct weft_workload **out, struct weft_err *err)
{
    int rc = weft_groups_finish(c->groups, c->job, err);
    if (rc == 0)
        rc = note_unused(c, err);
    if (rc == 0) {
        *out = c->job;
        c->job = NULL;
    }
    weft_convert_free(c);
    return rc;
}
