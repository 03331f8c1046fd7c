/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects the operations that a transform changes. */
#include "workload/whatif/select.h"

#include "base/list.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

/* The ranks of a selection, which its parameter's form has been checked for. */
static struct weft_list ranks_of(const struct weft_select *s)
{
    return (struct weft_list){s->ranks ? s->ranks : "", &weft_ranges_form, 0};
}

int weft_select_start(struct weft_transform *t, struct weft_err *err)
{
    return weft_select_check(t->params, t->ranks_in, err);
}

int weft_select_check(const struct weft_select *s, uint32_t nranks, struct weft_err *err)
{
    struct weft_list list = ranks_of(s);
    struct weft_list_item it;
    int rc;
    while ((rc = weft_list_next(&list, &it, err)) == 1)
        if (it.to >= nranks)
            return weft_err_set(err, WEFT_E_INPUT,
                                "ranks: %.*s is not within the trace's ranks, 0 .. %" PRIu32,
                                (int)it.len, it.text, nranks - 1);
    return rc < 0 ? weft_err_prepend(err, "ranks") : 0;
}

bool weft_select_rank(const struct weft_select *s, uint32_t rank)
{
    struct weft_list list = ranks_of(s);
    struct weft_list_item it;
    if (!*list.text)
        return true;
    while (weft_list_next(&list, &it, NULL) == 1)
        if (it.field[0].value.u64 <= rank && rank <= it.to)
            return true;
    return false;
}

static bool is_kind(int kind, int32_t type)
{
    const bool message = type == WEFT_ET_COMM_SEND_NODE || type == WEFT_ET_COMM_RECV_NODE;
    switch (kind) {
    case WEFT_SELECT_COMPUTE:
        return type == WEFT_ET_COMP_NODE;
    case WEFT_SELECT_MEMORY:
        return type == WEFT_ET_MEM_LOAD_NODE || type == WEFT_ET_MEM_STORE_NODE;
    case WEFT_SELECT_MESSAGE:
        return message;
    case WEFT_SELECT_COLLECTIVE:
        return type == WEFT_ET_COMM_COLL_NODE;
    case WEFT_SELECT_COMMUNICATION:
        return message || type == WEFT_ET_COMM_COLL_NODE;
    default:
        return true;
    }
}

bool weft_select_node(const struct weft_select *s, const struct weft_et_node *node)
{
    char buf[32];
    const bool coll = node->type == WEFT_ET_COMM_COLL_NODE;
    if (!is_kind(s->kind, node->type) || (s->op && fnmatch(s->op, node->name, 0) != 0))
        return false;
    if (coll && s->collective &&
        weft_node_u64(node, "comm_type", UINT64_MAX) != (uint64_t)s->collective - 1)
        return false;
    if (coll && s->group && fnmatch(s->group, weft_node_group(node, buf, sizeof buf), 0) != 0)
        return false;
    return s->over_bytes == 0 || !is_kind(WEFT_SELECT_COMMUNICATION, node->type) ||
           weft_node_bytes(node) > s->over_bytes;
}

uint64_t weft_node_u64(const struct weft_et_node *node, const char *name, uint64_t absent)
{
    const struct weft_et_attr *a = weft_et_find(node, name);
    uint64_t value = 0;
    return a && a->kind != WEFT_ET_NONE && weft_et_attr_u64(a, &value) == 0 ? value : absent;
}

static uint64_t size_at(const struct weft_et_attr *a, size_t i)
{
    const bool sign = weft_et_kind_class(a->kind) == WEFT_ET_CLASS_SIGNED;
    const uint64_t bytes = a->values[i].u64;
    return sign && a->values[i].i64 < 0 ? 0 : bytes;
}

static bool is_sizes(const struct weft_et_attr *a)
{
    const enum weft_et_class c = a ? weft_et_kind_class(a->kind) : WEFT_ET_CLASS_NONE;
    return a && a->kind % 2 == 0 && (c == WEFT_ET_CLASS_SIGNED || c == WEFT_ET_CLASS_UNSIGNED);
}

uint64_t weft_node_bytes(const struct weft_et_node *node)
{
    const struct weft_et_attr *a = weft_et_find(node, "comm_send_sizes");
    uint64_t sum = 0;
    if (!is_sizes(a))
        return weft_node_u64(node, "comm_size", 0);
    for (size_t i = 0; i < a->nvalues; i++)
        sum += size_at(a, i);
    return sum;
}

const char *weft_node_group(const struct weft_et_node *node, char *buf, size_t size)
{
    const struct weft_et_attr *a = weft_et_find(node, "pg_name");
    if (!a || a->kind == WEFT_ET_NONE)
        return "";
    return a->kind == WEFT_ET_STRING ? a->value.text.data : weft_et_attr_format(a, buf, size);
}

/* The attribute of this name, the last one, or a new one without a value; NULL: out of memory. */
static struct weft_et_attr *attr(struct weft_et_node *node, struct weft_arena *arena,
                                 const char *name)
{
    for (size_t i = node->nattrs; i > 0; i--)
        if (strcmp(node->attrs[i - 1].name, name) == 0)
            return &node->attrs[i - 1];
    struct weft_et_attr *more = weft_arena_calloc(arena, node->nattrs + 1, sizeof *more);
    if (!more)
        return NULL;
    if (node->nattrs)
        memcpy(more, node->attrs, node->nattrs * sizeof *more);
    more[node->nattrs] = (struct weft_et_attr){.name = name, .doc = ""};
    node->attrs = more;
    return &more[node->nattrs++];
}

int weft_node_set_u64(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                      uint64_t value, struct weft_err *err)
{
    struct weft_et_attr *a = attr(node, arena, name);
    if (!a)
        return weft_err_no_memory(err, "a trace");
    const enum weft_et_class c = weft_et_kind_class(a->kind);
    if (a->kind % 2 == 0 || (c != WEFT_ET_CLASS_SIGNED && c != WEFT_ET_CLASS_UNSIGNED) ||
        (value > INT32_MAX && (a->kind == WEFT_ET_INT32 || a->kind == WEFT_ET_SINT32 ||
                               a->kind == WEFT_ET_SFIXED32 || a->kind == WEFT_ET_BOOL)) ||
        (value > UINT32_MAX && (a->kind == WEFT_ET_UINT32 || a->kind == WEFT_ET_FIXED32)))
        a->kind = WEFT_ET_INT64;
    if (weft_et_kind_class(a->kind) == WEFT_ET_CLASS_SIGNED)
        a->value.i64 = (int64_t)value;
    else
        a->value.u64 = value;
    return 0;
}

int weft_node_set_bool(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                       bool value, struct weft_err *err)
{
    struct weft_et_attr *a = attr(node, arena, name);
    if (!a)
        return weft_err_no_memory(err, "a trace");
    a->kind = WEFT_ET_BOOL;
    a->value.u64 = value;
    return 0;
}

int weft_node_set_text(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                       const char *value, struct weft_err *err)
{
    struct weft_et_attr *a = attr(node, arena, name);
    const char *copy = weft_arena_strdup(arena, value);
    if (!a || !copy)
        return weft_err_no_memory(err, "a trace");
    a->kind = WEFT_ET_STRING;
    a->value.text.data = copy;
    a->value.text.len = strlen(copy);
    return 0;
}

int weft_node_map_sizes(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                        uint64_t (*fn)(const void *ctx, uint64_t bytes), const void *ctx,
                        struct weft_err *err)
{
    const struct weft_et_attr *old = weft_et_find(node, name);
    if (!is_sizes(old))
        return 0;
    union weft_et_scalar *values = weft_arena_calloc(arena, old->nvalues, sizeof *values);
    struct weft_et_attr *a = attr(node, arena, name);
    if (!values || !a)
        return weft_err_no_memory(err, "a trace");
    for (size_t i = 0; i < a->nvalues; i++)
        values[i].u64 = fn(ctx, size_at(a, i));
    a->values = values;
    a->kind = WEFT_ET_LIST(WEFT_ET_INT64);
    return 0;
}

int weft_node_map_bytes(struct weft_et_node *node, struct weft_arena *arena,
                        uint64_t (*fn)(const void *ctx, uint64_t bytes), const void *ctx,
                        struct weft_err *err)
{
    int rc = weft_node_map_sizes(node, arena, "comm_send_sizes", fn, ctx, err);
    if (!rc)
        rc = weft_node_map_sizes(node, arena, "comm_recv_sizes", fn, ctx, err);
    if (!rc && weft_node_u64(node, "comm_size", UINT64_MAX) != UINT64_MAX)
        rc = weft_node_set_u64(node, arena, "comm_size",
                               fn(ctx, weft_node_u64(node, "comm_size", 0)), err);
    return rc;
}
