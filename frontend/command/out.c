/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard output that remembers why a write failed: a stdio stream forgets it, the write function
 * of this stream does not.
 */
#include "command/out.h"

#include "base/file.h"
#include "base/os.h"

#include <errno.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

static ssize_t command_out_put(void *cookie, const char *data, size_t size)
{
    struct weft_out *o = (struct weft_out *)cookie;
    const ssize_t n = weft_fd_write(o->fd, data, size);
    if ((size_t)n < size && !o->failed_errno)
        o->failed_errno = errno;
    return n; /* fewer are an error for the stream */
}

FILE *weft_out_open(struct weft_out *o)
{
    static const struct weft_os_stream functions = {.write = command_out_put};
    FILE *f = weft_os_stream_open(o, &functions);
    if (f)
        setvbuf(f, NULL, isatty(o->fd) ? _IOLBF : _IOFBF, BLOCK_BYTES);
    return f;
}

int weft_out_finish(FILE *f, const struct weft_out *o, struct weft_err *err)
{
    if (fflush(f) == 0 && !ferror(f))
        return 0;
    return weft_file_error(err, "standard output", "write", o->failed_errno);
}
