/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the rows of a sweep say: a line that several say is told once.
 */
#ifndef WEFT_SWEEP_LOG_H
#define WEFT_SWEEP_LOG_H

#include <stdio.h>

struct weft_sweep_line;

/** Zero-initialised nothing has been said. */
struct weft_sweep_log {
    struct weft_sweep_line *lines;
    size_t again; /**< lines that were not told, because another row had said them */
};

/** Writes the lines of @p text that were not written before to @p out. Out of memory it writes them
 * all the same. */
void weft_sweep_log_print(struct weft_sweep_log *s, const char *text, FILE *out);
/** Forgets everything. */
void weft_sweep_log_free(struct weft_sweep_log *s);

#endif
