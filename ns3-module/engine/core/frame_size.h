/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of packets, with headers and padding. */
#ifndef WEFT_ENGINE_FRAME_SIZE_H
#define WEFT_ENGINE_FRAME_SIZE_H

#include "context.h"

/** Frame bytes of a packet with @p payload bytes and @p stamps bytes of signals: padded, with
 * headers, at least the minimum frame. */
static inline uint32_t payload_frame(const struct weft_transport_params *t, uint64_t payload,
                                     uint64_t stamps)
{
    uint64_t pad = t->pad_bytes;
    uint64_t body = pad == 4 ? (payload + 3) & ~UINT64_C(3) : (payload + pad - 1) / pad * pad;
    uint64_t f = body + t->header_bytes + stamps;
    return (uint32_t)(f < t->min_frame_bytes ? t->min_frame_bytes : f);
}
/** Frame bytes of a data packet of @p q with @p payload bytes. */
static inline uint32_t data_frame(const struct qp *q, uint64_t payload)
{
    const struct qp_kind *k = q->kind;
    if (__builtin_expect(payload == k->env.mtu_bytes, 1))
        return k->full_frame;
    return payload_frame(&k->profile->t, payload, k->control->signals.data_bytes);
}
/** Frame bytes of an ACK. */
static inline uint32_t ack_frame(const struct qp *q)
{
    return q->kind->ack_frame;
}
/** Frame bytes of a NACK. */
static inline uint32_t nack_frame(const struct qp *q)
{
    const struct weft_transport_params *t = &profile_of(q)->t;
    if (!t->nack_bytes)
        return ack_frame(q);
    const uint64_t f = t->nack_bytes + q->kind->control->signals.ack_bytes;
    return (uint32_t)(f < t->min_frame_bytes ? t->min_frame_bytes : f);
}
static inline uint32_t cnp_frame(const struct weft_engine *e)
{
    uint64_t f = e->p.transport.cnp_bytes;
    return (uint32_t)(f < e->p.transport.min_frame_bytes ? e->p.transport.min_frame_bytes : f);
}

#endif
