/* SPDX-License-Identifier: GPL-2.0-only */
/* The shared buffer of switches: mmu_config.c sizes it, mmu.c admits packets to it. */
#ifndef WEFT_ENGINE_MMU_H
#define WEFT_ENGINE_MMU_H

#include "core/pkt.h"
#include "core/switch_state.h"
#include "engine.h"

/* mmu_config.c */
/** Whether headroom, reserve and pools fit the buffer of every switch, and thresholds are sound. */
int mmu_check_config(const struct weft_engine_config *c, struct weft_err *err);
/** Bytes that a forwarding node sets aside for headroom and reserve; the shared buffer is the
 * rest. */
void mmu_set_aside(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                   uint64_t *headroom, uint64_t *reserve);
/** The headroom that a port of link @p l has for each lossless priority; 0 without PFC. */
uint64_t mmu_headroom(const struct weft_engine_params *p, const struct weft_fabric *f,
                      const struct weft_fabric_link *l);
/** The headroom that a port of link @p l needs for each lossless priority, whatever pfc.headroom
 * is. */
uint64_t mmu_headroom_needed(const struct weft_engine_params *p, const struct weft_fabric *f,
                             const struct weft_fabric_link *l);
/** The shared buffer of a node that forwards, as its pools: [0] for all, or the lossless
 * priorities; [1] for the lossy ones with switch.lossy-share, else 0. Requires a configuration that
 * mmu_check_config accepts. */
void mmu_shared(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                uint64_t pool[2]);
/** The packet buffer of a node that forwards. */
uint64_t mmu_buffer_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                          uint32_t node);
/** Virtual channels of a lossless priority. */
uint32_t channel_count(const struct weft_engine_params *p, const struct weft_fabric *f);
/** The lossless priorities with their further virtual channels. */
uint64_t channel_prios(const struct weft_engine_params *p, const struct weft_fabric *f);
/** Whether @p k found no room because egress queue @p out of its priority is at its limit. */
bool mmu_queue_full(const struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out);
/** Whether packet @p k, made at a switch, may join queue @p out, which it is then counted in: it
 * takes nothing of the ingress, and of an egress pool what there is. */
bool mmu_make(struct weft_engine *e, const struct pkt *k, uint32_t out);
/** Packet @p k, which came in through no port, has left queue @p out. */
void mmu_made_left(const struct weft_engine *e, const struct pkt *k, uint32_t out);
/** Sizes the buffer of every switch; computes the constants of ports and priorities. */
int mmu_init(struct weft_engine *e, struct weft_err *err);
void mmu_fini(struct weft_engine *e);
/** The kind of a port of kind @p kind whose link goes at another rate; NULL when out of memory.
 * Buffer and marking are those that it was built with, or @p scaled: marking and the limit of
 * egress queues in proportion to the rate. */
const struct port_kind *mmu_kind_at_rate(struct weft_engine *e, const struct port_kind *kind,
                                         uint64_t rate_bps, bool scaled);
/** The number of a rate in mmus.rates_bps, the first if several kinds have it; NIL: out of memory.
 */
uint32_t mmu_rate_number(struct weft_engine *e, uint64_t rate_bps);

/* mmu.c */
/** mmu_admit and mmu_release beyond the reserve, or with headroom, an egress pool or a pause. */
enum weft_drop_reason mmu_admit_shared(struct weft_engine *e, const struct pkt *k, uint32_t in,
                                       uint32_t out);
void mmu_release_shared(struct weft_engine *e, const struct pkt *k, uint32_t out);
/** Marks a data packet or frame by the RED curve of @p out for an occupancy of @p qbytes. */
void ecn_mark(struct weft_engine *e, uint32_t pkt, uint32_t out, uint64_t qbytes);
/** Whether ingress (port, priority) of a switch would resume its peer if it held @p normal bytes
 * and
 * @p headroom bytes of headroom, and @p shared bytes of its pool were used. */
bool mmu_would_resume(const struct weft_engine *e, uint32_t in, uint32_t prio, uint64_t normal,
                      uint64_t headroom, uint64_t shared);

#endif
