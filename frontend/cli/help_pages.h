/* SPDX-License-Identifier: GPL-2.0-only */
/* Other forms of what --help says, from the same tables: man pages, completion for shells. */
#ifndef WEFT_CLI_HELP_PAGES_H
#define WEFT_CLI_HELP_PAGES_H

#include "command/command.h"

/** The man page of a command (weft-run(1)); NULL: of the program. */
void weft_print_man(FILE *out, const struct weft_command *c, const char *version);
/** Completion of commands, options, and values that are choices or names of @p cli's tables. */
void weft_print_bash(FILE *out, const struct weft_cli *cli);
void weft_print_zsh(FILE *out, const struct weft_cli *cli);

/** What `weft list` takes beside the families; NULL behind the last. */
const char *weft_list_other(size_t i);

/** What a command's exit codes mean, a line each: "code meaning". */
extern const char *const weft_exit_codes[];

#endif
