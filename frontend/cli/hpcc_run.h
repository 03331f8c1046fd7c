/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of `weft hpcc`: what its files share. */
#ifndef WEFT_CLI_HPCC_RUN_H
#define WEFT_CLI_HPCC_RUN_H

#include "cli/run_end.h"
#include "cli/signal_run_json.h"
#include "cli/source.h"
#include "hpcc/job.h"
#include "hpcc/play.h"
#include "hpcc/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the command. */
struct weft_hpcc_opts {
    struct weft_source_opts source;
    const char *config, *control, *out, *time_limit, *memory_limit;
    bool compat, no_out, quiet, show, json;
    int flow_format; /**< enum */
};

/** Files of HPCC's in the run folder. */
enum weft_hpcc_file {
    WEFT_HPCC_FCT,
    WEFT_HPCC_PFC,
    WEFT_HPCC_QLEN,
    WEFT_HPCC_SLOWDOWN,
    WEFT_HPCC_FILES
};

/** Zero-initialised but for the options and the program. */
struct weft_hpcc_run {
    const struct weft_cli *cli;
    const struct weft_hpcc_opts *o;
    struct weft_hpcc_job job;
    struct weft_hpcc_profile *profile;
    struct weft_scenario *s;
    struct weft_report *report;
    struct weft_hpcc_play *play;
    struct weft_net *net;
    const char *out_dir; /**< NULL: no files */
    char dir[WEFT_PATH_MAX], paths[WEFT_HPCC_FILES][WEFT_PATH_MAX];
    const char *names[WEFT_HPCC_FILES]; /**< of the files in the folder; NULL: not written */
    uint64_t volume_bytes;              /**< payload of all flows */
    struct weft_run_limits limits;
    int64_t started_ns;                /**< wall clock */
    struct weft_series_choice *choice; /**< NULL: nothing is sampled */
    struct weft_series *series;
    struct weft_slices slices;
    struct weft_signal_run_json on_signal;
    const char *outcome; /**< of a run without a summary; NULL: it has one */
    struct weft_run_end end;
};

/** Names the run folder and HPCC's files in it. */
int weft_hpcc_run_name_outputs(struct weft_hpcc_run *r, struct weft_err *err);
/** A weft_run_json_fn; @p ctx is a struct weft_hpcc_run. */
void weft_hpcc_run_json(struct weft_json *j, const void *ctx);
/** Runs what was read and resolved: writes and prints the results. */
int weft_hpcc_run_play(struct weft_hpcc_run *r, struct weft_err *err);
void weft_hpcc_run_release(struct weft_hpcc_run *r);

#ifdef __cplusplus
}
#endif
#endif
