/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making a trace in memory. Arrays grow by doubling inside the arena, which at most doubles
 * what they need.
 */
#include "workload/et_build.h"

#include <string.h>

/** Makes room for one more element of an array in the arena. */
static void *et_build_grow(struct weft_et_build *b, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t want = *cap ? *cap * 2 : 4;
    void *p = weft_arena_calloc(b->arena, want, size);
    if (!p) {
        b->out_of_memory = true;
        return array;
    }
    if (n > 0)
        memcpy(p, array, n * size);
    *cap = want;
    return p;
}

static const char *et_build_copy(struct weft_et_build *b, const char *s)
{
    const char *p = weft_arena_strdup(b->arena, s);
    b->out_of_memory = b->out_of_memory || !p;
    return p ? p : "";
}

void weft_et_build_start(struct weft_et_build *b, struct weft_arena *arena)
{
    *b = (struct weft_et_build){.arena = arena};
    b->et = weft_arena_alloc(arena, sizeof *b->et);
    struct weft_et_attr *made_by = weft_arena_alloc(arena, sizeof *made_by);
    if (!b->et || !made_by) {
        b->out_of_memory = true;
        return;
    }
    b->et->version = "0.0.4";
    *made_by = (struct weft_et_attr){
        .name = WEFT_ET_GENERATOR,
        .doc = "",
        .kind = WEFT_ET_STRING,
        .value.text = {.data = WEFT_ET_GENERATOR_WEFT, .len = strlen(WEFT_ET_GENERATOR_WEFT)}};
    b->et->attrs = made_by;
    b->et->nattrs = 1;
}

void weft_et_build_node(struct weft_et_build *b, uint64_t id, enum weft_et_node_type type,
                        const char *name, uint64_t duration_us)
{
    if (b->out_of_memory)
        return;
    b->et->nodes =
        et_build_grow(b, b->et->nodes, b->et->nnodes, &b->node_cap, sizeof *b->et->nodes);
    if (b->out_of_memory)
        return;
    b->node = &b->et->nodes[b->et->nnodes++];
    *b->node = (struct weft_et_node){.id = id,
                                     .name = et_build_copy(b, name),
                                     .type = type,
                                     .duration_us = duration_us,
                                     .offset = -1};
    b->node->inputs = b->node->outputs = (struct weft_et_io){false, "", "", ""};
    b->attr_cap = b->ctrl_cap = b->data_cap = 0;
}

static void add_dep(struct weft_et_build *b, const uint64_t **list, size_t *n, size_t *cap,
                    uint64_t id)
{
    uint64_t *p = et_build_grow(b, (uint64_t *)(uintptr_t)*list, *n, cap, sizeof *p);
    if (b->out_of_memory)
        return;
    p[(*n)++] = id;
    *list = p;
}

void weft_et_build_ctrl_dep(struct weft_et_build *b, uint64_t id)
{
    if (!b->out_of_memory)
        add_dep(b, &b->node->ctrl_deps, &b->node->nctrl_deps, &b->ctrl_cap, id);
}

void weft_et_build_data_dep(struct weft_et_build *b, uint64_t id)
{
    if (!b->out_of_memory)
        add_dep(b, &b->node->data_deps, &b->node->ndata_deps, &b->data_cap, id);
}

static struct weft_et_attr *add_attr(struct weft_et_build *b, const char *name,
                                     enum weft_et_kind kind)
{
    if (b->out_of_memory)
        return NULL;
    b->node->attrs =
        et_build_grow(b, b->node->attrs, b->node->nattrs, &b->attr_cap, sizeof *b->node->attrs);
    if (b->out_of_memory)
        return NULL;
    struct weft_et_attr *a = &b->node->attrs[b->node->nattrs++];
    a->name = et_build_copy(b, name);
    a->doc = "";
    a->kind = kind;
    return a;
}

void weft_et_build_int(struct weft_et_build *b, const char *name, enum weft_et_kind kind,
                       int64_t value)
{
    struct weft_et_attr *a = add_attr(b, name, kind);
    if (!a)
        return;
    if (weft_et_kind_class(kind) == WEFT_ET_CLASS_SIGNED)
        a->value.i64 = value;
    else
        a->value.u64 = kind == WEFT_ET_BOOL ? value != 0 : (uint64_t)value;
}

/* A list attribute of the newest node with room for @p n values; NULL when out of memory. */
static union weft_et_scalar *add_list(struct weft_et_build *b, const char *name,
                                      enum weft_et_kind kind, size_t n)
{
    struct weft_et_attr *a = add_attr(b, name, WEFT_ET_LIST(kind));
    union weft_et_scalar *values = a ? weft_arena_calloc(b->arena, n, sizeof *values) : NULL;
    b->out_of_memory = b->out_of_memory || !values;
    if (!values)
        return NULL;
    a->values = values;
    a->nvalues = n;
    return values;
}

void weft_et_build_sizes(struct weft_et_build *b, const char *name, const uint64_t *sizes, size_t n)
{
    union weft_et_scalar *values = add_list(b, name, WEFT_ET_INT64, n);
    for (size_t i = 0; values && i < n; i++)
        values[i].i64 = (int64_t)sizes[i];
}

void weft_et_build_bools(struct weft_et_build *b, const char *name, const bool *list, size_t n)
{
    union weft_et_scalar *values = add_list(b, name, WEFT_ET_BOOL, n);
    for (size_t i = 0; values && i < n; i++)
        values[i].u64 = list[i];
}

static void et_build_string(struct weft_et_build *b, const char *name, const char *value)
{
    struct weft_et_attr *a = add_attr(b, name, WEFT_ET_STRING);
    if (!a)
        return;
    a->value.text.data = et_build_copy(b, value);
    a->value.text.len = strlen(value);
}

void weft_et_build_coll(struct weft_et_build *b, uint64_t id, const char *name, int comm_type,
                        uint64_t bytes, const char *group)
{
    weft_et_build_node(b, id, WEFT_ET_COMM_COLL_NODE, name, 0);
    weft_et_build_int(b, "is_cpu_op", WEFT_ET_BOOL, 0);
    weft_et_build_int(b, "comm_type", WEFT_ET_INT64, comm_type);
    weft_et_build_int(b, "comm_size", WEFT_ET_INT64, (int64_t)bytes);
    if (*group)
        et_build_string(b, "pg_name", group);
}

void weft_et_build_message(struct weft_et_build *b, uint64_t id, enum weft_et_node_type type,
                           const char *name, uint64_t bytes, uint32_t peer, uint32_t tag)
{
    weft_et_build_node(b, id, type, name, 0);
    weft_et_build_int(b, "is_cpu_op", WEFT_ET_BOOL, 0);
    weft_et_build_int(b, "comm_size", WEFT_ET_INT64, (int64_t)bytes);
    weft_et_build_int(b, type == WEFT_ET_COMM_SEND_NODE ? "comm_dst" : "comm_src", WEFT_ET_INT32,
                      peer);
    weft_et_build_int(b, "comm_tag", WEFT_ET_INT32, tag);
}

void weft_et_build_comp(struct weft_et_build *b, uint64_t id, const char *name,
                        uint64_t duration_us)
{
    weft_et_build_node(b, id, WEFT_ET_COMP_NODE, name, duration_us);
    weft_et_build_int(b, "is_cpu_op", WEFT_ET_BOOL, 0);
}

int weft_et_build_finish(struct weft_et_build *b, struct weft_et **out, struct weft_err *err)
{
    if (b->out_of_memory)
        return weft_err_no_memory(err, "a trace");
    *out = b->et;
    return 0;
}
