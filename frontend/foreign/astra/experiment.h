/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An experiment of ASTRA-sim, as the options of its frontends name it, to weft's settings: a list
 * of overrides "section.parameter=value", and a note for each thing that weft does otherwise.
 *
 * Options and files: ASTRA-sim 2.x (analytical, ns-3 and htsim frontends) and 1.0 (analytical).
 *   system     JSON, or the lines "key: value" of 1.0                     system.c
 *   network    analytical YAML, network JSON of 1.0: by content           experiment.c
 *              ns-3's config.txt (KEY value)                              ns3.c
 *   memory     JSON                                                       system/remote_file.c
 *   workload   prefix of Chakra traces
 *
 * A value that weft can't honour and that would change the result is an error; everything else that
 * has no effect or another one is a note.
 */
#ifndef WEFT_ASTRA_EXPERIMENT_H
#define WEFT_ASTRA_EXPERIMENT_H

#include "base/arena.h"
#include "base/err.h"
#include "foreign/hpcc/messages.h"

#include <stdbool.h>
#include <stddef.h>

/** Which network plays the messages. */
enum weft_astra_backend {
    WEFT_ASTRA_AUTO,    /**< packets for ns-3 and htsim; aware in one dimension, else unaware */
    WEFT_ASTRA_UNAWARE, /**< ideal: messages never meet */
    WEFT_ASTRA_AWARE,   /**< ideal: a link sends one message after the other, each hop stores it */
    WEFT_ASTRA_PACKET   /**< every packet */
};

/** Options as given; NULL: not given. */
struct weft_astra_options {
    const char *workload, *system, *network, *memory, *groups, *logical;
    const char *queues, *injection_scale, *comm_scale, *compute_scale, *rendezvous, *passes;
    const char *logging, *logging_folder, *stat_path, *run_name, *stat_rows, *stat_row;
    /** Of 1.0: values in place of the network file's. */
    const char *const *units_count, *const *links_count, *const *link_bandwidth,
                                                             *const *link_latency;
    size_t nunits_count, nlinks_count, nlink_bandwidth, nlink_latency;
    const char *const *htsim; /**< everything behind --htsim_opts */
    size_t nhtsim;
    enum weft_astra_backend backend;
    bool compat; /**< ns-3: wire sizes, rounding, ACKs, buffer and hash as in the simulator */
};

/** What it comes to. */
struct weft_astra_experiment {
    struct weft_arena *arena; /**< owns everything */
    const char **sets;        /**< overrides for weft_scenario_load */
    size_t nsets;
    const char **notes; /**< what weft does otherwise, a sentence each */
    size_t nnotes;
    uint32_t ndims;                       /**< dimensions that collectives see */
    const char *name;                     /**< of the run: the workload's */
    struct weft_hpcc_message_files files; /**< of ns-3 on packets */
};

/** Reads the files and translates. NULL on failure, *err says why. */
struct weft_astra_experiment *weft_astra_experiment_new(const struct weft_astra_options *o,
                                                        struct weft_err *err);
void weft_astra_experiment_free(struct weft_astra_experiment *x);

#endif
