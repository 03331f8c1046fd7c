/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancing among equal-cost ports, beyond the hash of the flow (ecmp.c): one function each,
 * listed in balances.def.
 *
 * spray: packet by packet, the ports of a node in turn.
 * adaptive: packet by packet, the port with the shortest queue; the flow's own among equals.
 * flowlet: a flow stays on its port until it pauses for switch.flowlet-gap or the port no longer
 * leads to its destination, then goes to the port with the shortest queue.
 * letflow: then to a random port, whatever its queue (Vanini et al.: Let it flow, NSDI 2017): the
 * lengths of flowlets themselves do the balancing.
 *
 * entropy: packet by packet, the hash of the flow and of a value that its sender chose (entropy.c).
 *
 * Balancers of plug-ins: plugged.c.
 *
 * drill: drill.c. conga, conweave: see path_balancer.h; their function here is not called.
 *
 * valiant, minimal-adaptive: see steer.h; where there is nothing to steer, valiant draws a port at
 * random and minimal-adaptive is adaptive.
 *
 * Only data packets are balanced; ACKs and CNPs keep to the hash. NICs send a QP through the port
 * of its hash, or as it is steered.
 */
#include "balance.h"
#include "core/control_config.h"
#include "core/context.h"
#include "drill.h"
#include "ecmp.h"
#include "entropy.h"
#include "flowlet.h"
#include "plugged.h"
#include "steer.h"
#include "path_balancer.h"

#include "base/rng.h"
#include "topologies/topology_keys.h"
#include "congestion/cc_table.h"

static uint32_t spray(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                      const struct pkt *k)
{
    return g.ports[e->spread.turns[node]++ % g.n];
}

static uint32_t shortest(const struct weft_engine *e, struct weft_route_group g, uint32_t first)
{
    uint32_t best = first;
    for (uint32_t i = 0; i < g.n; i++)
        if (e->ports[g.ports[i]].qtotal < e->ports[best].qtotal)
            best = g.ports[i];
    return best;
}

static uint32_t adaptive(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                         const struct pkt *k)
{
    return shortest(e, g, ecmp_port(e, g, node, qp_at(e, k->qp), true));
}

static uint32_t flowlet(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                        const struct pkt *k)
{
    bool goes_on;
    struct flowlet *f = flowlet_of(e, g, node, k->qp, &goes_on);
    if (!goes_on)
        f->port =
            shortest(e, g, f->port == NIL ? ecmp_port(e, g, node, qp_at(e, k->qp), true) : f->port);
    return f->port;
}

static uint32_t drawn(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                      const struct pkt *k)
{
    return g.ports[weft_rng_below(&e->spread.steer_rng, g.n)];
}

static uint32_t letflow(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                        const struct pkt *k)
{
    bool goes_on;
    struct flowlet *f = flowlet_of(e, g, node, k->qp, &goes_on);
    if (!goes_on)
        f->port = drawn(e, g, node, k);
    return f->port;
}

static uint32_t by_entropy(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                           const struct pkt *k)
{
    const uint32_t hash = entropy_hash(qp_at(e, k->qp)->flow_hash, k->mid);
    return g.ports[weft_ecmp_pick(hash, node, g.n)];
}

struct balancer {
    const char *name;
    balance_fn pick; /* among ports of equal cost, where packets keep to the routes */
    bool per_packet;
    bool shared; /* switches share state: what one does shows at others */
    const struct steer *steer;
    const struct path_balancer *by_path;
};

static const struct balancer table[] = {
#define BALANCE(number, word, title, pick, per_packet, shared, steer, path)                        \
    {word, pick, per_packet, shared, steer, path},
#include "topologies/balances.def"
#undef BALANCE
};

/* That of switch.balance, which balance_check() knows. */
static struct balancer balancer_of(int balance)
{
    const struct weft_balancer_ops *o = weft_balancer_at((size_t)balance);
    return o ? (struct balancer){.name = o->name, .pick = plugged, .per_packet = o->reorders}
             : table[balance];
}

const struct steer *steer_of(int balance, const struct weft_fabric *f)
{
    const struct steer *s = balancer_of(balance).steer;
    for (uint32_t d = 0; s && d < f->ndims; d++)
        if (s == &steer_valiant ? valiant_spreads(f, d) : f->dims[d].direct)
            return s;
    return NULL;
}

bool balance_shared(const struct weft_engine *e)
{
    return balancer_of(e->p.sw.balance).shared;
}

/** Look-ups beyond which each switch is taken to have a choice. */
#define LOOK_UPS (UINT64_C(1) << 22)

bool balance_shares(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric *f = e->fabric;
    if (!balance_shared(e))
        return false;
    bool choice =
        e->spread.by_path || e->spread.steer || (uint64_t)f->nswitches * f->nhosts > LOOK_UPS;
    for (uint32_t host = 0; !choice && host < f->nhosts; host++)
        choice = weft_routes_lookup(e->routing.routes, node, host).n > 1;
    return choice;
}

/* With uet.prios: as the transport of its class has it. */
static uint32_t by_class(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                         const struct pkt *k)
{
    const struct qp *q = qp_at(e, k->qp);
    const balance_fn pick = profile_of(q)->pick;
    return pick ? pick(e, g, node, k) : ecmp_port(e, g, node, q, true);
}

/* Ultra Ethernet's senders choose entropy values whatever balances others. A value per QP is the
 * hash of its flow. */
static balance_fn balance_of(const struct weft_engine_params *p,
                             const struct weft_transport_params *t, const struct recovery *r)
{
    const bool uet_beside = p->uet.prios && t->uet;
    const balance_fn pick = uet_beside ? by_entropy : balancer_of(p->sw.balance).pick;
    return pick == by_entropy && r->one_entropy ? NULL : pick;
}

/* Packets of a transport overtake each other: whether its recovery lives with that. */
static int check_reordering(const struct weft_engine_config *c, uint32_t which,
                            const struct recovery *r, struct weft_err *err)
{
    const struct weft_transport_params t = profile_transport(&c->params, which);
    const bool uet = which == PROFILE_UET;
    if (t.recovery == WEFT_RECOVERY_SELECTIVE_REPEAT || r->tolerates_reordering ||
        t.allow_reordering)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT,
                        "%s%s reorders packets, which this %s.recovery takes "
                        "for losses; set %s.recovery=%s, or "
                        "transport.allow-reordering=true to see what happens",
                        uet ? "spraying by entropy values in the classes of uet.prios"
                            : "switch.balance=",
                        uet ? "" : balancer_of(c->params.sw.balance).name,
                        uet ? "uet" : "transport", uet ? "uet" : "transport",
                        uet ? "rud (or out-of-order, selective-repeat, rod)"
                            : "out-of-order (or selective-repeat, rud)");
}

/* Ultra Ethernet beside other traffic: senders' entropy values stand where some balances note what
 * they chose. */
static int check_uet(const struct weft_engine_config *c, const struct recovery *r,
                     struct weft_err *err)
{
    const struct balancer b = balancer_of(c->params.sw.balance);
    if (!c->params.uet.prios)
        return 0;
    if (b.steer || b.by_path)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch.balance=%s leads packets itself, where those of uet.prios go by "
            "entropy values; set another balance, or uet.prios=0",
            b.name);
    const struct weft_transport_params t = profile_transport(&c->params, PROFILE_UET);
    if (balance_of(&c->params, &t, r) && check_reordering(c, PROFILE_UET, r, err))
        return WEFT_E_INPUT;
    struct weft_cc_choice own = {0};
    int rc = weft_cc_choice_read(c->params.uet.control, &own, err);
    if (!rc && weft_cc_needs(own.ops, own.params) & (WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_PINT))
        rc =
            weft_err_set(err, WEFT_E_INPUT,
                         "uet.control=%s follows the switches of one path, but each packet of a QP "
                         "in uet.prios goes on a path of its own",
                         own.ops->name);
    weft_cc_choice_free(&own);
    return rc ? rc : entropy_check(&c->params, err);
}

/* The control of each dimension under the run's transport that follows one path; NULL: none. */
static int stamped_of_run(const struct weft_engine_config *c, const char **name,
                          struct weft_err *err)
{
    struct weft_engine_config run = *c;
    struct control_needs needs;
    run.params.uet.prios = 0;
    const int rc = control_check(&run, &needs, err);
    *name = rc ? NULL : needs.stamped;
    return rc;
}

/* Valiant over linked NPUs that do not forward, and no switches. */
static int check_valiant(const struct weft_fabric *f, struct weft_err *err)
{
    if (f->nswitches || f->transit || f->nhosts <= 2)
        return 0;
    static const char what[] = "switch.balance=valiant sends packets over other NPUs, which do not "
                               "forward in this fabric; set";
    if (!weft_topology_has_key(f, "hosts-forward"))
        return weft_err_set(err, WEFT_E_INPUT, "%s another balance", what);
    return weft_err_set(err, WEFT_E_INPUT, "%s %s.hosts-forward=true, or another balance", what,
                        f->ndims == 1 ? f->dims[0].kind : "multi");
}

int balance_check(const struct weft_engine_config *c, const struct recovery *const of[PROFILES],
                  struct weft_err *err)
{
    const int number = c->params.sw.balance;
    if ((size_t)number >= WEFT_BALANCES && !weft_balancer_at((size_t)number))
        return weft_err_set(err, WEFT_E_INPUT, "switch.balance is number %d; see enum weft_balance",
                            number);
    const struct balancer b = balancer_of(number);
    const struct steer *s = b.steer;
    if (plugged_check(&c->params, err))
        return err->code;
    if (s && (!s->upper || !s->aim || !s->exits || !s->next))
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "switch.balance=%s lacks a function of struct steer", b.name);
    if (b.by_path && b.by_path->keeps &&
        (c->params.sw.egress_lossy_pool_bytes || c->params.sw.egress_lossless_pool_bytes))
        return weft_err_set(err, WEFT_E_INPUT,
                            "switch.balance=%s keeps packets in queues beside those of the ports, "
                            "which pools of egress queues don't count; set "
                            "switch.egress-lossy-pool and switch.egress-lossless-pool to 0",
                            b.name);
    if (check_uet(c, of[PROFILE_UET], err))
        return WEFT_E_INPUT;
    if (!b.per_packet || !balance_of(&c->params, &c->params.transport, of[PROFILE_RUN]))
        return 0;
    if (entropy_check(&c->params, err) || check_reordering(c, PROFILE_RUN, of[PROFILE_RUN], err))
        return WEFT_E_INPUT;
    const char *stamped = NULL;
    int rc = number == WEFT_BALANCE_VALIANT ? check_valiant(c->fabric, err) : 0;
    if (!rc)
        rc = stamped_of_run(c, &stamped, err);
    if (!rc && stamped)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the congestion control '%s' follows the switches of one path, but "
                            "switch.balance=%s sends each packet of a QP on a path of its own",
                            stamped, b.name);
    if (!rc && steer_of(number, c->fabric) == &steer_minimal_adaptive && credit_used(c->fabric))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch.balance=minimal-adaptive leaves a port when PFC pauses it; with "
            "flow-control=credit ports wait too often for that. Set "
            "switch.balance=valiant, or flow-control=pfc");
    if (!rc && steer_of(number, c->fabric) && c->fabric->nhosts >= NO_MID)
        return weft_err_set(err, WEFT_E_LIMIT, "switch.balance=%s: more than %u hosts", b.name,
                            NO_MID - 1);
    return rc;
}

int balance_init(struct weft_engine *e, struct weft_err *err)
{
    for (uint32_t i = 0; i < PROFILES; i++) {
        struct profile *f = &e->rc.profile[i];
        f->pick = balance_of(&e->p, &f->t, f->recovery);
        f->sprays = f->pick == by_entropy;
    }
    e->spread.balance = e->p.uet.prios ? by_class : e->rc.profile[PROFILE_RUN].pick;
    e->spread.steer = steer_of(e->p.sw.balance, e->fabric);
    e->spread.steer_rng = weft_rng_stream(e->seed, "steer", 0);
    if (!e->spread.balance)
        return 0;
    if (plugged_init(e, err))
        return err->code;
    e->spread.turns = calloc(e->fabric->nnodes, sizeof *e->spread.turns);
    e->spread.flowlets = calloc(FLOWLETS, sizeof *e->spread.flowlets);
    e->spread.drilled = drill_memory_new(e->fabric);
    if (!e->spread.turns || !e->spread.flowlets || !e->spread.drilled)
        return weft_err_no_memory(err, "load balancing");
    e->spread.by_path = balancer_of(e->p.sw.balance).by_path;
    if (!e->spread.by_path)
        return 0;
    if (e->spread.by_path->keeps &&
        !(e->spread.kept = calloc(e->fabric->nports, sizeof(struct kept))))
        return weft_err_no_memory(err, "load balancing");
    return e->spread.by_path->init(e, err);
}

void balance_fini(struct weft_engine *e)
{
    if (e->spread.by_path)
        e->spread.by_path->fini(e);
    plugged_fini(e);
    free(e->spread.turns);
    free(e->spread.flowlets);
    free(e->spread.drilled);
    free(e->spread.kept);
}
