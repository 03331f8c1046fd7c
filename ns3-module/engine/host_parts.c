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

/* Says when the user may next be told of something at a lone host that is held, of what is to come
 * on the link of @p port from the arrival at @p t_ps on. */
static void bound_arrivals(const struct weft_engine *e, int64_t t_ps, uint64_t id)
{
    const struct pkt *k;
    for (uint32_t i = e->ends[EV_NUMBER(id)].fly.head; i != NIL && t_ps < e->loop.limit_ps;
         i = k->next) {
        k = pkt_at(e, i);
        if (may_complete_then(e, k)) {
            peers_may_tell(e, t_ps, id);
            return;
        }
        t_ps = k->next_at_ps;
    }
}

/* The cluster that the first entry of an agenda is about. */
static inline uint32_t cluster_of_due(const struct weft_engine *e, const struct agenda *a,
                                      const struct due *d)
{
    if (__builtin_expect(d->slow, 0))
        return cluster_of_entry(e, a->slow.h[0].id);
    const uint32_t port = fastq_port(d->key);
    if (fastq_kind(d->key) != EV_ARRIVE) /* each reads what the event itself needs, too */
        return e->windows.clusters.of[e->ports[port].node];
    const struct link_end *l = &e->ends[port];
    return e->windows.clusters.of[l->to_host ? e->fabric->hosts[l->far] : l->far];
}

/* Whether the event may be executed without being looked at: no cluster is held by now that it may
 * be of, nor counted, and nothing may be told. */
static inline bool plain(const struct weft_engine *e, const struct host_part *p,
                         const struct due *d)
{
    return !p->looks && !d->slow &&
           (fastq_kind(d->key) != EV_ARRIVE || !may_tell(e, fastq_port(d->key)));
}

/* Whether the cluster of this event is to be held from it on, or is by now. */
static bool to_hold(const struct weft_engine *e, const struct host_parts *h, struct host_part *p,
                    const struct agenda *a, const struct due *d)
{
    const uint64_t id = id_of(a, d);
    const uint32_t cluster = cluster_of_due(e, a, d);
    const uint32_t with = e->peers ? peers_held_with(e, cluster) : cluster;
    struct cluster_state *s = &h->clusters[with];
    const bool arrives = id >> EV_KIND_SHIFT == EV_ARRIVE;
    if (s->held == h->window) {
        if (e->peers && (!e->windows.clusters.lone || e->peers->link.user))
            peers_may_tell(e, d->t, id); /* what is sent within a cluster may arrive soon */
        else if (e->peers && arrives)
            bound_arrivals(e, d->t, id);
        return true;
    }
    if (arrives && may_tell(e, (uint32_t)EV_NUMBER(id))) {
        if (!h->listens) {
            s->held = h->window;
            p->looks = true;
        }
        if (!h->listens && !e->peers)
            return true;
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
    return false;
}

/* Keeps the first event for later. */
static void hold(struct weft_engine *e, struct host_part *p, struct agenda *a, const struct due *d)
{
    if (!ROOM(p->held, p->nheld, &p->held_cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of hosts");
        return;
    }
    struct ev ev = {d->t, 0};
    if (d->slow) {
        ev = a->slow.h[0];
        evq_pop(&a->slow);
    } else {
        ev.id = EV_ID(fastq_kind(d->key), fastq_port(d->key));
        fastq_pop(&a->fast, d->key);
    }
    p->held[p->nheld++] = ev;
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
        if (!plain(e, p, &d) && to_hold(e, h, p, a, &d)) {
            if (e->peers && e->peers->link.user)
                break; /* all hosts are */
            hold(e, p, a, &d);
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
    p->nheld = p->most = 0;
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

static bool worthwhile(const struct weft_engine *e, struct host_parts *h, int64_t t_ps,
                       int64_t until_ps)
{
    const uint64_t enough = window_crew_enough(h->n);
    if (t_ps - h->since_ps >= h->lookahead_ps)
        note_rate(h, h->alone, h->since_ps, t_ps);
    return e->crew->shuffle || h->alone >= enough ||
           h->per_ps * (double)(until_ps - t_ps) >= (double)enough;
}

/* What was held is due again. */
static void put_back(struct weft_engine *e, struct host_part *p)
{
    for (uint32_t i = 0; i < p->nheld; i++) {
        const struct ev ev = p->held[i];
        const enum ev_kind kind = (enum ev_kind)(ev.id >> EV_KIND_SHIFT);
        if (kind <= EV_TX)
            host_agendas_put(e, &p->agenda, ev.t, kind, (uint32_t)EV_NUMBER(ev.id));
        else
            engine_push(e, &p->agenda.slow, ev.t, ev.id);
    }
    p->nheld = 0;
}

/* Runs hosts to h->until_ps, and where h->switches says so, switches to @p switches_ps. */
static uint64_t run_window(struct weft_engine *e, struct host_parts *h, struct window_crew *c,
                           int64_t switches_ps)
{
    uint64_t events = 0;
    uint32_t most = 0;
    h->counts = c->counted;
    if (h->switches)
        window_crew_begin(e, c, e->now, switches_ps);
    else
        window_crew_begin_hosts(e, c, e->now);
    window_crew_do(e, c, run_turn);
    for (unsigned k = 0; k < h->n; k++) {
        put_back(e, &h->of[k]);
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
    if (h->listens)
        host_tells(e, c);
    window_crew_spent(c, WEFT_ALONE_TELL);
    window_crew_measure(c);
    return events;
}

static __attribute__((noinline)) bool run_together(struct weft_engine *e, struct host_parts *h,
                                                   int64_t t_ps)
{
    int64_t until_ps = horizon(e, h, t_ps);
    if (until_ps <= t_ps || !worthwhile(e, h, t_ps, until_ps) || e->rc.last_try ||
        (e->replay && replay_ops.alone(e)))
        return false;
    h->listens = e->hooks.listens && !e->spread.balance && !e->spread.steer;
    e->now = t_ps;
    const bool ahead = plans_may_be_ahead(e);
    until_ps =
        ahead ? plans_call(e, until_ps) : sooner(until_ps, agenda_slow_time(&e->loop.agenda));
    if (until_ps <= t_ps || (!ahead && !worthwhile(e, h, t_ps, until_ps)))
        return false;
    window_tell(e, sooner(t_ps, e->windows.done_ps));
    h->until_ps = until_ps;
    h->window++;
    h->switches = (until_ps == e->windows.done_ps + e->windows.lookahead_ps ||
                   until_ps == e->loop.limit_ps) &&
                  window_crew_worthwhile(e, e->crew, until_ps);
    const uint64_t events = run_window(e, h, e->crew, until_ps);
    if (ahead)
        plans_end(e, until_ps);
    h->done_ps = until_ps;
    note_rate(h, events, t_ps, until_ps);
    loads_window_over(e);
    return true;
}

bool host_parts_run(struct weft_engine *e, int64_t t_ps)
{
    struct host_parts *h = e->parts;
    if (t_ps < h->done_ps) /* it is of one that is held */
        return false;
    h->alone++;
    return run_together(e, h, t_ps);
}

void host_parts_round(struct weft_engine *e, int64_t until_ps, int64_t switches_ps)
{
    struct host_parts *h = e->parts;
    h->until_ps = until_ps;
    h->switches = switches_ps > e->windows.done_ps;
    run_window(e, h, e->crew, switches_ps);
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
