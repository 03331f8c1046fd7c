/* SPDX-License-Identifier: GPL-2.0-only */
/* What the links of a run say together. */
#include "plot/link_facts.h"

#include "base/grow.h"
#include "base/units.h"
#include "base/usual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int weft_link_facts_add(struct weft_link_facts *l, const struct weft_link_fact *fact,
                        struct weft_err *err)
{
    if (!WEFT_ARENA_GROW(l->arena, l->list, l->n, &l->cap))
        return weft_err_no_memory(err, "a report");
    struct weft_link_fact *own = &l->list[l->n++];
    *own = *fact;
    own->from = weft_arena_strdup(l->arena, fact->from);
    own->to = weft_arena_strdup(l->arena, fact->to);
    own->dim = weft_arena_strdup(l->arena, fact->dim);
    return own->from && own->to && own->dim ? 0 : weft_err_no_memory(err, "a report");
}

/* The worst come first. */
static int add_fault(struct weft_facts *f, double severity, const char *text, const char *advice,
                     struct weft_err *err)
{
    size_t at = f->nfaults;
    if (!text)
        return weft_err_no_memory(err, "a report");
    while (at > 0 && f->faults[at - 1].severity < severity)
        at--;
    if (at == WEFT_FAULT_FACTS)
        return 0;
    f->nfaults += f->nfaults < WEFT_FAULT_FACTS;
    for (size_t i = f->nfaults - 1; i > at; i--)
        f->faults[i] = f->faults[i - 1];
    f->faults[at] = (struct weft_fault_fact){text, advice, severity};
    return 0;
}

int weft_slow_part_add(struct weft_arena *arena, struct weft_facts *f, struct weft_slow_part part,
                       struct weft_err *err)
{
    if (!WEFT_ARENA_GROW(arena, f->slow, f->nslow, &f->slow_cap))
        return weft_err_no_memory(err, "a report");
    f->slow[f->nslow++] = part;
    return 0;
}

static int slow_part_order(const void *va, const void *vb)
{
    const struct weft_slow_part *a = va, *b = vb;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void weft_slow_parts_sort(struct weft_facts *f)
{
    if (f->nslow)
        qsort(f->slow, f->nslow, sizeof *f->slow, slow_part_order);
}

/* ---- faults ---- */

enum { KIND, LINK, A, B, BEGIN, END, RATE, LOST, ENTRY };

/* All times that a link had a fault of one kind, and the rate that this left. */
struct fault_sum {
    const char *kind, *a, *b;
    double link, rate, share, lost; /* rate 0: none is left, or it is not what is wrong */
    unsigned entry;                 /* of fault.events, the first that made it so */
    size_t times;
};

enum { FAULT_SUMS = 64 };

struct fault_reading {
    const struct weft_link_facts *l;
    struct weft_facts *f;
    struct fault_sum sum[FAULT_SUMS];
    size_t n;
};

/* The direction of a link that sent longest; NULL: there is no such link. */
static const struct weft_link_fact *busiest_of(const struct weft_link_facts *l, uint32_t link)
{
    return link < l->nbusiest ? l->busiest[link] : NULL;
}

static int find_busiest(struct weft_link_facts *l, struct weft_err *err)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].link >= l->nbusiest)
            l->nbusiest = (size_t)l->list[i].link + 1;
    l->busiest = weft_arena_calloc(l->arena, l->nbusiest + 1, sizeof *l->busiest);
    if (!l->busiest)
        return weft_err_no_memory(err, "a report");
    for (size_t i = 0; i < l->n; i++) {
        const struct weft_link_fact **most = &l->busiest[l->list[i].link];
        if (!*most || l->list[i].util > (*most)->util)
            *most = &l->list[i];
    }
    return 0;
}

static int fault_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct fault_reading *r = ctx;
    struct weft_arena *a = r->l->arena;
    double link, begin, end, rate, lost, entry;
    if (weft_row_number(row, LINK, &link, err) || weft_row_number(row, ENTRY, &entry, err) ||
        weft_row_number(row, BEGIN, &begin, err) || weft_row_number(row, END, &end, err) ||
        weft_row_number(row, RATE, &rate, err) || weft_row_number(row, LOST, &lost, err))
        return err->code;
    if (!(end > 0) || end > r->f->end_ns)
        end = fmax(begin, r->f->end_ns);
    const char *kind = weft_row_text(row, KIND);
    size_t i = 0;
    while (i < r->n &&
           (r->sum[i].link != link || r->sum[i].rate != rate || strcmp(r->sum[i].kind, kind) != 0))
        i++;
    if (i == FAULT_SUMS)
        return 0;
    struct fault_sum *x = &r->sum[i];
    if (i == r->n) {
        *x = (struct fault_sum){.kind = weft_arena_strdup(a, kind),
                                .a = weft_arena_strdup(a, weft_row_text(row, A)),
                                .b = weft_arena_strdup(a, weft_row_text(row, B)),
                                .link = link,
                                .rate = rate,
                                .entry = (unsigned)entry};
        r->n++;
        if (!x->kind || !x->a || !x->b)
            return weft_err_no_memory(err, "a report");
    }
    x->share += r->f->end_ns > 0 ? (end - begin) / r->f->end_ns : 0;
    x->lost += lost;
    x->times++;
    return 0;
}

static int report_fault(struct fault_reading *r, const struct fault_sum *x, struct weft_err *err)
{
    struct weft_arena *a = r->l->arena;
    char is[WEFT_UNIT_TEXT_MAX], was[WEFT_UNIT_TEXT_MAX];
    const struct weft_link_fact *k = busiest_of(r->l, (uint32_t)x->link);
    const char *often = x->times > 1 ? weft_arena_printf(a, ", %zu times", x->times) : "";
    if (!often)
        return weft_err_no_memory(err, "a report");
    if (x->rate > 0 && k && k->rate_bps > 0) {
        const double cost = fmin(x->share, k->util) * fmax(0, 1 - x->rate / k->rate_bps);
        if (weft_slow_part_add(a, r->f,
                               (struct weft_slow_part){WEFT_SLOW_LINK, k->link, x->entry,
                                                       k->rate_bps / x->rate, cost},
                               err))
            return err->code;
        return add_fault(
            r->f, cost,
            weft_arena_printf(a,
                              "A fault (%s%s) left link %s-%s %s of its %s for %.1f %% of the run: "
                              "at this rate it was busy for %.1f %% of it.",
                              x->kind, often, x->a, x->b, weft_human_rate(x->rate, is),
                              weft_human_rate(k->rate_bps, was), 100 * x->share, 100 * k->util),
            "Repair this link, or keep traffic off it.", err);
    }
    return add_fault(
        r->f, x->lost > 0 ? 1 : x->share,
        weft_arena_printf(
            a, "A fault (%s%s) of link %s-%s lasted %.3g %% of the run and lost %.0f packets.",
            x->kind, often, x->a, x->b, 100 * x->share, x->lost),
        "Repair this link, or keep traffic off it.", err);
}

/* ---- peers ---- */

static bool is_host(const char *name)
{
    return name[0] == 'h';
}

enum {
    MOST_ODD = 8,   /* of more links it is said by no sentence each that they are slower */
    MOST_SLOW = 64, /* of so many links their hosts are looked at */
    HEADER = 128    /* bytes, at least those of any packet */
};

/* Peers are of one dimension, and join hosts and switches alike. */
static uint64_t link_facts_kind(const struct weft_link_fact *x)
{
    return (uint64_t)strtoul(x->dim, NULL, 10) << 2 | (uint64_t)is_host(x->from) << 1 |
           (uint64_t)is_host(x->to);
}

static int find_slow_links(const struct weft_link_facts *l, struct weft_facts *f,
                           struct weft_err *err)
{
    struct weft_usual *all = weft_arena_calloc(l->arena, l->n + 1, sizeof *all);
    char is[WEFT_UNIT_TEXT_MAX], was[WEFT_UNIT_TEXT_MAX];
    if (!all)
        return weft_err_no_memory(err, "a report");
    for (size_t i = 0; i < l->n; i++)
        all[i] =
            (struct weft_usual){.kind = link_facts_kind(&l->list[i]), .value = l->list[i].rate_bps};
    if (weft_usual_find(all, l->n, err))
        return err->code;
    for (size_t i = 0; i < l->n; i++) {
        const struct weft_link_fact *x = &l->list[i];
        const double usual = all[i].usual, cost = x->util * (1 - x->rate_bps / usual);
        if (!(x->rate_bps < 0.95 * usual) || busiest_of(l, x->link) != x)
            continue;
        if (weft_slow_part_add(
                l->arena, f,
                (struct weft_slow_part){WEFT_SLOW_LINK, x->link, 0, usual / x->rate_bps, cost},
                err))
            return err->code;
        if (all[i].others <= MOST_ODD &&
            add_fault(f, cost,
                      weft_arena_printf(l->arena,
                                        "The link from %s to %s has %s, its peers have %s: at this "
                                        "rate it was busy for %.1f %% of the run.",
                                        x->from, x->to, weft_human_rate(x->rate_bps, is),
                                        weft_human_rate(usual, was), 100 * x->util),
                      "Bring this link to the rate of its peers, or keep traffic off it.", err))
            return err->code;
    }
    return 0;
}

/* ---- hosts ---- */

/* What several slow links of a host cost together, one after the other; 0: it has fewer. */
static double host_cost(const struct weft_link_facts *l, const struct weft_facts *f,
                        const char *host, size_t *nlinks)
{
    double sum = 0, times = 1;
    *nlinks = 0;
    for (size_t i = 0; i < f->nslow; i++) {
        const struct weft_link_fact *x = busiest_of(l, f->slow[i].index);
        if (f->slow[i].kind != WEFT_SLOW_LINK || !x ||
            (strcmp(x->from, host) != 0 && strcmp(x->to, host) != 0))
            continue;
        sum += f->slow[i].cost;
        times = fmax(times, f->slow[i].times);
        ++*nlinks;
    }
    return *nlinks > 1 ? fmin(sum, 1 - 1 / times) : 0;
}

/* Hosts with several slow links, which may cost more together than each alone. */
static int find_slow_hosts(const struct weft_link_facts *l, struct weft_facts *f,
                           struct weft_err *err)
{
    const size_t nlinks = f->nslow;
    for (size_t i = 0; i < nlinks && i < MOST_SLOW; i++) {
        const struct weft_link_fact *x = busiest_of(l, f->slow[i].index);
        const char *ends[2] = {x ? x->from : "", x ? x->to : ""};
        for (size_t e = 0; e < 2; e++) {
            const uint32_t host = (uint32_t)strtoul(ends[e] + is_host(ends[e]), NULL, 10);
            size_t n = 0, k = nlinks;
            const double cost = is_host(ends[e]) ? host_cost(l, f, ends[e], &n) : 0;
            while (k < f->nslow && f->slow[k].index != host)
                k++;
            if (!(cost > 0) || k < f->nslow)
                continue;
            if (weft_slow_part_add(l->arena, f,
                                   (struct weft_slow_part){WEFT_SLOW_HOST, host, 0, 0, cost}, err))
                return err->code;
            if (add_fault(f, cost,
                          weft_arena_printf(l->arena,
                                            "Host %s has %zu links that are slower than their "
                                            "peers: they were busy for %.1f %% of the run longer "
                                            "than at their rate.",
                                            ends[e], n, 100 * cost),
                          "Repair or replace this host, or keep traffic off it.", err))
                return err->code;
        }
    }
    return 0;
}

/* ---- tiers ---- */

/* Of each switch with hosts: what they may send against what its other links carry. */
static void compare_tiers(const struct weft_link_facts *l, struct weft_facts *f)
{
    double n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct weft_link_fact *x = &l->list[i];
        double down = 0, up = 0;
        if (is_host(x->from) || is_host(x->to))
            continue;
        n++;
        f->uplink_util += x->util;
        if (i > 0 && strcmp(l->list[i - 1].from, x->from) == 0 && !is_host(l->list[i - 1].to))
            continue; /* this switch has been looked at */
        for (size_t k = 0; k < l->n; k++) {
            if (strcmp(l->list[k].from, x->from) != 0)
                continue;
            *(is_host(l->list[k].to) ? &down : &up) += l->list[k].rate_bps;
        }
        if (up > 0)
            f->oversubscribed = fmax(f->oversubscribed, down / up);
    }
    if (n > 0)
        f->uplink_util /= n;
}

/* ---- headroom ---- */

/* What the neighbours of switches that lost packets of a lossless class still send after a pause:
 * two link delays at link rate, and a packet that has begun at each end. */
static int find_headroom(const struct weft_link_facts *l, const struct weft_run *run,
                         struct weft_facts *f, struct weft_err *err)
{
    const char *mtu = weft_run_setting(run, "transport", "mtu"),
               *response = weft_run_setting(run, "pfc", "response-time");
    uint64_t packet = 0;
    int64_t response_ps = 0;
    if (mtu)
        weft_parse_size_bytes(mtu, &packet, &(struct weft_err){0});
    if (response)
        weft_parse_time_ps(response, &response_ps, &(struct weft_err){0});
    for (size_t i = 0; i < l->n && f->drops_headroom > 0; i++)
        for (size_t k = 0; l->list[i].lost > 0 && k < l->n; k++) {
            const struct weft_link_fact *in = &l->list[k];
            const double bytes =
                (2 * in->delay_ns + 1e-3 * (double)response_ps) * 1e-9 * in->rate_bps / 8 +
                3 * ((double)packet + HEADER);
            if (strcmp(in->to, l->list[i].from) != 0 || bytes <= f->headroom_bytes)
                continue;
            f->headroom_bytes = bytes;
            f->headroom_link = weft_arena_printf(l->arena, "%s to %s", in->from, in->to);
            if (!f->headroom_link)
                return weft_err_no_memory(err, "a report");
        }
    return 0;
}

int weft_link_facts_conclude(struct weft_link_facts *l, const struct weft_run *run,
                             struct weft_facts *f, struct weft_err *err)
{
    static const char *const columns[] = {"kind",     "link",   "from|a",   "to|b",
                                          "begin_ns", "end_ns", "rate_bps", "lost_packets",
                                          "?entry",   NULL};
    struct fault_reading r = {.l = l, .f = f};
    if (find_busiest(l, err) || weft_run_rows(run, "faults.csv", columns, fault_row, &r, err) < 0)
        return err->code;
    for (size_t i = 0; i < r.n; i++)
        if (report_fault(&r, &r.sum[i], err))
            return err->code;
    if (find_headroom(l, run, f, err))
        return err->code;
    if (l->n <= 20000)
        compare_tiers(l, f);
    if (find_slow_links(l, f, err))
        return err->code;
    weft_slow_parts_sort(f);
    return find_slow_hosts(l, f, err);
}
