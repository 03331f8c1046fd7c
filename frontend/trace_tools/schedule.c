/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace convert: a trace with collectives to a GOAL schedule, by the algorithms of --set. */
#include "trace_tools/trace.h"

#include "base/file.h"
#include "system/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --set all-reduce=ring, --set system.peak-flops=1e15 */
static int set_param(struct weft_system_params *p, const char *text, struct weft_err *err)
{
    static const char section[] = "system.";
    const char *key = text + (strncmp(text, section, sizeof section - 1) ? 0 : sizeof section - 1);
    const char *equals = strchr(key, '=');
    if (!equals)
        return weft_err_set(err, WEFT_E_USAGE, "--set %s: KEY=VALUE is needed", text);
    char *name = strndup(key, (size_t)(equals - key));
    const int rc = name ? weft_params_set(&weft_system_param_table, p, name, equals + 1, err)
                        : weft_err_no_memory(err, "settings");
    free(name);
    return rc ? weft_err_prepend(err, "--set %s", text) : 0;
}

int weft_trace_schedule(const struct weft_cli *cli, const struct weft_trace_opts *o,
                        const char *prefix, struct weft_goal **out, struct weft_err *err)
{
    struct weft_system_params p;
    struct weft_trace_opts with = *o;
    char groups[WEFT_PATH_MAX];
    int rc = weft_params_defaults(&weft_system_param_table, &p, err);
    for (size_t i = 0; !rc && i < o->set.n; i++)
        rc = set_param(&p, o->set.list[i], err);
    if (rc)
        return rc;
    snprintf(groups, sizeof groups, "%s.json", prefix);
    if (!o->groups && weft_file_is_regular(groups))
        with.groups = groups;
    struct weft_workload *w = weft_trace_job(&with, prefix, err);
    if (!w)
        return err->code;
    if (o->set.n == 0)
        weft_log(cli->log, WEFT_LOG_INFO,
                 "collectives become rings, all-to-alls go directly, those with a root down "
                 "binomial trees; --set all-reduce=... names other algorithms");
    rc = weft_schedule_make(w, &p, prefix, out, err);
    weft_workload_free(w);
    return rc;
}
