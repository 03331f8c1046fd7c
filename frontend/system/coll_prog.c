/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter of collective programs (collective/collective.h) over net.h messages.
 *
 * A receive is taken in for the endpoint delay (and the reduction) before what depends on it goes
 * on; receives do not wait for each other.
 *
 * A message's tag names the collective, the chunk, the phase and the receive instruction that takes
 * it, so that nothing that is in flight at once can be mixed up, however messages interleave. A
 * message that comes before its receive is posted waits in npu->early.
 */
#include "system/coll_lanes.h"

#include "base/fetch.h"

#include <stdbool.h>

/* Host that a message from a peer comes from; the switches' come as if from the own one. */
static uint32_t sender_of(const struct weft_prog *p, uint32_t peer)
{
    return peer == WEFT_COLL_SWITCHES ? p->npu->rank : weft_prog_rank(p, peer);
}

/* --- instructions --- */

static void coll_prog_advance(struct weft_prog *p);

static void end_instr(struct weft_prog *p, uint64_t arg)
{
    weft_prog_mark_done(p, &p->lane[arg >> p->sys->instr_bits],
                        arg & ((UINT64_C(1) << p->sys->instr_bits) - 1));
    coll_prog_advance(p);
}

static void cost_over(void *ctx, uint64_t arg)
{
    struct weft_causal_path *t = ctx;
    struct weft_prog *p = t->ctx;
    struct weft_npu *npu = p->npu;
    if (npu->sys->err.code)
        return;
    weft_npu_timer(p->active, t);
    end_instr(p, arg);
    weft_causal_path_leave(npu);
}

/* Calls fn with the causal_path of the costs when they are over. */
static void after_costs(struct weft_prog *p, uint32_t lane, uint64_t i, int64_t endpoint_ps,
                        int64_t reduce_ps, void (*fn)(void *ctx, uint64_t arg))
{
    struct weft_causal_path *t =
        weft_causal_path_timer(p->npu, p->active->op, endpoint_ps, reduce_ps, p);
    if (t)
        weft_system_after(p->sys, weft_sum_ps(endpoint_ps, reduce_ps), fn, t,
                          (uint64_t)lane << p->sys->instr_bits | i);
}

/* Ends instruction i after its costs. Returns 1 when it has ended at once. */
static int end_after(struct weft_prog *p, uint32_t lane, uint64_t i, int64_t endpoint_ps,
                     int64_t reduce_ps)
{
    if (endpoint_ps + reduce_ps == 0) {
        weft_prog_mark_done(p, &p->lane[lane], i);
        return 1;
    }
    after_costs(p, lane, i, endpoint_ps, reduce_ps, cost_over);
    return 0;
}

/* A pair of an all-to-all-v with nothing to say, which both ends know. */
static int nothing_to_say(const struct weft_prog *p, uint64_t bytes)
{
    return p->call.pairs && p->call.pairs->local && bytes == 0;
}

/* Delay until the worker of a lane has done an instruction whose message is here now. */
static int64_t worked_ps(const struct weft_prog *p, struct weft_prog_lane *l,
                         const struct weft_coll_instr *in)
{
    const int64_t now_ps = weft_now_ps(p->sys);
    const int64_t here_ps =
        in->proxy_ps ? weft_sum_ps(now_ps, weft_proxy_ps(p->npu, now_ps, in)) : now_ps;
    const int64_t begin_ps = in->overlaps ? here_ps - in->busy_ps : here_ps;
    l->free_ps = weft_sum_ps(l->free_ps > begin_ps ? l->free_ps : begin_ps, in->busy_ps);
    return weft_sum_ps(l->free_ps - now_ps, in->after_ps);
}

/* The message of receive i is here. Returns 1 when it has been taken in at no cost. */
static int coll_prog_take_in(struct weft_prog *p, uint32_t lane, uint64_t i,
                             const struct weft_coll_instr *in)
{
    struct weft_system *s = p->sys;
    int64_t endpoint_ps = s->p->endpoint_delay_ps, reduce_ps = 0;
    if (s->p->receive_overhead_ps)
        endpoint_ps += weft_receive_overhead_ps(p->npu, weft_now_ps(s));
    if (in->charged || (in->action == WEFT_COLL_RECV_REDUCE && in->free_pct < 100)) {
        const uint64_t bytes = weft_prog_bytes(p, lane, i, in);
        reduce_ps = weft_reduce_ps(s->p, weft_coll_added_bytes(in, bytes));
        p->reduce_ps += reduce_ps;
    }
    if (in->busy_ps || in->after_ps || in->proxy_ps)
        endpoint_ps = weft_sum_ps(endpoint_ps, worked_ps(p, &p->lane[lane], in));
    return end_after(p, lane, i, endpoint_ps, reduce_ps);
}

/* Counts a message that is posted now. */
static void note_post(struct weft_prog *p, uint64_t bytes)
{
    const struct weft_system *s = p->sys;
    p->messages++;
    p->bytes += bytes;
    if (p->posted_ps) {
        if (*p->posted_ps < 0)
            *p->posted_ps = weft_now_ps(s);
        p->posted_ps = NULL;
    }
}

/* Takes part in an operation of the switches. */
static void contribute(struct weft_prog *p, const struct weft_coll_instr *in, uint64_t bytes)
{
    const uint32_t island = p->ops->island ? p->ops->island(&p->call) : p->call.n;
    const uint32_t member = p->position % island;
    struct weft_part part = {
        .group = p->net_group->id,
        .member = member,
        .bytes = bytes,
        .tag = weft_prog_tag(p, in->peer_lane, in->peer_instr),
        .from = in->from,
        .to = in->to,
    };
    note_post(p, weft_coll_gives(in, member) ? bytes : 0);
    weft_joint_post(p->npu, p->active->op, p->net_group, island, &part);
}

static void coll_prog_post(struct weft_prog *p, const struct weft_coll_instr *in, uint64_t bytes)
{
    struct weft_system *s = p->sys;
    struct weft_err err = {0};
    if (in->action == WEFT_COLL_SWITCH) {
        contribute(p, in, bytes);
        return;
    }
    struct weft_msg msg;
    weft_prog_message(p, in, bytes, &msg);
    note_post(p, bytes);
    msg.token.object = weft_causal_path_take(p->npu, p->active->op);
    if (s->net->ops->send(s->net, &msg, &err))
        weft_system_fail(s, &err);
}

/* A message that waited for its receive has been posted. */
static void message_over(struct weft_prog *p)
{
    p->left--;
    coll_prog_advance(p);
}

/* A message that started with a latency is posted. */
static void latency_over(void *ctx, uint64_t arg)
{
    struct weft_causal_path *t = ctx;
    struct weft_prog *p = t->ctx;
    struct weft_npu *npu = p->npu;
    struct weft_coll_instr in;
    const uint32_t lane = (uint32_t)(arg >> p->sys->instr_bits);
    const uint64_t i = arg & ((UINT64_C(1) << p->sys->instr_bits) - 1);
    if (npu->sys->err.code)
        return;
    weft_npu_timer(p->active, t);
    weft_prog_instr(p, lane, i, &in);
    coll_prog_post(p, &in, weft_prog_bytes(p, lane, i, &in));
    message_over(p);
    weft_causal_path_leave(npu);
}

/* Posts a message, or has it posted later; nothing but the end of the program waits for that. */
static void start_message(struct weft_prog *p, uint32_t lane, uint64_t i,
                          const struct weft_coll_instr *in, uint64_t bytes)
{
    if (p->sys->p->send_latency_ps == 0) {
        coll_prog_post(p, in, bytes);
        return;
    }
    p->left++; /* for the message */
    after_costs(p, lane, i, p->sys->p->send_latency_ps, 0, latency_over);
}

/* The NPU has got round to injecting a message. */
static void injected(void *ctx, uint64_t arg)
{
    struct weft_causal_path *t = ctx;
    struct weft_prog *p = t->ctx;
    struct weft_npu *npu = p->npu;
    struct weft_coll_instr in;
    uint32_t lane = (uint32_t)(arg >> p->sys->instr_bits);
    uint64_t i = arg & ((UINT64_C(1) << p->sys->instr_bits) - 1);
    if (npu->sys->err.code)
        return;
    weft_npu_timer(p->active, t);
    weft_prog_instr(p, lane, i, &in);
    const uint64_t bytes = weft_prog_bytes(p, lane, i, &in);
    start_message(p, lane, i, &in, bytes);
    if (in.action == WEFT_COLL_SEND && weft_coll_needs_grant(p->sys, &in, bytes))
        message_over(p);
    else
        end_instr(p, arg);
    weft_causal_path_leave(npu);
}

/* Posts the message of a send instruction. Returns 0 when the NPU gets round to that later. */
static int inject(struct weft_prog *p, uint32_t lane, uint64_t i, const struct weft_coll_instr *in,
                  uint64_t bytes)
{
    const int64_t now_ps = weft_now_ps(p->sys);
    int64_t wait_ps = weft_inject_ps(p->npu, now_ps, bytes);
    if (in->proxy_ps)
        wait_ps = weft_sum_ps(wait_ps, weft_proxy_ps(p->npu, now_ps, in));
    if (wait_ps)
        after_costs(p, lane, i, wait_ps, 0, injected);
    else
        start_message(p, lane, i, in, bytes);
    return wait_ps == 0;
}

/* A send instruction (lane and number, as in a tag) may post its message. */
static void granted(struct weft_prog *p, uint64_t instr)
{
    const uint32_t lane = (uint32_t)(instr >> p->sys->instr_bits);
    const uint64_t i = instr & ((UINT64_C(1) << p->sys->instr_bits) - 1);
    struct weft_coll_instr in;
    weft_prog_instr(p, lane, i, &in);
    if (inject(p, lane, i, &in, weft_prog_bytes(p, lane, i, &in)))
        message_over(p);
}

static void coll_prog_issue(struct weft_prog *p, uint32_t lane, uint64_t i,
                            const struct weft_coll_instr *in)
{
    struct weft_system *s = p->sys;
    uint64_t bytes;
    switch (in->action) {
    case WEFT_COLL_SWITCH:
    case WEFT_COLL_SEND:
        bytes = weft_prog_bytes(p, lane, i, in);
        if (in->action == WEFT_COLL_SEND && weft_coll_needs_grant(s, in, bytes)) {
            p->left++; /* for the message */
            if (weft_coll_rendezvous_send(p, in->granted, (uint64_t)lane << s->instr_bits | i,
                                          weft_prog_rank(p, in->peer),
                                          weft_prog_tag(p, in->peer_lane, in->peer_instr)) &&
                inject(p, lane, i, in, bytes))
                p->left--;
            weft_prog_mark_done(p, &p->lane[lane], i);
        } else if (nothing_to_say(p, bytes) || inject(p, lane, i, in, bytes)) {
            weft_prog_mark_done(p, &p->lane[lane], i);
        }
        break;
    case WEFT_COLL_RECV:
    case WEFT_COLL_RECV_REDUCE:
        if ((in->granted || s->coll_rendezvous_bytes) && in->peer != WEFT_COLL_SWITCHES &&
            weft_coll_needs_grant(s, in, weft_prog_bytes(p, lane, i, in)))
            weft_coll_rendezvous_recv(p, in->granted, weft_prog_rank(p, in->peer),
                                      weft_prog_tag(p, lane, i));
        else if (p->call.pairs && nothing_to_say(p, weft_prog_bytes(p, lane, i, in)))
            weft_prog_mark_done(p, &p->lane[lane], i);
        else if (p->npu->early.n &&
                 weft_u64map_take(&p->npu->early, weft_prog_tag(p, lane, i), NULL))
            coll_prog_take_in(p, lane, i, in);
        break;
    case WEFT_COLL_COPY:
        end_after(p, lane, i, 0, weft_copy_ps(s->p, weft_prog_bytes(p, lane, i, in)));
        break;
    case WEFT_COLL_ADD:
        end_after(p, lane, i, 0, weft_reduce_ps(s->p, weft_prog_bytes(p, lane, i, in)));
        break;
    case WEFT_COLL_COMPUTE:
        end_after(p, lane, i, in->busy_ps ? worked_ps(p, &p->lane[in->peer_lane], in) : 0,
                  in->duration_ps);
        break;
    default:
        end_after(p, lane, i, 0, 0);
        break;
    }
}

static bool may_issue(const struct weft_prog *p, const struct weft_coll_instr *in)
{
    if (in->dep == WEFT_COLL_DEP_NONE)
        return true;
    const struct weft_prog_lane *l = &p->lane[in->dep_lane];
    return in->dep == WEFT_COLL_DEP_UPTO ? l->prefix > in->dep_instr
                                         : weft_prog_is_done(l, in->dep_instr);
}

/* Issues what can be issued; ends the program when all is done. */
static void coll_prog_advance(struct weft_prog *p)
{
    int again = 1;
    while (again && p->left) {
        again = 0;
        for (uint32_t k = 0; k < p->nlanes; k++) {
            struct weft_prog_lane *l = &p->lane[k];
            while (l->issued < l->count && p->sys->err.code == 0) {
                struct weft_coll_instr in;
                weft_prog_instr(p, k, l->issued, &in);
                if (!may_issue(p, &in))
                    break;
                l->issued++;
                coll_prog_issue(p, k, l->issued - 1, &in);
                again = p->nlanes > 1; /* another lane may wait for it */
            }
        }
    }
    if (p->left == 0 && p->sys->err.code == 0)
        p->finished(p);
}

void weft_prog_start(struct weft_prog *p)
{
    p->running = 1;
    coll_prog_advance(p);
}

/* The open program with this key, or NULL. Messages mostly come in for the same one. */
static struct weft_prog *find_prog(struct weft_npu *npu, uint64_t key)
{
    void *found;
    if (npu->recent && npu->recent->key == key)
        return npu->recent;
    if (!weft_u64map_get(&npu->progs, key, &found))
        return NULL;
    npu->recent = found;
    return found;
}

void weft_prog_received(struct weft_npu *npu, const struct weft_completion *done)
{
    const struct weft_msg *msg = &done->msg;
    /* with a thousand ranks none of this is in the caches: fetched together, it comes together */
    weft_fetch(npu, sizeof *npu);
    weft_fetch(msg->token.object, sizeof(struct weft_causal_path));
    weft_fetch(npu->recent, sizeof *npu->recent);
    struct weft_system *s = npu->sys;
    const bool sum = msg->kind == WEFT_MSG_PART; /* its joint goes when all parts are over */
    struct weft_causal_path *t = sum ? NULL : weft_token_causal_path(done);
    uint64_t i = msg->tag & ((UINT64_C(1) << s->instr_bits) - 1);
    uint64_t lane = msg->tag >> s->instr_bits & ((UINT64_C(1) << s->lane_bits) - 1);
    struct weft_prog *p = find_prog(npu, msg->tag >> s->instr_bits >> s->lane_bits);
    if (p)
        weft_fetch(p->active, sizeof *p->active);
    if (p && p->running && lane < p->nlanes && i < p->lane[lane].issued) {
        struct weft_coll_instr in;
        weft_prog_instr(p, (uint32_t)lane, i, &in);
        if ((in.action != WEFT_COLL_RECV && in.action != WEFT_COLL_RECV_REDUCE) ||
            sender_of(p, in.peer) != msg->src)
            weft_prog_fail(p, WEFT_E_INTERNAL, "a message came from the wrong rank");
        if (sum)
            weft_joint_arrival(p->active, done);
        else
            weft_npu_arrival(p->active, t, done);
        if (coll_prog_take_in(p, (uint32_t)lane, i, &in))
            coll_prog_advance(p);
        weft_causal_path_leave(npu);
    } else if (weft_u64map_put(&npu->early, msg->tag, NULL)) {
        weft_npu_no_memory(npu, "early messages");
    }
    weft_causal_path_let_go(npu, t);
}

void weft_prog_control(struct weft_npu *npu, const struct weft_completion *done)
{
    uint64_t instr;
    struct weft_prog *p = weft_coll_rendezvous_control(npu, done, &instr);
    if (p)
        granted(p, instr);
    weft_causal_path_leave(npu);
}
