/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of HPCC's outputs. */
#include "hpcc/output.h"

#include "base/units.h"
#include "hpcc/pairs.h"

#include <inttypes.h>

uint32_t weft_hpcc_ip(uint32_t node)
{
    return UINT32_C(0x0b000001) + ((node / 256) << 16) + ((node % 256) << 8);
}

void weft_hpcc_fct_line(struct weft_rows *out, enum weft_hpcc_flow_format format,
                        const struct weft_hpcc_flow *w, int64_t start_ps, int64_t fct_ps,
                        uint64_t payload_bytes)
{
    if (format == WEFT_HPCC_FLOW_CONWEAVE)
        weft_rows_printf(out, "%u %u", w->src, w->dst);
    else
        weft_rows_printf(out, "%08x %08x", weft_hpcc_ip(w->src), weft_hpcc_ip(w->dst));
    weft_rows_printf(out, " %u %u %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", w->sport,
                     w->dport, w->bytes, start_ps / WEFT_PS_PER_NS, fct_ps / WEFT_PS_PER_NS,
                     weft_hpcc_standalone_ns(w, payload_bytes));
    weft_rows_end(out, NULL);
}

void weft_hpcc_pfc_line(struct weft_rows *out, const struct weft_fabric *f,
                        const struct weft_net_pfc *w)
{
    uint32_t node = f->ports[w->port].node;
    weft_rows_printf(out, "%" PRId64 " %u %d %u %d\n", w->t_ps / WEFT_PS_PER_NS, node,
                     f->nodes[node].kind == WEFT_NODE_SWITCH,
                     w->port - f->nodes[node].first_port + 1, w->pause != 0);
    weft_rows_end(out, NULL);
}
