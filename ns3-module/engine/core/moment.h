/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment at which an engine is looked at from outside. */
#ifndef WEFT_ENGINE_MOMENT_H
#define WEFT_ENGINE_MOMENT_H

#include "context.h"
#include "extension.h"
#include "executor.h"
#include "events.h"

/** A port as those who look at it see it: with every transmission up to now made. */
static inline const struct port *moment_port(struct weft_engine *e, uint32_t port)
{
    posts_flush(e);
    extension_catch_up(e);
    windows_catch_up(e);
    port_catch_up(e, &e->ports[port], port);
    return &e->ports[port];
}

/** The moment up to which everything has happened: the end of what was run, where no event may lie.
 */
static inline int64_t moment_reached_ps(const struct weft_engine *e)
{
    return e->loop.due_ps - 1 > e->now ? e->loop.due_ps - 1 : e->now;
}

/** How long the packet on the wire still takes, which is counted as far as it has gone. */
static inline int64_t moment_yet_to_send(const struct weft_engine *e, const struct port *p)
{
    const int64_t now = moment_reached_ps(e);
    return p->down || p->busy_until_ps <= now ? 0 : p->busy_until_ps - now;
}

/** Bytes that a port has sent, as far as packets have been begun. */
static inline uint64_t moment_tx_bytes(const struct weft_engine *e, const struct port *p)
{
    return p->st.tx_bytes +
           (e->telemetry.unseen_bytes ? e->telemetry.unseen_bytes[p - e->ports] : 0);
}

/** Counters of a port that is settled. */
static inline void moment_counters(const struct weft_engine *e, const struct port *p,
                                   struct weft_port_counters *out)
{
    const int64_t now = moment_reached_ps(e);
    *out = p->st;
    out->tx_bytes = moment_tx_bytes(e, p);
    out->busy_ps -= moment_yet_to_send(e, p);
    out->last_ps = p->down ? 0 : p->busy_until_ps < now ? p->busy_until_ps : now;
    if (p->paused)
        out->paused_ps += now - p->paused_since_ps;
}

#endif
