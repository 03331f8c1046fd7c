/* SPDX-License-Identifier: GPL-2.0-only */
/* Options --time-limit and --memory-limit of commands that simulate. */
#include "run/limits.h"

#include "base/os.h"
#include "base/units.h"
#include "run/watchdog.h"

#include <stdio.h>

/* A value that is none: the command line is wrong. */
static int limits_refuse(struct weft_err *err, const char *option, const char *value)
{
    weft_err_prepend(err, "%s %s", option, value);
    return err->code = WEFT_E_USAGE;
}

int weft_limits_read(const char *time, const char *memory, const char *watchdog,
                     struct weft_run_limits *out, struct weft_err *err)
{
    int64_t ps = 0, event_ps = 0;
    *out = (struct weft_run_limits){0};
    if (time && weft_parse_time_ps(time, &ps, err))
        return limits_refuse(err, "--time-limit", time);
    if (memory && weft_parse_size_bytes(memory, &out->rss_bytes, err))
        return limits_refuse(err, "--memory-limit", memory);
    if (watchdog && weft_parse_time_ps(watchdog, &event_ps, err))
        return limits_refuse(err, "--watchdog", watchdog);
    out->wall_ns = ps / WEFT_PS_PER_NS;
    out->event_ns = watchdog && !event_ps ? -1 : event_ps / WEFT_PS_PER_NS;
    if (event_ps && out->event_ns < WEFT_WATCHDOG_LEAST_NS)
        return weft_err_set(err, WEFT_E_USAGE, "--watchdog %s: at least 100ms, or 0s: never",
                            watchdog);
    if ((time && !out->wall_ns) || (memory && !out->rss_bytes))
        return weft_err_set(err, WEFT_E_USAGE, "%s: a limit is above 0",
                            time && !out->wall_ns ? "--time-limit" : "--memory-limit");
    return 0;
}

bool weft_limits_exceeded(const struct weft_run_limits *l, int64_t wall_ns)
{
    struct weft_os_bytes now = {0};
    if (l->rss_bytes)
        weft_os_memory(&now);
    return (l->wall_ns && wall_ns > l->wall_ns) || (l->rss_bytes && now.resident > l->rss_bytes);
}

void weft_limits_text(const struct weft_run_limits *l, int64_t wall_ns, char *text, size_t size)
{
    char limit[WEFT_UNIT_TEXT_MAX];
    if (l->wall_ns && wall_ns > l->wall_ns)
        snprintf(text, size, "stopped at --time-limit %s",
                 weft_format_time(l->wall_ns * WEFT_PS_PER_NS, limit));
    else
        snprintf(text, size, "stopped at --memory-limit %s", weft_format_size(l->rss_bytes, limit));
}
