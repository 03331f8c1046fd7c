/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the ideal backend: its parameters, its object and the arithmetic of a message's time.
 */
#ifndef WEFT_NET_IDEAL_INTERNAL_H
#define WEFT_NET_IDEAL_INTERNAL_H

#include "base/event_heap.h"
#include "base/slots.h"
#include "base/units.h"
#include "net/net.h"
#include "topologies/routes.h"

#include <stdbool.h>

enum { WEFT_IDEAL_PATH, WEFT_IDEAL_FLAT };                     /* model */
enum { WEFT_IDEAL_CUT_THROUGH, WEFT_IDEAL_STORE_AND_FORWARD }; /* forwarding */
enum {
    WEFT_IDEAL_CONTENTION_NONE,
    WEFT_IDEAL_CONTENTION_SOURCE,
    WEFT_IDEAL_CONTENTION_LINKS,
    WEFT_IDEAL_CONTENTION_AUTO
};                                                 /* contention */
enum { WEFT_IDEAL_BY_HASH, WEFT_IDEAL_BY_NUMBER }; /* equal-paths */

/** NICs of a host that messages may name, and one for those that name none: model=flat has no ports
 * to tell how many there are. */
#define WEFT_IDEAL_NICS 256u

/** Section "ideal". */
struct weft_ideal_params {
    int model;
    int forwarding;
    uint64_t bandwidth_bps; /**< flat model; 0: not given */
    int64_t latency_ps;     /**< flat model */
    int64_t quantum_ps;     /**< >= 1 */
    int contention;
    int equal_paths;
};

/** Longest time accepted for one message; far from overflow in every sum. */
#define WEFT_IDEAL_LONGEST_PS (WEFT_NEVER / 4)
/** The end of simulated time: it and any duration after it are times. */
#define WEFT_IDEAL_LAST_PS (WEFT_NEVER / 2)

/** What is pending: a timer, or a message on its way. */
struct weft_ideal_slot {
    void (*fn)(void *ctx, uint64_t arg); /**< timer; NULL: a message */
    void *ctx;
    uint64_t arg; /**< timer: its argument */
    struct weft_msg msg;
    bool unwanted;    /**< a part of an operation whose result its member does not want */
    uint64_t id;      /**< of the message */
    int64_t post_ps;  /**< message */
    int64_t ideal_ps; /**< message: duration when alone */
    bool on_way;      /**< contention=links: it comes to the link with the number hop of its path */
    uint32_t hop;
    int64_t tail_ps; /**< cut-through: when its last byte comes */
    int64_t nic_ps;  /**< what it waited for its first link */
};

struct weft_ideal_group; /* see ideal_group.c */
struct weft_ideal_pair;  /* messages of one (src, dst, prio, NIC) on their way */

/** The backend's object. */
struct weft_ideal {
    struct weft_net net;
    struct weft_ideal_params params;
    const struct weft_fabric *fabric;
    struct weft_routes *routes; /**< path model */
    uint32_t *path;             /**< scratch, one entry per node */
    int64_t *source_free_ps;    /**< contention: when a host's NIC (flat) or a port (path) is free
                                   again */
    uint64_t *port_bytes;       /**< path model: payload per port */
    struct weft_net_sink sink;
    struct weft_net_observer observer;
    int64_t now_ps;
    bool stopped;
    const volatile sig_atomic_t *interrupted; /* NULL: never */
    struct weft_heap heap;
    struct weft_slots slots; /**< of struct weft_ideal_slot */
    struct weft_ideal_pair *pairs;
    struct weft_ideal_group **groups;
    uint32_t ngroups;
    uint64_t inflight_msgs, inflight_bytes;
    struct weft_totals totals;
};

/** The functions of the object. */
extern const struct weft_net_ops weft_ideal_ops;

/** What a message costs on an idle fabric. */
struct weft_ideal_cost {
    int64_t total_ps;  /**< posted to last byte received */
    int64_t source_ps; /**< during which its first link is busy */
    uint32_t source;   /**< index into source_free_ps */
};

/* ideal_queue.c */
/** Puts @p slot in the event queue at @p t_ps. */
int weft_ideal_schedule(struct weft_ideal *s, int64_t t_ps, const struct weft_ideal_slot *slot,
                        struct weft_err *err);
/** When a source with @p cost may begin; occupies it. */
int64_t weft_ideal_begin(struct weft_ideal *s, const struct weft_ideal_cost *cost);

/** Takes the earliest slot, which there must be, and goes on to its time. */
struct weft_ideal_slot weft_ideal_next(struct weft_ideal *s);

/* ideal_links.c */
/** Sends @p m over the next link of its path: its arrival at the end of that is scheduled. */
int weft_ideal_hop(struct weft_ideal *s, struct weft_ideal_slot *m, struct weft_err *err);

/* ideal_cost.c */
/** The ports on the path of @p msg, in s->path; returns their number. */
uint32_t weft_ideal_path(struct weft_ideal *s, const struct weft_msg *msg);
/** Fails: @p msg would arrive after the end of simulated time. */
int weft_ideal_too_late(const struct weft_msg *msg, struct weft_err *err);
/** Time of @p bytes at @p rate_bps, at most WEFT_IDEAL_LONGEST_PS. */
int64_t weft_ideal_serial_ps(uint64_t bytes, uint64_t rate_bps);
/** a + b, at most WEFT_IDEAL_LONGEST_PS; both >= 0 and at most that. */
int64_t weft_ideal_add_ps(int64_t a, int64_t b);
/** @p ps, rounded down to a multiple of @p quantum_ps. */
int64_t weft_ideal_floored(int64_t ps, int64_t quantum_ps);
/** Works out a message's cost; counts its bytes on the ports of its path. WEFT_E_LIMIT: longer than
 * time itself. */
int weft_ideal_cost(struct weft_ideal *s, const struct weft_msg *msg, struct weft_ideal_cost *out,
                    struct weft_err *err);

/* ideal_group.c: in-network operations, as in net.h */
int weft_ideal_group(struct weft_net *net, const uint32_t *hosts, uint32_t n, uint32_t prio,
                     uint32_t *id, struct weft_err *err);
int weft_ideal_contribute(struct weft_net *net, const struct weft_part *part, struct weft_err *err);
void weft_ideal_groups_free(struct weft_ideal *s);

#endif
