/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of queue lengths. */
#include "hpcc/qlen.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1000 };

/* One port's histogram. */
struct histogram {
    uint32_t *count;
    size_t n, cap;
};

struct weft_hpcc_qlen {
    const struct weft_fabric *f;
    struct histogram *ports; /* by port number; those of hosts stay empty */
};

struct weft_hpcc_qlen *weft_hpcc_qlen_new(const struct weft_fabric *f, struct weft_err *err)
{
    struct weft_hpcc_qlen *q = (struct weft_hpcc_qlen *)calloc(1, sizeof *q);
    if (q)
        q->ports = (struct histogram *)calloc((size_t)f->nports + 1, sizeof *q->ports);
    if (!q || !q->ports) {
        free(q);
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for queue histograms");
        return NULL;
    }
    q->f = f;
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

static int add(struct histogram *h, uint64_t bytes, uint32_t samples, struct weft_err *err)
{
    size_t kb = (size_t)(bytes / KB);
    if (kb >= h->cap) {
        size_t cap = kb + 1 < 2 * h->cap ? 2 * h->cap : kb + 1;
        uint32_t *more = (uint32_t *)realloc(h->count, cap * sizeof *more);
        if (!more)
            return weft_err_set(err, WEFT_E_LIMIT, "out of memory for queue histograms");
        memset(more + h->cap, 0, (cap - h->cap) * sizeof *more);
        h->count = more;
        h->cap = cap;
    }
    if (kb >= h->n)
        h->n = kb + 1;
    h->count[kb] += samples;
    return 0;
}

int weft_hpcc_qlen_sample(struct weft_hpcc_qlen *q, int64_t now_ps,
                          const struct weft_hpcc_queues *queues, struct weft_rows *out,
                          struct weft_err *err)
{
    for (uint32_t p = 0; p < q->f->nports; p++) {
        if (q->f->nodes[q->f->ports[p].node].kind != WEFT_NODE_SWITCH)
            continue;
        if (add(&q->ports[p], queues->bytes(queues->ctx, p), 1, err))
            return err ? err->code : WEFT_E_LIMIT;
    }
    if (now_ps % WEFT_HPCC_QLEN_DUMP_PS == 0)
        weft_hpcc_qlen_dump(q, now_ps, out);
    return 0;
}

bool weft_hpcc_qlen_empty(const struct weft_hpcc_qlen *q, const struct weft_hpcc_queues *queues)
{
    for (uint32_t p = 0; p < q->f->nports; p++)
        if (q->f->nodes[q->f->ports[p].node].kind == WEFT_NODE_SWITCH &&
            queues->bytes(queues->ctx, p))
            return false;
    return true;
}

void weft_hpcc_qlen_skip(struct weft_hpcc_qlen *q, int64_t now_ps, int64_t end_ps,
                         struct weft_rows *out, struct weft_err *err)
{
    const int64_t every = WEFT_HPCC_QLEN_INTERVAL_PS;
    const int64_t ahead = now_ps < end_ps ? (end_ps - now_ps + every - 1) / every : 0;
    const int64_t last_ps = now_ps + ahead * every;
    while (now_ps < last_ps) {
        const int64_t dump_ps = (now_ps / WEFT_HPCC_QLEN_DUMP_PS + 1) * WEFT_HPCC_QLEN_DUMP_PS;
        /* the last sample up to the next dump, which is that of the dump if it falls on it */
        const int64_t to_ps =
            dump_ps < last_ps ? now_ps + (dump_ps - now_ps) / every * every : last_ps;
        const int64_t next_ps = to_ps > now_ps ? to_ps : now_ps + every;
        for (uint32_t p = 0; p < q->f->nports; p++)
            if (q->f->nodes[q->f->ports[p].node].kind == WEFT_NODE_SWITCH &&
                add(&q->ports[p], 0, (uint32_t)((next_ps - now_ps) / every), err))
                return;
        now_ps = next_ps;
        if (now_ps % WEFT_HPCC_QLEN_DUMP_PS == 0)
            weft_hpcc_qlen_dump(q, now_ps, out);
    }
}

void weft_hpcc_qlen_dump(const struct weft_hpcc_qlen *q, int64_t now_ps, struct weft_rows *out)
{
    const struct weft_fabric *f = q->f;
    weft_rows_printf(out, "time: %" PRId64 "\n", now_ps / WEFT_PS_PER_NS);
    for (uint32_t p = 0; p < f->nports; p++) {
        const struct histogram *h = &q->ports[p];
        uint32_t node = f->ports[p].node;
        if (h->n == 0)
            continue;
        weft_rows_printf(out, "%u %u", node, p - f->nodes[node].first_port + 1);
        for (size_t k = 0; k < h->n; k++)
            weft_rows_printf(out, " %u", h->count[k]);
        weft_rows_put(out, "\n", 1);
    }
    weft_rows_end(out, NULL);
}
