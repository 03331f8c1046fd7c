/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of weft report, also of weft compare --html. */
#ifndef WEFT_CLI_REPORT_PAGE_H
#define WEFT_CLI_REPORT_PAGE_H

#include "command/command.h"
#include "plot/runs.h"

/** Writes the page of these runs to @p path, and that to @p say. */
int weft_report_page(FILE *say, const struct weft_runs *runs, const char *path,
                     struct weft_err *err);

#endif
