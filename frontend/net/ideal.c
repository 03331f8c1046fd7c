/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ideal backend: alpha-beta arithmetic instead of packets. Oracle and quick look.
 *
 * A message arrives when ideal_cost.c says, whatever else is on the fabric (contention=none), after
 * waiting for its sender's link (contention=source), or for each link (contention=links,
 * ideal_links.c). The sender is told at the same moment, just after the receiver. Messages of one
 * (src, dst, prio, NIC) never overtake each other: a shorter one behind a longer one arrives with
 * it.
 */
#include "net/ideal_internal.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define uthash_nonfatal_oom(elt) ((elt)->last_ps = -1)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct weft_ideal_pair {
    struct {
        uint32_t src, dst, prio, nic;
    } key;
    int64_t
        last_ps; /* arrival of the last message sent; -1 while the hash table was out of memory */
    uint64_t inflight;
    UT_hash_handle hh;
};

static struct weft_ideal *self(struct weft_net *net)
{
    return (struct weft_ideal *)net; /* net is its first member */
}

static void ideal_free(struct weft_net *net)
{
    struct weft_ideal *s = self(net);
    struct weft_ideal_pair *p, *tmp;
    HASH_ITER(hh, s->pairs, p, tmp)
    {
        HASH_DEL(s->pairs, p);
        free(p);
    }
    weft_ideal_groups_free(s);
    weft_heap_release(&s->heap);
    weft_routes_free(s->routes);
    free(s->path);
    free(s->source_free_ps);
    free(s->port_bytes);
    weft_slots_release(&s->slots);
    free(s);
}

static int64_t ideal_now_ps(const struct weft_net *net)
{
    return ((const struct weft_ideal *)net)->now_ps;
}

static void ideal_set_sink(struct weft_net *net, const struct weft_net_sink *sink)
{
    self(net)->sink = *sink;
}

/* The entry of a message's (src, dst, prio, NIC), made when `make`; NULL when absent or out of
 * memory.
 */
static struct weft_ideal_pair *pair_of(struct weft_ideal *s, const struct weft_msg *m, int make)
{
    struct weft_ideal_pair *p, key;
    memset(&key, 0, sizeof key);
    key.key.src = m->src;
    key.key.dst = m->dst;
    key.key.prio = m->prio;
    key.key.nic = m->nic;
    HASH_FIND(hh, s->pairs, &key.key, sizeof key.key, p);
    if (!p && make) {
        p = calloc(1, sizeof *p);
        if (!p)
            return NULL;
        p->key = key.key;
        HASH_ADD(hh, s->pairs, key, sizeof p->key, p);
        if (p->last_ps < 0) {
            free(p);
            return NULL;
        }
    }
    return p;
}

static void drop_if_idle(struct weft_ideal *s, struct weft_ideal_pair *p)
{
    if (p->inflight == 0) {
        HASH_DEL(s->pairs, p);
        free(p);
    }
}

/* Schedules the arrival of a message that waits at most for its sender, behind those of its pair.
 */
static int go(struct weft_ideal *s, struct weft_ideal_pair *pair,
              const struct weft_ideal_cost *cost, const struct weft_ideal_slot *slot,
              struct weft_err *err)
{
    int64_t arrive = weft_ideal_begin(s, cost) + cost->total_ps;
    if (arrive < pair->last_ps)
        arrive = pair->last_ps;
    if (arrive > WEFT_IDEAL_LAST_PS)
        return weft_ideal_too_late(&slot->msg, err);
    const int rc = weft_ideal_schedule(s, arrive, slot, err);
    if (!rc)
        pair->last_ps = arrive;
    return rc;
}

static int ideal_send(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err)
{
    struct weft_ideal *s = self(net);
    uint32_t n = s->fabric->nhosts;
    if (msg->src >= n || msg->dst >= n)
        return weft_err_set(err, WEFT_E_INPUT,
                            "message from host %u to host %u: the fabric has the hosts 0 to %u",
                            msg->src, msg->dst, n - 1);
    if (msg->src == msg->dst)
        return weft_err_set(err, WEFT_E_INPUT, "message from host %u to itself", msg->src);
    if (msg->prio > 7 && msg->prio != WEFT_PRIO_DEFAULT)
        return weft_err_set(err, WEFT_E_INPUT, "traffic class %u of a message: must be 0 to 7",
                            msg->prio);
    struct weft_ideal_cost cost;
    int rc = weft_ideal_cost(s, msg, &cost, err);
    if (rc)
        return rc;
    struct weft_ideal_pair *pair = pair_of(s, msg, 1);
    if (!pair)
        return weft_err_no_memory(err, "messages of the ideal backend");
    struct weft_ideal_slot slot = {
        .msg = *msg,
        .id = s->totals.msgs_posted,
        .post_ps = s->now_ps,
        .ideal_ps = cost.total_ps,
    };
    rc = s->params.contention == WEFT_IDEAL_CONTENTION_LINKS ? weft_ideal_hop(s, &slot, err)
                                                             : go(s, pair, &cost, &slot, err);
    if (rc) {
        drop_if_idle(s, pair);
        return rc;
    }
    pair->inflight++;
    s->totals.msgs_posted++;
    s->totals.bytes_posted += msg->bytes;
    s->inflight_msgs++;
    s->inflight_bytes += msg->bytes;
    return 0;
}

static int ideal_after(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg, struct weft_err *err)
{
    struct weft_ideal *s = self(net);
    if (delay_ps < 0 || delay_ps > WEFT_IDEAL_LAST_PS - s->now_ps)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "a timer of %" PRId64 " ps at %" PRId64 " ps cannot be set", delay_ps,
                            s->now_ps);
    struct weft_ideal_slot slot = {.fn = fn, .ctx = ctx, .arg = arg};
    return weft_ideal_schedule(s, s->now_ps + delay_ps, &slot, err);
}

static void net_ideal_deliver(struct weft_ideal *s, const struct weft_ideal_slot *m)
{
    s->inflight_msgs--;
    s->totals.msgs_received++;
    s->totals.msgs_acked++;
    const bool part = m->msg.kind == WEFT_MSG_PART;
    if (!part) {
        struct weft_ideal_pair *pair = pair_of(s, &m->msg, 0);
        pair->inflight--;
        drop_if_idle(s, pair);
        s->inflight_bytes -= m->msg.bytes;
    }
    if (!m->unwanted)
        s->totals.bytes_received += m->msg.bytes;
    /* a message waits for earlier ones of its host; operations of switches for those of the tree */
    struct weft_completion done = {
        .id = m->id,
        .msg = m->msg,
        .post_ps = m->post_ps,
        .received_ps = s->now_ps,
        .acked_ps = s->now_ps,
        .ideal_ps = m->ideal_ps,
    };
    const bool queues = part || s->params.contention == WEFT_IDEAL_CONTENTION_LINKS;
    done.delay_ps[WEFT_DELAY_NIC] = m->nic_ps;
    weft_delays_resolve(done.delay_ps, s->now_ps - m->post_ps - m->ideal_ps,
                        queues ? WEFT_DELAY_QUEUE : WEFT_DELAY_NIC);
    if (s->observer.flow)
        s->observer.flow(s->observer.ctx, &done);
    if (s->sink.received && !m->unwanted)
        s->sink.received(s->sink.ctx, &done);
    if (s->sink.sent)
        s->sink.sent(s->sink.ctx, &done);
}

static int ideal_run(struct weft_net *net, int64_t until_ps, struct weft_err *err)
{
    struct weft_ideal *s = self(net);
    int rc = 0;
    s->stopped = false;
    while (!rc && s->heap.n > 0 && !s->stopped && !(s->interrupted && *s->interrupted)) {
        if (s->heap.e[0].t_ps > until_ps) {
            s->now_ps = until_ps > s->now_ps ? until_ps : s->now_ps;
            break;
        }
        struct weft_ideal_slot slot = weft_ideal_next(s);
        if (slot.fn)
            slot.fn(slot.ctx, slot.arg);
        else if (slot.on_way)
            rc = weft_ideal_hop(s, &slot, err);
        else
            net_ideal_deliver(s, &slot);
    }
    return rc;
}

static void ideal_stop(struct weft_net *net)
{
    self(net)->stopped = true;
}

static int ideal_check(struct weft_net *net, struct weft_err *err)
{
    const struct weft_ideal *s = self(net);
    const struct weft_totals *t = &s->totals;
    if (t->msgs_posted != t->msgs_received + s->inflight_msgs)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "ideal: %" PRIu64 " messages posted, but %" PRIu64
                            " received and %" PRIu64 " on their way",
                            t->msgs_posted, t->msgs_received, s->inflight_msgs);
    if (!s->ngroups && t->bytes_posted != t->bytes_received + s->inflight_bytes)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "ideal: %" PRIu64 " bytes posted, but %" PRIu64 " received and %" PRIu64
                            " on their way",
                            t->bytes_posted, t->bytes_received, s->inflight_bytes);
    return 0;
}

static void ideal_totals(struct weft_net *net, struct weft_totals *out)
{
    *out = self(net)->totals;
}

static void ideal_event_now(const struct weft_net *net, struct weft_event_now *out)
{
    const struct weft_ideal *s = (const struct weft_ideal *)net;
    *out = (struct weft_event_now){.steps = s->totals.events + (uint64_t)s->now_ps,
                                   .t_ps = s->now_ps,
                                   .what = "arrival of a message, or timer of the frontend",
                                   .number = UINT64_MAX,
                                   .node = UINT32_MAX,
                                   .host = UINT32_MAX};
}

static void ideal_port_stats(struct weft_net *net, uint32_t port, struct weft_port_counters *out)
{
    const struct weft_ideal *s = self(net);
    *out = (struct weft_port_counters){0};
    if (s->port_bytes && port < s->fabric->nports)
        out->tx_payload_bytes = s->port_bytes[port];
}

/* Messages share links without waiting in them. */
static uint64_t ideal_queue_bytes(struct weft_net *net, uint32_t port, uint32_t prio)
{
    return 0;
}

static int ideal_change_links(struct weft_net *net, struct weft_link_change *changes, size_t n,
                              struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT,
                        "links of the backend 'ideal' do not change; those of 'packet' do");
}

static uint64_t ideal_explain(struct weft_net *net, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    const struct weft_ideal *s = self(net);
    size_t n = s->heap.n;
    struct weft_heap_entry *sorted = malloc((n ? n : 1) * sizeof *sorted);
    if (!sorted)
        return s->inflight_msgs;
    if (n)
        memcpy(sorted, s->heap.e, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, weft_heap_compare);
    uint64_t nlines = 0;
    for (size_t i = 0; i < n && nlines < max; i++) {
        const struct weft_ideal_slot *m =
            (const struct weft_ideal_slot *)weft_slot(&s->slots, sorted[i].slot);
        if (m->fn)
            continue;
        char size[WEFT_UNIT_TEXT_MAX], when[WEFT_UNIT_TEXT_MAX], text[256];
        snprintf(text, sizeof text, "h%u->h%u %s tag %" PRIu64 ": on its way, %s at %s", m->msg.src,
                 m->msg.dst, weft_format_size(m->msg.bytes, size), m->msg.tag,
                 m->on_way ? "comes to its next link" : "arrives",
                 weft_human_time(sorted[i].t_ps, when));
        fn(ctx, text);
        nlines++;
    }
    free(sorted);
    return s->inflight_msgs;
}

const struct weft_net_ops weft_ideal_ops = {
    .free = ideal_free,
    .now_ps = ideal_now_ps,
    .set_sink = ideal_set_sink,
    .send = ideal_send,
    .after = ideal_after,
    .change_links = ideal_change_links,
    .run = ideal_run,
    .stop = ideal_stop,
    .check = ideal_check,
    .totals = ideal_totals,
    .event_now = ideal_event_now,
    .port_stats = ideal_port_stats,
    .queue_bytes = ideal_queue_bytes,
    .explain = ideal_explain,
    .group = weft_ideal_group,
    .contribute = weft_ideal_contribute,
};
