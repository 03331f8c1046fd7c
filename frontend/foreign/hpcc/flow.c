/* SPDX-License-Identifier: GPL-2.0-only */
/* Flow lists against the topology that they are for. */
#include "foreign/hpcc/flow.h"

static int check_end(const struct weft_hpcc_flows *l, const struct weft_hpcc_flow *w,
                     const struct weft_fabric *f, uint32_t node, const char *what,
                     struct weft_err *err)
{
    if (node >= f->nnodes)
        return weft_err_at(err, WEFT_E_INPUT, l->file, w->line, 0,
                           "the %s of the flow is node %u, but the topology has nodes 0 to %u",
                           what, node, f->nnodes - 1);
    if (f->nodes[node].kind != WEFT_NODE_HOST)
        return weft_err_at(err, WEFT_E_INPUT, l->file, w->line, 0,
                           "the %s of the flow is node %u, which is a switch", what, node);
    return 0;
}

int weft_hpcc_flows_check(const struct weft_hpcc_flows *l, const struct weft_fabric *f,
                          struct weft_err *err)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct weft_hpcc_flow *w = &l->list[i];
        int rc = check_end(l, w, f, w->src, "source", err);
        if (!rc)
            rc = check_end(l, w, f, w->dst, "destination", err);
        if (rc)
            return rc;
    }
    return 0;
}
