/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series of QPs, of the state of their congestion control, and of TCP's connections.
 *
 * QPs come in the order of opening, so that what is kept of each is found by its number;
 * connections come sorted by their names, with new ones in between, so that what was kept of them
 * is merged with what there is.
 */
#include "series/internal.h"

#include "base/units.h"

#include <math.h>
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

/* A column of control.csv. */
struct observable {
    char name[WEFT_SERIES_NAME_MAX];
    const char *unit;
};

struct weft_qp_series {
    const struct weft_series_choice *choice;
    struct observable *columns;
    size_t ncolumns;
    size_t **place; /* by control of the choice, and observable of it: its column */
    struct kept *qps;
    size_t nqps; /* room */
    struct connection *old, *now;
    size_t nold, at, nnow, cap;
    struct weft_series_sample *sample; /* the one that is taken */
};

static int out_of_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for series of queue pairs");
}

/* ---- columns of control.csv ---- */

static size_t count(const struct weft_cc_ops *ops)
{
    size_t n = 0;
    while (ops->observables && ops->observables[n].name)
        n++;
    return n;
}

static size_t column_of(struct weft_qp_series *q, const struct weft_cc_observable *o)
{
    struct observable *c = &q->columns[q->ncolumns];
    weft_series_observable_name(o, c->name);
    c->unit = o->unit;
    for (size_t i = 0; i < q->ncolumns; i++)
        if (strcmp(q->columns[i].name, c->name) == 0)
            return i;
    return q->ncolumns++;
}

static int name_columns(struct weft_qp_series *q, struct weft_err *err)
{
    const struct weft_series_choice *c = q->choice;
    size_t most = 1;
    for (size_t k = 0; k < c->ncontrols; k++)
        most += count(c->controls[k]);
    q->columns = (struct observable *)calloc(most, sizeof *q->columns);
    q->place = (size_t **)calloc(c->ncontrols + 1, sizeof *q->place);
    if (!q->columns || !q->place)
        return out_of_memory(err);
    for (size_t k = 0; k < c->ncontrols; k++) {
        const size_t n = count(c->controls[k]);
        q->place[k] = (size_t *)calloc(n + 1, sizeof *q->place[k]);
        if (!q->place[k])
            return out_of_memory(err);
        for (size_t i = 0; i < n; i++)
            q->place[k][i] = column_of(q, &c->controls[k]->observables[i]);
    }
    return 0;
}

struct weft_csv *weft_qp_series_open(const struct weft_qp_series *q, const char *path,
                                     struct weft_err *err)
{
    const struct weft_csv_file *f = weft_series_files[WEFT_SERIES_CONTROL];
    const char *names[WEFT_COLUMNS_MAX];
    size_t n = 0;
    for (; n < f->n; n++)
        names[n] = f->columns[n].name;
    for (size_t i = 0; i < q->ncolumns && n < WEFT_COLUMNS_MAX; i++)
        names[n++] = q->columns[i].name;
    struct weft_csv *csv = weft_csv_open(path, names, n, err);
    if (csv)
        weft_csv_flush_every(csv, 0);
    return csv;
}

static void put_value(struct weft_csv *csv, const char *unit, double v)
{
    if (strcmp(unit, "ps") == 0)
        weft_csv_f64(csv, v / (double)WEFT_PS_PER_NS, 3);
    else
        weft_csv_f64(csv, v, strcmp(unit, "bps") == 0 || strcmp(unit, "bytes") == 0 ? 0 : 6);
}

static void control_row(const struct weft_qp_series *q, const struct weft_net_qp *qp,
                        const struct weft_qp_row *row)
{
    struct weft_series_sample *s = q->sample;
    double values[WEFT_COLUMNS_MAX];
    size_t k = 0;
    for (size_t i = 0; i < q->ncolumns; i++)
        values[i] = NAN;
    while (k < q->choice->ncontrols && q->choice->controls[k] != qp->control)
        k++;
    const size_t n = k < q->choice->ncontrols ? count(qp->control) : 0;
    for (size_t i = 0; i < n; i++)
        values[q->place[k][i]] = qp->observed[i];
    weft_columns_fields(weft_series_files[WEFT_SERIES_CONTROL], s->csv[WEFT_SERIES_CONTROL], row);
    for (size_t i = 0; i < q->ncolumns; i++)
        put_value(s->csv[WEFT_SERIES_CONTROL], q->columns[i].unit, values[i]);
    s->rows++;
    if (!s->err.code)
        weft_csv_row(s->csv[WEFT_SERIES_CONTROL], &s->err);
}

/* ---- which ---- */

/* Files that rules of hosts, numbers and all want it in. */
static uint8_t always_in(const struct weft_series_choice *c, const struct weft_qp_state *q)
{
    uint8_t files = 0;
    for (size_t i = 0; i < c->nrules; i++) {
        const struct weft_qp_rule *r = &c->rules[i];
        if (!(r->prios >> q->prio & 1))
            continue;
        if (r->kind == WEFT_QPS_ALL ||
            (r->kind == WEFT_QPS_NUMBERS && q->qpn >= r->from && q->qpn <= r->to) ||
            (r->kind == WEFT_QPS_HOSTS &&
             weft_series_node_matches(c->fabric, c->fabric->hosts[q->src], r->src) &&
             weft_series_node_matches(c->fabric, c->fabric->hosts[q->dst], r->dst)))
            files |= r->files;
    }
    return files;
}

/* Files that its oldest message is wanted in. */
static uint8_t flow_in(const struct weft_series_choice *c, uint64_t msg)
{
    uint8_t files = 0;
    for (size_t i = 0; i < c->nrules && msg != UINT64_MAX; i++)
        if (c->rules[i].kind == WEFT_QPS_FLOWS && msg >= c->rules[i].from && msg <= c->rules[i].to)
            files |= c->rules[i].files;
    return files;
}

/* ---- samples ---- */

static void take(struct weft_qp_series *q, struct kept *k, const struct weft_net_qp *qp,
                 struct weft_qp_row *row)
{
    struct weft_series_sample *s = q->sample;
    if (!k->seen)
        k->always = always_in(q->choice, &row->state);
    k->seen = true;
    const uint64_t acked = row->state.acked_bytes - k->acked_bytes;
    const bool active = acked || row->state.in_flight_bytes || row->state.msg != UINT64_MAX;
    const uint8_t now = k->always | flow_in(q->choice, row->state.msg);
    const uint8_t files = now | k->wanted;
    row->t_ps = s->t_ps;
    row->goodput_bps = weft_series_bps(s, acked);
    k->acked_bytes = row->state.acked_bytes;
    row->state.acked_bytes = acked;
    if ((active || k->active) && files >> WEFT_SERIES_QP & 1)
        weft_series_row(s, WEFT_SERIES_QP, row);
    if ((active || k->active) && qp && files >> WEFT_SERIES_CONTROL & 1)
        control_row(q, qp, row);
    k->wanted = now;
    k->active = active;
}

static bool grow(struct weft_qp_series *q, size_t n)
{
    if (n <= q->nqps)
        return true;
    const size_t cap = n + n / 2 + 64;
    struct kept *more = (struct kept *)realloc(q->qps, cap * sizeof *more);
    if (!more) {
        if (!q->sample->err.code)
            out_of_memory(&q->sample->err);
        return false;
    }
    memset(more + q->nqps, 0, (cap - q->nqps) * sizeof *more);
    q->qps = more;
    q->nqps = cap;
    return true;
}

static void take_qp(void *ctx, const struct weft_net_qp *qp)
{
    struct weft_qp_series *q = (struct weft_qp_series *)ctx;
    struct weft_qp_row row = {.state = qp->state};
    if (grow(q, (size_t)qp->state.qpn + 1))
        take(q, &q->qps[qp->state.qpn], qp, &row);
}

static int compare(const struct name *a, const struct name *b)
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
                out_of_memory(&q->sample->err);
            return;
        }
        q->cap = cap;
    }
    struct connection *one = &q->now[q->nnow++];
    *one = (struct connection){.name = name};
    while (q->at < q->nold && compare(&q->old[q->at].name, &name) < 0)
        q->at++;
    if (q->at < q->nold && compare(&q->old[q->at].name, &name) == 0)
        one->kept = q->old[q->at].kept;
    struct weft_qp_row row = {.state = {.src = c->src,
                                        .dst = c->dst,
                                        .prio = c->prio,
                                        .number = c->qp,
                                        .window_bytes = c->cwnd_bytes ? c->cwnd_bytes : UINT64_MAX,
                                        .in_flight_bytes = c->in_flight_bytes,
                                        .acked_bytes = c->bytes,
                                        .rtt_ps = c->srtt_ps,
                                        .msg = UINT64_MAX},
                              .connection = c->number,
                              .tcp = true};
    take(q, &one->kept, NULL, &row);
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

struct weft_qp_series *weft_qp_series_new(const struct weft_series_choice *c, struct weft_err *err)
{
    struct weft_qp_series *q = (struct weft_qp_series *)calloc(1, sizeof *q);
    if (!q) {
        out_of_memory(err);
        return NULL;
    }
    q->choice = c;
    if (!name_columns(q, err))
        return q;
    weft_qp_series_free(q);
    return NULL;
}

void weft_qp_series_free(struct weft_qp_series *q)
{
    if (!q)
        return;
    for (size_t k = 0; q->place && k < q->choice->ncontrols; k++)
        free(q->place[k]);
    free(q->place);
    free(q->columns);
    free(q->qps);
    free(q->old);
    free(q->now);
    free(q);
}
