/* SPDX-License-Identifier: GPL-2.0-only */
/* weft diagnose: what would have made a run faster, found by playing it with one thing changed. */
#include "base/processors.h"
#include "base/units.h"
#include "diagnose/diagnose.h"
#include "run/limits.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct diagnose_opts {
    struct weft_source_opts source;
    const char *job, *metric, *budget, *jobs, *time_limit, *memory_limit, *watchdog;
    bool json;
};

#define WEFT_OPTS struct diagnose_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_LIMIT_OPTS,
    WEFT_TEXT(
        "job", 0, job, "NAME",
        "the workload that is to be faster; default: the first that has an end, else the first"),
    WEFT_TEXT(
        "metric", 'm', metric, "NAME",
        "what is to be smaller ('weft list metrics'); default: the workload's time, or its flows' "
        "mean completion time and 99th percentile of slowdown"),
    WEFT_TEXT("budget", 0, budget, "TIME",
              "wall-clock time within which changes are tried; default: 60s"),
    WEFT_TEXT("jobs", 'j', jobs, "N",
              "changes that are played at the same time; default: one per processor"),
    WEFT_FLAG("json", 0, json, "print one JSON object"),
};

static int read_budget(const struct diagnose_opts *o, struct weft_diagnose_budget *out,
                       struct weft_err *err)
{
    int64_t ps = INT64_C(60) * 1000000000000;
    uint64_t n = weft_processors();
    if (o->budget && weft_parse_time_ps(o->budget, &ps, err))
        return weft_err_set(err, WEFT_E_USAGE, "--budget %s: %s", o->budget, err->msg);
    if (o->jobs && (weft_parse_u64(o->jobs, &n, err) || n < 1 || n > 1024))
        return weft_err_set(err, WEFT_E_USAGE, "--jobs %s: a number from 1 to 1024", o->jobs);
    *out = (struct weft_diagnose_budget){.wall_s = 1e-12 * (double)ps, .parallel = (size_t)n};
    return 0;
}

static void print(const struct weft_cli *cli, const struct weft_diagnosis *d, bool json)
{
    struct weft_json j;
    if (!json) {
        weft_diagnosis_text(cli->out, d);
        return;
    }
    weft_json_init(&j, cli->out, "standard output", 2);
    weft_diagnosis_json(&j, d);
    weft_json_finish(&j, NULL);
}

/* The settings of a folder's run, and those that are given besides. */
static int take_folder(struct weft_sweep_base *base, struct weft_arena *arena, const char *dir,
                       char *args[1], const char **plugins, struct weft_err *err)
{
    const char *scenario, **own;
    size_t n;
    if (!arena)
        return weft_err_no_memory(err, "a diagnosis");
    if (weft_diagnose_of_folder(dir, arena, &scenario, &own, &n, plugins, err))
        return err->code;
    const struct weft_strings of_folder = {own, n}, more = base->source.set;
    if (weft_strings_join(arena, &of_folder, &more, &base->source.set, err))
        return err->code;
    args[0] = (char *)(uintptr_t)scenario;
    base->args = args;
    base->nargs = scenario ? 1 : 0;
    return 0;
}

static int diagnose(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    const struct diagnose_opts *o = (const struct diagnose_opts *)opts;
    struct weft_sweep_base base = {.cli = cli, .source = o->source, .args = args, .nargs = nargs};
    struct weft_diagnose_budget budget;
    struct weft_diagnosis d;
    struct weft_arena *arena = NULL;
    const char *folder = nargs == 1 && weft_diagnose_is_folder(args[0]) ? args[0] : NULL;
    const char *plugins = "";
    char *of_folder[1];
    if (read_budget(o, &budget, err) ||
        weft_limits_read(o->time_limit, o->memory_limit, o->watchdog, &base.limits, err))
        return err->code;
    if (folder) {
        arena = weft_arena_new();
        if (take_folder(&base, arena, folder, of_folder, &plugins, err)) {
            weft_arena_free(arena);
            return err->code;
        }
    }
    int code = weft_diagnose(&d, &base, o->job, o->metric, &budget, err);
    if (code == WEFT_E_INPUT && *plugins)
        weft_err_prepend(err, "the run of %s was made with%s, which has to be given again", folder,
                         plugins);
    if (!code)
        print(cli, &d, o->json);
    code = code ? code : weft_diagnosis_check(&d, err);
    if (!code && folder)
        code = weft_diagnosis_keep(&d, folder, err);
    weft_diagnosis_free(&d);
    weft_arena_free(arena);
    return code;
}

const struct weft_command weft_command_diagnose = {
    .name = "diagnose",
    .summary = "Find what makes a run slow by playing it with one thing changed at a time",
    .usage = "[SCENARIO|DIR] [--budget TIME] [--jobs N] [--set KEY=VALUE]...",
    .example = "weft diagnose scenarios/oversubscribed-allreduce",
    .details =
        "Plays the run, then the same run without each fault, with each slow link at the rate of "
        "its peers, with each setting that was given at its default, without each other workload, "
        "and with what its symptoms suggest: more buffer, other timers, sprayed packets, no "
        "congestion control, faster links.\n"
        "Changes that undo what is not as intended come first, then what could be tuned, then what "
        "would have to be built. Each row says by how much the run would be faster, what to do, "
        "and the settings to try it with 'weft run'.\n"
        "DIR is the folder of a run: it is played again with its settings, and the table is kept "
        "in "
        "the folder, where 'weft report' finds it.\n"
        "Gains below 2 % are within chance. Exit code 5: the budget was too short for any change.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = diagnose,
};
