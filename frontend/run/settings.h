/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that a command makes of another program's options and files. */
#ifndef WEFT_CLI_SETTINGS_H
#define WEFT_CLI_SETTINGS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/** A list of "section.parameter=value". */
struct weft_settings {
    struct weft_arena *arena; /**< of the texts */
    const char **list;
    size_t n;
};

/** Appends one, as printf. */
__attribute__((format(printf, 3, 4))) int
weft_settings_add(struct weft_settings *s, struct weft_err *err, const char *fmt, ...);
void weft_settings_free(struct weft_settings *s);

#endif
