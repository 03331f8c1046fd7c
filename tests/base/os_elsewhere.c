/* SPDX-License-Identifier: GPL-2.0-only */
/* base/os.c as it is compiled for systems that are not Linux, over BSD's funopen made of Linux's.
 */
#define _GNU_SOURCE
#include "tests/base/os.h"

#include <stdlib.h>

#undef __linux__
#define weft_os_own_file elsewhere_own_file
#define weft_os_program elsewhere_program
#define weft_os_processors elsewhere_processors
#define weft_os_end_with elsewhere_end_with
#define weft_os_signal_name elsewhere_signal_name
#define weft_os_stream_open elsewhere_stream_open
#define weft_os_nameless_file elsewhere_nameless_file
#define weft_os_reserve elsewhere_reserve
#define weft_os_memory elsewhere_memory
#define weft_os_memory_limits elsewhere_memory_limits

const char *elsewhere_signal_name(int number);
void elsewhere_memory(struct weft_os_bytes *out);
void elsewhere_memory_limits(char *buf, size_t size);

struct functions {
    void *cookie;
    int (*read)(void *cookie, char *buf, int size);
    int (*write)(void *cookie, const char *data, int size);
    int (*close)(void *cookie);
};

static ssize_t pass_read(void *cookie, char *buf, size_t size)
{
    const struct functions *f = cookie;
    return f->read(f->cookie, buf, (int)size);
}

static ssize_t pass_write(void *cookie, const char *data, size_t size)
{
    const struct functions *f = cookie;
    return f->write(f->cookie, data, (int)size);
}

static int pass_close(void *cookie)
{
    struct functions *f = cookie;
    const int rc = f->close(f->cookie);
    free(f);
    return rc;
}

static FILE *funopen(const void *cookie, int (*in)(void *, char *, int),
                     int (*out)(void *, const char *, int), off_t (*seek)(void *, off_t, int),
                     int (*end)(void *))
{
    struct functions *f = malloc(sizeof *f);
    *f = (struct functions){(void *)(uintptr_t)cookie, in, out, end};
    (void)seek;
    const cookie_io_functions_t functions = {
        .read = in ? pass_read : NULL, .write = out ? pass_write : NULL, .close = pass_close};
    return fopencookie(f, in ? "r" : "w", functions);
}

#include "frontend/base/os.c"
