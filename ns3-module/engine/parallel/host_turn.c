/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread's part of a window: its hosts, each up to the event from which on it is held
 * (host_parts.h).
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/grow.h"
#include "core/walk.h"
#include "host_agendas.h"
#include "host_parts_internal.h"
#include "transport/rc.h"
#include "transport/rc_complete.h"
#include "transport/recovery.h"
#include "window_threads.h"
#include "worker.h"
#include "posts.h"

/* Whether the user may be told of a message when the packet at the end of a link arrives. */
static inline bool may_report(const struct weft_engine *e, uint32_t port)
{
    const struct link_end *l = &e->ends[port];
    const struct pkt *k = pkt_at(e, l->fly.head);
    return l->to_host && k->kind < WEFT_PKT_PFC && k->dst_host == l->far && rc_may_complete(e, k);
}

/* Whether packet @p k, which is on a link to its host, may be the one that a message waits for,
 * whatever those before it on that link do. */
static bool may_complete_then(const struct weft_engine *e, const struct pkt *k)
{
    if (k->kind == WEFT_PKT_DATA) /* only the last one, where none is kept behind a gap */
        return k->flags & PKT_LAST || profile_of(qp_at(e, k->qp))->recovery != &recovery_go_back_n;
    return k->kind < WEFT_PKT_PFC && rc_may_complete(e, k); /* all sent by now */
}

/* Says that the user may be told of something at a host that is held, by this event. */
static void note_bound(struct host_part *p, int64_t t_ps, uint64_t id)
{
    const struct ev at = {t_ps, id};
    if (ev_before(at, p->bound))
        p->bound = at;
}

/* The same of what is to come to a lone one on the link of event @p id, from packet @p i on, which
 * arrives at @p t_ps. */
static void bound_arrivals(const struct weft_engine *e, struct host_part *p, int64_t t_ps,
                           uint64_t id, uint32_t i)
{
    WALK_PKTS(e, n, i, "packets on a link") {
        const struct pkt *k = pkt_at(e, n);
        if (t_ps >= e->loop.limit_ps || t_ps > p->bound.t)
            return;
        if (may_complete_then(e, k)) {
            note_bound(p, t_ps, id);
            return;
        }
        t_ps = k->next_at_ps;
    }
}

/* Whether the packet at the end of a link, which may tell of messages, tells of one from which
 * nothing follows, and that the user takes in at once (weft_net_concurrency). */
static bool runs_in_worker(const struct weft_engine *e, const struct host_parts *h, uint32_t port)
{
    const struct pkt *k = pkt_at(e, e->ends[port].fly.head);
    const struct qp *q = qp_at(e, k->qp);
    if (!h->in_worker || h->passive || k->kind != WEFT_PKT_DATA || q->holding ||
        (k->flags & (PKT_LAST | PKT_TRIM)) != PKT_LAST || k->psn != q->exp_psn)
        return false;
    struct weft_completion d;
    rc_fill(q, msg_at(e, q->rcv_msg), &d);
    struct weft_follows sends;
    sends.n = 0;
    return e->hooks.concurrency.runs_in_worker(e->hooks.concurrency.ctx, e->worker->number, &d.msg,
                                               &sends) &&
           (!sends.n || (h->posts && worker_may_post(e, &sends)));
}

/* Whether the packet at the end of a link, which may tell of messages, tells of such alone as
 * nothing follows from (weft_msg.deferrable). */
static bool deferrable_only(const struct weft_engine *e, uint32_t port)
{
    const struct pkt *k = pkt_at(e, e->ends[port].fly.head);
    if (k->kind == WEFT_PKT_DATA || (e->peers && e->peers->link.user))
        return false;
    WALK_MSGS(e, i, qp_at(e, k->qp)->head_msg) {
        const struct msg *m = msg_at(e, i);
        if (k->psn < m->first_psn + m->npkts)
            break;
        if (!m->deferrable)
            return false;
    }
    return true;
}

/* The cluster that an entry of the fast queue is about. */
static inline uint32_t cluster_of_key(const struct weft_engine *e, uint64_t key)
{
    const uint32_t port = fastq_port(key);
    if (fastq_kind(key) != EV_ARRIVE) /* each reads what the event itself needs, too */
        return e->windows.clusters.of[e->ports[port].node];
    const struct link_end *l = &e->ends[port];
    return e->windows.clusters.of[l->to_host ? e->fabric->hosts[l->far] : l->far];
}

/* Whether the event may be executed without being looked at: its cluster is not held by now, nor
 * counted, and nothing may be told. */
static inline bool plain(const struct weft_engine *e, const struct host_parts *h,
                         const struct host_part *p, const struct due *d)
{
    return !p->looks && !d->slow &&
           (!p->nfirst || h->clusters[cluster_of_key(e, d->key)].held != h->window) &&
           (fastq_kind(d->key) != EV_ARRIVE || !may_report(e, fastq_port(d->key)));
}

enum verdict { RUN, HOLD_FROM, HOLD };

/* The event at @p t_ps is left to what is done after the window, and its cluster waits for that.
 * Arrivals of data alone may be told ahead of others. */
static void hold_from(const struct weft_engine *e, struct host_part *p, int64_t t_ps, uint64_t id)
{
    const struct pkt *k = pkt_at(e, e->ends[EV_NUMBER(id)].fly.head);
    if (k->kind == WEFT_PKT_DATA)
        bound_arrivals(e, p, k->next_at_ps, id, k->next);
    else
        note_bound(p, t_ps, id);
}

/* Whether the cluster of this event is held, or is to be from it on. */
static enum verdict look_at(const struct weft_engine *e, const struct host_parts *h,
                            struct host_part *p, const struct agenda *a, const struct due *d)
{
    const uint64_t id = id_of(a, d);
    const uint32_t cluster = d->slow ? cluster_of_entry(e, id) : cluster_of_key(e, d->key);
    const uint32_t with = e->peers ? peers_held_with(e, cluster) : cluster;
    struct cluster_state *s = &h->clusters[with];
    const bool arrives = id >> EV_KIND_SHIFT == EV_ARRIVE;
    const uint32_t port = (uint32_t)EV_NUMBER(id);
    if (s->held == h->window) {
        if (!e->windows.clusters.lone || (e->peers && e->peers->link.user))
            note_bound(p, d->t, id); /* what is sent within a cluster may arrive soon */
        else if (arrives)
            bound_arrivals(e, p, d->t, id, e->ends[port].fly.head);
        return HOLD;
    }
    if (arrives && may_report(e, port)) {
        const bool in_worker = runs_in_worker(e, h, port);
        const bool holds = !h->passive && !in_worker && !deferrable_only(e, port);
        e->worker->in_worker = in_worker;
        if (holds)
            s->held = h->window;
        if (holds && !e->peers) {
            hold_from(e, p, d->t, id);
            return HOLD_FROM;
        }
        /* it is told of afterwards, so this event still belongs to what is done now */
        if (e->peers)
            peers_may_complete(e, d->t, id, with);
        else
            e->worker->at = (struct ev){d->t, id};
    }
    if (h->counts)
        cluster_count(h, cluster);
    return RUN;
}

/* Takes the first event out, which goes behind @p n others of a list. */
static void keep(struct weft_engine *e, struct agenda *a, const struct due *d, struct ev **list,
                 uint32_t *n, uint32_t *cap)
{
    if (!GROW(*list, *n, cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of hosts");
        return;
    }
    (*list)[(*n)++] = (struct ev){d->t, id_of(a, d)};
    if (d->slow)
        evq_pop(&a->slow);
    else
        fastq_pop(&a->fast, d->key);
}

/* A thread's turn, to until_ps. */
struct turn_of_hosts {
    struct host_parts *all;
    struct host_part *part;
    int64_t until_ps;
};

/* The first event that is due then and is not held; those that are, are kept. */
static inline bool next_of_turn(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct turn_of_hosts *t = ctx;
    struct host_part *p = t->part;
    ev->a = &e->loop.agenda;
    for (;;) {
        const struct due d = ev->d = agenda_first(e, ev->a);
        if (d.t >= t->until_ps || d.t >= e->loop.limit_ps ||
            (e->peers && peers_beyond(e, d.t, id_of(ev->a, &d))))
            return false;
        const enum verdict what = plain(e, t->all, p, &d) ? RUN : look_at(e, t->all, p, ev->a, &d);
        if (__builtin_expect(what == RUN, 1))
            return true;
        if (e->peers && e->peers->link.user)
            return false; /* all hosts are */
        if (what == HOLD)
            keep(e, ev->a, &d, &p->held, &p->nheld, &p->held_cap);
        else
            keep(e, ev->a, &d, &p->first, &p->nfirst, &p->first_cap);
    }
}

static inline void run_in_turn(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    const struct turn_of_hosts *t = ctx;
    agenda_run(e, &e->loop.agenda, ev->d);
    if (__builtin_expect(e->peers != NULL, 0) && peers_completed_nothing(e))
        t->all->clusters[e->peers->cluster].held = 0;
}

/* Executes what is due before @p until_ps. */
static void run_until(struct host_parts *h, struct host_part *p, struct weft_engine *e,
                      int64_t until_ps)
{
    struct turn_of_hosts t = {h, p, until_ps};
    loop_events(e, &t, next_of_turn, run_in_turn);
}

/* The time has come of post number @p i of a thread's, which was made before it (send_timers.c). */
static void run_post(struct host_parts *h, struct host_part *p, struct weft_engine *e, uint32_t i)
{
    const struct post *post = &p->posts[i];
    const bool other_turn = i == 0 || post->turn != p->posts[i - 1].turn;
    if (other_turn)
        run_until(h, p, e, post->at_ps + 1); /* timers come last */
    e->now = post->at_ps;
    e->loop.due_ps = post->at_ps + 1;
    e->loop.due_id = 0;
    post_make(e, post);
}

static void run_hosts(struct host_parts *h, struct host_part *p, struct weft_engine *e)
{
    struct agenda *a = &e->loop.agenda;
    *a = p->agenda;
    e->parts = NULL;
    e->loop.limit_ps = h->until_ps;
    p->nheld = p->nfirst = p->ntold = 0;
    p->bound = (struct ev){WEFT_NEVER, 0};
    p->looks = h->counts || e->peers;
    for (uint32_t i = 0; i < p->timely; i++)
        run_post(h, p, e, i);
    run_until(h, p, e, h->until_ps);
    p->agenda = *a;
    e->parts = h; /* what is delivered to hosts goes there */
    p->events = e->tot.events;
    if (p->events && e->now > e->windows.last_ps)
        e->windows.last_ps = e->now;
}

void host_turn(struct window_threads *c, struct worker *w, unsigned number)
{
    struct host_parts *h = c->parts;
    run_hosts(h, &h->of[number], &w->e);
    if (h->switches)
        window_threads_turns(c, w, number);
}
