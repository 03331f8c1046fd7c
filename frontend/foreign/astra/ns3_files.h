/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FCT_OUTPUT_FILE and PFC_OUTPUT_FILE of an experiment of ASTRA-sim or SimAI on packets: in the run
 * folder, under the names that its ns-3 configuration gives them.
 */
#ifndef WEFT_CLI_NS3_FILES_H
#define WEFT_CLI_NS3_FILES_H

#include "foreign/hpcc/messages.h"
#include "run/execute.h"

struct weft_ns3_files {
    struct weft_hpcc_message_files of;
    struct weft_hpcc_messages *messages; /**< once they are open */
    const char *names[3];
    struct weft_run_files files; /**< to execute with */
};

/** @p of: what is to be written, if anything; @p also: a file that the command writes itself once
 * the run is over, or NULL. weft_ns3_files_free when the run's network is gone. */
void weft_ns3_files_init(struct weft_ns3_files *x, const struct weft_hpcc_message_files *of,
                         const char *also);
void weft_ns3_files_free(struct weft_ns3_files *x);

#endif
