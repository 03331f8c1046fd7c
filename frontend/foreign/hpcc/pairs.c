/* SPDX-License-Identifier: GPL-2.0-only */
/* Breadth-first search from every host, as HPCC's CalculateRoute does. */
#include "foreign/hpcc/pairs.h"

#include "base/int128.h"
#include "base/units.h"

#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

/* One search. */
struct search {
    const struct weft_fabric *f;
    uint64_t payload_bytes;
    bool hosts_forward;   /* if the fabric says so; in the simulator they do not */
    uint32_t *neighbours; /* port numbers, each node's by falling id of the other end */
    uint32_t *queue;      /* nodes to expand */
    uint32_t *seen;       /* root + 1 of the search that reached the node last */
    uint64_t *delay_ps, *tx_ns, *bw_bps;
    size_t *first, *next; /* flows by destination host: lists through next, ends in SIZE_MAX */
};

static uint32_t other_end(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

static void sort_neighbours(struct search *s)
{
    const struct weft_fabric *f = s->f;
    for (uint32_t n = 0; n < f->nnodes; n++) {
        uint32_t first = f->nodes[n].first_port, end = first + f->nodes[n].nports;
        for (uint32_t p = first; p < end; p++) {
            uint32_t i = p;
            for (; i > first && other_end(f, s->neighbours[i - 1]) < other_end(f, p); i--)
                s->neighbours[i] = s->neighbours[i - 1];
            s->neighbours[i] = p;
        }
    }
}

static void search_from(struct search *s, uint32_t root)
{
    const struct weft_fabric *f = s->f;
    uint32_t head = 0, tail = 0;
    s->seen[root] = root + 1;
    s->delay_ps[root] = s->tx_ns[root] = 0;
    s->bw_bps[root] = UINT64_MAX;
    s->queue[tail++] = root;
    while (head < tail) {
        uint32_t now = s->queue[head++];
        const struct weft_fabric_node *node = &f->nodes[now];
        for (uint32_t k = 0; k < node->nports; k++) {
            uint32_t port = s->neighbours[node->first_port + k];
            const struct weft_fabric_link *l = &f->links[f->ports[port].link];
            uint32_t next = other_end(f, port);
            if (s->seen[next] == root + 1)
                continue;
            s->seen[next] = root + 1;
            s->delay_ps[next] = s->delay_ps[now] + (uint64_t)l->delay_ps;
            s->tx_ns[next] = s->tx_ns[now] +
                             (uint64_t)((weft_u128)s->payload_bytes * 8 * NS_PER_S / l->rate_bps);
            s->bw_bps[next] = l->rate_bps < s->bw_bps[now] ? l->rate_bps : s->bw_bps[now];
            if (f->nodes[next].kind == WEFT_NODE_SWITCH ||
                (s->hosts_forward && weft_fabric_forwards(f, next)))
                s->queue[tail++] = next;
        }
    }
}

static uint64_t rtt_ns(const struct search *s, uint32_t node)
{
    return 2 * s->delay_ps[node] / WEFT_PS_PER_NS + s->tx_ns[node];
}

static void take_results(const struct search *s, uint32_t root_host, struct weft_hpcc_flows *flows,
                         struct weft_hpcc_pairs *out)
{
    const struct weft_fabric *f = s->f;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        uint32_t node = f->hosts[h];
        if (h == root_host || s->seen[node] != f->hosts[root_host] + 1)
            continue;
        uint64_t rtt = rtt_ns(s, node);
        uint64_t bdp = (uint64_t)((weft_u128)rtt * s->bw_bps[node] / NS_PER_S / 8);
        if (rtt > out->max_rtt_ns)
            out->max_rtt_ns = rtt;
        if (bdp > out->max_bdp_bytes)
            out->max_bdp_bytes = bdp;
    }
    for (size_t i = s->first[root_host]; i != SIZE_MAX; i = s->next[i]) {
        struct weft_hpcc_flow *w = &flows->list[i];
        w->rtt_ns = rtt_ns(s, w->src);
        w->bw_bps = s->bw_bps[w->src];
    }
}

static void close_search(struct search *s)
{
    free(s->neighbours);
    free(s->queue);
    free(s->seen);
    free(s->delay_ps);
    free(s->tx_ns);
    free(s->bw_bps);
}

static int open_search(struct search *s, const struct weft_fabric *f, uint64_t payload_bytes,
                       struct weft_err *err)
{
    *s = (struct search){.f = f, .payload_bytes = payload_bytes};
    s->neighbours = (uint32_t *)calloc((size_t)f->nports + 1, sizeof *s->neighbours);
    s->queue = (uint32_t *)calloc((size_t)f->nnodes + 1, sizeof *s->queue);
    s->seen = (uint32_t *)calloc((size_t)f->nnodes + 1, sizeof *s->seen);
    s->delay_ps = (uint64_t *)calloc((size_t)f->nnodes + 1, sizeof *s->delay_ps);
    s->tx_ns = (uint64_t *)calloc((size_t)f->nnodes + 1, sizeof *s->tx_ns);
    s->bw_bps = (uint64_t *)calloc((size_t)f->nnodes + 1, sizeof *s->bw_bps);
    if (s->neighbours && s->queue && s->seen && s->delay_ps && s->tx_ns && s->bw_bps) {
        sort_neighbours(s);
        return 0;
    }
    close_search(s);
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the base RTTs of %u hosts",
                        f->nhosts);
}

int weft_hpcc_pairs_compute(const struct weft_fabric *f, uint64_t payload_bytes,
                            struct weft_hpcc_flows *flows, struct weft_hpcc_pairs *out,
                            struct weft_err *err)
{
    size_t nflows = flows ? flows->n : 0;
    struct search s;
    *out = (struct weft_hpcc_pairs){0};
    if (open_search(&s, f, payload_bytes, err))
        return err->code;
    s.first = (size_t *)calloc((size_t)f->nhosts + 1, sizeof *s.first);
    s.next = (size_t *)calloc(nflows + 1, sizeof *s.next);
    int rc = 0;
    if (s.first && s.next) {
        for (uint32_t h = 0; h < f->nhosts; h++)
            s.first[h] = SIZE_MAX;
        for (size_t i = nflows; i-- > 0;) {
            uint32_t dst = f->nodes[flows->list[i].dst].host;
            s.next[i] = s.first[dst];
            s.first[dst] = i;
        }
        for (uint32_t h = 0; h < f->nhosts; h++) {
            search_from(&s, f->hosts[h]);
            take_results(&s, h, flows, out);
        }
    } else {
        rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for the base RTTs of %u hosts",
                          f->nhosts);
    }
    free(s.first);
    free(s.next);
    close_search(&s);
    return rc;
}

enum { KEPT_BYTES = 64 << 20 }; /* of pairs looked up */

struct pair {
    uint64_t rtt_ns, bw_bps;
};

struct weft_hpcc_pair_table {
    struct search s;
    struct pair *rows;     /* a row per destination, by source host */
    uint32_t *row;         /* of a destination host, + 1; 0: none */
    uint32_t *destination; /* whose row it is */
    uint32_t nrows, used, oldest;
};

struct weft_hpcc_pair_table *weft_hpcc_pair_table_new(const struct weft_fabric *f,
                                                      uint64_t payload_bytes, struct weft_err *err)
{
    struct weft_hpcc_pair_table *t = (struct weft_hpcc_pair_table *)calloc(1, sizeof *t);
    const size_t kept = KEPT_BYTES / (f->nhosts * sizeof(struct pair));
    if (!t || open_search(&t->s, f, payload_bytes, err)) {
        free(t);
        return NULL;
    }
    t->s.hosts_forward = true;
    t->nrows = kept < 1 ? 1 : kept < f->nhosts ? (uint32_t)kept : f->nhosts;
    t->rows = (struct pair *)calloc((size_t)t->nrows * f->nhosts, sizeof *t->rows);
    t->row = (uint32_t *)calloc(f->nhosts, sizeof *t->row);
    t->destination = (uint32_t *)calloc(t->nrows, sizeof *t->destination);
    if (t->rows && t->row && t->destination)
        return t;
    weft_hpcc_pair_table_free(t);
    weft_err_set(err, WEFT_E_LIMIT, "out of memory for the base RTTs of %u hosts", f->nhosts);
    return NULL;
}

void weft_hpcc_pair_table_free(struct weft_hpcc_pair_table *t)
{
    if (!t)
        return;
    close_search(&t->s);
    free(t->rows);
    free(t->row);
    free(t->destination);
    free(t);
}

/* Searches from a destination, in place of the one that was first when all rows are in use. */
static uint32_t add_row(struct weft_hpcc_pair_table *t, uint32_t dst)
{
    const struct weft_fabric *f = t->s.f;
    const uint32_t row = t->used < t->nrows ? t->used++ : t->oldest++ % t->nrows;
    if (t->row[t->destination[row]] == row + 1)
        t->row[t->destination[row]] = 0;
    t->destination[row] = dst;
    t->row[dst] = row + 1;
    search_from(&t->s, f->hosts[dst]);
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const uint32_t node = f->hosts[h];
        t->rows[(size_t)row * f->nhosts + h] =
            t->s.seen[node] == f->hosts[dst] + 1
                ? (struct pair){rtt_ns(&t->s, node), t->s.bw_bps[node]}
                : (struct pair){0, UINT64_MAX};
    }
    return row;
}

void weft_hpcc_pair_table_find(struct weft_hpcc_pair_table *t, uint32_t src, uint32_t dst,
                               struct weft_hpcc_flow *out)
{
    const uint32_t row = t->row[dst] ? t->row[dst] - 1 : add_row(t, dst);
    const struct pair *p = &t->rows[(size_t)row * t->s.f->nhosts + src];
    out->rtt_ns = p->rtt_ns;
    out->bw_bps = p->bw_bps;
}

uint64_t weft_hpcc_standalone_ns(const struct weft_hpcc_flow *w, uint64_t payload_bytes)
{
    uint64_t packets = w->bytes ? (w->bytes - 1) / payload_bytes + 1 : 1;
    weft_u128 wire = (weft_u128)packets * WEFT_HPCC_HEADER_BYTES + w->bytes;
    return w->rtt_ns + (uint64_t)(wire * 8 * NS_PER_S / w->bw_bps);
}
