/* SPDX-License-Identifier: GPL-2.0-only */
/* base/os.c twice: for this system, and as other systems get it (elsewhere_...). */
#ifndef WEFT_TESTS_BASE_OS_H
#define WEFT_TESTS_BASE_OS_H

#include "base/os.h"

#ifdef __cplusplus
extern "C" {
#endif

bool elsewhere_own_file(char *path, size_t size);
bool elsewhere_program(char *path, size_t size);
unsigned elsewhere_processors(void);
bool elsewhere_end_with(pid_t parent);
FILE *elsewhere_stream_open(void *cookie, const struct weft_os_stream *functions);
int elsewhere_nameless_file(void);
bool elsewhere_reserve(int fd, off_t at, off_t bytes);

#ifdef __cplusplus
}
#endif
#endif
