/* SPDX-License-Identifier: GPL-2.0-only */
/* How long queues held how much, over the whole run. */
#include "series/series_internal.h"

#include <stdlib.h>

static bool wanted(const struct weft_series_choice *c)
{
    return c->files >> WEFT_SERIES_HISTOGRAM & 1;
}

int weft_histograms_begin(const struct weft_series_choice *c, struct weft_net *net,
                          struct weft_err *err)
{
    if (!wanted(c))
        return 0;
    uint8_t *prios = (uint8_t *)calloc((size_t)c->fabric->nports + 1, 1);
    if (!prios)
        return weft_err_no_memory(err, "histograms of queues");
    for (uint32_t p = 0; p < c->fabric->nports; p++)
        prios[p] = c->ports[p].histogram;
    const int code = net->ops->state->note_queues(net, prios, err);
    free(prios);
    return code;
}

static void write_queue(struct weft_histogram_row *row, const int64_t time_ps[WEFT_QUEUE_BINS],
                        struct weft_series_sample *s)
{
    for (uint32_t bin = 0; bin < WEFT_QUEUE_BINS; bin++) {
        row->from_bytes = weft_queue_bin_from(bin);
        row->to_bytes = weft_queue_bin_from(bin + 1) - 1;
        row->time_ps = time_ps[bin];
        if (row->time_ps)
            weft_series_row(s, WEFT_SERIES_HISTOGRAM, row);
    }
}

void weft_histograms_write(const struct weft_series_choice *c, struct weft_net *net,
                           struct weft_series_sample *s)
{
    const struct weft_fabric *f = c->fabric;
    int64_t time_ps[WEFT_QUEUE_BINS];
    for (uint32_t p = 0; wanted(c) && p < f->nports; p++)
        for (uint32_t prios = c->ports[p].histogram; prios; prios &= prios - 1) {
            struct weft_histogram_row row = {.port = p, .prio = (uint32_t)__builtin_ctz(prios)};
            if (!net->ops->state->queue_times(net, p, row.prio, s->t_ps, time_ps))
                continue;
            weft_fabric_node_name(f, f->ports[p].node, row.names.node);
            weft_fabric_node_name(f, f->ports[f->ports[p].peer].node, row.names.peer);
            write_queue(&row, time_ps, s);
        }
}
