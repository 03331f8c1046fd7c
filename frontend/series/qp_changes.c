/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series on change of QPs, of the state of their congestion control, and of windows of TCP.
 *
 * What else a row shows (bytes in flight, acknowledged ...) is as of its moment, and makes no rows
 * of its own.
 */
#include "series/series_internal.h"

#include "base/grow.h"
#include "base/hash_table.h"

#include <stdlib.h>
#include <string.h>

/* Objects: QPs by their number, connections behind this in the order of their first change. */
#define CONNECTIONS UINT32_C(0x80000000)

/* A QP or connection. */
struct seen {
    struct weft_qp_row row; /* acked_bytes: all so far */
    const struct weft_cc_ops *control;
    double *values, *values_told; /* observables; NULL: it has none */
    uint64_t rate_reported_bps, window_told_bytes, acked_told_bytes;
    int64_t at_ps;   /* of the last row in qp.csv */
    uint8_t wanted;  /* files */
    uint8_t written; /* files that have a row */
};

struct slot {
    struct seen *seen; /* NULL: it was never wanted */
    uint8_t always;    /* files that its hosts or its number want it in */
    bool known;
};

/* What a connection is found by. */
struct name {
    uint32_t src, dst, prio, qp, number;
};

struct connection {
    struct name name;
    struct seen seen;
    uint32_t object;
    bool lost;
    UT_hash_handle hh;
};

struct weft_qp_changes {
    const struct weft_series_choice *choice;
    const struct weft_observables *observables;
    struct weft_series_sample *sample;
    struct slot *qps;
    size_t nqps; /* room */
    struct connection *connections;
    struct connection **by_object;
    uint32_t nconnections, cap;
    struct weft_instant instant;
    int64_t end_ps;
};

static void qp_changes_fail(struct weft_qp_changes *q)
{
    if (!q->sample->err.code)
        weft_err_no_memory(&q->sample->err, "series of queue pairs");
}

/* ---- rows ---- */

static void qp_row(struct weft_qp_changes *q, struct seen *n, int64_t t_ps)
{
    struct weft_qp_row row = n->row;
    row.t_ps = q->sample->t_ps = t_ps;
    q->sample->before_ps = n->written >> WEFT_SERIES_QP & 1 ? n->at_ps : t_ps;
    row.state.acked_bytes -= n->acked_told_bytes;
    row.goodput_bps = weft_series_bps(q->sample, row.state.acked_bytes);
    n->acked_told_bytes = n->row.state.acked_bytes;
    n->rate_reported_bps = row.state.rate_bps;
    n->window_told_bytes = row.state.window_bytes;
    n->at_ps = t_ps;
    n->written |= 1u << WEFT_SERIES_QP;
    weft_series_row(q->sample, WEFT_SERIES_QP, &row);
}

static void control_row(struct weft_qp_changes *q, struct seen *n, int64_t t_ps)
{
    struct weft_qp_row row = n->row;
    row.t_ps = t_ps;
    if (n->values)
        memcpy(n->values_told, n->values,
               weft_observables_count(n->control) * sizeof *n->values_told);
    n->written |= 1u << WEFT_SERIES_CONTROL;
    weft_observables_row(q->observables, n->control, n->values, &row, q->sample);
}

static bool qp_changed(const struct seen *n)
{
    return !(n->written >> WEFT_SERIES_QP & 1) || n->row.state.rate_bps != n->rate_reported_bps ||
           n->row.state.window_bytes != n->window_told_bytes;
}

static bool control_changed(const struct seen *n)
{
    return !(n->written >> WEFT_SERIES_CONTROL & 1) ||
           (n->values && memcmp(n->values, n->values_told,
                                weft_observables_count(n->control) * sizeof *n->values) != 0);
}

static void write(void *ctx, int64_t t_ps, uint32_t object)
{
    struct weft_qp_changes *q = (struct weft_qp_changes *)ctx;
    struct seen *n =
        object < CONNECTIONS ? q->qps[object].seen : &q->by_object[object - CONNECTIONS]->seen;
    if (n->wanted >> WEFT_SERIES_QP & 1 && qp_changed(n))
        qp_row(q, n, t_ps);
    if (n->wanted >> WEFT_SERIES_CONTROL & 1 && n->control && control_changed(n))
        control_row(q, n, t_ps);
}

/* ---- QPs ---- */

static struct slot *slot_of(struct weft_qp_changes *q, uint32_t qpn)
{
    const size_t n = (size_t)qpn + 1;
    if (!WEFT_GROW_ZEROED(q->qps, n, &q->nqps)) {
        qp_changes_fail(q);
        return NULL;
    }
    return &q->qps[qpn];
}

static struct seen *make_seen(struct weft_qp_changes *q, const struct weft_cc_ops *control)
{
    struct seen *n = (struct seen *)calloc(1, sizeof *n);
    const size_t values = weft_observables_count(control);
    if (n && values && !(n->values = (double *)calloc(2 * values, sizeof *n->values))) {
        free(n);
        n = NULL;
    }
    if (!n) {
        qp_changes_fail(q);
        return NULL;
    }
    n->control = control;
    n->values_told = n->values ? n->values + values : NULL;
    return n;
}

static void qp_changes_set(struct seen *n, const struct weft_net_qp *qp)
{
    n->row.state = qp->state;
    if (n->values)
        memcpy(n->values, qp->observed, weft_observables_count(n->control) * sizeof *n->values);
}

static void on_qp(void *ctx, int64_t t_ps, const struct weft_net_qp *qp)
{
    struct weft_qp_changes *q = (struct weft_qp_changes *)ctx;
    struct slot *slot = slot_of(q, qp->state.qpn);
    if (!slot)
        return;
    if (!slot->known)
        slot->always = weft_series_qp_files(q->choice, &qp->state);
    slot->known = true;
    const uint8_t wanted = slot->always | weft_series_flow_files(q->choice, qp->state.msg);
    if (!wanted || (!slot->seen && !(slot->seen = make_seen(q, qp->control))))
        return;
    weft_instant_note(&q->instant, t_ps, qp->state.qpn, q->sample);
    slot->seen->wanted = wanted;
    qp_changes_set(slot->seen, qp);
}

/* ---- connections ---- */

static struct connection *qp_changes_find(const struct weft_qp_changes *q,
                                          const struct weft_net_connection *c)
{
    const struct name name = {c->src, c->dst, c->prio, c->qp, c->number};
    struct connection *found = NULL;
    HASH_FIND(hh, q->connections, &name, sizeof name, found);
    return found;
}

static struct connection *make_connection(struct weft_qp_changes *q,
                                          const struct weft_net_connection *c)
{
    if (!WEFT_GROW(q->by_object, q->nconnections, &q->cap)) {
        qp_changes_fail(q);
        return NULL;
    }
    struct connection *one = (struct connection *)calloc(1, sizeof *one);
    if (!one) {
        qp_changes_fail(q);
        return NULL;
    }
    one->name = (struct name){c->src, c->dst, c->prio, c->qp, c->number};
    one->seen.row = weft_series_connection_row(c);
    one->seen.wanted = weft_series_qp_files(q->choice, &one->seen.row.state);
    HASH_ADD(hh, q->connections, name, sizeof one->name, one);
    if (one->lost) {
        free(one);
        qp_changes_fail(q);
        return NULL;
    }
    one->object = CONNECTIONS + q->nconnections;
    q->by_object[q->nconnections++] = one;
    return one;
}

static void on_connection(void *ctx, int64_t t_ps, const struct weft_net_connection *c)
{
    struct weft_qp_changes *q = (struct weft_qp_changes *)ctx;
    struct connection *one = qp_changes_find(q, c);
    if (!one && !(one = make_connection(q, c)))
        return;
    weft_instant_note(&q->instant, t_ps, one->object, q->sample);
    one->seen.row = weft_series_connection_row(c);
}

void weft_qp_changes_ask(struct weft_qp_changes *q, struct weft_net_changes *written)
{
    if (!q->choice->nrules)
        return;
    written->qp_ctx = q;
    written->qp = on_qp;
    written->connection = q->choice->files >> WEFT_SERIES_QP & 1 ? on_connection : NULL;
}

/* ---- the end ---- */

static void last_row(struct weft_qp_changes *q, struct seen *n)
{
    if (n->written >> WEFT_SERIES_QP & 1 && n->at_ps < q->end_ps)
        qp_row(q, n, q->end_ps);
}

static void finish_qp(void *ctx, const struct weft_net_qp *qp)
{
    struct weft_qp_changes *q = (struct weft_qp_changes *)ctx;
    struct seen *n = qp->state.qpn < q->nqps ? q->qps[qp->state.qpn].seen : NULL;
    if (!n)
        return;
    qp_changes_set(n, qp);
    last_row(q, n);
    if (n->written >> WEFT_SERIES_CONTROL & 1)
        control_row(q, n, q->end_ps);
}

static void finish_connection(void *ctx, const struct weft_net_connection *c)
{
    struct weft_qp_changes *q = (struct weft_qp_changes *)ctx;
    struct connection *one = qp_changes_find(q, c);
    if (!one)
        return;
    one->seen.row = weft_series_connection_row(c);
    last_row(q, &one->seen);
}

void weft_qp_changes_finish(struct weft_qp_changes *q, struct weft_net *net, int64_t end_ps)
{
    weft_instant_end(&q->instant);
    q->end_ps = end_ps;
    if (!q->choice->nrules)
        return;
    net->ops->state->qps(net, finish_qp, q);
    if (net->ops->connections)
        net->ops->connections(net, finish_connection, q);
}

/* ---- life ---- */

struct weft_qp_changes *weft_qp_changes_new(const struct weft_series_choice *c,
                                            struct weft_observables *o,
                                            struct weft_series_sample *s, struct weft_err *err)
{
    struct weft_qp_changes *q = weft_err_calloc(1, sizeof *q, "series of queue pairs", err);
    if (!q)
        return NULL;
    q->choice = c;
    q->observables = o;
    q->sample = s;
    q->instant = (struct weft_instant){.write = write, .ctx = q};
    return q;
}

void weft_qp_changes_free(struct weft_qp_changes *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->nqps; i++) {
        free(q->qps[i].seen ? q->qps[i].seen->values : NULL);
        free(q->qps[i].seen);
    }
    HASH_CLEAR(hh, q->connections);
    for (uint32_t i = 0; i < q->nconnections; i++)
        free(q->by_object[i]);
    free(q->by_object);
    free(q->qps);
    weft_instant_free(&q->instant);
    free(q);
}
