/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capturing what passes links and ports into files.
 *
 * A capture of a link shows both directions, each frame when its sender begins to send it, those
 * that the link loses included. A capture of a port shows what the port sends, when it begins, and
 * what it receives, when the last bit is there. Frames are those of wire.h.
 */
#ifndef WEFT_CAPTURE_H
#define WEFT_CAPTURE_H

#include "wire.h"

WEFT_C_BEGIN

/** Section "capture". */
struct weft_capture_params {
    const char *links; /**< see weft_capture_select; "": none */
    uint64_t snaplen_bytes;
    int operation; /**< enum weft_wire_operation */
    int tag;       /**< 802.1Q tags */
};
extern const struct weft_param_table weft_capture_table;

struct weft_capture;

/** @p wire is taken as it is but for operation and untagged. NULL on failure. */
struct weft_capture *weft_capture_new(const struct weft_capture_params *params,
                                      const struct weft_wire_config *wire, struct weft_err *err);
/** Closes all files; NULL is allowed. */
void weft_capture_free(struct weft_capture *c);
/** Opens a file for a port. */
int weft_capture_add_port(struct weft_capture *c, uint32_t port, const char *path,
                          struct weft_err *err);
/** Opens DIR/NAME.pcap for each link of params.links, NAME as of weft_capture_name; makes the
 * folder. */
int weft_capture_add_links(struct weft_capture *c, const char *dir, struct weft_err *err);
/** Hands all frames to the operating system; also reports the first failure of the calls below. */
int weft_capture_flush(struct weft_capture *c, struct weft_err *err);

/** The field packet_events of the hooks. */
const uint8_t *weft_capture_events(const struct weft_capture *c);
/** The hook `packet`. */
void weft_capture_packet(struct weft_capture *c, int64_t t_ps, uint32_t port,
                         enum weft_pkt_event what, const struct weft_engine_pkt_view *pkt);
/** The hook `posted`. */
void weft_capture_posted(struct weft_capture *c, const struct weft_completion *msg);

/**
 * Sets chosen[link] for each link that @p links names: words joined by commas, each "all", "hosts"
 * (links of hosts), a node ("h3", "s16": all its links), two nodes joined by '-' ("h3-s16"), or the
 * number of a link. WEFT_E_INPUT: a word names nothing.
 */
int weft_capture_select(const struct weft_fabric *f, const char *links, uint8_t *chosen,
                        struct weft_err *err);
/** Longest text of weft_capture_name. */
#define WEFT_CAPTURE_NAME_MAX 64
/** The name of a link: "h0-s16"; where several join the two nodes "h0-s16.link4". Returns @p buf.
 */
const char *weft_capture_name(const struct weft_fabric *f, uint32_t link,
                              char buf[WEFT_CAPTURE_NAME_MAX]);

WEFT_C_END
#endif
