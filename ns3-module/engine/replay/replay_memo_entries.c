/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long messages took, and by how much the memo is off: entries, checks, the estimate of errors.
 */
#include "core/context.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "core/msg.h"
#include "replay_internal.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define SPREAD 2.0       /**< times the tolerance: standard deviation of an entry, at most */
#define GAP_GROWS 6u     /**< times as many messages are between the next two checks, */
#define SCATTER_GROWS 2u /**< of messages that scatter */
#define OWN_SPREAD 0.5   /**< of the spread of entries, by which any two runs may differ */
#define ALIKE 16.0       /**< messages of a check that are off alike */
#define SCATTERED 8u     /**< messages that make an entry known that scatter */
#define SHARED 1.2       /**< times as long as alone: others send over a link, too */
#define MOST_ENTRIES 32u /**< of a QP */

/* ---- entries ---- */

/* What an entry is filed under: the group, or that a group forms, and the state of links. */
static uint64_t memo_pattern(struct weft_engine *e, const struct memo_qp *q, uint64_t home)
{
    const struct replay_memo *r = &replay_of(e)->memo;
    const uint64_t group = home ? weft_mix64(home) : memo_group(e, q)->pattern;
    return group + r->changes + r->resamples;
}

/* Adds entry @p of to those of a QP; 0: there are too many. */
static uint32_t memo_entry_add(struct weft_engine *e, struct memo_qp *q,
                               const struct memo_entry *of)
{
    struct replay_memo *r = &replay_of(e)->memo;
    const uint32_t i = q->nentries < MOST_ENTRIES ? stable_alloc(&r->entries) : NIL;
    if (i == NIL)
        return 0;
    *memo_entry_at(e, i) = *of;
    memo_entry_at(e, i)->next = q->entries;
    q->entries = i;
    q->nentries++;
    return i;
}

/* By how much the first check of a QP in this run comes earlier; all of a group that forms are
 * checked together. */
static uint32_t memo_entry_early(const struct weft_engine *e, const struct memo_qp *q,
                                 uint64_t home)
{
    const uint64_t number = home ? home : (uint64_t)(q - memo_qp_at(e, 0));
    return (uint32_t)(weft_mix64(e->seed ^ number) % (MEMO_FIRST_GAP / 2));
}

uint32_t memo_entry_find(struct weft_engine *e, struct memo_qp *q, uint64_t bytes, uint64_t home)
{
    struct memo_entry of = {.qp = q->name, .bytes = bytes, .pattern = memo_pattern(e, q, home)};
    uint32_t i = q->entries;
    while (i && (memo_entry_at(e, i)->bytes != bytes || memo_entry_at(e, i)->pattern != of.pattern))
        i = memo_entry_at(e, i)->next;
    const struct memo_entry *kept = i ? NULL : memo_kept_find(e, &of);
    if (!kept)
        return i;
    of = *kept;
    const uint32_t first = MEMO_FIRST_GAP - memo_entry_early(e, q, home);
    of.hits = of.gap > first ? of.gap - first : 0;
    return memo_entry_add(e, q, &of);
}

double memo_entry_spread(const struct memo_entry *m)
{
    return sqrt(m->variance) / m->received_ps;
}

/* Whether messages of an entry differ by more than is tolerated, or share a link, where they come
 * to differ. */
static bool memo_entry_scatters(const struct weft_engine *e, const struct memo_entry *m)
{
    return m->shares || memo_entry_spread(m) > SPREAD * replay_of(e)->memo.tolerance;
}

bool memo_entry_known(struct weft_engine *e, const struct memo_qp *q, uint32_t i)
{
    const struct memo_entry *m = memo_entry_at(e, i);
    const struct memo_node *g = memo_group(e, q);
    const bool known = memo_entry_scatters(e, m) ? replay_of(e)->memo.resamples && m->n >= SCATTERED
                                                 : m->n >= MEMO_LEAST_SEEN;
    return i && known && (!g->checks || q->checked_epoch == g->epoch);
}

double memo_entry_sent_ps(struct weft_engine *e, const struct memo_entry *m,
                          const struct memo_msg *k)
{
    const uint32_t n = m->n < MEMO_SEEN ? m->n : MEMO_SEEN;
    if (!memo_entry_scatters(e, m))
        return m->sent_ps;
    return m->seen_ps[weft_mix64(weft_mix64(e->seed ^ k->qp) ^ k->first_psn) % n];
}

static void memo_sample_add(struct memo_sample *s, double off)
{
    s->off[s->n++ % MEMO_CHECKED] = (float)off;
    s->sum += off;
}

/* A message was simulated as something had come up: where messages are elsewhere in time by a
 * little, that may happen to others. */
void memo_entry_outlier(struct weft_engine *e, const struct memo_msg *k)
{
    const double took_ps = (double)(k->received_ps - k->start_ps);
    const struct memo_entry *m = memo_entry_at(e, k->entry);
    if (m->n >= MEMO_LEAST_SEEN)
        memo_sample_add(&replay_of(e)->memo.outliers, 2 * fabs(took_ps - m->received_ps) / took_ps);
}

bool memo_rate_compare(const struct weft_engine *e, double off)
{
    struct replay_memo *r = &replay_of(e)->memo;
    memo_sample_add(&r->checks, fabs(off));
    r->signed_errors += off;
    r->squares += off * off;
    return fabs(off) <= replay_of(e)->memo.tolerance;
}

/* A message that was known was simulated: its deviation from the memo. */
static void memo_entry_compare(const struct weft_engine *e, struct memo_entry *m,
                               double received_ps)
{
    struct replay_memo *r = &replay_of(e)->memo;
    const double off_ps = received_ps - m->received_ps;
    memo_rate_compare(e, off_ps / received_ps);
    r->checked++;
    r->took_ps += received_ps;
    r->off_ps += off_ps;
    r->off_ps_squares += off_ps * off_ps;
    m->hits = 0;
    const uint32_t gap = m->gap * (memo_entry_scatters(e, m) ? SCATTER_GROWS : GAP_GROWS);
    m->gap = (uint16_t)(gap < MEMO_LAST_GAP ? gap : MEMO_LAST_GAP);
}

static void memo_mean(double *mean, double value, double share)
{
    *mean += (value - *mean) * share;
}

int64_t memo_packet_ps(const struct weft_engine *e, const struct qp *q, uint64_t payload_bytes)
{
    const uint64_t wire = data_frame(q, payload_bytes) + e->p.transport.gap_bytes;
    return gap_quantised(e->p.transport.quantum_ps, wire, e->ports[q->port].ser_q);
}

uint64_t memo_last_packets(const struct qp *q)
{
    const uint64_t n = q->snd->last_wire / q->kind->env.mtu_wire_bytes;
    return n ? n : 1;
}

/* Whether messages of an entry, as @p k is one, take longer than alone at their NIC. */
static bool memo_entry_shares(struct weft_engine *e, const struct memo_entry *m,
                              const struct memo_msg *k)
{
    const struct qp *q = qp_at(e, k->qp);
    const int64_t each_ps = memo_packet_ps(e, q, q->kind->env.mtu_bytes);
    const bool shares = m->sent_ps > SHARED * (double)k->packets * (double)each_ps;
    if (shares && !replay_of(e)->memo.resamples)
        replay_say(e, WEFT_REPLAY_MEMO, "messages share a link, and drift apart");
    return shares;
}

/* A message was simulated that met nothing but packets of its group. */
void memo_entry_learn(struct weft_engine *e, struct memo_qp *q, const struct memo_msg *k,
                      const struct weft_completion *d)
{
    uint32_t i = memo_entry_find(e, q, k->bytes, k->home);
    if (!i)
        i = memo_entry_add(
            e, q,
            &(struct memo_entry){.qp = q->name,
                                 .bytes = k->bytes,
                                 .pattern = memo_pattern(e, q, k->home),
                                 .gap =
                                     (uint16_t)(MEMO_FIRST_GAP - memo_entry_early(e, q, k->home))});
    if (!i)
        return;
    struct memo_entry *m = memo_entry_at(e, i);
    const double received_ps = (double)(k->received_ps - k->start_ps);
    struct memo_node *g = memo_group(e, q);
    if (g->checks && q->checked_epoch != g->epoch) {
        if (m->n >= MEMO_LEAST_SEEN)
            memo_entry_compare(e, m, received_ps);
        q->checked_epoch = g->epoch;
    }
    /* not less: a message takes its ideal time at least */
    m->seen_ps[m->n++ % MEMO_SEEN] = nextafterf((float)(k->sent_ps - k->start_ps), INFINITY);
    const double share = 1.0 / (m->n < MEMO_SEEN ? m->n : MEMO_SEEN);
    const double off = received_ps - m->received_ps;
    m->variance = (1 - share) * (m->variance + (m->n > 1 ? share * off * off : 0));
    memo_mean(&m->received_ps, received_ps, share);
    memo_mean(&m->sent_ps, (double)(k->sent_ps - k->start_ps), share);
    memo_mean(&m->acked_ps, (double)(d->acked_ps - k->start_ps), share);
    m->shares = memo_entry_shares(e, m, k);
    memo_mean(&m->cnps, (double)d->cnps, share);
    for (int c = 0; c < WEFT_DELAY_QUEUE; c++) {
        const int64_t behind_ps = c == WEFT_DELAY_NIC ? k->start_ps - k->post_ps : 0;
        memo_mean(&m->held_ps[c], (double)(d->delay_ps[c] - behind_ps), share);
    }
}

/* ---- groups ---- */

bool memo_group_ready(struct weft_engine *e, struct memo_node *g)
{
    if (g->ready < g->active && g->scanned != g->epoch) {
        g->scanned = g->epoch;
        MEMO_EACH(e, g, q)
            memo_group_report(g, q, memo_entry_known(e, q, memo_entry_find(e, q, q->bytes, 0)));
    }
    return g->ready == g->active && !g->forming;
}

bool memo_msg_fits(struct weft_engine *e, const struct memo_msg *k)
{
    const struct memo_node *g = memo_group(e, memo_qp_at(e, k->qp));
    return k->home ? k->home == g->expects && g->whole_ps >= k->post_ps
                   : g->changed_ps <= k->start_ps;
}

/* ---- estimate of errors ---- */

/* A deviation, and the share of messages that it stands for. */
struct deviation {
    double off, share;
};

static int memo_deviation_order(const void *a, const void *b)
{
    const double x = ((const struct deviation *)a)->off, y = ((const struct deviation *)b)->off;
    return (x < y) - (x > y);
}

static uint32_t memo_deviations(const struct memo_sample *s, double share, struct deviation *to)
{
    const uint32_t n = s->n < MEMO_CHECKED ? (uint32_t)s->n : MEMO_CHECKED;
    for (uint32_t i = 0; i < n; i++)
        to[i] = (struct deviation){s->off[i], share / n};
    return n;
}

/* The deviation that 99 of 100 messages stay below. */
static double memo_deviation_99(const struct replay_memo *r)
{
    struct deviation *all = malloc(2 * MEMO_CHECKED * sizeof *all);
    const double outliers = (double)r->outliers.n / (double)(r->taken + r->outliers.n);
    double above = 0;
    uint32_t k = 0;
    if (!all)
        return 1;
    uint32_t n = memo_deviations(&r->checks, 1 - outliers, all);
    n += memo_deviations(&r->outliers, outliers, all + n);
    qsort(all, n, sizeof *all, memo_deviation_order);
    while (k + 1 < n && above + all[k].share < 0.01)
        above += all[k++].share;
    const double off = n ? all[k].off : 0;
    free(all);
    return off;
}

static double memo_sample_mean(const struct memo_sample *s)
{
    return s->n ? s->sum / (double)s->n : 0;
}

void replay_memo_figures(const struct weft_engine *e, struct weft_replay_figures *f)
{
    const struct replay_memo *r = &replay_of(e)->memo;
    const double n = (double)r->checks.n, most = SPREAD * replay_of(e)->memo.tolerance;
    const double outliers = r->outliers.n ? r->outliers.sum / (double)(r->taken + r->simulated) : 0;
    f->taken = r->taken;
    f->checks = r->checked;
    if (!r->taken)
        return;
    if (r->resamples && r->took_ps > 0) {
        f->error = (fabs(r->off_ps) + 2 * sqrt(r->off_ps_squares)) / r->took_ps;
        f->error_bound = f->end_error = f->error;
        return;
    }
    const double spread = r->spread / (double)r->taken, grain = r->grain / (double)r->taken,
                 whole = (double)r->whole / (double)r->taken,
                 rates = r->rates_error / (double)r->taken;
    f->error = (n > 0 ? memo_sample_mean(&r->checks) + spread * OWN_SPREAD : most * whole) + rates +
               outliers + grain;
    f->error_bound =
        (n > 0 ? memo_deviation_99(r) + spread : 3 * most * whole + outliers) + 3 * rates + grain;
    f->error_bound = fmax(f->error_bound, f->error);
    f->end_error =
        (n > 0 ? fabs(r->signed_errors / n) + 2 * sqrt(r->squares / n * ALIKE / n) : most * whole) +
        rates + grain;
}
