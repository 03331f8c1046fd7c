/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Algorithms from MSCCL's XML files (github.com/microsoft/msccl): per GPU, threadblocks of steps.
 *
 * A threadblock is a lane; its steps run one after the other. A step that receives and sends on
 * (rcs, rrs, rrcs) is a receive and a send that waits for it; rrs adds up in a slot of its own, as
 * the GPU does in a register. depid/deps name the last instruction of that step; nop only waits.
 * The k-th send of a threadblock to GPU p on a channel meets the k-th receive of p's threadblock
 * that receives from it on that channel.
 *
 * Slots of a rank: input, output and scratch chunks, then the slots of rrs. With inplace="1" output
 * and input overlap as in NCCL. A file is taken only when the symbolic checker proves that it does
 * what its `coll` says; that run also tells which data each instruction moves, hence how many bytes
 * for any size.
 */
#include "base/budget.h"
#include "collective/checker.h"
#include "collective/msccl.h"
#include "collective/msccl_kernel.h"

#include <stdbool.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

extern const struct weft_coll_ops weft_coll_msccl;

/* A semaphore of MSCCL++. */
#define SIGNAL_BYTES 8u

struct msccl_params {
    const char *file;
    int gpu; /* enum weft_msccl_gpu_kind */
};

static const struct weft_param params[] = {
    {.name = "file",
     .type = WEFT_PARAM_STRING,
     .offset = offsetof(struct msccl_params, file),
     .help = "MSCCL XML file, or MSCCL++ execution plan (JSON)",
     .source = "MSCCL, github.com/microsoft/msccl"},
    {WEFT_ROW_ENUM(struct msccl_params, gpu, "gpu", "none", WEFT_MSCCL_GPU_WORDS),
     .help = "whose threadblocks run an XML file, by the protocol that it names: data goes through "
             "slots at the rate of a threadblock; none: whole chunks at the rate of the links",
     .source = "ROCm/rccl, src/device/msccl_kernel_impl.h"},
};

static const struct weft_msccl *program_of(const struct weft_coll_call *c)
{
    return c->program;
}

static bool msccl_supports(const struct weft_coll_call *c, const char **why)
{
    const struct weft_msccl *m = program_of(c);
    const char *text = NULL;
    if (c->n == 1)
        return true; /* nothing to do */
    if (c->kind != m->kind)
        text = "the MSCCL file is for another collective";
    else if (c->n != m->n)
        text = "the MSCCL file is for another number of GPUs";
    else if (c->pairs)
        text = "an MSCCL file has no sizes that differ from pair to pair";
    else if (weft_coll_has_root(c->kind) && c->root != 0)
        text = "an MSCCL file's root is the first member of the group";
    if (text && why)
        *why = text;
    return text == NULL;
}

static uint64_t msccl_parts(const struct weft_coll_call *c)
{
    return program_of(c)->parts;
}

static uint32_t msccl_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    const struct weft_msccl_gpu *g = &program_of(c)->gpus[rank];
    return c->n == 1 || g->nlanes == 0 ? 1 : g->nlanes;
}

/* The GPU's threadblocks; NULL: whole chunks. The proof is made without parameters. */
static const struct weft_msccl_kernel *kernel_of(const struct weft_coll_call *c)
{
    const struct msccl_params *p = (const struct msccl_params *)c->params;
    return p && p->gpu ? &weft_msccl_kernels[program_of(c)->protocol] : NULL;
}

static uint64_t msccl_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct weft_msccl_gpu *g = &program_of(c)->gpus[rank];
    const struct weft_msccl_kernel *k = kernel_of(c);
    const uint64_t n = c->n == 1 || lane >= g->nlanes ? 0 : g->lanes[lane].n;
    return k ? n * weft_msccl_loops(c, k) * WEFT_MSCCL_PARTS : n;
}

static const struct weft_msccl_instr *instr_at(const struct weft_coll_call *c, uint32_t rank,
                                               uint32_t lane, uint64_t i)
{
    const struct weft_msccl_lane *l = &program_of(c)->gpus[rank].lanes[lane];
    return &l->instrs[i < l->n ? i : i / WEFT_MSCCL_PARTS % l->n];
}

static void msccl_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                        struct weft_coll_instr *out)
{
    const struct weft_msccl_kernel *k = kernel_of(c);
    if (k)
        weft_msccl_kernel_instr(c, k, rank, lane, i, out);
    else
        *out = program_of(c)->gpus[rank].lanes[lane].instrs[i].in;
}

static uint64_t bytes(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i)
{
    const struct weft_msccl_kernel *k = kernel_of(c);
    if (k)
        return weft_msccl_kernel_bytes(c, k, rank, lane, i);
    const struct weft_msccl_instr *in = &program_of(c)->gpus[rank].lanes[lane].instrs[i];
    const bool message = in->in.action == WEFT_COLL_SEND || in->in.action == WEFT_COLL_RECV;
    uint64_t sum = message && in->in.nblocks == 0 ? SIGNAL_BYTES : 0;
    for (uint64_t j = 0; in->blocks && j < in->in.nblocks; j++)
        sum += weft_coll_block_bytes(c, program_of(c)->parts, in->blocks[j]);
    return sum;
}

static int64_t msccl_launch_ps(const struct weft_coll_call *c)
{
    const struct weft_msccl_kernel *k = kernel_of(c);
    return k ? k->launch_ps : 0;
}

static uint64_t msccl_total_bytes(const struct weft_coll_call *c)
{
    return weft_coll_sent_bytes(&weft_coll_msccl, c);
}

static uint64_t slots(const struct weft_coll_call *c)
{
    return program_of(c)->slots;
}

/* Block of chunk k of the input, and where chunk k of the output has to come from. */
static uint64_t input_block(const struct weft_msccl *m, uint32_t rank, uint64_t k)
{
    switch (m->kind) {
    case WEFT_COLL_ALL_GATHER:
    case WEFT_COLL_GATHER:
        return rank * m->parts + k;
    case WEFT_COLL_ALL_TO_ALL:
        return (uint64_t)rank * m->n * m->parts + k;
    case WEFT_COLL_BROADCAST:
    case WEFT_COLL_SCATTER:
        return rank == 0 ? k : WEFT_COLL_NO_BLOCK;
    default:
        return k;
    }
}

static uint64_t output_block(const struct weft_msccl *m, uint32_t rank, uint64_t k)
{
    switch (m->kind) {
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_SCATTER:
        return rank * m->parts + k;
    case WEFT_COLL_ALL_TO_ALL:
        return ((k / m->parts) * m->n + rank) * m->parts + k % m->parts;
    case WEFT_COLL_REDUCE:
    case WEFT_COLL_GATHER:
        return rank == 0 ? k : WEFT_COLL_NO_BLOCK;
    default:
        return k;
    }
}

/* Which chunk of a buffer of @p n chunks lies in a slot; n when there is none. */
static uint64_t chunk_in(const struct weft_msccl *m, uint32_t rank, enum weft_msccl_buffer buffer,
                         uint64_t n, uint64_t slot)
{
    const uint64_t first = weft_msccl_first_slot(m, rank, buffer);
    return slot >= first && slot - first < n ? slot - first : n;
}

static uint64_t start(const struct weft_coll_call *c, uint32_t rank, uint64_t slot)
{
    const struct weft_msccl *m = program_of(c);
    const uint64_t n = m->gpus[rank].in_chunks, k = chunk_in(m, rank, WEFT_MSCCL_INPUT, n, slot);
    return k < n ? input_block(m, rank, k) : WEFT_COLL_NO_BLOCK;
}

static uint64_t end(const struct weft_coll_call *c, uint32_t rank, uint64_t slot)
{
    const struct weft_msccl *m = program_of(c);
    const uint64_t n = m->outputs, k = chunk_in(m, rank, WEFT_MSCCL_OUTPUT, n, slot);
    return k < n ? output_block(m, rank, k) : WEFT_COLL_NO_BLOCK;
}

static bool serves(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    return program_of(c)->gpus[rank].lanes[lane].served;
}

static void name_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                       char *text, size_t size)
{
    const struct weft_msccl_lane *l = &program_of(c)->gpus[rank].lanes[lane];
    const struct weft_msccl_instr *in = instr_at(c, rank, lane, i);
    if (l->served)
        snprintf(text, size,
                 "GPU %u, for operation %" PRIu64 " of GPU %u, threadblock %u (line %" PRId64 ")",
                 rank, in->in.step, l->for_gpu, l->for_tb, in->line);
    else if (program_of(c)->operations)
        snprintf(text, size, "GPU %u, threadblock %u, operation %" PRIu64 " (line %" PRId64 ")",
                 rank, lane, in->in.step, in->line);
    else if (l->copies)
        snprintf(text, size, "GPU %u, copy (line %" PRId64 ")", rank, in->line);
    else
        snprintf(text, size, "GPU %u, threadblock %u, step %" PRIu64 " (line %" PRId64 ")", rank,
                 lane, in->in.step, in->line);
}

static void name_slot(const struct weft_coll_call *c, uint32_t rank, uint64_t slot, char *text,
                      size_t size)
{
    static const char *const names[] = {"input", "output", "scratch"};
    const struct weft_msccl *m = program_of(c);
    const uint64_t chunks[] = {m->gpus[rank].in_chunks, m->outputs_max, m->scratch_max};
    for (int b = 0; b < 3; b++) {
        const uint64_t k = chunk_in(m, rank, (enum weft_msccl_buffer)b, chunks[b], slot);
        if (k < chunks[b]) {
            snprintf(text, size, "chunk %" PRIu64 " of the %s", m->fine ? k / m->fine : k,
                     names[b]);
            return;
        }
    }
    snprintf(text, size, "a register");
}

struct note {
    struct weft_msccl *m;
    bool failed;
};

static void note_block(void *ctx, uint32_t rank, uint32_t lane, uint64_t i, uint64_t j,
                       uint64_t block)
{
    struct note *n = ctx;
    struct weft_msccl_instr *in = &n->m->gpus[rank].lanes[lane].instrs[i];
    if (!in->blocks)
        in->blocks = weft_arena_calloc(n->m->arena, in->in.nblocks, sizeof *in->blocks);
    if (in->blocks)
        in->blocks[j] = block;
    else
        n->failed = true;
}

static void msccl_unload(void *program)
{
    weft_arena_free(((struct weft_msccl *)program)->arena);
}

/* The proof looks at every chunk of every GPU: a short file may name many. *left receives the
 * memory that it may take besides. */
static int check_size(const struct weft_coll_call *call, const struct weft_msccl *m,
                      const char *file, uint64_t *left, struct weft_err *err)
{
    const uint64_t need = weft_coll_trace_memory(&weft_coll_msccl, call),
                   most = weft_budget(m->file_bytes);
    *left = need < most ? most - need : 1;
    if (need <= most)
        return 0;
    return weft_err_set(
        err, WEFT_E_LIMIT,
        "proving %s takes %" PRIu64 " MiB for %u GPUs of %" PRIu64 " chunks each, more than the "
        "%" PRIu64 " MiB that a file of %" PRIu64 " bytes may take: write it with fewer chunks",
        file, (need >> 20), m->n, m->slots, (most >> 20), m->file_bytes);
}

static int msccl_refuse(const struct weft_msccl *m, const struct weft_coll_place *at,
                        const char *why, struct weft_err *err)
{
    const struct weft_msccl_instr none = {.line = m->line, .col = m->col}, *in = &none;
    if (at->known)
        in = &m->gpus[at->rank].lanes[at->lane].instrs[at->instr];
    return weft_err_at(err, WEFT_E_INPUT, m->file, in->line, in->col,
                       "the program does not do what its coll says: %s", why);
}

static int msccl_load(const void *params_of, const char *dir, void **program, struct weft_err *err)
{
    const struct msccl_params *p = (const struct msccl_params *)params_of;
    struct weft_msccl *m = NULL;
    const char *file = p->file;
    int rc = weft_msccl_read(dir, file, &m, err);
    if (!rc && p->gpu && m->operations) {
        rc = weft_err_set(err, WEFT_E_INPUT, "%s is a plan of MSCCL++: gpu= plays XML files alone",
                          file);
        weft_arena_free(m->arena);
    }
    if (rc)
        return rc;
    struct note note = {m, 0};
    struct weft_coll_call call = {.kind = m->kind, .n = m->n, .bytes = m->parts, .program = m};
    struct weft_coll_place at = {0};
    struct weft_err why = {0};
    uint64_t left = 0;
    if (m->n > 1 && (rc = check_size(&call, m, file, &left, err))) {
        msccl_unload(m);
        return rc;
    }
    if (m->n > 1)
        rc = weft_coll_trace_data(&weft_coll_msccl, &call, left, note_block, &note, &at, &why);
    if (rc == WEFT_E_INTERNAL)
        rc = msccl_refuse(m, &at, why.msg, err);
    else if (rc || note.failed)
        rc = weft_err_set(err, WEFT_E_LIMIT,
                          "proving %s takes more than the %" PRIu64 " MiB that a file of %" PRIu64
                          " bytes may take: write it with fewer chunks or threadblocks",
                          file, weft_budget(m->file_bytes) >> 20, m->file_bytes);
    if (rc) {
        msccl_unload(m);
        return rc;
    }
    *program = m;
    return 0;
}

/* Steps, or operations: an instruction may be a part of one, and waits for parts are none. */
static uint64_t msccl_steps_of(const struct weft_msccl *m, const struct weft_msccl_lane *l)
{
    if (!m->operations)
        return l->nsteps;
    uint64_t n = 0;
    for (uint64_t i = 0; i < l->n; i++)
        n += i == 0 || l->instrs[i].line != l->instrs[i - 1].line ||
             l->instrs[i].col != l->instrs[i - 1].col;
    return n;
}

int weft_msccl_info_read(const char *path, struct weft_msccl_info *out, struct weft_err *err)
{
    void *program = NULL;
    const struct msccl_params p = {.file = path};
    int rc = msccl_load(&p, "", &program, err);
    if (rc)
        return rc;
    const struct weft_msccl *m = program;
    *out = (struct weft_msccl_info){
        .kind = m->kind, .gpus = m->n, .plan = m->operations, .inplace = m->inplace};
    for (uint32_t g = 0; g < m->n; g++) {
        uint32_t own = 0;
        for (uint32_t l = 0; l < m->gpus[g].nlanes; l++) {
            const struct weft_msccl_lane *lane = &m->gpus[g].lanes[l];
            own += !lane->served && !lane->copies;
            out->steps += lane->served ? 0 : msccl_steps_of(m, lane);
        }
        out->threadblocks = own > out->threadblocks ? own : out->threadblocks;
    }
    msccl_unload(program);
    return 0;
}

const struct weft_coll_ops weft_coll_msccl = {
    .name = "msccl",
    .title = "a program from an MSCCL XML file, proved when it is read",
    .source = "MSCCL, github.com/microsoft/msccl",
    .params = WEFT_PARAM_TABLE(params, struct msccl_params),
    .supports = msccl_supports,
    .parts = msccl_parts,
    .lanes = msccl_lanes,
    .count = msccl_count,
    .instr = msccl_instr,
    .total_bytes = msccl_total_bytes,
    .load = msccl_load,
    .unload = msccl_unload,
    .launch_ps = msccl_launch_ps,
    .slots = slots,
    .start = start,
    .end = end,
    .bytes = bytes,
    .serves = serves,
    .name_instr = name_instr,
    .name_slot = name_slot,
};
