/* SPDX-License-Identifier: GPL-2.0-only */
/* Options shared by the commands that take a scenario: finding the file and resolving it. */
#ifndef WEFT_CLI_SOURCE_H
#define WEFT_CLI_SOURCE_H

#include "base/file.h"
#include "base/json.h"
#include "command/command.h"
#include "report/summary.h"

/** Overrides as a command's options hold them. */
struct weft_source_opts {
    struct weft_strings set;
    const char *seed;
    const char *pcap;
    bool allow_deadlock;
    bool no_workloads; /**< there need be none: the command is about the fabric */
};
/** Most settings that the options besides --set stand for. */
#define WEFT_SOURCE_SHORTS 3
/** The option table rows where WEFT_OPTS has `struct weft_source_opts source`. */
#define WEFT_SOURCE_OPTS                                                                           \
    WEFT_TEXTS("set", 's', source.set, "KEY=VALUE",                                                \
               "override one setting; repeatable; keys: weft show scenario SCENARIO"),             \
        WEFT_TEXT("seed", 0, source.seed, "N",                                                     \
                  "seed of every random stream: short for --set run.seed=N"),                      \
        WEFT_TEXT("pcap", 0, source.pcap, "LINKS",                                                 \
                  "capture files of links: all, hosts, h3, h3-s16, ...; short for --set "          \
                  "capture.links=LINKS"),                                                          \
        WEFT_FLAG("allow-deadlock", 0, source.allow_deadlock,                                      \
                  "accept routes that can deadlock under PFC: short for --set "                    \
                  "pfc.allow-deadlock=true")

/**
 * The scenario file that @p name means: a file, a folder with scenario.xml, or the name of a
 * shipped scenario. WEFT_E_IO with the nearest name when there is none.
 */
int weft_source_find(const char *name, char path[WEFT_PATH_MAX], struct weft_err *err);
/** Calls fn for each shipped scenario, in order of name: those of $WEFT_SCENARIOS, else
 * ./scenarios, else those that came with the program (base/place.h). */
int weft_source_each(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                     struct weft_err *err);
/** The same of the shipped clusters of GPUs (scenarios/clusters/NAME.xml). */
int weft_source_each_cluster(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                             struct weft_err *err);
/** Appends to @p sets what the options besides --set stand for, at most WEFT_SOURCE_SHORTS; *n
 * grows. The texts live in *texts, which the caller frees. */
int weft_source_shorts(const struct weft_source_opts *o, const char **sets, size_t *n, char **texts,
                       struct weft_err *err);
/** Resolves a scenario from the arguments of a command (at most one) and its overrides; prints
 * warnings. */
int weft_source_load(const struct weft_cli *cli, const struct weft_source_opts *o, char **args,
                     int nargs, struct weft_scenario **out, struct weft_err *err);
/** Resolves a scenario without a file from settings that a command implies, and its overrides;
 * @p name becomes its name. Prints warnings. */
int weft_source_resolve(const struct weft_cli *cli, const struct weft_source_opts *o,
                        const char *const *implied, size_t nimplied, const char *name,
                        struct weft_scenario **out, struct weft_err *err);
/** WEFT_E_INPUT when a setting of the command line is of an element of the scenario that is none of
 * @p uses ("topology", "pfc"), @p n of them: @p command has no use for it. */
int weft_source_check_uses(const struct weft_scenario *s, const char *command,
                           const char *const *uses, size_t n, struct weft_err *err);
/** The names of its workloads, njobs of them, which live as long as it. NULL: WEFT_E_LIMIT. */
const char *const *weft_source_job_names(const struct weft_scenario *s, struct weft_err *err);
/** Whether the scenario has the workloads that metrics name; *needs receives the bits of what
 * they need (weft_metric_needs). */
int weft_source_check_metrics(const struct weft_scenario *s, const struct weft_metric_choice *m,
                              size_t n, unsigned *needs, struct weft_err *err);
/** Prints what flows offer to each tier, in one line; nothing where they offer no load of their
 * own. @p title: what the line begins with. */
void weft_source_offered_text(FILE *out, const char *title, const struct weft_scenario *s);
/** Writes it as an array. */
void weft_source_offered_json(struct weft_json *j, const struct weft_scenario *s);
/** weft_scenario_advise, with its warnings on the log. */
int weft_source_advise(const struct weft_cli *cli, struct weft_scenario *s,
                       const struct weft_scenario_parts *parts, struct weft_err *err);
/** Notes marking thresholds that were given, and come to others at the ports' rates. */
void weft_source_scaled_notes(const struct weft_cli *cli, const struct weft_scenario *s);
/** Prints what a reader of topology files left out, as warnings. */
void weft_source_fabric_notes(const struct weft_cli *cli, const struct weft_fabric *f);
/** The same of the readers of workloads. */
void weft_source_workload_notes(const struct weft_cli *cli,
                                const struct weft_scenario_parts *parts);
/** Writes the resolved configuration as the object {"topology": {"type": ..., "leaves": "4"}, ...}.
 */
void weft_source_config_json(struct weft_json *j, const struct weft_scenario *s);
/** Writes the array of warnings. */
void weft_source_warnings_json(struct weft_json *j, const struct weft_scenario *s);
/** Prints keys with their values and origins: those that are not at their defaults, or @p all. */
void weft_source_config_text(FILE *out, const struct weft_scenario *s, bool all);

#endif
