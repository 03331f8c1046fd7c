/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See tcp.h and ns3_part_internal.h.
 */
#include "tcp.h"

#include "guard.h"
#include "ns3_part_internal.h"
#include "simulation_fabric.h"
#include "tcp_messages.h"

#include "ns3/simulator.h"

#include <memory>

namespace
{

/** What C holds. */
struct Tcp : weft_tcp {
    /**
     * Of whom @p t is the beginning.
     * @param t what C holds
     * @return the whole
     */
    static const Tcp &Of(const weft_tcp *t)
    {
        return *static_cast<const Tcp *>(t);
    }

    weft::TcpMessages messages; //!< The messages.
};

void Free(weft_tcp *t)
{
    if (weft::Reserve::IsAbandoned()) {
        return;
    }
    weft::Guard(nullptr, [&] {
        delete static_cast<Tcp *>(t);
        return 0;
    });
}

int Send(weft_tcp *t, uint64_t id, const weft_msg *msg, weft_err *err)
{
    return weft::Guard(err, [&] { return static_cast<Tcp *>(t)->messages.Send(id, *msg, err); });
}

void AddTotals(const weft_tcp *t, weft_totals *totals)
{
    const weft::TcpTotals c = Tcp::Of(t).messages.GetTotals();
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

void Connections(const weft_tcp *t, weft_net_connection_fn fn, void *ctx)
{
    Tcp::Of(t).messages.EachConnection([&](const weft_net_connection &c) { fn(ctx, &c); });
}

uint64_t ArrivedBytes(const weft_tcp *t)
{
    return Tcp::Of(t).messages.GetArrivedBytes();
}

uint64_t Explain(const weft_tcp *t, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    return Tcp::Of(t).messages.Explain(max, [&](const char *sentence) { fn(ctx, sentence); });
}

weft_motion Motion(weft_tcp *t, int64_t atPs, int64_t afterPs)
{
    return static_cast<Tcp *>(t)->messages.Motion(atPs, afterPs);
}

uint64_t ExplainStuck(const weft_tcp *t, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    return Tcp::Of(t).messages.ExplainStuck(max, [&](const char *text) { fn(ctx, text); });
}

const weft_tcp_ops g_ops = {Free,         Send,    AddTotals, Connections,
                            ArrivedBytes, Explain, Motion,    ExplainStuck};

} // namespace

int weft::NewTcp(weft_simulation *s, const weft_packet_transport *transport,
                 const weft_tcp_params *params, uint64_t seed, const weft_tcp_listener *listener,
                 weft_tcp **out, weft_err *err)
{
    return Guard(err, [&] {
        TcpMessages::Listener callbacks;
        callbacks.received = [l = *listener](const weft_completion &d) { l.received(l.ctx, &d); };
        callbacks.acked = [l = *listener](const weft_completion &d) { l.acked(l.ctx, &d); };
        callbacks.failed = [l = *listener](const weft_err &e) {
            l.failed(l.ctx, &e);
            ns3::Simulator::Stop();
        };
        if (listener->window) {
            callbacks.window = [l = *listener](const weft_net_connection &c) {
                l.window(l.ctx, ns3::WeftPs(ns3::Simulator::Now()), &c);
            };
        }
        *out = new Tcp{{&g_ops}, {FabricOf(s), *transport, *params, seed, callbacks}};
        return 0;
    });
}
