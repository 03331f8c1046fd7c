/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of links: several at one instant, such as all links of a switch that fails, are one
 * change of the routes. link_state.c has what going down and coming up mean.
 *
 * A link that loses speed, in one direction or both, serialises the next packet at its new rate;
 * the one being sent keeps the old. Switches stamp the new rate (INT, PINT), and PFC quanta are bit
 * times of it. What is configured stays as it was, as in a switch whose port has renegotiated its
 * speed: headroom, thresholds of the buffer and of ECN (those of ECN and of lossy egress queues
 * change in proportion if so asked), and what the congestion control was told of its path. Routes
 * count hops, so they stay, too.
 *
 * Bit errors strike each bit of a frame independently: a frame of n bytes is lost with probability
 * 1 - (1 - BER)^8n. ACKs and PFC frames are frames like others.
 */
#include "context.h"
#include "gap.h"
#include "lazy.h"
#include "link_state.h"
#include "observe/ideal.h"
#include "parallel/window.h"
#include "replay/replay.h"
#include "switch/mmu.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

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

static int change_rate(struct weft_engine *e, const struct weft_link_change *c,
                       struct weft_err *err)
{
    uint32_t ends[2];
    link_ends(e, c->link, ends);
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
    link_ends(e, c->link, ends);
    for (int i = 0; i < 2; i++) {
        struct link_end *l = &e->ends[ends[i]];
        l->byte_log = 8 * log1p(-c->bit_error_rate);
        l->lossy |= c->bit_error_rate > 0;
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
    replay_ops.disturb(e);
    e->stall.changed_ps = e->now;
    if (after)
        rc = link_states(e, list, n, after, err);
    free(after);
    for (size_t i = 0; i < n && !rc; i++) {
        if (list[i].kind == WEFT_LINK_RATE)
            rc = change_rate(e, &list[i], err);
        else if (list[i].kind == WEFT_LINK_BIT_ERRORS)
            change_errors(e, &list[i]);
    }
    window_choose(e);
    if (e->peers) {
        peers_exchange(e); /* pauses that went with the links, which all are told of */
        peers_links_changed(e, list, n);
    }
    window_tell(e, WEFT_NEVER); /* of pauses that went with the links */
    return rc;
}

const uint8_t *weft_engine_links_down(const struct weft_engine *e)
{
    return e->links.down;
}
