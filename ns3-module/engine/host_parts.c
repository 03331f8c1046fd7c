/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts in windows, by several threads: host_parts.h. */
#include "host_parts.h"
#include "agenda.h"
#include "context.h"
#include "events.h"
#include "host_parts_inside.h"
#include "host_tells.h"
#include "loads.h"
#include "plans.h"
#include "rc.h"
#include "rc_complete.h"
#include "recovery.h"
#include "replay.h"
#include "room.h"
#include "window.h"
#include "window_crew_inside.h"
#include "worker.h"

/* ---- a thread's part ---- */

/* Whether the user may be told of a message when the packet at the end of a link arrives. */
static inline bool may_tell(const struct weft_engine *e, uint32_t port)
{
    const struct link_end *l = &e->ends[port];
    const struct pkt *k = pkt_at(e, l->fly.head);
    return l->to_host && k->kind < WEFT_PKT_PFC && k->dst_host == l->far && rc_may_complete(e, k);
}

static uint64_t id_of(const struct agenda *a, const struct due *d)
{
    return d->slow ? a->slow.h[0].id : EV_ID(fastq_kind(d->key), fastq_port(d->key));
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
    const struct pkt *k;
    for (; i != NIL && t_ps < e->loop.limit_ps && t_ps <= p->bound.t; i = k->next) {
        k = pkt_at(e, i);
        if (may_complete_then(e, k)) {
            note_bound(p, t_ps, id);
            return;
        }
        t_ps = k->next_at_ps;
    }
}

/* Whether the packet at the end of a link, which may tell of messages, tells of one from which
 * nothing follows, and that the user takes in at once (weft_engine_hooks, absorbs). */
static bool absorbed(const struct weft_engine *e, const struct host_parts *h, uint32_t port)
{
    const struct pkt *k = pkt_at(e, e->ends[port].fly.head);
    const struct qp *q = qp_at(e, k->qp);
    if (!h->absorbs || h->listens || k->kind != WEFT_PKT_DATA || q->holding ||
        (k->flags & (PKT_LAST | PKT_TRIM)) != PKT_LAST || k->psn != q->exp_psn)
        return false;
    struct weft_completion d;
    rc_fill_done(q, msg_at(e, q->rcv_msg), 0, &d);
    return e->hooks.absorbs(e->hooks.ctx, e->worker->number, &d.msg);
}

/* Whether the packet at the end of a link, which may tell of messages, tells of such alone as
 * nothing follows from (weft_msg.sent_late). */
static bool told_late(const struct weft_engine *e, uint32_t port)
{
    const struct pkt *k = pkt_at(e, e->ends[port].fly.head);
    const struct msg *m;
    if (k->kind == WEFT_PKT_DATA || e->replay || (e->peers && e->peers->link.user))
        return false;
    for (uint32_t i = qp_at(e, k->qp)->head_msg; i != NIL; i = m->next) {
        m = msg_at(e, i);
        if (k->psn < m->first_psn + m->npkts)
            break;
        if (!m->sent_late)
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
           (fastq_kind(d->key) != EV_ARRIVE || !may_tell(e, fastq_port(d->key)));
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
    if (arrives && may_tell(e, port)) {
        const bool absorbs = absorbed(e, h, port);
        const bool holds = !h->listens && !absorbs && !told_late(e, port);
        e->worker->absorbs = absorbs;
        if (holds)
            s->held = h->window;
        if (holds && !e->peers) {
            hold_from(e, p, d->t, id);
            return HOLD_FROM;
        }
        /* it is told of afterwards, so this event still belongs to what is done now */
        if (e->peers)
            peers_tells(e, d->t, id, with);
        else
            e->worker->at = (struct ev){d->t, id};
    }
    if (h->counts) {
        const uint32_t n = cluster_count(h, cluster);
        p->most = n > p->most ? n : p->most;
    }
    return RUN;
}

/* Takes the first event out, which goes behind @p n others of a list. */
static void keep(struct weft_engine *e, struct agenda *a, const struct due *d, struct ev **list,
                 uint32_t *n, uint32_t *cap)
{
    if (!ROOM(*list, *n, cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of hosts");
        return;
    }
    (*list)[(*n)++] = (struct ev){d->t, id_of(a, d)};
    if (d->slow)
        evq_pop(&a->slow);
    else
        fastq_pop(&a->fast, d->key);
}

/* Executes what is due before @p until_ps. */
static void run_until(struct host_parts *h, struct host_part *p, struct weft_engine *e,
                      int64_t until_ps)
{
    struct agenda *a = &e->loop.agenda;
    for (;;) {
        const struct due d = agenda_first(e, a);
        if (d.t >= until_ps || d.t >= e->loop.limit_ps ||
            (e->peers && peers_beyond(e, d.t, id_of(a, &d))))
            break;
        const enum verdict what = plain(e, h, p, &d) ? RUN : look_at(e, h, p, a, &d);
        if (__builtin_expect(what != RUN, 0)) {
            if (e->peers && e->peers->link.user)
                break; /* all hosts are */
            if (what == HOLD)
                keep(e, a, &d, &p->held, &p->nheld, &p->held_cap);
            else
                keep(e, a, &d, &p->first, &p->nfirst, &p->first_cap);
            continue;
        }
        agenda_run(e, a, d);
        if (__builtin_expect(e->peers != NULL, 0) && peers_told_nothing(e))
            h->clusters[e->peers->cluster].held = 0;
    }
}

/* The time has come of post number @p i of a thread's, which was made before it (plans.h). */
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
    p->nheld = p->nfirst = p->ntold = p->most = 0;
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

static void run_turn(struct window_crew *c, struct worker *w, unsigned number)
{
    struct host_parts *h = c->parts;
    run_hosts(h, &h->of[number], &w->e);
    if (h->switches)
        window_crew_turns(c, w, number);
}

/* ---- a window ---- */

static int64_t sooner(int64_t a_ps, int64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

/* How far hosts may be run from @p t_ps on, but for timers. */
static int64_t horizon(const struct weft_engine *e, const struct host_parts *h, int64_t t_ps)
{
    const int64_t switches_ps = e->windows.done_ps + e->windows.lookahead_ps;
    return sooner(sooner(switches_ps, t_ps + h->lookahead_ps), e->loop.limit_ps);
}

/* How much happened up to @p t_ps. Where hosts act in step with each other, next to nothing does
 * between their steps: that is half believed. */
static void note_rate(struct host_parts *h, uint64_t events, int64_t from_ps, int64_t t_ps)
{
    const double per_ps = (double)events / (double)(t_ps - from_ps);
    h->per_ps = per_ps > h->per_ps / 2 ? per_ps : h->per_ps / 2;
    h->alone = 0;
    h->since_ps = t_ps;
}

/* Whether threads run the switches of the next window together in any case: seen once. */
static bool together_anyway(struct weft_engine *e, struct host_parts *h, int64_t until_ps)
{
    if (until_ps != h->asked_ps) {
        h->asked_ps = until_ps;
        h->anyway = window_crew_worthwhile(e, e->crew, until_ps);
    }
    return h->anyway;
}

static bool worthwhile(struct weft_engine *e, struct host_parts *h, int64_t t_ps, int64_t until_ps)
{
    const uint64_t enough = window_crew_enough(h->n);
    if (t_ps - h->since_ps >= h->lookahead_ps)
        note_rate(h, h->alone, h->since_ps, t_ps);
    return e->crew->shuffle || h->alone >= enough ||
           h->per_ps * (double)(until_ps - t_ps) >= (double)enough ||
           (until_ps == e->windows.done_ps + e->windows.lookahead_ps &&
            together_anyway(e, h, until_ps));
}

/* What was held at hosts of thread @p k is due again: @p n events. */
static void put_back(struct weft_engine *e, unsigned k, const struct ev *ev, uint32_t n)
{
    struct agenda *a = &e->parts->of[k].agenda;
    if (n)
        host_part_changes(e->parts, k);
    for (const struct ev *end = ev + n; ev < end; ev++) {
        const enum ev_kind kind = (enum ev_kind)(ev->id >> EV_KIND_SHIFT);
        if (kind <= EV_TX)
            host_agendas_put(e, a, ev->t, kind, (uint32_t)EV_NUMBER(ev->id));
        else
            engine_push(e, &a->slow, ev->t, ev->id);
    }
}

/* ---- what hosts are held for ---- */

/* Whether a lone host sends only to switches in windows that its own thread runs. */
static bool within(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool all = true;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        all &= (e->ends[i].ends & (FAR_IN_WINDOWS | APART)) == FAR_IN_WINDOWS;
    return all;
}

/* Whether the user may be told of all that the hosts of a thread are held for before they do what
 * else they have to in this window: nothing more is to be told at these, and what they send is
 * known in time even if they do the rest in the next window. */
static bool may_go_on(const struct weft_engine *e, const struct host_parts *h,
                      const struct host_part *p)
{
    bool may = p->bound.t >= h->until_ps;
    for (uint32_t i = 0; i < p->nfirst && may; i++)
        may = within(e, cluster_of_entry(e, p->first[i].id));
    return may;
}

/* The thread whose hosts are held for the first event that is left; NULL: none is. */
static struct host_part *first_held(const struct host_parts *h)
{
    struct host_part *first = NULL;
    for (unsigned k = 0; k < h->n; k++) {
        struct host_part *p = &h->of[k];
        if (p->ntold < p->nfirst &&
            (!first || ev_before(p->first[p->ntold], first->first[first->ntold])))
            first = p;
    }
    return first;
}

static void run_first(struct weft_engine *e, const struct ev *ev)
{
    const uint32_t port = (uint32_t)EV_NUMBER(ev->id);
    e->now = e->loop.due_ps = ev->t;
    e->loop.due_id = (uint32_t)fastq_key(0, 0, EV_ARRIVE, port);
    e->tot.events++;
    port_arrive(e, port);
    if (e->windows.last_ps < ev->t)
        e->windows.last_ps = ev->t;
}

/* Tells the user of all that hosts are held for, in the order of these events, as far as he does
 * not ask for a timer that comes before. Then these go on in the next window (run_together), with
 * what is left of this one. */
static void tell_ahead(struct weft_engine *e, struct host_parts *h)
{
    const int64_t now = e->now;
    struct host_part *p;
    bool may = e->windows.clusters.lone && !e->replay;
    for (unsigned k = 0; k < h->n && may; k++)
        may = may_go_on(e, h, &h->of[k]);
    h->from_ps = now; /* agendas have what is before the clock */
    for (; may && (p = first_held(h)); p->ntold++) {
        const struct ev *ev = &p->first[p->ntold];
        may = ev->t <= agenda_slow_time(&e->loop.agenda) && ev->t < e->loop.limit_ps;
        if (!may)
            break;
        run_first(e, ev);
    }
    e->now = now;
    h->from_ps = WEFT_NEVER;
    h->told = may;
}

/* What is told after a window. */
static void tell(struct weft_engine *e, struct host_parts *h)
{
    const struct host_part *p = first_held(h);
    const struct ev first = p ? p->first[p->ntold] : (struct ev){WEFT_NEVER, 0};
    h->told = false;
    if (p)
        tell_ahead(e, h);
    for (unsigned k = 0; k < h->n; k++) {
        p = &h->of[k];
        put_back(e, k, p->first + p->ntold, p->nfirst - p->ntold);
        h->nheld += p->nfirst;
        e->crew->figures.held += p->nfirst;
    }
    if (!e->peers)
        host_tells(e, e->crew, first);
}

/* Runs hosts to h->until_ps, and where h->switches says so, switches to @p switches_ps. For all but
 * switches in windows and hosts that have been held the window begins at @p from_ps. */
static uint64_t run_window(struct weft_engine *e, struct host_parts *h, struct window_crew *c,
                           int64_t from_ps, int64_t switches_ps)
{
    uint64_t events = 0;
    uint32_t most = 0;
    h->counts = c->counted;
    if (h->switches)
        window_crew_begin(e, c, from_ps, switches_ps);
    else
        window_crew_begin_hosts(e, c, from_ps);
    window_crew_do(e, c, run_turn);
    for (unsigned k = 0; k < h->n; k++) {
        put_back(e, k, h->of[k].held, h->of[k].nheld);
        events += h->of[k].events;
        c->turns[k].load += h->of[k].events;
        most = h->of[k].most > most ? h->of[k].most : most;
    }
    if (h->counts)
        h->most_share = events ? (double)most / (double)events : 0;
    else
        most = (uint32_t)(h->most_share * (double)events);
    window_crew_end(c, events, most);
    if (h->switches) {
        window_done(e, switches_ps);
        e->tot.windows++;
    }
    window_crew_spent(c, WEFT_ALONE_JOIN);
    tell(e, h);
    window_crew_spent(c, WEFT_ALONE_TELL);
    window_crew_measure(c);
    return events;
}

/* Nothing is before @p t_ps; what is before @p from_ps is of hosts that have been held, and may go
 * on. */
static __attribute__((noinline)) bool run_together(struct weft_engine *e, struct host_parts *h,
                                                   int64_t t_ps, int64_t from_ps)
{
    int64_t until_ps = horizon(e, h, from_ps);
    if (until_ps <= from_ps || !worthwhile(e, h, from_ps, until_ps) || e->rc.last_try ||
        (e->replay && replay_ops.alone(e)))
        return false;
    /* what messages would take alone is worked out by their hosts' threads */
    const bool ideals = !e->spread.balance && !e->spread.steer;
    h->listens = e->hooks.listens && ideals;
    h->absorbs = e->hooks.absorbs && ideals && !e->replay;
    e->now = t_ps;
    const bool ahead = plans_may_be_ahead(e);
    until_ps =
        ahead ? plans_call(e, until_ps) : sooner(until_ps, agenda_slow_time(&e->loop.agenda));
    if (until_ps <= from_ps || (!ahead && !worthwhile(e, h, from_ps, until_ps)))
        return false;
    window_tell(e, sooner(t_ps, e->windows.done_ps));
    h->until_ps = until_ps;
    h->nheld = 0;
    h->window++;
    h->switches = (until_ps == e->windows.done_ps + e->windows.lookahead_ps ||
                   until_ps == e->loop.limit_ps) &&
                  window_crew_worthwhile(e, e->crew, until_ps);
    const uint64_t events = run_window(e, h, e->crew, from_ps, until_ps);
    if (ahead)
        plans_end(e, until_ps);
    h->done_ps = until_ps;
    note_rate(h, events, from_ps, until_ps);
    loads_window_over(e);
    return true;
}

bool host_parts_run(struct weft_engine *e, int64_t t_ps)
{
    struct host_parts *h = e->parts;
    const bool left = t_ps < h->done_ps; /* it is of one that is held */
    h->alone += !left;
    const uint64_t nheld = left ? h->nheld : 0;
    if (left && e->crew->list_again) /* links may come to be between threads */
        h->told = false;
    if ((!left || h->told) && run_together(e, h, t_ps, left ? h->done_ps : t_ps)) {
        e->crew->figures.ahead += nheld;
        return true;
    }
    h->told = false;
    host_tells(e, e->crew, h->next);
    return false;
}

void host_parts_over(struct weft_engine *e)
{
    e->parts->told = false;
    host_tells(e, e->crew, (struct ev){WEFT_NEVER, 0});
}

void host_parts_round(struct weft_engine *e, int64_t until_ps, int64_t switches_ps)
{
    struct host_parts *h = e->parts;
    h->until_ps = until_ps;
    h->switches = switches_ps > e->windows.done_ps;
    h->listens = peers_listens(e);
    run_window(e, h, e->crew, e->now, switches_ps);
    if (ev_before(h->of[0].bound, e->peers->bound))
        e->peers->bound = h->of[0].bound;
}

/* ---- the order of all events ---- */

/* Looks at the first of a thread's agenda. */
static void look(struct weft_engine *e, struct host_parts *h, unsigned k)
{
    struct agenda *a = &h->of[k].agenda;
    const struct due d = agenda_first(e, a);
    h->first[k] = (struct first_seen){.t = d.t,
                                      .id = d.t == WEFT_NEVER ? UINT64_MAX : id_of(a, &d),
                                      .key = d.slow ? FASTQ_NO_KEY : d.key};
}

void host_parts_look(struct weft_engine *e, unsigned number)
{
    look(e, e->parts, number);
}

/* A deadline of a QP that was seen to be the first may have been put off since, by what has not
 * changed the agenda: so it is looked at again. */
static bool still_first(struct weft_engine *e, struct host_parts *h, unsigned k)
{
    const struct first_seen seen = h->first[k];
    if (seen.key != FASTQ_NO_KEY)
        return true;
    look(e, h, k);
    return h->first[k].t == seen.t && h->first[k].id == seen.id;
}

struct agenda *host_parts_first(struct weft_engine *e, struct due *d)
{
    struct host_parts *h = e->parts;
    const uint64_t own_id = d->t == WEFT_NEVER ? UINT64_MAX : id_of(&e->loop.agenda, d);
    unsigned of;
    do {
        int64_t t = d->t;
        uint64_t id = own_id;
        of = h->n;
        for (unsigned k = 0; k < h->n; k++) {
            const struct first_seen *f = &h->first[k];
            if (f->t == INT64_MIN)
                look(e, h, k);
            if (f->t < t || (f->t == t && f->id < id)) {
                t = f->t;
                id = f->id;
                of = k;
            }
        }
        h->next = (struct ev){t, id};
        if (of == h->n)
            return &e->loop.agenda;
    } while (!still_first(e, h, of));
    const struct first_seen *f = &h->first[of];
    *d = (struct due){f->t, f->key, f->key == FASTQ_NO_KEY};
    host_part_changes(h, of);
    return &h->of[of].agenda;
}

struct agenda *host_parts_any(struct weft_engine *e, struct due *d)
{
    *d = agenda_first(e, &e->loop.agenda);
    return e->parts ? host_parts_first(e, d) : &e->loop.agenda;
}
