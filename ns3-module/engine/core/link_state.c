/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links that fail and come back; link_change.c has the other changes and the entry.
 *
 * When a link goes down: what is on it is lost when it would have arrived, what waits for it at
 * both ends is dropped at once, and PFC forgets what the two ends had asked of each other. Routes
 * are recomputed over what is left, everywhere at the same instant; so no packet loops, but one
 * that reaches a switch without a route is dropped there (counted at the port it came in through).
 * Lost packets are the business of the transport: its retransmission timer, or a NACK.
 *
 * QPs whose host has another link that leads to the destination move to it. A QP between hosts that
 * no path joins, or only one whose MTU is smaller than its packets, is parked: it sends nothing and
 * its timer stands still, as if the routing had told the host. When a path returns it sends again
 * from the oldest unacknowledged packet. A run in which only parked QPs are left comes to its end
 * by itself, and the explanation names the links.
 *
 * A port whose link is down counts as busy for ever, which costs the sending path nothing. When the
 * link comes back before the packet that it cut off would have ended, the port stays busy until
 * then: what it sends next can't overtake on the link what is lost there.
 */
#include "link_state.h"
#include "balance/ecmp.h"
#include "balance/steer.h"
#include "context.h"
#include "lazy.h"
#include "observe/delay.h"
#include "pkt.h"
#include "pkt_list.h"
#include "port.h"
#include "switch/mmu_admit.h"
#include "switch/pfc.h"
#include "transport/nic.h"
#include "transport/recovery.h"
#include "walk.h"

#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED 4u

/* ---- ports ---- */

void link_ends(const struct weft_engine *e, uint32_t link, uint32_t ends[2])
{
    ends[0] = weft_fabric_link_port(e->fabric, link);
    ends[1] = e->fabric->ports[ends[0]].peer;
}

static void reset_pfc(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    p->xoff_sent = 0;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        pfc_reset(e, port, k);
}

/* Drops what waits at a port; returns how many packets. */
static uint64_t drop_waiting(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    const uint64_t before = p->st.drops[WEFT_DROP_LINK];
    for (uint32_t n = 0;
         p->ctrl.head != NIL && walk_on(e, n, e->pkts.pool.n, "control frames of a port"); n++) {
        uint32_t i = p->ctrl.head;
        list_take(&p->ctrl, pkt_at(e, i));
        pkt_drop(e, i, port, WEFT_DROP_LINK);
    }
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        for (uint32_t n = 0;
             p->lane[k].q.head != NIL && walk_on(e, n, e->pkts.pool.n, "packets of a queue"); n++) {
            uint32_t i = p->lane[k].q.head;
            const struct pkt *d = pkt_at(e, i);
            list_take(&p->lane[k].q, d);
            p->lane[k].qbytes -= d->frame;
            p->qtotal -= d->frame;
            if (d->in_port != NIL)
                mmu_release(e, d, port, false);
            else
                mmu_made_left(e, d, port);
            histogram_note(e, port, k, p->lane[k].qbytes);
            if ((d->in_port != NIL || p->nic == NIL) && e->hooks.queue)
                e->hooks.queue(e->hooks.ctx, e->now, port, k, p->lane[k].qbytes);
            pkt_drop(e, i, port, WEFT_DROP_LINK);
        }
    p->nonempty = 0;
    return p->st.drops[WEFT_DROP_LINK] - before;
}

/* Returns how many packets on the link are lost. */
static uint64_t close_port(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    uint64_t lost = 0;
    if (p->busy_until_ps > e->now)
        p->st.busy_ps -= p->busy_until_ps - e->now;
    p->down = e->ends[port].lossy = true;
    e->links.ends_ps[port] = p->busy_until_ps;
    p->busy_until_ps = WEFT_NEVER;
    WALK_PKTS(e, i, e->ends[port].fly.head, "packets on a link") {
        lost += !(pkt_at(e, i)->flags & PKT_CUT); /* else it was, when the link went down before */
        pkt_at(e, i)->flags |= PKT_CUT;
    }
    return lost;
}

static void open_port(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    const int64_t ends_ps = e->links.ends_ps[port];
    p->down = p->sending = false;
    p->busy_until_ps = ends_ps > e->now ? ends_ps : e->now;
    p->st.busy_ps += p->busy_until_ps - e->now;
}

/* ---- QPs ---- */

/* Takes a QP out of its NIC's ready ring; an entry among the paced ones goes out of date by itself.
 */
static void unfile(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    if (snd->state != QP_READY)
        return;
    struct nic *n = &e->nics.of[e->ports[q->port].nic];
    struct list *l = &n->ready[snd->prio];
    uint32_t before = NIL;
    WALK_TURNS(e, i, l->head) {
        if (i == qi)
            break;
        before = i;
    }
    if (before == NIL)
        l->head = snd->next;
    else
        qp_at(e, before)->snd->next = snd->next;
    if (l->tail == qi)
        l->tail = before;
    if (l->head == NIL)
        n->ready_mask &= (uint8_t) ~(1u << snd->prio);
}

/* Whether a path leads all the way; @p first gets its first port, @p mtu the largest packet that it
 * takes. */
static bool leads(const struct weft_engine *e, const struct qp *q, bool forward, uint32_t *first,
                  uint32_t *mtu)
{
    uint32_t ports[MAX_PATH];
    const uint32_t n = ecmp_path(e, e->routing.routes, q, forward, ports);
    *mtu = UINT32_MAX;
    if (n == 0)
        return false;
    *first = ports[0];
    for (uint32_t h = 0; h < n; h++)
        if (e->ports[ports[h]].kind->mtu_bytes < *mtu)
            *mtu = e->ports[ports[h]].kind->mtu_bytes;
    const uint32_t end = e->ports[e->ends[ports[n - 1]].peer].node;
    return n == MAX_PATH || end == e->fabric->hosts[forward ? q->dst_host : q->src_host];
}

bool link_path_exists(const struct weft_engine *e, const struct qp *q)
{
    uint32_t first, mtu;
    return leads(e, q, true, &first, &mtu) && leads(e, q, false, &first, &mtu);
}

uint32_t link_path_mtu(const struct weft_engine *e, const struct qp *q)
{
    uint32_t first, mtu;
    return leads(e, q, true, &first, &mtu) ? mtu : 0;
}

/* Whether packets of a QP are longer than @p mtu. Frames are as long as their sender makes them. */
static bool too_long(const struct qp *q, uint32_t mtu)
{
    return q->own_prio != FRAME_PRIO && q->mtu_bytes > mtu;
}

/* ACKs of a QP leave by @p port from now on. */
static void answer_by(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t port)
{
    const uint32_t from = q->ack_port;
    q->ack_port = port;
    if (credited(q) && port != from)
        grant_moved(e, qi, from);
}

void link_reroute_qp(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    const uint32_t old = q->port;
    const bool sends = q->own_prio != FRAME_PRIO; /* else it stands for frames */
    const unsigned ends = peers_ends(e, q->src_host, q->dst_host);
    uint32_t port, ack_port, mtu, ack_mtu;
    q->ideal_ps = 0; /* another path, another time */
    if (!(ends & PEERS_SENDS)) {
        if (ends && leads(e, q, true, &port, &mtu) && !too_long(q, mtu) &&
            leads(e, q, false, &ack_port, &ack_mtu)) {
            q->port = port; /* ideal durations go by it */
            answer_by(e, q, qi, ack_port);
        }
        return;
    }
    if (sends)
        delay_tell(e, q);
    if (!leads(e, q, true, &port, &mtu) || too_long(q, mtu) ||
        !leads(e, q, false, &ack_port, &ack_mtu)) {
        unfile(e, q, qi);
        snd->state = QP_PARKED;
        snd->rto_at_ps = WEFT_NEVER;
        return;
    }
    answer_by(e, q, qi, ack_port);
    if (snd->state == QP_PARKED) {
        q->port = port;
        snd->state = QP_IDLE;
        if (sends)
            delay_aim(e, q);
        if (snd->nxt_psn > snd->una_psn)
            profile_of(q)->recovery->timeout(e, qi);
        else
            nic_wake(e, qi);
    } else if (port != old || (e->spread.steer && sends)) {
        unfile(e, q, qi);
        q->port = port;
        if (e->spread.steer && sends)
            e->spread.steer->aim(e, q);
        if (sends)
            delay_aim(e, q);
        snd->state = QP_IDLE;
        nic_wake(e, qi);
    }
}

/* ---- links ---- */

static int make_tables(struct weft_engine *e, struct weft_err *err)
{
    const uint32_t n = e->fabric->nlinks;
    if (e->links.down)
        return 0;
    e->links.down = calloc((size_t)n + 1, sizeof *e->links.down);
    e->links.since_ps = calloc((size_t)n + 1, sizeof *e->links.since_ps);
    e->links.ends_ps = calloc((size_t)e->fabric->nports + 1, sizeof *e->links.ends_ps);
    if (!e->links.down || !e->links.since_ps || !e->links.ends_ps)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the states of %u links", n);
    e->routing.intact = e->routing.routes;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) /* from now on each switch looks up its choice */
        memset(qp_at(e, i)->path, 0xff, sizeof qp_at(e, i)->path);
    return 0;
}

/* Routes over the links that are up in @p after. */
static int reroute(struct weft_engine *e, const uint8_t *after, struct weft_err *err)
{
    uint32_t left = 0;
    for (uint32_t l = 0; l < e->fabric->nlinks; l++)
        left += after[l];
    struct weft_routes *routes =
        left ? weft_routes_new_without(e->fabric, after, err) : e->routing.intact;
    if (!routes)
        return err ? err->code : WEFT_E_LIMIT;
    if (e->routing.routes != e->routing.intact)
        weft_routes_free(e->routing.routes);
    e->routing.routes = routes;
    e->links.ndown = left;
    e->ideal.now.routes++;
    return 0;
}

int link_states(struct weft_engine *e, struct weft_link_change *list, size_t n,
                const uint8_t *after, struct weft_err *err)
{
    uint32_t ends[2];
    struct weft_link_change **moved = calloc(n + 1, sizeof *moved);
    size_t nmoved = 0;
    int rc = moved ? make_tables(e, err) : weft_err_no_memory(err, "routes");
    if (!rc)
        rc = reroute(e, after, err);
    if (rc) {
        free(moved);
        return rc;
    }
    for (size_t i = 0; i < n; i++) {
        struct weft_link_change *c = &list[i];
        if (e->links.down[c->link] == after[c->link])
            continue;
        e->links.down[c->link] = after[c->link];
        e->links.since_ps[c->link] = e->now;
        moved[nmoved++] = c;
        link_ends(e, c->link, ends);
        for (int k = 0; k < 2; k++) {
            lazy_link_changes(e, ends[k]);
            if (after[c->link])
                c->lost_packets += close_port(e, ends[k]);
            else
                open_port(e, ends[k]);
        }
    }
    for (size_t i = 0; i < nmoved; i++) {
        link_ends(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && after[moved[i]->link]; k++)
            reset_pfc(e, ends[k]);
    }
    for (size_t i = 0; i < nmoved; i++) {
        link_ends(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && after[moved[i]->link]; k++)
            moved[i]->lost_packets += drop_waiting(e, ends[k]);
    }
    for (size_t i = 0; i < nmoved && e->hooks.link; i++)
        e->hooks.link(e->hooks.ctx, e->now, moved[i]->link, !after[moved[i]->link]);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        link_reroute_qp(e, i);
    for (size_t i = 0; i < nmoved; i++) {
        link_ends(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && !after[moved[i]->link]; k++)
            port_kick(e, ends[k]);
    }
    free(moved);
    return e->err.code ? weft_err_set(err, e->err.code, "%s", e->err.msg) : 0;
}

/* ---- explanation ---- */

uint64_t link_explain(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                      void *ctx)
{
    const struct weft_fabric *f = e->fabric;
    char text[640], a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], at[WEFT_UNIT_TEXT_MAX];
    uint32_t parked = 0, named = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        parked += qp_at(e, i)->snd->state == QP_PARKED && qp_at(e, i)->head_msg != NIL;
    if (e->peers)
        parked = (uint32_t)peers_sum(e, parked);
    if (!parked || !max)
        return 0;
    size_t used = (size_t)snprintf(
        text, sizeof text, "the fabric is partitioned: %u QPs have no path; links down:", parked);
    for (uint32_t l = 0; l < f->nlinks; l++) {
        if (!e->links.down[l] || named++ >= MAX_NAMED)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s-%s since %s",
                                 named > 1 ? "," : "", weft_fabric_node_name(f, f->links[l].a, a),
                                 weft_fabric_node_name(f, f->links[l].b, b),
                                 weft_format_time(e->links.since_ps[l], at));
    }
    if (named > MAX_NAMED)
        snprintf(text + used, sizeof text - used, " and %u more", named - MAX_NAMED);
    fn(ctx, text);
    return 1;
}
