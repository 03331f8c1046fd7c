/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of other transports: what ns-3's Internet stack sends through weft's devices.
 *
 * A frame is a packet like RoCE's: it waits in the queue of its priority at the NIC, where it takes
 * turns with the QPs of that priority, and at each switch, where it is admitted, scheduled, paused,
 * dropped and (ECN-capable) marked by the same code. Its content stays with the sender, under the
 * handle.
 *
 * Its flow has a record among the QPs for the path, see FRAME_PRIO. Frames keep to the hash of
 * their flow under every switch.balance.
 */
#include "core/control_config.h"
#include "switch/switch.h"
#include "core/context.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/executor.h"
#include "qp.h"
#include "switch/credit.h"

#include <string.h>

static int check_frame(const struct weft_engine *e, const struct weft_engine_frame *f,
                       uint32_t frame, struct weft_err *err)
{
    const uint32_t hosts = e->fabric->nhosts;
    const uint32_t roce = (uint32_t)(e->p.transport.mtu_bytes + profile_longest_header(&e->p));
    if (f->src_host >= hosts || f->dst_host >= hosts || f->src_host == f->dst_host)
        return weft_err_set(err, WEFT_E_INPUT,
                            "frame from host %u to host %u; the fabric has hosts 0 to %u, and a "
                            "frame goes to another host",
                            f->src_host, f->dst_host, hosts - 1);
    if (!e->hooks.frame_left || !e->hooks.frame_received || !e->hooks.frame_dropped)
        return weft_err_set(err, WEFT_E_INTERNAL, "frames need all three hooks of frames");
    if (f->prio >= WEFT_PRIOS)
        return weft_err_set(err, WEFT_E_INPUT, "frame priority %u; priorities are 0 to 7", f->prio);
    if (frame > UINT16_MAX || f->payload_bytes > f->bytes)
        return weft_err_set(err, WEFT_E_INPUT, "frame of %u bytes, %u of them payload; at most %u",
                            f->bytes, f->payload_bytes, UINT16_MAX);
    if (f->port != UINT32_MAX &&
        (f->port >= e->fabric->nports || e->ports[f->port].node != e->fabric->hosts[f->src_host]))
        return weft_err_set(err, WEFT_E_INPUT, "port %u is none of host %u", f->port, f->src_host);
    if (e->p.transport.ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause has no meaning where NICs queue frames of "
                            "other transports: they would ignore pauses too");
    if (e->credit.ports && (e->credit.prios >> f->prio & 1) && frame > credit_longest(e))
        return weft_err_set(
            err, WEFT_E_INPUT,
            "frame of %u bytes in priority %u, but credits are for frames of %u bytes: "
            "raise transport.mtu, or the mtu of the dimension",
            frame, f->prio, credit_longest(e));
    if ((e->mmu.lossless >> f->prio & 1) && !e->p.pfc.headroom_bytes && frame > roce)
        return weft_err_set(err, WEFT_E_INPUT,
                            "frame of %u bytes in lossless priority %u, whose headroom is computed "
                            "for frames of %u bytes: raise transport.mtu or set pfc.headroom",
                            frame, f->prio, roce);
    return 0;
}

/* Whether there is a path from the far end of @p port. */
static bool leads(const struct weft_engine *e, uint32_t port, uint32_t dst_host)
{
    const uint32_t node = e->ports[e->ends[port].peer].node;
    if (node == e->fabric->hosts[dst_host])
        return true;
    return weft_fabric_forwards(e->fabric, node) &&
           weft_routes_lookup(e->routing.routes, node, dst_host).n;
}

/* The first frame: from now on NICs take turns and ECN-capable frames are looked at. */
static void prepare(struct weft_engine *e)
{
    if (e->path.frames)
        return;
    e->path.frames = e->nics.turns = true;
    *(e->p.ecn.at_enqueue ? &e->path.on_enqueue : &e->path.on_dequeue) |= QUEUE_MARK_FRAMES;
    e->path.no_cut_through |= e->path.on_enqueue & QUEUE_MARK_FRAMES;
    windows_choose(e);
}

int weft_engine_send_frame(struct weft_engine *e, const struct weft_engine_frame *f,
                           struct weft_err *err)
{
    const uint64_t least = e->p.transport.min_frame_bytes;
    const uint32_t frame = f->bytes < least ? (uint32_t)least : f->bytes;
    int rc = check_frame(e, f, frame, err);
    if (rc)
        return rc;
    posts_flush(e);
    prepare(e);
    const uint32_t qi = qp_of_frames(e, f->src_host, f->dst_host, f->flow, err);
    if (qi == NIL)
        return err ? err->code : WEFT_E_LIMIT;
    struct qp *q = qp_at(e, qi);
    const uint32_t port = f->port == UINT32_MAX ? q->ack_port : f->port;
    bool lost = e->ports[port].down;
    if (port != q->ack_port) {
        const bool leads_there = leads(e, port, f->dst_host);
        if (!leads_there && !e->links.ndown)
            return weft_err_set(err, WEFT_E_INPUT, "no path leads from port %u to host %u", port,
                                f->dst_host);
        lost |= !leads_there;
        memset(q->path, 0, sizeof q->path); /* is not this one: each switch looks it up */
    }
    const uint32_t i = pkt_new(e, WEFT_PKT_FRAME);
    if (i == NIL)
        return weft_err_set(err, e->err.code, "%s", e->err.msg);
    struct pkt *k = pkt_at(e, i);
    k->qp = qi;
    k->sent_ps = e->now;
    k->handle = f->handle;
    k->dst_host = f->dst_host;
    k->frame = (uint16_t)frame;
    k->payload = (uint16_t)f->payload_bytes;
    k->prio = (uint8_t)f->prio;
    k->flags = f->ect ? PKT_ECT : 0;
    e->own[e->ports[port].node].made += k->payload;
    if (lost)
        pkt_drop(e, i, port, WEFT_DROP_LINK);
    else
        e->port_ops.enqueue(e, port, i);
    return 0;
}
