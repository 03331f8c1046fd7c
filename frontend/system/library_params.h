/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of collective libraries. */
#ifndef WEFT_SYSTEM_LIBRARY_PARAMS_H
#define WEFT_SYSTEM_LIBRARY_PARAMS_H

#include "base/param.h"

/** The scenario element of these settings. */
#define WEFT_LIBRARY_ELEMENT "library"
/** Releases of NCCL at which constants of the tuner changed. */
#define WEFT_NCCL_VERSION_WORDS "2.8|2.12|2.18|2.19|2.20|2.22|2.23|2.26|2.27|2.28"
enum weft_nccl_version {
    WEFT_NCCL_2_8,
    WEFT_NCCL_2_12,
    WEFT_NCCL_2_18,
    WEFT_NCCL_2_19,
    WEFT_NCCL_2_20,
    WEFT_NCCL_2_22,
    WEFT_NCCL_2_23,
    WEFT_NCCL_2_26,
    WEFT_NCCL_2_27,
    WEFT_NCCL_2_28
};

struct weft_library_params {
    int gpu;                             /**< enum weft_nccl_gpu */
    int cpu;                             /**< enum weft_nccl_cpu */
    int version;                         /**< enum weft_nccl_version */
    uint64_t rails;                      /**< NICs of a node; 0: one per rank */
    int64_t net_latency_ps;              /**< that the network plug-in states */
    int64_t proxy_ps;                    /**< per message between nodes; 0: by CPU */
    int64_t launch_period_ps;            /**< calls follow each other no faster */
    bool ll128;                          /**< over several nodes */
    const char *algo, *proto;            /**< NCCL_ALGO, NCCL_PROTO; "": all */
    const char *constants;               /**< "NAME=NUMBER,...": instead of fitted ones */
    uint64_t min_channels, max_channels; /**< 0: as found */
    uint64_t buffer_bytes;               /**< NCCL_BUFFSIZE */
    uint64_t qps;                        /**< NCCL_IB_QPS_PER_CONNECTION */
    bool split;                          /**< NCCL_IB_SPLIT_DATA_ON_QPS */
};
extern const struct weft_param_table weft_library_param_table;

#endif
