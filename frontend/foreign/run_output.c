/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs an experiment of another simulator: its folder, and what is printed of it. */
#include "foreign/run_output.h"

#include "base/file.h"
#include "run/interrupt.h"
#include "run/run_json.h"
#include "run/source.h"

int weft_run_folder(struct weft_execute_opts *o, bool none, const char *name, char *dir,
                    struct weft_err *err)
{
    if (o->out_dir || none)
        return 0;
    if (weft_path_join(dir, "out", name, err))
        return err->code;
    o->out_dir = dir;
    return 0;
}

int weft_foreign_check(const struct weft_foreign_opts *o, char **args, int nargs,
                       struct weft_err *err)
{
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option", args[0]);
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    return 0;
}

static void run_output_say(const struct weft_cli *cli, const struct weft_execution *x,
                           const struct weft_foreign_run *r, int code)
{
    struct weft_json j;
    const char *dir = r->how.out_dir;
    if (x->summed_up && r->opts->json) {
        weft_run_json_answer(&j, cli, r->command, x, dir, weft_exit_code(code));
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL); /* whoever closes standard output reports what failed */
    } else if (x->summed_up && !r->opts->quiet) {
        weft_summary_text(cli->out, &x->end.summary, x->parts.fabric);
        if (r->more)
            r->more(cli->out, r->ctx);
        if (dir)
            fprintf(cli->out, "results in %s/%s\n", dir, r->beside ? r->beside : "");
    }
}

int weft_foreign_play(const struct weft_cli *cli, struct weft_scenario *s,
                      struct weft_foreign_run *r, struct weft_err *err)
{
    struct weft_execution x = {0};
    char dir[WEFT_PATH_MAX];
    if (r->opts->show) {
        weft_source_config_text(cli->out, s, true);
        return 0;
    }
    r->how.out_dir = r->opts->out;
    r->how.progress = r->opts->quiet ? NULL : cli->err;
    r->how.progress_is_tty = cli->err_is_tty;
    int code = weft_run_folder(&r->how, r->opts->no_out, s->name, dir, err);
    if (!code)
        code = weft_execute(cli, s, &r->how, &x, err);
    if (!code && x.summed_up && r->how.out_dir && r->write)
        code = r->write(r->ctx, r->how.out_dir, err);
    weft_interrupt_saved();
    code = code ? code : x.end.code;
    run_output_say(cli, &x, r, code);
    weft_execution_free(&x);
    return code;
}
