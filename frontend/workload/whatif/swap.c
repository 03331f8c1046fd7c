/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * swap: tensors go out to memory and come back. Computations load what they need and store what
 * they made; communication goes by way of memory: the sender stores, a message of a few bytes says
 * that it is there, the receiver loads.
 */
#include "workload/whatif/edit.h"
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

struct swap {
    struct weft_select select;
    uint64_t load_bytes, store_bytes, token_bytes;
};

static const struct weft_param params[] = {
    {WEFT_ROW_SIZE(struct swap, load_bytes, "load", "0B", NULL, NULL),
     .help = "of computations: bytes to be loaded before each; 0: nothing is loaded"},
    {WEFT_ROW_SIZE(struct swap, store_bytes, "store", "0B", NULL, NULL),
     .help = "of computations: bytes to be stored after each; 0: nothing is stored"},
    {WEFT_ROW_SIZE(struct swap, token_bytes, "token", "8B", "1B", NULL),
     .help = "of messages, whose bytes go through memory: most that the network still carries"},
    WEFT_SELECT_OP(struct swap),
    {WEFT_ROW_ENUM(struct swap, select.kind, "kind", "compute", WEFT_SELECT_KINDS),
     .help = "compute: computations load and store; message: messages go through memory"},
    {WEFT_ROW_SIZE(struct swap, select.over_bytes, "over", "0B", NULL, NULL),
     .help = "messages of more bytes than this"},
    {WEFT_ROW_STRING(struct swap, select.ranks, "ranks", ""),
     .help = "computations of these ranks, messages between them, such as 0,4-7; empty: all",
     .list = &weft_ranges_form},
};

static int start(struct weft_transform *t, struct weft_err *err)
{
    const struct swap *p = t->params;
    if (p->select.kind != WEFT_SELECT_COMPUTE && p->select.kind != WEFT_SELECT_MESSAGE)
        return weft_err_set(err, WEFT_E_INPUT, "kind must be compute or message");
    if (p->select.kind == WEFT_SELECT_COMPUTE && !p->load_bytes && !p->store_bytes)
        return weft_err_set(err, WEFT_E_INPUT, "neither load nor store is given");
    return weft_select_check(&p->select, t->ranks_in, err);
}

/* A load or store of so many bytes before or after node i. */
static int access_memory(struct weft_edit *e, uint32_t i, bool before, int32_t type, uint64_t bytes,
                         struct weft_err *err)
{
    const char *suffix = type == WEFT_ET_MEM_LOAD_NODE ? ".swap-in" : ".swap-out";
    struct weft_et_node *more =
        (before ? weft_edit_before : weft_edit_after)(e, i, type, suffix, err);
    if (!more || weft_node_set_bool(more, e->arena, "is_cpu_op", false, err))
        return err->code;
    return weft_node_set_u64(more, e->arena, "tensor_size", bytes, err);
}

static uint64_t token(const void *ctx, uint64_t bytes)
{
    const struct swap *p = ctx;
    return bytes < p->token_bytes ? bytes : p->token_bytes;
}

static int swap_node(const struct swap *p, struct weft_edit *e, uint32_t i, struct weft_err *err)
{
    struct weft_et_node *node = &e->et->nodes[i];
    const uint64_t bytes = weft_node_bytes(node);
    int rc = 0;
    if (node->type == WEFT_ET_COMP_NODE) {
        if (p->load_bytes)
            rc = access_memory(e, i, true, WEFT_ET_MEM_LOAD_NODE, p->load_bytes, err);
        return rc || !p->store_bytes
                   ? rc
                   : access_memory(e, i, false, WEFT_ET_MEM_STORE_NODE, p->store_bytes, err);
    }
    rc = node->type == WEFT_ET_COMM_SEND_NODE
             ? access_memory(e, i, true, WEFT_ET_MEM_STORE_NODE, bytes, err)
             : access_memory(e, i, false, WEFT_ET_MEM_LOAD_NODE, bytes, err);
    return rc ? rc : weft_node_map_bytes(node, e->arena, token, p, err);
}

/* A message belongs to those chosen when both of its ends do. */
static bool chosen(const struct swap *p, const struct weft_et_node *node)
{
    const bool send = node->type == WEFT_ET_COMM_SEND_NODE;
    if (!weft_select_node(&p->select, node))
        return false;
    return node->type == WEFT_ET_COMP_NODE ||
           weft_select_rank(&p->select,
                            (uint32_t)weft_node_u64(node, send ? "comm_dst" : "comm_src", 0));
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct swap *p = t->params;
    struct weft_edit e = {0};
    if (!weft_select_rank(&p->select, rank))
        return 0;
    int rc = weft_edit_start(&e, et, arena, err);
    for (uint32_t i = 0; !rc && i < e.n; i++)
        if (chosen(p, &et->nodes[i])) {
            rc = swap_node(p, &e, i, err);
            t->touched++;
        }
    if (!rc)
        rc = weft_edit_finish(&e, err);
    weft_edit_end(&e);
    return rc;
}

const struct weft_transform_ops weft_transform_swap = {
    .name = "swap",
    .title =
        "tensors swapped out to memory and in again, around computations or instead of messages",
    .source = "Li et al., Harmony, PVLDB 15(11), 2022",
    .params = WEFT_PARAM_TABLE(params, struct swap),
    .start = start,
    .apply = apply,
};
