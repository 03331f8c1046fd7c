/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The nets of the packet backend (net/net.h). transport.type and the priority of a message
 * (tcp.prios) decide what carries it. Both carriers number their messages from 0; a net that uses
 * both has numbers of its own, in the order posted.
 */
#include "packet_net.h"

#include "ns3_part.h"

#include "base/grow.h"

#include <stdlib.h>

/* Whether Ultra Ethernet carries what has this priority beside the transport of the run. */
static bool by_uet_beside(const struct packet_net *n, uint32_t prio)
{
    const uint64_t p = prio == WEFT_PRIO_DEFAULT ? n->transport.roce.data_prio : prio;
    return p < WEFT_PRIOS && (n->uet_prios >> p & 1);
}

/* ---- errors ---- */

static void on_failed(void *ctx, const struct weft_err *err)
{
    struct packet_net *n = (struct packet_net *)ctx;
    n->error = *err;
}

/* A net that has failed does nothing more. */
static inline int refuses(const struct packet_net *n, struct weft_err *err)
{
    if (n->error.code)
        *err = n->error;
    return n->error.code;
}

/* Remembers that there was no memory. */
static inline int remember(struct packet_net *n, int rc, const struct weft_err *err)
{
    if (rc == WEFT_E_LIMIT && !n->error.code)
        n->error = *err;
    return rc;
}

/* ---- life ---- */

static void packet_free(struct weft_net *net)
{
    struct packet_net *n = weft_packet_net_of(net);
    /* ns-3's TCP asks for memory while it is taken down, in destructors, where a failure ends the
     * program: without memory it stays, and takes the place of another net. */
    if (n->error.code == WEFT_E_LIMIT && weft_packet_uses_tcp(n))
        return;
    if (n->tcp)
        n->tcp->ops->free(n->tcp);
    if (n->simulation)
        n->simulation->net.ops->free(&n->simulation->net);
    weft_capture_free(n->capture);
    free(n->roce_ids);
    free(n->packet_events);
    free(n);
}

static void packet_set_sink(struct weft_net *net, const struct weft_net_sink *sink)
{
    struct packet_net *n = weft_packet_net_of(net);
    n->sink = *sink;
    struct weft_err err = {0};
    if (weft_packet_set_hooks(n, &err) && !n->error.code)
        n->error = err;
}

/* ---- messages ---- */

/* Beside TCP: the number of the message that the engine is given next, which it may report before
 * it has taken it. */
static inline int reserve_id(struct packet_net *n, struct weft_err *err)
{
    if (!weft_packet_uses_tcp(n))
        return 0;
    if (!WEFT_GROW(n->roce_ids, n->nroce, &n->roce_cap))
        return weft_err_no_memory(err, "the numbers of messages");
    n->roce_ids[n->nroce] = n->posted;
    return 0;
}

/* The engine has taken it. */
static inline void note_id(struct packet_net *n)
{
    if (weft_packet_uses_tcp(n)) {
        n->nroce++;
        n->posted++;
    }
}

int weft_tcp_new(struct weft_simulation *s, const struct weft_packet_transport *transport,
                 const struct weft_tcp_params *params, uint64_t seed,
                 const struct weft_tcp_listener *listener, struct weft_tcp **out,
                 struct weft_err *err)
{
    const struct weft_ns3_part *ns3;
    const int rc = weft_ns3_part_get(&ns3, err);
    return rc ? rc : ns3->tcp_new(s, transport, params, seed, listener, out, err);
}

static void on_window(void *ctx, int64_t t_ps, const struct weft_net_connection *c)
{
    weft_packet_report_window((const struct packet_net *)ctx, t_ps, c);
}

static int send_by_tcp(struct packet_net *n, const struct weft_msg *msg, struct weft_err *err)
{
    const struct weft_tcp_listener listener = {n, weft_packet_on_received, weft_packet_on_acked,
                                               on_failed,
                                               weft_packet_reports_windows(n) ? on_window : NULL};
    struct weft_msg own = *msg;
    int rc = 0;
    if (!n->tcp)
        rc = weft_tcp_new(n->simulation, &n->transport, &n->tcp_params, n->seed, &listener, &n->tcp,
                          err);
    if (msg->prio == WEFT_PRIO_DEFAULT)
        own.prio = (uint32_t)(weft_packet_all_by_tcp(n) ? n->tcp_params.prio
                                                        : n->transport.roce.data_prio);
    if (!rc)
        rc = n->tcp->ops->send(n->tcp, n->posted, &own, err);
    n->posted += rc == 0;
    return rc;
}

static int packet_send(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err)
{
    struct packet_net *n = weft_packet_net_of(net);
    if (refuses(n, err))
        return n->error.code;
    if (weft_packet_by_tcp(n, msg->prio))
        return remember(n, send_by_tcp(n, msg, err), err);
    struct weft_net *by = &n->simulation->net;
    int rc = reserve_id(n, err);
    if (!rc)
        rc = by->ops->send(by, msg, err);
    if (!rc)
        note_id(n);
    return remember(n, rc, err);
}

static int packet_group(struct weft_net *net, const uint32_t *hosts, uint32_t count, uint32_t prio,
                        uint32_t *id, struct weft_err *err)
{
    const struct packet_net *n = weft_packet_net_of(net);
    if (weft_packet_by_tcp(n, prio))
        return weft_err_set(err, WEFT_E_INPUT,
                            "switches add up and copy RoCE's packets, but their priority is TCP's: "
                            "choose another algorithm than in-network, or RoCE (transport.type, "
                            "tcp.prios)");
    if (by_uet_beside(n, prio))
        return weft_err_set(err, WEFT_E_INPUT,
                            "switches add up and copy RoCE's packets, but their priority is one of "
                            "uet.prios: choose another algorithm than in-network, or a class of "
                            "RoCE's");
    struct weft_net *by = &n->simulation->net;
    return by->ops->group(by, hosts, count, prio, id, err);
}

static int packet_contribute(struct weft_net *net, const struct weft_part *part,
                             struct weft_err *err)
{
    struct packet_net *n = weft_packet_net_of(net);
    struct weft_net *by = &n->simulation->net;
    if (refuses(n, err))
        return n->error.code;
    int rc = reserve_id(n, err);
    if (!rc)
        rc = by->ops->contribute(by, part, err);
    if (!rc)
        note_id(n);
    return rc;
}

/* ---- the run ---- */

static int64_t packet_now_ps(const struct weft_net *net)
{
    return weft_engine_now(((const struct packet_net *)net)->simulation->own_engine);
}

static int packet_after(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                        void *ctx, uint64_t arg, struct weft_err *err)
{
    const struct packet_net *n = weft_packet_net_of(net);
    struct weft_net *by = &n->simulation->net;
    return refuses(n, err) ? n->error.code : by->ops->after(by, delay_ps, fn, ctx, arg, err);
}

static int packet_plan(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg, struct weft_err *err)
{
    const struct packet_net *n = weft_packet_net_of(net);
    struct weft_net *by = &n->simulation->net;
    return refuses(n, err) ? n->error.code : by->ops->plan(by, delay_ps, fn, ctx, arg, err);
}

static int packet_change_links(struct weft_net *net, struct weft_link_change *changes, size_t count,
                               struct weft_err *err)
{
    const struct packet_net *n = weft_packet_net_of(net);
    struct weft_net *by = &n->simulation->net;
    return refuses(n, err) ? n->error.code : by->ops->change_links(by, changes, count, err);
}

static int packet_run(struct weft_net *net, int64_t until_ps, struct weft_err *err)
{
    struct packet_net *n = weft_packet_net_of(net);
    struct weft_net *by = &n->simulation->net;
    int rc = 0;
    if (!n->error.code)
        rc = by->ops->run(by, until_ps, err);
    if (!rc)
        rc = refuses(n, err);
    if (!rc)
        weft_simulation_reach(n->simulation, until_ps, net->stays);
    if (!rc && n->capture)
        rc = weft_capture_flush(n->capture, err);
    else if (!rc && n->simulation->flush_captures)
        rc = n->simulation->flush_captures(n->simulation, err);
    return remember(n, rc, err);
}

static void packet_stop(struct weft_net *net)
{
    struct weft_net *by = &weft_packet_net_of(net)->simulation->net;
    by->ops->stop(by);
}

static void packet_event_now(const struct weft_net *net, struct weft_event_now *out)
{
    weft_engine_event_now(((const struct packet_net *)net)->simulation->own_engine, out);
}

static int packet_memo_set(struct weft_net *net, const void *data, size_t size,
                           struct weft_err *err)
{
    return weft_engine_memo_set(((struct packet_net *)net)->simulation->own_engine, data, size,
                                err);
}

static int packet_memo_get(struct weft_net *net, size_t most, void **data, size_t *size,
                           struct weft_err *err)
{
    return weft_engine_memo_get(((struct packet_net *)net)->simulation->own_engine, most, data,
                                size, err);
}

static const struct weft_net_ops packet_ops = {
    .free = packet_free,
    .now_ps = packet_now_ps,
    .set_sink = packet_set_sink,
    .send = packet_send,
    .after = packet_after,
    .plan = packet_plan,
    .change_links = packet_change_links,
    .run = packet_run,
    .stop = packet_stop,
    .check = weft_packet_check,
    .totals = weft_packet_totals,
    .events = weft_packet_events,
    .event_now = packet_event_now,
    .replay = weft_packet_replay,
    .memo_set = packet_memo_set,
    .memo_get = packet_memo_get,
    .port_stats = weft_packet_port_stats,
    .queue_bytes = weft_packet_queue_bytes,
    .explain = weft_packet_explain,
    .memory = weft_packet_memory,
    .threads = weft_packet_threads,
    .group = packet_group,
    .contribute = packet_contribute,
    .connections = weft_packet_connections,
    .stuck = weft_packet_stuck,
    .explain_stuck = weft_packet_explain_stuck,
    .victims = weft_packet_victims,
    .arrived_bytes = weft_packet_arrived_bytes,
    .state = &weft_packet_state_ops,
};

/* Several processes are to simulate the net; an error frees it. */
static int share_out(struct packet_net *n, const struct weft_net_config *config,
                     struct weft_net **out, struct weft_err *err)
{
    struct weft_engine *e = n->simulation->engine(n->simulation);
    int rc = 0;
    if (weft_packet_uses_tcp(n))
        rc = weft_err_set(err, WEFT_E_ALONE, "ns-3's TCP is of one process");
    if (!rc)
        rc = weft_engine_set_peers(e, config->peers, err);
    if (rc) {
        packet_free(&n->net);
        *out = NULL;
    }
    return rc;
}

int weft_packet_net_new(const struct weft_net_config *config, struct weft_net **out,
                        struct weft_err *err)
{
    const struct weft_packet_params *params = (const struct weft_packet_params *)config->params;
    struct packet_net *n = (struct packet_net *)calloc(1, sizeof *n);
    if (!n)
        return weft_err_no_memory(err, "a net");
    n->net.ops = &packet_ops;
    n->transport = params->transport;
    n->tcp_params = params->tcp;
    n->uet_prios = params->uet.prios;
    n->seed = config->seed;
    n->observer = config->observer;
    n->fabric = config->fabric;
    n->is_shared = config->peers && !config->dry;
    int rc = 0;
    if (params->capture.links[0] && !config->dry && !weft_simulation_needs_ns3(params))
        rc = weft_packet_open_captures(n, config, err);
    rc = rc ? rc : weft_packet_choose_events(n, err);
    const struct weft_engine_hooks hooks = weft_packet_hooks(n);
    const struct weft_simulation_owner owner = {n, on_failed};
    rc = rc ? rc : weft_simulation_new(config, &hooks, &owner, &n->simulation, err);
    if (rc) {
        packet_free(&n->net);
        return rc;
    }
    *out = &n->net;
    return n->is_shared ? share_out(n, config, out, err) : 0;
}
