/* SPDX-License-Identifier: GPL-2.0-only */
/* The least time that messages of a QP can take. */
#include "core/context.h"
#include "core/frame_size.h"
#include "balance/ideal.h"
#include "qp.h"

int64_t qp_ideal_ps(struct weft_engine *e, struct qp *q, uint64_t bytes,
                    struct weft_engine_mark since)
{
    const bool lasting = since.rates == e->ideal.now.rates && since.routes == e->ideal.now.routes;
    if (lasting && q->ideal_ps && q->ideal_bytes == bytes)
        return q->ideal_ps;
    const uint64_t mtu = q->kind->env.mtu_bytes, gap = e->p.transport.gap_bytes;
    const uint64_t n = bytes ? (bytes - 1) / mtu + 1 : 1;
    const struct journey j = {.q = q,
                              .forward = 1,
                              .src_host = q->src_host,
                              .dst_host = q->dst_host,
                              .since = since,
                              .npkts = n,
                              .full = data_frame(q, mtu) + gap,
                              .tail = data_frame(q, bytes - (n - 1) * mtu) + gap};
    const int64_t ps = ideal_ps(e, &j);
    if (lasting && bytes <= UINT32_MAX) {
        q->ideal_ps = ps;
        q->ideal_bytes = (uint32_t)bytes;
    }
    return ps;
}
