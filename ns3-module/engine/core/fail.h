/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors that end a run. */
#ifndef WEFT_ENGINE_FAIL_H
#define WEFT_ENGINE_FAIL_H

struct weft_engine;
struct stable;

/** Records the first fatal error and stops the loop; returns its code. */
int engine_fail(struct weft_engine *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** The same of records for @p what, of which there are as many as there may be, or memory for. */
int engine_full(struct weft_engine *e, const struct stable *s, const char *what);

#endif
