/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether several processes can run a scenario, and adjusts what each of them does. */
#include "run/processes_take.h"

#include "run/processes.h"

/* What is known before to need one process; NULL: nothing. */
static const char *obstacle(const struct weft_scenario *s, bool limited, bool alone)
{
    if (limited)
        return "--time-limit and --memory-limit look at one process";
    if (s->replays && !s->replay_auto)
        return "run.replay looks at all of the fabric";
    if (weft_run_threads(s->run) > 1)
        return "run.threads shares it out within a process";
    if (alone)
        return "--alone has several runs";
    return NULL;
}

int weft_processes_take(const struct weft_peers *peers, struct weft_scenario *s, bool limited,
                        struct weft_execute_opts *o, struct weft_err *err)
{
    const char *what = obstacle(s, limited, o->needs & WEFT_METRIC_NEEDS_ALONE);
    if (what)
        return weft_err_set(err, WEFT_E_ALONE, "%s", what);
    s->replays = false;
    if (o->out_dir)
        o->out_dir = weft_processes_folder(peers, o->out_dir);
    o->progress = NULL;
    return 0;
}
