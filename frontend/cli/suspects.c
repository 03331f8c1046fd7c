/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings away from their defaults that what a run waited for points at.
 *
 * A row of the table names settings, the waits that they can cause, and in which direction they
 * cause them. `weft diagnose` measures what this only suspects.
 */
#include "cli/cli_internal.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

enum { ANY, SMALLER, LARGER }; /* than its default is what costs */

#define NETWORK (1u << WEFT_WAIT_NETWORK)
#define OWN_NIC (1u << WEFT_WAIT_OWN_NIC)
#define CONTROL (1u << WEFT_WAIT_CONTROL)
#define LOSS (1u << WEFT_WAIT_LOSS)
#define PAUSE (1u << WEFT_WAIT_PAUSE)
#define QUEUE (1u << WEFT_WAIT_QUEUE)
#define REDUCE (1u << WEFT_WAIT_REDUCE)
#define ENDPOINT (1u << WEFT_WAIT_ENDPOINT)
#define PEER (1u << WEFT_WAIT_PEER)
#define DEPENDENCY (1u << WEFT_WAIT_DEPENDENCY)

static const struct {
    const char *key; /* what the setting begins with */
    unsigned waits;
    int direction;
    double trust; /* how sure it is that the setting causes the wait */
} table[] = {
    {"ecn.", CONTROL, ANY, 1.5},
    {"switch.buffer", PAUSE | LOSS, SMALLER, 1.2},
    {"switch.alpha", PAUSE | LOSS, SMALLER, 1.2},
    {"switch.lossy-alpha", LOSS, SMALLER, 1.2},
    {"switch.limit", PAUSE | LOSS, SMALLER, 1.2},
    {"switch.egress-", LOSS, SMALLER, 1},
    {"switch.reserve", PAUSE | LOSS, LARGER, 1},
    {"pfc.headroom", LOSS | PAUSE, SMALLER, 1.3},
    {"pfc.enabled", LOSS, ANY, 1},
    {"pfc.xon-offset", PAUSE, LARGER, 0.3},
    {"pfc.response-time", LOSS | PAUSE, LARGER, 1},
    {"pfc.prios", LOSS, ANY, 1},
    {"credit.", PAUSE, SMALLER, 1.3},
    {"transport.rto", LOSS, ANY, 1.3},
    {"transport.nack-interval", LOSS, LARGER, 1.2},
    {"transport.recovery", LOSS, ANY, 1},
    {"transport.retry", LOSS, ANY, 0.5},
    {"transport.ack-every", CONTROL | LOSS, LARGER, 0.8},
    {"transport.pacing", PAUSE | LOSS, ANY, 0.8},
    {"transport.bdp", CONTROL, SMALLER, 1},
    {"system.order", QUEUE | PAUSE | CONTROL | OWN_NIC | LOSS, ANY, 1.1},
    {"system.stragglers", PEER | DEPENDENCY, ANY, 1.5},
    {"system.compute-jitter", PEER | DEPENDENCY, LARGER, 1.2},
    {"system.reduce-bandwidth", REDUCE | DEPENDENCY, ANY, 1.5},
    {"system.endpoint-delay", ENDPOINT | DEPENDENCY, LARGER, 1.2},
    {"system.send-overhead", ENDPOINT | DEPENDENCY, LARGER, 1.2},
    {"system.receive-overhead", ENDPOINT | DEPENDENCY, LARGER, 1.2},
    {"system.communication-share", PEER | DEPENDENCY, LARGER, 0.5},
    {"system.chunks", NETWORK | ENDPOINT | DEPENDENCY | QUEUE, LARGER, 1.1},
    {"system.all-", DEPENDENCY | NETWORK, ANY, 0.3},
    {"system.reduce-scatter", DEPENDENCY | NETWORK, ANY, 0.3},
    {"switch.balance", LOSS | PAUSE, ANY, 0.6},
};

/* Those of a congestion control, and of a workload, whatever it is called. */
static const struct {
    const char *name;
    unsigned waits;
    double trust;
} endings[] = {
    {".placement", QUEUE | PAUSE | CONTROL | OWN_NIC | LOSS, 1.1},
    {".hosts", QUEUE | PAUSE | CONTROL | OWN_NIC | LOSS, 0.8},
    {".stage-layers", PEER | DEPENDENCY, 1.3},
    {".expert-skew", PEER | DEPENDENCY | OWN_NIC | QUEUE, 1},
};

struct suspects {
    const struct weft_run *run;
    const struct weft_facts *f;
    struct weft_arena *arena;
    struct weft_finding *out;
    size_t n, max;
    bool lost; /* there was no memory for one */
};

/* The share of the run, or of what messages took, that went by with these. */
static double share_of(const struct weft_facts *f, unsigned waits)
{
    const double *ns = f->ranks ? f->cause_ns : f->delay_ns, of = f->ranks ? f->end_ns : f->fct_ns;
    double sum = 0;
    for (size_t c = 0; c < WEFT_WAITS; c++)
        sum += waits & (1u << c) ? ns[c] : 0;
    return of > 0 ? fmin(1, sum / of) : 0;
}

/* A number at the start of a text, in base units where it has one; NaN: none. */
static double number_of(const char *text)
{
    struct weft_err ignored = {0};
    int64_t ps;
    uint64_t u;
    double v;
    if (!weft_parse_f64(text, &v, &ignored))
        return v;
    if (!weft_parse_time_ps(text, &ps, &ignored))
        return (double)ps;
    if (!weft_parse_size_bytes(text, &u, &ignored) || !weft_parse_rate_bps(text, &u, &ignored))
        return (double)u;
    return NAN;
}

/* How far a value is from its default in the direction that costs, 0 to 1. */
static double distance(const char *value, const char *def, int direction)
{
    const double v = number_of(value), d = number_of(def);
    if (isnan(v) || isnan(d))
        return 1;
    if (v == d || (direction == SMALLER && v > d && d > 0) ||
        (direction == LARGER && v < d && v >= 0))
        return 0;
    if (v <= 0 || d <= 0)
        return 1;
    return fmin(1, fabs(log2(v / d)));
}

static void suspects_add(struct suspects *s, double weight, const char *sentence,
                         const char *advice)
{
    s->lost = s->lost || !sentence || !advice;
    if (s->n < s->max && weight > 0 && sentence && advice)
        s->out[s->n++] = (struct weft_finding){1 + weight, sentence, advice};
}

/* What headers cost, of messages that are cut into packets of a size. */
static double overhead(double mtu, double header, double gap)
{
    return mtu > 0 ? (header + gap) / (mtu + header + gap) : 0;
}

/* A setting's default: that of `given` where it was given, else its value. */
static double default_number(const struct suspects *s, const char *group, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", group, key);
    const char *def = json_string_value(
        json_object_get(json_object_get(json_object_get(s->run->json, "given"), name), "default"));
    const char *text = def ? def : weft_run_setting(s->run, group, key);
    return text ? number_of(text) : NAN;
}

static double setting_number(const struct suspects *s, const char *group, const char *key)
{
    const char *text = weft_run_setting(s->run, group, key);
    return text ? number_of(text) : NAN;
}

static void suspect_packets(struct suspects *s)
{
    const double mtu = setting_number(s, "transport", "mtu"),
                 header = setting_number(s, "transport", "header"),
                 gap = setting_number(s, "transport", "gap");
    const double cost = overhead(mtu, header, gap);
    const double usual = overhead(default_number(s, "transport", "mtu"),
                                  default_number(s, "transport", "header"), gap);
    if (cost > usual + 0.05)
        suspects_add(
            s, 1 + cost - usual,
            weft_arena_printf(s->arena,
                              "Headers take %.1f %% of what links carry: packets have %.0f bytes "
                              "of payload (transport.mtu) and %.0f of headers (transport.header).",
                              100 * cost, mtu, header),
            "Larger packets (transport.mtu=4096B), smaller headers (transport.header).");
}

static void suspect_setting(struct suspects *s, const char *key, const char *value, const char *def,
                            double weight)
{
    suspects_add(
        s, weight,
        weft_arena_printf(s->arena,
                          "%s is %s, not its default %s, and bears on what the run waited for.",
                          key, *value ? value : "empty", *def ? def : "(empty)"),
        weft_arena_printf(s->arena,
                          "%s=%s; 'weft diagnose' plays the run without each such setting and "
                          "says what it costs.",
                          key, def));
}

/* The part of the run by which the slowest rank computes longer than the mean, twice: others wait
 * for it. */
static double uneven_compute(const struct weft_facts *f)
{
    return f->end_ns > 0 ? fmin(1, 2 * (f->compute_max_ns - f->compute_ns) / f->end_ns) : 0;
}

static void suspect_given(struct suspects *s, const char *key, const json_t *setting)
{
    const char *value = json_string_value(json_object_get(setting, "value")),
               *def = json_string_value(json_object_get(setting, "default")),
               *from = json_string_value(json_object_get(setting, "from"));
    const char *control = weft_run_setting(s->run, "congestion-control", "name");
    double weight = 0;
    if (!value || !def || !from || strcmp(from, "preset") == 0)
        return;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strncmp(key, table[i].key, strlen(table[i].key)) == 0)
            weight = fmax(weight, table[i].trust * share_of(s->f, table[i].waits) *
                                      distance(value, def, table[i].direction));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(endings[i].name, ".hosts") == 0 && !strpbrk(value, ",-"))
            continue; /* how many there are of a fabric, not which a workload has */
        const size_t len = strlen(key), end = strlen(endings[i].name);
        if (len > end && strcmp(key + len - end, endings[i].name) == 0)
            weight = fmax(weight, endings[i].trust * share_of(s->f, endings[i].waits));
    }
    if (control && strncmp(key, control, strlen(control)) == 0 && key[strlen(control)] == '.')
        weight = fmax(weight, 1.4 * share_of(s->f, CONTROL));
    if (strcmp(key, "system.stragglers") == 0 || strcmp(key, "system.compute-jitter") == 0)
        weight = fmax(weight, uneven_compute(s->f));
    if (weight > 0.05)
        suspect_setting(s, key, value, def, weight);
}

static size_t workloads(const struct suspects *s)
{
    const json_t *jobs = json_object_get(json_object_get(s->run->json, "summary"), "jobs");
    return json_is_array(jobs) ? json_array_size(jobs) : json_object_size(jobs);
}

static void suspect_jobs(struct suspects *s)
{
    const size_t n = workloads(s);
    const double share = share_of(s->f, QUEUE | PAUSE | CONTROL | LOSS | OWN_NIC);
    if (n > 1 && share > 0.05)
        suspects_add(
            s, 1.2 * share,
            weft_arena_printf(s->arena,
                              "%zu workloads share the fabric, and %.1f %% went by waiting for "
                              "links and senders that others use, too.",
                              n, 100 * share),
            "Keep workloads apart: other hosts, another priority, another time; JOB.idle=true "
            "plays "
            "the run without one.");
}

static void suspect_tiers(struct suspects *s)
{
    const double share = share_of(s->f, QUEUE | PAUSE | CONTROL | LOSS);
    if (s->f->oversubscribed > 1.05 && share > 0.05)
        suspects_add(
            s, fmin(1, s->f->uplink_util + share),
            weft_arena_printf(
                s->arena,
                "Links between switches carry less than hosts may send: %.3g:1 at the "
                "worst switch; they were in use %.1f %% on the mean.",
                s->f->oversubscribed, 100 * s->f->uplink_util),
            "More or faster links between switches, or ranks placed so that less crosses them.");
}

/* What flows offer to a tier beyond what it carries. */
static bool suspect_offered(struct suspects *s)
{
    const json_t *tiers = json_object_get(s->run->json, "offered_load"), *most = NULL, *tier;
    size_t i;
    json_array_foreach(tiers, i, tier) if (json_number_value(json_object_get(tier, "load")) >
                                           json_number_value(json_object_get(most, "load"))) most =
        tier;
    const double load = json_number_value(json_object_get(most, "load"));
    if (load > 1)
        suspects_add(
            s, 2 * fmin(2, load),
            weft_arena_printf(s->arena,
                              "Flows offer %s %.0f %% of what they carry: queues and completion "
                              "times grow as long as they last.",
                              json_string_value(json_object_get(most, "tier")), 100 * load),
            "Lower the load, or raise the rate or the number of these links.");
    return load > 1;
}

static void suspect_load(struct suspects *s)
{
    if (suspect_offered(s))
        return;
    const json_t *config = json_object_get(s->run->json, "config");
    const char *group;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)config, group, v)
    {
        const char *text = json_string_value(json_object_get(v, "load"));
        const double load = text ? number_of(text) : 0;
        if (load >= 0.8 && workloads(s) <= 1)
            suspects_add(
                s, fmin(1, load) * (0.3 + share_of(s->f, QUEUE | PAUSE | CONTROL | LOSS | OWN_NIC)),
                weft_arena_printf(
                    s->arena,
                    "Traffic offers %.3g of what links carry (load): near and above 1 "
                    "queues grow without bound.",
                    load),
                "Offer less (load), or build more.");
    }
}

/* What stages of a pipeline wait for each other while it fills and drains. */
static void suspect_bubble(struct suspects *s)
{
    const json_t *config = json_object_get(s->run->json, "config");
    const char *group;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)config, group, v)
    {
        const char *pp = json_string_value(json_object_get(v, "pp")),
                   *batches = json_string_value(json_object_get(v, "microbatches")),
                   *type = json_string_value(json_object_get(v, "type"));
        const char *key = type && strcmp(group, "workload") == 0 ? type : group;
        const double stages = pp && batches ? number_of(pp) : 0,
                     given = stages > 1 ? number_of(batches) : 0, m = given > 0 ? given : stages;
        const double bubble = (stages - 1) / (m + stages - 1);
        if (stages > 1 && bubble > 0.1)
            suspects_add(
                s, fmin(bubble, share_of(s->f, PEER | DEPENDENCY)),
                weft_arena_printf(s->arena,
                                  "The pipeline has %.0f stages and %.0f microbatches: while it "
                                  "fills and drains, a stage waits %.0f %% of an iteration (the "
                                  "bubble).",
                                  stages, m, 100 * bubble),
                weft_arena_printf(s->arena,
                                  "More microbatches (%s.microbatches), or another "
                                  "%s.schedule (interleaved, zb-h1).",
                                  key, key));
    }
}

static void suspect_timers(struct suspects *s)
{
    const double timeouts = weft_run_figure(s->run, "timeouts"),
                 rto = setting_number(s, "transport", "rto");
    char text[WEFT_UNIT_TEXT_MAX];
    if (timeouts > 0 && s->f->drops == 0 && !isnan(rto))
        suspects_add(
            s, 2,
            weft_arena_printf(s->arena,
                              "%.0f retransmission timers expired though nothing was lost: the "
                              "timer (transport.rto, %s) is shorter than packets wait in queues.",
                              timeouts, weft_human_time((int64_t)rto, text)),
            "Raise transport.rto above the time that packets wait in queues, or keep queues "
            "shorter (congestion-control.name).");
}

/* Packets of a lossless class that were lost: headroom is less than what comes after a pause. */
static void suspect_headroom(struct suspects *s)
{
    const char *has = weft_run_setting(s->run, "pfc", "headroom"),
               *mode = weft_run_setting(s->run, "pfc", "headroom-mode");
    char need[WEFT_UNIT_TEXT_MAX];
    if (!(s->f->drops_headroom > 0) || !(s->f->headroom_bytes > 0))
        return;
    weft_format_size(((uint64_t)s->f->headroom_bytes / 1024 + 1) * 1024, need);
    suspects_add(
        s, 2,
        weft_arena_printf(
            s->arena,
            "%.0f packets of a lossless class were lost for want of headroom: %s%s, but after a "
            "pause %.0f bytes more come from %s (rate x two delays, and packets that have begun).",
            s->f->drops_headroom,
            has && number_of(has) > 0 ? "pfc.headroom is "
                                      : "it follows from "
                                        "pfc.headroom-mode=",
            has && number_of(has) > 0 ? has
            : mode                    ? mode
                                      : "standard",
            s->f->headroom_bytes, s->f->headroom_link),
        weft_arena_printf(s->arena,
                          "Set pfc.headroom=%s, and as much more switch.buffer for each "
                          "port and lossless class.",
                          need));
}

size_t weft_suspects(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding *out, size_t max)
{
    struct suspects s = {run, f, arena, out, 0, max};
    const char *key;
    json_t *v;
    for (size_t i = 0; i < f->nfaults; i++)
        if (f->faults[i].severity > 0.02)
            suspects_add(&s, 2 + f->faults[i].severity, f->faults[i].text, f->faults[i].advice);
    json_object_foreach(json_object_get(run->json, "given"), key, v) suspect_given(&s, key, v);
    suspect_packets(&s);
    suspect_timers(&s);
    suspect_headroom(&s);
    suspect_jobs(&s);
    suspect_tiers(&s);
    suspect_load(&s);
    suspect_bubble(&s);
    return s.lost ? WEFT_FINDINGS_LOST : s.n;
}
