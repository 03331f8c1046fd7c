/* SPDX-License-Identifier: GPL-2.0-only */
/* See last_words.h. */
#include "cli/last_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int weft_run_words_push(struct weft_run_words *w, const char *dir, weft_run_json_fn fill,
                        const void *ctx, struct weft_err *err)
{
    if (!dir)
        return 0;
    if (weft_path_join(w->path, dir, "run.json", err))
        return err->code;
    snprintf(w->temporary, sizeof w->temporary, "%s.%ld" WEFT_FILE_TEMPORARY, w->path,
             (long)getpid());
    w->words.path = w->path;
    w->words.temporary = w->temporary;
    w->words.text = w->text = weft_run_json(w->path, fill, ctx, &w->words.size, err);
    if (!w->text)
        return err->code;
    weft_interrupt_push(&w->words);
    return 0;
}

void weft_run_words_pop(struct weft_run_words *w)
{
    if (!w->text)
        return;
    weft_interrupt_pop();
    free(w->text);
    w->text = NULL;
}
