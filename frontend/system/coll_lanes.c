/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lanes of a collective program that runs: what is done of each, their begin and end, and what
 * they wait for.
 *
 * Instructions end in any order: those before `prefix` are done, beyond it each has a bit.
 */
#include "system/coll_lanes.h"

#include <stdlib.h>

void weft_prog_fail(struct weft_prog *p, int code, const char *what)
{
    struct weft_err err = {0};
    weft_err_set(&err, code, "rank %u: %s", p->npu->rank, what);
    weft_system_fail(p->sys, &err);
}

/* Makes room for the bits of prefix .. i. */
static int grow_done(struct weft_prog_lane *l, uint64_t i)
{
    uint64_t need = i / 64 - l->prefix / 64 + 1, n = l->nwords;
    if (need <= n)
        return 0;
    while (n < need)
        n *= 2;
    uint64_t *words = calloc(n, sizeof *words);
    if (!words)
        return WEFT_E_LIMIT;
    for (uint64_t w = l->prefix / 64; w < l->prefix / 64 + l->nwords; w++)
        words[w & (n - 1)] = l->done[w & (l->nwords - 1)];
    if (l->done != &l->one_word)
        free(l->done);
    l->done = words;
    l->nwords = n;
    return 0;
}

void weft_prog_message(const struct weft_prog *p, const struct weft_coll_instr *in, uint64_t bytes,
                       struct weft_msg *out)
{
    const struct weft_system *s = p->sys;
    const uint64_t chunk = p->key >> s->phase_bits & ((UINT64_C(1) << s->chunk_bits) - 1);
    *out = (struct weft_msg){
        .src = p->npu->rank,
        .dst = weft_prog_rank(p, in->peer),
        .bytes = weft_coll_wire_bytes(in, bytes),
        .tag = weft_prog_tag(p, in->peer_lane, in->peer_instr),
        .token_type = WEFT_TOKEN_CAUSAL_PATH,
        .deferrable = true,
    };
    weft_classify(&s->classes, weft_active_op(p->active), in->step + in->peer_lane + chunk, out);
    weft_classify_channel(in->channel, out);
}

void weft_prog_mark_done(struct weft_prog *p, struct weft_prog_lane *l, uint64_t i)
{
    p->left--;
    if (grow_done(l, i)) {
        weft_prog_fail(p, WEFT_E_LIMIT, "out of memory for a collective");
        return;
    }
    l->done[(i / 64) & (l->nwords - 1)] |= UINT64_C(1) << (i % 64);
    while (l->prefix < l->issued) {
        uint64_t *word = &l->done[(l->prefix / 64) & (l->nwords - 1)];
        if (!(*word >> (l->prefix % 64) & 1))
            break;
        *word &= ~(UINT64_C(1) << (l->prefix % 64)); /* its place is used again */
        l->prefix++;
    }
}

int weft_prog_open(struct weft_prog *p)
{
    p->nlanes = weft_coll_lanes(p->ops, &p->call, p->position);
    p->lane = p->nlanes == 1 ? &p->one_lane : calloc(p->nlanes, sizeof *p->lane);
    if (!p->lane)
        return WEFT_E_LIMIT;
    p->left = 0;
    p->running = 0;
    p->messages = p->bytes = 0;
    p->reduce_ps = 0;
    for (uint32_t k = 0; k < p->nlanes; k++) {
        struct weft_prog_lane *l = &p->lane[k];
        *l = (struct weft_prog_lane){.count = p->ops->count(&p->call, p->position, k), .nwords = 1};
        l->done = &l->one_word;
        p->left += l->count;
    }
    if (weft_u64map_put(&p->npu->progs, p->key, p)) {
        if (p->lane != &p->one_lane)
            free(p->lane);
        p->lane = NULL;
        return WEFT_E_LIMIT;
    }
    return 0;
}

void weft_prog_close(struct weft_prog *p)
{
    if (!p->lane)
        return;
    weft_u64map_take(&p->npu->progs, p->key, NULL);
    if (p->npu->recent == p)
        p->npu->recent = NULL;
    for (uint32_t k = 0; k < p->nlanes; k++)
        if (p->lane[k].done != &p->lane[k].one_word)
            free(p->lane[k].done);
    if (p->lane != &p->one_lane)
        free(p->lane);
    p->lane = NULL;
}

/* The first rank that has not begun this collective, else the own one. Looks at other ranks: only
 * for the stall report. */
static uint32_t missing(const struct weft_prog *p)
{
    for (uint32_t i = 0; i < p->call.n; i++) {
        uint32_t rank = weft_prog_rank(p, i);
        if (!weft_u64map_get(&p->sys->npus[rank].progs, p->key, NULL))
            return rank;
    }
    return p->npu->rank;
}

int weft_prog_waits_for(const struct weft_prog *p, uint64_t *step, uint32_t *rank)
{
    for (uint32_t k = 0; p->lane && k < p->nlanes; k++) {
        const struct weft_prog_lane *l = &p->lane[k];
        for (uint64_t i = l->prefix; i < l->issued; i++) {
            struct weft_coll_instr in;
            if (weft_prog_is_done(l, i))
                continue;
            weft_prog_instr(p, k, i, &in);
            if (in.action == WEFT_COLL_RECV || in.action == WEFT_COLL_RECV_REDUCE) {
                *step = in.step;
                *rank = in.peer == WEFT_COLL_SWITCHES ? missing(p) : weft_prog_rank(p, in.peer);
                return 1;
            }
        }
    }
    uint64_t instr;
    if (p->lane && weft_coll_rendezvous_pending(p, &instr, rank)) {
        struct weft_coll_instr in;
        weft_prog_instr(p, (uint32_t)(instr >> p->sys->instr_bits),
                        instr & ((UINT64_C(1) << p->sys->instr_bits) - 1), &in);
        *step = in.step;
        return 1;
    }
    return 0;
}
