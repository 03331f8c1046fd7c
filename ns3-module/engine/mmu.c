/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch's shared buffer, priority flow control and ECN marking.
 *
 * Accounting follows the ingress: a packet belongs to the (port, priority) that it came in through
 * until it leaves.
 * Each (port, priority) first fills its reserve, then takes from the shared pool up to the dynamic
 * threshold alpha x free (Choudhury, Hahne 1998); beyond it a lossless priority uses the headroom
 * of its port and a
 * lossy one drops. The packet that crosses the threshold goes to headroom whole. XOFF when headroom
 * is in use or the threshold is
 * reached, XON when headroom is empty and the shared use is xon-offset below the threshold; both
 * are
 * evaluated when a packet of that (port, priority) enters or leaves, as in the HPCC simulator.
 * Unlike there, thresholds
 * saturate at zero and can never promise more than is free, so the buffer cannot overflow.
 */
#include "internal.h"

#include "topologies/deadlock.h"

#include <stdio.h>
#include <string.h>

static inline bool lossless(const struct weft_engine *e, uint32_t prio)
{
    return e->p.pfc.enabled && (e->p.pfc.prios >> prio & 1);
}

/* Headroom of one (ingress port, lossless priority). */
static uint64_t headroom_bytes(const struct weft_engine_params *p, const struct weft_fabric_link *l)
{
    if (!p->pfc.enabled)
        return 0;
    if (p->pfc.headroom_bytes)
        return p->pfc.headroom_bytes;
    if (p->pfc.headroom_mode == WEFT_HEADROOM_HPCC)
        return (uint64_t)((unsigned __int128)l->rate_bps * (uint64_t)l->delay_ps * 3 / 8 /
                          (uint64_t)WEFT_PS_PER_S);
    unsigned __int128 flight = (unsigned __int128)l->rate_bps * (uint64_t)l->delay_ps * 2;
    uint64_t full = p->transport.mtu_bytes + p->transport.header_bytes + p->transport.gap_bytes + 3;
    return (uint64_t)(flight / 8 / (uint64_t)WEFT_PS_PER_S) + 1 + 3 * full + p->pfc.frame_bytes +
           p->transport.gap_bytes;
}

/* What one switch must set aside; the shared pool is the rest. */
static void set_aside(const struct weft_engine_params *p, const struct weft_fabric *f,
                      uint32_t node, uint64_t *headroom, uint64_t *reserve)
{
    const struct weft_fabric_node *n = &f->nodes[node];
    uint32_t lossless_prios =
        p->pfc.enabled ? (uint32_t)__builtin_popcount((unsigned)p->pfc.prios) : 0;
    *headroom = 0;
    for (uint32_t k = 0; k < n->nports; k++)
        *headroom +=
            lossless_prios * headroom_bytes(p, &f->links[f->ports[n->first_port + k].link]);
    *reserve = (uint64_t)n->nports * p->sw.reserve_bytes *
               (p->sw.reserve_scope == WEFT_RESERVE_PORT ? 1 : WEFT_PRIOS);
}

uint64_t channel_prios(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    return f->vcs > 1 ? p->pfc.prios | p->pfc.prios << 1 : p->pfc.prios;
}

/* A lossless priority p takes p + 1 as its second virtual channel, which must be free; without
 * datelines the routes must not be able to deadlock. */
static int check_channels(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_engine_params *p = &c->params;
    if (!p->pfc.enabled || !p->pfc.prios)
        return 0;
    uint64_t second = c->fabric->vcs > 1 ? p->pfc.prios << 1 : 0;
    uint64_t used = p->pfc.prios | UINT64_C(1) << p->transport.data_prio |
                    UINT64_C(1) << p->transport.ack_prio | UINT64_C(1) << p->transport.cnp_prio;
    if (second & (used | ~UINT64_C(255)))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "the second virtual channel of lossless priority %d is priority %d, which must be "
            "free; "
            "move pfc.prios, transport.data-prio, .ack-prio or .cnp-prio, or set vcs=1",
            __builtin_ctzll(second & (used | ~UINT64_C(255))) - 1,
            __builtin_ctzll(second & (used | ~UINT64_C(255))));
    if (p->pfc.allow_deadlock)
        return 0;
    int rc = weft_deadlock_check(c->fabric, err);
    if (rc == WEFT_E_INPUT && err) {
        size_t n = strlen(err->msg);
        snprintf(
            err->msg + n, sizeof err->msg - n,
            "; set vcs=2 in the topology, pfc.enabled=false, or pfc.allow-deadlock=true to see "
            "what happens");
    }
    return rc;
}

int mmu_check_config(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    uint64_t buffer = c->params.sw.buffer_bytes;
    struct weft_engine_params p = c->params;
    p.pfc.prios = channel_prios(&p, f);
    int rc = check_channels(c, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (!weft_fabric_forwards(f, i))
            continue;
        uint64_t headroom, reserve;
        set_aside(&p, f, i, &headroom, &reserve);
        if (headroom + reserve < buffer)
            continue;
        char name[WEFT_NODE_NAME_MAX], a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX],
            d[WEFT_UNIT_TEXT_MAX];
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch %s (%u ports): PFC headroom of %s plus reserve of %s leaves nothing of the "
            "%s buffer to share; raise switch.buffer, or lower pfc.headroom or switch.reserve",
            weft_fabric_node_name(f, i, name), f->nodes[i].nports, weft_human_size(headroom, a),
            weft_human_size(reserve, b), weft_human_size(buffer, d));
    }
    return 0;
}

void weft_engine_buffer_sums(const struct weft_engine_config *c, struct weft_engine_buffers *out)
{
    struct weft_engine_params p = c->params;
    p.pfc.prios = channel_prios(&p, c->fabric);
    *out = (struct weft_engine_buffers){0};
    for (uint32_t i = 0; i < c->fabric->nnodes; i++) {
        uint64_t headroom, reserve;
        if (!weft_fabric_forwards(c->fabric, i))
            continue;
        set_aside(&p, c->fabric, i, &headroom, &reserve);
        out->nodes++;
        out->buffer_bytes += p.sw.buffer_bytes;
        out->headroom_bytes += headroom;
        out->reserve_bytes += reserve;
    }
}

/* The ingress alpha of a port: switch.alpha, doubled per doubling of its rate over the first
 * host's when so asked. */
static uint64_t port_alpha(const struct weft_engine *e, uint64_t rate_bps)
{
    uint64_t alpha = (uint64_t)(e->p.sw.alpha * 65536.0 + 0.5);
    if (!e->p.sw.alpha_by_rate)
        return alpha;
    const struct weft_fabric *f = e->fabric;
    uint64_t base = f->links[f->ports[f->nodes[f->hosts[0]].first_port].link].rate_bps;
    for (; rate_bps > base && alpha < 65536; base *= 2)
        alpha *= 2;
    return alpha;
}

/* Finds RATE:KMIN:KMAX:PMAX for a rate in ecn.rate-map; 1: found, 0: not there, < 0: malformed. */
static int map_entry(const char *map, uint64_t rate_bps, uint64_t *kmin, uint64_t *kmax,
                     double *pmax, struct weft_err *err)
{
    for (const char *at = map; *at;) {
        char text[4][32];
        int used = 0;
        uint64_t rate;
        if (sscanf(at, "%31[^:,]:%31[^:,]:%31[^:,]:%31[^:,]%n", text[0], text[1], text[2], text[3],
                   &used) != 4 ||
            (at[used] && at[used] != ','))
            return weft_err_set(
                err, WEFT_E_INPUT,
                "ecn.rate-map at '%.40s': write RATE:KMIN:KMAX:PMAX, comma-separated", at);
        if (weft_parse_rate_bps(text[0], &rate, err) || weft_parse_size_bytes(text[1], kmin, err) ||
            weft_parse_size_bytes(text[2], kmax, err) || weft_parse_f64(text[3], pmax, err))
            return weft_err_prepend(err, "ecn.rate-map");
        if (*kmin > *kmax || *pmax < 0 || *pmax > 1)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "ecn.rate-map: KMIN must not exceed KMAX, PMAX is 0 to 1, in '%.40s'", at);
        if (rate == rate_bps)
            return 1;
        at += used + (at[used] == ',');
    }
    return 0;
}

/* The marking curve of a port. */
static int port_marking(const struct weft_ecn_params *c, uint64_t rate_bps, struct port *p,
                        struct weft_err *err)
{
    double pmax = c->pmax;
    p->kmin = c->kmin_bytes;
    p->kmax = c->kmax_bytes;
    if (c->rate_map && *c->rate_map) {
        int found = map_entry(c->rate_map, rate_bps, &p->kmin, &p->kmax, &pmax, err);
        char text[WEFT_UNIT_TEXT_MAX];
        if (found < 0)
            return found;
        if (!found)
            return weft_err_set(err, WEFT_E_INPUT, "ecn.rate-map has no entry for links of %s",
                                weft_format_rate(rate_bps, text));
    } else if (c->scale_rate_bps) {
        p->kmin = (uint64_t)((unsigned __int128)p->kmin * rate_bps / c->scale_rate_bps);
        p->kmax = (uint64_t)((unsigned __int128)p->kmax * rate_bps / c->scale_rate_bps);
    }
    p->mark_slope = p->kmax > p->kmin ? pmax / (double)(p->kmax - p->kmin) : 0;
    return 0;
}

int mmu_init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    e->mmus = calloc(f->nnodes ? f->nnodes : 1, sizeof *e->mmus);
    if (!e->mmus)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u switches", f->nnodes);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (!weft_fabric_forwards(f, i))
            continue;
        uint64_t headroom, reserve;
        set_aside(&e->p, f, i, &headroom, &reserve);
        e->mmus[i].shared_cap = e->p.sw.buffer_bytes - headroom - reserve;
        e->mmus[i].egress_alpha_q16 = (uint64_t)(e->p.sw.egress_alpha * 65536.0 + 0.5);
    }
    for (uint32_t i = 0; i < f->nports; i++) {
        const struct weft_fabric_link *l = &f->links[f->ports[i].link];
        struct port *p = &e->ports[i];
        p->headroom = (uint32_t)headroom_bytes(&e->p, l);
        p->alpha_q16 = port_alpha(e, l->rate_bps);
        if (port_marking(&e->p.ecn, l->rate_bps, p, err))
            return WEFT_E_INPUT;
    }
    return 0;
}

static inline uint64_t threshold(const struct mmu *m, const struct port *in)
{
    uint64_t free = m->shared_cap - m->shared_used;
    uint64_t t = free * in->alpha_q16 >> 16;
    return t < free ? t : free;
}

static inline uint64_t above(uint64_t bytes, uint64_t reserve)
{
    return bytes > reserve ? bytes - reserve : 0;
}

bool mmu_would_resume(const struct weft_engine *e, uint32_t in, uint64_t normal, uint64_t headroom,
                      uint64_t shared)
{
    const struct port *p = &e->ports[in];
    struct mmu m = e->mmus[p->node];
    m.shared_used = shared;
    uint64_t left = above(normal, e->p.sw.reserve_bytes);
    return headroom == 0 && (left == 0 || left + e->p.pfc.xon_offset_bytes <= threshold(&m, p));
}

enum weft_drop_reason mmu_admit(struct weft_engine *e, const struct pkt *k, uint32_t in,
                                uint32_t out)
{
    struct port *p = &e->ports[in];
    struct mmu *m = &e->mmus[p->node];
    const uint32_t prio = k->in_prio;
    const uint64_t size = k->frame, reserve = e->p.sw.reserve_bytes;
    const bool safe = lossless(e, prio);
    uint64_t held = above(p->in_bytes[prio], reserve);
    uint64_t after = above(p->in_bytes[prio] + size, reserve);
    bool shared_ok = after == 0;
    if (!shared_ok) {
        uint64_t free = m->shared_cap - m->shared_used, grow = after - held;
        uint64_t limit = free * p->alpha_q16 >> 16;
        shared_ok = after <= limit && grow <= free;
    }
    if (!safe) {
        uint64_t free = m->shared_cap - m->shared_used;
        uint64_t limit = free * m->egress_alpha_q16 >> 16;
        uint64_t queue = e->ports[out].qbytes[prio];
        if (!shared_ok || (after > 0 && queue + size > reserve && queue + size - reserve > limit))
            return WEFT_DROP_BUFFER;
    } else if (!shared_ok && p->in_hdrm[prio] + size > p->headroom) {
        return WEFT_DROP_HEADROOM;
    }
    if (shared_ok) {
        p->in_bytes[prio] += (uint32_t)size;
        m->shared_used += after - held;
    } else {
        p->in_hdrm[prio] += (uint32_t)size;
    }
    m->used += size;
    if (safe && !(p->xoff_sent & 1u << prio) &&
        (p->in_hdrm[prio] > 0 ||
         (after > 0 && above(p->in_bytes[prio], reserve) >= threshold(m, p)))) {
        p->xoff_sent |= (uint8_t)(1u << prio);
        pfc_send(e, in, prio, true);
    }
    return WEFT_DROP_REASONS;
}

void mmu_release(struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    struct port *p = &e->ports[k->in_port];
    struct mmu *m = &e->mmus[e->ports[out].node];
    const uint32_t prio = k->in_prio;
    const uint32_t size = k->frame;
    const uint64_t reserve = e->p.sw.reserve_bytes;
    uint32_t from_headroom = p->in_hdrm[prio] < size ? p->in_hdrm[prio] : size;
    p->in_hdrm[prio] -= from_headroom;
    uint64_t held = above(p->in_bytes[prio], reserve);
    p->in_bytes[prio] -= size - from_headroom;
    uint64_t left = above(p->in_bytes[prio], reserve);
    m->shared_used -= held - left;
    m->used -= size;
    if ((p->xoff_sent & 1u << prio) && p->in_hdrm[prio] == 0 &&
        (left == 0 || left + e->p.pfc.xon_offset_bytes <= threshold(m, p))) {
        p->xoff_sent &= (uint8_t) ~(1u << prio);
        pfc_send(e, k->in_port, prio, false);
    }
}

void ecn_mark(struct weft_engine *e, uint32_t i, uint32_t out, uint64_t qbytes)
{
    struct port *p = &e->ports[out];
    if (qbytes <= p->kmin)
        return;
    if (qbytes <= p->kmax &&
        weft_rng_f64(&p->ecn_rng) >= (double)(qbytes - p->kmin) * p->mark_slope)
        return;
    struct pkt *k = pkt_at(e, i);
    if (k->flags & PKT_CE)
        return;
    k->flags |= PKT_CE;
    p->st.ecn_marks++;
    e->tot.ecn_marks++;
    if (e->hooks.ecn_mark) {
        struct weft_engine_pkt_view v;
        pkt_view(e, i, &v);
        e->hooks.ecn_mark(e->hooks.ctx, e->now, out, &v);
    }
}
