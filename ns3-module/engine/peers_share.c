/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph and its routes, which all processes have alike, once on each machine: peers.h. */
#include "context.h"
#include "peers.h"

int peers_share(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_peers *link = &e->peers->link;
    const int rc = weft_fabric_share(e->fabric, link, err);
    return rc ? rc : weft_routes_share(e->routing.routes, link, err);
}

void peers_unread(const struct weft_engine *e)
{
    weft_fabric_unread(e->fabric);
    weft_routes_unread(e->routing.routes);
}
