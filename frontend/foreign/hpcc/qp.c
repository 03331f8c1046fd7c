/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs of flows. */
#include "foreign/hpcc/qp.h"

#include "base/message.h"

#include <stdlib.h>

struct entry {
    uint64_t hosts; /* source << 32 | destination */
    uint32_t qp, flow;
};

struct weft_hpcc_qps {
    const struct weft_hpcc_flows *l;
    struct entry *entries; /* in order */
};

/* Which of its host pair's it is, below its destination port. Of the port only the lowest bits are
 * among those that weft's ECMP hashes, so the others are mixed in below; numbers stay distinct. */
uint32_t weft_hpcc_qp(const struct weft_hpcc_flows *l, const struct weft_hpcc_flow *w,
                      bool is_ports)
{
    const uint32_t dport = (uint16_t)(w->dport - WEFT_HPCC_DPORT);
    if (is_ports && l->format == WEFT_HPCC_FLOW_CONWEAVE)
        return (uint16_t)(w->sport - WEFT_HPCC_FIRST_SPORT) + (dport << 16);
    const uint32_t beyond = dport & ~((UINT32_C(1) << (WEFT_QP_BITS - 16)) - 1);
    return (is_ports ? w->qp : w->qp ^ beyond) + (dport << 16);
}

static int hpcc_qp_compare(const void *a, const void *b)
{
    const struct entry *x = (const struct entry *)a, *y = (const struct entry *)b;
    if (x->hosts != y->hosts)
        return x->hosts < y->hosts ? -1 : 1;
    return x->qp < y->qp ? -1 : x->qp > y->qp;
}

struct weft_hpcc_qps *weft_hpcc_qps_new(const struct weft_hpcc_flows *l,
                                        const struct weft_fabric *f, bool is_ports,
                                        struct weft_err *err)
{
    struct weft_hpcc_qps *q = (struct weft_hpcc_qps *)calloc(1, sizeof *q);
    if (q)
        q->entries = (struct entry *)calloc(l->n + 1, sizeof *q->entries);
    if (!q || !q->entries) {
        free(q);
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for the queue pairs of %zu flows", l->n);
        return NULL;
    }
    q->l = l;
    for (size_t i = 0; i < l->n; i++) {
        const struct weft_hpcc_flow *w = &l->list[i];
        const uint64_t src = f->nodes[w->src].host, dst = f->nodes[w->dst].host;
        q->entries[i] = (struct entry){src << 32 | dst, weft_hpcc_qp(l, w, is_ports), (uint32_t)i};
    }
    qsort(q->entries, l->n, sizeof *q->entries, hpcc_qp_compare);
    return q;
}

void weft_hpcc_qps_free(struct weft_hpcc_qps *q)
{
    if (!q)
        return;
    free(q->entries);
    free(q);
}

const struct weft_hpcc_flow *weft_hpcc_qps_find(const struct weft_hpcc_qps *q, uint32_t src,
                                                uint32_t dst, uint32_t qp)
{
    const struct entry key = {(uint64_t)src << 32 | dst, qp, 0};
    const struct entry *e =
        (const struct entry *)bsearch(&key, q->entries, q->l->n, sizeof key, hpcc_qp_compare);
    return e ? &q->l->list[e->flow] : NULL;
}
