/* SPDX-License-Identifier: GPL-2.0-only */
/* Running one benchmark case: the fabric and the parameters come from the scenario machinery, the traffic does not. */
#include "cli/bench.h"

#include "base/progress.h"
#include "base/units.h"
#include "cli/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_bench_case cases[] = {
#define WEFT_BENCH(name, topology, settings, pattern, bytes, cc, help)                             \
    {name, topology, settings, WEFT_BENCH_##pattern, bytes, cc, help},
#include "cli/bench.def"
#undef WEFT_BENCH
};

const struct weft_bench_case *weft_bench_cases(size_t *n)
{
    *n = sizeof cases / sizeof cases[0];
    return cases;
}

enum { MAX_SETS = 64 };

/* The overrides of a case: what it says, then what the user says. */
struct overrides {
    char text[2048];
    const char *list[MAX_SETS];
    size_t n;
};

static void add(struct overrides *o, size_t *used, const char *key, const char *value, size_t len)
{
    int w = snprintf(o->text + *used, sizeof o->text - *used, "%s%.*s", key, (int)len, value);
    if (o->n == MAX_SETS || w < 0 || (size_t)w >= sizeof o->text - *used)
        return;
    o->list[o->n++] = o->text + *used;
    *used += (size_t)w + 1;
}

static void collect(struct overrides *o, const struct weft_bench_case *c,
                    const struct weft_net_backend *b, const struct weft_strings *sets)
{
    size_t used = 0;
    add(o, &used, "network.backend=", b->name, strlen(b->name));
    add(o, &used, "topology.type=", c->topology, strlen(c->topology));
    add(o, &used, "workload.type=", "generate", 8);
    if (b->uses_cc)
        add(o, &used, "congestion-control.name=", c->cc, strlen(c->cc));
    for (const char *p = c->settings; *p;) {
        size_t len = strcspn(p, " ");
        /* A backend without packets has no transport. */
        if (b->uses_cc || strncmp(p, "transport.", 10) != 0)
            add(o, &used, "", p, len);
        p += len;
        p += strspn(p, " ");
    }
    for (size_t i = 0; i < sets->n && o->n < MAX_SETS; i++)
        o->list[o->n++] = sets->list[i];
}

static int measure(const struct weft_bench_case *c, struct weft_net *net, uint32_t nhosts,
                   struct weft_bench_result *r)
{
    struct weft_bench_traffic *t = weft_bench_traffic_new(c, nhosts, net);
    if (!t)
        return weft_err_set(&r->err, WEFT_E_LIMIT, "out of memory");
    int64_t start_ns = weft_clock_monotonic_ns(NULL);
    double start_cpu_s = weft_cpu_s();
    int code = weft_bench_traffic_start(t, &r->err);
    if (!code)
        code = net->ops->run(net, WEFT_NEVER, &r->err);
    r->cpu_s = weft_cpu_s() - start_cpu_s;
    r->wall_s = (double)(weft_clock_monotonic_ns(NULL) - start_ns) / 1e9;
    if (!code)
        code = weft_bench_traffic_end(t, &r->err);
    if (!code)
        code = net->ops->check(net, &r->err);
    struct weft_net_totals totals;
    net->ops->totals(net, &totals);
    r->packet_hops = totals.packet_hops;
    r->events = totals.events;
    r->messages = totals.msgs_received;
    r->bytes = totals.bytes_received;
    r->simulated_ps = weft_bench_traffic_last_ps(t);
    weft_bench_traffic_free(t);
    return code;
}

void weft_bench_run(const struct weft_cli *cli, const struct weft_bench_case *c,
                    const char *backend, const struct weft_strings *sets,
                    struct weft_bench_result *r)
{
    const struct weft_net_backend *b = cli->backends[0];
    struct overrides o = {.n = 0};
    struct weft_scenario *s = NULL;
    struct weft_fabric *f = NULL;
    struct weft_net *net = NULL;
    memset(r, 0, sizeof *r);
    for (size_t i = 0; backend && i < cli->nbackends; i++)
        if (strcmp(cli->backends[i]->name, backend) == 0)
            b = cli->backends[i];
    collect(&o, c, b, sets);
    struct weft_scenario_options so = {cli->backends, cli->nbackends, o.list, o.n};
    int code = weft_scenario_load(NULL, &so, &s, &r->err);
    if (!code)
        code = s->topology->build(s->topology_params, &f, &r->err);
    if (!code) {
        struct weft_net_config config = weft_scenario_net_config(s, f);
        if (s->backend->check)
            code = s->backend->check(&config, &r->err);
        if (!code)
            code = s->backend->create(&config, &net, &r->err);
    }
    if (!code)
        code = measure(c, net, f->nhosts, r);
    if (net)
        net->ops->free(net);
    weft_fabric_free(f);
    weft_scenario_free(s);
    r->code = code;
    r->peak_rss_bytes = weft_peak_rss_bytes();
}
