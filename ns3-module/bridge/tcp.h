/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages over TCP connections (tcp_messages.h), as C sees them.
 */
#ifndef WEFT_TCP_H
#define WEFT_TCP_H

#include "simulation.h"
#include "tcp_params.h"

WEFT_C_BEGIN

struct weft_tcp_ops;

/** What C holds of it begins with this. */
struct weft_tcp {
    const struct weft_tcp_ops *ops;
};

/** Who is told, in events of ns-3. */
struct weft_tcp_listener {
    void *ctx;
    void (*received)(void *ctx, const struct weft_completion *done); /**< at the receiver */
    void (*acked)(void *ctx, const struct weft_completion *done);    /**< at the sender */
    void (*failed)(void *ctx,
                   const struct weft_err *err); /**< a connection is lost; the run ends */
    /** NULL, or told of windows that have changed */
    void (*window)(void *ctx, int64_t t_ps, const struct weft_net_connection *c);
};

struct weft_tcp_ops {
    /** Before its simulation. */
    void (*free)(struct weft_tcp *t);
    /** Posts a message now, with its priority. @p id: its number, for the listener. */
    int (*send)(struct weft_tcp *t, uint64_t id, const struct weft_msg *msg, struct weft_err *err);

    /* The rest may throw, and is called under look() of a simulation alone. */

    /** Adds what TCP has counted. */
    void (*add_totals)(const struct weft_tcp *t, struct weft_totals *totals);
    /** Calls fn(ctx, c) for every connection, in the order of net.h. */
    void (*connections)(const struct weft_tcp *t, weft_net_connection_fn fn, void *ctx);
    /** Payload that has come to hosts, with what there is of unfinished messages. */
    uint64_t (*arrived_bytes)(const struct weft_tcp *t);
    /** Says of unfinished messages where they are, of at most @p max. Returns how many are
     * unfinished. */
    uint64_t (*explain)(const struct weft_tcp *t, uint64_t max, weft_net_explain_fn fn, void *ctx);
    /** As weft_engine_motion(). */
    enum weft_motion (*motion)(struct weft_tcp *t, int64_t at_ps, int64_t after_ps);
    /** As weft_engine_explain_stuck(). */
    uint64_t (*explain_stuck)(const struct weft_tcp *t, uint64_t max, weft_net_explain_fn fn,
                              void *ctx);
};

/** For the messages of a simulation inside ns-3 that go by TCP. */
int weft_tcp_new(struct weft_simulation *s, const struct weft_packet_transport *transport,
                 const struct weft_tcp_params *params, uint64_t seed,
                 const struct weft_tcp_listener *listener, struct weft_tcp **out,
                 struct weft_err *err);

WEFT_C_END
#endif
