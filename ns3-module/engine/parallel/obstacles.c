/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of what several threads or processes can't share out, with the reason that a user is
 * told: by run.threads and mpirun, and by weft check.
 */
#include "obstacles.h"
#include "balance/balance.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/gap.h"

/* Whether a timer of a QP may expire within the window in which it was set. */
static bool obstacle_timers_are_near(const struct weft_engine *e)
{
    const struct windows *w = &e->windows;
    const int64_t between_ps = w->clusters.between_ps;
    const int64_t ahead_ps = between_ps < w->lookahead_ps ? between_ps : w->lookahead_ps;
    for (uint32_t i = 0; i < PROFILES; i++) {
        const struct profile *f = &e->rc.profile[i];
        if ((f->low_rto ? f->t.rto_low_ps : f->t.rto_ps) <= ahead_ps)
            return true;
    }
    return false;
}

/* Whether some transmission takes no time. Where transport.time-quantum rounds some to nothing,
 * what happens at hosts in one instant follows from each other in chains, whose order only one
 * queue knows. */
static bool obstacle_sends_take_no_time(const struct weft_engine *e)
{
    const int64_t unit_ps = e->p.transport.quantum_ps;
    for (uint32_t i = 0; unit_ps && i < e->fabric->nports; i++)
        if (port_known(e, i) &&
            gap_quantised(unit_ps, e->p.transport.min_frame_bytes, e->ports[i].ser_q) == 0)
            return true;
    return false;
}

#define OBSTACLE_BOTH (OBSTACLE_THREADS | OBSTACLE_PROCESSES)
#define OBSTACLE_HOSTS "hosts do not run in windows (docs/explanation/threads-and-processes.md): "

const char *obstacle_find(const struct weft_engine *e, unsigned whom)
{
    const struct weft_engine_hooks *h = &e->hooks;
    const struct {
        unsigned of;
        bool is;
        const char *why;
    } all[] = {
        {OBSTACLE_BOTH, e->grants.of.elem != 0, "receivers give credit"},
        {OBSTACLE_BOTH, e->credit.ports != NULL, "links are under credits"},
        {OBSTACLE_BOTH, e->in_network != NULL, "switches take part in operations"},
        {OBSTACLE_PROCESSES, e->extension != NULL, "traffic is replayed"},
        {OBSTACLE_THREADS, e->extension && e->extension->wants_sent,
         OBSTACLE_HOSTS "messages are taken over within a tolerance"},
        {OBSTACLE_PROCESSES, e->path.frames, "another transport sends frames"},
        {OBSTACLE_PROCESSES, e->draws.ns3, "ports share a stream of random numbers (ecn.draws)"},
        {OBSTACLE_PROCESSES, h->lose != NULL, "a hook loses packets"},
        {OBSTACLE_BOTH, h->qp || h->packet, "packets, queues or queue pairs are watched"},
        {OBSTACLE_PROCESSES, h->drop || h->queue || h->ecn_mark || h->credit || h->posted,
         "packets, queues or queue pairs are watched"},
        {OBSTACLE_PROCESSES, e->histograms.wanted != NULL || e->qps.rtt_ps.base != NULL,
         "queues or round-trip times are noted"},
        {OBSTACLE_BOTH, !e->windows.on,
         "a setting has everything in one queue (docs/explanation/threads-and-processes.md)"},
        {OBSTACLE_BOTH, balance_shared(e), OBSTACLE_HOSTS "switches share the state of a balancer"},
        {OBSTACLE_BOTH, e->windows.on && e->windows.clusters.n < 2,
         OBSTACLE_HOSTS "short links join all of them"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].of & whom && all[i].is)
            return all[i].why;
    if (obstacle_timers_are_near(e))
        return OBSTACLE_HOSTS "a retransmission timer is no longer than a window";
    return obstacle_sends_take_no_time(e) ? OBSTACLE_HOSTS
               "transport.time-quantum lets transmissions take no time"
                                          : NULL;
}
