/* SPDX-License-Identifier: GPL-2.0-only */
/* The run.json that a folder is left with when a signal ends the program at once. */
#ifndef WEFT_CLI_SIGNAL_RUN_JSON_H
#define WEFT_CLI_SIGNAL_RUN_JSON_H

#include "base/file.h"
#include "report/report.h"
#include "run/interrupt.h"

/** Zero-initialised: none. Stays where it is from push to pop. */
struct weft_signal_run_json {
    struct weft_signal_file file;
    char path[WEFT_PATH_MAX], temporary[WEFT_PATH_MAX + 32];
    char *text; /* NULL: none */
};

/** Has the signal handler write @p fill's run.json into the folder @p dir; NULL: none.
 * WEFT_E_LIMIT. */
int weft_signal_run_json_push(struct weft_signal_run_json *w, const char *dir,
                              weft_run_json_fn fill, const void *ctx, struct weft_err *err);
/** Takes it back; the last that was pushed. None: does nothing. */
void weft_signal_run_json_pop(struct weft_signal_run_json *w);

#endif
