/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series of QPs, of the state of their congestion control, and of TCP's connections.
 *
 * QPs come in the order of opening, so that what is kept of each is found by its number;
 * connections come sorted by their names, with new ones in between, so that what was kept of them
 * is merged with what there is.
 */
#include "series/series_internal.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of a QP or connection. */
struct kept {
    uint64_t acked_bytes; /* at the previous sample */
    uint8_t always;       /* files that its hosts or its number want it in */
    uint8_t wanted;       /* files that it was wanted in at the previous sample */
    bool seen, active;    /* active: at the previous sample */
};

/* The name of a connection. */
struct name {
    uint32_t src, dst, prio, qp, number;
};

struct connection {
    struct name name;
    struct kept kept;
};

struct weft_qp_series {
    const struct weft_series_choice *choice;
    struct weft_observables *observables;
    struct kept *qps;
    size_t nqps; /* room */
    struct connection *old, *now;
    size_t nold, at, nnow, cap;
    struct weft_series_sample *sample; /* the one that is taken */
};

/* ---- samples ---- */

static void qps_take(struct weft_qp_series *q, struct kept *k, const struct weft_net_qp *qp,
                     struct weft_qp_row *row)
{
    struct weft_series_sample *s = q->sample;
    if (!k->seen)
        k->always = weft_series_qp_files(q->choice, &row->state);
    k->seen = true;
    const uint64_t acked = row->state.acked_bytes - k->acked_bytes;
    const bool active = acked || row->state.in_flight_bytes || row->state.msg != UINT64_MAX;
    const uint8_t now = k->always | weft_series_flow_files(q->choice, row->state.msg);
    const uint8_t files = now | k->wanted;
    row->t_ps = s->t_ps;
    row->goodput_bps = weft_series_bps(s, acked);
    k->acked_bytes = row->state.acked_bytes;
    row->state.acked_bytes = acked;
    if ((active || k->active) && files >> WEFT_SERIES_QP & 1)
        weft_series_row(s, WEFT_SERIES_QP, row);
    if ((active || k->active) && qp && files >> WEFT_SERIES_CONTROL & 1)
        weft_observables_row(q->observables, qp->control, qp->observed, row, s);
    k->wanted = now;
    k->active = active;
}

static bool qps_grow(struct weft_qp_series *q, size_t n)
{
    if (WEFT_GROW_ZEROED(q->qps, n, &q->nqps))
        return true;
    if (!q->sample->err.code)
        weft_err_no_memory(&q->sample->err, "series of queue pairs");
    return false;
}

static void take_qp(void *ctx, const struct weft_net_qp *qp)
{
    struct weft_qp_series *q = (struct weft_qp_series *)ctx;
    struct weft_qp_row row = {.state = qp->state};
    if (qps_grow(q, (size_t)qp->state.qpn + 1))
        qps_take(q, &q->qps[qp->state.qpn], qp, &row);
}

static int qps_compare(const struct name *a, const struct name *b)
{
    return memcmp(a, b, sizeof *a) == 0 ? 0
           : a->src != b->src           ? (a->src < b->src ? -1 : 1)
           : a->dst != b->dst           ? (a->dst < b->dst ? -1 : 1)
           : a->prio != b->prio         ? (a->prio < b->prio ? -1 : 1)
           : a->qp != b->qp             ? (a->qp < b->qp ? -1 : 1)
           : a->number < b->number      ? -1
                                        : 1;
}

static void take_connection(void *ctx, const struct weft_net_connection *c)
{
    struct weft_qp_series *q = (struct weft_qp_series *)ctx;
    const struct name name = {c->src, c->dst, c->prio, c->qp, c->number};
    if (q->nnow == q->cap) {
        const size_t cap = 2 * q->cap + 64;
        struct connection *now = (struct connection *)realloc(q->now, cap * sizeof *now);
        if (now)
            q->now = now;
        struct connection *old = (struct connection *)realloc(q->old, cap * sizeof *old);
        if (old)
            q->old = old;
        if (!now || !old) {
            if (!q->sample->err.code)
                weft_err_no_memory(&q->sample->err, "series of queue pairs");
            return;
        }
        q->cap = cap;
    }
    struct connection *one = &q->now[q->nnow++];
    *one = (struct connection){.name = name};
    while (q->at < q->nold && qps_compare(&q->old[q->at].name, &name) < 0)
        q->at++;
    if (q->at < q->nold && qps_compare(&q->old[q->at].name, &name) == 0)
        one->kept = q->old[q->at].kept;
    struct weft_qp_row row = weft_series_connection_row(c);
    qps_take(q, &one->kept, NULL, &row);
}

void weft_qp_series_take(struct weft_qp_series *q, struct weft_net *net,
                         struct weft_series_sample *s)
{
    if (!q->choice->nrules)
        return;
    q->sample = s;
    net->ops->state->qps(net, take_qp, q);
    if (!net->ops->connections)
        return;
    q->at = q->nnow = 0;
    net->ops->connections(net, take_connection, q);
    struct connection *swap = q->old;
    q->old = q->now;
    q->nold = q->nnow;
    q->now = swap;
}

struct weft_qp_series *weft_qp_series_new(const struct weft_series_choice *c,
                                          struct weft_observables *o, struct weft_err *err)
{
    struct weft_qp_series *q = (struct weft_qp_series *)calloc(1, sizeof *q);
    if (!q) {
        weft_err_no_memory(err, "series of queue pairs");
        return NULL;
    }
    q->choice = c;
    q->observables = o;
    return q;
}

void weft_qp_series_free(struct weft_qp_series *q)
{
    if (!q)
        return;
    free(q->qps);
    free(q->old);
    free(q->now);
    free(q);
}
