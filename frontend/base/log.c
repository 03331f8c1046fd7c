/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leveled log lines: formatting, filtering, and the sink that writes to a stream.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

const char *weft_log_level_name(enum weft_log_level level)
{
    static const char *const names[WEFT_LOG_LEVELS] = {"error", "warning", "info", "debug"};
    return (unsigned)level < WEFT_LOG_LEVELS ? names[level] : "unknown";
}

void weft_log(struct weft_log *log, enum weft_log_level level, const char *fmt, ...)
{
    char line[WEFT_LOG_LINE_MAX];
    if (!log || (unsigned)level >= WEFT_LOG_LEVELS)
        return;
    log->count[level]++;
    if (!log->sink || level > log->level)
        return;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0)
        snprintf(line, sizeof line, "(line could not be formatted)");
    else if ((size_t)n >= sizeof line)
        memcpy(line + sizeof line - 4, "...", 4);
    log->sink(log->user, level, line);
}

void weft_log_file_sink(void *user, enum weft_log_level level, const char *line)
{
    static const char *const colors[WEFT_LOG_LEVELS] = {"\033[1;31m", "\033[1;33m", "", "\033[2m"};
    const struct weft_log_file *out = user;
    const char *color = out->color ? colors[level] : "";
    if (level == WEFT_LOG_INFO)
        fprintf(out->f, "weft: %s\n", line);
    else
        fprintf(out->f, "weft: %s%s:%s %s\n", color, weft_log_level_name(level),
                out->color ? "\033[0m" : "", line);
}

bool weft_log_wants_color(bool is_tty, const char *no_color, const char *term)
{
    if (!is_tty || (no_color && no_color[0] != '\0'))
        return false;
    return term && term[0] != '\0' && strcmp(term, "dumb") != 0;
}
