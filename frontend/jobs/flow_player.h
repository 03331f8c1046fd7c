/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays flows: each is one message, posted at its start through a timer of the net. Of the flows
 * ahead only the next is known.
 */
#ifndef WEFT_JOBS_FLOW_PLAYER_H
#define WEFT_JOBS_FLOW_PLAYER_H

#include "net/net.h"
#include "workload/flows.h"

/** What is played. Everything pointed to must outlive the player. */
struct weft_flow_play {
    struct weft_net *net;
    struct weft_flow_source *source;
    /** Optional. Whether no more flows are to be begun; asked when one is due. */
    bool (*enough)(void *ctx);
    void *ctx;
};

struct weft_flow_player;

/** NULL: WEFT_E_LIMIT. */
struct weft_flow_player *weft_flow_player_new(const struct weft_flow_play *p, struct weft_err *err);
void weft_flow_player_free(struct weft_flow_player *p);
/** Arms the first start; the source begins now. The message of the i-th flow has i as its tag and
 * reference. */
int weft_flow_player_start(struct weft_flow_player *p, struct weft_err *err);
/** To be called when the last byte of the message of the flow @p number has come to its receiver.
 */
void weft_flow_player_received(struct weft_flow_player *p, uint64_t number);
/** To be called when a message has been sent. */
void weft_flow_player_sent(struct weft_flow_player *p);
/** Whether every flow has been posted and sent. */
bool weft_flow_player_finished(const struct weft_flow_player *p);
/** Flows posted, and of them sent. */
uint64_t weft_flow_player_posted(const struct weft_flow_player *p);
uint64_t weft_flow_player_done(const struct weft_flow_player *p);
/** The first failure inside a callback, which stopped the net; code 0: none. */
const struct weft_err *weft_flow_player_error(const struct weft_flow_player *p);

#endif
