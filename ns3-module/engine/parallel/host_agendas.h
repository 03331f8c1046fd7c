/* SPDX-License-Identifier: GPL-2.0-only */
/* Events at hosts, by the thread that runs them: host_parts.h. */
#ifndef WEFT_ENGINE_HOST_AGENDAS_H
#define WEFT_ENGINE_HOST_AGENDAS_H

#include "core/heap.h"
#include "core/fastq.h"
#include "engine.h"

struct agenda;
struct host_part;
struct host_parts;

/** Decides whether the hosts are run in parts as things are: at first, and whenever one of the
 * reasons against has changed. */
void host_agendas_choose(struct weft_engine *e);
/** Events go back to the engine's own agenda. */
void host_agendas_gather(struct weft_engine *e);
/** State of the thread of a host. */
struct host_part *host_part_of(struct weft_engine *e, uint32_t host);
/** The cluster (clusters.h) of a host. */
uint32_t cluster_of_host(const struct weft_engine *e, uint32_t host);
/** The agenda of a host. */
struct agenda *host_agenda(struct weft_engine *e, uint32_t host);
/** Agenda @p i of all that there are: the engine's own, then those of hosts; NULL: no more. */
struct agenda *host_agendas_at(struct weft_engine *e, unsigned i);
/** The agendas of all threads may change. */
void host_agendas_change(struct weft_engine *e);
/** Adds the arrival at a host, or a transmission of one. */
void host_agendas_push(struct weft_engine *e, int64_t t, enum ev_kind kind, uint32_t port);
/** Adds it to @p a, which may have come to a later time. */
void host_agendas_put(struct weft_engine *e, struct agenda *a, int64_t t, enum ev_kind kind,
                      uint32_t port);
/** The cluster (clusters.h) that an entry with this id (heap.h) is about; NIL: none, or the user
 * knows. */
uint32_t cluster_of_entry(const struct weft_engine *e, uint64_t id);
/** Whether host @p host has been run beyond now. */
bool host_agendas_beyond(const struct weft_engine *e, uint32_t host);
/** Hosts may have been run to that time, INT64_MIN: they never were run beyond the clock. */
int64_t host_agendas_done_ps(const struct weft_engine *e);
/** How far beyond the clock hosts are run at most; 0: not at all. */
int64_t host_agendas_span_ps(const struct weft_engine *e);
/** The host at port @p port is no further than the clock: replay has brought it back.
 */
void host_agendas_back(struct weft_engine *e, uint32_t port);
/** Memory that the agendas take. */
uint64_t host_agendas_bytes(const struct weft_engine *e);
void host_agendas_free(struct host_parts *parts);

#endif
