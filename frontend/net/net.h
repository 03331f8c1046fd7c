/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seam between the frontend and whatever carries its messages.
 *
 * A backend (ideal: alpha-beta arithmetic; packet: the ns-3 module) is a struct weft_net_backend.
 * It declares its parameters in tables, so that the scenario reader, --set, --help and the schema
 * know them without knowing the backend. `create` makes a struct weft_net over a fabric.
 *
 * Rules: hosts are named by host number (rank r is host r). Nothing one host does is visible to
 * another but through a received message. Callbacks run at simulated time now_ps() and may call
 * send, after and stop.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include "base/concurrency.h"
#include "base/figures.h"
#include "base/message.h"
#include "base/param.h"
#include "base/peers.h"
#include "base/queue_bins.h"
#include "congestion/cc.h"
#include "topologies/link_change.h"

#include <signal.h>
#include <stdbool.h>

WEFT_C_BEGIN

struct weft_net;

/** Most threads of a net. */
#define WEFT_THREADS_MAX 255

/** Traffic classes of a port. */
#define WEFT_NET_PRIOS 8

/** What the frontend gets told. A part of an in-network operation is told as a message of kind
 * WEFT_MSG_PART: received where data is delivered, sent at every member. */
struct weft_net_sink {
    void *ctx;
    /** The sender knows that the whole message was delivered (RoCE: the last ACK arrived). */
    void (*sent)(void *ctx, const struct weft_completion *done);
    /** The last byte of a message arrived at its receiver. Messages of one (src, dst, prio, qp)
     * arrive in the order sent; a message is received before it is sent. */
    void (*received)(void *ctx, const struct weft_completion *done);
    struct weft_net_concurrency concurrency; /**< what may be assumed of these */
};

/** One PFC frame taking effect at the port that it stops or releases. */
struct weft_net_pfc {
    int64_t t_ps;
    uint32_t port; /**< fabric port that is paused or resumed (the sending end) */
    uint32_t prio; /**< 0..7 */
    int pause;     /**< 1 XOFF, 0 XON */
};

/** What reports listen to. Each function may be NULL. Each is told in the order of time, pfc
 * perhaps after what happened later elsewhere; all before the run ends or counters are read. */
struct weft_net_observer {
    void *ctx;
    void (*flow)(void *ctx, const struct weft_completion *flow); /**< a message is over: acked_ps */
    void (*pfc)(void *ctx, const struct weft_net_pfc *pfc);
};

/** A transport connection that carries messages one way, from when it was opened to now. */
struct weft_net_connection {
    uint32_t src, dst;        /**< hosts */
    uint32_t prio;            /**< traffic class */
    uint32_t qp;              /**< weft_msg.qp of its messages */
    uint32_t number;          /**< among those of the same src, dst, prio and qp: 0, 1, 2 ... */
    int64_t opened_ps;        /**< its first message was posted */
    int64_t busy_ps;          /**< time with something posted and not acknowledged */
    uint64_t bytes;           /**< acknowledged, with what the transport adds to messages */
    uint64_t segments;        /**< packets with data sent, retransmissions included */
    uint64_t retx_segments;   /**< of them, sent again */
    uint64_t retx_bytes;      /**< bytes of those */
    uint64_t drops;           /**< packets with data that the fabric lost */
    uint64_t timeouts;        /**< retransmission timeouts */
    uint64_t ecn_echoes;      /**< acknowledgements that told of a mark */
    uint64_t cwnd_bytes;      /**< congestion window now; 0: the connection is not open yet */
    uint64_t cwnd_min_bytes;  /**< smallest since it is open */
    uint64_t cwnd_max_bytes;  /**< largest */
    uint64_t in_flight_bytes; /**< sent and not acknowledged now */
    int64_t srtt_ps;          /**< smoothed round-trip time; 0: not measured */
};
typedef void (*weft_net_connection_fn)(void *ctx, const struct weft_net_connection *c);

/** Receives one sentence about one unfinished thing ("h3->h7 1MiB tag 12: paused by PFC prio 3 at
 * h3 since 12.3 us"). */
typedef void (*weft_net_explain_fn)(void *ctx, const char *sentence);

/** A QP now, with what its congestion control shows. */
struct weft_net_qp {
    struct weft_qp_state state;
    const struct weft_cc_ops *control;
    const double *observed; /**< one per observable of the control, in their order */
};
typedef void (*weft_net_qp_fn)(void *ctx, const struct weft_net_qp *qp);

/** What may be told of a packet at a port. */
enum weft_net_packet_event {
    WEFT_NET_PACKET_RECEIVED, /**< it came in through the port, completely */
    WEFT_NET_PACKET_QUEUED, /**< it entered the egress queue of the port of a node that forwards */
    WEFT_NET_PACKET_SENT,   /**< the port begins to send it */
    WEFT_NET_PACKET_DROPPED /**< it is lost behind the port, or for want of buffer before it */
};

/** A packet at a port: one of RoCE's, or a frame of PFC. */
struct weft_net_packet {
    int64_t t_ps;
    uint32_t port;
    enum weft_net_packet_event what;
    enum weft_pkt_kind kind; /**< DATA, ACK, NACK, CNP or PFC */
    uint32_t src, dst;       /**< hosts: its own ends, an ACK's source is the data's receiver */
    uint32_t prio;
    uint32_t qp;          /**< weft_msg.qp of its QP */
    uint64_t psn;         /**< DATA: its own number; ACK, NACK: the number expected next */
    uint32_t frame_bytes; /**< on the wire, without preamble and gap */
    uint32_t payload_bytes;
    int64_t stamp_ps; /**< time that it carries for the congestion control; 0: none */
    bool marked;      /**< DATA: by a switch */
    bool notifies;    /**< ACK, NACK: it carries a congestion notification */
    bool pause;       /**< PFC: else it resumes */
};

/** What listeners are told of, at its moment or, `held`, perhaps after what happened later
 * elsewhere; each in the order of time, and all before run() returns. Functions may be NULL. */
struct weft_net_changes {
    void *ctx; /**< of what happens at ports and nodes */
    /** What waits at the egress of a port of a node that forwards. */
    void (*queue)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, uint64_t bytes);
    /** A priority of a port may send no more, or again: PFC, or credits. */
    void (*held)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, bool on);
    /** The buffer of a node. */
    void (*buffer)(void *ctx, int64_t t_ps, uint32_t node, const struct weft_buffer_state *now);
    const uint8_t *nodes; /**< with buffer: by node, not 0 for those that it is told of */
    /** A packet. That it was queued is told after `queue`, that it is sent too. */
    void (*packet)(void *ctx, const struct weft_net_packet *packet);
    const uint8_t *ports; /**< with packet: by port, not 0 for those that it is told of */
    void *qp_ctx;         /**< of the rest */
    /** The congestion control of a QP has been asked. */
    void (*qp)(void *ctx, int64_t t_ps, const struct weft_net_qp *qp);
    /** The window of a connection. */
    void (*connection)(void *ctx, int64_t t_ps, const struct weft_net_connection *c);
};

/** Most takers of changes. */
#define WEFT_NET_LISTENERS 4

/** What series over time are made of. These look at a net as struct weft_net_ops says. */
struct weft_net_state_ops {
    /** Fills out[i] with port ports[i] as it is now. */
    void (*ports)(struct weft_net *net, const uint32_t *ports, size_t n,
                  struct weft_port_state *out);
    /** The same of the buffers of nodes. */
    void (*buffers)(struct weft_net *net, const uint32_t *nodes, size_t n,
                    struct weft_buffer_state *out);
    /** Calls fn(ctx, qp) for every QP in the order of opening. Those of TCP are connections. */
    void (*qps)(struct weft_net *net, weft_net_qp_fn fn, void *ctx);
    /** From now on QPs note their round-trip times. WEFT_E_LIMIT. */
    int (*note_rtts)(struct weft_net *net, struct weft_err *err);
    /** From the start on, times are counted by what waits at ports: of the priorities whose bits
     * prios[port] has, besides those of a call before. WEFT_E_LIMIT. */
    int (*note_queues)(struct weft_net *net, const uint8_t *prios, struct weft_err *err);
    /** These times of a queue until @p end_ps, by bin; false: nothing has waited there. */
    bool (*queue_times)(struct weft_net *net, uint32_t port, uint32_t prio, int64_t end_ps,
                        int64_t time_ps[WEFT_QUEUE_BINS]);
    /** From the start on, changes are told, to at most WEFT_NET_LISTENERS; *changes is copied. A
     * net may then have more events than without, but does the same. */
    int (*note_changes)(struct weft_net *net, const struct weft_net_changes *changes,
                        struct weft_err *err);
    /** Time of the next event, WEFT_NEVER: there is none; the present: that is not known. Right
     * after the ports, buffers or QPs were looked at nothing is sent, paused or changed before.
     * Otherwise traffic that repeats itself (run.replay) may be, without an event. */
    int64_t (*next_ps)(struct weft_net *net);
};

/** What a backend can do. All are required but those that say so.
 * Who looks at a net (`check` and what follows it) settles it first: what lazily simulated parts
 * owe up to now happens, and callbacks may be told of it. So these take a net that is not const,
 * though no result depends on whether and when they are called; `now_ps` alone leaves everything as
 * it is. */
struct weft_net_ops {
    void (*free)(struct weft_net *net);
    /** Current simulated time. */
    int64_t (*now_ps)(const struct weft_net *net);
    /** Installs the frontend's callbacks; before the first send. */
    void (*set_sink)(struct weft_net *net, const struct weft_net_sink *sink);
    /** Posts a message now. WEFT_E_INPUT: no such host, src == dst, or prio out of range. */
    int (*send)(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err);
    /** Calls fn(ctx, arg) @p delay_ps (>= 0) from now. Equal times fire in the order asked for. */
    int (*after)(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                 void *ctx, uint64_t arg, struct weft_err *err);
    /** Optional: weft_net_plan. */
    int (*plan)(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                void *ctx, uint64_t arg, struct weft_err *err);
    /** Changes links of the fabric, now and together; routes follow at once. WEFT_E_INPUT: no such
     * link, a value out of range, or a backend whose links do not change (no `check_links`). */
    int (*change_links)(struct weft_net *net, struct weft_link_change *changes, size_t n,
                        struct weft_err *err);
    /** Runs until nothing is left to do, stop() is called, the config's `interrupted` says so, or
     * the next event lies after @p until_ps. */
    int (*run)(struct weft_net *net, int64_t until_ps, struct weft_err *err);
    /** Ends run() after the current callback. */
    void (*stop)(struct weft_net *net);
    /** Checks every conservation law (packets, bytes, buffers); WEFT_E_INTERNAL names the first
     * that fails. */
    int (*check)(struct weft_net *net, struct weft_err *err);
    void (*totals)(struct weft_net *net, struct weft_totals *out);
    /** Optional: how many events were executed so far, for those who want to know whether the run
     * gets on and nothing else: the state need not be brought up to now for it. A packet that was
     * captured counts as several. */
    uint64_t (*events)(struct weft_net *net);
    /** Optional. What run() is at. May be called by the handler of a signal, in the thread of
     * run(). */
    void (*event_now)(const struct weft_net *net, struct weft_event_now *out);
    void (*port_stats)(struct weft_net *net, uint32_t port, struct weft_port_counters *out);
    /** Bytes of priority @p prio (0..7) that wait now at the egress of fabric port @p port; 0 where
     * nothing queues. */
    uint64_t (*queue_bytes)(struct weft_net *net, uint32_t port, uint32_t prio);
    /** Says of every unfinished message why it is stuck; at most @p max sentences. Returns how many
     * are unfinished. */
    uint64_t (*explain)(struct weft_net *net, uint64_t max, weft_net_explain_fn fn, void *ctx);
    /** Optional. */
    void (*memory)(struct weft_net *net, struct weft_memory_figures *out);
    /** Optional. What came of replaying. */
    void (*replay)(struct weft_net *net, struct weft_replay_figures *out);
    /** Optional, both: what earlier runs know of messages, before the first is sent, and what is
     * known at the end (engine_replay.h). */
    int (*memo_set)(struct weft_net *net, const void *data, size_t size, struct weft_err *err);
    int (*memo_get)(struct weft_net *net, size_t most, void **data, size_t *size,
                    struct weft_err *err);
    /** Optional. What several threads have done. */
    void (*threads)(struct weft_net *net, struct weft_thread_figures *out);
    /**
     * Optional, with contribute. Opens a group of @p n hosts for in-network operations at priority
     * @p prio; all groups before the first contribute. WEFT_E_INPUT: the fabric can't, and *err
     * says why.
     */
    int (*group)(struct weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio,
                 uint32_t *id, struct weft_err *err);
    /** Optional. Posts a member's part of an operation of its group, now: of the first with its tag
     * that others have begun and the member has not, else of a new one. All members post the same
     * operations, also those that neither give nor want data, with the same bytes. */
    int (*contribute)(struct weft_net *net, const struct weft_part *part, struct weft_err *err);
    /** Optional. Calls fn(ctx, c) for every connection, by src, dst, prio, qp and number. A
     * transport without connections of its own has none. */
    void (*connections)(struct weft_net *net, weft_net_connection_fn fn, void *ctx);
    /** Optional. Whether, as of @p at_ps (at which run() ended), messages that have a path wait and
     * none of them has got on for @p after_ps, and longer where links and timers are slow
     * (net/watch.h). */
    bool (*stuck)(struct weft_net *net, int64_t at_ps, int64_t after_ps);
    /** Optional, with stuck. Says of each QP or connection that the last `stuck` found without
     * progress, whether all are or not, what it waits for; at most @p max sentences. Returns how
     * many there are. */
    uint64_t (*explain_stuck)(struct weft_net *net, uint64_t max, weft_net_explain_fn fn,
                              void *ctx);
    /** Optional. How many QPs wait behind pauses now though the rest of their way is free
     * (net/victims.h); adds to *@p found those that no call has found before. */
    uint64_t (*victims)(struct weft_net *net, uint64_t *found);
    /** Optional. Payload that has come to hosts so far, with what there is of messages under way;
     * without it that of the messages received (totals). Takes a pass over QPs. */
    uint64_t (*arrived_bytes)(struct weft_net *net);
    /** Optional. */
    const struct weft_net_state_ops *state;
};

/** Base of every backend's object. */
struct weft_net {
    const struct weft_net_ops *ops;
    bool alone; /**< each message has its path's bandwidth to itself, whatever else is under way */
    /** set by the caller: where a run comes to where nothing is left, its end is not reached: what
     * is posted afterwards is posted at the time of the last event */
    bool stays;
};

/** ops->arrived_bytes() of any backend. */
static inline uint64_t weft_net_arrived_bytes(struct weft_net *net)
{
    struct weft_totals t;
    if (net->ops->arrived_bytes)
        return net->ops->arrived_bytes(net);
    net->ops->totals(net, &t);
    return t.bytes_received;
}

/** As ops->after(), for what does nothing but post messages and ask for more of its kind, or fail,
 * and looks at nothing of the net but now_ps(). Where the sink is passive, it looks at nothing
 * either that follows from what this is told, and may be called sooner, while now_ps() says the
 * time that was asked for: so that several threads run hosts meanwhile. */
static inline int weft_net_plan(struct weft_net *net, int64_t delay_ps,
                                void (*fn)(void *ctx, uint64_t arg), void *ctx, uint64_t arg,
                                struct weft_err *err)
{
    return net->ops->plan ? net->ops->plan(net, delay_ps, fn, ctx, arg, err)
                          : net->ops->after(net, delay_ps, fn, ctx, arg, err);
}

/** A named group of parameters of a backend: scenario element <name .../>, override
 * name.param=value. */
struct weft_net_section {
    const char *name; /**< "transport", "switch", "pfc", "ecn", "ideal" */
    const char *help;
    struct weft_param_table params;
    size_t offset; /**< of this section's struct in the backend's parameter blob */
};

/** What `create` is given. Everything pointed to must outlive the net. */
struct weft_net_config {
    const struct weft_fabric *fabric;
    const void *params;           /**< the backend's parameter blob */
    const struct weft_cc_ops *cc; /**< ignored by backends with uses_cc false */
    const void *cc_params;
    uint64_t seed;
    unsigned threads; /**< that run it, with the same results; 0: it tries how many */
    int replay;       /**< not 0: traffic that repeats itself is taken over instead of simulated
                         again, with the same results */
    int replay_auto;  /**< not 0: no error where the backend can't */
    double replay_tolerance; /**< not 0: traffic that has settled within this ratio may be skipped,
                                with approximate results */
    bool replay_resample;    /**< messages whose times differ by more as well: engine_replay.h */
    uint64_t replay_bytes;   /**< most memory for that */
    int replay_eager;        /**< for tests: looked for however little there is to gain */
    uint64_t thread_shuffle; /**< not 0, for tests: seed of random orders of theirs */
    struct weft_net_observer observer;
    const char *out_dir; /**< the run folder, which exists, for files that the backend itself
                            writes; NULL: none */
    const volatile sig_atomic_t
        *interrupted; /**< run() returns early once it is not 0; NULL: it never does */
    const struct weft_peers *peers; /**< processes that simulate it together, each with a net of its
                                       own: all call every function of it that takes a net that is
                                       not const, in the same order and with the same values, but
                                       `memory`, `replay` and `threads`, and are told the same.
                                       NULL: this process alone */
    bool links_stay; /**< no link will change, so that several processes need not know those of
                        others */
    bool dry;        /**< made to see whether it can be; it will not run, and writes no files */
};

/** How messages go, as far as estimates of them ask. */
struct weft_net_manner {
    /** What goes on a link beside others: all; what its own host sends; nothing. */
    enum weft_net_meets { WEFT_MEETS_ALL, WEFT_MEETS_AT_SOURCE, WEFT_MEETS_NONE } meets;
    bool by_flow;         /**< equal-cost paths: by base/flow.h; else by a hash of the pair */
    uint32_t prio;        /**< by_flow: of messages that ask for none */
    uint64_t seed;        /**< by_flow */
    uint64_t frame_bytes; /**< payload that is sent on as a whole; 0: bit by bit */
    double header_bytes;  /**< that each frame has besides on the wire */
    double ack_bytes;     /**< that it causes the other way */
};

/** Told of a value that the choice of a transport implies for a parameter, "" as @p section being
 * the congestion control's, and why. */
typedef int (*weft_net_imply_fn)(void *ctx, const char *section, const char *param,
                                 const char *value, const char *why, struct weft_err *err);

/** One backend. */
struct weft_net_backend {
    const char *name; /**< "packet", "ideal" */
    const char *title;
    bool uses_cc;   /**< whether <congestion-control> means anything to it */
    bool has_state; /**< its nets have ops->state */
    const struct weft_net_section *sections;
    size_t nsections;
    size_t params_size;
    /** Optional. Checks sections against each other and against the fabric (headroom sums, MTU,
     * ...). */
    int (*check)(const struct weft_net_config *config, struct weft_err *err);
    /** Required. */
    int (*create)(const struct weft_net_config *config, struct weft_net **out,
                  struct weft_err *err);
    /** Optional; without it, as the ideal backend's default. For what `check` accepts. */
    void (*manner)(const struct weft_net_config *config, struct weft_net_manner *out);
    /** Optional. Adds up the buffers of a configuration that `check` accepts. */
    void (*buffers)(const struct weft_net_config *config, struct weft_buffer_figures *out);
    /** Optional: links can change. Whether a fabric without the links whose byte in @p down is not
     * 0 can run; WEFT_E_INPUT when its routes can deadlock. Not called before `check` has accepted
     * the configuration. */
    int (*check_links)(const struct weft_net_config *config, const uint8_t *down,
                       struct weft_err *err);
    /** Optional. Says of a configuration that `check` accepts, one sentence each, under which
     * settings the congestion control can't act. */
    void (*advise)(const struct weft_net_config *config, weft_net_explain_fn fn, void *ctx);
    /** Optional. What a parameter of a section that holds WEFT_PARAM_AUTO, or a size that follows
     * ports or is computed where it is 0, comes to on the fabric of a configuration that `check`
     * accepts, in @p buf; 0: it is not known, or is the value. */
    int (*resolved)(const struct weft_net_config *config, const char *section,
                    const struct weft_param *p, char *buf, size_t size);
    /** Optional. The congestion control of those that name none, by the text of transport.type;
     * NULL: that of all. */
    const char *(*control_of)(const char *transport);
    /** Optional, with `imply`: whether the choice of the transport implies other values. */
    bool (*implies)(const void *params);
    /** Says which: what nobody gave takes them. A value set by @p fn is in config->params at once,
     * so that others may follow from it. */
    int (*imply)(const struct weft_net_config *config, weft_net_imply_fn fn, void *ctx,
                 struct weft_err *err);
};

/** The alpha-beta backend (frontend/net/ideal.c): no packets, exact arithmetic. */
extern const struct weft_net_backend weft_net_ideal;

WEFT_C_END
#endif
