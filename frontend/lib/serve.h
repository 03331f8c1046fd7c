/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs of libweft for programs in any language: requests and answers are JSON objects, each
 * either on a line of its own or behind its length (32 bits, most significant byte first). The
 * first byte of a session decides. docs/how-to/serve.md says what there is to ask.
 *
 * A session takes bytes and gives bytes; it does no input or output itself.
 */
#ifndef WEFT_LIB_SERVE_H
#define WEFT_LIB_SERVE_H

#include "base/err.h"
#include "net/net.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** What sessions have in common. Everything pointed to must outlive them. */
struct weft_serve_config {
    const struct weft_net_backend *const *backends; /**< the first one is the default */
    size_t nbackends;
    const char *scenario;    /**< of an `open` that names none; NULL: defaults */
    const char *const *sets; /**< "KEY=VALUE", before those of `open` */
    size_t nsets;
    uint64_t frame_bytes; /**< longest request */
    uint64_t open_max;    /**< most messages, timers and receives that are not over */
};
/** Deepest nesting of a request. */
#define WEFT_SERVE_DEPTH_MAX 8

struct weft_serve;
/** NULL: out of memory. */
struct weft_serve *weft_serve_new(const struct weft_serve_config *config);
void weft_serve_free(struct weft_serve *s);
/** Takes bytes of the client, and does what they ask. False: the session is over. */
bool weft_serve_feed(struct weft_serve *s, const char *bytes, size_t n);
/** The client has closed. 0: in order; WEFT_E_INPUT: within a frame, or before the end that its
 * protocol has, and *err says so. */
int weft_serve_end(struct weft_serve *s, struct weft_err *err);
/** What is to be sent to the client; weft_serve_sent() says that it was. */
const char *weft_serve_output(const struct weft_serve *s, size_t *n);
void weft_serve_sent(struct weft_serve *s);

WEFT_C_END
#endif
