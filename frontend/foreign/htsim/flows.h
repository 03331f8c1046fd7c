/* SPDX-License-Identifier: GPL-2.0-only */
/* The flows of an experiment of htsim_uec as that tells them, one line each, in the run folder. */
#ifndef WEFT_CLI_HTSIM_FLOWS_H
#define WEFT_CLI_HTSIM_FLOWS_H

#include "run/execute.h"

#define WEFT_HTSIM_FLOWS_FILE "htsim.txt"

struct weft_htsim_flows {
    struct weft_run_files files; /**< to execute with */
    const char *names[1];
    struct weft_net_observer inner;
    struct weft_rows *rows;
    uint64_t n;                /**< flows that finished */
    double sum_ps;             /**< of their completion times, until the last ACK */
    int64_t first_ps, last_ps; /**< the shortest, the longest */
};

void weft_htsim_flows_init(struct weft_htsim_flows *x);
/** Writes mean, shortest and longest for people; nothing where no file was open. */
void weft_htsim_flows_text(FILE *out, const struct weft_htsim_flows *x);

#endif
