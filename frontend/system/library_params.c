/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of collective libraries: scenario element <library .../>. */
#include "system/library.h"

/* None has an effect otherwise. */
#define NEEDS "system.library!=ideal"

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct weft_library_params, gpu, "gpu", "hopper", WEFT_NCCL_GPU_WORDS),
     .help = "whose constants the tuner takes; mi300x: RCCL's", .needs = NEEDS},
    {WEFT_ROW_ENUM(struct weft_library_params, cpu, "cpu", "intel", WEFT_NCCL_CPU_WORDS),
     .help = "CPU of a node, on which the cost of posting messages depends", .needs = NEEDS},
    {WEFT_ROW_ENUM(struct weft_library_params, version, "version", "2.27", WEFT_NCCL_VERSION_WORDS),
     .help = "release whose constants are taken: from this one on until the next", .needs = NEEDS},
    {WEFT_ROW_U64(struct weft_library_params, rails, "rails", "0", NULL, "1024"),
     .help = "NICs of a node, such as two for each GPU; 0: one per rank", .needs = NEEDS},
    {WEFT_ROW_TIME(struct weft_library_params, net_latency_ps, "net-latency", "0", NULL, "1s"),
     .help = "latency that the network plug-in states; the tuner adds it to each step, and so does "
             "the run",
     .source = "NVIDIA/nccl, ncclNetProperties.latency", .needs = NEEDS},
    {WEFT_ROW_TIME(struct weft_library_params, proxy_ps, "proxy", "0", NULL, "1s"),
     .help = "time that the proxy thread of a rank is busy with each message between nodes, at "
             "either end; 0: 1 us, with AMD CPUs 2 us",
     .needs = NEEDS},
    {WEFT_ROW_TIME(struct weft_library_params, launch_period_ps, "launch-period", "0", NULL, "1s"),
     .help = "time that the measuring program takes for each call; weft nccl-tests shows no "
             "shorter one",
     .needs = NEEDS},
    {WEFT_ROW_BOOL(struct weft_library_params, ll128, "ll128", "true"),
     .help = "LL128 may be used over several nodes", .needs = NEEDS},
    {WEFT_ROW_STRING(struct weft_library_params, algo, "algo", ""),
     .help =
         "algorithms that may be taken, joined by ',': tree, ring, nvls, nvlstree, pat; ^ before "
         "the list: all but these; empty: all",
     .source = "NCCL_ALGO", .needs = NEEDS},
    {WEFT_ROW_STRING(struct weft_library_params, proto, "proto", ""),
     .help = "protocols that may be taken: ll, ll128, simple; ^ before the list: all but these",
     .source = "NCCL_PROTO", .needs = NEEDS},
    {WEFT_ROW_STRING(struct weft_library_params, constants, "constants", ""),
     .help =
         "values for fitted constants, NAME=NUMBER joined by ','; weft show library nccl has the "
         "names in brackets",
     .needs = NEEDS},
    {WEFT_ROW_U64(struct weft_library_params, min_channels, "min-nchannels", "0", NULL, "64"),
     .help = "least channels; 0: what the graph search finds", .source = "NCCL_MIN_NCHANNELS",
     .needs = NEEDS},
    {WEFT_ROW_U64(struct weft_library_params, max_channels, "max-nchannels", "0", NULL, "64"),
     .help = "most channels; 0: what the graph search finds", .source = "NCCL_MAX_NCHANNELS",
     .needs = NEEDS},
    {WEFT_ROW_SIZE(struct weft_library_params, buffer_bytes, "buffsize", "4MiB", "64KiB", NULL),
     .help = "buffer of a channel for Simple, in eight slots", .source = "NCCL_BUFFSIZE",
     .needs = NEEDS},
    {WEFT_ROW_U64(struct weft_library_params, qps, "ib-qps-per-connection", "1", "1", "16"),
     .help = "QPs between two ranks per channel, which its messages take in turn",
     .source = "NCCL_IB_QPS_PER_CONNECTION", .needs = NEEDS},
    {WEFT_ROW_BOOL(struct weft_library_params, split, "ib-split-data-on-qps", "false"),
     .help = "each message is cut into a piece for each QP, instead of taking one QP",
     .source = "NCCL_IB_SPLIT_DATA_ON_QPS", .needs = NEEDS " and library.ib-qps-per-connection!=1"},
};

const struct weft_param_table weft_library_param_table =
    WEFT_PARAM_TABLE(params, struct weft_library_params);
