/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How an NPU's time is spent.
 *
 * Exposed communication is time with communication in progress and nothing running. Whatever ends a
 * stretch of it says what it waited for. A message: first for the sender (or, in a collective, one
 * that the sender had to hear from) to come to the operation, then for the sender to be able to
 * send, then for the network as long as that takes alone, then for what delayed it (base/delay.h).
 * A cost that is over: for that cost. With several communications in progress a stretch lasts until
 * the first of them gets on.
 */
#include "system/system_internal.h"

#include "base/fetch.h"

/* Exposed time was spent with `kind` until `until_ps`, and with the next part after that. */
struct part {
    enum weft_cause kind;
    int64_t until_ps;
};

/* Divides exposed time from..now, which ended because a (NULL: nobody) got on, among the causes. */
static void expose(struct weft_rank_result *r, struct weft_active *a, int64_t from_ps,
                   int64_t now_ps, const struct part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t to_ps = i + 1 == n || parts[i].until_ps > now_ps ? now_ps : parts[i].until_ps;
        if (to_ps <= from_ps)
            continue;
        r->exposed_ps[parts[i].kind] += to_ps - from_ps;
        a->exposed_ps[parts[i].kind] += to_ps - from_ps;
        from_ps = to_ps;
    }
    r->exposed_ps[WEFT_CAUSE_OPEN] += now_ps - from_ps;
}

/* weft_npu_account() when a (NULL: none) gets on; @p parts: what exposed communication waited for
 * until then, in order; the last one holds until now. n 0: not known. */
static void account(struct weft_npu *npu, struct weft_active *a, int64_t now_ps,
                    const struct part *parts, size_t n)
{
    int64_t dt = now_ps - npu->counted_ps;
    struct weft_rank_result *r = &npu->result;
    int busy = npu->accelerator.running || npu->cpus_busy || npu->memory.running;
    if (dt == 0)
        return;
    if (npu->communicating && !busy)
        expose(r, a, npu->counted_ps, now_ps, parts, n);
    npu->counted_ps = now_ps;
    if (npu->accelerator.running)
        r->compute_ps += dt;
    if (npu->cpus_busy)
        r->cpu_ps += dt;
    if (npu->communicating)
        r->comm_ps += dt;
    if (npu->communicating && !busy)
        r->exposed_comm_ps += dt;
    if (!npu->communicating && !busy)
        r->idle_ps += dt;
}

void weft_npu_account(struct weft_npu *npu, int64_t now_ps)
{
    account(npu, NULL, now_ps, NULL, 0);
}

/* Writes what a message was on its way for, one after the other: WEFT_WAY_PARTS of them. Returns
 * how long it would have taken alone. */
#define WEFT_WAY_PARTS (1 + WEFT_DELAYS)
static int64_t way_parts(const struct weft_completion *done, struct part *parts)
{
    int64_t alone_ps = done->received_ps - done->post_ps;
    for (int k = 0; k < WEFT_DELAYS; k++)
        alone_ps -= done->delay_ps[k];
    parts[0] = (struct part){WEFT_CAUSE_NETWORK, done->post_ps + alone_ps};
    for (int k = 0; k < WEFT_DELAYS; k++)
        parts[1 + k] = (struct part){(enum weft_cause)(WEFT_CAUSE_DELAY + k),
                                     parts[k].until_ps + done->delay_ps[k]};
    return alone_ps;
}

/* A message has come in. How long it would have taken alone. */
static int64_t account_arrival(struct weft_active *a, const struct weft_causal_path *causal_path,
                               const struct weft_completion *done, int64_t now_ps)
{
    struct part parts[2 + WEFT_WAY_PARTS] = {
        {WEFT_CAUSE_PEER, causal_path ? causal_path->latest_ps : 0},
        {a->coll ? WEFT_CAUSE_DEPENDENCY : WEFT_CAUSE_NETWORK, done->post_ps}};
    const int64_t alone_ps = way_parts(done, parts + 2);
    account(a->npu, a, now_ps, parts, sizeof parts / sizeof parts[0]);
    return alone_ps;
}

void weft_npu_received_in_worker(struct weft_active *a, const struct weft_causal_path *causal_path,
                                 const struct weft_completion *done)
{
    account_arrival(a, causal_path, done, done->received_ps);
}

void weft_npu_arrival(struct weft_active *a, const struct weft_causal_path *causal_path,
                      const struct weft_completion *done)
{
    struct weft_npu *npu = a->npu;
    weft_fetch(weft_active_op(a), sizeof(struct weft_op)); /* for the next message */
    const int64_t alone_ps = account_arrival(a, causal_path, done, weft_now_ps(npu->sys));
    struct weft_causal_path *t =
        weft_causal_path_arrived(npu, causal_path, alone_ps, done->delay_ps);
    if (t && t->latest_ps < a->ready_ps)
        t->latest_ps = a->ready_ps;
    weft_causal_path_enter(npu, t, a->op);
}

void weft_npu_acked(struct weft_active *a, const struct weft_completion *done)
{
    const int64_t now_ps = weft_now_ps(a->npu->sys);
    struct part parts[WEFT_WAY_PARTS + 1] = {
        [WEFT_WAY_PARTS] = {WEFT_CAUSE_NETWORK, now_ps}}; /* the way of the ACK */
    const int64_t alone_ps = way_parts(done, parts);
    account(a->npu, a, now_ps, parts, sizeof parts / sizeof parts[0]);
    struct weft_causal_path *t = weft_causal_path_arrived(
        a->npu, a->causal_path, alone_ps + now_ps - done->received_ps, done->delay_ps);
    weft_causal_path_drop(a->npu->sys, a->causal_path);
    weft_causal_path_enter(a->npu, t, a->op);
}

void weft_npu_timer(struct weft_active *a, struct weft_causal_path *t)
{
    const struct part parts[] = {{WEFT_CAUSE_ENDPOINT, t->endpoint_ps}, {WEFT_CAUSE_REDUCE, 0}};
    account(a->npu, a, weft_now_ps(a->npu->sys), parts, 2);
    weft_causal_path_enter(a->npu, t, a->op);
}
