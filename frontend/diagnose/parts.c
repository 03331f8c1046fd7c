/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes that give one link, host or rank the speed of those like it.
 *
 * Of every link, host and rank the run says by how much it would have been in use less at that
 * speed (plot/facts.h), which is the most that the change can save. The dearest are tried first.
 */
#include "base/units.h"
#include "base/usual.h"
#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

/* ---- links ---- */

enum { MOST_LINKS = 6 };

/* Peers are of one dimension, between nodes of the same two tiers. */
static uint64_t changes_link_kind(const struct weft_fabric *f, const struct weft_fabric_link *l)
{
    const uint64_t a = f->nodes[l->a].tier, b = f->nodes[l->b].tier;
    return (uint64_t)l->dim << 32 | (a < b ? a << 16 | b : b << 16 | a);
}

/* A slow part that is not tried by itself. */
static void count_rest(struct weft_changes *c, double cost)
{
    c->nrest++;
    c->rest_cost = fmax(c->rest_cost, cost);
}

/* The links that are slower than their peers, and the rate of these; else 0. */
static uint64_t *peers_rates(struct weft_changes *c, const struct weft_fabric *f,
                             struct weft_err *err)
{
    struct weft_usual *peers =
        (struct weft_usual *)weft_arena_calloc(c->arena, f->nlinks + 1, sizeof *peers);
    uint64_t *rates = (uint64_t *)weft_arena_calloc(c->arena, f->nlinks + 1, sizeof *rates);
    if (!peers || !rates) {
        weft_err_no_memory(err, "changes to try");
        return NULL;
    }
    for (uint32_t i = 0; i < f->nlinks; i++)
        peers[i] = (struct weft_usual){.kind = changes_link_kind(f, &f->links[i]),
                                       .value = (double)f->links[i].rate_bps};
    if (weft_usual_find(peers, f->nlinks, err))
        return NULL;
    for (uint32_t i = 0; i < f->nlinks; i++)
        if ((double)f->links[i].rate_bps < 0.95 * peers[i].usual)
            rates[i] = (uint64_t)peers[i].usual;
    return rates;
}

/* "NUMBER:RATE" of a link, behind "run.link-rates=" or others of @p list. NULL: no memory. */
static const char *with_link(struct weft_changes *c, const char *list, uint32_t link,
                             uint64_t rate_bps)
{
    char rate[WEFT_UNIT_TEXT_MAX];
    return weft_arena_printf(c->arena, "%s%s%u:%s", list, list[strlen(list) - 1] == '=' ? "" : ";",
                             link, weft_format_rate(rate_bps, rate));
}

static int add_link(struct weft_changes *c, const struct weft_fabric *f, uint32_t link,
                    uint64_t rate_bps, double cost, struct weft_err *err)
{
    const struct weft_fabric_link *l = &f->links[link];
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], rate[WEFT_UNIT_TEXT_MAX],
        own[WEFT_UNIT_TEXT_MAX];
    const char *set = with_link(c, "run.link-rates=", link, rate_bps);
    const struct weft_change like = {
        .class = WEFT_CHANGE_LINK,
        .what =
            weft_arena_printf(c->arena, "link %s-%s at %s, as its peers, instead of %s",
                              weft_fabric_node_name(f, l->a, a), weft_fabric_node_name(f, l->b, b),
                              weft_format_rate(rate_bps, rate), weft_format_rate(l->rate_bps, own)),
        .advice = "Bring this link to the rate of its peers, or keep traffic off it.",
        .weight = WEFT_CHANGE_UNINTENDED,
        .part = true,
        .cost = cost,
    };
    return set ? weft_changes_add(c, &like, set, NULL, NULL, err)
               : weft_err_no_memory(err, "changes to try");
}

int weft_changes_of_links(struct weft_changes *c, const struct weft_fabric *f,
                          const struct weft_symptoms *y, struct weft_err *err)
{
    uint64_t *rates = peers_rates(c, f, err);
    const char *all = "run.link-rates=";
    size_t n = 0, tried = 0;
    if (!rates)
        return err->code;
    for (uint32_t i = 0; all && i < f->nlinks; i++)
        if (rates[i] && (all = with_link(c, all, i, rates[i])))
            n++;
    const struct weft_change together = {
        .class = WEFT_CHANGE_LINK,
        .what = weft_arena_printf(c->arena,
                                  "all %zu links that are slower than most of their "
                                  "peers at the rate of these",
                                  n),
        .advice = "Bring these links to the rate of their peers ('weft show fabric' lists them).",
        .weight = WEFT_CHANGE_SEVERAL,
        .order = 1,
    };
    if (n > 1 && weft_changes_add(c, &together, all, NULL, NULL, err))
        return err->code;
    /* The dearest first; without knowing, in order of the fabric. */
    for (size_t i = 0; i < y->nslow; i++) {
        const struct weft_slow_part *p = &y->slow[i];
        if (p->kind != WEFT_SLOW_LINK || p->index >= f->nlinks || !rates[p->index])
            continue;
        if (tried++ >= MOST_LINKS)
            count_rest(c, p->cost);
        else if (add_link(c, f, p->index, rates[p->index], p->cost, err))
            return err->code;
        rates[p->index] = 0;
    }
    for (uint32_t i = 0; i < f->nlinks && tried < MOST_LINKS; i++)
        if (rates[i] && ++tried && add_link(c, f, i, rates[i], 0, err))
            return err->code;
    return 0;
}

/* ---- hosts ---- */

static bool is_of_host(const struct weft_fabric *f, uint32_t link, uint32_t host)
{
    const uint32_t ends[2] = {f->links[link].a, f->links[link].b};
    for (size_t e = 0; e < 2; e++)
        if (f->nodes[ends[e]].kind == WEFT_NODE_HOST && ends[e] == f->hosts[host])
            return true;
    return false;
}

enum { MOST_HOSTS = 3, MOST_RANKS = 3 };

/* All slow links of a host at the rate of their peers, and without the faults of its links. */
static int add_host(struct weft_changes *c, const struct weft_scenario *s,
                    const struct weft_fabric *f, const struct weft_symptoms *y,
                    const struct weft_slow_part *host, const uint64_t *rates, struct weft_err *err)
{
    static const char key[] = "run.link-rates=";
    const char *links = key, *events = NULL;
    uint64_t entries = 0;
    size_t n = 0;
    for (size_t i = 0; links && i < y->nslow; i++) {
        const struct weft_slow_part *p = &y->slow[i];
        if (p->kind != WEFT_SLOW_LINK || p->index >= f->nlinks ||
            !is_of_host(f, p->index, host->index))
            continue;
        n++;
        if (p->entry > 0 && p->entry < 64)
            entries |= UINT64_C(1) << p->entry;
        else if (rates[p->index])
            links = with_link(c, links, p->index, rates[p->index]);
    }
    if (entries && links == key && !(entries & (entries - 1)))
        return 0; /* one fault of several links, which is a change of its own */
    if (entries) {
        events = weft_changes_events_without(c, s->faults->events, entries);
        events =
            events ? weft_arena_printf(c->arena, WEFT_FAULT_ELEMENT ".events=%s", events) : NULL;
    }
    if (!links || (entries && !events))
        return weft_err_no_memory(err, "changes to try");
    const struct weft_change like = {
        .class = WEFT_CHANGE_LINK,
        .what = weft_arena_printf(c->arena, "the %zu slow links of host h%u as fast as their peers",
                                  n, host->index),
        .advice = "Repair or replace this host, or keep traffic off it.",
        .weight = WEFT_CHANGE_UNINTENDED,
        .part = true,
        .cost = host->cost,
    };
    return weft_changes_add(c, &like, links == key ? NULL : links, events, NULL, err);
}

int weft_changes_of_hosts(struct weft_changes *c, const struct weft_scenario *s,
                          const struct weft_fabric *f, const struct weft_symptoms *y,
                          struct weft_err *err)
{
    const uint64_t *rates = peers_rates(c, f, err);
    size_t n = 0;
    for (size_t i = 0; rates && i < y->nslow; i++) {
        if (y->slow[i].kind != WEFT_SLOW_HOST)
            continue;
        if (n++ >= MOST_HOSTS)
            count_rest(c, y->slow[i].cost);
        else if (add_host(c, s, f, y, &y->slow[i], rates, err))
            return err->code;
    }
    return rates ? 0 : err->code;
}

/* ---- ranks ---- */

/* Ranks that compute longer than those like them, each alone, where no setting says so. */
int weft_changes_of_ranks(struct weft_changes *c, const struct weft_scenario *s,
                          const struct weft_symptoms *y, struct weft_err *err)
{
    const char *given =
        weft_group_value(weft_scenario_group_of(s, "system"), "stragglers", c->arena);
    size_t n = 0;
    if (s->njobs != 1 || *given)
        return 0;
    for (size_t i = 0; i < y->nslow; i++) {
        const struct weft_slow_part *p = &y->slow[i];
        if (p->kind != WEFT_SLOW_RANK)
            continue;
        if (n++ >= MOST_RANKS) {
            count_rest(c, p->cost);
            continue;
        }
        const struct weft_change like = {
            .class = WEFT_CHANGE_TUNING,
            .what = weft_arena_printf(c->arena,
                                      "rank %u, which computes %.3g times as long as others, as "
                                      "fast as these",
                                      p->index, p->times),
            .advice = "Give this rank less to compute: layers, experts or samples are uneven.",
            .weight = 1.5,
            .order = 1,
            .part = true,
            .cost = p->cost,
        };
        const char *set =
            weft_arena_printf(c->arena, "system.stragglers=%u:%.6g", p->index, 1 / p->times);
        if (!set || weft_changes_add(c, &like, set, NULL, NULL, err))
            return weft_err_no_memory(err, "changes to try");
    }
    return 0;
}
