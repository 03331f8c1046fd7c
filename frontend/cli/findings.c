/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules that say what bounded a run, with advice. Causes of waiting are one table, for ranks and
 * for messages; everything else is a table of rules. A rule gives a weight and a sentence.
 */
#include "cli/cli_internal.h"
#include "base/outcome.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- causes ---- */

static const struct {
    const char *rank, *message; /* "... of the run went by ..." */
    const char *advice;
} causes[WEFT_WAITS] = {
    [WEFT_WAIT_NETWORK] =
        {"with data on its way, as long as it would take alone", "",
         "The transfers themselves are what takes long: faster links, fewer bytes, or another "
         "algorithm (system.all-reduce and the like; auto chooses by the fabric and the size); or "
         "more overlap with computation."},
    [WEFT_WAIT_OWN_NIC] =
        {"while the sender's NIC was busy with other data of its host",
         "waiting for other data of the sending host",
         "Hosts have more to send at once than their links carry: faster or more links of hosts, "
         "fewer messages at a time (system.active-chunks), or an algorithm that sends to fewer "
         "peers at once."},
    [WEFT_WAIT_CONTROL] =
        {"with senders held back by congestion control", "being held back by congestion control",
         "Try other controls (congestion-control.name; 'weft list cc') and their parameters, such "
         "as how fast rates return, and where marking begins (ecn.kmin, ecn.kmax)."},
    [WEFT_WAIT_LOSS] =
        {"recovering from losses", "recovering from losses",
         "Avoid losses (switch.buffer, pfc.enabled) or recover sooner (transport.recovery, "
         "transport.rto)."},
    [WEFT_WAIT_PAUSE] =
        {"stopped by PFC pauses", "being stopped by PFC pauses",
         "Slow senders down before PFC does (congestion-control.name, ecn.kmin), give switches "
         "more buffer (switch.buffer, switch.alpha), and look at the tree of pauses for the node "
         "where they begin."},
    [WEFT_WAIT_QUEUE] =
        {"in queues of switches", "waiting in queues of switches",
         "Spread the load (switch.balance=spray or adaptive), add links between switches, or keep "
         "queues short with another congestion control (congestion-control.name)."},
    [WEFT_WAIT_REDUCE] = {"adding up received data", "",
                          "system.reduce-bandwidth is what limits it; an algorithm that adds up "
                          "in the switches would not need it (in-network)."},
    [WEFT_WAIT_ENDPOINT] =
        {"in software and injection at the ends", "",
         "Fewer and larger messages: fewer chunks (system.chunks), an algorithm with fewer steps; "
         "system.endpoint-delay and the overheads say what each costs."},
    [WEFT_WAIT_PEER] =
        {"waiting for ranks that had not come to the operation yet", "",
         "Ranks are uneven: stragglers, or stages of a pipeline that have different amounts of "
         "work. The Gantt chart shows the last ranks."},
    [WEFT_WAIT_DEPENDENCY] =
        {"waiting for peers that could not send yet", "",
         "Data is passed on from rank to rank: more and smaller chunks (system.chunks, "
         "system.active-chunks) let steps overlap, or an algorithm with fewer steps."},
};

/* ---- rules ---- */

struct rule_in {
    const struct weft_run *run;
    const struct weft_facts *f;
    struct weft_arena *arena;
};

struct rule {
    /* The weight, and the sentence; 0: it does not hold. */
    double (*holds)(const struct rule_in *in, const char **sentence);
    const char *advice;
};

static const char *human_time(double ns, char buf[WEFT_UNIT_TEXT_MAX])
{
    return weft_human_time((int64_t)(ns * 1e3), buf);
}

static double unfinished(const struct rule_in *in, const char **sentence)
{
    const char *name = json_string_value(json_object_get(in->run->json, "outcome"));
    const enum weft_outcome outcome = weft_outcome_of(name);
    const char *reason = json_string_value(json_object_get(in->run->json, "reason"));
    if (outcome == WEFT_OUTCOME_NONE || weft_outcome_is_good(outcome))
        return 0;
    if (outcome == WEFT_OUTCOME_RUNNING)
        *sentence = "The run did not finish: it was killed, the disk of its folder was full, or it "
                    "is still running. What was written until then is here.";
    else
        *sentence = weft_arena_printf(in->arena, "The run did not finish (%s)%s%s", name,
                                      reason ? ": " : ".", reason ? reason : "");
    return 10;
}

static double drops(const struct rule_in *in, const char **sentence)
{
    char size[WEFT_UNIT_TEXT_MAX];
    if (!(in->f->drops > 0))
        return 0;
    *sentence = weft_arena_printf(
        in->arena, "%.0f packets were lost, and %s were sent again because of it.", in->f->drops,
        weft_human_size((uint64_t)in->f->retransmitted_bytes, size));
    return 0.3;
}

static double timeouts(const struct rule_in *in, const char **sentence)
{
    const double n = weft_run_figure(in->run, "timeouts");
    if (!(n > 0) || !(in->f->drops > 0)) /* without losses: see suspects.c */
        return 0;
    *sentence = weft_arena_printf(in->arena,
                                  "%.0f retransmission timers expired, each of which leaves its "
                                  "message idle for that long.",
                                  n);
    return 0.25;
}

static double full_link(const struct rule_in *in, const char **sentence)
{
    const struct weft_top *t = &in->f->links;
    if (in->f->link_max < 0.9 || !t->n)
        return 0;
    *sentence = weft_arena_printf(in->arena,
                                  "Link %s was busy %.1f %% of the run: the run could hardly be "
                                  "shorter with what goes over it.",
                                  t->name[0], 100 * in->f->link_max);
    return in->f->link_max / 2;
}

/* The share of the run, or of the lives of messages, that queues and pauses cost. */
static double waiting_in_fabric(const struct weft_facts *f)
{
    const double *ns = f->ranks ? f->cause_ns : f->delay_ns, of = f->ranks ? f->end_ns : f->fct_ns;
    return of > 0 ? (ns[WEFT_WAIT_QUEUE] + ns[WEFT_WAIT_PAUSE]) / of : 0;
}

static double uneven_links(const struct rule_in *in, const char **sentence)
{
    const struct weft_facts *f = in->f;
    const double waits = waiting_in_fabric(f);
    if (waits < 0.01 || !(f->spread_mean > 0.02) || f->spread_max < 1.5 * f->spread_mean)
        return 0;
    *sentence = weft_arena_printf(
        in->arena,
        "Links between switches that are alike carry unlike loads: the busiest was in use %.1f %% "
        "of the run, their mean %.1f %%.",
        100 * f->spread_max, 100 * f->spread_mean);
    return waits;
}

static double straggler(const struct rule_in *in, const char **sentence)
{
    const struct weft_facts *f = in->f;
    for (size_t i = 0; i < f->nslow; i++) {
        const struct weft_slow_part *p = &f->slow[i];
        if (p->kind != WEFT_SLOW_RANK || p->cost < 0.02)
            continue;
        *sentence = weft_arena_printf(
            in->arena,
            "Rank %u computes %.3g times as long as other ranks: the critical path has %.1f %% of "
            "the run of its computing more than at their speed.",
            p->index, p->times, 100 * p->cost);
        return 1 + 2 * p->cost;
    }
    char most[WEFT_UNIT_TEXT_MAX], mean[WEFT_UNIT_TEXT_MAX];
    if (!(f->compute_ns > 0) || f->compute_max_ns < 1.05 * f->compute_ns || !(f->end_ns > 0))
        return 0;
    *sentence = weft_arena_printf(in->arena,
                                  "Ranks compute unlike times: %s computed for %s, the mean rank "
                                  "for %s; those that are done sooner wait.",
                                  f->slowest, human_time(f->compute_max_ns, most),
                                  human_time(f->compute_ns, mean));
    return (f->compute_max_ns - f->compute_ns) / f->end_ns;
}

static double idle(const struct rule_in *in, const char **sentence)
{
    const struct weft_facts *f = in->f;
    if (!(f->end_ns > 0) || f->idle_ns < 0.05 * f->end_ns)
        return 0;
    *sentence = weft_arena_printf(in->arena,
                                  "The mean rank was idle %.1f %% of the run: it had nothing to "
                                  "compute and nothing to communicate.",
                                  100 * f->idle_ns / f->end_ns);
    return f->idle_ns / f->end_ns;
}

static double dimensions(const struct rule_in *in, const char **sentence)
{
    const double least = weft_run_figure(in->run, "dimension_utilisation_min"),
                 most = weft_run_figure(in->run, "dimension_utilisation_max");
    if (!(most > 0.5) || !(least < 0.6 * most))
        return 0;
    *sentence = weft_arena_printf(in->arena,
                                  "Dimensions of the fabric are used unevenly: one %.1f %% of its "
                                  "bandwidth while ranks communicate, another %.1f %%.",
                                  100 * most, 100 * least);
    return 0.3 * (most - least);
}

static const struct rule rules[] = {
    {unfinished, "The summary of weft run says what it waits for; weft check looks for routes that "
                 "can deadlock."},
    {drops, "drops_buffer and the other columns of links.csv say where and why."},
    {timeouts, "transport.rto shortens the wait, transport.recovery=selective-repeat makes timers "
               "rarer, no losses make them needless."},
    {full_link, "More bandwidth there, or less traffic over it: placement of ranks, another "
                "algorithm, another topology."},
    {uneven_links, "switch.balance=spray or adaptive spreads packets over all of them; with "
                   "switch.balance=flow routes are drawn by hash and collide."},
    {straggler, "system.stragglers and the division of the work (layers, experts, samples) say "
                "which ranks have more to do."},
    {idle, "More micro-batches fill the bubbles of a pipeline; the Gantt chart shows where."},
    {dimensions, "system.inter-dimension=themis sends chunks through dimensions in the order of "
                 "their load."},
};

/* ---- all of them ---- */

struct list {
    struct weft_finding *out;
    size_t n;
    bool lost; /* there was no memory for one */
};

static void findings_add(struct list *l, double weight, const char *sentence, const char *advice)
{
    l->lost = l->lost || !sentence;
    if (sentence && l->n < WEFT_FINDINGS_MAX)
        l->out[l->n++] = (struct weft_finding){weight, sentence, advice};
}

/* Whose NIC it was most of all. */
static const char *nic_of(const struct weft_facts *f, struct weft_arena *arena)
{
    char time[WEFT_UNIT_TEXT_MAX];
    return f->nic_host ? weft_arena_printf(arena,
                                           " The NIC is that of the sender, most often of %s: its "
                                           "messages waited %s in sum.",
                                           f->nic_host, human_time(f->nic_ns, time))
                       : "";
}

/* TCP knows no congestion-control.name; what was lost in spite of PFC, or not at all, needs another
 * remedy than PFC. */
static const char *advice_of(const struct weft_run *run, const struct weft_facts *f, size_t cause)
{
    const char *transport = weft_run_setting(run, "transport", "type");
    if (cause == WEFT_WAIT_LOSS && !(f->drops > 0))
        return "Nothing was lost: raise transport.rto above the time that packets wait in queues.";
    if (cause == WEFT_WAIT_LOSS && f->drops_headroom > 0)
        return "Give lossless classes the headroom that they need (pfc.headroom).";
    if (cause == WEFT_WAIT_LOSS && f->drops_error + f->drops_link >= f->drops)
        return "Repair the links that lose packets, or recover sooner (transport.recovery).";
    if (cause == WEFT_WAIT_CONTROL && transport && strcmp(transport, "tcp") == 0)
        return "TCP's windows begin small and grow with each round trip: a larger "
               "tcp.initial-window, "
               "longer messages, or transport.type=roce.";
    return causes[cause].advice;
}

static void add_causes(struct list *l, const struct weft_run *run, const struct weft_facts *f,
                       struct weft_arena *arena)
{
    char time[WEFT_UNIT_TEXT_MAX];
    const double delay = f->fct_ns - f->ideal_ns;
    for (size_t c = 0; c < WEFT_WAITS; c++) {
        const char *where = c == WEFT_WAIT_OWN_NIC ? nic_of(f, arena) : "";
        if (f->ranks && f->end_ns > 0 && f->cause_ns[c] > 0.005 * f->end_ns)
            findings_add(l, f->cause_ns[c] / f->end_ns,
                         weft_arena_printf(
                             arena, "The mean rank spent %s, %.1f %% of the run, %s.%s",
                             human_time(f->cause_ns[c], time), 100 * f->cause_ns[c] / f->end_ns,
                             causes[c].rank, where ? where : ""),
                         advice_of(run, f, c));
        else if (!f->ranks && delay > 0.01 * f->ideal_ns && f->delay_ns[c] > 0.02 * delay)
            findings_add(l, f->delay_ns[c] / f->fct_ns,
                         weft_arena_printf(
                             arena,
                             "Of what messages took beyond the time that they would take "
                             "alone, %.1f %% was %s.%s",
                             100 * f->delay_ns[c] / delay, causes[c].message, where ? where : ""),
                         advice_of(run, f, c));
    }
}

static int by_weight(const void *va, const void *vb)
{
    const struct weft_finding *a = va, *b = vb;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return strcmp(a->sentence, b->sentence);
}

size_t weft_findings(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding out[WEFT_FINDINGS_MAX])
{
    const struct rule_in in = {run, f, arena};
    struct list l = {.out = out, .n = weft_suspects(run, f, arena, out, WEFT_FINDINGS_MAX / 2)};
    if (l.n == WEFT_FINDINGS_LOST)
        return l.n;
    add_causes(&l, run, f, arena);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const char *sentence = NULL;
        const double weight = rules[i].holds(&in, &sentence);
        if (weight > 0)
            findings_add(&l, weight, sentence, rules[i].advice);
    }
    qsort(out, l.n, sizeof *out, by_weight);
    return l.lost ? WEFT_FINDINGS_LOST : l.n;
}

const char *weft_findings_verdict(const struct weft_run *run, const struct weft_facts *f,
                                  struct weft_arena *arena)
{
    char end[WEFT_UNIT_TEXT_MAX];
    const bool few = f->messages < 100;
    const double tail = weft_run_figure(run, few ? "slowdown_max" : "slowdown_p99");
    const char *text;
    if (!(f->end_ns > 0))
        return "Nothing that was measured ended.";
    human_time(f->end_ns, end);
    if (f->ranks)
        text = weft_arena_printf(
            arena,
            "Of %s, the mean rank computed %.1f %% and waited for communication %.1f %%, with "
            "nothing else to do.",
            end, 100 * f->compute_ns / f->end_ns, 100 * f->exposed_ns / f->end_ns);
    else if (f->messages > 0)
        text = weft_arena_printf(
            arena,
            "In %s, %.0f message%s took %.3g times what they would take alone, together; %s %.*f "
            "times.",
            end, f->messages, f->messages == 1 ? "" : "s",
            f->ideal_ns > 0 ? f->fct_ns / f->ideal_ns : 1,
            few ? "the slowest took" : "one in a hundred took more than", tail < 100 ? 2 : 0, tail);
    else
        text = weft_arena_printf(arena, "It took %s.", end);
    return text ? text : "";
}
