/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes that symptoms of the run suggest: one row of a table each. A row has the symptom, the
 * settings, and two sentences; a new cause is one row.
 */
#include "base/units.h"
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share of the rate of access links above which queues are the load's own doing. */
#define OVERLOAD 0.8
/* Below this share half the load is no remedy: any network is faster with less to do. */
#define HIGH_LOAD 0.6
/* Share of the run above which a link may be what all wait for. */
#define BUSY 0.5
/* Bytes around the payload of any packet, at most. */
#define PACKET_HEADER 128

/* What rules look at. */
struct look {
    const struct weft_scenario *s;
    const struct weft_fabric *f;
    const struct weft_symptoms *y;
    const char *main;
    struct weft_arena *arena;
    const char *set;  /* out: a setting whose value follows from the run */
    const char *what; /* out: likewise; NULL: the row's */
    double weight;    /* out: in the place of the row's; 0: the row's */
};

static const char *setting(const struct look *l, const char *element, const char *param)
{
    return weft_group_value(weft_scenario_group_of(l->s, element), param, l->arena);
}

static bool is(const struct look *l, const char *element, const char *param, const char *value)
{
    return strcmp(setting(l, element, param), value) == 0;
}

static const struct weft_scenario_job *main_job(const struct look *l)
{
    for (uint32_t i = 0; l->main && i < l->s->njobs; i++)
        if (strcmp(l->s->jobs[i].name, l->main) == 0)
            return &l->s->jobs[i];
    return NULL;
}

static bool is_graph(const struct look *l)
{
    const struct weft_scenario_job *j = main_job(l);
    return j && strcmp(j->ops->name, "cdf") != 0 && strcmp(j->ops->name, "flows") != 0 &&
           strcmp(j->ops->name, "incast") != 0;
}

/* ---- symptoms ---- */

static bool roce(const struct look *l)
{
    return !is(l, "transport", "type", "tcp");
}

/* How many links join switches. */
static uint32_t switch_links(const struct weft_fabric *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nlinks; i++)
        n += f->nodes[f->links[i].a].kind == WEFT_NODE_SWITCH &&
             f->nodes[f->links[i].b].kind == WEFT_NODE_SWITCH;
    return n;
}

static bool paths_differ(struct look *l)
{
    return roce(l) && switch_links(l->f) > 1 && is(l, "switch", "balance", "flow");
}

static bool controlled(struct look *l)
{
    return roce(l) && l->s->cc && strcmp(l->s->cc->name, "none") != 0;
}

static bool not_dcqcn(struct look *l)
{
    return roce(l) && l->s->cc && strcmp(l->s->cc->name, "dcqcn") != 0;
}

static bool not_hpcc(struct look *l)
{
    return roce(l) && l->s->cc && strcmp(l->s->cc->name, "hpcc") != 0;
}

static bool short_of_buffer(struct look *l)
{
    return l->y->drops_buffer > 0 || l->y->pauses > 0;
}

/* Headroom for what comes after a pause on the link that sends most then. */
static bool loses_headroom(struct look *l)
{
    int64_t response_ps = 0;
    uint64_t mtu = 0;
    double most = 0;
    char text[WEFT_UNIT_TEXT_MAX];
    weft_parse_time_ps(setting(l, "pfc", "response-time"), &response_ps, &(struct weft_err){0});
    weft_parse_size_bytes(setting(l, "transport", "mtu"), &mtu, &(struct weft_err){0});
    for (uint32_t i = 0; i < l->f->nlinks; i++) {
        const struct weft_fabric_link *k = &l->f->links[i];
        const double flight_s = 1e-12 * (2 * (double)k->delay_ps + (double)response_ps);
        most = fmax(most, flight_s * (double)k->rate_bps / 8 + 3 * (double)(mtu + PACKET_HEADER));
    }
    l->set = weft_arena_printf(l->arena, "pfc.headroom=%s",
                               weft_format_size(((uint64_t)most / 1024 + 1) * 1024, text));
    l->what = weft_arena_printf(l->arena,
                                "headroom of %s for each lossless class and port: two link delays "
                                "at link rate and three packets",
                                text);
    return l->y->drops_headroom > 0;
}

static bool pauses(struct look *l)
{
    return l->y->pauses > 0 && is(l, "pfc", "enabled", "true");
}

static bool loses_for_want_of_pauses(struct look *l)
{
    return l->y->drops_buffer > 0 && is(l, "pfc", "enabled", "false");
}

static bool early_timers(struct look *l)
{
    return roce(l) && l->y->timeouts > 0;
}

static bool late_timers(struct look *l)
{
    int64_t rto_ps;
    char text[WEFT_UNIT_TEXT_MAX];
    if (!roce(l) || !(l->y->drops > 0) ||
        weft_parse_time_ps(setting(l, "transport", "rto"), &rto_ps, &(struct weft_err){0}))
        return false;
    l->set =
        weft_arena_printf(l->arena, "transport.rto=%s",
                          weft_format_time(rto_ps / 16 > 1000000 ? rto_ps / 16 : 1000000, text));
    return true;
}

static bool loses(struct look *l)
{
    return roce(l) && l->y->drops > 0 && is(l, "transport", "recovery", "go-back-n");
}

static bool whole_collectives(struct look *l)
{
    return is_graph(l) && is(l, "system", "chunks", "1");
}

static bool pipeline(struct look *l)
{
    const struct weft_scenario_job *j = main_job(l);
    const struct weft_scenario_group *g = j ? &l->s->groups[j->group] : NULL;
    if (!j || strcmp(j->ops->name, "training") != 0)
        return false;
    const unsigned long stages = strtoul(weft_group_value(g, "pp", l->arena), NULL, 10),
                        given = strtoul(weft_group_value(g, "microbatches", l->arena), NULL, 10);
    l->set =
        weft_arena_printf(l->arena, "%s.microbatches=%lu", g->prefix, 4 * (given ? given : stages));
    return stages > 1;
}

static bool waits_in_software(struct look *l)
{
    return is_graph(l) && !is(l, "system", "endpoint-delay", "0ps");
}

static bool by_tcp(struct look *l)
{
    return !roce(l);
}

static bool offered(struct look *l)
{
    const struct weft_scenario_job *j = main_job(l);
    const struct weft_scenario_group *g = j ? &l->s->groups[j->group] : NULL;
    if (!j || strcmp(j->ops->name, "cdf") != 0)
        return false;
    const double load = strtod(weft_group_value(g, "load", l->arena), NULL);
    l->set = weft_arena_printf(l->arena, "%s.load=%.6g", g->prefix, load / 2);
    l->what =
        weft_arena_printf(l->arena, "half the offered load, %.6g instead of %.6g", load / 2, load);
    if (load >= OVERLOAD)
        l->weight = 1.5;
    return load >= HIGH_LOAD;
}

/* How many times faster links between switches have to be for all that hosts can send, by the
 * switch that is worst off. */
static double oversubscription(const struct weft_fabric *f)
{
    double worst = 1;
    for (uint32_t n = 0; n < f->nnodes; n++) {
        const struct weft_fabric_node *node = &f->nodes[n];
        double down = 0, up = 0;
        if (node->kind != WEFT_NODE_SWITCH)
            continue;
        for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
            const uint32_t peer = f->ports[f->ports[p].peer].node;
            const double rate = (double)f->links[f->ports[p].link].rate_bps;
            if (f->nodes[peer].tier < node->tier)
                down += rate;
            else
                up += rate;
        }
        if (up > 0 && down / up > worst)
            worst = down / up;
    }
    return worst;
}

static bool joined_switches(struct look *l)
{
    const double ratio = oversubscription(l->f);
    l->set = weft_arena_printf(l->arena, "run.link-rates=switches:x%.6g", ratio > 1 ? ratio : 2);
    if (ratio > 1.05)
        l->weight = 1.5;
    if (ratio > 1.05)
        l->what = weft_arena_printf(l->arena,
                                    "links between switches %.3g times as fast: no tier offered "
                                    "more than it carries (%.3g:1 now)",
                                    ratio, ratio);
    return switch_links(l->f) > 0;
}

/* Whether links between nodes of the same tiers are faster. */
static bool has_faster_peers(const struct weft_fabric *f, const struct weft_fabric_link *link)
{
    const uint32_t a = f->nodes[link->a].tier, b = f->nodes[link->b].tier;
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const uint32_t x = f->nodes[f->links[i].a].tier, y = f->nodes[f->links[i].b].tier;
        if (((x == a && y == b) || (x == b && y == a)) && f->links[i].dim == link->dim &&
            f->links[i].rate_bps > link->rate_bps)
            return true;
    }
    return false;
}

/* The one link that was in use longest, where its peers need not be faster. */
static bool one_busy_link(struct look *l)
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    if (!(l->y->busiest >= BUSY) || !(l->y->busiest_port < l->f->nports))
        return false;
    const uint32_t link = l->f->ports[(uint32_t)l->y->busiest_port].link;
    if (has_faster_peers(l->f, &l->f->links[link]))
        return false; /* to be as fast as these is a change of its own */
    l->set = weft_arena_printf(l->arena, "run.link-rates=%u:x2", link);
    l->what =
        weft_arena_printf(l->arena, "link %s-%s alone, the busiest (%.0f %%), twice as fast",
                          weft_fabric_node_name(l->f, l->f->links[link].a, a),
                          weft_fabric_node_name(l->f, l->f->links[link].b, b), 100 * l->y->busiest);
    return true;
}

/* Load is a share of what hosts' links carry: twice the rate is to meet the same traffic. */
static bool any_run(struct look *l)
{
    const struct weft_scenario_job *j = main_job(l);
    const struct weft_scenario_group *g = j ? &l->s->groups[j->group] : NULL;
    if (j && strcmp(j->ops->name, "cdf") == 0)
        l->set = weft_arena_printf(l->arena, "%s.load=%.9g", g->prefix,
                                   strtod(weft_group_value(g, "load", l->arena), NULL) / 2);
    return true;
}

/* ---- the table ---- */

static const struct rule {
    bool (*holds)(struct look *l);
    enum weft_change_class class;
    const char *what;
    double weight; /* of its gain when causes are ranked: 1 for causes, less for remedies */
    const char *sets[3];
    const char *advice;
} rules[] = {
    {loses_headroom,
     WEFT_CHANGE_TUNING,
     "more headroom of lossless classes",
     1.5,
     {NULL, "switch.buffer=256MiB", NULL},
     "Raise pfc.headroom to two link delays at link rate and three packets, as it was tried."},
    {early_timers,
     WEFT_CHANGE_TUNING,
     "retransmission timers that never expire early",
     1.5,
     {"transport.rto=1s", NULL, NULL},
     "Raise transport.rto above the time that packets can spend in queues."},
    {late_timers,
     WEFT_CHANGE_TUNING,
     "a retransmission timeout a sixteenth as long",
     1,
     {NULL, NULL, NULL},
     "Lower transport.rto: losses wait for it."},
    {loses,
     WEFT_CHANGE_TUNING,
     "only lost packets sent again (selective repeat)",
     0.8,
     {"transport.recovery=selective-repeat", NULL, NULL},
     "Set transport.recovery=selective-repeat."},
    {loses_for_want_of_pauses,
     WEFT_CHANGE_TUNING,
     "priority flow control on",
     0.8,
     {"pfc.enabled=true", NULL, NULL},
     "Set pfc.enabled=true, or use a congestion control and a recovery meant for losses."},
    {short_of_buffer,
     WEFT_CHANGE_TUNING,
     "switch buffers of 1 GiB",
     0.9,
     {"switch.buffer=1GiB", "switch.buffer-per-port=0B", NULL},
     "Give switches more buffer (switch.buffer), or keep queues short "
     "(congestion-control.name, ecn.kmin)."},
    {pauses,
     WEFT_CHANGE_TUNING,
     "no priority flow control, and selective repeat",
     0.5,
     {"pfc.enabled=false", "transport.recovery=selective-repeat", NULL},
     "Pauses stop traffic that could go on: separate classes (priority of the workload), slow "
     "senders before PFC does (ecn.kmin), or go without PFC."},
    {paths_differ,
     WEFT_CHANGE_TUNING,
     "packets sprayed over all equal paths",
     1,
     {"switch.balance=spray", "transport.recovery=out-of-order", NULL},
     "Flows collide on paths: switch.balance=spray or adaptive with "
     "transport.recovery=out-of-order, or more queue pairs a message (system.qps)."},
    {controlled,
     WEFT_CHANGE_TUNING,
     "no congestion control",
     0.9,
     {"congestion-control.name=none", NULL, NULL},
     "The congestion control holds senders back more than the fabric does: look at its "
     "parameters ('weft show cc NAME') and thresholds (ecn.kmin, ecn.kmax)."},
    {not_dcqcn,
     WEFT_CHANGE_TUNING,
     "DCQCN as congestion control",
     0.5,
     {"congestion-control.name=dcqcn", NULL, NULL},
     "Set congestion-control.name=dcqcn."},
    {not_hpcc,
     WEFT_CHANGE_TUNING,
     "HPCC as congestion control",
     0.5,
     {"congestion-control.name=hpcc", NULL, NULL},
     "Set congestion-control.name=hpcc."},
    {by_tcp,
     WEFT_CHANGE_TUNING,
     "RoCE instead of TCP",
     1.2,
     {"transport.type=roce", NULL, NULL},
     "TCP's windows and handshakes take the time: a larger initial window ('weft show section "
     "tcp'), longer flows, or another transport."},
    {whole_collectives,
     WEFT_CHANGE_TUNING,
     "collectives cut into eight chunks",
     0.8,
     {"system.chunks=8", "system.active-chunks=8", NULL},
     "Cut collectives into chunks that overlap: system.chunks, system.active-chunks."},
    {pipeline,
     WEFT_CHANGE_TUNING,
     "four times as many microbatches",
     1.2,
     {NULL, NULL, NULL},
     "The pipeline's bubble costs time: more microbatches (training.microbatches), or "
     "training.schedule=interleaved or zb-h1."},
    {joined_switches,
     WEFT_CHANGE_CAPACITY,
     "links between switches twice as fast",
     0.7,
     {NULL, NULL, NULL},
     "More or faster links between switches (spines, uplink rate), or ranks placed so that less "
     "crosses them."},
    {one_busy_link,
     WEFT_CHANGE_CAPACITY,
     NULL,
     0.8,
     {NULL, NULL, NULL},
     "One link holds up the run: spread its traffic over others, or have fewer send over it at a "
     "time."},
    {any_run,
     WEFT_CHANGE_CAPACITY,
     "links of hosts twice as fast",
     0.6,
     {NULL, "run.link-rates=hosts:x2", NULL},
     "Faster or more links of hosts; or fewer senders to one host at a time."},
    {waits_in_software,
     WEFT_CHANGE_CAPACITY,
     "no latency of software at the ends",
     1,
     {"system.endpoint-delay=0ps", NULL, NULL},
     "Fewer and larger messages, or an algorithm with fewer steps."},
    {offered,
     WEFT_CHANGE_CAPACITY,
     "half the offered load",
     0.5,
     {NULL, NULL, NULL},
     "Offer less, or build more: 'weft check' says the load of each tier."},
};

int weft_changes_by_rule(struct weft_changes *c, const struct weft_scenario *s, const char *main,
                         const struct weft_fabric *f, const struct weft_symptoms *y,
                         struct weft_err *err)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *r = &rules[i];
        struct look l = {.s = s, .f = f, .y = y, .main = main, .arena = c->arena};
        if (!r->holds(&l))
            continue;
        const struct weft_change like = {
            .class = r->class,
            .what = l.what ? l.what : r->what,
            .advice = r->advice,
            .weight = l.weight > 0 ? l.weight : r->weight,
            .order = 2,
        };
        if (weft_changes_add(c, &like, l.set ? l.set : r->sets[0], r->sets[1], r->sets[2], err))
            return err->code;
    }
    return 0;
}
