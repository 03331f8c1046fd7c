/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The nets of the packet backend (net/net.h): messages by RoCE in the engine, and by TCP beside it
 * or instead.
 */
#ifndef WEFT_PACKET_NET_H
#define WEFT_PACKET_NET_H

#include "net/net.h"
#include "packet_params.h"
#include "simulation.h"
#include "tcp.h"

/** One net. */
struct packet_net {
    struct weft_net net; /**< first */
    struct weft_simulation *simulation;
    struct weft_tcp *tcp; /**< made by the first message that goes by TCP */
    struct weft_packet_transport transport;
    struct weft_tcp_params tcp_params;
    uint64_t uet_prios; /**< uet.prios */
    uint64_t seed;
    struct weft_net_sink sink;
    struct weft_net_observer observer;
    const struct weft_fabric *fabric;
    struct weft_net_changes changes[WEFT_NET_LISTENERS]; /**< those that are told, nchanges */
    size_t nchanges;
    uint8_t *packet_events;       /**< by port: those that anyone is told of; NULL: none */
    struct weft_capture *capture; /**< NULL: there is none, or ns-3's fabric has it */
    uint64_t captured;            /**< times that a packet went to it */
    bool is_shared;               /**< several processes simulate the net */
    struct weft_err error;        /**< what ended the run */
    uint64_t posted;              /**< messages of both carriers, where TCP is one */
    uint64_t *roce_ids; /**< with TCP beside RoCE: the number of each message of the engine */
    uint64_t nroce, roce_cap;
};

/** Makes a net of a configuration that the backend accepts. WEFT_E_LIMIT: there is one already, or
 * no memory. */
int weft_packet_net_new(const struct weft_net_config *config, struct weft_net **out,
                        struct weft_err *err);

static inline struct packet_net *weft_packet_net_of(struct weft_net *net)
{
    return (struct packet_net *)net;
}

/** Whether any message may travel by TCP. */
static inline bool weft_packet_uses_tcp(const struct packet_net *n)
{
    return n->transport.type == WEFT_TRANSPORT_TCP || n->tcp_params.prios != 0;
}

static inline bool weft_packet_all_by_tcp(const struct packet_net *n)
{
    return n->transport.type == WEFT_TRANSPORT_TCP;
}

/** Whether TCP carries what has this priority. */
static inline bool weft_packet_by_tcp(const struct packet_net *n, uint32_t prio)
{
    const uint64_t p = prio == WEFT_PRIO_DEFAULT ? n->transport.roce.data_prio : prio;
    return weft_packet_all_by_tcp(n) || (p < WEFT_PRIOS && (n->tcp_params.prios >> p & 1));
}

/* packet_hooks.c */
/** A message has been received, or acknowledged: the sink and the observer are told. */
void weft_packet_on_received(void *ctx, const struct weft_completion *done);
void weft_packet_on_acked(void *ctx, const struct weft_completion *done);
/** Of the engine's callbacks, those that sink, observer and changes want. */
struct weft_engine_hooks weft_packet_hooks(struct packet_net *n);
/** Has the engine call these. */
int weft_packet_set_hooks(struct packet_net *n, struct weft_err *err);
int weft_packet_note_changes(struct weft_net *net, const struct weft_net_changes *changes,
                             struct weft_err *err);

/* packet_look.c */
extern const struct weft_net_state_ops weft_packet_state_ops;

/* packet_capture.c */
/** Opens the files of the links that the configuration names. */
int weft_packet_open_captures(struct packet_net *n, const struct weft_net_config *config,
                              struct weft_err *err);
/** The hook `posted`, where there are captures. */
void weft_packet_on_posted(void *ctx, const struct weft_completion *msg);

/* packet_changes.c */
/** Decides which events of packets the engine tells of. */
int weft_packet_choose_events(struct packet_net *n, struct weft_err *err);
/** Fills in a QP now, @p observed included; false: it is none of RoCE. */
bool weft_packet_qp_now(const struct packet_net *n, uint32_t qpn, struct weft_net_qp *qp,
                        double *observed);
/** Adds what changes want to @p hooks, but for `held` under PFC. */
void weft_packet_add_changes(const struct packet_net *n, struct weft_engine_hooks *hooks);
/** A priority of a port may send no more, or again: tells who wants to know. */
void weft_packet_report_held(const struct packet_net *n, int64_t t_ps, uint32_t port, uint32_t prio,
                             bool on);
/** The window of a connection: the same. */
void weft_packet_report_window(const struct packet_net *n, int64_t t_ps,
                               const struct weft_net_connection *c);
/** Whether anyone is told of the one or the other. */
bool weft_packet_reports_held(const struct packet_net *n);
bool weft_packet_reports_windows(const struct packet_net *n);

/* packet_look.c: functions of net/net.h */
int weft_packet_check(struct weft_net *net, struct weft_err *err);
void weft_packet_replay(struct weft_net *net, struct weft_replay_figures *out);
uint64_t weft_packet_events(struct weft_net *net);
void weft_packet_totals(struct weft_net *net, struct weft_totals *out);
void weft_packet_port_stats(struct weft_net *net, uint32_t port, struct weft_port_counters *out);
uint64_t weft_packet_queue_bytes(struct weft_net *net, uint32_t port, uint32_t prio);
void weft_packet_memory(struct weft_net *net, struct weft_memory_figures *out);
void weft_packet_threads(struct weft_net *net, struct weft_thread_figures *out);
void weft_packet_connections(struct weft_net *net, weft_net_connection_fn fn, void *ctx);
uint64_t weft_packet_arrived_bytes(struct weft_net *net);
uint64_t weft_packet_explain(struct weft_net *net, uint64_t max, weft_net_explain_fn fn, void *ctx);
bool weft_packet_stuck(struct weft_net *net, int64_t at_ps, int64_t after_ps);
uint64_t weft_packet_victims(struct weft_net *net, uint64_t *found);
uint64_t weft_packet_explain_stuck(struct weft_net *net, uint64_t max, weft_net_explain_fn fn,
                                   void *ctx);

#endif
