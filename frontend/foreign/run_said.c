/* SPDX-License-Identifier: GPL-2.0-only */
/* Folder and closing lines of commands that run an experiment of another simulator. */
#include "foreign/run_said.h"

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
                  const struct weft_run_said *said, int code)
{
    struct weft_json j;
    if (x->summed_up && said->json) {
        weft_run_json_answer(&j, cli, said->command, x, said->out_dir, weft_exit_code(code));
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL); /* whoever closes standard output reports what failed */
    } else if (x->summed_up && !said->quiet) {
        weft_summary_text(cli->out, &x->end.summary, x->parts.fabric);
        if (said->more)
            said->more(cli->out, said->more_ctx);
        if (said->out_dir)
            fprintf(cli->out, "results in %s/%s\n", said->out_dir,
                    said->beside ? said->beside : "");
    }
}
