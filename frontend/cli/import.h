/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a file is, by its content: a table of kinds, one row each, tried in order.
 */
#ifndef WEFT_CLI_IMPORT_H
#define WEFT_CLI_IMPORT_H

#include "base/err.h"
#include "base/tree.h"

#include <stdbool.h>
#include <stddef.h>

/** A file to be told. */
struct weft_import_file {
    const char *path;
    const char *head;             /**< its beginning, with a NUL behind it */
    size_t size;                  /**< of that */
    const struct weft_tree *tree; /**< the whole, where it is JSON or YAML; else NULL */
    struct weft_err *looked;      /**< what reading the whole for is() ended with; may be NULL */
};

/** A kind of file. */
struct weft_import_kind {
    const char *name;
    bool (*is)(const struct weft_import_file *f);
    /** What would be read of it, into @p what; an error says why nothing would. NULL: nothing to
     * count. */
    int (*read)(const struct weft_import_file *f, char *what, size_t size, struct weft_err *err);
    const char *sets;    /**< settings of weft run, "%s": the file; NULL: none */
    const char *command; /**< the command that takes it instead, "%s": the file; NULL: weft run */
    bool prefix;         /**< the file stands for those of all ranks: its path without ".RANK.et" */
};

/** All kinds; *n receives their number. */
const struct weft_import_kind *weft_import_kinds(size_t *n);

#endif
