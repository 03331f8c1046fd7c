/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * htsim: reads the fat trees of htsim's .topo files (csg-htsim, uet-htsim, ATLAHS, ASTRA-sim).
 *
 *   Nodes N   Tiers 2|3   Podsize P     then per tier, 0 next to the hosts:
 *   Tier k    Downlink_speed_Gbps R   Radix_Down D   Radix_Up U   Downlink_Latency_ns T
 *             Switch_Latency_ns S   Oversubscribed O   Bundle B   Queue_Up Q   Queue_Down Q
 *
 * Hosts sit in order at tier 0, N / D of them; a pod has P hosts. Its tier 0 switches all meet its
 * tier 1 switches, by B of tier 1 links each (two tiers: the pod is the fabric); tier 1 switch j of
 * each pod meets those tier 2 switches c with c mod (tier 1 switches of a pod) = j, by B of tier 2.
 * Tier 1 switches of a pod: Radix_Up of tier 0 / Bundle of tier 1; with Radix_Up of tier 1 the
 * number at tier 2 follows likewise. Half of a switch's latency is added to each of its links, so
 * that every path has all of it.
 */
#include "topologies/tokens.h"
#include "topologies/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TIERS_MAX = 3 };

struct params {
    const char *file;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL), .help = "path of the .topo file"},
};

enum { SPEED, DOWN, UP, LATENCY, SWITCH_LATENCY, OVER, BUNDLE, QUEUE_UP, QUEUE_DOWN, KEYS };
static const char *const keys[KEYS] = {
    "Downlink_speed_Gbps", "Radix_Down", "Radix_Up", "Downlink_Latency_ns", "Switch_Latency_ns",
    "Oversubscribed",      "Bundle",     "Queue_Up", "Queue_Down"};

struct tree {
    double tier[TIERS_MAX][KEYS]; /* below 0: not given */
    int64_t line[TIERS_MAX];
    uint32_t nodes, tiers, pod;
};

/* The next token that is not in a comment. */
static bool htsim_file_next(struct weft_tokens *s)
{
    while (weft_scan_next(&s->in)) {
        if (*s->in.tok != '#')
            return true;
        while (s->in.line == s->in.tok_line && s->in.pos < s->in.len &&
               s->in.text[s->in.pos] != '\n')
            s->in.pos++;
    }
    return false;
}

static int htsim_file_value(struct weft_tokens *s, double *out)
{
    char *end;
    int rc = weft_scan_need(&s->in, "a value", s->err);
    if (rc)
        return rc;
    *out = strtod(s->in.tok, &end);
    if (end == s->in.tok || *end || !(*out >= 0 && *out <= 1e9))
        return weft_tokens_err(s, "this is not a number from 0 to 1000000000");
    return 0;
}

static int read_keys(struct weft_tokens *s, struct tree *t)
{
    double v = 0;
    int tier = -1, rc = 0;
    for (int i = 0; i < TIERS_MAX; i++)
        for (int k = 0; k < KEYS; k++)
            t->tier[i][k] = -1;
    while (!rc && htsim_file_next(s)) {
        int k = 0;
        char key[40];
        snprintf(key, sizeof key, "%.39s", s->in.tok);
        while (k < KEYS && strcasecmp(key, keys[k]) != 0)
            k++;
        const bool nodes = strcasecmp(key, "Nodes") == 0, tiers = strcasecmp(key, "Tiers") == 0;
        const bool pod = strcasecmp(key, "Podsize") == 0, which = strcasecmp(key, "Tier") == 0;
        if (k == KEYS && !nodes && !tiers && !pod && !which)
            return weft_tokens_err(
                s, "unknown key; there are Nodes, Tiers, Podsize, Tier and, within a "
                   "tier, Downlink_speed_Gbps, Radix_Down, Radix_Up, "
                   "Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed, Bundle, "
                   "Queue_Up, Queue_Down");
        if (k < KEYS && tier < 0)
            return weft_tokens_err(s, "this key belongs to a tier; 'Tier 0' must be before it");
        rc = htsim_file_value(s, &v);
        if (!rc && k != SPEED && k != LATENCY && k != SWITCH_LATENCY && v != (double)(uint32_t)v)
            rc = weft_tokens_err(s, "this must be a whole number");
        if (rc)
            break;
        if (which && v >= (t->tiers ? t->tiers : TIERS_MAX))
            return weft_tokens_err(s, "tiers are numbered from 0, and 'Tiers' says how many");
        if (tiers && v != 2 && v != 3)
            return weft_tokens_err(s, "Tiers is 2 or 3");
        tier = which ? (int)v : tier;
        if (which)
            t->line[tier] = s->in.tok_line;
        else if (k < KEYS)
            t->tier[tier][k] = v;
        else
            *(nodes ? &t->nodes : tiers ? &t->tiers : &t->pod) = (uint32_t)v;
    }
    return rc ? rc : s->err->code;
}

/* How many switches there are. */
struct shape {
    uint32_t pods, leaves, aggs, cores; /* leaves and aggs of a pod */
    uint32_t up, bundle[TIERS_MAX];
};

static uint32_t whole(const struct tree *t, int tier, int key, uint32_t none)
{
    return t->tier[tier][key] >= 0 ? (uint32_t)t->tier[tier][key] : none;
}

static int htsim_file_measure(struct weft_tokens *s, const struct tree *t, struct shape *h)
{
    const uint32_t top = t->tiers - 1;
    if (!t->nodes || !t->tiers || !t->pod)
        return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, 0, 0,
                           "Nodes, Tiers and Podsize must be given, above 0");
    for (uint32_t i = 0; i <= top; i++)
        for (int k = 0; k <= LATENCY; k++)
            if (t->tier[i][k] < 0 && !(k == UP && i == top))
                return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, t->line[i], 0,
                                   "tier %" PRIu32 " has no %s", i, keys[k]);
            else if (t->tier[i][k] <= 0 && k != LATENCY && !(k == UP && i == top))
                return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, t->line[i], 0,
                                   "tier %" PRIu32 ": %s must be above 0", i, keys[k]);
    const uint32_t down0 = whole(t, 0, DOWN, 1), up0 = whole(t, 0, UP, 1);
    for (uint32_t i = 0; i <= top; i++)
        h->bundle[i] = whole(t, (int)i, BUNDLE, 1) ? whole(t, (int)i, BUNDLE, 1) : 1;
    h->pods = t->tiers == 2 ? 1 : t->nodes / t->pod;
    const uint32_t hosts = t->tiers == 2 ? t->nodes : t->pod;
    h->leaves = hosts / down0;
    h->aggs = up0 / h->bundle[1];
    h->up = t->tiers == 3 ? whole(t, 1, UP, 1) / h->bundle[2] : 0;
    h->cores = h->aggs * h->up;
    if (h->pods * hosts != t->nodes || h->leaves * down0 != hosts || !h->aggs ||
        h->aggs * h->bundle[1] != up0 || (t->tiers == 3 && !h->up))
        return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, 0, 0,
                           "%" PRIu32 " nodes do not make pods of %" PRIu32
                           " with switches of %" PRIu32 " hosts and %" PRIu32 " links up",
                           t->nodes, t->pod, down0, up0);
    if (whole(t, 1, DOWN, 1) != h->leaves * h->bundle[1])
        return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, t->line[1], 0,
                           "tier 1: Radix_Down is %" PRIu32 ", but %" PRIu32
                           " switches of tier 0 with %" PRIu32 " links each lie below it",
                           whole(t, 1, DOWN, 1), h->leaves, h->bundle[1]);
    if (t->tiers == 3 && whole(t, 2, DOWN, 1) != h->pods * h->bundle[2])
        return weft_err_at(s->err, WEFT_E_INPUT, s->in.file, t->line[2], 0,
                           "tier 2: Radix_Down is %" PRIu32 ", but %" PRIu32 " pods with %" PRIu32
                           " links each lie below it",
                           whole(t, 2, DOWN, 1), h->pods, h->bundle[2]);
    return 0;
}

static double switch_ns(const struct tree *t, uint32_t tier)
{
    return t->tier[tier][SWITCH_LATENCY] > 0 ? t->tier[tier][SWITCH_LATENCY] : 0;
}

static int htsim_file_join(struct weft_tokens *s, const struct tree *t, struct weft_fabric *f,
                           uint32_t a, uint32_t b, uint32_t tier, uint32_t bundle)
{
    const double ns =
        t->tier[tier][LATENCY] + (switch_ns(t, tier) + (tier ? switch_ns(t, tier - 1) : 0)) / 2;
    const struct weft_fabric_link l = {.a = a,
                                       .b = b,
                                       .rate_bps = (uint64_t)(t->tier[tier][SPEED] * 1e9 + 0.5),
                                       .delay_ps = (int64_t)(ns * 1e3 + 0.5)};
    int rc = 0;
    for (uint32_t i = 0; i < bundle && !rc; i++)
        rc = weft_fabric_add_link(f, &l, NULL, s->err);
    return rc;
}

static int wire(struct weft_tokens *s, const struct tree *t, const struct shape *h,
                struct weft_fabric *f)
{
    const uint32_t leaf = t->nodes, agg = leaf + h->pods * h->leaves,
                   core = agg + h->pods * h->aggs;
    const uint32_t per_leaf = whole(t, 0, DOWN, 1);
    int rc = 0;
    for (uint32_t i = 0; i < core + h->cores && !rc; i++)
        rc = weft_fabric_add_node(f, i < leaf ? WEFT_NODE_HOST : WEFT_NODE_SWITCH,
                                  i < leaf   ? 0
                                  : i < agg  ? 1
                                  : i < core ? 2
                                             : 3,
                                  NULL, s->err);
    for (uint32_t i = 0; i < t->nodes && !rc; i++)
        rc = htsim_file_join(s, t, f, i, leaf + i / per_leaf, 0, 1);
    for (uint32_t l = 0; l < h->pods * h->leaves && !rc; l++)
        for (uint32_t j = 0; j < h->aggs && !rc; j++)
            rc = htsim_file_join(s, t, f, leaf + l, agg + l / h->leaves * h->aggs + j, 1,
                                 h->bundle[1]);
    for (uint32_t a = 0; a < h->pods * h->aggs && !rc && h->cores; a++)
        for (uint32_t k = 0; k < h->up && !rc; k++)
            rc = htsim_file_join(s, t, f, agg + a, core + a % h->aggs + k * h->aggs, 2,
                                 h->bundle[2]);
    return rc;
}

static int htsim_file_parse(struct weft_tokens *s, struct weft_fabric *f, const void *params)
{
    struct tree t = {.nodes = 0};
    struct shape h = {0};
    int rc = read_keys(s, &t);
    rc = rc ? rc : htsim_file_measure(s, &t, &h);
    if (!rc && (uint64_t)t.nodes + (uint64_t)h.pods * h.leaves * (1 + h.aggs) > (1u << 24))
        rc = weft_err_at(s->err, WEFT_E_LIMIT, s->in.file, 0, 0, "the tree is too large");
    rc = rc ? rc : wire(s, &t, &h, f);
    if (!rc && (switch_ns(&t, 0) > 0 || switch_ns(&t, 1) > 0))
        rc = weft_fabric_note(f, s->err,
                              "%s: half of Switch_Latency_ns is added to each link of the switch",
                              s->in.file);
    for (uint32_t i = 0; !rc && i < t.tiers; i++)
        if (t.tier[i][QUEUE_UP] >= 0 || t.tier[i][QUEUE_DOWN] >= 0) {
            rc = weft_fabric_note(f, s->err,
                                  "%s: Queue_Up and Queue_Down have no effect; how much a switch "
                                  "holds is up to the run",
                                  s->in.file);
            break;
        }
    f->routing = WEFT_ROUTING_SHORTEST;
    rc = rc ? rc : weft_fabric_finish(f, s->err);
    if (rc)
        weft_err_locate(s->err, s->in.file, 0, 0);
    return rc;
}

static int htsim_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    return weft_tokens_build("htsim", ((const struct params *)raw)->file, htsim_file_parse, raw,
                             out, err);
}

const struct weft_topology_ops weft_topology_htsim = {
    .name = "htsim",
    .title = "a fat tree of htsim (.topo)",
    .source =
        "Broadcom/csg-htsim and ultraethernet/uet-htsim, sim/datacenter/fat_tree_topology.cpp",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = htsim_build,
};
