/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libweft: a simulated network for other simulators.
 *
 * A program opens a network from a scenario, posts messages, runs simulated time, and takes the
 * events that happened. The program decides what is sent; weft says when it arrives.
 *
 *   weft_sim *net = weft_sim_open("scenario.xml", NULL, 0, NULL, &error);
 *   weft_sim_send(net, &(struct weft_send){.src = 0, .dst = 1, .bytes = 1 << 20});
 *   weft_sim_run(net, WEFT_NEVER_PS, WEFT_DELIVERED, 0);
 *   while (weft_sim_take(net, &event, 1) == 1) ...
 *   weft_sim_close(net);
 *
 * Times are picoseconds since the network was opened. Sizes are bytes. Hosts are numbers from 0.
 * Functions that can fail return a negative number of enum weft_error_code; weft_sim_error() says
 * why. The library prints nothing, never ends the process, handles no signals, and starts threads
 * only during weft_sim_run() where run.threads asks for them: a process may fork before that.
 *
 * A weft_sim may be used by one thread at a time; several of them by several threads at the same
 * time. ns-3 has one simulator per process: a second network with TCP, or with ns3.simulator-impl,
 * is refused while the first is open.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. weft_sim_abi() says that of the library; a later library serves a
 * program of an earlier one. */
#define WEFT_SIM_ABI 1
uint32_t weft_sim_abi(void);
/** The version of weft: "0.1.0". */
const char *weft_sim_version(void);

/** A network with its clock and its messages. */
typedef struct weft_sim weft_sim;

/** No time: the largest. */
#define WEFT_NEVER_PS INT64_MAX
/** Any source, or any tag, in struct weft_recv. */
#define WEFT_RECV_ANY_HOST UINT32_MAX
#define WEFT_RECV_ANY_TAG UINT64_MAX

/** What went wrong. */
enum weft_error_code {
    WEFT_ERROR_USAGE = -2,    /**< a function was called in a way that it does not allow */
    WEFT_ERROR_INPUT = -3,    /**< a value, a setting or a file is wrong */
    WEFT_ERROR_IO = -4,       /**< the system refused to read or write a file */
    WEFT_ERROR_LIMIT = -5,    /**< out of memory, or over a limit of weft or ns-3 */
    WEFT_ERROR_INTERNAL = -70 /**< a broken invariant: a bug of weft */
};

/** An error of weft_sim_open() or weft_sim_load_plugin(). */
struct weft_error {
    int code;        /**< enum weft_error_code; 0: none */
    char text[1400]; /**< "file:line:col: what, why, nearest valid" */
};

/** Kinds of events, bits of masks. */
enum weft_event_kind {
    WEFT_STARTED = 1 << 0,      /**< the NIC begins to send the first packet of a message */
    WEFT_SENT = 1 << 1,         /**< its last packet has left the NIC */
    WEFT_DELIVERED = 1 << 2,    /**< its last byte has arrived at the receiver */
    WEFT_ACKNOWLEDGED = 1 << 3, /**< the sender knows that */
    WEFT_MATCHED = 1 << 4,      /**< a receive got its message */
    WEFT_TIMER = 1 << 5         /**< a timer */
};

/**
 * Loads a plug-in, a shared object with congestion controls, load balancers or topologies. Networks
 * that are opened afterwards, in any thread, take its members by name as they take weft's own. It
 * stays loaded until the process ends. No other thread may open a network meanwhile.
 * @param file path of the plug-in
 * @param error receives why it failed; may be NULL
 * @return 0, or a negative number of enum weft_error_code
 */
int weft_sim_load_plugin(const char *file, struct weft_error *error);

/** How a network is opened. Zero-initialised, it has the defaults. */
struct weft_sim_options {
    /** kinds of events to take besides the default, DELIVERED, ACKNOWLEDGED, MATCHED and TIMER.
     * STARTED and SENT look at each packet of each NIC: threads and replay are not used then */
    uint32_t events;
    /** not 0: weft_sim_recv() may be called. A delivered message is then kept until a receive takes
     * it */
    uint32_t receives;
    /** an existing folder for the samples of sample.what, and for captures; NULL: neither may be
     * asked for */
    const char *folder;
    uint64_t reserved[4]; /**< 0 */
};

/**
 * Opens a network.
 * @param scenario a scenario file, whose workloads are left out, or a topology file of weft, HPCC,
 *                 SimAI, ASTRA-sim, htsim, NCCL or InfraGraph; NULL: defaults
 * @param settings "KEY=VALUE" as of weft run --set; they win over the file
 * @param n        how many settings
 * @param options NULL: defaults
 * @param error receives why it failed; may be NULL
 * @return the network, or NULL
 */
weft_sim *weft_sim_open(const char *scenario, const char *const *settings, size_t n,
                        const struct weft_sim_options *options, struct weft_error *error);
/** Closes it, whatever is under way. NULL is allowed. */
void weft_sim_close(weft_sim *net);
/** Why the last function that failed on @p net did. Valid until the next call. */
const char *weft_sim_error(const weft_sim *net);
/** The i-th remark on its settings: a value that has no effect, or a bad one. NULL: there are no
 * more. */
const char *weft_sim_warning(const weft_sim *net, size_t i);
/** How many hosts it has. */
uint32_t weft_sim_hosts(const weft_sim *net);

/** Flags of struct weft_send. */
enum {
    WEFT_SEND_PRIORITY = 1 << 0, /**< `priority` counts; else the transport's own class is taken */
    WEFT_SEND_MARKED = 1 << 1    /**< WEFT_RUN_MARKED stops at events of this message */
};

/** A message to post. */
struct weft_send {
    uint32_t src, dst; /**< hosts; a message of a host to itself arrives at once */
    uint64_t bytes;    /**< payload; 0: a message of one packet without payload */
    uint64_t tag;      /**< carried along, to match on; not WEFT_RECV_ANY_TAG */
    uint64_t user;     /**< of the caller, given back with events */
    int64_t delay_ps;  /**< from the present to when it is posted, >= 0 */
    uint32_t priority; /**< traffic class 0 to 7, with WEFT_SEND_PRIORITY */
    uint32_t qp;       /**< queue pair between the two, 0 to 1048575; those of one stay in order */
    uint32_t flags;
    uint32_t reserved; /**< 0 */
};
/** Posts a message. Legal at any time between runs, also at the very time of an event. Returns its
 * number, >= 0: numbers count what was posted, timers and receives among them. */
int64_t weft_sim_send(weft_sim *net, const struct weft_send *message);

/** A receive to post. */
struct weft_recv {
    uint32_t dst;  /**< host that receives */
    uint32_t src;  /**< host that it waits for, or WEFT_RECV_ANY_HOST */
    uint64_t tag;  /**< or WEFT_RECV_ANY_TAG */
    uint64_t user; /**< of the caller */
};
/** Posts a receive, now. It gets the first message that fits and that no earlier receive got;
 * messages of one source and tag are taken in the order of their arrival. Returns its number. */
int64_t weft_sim_recv(weft_sim *net, const struct weft_recv *receive);

/** Requests an event of kind WEFT_TIMER in @p delay_ps, >= 0. Returns its number. */
int64_t weft_sim_timer(weft_sim *net, int64_t delay_ps, uint64_t user);

/** The present. */
int64_t weft_sim_now(const weft_sim *net);
/** A time before which nothing happens; WEFT_NEVER_PS: nothing is left to happen; the present: it
 * is not known. */
int64_t weft_sim_next(weft_sim *net);

/** Why weft_sim_run() returned. */
enum weft_stop {
    WEFT_STOP_TIME = 0,   /**< the requested time is reached */
    WEFT_STOP_EVENT = 1,  /**< a requested event has happened */
    WEFT_STOP_IDLE = 2,   /**< nothing is left to happen */
    WEFT_STOP_STALLED = 3 /**< the same, or nothing gets on (run.stall-after), but messages or
                             receives are open: weft_sim_explain() says which */
};
/** Flags of weft_sim_run(). */
enum {
    WEFT_RUN_MARKED = 1 << 0 /**< events of messages without WEFT_SEND_MARKED do not stop it */
};
/**
 * Runs until @p until_ps, all that happens at that time included, or to the end of the first
 * instant that has an event of the kinds @p stop. The clock then says that time. Without an end
 * (WEFT_NEVER_PS) it runs until nothing is left.
 * @return enum weft_stop, or an error, after which the network can only be closed
 */
int weft_sim_run(weft_sim *net, int64_t until_ps, uint32_t stop, uint32_t flags);

/** An event. */
struct weft_event {
    uint32_t kind;     /**< enum weft_event_kind */
    uint32_t src, dst; /**< of the message; TIMER: 0 */
    uint32_t reserved; /**< 0 */
    int64_t time_ps;
    uint64_t id;    /**< of the message, timer, or receive */
    uint64_t user;  /**< given with it */
    uint64_t tag;   /**< of the message */
    uint64_t bytes; /**< of the message */
    uint64_t other; /**< MATCHED: number of the message */
};
/** Takes the next events, at most @p n, in the order of (time, number, kind) of each run. Returns
 * how many. Each message has each kind once. */
size_t weft_sim_take(weft_sim *net, struct weft_event *out, size_t n);
/** How many there are to take. */
size_t weft_sim_events(const weft_sim *net);

/** Says of each open message and receive what it waits for, in a sentence each, at most @p max.
 * Returns how many are open. */
uint64_t weft_sim_explain(weft_sim *net, uint64_t max, void (*say)(void *ctx, const char *sentence),
                          void *ctx);

/** Sums since it was opened. */
struct weft_stats {
    uint64_t posted, delivered,
        acknowledged;                       /**< messages; those to the same host are not counted */
    uint64_t bytes_posted, bytes_delivered; /**< payload */
    uint64_t packets;                       /**< data packets sent, again or not */
    uint64_t retransmitted;                 /**< of them, again */
    uint64_t acks, cnps;                    /**< packets */
    uint64_t drops, trims, ecn_marks;       /**< packets */
    uint64_t pauses;                        /**< PFC frames that stop */
    uint64_t timeouts;                      /**< retransmission timeouts */
    uint64_t events;                        /**< that the simulator executed */
    uint64_t reserved[4];                   /**< 0 */
};
void weft_sim_stats(weft_sim *net, struct weft_stats *out);

/** One direction of a link. */
struct weft_link_stats {
    uint64_t rate_bps, packets, bytes; /**< rate; sent, with preamble and gap */
    uint64_t payload_bytes, ecn_marks, drops;
    uint64_t queue_bytes,
        max_queue_bytes;        /**< waiting at its sending end now, and the most so far */
    int64_t busy_ps, paused_ps; /**< sending; stopped by PFC */
    uint64_t reserved[4];       /**< 0 */
};
/** Counters of the link @p name, "h0-s8", "s8-s20#1" (of parallel ones, the second) or its number;
 * @p back: of the direction towards the node that its name says first. */
int weft_sim_link_stats(weft_sim *net, const char *name, int back, struct weft_link_stats *out);

/** Changes a link at the present time, before anything posted from now on. */
enum weft_link_state {
    WEFT_LINK_FAILS = 0, /**< it carries nothing; packets on it and waiting for it are lost */
    WEFT_LINK_WORKS = 1, /**< again */
    WEFT_LINK_SLOWS = 2  /**< it sends at @p rate_bps, at most its own rate, which restores it */
};
/** @p names: names or numbers of links, separated by commas; "s8-s20#all": all parallel ones. */
int weft_sim_set_link(weft_sim *net, const char *names, enum weft_link_state state,
                      uint64_t rate_bps);

#ifdef __cplusplus
}
#endif
#endif
