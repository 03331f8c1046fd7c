/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration of an engine, and properties that are known before one is made.
 */
#ifndef WEFT_ENGINE_CONFIG_H
#define WEFT_ENGINE_CONFIG_H

#include "engine_params.h"
#include "engine_trace.h"

#include "base/figures.h"
#include "congestion/cc.h"
#include "topologies/fabric.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Arguments of weft_engine_new; everything pointed to must outlive the engine, params and hooks
 * are copied. */
struct weft_engine_config {
    const struct weft_fabric *fabric; /**< finished */
    struct weft_engine_params params;
    const struct weft_cc_ops *cc; /**< of dimensions that name none of their own */
    const void *cc_params;        /**< filled struct of cc->params */
    uint64_t seed;                /**< of every random stream */
    struct weft_engine_hooks hooks;
    /** Processes that weft_engine_set_peers is going to name: ports that only nodes of others have
     * to do with take no memory, and no link may change (weft_engine_change_links). NULL: all
     * ports have records. */
    const struct weft_peers *peers;
};

/** Checks a configuration: headroom, reserve and pools fit the buffer, Kmin <= Kmax, priorities in
 * range, MTU, ... */
int weft_engine_check_config(const struct weft_engine_config *c, struct weft_err *err);
/** A sort of packets that switches are to take. */
struct weft_engine_packet {
    const char *what; /**< "a full packet" */
    uint32_t prio;
    uint64_t frame_bytes;
    bool data; /**< may be trimmed */
};
/** Of a configuration that weft_engine_check_config accepts: whether every switch has room for such
 * a packet when it is empty. WEFT_E_INPUT names the limit that is below it. */
int weft_engine_check_room(const struct weft_engine_config *c, const struct weft_engine_packet *k,
                           struct weft_err *err);
/** Whether routes of @p f over the links whose byte in @p down is 0 (NULL: all) cannot deadlock.
 * WEFT_E_INPUT names a circle; 0 when nothing is lossless, or pfc.allow-deadlock. */
int weft_engine_check_links(const struct weft_fabric *f, const struct weft_pfc_params *p,
                            const uint8_t *down, struct weft_err *err);
/**
 * Says of a configuration that weft_engine_check_config accepts, one sentence each, under which
 * settings its congestion controls can't act, with the numbers. @p roce: RoCE is used; else only
 * frames of other transports are looked at.
 */
void weft_engine_advise(const struct weft_engine_config *c, bool roce,
                        void (*fn)(void *ctx, const char *sentence), void *ctx);
/** Values of ecn.kmin, .kmax or .pmax (@p what: its name) at the switches for the data priority:
 * "1.6MB at 400Gbps" for each sort of port, as far as @p buf takes them. */
void weft_engine_marking_text(const struct weft_engine_config *c, const char *what, char *buf,
                              size_t size);
/** The same of the headroom of each lossless priority, which pfc.headroom=0B computes. Empty: there
 * is none. */
void weft_engine_headroom_text(const struct weft_engine_config *c, char *buf, size_t size);
/** Adds up what a configuration gives to buffers, and sets aside in them. */
void weft_engine_buffer_sums(const struct weft_engine_config *c, struct weft_buffer_figures *out);

WEFT_C_END
#endif
