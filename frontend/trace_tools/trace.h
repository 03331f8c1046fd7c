/* SPDX-License-Identifier: GPL-2.0-only */
/* The actions of weft trace. */
#ifndef WEFT_CLI_TRACE_H
#define WEFT_CLI_TRACE_H

#include "base/json.h"
#include "command/command.h"
#include "workload/dag.h"
#include "workload/et.h"

/** Options of all actions. */
struct weft_trace_opts {
    struct weft_strings set;
    const char *groups;
    const char *ranks;
    bool json, mend;
};

/** The options, as bits. */
enum {
    WEFT_TRACE_SET = 1,
    WEFT_TRACE_GROUPS = 2,
    WEFT_TRACE_RANKS = 4,
    WEFT_TRACE_JSON = 8,
    WEFT_TRACE_MEND = 16
};
/** The first option that is given and not one of @p uses; 0: there is none. */
unsigned weft_trace_idle(const struct weft_trace_opts *o, unsigned uses);
/** "--set" ... of a bit. */
const char *weft_trace_option_name(unsigned bit);

/** An action: one line in cmd_trace.c, one function in trace_NAME.c. 0 or a WEFT_E_* code, as
 * struct weft_command. */
typedef int (*weft_trace_action)(const struct weft_cli *cli, const struct weft_trace_opts *o,
                                 char **args, int nargs, struct weft_err *err);

int weft_trace_generate(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                        int nargs, struct weft_err *err);
int weft_trace_dump(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err);
int weft_trace_check(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                     int nargs, struct weft_err *err);
int weft_trace_info(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err);
int weft_trace_diff(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err);
int weft_trace_transform(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                         int nargs, struct weft_err *err);
int weft_trace_synthesize(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                          int nargs, struct weft_err *err);
int weft_trace_convert(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                       int nargs, struct weft_err *err);
/** The same from a trace to a trace: what weft_trace_convert leaves to it. */
int weft_trace_convert_et(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                          int nargs, struct weft_err *err);
struct weft_goal;
/** The schedule of the job behind a prefix, by the algorithms of --set; the caller frees it. */
int weft_trace_schedule(const struct weft_cli *cli, const struct weft_trace_opts *o,
                        const char *prefix, struct weft_goal **out, struct weft_err *err);
/** Whether what is to be converted is traces, by its name: a prefix, .et or .json. */
bool weft_trace_is_et(const char *name);
int weft_trace_compare(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                       int nargs, struct weft_err *err);

/** Whether a trace just written to @p out (OUT.json: its communicators, if @p groups) can be played
 * to its end; WEFT_E_OUTCOME when not. */
int weft_trace_check_result(const char *out, bool groups, struct weft_err *err);
/** Starts the answer of an action as JSON, an object with its version and the command. */
void weft_trace_json(struct weft_json *j, const struct weft_cli *cli, const char *command);
/** The job behind a prefix, for --ranks and --groups; large graphs lie in a file. NULL: *err says
 * why. */
struct weft_workload *weft_trace_job(const struct weft_trace_opts *o, const char *prefix,
                                     struct weft_err *err);
/** The files of @p what: one file, or all ranks of a prefix. */
int weft_trace_paths(const char *what, struct weft_arena *arena, const char ***paths, uint32_t *n,
                     struct weft_err *err);

#endif
