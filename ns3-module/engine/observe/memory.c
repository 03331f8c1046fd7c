/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory an engine's state takes. A stable array counts the records that it has ever
 * touched: the address space behind them costs nothing.
 */
#include "core/context.h"
#include "core/executor.h"
#include "switch/credit.h"
#include "switch/pause_clock.h"
#include "switch/pfc.h"
#include "transport/nic.h"
#include "transport/qp.h"

static uint64_t touched(const struct stable *s)
{
    return (uint64_t)s->n * s->elem;
}

static uint64_t graph_bytes(const struct weft_fabric *f)
{
    return f->nnodes * sizeof *f->nodes + f->nlinks * sizeof *f->links +
           f->nports * sizeof *f->ports + f->nhosts * sizeof *f->hosts;
}

static uint64_t queue_bytes(const struct weft_engine *e)
{
    const struct fastq *q = &e->loop.agenda.fast;
    uint64_t keys = (uint64_t)q->due_cap + q->near.cap + q->far.cap;
    for (uint32_t n = 0; e->windows.of && n < e->fabric->nnodes; n++)
        keys += e->windows.of[n].q.cap;
    keys += e->windows.order.cap;
    const struct clusters *c = &e->windows.clusters;
    return (uint64_t)e->fabric->nnodes * (sizeof *e->windows.of + sizeof *e->windows.marks +
                                          sizeof *c->of + sizeof *c->in_windows) +
           2 * (uint64_t)e->fabric->nports * sizeof *q->slot + FASTQ_BUCKETS * sizeof *q->bucket +
           keys * sizeof *q->due + e->loop.agenda.slow.cap * sizeof *e->loop.agenda.slow.h;
}

void weft_engine_memory(const struct weft_engine *e, struct weft_memory_figures *out)
{
    const struct weft_fabric *f = e->fabric;
    *out = (struct weft_memory_figures){0};
    out->fabric_bytes =
        graph_bytes(f) + weft_routes_bytes(e->routing.routes) +
        f->nports * (sizeof *e->ports + sizeof *e->ends) +
        e->nics.n * (sizeof *e->nics.of + (e->nics.last ? sizeof *e->nics.last : 0)) +
        f->nnodes * (sizeof *e->mmu.of + sizeof *e->own) + pfc_bytes(e) + credit_bytes(e) +
        (e->signal && e->signal->memory ? e->signal->memory(e) : 0) + pause_clock_bytes(e) +
        queue_bytes(e) + (e->executor ? e->executor->bytes(e) : 0) +
        (e->drop_rngs ? f->nports * sizeof *e->drop_rngs : 0) +
        (e->telemetry.pints ? f->nports * sizeof *e->telemetry.pints : 0);
    out->qps = e->tot.qps;
    out->qp_bytes = touched(&e->qps.pool) + touched(&e->qps.senders) + qp_states_bytes(e) +
                    touched(&e->grants.of) + e->qps.nslots * sizeof *e->qps.slots;
    out->qp_bytes += nics_paced_bytes(e);
    out->peak_packets = e->pkts.pool.peak;
    out->packet_bytes = touched(&e->pkts.pool) + touched(&e->telemetry.stacks) +
                        touched(&e->delays.waits) + touched(&e->rc.maps);
    out->peak_messages = e->msgs.peak;
    out->message_bytes = touched(&e->msgs) + touched(&e->logs.pool);
}
