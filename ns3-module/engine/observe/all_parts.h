/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters and diagnostics of several processes together. */
#ifndef WEFT_ENGINE_ALL_PARTS_H
#define WEFT_ENGINE_ALL_PARTS_H

#include "engine.h"

/** The process that reports on QP @p qp. */
struct all_parts_speaker {
    struct weft_engine *e;
    uint32_t qp;
};

/** Totals of all processes. */
const struct weft_totals *all_parts_totals(struct weft_engine *e);
/** Counters of a port of any process, and what waits there by priority; NULL, and the engine has
 * failed: there is no memory. */
const struct weft_port_counters *all_parts_port(struct weft_engine *e, uint32_t port,
                                                const uint64_t **queue_bytes);
/** Copies from the other processes what pauses there are, and how full queues are, to the records
 * of their ports here, until they are given back. With one process it does nothing. */
void all_parts_borrow(struct weft_engine *e);
void all_parts_give_back(struct weft_engine *e);
/** Keeps what is said of a QP until all_parts_say. @p speaker: a struct all_parts_speaker. */
void all_parts_note_text(void *speaker, const char *text);
/** Says what all processes have kept, in the order of QPs, @p max of it at most; returns how much.
 */
uint64_t all_parts_say(struct weft_engine *e, uint64_t max, void (*fn)(void *, const char *),
                       void *ctx);
void all_parts_fini(struct weft_engine *e);

#endif
