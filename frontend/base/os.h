/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What operating systems do not agree on, all of it: Linux's own ways on Linux, elsewhere those of
 * POSIX, or nothing where that does no harm. No other file asks which system it is compiled for.
 */
#ifndef WEFT_BASE_OS_H
#define WEFT_BASE_OS_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

WEFT_C_BEGIN

/** What this process has now, bytes; 0: the system does not say. */
struct weft_os_bytes {
    uint64_t addresses; /**< mapped, which ulimit -v limits */
    uint64_t resident;
};
void weft_os_memory(struct weft_os_bytes *out);

/** Writes the path of the file that this code lies in, a program or a library; false: the system
 * does not say, or it is longer than @p size. */
bool weft_os_own_file(char *path, size_t size);
/** The same of the program. */
bool weft_os_program(char *path, size_t size);

/** Processors that this process may use, 1 or more. */
unsigned weft_os_processors(void);
/** To be called by a process that @p parent has just forked: it is killed when that ends, on Linux.
 * False: that has ended by now. */
bool weft_os_end_with(pid_t parent);
/** A signal without "SIG": "KILL"; "?": another. */
const char *weft_os_signal_name(int number);

/** What a stream calls; NULL: it does not read, or write, or has nothing to close. */
struct weft_os_stream {
    ssize_t (*read)(void *cookie, char *buf, size_t size);
    ssize_t (*write)(void *cookie, const char *data, size_t size); /**< fewer than size: an error */
    int (*close)(void *cookie);
};
/** Opens a stream over functions, to read if there is one for that, else to write. NULL: out of
 * memory. */
FILE *weft_os_stream_open(void *cookie, const struct weft_os_stream *functions);

/** A file that has no name, in memory where there are such; it ends with the last that has it
 * open. -1 and errno: it can't be made. */
int weft_os_nameless_file(void);
/** Has @p bytes from @p at on the disk for a file; false and errno: there is no room. Some systems
 * only make the file so long. */
bool weft_os_reserve(int fd, off_t at, off_t bytes);

/** Writes the limits of memory that are in force for this process and what it has, as the end of a
 * message: "; ulimit -v ..."; "" where there is none. */
void weft_os_memory_limits(char *buf, size_t size);

WEFT_C_END
#endif
