/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prepares the run.json that a signal handler leaves behind when a signal ends the program at once.
 */
#include "run/signal_run_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int weft_signal_run_json_push(struct weft_signal_run_json *w, const char *dir,
                              weft_run_json_fn fill, const void *ctx, struct weft_err *err)
{
    if (!dir)
        return 0;
    if (weft_path_join(w->path, dir, "run.json", err))
        return err->code;
    snprintf(w->temporary, sizeof w->temporary, "%s.%ld" WEFT_FILE_TEMPORARY, w->path,
             (long)getpid());
    w->file.path = w->path;
    w->file.temporary = w->temporary;
    w->file.text = w->text = weft_run_json(w->path, fill, ctx, &w->file.size, err);
    if (!w->text)
        return err->code;
    weft_interrupt_add_file(&w->file);
    return 0;
}

void weft_signal_run_json_pop(struct weft_signal_run_json *w)
{
    if (!w->text)
        return;
    weft_interrupt_remove_file();
    free(w->text);
    w->text = NULL;
}
