/* SPDX-License-Identifier: GPL-2.0-only */
/* weft report: what bounded runs, in words and figures, as one page. */
#include "base/file.h"
#include "cli/cli_internal.h"
#include "command/command.h"

struct report_opts {
    struct weft_strings labels;
    const char *out;
};

#define WEFT_OPTS struct report_opts
static const struct weft_opt options[] = {
    WEFT_TEXT("out", 'o', out, "FILE",
              "where to write it; default: report.html in the first folder"),
    WEFT_TEXTS("label", 'l', labels, "TEXT",
               "name of a run; once for each run; default: the settings in which they differ"),
};

static int report_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                      struct weft_err *err)
{
    const struct report_opts *o = (const struct report_opts *)opts;
    char path[WEFT_PATH_MAX];
    struct weft_runs runs = {0};
    if (nargs < 1)
        return weft_err_set(err, WEFT_E_USAGE, "report needs folders of runs");
    if (!o->out && weft_path_join(path, args[0], "report.html", err))
        return err->code;
    int code = weft_runs_open((const char *const *)args, (size_t)nargs, o->labels.list, o->labels.n,
                              &runs, err);
    code = code ? code : weft_report_page(cli->out, &runs, o->out ? o->out : path, err);
    weft_runs_close(&runs);
    return code;
}

const struct weft_command weft_command_report = {
    .name = "report",
    .summary = "Say what bounded a run, or several, in words and figures, as one HTML page",
    .usage = "DIR [DIR ...] [--out FILE]",
    .example = "weft report out/allreduce-clos16",
    .details =
        "DIR is the folder of a run (weft run --out), or of a sweep, which stands for its runs. "
        "The "
        "page has what the time went by\n"
        "with and what to try, the links, ranks and messages that mattered, every figure of 'weft "
        "plot --list' that the runs have data\n"
        "for, and the settings that are not at their defaults. It opens from disk, without network "
        "or scripts, light or dark, and prints.\n"
        "gnuplot draws the figures (Debian: gnuplot-nox).",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = report_run,
};
