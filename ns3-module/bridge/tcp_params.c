/* SPDX-License-Identifier: GPL-2.0-only */
/* What TCP's parameters come to, and whether they go together with those of the fabric. */
#include "tcp_params.h"

#include "base/units.h"

#include <inttypes.h>

const char *weft_tcp_variant_type_id(int variant)
{
#define WEFT_TCP_VARIANT(name, type) type,
    static const char *const types[] = {
#include "tcp_variants.def"

    };
#undef WEFT_TCP_VARIANT
    return types[variant];
}

int64_t weft_tcp_delayed_ack_ps(const struct weft_tcp_params *tcp)
{
    const int64_t linux_ps = 40 * WEFT_PS_PER_MS, most_ps = tcp->min_rto_ps / 4;
    if (tcp->delayed_ack_ps)
        return tcp->delayed_ack_ps;
    return linux_ps < most_ps ? linux_ps : most_ps;
}

/* WEFT_E_INPUT when a dimension has room for shorter frames than @p frame bytes only. */
static int check_dimensions(const struct weft_transport_params *transport, uint64_t frame,
                            const struct weft_fabric *fabric, struct weft_err *err)
{
    for (uint32_t d = 0; d < fabric->ndims; d++) {
        const struct weft_dim_settings *set = &fabric->dims[d].set;
        const uint64_t payload = set->mtu_bytes ? set->mtu_bytes : transport->mtu_bytes;
        const uint64_t most = payload + transport->header_bytes;
        if (frame <= most || (!set->mtu_bytes && set->flow_control != WEFT_FLOW_CREDIT))
            continue;
        return weft_err_set(
            err, WEFT_E_INPUT,
            "frames of tcp.mtu have %" PRIu64 " bytes, dimension %u (%s) takes %" PRIu64 " at "
            "most: lower tcp.mtu to %" PRIu64 "B, or raise its mtu",
            frame, d, fabric->dims[d].kind, most, (most - WEFT_TCP_FRAME_OVERHEAD_BYTES));
    }
    return 0;
}

int weft_tcp_check_params(const struct weft_packet_transport *transport,
                          const struct weft_tcp_params *tcp, const struct weft_pfc_params *pfc,
                          const struct weft_fabric *fabric, struct weft_err *err)
{
    const struct weft_transport_params *roce = &transport->roce;
    if (transport->type != WEFT_TRANSPORT_TCP && tcp->prios == 0)
        return 0;
    if (roce->ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause has no meaning with TCP, whose packets at "
                            "the NIC would ignore pauses too");
    const uint64_t used = transport->type == WEFT_TRANSPORT_TCP ? 1u << tcp->prio : tcp->prios;
    const uint64_t frame = tcp->mtu_bytes + WEFT_TCP_FRAME_OVERHEAD_BYTES;
    if (pfc->enabled && (pfc->prios & used) && !pfc->headroom_bytes &&
        frame > roce->mtu_bytes + roce->header_bytes)
        return weft_err_set(err, WEFT_E_INPUT,
                            "frames of tcp.mtu have %" PRIu64
                            " bytes, but the headroom of lossless "
                            "priorities is computed for those of transport.mtu: raise that, or set "
                            "pfc.headroom",
                            frame);
    if (tcp->ack_every > 1 && weft_tcp_delayed_ack_ps(tcp) >= tcp->min_rto_ps)
        return weft_err_set(err, WEFT_E_INPUT,
                            "tcp.delayed-ack must be less than tcp.min-rto, or single segments "
                            "would be sent again before their ACK is due");
    const uint64_t segment = tcp->mtu_bytes - WEFT_TCP_HEADER_BYTES;
    if (tcp->receive_buffer_bytes < segment)
        return weft_err_set(err, WEFT_E_INPUT,
                            "tcp.receive-buffer must hold a segment of tcp.mtu, which has %" PRIu64
                            " bytes: a sender waits for room for a whole one, for ever",
                            segment);
    return check_dimensions(roce, frame, fabric, err);
}
