/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the rows of a sweep say: a line that several say is told once.
 */
#ifndef WEFT_CLI_SWEEP_SAID_H
#define WEFT_CLI_SWEEP_SAID_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_sweep_line;

/** Zero-initialised nothing has been said. */
struct weft_sweep_said {
    struct weft_sweep_line *lines;
    size_t again; /**< lines that were not told, because another row had said them */
};

/** Writes the lines of @p text that were not written before to @p out. Out of memory it writes them
 * all the same. */
void weft_sweep_said_tell(struct weft_sweep_said *s, const char *text, FILE *out);
/** Forgets everything. */
void weft_sweep_said_free(struct weft_sweep_said *s);

#ifdef __cplusplus
}
#endif
#endif
