/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of a configuration of HPCC's: `weft hpcc`, and what `weft run`, `weft sweep` and `weft
 * check` do with such a file (foreign/subject.h). Load it, play it, release it.
 */
#ifndef WEFT_CLI_HPCC_RUN_H
#define WEFT_CLI_HPCC_RUN_H

#include "foreign/hpcc/job.h"
#include "foreign/hpcc/play.h"
#include "foreign/hpcc/profile.h"
#include "run/execute.h"
#include "run/signal_run_json.h"
#include "run/source.h"

/** Section "simulator" of settings: how its configuration is taken. */
struct weft_hpcc_taking {
    bool compat;
    const char *control; /**< "": CC_MODE decides */
    int flow_format;     /**< enum weft_hpcc_flow_format */
};
extern const struct weft_param_table weft_hpcc_taking_table;

/** Files of HPCC's in the run folder. */
enum weft_hpcc_file {
    WEFT_HPCC_FCT,
    WEFT_HPCC_PFC,
    WEFT_HPCC_QLEN,
    WEFT_HPCC_MIX,
    WEFT_HPCC_SLOWDOWN,
    WEFT_HPCC_FILES
};

struct weft_hpcc_run {
    const struct weft_cli *cli;
    struct weft_hpcc_taking taking;
    bool hosts_forward; /**< of TOPOLOGY_FILE */
    struct weft_hpcc_job job;
    struct weft_hpcc_profile *profile;
    struct weft_scenario *s; /**< what it amounts to; its name is that of the run folder */
    const char **sets;       /**< overrides: keys of the configuration's, then weft's */
    struct weft_hpcc_play *play;
    struct weft_net *net;
    const char *out_dir; /**< NULL: no files */
    char paths[WEFT_HPCC_FILES][WEFT_PATH_MAX], name[WEFT_PATH_MAX];
    const char *names[WEFT_HPCC_FILES]; /**< of the files in the folder; NULL: not written */
    uint64_t volume_bytes;              /**< payload of all flows */
    bool again;                         /**< the run is to begin again */
    struct weft_series_choice *choice;  /**< NULL: nothing is sampled */
    struct weft_series *series;
    struct weft_slices slices;
    struct weft_signal_run_json on_signal;
    enum weft_outcome outcome; /**< of a run without a summary; NONE: it has one */
    struct weft_hpcc_bucket buckets[WEFT_HPCC_BUCKETS + 1]; /**< slowdowns, once it has run */
    struct weft_execution x;                                /**< its fabric is the job's */
};

/**
 * Reads a configuration with its files and resolves it. Of the settings of @p o those whose keys
 * are the configuration's count as its last lines, those of section "simulator" change @p taking,
 * the others are weft's. Warnings go to the log. Release it in any case; @p r is all 0 before.
 */
int weft_hpcc_run_load(struct weft_hpcc_run *r, const struct weft_cli *cli, const char *config,
                       const struct weft_source_opts *o, const struct weft_hpcc_taking *taking,
                       struct weft_err *err);
/** Checks what a run checks before it opens its folder. */
int weft_hpcc_run_check(struct weft_hpcc_run *r, struct weft_err *err);
/** Names the files of the configuration's in the run folder @p dir; NULL: none are written. */
int weft_hpcc_run_name_outputs(struct weft_hpcc_run *r, const char *dir, struct weft_err *err);
/** A weft_run_json_fn; @p ctx is a struct weft_hpcc_run. */
void weft_hpcc_run_json(struct weft_json *j, const void *ctx);
/** Runs what was loaded and writes the results, as weft_execute does; r->x is what came of it. */
int weft_hpcc_run_play(struct weft_hpcc_run *r, const struct weft_execute_opts *o,
                       struct weft_err *err);
/** Prints the table of slowdowns for people, if flows are complete. */
void weft_hpcc_run_text(FILE *out, const struct weft_hpcc_run *r);
void weft_hpcc_run_release(struct weft_hpcc_run *r);

#endif
