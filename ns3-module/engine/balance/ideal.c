/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ideal duration of a message: the least that it can take from posting to its last byte at the
 * receiver, alone on the fabric, over the ways that its packets may take, each link at the best
 * rate that it had between the two. No message is faster, whatever happens; complete() (rc.c)
 * checks that.
 *
 * One way and links that stay as they are: the exact time of store and forward (path_time).
 *
 * Several ways (switch.balance packet by packet), still along routes that stay as they are: the
 * links that a packet may take as its h-th are layer h. All packets pass each of the layers, those
 * of a layer side by side, so the message takes at least, for every layer, the time in which the
 * first packet can get there, that in which its links carry all packets, and that in which the last
 * packet can get on from there. Of each layer the fastest link counts for a single packet. Packets
 * may overtake each other.
 *
 * Ways round (steer.h), or routes that changed on the way: the layers are the ports of the sender,
 * as many times the fastest link of the fabric as the fewest hops between the two hosts ask for,
 * and the ports of the receiver. A sender that is not steered uses one port after the other.
 */
#include "ideal.h"
#include "ecmp.h"
#include "core/context.h"
#include "core/gap.h"

#include "base/grow.h"
#include "base/int128.h"
#include "base/units.h"

#define KINDS 8u              /* kinds of links that a layer tells apart */
#define ANY_NUMBER UINT32_MAX /* of links: as many as there are packets */

/* Links that packets may take as their h-th. */
struct layer {
    struct {
        uint64_t q; /* ps per byte */
        int64_t prop_ps;
        uint64_t links;
    } kind[KINDS];
    uint32_t nkinds;
    uint32_t only;   /* the port, if it is but one */
    bool one_by_one; /* its links are used one after the other */
};

/* ---- what has changed ---- */

static bool fewest_hops_known(const struct weft_fabric *f)
{
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (f->links[l].cost > 1)
            return false;
    for (uint32_t d = 0; d < f->ndims && f->ndims > 1; d++)
        if (f->dims[d].spans)
            return false;
    return true;
}

int ideal_init(struct weft_engine *e, struct weft_err *err)
{
    struct ideal *w = &e->ideal;
    const uint32_t n = e->fabric->nnodes;
    w->fewest_hops = fewest_hops_known(e->fabric);
    if (!e->spread.balance)
        return 0;
    w->front = calloc(n, sizeof *w->front);
    w->next = calloc(n, sizeof *w->next);
    w->seen = calloc(n, sizeof *w->seen);
    if (!w->front || !w->next || !w->seen)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u nodes", n);
    return 0;
}

void ideal_fini(struct weft_engine *e)
{
    free(e->ideal.rates);
    free(e->ideal.front);
    free(e->ideal.next);
    free(e->ideal.seen);
}

int ideal_note_rate(struct weft_engine *e, uint32_t port, struct weft_err *err)
{
    struct ideal *w = &e->ideal;
    if (!WEFT_GROW(w->rates, w->now.rates, &w->rates_cap))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u changes of rates",
                            w->rates_cap);
    w->rates[w->now.rates++] = (struct rate_change){e->ports[port].ser_q, port};
    return 0;
}

struct weft_engine_mark weft_engine_now_mark(const struct weft_engine *e)
{
    return e->ideal.now;
}

uint64_t ideal_best_q(const struct weft_engine *e, uint32_t port, struct weft_engine_mark since)
{
    const struct ideal *w = &e->ideal;
    uint64_t best = port_ser_q(e, port);
    for (uint32_t i = since.rates; i < w->now.rates; i++)
        if (w->rates[i].port == port && w->rates[i].before_q < best)
            best = w->rates[i].before_q;
    return best;
}

/* ---- one way ---- */

static int64_t clamp_ps(weft_i128 ps)
{
    return ps > WEFT_NEVER ? WEFT_NEVER : (int64_t)ps;
}

/* How long packets last over @p ports. */
static int64_t path_time(const struct weft_engine *e, const struct journey *j,
                         const uint32_t *ports, uint32_t hops)
{
    /* All but the last packet are full: at hop h the k-th leaves at first(h) + k x slowest link so
       far. The last one leaves when it has arrived and its predecessor has left. One ahead that is
       no longer than they are holds up the first only at the slowest link so far, where the k-th
       waits as well. */
    weft_i128 ahead = 0, first = 0, last = 0;
    int64_t slowest = 0;
    for (uint32_t h = 0; h < hops; h++) {
        const uint64_t q = ideal_best_q(e, ports[h], j->since);
        const int64_t prop = link_of(e, ports[h])->delay_ps,
                      ser = gap_quantised(e->p.transport.quantum_ps, j->full, q);
        ahead += gap_quantised(e->p.transport.quantum_ps, j->ahead, q);
        first = (first > ahead ? first : ahead) + ser;
        if (ser > slowest)
            slowest = ser;
        const weft_i128 before =
            j->npkts > 1 ? first + (weft_i128)(j->npkts - 2) * slowest : ahead; /* has left hop h */
        last =
            (last > before ? last : before) + gap_quantised(e->p.transport.quantum_ps, j->tail, q);
        ahead += prop;
        first += prop;
        last += prop;
    }
    return clamp_ps(last);
}

/* ---- layers ---- */

static void add_links(struct layer *l, uint64_t q, int64_t prop_ps, uint64_t links)
{
    uint32_t k = 0;
    while (k < l->nkinds && (l->kind[k].q != q || l->kind[k].prop_ps != prop_ps))
        k++;
    if (k == KINDS) { /* too many to tell apart: one that is better than both */
        k--;
        l->kind[k].q = q < l->kind[k].q ? q : l->kind[k].q;
        l->kind[k].prop_ps = prop_ps < l->kind[k].prop_ps ? prop_ps : l->kind[k].prop_ps;
    } else if (k == l->nkinds) {
        l->kind[l->nkinds++].q = q;
        l->kind[k].prop_ps = prop_ps;
        l->kind[k].links = 0;
    }
    l->kind[k].links += links;
}

struct adding {
    const struct weft_engine *e;
    const struct journey *j;
    struct layer *l;
};

static void add_port(void *ctx, uint32_t port)
{
    const struct adding *a = ctx;
    const struct weft_engine *e = a->e;
    add_links(a->l, ideal_best_q(e, port, a->j->since), link_of(e, port)->delay_ps, 1);
    a->l->only = port;
}

static bool is_one(const struct layer *l)
{
    return l->nkinds == 1 && l->kind[0].links == 1;
}

/* The least time that @p bytes need from the beginning of one link of a layer to its end. */
static int64_t pass_ps(const struct weft_engine *e, const struct layer *l, uint64_t bytes)
{
    int64_t best = INT64_MAX;
    for (uint32_t k = 0; k < l->nkinds; k++) {
        const int64_t ps =
            gap_quantised(e->p.transport.quantum_ps, bytes, l->kind[k].q) + l->kind[k].prop_ps;
        best = ps < best ? ps : best;
    }
    return best;
}

static int64_t least_prop_ps(const struct layer *l)
{
    int64_t best = INT64_MAX;
    for (uint32_t k = 0; k < l->nkinds; k++)
        best = l->kind[k].prop_ps < best ? l->kind[k].prop_ps : best;
    return best;
}

/* Whether the links of a layer can have sent @p n packets of @p bytes by @p ps. */
static bool can_send(const struct weft_engine *e, const struct layer *l, uint64_t n, uint64_t bytes,
                     weft_i128 ps)
{
    weft_i128 sent = 0;
    for (uint32_t k = 0; k < l->nkinds; k++) {
        const int64_t ser = gap_quantised(e->p.transport.quantum_ps, bytes, l->kind[k].q);
        if (ser == 0)
            return true;
        sent += ps / ser * l->kind[k].links;
    }
    return sent >= (weft_i128)n;
}

/* The least time in which the links of a layer send @p n packets of @p bytes. */
static weft_i128 send_ps(const struct weft_engine *e, const struct layer *l, uint64_t n,
                         uint64_t bytes)
{
    weft_i128 lo = 0, hi = INT64_MAX;
    for (uint32_t k = 0; k < l->nkinds; k++) {
        const int64_t ser = gap_quantised(e->p.transport.quantum_ps, bytes, l->kind[k].q);
        const uint64_t links = l->one_by_one ? 1 : l->kind[k].links;
        const weft_i128 alone = (weft_i128)((n + links - 1) / links) * ser;
        hi = alone < hi ? alone : hi;
    }
    if (l->one_by_one || l->nkinds == 1)
        return hi;
    while (lo < hi) {
        const weft_i128 mid = (lo + hi) / 2;
        if (can_send(e, l, n, bytes, mid))
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* How long packets last at least through layers, of which the first sends up to @p overlaps packets
 * beside others where it uses its links one by one. */
static int64_t layers_time(const struct weft_engine *e, const struct journey *j,
                           const struct layer *layer, uint32_t n, uint64_t overlaps)
{
    weft_i128 best = 0, tail_after = 0, full_after = 0, tail_before = 0, full_before = 0;
    const uint64_t fulls = j->npkts - 1;
    const bool one_port = is_one(&layer[0]);
    /* out of one port they wait for the one ahead */
    const int64_t ahead =
        one_port ? gap_quantised(e->p.transport.quantum_ps, j->ahead, layer[0].kind[0].q) : 0;
    for (uint32_t h = 0; h < n; h++) {
        tail_after += pass_ps(e, &layer[h], j->tail);
        full_after += pass_ps(e, &layer[h], j->full);
    }
    if (fulls == 0)
        return clamp_ps(ahead + tail_after);
    for (uint32_t h = 0; h < n; h++) {
        const struct layer *l = &layer[h];
        const int64_t tail = pass_ps(e, l, j->tail), full = pass_ps(e, l, j->full);
        const uint64_t beside = !l->one_by_one ? 0 : overlaps < fulls ? overlaps : fulls;
        weft_i128 sending = send_ps(e, l, fulls - beside, j->full);
        tail_after -= tail;
        full_after -= full;
        /* the full packets */
        weft_i128 all = full_before + sending + least_prop_ps(l) + full_after;
        best = all > best ? all : best;
        /* all of them, of which any may come first and last */
        const weft_i128 before = tail_before < full_before ? tail_before : full_before;
        if (is_one(l)) {
            sending += gap_quantised(e->p.transport.quantum_ps, j->tail, l->kind[0].q);
            all = before + sending + least_prop_ps(l) + tail_after;
            best = all > best ? all : best;
        }
        full_before += full;
        /* out of one port the last packet comes last */
        tail_before += h == 0 && one_port ? sending + least_prop_ps(l) : tail;
    }
    return clamp_ps(ahead + best);
}

/* ---- the ways ---- */

/* The layers of packets that are balanced along the routes. Returns how many; fewer than the way
 * has where that is too long. */
static uint32_t along_routes(struct weft_engine *e, const struct journey *j, struct layer *layer,
                             uint32_t *only)
{
    struct ideal *w = &e->ideal;
    const uint32_t dst = e->fabric->hosts[j->dst_host];
    uint32_t h = 0, nfront = 0;
    bool there = far_node(e, j->q->port) == dst;
    struct adding a = {e, j, &layer[0]};
    layer[0] = (struct layer){0};
    add_port(&a, j->q->port);
    w->front[nfront++] = far_node(e, j->q->port);
    while (!there && nfront && ++h < MAX_PATH) {
        uint32_t nnext = 0;
        w->round++;
        a.l = &layer[h];
        layer[h] = (struct layer){0};
        for (uint32_t i = 0; i < nfront; i++) {
            const struct weft_route_group g =
                weft_routes_lookup(e->routing.routes, w->front[i], j->dst_host);
            for (uint32_t k = 0; k < g.n; k++) {
                const uint32_t to = far_node(e, g.ports[k]);
                add_port(&a, g.ports[k]);
                there |= to == dst;
                if (w->seen[to] == w->round)
                    continue;
                w->seen[to] = w->round;
                w->next[nnext++] = to;
            }
        }
        uint32_t *const swap = w->front;
        w->front = w->next;
        w->next = swap;
        nfront = nnext;
    }
    const uint32_t n = h < MAX_PATH ? h + 1 : MAX_PATH;
    for (uint32_t i = 0; i < n; i++)
        only[i] = is_one(&layer[i]) ? layer[i].only : NIL;
    return n;
}

/* Fewest links between two hosts, whatever links are down. */
static uint32_t fewest_hops(const struct weft_engine *e, const struct journey *j)
{
    const struct weft_fabric *f = e->fabric;
    const struct weft_fabric_node *a = &f->nodes[f->hosts[j->src_host]];
    const struct weft_fabric_node *b = &f->nodes[f->hosts[j->dst_host]];
    if (e->ideal.fewest_hops) {
        uint32_t ports[MAX_PATH];
        const uint32_t n = ecmp_path(e, e->routing.intact ? e->routing.intact : e->routing.routes,
                                     j->q, j->forward, ports);
        if (n)
            return n;
    }
    uint32_t least = 3;
    for (uint32_t p = a->first_port; p < a->first_port + a->nports; p++) {
        const uint32_t at = far_node(e, p);
        if (at == f->hosts[j->dst_host])
            return 1;
        for (uint32_t r = b->first_port; r < b->first_port + b->nports; r++)
            least = far_node(e, r) == at ? 2 : least;
    }
    return least;
}

/* The layers of packets that go any way. */
static uint32_t any_way(const struct weft_engine *e, const struct journey *j, bool rerouted,
                        struct layer *layer)
{
    const struct weft_fabric *f = e->fabric;
    const struct weft_fabric_node *a = &f->nodes[f->hosts[j->src_host]];
    const struct weft_fabric_node *b = &f->nodes[f->hosts[j->dst_host]];
    const bool steered = e->spread.steer && j->forward;
    const uint32_t n = fewest_hops(e, j);
    struct adding to = {e, j, &layer[0]};
    for (uint32_t h = 0; h < n; h++)
        layer[h] = (struct layer){0};
    if (steered && !rerouted)
        e->spread.steer->exits(e, j->q, add_port, &to);
    else
        for (uint32_t p = a->first_port; p < a->first_port + a->nports; p++)
            add_port(&to, p);
    layer[0].one_by_one = !steered && !is_one(&layer[0]);
    for (uint32_t h = 1; h + 1 < n; h++)
        for (const struct port_kind *k = e->mmu.kinds; k; k = k->next)
            add_links(&layer[h], gap_of_rate(k->rate_bps), k->delay_ps, ANY_NUMBER);
    if (n > 1) {
        to.l = &layer[n - 1];
        for (uint32_t p = b->first_port; p < b->first_port + b->nports; p++)
            add_port(&to, f->ports[p].peer);
    }
    return n;
}

int64_t ideal_ps(struct weft_engine *e, const struct journey *j)
{
    struct layer layer[MAX_PATH];
    uint32_t only[MAX_PATH];
    const uint32_t changes = e->ideal.now.routes - j->since.routes;
    if (changes || (e->spread.steer && j->forward)) {
        const uint32_t n = any_way(e, j, changes > 0, layer);
        return layers_time(e, j, layer, n, changes);
    }
    if (!j->forward || !profile_of(j->q)->pick) {
        const uint32_t n = ecmp_path(e, e->routing.routes, j->q, j->forward, only);
        return path_time(e, j, only, n);
    }
    const uint32_t n = along_routes(e, j, layer, only);
    for (uint32_t h = 0; h < n; h++)
        if (only[h] == NIL)
            return layers_time(e, j, layer, n, 0);
    return path_time(e, j, only, n);
}
