/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults of links and switches during a run: links that fail, slow down, flip bits or flap,
 * switches that fail.
 *
 * A scenario lists what happens (fault.events); each entry is of one kind of fault_table.def and
 * names links or a switch by the names of outputs. weft_fault_plan_new turns the list into
 * stretches of time: a link, what is wrong with it, from when to when. A player carries them out
 * while a net runs.
 *
 * Links are named as
 *   17           by number, as `weft show fabric` lists them
 *   s16-s20      by the nodes that it joins, in any order
 *   s16-s20#1    the second of parallel links, in ascending number; s16-s20#all: all of them
 * and several of them separated by commas.
 */
#ifndef WEFT_FAULT_FAULT_H
#define WEFT_FAULT_FAULT_H

#include "net/net.h"

WEFT_C_BEGIN

/** One entry of the list. Each kind has the parameters that mean something to it. */
struct weft_fault_item {
    const struct weft_fault_kind *kind;
    const char *links;     /**< selector of links */
    const char *node;      /**< name of a switch */
    int64_t at_ps;         /**< when it begins */
    int64_t until_ps;      /**< when it ends; 0: never */
    uint64_t rate_bps;     /**< degrade: what is left of the rate */
    double bit_error_rate; /**< bit-errors */
    int64_t period_ps;     /**< flap: from one failure to the next */
    int64_t down_ps;       /**< flap: how long it is down each time */
    uint64_t count;        /**< flap: how many times */
    int direction;         /**< degrade: enum weft_link_direction */
    int thresholds;        /**< degrade: 1: they change in proportion to the rate */
    uint32_t given;        /**< bit i: parameter i of the kind was given */
};

/** One thing that is wrong with one link for some time. */
struct weft_fault_stretch {
    uint32_t item; /**< entry of the list that it comes from, 0 for the first */
    uint32_t link;
    enum weft_link_change_kind what; /**< DOWN, RATE or BIT_ERRORS */
    int64_t begin_ps, end_ps;        /**< end: WEFT_NEVER when it does not end */
    uint64_t rate_bps;
    int direction; /**< RATE: enum weft_link_direction */
    bool scaled;   /**< RATE: thresholds change in proportion to the rate */
    double bit_error_rate;
};

/** All faults of a run. */
struct weft_fault_plan {
    const struct weft_fabric *fabric;
    char *text; /**< what the items' names point into */
    struct weft_fault_item *items;
    size_t nitems, items_cap;
    struct weft_fault_stretch *stretches; /**< by begin, item, link */
    size_t nstretches, stretches_cap;
};

/** One kind of fault. */
struct weft_fault_kind {
    const char *name;               /**< "link-down": an element of <fault> */
    const char *title;              /**< one line for lists */
    struct weft_param_table params; /**< of struct weft_fault_item */
    /** Required. Checks the values against each other and adds what happens to links. */
    int (*expand)(struct weft_fault_plan *t, uint32_t item, struct weft_err *err);
};

/** All kinds, in the order of fault_table.def; *n receives their number. */
const struct weft_fault_kind *const *weft_fault_kinds(size_t *n);
/** The kind called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_fault_kind *weft_fault_kind_find(const char *name, struct weft_err *err);

/** Section fault of a scenario. */
struct weft_fault_params {
    const char *events; /**< the list: "KIND PARAMETER=VALUE ...; KIND ..."; "": no faults */
};
extern const struct weft_param_table weft_fault_param_table;

/** Reads the list @p events over @p f, which must outlive the result. NULL on failure. */
struct weft_fault_plan *weft_fault_plan_new(const char *events, const struct weft_fabric *f,
                                            struct weft_err *err);
void weft_fault_plan_free(struct weft_fault_plan *t);
/** Calls @p check with the set of links that are down, for every set that occurs, until it fails;
 * *at_ps receives when the last one asked about occurs first. */
int weft_fault_plan_check(const struct weft_fault_plan *t,
                          int (*check)(void *ctx, const uint8_t *down, struct weft_err *err),
                          void *ctx, int64_t *at_ps, struct weft_err *err);

/** A stretch that has ended, or lasted until the end of the run. */
struct weft_fault_record {
    const struct weft_fault_stretch *stretch;
    const char *kind;      /**< kind of the entry that it comes from */
    int64_t end_ps;        /**< WEFT_NEVER: not before the run's end */
    uint64_t tx_packets;   /**< packets sent on the link meanwhile, both directions */
    uint64_t lost_packets; /**< DOWN: on the link and waiting for it when it failed; else: lost to
                              errors meanwhile */
};

/** What a player needs. Everything pointed to must outlive it. */
struct weft_fault_play {
    const struct weft_fault_plan *plan;
    struct weft_net *net;
    void *ctx; /**< of both functions */
    /** Whether nothing that happens now matters any more. */
    bool (*over)(void *ctx);
    /** Receives each stretch when it ends. May be NULL. */
    void (*record)(void *ctx, const struct weft_fault_record *r);
};
struct weft_fault_player;
/** Carries out what happens at time 0 and asks @p p->net for the rest. Before the net has run. NULL
 * on failure. */
struct weft_fault_player *weft_fault_player_new(const struct weft_fault_play *p,
                                                struct weft_err *err);
/** What went wrong while the net ran, or code 0. */
const struct weft_err *weft_fault_player_error(const struct weft_fault_player *p);
/** Whether something is still to happen. */
bool weft_fault_player_ahead(const struct weft_fault_player *p);
/** Records what has begun and not ended. Returns how many stretches have not begun. */
size_t weft_fault_player_finish(struct weft_fault_player *p);
void weft_fault_player_free(struct weft_fault_player *p);

/* For kinds. */

/** Adds a stretch like @p like for every link that @p selector names. */
int weft_fault_plan_add_links(struct weft_fault_plan *t, const struct weft_fault_stretch *like,
                              const char *selector, struct weft_err *err);
/** Adds a stretch like @p like for every link of the switch called @p name. */
int weft_fault_plan_add_switch(struct weft_fault_plan *t, const struct weft_fault_stretch *like,
                               const char *name, struct weft_err *err);
/** Adds one stretch. */
int weft_fault_plan_add(struct weft_fault_plan *t, const struct weft_fault_stretch *s,
                        struct weft_err *err);

WEFT_C_END
#endif
