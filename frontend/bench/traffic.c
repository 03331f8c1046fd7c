/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic straight onto the net: all at once, or flow by flow at their starts. */
#include "bench/bench.h"

#include "workload/traffic/poisson.h"

#include <inttypes.h>
#include <stdlib.h>

struct weft_bench_traffic {
    enum weft_bench_pattern pattern;
    uint64_t amount;
    struct weft_net *net;
    uint32_t nhosts;
    bool in_run;
    struct weft_traffic *flows; /* WEBSEARCH */
    size_t next;                /* the next flow to post */
    uint64_t expected, received;
    int64_t last_ps;
    struct weft_err err;
};

static void traffic_post(struct weft_bench_traffic *t, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_msg msg = {.src = src, .dst = dst, .bytes = bytes, .prio = WEFT_PRIO_DEFAULT};
    if (!t->err.code && t->net->ops->send(t->net, &msg, &t->err))
        t->net->ops->stop(t->net);
}

static void traffic_on_received(void *ctx, const struct weft_completion *done)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)ctx;
    t->received++;
    t->last_ps = t->net->ops->now_ps(t->net);
}

static void traffic_on_sent(void *ctx, const struct weft_completion *done) {}

/* The flow sizes of the WebSearch workload as HPCC's evaluation takes them: bytes and percentile
 * (Alizadeh et al.: "Data Center TCP", SIGCOMM 2010, figure 4). */
static double websearch_bytes[] = {0,      10000,   20000,   30000,   50000,    80000,
                                   200000, 1000000, 2000000, 5000000, 10000000, 30000000};
static double websearch_percent[] = {0, 15, 20, 30, 40, 53, 60, 70, 80, 90, 97, 100};

static int make_flows(struct weft_bench_traffic *t, const struct weft_fabric *f, uint64_t seed,
                      struct weft_err *err)
{
    const struct weft_cdf cdf = {websearch_bytes, websearch_percent,
                                 sizeof websearch_bytes / sizeof websearch_bytes[0]};
    const struct weft_fabric_port *port = &f->ports[f->nodes[f->hosts[0]].first_port];
    struct weft_traffic_config c = {.cdf = &cdf,
                                    .hosts = f->nhosts,
                                    .rate_bps = f->links[port->link].rate_bps,
                                    .load = 0.5,
                                    .duration_ps = (int64_t)t->amount,
                                    .seed = seed};
    t->flows = weft_traffic_new(&c, err);
    return t->flows ? 0 : err->code;
}

struct weft_bench_traffic *weft_bench_traffic_new(const struct weft_bench_spec *spec,
                                                  const struct weft_fabric *fabric, uint64_t seed,
                                                  bool in_run, struct weft_net *net,
                                                  struct weft_err *err)
{
    struct weft_bench_traffic *t = weft_err_calloc(1, sizeof *t, "messages", err);
    if (!t)
        return NULL;
    t->pattern = spec->c->pattern;
    t->amount = spec->quick ? spec->c->quick_amount : spec->c->amount;
    t->net = net;
    t->in_run = in_run;
    t->nhosts = fabric->nhosts;
    if (t->pattern == WEFT_BENCH_WEBSEARCH && make_flows(t, fabric, seed, err)) {
        free(t);
        return NULL;
    }
    struct weft_net_sink sink = {t, traffic_on_sent, traffic_on_received,
                                 .concurrency = {.local = true, .passive = true}};
    net->ops->set_sink(net, &sink);
    return t;
}

/* Posts the flows that start now and arms the next start. */
static void launch(void *ctx, uint64_t arg)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)ctx;
    const struct weft_traffic *w = t->flows;
    const struct weft_net_ops *ops = t->net->ops;
    int64_t now = ops->now_ps(t->net);
    for (; t->next < w->n && w->list[t->next].start_ps <= now; t->next++)
        traffic_post(t, w->list[t->next].src, w->list[t->next].dst, w->list[t->next].bytes);
    if (t->next < w->n && !t->err.code &&
        weft_net_plan(t->net, w->list[t->next].start_ps - now, launch, t, 0, &t->err))
        ops->stop(t->net);
}

/* What goes out at time 0. */
static void traffic_begin(void *ctx, uint64_t arg)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)ctx;
    uint32_t n = t->nhosts;
    switch (t->pattern) {
    case WEFT_BENCH_INCAST:
        t->expected = n - 1;
        for (uint32_t h = 1; h < n; h++)
            traffic_post(t, h, 0, t->amount);
        break;
    case WEFT_BENCH_PERMUTATION:
        t->expected = n;
        for (uint32_t h = 0; h < n; h++)
            traffic_post(t, h, (h + n / 2) % n, t->amount);
        break;
    case WEFT_BENCH_WEBSEARCH:
        t->expected = t->flows->n;
        launch(t, 0);
        break;
    case WEFT_BENCH_COLLECTIVE:
        break; /* played by the frontend */
    }
}

static int traffic_start(void *ctx, struct weft_err *err)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)ctx;
    if (t->in_run)
        return t->net->ops->after(t->net, 0, traffic_begin, t, 0, err);
    traffic_begin(t, 0);
    if (t->err.code)
        *err = t->err;
    return t->err.code;
}

struct weft_bench_player weft_bench_traffic_player(struct weft_bench_traffic *t)
{
    return (struct weft_bench_player){t, traffic_start};
}

int weft_bench_traffic_end(struct weft_bench_traffic *t, struct weft_err *err)
{
    if (t->err.code) {
        *err = t->err;
        return err->code;
    }
    if (t->received != t->expected)
        return weft_err_set(err, WEFT_E_OUTCOME, "%" PRIu64 " of %" PRIu64 " messages arrived",
                            t->received, t->expected);
    return 0;
}

int64_t weft_bench_traffic_last_ps(const struct weft_bench_traffic *t)
{
    return t->last_ps;
}

void weft_bench_traffic_free(struct weft_bench_traffic *t)
{
    if (t)
        weft_traffic_free(t->flows);
    free(t);
}
