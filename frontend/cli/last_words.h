/* SPDX-License-Identifier: GPL-2.0-only */
/* The run.json that a folder is left with when a signal ends the program at once. */
#ifndef WEFT_CLI_LAST_WORDS_H
#define WEFT_CLI_LAST_WORDS_H

#include "base/file.h"
#include "cli/interrupt.h"
#include "report/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Zero-initialised: none. */
struct weft_run_words {
    struct weft_last_words words;
    char path[WEFT_PATH_MAX], temporary[WEFT_PATH_MAX + 32];
    char *text; /* NULL: none */
};

/** Makes @p fill's run.json the last words about the folder @p dir; NULL: none. WEFT_E_LIMIT. */
int weft_run_words_push(struct weft_run_words *w, const char *dir, weft_run_json_fn fill,
                        const void *ctx, struct weft_err *err);
/** Takes them back; the last that were pushed. None: does nothing. */
void weft_run_words_pop(struct weft_run_words *w);

#ifdef __cplusplus
}
#endif
#endif
