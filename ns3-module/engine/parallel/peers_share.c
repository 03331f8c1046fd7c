/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph and its routes, which all processes have alike, once on each machine: peers.h. */
#include "core/context.h"
#include "core/fail.h"
#include "peers.h"

void peers_share(struct weft_engine *e)
{
    const struct weft_peers *link = &e->peers->link;
    struct weft_err err = {0};
    if (weft_fabric_share(e->fabric, link, &err) ||
        weft_routes_share(e->routing.routes, link, &err))
        e->peers->failed = engine_fail(e, err.code, "%s", err.msg) != 0;
}

void peers_unread(const struct weft_engine *e)
{
    weft_fabric_unread(e->fabric);
    weft_routes_unread(e->routing.routes);
}
