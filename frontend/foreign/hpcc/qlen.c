/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of queue lengths. */
#include "foreign/hpcc/qlen.h"

#include "base/grow.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum { KB = 1000, PRIOS = 8 };

/* A switch port and its histogram. */
struct histogram {
    uint64_t *count;
    size_t n, cap;
    int64_t next_ps; /* the first sample that is not counted yet */
    uint64_t sum, bytes[PRIOS];
};

struct weft_hpcc_qlen {
    const struct weft_fabric *f;
    struct weft_rows *out;
    int64_t last_ps; /* the last sample */
    int64_t dump_ps; /* the next on a multiple of 100 ms; WEFT_NEVER: none */
    struct weft_err failed;
    struct histogram *ports; /* by port number; those of hosts stay empty */
};

/* The first sample from @p from_ps on that lies on a multiple of 100 ms. The two steps meet within
 * one of the longer, or never. */
static int64_t next_dump(const struct weft_hpcc_qlen *q, int64_t from_ps)
{
    const int64_t dump = WEFT_HPCC_QLEN_DUMP_PS, every = WEFT_HPCC_QLEN_INTERVAL_PS;
    if (from_ps % every || from_ps > WEFT_NEVER - dump)
        return WEFT_NEVER;
    const int64_t at_ps = (from_ps + dump - 1) / dump * dump;
    return at_ps <= q->last_ps ? at_ps : WEFT_NEVER;
}

static int64_t last_sample(int64_t start_ps, int64_t end_ps)
{
    const int64_t every = WEFT_HPCC_QLEN_INTERVAL_PS;
    const int64_t ahead = start_ps < end_ps ? (end_ps - start_ps - 1) / every + 1 : 0;
    return ahead <= (WEFT_NEVER - start_ps) / every ? start_ps + ahead * every : WEFT_NEVER;
}

struct weft_hpcc_qlen *weft_hpcc_qlen_new(const struct weft_fabric *f, int64_t start_ps,
                                          int64_t end_ps, struct weft_rows *out,
                                          struct weft_err *err)
{
    struct weft_hpcc_qlen *q = (struct weft_hpcc_qlen *)calloc(1, sizeof *q);
    if (q)
        q->ports = (struct histogram *)calloc((size_t)f->nports + 1, sizeof *q->ports);
    if (!q || !q->ports) {
        free(q);
        weft_err_no_memory(err, "queue histograms");
        return NULL;
    }
    q->f = f;
    q->out = out;
    q->last_ps = last_sample(start_ps, end_ps);
    q->dump_ps = next_dump(q, start_ps);
    for (uint32_t p = 0; p < f->nports; p++)
        q->ports[p].next_ps = start_ps;
    return q;
}

void weft_hpcc_qlen_free(struct weft_hpcc_qlen *q)
{
    if (!q)
        return;
    for (uint32_t p = 0; p < q->f->nports; p++)
        free(q->ports[p].count);
    free(q->ports);
    free(q);
}

static void qlen_add(struct weft_hpcc_qlen *q, struct histogram *h, uint64_t samples)
{
    const size_t kb = (size_t)(h->sum / KB);
    if (!WEFT_GROW_ZEROED(h->count, kb + 1, &h->cap)) {
        if (!q->failed.code)
            weft_err_no_memory(&q->failed, "queue histograms");
        return;
    }
    if (kb >= h->n)
        h->n = kb + 1;
    h->count[kb] += samples;
}

/* Counts the samples of a port before @p until_ps. */
static inline void qlen_count(struct weft_hpcc_qlen *q, struct histogram *h, int64_t until_ps)
{
    if (until_ps <= h->next_ps)
        return;
    const int64_t last_ps = until_ps - 1 < q->last_ps ? until_ps - 1 : q->last_ps;
    if (last_ps < h->next_ps)
        return;
    const int64_t n = (last_ps - h->next_ps) / WEFT_HPCC_QLEN_INTERVAL_PS + 1;
    qlen_add(q, h, (uint64_t)n);
    h->next_ps += n * WEFT_HPCC_QLEN_INTERVAL_PS;
}

static void dump(const struct weft_hpcc_qlen *q, int64_t now_ps)
{
    const struct weft_fabric *f = q->f;
    weft_rows_printf(q->out, "time: %" PRId64 "\n", now_ps / WEFT_PS_PER_NS);
    for (uint32_t p = 0; p < f->nports; p++) {
        const struct histogram *h = &q->ports[p];
        uint32_t node = f->ports[p].node;
        if (h->n == 0)
            continue;
        weft_rows_printf(q->out, "%u %u", node, p - f->nodes[node].first_port + 1);
        for (size_t k = 0; k < h->n; k++)
            weft_rows_printf(q->out, " %" PRIu64, h->count[k]);
        weft_rows_put(q->out, "\n", 1);
    }
    weft_rows_end(q->out, NULL);
}

/* Counts the samples of all ports before @p until_ps. */
static void count_all(struct weft_hpcc_qlen *q, int64_t until_ps)
{
    for (uint32_t p = 0; p < q->f->nports; p++)
        if (q->f->nodes[q->f->ports[p].node].kind == WEFT_NODE_SWITCH)
            qlen_count(q, &q->ports[p], until_ps);
}

/* Writes what is due before @p until_ps. */
static void dump_before(struct weft_hpcc_qlen *q, int64_t until_ps)
{
    while (q->dump_ps < until_ps) {
        count_all(q, q->dump_ps + 1);
        dump(q, q->dump_ps);
        q->dump_ps = next_dump(q, q->dump_ps + WEFT_HPCC_QLEN_INTERVAL_PS);
    }
}

void weft_hpcc_qlen_change(struct weft_hpcc_qlen *q, int64_t t_ps, uint32_t port, uint32_t prio,
                           uint64_t bytes)
{
    struct histogram *h = &q->ports[port];
    if (q->f->nodes[q->f->ports[port].node].kind != WEFT_NODE_SWITCH)
        return;
    if (q->dump_ps < t_ps)
        dump_before(q, t_ps);
    qlen_count(q, h, t_ps);
    h->sum += bytes - h->bytes[prio];
    h->bytes[prio] = bytes;
}

int weft_hpcc_qlen_reach(struct weft_hpcc_qlen *q, int64_t t_ps, struct weft_err *err)
{
    dump_before(q, t_ps < WEFT_NEVER ? t_ps + 1 : WEFT_NEVER);
    if (q->failed.code)
        *err = q->failed;
    return q->failed.code;
}
