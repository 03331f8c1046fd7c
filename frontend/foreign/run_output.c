/* SPDX-License-Identifier: GPL-2.0-only */
/* Folder and closing lines of commands that run an experiment of another simulator. */
#include "foreign/run_output.h"

#include "base/file.h"
#include "run/run_json.h"

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

void weft_run_say(const struct weft_cli *cli, const struct weft_execution *x,
                  const struct weft_run_output *output_lines, int code)
{
    struct weft_json j;
    if (x->summed_up && output_lines->json) {
        weft_run_json_answer(&j, cli, output_lines->command, x, output_lines->out_dir,
                             weft_exit_code(code));
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL); /* whoever closes standard output reports what failed */
    } else if (x->summed_up && !output_lines->quiet) {
        weft_summary_text(cli->out, &x->end.summary, x->parts.fabric);
        if (output_lines->more)
            output_lines->more(cli->out, output_lines->more_ctx);
        if (output_lines->out_dir)
            fprintf(cli->out, "results in %s/%s\n", output_lines->out_dir,
                    output_lines->beside ? output_lines->beside : "");
    }
}
