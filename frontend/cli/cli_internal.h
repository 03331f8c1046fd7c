/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands' files share: tables, findings, pages and pictures of runs, clients. */
#ifndef WEFT_CLI_INTERNAL_H
#define WEFT_CLI_INTERNAL_H

#include "command/command.h"
#include "lib/serve.h"
#include "plot/facts.h"
#include "plot/figure.h"
#include "plot/page.h"
#include "plot/runs.h"
#include "topologies/fabric.h"

#include <signal.h>
#include <stdio.h>

/* ---- compare_causes.c ---- */

/** Prints it for the runs in two folders. Nothing where their tables say nothing. */
int weft_compare_causes(FILE *out, const char *const dirs[2], struct weft_err *err);

/* ---- explain_word.c ---- */

/** Prints metrics and columns whose name has @p word in it, and members of families with that name.
 * Returns how many there are. */
size_t weft_explain_word(const struct weft_cli *cli, const char *word);

/* ---- figure_file.c ---- */

/** Writes @p f to @p path: .svg, .pdf, .png, .gp or .csv. */
int weft_figure_file(const struct weft_cli *cli, const struct weft_figure *f, const char *path,
                     struct weft_err *err);

/* ---- findings.c ---- */

/** Finds what can be said of a run, what weighs most first, into @p out; returns how many.
 * Sentences live in @p arena. */
size_t weft_findings(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding out[WEFT_FINDINGS_MAX]);
/** One sentence on the whole of the run. */
const char *weft_findings_verdict(const struct weft_run *run, const struct weft_facts *f,
                                  struct weft_arena *arena);

/* ---- help_pages.c ---- */

/** The man page of a command (weft-run(1)); NULL: of the program. */
void weft_print_man(FILE *out, const struct weft_command *c, const char *version);
/** Completion of commands, options, and values that are choices or names of @p cli's tables. */
void weft_print_bash(FILE *out, const struct weft_cli *cli);
void weft_print_zsh(FILE *out, const struct weft_cli *cli);

/** What `weft list` takes beside the families; NULL behind the last. */
const char *weft_list_other(size_t i);

/** What a command's exit codes mean, a line each: "code meaning". */
extern const char *const weft_exit_codes[];

/* ---- cmd_fct.c ---- */

/** Warns of the runs that have not come to their end. */
void weft_warn_unfinished(const struct weft_cli *cli, const struct weft_runs *runs);

/* ---- report_page.c ---- */

/** Writes the page of these runs to @p path, and that to @p say. */
int weft_report_page(FILE *say, const struct weft_runs *runs, const char *path,
                     struct weft_err *err);

/* ---- serve_clients.c ---- */

/** Serves a client on two descriptors until it closes. Returns 0 or a WEFT_E_* code. */
int weft_serve_client(const struct weft_serve_config *config, int in, int out,
                      struct weft_err *err);
/** Serves clients of the Unix socket @p path, each in a process of its own, until *@p interrupted
 * is not 0. */
int weft_serve_socket(const struct weft_serve_config *config, const char *path,
                      const volatile sig_atomic_t *interrupted, struct weft_err *err);

/* ---- suspects.c ---- */

/** Finds them, what weighs most first; returns how many, at most @p max, or
 * WEFT_FINDINGS_LOST. A weight is about the
 * share of the run that it may have cost. */
size_t weft_suspects(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding *out, size_t max);

/* ---- topology_picture.c ---- */

/** Writes the fabric as SVG, folded: what hangs together is one box. Needs gnuplot. */
int weft_topology_picture(const struct weft_fabric *f, FILE *out, struct weft_err *err);
/** The same into a file, in the format of its ending. */
int weft_topology_picture_file(const struct weft_cli *cli, const struct weft_fabric *f,
                               const char *path, struct weft_err *err);

#endif
