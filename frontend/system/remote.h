/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of remote memories. */
#ifndef WEFT_SYSTEM_REMOTE_H
#define WEFT_SYSTEM_REMOTE_H

#include "system/system_internal.h"

/* remote_file.c */
/** Takes the values of p->remote_file, if any. */
int weft_remote_read(const struct weft_workload *w, struct weft_system_params *p,
                     struct weft_err *err);

/* remote.c */
/** Payload of the message that asks for data, and of the one that says that it is stored. */
#define WEFT_REMOTE_REQUEST_BYTES 64u
/** Fills in what a file or the dimensions say about remote memory. */
int weft_remote_resolve(const struct weft_workload *w, const struct weft_dims *dims,
                        struct weft_system_params *p, struct weft_err *err);
/** Checks the parameters; that @p fabric (may be NULL) has hosts for the memories. */
int weft_remote_check(const struct weft_workload *w, const struct weft_system_params *p,
                      const struct weft_fabric *fabric, struct weft_err *err);
int weft_remote_begin(struct weft_system *s, struct weft_err *err);
static inline bool weft_is_remote(const struct weft_system_params *p, const struct weft_op *op)
{
    return p->remote_memory != WEFT_REMOTE_NONE && op->kind == WEFT_OP_MEM && op->tensor_bytes;
}
/** Payload of the messages of an access, 0 when it has none. */
static inline uint64_t weft_remote_message_bytes(const struct weft_system_params *p,
                                                 const struct weft_op *op)
{
    return weft_is_remote(p, op) && p->remote_traffic ? op->tensor_bytes + WEFT_REMOTE_REQUEST_BYTES
                                                      : 0;
}
/** Begins the access of a MEM op; at its end calls over(a, 0), or weft_remote_received() says so.
 */
void weft_remote_access(struct weft_active *a, void (*over)(void *ctx, uint64_t arg));
/** A message to or from a memory has come in; returns the op whose access is over, or NULL. */
struct weft_active *weft_remote_received(struct weft_system *s, const struct weft_completion *done);

#endif
