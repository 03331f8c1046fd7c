/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of things in what users read. */
#include "names.h"
#include "context.h"

#include <stdio.h>

const char *weft_drop_reason_name(enum weft_drop_reason reason)
{
    static const char *const names[WEFT_DROP_REASONS] = {"buffer", "headroom", "link-error",
                                                         "link-down"};
    return (unsigned)reason < WEFT_DROP_REASONS ? names[reason] : "?";
}

const char *weft_pkt_kind_name(enum weft_pkt_kind kind)
{
    static const char *const names[WEFT_PKT_KINDS] = {"data", "request", "ack",     "nack",
                                                      "cnp",  "grant",   "warning", "frame",
                                                      "pfc",  "credit",  "sum"};
    return (unsigned)kind < WEFT_PKT_KINDS ? names[kind] : "?";
}

const char *port_name(const struct weft_engine *e, uint32_t port, char buf[PORT_NAME_MAX])
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    snprintf(buf, PORT_NAME_MAX, "%s->%s",
             weft_fabric_node_name(e->fabric, e->fabric->ports[port].node, a),
             weft_fabric_node_name(e->fabric, far_node(e, port), b));
    return buf;
}
