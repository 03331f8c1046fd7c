/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing capture files: pcap 2.4 with nanoseconds (magic 0xa1b23c4d), Ethernet, little-endian on
 * every machine.
 */
#ifndef WEFT_PCAP_H
#define WEFT_PCAP_H

#include "base/err.h"

struct weft_pcap;

/** Creates or replaces @p path; NULL on failure. At most @p snaplen bytes of a frame are kept. */
struct weft_pcap *weft_pcap_open(const char *path, uint32_t snaplen, struct weft_err *err);
/** Adds a frame of @p length bytes at @p t_ps, of which @p bytes holds the first snaplen at least.
 * A failure shows in weft_pcap_flush. */
void weft_pcap_write(struct weft_pcap *p, int64_t t_ps, const uint8_t *bytes, size_t length);
/** Hands all frames to the operating system. */
int weft_pcap_flush(struct weft_pcap *p, struct weft_err *err);
/** Closes the file; NULL is allowed. */
void weft_pcap_close(struct weft_pcap *p);

#endif
