/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One measurement. Fabric, parameters and collectives come from the scenario machinery; what does
 * not go through the frontend is in traffic.c.
 */
#include "bench/bench.h"

#include "base/progress.h"
#include "base/units.h"
#include "run/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_bench_case cases[] = {
#define WEFT_BENCH(name, settings, pattern, amount, quick, help)                                   \
    {name, settings, WEFT_BENCH_##pattern, amount, quick, help},
#include "bench/bench.def"
#undef WEFT_BENCH
};

const struct weft_bench_case *weft_bench_cases(size_t *n)
{
    *n = sizeof cases / sizeof cases[0];
    return cases;
}

enum { MAX_SETS = 64 };

/* The overrides of a measurement: what its case says, then what the user says. */
struct overrides {
    char text[2048];
    size_t used;
    const char *list[MAX_SETS];
    size_t n;
};

static void bench_add(struct overrides *o, const char *key, const char *value, size_t len)
{
    int w = snprintf(o->text + o->used, sizeof o->text - o->used, "%s%.*s", key, (int)len, value);
    if (o->n == MAX_SETS || w < 0 || (size_t)w >= sizeof o->text - o->used)
        return;
    o->list[o->n++] = o->text + o->used;
    o->used += (size_t)w + 1;
}

/* Whether a setting is one that a backend without packets does not have. */
static bool of_packets(const char *setting)
{
    static const char *const sections[] = {"transport.", "switch.", "pfc.", "congestion-control."};
    return WEFT_BEGINS_WITH_ONE_OF(setting, sections);
}

static int bench_collect(struct overrides *o, const struct weft_bench_spec *spec,
                         const struct weft_net_backend *b, struct weft_err *err)
{
    const struct weft_bench_case *c = spec->c;
    char amount[32];
    bench_add(o, "network.backend=", b->name, strlen(b->name));
    bench_add(o, "workload.type=", "generate", 8);
    bench_add(o, "run.replay=", "off", 3); /* each packet-hop is to cost what it costs */
    bench_add(o, "run.threads=", "1", 1);  /* on one core */
    for (const char *p = c->settings; *p;) {
        const bool quoted = *p == '\'';
        p += quoted;
        const size_t len = strcspn(p, quoted ? "'" : " ");
        if (b->uses_cc || !of_packets(p))
            bench_add(o, "", p, len);
        p += len + quoted;
        p += strspn(p, " ");
    }
    if (c->pattern == WEFT_BENCH_COLLECTIVE) {
        int n = snprintf(amount, sizeof amount, "%" PRIu64 "B",
                         spec->quick ? c->quick_amount : c->amount);
        bench_add(o, "generate.size=", amount, (size_t)n);
    }
    if (b->uses_cc && spec->control)
        bench_add(o, "congestion-control.name=", spec->control, strlen(spec->control));
    if (spec->threads)
        bench_add(o, "run.threads=", spec->threads, strlen(spec->threads));
    for (size_t i = 0; i < spec->sets->n; i++) {
        if (o->n == MAX_SETS)
            return weft_err_set(err, WEFT_E_LIMIT,
                                "too many settings: at most %d, the case's own included", MAX_SETS);
        o->list[o->n++] = spec->sets->list[i];
    }
    return 0;
}

/* What a measurement is made of. */
struct parts {
    struct weft_scenario *s;
    struct weft_scenario_parts built;
    struct weft_net *net;
    struct weft_bench_seam *seam;
    struct weft_system *system;
    struct weft_bench_traffic *traffic;
    struct weft_bench_peers *peers;
};

__attribute__((noinline, used)) int weft_bench_play(struct weft_net *net,
                                                    const struct weft_bench_player *p,
                                                    double *start_cpu_s, struct weft_err *err)
{
    const double from_s = weft_cpu_s();
    int code = p->start(p->ctx, err);
    *start_cpu_s = weft_cpu_s() - from_s;
    return code ? code : net->ops->run(net, WEFT_NEVER, err);
}

static int start_system(void *ctx, struct weft_err *err)
{
    struct parts *p = (struct parts *)ctx;
    weft_bench_seam_cross(p->seam, 1);
    int code = weft_system_start(p->system, err);
    weft_bench_seam_cross(p->seam, 0);
    return code;
}

static int end_system(const struct parts *p, struct weft_err *err)
{
    const struct weft_err *inside = weft_system_error(p->system);
    if (inside->code) {
        *err = *inside;
        return err->code;
    }
    if (!weft_system_finished(p->system))
        return weft_err_set(err, WEFT_E_OUTCOME, "the collective did not finish");
    return 0;
}

static int build_net(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                     struct parts *p, struct weft_err *err)
{
    const struct weft_net_backend *b = cli->backends[0];
    struct overrides o = {.n = 0};
    for (size_t i = 0; spec->backend && i < cli->nbackends; i++)
        if (strcmp(cli->backends[i]->name, spec->backend) == 0)
            b = cli->backends[i];
    int code = bench_collect(&o, spec, b, err);
    struct weft_scenario_options so = {cli->backends, cli->nbackends, o.list, o.n};
    if (!code)
        code = weft_scenario_load(NULL, &so, &p->s, err);
    if (!code)
        code = weft_scenario_build(p->s, &p->built, err);
    if (code)
        return code;
    struct weft_net_config config = weft_scenario_net_config(p->s, p->built.fabric);
    config.peers = weft_bench_peers_link(p->peers);
    config.links_stay = !p->built.faults;
    return p->s->backend->create(&config, &p->net, err);
}

static int set_up(const struct weft_cli *cli, const struct weft_bench_spec *spec, struct parts *p,
                  struct weft_bench_player *player, struct weft_err *err)
{
    int code = build_net(cli, spec, p, err);
    if (code)
        return code;
    if (spec->c->pattern == WEFT_BENCH_COLLECTIVE) {
        p->seam = weft_bench_seam_new(p->net, err);
        if (!p->seam)
            return err->code;
        const struct weft_system_env env = weft_scenario_job_env(p->s, &p->built, 0);
        p->system = weft_system_new(p->built.jobs[0].workload, p->s->system, &env,
                                    weft_bench_seam_net(p->seam), NULL, err);
        *player = (struct weft_bench_player){p, start_system};
        return p->system ? 0 : err->code;
    }
    p->traffic = weft_bench_traffic_new(spec, p->built.fabric, p->s->run->seed, p->peers != NULL,
                                        p->net, err);
    if (!p->traffic)
        return err->code;
    *player = weft_bench_traffic_player(p->traffic);
    return 0;
}

static void fill_in(const struct parts *p, struct weft_bench_result *r)
{
    struct weft_totals totals;
    p->net->ops->totals(p->net, &totals);
    r->packet_hops = totals.packet_hops;
    r->events = totals.events;
    r->messages = totals.msgs_received;
    r->bytes = totals.bytes_received;
    r->hosts = p->built.fabric->nhosts;
    if (p->net->ops->memory) {
        r->has_memory = true;
        p->net->ops->memory(p->net, &r->memory);
    }
    if (p->net->ops->threads)
        p->net->ops->threads(p->net, &r->threads);
    if (p->s->cc)
        snprintf(r->control, sizeof r->control, "%s", p->s->cc->name);
    if (p->seam) {
        r->through_frontend = 1;
        r->frontend_s = weft_bench_seam_frontend_s(p->seam);
        r->simulated_ps = weft_bench_seam_last_ps(p->seam);
    } else {
        r->simulated_ps = weft_bench_traffic_last_ps(p->traffic);
    }
}

static double seconds(int64_t from_ns)
{
    return (double)(weft_clock_monotonic_ns(NULL) - from_ns) / 1e9;
}

static int bench_measure(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                         struct parts *p, struct weft_bench_result *r)
{
    struct weft_bench_player player = {0};
    int64_t start_ns = weft_clock_monotonic_ns(NULL);
    double start_cpu_s = weft_cpu_s();
    int code = set_up(cli, spec, p, &player, &r->err);
    if (code)
        return code;
    r->setup_wall_s = seconds(start_ns);
    r->setup_cpu_s = weft_cpu_s() - start_cpu_s;
    weft_bench_peers_begin(p->peers);
    start_ns = weft_clock_monotonic_ns(NULL);
    start_cpu_s = weft_cpu_s();
    code = weft_bench_play(p->net, &player, &r->start_cpu_s, &r->err);
    r->cpu_s = weft_cpu_s() - start_cpu_s;
    r->wall_s = seconds(start_ns);
    weft_bench_peers_end(p->peers, r->wall_s);
    if (!code)
        code = p->system ? end_system(p, &r->err) : weft_bench_traffic_end(p->traffic, &r->err);
    if (!code)
        code = p->net->ops->check(p->net, &r->err);
    fill_in(p, r);
    if (!code && p->peers)
        code = weft_bench_peers_gather(p->peers, r, &r->err);
    return code;
}

void weft_bench_run(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                    struct weft_bench_result *r)
{
    struct parts p = {0};
    memset(r, 0, sizeof *r);
    if (cli->peers)
        p.peers = weft_bench_peers_new(cli->peers, &r->err);
    r->code = r->err.code ? r->err.code : bench_measure(cli, spec, &p, r);
    weft_system_free(p.system);
    weft_bench_traffic_free(p.traffic);
    if (p.net)
        p.net->ops->free(p.net);
    weft_bench_seam_free(p.seam);
    weft_bench_peers_free(p.peers);
    weft_scenario_parts_free(&p.built);
    weft_scenario_free(p.s);
    r->peak_rss_bytes = weft_peak_rss_bytes();
}
