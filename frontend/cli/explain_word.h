/* SPDX-License-Identifier: GPL-2.0-only */
/* What 'weft explain' says of a word that is no setting. */
#ifndef WEFT_CLI_EXPLAIN_WORD_H
#define WEFT_CLI_EXPLAIN_WORD_H

#include "command/command.h"

/** Prints metrics and columns whose name has @p word in it, and members of families with that name.
 * Returns how many there are. */
size_t weft_explain_word(const struct weft_cli *cli, const char *word);

#endif
