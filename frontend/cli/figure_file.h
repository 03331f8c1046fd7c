/* SPDX-License-Identifier: GPL-2.0-only */
/* A figure as a file, in the format that the file's name ends with. */
#ifndef WEFT_CLI_FIGURE_FILE_H
#define WEFT_CLI_FIGURE_FILE_H

#include "command/command.h"
#include "plot/figure.h"

/** Writes @p f to @p path: .svg, .pdf, .png, .gp or .csv. */
int weft_figure_file(const struct weft_cli *cli, const struct weft_figure *f, const char *path,
                     struct weft_err *err);

#endif
