/* SPDX-License-Identifier: GPL-2.0-only */
/* From an MSCCL XML file to lanes of instructions; see msccl.c. */
#include "base/file.h"
#include "base/xml.h"
#include "collective/msccl.h"
#include "collective/nccl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Most chunks of a buffer, and GPUs. */
#define LIMIT INT64_C(1048576)
/* Most threadblocks of a GPU: far more than GPUs have multiprocessors. */
#define THREADBLOCKS_MAX 1024u

struct reader {
    struct weft_msccl *m;
    const char *file;
    struct weft_err *err;
    uint64_t temps; /* slots of rrs handed out on the rank being read */
    uint64_t max_temps;
};

static int wrong(const struct reader *r, int64_t line, int64_t col, const char *what)
{
    return weft_err_at(r->err, WEFT_E_INPUT, r->file, line, col, "%s", what);
}

static void *get(const struct reader *r, uint64_t n, size_t size)
{
    void *p = weft_arena_calloc(r->m->arena, n ? n : 1, size);
    if (!p)
        weft_err_set(r->err, WEFT_E_LIMIT, "out of memory for %s", r->file);
    return p;
}

/* An integer attribute from `min` on; `def` when absent (WEFT_E_INPUT when def < min). */
static int get_int(const struct reader *r, const struct weft_xml_elem *e, const char *name,
                   int64_t min, int64_t def, int64_t *out)
{
    const struct weft_xml_attr *a = weft_xml_get(e, name);
    char *rest = NULL;
    *out = def;
    if (!a) {
        if (def >= min)
            return 0;
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, e->line, e->col,
                           "<%s> needs the attribute '%s'", e->name, name);
    }
    const int64_t v = strtoll(a->value, &rest, 10);
    if (rest == a->value || *rest || v < min || v > LIMIT)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, a->line, a->col,
                           "%s=\"%s\" must be a number from %" PRId64 " to %" PRId64, name,
                           a->value, min, LIMIT);
    *out = v;
    return 0;
}

static uint32_t count_children(const struct weft_xml_elem *e, const char *name)
{
    uint32_t n = 0;
    for (const struct weft_xml_elem *c = e->children; c; c = c->next)
        n += strcmp(c->name, name) == 0;
    return n;
}

/* Step types: what is received, what is sent, what is done locally. */
static const struct step_type {
    const char *name;
    bool receives, adds, stores, sends;
    enum weft_coll_action local; /* of those that do neither */
} types[] = {
    {"s", false, false, false, true, WEFT_COLL_NOP},
    {"r", true, false, true, false, WEFT_COLL_NOP},
    {"rcs", true, false, true, true, WEFT_COLL_NOP},
    {"rrc", true, true, true, false, WEFT_COLL_NOP},
    {"rrs", true, true, false, true, WEFT_COLL_NOP},
    {"rrcs", true, true, true, true, WEFT_COLL_NOP},
    {"cpy", false, false, false, false, WEFT_COLL_COPY},
    {"re", false, false, false, false, WEFT_COLL_ADD},
    {"nop", false, false, false, false, WEFT_COLL_NOP},
};

static const struct step_type *find_type(const struct reader *r, const struct weft_xml_elem *e)
{
    const struct weft_xml_attr *a = weft_xml_get(e, "type");
    for (size_t i = 0; a && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, a->value) == 0)
            return &types[i];
    wrong(r, a ? a->line : e->line, a ? a->col : e->col,
          "a step's type must be one of s, r, rcs, rrs, rrc, rrcs, cpy, re, nop");
    return NULL;
}

/* The slots of a step's source or destination. */
static int get_slots(const struct reader *r, uint32_t rank, const struct weft_xml_elem *e,
                     const char *buf_name, const char *off_name, uint64_t cnt, uint64_t *first)
{
    const struct weft_xml_attr *buf = weft_xml_get(e, buf_name);
    const struct weft_msccl_gpu *g = &r->m->gpus[rank];
    static const char names[] = "ios";
    const uint64_t size[] = {g->in_chunks, r->m->outputs_max, g->scratch_chunks};
    int64_t off;
    const char *at = buf && buf->value[0] && !buf->value[1] ? strchr(names, buf->value[0]) : NULL;
    if (!at)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, e->line, e->col,
                           "%s must be i, o or s (input, output, scratch)", buf_name);
    int rc = get_int(r, e, off_name, 0, -1, &off);
    if (!rc && (uint64_t)off + cnt > size[at - names])
        rc = weft_err_at(r->err, WEFT_E_INPUT, r->file, e->line, e->col,
                         "chunks %" PRId64 " to %" PRIu64 " of buffer %c, which has %" PRIu64, off,
                         off + cnt - 1, *at, size[at - names]);
    if (!rc)
        *first =
            weft_msccl_first_slot(r->m, rank, (enum weft_msccl_buffer)(at - names)) + (uint64_t)off;
    return rc;
}

static struct weft_msccl_instr *msccl_read_add(struct weft_msccl_lane *l, uint32_t lane,
                                               enum weft_coll_action action,
                                               const struct weft_xml_elem *e, uint64_t step)
{
    struct weft_msccl_instr *in = &l->instrs[l->n++];
    in->line = e->line;
    in->col = e->col;
    in->in.action = action;
    in->in.step = step;
    if (l->n > 1) {
        in->in.dep = WEFT_COLL_DEP_INSTR;
        in->in.dep_lane = lane;
        in->in.dep_instr = l->n - 2;
    }
    return in;
}

/* Waits for a step, which is looked up later; what came before in its own threadblock is over
 * first. */
static void msccl_read_wait_for(struct weft_msccl_lane *l, uint32_t lane, uint32_t other,
                                uint64_t step, const struct weft_xml_elem *e)
{
    if (l->n > 0)
        msccl_read_add(l, lane, WEFT_COLL_NOP, e, l->nsteps);
    struct weft_msccl_instr *nop = msccl_read_add(l, lane, WEFT_COLL_NOP, e, l->nsteps);
    nop->in.dep = WEFT_COLL_DEP_UPTO;
    nop->in.dep_lane = other;
    nop->in.dep_instr = step;
    nop->names_step = true;
}

static int read_step(struct reader *r, uint32_t rank, uint32_t lane, const struct weft_xml_elem *e)
{
    struct weft_msccl_gpu *g = &r->m->gpus[rank];
    struct weft_msccl_lane *l = &g->lanes[lane];
    int64_t s, cnt = 0, depid, deps;
    uint64_t src = 0, dst = 0;
    const struct step_type *t = find_type(r, e);
    if (!t)
        return WEFT_E_INPUT;
    const bool moves = t->receives || t->sends || t->local != WEFT_COLL_NOP;
    int rc = get_int(r, e, "s", 0, -1, &s);
    if (!rc && (uint64_t)s != l->nsteps)
        rc = wrong(r, e->line, e->col, "steps must be numbered 0, 1, 2 ... in order");
    if (!rc)
        rc = get_int(r, e, "depid", -1, -1, &depid);
    if (!rc)
        rc = get_int(r, e, "deps", -1, -1, &deps);
    if (!rc && moves)
        rc = get_int(r, e, "cnt", 1, 0, &cnt);
    if (!rc && moves && !(t->receives && !t->adds))
        rc = get_slots(r, rank, e, "srcbuf", "srcoff", (uint64_t)cnt, &src);
    if (!rc && moves && (t->stores || t->local != WEFT_COLL_NOP))
        rc = get_slots(r, rank, e, "dstbuf", "dstoff", (uint64_t)cnt, &dst);
    if (rc)
        return rc;
    if ((t->receives && l->recv < 0) || (t->sends && l->send < 0))
        return wrong(r, e->line, e->col, "its threadblock has no peer for that");
    if (depid >= 0)
        msccl_read_wait_for(l, lane, (uint32_t)depid, (uint64_t)(deps < 0 ? 0 : deps), e);
    if (t->receives) {
        struct weft_msccl_instr *in = msccl_read_add(
            l, lane, t->adds ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV, e, (uint64_t)s);
        if (!t->stores) {
            dst = r->m->scratch_first + r->m->scratch_max + r->temps;
            r->temps += (uint64_t)cnt;
        }
        in->in.peer = (uint32_t)l->recv;
        in->in.nblocks = (uint64_t)cnt;
        in->in.first_block = dst;
        in->in.source = src;
        in->in.has_source = t->adds && src != dst;
        src = dst; /* what is sent on */
    }
    if (t->sends) {
        struct weft_msccl_instr *in = msccl_read_add(l, lane, WEFT_COLL_SEND, e, (uint64_t)s);
        in->in.peer = (uint32_t)l->send;
        in->in.nblocks = (uint64_t)cnt;
        in->in.first_block = src;
    }
    if (!t->receives && !t->sends) {
        struct weft_msccl_instr *in = msccl_read_add(l, lane, t->local, e, (uint64_t)s);
        in->in.nblocks = (uint64_t)cnt;
        in->in.first_block = dst;
        in->in.source = src;
    }
    l->last[l->nsteps++] = l->n - 1;
    return 0;
}

/* Room for the instructions and steps of a threadblock. */
static int lane_of(const struct reader *r, struct weft_msccl_lane *l, uint64_t instrs,
                   uint64_t steps)
{
    l->instrs = get(r, instrs, sizeof *l->instrs);
    l->last = get(r, steps, sizeof *l->last);
    return l->instrs && l->last ? 0 : WEFT_E_LIMIT;
}

/* @p copies: lane of the GPU's <copy>s, which come first; 0: there are none. */
static int read_tb(struct reader *r, uint32_t rank, uint32_t lane, uint32_t copies,
                   const struct weft_xml_elem *e)
{
    struct weft_msccl_lane *l = &r->m->gpus[rank].lanes[lane];
    uint32_t steps = count_children(e, "step");
    int64_t id;
    int rc = get_int(r, e, "id", 0, -1, &id);
    if (!rc && id != (int64_t)lane)
        rc = wrong(r, e->line, e->col, "threadblocks must be numbered 0, 1, 2 ... in order");
    if (!rc)
        rc = get_int(r, e, "send", -1, -1, &l->send);
    if (!rc)
        rc = get_int(r, e, "recv", -1, -1, &l->recv);
    if (!rc)
        rc = get_int(r, e, "chan", l->send < 0 && l->recv < 0 ? -1 : 0, 0, &l->channel);
    if (rc)
        return rc;
    if (l->send >= (int64_t)r->m->n || l->recv >= (int64_t)r->m->n || l->send == (int64_t)rank ||
        l->recv == (int64_t)rank)
        return wrong(r, e->line, e->col, "send and recv must be other GPUs of the file");
    l->line = e->line;
    l->col = e->col;
    rc = lane_of(r, l, 1 + 4 * (uint64_t)steps, steps);
    if (!rc && copies > 0)
        msccl_read_wait_for(l, lane, copies, 0, e);
    for (const struct weft_xml_elem *c = e->children; !rc && c; c = c->next)
        rc = strcmp(c->name, "step") == 0
                 ? read_step(r, rank, lane, c)
                 : wrong(r, c->line, c->col, "a threadblock consists of <step>s");
    return rc;
}

/* Sizes of a GPU's buffers. */
static int read_sizes(struct reader *r, uint32_t rank, const struct weft_xml_elem *e)
{
    struct weft_msccl_gpu *g = &r->m->gpus[rank];
    int64_t id, in, out, scratch;
    int rc = get_int(r, e, "id", 0, -1, &id);
    if (!rc && id != (int64_t)rank)
        rc = wrong(r, e->line, e->col, "GPUs must be numbered 0, 1, 2 ... in order");
    if (!rc)
        rc = get_int(r, e, "i_chunks", 0, 0, &in);
    if (!rc)
        rc = get_int(r, e, "o_chunks", 0, 0, &out);
    if (!rc)
        rc = get_int(r, e, "s_chunks", 0, 0, &scratch);
    if (rc)
        return rc;
    g->in_chunks = (uint64_t)in;
    g->out_chunks = (uint64_t)out;
    g->scratch_chunks = (uint64_t)scratch;
    struct weft_msccl *m = r->m;
    m->inputs_max = g->in_chunks > m->inputs_max ? g->in_chunks : m->inputs_max;
    m->outputs_max = g->out_chunks > m->outputs_max ? g->out_chunks : m->outputs_max;
    m->scratch_max = g->scratch_chunks > m->scratch_max ? g->scratch_chunks : m->scratch_max;
    return 0;
}

/* <copy>: chunks of the input that are put into the output before the threadblocks begin. In place,
 * most are there already. */
static int read_copy(struct reader *r, uint32_t rank, uint32_t lane, const struct weft_xml_elem *e)
{
    struct weft_msccl_gpu *g = &r->m->gpus[rank];
    struct weft_msccl_lane *l = &g->lanes[lane];
    int64_t from, to, cnt;
    int rc = get_int(r, e, "i_off", 0, -1, &from);
    if (!rc)
        rc = get_int(r, e, "o_off", 0, -1, &to);
    if (!rc)
        rc = get_int(r, e, "cnt", 1, 1, &cnt);
    if (rc)
        return rc;
    if ((uint64_t)(from + cnt) > g->in_chunks || (uint64_t)(to + cnt) > r->m->outputs_max)
        return weft_err_at(r->err, WEFT_E_INPUT, r->file, e->line, e->col,
                           "the input has %" PRIu64 " chunks, the output %" PRIu64, g->in_chunks,
                           r->m->outputs_max);
    const uint64_t source = weft_msccl_first_slot(r->m, rank, WEFT_MSCCL_INPUT) + (uint64_t)from,
                   slot = weft_msccl_first_slot(r->m, rank, WEFT_MSCCL_OUTPUT) + (uint64_t)to;
    struct weft_msccl_instr *in =
        msccl_read_add(l, lane, source == slot ? WEFT_COLL_NOP : WEFT_COLL_COPY, e, l->nsteps);
    in->in.nblocks = source == slot ? 0 : (uint64_t)cnt;
    in->in.source = source;
    in->in.first_block = slot;
    l->last[0] = l->n - 1; /* all of them are one step */
    l->nsteps = 1;
    return 0;
}

static int read_gpu(struct reader *r, uint32_t rank, const struct weft_xml_elem *e)
{
    struct weft_msccl_gpu *g = &r->m->gpus[rank];
    const uint32_t tbs = count_children(e, "tb"), ncopies = count_children(e, "copy");
    uint32_t tb = 0;
    if (tbs > THREADBLOCKS_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->file, e->line, e->col,
                           "a GPU of %u threadblocks; %u is the limit", tbs, THREADBLOCKS_MAX);
    g->nlanes = tbs + (ncopies > 0 && tbs > 0);
    g->lanes = get(r, g->nlanes, sizeof *g->lanes);
    if (!g->lanes)
        return WEFT_E_LIMIT;
    int rc = 0;
    if (g->nlanes > tbs) { /* their lane is behind the threadblocks, whose numbers stay */
        g->lanes[tbs] = (struct weft_msccl_lane){
            .send = -1, .recv = -1, .channel = -1, .copies = true, .line = e->line, .col = e->col};
        rc = lane_of(r, &g->lanes[tbs], ncopies, 1);
    }
    r->temps = 0;
    for (const struct weft_xml_elem *c = e->children; !rc && c; c = c->next)
        if (strcmp(c->name, "tb") == 0)
            rc = read_tb(r, rank, tb++, g->nlanes > tbs ? tbs : 0, c);
        else if (strcmp(c->name, "copy") != 0)
            rc = wrong(r, c->line, c->col, "a <gpu> consists of <tb>s and <copy>s");
        else if (tbs > 0)
            rc = read_copy(r, rank, tbs, c);
    r->max_temps = r->temps > r->max_temps ? r->temps : r->max_temps;
    return rc;
}

/* Files without one, or with one of their own, are played as Simple. */
static int protocol_of(const struct weft_xml_elem *root)
{
    const struct weft_xml_attr *proto = weft_xml_get(root, "proto");
    return proto && strcmp(proto->value, "LL") == 0      ? WEFT_NCCL_LL
           : proto && strcmp(proto->value, "LL128") == 0 ? WEFT_NCCL_LL128
                                                         : WEFT_NCCL_SIMPLE;
}

static int read_algo(struct reader *r, const struct weft_xml_elem *root)
{
    struct weft_msccl *m = r->m;
    const struct weft_xml_attr *coll = weft_xml_get(root, "coll");
    int64_t inplace, ngpus;
    if (strcmp(root->name, "algo") != 0)
        return wrong(r, root->line, root->col, "an MSCCL file is one <algo>");
    if (!coll || !weft_msccl_kind(coll->value, &m->kind))
        return wrong(r, coll ? coll->line : root->line, coll ? coll->col : root->col,
                     "coll must be one of allreduce, allgather, reduce_scatter, alltoall, "
                     "broadcast, reduce, gather, scatter");
    m->n = count_children(root, "gpu");
    int rc = get_int(r, root, "inplace", 0, 0, &inplace);
    if (!rc)
        rc = get_int(r, root, "ngpus", 1, (int64_t)m->n, &ngpus);
    if (rc)
        return rc;
    m->inplace = inplace != 0;
    m->protocol = protocol_of(root);
    if (m->n == 0 || ngpus != (int64_t)m->n)
        return wrong(r, root->line, root->col, "ngpus must be the number of <gpu>s, at least 1");
    m->gpus = get(r, m->n, sizeof *m->gpus);
    if (!m->gpus)
        return WEFT_E_LIMIT;
    uint32_t g = 0;
    for (const struct weft_xml_elem *e = root->children; !rc && e; e = e->next)
        rc = strcmp(e->name, "gpu") == 0
                 ? read_sizes(r, g++, e)
                 : wrong(r, e->line, e->col, "an <algo> consists of <gpu>s");
    if (!rc)
        rc = weft_msccl_find_parts(m, r->err);
    g = 0;
    for (const struct weft_xml_elem *e = root->children; !rc && e; e = e->next)
        rc = read_gpu(r, g++, e);
    m->slots = m->scratch_first + m->scratch_max + r->max_temps;
    return rc ? rc : weft_msccl_link(m, r->err);
}

int weft_msccl_read(const char *dir, const char *file, struct weft_msccl **out,
                    struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    char *text = NULL;
    size_t len;
    struct weft_xml_elem *root;
    int rc = weft_path_join(path, dir, file, err);
    if (!rc)
        rc = weft_file_read(path, WEFT_XML_MAX_BYTES, &text, &len, err);
    if (rc)
        return rc;
    struct weft_arena *arena = weft_arena_new();
    struct weft_msccl *m = arena ? weft_arena_alloc(arena, sizeof *m) : NULL;
    const bool json = text[strspn(text, " \t\r\n")] == '{';
    if (!m) {
        rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", path);
    } else {
        m->arena = arena;
        m->file_bytes = len;
        m->file = weft_arena_strdup(arena, path);
        m->line = m->col = 1;
        rc = !m->file ? weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", path)
             : json   ? weft_mscclpp_read(text, len, m, err)
                      : weft_xml_parse(text, len, path, arena, &root, err);
    }
    free(text);
    if (!rc && !json) {
        struct reader r = {.m = m, .file = path, .err = err};
        m->line = root->line;
        m->col = root->col;
        rc = read_algo(&r, root);
    }
    if (rc)
        weft_arena_free(arena);
    else
        *out = m;
    return rc;
}
