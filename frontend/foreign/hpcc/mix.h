/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's packet trace (TRACE_OUTPUT_FILE, mix.tr), which its trace_reader takes: the rate of every
 * port, the window, and a record of 56 bytes for each packet that a traced node receives, queues,
 * begins to send or loses. All numbers are little-endian.
 *
 *   u32 ports, per port: u16 node, u8 interface, u64 bit/s; u32 window in bytes
 *   record: 0 u64 time in ns   8 u16 node   10 u8 interface   11 u8 queue   12 u32 bytes waiting
 *           there   16 u32 source   20 u32 destination   24 u16 size   26 u8 protocol
 *           27 u8 event (0 received, 1 queued, 2 sent, 3 lost)   28 u8 ECN   29 u8 type (0 host)
 *   data    32 u16 sport, dport   36 u32 sequence   40 u64 time stamp   48 u16 group, payload
 *   ACK     32 u16 sport, dport, flags, group   40 u32 sequence   48 u64 time stamp
 *   PFC     32 u32 time, bytes waiting   40 u8 queue
 *   CNP     35 u8 ECN
 *
 * As there: a packet that is queued does not count among what waits, and one that is received finds
 * queue 0; hosts tell no queues.
 */
#ifndef WEFT_HPCC_MIX_H
#define WEFT_HPCC_MIX_H

#include "foreign/hpcc/qp.h"
#include "foreign/hpcc/trace.h"
#include "net/net.h"

#define WEFT_HPCC_MIX_RECORD 56

/** What is traced. Everything pointed to must outlive the trace. */
struct weft_hpcc_mix_config {
    const char *path;
    const struct weft_fabric *fabric;
    const struct weft_hpcc_trace *nodes; /**< none: the head alone is written */
    const struct weft_hpcc_qps *qps;
    uint64_t payload_bytes; /**< of a full packet */
    uint64_t pause_us;      /**< that a pause is said to last */
    uint64_t window_bytes;
};

struct weft_hpcc_mix;

/** Writes the head. NULL on failure. */
struct weft_hpcc_mix *weft_hpcc_mix_new(const struct weft_hpcc_mix_config *c, struct weft_err *err);
/** By port, not 0 for those of traced nodes. */
const uint8_t *weft_hpcc_mix_ports(const struct weft_hpcc_mix *m);
/** What waits at the egress of a port. */
void weft_hpcc_mix_queue(struct weft_hpcc_mix *m, uint32_t port, uint32_t prio, uint64_t bytes);
/** Writes the record of a packet; those of unknown QPs have none. */
void weft_hpcc_mix_packet(struct weft_hpcc_mix *m, const struct weft_net_packet *w);
int weft_hpcc_mix_flush(struct weft_hpcc_mix *m, struct weft_err *err);
/** Closes the file and frees, reporting any failed write. NULL is allowed. */
int weft_hpcc_mix_close(struct weft_hpcc_mix *m, struct weft_err *err);

#endif
