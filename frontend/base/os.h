/* SPDX-License-Identifier: GPL-2.0-only */
/* What operating systems do not agree on: Linux's own ways here, else POSIX's. */
#ifndef WEFT_BASE_OS_H
#define WEFT_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/** Writes the limits of memory that are in force for this process and what it has, as the end of a
 * message: "; ulimit -v ..."; "" where there is none. */
void weft_os_memory_limits(char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
