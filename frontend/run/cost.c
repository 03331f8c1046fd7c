/* SPDX-License-Identifier: GPL-2.0-only */
/* Estimates of what a run will cost; see cost.h for the model and cost.def for its figures. */
#include "run/cost.h"

#include "base/u64map.h"
#include "base/units.h"
#include "congestion/cc_table.h"
#include "net/net.h"
#include "run/end.h"
#include "topologies/routes.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct manner {
    const char *name;
    double hop_ns, message_ns, qp_bytes, base_bytes;
};

enum {
#define WEFT_COST(id, name, hop, message, qp, base) MANNER_##id,
#include "run/cost.def"
#undef WEFT_COST
};

static const struct manner manners[] = {
#define WEFT_COST(id, name, hop, message, qp, base) {name, hop, message, qp, base},
#include "run/cost.def"
#undef WEFT_COST
};

/** Bytes of a host with its share of the fabric, and of an operation of a
 * workload. */
#define HOST_BYTES 6000.0
#define OP_BYTES 142.0
/** Of a message in flight. */
#define MESSAGE_BYTES 160.0
/** Messages that a host has under way when it talks to many, and pairs that stand for all. */
#define MANY_MESSAGES 16u
#define SAMPLES 1024u
/** CPU seconds of a start. */
#define SET_UP_S 0.01
/** Hops of a packet and its ACK in a fabric of three tiers. */
#define MANY_LINKS 12.0
/** Trains of a message that get longer or shorter, for each packet of the longest. */
#define TRAIN_ENDS 6.0
/** Packets of the longest trains. */
#define MOST_TRAIN 15
/** What a hop of one costs, of that of a packet. */
#define TRAIN_HOP 3.0
/** Packets of a message per ACK where that makes no difference, but for those at its ends. */
#define TRAIN_ACKS 30.0
/** CPU seconds of a run from which on trains are named that take at most this part of them. */
#define TRAINS_WORTH_S 1.0
#define TRAINS_PART 0.5
/** Messages between two looks at the clock. */
#define LOOK_EVERY 256u

/* How messages of some traffic classes go, and what they came to. */
struct way {
    const struct manner *m;
    double frame_bytes; /* payload of a packet */
    double acks;        /* that it causes */
    double train;       /* most packets that move as one */
    bool few_acks;      /* the congestion control does not wait for those of trains */
    double messages, hops;
};

/* TRAINS: those of OWN, were they in trains. */
enum { OWN, TCP, UET, WAYS, TRAINS = WAYS, WAYS_AND_TRAINS };

struct cost_play {
    struct weft_u64map pairs; /* of hosts that have talked */
    struct way ways[WAYS_AND_TRAINS];
    struct weft_scenario_classes others; /* that do not go the run's own way */
    const struct weft_routes *routes;
    struct weft_net *net;
    double tree_links; /* that a packet of an operation in switches passes, per
                          member */
    double start_s, budget_s;
    uint64_t messages, bytes;
    double sent, hops;  /* packets, with ACKs, and their hops */
    uint64_t under_way; /* most messages at once */
    bool cut;           /* the budget is spent */
};

static void cost_look(struct cost_play *p)
{
    struct weft_totals t;
    p->net->ops->totals(p->net, &t);
    if (t.msgs_posted - t.msgs_received > p->under_way)
        p->under_way = t.msgs_posted - t.msgs_received;
    if (weft_cpu_s() - p->start_s > p->budget_s) {
        p->cut = true;
        p->net->ops->stop(p->net);
    }
}

/* Packets of a message, each train of them one: at both ends trains are short. */
static double cost_packets(const struct way *w, double bytes)
{
    const double n = bytes > 0 ? ceil(bytes / w->frame_bytes) : 1;
    const double train = fmin(w->train, n / TRAIN_ENDS);
    return train > 1 ? TRAIN_ENDS * log(train) + n / train : n;
}

/* The same with its ACKs. */
static double cost_sent(const struct way *w, double bytes)
{
    const double packets = cost_packets(w, bytes),
                 few = TRAIN_ENDS + bytes / w->frame_bytes / TRAIN_ACKS;
    return packets + ceil(w->train > 1 && w->few_acks ? fmin(few, packets) : packets * w->acks);
}

static void cost_on_flow(void *ctx, const struct weft_completion *done)
{
    struct cost_play *p = (struct cost_play *)ctx;
    const struct weft_msg *m = &done->msg;
    const uint32_t class = m->prio < WEFT_NET_PRIOS ? m->prio : WEFT_NET_PRIOS;
    struct way *w = &p->ways[p->others.tcp >> class & 1   ? TCP
                             : p->others.uet >> class & 1 ? UET
                                                          : OWN];
    if (m->kind == WEFT_MSG_PART) {
        w->hops += cost_packets(w, (double)m->bytes) * p->tree_links;
    } else {
        const double links = weft_routes_hops(p->routes, m->src, m->dst);
        const double sent = cost_sent(w, (double)m->bytes), hops = sent * links;
        w->hops += hops;
        if (w == &p->ways[OWN] && p->ways[TRAINS].train > 1)
            p->ways[TRAINS].hops += cost_sent(&p->ways[TRAINS], (double)m->bytes) * links;
        p->hops += hops;
        p->sent += sent;
        /* one that there is no memory for is not counted */
        weft_u64map_put(&p->pairs, (uint64_t)m->src << 32 | m->dst, NULL);
    }
    w->messages++;
    p->bytes += m->bytes;
    if (++p->messages % LOOK_EVERY == 0)
        cost_look(p);
}

/* The ACKs of a packet, one for so many packets or so many bytes of them. */
static double cost_acks(const struct weft_scenario *s, const char *section, double frame_bytes)
{
    const double every = weft_scenario_number(s, section, "ack-every");
    const double bytes = weft_scenario_number(s, section, "ack-every-bytes");
    return bytes > frame_bytes ? frame_bytes / bytes : every > 1 ? 1 / every : 1;
}

static bool cost_all_graphs(const struct weft_scenario_parts *parts)
{
    bool graphs = true;
    for (uint32_t i = 0; i < parts->njobs; i++)
        graphs &= parts->jobs[i].workload != NULL;
    return graphs;
}

/* Whether packets that go one by one could go in trains, which the congestion control neither
 * forbids nor slows down, and for which no short flows wait. */
static bool cost_may_have_trains(const struct weft_scenario *s,
                                 const struct weft_scenario_parts *parts, const struct way *own)
{
    const unsigned each =
        WEFT_CC_NEEDS_SIGNALS | WEFT_CC_NEEDS_CREDIT | WEFT_CC_NEEDS_PINT | WEFT_CC_NEEDS_INT;
    return own->train <= 1 && own->few_acks && cost_all_graphs(parts) &&
           !(weft_cc_needs(s->cc, s->cc_params) & each) &&
           weft_scenario_effective(s, "transport", "train");
}

/* How messages go. */
static void cost_ways(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                      struct cost_play *p)
{
    const double mtu = (double)weft_scenario_manner(s, parts->fabric).frame_bytes;
    const double ip_bytes = weft_scenario_number(s, "tcp", "mtu"), header_bytes = 40;
    const char *own = weft_scenario_own_transport(s);
    const bool uet = own && strcmp(own, "uet") == 0;
    const bool stamps = weft_cc_needs(s->cc, s->cc_params) & WEFT_CC_NEEDS_INT;
    weft_scenario_classes(s, &p->others);
    p->ways[OWN] = (struct way){.m = &manners[uet      ? MANNER_UET
                                              : stamps ? MANNER_INT
                                                       : MANNER_ROCE],
                                .frame_bytes = mtu > 0 ? mtu : 4096,
                                .acks = cost_acks(s, "transport", mtu),
                                .train = weft_scenario_number(s, "transport", "train"),
                                .few_acks = !s->cc->on_ack};
    p->ways[TRAINS] = p->ways[OWN];
    p->ways[TRAINS].train = cost_may_have_trains(s, parts, &p->ways[OWN]) ? MOST_TRAIN : 1;
    p->ways[UET] = (struct way){.m = &manners[MANNER_UET],
                                .frame_bytes = p->ways[OWN].frame_bytes,
                                .acks = cost_acks(s, "uet", mtu)};
    p->ways[TCP] =
        (struct way){.m = &manners[MANNER_TCP],
                     .frame_bytes = ip_bytes > header_bytes ? ip_bytes - header_bytes : 1460,
                     .acks = cost_acks(s, "tcp", 0)};
}

/* The share of the run that was played, 0: it is not known. */
static double cost_share(const struct weft_scenario *s, const struct weft_jobs *jobs,
                         const struct weft_scenario_parts *parts, const struct cost_play *p)
{
    const int64_t until_ps = weft_scenario_until_ps(s);
    if (cost_all_graphs(parts))
        return (double)p->bytes / (double)weft_jobs_volume(jobs);
    return until_ps ? (double)p->net->ops->now_ps(p->net) / (double)until_ps : 0;
}

/* By how much longer the paths of what was not played are, on the mean: hosts that talk to many
 * begin with their neighbours. */
static double cost_longer(const struct weft_fabric *f, const struct cost_play *p)
{
    double links = 0;
    if (p->under_way < (uint64_t)MANY_MESSAGES * f->nhosts || !p->hops)
        return 1;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint32_t a = (uint32_t)((uint64_t)i * f->nhosts / SAMPLES);
        const uint32_t b = (uint32_t)((a + 1 + (uint64_t)i * 7919) % f->nhosts);
        links += weft_routes_hops(p->routes, a, b);
    }
    return links / SAMPLES / (p->hops / p->sent);
}

/* CPU time of the hops of those that were played. */
static double cost_hops_s(const struct way *w)
{
    return w->hops * w->m->hop_ns * (w->train > 1 ? TRAIN_HOP : 1) * 1e-9;
}

static void cost_sum_up(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                        const struct weft_jobs *jobs, struct cost_play *p, struct weft_cost *out)
{
    const double share = p->cut ? cost_share(s, jobs, parts, p) : 1;
    const double times = share > 0 && share < 1 ? 1 / share : 1;
    const double hops_times = times > 1 ? 1 + (times - 1) * cost_longer(parts->fabric, p) : 1;
    double ops = 0;
    for (uint32_t i = 0; i < parts->njobs; i++)
        for (uint32_t r = 0; parts->jobs[i].workload && r < parts->jobs[i].workload->nranks; r++)
            ops += (double)parts->jobs[i].workload->dags[r].nops;
    out->seen = !p->cut ? WEFT_COST_ALL : share > 0 ? WEFT_COST_SHARE : WEFT_COST_PART;
    out->cpu_s = SET_UP_S;
    const struct way *most = &p->ways[OWN];
    double trains_s = 0; /* what they save */
    for (const struct way *w = p->ways; w < p->ways + WAYS; w++) {
        most = w->hops > most->hops ? w : most;
        out->messages += w->messages * times;
        out->packet_hops += w->hops * hops_times;
        out->cpu_s += cost_hops_s(w) * hops_times + w->messages * times * w->m->message_ns * 1e-9;
    }
    if (p->ways[TRAINS].train > 1)
        trains_s = (cost_hops_s(&p->ways[OWN]) - cost_hops_s(&p->ways[TRAINS])) * hops_times;
    if (out->cpu_s >= TRAINS_WORTH_S && out->cpu_s - trains_s <= out->cpu_s * TRAINS_PART)
        out->trains_cpu_s = out->cpu_s - trains_s;
    out->trains_break = p->ways[OWN].train > 1 && p->ways[OWN].hops > 0 &&
                        weft_cc_needs(s->cc, s->cc_params) & WEFT_CC_NEEDS_ECN;
    out->transport = most->m->name;
    out->memory_bytes = most->m->base_bytes + parts->fabric->nhosts * HOST_BYTES +
                        (double)p->pairs.n * most->m->qp_bytes +
                        (double)p->under_way * MESSAGE_BYTES + ops * OP_BYTES;
}

/* Runs the net until then, or until the budget is spent. Where messages are posted by the million
 * before one arrives, only the looks in between show that: each is a quarter later than the last.
 */
static bool cost_run_until(struct cost_play *p, int64_t until_ps, struct weft_err *err)
{
    int64_t to_ps = WEFT_PS_PER_US;
    for (;; to_ps += to_ps / 4) {
        if (to_ps > until_ps / 2)
            to_ps = until_ps;
        if (p->net->ops->run(p->net, to_ps, err))
            return false;
        if (p->cut || to_ps == until_ps || p->net->ops->now_ps(p->net) < to_ps)
            return true;
        cost_look(p);
    }
}

/* Plays the jobs on a net of the ideal backend. False: they can't be. */
static bool cost_run(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                     const struct weft_net_config *config, struct cost_play *p,
                     struct weft_jobs **jobs)
{
    struct weft_err err = {0};
    const int64_t until_ps = weft_scenario_until_ps(s);
    if (weft_net_ideal.create(config, &p->net, &err))
        return false;
    const struct weft_jobs_config jc = {.plans = parts->jobs,
                                        .n = parts->njobs,
                                        .system = s->system,
                                        .seed = s->run->seed,
                                        .fabric = parts->fabric,
                                        .manner = weft_scenario_manner(s, parts->fabric),
                                        .net = p->net,
                                        .tuner = parts->tuner,
                                        .keep_on = s->run->measure_ps > 0};
    *jobs = weft_jobs_new(&jc, &err);
    if (!*jobs || weft_jobs_start(*jobs, &err))
        return false;
    cost_look(p);
    p->start_s = weft_cpu_s(); /* setting up and posting take a run as long */
    p->cut = false;
    return cost_run_until(p, until_ps ? until_ps : WEFT_NEVER, &err) &&
           !weft_jobs_error(*jobs)->code;
}

/* The parameters of the ideal backend at their defaults; NULL: out of memory. */
static void *cost_ideal_params(void)
{
    struct weft_err err = {0};
    char *params = (char *)calloc(1, weft_net_ideal.params_size);
    for (size_t i = 0; params && i < weft_net_ideal.nsections; i++) {
        const struct weft_net_section *n = &weft_net_ideal.sections[i];
        weft_params_defaults(&n->params, params + n->offset, &err);
    }
    return params;
}

void weft_cost_estimate(const struct weft_cli *cli, const struct weft_scenario *s,
                        const struct weft_scenario_parts *parts, double budget_s,
                        struct weft_cost *out)
{
    struct weft_err err = {0};
    *out = (struct weft_cost){.seen = WEFT_COST_NOTHING};
    if (!s->backend->uses_cc)
        return;
    struct cost_play p = {.budget_s = budget_s};
    cost_ways(s, parts, &p);
    p.tree_links = 2 + 2.0 * parts->fabric->nswitches / (parts->fabric->nhosts + 1.0);
    struct weft_routes *routes = weft_routes_new(parts->fabric, &err);
    struct weft_net_config config = weft_scenario_net_config(s, parts->fabric);
    struct weft_jobs *jobs = NULL;
    void *params = cost_ideal_params();
    p.routes = routes;
    config.params = params;
    config.replay = 0;
    config.threads = 1;
    config.interrupted = cli->interrupted;
    config.observer = (struct weft_net_observer){.ctx = &p, .flow = cost_on_flow};
    if (routes && params && cost_run(s, parts, &config, &p, &jobs))
        cost_sum_up(s, parts, jobs, &p, out);
    weft_jobs_free(jobs);
    if (p.net)
        p.net->ops->free(p.net);
    weft_routes_free(routes);
    weft_u64map_release(&p.pairs);
    free(params);
}

bool weft_cost_may_be_long(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                           double volume_bytes)
{
    const int64_t until_ps = weft_scenario_until_ps(s);
    struct cost_play p = {0};
    double bytes = volume_bytes;
    if (!s->backend->uses_cc)
        return false;
    cost_ways(s, parts, &p);
    for (uint32_t i = 0; i < parts->njobs; i++) {
        const struct weft_job_plan *j = &parts->jobs[i];
        if (j->flows && (!j->flows->offered || !until_ps))
            return true;
        if (j->flows)
            bytes += j->flows->offered * (double)until_ps * 1e-12;
    }
    const struct way *w = &p.ways[p.others.tcp ? TCP : OWN];
    return bytes / w->frame_bytes * MANY_LINKS * w->m->hop_ns * 1e-9 >= WEFT_COST_LONG_S;
}

void weft_cost_estimate_apart(const struct weft_cli *cli, const struct weft_scenario *s,
                              const struct weft_scenario_parts *parts, double budget_s,
                              struct weft_cost *out)
{
    struct weft_scenario_parts own = *parts;
    int fd[2];
    size_t got = 0;
    ssize_t n = 1;
    *out = (struct weft_cost){.seen = WEFT_COST_NOTHING};
    if (pipe(fd) != 0)
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        own.tuner = NULL; /* measures once, for the run */
        weft_cost_estimate(cli, s, &own, budget_s, out);
        _exit(write(fd[1], out, sizeof *out) != (ssize_t)sizeof *out);
    }
    close(fd[1]);
    while (pid > 0 && got < sizeof *out && n) {
        n = read(fd[0], (char *)out + got, sizeof *out - got);
        if (n < 0 && errno != EINTR)
            break;
        if (n < 0 && cli->interrupted && *cli->interrupted)
            kill(pid, SIGKILL);
        got += n > 0 ? (size_t)n : 0;
        n = n < 0 ? 1 : n;
    }
    close(fd[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (got < sizeof *out)
        *out = (struct weft_cost){.seen = WEFT_COST_NOTHING};
}

/* A large count as people say it, to three digits. */
static const char *cost_count(double n, char buf[WEFT_UNIT_TEXT_MAX])
{
    static const char *const words[] = {"", " thousand", " million", " billion", " trillion"};
    size_t k = 0;
    for (; n >= 1000 && k + 1 < sizeof words / sizeof words[0]; k++)
        n /= 1000;
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%.3g%s", n, words[k]);
    return buf;
}

void weft_cost_text(FILE *out, const struct weft_cost *c)
{
    char hops[WEFT_UNIT_TEXT_MAX], messages[WEFT_UNIT_TEXT_MAX];
    char memory[WEFT_UNIT_TEXT_MAX], cpu[WEFT_UNIT_TEXT_MAX], trains[WEFT_UNIT_TEXT_MAX];
    const char *about = c->seen == WEFT_COST_PART ? "at least" : "about";
    fprintf(out, "%s %s packet-hops in %s messages (%s), %s of CPU time without replay", about,
            cost_count(c->packet_hops, hops), cost_count(c->messages, messages), c->transport,
            weft_human_time((int64_t)(c->cpu_s * 1e12), cpu));
    if (c->trains_cpu_s > 0)
        fprintf(out, " (at best %s in trains: transport.train=%d, an approximation)",
                weft_human_time((int64_t)(c->trains_cpu_s * 1e12), trains), MOST_TRAIN);
    if (c->trains_break)
        fputs(" (more where ECN marks make trains shorter)", out);
    fprintf(out, ", %s of memory", weft_human_size((uint64_t)c->memory_bytes, memory));
    if (c->seen == WEFT_COST_SHARE)
        fputs(", extrapolated from the first part", out);
}

void weft_cost_json(struct weft_json *j, const struct weft_cost *c)
{
    if (c->seen == WEFT_COST_NOTHING) {
        weft_json_null(j);
        return;
    }
    weft_json_object(j);
    weft_json_kv_str(j, "transport", c->transport);
    weft_json_kv_f64(j, "messages", c->messages);
    weft_json_kv_f64(j, "packet_hops", c->packet_hops);
    weft_json_kv_f64(j, "cpu_time_s", c->cpu_s);
    weft_json_key(j, "trains_cpu_time_s");
    if (c->trains_cpu_s > 0)
        weft_json_f64(j, c->trains_cpu_s);
    else
        weft_json_null(j);
    weft_json_kv_f64(j, "memory_bytes", c->memory_bytes);
    weft_json_kv_bool(j, "extrapolated", c->seen == WEFT_COST_SHARE);
    weft_json_kv_bool(j, "lower_bound", c->seen == WEFT_COST_PART);
    weft_json_end_object(j);
}
