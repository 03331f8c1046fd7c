/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening and closing groups of in-network operations: their trees as in_network.c uses them. */
#include "core/control_config.h"
#include "core/context.h"
#include "core/grow.h"
#include "core/gap.h"
#include "in_network.h"
#include "in_network_state.h"
#include "core/executor.h"

#include <inttypes.h>
#include <stdlib.h>

static struct in_network *table_of(struct weft_engine *e)
{
    if (e->in_network)
        return e->in_network;
    struct in_network *in = calloc(1, sizeof *in);
    if (in) {
        in->groups = calloc(e->fabric->nnodes, sizeof *in->groups);
        in->free_ps = calloc(e->fabric->nports, sizeof *in->free_ps);
    }
    if (in && (!in->groups || !in->free_ps)) {
        free(in->groups);
        free(in->free_ps);
        free(in);
        in = NULL;
    }
    if (in && e->p.in_network.rate_bps)
        in->rate_q = gap_of_rate(e->p.in_network.rate_bps);
    if (in)
        e->nics.turns = true;
    e->in_network = in;
    return in;
}

static void group_free(struct group *g)
{
    for (uint32_t i = 0; g->stop && i < g->tree.nswitches; i++) {
        free(g->stop[i].came);
        free(g->stop[i].taken_ps);
    }
    for (uint64_t i = 0; i < g->nops; i++)
        free(g->ops[i].part);
    free(g->ops);
    free(g->member);
    free(g->stop);
    free(g->branches);
    weft_reduction_tree_release(&g->tree);
    free(g);
}

void in_network_fini(struct weft_engine *e)
{
    struct in_network *in = e->in_network;
    if (!in)
        return;
    for (uint32_t i = 0; i < in->ngroups; i++)
        group_free(in->group[i]);
    free(in->group);
    free(in->groups);
    free(in->free_ps);
    free(in);
    e->in_network = NULL;
}

/* Whether packets sent through a port may be lost on its link, as far as is known now. */
static bool loses(const struct weft_engine *e, uint32_t port)
{
    const struct link_end *l = &e->ends[port];
    return e->hooks.lose || e->ports[port].was_down || link_of(e, port)->error_rate > 0 ||
           l->byte_log < 0;
}

/* A link of the tree: it loses nothing, and has an MTU. */
static int use_link(const struct weft_engine *e, struct group *g, uint32_t port,
                    struct weft_err *err)
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    const struct weft_fabric_link *l = &e->fabric->links[e->fabric->ports[port].link];
    const uint64_t mtu = control_own_mtu(&e->p, e->fabric, l->dim);
    g->mtu = mtu < g->mtu ? mtu : g->mtu;
    if (credit_on(e->fabric, l))
        return weft_err_set(err, WEFT_E_INPUT,
                            "the link %s-%s is under credit-based flow control, and what switches "
                            "add up has no credits: in-network operations need PFC",
                            weft_fabric_node_name(e->fabric, l->a, a),
                            weft_fabric_node_name(e->fabric, l->b, b));
    if (!loses(e, port) && !loses(e, e->ends[port].peer))
        return 0;
    return weft_err_set(
        err, WEFT_E_INPUT,
        "the link %s-%s may lose packets (its error rate, faults, or it has been "
        "down), and sums in switches are not sent again: in-network operations need "
        "links that lose nothing",
        weft_fabric_node_name(e->fabric, l->a, a), weft_fabric_node_name(e->fabric, l->b, b));
}

static void add_branch(struct group *g, const struct weft_engine *e, uint32_t parent, uint32_t up,
                       uint32_t stop, bool host)
{
    struct stop *s = &g->stop[parent];
    s->branch[s->nbranches++] = (struct branch){e->fabric->ports[up].peer, stop, host};
}

static int fill(struct weft_engine *e, struct group *g, const uint32_t *hosts, struct weft_err *err)
{
    uint32_t at = 0;
    int rc = 0;
    for (uint32_t i = 0; i < g->tree.nswitches; i++) {
        const struct weft_tree_switch *w = &g->tree.switches[i];
        g->stop[i] = (struct stop){.e = e, .g = g, .branch = g->branches + at};
        at += w->children;
        if (i == 0)
            continue;
        rc = rc ? rc : use_link(e, g, w->up, err);
        add_branch(g, e, w->parent, w->up, i, false);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const struct weft_tree_leaf *leaf = &g->tree.leaves[i];
        g->member[i] = (struct member){.host = hosts[i], .port = leaf->up, .stop = leaf->parent};
        rc = rc ? rc : use_link(e, g, leaf->up, err);
        add_branch(g, e, leaf->parent, leaf->up, i, true);
    }
    return rc;
}

/* Counts a group at its switches; they have a slot for each. */
static int enter(struct weft_engine *e, const struct group *g, struct weft_err *err)
{
    struct in_network *in = e->in_network;
    char name[WEFT_NODE_NAME_MAX];
    for (uint32_t i = 0; i < g->tree.nswitches; i++) {
        const uint32_t node = g->tree.switches[i].node;
        if (++in->groups[node] > e->p.in_network.slots)
            return weft_err_set(err, WEFT_E_INPUT,
                                "%u groups add up in switch %s, which has in-network.slots=%" PRIu64
                                ": one per group is "
                                "the least",
                                in->groups[node], weft_fabric_node_name(e->fabric, node, name),
                                e->p.in_network.slots);
    }
    return 0;
}

static int check_hosts(const struct weft_engine *e, const uint32_t *hosts, uint32_t n,
                       uint32_t prio, struct weft_err *err)
{
    if (e->in_network && e->in_network->begun)
        return weft_err_set(err, WEFT_E_INPUT,
                            "in-network groups are opened before the first operation of any");
    if (n == 0 || prio >= WEFT_PRIOS)
        return weft_err_set(err, WEFT_E_INPUT,
                            "an in-network group of %u hosts at priority %u; it has hosts, and "
                            "priorities are 0 to 7",
                            n, prio);
    return weft_reduction_tree_check_hosts(e->fabric, hosts, n, err);
}

/* A stream of a group, with its tree. */
static int group_new(const struct weft_engine *e, const uint32_t *hosts, uint32_t n,
                     struct group **out, struct weft_err *err)
{
    struct group *g = *out = calloc(1, sizeof *g);
    if (!g)
        return weft_err_no_memory(err, "in-network groups");
    g->n = n;
    g->mtu = UINT64_MAX;
    g->number = e->in_network->ngroups;
    int rc = weft_reduction_tree_new(e->fabric, hosts, n, g->number / 2, &g->tree, err);
    if (rc)
        return rc;
    g->member = calloc(n, sizeof *g->member);
    g->stop = calloc(g->tree.nswitches, sizeof *g->stop);
    g->branches = calloc((size_t)n + g->tree.nswitches, sizeof *g->branches);
    if (!g->member || !g->stop || !g->branches)
        return weft_err_no_memory(err, "in-network groups");
    return 0;
}

/* Adds the next stream of a group to the table; the first of the two counts at its switches. */
static int open_stream(struct weft_engine *e, const uint32_t *hosts, uint32_t n, uint32_t prio,
                       struct weft_err *err)
{
    struct in_network *in = e->in_network;
    struct group *g;
    if (!WEFT_GROW_ONE(in->group, in->ngroups))
        return weft_err_no_memory(err, "in-network groups");
    int rc = group_new(e, hosts, n, &g, err);
    rc = rc ? rc : fill(e, g, hosts, err);
    rc = rc || in_network_copies(g) ? rc : enter(e, g, err);
    if (rc) {
        if (g)
            group_free(g);
        return rc;
    }
    g->prio = prio;
    in->group[in->ngroups++] = g;
    return 0;
}

int weft_engine_group(struct weft_engine *e, const uint32_t *hosts, uint32_t n, uint32_t prio,
                      uint32_t *id, struct weft_err *err)
{
    posts_flush(e);
    if (e->peers)
        return weft_err_set(err, WEFT_E_ALONE, "switches take part in operations");
    prio = prio == UINT32_MAX ? (uint32_t)e->p.transport.data_prio : prio;
    int rc = check_hosts(e, hosts, n, prio, err);
    if (rc)
        return rc;
    struct in_network *in = table_of(e);
    if (!in)
        return weft_err_no_memory(err, "in-network groups");
    rc = open_stream(e, hosts, n, prio, err);
    if (rc)
        return rc;
    rc = open_stream(e, hosts, n, prio, err);
    if (rc) {
        group_free(in->group[--in->ngroups]);
        return rc;
    }
    *id = in->ngroups / 2 - 1;
    windows_choose(e);
    return 0;
}
