/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and formats figures of a summary for people, by their keys in run.json. */
#include "report/figure_text.h"

#include "base/units.h"
#include "report/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The unit that the end of a key of run.json stands for. */
struct unit {
    const char *end;
    bool dropped; /* not part of the name */
    const char *(*format)(double v, char *buf);
};

static const char *as_time(double ns, char *buf)
{
    return weft_human_time((int64_t)(ns * 1000), buf);
}

static const char *as_size(double bytes, char *buf)
{
    return weft_human_size((uint64_t)bytes, buf);
}

static const char *as_rate(double bps, char *buf)
{
    return weft_human_rate(bps, buf);
}

static const struct unit units[] = {
    {"_ns", true, as_time},
    {"_bytes", true, as_size},
    {"_bps", true, as_rate},
    {"bytes", false, as_size},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static const struct unit *unit_of(const char *key)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (ends_with(key, units[i].end))
            return &units[i];
    return NULL;
}

/* The last part of a key as metrics have it: two of workloads are others in run.json. */
static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;
    if (strncmp(key, "job.", 4) != 0)
        return last;
    return strcmp(last, "duration_ns") == 0 ? "time_ns"
           : strcmp(last, "alone_ns") == 0  ? "alone_time_ns"
                                            : last;
}

const char *weft_figure_name(const char *key, char buf[WEFT_FIGURE_TEXT_MAX])
{
    const enum weft_metric_scope scope = strncmp(key, "job.", 4) == 0     ? WEFT_METRIC_OF_JOB
                                         : strncmp(key, "class.", 6) == 0 ? WEFT_METRIC_OF_CLASS
                                                                          : WEFT_METRIC_OF_RUN;
    const char *last = scope == WEFT_METRIC_OF_RUN ? key : last_part(key);
    const char *dot = scope == WEFT_METRIC_OF_RUN ? NULL : strrchr(key, '.');
    size_t n;
    const struct weft_metric *m = weft_metrics_of(scope, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(weft_metric_key(&m[i], buf), last) == 0) {
            snprintf(buf, WEFT_FIGURE_TEXT_MAX, "%.*s%s", dot ? (int)(dot + 1 - key) : 0, key,
                     m[i].name);
            return buf;
        }
    const struct unit *u = unit_of(key);
    const size_t len = strlen(key) - (u && u->dropped ? strlen(u->end) : 0);
    snprintf(buf, WEFT_FIGURE_TEXT_MAX, "%.*s", (int)len, key);
    for (char *p = buf; *p; p++)
        if (*p == '_')
            *p = '-';
    return buf;
}

const char *weft_figure_value(const char *key, double v, char buf[WEFT_FIGURE_TEXT_MAX])
{
    const struct unit *u = unit_of(key);
    if (u)
        return u->format(v, buf);
    snprintf(buf, WEFT_FIGURE_TEXT_MAX, v == floor(v) && fabs(v) < 1e15 ? "%.0f" : "%.4g", v);
    return buf;
}

const char *weft_figure_change(double change, char buf[WEFT_FIGURE_TEXT_MAX])
{
    if (change == 0)
        snprintf(buf, WEFT_FIGURE_TEXT_MAX, "equal");
    else if (isinf(change))
        snprintf(buf, WEFT_FIGURE_TEXT_MAX, "from 0");
    else if (change > 10)
        snprintf(buf, WEFT_FIGURE_TEXT_MAX, "%.4g times", 1 + change);
    else
        snprintf(buf, WEFT_FIGURE_TEXT_MAX, "%+.*f %%", fabs(change) < 0.001 ? 4 : 2, 100 * change);
    return buf;
}
