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
#include <stdio.h>

struct weft_workload_ops;

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
    /** A reader that recognises its files (workload/workload.h): name and settings are its own. */
    const struct weft_workload_ops *reader;
};

/** What people call a kind. */
const char *weft_import_name(const struct weft_import_kind *k);
/** Its settings of weft run, as in `sets`; those of a reader in @p buf. */
const char *weft_import_sets(const struct weft_import_kind *k, char *buf, size_t size);

/** All kinds; *n receives their number. */
const struct weft_import_kind *weft_import_kinds(size_t *n);

/** Programs whose experiments consist of several files. */
enum weft_import_tool { WEFT_IMPORT_ASTRA_SIM, WEFT_IMPORT_SIMAI, WEFT_IMPORT_TOOLS };
/** What a file of kind @p k is to the command of a tool: its place among the options, from 0, and
 * the option ("-w %s"). @p sure: such a file alone shows that it is that tool's experiment. NULL:
 * none of it. */
const char *weft_import_option(const struct weft_import_kind *k, enum weft_import_tool tool,
                               unsigned *place, bool *sure);
/** Options of a tool that its command needs: those at the first places. */
enum { WEFT_IMPORT_PLACES = 6 };

/** A file that was told. */
struct weft_import_found {
    const struct weft_import_kind *kind;
    const char *path; /**< as given */
    const char *arg;  /**< as settings name it */
};
/** Prints the command of an experiment that consists of several of the files, and marks these by
 * kind NULL; returns whether there is one. */
bool weft_import_experiment(FILE *out, struct weft_import_found *files, size_t n);

#endif
