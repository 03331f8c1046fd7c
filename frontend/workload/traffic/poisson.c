/* SPDX-License-Identifier: GPL-2.0-only */
/* Poisson traffic. */
#include "workload/traffic/poisson.h"

#include "base/grow.h"
#include "base/units.h"
#include "workload/traffic/cdf_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* More flows than this are refused: about 40 bytes each in memory and in the file. */
#define MAX_FLOWS 1e8

static int poisson_check(const struct weft_traffic_config *c, struct weft_err *err)
{
    if (c->hosts < 2)
        return weft_err_set(err, WEFT_E_INPUT, "traffic needs at least 2 hosts, got %u", c->hosts);
    if (!(c->load > 0 && c->load <= 100))
        return weft_err_set(err, WEFT_E_INPUT,
                            "the load must be above 0 (1 is the rate of a host's link), got %g",
                            c->load);
    if (c->rate_bps == 0)
        return weft_err_set(err, WEFT_E_INPUT, "the rate must be above 0");
    if (c->duration_ps <= 0)
        return weft_err_set(err, WEFT_E_INPUT, "the duration must be above 0");
    if (c->start_ps < 0 || c->start_ps > WEFT_NEVER - c->duration_ps - WEFT_PS_PER_NS)
        return weft_err_set(err, WEFT_E_INPUT, "start + duration is later than weft's 106 days");
    double flows = c->load * (double)c->rate_bps / 8 / weft_cdf_mean_bytes(c->cdf) *
                   ((double)c->duration_ps / (double)WEFT_PS_PER_S) * c->hosts;
    if (!(flows < MAX_FLOWS))
        return weft_err_set(err, WEFT_E_LIMIT, "that makes about %.3g flows, more than %.0g", flows,
                            MAX_FLOWS);
    return 0;
}

static int poisson_add(struct weft_traffic *t, size_t *cap, const struct weft_traffic_flow *w,
                       struct weft_err *err)
{
    if (!WEFT_GROW(t->list, t->n, cap))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu flows", t->n);
    t->list[t->n++] = *w;
    t->bytes += w->bytes;
    return 0;
}

/* The source of the flows, whose mean interval is the same for all hosts. */
static struct weft_flow_source *source_of(const struct weft_traffic_config *c, struct weft_err *err)
{
    const struct weft_cdf_traffic t = {
        .cdf = c->cdf, .nranks = c->hosts, .duration_ps = c->duration_ps, .seed = c->seed};
    struct weft_flow_source *s = weft_cdf_source_new(&t, NULL, err);
    const double mean_ps =
        weft_cdf_mean_bytes(c->cdf) * 8 / (c->load * (double)c->rate_bps) * (double)WEFT_PS_PER_S;
    for (uint32_t h = 0; s && h < c->hosts; h++)
        weft_cdf_source_set_gap(s, h, mean_ps);
    return s;
}

/* Two flows of one host in the same nanosecond stay distinguishable by size and destination, so
 * the order is total. */
static int by_start(const void *va, const void *vb)
{
    const struct weft_traffic_flow *a = (const struct weft_traffic_flow *)va;
    const struct weft_traffic_flow *b = (const struct weft_traffic_flow *)vb;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

struct weft_traffic *weft_traffic_new(const struct weft_traffic_config *c, struct weft_err *err)
{
    if (poisson_check(c, err))
        return NULL;
    size_t cap = 0;
    struct weft_traffic *t = (struct weft_traffic *)calloc(1, sizeof *t);
    int rc = t ? 0 : weft_err_no_memory(err, "flows");
    struct weft_flow_source *source = rc ? NULL : source_of(c, err);
    rc = source ? 0 : err->code;
    struct weft_flow w;
    while (!rc && source->next(source, &w, err) == 1) {
        const int64_t start_ps = (c->start_ps + w.start_ps) / WEFT_PS_PER_NS * WEFT_PS_PER_NS;
        const struct weft_traffic_flow f = {w.src, w.dst, w.bytes, start_ps};
        rc = poisson_add(t, &cap, &f, err);
    }
    weft_flow_source_free(source);
    if (rc) {
        weft_traffic_free(t);
        return NULL;
    }
    if (t->n)
        qsort(t->list, t->n, sizeof *t->list, by_start);
    return t;
}

void weft_traffic_free(struct weft_traffic *t)
{
    if (!t)
        return;
    free(t->list);
    free(t);
}

void weft_traffic_write(const struct weft_traffic *t, FILE *out)
{
    fprintf(out, "%zu\n", t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct weft_traffic_flow *w = &t->list[i];
        fprintf(out, "%u %u 3 100 %" PRIu64 " %" PRId64 ".%09" PRId64 "\n", w->src, w->dst,
                w->bytes, w->start_ps / WEFT_PS_PER_S,
                w->start_ps % WEFT_PS_PER_S / WEFT_PS_PER_NS);
    }
}
