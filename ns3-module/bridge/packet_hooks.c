/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's hooks of a net: of its sink and its observer here, of who listens to changes in
 * packet_changes.c.
 */
#include "packet_net.h"

void weft_packet_on_received(void *ctx, const struct weft_completion *done)
{
    struct packet_net *n = (struct packet_net *)ctx;
    if (n->sink.received)
        n->sink.received(n->sink.ctx, done);
}

void weft_packet_on_acked(void *ctx, const struct weft_completion *done)
{
    struct packet_net *n = (struct packet_net *)ctx;
    if (n->observer.flow) {
        struct weft_completion flow = *done;
        if (n->roce_ids && !weft_packet_by_tcp(n, done->msg.prio))
            flow.id = n->roce_ids[done->id];
        n->observer.flow(n->observer.ctx, &flow);
    }
    if (n->sink.sent)
        n->sink.sent(n->sink.ctx, done);
}

static void on_pfc(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, int pause)
{
    struct packet_net *n = (struct packet_net *)ctx;
    const struct weft_net_pfc pfc = {t_ps, port, prio, pause};
    if (n->observer.pfc)
        n->observer.pfc(n->observer.ctx, &pfc);
    weft_packet_report_held(n, t_ps, port, prio, pause != 0);
}

struct weft_engine_hooks weft_packet_hooks(struct packet_net *n)
{
    struct weft_engine_hooks hooks = {
        .ctx = n,
        .received = n->sink.received ? weft_packet_on_received : NULL,
        .acked = n->sink.sent || n->observer.flow ? weft_packet_on_acked : NULL,
        .pfc = n->observer.pfc || weft_packet_reports_held(n) ? on_pfc : NULL,
        .pfc_late = 1, /* it is only written down */
        .concurrency = n->sink.concurrency,
    };
    weft_packet_add_changes(n, &hooks);
    return hooks;
}

int weft_packet_set_hooks(struct packet_net *n, struct weft_err *err)
{
    const struct weft_engine_hooks hooks = weft_packet_hooks(n);
    return n->simulation->set_hooks(n->simulation, &hooks, err);
}

int weft_packet_note_changes(struct weft_net *net, const struct weft_net_changes *changes,
                             struct weft_err *err)
{
    struct packet_net *n = weft_packet_net_of(net);
    if (n->nchanges == WEFT_NET_LISTENERS)
        return weft_err_set(err, WEFT_E_INTERNAL, "more than %d listen to changes of a net",
                            WEFT_NET_LISTENERS);
    n->changes[n->nchanges++] = *changes;
    const int rc = weft_packet_choose_events(n, err);
    return rc ? rc : weft_packet_set_hooks(n, err);
}
