/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stall report: what each unfinished rank waits for. The only place that looks at several ranks
 * at once.
 */
#include "system/coll.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct text {
    char s[512];
    size_t n;
};

static void explain_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void explain_add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int w = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
    va_end(ap);
    t->n += w > 0 ? (size_t)w : 0;
    if (t->n >= sizeof t->s)
        t->n = sizeof t->s - 1;
}

static void add_name(struct text *t, const struct weft_op *op)
{
    explain_add(t, "'%s' (node %" PRIu64 ")", op->name, op->id);
}

/* ", which ..." about an op of another rank. */
static void add_other(struct text *t, const struct weft_npu *npu, uint32_t i, const char *what)
{
    const uint64_t id = npu->dag->ops[i].id;
    switch (npu->state[i].phase) {
    case WEFT_OP_WAITS:
        explain_add(t, ", which has not issued %s (node %" PRIu64 ": %u parents unfinished)", what,
                    id, npu->state[i].parents_left);
        break;
    case WEFT_OP_ACTIVE:
        explain_add(t, ", which is in %s too (node %" PRIu64 ")", what, id);
        break;
    default:
        explain_add(t, ", which has finished %s (node %" PRIu64 ")", what, id);
        break;
    }
}

static void explain_coll(struct text *t, const struct weft_active *a)
{
    const struct weft_system *s = a->npu->sys;
    const struct weft_op *op = weft_active_op(a);
    struct weft_coll_wait wait;
    weft_coll_waits_for(a->coll, &wait);
    explain_add(t, "waits in %s ", weft_coll_kind_name(op->coll));
    add_name(t, op);
    if (wait.peer == UINT32_MAX && wait.held_by) {
        explain_add(t, ": chunk %" PRIu64 " of %" PRIu64 " lets ", wait.chunk, wait.chunks);
        add_name(t, weft_active_op(wait.held_by));
        explain_add(t, " go first");
        return;
    }
    if (wait.peer == UINT32_MAX) {
        explain_add(t, ": chunk %" PRIu64 " of %" PRIu64 " is about to begin", wait.chunk,
                    wait.chunks);
        return;
    }
    if (wait.peer == a->npu->rank)
        explain_add(t, " for the switches, which have all parts");
    else
        explain_add(t, " for rank %u", wait.peer);
    explain_add(t, ": chunk %" PRIu64 " of %" PRIu64 ", ", wait.chunk, wait.chunks);
    if (wait.phases > 1)
        explain_add(t, "phase %u of %u, ", wait.phase, wait.phases);
    explain_add(t, "step %" PRIu64, wait.step);
    if (wait.peer == a->npu->rank)
        return;
    const struct weft_npu *peer = &s->npus[wait.peer];
    for (uint32_t i = 0; i < peer->dag->nops; i++)
        if (peer->dag->ops[i].kind == WEFT_OP_COLL &&
            peer->state[i].instance == a->npu->state[a->op].instance) {
            add_other(t, peer, i, "it");
            return;
        }
}

/* What the peer of a SEND or RECV makes of its own end, called `what`. */
static void add_partner(struct text *t, const struct weft_active *a, const char *what)
{
    const struct weft_op *op = weft_active_op(a);
    const struct weft_npu *peer = &a->npu->sys->npus[op->peer];
    enum weft_op_kind kind = op->kind == WEFT_OP_SEND ? WEFT_OP_RECV : WEFT_OP_SEND;
    for (uint32_t i = 0; i < peer->dag->nops; i++) {
        struct weft_op own;
        const struct weft_op *other = weft_dag_op(peer->dag, i, &own);
        if (other->kind == kind && other->peer == a->npu->rank && other->tag == op->tag &&
            peer->state[i].phase != WEFT_OP_DONE) {
            add_other(t, peer, i, what);
            return;
        }
    }
    explain_add(t, ", which has no such %s left", what + strlen("that "));
}

static void explain_recv(struct text *t, const struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    char size[WEFT_UNIT_TEXT_MAX];
    explain_add(t, "waits in recv ");
    add_name(t, op);
    explain_add(t, " for %s from ", weft_format_size(op->bytes, size));
    if (op->any & WEFT_ANY_PEER)
        explain_add(t, "any rank");
    else
        explain_add(t, "rank %u", op->peer);
    if (op->any & WEFT_ANY_TAG)
        explain_add(t, " with any tag");
    else
        explain_add(t, " with tag %" PRId64, op->tag);
    if (!op->any)
        add_partner(t, a, "that send");
}

static void explain_active(struct text *t, const struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    char size[WEFT_UNIT_TEXT_MAX];
    switch (op->kind) {
    case WEFT_OP_COLL:
        explain_coll(t, a);
        break;
    case WEFT_OP_RECV:
        explain_recv(t, a);
        break;
    case WEFT_OP_SEND:
        explain_add(t, "waits in send ");
        add_name(t, op);
        explain_add(t, " of %s to rank %u with tag %" PRId64 ": ",
                    weft_format_size(op->bytes, size), op->peer, op->tag);
        if (a->start_ps < 0) {
            explain_add(t, "rendezvous with that rank");
            add_partner(t, a, "that receive");
        } else {
            explain_add(t, "not delivered yet");
        }
        break;
    default:
        explain_add(t, a->start_ps < 0 ? "has queued " : "runs ");
        add_name(t, op);
        break;
    }
}

static void explain_waiting(struct text *t, const struct weft_npu *npu)
{
    for (uint32_t i = 0; i < npu->dag->nops; i++)
        if (npu->state[i].phase == WEFT_OP_WAITS) {
            explain_add(t, "has not issued ");
            add_name(t, &npu->dag->ops[i]);
            explain_add(t, ": %u of %u parents unfinished", npu->state[i].parents_left,
                        npu->dag->ops[i].nparents);
            return;
        }
}

uint32_t weft_system_explain(const struct weft_system *s, uint32_t max, weft_net_explain_fn fn,
                             void *ctx)
{
    uint32_t unfinished = 0;
    for (uint32_t r = 0; r < s->w->nranks; r++) {
        const struct weft_npu *npu = &s->npus[r];
        if (npu->done == npu->dag->nops)
            continue;
        if (unfinished++ >= max)
            continue;
        struct text t = {.n = 0};
        uint64_t more = 0;
        explain_add(&t, "rank %u ", r);
        if (npu->first_active)
            explain_active(&t, npu->first_active);
        else
            explain_waiting(&t, npu);
        for (const struct weft_active *a = npu->first_active; a && a->next; a = a->next)
            more++;
        if (more)
            explain_add(&t, "; %" PRIu64 " more of its operations are in progress", more);
        fn(ctx, t.s);
    }
    return unfinished;
}
