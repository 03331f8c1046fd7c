/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In-network operations of the ideal backend.
 *
 * An operation goes through when its last member has posted. With the fabric's aggregation tree
 * (topologies/reduction_tree.h), up(i) and down(j) being the sums of link delays between members
 * and root: arrival at j = max over i of (begin(i) + up(i)) + down(j) + bytes / slowest link of the
 * tree and with forwarding=store-and-forward each link that carries the data adds bytes / its rate
 * to up or down instead. In model=flat, up + down is one latency. With contention=source what a
 * member gives waits for its link, and operations of a group pass the root one after the other,
 * each for bytes / slowest link; copies of what one gives do so beside the sums of what all give.
 * Buffers and rates of switches have no limit.
 */
#include "net/ideal_internal.h"

#include "topologies/reduction_tree.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct part {
    uint64_t id;
    union weft_token token;
    uint32_t qp;
    uint8_t token_type;
    bool posted;
    int64_t post_ps, begin_ps;
};

struct operation {
    struct weft_part what; /* of the first member that posted it */
    uint32_t nposted;
    struct part *part; /* per member */
};

struct weft_ideal_group {
    uint32_t n, prio;
    uint32_t *hosts;
    struct weft_reduction_tree tree; /* path model */
    /* the root is through with the operations before: sums, and copies of what one gives */
    int64_t free_ps[2];
    struct operation *ops; /* begun and not gone through, in the order of that */
    uint64_t nops, ops_cap;
};

static void group_free(struct weft_ideal_group *g)
{
    for (uint64_t i = 0; i < g->nops; i++)
        free(g->ops[i].part);
    free(g->ops);
    free(g->hosts);
    weft_reduction_tree_release(&g->tree);
    free(g);
}

void weft_ideal_groups_free(struct weft_ideal *s)
{
    for (uint32_t i = 0; i < s->ngroups; i++)
        group_free(s->groups[i]);
    free(s->groups);
}

static int group_new(const struct weft_ideal *s, const uint32_t *hosts, uint32_t n,
                     struct weft_ideal_group *g, struct weft_err *err)
{
    const int rc = weft_reduction_tree_check_hosts(s->fabric, hosts, n, err);
    if (rc)
        return rc;
    g->n = n;
    g->hosts = malloc(n * sizeof *g->hosts);
    if (!g->hosts)
        return weft_err_no_memory(err, "in-network groups");
    memcpy(g->hosts, hosts, n * sizeof *g->hosts);
    return s->params.model == WEFT_IDEAL_PATH
               ? weft_reduction_tree_new(s->fabric, hosts, n, s->ngroups, &g->tree, err)
               : 0;
}

int weft_ideal_group(struct weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio,
                     uint32_t *id, struct weft_err *err)
{
    struct weft_ideal *s = (struct weft_ideal *)net;
    struct weft_ideal_group *g = calloc(1, sizeof *g);
    int rc = g && WEFT_GROW_ONE(s->groups, s->ngroups)
                 ? group_new(s, hosts, n, g, err)
                 : weft_err_no_memory(err, "in-network groups");
    if (rc) {
        if (g)
            group_free(g);
        return rc;
    }
    g->prio = prio;
    *id = s->ngroups;
    s->groups[s->ngroups++] = g;
    return 0;
}

/* --- an operation --- */

/* Link of a port: its delay, and with store-and-forward the time of the data on it. */
static int64_t hop_ps(const struct weft_ideal *s, uint32_t port, uint64_t bytes, uint64_t *slowest)
{
    const struct weft_fabric_link *l = &s->fabric->links[s->fabric->ports[port].link];
    *slowest = l->rate_bps < *slowest ? l->rate_bps : *slowest;
    if (s->params.forwarding != WEFT_IDEAL_STORE_AND_FORWARD)
        return l->delay_ps;
    return weft_ideal_floored(
        weft_ideal_add_ps(l->delay_ps, weft_ideal_serial_ps(bytes, l->rate_bps)),
        s->params.quantum_ps);
}

/* From a member to the root, or back. Counts no bytes. */
static int64_t way_ps(const struct weft_ideal *s, const struct weft_ideal_group *g, uint32_t member,
                      int up, const struct weft_part *op, uint64_t *slowest)
{
    const struct weft_reduction_tree *t = &g->tree;
    uint32_t port = t->leaves[member].up, at = t->leaves[member].parent;
    int data = up ? weft_leaf_gives(member, op->from) : weft_leaf_wants(member, op->from, op->to);
    int64_t ps = hop_ps(s, port, data ? op->bytes : 0, slowest);
    for (; at != 0; at = t->switches[at].parent) {
        port = t->switches[at].up;
        data = up ? weft_tree_gives(t, at, op->from) : weft_tree_wants(t, at, op->from, op->to);
        ps = weft_ideal_add_ps(ps, hop_ps(s, port, data ? op->bytes : 0, slowest));
    }
    return ps;
}

static void count_port(struct weft_ideal *s, uint32_t port, int gives, int wants, uint64_t bytes)
{
    s->port_bytes[port] += gives ? bytes : 0;
    s->port_bytes[s->fabric->ports[port].peer] += wants ? bytes : 0;
}

static void count_bytes(struct weft_ideal *s, const struct weft_ideal_group *g,
                        const struct weft_part *op)
{
    const struct weft_reduction_tree *t = &g->tree;
    for (uint32_t i = 0; i < t->nleaves; i++)
        count_port(s, t->leaves[i].up, weft_leaf_gives(i, op->from),
                   weft_leaf_wants(i, op->from, op->to), op->bytes);
    for (uint32_t i = 1; i < t->nswitches; i++)
        count_port(s, t->switches[i].up, weft_tree_gives(t, i, op->from),
                   weft_tree_wants(t, i, op->from, op->to), op->bytes);
}

/* All have posted: schedules the arrival at each member. */
static int go(struct weft_ideal *s, struct weft_ideal_group *g, const struct operation *op,
              struct weft_err *err)
{
    const int path = s->params.model == WEFT_IDEAL_PATH;
    uint64_t slowest = path ? UINT64_MAX : s->params.bandwidth_bps;
    int64_t root_ps = 0, alone_ps = 0; /* the last arrives at the root; if no link were busy */
    for (uint32_t i = 0; i < g->n; i++) {
        int64_t up = path ? way_ps(s, g, i, 1, &op->what, &slowest) : s->params.latency_ps;
        int64_t at = weft_ideal_add_ps(op->part[i].begin_ps, up);
        root_ps = at > root_ps ? at : root_ps;
        at = weft_ideal_add_ps(op->part[i].post_ps, up);
        alone_ps = at > alone_ps ? at : alone_ps;
    }
    const int64_t pass = weft_ideal_serial_ps(op->what.bytes, slowest);
    if (s->params.contention != WEFT_IDEAL_CONTENTION_NONE) {
        int64_t *const free_ps = &g->free_ps[op->what.from != WEFT_PART_ALL];
        root_ps = root_ps > *free_ps ? root_ps : *free_ps;
        *free_ps = weft_ideal_add_ps(root_ps, pass);
    }
    int64_t serial = path && s->params.forwarding == WEFT_IDEAL_STORE_AND_FORWARD ? 0 : pass;
    if (path)
        count_bytes(s, g, &op->what);
    for (uint32_t i = 0; i < g->n; i++) {
        int64_t down = path ? way_ps(s, g, i, 0, &op->what, &slowest) : 0;
        int64_t rest = weft_ideal_add_ps(weft_ideal_add_ps(root_ps - s->now_ps, down), serial);
        int64_t alone = weft_ideal_add_ps(weft_ideal_add_ps(alone_ps - s->now_ps, down), serial);
        if (rest >= WEFT_IDEAL_LONGEST_PS || root_ps >= WEFT_IDEAL_LONGEST_PS)
            return weft_err_set(err, WEFT_E_LIMIT,
                                "an in-network operation of %" PRIu64
                                " B would end after 26 days or more, later than "
                                "simulated time has room for",
                                op->what.bytes);
        struct weft_ideal_slot slot = {
            .msg = {.src = g->hosts[i],
                    .dst = g->hosts[i],
                    .bytes = op->what.bytes,
                    .tag = op->what.tag,
                    .token = op->part[i].token,
                    .prio = g->prio,
                    .qp = op->part[i].qp,
                    .token_type = op->part[i].token_type,
                    .kind = WEFT_MSG_PART,
                    .gives_nothing = !weft_leaf_gives(i, op->what.from)},
            .unwanted = !weft_leaf_wants(i, op->what.from, op->what.to),
            .id = op->part[i].id,
            .post_ps = op->part[i].post_ps,
            .ideal_ps =
                s->now_ps - op->part[i].post_ps + weft_ideal_floored(alone, s->params.quantum_ps),
        };
        int rc = weft_ideal_schedule(s, s->now_ps + weft_ideal_floored(rest, s->params.quantum_ps),
                                     &slot, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* The first operation with the tag that the member has not begun: the one of others, or a new one.
 */
static struct operation *operation_of(struct weft_ideal_group *g, const struct weft_part *p)
{
    for (uint64_t i = 0; i < g->nops; i++)
        if (g->ops[i].what.tag == p->tag && !g->ops[i].part[p->member].posted)
            return &g->ops[i];
    if (!WEFT_GROW(g->ops, g->nops, &g->ops_cap))
        return NULL;
    struct operation *op = &g->ops[g->nops];
    *op = (struct operation){.what = *p, .part = calloc(g->n, sizeof *op->part)};
    if (!op->part)
        return NULL;
    g->nops++;
    return op;
}

/* When the member's link is free to begin. */
static int64_t begin_ps(struct weft_ideal *s, const struct weft_ideal_group *g,
                        const struct weft_part *p)
{
    struct weft_ideal_cost cost = {.source = g->hosts[p->member] * WEFT_IDEAL_NICS};
    uint64_t rate = s->params.bandwidth_bps;
    if (s->params.model == WEFT_IDEAL_PATH) {
        cost.source = g->tree.leaves[p->member].up;
        rate = s->fabric->links[s->fabric->ports[cost.source].link].rate_bps;
    }
    if (!weft_leaf_gives(p->member, p->from))
        return s->now_ps;
    cost.source_ps = weft_ideal_floored(weft_ideal_serial_ps(p->bytes, rate), s->params.quantum_ps);
    return weft_ideal_begin(s, &cost);
}

int weft_ideal_contribute(struct weft_net *net, const struct weft_part *part, struct weft_err *err)
{
    struct weft_ideal *s = (struct weft_ideal *)net;
    struct weft_ideal_group *g = part->group < s->ngroups ? s->groups[part->group] : NULL;
    if (!g || part->member >= g->n || (part->from != WEFT_PART_ALL && part->from >= g->n) ||
        (part->to != WEFT_PART_ALL && part->to >= g->n))
        return weft_err_set(err, WEFT_E_INPUT, "no such in-network group or member");
    struct operation *op = operation_of(g, part);
    if (!op)
        return weft_err_no_memory(err, "in-network groups");
    if (op->what.bytes != part->bytes || op->what.from != part->from || op->what.to != part->to)
        return weft_err_set(err, WEFT_E_INPUT,
                            "h%u begins the in-network operation with tag %" PRIu64 " with %" PRIu64
                            " bytes, another member of its group began it with %" PRIu64
                            ": bytes, givers and getters have to be the same at all",
                            g->hosts[part->member], part->tag, part->bytes, op->what.bytes);
    op->part[part->member] = (struct part){.id = s->totals.msgs_posted++,
                                           .token = part->token,
                                           .qp = part->qp,
                                           .token_type = part->token_type,
                                           .posted = true,
                                           .post_ps = s->now_ps,
                                           .begin_ps = begin_ps(s, g, part)};
    s->totals.bytes_posted += weft_leaf_gives(part->member, part->from) ? part->bytes : 0;
    s->inflight_msgs++;
    if (++op->nposted < g->n)
        return 0;
    int rc = go(s, g, op, err);
    free(op->part);
    g->nops--;
    memmove(op, op + 1, (g->nops - (uint64_t)(op - g->ops)) * sizeof *op);
    return rc;
}
