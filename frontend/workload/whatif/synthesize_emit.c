/* SPDX-License-Identifier: GPL-2.0-only */
/* Iterations drawn from what was learned: see synthesize.h. */
#include "workload/whatif/synthesize.h"

#include "workload/dag.h"
#include "workload/whatif/select.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/** How often each communication of a kinship was emitted. */
struct counter {
    uint64_t kinship, n;
};

/** A rank on its way. */
struct emit {
    const struct synthesize *p;
    const struct weft_profile *profile;
    struct weft_places o;
    struct weft_arena *arena;
    struct weft_et_node *out;
    uint32_t period, iterations, learned;
    uint32_t rank;
    uint64_t skeleton;
    double carry_us;
    struct counter *counters; /* a hash of open addresses */
    uint32_t mask;
};

static uint64_t skeleton(const struct weft_places *o)
{
    uint64_t h = 3;
    for (uint32_t i = 0; i < o->e.n; i++) {
        const struct weft_et_node *node = weft_places_at(o, i);
        h = weft_kin_mix(h, (uint64_t)node->type);
        h = weft_kin_mix(h, weft_node_u64(node, "comm_type", 0));
        h = weft_kin_mix(h, weft_profile_bin((double)node->duration_us));
        h = weft_kin_mix(h, weft_profile_bin((double)weft_node_bytes(node)));
        for (size_t k = 0; k < node->nctrl_deps + node->ndata_deps; k++) {
            const uint32_t d = weft_edit_find(&o->e, weft_places_dep(node, k));
            h = weft_kin_mix(h, d == UINT32_MAX ? 0 : (uint64_t)i - o->place[d]);
        }
    }
    return h;
}

static uint64_t next_of(struct emit *m, uint64_t kin)
{
    uint32_t i = (uint32_t)(kin >> 20) & m->mask;
    while (m->counters[i].n && m->counters[i].kinship != kin)
        i = (i + 1) & m->mask;
    m->counters[i].kinship = kin;
    return m->counters[i].n++;
}

/* The key of communication: the same on all who take part. */
static uint64_t shared_key(struct emit *m, const struct weft_et_node *node)
{
    uint64_t kin = weft_kinship(node);
    if (node->type == WEFT_ET_COMM_SEND_NODE)
        kin = weft_kin_mix(weft_kin_mix(kin, m->rank), weft_node_u64(node, "comm_dst", 0));
    else if (node->type == WEFT_ET_COMM_RECV_NODE)
        kin = weft_kin_mix(weft_kin_mix(kin, weft_node_u64(node, "comm_src", 0)), m->rank);
    return weft_kin_mix(kin, next_of(m, kin));
}

static uint64_t synthesize_emit_draw(const struct emit *m, unsigned quantity, double value,
                                     uint64_t key)
{
    const double x = weft_profile_draw(m->profile, quantity, value, m->p->blur, m->p->seed, key);
    return value > 0 && x < 1 ? 1 : x < 9e18 ? (uint64_t)llround(x) : (uint64_t)9e18;
}

static const char *const kept[] = {"is_cpu_op",      "comm_type", "comm_priority", "pg_name",
                                   "involved_dim",   "comm_root", "comm_dst",      "comm_src",
                                   "comm_algorithm", "comm_tag"};
enum { KEPT = sizeof kept / sizeof kept[0], MORE = 2 };

static void synthesize_emit_keep(struct weft_et_node *to, const struct weft_et_node *from)
{
    for (size_t i = 0; i < KEPT; i++) {
        const struct weft_et_attr *a = weft_et_find(from, kept[i]);
        if (!a)
            continue;
        to->attrs[to->nattrs] = *a;
        to->attrs[to->nattrs++].doc = "";
    }
}

/* Sizes per member, drawn by who sends to whom, of a kinship without sizes as those differ. */
struct per_member {
    const struct emit *m;
    uint64_t key;
};

static uint64_t draw_member(const void *ctx, uint64_t bytes)
{
    const struct per_member *x = ctx;
    /* One key per size: both ends of a pair have the same bytes, and so draw the same. */
    return synthesize_emit_draw(x->m, WEFT_QUANTITY_COLLECTIVE + 6, (double)bytes,
                                weft_kin_mix(x->key, bytes));
}

static int draw_communication(struct emit *m, struct weft_et_node *to,
                              const struct weft_et_node *from, struct weft_err *err)
{
    static const char *const lists[] = {"comm_send_sizes", "comm_recv_sizes"};
    const bool coll = from->type == WEFT_ET_COMM_COLL_NODE;
    const uint64_t kind = weft_node_u64(from, "comm_type", 0);
    const unsigned quantity =
        coll && kind < WEFT_QUANTITY_MESSAGE ? (unsigned)kind : WEFT_QUANTITY_MESSAGE;
    if (weft_et_find(from, "comm_send_sizes")) {
        char buf[32];
        const struct per_member x = {m,
                                     weft_kin_mix_text(7, weft_node_group(from, buf, sizeof buf))};
        for (size_t i = 0; i < 2; i++) {
            const struct weft_et_attr *a = weft_et_find(from, lists[i]);
            if (!a)
                continue;
            to->attrs[to->nattrs] = *a;
            to->attrs[to->nattrs++].doc = "";
            if (weft_node_map_sizes(to, m->arena, lists[i], draw_member, &x, err))
                return err->code;
        }
        return 0;
    }
    const uint64_t key = shared_key(m, from);
    if (weft_node_u64(from, "comm_size", UINT64_MAX) == UINT64_MAX)
        return 0;
    return weft_node_set_u64(
        to, m->arena, "comm_size",
        synthesize_emit_draw(m, quantity, (double)weft_node_u64(from, "comm_size", 0), key), err);
}

static int draw_work(struct emit *m, struct weft_et_node *to, const struct weft_et_node *from,
                     uint64_t key, struct weft_err *err)
{
    const bool comp = from->type == WEFT_ET_COMP_NODE;
    const double work = weft_profile_attr(from, "num_ops"),
                 tensor = weft_profile_attr(from, "tensor_size");
    int rc = 0;
    if (from->duration_us) {
        const double us =
            m->carry_us + weft_profile_draw(m->profile,
                                            comp ? WEFT_QUANTITY_COMPUTE : WEFT_QUANTITY_MEMORY,
                                            (double)from->duration_us, m->p->blur, m->p->seed, key);
        to->duration_us = us > 0 && us < 9e18 ? (uint64_t)llround(us) : 0;
        m->carry_us = us - (double)to->duration_us;
    }
    if (comp && work > 0)
        rc = weft_node_set_u64(
            to, m->arena, "num_ops",
            synthesize_emit_draw(m, WEFT_QUANTITY_WORK, work, weft_kin_mix(key, 1)), err);
    if (!rc && tensor > 0)
        rc = weft_node_set_u64(
            to, m->arena, "tensor_size",
            synthesize_emit_draw(m, WEFT_QUANTITY_TENSOR, tensor, weft_kin_mix(key, 2)), err);
    return rc;
}

/* A name that says the kind alone. */
static const char *kind_name(const struct weft_et_node *node)
{
    static const char *const names[] = {"invalid", "metadata", "load",   "store",
                                        "compute", "send",     "receive"};
    if (node->type == WEFT_ET_COMM_COLL_NODE) {
        const uint64_t kind = weft_node_u64(node, "comm_type", WEFT_COLL_KINDS);
        return kind < WEFT_COLL_KINDS ? weft_coll_kind_name((enum weft_coll_kind)kind)
                                      : "collective";
    }
    return node->type >= 0 && node->type < WEFT_ET_COMM_COLL_NODE ? names[node->type] : "unknown";
}

/* Ids are places in what is emitted: iteration j has the node that is at place k of it, behind the
 * node that joins it to the one before. */
static uint64_t id_of(const struct emit *m, uint64_t j, uint64_t k)
{
    return m->learned > 1 ? j * m->period + k : j * (m->period + 1) + k;
}

/* The dependencies of the node at place k of the learned iteration `from`, as it is in iteration j.
 */
static int copy_deps(struct emit *m, struct weft_et_node *to, const struct weft_et_node *node,
                     uint32_t from, uint64_t j, struct weft_err *err)
{
    const size_t n = node->nctrl_deps + node->ndata_deps;
    uint64_t *deps = weft_arena_calloc(m->arena, n + 1, sizeof *deps);
    if (!deps)
        return weft_err_no_memory(err, "a trace");
    for (size_t i = 0; i < n; i++) {
        const uint32_t d = weft_edit_find(&m->o.e, weft_places_dep(node, i));
        if (d == UINT32_MAX)
            continue;
        const uint32_t back = from - m->o.place[d] / m->period;
        if (back <= j)
            deps[to->ndata_deps++] = id_of(m, j - back, m->o.place[d] % m->period);
    }
    if (to->ndata_deps == 0 && m->learned == 1 && j > 0)
        deps[to->ndata_deps++] = id_of(m, j - 1, m->period); /* the join */
    to->data_deps = deps;
    return 0;
}

static int emit_node(struct emit *m, struct weft_et_node *to, uint32_t from, uint64_t j, uint32_t k,
                     struct weft_err *err)
{
    const struct weft_et_node *node = weft_places_at(&m->o, from * m->period + k);
    *to = (struct weft_et_node){.id = id_of(m, j, k),
                                .name = kind_name(node),
                                .type = node->type,
                                .inputs = {false, "", "", ""},
                                .outputs = {false, "", "", ""},
                                .offset = -1};
    to->attrs = weft_arena_calloc(m->arena, KEPT + MORE, sizeof *to->attrs);
    if (!to->attrs)
        return weft_err_no_memory(err, "a trace");
    synthesize_emit_keep(to, node);
    int rc = copy_deps(m, to, node, from, j, err);
    if (!rc && node->type >= WEFT_ET_COMM_SEND_NODE)
        rc = draw_communication(m, to, node, err);
    else if (!rc)
        rc = draw_work(m, to, node, weft_kin_mix(weft_kin_mix(m->skeleton, j), k), err);
    return rc;
}

/* Waits for all of iteration j that nobody waits for. */
static int emit_join(struct emit *m, struct weft_et_node *to, uint64_t j, struct weft_err *err)
{
    uint8_t *awaited = calloc((size_t)m->period + 1, 1);
    uint64_t *deps = weft_arena_calloc(m->arena, m->period, sizeof *deps);
    *to = (struct weft_et_node){.id = id_of(m, j, m->period),
                                .name = "iteration",
                                .type = WEFT_ET_METADATA_NODE,
                                .data_deps = deps,
                                .inputs = {false, "", "", ""},
                                .outputs = {false, "", "", ""},
                                .offset = -1};
    for (uint32_t k = 0; awaited && k < m->period; k++) {
        const struct weft_et_node *node = weft_places_at(&m->o, k);
        for (size_t i = 0; i < node->nctrl_deps + node->ndata_deps; i++) {
            const uint32_t d = weft_edit_find(&m->o.e, weft_places_dep(node, i));
            if (d != UINT32_MAX)
                awaited[m->o.place[d]] = 1;
        }
    }
    for (uint32_t k = 0; deps && awaited && k < m->period; k++)
        if (!awaited[k])
            deps[to->ndata_deps++] = id_of(m, j, k);
    const bool ok = deps && awaited;
    free(awaited);
    return ok ? 0 : weft_err_no_memory(err, "a trace");
}

static int emit_all(struct emit *m, size_t *n, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t j = 0; !rc && j < m->iterations; j++) {
        const uint32_t from = j < m->learned   ? j
                              : m->learned > 1 ? 1 + (j - 1) % (m->learned - 1)
                                               : 0;
        for (uint32_t k = 0; !rc && k < m->period; k++)
            rc = emit_node(m, &m->out[(*n)++], from, j, k, err);
        if (!rc && m->learned == 1 && j + 1 < m->iterations)
            rc = emit_join(m, &m->out[(*n)++], j, err);
    }
    return rc;
}

static int emit(struct emit *m, struct weft_et *et, struct weft_err *err)
{
    const uint64_t all = (uint64_t)m->iterations * (m->period + 1);
    uint64_t room = 64;
    size_t n = 0;
    if (all >= UINT32_MAX / 2)
        return weft_err_set(err, WEFT_E_LIMIT, "%" PRIu64 " operations of a rank are too many",
                            all);
    while (room < 2 * (uint64_t)m->o.e.n)
        room *= 2;
    m->mask = (uint32_t)room - 1;
    m->counters = calloc(room, sizeof *m->counters);
    m->out = weft_arena_calloc(m->arena, (size_t)all + 1, sizeof *m->out);
    m->skeleton = skeleton(&m->o);
    const int rc =
        m->counters && m->out ? emit_all(m, &n, err) : weft_err_no_memory(err, "a trace");
    free(m->counters);
    et->nodes = m->out;
    et->nnodes = n;
    return rc;
}

int weft_synthesize_emit(const struct synthesize *p, const struct weft_profile *profile,
                         uint32_t rank, uint32_t learned, struct weft_et *et,
                         struct weft_arena *arena, struct weft_err *err)
{
    struct emit m = {.p = p, .profile = profile, .arena = arena, .rank = rank, .learned = learned};
    int rc = weft_places_start(&m.o, et, err);
    m.period = m.o.e.n / learned;
    m.iterations = p->iterations ? (uint32_t)p->iterations : learned;
    if (!rc && m.period)
        rc = emit(&m, et, err);
    weft_places_end(&m.o);
    return rc;
}
