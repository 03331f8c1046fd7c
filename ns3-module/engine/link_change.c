/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of links: several at one instant, such as all links of a switch that fails, are one
 * change of the routes.
 *
 * When a link goes down: what is on it is lost when it would have arrived, what waits for it at
 * both ends is dropped at once, and PFC forgets what the two ends had asked of each other. Routes
 * are recomputed over what is left, everywhere at the same instant; so no packet loops, but one
 * that reaches a switch without a route is dropped there (counted at the port it came in through).
 * Lost packets are the business of the transport: its retransmission timer, or a NACK. QPs move to
 * other ports, or are parked (reroute.c). A run in which only parked QPs are left comes to its end
 * by itself, and the explanation names the links.
 *
 * A link that loses speed, in one direction or both, serialises the next packet at its new rate;
 * the one being sent keeps the old. Switches stamp the new rate (INT, PINT), and PFC quanta are bit
 * times of it. Configured values stay as they were, as in a switch whose port has renegotiated its
 * speed: headroom, thresholds of the buffer and of ECN (those of ECN and of lossy egress queues
 * change in proportion if so asked), and what the congestion control was told of its path. Routes
 * count hops, so they stay, too.
 *
 * Bit errors strike each bit of a frame independently: a frame of n bytes is lost with probability
 * 1 - (1 - BER)^8n. ACKs and PFC frames are frames like others.
 */
#include "balance/ideal.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/gap.h"
#include "core/executor.h"
#include "switch/lazy.h"
#include "switch/switch.h"
#include "switch/mmu.h"
#include "transport/reroute.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check_change(const struct weft_engine *e, const struct weft_link_change *c,
                        struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    if (c->link >= f->nlinks)
        return weft_err_set(err, WEFT_E_INPUT, "link %u, but the fabric has links 0 to %u", c->link,
                            f->nlinks - 1);
    if (c->kind == WEFT_LINK_RATE && (c->rate_bps == 0 || c->rate_bps > f->links[c->link].rate_bps))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "link %u cannot change its rate to %s: it was built for %s, and buffers "
            "and congestion control for that",
            c->link, weft_format_rate(c->rate_bps, a),
            weft_format_rate(f->links[c->link].rate_bps, b));
    if (c->kind == WEFT_LINK_BIT_ERRORS && !(c->bit_error_rate >= 0 && c->bit_error_rate <= 1))
        return weft_err_set(err, WEFT_E_INPUT, "link %u: a bit error rate of %g is not 0 to 1",
                            c->link, c->bit_error_rate);
    return 0;
}

/* The states that the links have after the changes; NULL when none goes down or comes up. */
static int states_after(const struct weft_engine *e, const struct weft_link_change *list, size_t n,
                        uint8_t **after, struct weft_err *err)
{
    const uint32_t nlinks = e->fabric->nlinks;
    bool differ = false;
    *after = calloc((size_t)nlinks + 1, 1);
    if (!*after)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the states of %u links", nlinks);
    for (uint32_t l = 0; l < nlinks && e->links.down; l++)
        (*after)[l] = e->links.down[l];
    for (size_t i = 0; i < n; i++)
        if (list[i].kind <= WEFT_LINK_UP)
            (*after)[list[i].link] = list[i].kind == WEFT_LINK_DOWN;
    for (size_t i = 0; i < n; i++)
        differ |= (*after)[list[i].link] != (e->links.down && e->links.down[list[i].link]);
    if (!differ) {
        free(*after);
        *after = NULL;
    }
    return 0;
}

static int make_link_tables(struct weft_engine *e, struct weft_err *err)
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
        memset(qp_at(e, i)->path, 0, sizeof qp_at(e, i)->path);
    return 0;
}

/* Routes over the links that are up in @p after. */
static int recompute_routes(struct weft_engine *e, const uint8_t *after, struct weft_err *err)
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

static int change_states(struct weft_engine *e, struct weft_link_change *list, size_t n,
                         const uint8_t *after, struct weft_err *err)
{
    uint32_t ends[2];
    struct weft_link_change **moved = calloc(n + 1, sizeof *moved);
    size_t nmoved = 0;
    int rc = moved ? make_link_tables(e, err) : weft_err_no_memory(err, "routes");
    if (!rc)
        rc = recompute_routes(e, after, err);
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
        link_ports(e, c->link, ends);
        for (int k = 0; k < 2; k++) {
            lazy_link_changes(e, ends[k]);
            if (after[c->link])
                c->lost_packets += link_port_close(e, ends[k]);
            else
                link_port_open(e, ends[k]);
        }
    }
    for (size_t i = 0; i < nmoved; i++) {
        link_ports(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && after[moved[i]->link]; k++)
            link_port_reset_pfc(e, ends[k]);
    }
    for (size_t i = 0; i < nmoved; i++) {
        link_ports(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && after[moved[i]->link]; k++)
            moved[i]->lost_packets += link_port_drop_waiting(e, ends[k]);
    }
    for (size_t i = 0; i < nmoved && e->hooks.link; i++)
        e->hooks.link(e->hooks.ctx, e->now, moved[i]->link, !after[moved[i]->link]);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        reroute_qp(e, i);
    for (size_t i = 0; i < nmoved; i++) {
        link_ports(e, moved[i]->link, ends);
        for (int k = 0; k < 2 && !after[moved[i]->link]; k++)
            e->port_ops.kick(e, ends[k]);
    }
    free(moved);
    return e->err.code ? weft_err_set(err, e->err.code, "%s", e->err.msg) : 0;
}

static int change_rate(struct weft_engine *e, const struct weft_link_change *c,
                       struct weft_err *err)
{
    uint32_t ends[2];
    link_ports(e, c->link, ends);
    for (int i = 0; i < 2; i++) {
        struct port *p = &e->ports[ends[i]];
        const bool forward = p->node == e->fabric->links[c->link].a;
        if (c->direction != WEFT_LINK_BOTH && forward != (c->direction == WEFT_LINK_FORWARD))
            continue;
        const struct port_kind *kind = mmu_kind_at_rate(e, p->kind, c->rate_bps, c->scaled);
        if (!kind)
            return weft_err_no_memory(err, "the constants of ports");
        if (ideal_note_rate(e, ends[i], err))
            return WEFT_E_LIMIT;
        p->kind = kind;
        p->ser_q = gap_of_rate(c->rate_bps);
    }
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        qp_at(e, i)->ideal_ps = 0; /* another rate, another time */
    return 0;
}

static void change_errors(struct weft_engine *e, const struct weft_link_change *c)
{
    uint32_t ends[2];
    link_ports(e, c->link, ends);
    for (int i = 0; i < 2; i++) {
        struct link_end *l = &e->ends[ends[i]];
        l->byte_log = 8 * log1p(-c->bit_error_rate);
        l->rare |= c->bit_error_rate > 0 ? LINK_LOSES : 0;
    }
}

int weft_engine_change_links(struct weft_engine *e, struct weft_link_change *list, size_t n,
                             struct weft_err *err)
{
    uint8_t *after;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        list[i].lost_packets = 0;
        rc = check_change(e, &list[i], err);
    }
    if (rc || (rc = states_after(e, list, n, &after, err)))
        return rc;
    lazy_catch_up(e);
    extension_disturb(e);
    e->stall.changed_ps = e->now;
    if (after)
        rc = change_states(e, list, n, after, err);
    free(after);
    for (size_t i = 0; i < n && !rc; i++) {
        if (list[i].kind == WEFT_LINK_RATE)
            rc = change_rate(e, &list[i], err);
        else if (list[i].kind == WEFT_LINK_BIT_ERRORS)
            change_errors(e, &list[i]);
    }
    windows_choose(e);
    if (e->peers)
        e->executor->links_changed(e, list, n);
    window_report_pauses(e, WEFT_NEVER); /* of pauses that went with the links */
    return rc;
}

const uint8_t *weft_engine_links_down(const struct weft_engine *e)
{
    return e->links.down;
}
