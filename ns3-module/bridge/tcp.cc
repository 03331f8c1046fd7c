/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See tcp.h.
 */
#include "tcp.h"

#include "guard.h"
#include "simulation_fabric.h"
#include "tcp_messages.h"

#include "ns3/simulator.h"

#include <memory>

/** What C holds. */
struct weft_tcp {
    weft::TcpMessages messages; //!< The messages.
};

int weft_tcp_new(weft_simulation *s, const weft_packet_transport *transport,
                 const weft_tcp_params *params, uint64_t seed, const weft_tcp_listener *listener,
                 weft_tcp **out, weft_err *err)
{
    return weft::Guard(err, [&] {
        weft::TcpMessages::Listener told;
        told.received = [l = *listener](const weft_completion &d) { l.received(l.ctx, &d); };
        told.acked = [l = *listener](const weft_completion &d) { l.acked(l.ctx, &d); };
        told.failed = [l = *listener](const weft_err &e) {
            l.failed(l.ctx, &e);
            ns3::Simulator::Stop();
        };
        if (listener->window) {
            told.window = [l = *listener](const weft_net_connection &c) {
                l.window(l.ctx, ns3::WeftPs(ns3::Simulator::Now()), &c);
            };
        }
        *out = new weft_tcp{{weft::FabricOf(s), *transport, *params, seed, told}};
        return 0;
    });
}

void weft_tcp_free(weft_tcp *t)
{
    weft::Guard(nullptr, [&] {
        delete t;
        return 0;
    });
}

int weft_tcp_send(weft_tcp *t, uint64_t id, const weft_msg *msg, weft_err *err)
{
    return weft::Guard(err, [&] { return t->messages.Send(id, *msg, err); });
}

void weft_tcp_add_totals(const weft_tcp *t, weft_totals *totals)
{
    const weft::TcpTotals c = t->messages.GetTotals();
    totals->msgs_posted += c.posted;
    totals->msgs_received += c.received;
    totals->msgs_acked += c.acked;
    totals->bytes_posted += c.bytesPosted;
    totals->bytes_received += c.bytesReceived;
    totals->sent[WEFT_PKT_DATA] += c.sums.segments;
    totals->sent[WEFT_PKT_ACK] += c.sums.acks;
    totals->sent[WEFT_PKT_CNP] += c.sums.ecnEchoes;
    totals->retx_packets += c.sums.retxPackets;
    totals->rtos += c.sums.timeouts;
}

void weft_tcp_connections(const weft_tcp *t, weft_net_connection_fn fn, void *ctx)
{
    t->messages.EachConnection([&](const weft_net_connection &c) { fn(ctx, &c); });
}

uint64_t weft_tcp_arrived_bytes(const weft_tcp *t)
{
    return t->messages.GetArrivedBytes();
}

uint64_t weft_tcp_explain(const weft_tcp *t, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    return t->messages.Explain(max, [&](const char *sentence) { fn(ctx, sentence); });
}

weft_motion weft_tcp_motion(weft_tcp *t, int64_t atPs, int64_t afterPs)
{
    return t->messages.Motion(atPs, afterPs);
}

uint64_t weft_tcp_explain_stuck(const weft_tcp *t, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    return t->messages.ExplainStuck(max, [&](const char *text) { fn(ctx, text); });
}
