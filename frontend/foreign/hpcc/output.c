/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of HPCC's outputs. */
#include "foreign/hpcc/output.h"

#include "base/units.h"
#include "foreign/hpcc/pairs.h"
#include "report/place.h"

#include <inttypes.h>
#include <string.h>

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

int weft_hpcc_output_name(const struct weft_hpcc_config *c, const char *const *keys,
                          const char *const *names, int i, struct weft_err *err)
{
    const char *name = names[i];
    if (!name[0] || name[0] == '.')
        weft_err_set(err, WEFT_E_INPUT, "must end in the name of a file, not '%s'", name);
    else if (weft_place_takes(name))
        weft_err_set(err, WEFT_E_INPUT,
                     "weft itself writes a '%s' into the run folder: choose another name", name);
    for (int k = 0; k < i && !err->code; k++)
        if (names[k] && strcmp(names[k], name) == 0)
            weft_err_set(err, WEFT_E_INPUT,
                         "%s has the same name, '%s', and both lie in the run folder", keys[k],
                         name);
    if (!err->code)
        return 0;
    weft_err_prepend(err, "%s", keys[i]);
    return weft_err_locate(err, c->file, 0, 0);
}
