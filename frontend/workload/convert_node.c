/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One node of a trace to one operation of a graph.
 */
#include "workload/convert_node.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>

enum { VALUE_SHOWN = 48 };

/** What the helpers below need to know to complain. */
struct ctx {
    struct weft_convert *c;
    const struct weft_et_node *node;
    struct weft_err *err;
};

static int missing(const struct ctx *x, const char *name)
{
    return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                            "attribute '%s' is missing; a %s needs it", name,
                            weft_et_node_type_name(x->node->type));
}

static int wrong(const struct ctx *x, const struct weft_et_attr *a, const char *want)
{
    char value[VALUE_SHOWN];
    return weft_et_node_err(
        x->err, WEFT_E_INPUT, x->c->et, x->node, "attribute '%s' is %s (%s), but must be %s",
        a->name, weft_et_attr_format(a, value, sizeof value), weft_et_kind_name(a->kind), want);
}

/** An integer >= 0; *out is left alone when the attribute is absent and not required. */
static int get_u64(const struct ctx *x, const char *name, bool required, uint64_t *out)
{
    const struct weft_et_attr *a = weft_et_find(x->node, name);
    if (!a || a->kind == WEFT_ET_NONE)
        return required ? missing(x, name) : 0;
    return weft_et_attr_u64(a, out) < 0 ? wrong(x, a, "an integer that is not negative") : 0;
}

/** A size: in bytes, or in elements. */
static int get_bytes(const struct ctx *x, const char *name, bool required, uint64_t *out)
{
    const int rc = get_u64(x, name, required, out);
    const uint32_t unit = x->c->unit_bytes;
    if (rc == 0 && *out > UINT64_MAX / unit)
        return weft_et_node_err(x->err, WEFT_E_LIMIT, x->c->et, x->node,
                                "attribute '%s': %" PRIu64 " elements of %" PRIu32
                                " bytes are too many",
                                name, *out, unit);
    *out *= rc == 0 ? unit : 1;
    return rc;
}

static int get_i64(const struct ctx *x, const char *name, int64_t *out)
{
    const struct weft_et_attr *a = weft_et_find(x->node, name);
    if (!a || a->kind == WEFT_ET_NONE)
        return 0;
    return weft_et_attr_i64(a, out) < 0 ? wrong(x, a, "an integer of 64 bits with sign") : 0;
}

/** A tag is a label: a negative one is kept as its two's complement. */
static int get_tag(const struct ctx *x, uint64_t *out)
{
    const struct weft_et_attr *a = weft_et_find(x->node, "comm_tag");
    int64_t i;
    if (!a || a->kind == WEFT_ET_NONE || weft_et_attr_u64(a, out) == 0)
        return 0;
    if (weft_et_attr_i64(a, &i) < 0)
        return wrong(x, a, "an integer");
    *out = (uint64_t)i;
    return 0;
}

static int get_flops(const struct ctx *x, struct weft_op *op)
{
    const struct weft_et_attr *a = weft_et_find(x->node, "num_ops");
    uint64_t u;
    if (!a || a->kind == WEFT_ET_NONE)
        return 0;
    if (a->kind == WEFT_ET_DOUBLE || a->kind == WEFT_ET_FLOAT)
        op->flops = a->value.f64;
    else if (weft_et_attr_u64(a, &u) == 0)
        op->flops = (double)u;
    else
        return wrong(x, a, "a number that is not negative");
    if (!isfinite(op->flops) || op->flops < 0)
        return wrong(x, a, "a finite number that is not negative");
    op->has_flops = true;
    return 0;
}

static int get_duration(const struct ctx *x, struct weft_op *op)
{
    uint64_t us = x->node->duration_us, ps = UINT64_MAX;
    int rc = get_u64(x, "duration_ps", false, &ps);
    if (rc < 0 || ps != UINT64_MAX) {
        op->duration_ps = (int64_t)ps;
        return rc < 0 || ps <= INT64_MAX ? rc
                                         : weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                                            "duration_ps is above 2^63 - 1");
    }
    if (us > (uint64_t)(INT64_MAX / WEFT_PS_PER_US))
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "duration_micros is %" PRIu64 ", but at most %" PRId64
                                " (106 days) can be simulated",
                                us, INT64_MAX / WEFT_PS_PER_US);
    op->duration_ps = (int64_t)us * WEFT_PS_PER_US;
    return 0;
}

/** A rank of the job. */
static int get_peer(const struct ctx *x, const char *name, struct weft_op *op)
{
    uint64_t peer = 0;
    int rc = get_u64(x, name, true, &peer);
    if (rc < 0)
        return rc;
    if (peer >= x->c->job->nranks)
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "%s is rank %" PRIu64 ", but the job's ranks are 0 .. %" PRIu32,
                                name, peer, x->c->job->nranks - 1);
    op->peer = (uint32_t)peer;
    return 0;
}

/** The end of a message that is this rank: absent or right. */
static int check_self(const struct ctx *x, const char *name)
{
    uint64_t self = x->c->rank;
    int rc = get_u64(x, name, false, &self);
    if (rc == 0 && self != x->c->rank)
        rc = weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                              "%s is rank %" PRIu64 ", but this is the trace of rank %" PRIu32,
                              name, self, x->c->rank);
    return rc;
}

/* Whether a receive takes a message of any source, any tag: weft's attributes. */
static int get_any(const struct ctx *x, struct weft_op *op)
{
    uint64_t source = 0, tag = 0;
    int rc = get_u64(x, "any_source", false, &source);
    rc = rc == 0 ? get_u64(x, "any_tag", false, &tag) : rc;
    op->any = (uint8_t)((source ? WEFT_ANY_PEER : 0) | (tag ? WEFT_ANY_TAG : 0));
    return rc;
}

static int convert_node_message(const struct ctx *x, struct weft_op *op)
{
    bool send = op->kind == WEFT_OP_SEND;
    int rc = get_bytes(x, "comm_size", true, &op->bytes);
    if (rc == 0)
        rc = get_peer(x, send ? "comm_dst" : "comm_src", op);
    if (rc == 0)
        rc = check_self(x, send ? "comm_src" : "comm_dst");
    rc = rc == 0 ? get_tag(x, &op->tag) : rc;
    return rc == 0 && !send ? get_any(x, op) : rc;
}

static int convert_node_group(const struct ctx *x, struct weft_op *op)
{
    const struct weft_et_attr *a = weft_et_find(x->node, "pg_name");
    char number[VALUE_SHOWN];
    struct weft_err why = {0};
    uint64_t u;
    const char *name = "";
    if (a && a->kind == WEFT_ET_STRING)
        name = a->value.text.data;
    else if (a && weft_et_attr_u64(a, &u) == 0)
        name = weft_et_attr_format(a, number, sizeof number);
    else if (a && a->kind != WEFT_ET_NONE)
        return wrong(x, a, "a text");
    int rc = weft_groups_find(x->c->groups, name, &op->group, &why);
    return rc < 0 ? weft_et_node_err(x->err, rc, x->c->et, x->node, "%s", why.msg) : 0;
}

/** Bytes per member; *out stays NULL when the attribute is absent. */
static int get_sizes(const struct ctx *x, const char *name, uint32_t n, const uint64_t **out,
                     uint64_t *sum)
{
    const struct weft_et_attr *a = weft_et_find(x->node, name);
    if (!a || a->kind == WEFT_ET_NONE)
        return 0;
    if (a->kind % 2 == 1 || a->nvalues != n)
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "attribute '%s' must be a list of %" PRIu32
                                " sizes, one for each member of the group",
                                name, n);
    uint64_t *sizes = weft_arena_calloc(x->c->job->arena, n, sizeof *sizes);
    if (!sizes)
        return weft_err_no_memory(x->err, "a job");
    *sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct weft_et_attr one = {.name = name, .kind = (enum weft_et_kind)(a->kind - 1)};
        one.value = a->values[i];
        if (weft_et_attr_u64(&one, &sizes[i]) < 0 || sizes[i] > INT64_MAX / n)
            return wrong(x, a, "a list of sizes that are not negative");
        *sum += sizes[i];
    }
    *out = sizes;
    return 0;
}

/** Which dimensions take part; all of them when the attribute is absent. */
static int involved(const struct ctx *x, struct weft_op *op)
{
    const struct weft_et_attr *a = weft_et_find(x->node, "involved_dim");
    uint32_t mask = 0;
    if (!a || a->kind == WEFT_ET_NONE)
        return 0;
    if (a->kind % 2 == 1 || a->nvalues == 0 || a->nvalues > 32)
        return wrong(x, a, "a list of 1 to 32 booleans, one for each dimension");
    for (uint32_t d = 0; d < a->nvalues; d++) {
        struct weft_et_attr one = {.name = a->name, .kind = (enum weft_et_kind)(a->kind - 1)};
        uint64_t takes_part;
        one.value = a->values[d];
        if (weft_et_attr_u64(&one, &takes_part) < 0 || takes_part > 1)
            return wrong(x, a, "a list of 1 to 32 booleans, one for each dimension");
        mask |= (uint32_t)takes_part << d;
    }
    if (mask == 0)
        return wrong(x, a, "true for at least one dimension");
    op->ninvolved = (uint32_t)a->nvalues;
    if (mask != UINT32_MAX >> (32 - a->nvalues))
        op->involved = mask;
    return 0;
}

/** The algorithm that the node is given from outside. */
static void given_algorithm(struct weft_convert *c, struct weft_op *op)
{
    size_t low = 0, high = c->nalgorithms;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (c->algorithms[mid].id < op->id)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == c->nalgorithms || c->algorithms[low].id != op->id)
        return;
    c->algorithms[low].used = true;
    op->algorithm = c->algorithms[low].algorithm;
}

/** What only some collectives have: a root, an algorithm of their own, sizes per pair. */
static int details(const struct ctx *x, struct weft_op *op)
{
    const struct weft_et_attr *a = weft_et_find(x->node, "comm_algorithm");
    uint32_t members = weft_groups_size(x->c->groups, op->group);
    uint64_t root = UINT64_MAX, sent = 0, received = 0;
    if (a && a->kind != WEFT_ET_STRING)
        return wrong(x, a, "a text");
    if (a) {
        op->algorithm = weft_names_get(x->c->names, a->value.text.data);
        if (!op->algorithm)
            return weft_err_no_memory(x->err, "a job");
    }
    int rc = get_u64(x, "comm_root", false, &root);
    if (rc < 0)
        return rc;
    if (root != UINT64_MAX && root >= x->c->job->nranks)
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "comm_root is rank %" PRIu64
                                ", but the job's ranks are 0 .. %" PRIu32,
                                root, x->c->job->nranks - 1);
    given_algorithm(x->c, op);
    op->has_root = root != UINT64_MAX;
    op->root = op->has_root ? (uint32_t)root : 0;
    if (op->coll != WEFT_COLL_ALL_TO_ALL)
        return 0;
    rc = get_sizes(x, "comm_send_sizes", members, &op->send_bytes, &sent);
    if (rc == 0)
        rc = get_sizes(x, "comm_recv_sizes", members, &op->recv_bytes, &received);
    if (rc == 0 && !op->send_bytes != !op->recv_bytes)
        rc = weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                              "comm_send_sizes and comm_recv_sizes must be given together");
    if (rc == 0 && op->send_bytes)
        op->bytes = sent;
    return rc;
}

static int collective(const struct ctx *x, struct weft_op *op)
{
    uint64_t kind = 0;
    int rc = get_u64(x, "comm_type", true, &kind);
    if (rc == 0 && kind >= WEFT_COLL_KINDS)
        rc = weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                              "comm_type %" PRIu64
                              " is not a collective; Chakra defines 0 (all-reduce) .. %d (%s)",
                              kind, WEFT_COLL_KINDS - 1,
                              weft_coll_kind_name((enum weft_coll_kind)(WEFT_COLL_KINDS - 1)));
    if (rc < 0)
        return rc;
    op->coll = (enum weft_coll_kind)kind;
    rc = get_bytes(x, "comm_size",
                   op->coll != WEFT_COLL_BARRIER && !weft_et_find(x->node, "comm_send_sizes"),
                   &op->bytes);
    if (rc == 0)
        rc = get_i64(x, "comm_priority", &op->priority);
    if (rc == 0)
        rc = convert_node_group(x, op);
    if (rc == 0)
        rc = involved(x, op);
    return rc == 0 ? details(x, op) : rc;
}

static int communication(const struct ctx *x, struct weft_op *op)
{
    if (x->node->type == WEFT_ET_COMM_COLL_NODE) {
        op->kind = WEFT_OP_COLL;
        return collective(x, op);
    }
    op->kind = x->node->type == WEFT_ET_COMM_SEND_NODE ? WEFT_OP_SEND : WEFT_OP_RECV;
    return convert_node_message(x, op);
}

/* Whether a node of communication is what a CPU does to start it, as PyTorch's traces have it: it
 * says nothing of a message, and the kernel is a node of its own. */
static bool only_launches(const struct ctx *x)
{
    const struct weft_et_attr *cpu = weft_et_find(x->node, "is_cpu_op");
    uint64_t on;
    return cpu && weft_et_attr_u64(cpu, &on) == 0 && on && !weft_et_find(x->node, "comm_type") &&
           !weft_et_find(x->node, "comm_size");
}

/* A node that takes its recorded duration whatever it does, as ASTRA-sim's replay-only has it. */
static int replayed(const struct ctx *x, struct weft_op *op)
{
    uint64_t cpu = 0;
    int rc = get_u64(x, "is_cpu_op", false, &cpu);
    if (rc == 0)
        rc = get_duration(x, op);
    if (op->duration_ps == 0)
        op->duration_ps = WEFT_PS_PER_NS;
    op->kind = cpu || x->node->type == WEFT_ET_COMP_NODE ? WEFT_OP_COMP
               : x->node->type == WEFT_ET_COMM_RECV_NODE ? WEFT_OP_RECORDED_RECV
               : x->node->type == WEFT_ET_COMM_SEND_NODE || x->node->type == WEFT_ET_COMM_COLL_NODE
                   ? WEFT_OP_RECORDED
                   : WEFT_OP_MEM;
    return rc;
}

static int by_type(const struct ctx *x, struct weft_op *op)
{
    int rc = 0;
    if (x->c->replay && x->node->type >= WEFT_ET_MEM_LOAD_NODE &&
        x->node->type <= WEFT_ET_COMM_COLL_NODE)
        return replayed(x, op);
    switch (x->node->type) {
    case WEFT_ET_METADATA_NODE:
        op->kind = WEFT_OP_META;
        return 0;
    case WEFT_ET_MEM_LOAD_NODE:
    case WEFT_ET_MEM_STORE_NODE:
        op->kind = WEFT_OP_MEM;
        op->store = x->node->type == WEFT_ET_MEM_STORE_NODE;
        rc = get_bytes(x, "tensor_size", x->node->duration_us == 0, &op->tensor_bytes);
        return rc == 0 ? get_duration(x, op) : rc;
    case WEFT_ET_COMP_NODE:
        op->kind = WEFT_OP_COMP;
        rc = get_bytes(x, "tensor_size", false, &op->tensor_bytes);
        if (rc == 0)
            rc = get_flops(x, op);
        return rc == 0 ? get_duration(x, op) : rc;
    case WEFT_ET_COMM_SEND_NODE:
    case WEFT_ET_COMM_RECV_NODE:
    case WEFT_ET_COMM_COLL_NODE:
        if (only_launches(x)) {
            op->kind = WEFT_OP_COMP;
            return get_duration(x, op);
        }
        return communication(x, op);
    case WEFT_ET_INVALID_NODE:
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "it has no type (0, INVALID_NODE)");
    case WEFT_ET_STORAGE_NODE:
    case WEFT_ET_BATCH_NODE:
    case WEFT_ET_CHECKPOINT_NODE:
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "a %s is of Chakra's draft of storage operations, which weft does "
                                "not play: a MEM_LOAD_NODE or MEM_STORE_NODE with duration_micros "
                                "or tensor_size can stand for it, the workloads 'checkpoint' and "
                                "'storage' for traffic to storage",
                                weft_et_node_type_name(x->node->type));
    default:
        return weft_et_node_err(x->err, WEFT_E_INPUT, x->c->et, x->node,
                                "unknown node type %" PRId32
                                "; Chakra defines 1 (METADATA_NODE) .. %d (COMM_COLL_NODE)",
                                x->node->type, WEFT_ET_COMM_COLL_NODE);
    }
}

int weft_convert_node(struct weft_convert *c, const struct weft_et_node *node, struct weft_op *op,
                      struct weft_err *err)
{
    const struct ctx x = {c, node, err};
    uint64_t cpu = 0, unit = 0;
    op->id = node->id;
    op->name = weft_names_get(c->names, node->name);
    if (!op->name)
        return weft_err_no_memory(err, "a job");
    int rc = by_type(&x, op);
    if (rc == 0)
        rc = get_u64(&x, "is_cpu_op", false, &cpu);
    op->cpu = cpu != 0;
    if (rc == 0 && op->cpu && op->kind == WEFT_OP_COMP)
        rc = get_u64(&x, "cpu_index", false, &unit);
    if (rc == 0 && unit > UINT16_MAX)
        rc = weft_et_node_err(err, WEFT_E_INPUT, c->et, node,
                              "cpu_index is %" PRIu64 ", at most 65535", unit);
    op->unit = (uint32_t)unit;
    return rc;
}
