/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms of egress queues over time, exact to the picosecond: each change of a queue closes the
 * time that it held what it held before. A port makes its changes in the order of time, lazy or
 * not (lazy.c), so that nothing has to be played differently for them.
 */
#include "switch.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/executor.h"

#include <stdlib.h>
#include <string.h>

void histogram_note(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes)
{
    struct histograms *all = &e->histograms;
    if (!all->wanted || !(all->wanted[port] >> prio & 1))
        return;
    struct histogram **h = &all->of[(size_t)port * WEFT_PRIOS + prio];
    if (!*h && !(*h = calloc(1, sizeof **h))) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for histograms of queues");
        return;
    }
    WEFT_REQUIRE(e->now >= (*h)->since_ps);
    (*h)->time_ps[weft_queue_bin((*h)->bytes)] += e->now - (*h)->since_ps;
    (*h)->since_ps = e->now;
    (*h)->bytes = bytes;
}

int weft_engine_note_queues(struct weft_engine *e, const uint8_t *prios, struct weft_err *err)
{
    struct histograms *all = &e->histograms;
    const size_t n = e->fabric->nports;
    posts_flush(e);
    all->wanted = all->wanted ? all->wanted : calloc(n + 1, 1);
    all->of = all->of ? all->of : calloc(n * WEFT_PRIOS + 1, sizeof *all->of);
    if (!all->wanted || !all->of)
        return weft_err_no_memory(err, "histograms of queues");
    for (size_t i = 0; i < n; i++)
        all->wanted[i] |= prios[i];
    e->path.on_enqueue |= QUEUE_HISTOGRAM;
    e->path.on_dequeue |= QUEUE_HISTOGRAM;
    return 0;
}

void histogram_fini(struct weft_engine *e)
{
    struct histograms *all = &e->histograms;
    for (size_t i = 0; all->of && i < (size_t)e->fabric->nports * WEFT_PRIOS; i++)
        free(all->of[i]);
    free(all->of);
    free(all->wanted);
}
