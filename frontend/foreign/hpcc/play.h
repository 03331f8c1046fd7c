/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays a flow list on a network and writes HPCC's outputs as things happen.
 *
 * Each flow is one message, posted at its start through a timer of the net. A flow is complete when
 * its sender has the last ACK; that is when the simulator measures. Order of use:
 *   new, create the net with weft_hpcc_play_observer, start, run the net, finish, free.
 */
#ifndef WEFT_HPCC_PLAY_H
#define WEFT_HPCC_PLAY_H

#include "foreign/hpcc/flow.h"
#include "foreign/hpcc/mix.h"
#include "foreign/hpcc/qlen.h"
#include "foreign/hpcc/slowdown.h"
#include "net/net.h"

/** What is played. Everything pointed to must outlive the player. */
struct weft_hpcc_play_config {
    const struct weft_fabric *fabric;
    const struct weft_hpcc_flows *flows; /**< checked, with their RTTs */
    uint64_t payload_bytes;
    /** the links between nodes down_a and down_b fail at down_ps; WEFT_NEVER: none does */
    int64_t down_ps;
    uint32_t down_a, down_b;
    bool whole_ns;          /**< starts are rounded to the nearest nanosecond */
    bool numbers_are_ports; /**< QP numbers are source and destination port alone, as
                               transport.ecmp=hpcc reads them */
    const char *fct_path;   /**< NULL: not written */
    const char *pfc_path;   /**< NULL: not written */
    const char *qlen_path;  /**< NULL: not written */
    int64_t qlen_start_ps, qlen_end_ps;
    const char *mix_path;                 /**< NULL: not written */
    const struct weft_hpcc_trace *traced; /**< with mix_path: the nodes */
    uint64_t pause_us, window_bytes;      /**< with mix_path: see foreign/hpcc/mix.h */
    struct weft_net_observer inner;       /**< also told of everything */
};

struct weft_hpcc_play;

/** Opens the output files; NULL on failure. */
struct weft_hpcc_play *weft_hpcc_play_new(const struct weft_hpcc_play_config *c,
                                          struct weft_err *err);
void weft_hpcc_play_free(struct weft_hpcc_play *p);
/** The observer to create the net with. */
struct weft_net_observer weft_hpcc_play_observer(struct weft_hpcc_play *p);
/** Installs itself as the sink of @p net and arms the first start. */
int weft_hpcc_play_start(struct weft_hpcc_play *p, struct weft_net *net, struct weft_err *err);
/** Whether links are still to fail. */
bool weft_hpcc_play_ahead(const struct weft_hpcc_play *p);
/** How many flows are complete. */
size_t weft_hpcc_play_done(const struct weft_hpcc_play *p);
/** The first failure inside a callback; code 0: none. */
const struct weft_err *weft_hpcc_play_error(const struct weft_hpcc_play *p);
/** Hands all lines to the operating system. */
int weft_hpcc_play_flush(struct weft_hpcc_play *p, struct weft_err *err);
/** Writes what is due by the end of the run at @p reached_ps, and closes the files, reporting any
 * failed write. */
int weft_hpcc_play_finish(struct weft_hpcc_play *p, int64_t reached_ps, struct weft_err *err);
/** Size and slowdown of the complete flows, in order of completion; the caller may reorder them. */
struct weft_hpcc_fct *weft_hpcc_play_fcts(struct weft_hpcc_play *p, size_t *n);

#endif
