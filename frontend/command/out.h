/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output, with the reason why it cannot be written to. */
#ifndef WEFT_CLI_OUT_H
#define WEFT_CLI_OUT_H

#include "base/err.h"

#include <stdio.h>

WEFT_C_BEGIN

/** A stream of answers. */
struct weft_out {
    int fd;
    int failed_errno; /**< of the first write that failed; 0: none did */
};

/** Opens a stream on @p o->fd: by lines on a terminal, else in blocks. @p o must outlive it. NULL:
 * out of memory. */
FILE *weft_out_open(struct weft_out *o);
/** Writes out what the stream holds. WEFT_E_IO when that, or any write before, failed. */
int weft_out_finish(FILE *f, const struct weft_out *o, struct weft_err *err);

WEFT_C_END
#endif
