/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes as they happen (struct weft_net_changes): the engine's hooks, for every listener that
 * asked for them.
 */
#include "packet_net.h"

#include <stdlib.h>

/* Of the listeners, those that have a function. */
#define EACH_WITH(n, c, member)                                                                    \
    for (const struct weft_net_changes *c = (n)->changes; c < (n)->changes + (n)->nchanges; c++)   \
        if (c->member)

/* Whether any has it. */
#define ANY_WITH(n, member)                                                                        \
    EACH_WITH(n, c, member)                                                                        \
    return true;                                                                                   \
    return false

bool weft_packet_reports_held(const struct packet_net *n)
{
    ANY_WITH(n, held);
}

bool weft_packet_reports_windows(const struct packet_net *n)
{
    ANY_WITH(n, connection);
}

static bool reports_queues(const struct packet_net *n)
{
    EACH_WITH(n, c, queue)
    return true;
    ANY_WITH(n, buffer);
}

static bool reports_qps(const struct packet_net *n)
{
    ANY_WITH(n, qp);
}

void weft_packet_report_held(const struct packet_net *n, int64_t t_ps, uint32_t port, uint32_t prio,
                             bool on)
{
    EACH_WITH(n, c, held)
    c->held(c->ctx, t_ps, port, prio, on);
}

void weft_packet_report_window(const struct packet_net *n, int64_t t_ps,
                               const struct weft_net_connection *connection)
{
    EACH_WITH(n, c, connection)
    c->connection(c->qp_ctx, t_ps, connection);
}

static void on_queue(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, uint64_t bytes)
{
    struct packet_net *n = (struct packet_net *)ctx;
    const uint32_t node = n->fabric->ports[port].node;
    struct weft_buffer_state now;
    EACH_WITH(n, c, queue)
    c->queue(c->ctx, t_ps, port, prio, bytes);
    EACH_WITH(n, c, buffer)
    {
        if (!c->nodes[node])
            continue;
        weft_engine_buffer_state(n->simulation->engine(n->simulation), node, &now);
        c->buffer(c->ctx, t_ps, node, &now);
    }
}

static void on_credit(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, int out)
{
    weft_packet_report_held((const struct packet_net *)ctx, t_ps, port, prio, out != 0);
}

bool weft_packet_qp_now(const struct packet_net *n, uint32_t qpn, struct weft_net_qp *qp,
                        double *observed)
{
    struct weft_engine *e = n->simulation->engine(n->simulation);
    if (!weft_engine_qp_state(e, qpn, &qp->state))
        return false;
    if (n->roce_ids && qp->state.msg != UINT64_MAX)
        qp->state.msg = n->roce_ids[qp->state.msg];
    qp->control = weft_engine_qp_control(e, qpn);
    weft_engine_observe(e, qpn, observed);
    qp->observed = observed;
    return true;
}

static void on_qp(void *ctx, int64_t t_ps, enum weft_qp_event what,
                  const struct weft_engine_qp_view *qp, const struct weft_engine_pkt_view *pkt)
{
    const struct packet_net *n = (const struct packet_net *)ctx;
    double observed[WEFT_CC_OBSERVABLES_MAX];
    struct weft_net_qp now;
    if (!weft_packet_qp_now(n, qp->qpn, &now, observed))
        return;
    EACH_WITH(n, c, qp)
    c->qp(c->qp_ctx, t_ps, &now);
}

/* ---- packets ---- */

/* Tells of a packet; those that are neither RoCE's nor PFC's are left out. */
static void report_packet(const struct packet_net *n, int64_t t_ps, uint32_t port,
                          enum weft_net_packet_event what, const struct weft_engine_pkt_view *pkt)
{
    const bool link_only = pkt->kind == WEFT_PKT_PFC;
    struct weft_qp_state qp = {0};
    static const bool others[WEFT_PKT_KINDS] = {
        [WEFT_PKT_FRAME] = true, [WEFT_PKT_CREDIT] = true,  [WEFT_PKT_REQUEST] = true,
        [WEFT_PKT_GRANT] = true, [WEFT_PKT_WARNING] = true, [WEFT_PKT_SUM] = true};
    if (others[pkt->kind])
        return;
    if (!link_only)
        weft_engine_qp_state(n->simulation->engine(n->simulation), pkt->qpn, &qp);
    const bool stamped = pkt->telemetry == WEFT_TELEMETRY_TIME && pkt->telemetry_bytes;
    const struct weft_net_packet reported = {.t_ps = t_ps,
                                             .port = port,
                                             .what = what,
                                             .kind = pkt->kind,
                                             .src = pkt->src_host,
                                             .dst = pkt->dst_host,
                                             .prio = pkt->prio,
                                             .qp = qp.number,
                                             .psn = pkt->psn,
                                             .frame_bytes = pkt->frame_bytes,
                                             .payload_bytes = pkt->payload_bytes,
                                             .stamp_ps = stamped ? pkt->sent_ps : 0,
                                             .marked = pkt->ce != 0,
                                             .notifies = pkt->cnp != 0,
                                             .pause = pkt->pause != 0};
    EACH_WITH(n, c, packet)
    if (c->ports[port])
        c->packet(c->ctx, &reported);
}

static bool reports_packets(const struct packet_net *n)
{
    ANY_WITH(n, packet);
}

static void on_packet(void *ctx, int64_t t_ps, uint32_t port, enum weft_pkt_event what,
                      const struct weft_engine_pkt_view *pkt)
{
    struct packet_net *n = (struct packet_net *)ctx;
    static const enum weft_net_packet_event events[] = {[WEFT_PKT_SENT] = WEFT_NET_PACKET_SENT,
                                                        [WEFT_PKT_ARRIVED] =
                                                            WEFT_NET_PACKET_RECEIVED,
                                                        [WEFT_PKT_QUEUED] = WEFT_NET_PACKET_QUEUED};
    if (n->capture && weft_capture_events(n->capture)[port] >> what & 1) {
        weft_capture_packet(n->capture, t_ps, port, what, pkt);
        n->captured++;
    }
    if (reports_packets(n))
        report_packet(n, t_ps, port, events[what], pkt);
}

static void on_drop(void *ctx, int64_t t_ps, uint32_t port, enum weft_drop_reason why,
                    const struct weft_engine_pkt_view *pkt)
{
    report_packet((const struct packet_net *)ctx, t_ps, port, WEFT_NET_PACKET_DROPPED, pkt);
}

int weft_packet_choose_events(struct packet_net *n, struct weft_err *err)
{
    const uint8_t all = 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED | 1 << WEFT_PKT_QUEUED;
    if (!n->packet_events && (n->capture || reports_packets(n))) {
        n->packet_events = (uint8_t *)calloc(n->fabric->nports, 1);
        if (!n->packet_events)
            return weft_err_no_memory(err, "a trace of packets");
    }
    for (uint32_t p = 0; n->capture && p < n->fabric->nports; p++)
        n->packet_events[p] |= weft_capture_events(n->capture)[p];
    EACH_WITH(n, c, packet)
    for (uint32_t p = 0; p < n->fabric->nports; p++)
        n->packet_events[p] |= c->ports[p] ? all : 0;
    return 0;
}

/* ---- all ---- */

void weft_packet_add_changes(const struct packet_net *n, struct weft_engine_hooks *hooks)
{
    hooks->queue = reports_queues(n) ? on_queue : NULL;
    hooks->credit = weft_packet_reports_held(n) ? on_credit : NULL;
    hooks->qp = reports_qps(n) ? on_qp : NULL;
    hooks->qp_events = hooks->qp ? 1u << WEFT_QP_RATE : 0;
    hooks->packet = n->packet_events ? on_packet : NULL;
    hooks->packet_events = n->packet_events;
    hooks->drop = reports_packets(n) ? on_drop : NULL;
    hooks->posted = n->capture ? weft_packet_on_posted : NULL;
}
