/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing list of settings "section.key=value" that a command derives from another program's
 * options.
 */
#include "run/settings.h"

#include "base/file.h"
#include "base/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int weft_settings_add(struct weft_settings *s, struct weft_err *err, const char *fmt, ...)
{
    va_list args;
    char text[WEFT_PATH_MAX + 64];
    va_start(args, fmt);
    const int len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof text)
        return weft_err_set(err, WEFT_E_LIMIT, "a setting of %d bytes is too long: %.60s...", len,
                            text);
    const char *copy = weft_arena_strdup(s->arena, text);
    if (!copy || !WEFT_GROW_ONE(s->list, s->n))
        return weft_err_no_memory(err, "settings");
    s->list[s->n++] = copy;
    return 0;
}

void weft_settings_free(struct weft_settings *s)
{
    free(s->list);
    s->list = NULL;
    s->n = 0;
}
