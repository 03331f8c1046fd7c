/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands run: a scenario, or a configuration of another simulator, by what the file is. */
#ifndef WEFT_CLI_SUBJECT_H
#define WEFT_CLI_SUBJECT_H

#include "run/execute.h"
#include "run/source.h"

struct weft_hpcc_run;

struct weft_subject {
    struct weft_scenario *s;    /**< what it amounts to */
    struct weft_hpcc_run *hpcc; /**< a configuration of HPCC's; NULL: a scenario */
};

/** Resolves what the arguments of a command name (at most one) and its overrides; prints warnings.
 * Free it in any case. */
int weft_subject_load(const struct weft_cli *cli, const struct weft_source_opts *o, char **args,
                      int nargs, struct weft_subject *out, struct weft_err *err);
/** weft_execute of it. */
int weft_subject_execute(const struct weft_cli *cli, struct weft_subject *subject,
                         const struct weft_execute_opts *o, struct weft_execution *x,
                         struct weft_err *err);
/** Prints, for people, what its runs have beside the summary. */
void weft_subject_text(FILE *out, const struct weft_subject *subject);
/** Of a configuration the list of its flows, else NULL. */
const char *weft_subject_flows(const struct weft_subject *subject);
/** After what was executed is freed. */
void weft_subject_free(struct weft_subject *subject);

#endif
