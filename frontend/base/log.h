/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leveled log lines, handed to a sink that the caller chooses.
 *
 * There is no global log: a struct weft_log is passed to whoever has something to say. A NULL
 * log is allowed everywhere and drops every line.
 */
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

WEFT_C_BEGIN

/** How much a line matters; a log passes on those up to its own level. */
enum weft_log_level {
    WEFT_LOG_ERROR,   /**< something failed */
    WEFT_LOG_WARNING, /**< the result may not be what the user wanted */
    WEFT_LOG_INFO,    /**< what is being done */
    WEFT_LOG_DEBUG,   /**< how it is being done */
    WEFT_LOG_LEVELS   /**< how many levels there are */
};

/** Longest line, with its terminator; a longer one is cut and ends in "...". */
#define WEFT_LOG_LINE_MAX 1024

/** Receives one line without its line end; @p line is valid during the call only. */
typedef void (*weft_log_sink)(void *user, enum weft_log_level level, const char *line);

/** A log. Zero-initialised it has no sink and only counts. */
struct weft_log {
    enum weft_log_level level;       /**< lines above it are dropped */
    weft_log_sink sink;              /**< may be NULL */
    void *user;                      /**< handed to the sink */
    uint64_t count[WEFT_LOG_LEVELS]; /**< lines reported so far per level, dropped ones included */
};

/** Reports one line. (In C++ the function hides the struct's bare name: write `struct weft_log`.)
 */
void weft_log(struct weft_log *log, enum weft_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Where weft_log_file_sink writes: its `user`. */
struct weft_log_file {
    FILE *f;
    bool color; /**< the level's word in colour */
};

/** A sink that writes "weft: warning: <line>" to the struct weft_log_file at @p user (info: "weft:
 * <line>"). */
void weft_log_file_sink(void *user, enum weft_log_level level, const char *line);

/**
 * Whether to write colours: only to a terminal, and not when the user said no.
 * @param is_tty    isatty() of the stream
 * @param no_color  getenv("NO_COLOR"): set and not empty means no (https://no-color.org)
 * @param term      getenv("TERM"): unset or "dumb" means no
 */
bool weft_log_wants_color(bool is_tty, const char *no_color, const char *term);

/** "error" "warning" "info" "debug". */
const char *weft_log_level_name(enum weft_log_level level);

WEFT_C_END
#endif
