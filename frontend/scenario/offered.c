/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The load that flows offer to each tier of the fabric, told from their first ones.
 *
 * A source that begins its flows whatever becomes of them offers a load of its own: the payload of
 * the flows that it draws by the time in which it begins them, on the paths that the hash of each
 * flow takes; generators know their mean. Lists of few flows, and sources whose flows follow from
 * others, offer none.
 */
#include "scenario/resolve.h"

#include "base/rng.h"
#include "topologies/routes.h"

enum { MOST_FLOWS = 20000, LEAST_LISTED = 1000, TIERS = 16, LONGEST_PATH = 64 };

/* Links of one dimension between nodes of two tiers, lower first. */
struct tier {
    uint32_t dim, low, high;
    double capacity[2], bytes[2]; /* per second; upwards (and within one tier), downwards */
};

struct offered {
    const struct weft_fabric *f;
    struct weft_routes *routes;
    struct tier tier[TIERS];
    size_t ntiers;
    bool any;
};

/* The tier of a port's link; *down: the port sends to the lower one. NULL: there are too many. */
static struct tier *offered_tier(struct offered *o, uint32_t port, bool *down)
{
    const struct weft_fabric *f = o->f;
    const uint32_t from = f->nodes[f->ports[port].node].tier,
                   to = f->nodes[f->ports[f->ports[port].peer].node].tier,
                   dim = f->links[f->ports[port].link].dim, low = from < to ? from : to,
                   high = from < to ? to : from;
    size_t i = 0;
    *down = from > to;
    while (i < o->ntiers &&
           (o->tier[i].dim != dim || o->tier[i].low != low || o->tier[i].high != high))
        i++;
    if (i == TIERS)
        return NULL;
    if (i == o->ntiers)
        o->tier[o->ntiers++] = (struct tier){.dim = dim, .low = low, .high = high};
    return &o->tier[i];
}

static void add_capacity(struct offered *o)
{
    for (uint32_t p = 0; p < o->f->nports; p++) {
        bool down;
        struct tier *t = offered_tier(o, p, &down);
        if (t)
            t->capacity[down] += (double)o->f->links[o->f->ports[p].link].rate_bps / 8;
    }
}

static void offered_add_flow(struct offered *o, uint32_t src, uint32_t dst, uint32_t hash,
                             double rate)
{
    uint32_t port[LONGEST_PATH];
    const uint32_t hops = weft_routes_path(o->routes, src, dst, hash, port, LONGEST_PATH);
    for (uint32_t i = 0; i < hops && i < LONGEST_PATH; i++) {
        bool down;
        struct tier *t = offered_tier(o, port[i], &down);
        if (t)
            t->bytes[down] += rate;
    }
}

/* Draws the flows of a job, twice: for the time that they take, and for where they go. From a
 * source of its own, so that the run's is as it was. */
static int offered_add_job(struct offered *o, struct weft_scenario *sc, uint32_t job,
                           const struct weft_job_plan *plan, struct weft_err *err)
{
    struct weft_job_plan p = *plan;
    struct weft_flow w;
    double bytes = 0;
    int64_t last_ps = 0;
    uint32_t n = 0;
    int rc = 1;
    p.flows = NULL;
    if (weft_scenario_make_flows(sc, job, o->f, &p, err))
        return err->code;
    struct weft_flow_source *s = p.flows;
    while (n < MOST_FLOWS && (rc = s->next(s, &w, err)) == 1) {
        last_ps = w.start_ps;
        bytes += (double)w.bytes;
        n++;
    }
    if ((rc == 0 || rc == 1) && n >= 2 && last_ps > 0 && (s->offered > 0 || n >= LEAST_LISTED)) {
        const double in_s = s->offered > 0 ? bytes / s->offered : (double)last_ps * 1e-12;
        o->any = true;
        s->rewind(s, 0);
        for (uint32_t i = 0; i < n && s->next(s, &w, err) == 1; i++)
            offered_add_flow(o, p.hosts[w.src], p.hosts[w.dst], (uint32_t)weft_mix64(i + 1),
                             (double)w.bytes / in_s);
    }
    weft_flow_source_free(s);
    if (rc == 0 && n == 0)
        weft_scenario_warn(sc, err,
                           "workload '%s' sends nothing: its duration ends before its first flow, "
                           "or its list has none",
                           plan->name);
    return err->code;
}

static double offered_load(const struct tier *t)
{
    const double up = t->capacity[0] > 0 ? t->bytes[0] / t->capacity[0] : 0,
                 down = t->capacity[1] > 0 ? t->bytes[1] / t->capacity[1] : 0;
    return up > down ? up : down;
}

static const char *offered_tier_name(const struct offered *o, const struct tier *t,
                                     struct weft_arena *arena)
{
    const char *dim = o->f->ndims > 1 ? weft_arena_printf(arena, " of dimension %u", t->dim) : "";
    if (t->low == 0)
        return weft_arena_printf(arena, "links of hosts%s", dim);
    return weft_arena_printf(arena, "links between switches of tiers %u and %u%s", t->low, t->high,
                             dim);
}

static int offered_take(struct weft_scenario *s, struct offered *o, struct weft_err *err)
{
    struct weft_offered *list =
        (struct weft_offered *)weft_arena_calloc(s->arena, o->ntiers, sizeof *list);
    if (!list)
        return weft_err_no_memory(err, "the load of tiers");
    s->offered = list;
    for (size_t i = 0; i < o->ntiers; i++) {
        const struct weft_offered it = {offered_tier_name(o, &o->tier[i], s->arena),
                                        offered_load(&o->tier[i])};
        if (!it.tier)
            return weft_err_no_memory(err, "the load of tiers");
        list[s->noffered++] = it;
        if (it.load > 1 &&
            weft_scenario_warn(s, err,
                               "flows offer %s %.0f %% of what they carry, payload alone: queues "
                               "and completion times grow as long as they last; lower the load, or "
                               "raise the rate or the number of these links",
                               it.tier, 100 * it.load))
            return err->code;
    }
    return 0;
}

int weft_scenario_offer(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                        struct weft_err *err)
{
    struct offered o = {.f = parts->fabric};
    bool flows = false;
    int rc = 0;
    for (uint32_t i = 0; i < parts->njobs; i++)
        flows |= parts->jobs[i].flows && !parts->jobs[i].flows->due && !parts->jobs[i].idle;
    if (!flows)
        return 0;
    o.routes = weft_routes_new(o.f, err);
    if (!o.routes)
        rc = err->code ? err->code : weft_err_no_memory(err, "the load of tiers");
    else
        add_capacity(&o);
    for (uint32_t i = 0; i < parts->njobs && !rc; i++)
        if (parts->jobs[i].flows && !parts->jobs[i].flows->due && !parts->jobs[i].idle)
            rc = offered_add_job(&o, s, i, &parts->jobs[i], err);
    if (!rc && o.any)
        rc = offered_take(s, &o, err);
    weft_routes_free(o.routes);
    return rc;
}
