/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ConWeave's last switch: rerouted packets that come before the tail of their epoch wait in a queue
 * of their flow, beside those of the port. They go on when the tail has come, or when it must have
 * been lost: the time at which it was expected and conweave-resume-extra. Expected is the last
 * arrival on the old way, or now if one comes, plus what lay between that packet and the tail at
 * the first switch; with no packet on the old way in this epoch, conweave-resume-default from now.
 */
#include "conweave.h"
#include "core/walk.h"

/* Sends on what is kept. */
static void resume(struct weft_engine *e, struct conweave_flow *f)
{
    f->keeps = false;
    f->seen_tail = true;
    for (uint32_t n = 0; f->kept.head != NIL &&
                         walk_on(e, n, e->pkts.pool.n, "packets kept until others have come");
         n++) {
        const uint32_t i = f->kept.head;
        list_take(&f->kept, pkt_at(e, i));
        e->spread.kept[f->out].bytes -= pkt_at(e, i)->frame;
        e->spread.kept[f->out].payload -= pkt_at(e, i)->payload;
        e->port_ops.release(e, f->out, i);
    }
}

static void arm(struct weft_engine *e, uint32_t qp);

static void due(void *ctx, uint64_t qp)
{
    struct weft_engine *e = ctx;
    struct conweave_flow *f = conweave_flow(e, (uint32_t)qp);
    if (f->armed_ps != e->now)
        return; /* another one stands */
    f->armed_ps = WEFT_NEVER;
    if (f->keeps && f->resume_ps > e->now)
        arm(e, (uint32_t)qp);
    else if (f->keeps)
        resume(e, f);
}

/* Sees to it that a timer is due at f->resume_ps or before. */
static void arm(struct weft_engine *e, uint32_t qp)
{
    struct conweave_flow *f = conweave_flow(e, qp);
    if (f->armed_ps <= f->resume_ps)
        return;
    f->armed_ps = f->resume_ps;
    struct weft_err err = {0};
    if (weft_engine_timer(e, f->resume_ps, due, e, qp, &err))
        engine_fail(e, err.code, "%s", err.msg);
}

/* When the tail is expected, and a little more. */
static int64_t expected_ps(const struct weft_engine *e, const struct conweave_flow *f)
{
    const struct weft_switch_params *p = &e->p.sw;
    if (!f->seen_old)
        return e->now + p->conweave_resume_default_ps + p->conweave_resume_extra_ps;
    const int64_t behind = f->tail_sent_ps - f->old_sent_ps;
    const int64_t at_ps = f->old_came_ps + (behind > 0 ? behind : 0) + p->conweave_resume_extra_ps;
    return at_ps > e->now ? at_ps : e->now;
}

static void answer(const struct weft_engine *e, struct conweave_flow *f,
                   const struct conweave_tag *t)
{
    f->answer_ps = e->now + f->back_ps;
    f->answer_epoch = t->epoch;
    f->clear = t->ask == CONWEAVE_TAIL;
}

/* A packet on the old way. */
static void take_old(struct weft_engine *e, uint32_t qp, const struct conweave_tag *t)
{
    struct conweave_flow *f = conweave_flow(e, qp);
    f->seen_old = true;
    f->old_sent_ps = t->sent_ps;
    f->old_came_ps = e->now;
    if (t->ask == CONWEAVE_TAIL) {
        f->tail_sent_ps = t->tail_ps;
        f->seen_tail = !f->keeps; /* else with the last that is kept */
    }
    if (f->keeps) {
        f->resume_ps = t->ask == CONWEAVE_TAIL ? e->now : expected_ps(e, f);
        arm(e, qp);
    }
}

/* A rerouted packet; whether it waits. */
static bool take_rerouted(struct weft_engine *e, uint32_t qp, uint32_t out,
                          const struct conweave_tag *t)
{
    struct conweave_flow *f = conweave_flow(e, qp);
    f->tail_sent_ps = t->tail_ps;
    if (f->seen_tail || (f->keeps && f->out != out)) /* two leaves: a host with several ports */
        return false;
    if (!f->keeps) {
        f->keeps = true;
        f->out = out;
        f->resume_ps = expected_ps(e, f);
        arm(e, qp);
    }
    return true;
}

bool conweave_keeps(struct weft_engine *e, uint32_t out, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    const struct conweave_tag *t = conweave_tag(e, i);
    if (t->ask == CONWEAVE_UNTAGGED || !path_ends(e, k, out))
        return false;
    struct conweave_flow *f = conweave_flow(e, k->qp);
    if (f->seen_epoch == 0) {
        f->kept = (struct list){NIL, NIL};
        f->armed_ps = WEFT_NEVER;
    }
    if (t->epoch < f->seen_epoch)
        return false;
    if (t->epoch > f->seen_epoch) {
        if (f->keeps) /* the flow has paused for so long that it has begun anew */
            resume(e, f);
        f->seen_epoch = t->epoch;
        f->seen_tail = f->seen_old = false;
    }
    if (k->flags & PKT_CE)
        conweave_note_busy(e, qp_at(e, k->qp), t->path, e->now + f->back_ps);
    if (t->rerouted)
        return take_rerouted(e, k->qp, out, t);
    take_old(e, k->qp, t);
    if (t->ask == CONWEAVE_REQUEST || t->ask == CONWEAVE_TAIL)
        answer(e, f, t);
    return false;
}

void conweave_keep(struct weft_engine *e, uint32_t out, uint32_t i)
{
    struct conweave_flow *f = conweave_flow(e, pkt_at(e, i)->qp);
    list_append(e, &f->kept, pkt_at(e, i), i);
    e->spread.kept[out].bytes += pkt_at(e, i)->frame;
    e->spread.kept[out].payload += pkt_at(e, i)->payload;
}
