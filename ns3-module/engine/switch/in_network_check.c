/* SPDX-License-Identifier: GPL-2.0-only */
/* In-network operations: conservation laws, and what unfinished ones wait for. */
#include "core/context.h"
#include "core/names.h"
#include "in_network.h"
#include "in_network_state.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_NAMED 4u

/* Two sums in one slot would count more frames than there are branches. */
static bool shares_a_slot(const struct group *g, const struct stop *s)
{
    for (uint64_t k = 0; s->came && k < g->window; k++)
        if (s->came[k] > s->nbranches)
            return true;
    return false;
}

int in_network_check(const struct weft_engine *e, struct weft_err *err)
{
    const struct in_network *in = e->in_network;
    uint64_t parts = 0;
    for (uint32_t k = 0; k < in->ngroups; k++) {
        const struct group *g = in->group[k];
        for (uint32_t i = 0; i < g->n; i++) {
            const struct member *m = &g->member[i];
            parts += m->posted - m->over;
            if (m->received > m->sent || m->sent - m->received > g->window || m->over > m->posted)
                return weft_err_set(err, WEFT_E_INTERNAL,
                                    "conservation: h%u of in-network group %u is out of its window",
                                    m->host, k / 2);
        }
        for (uint32_t i = 0; i < g->tree.nswitches; i++)
            if (shares_a_slot(g, &g->stop[i]))
                return weft_err_set(err, WEFT_E_INTERNAL,
                                    "conservation: a switch of in-network group %u has two sums "
                                    "in one slot",
                                    k / 2);
    }
    if (parts != in->parts)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "conservation: in-network parts posted and waiting differ");
    return 0;
}

void in_network_lost(struct weft_engine *e, uint32_t pkt, uint32_t port, enum weft_drop_reason why)
{
    char name[PORT_NAME_MAX];
    engine_fail(e, WEFT_E_OUTCOME,
                "a packet of an in-network operation among %u hosts was lost on the link %s (%s), "
                "and what switches add up is not sent again: in-network operations need links "
                "that lose nothing",
                e->in_network->group[pkt_at(e, pkt)->msg]->n, port_name(e, port, name),
                weft_drop_reason_name(why));
}

/* Appends the first link of a group's tree that is down. */
static void add_link_down(const struct weft_engine *e, const struct group *g, char *text,
                          size_t size, size_t used)
{
    const struct weft_reduction_tree *t = &g->tree;
    char name[PORT_NAME_MAX];
    for (uint32_t i = 0; e->links.down && used < size && i < t->nleaves + t->nswitches; i++) {
        const uint32_t at = i - t->nleaves;
        if (i >= t->nleaves && at == 0)
            continue; /* the root has no link up */
        const uint32_t port = i < t->nleaves ? t->leaves[i].up : t->switches[at].up;
        if (e->links.down[e->fabric->ports[port].link]) {
            snprintf(text + used, size - used, "; the link %s of its tree is down",
                     port_name(e, port, name));
            return;
        }
    }
}

/* Ranks that have not posted the first operation of a group yet. */
static void explain_group(const struct weft_engine *e, const struct group *g, char *text,
                          size_t size)
{
    const struct operation *op = &g->ops[0];
    char bytes[WEFT_UNIT_TEXT_MAX];
    uint64_t done = UINT64_MAX;
    for (uint32_t i = 0; i < g->n; i++)
        done = g->member[i].received < done ? g->member[i].received : done;
    size_t used = (size_t)snprintf(
        text, size,
        "in-network operation of %s (tag %" PRIu64 ") among %u hosts: %" PRIu64 " of %" PRIu64
        " packets are through",
        weft_human_size(op->bytes, bytes), op->tag, g->n, (done - op->first), op->npkts);
    if (op->nposted < g->n && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %u have not begun it:", g->n - op->nposted);
    uint32_t named = 0;
    for (uint32_t i = 0; i < g->n && used < size && named <= MAX_NAMED; i++)
        if (!op->part[i].posted && named++ < MAX_NAMED)
            used += (size_t)snprintf(text + used, size - used, "%s h%u", named > 1 ? "," : "",
                                     g->member[i].host);
    if (named > MAX_NAMED && used < size)
        used += (size_t)snprintf(text + used, size - used, " ...");
    add_link_down(e, g, text, size, used);
}

uint64_t in_network_explain(const struct weft_engine *e, uint64_t max,
                            void (*fn)(void *ctx, const char *sentence), void *ctx)
{
    const struct in_network *in = e->in_network;
    uint64_t nlines = 0;
    for (uint32_t k = 0; k < in->ngroups && nlines < max; k++) {
        char text[512];
        if (!in->group[k]->nops)
            continue;
        explain_group(e, in->group[k], text, sizeof text);
        fn(ctx, text);
        nlines++;
    }
    return nlines;
}
