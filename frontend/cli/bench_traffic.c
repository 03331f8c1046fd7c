/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic patterns of the benchmark, straight onto the net. */
#include "cli/bench.h"

#include <stdlib.h>

struct weft_bench_traffic {
    const struct weft_bench_case *c;
    struct weft_net *net;
    uint32_t nhosts;
    uint64_t *ring_steps; /* steps that each host has sent */
    uint64_t expected, received;
    int64_t last_ps;
    struct weft_err err;
};

static uint64_t steps_of_ring(const struct weft_bench_traffic *t)
{
    return 2 * (uint64_t)(t->nhosts - 1);
}

static void post(struct weft_bench_traffic *t, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_net_msg msg = {
        .src = src, .dst = dst, .bytes = bytes, .prio = WEFT_NET_PRIO_DEFAULT};
    if (!t->err.code)
        t->net->ops->send(t->net, &msg, 0, &t->err);
}

static void ring_step(struct weft_bench_traffic *t, uint32_t host)
{
    if (t->ring_steps[host]++ < steps_of_ring(t))
        post(t, host, (host + 1) % t->nhosts, t->c->bytes / t->nhosts);
}

static void on_received(void *ctx, const struct weft_net_msg *msg)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)ctx;
    t->received++;
    t->last_ps = t->net->ops->now_ps(t->net);
    if (t->c->pattern == WEFT_BENCH_RING)
        ring_step(t, msg->dst);
}

static void on_sent(void *ctx, const struct weft_net_msg *msg, uint64_t ref)
{
    (void)ctx;
    (void)msg;
    (void)ref;
}

struct weft_bench_traffic *weft_bench_traffic_new(const struct weft_bench_case *c, uint32_t nhosts,
                                                  struct weft_net *net)
{
    struct weft_bench_traffic *t = (struct weft_bench_traffic *)calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->c = c;
    t->net = net;
    t->nhosts = nhosts;
    t->ring_steps = (uint64_t *)calloc(nhosts, sizeof *t->ring_steps);
    if (!t->ring_steps) {
        free(t);
        return NULL;
    }
    struct weft_net_sink sink = {t, on_sent, on_received};
    net->ops->set_sink(net, &sink);
    return t;
}

int weft_bench_traffic_start(struct weft_bench_traffic *t, struct weft_err *err)
{
    uint32_t n = t->nhosts;
    switch (t->c->pattern) {
    case WEFT_BENCH_INCAST:
        t->expected = n - 1;
        for (uint32_t h = 1; h < n; h++)
            post(t, h, 0, t->c->bytes);
        break;
    case WEFT_BENCH_PERMUTATION:
        t->expected = n;
        for (uint32_t h = 0; h < n; h++)
            post(t, h, (h + n / 2) % n, t->c->bytes);
        break;
    case WEFT_BENCH_RING:
        t->expected = n * steps_of_ring(t);
        for (uint32_t h = 0; h < n; h++)
            ring_step(t, h);
        break;
    case WEFT_BENCH_ALL_TO_ALL:
        t->expected = (uint64_t)n * (n - 1);
        for (uint32_t k = 1; k < n; k++)
            for (uint32_t h = 0; h < n; h++)
                post(t, h, (h + k) % n, t->c->bytes);
        break;
    }
    if (t->err.code)
        *err = t->err;
    return t->err.code;
}

int weft_bench_traffic_end(struct weft_bench_traffic *t, struct weft_err *err)
{
    if (t->err.code) {
        *err = t->err;
        return err->code;
    }
    if (t->received != t->expected)
        return weft_err_set(err, WEFT_E_OUTCOME, "%llu of %llu messages arrived",
                            (unsigned long long)t->received, (unsigned long long)t->expected);
    return 0;
}

int64_t weft_bench_traffic_last_ps(const struct weft_bench_traffic *t)
{
    return t->last_ps;
}

void weft_bench_traffic_free(struct weft_bench_traffic *t)
{
    if (t)
        free(t->ring_steps);
    free(t);
}
