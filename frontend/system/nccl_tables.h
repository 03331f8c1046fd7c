/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Constants of NCCL by GPU, CPU and number of nodes, and where each is from.
 *
 * Sources: [nccl] NVIDIA/nccl 2.30.7 (5067397), src/graph/tuning.cc and src/graph/search.cc, with
 * the history of its tags; [fit] fitted, see scenarios/hardware/README.md. Latencies in
 * microseconds, rates in GB/s (1e9 bytes).
 */
#ifndef WEFT_SYSTEM_NCCL_TABLES_H
#define WEFT_SYSTEM_NCCL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_nccl_algo {
    WEFT_NCCL_TREE,
    WEFT_NCCL_RING,
    WEFT_NCCL_NVLS,
    WEFT_NCCL_NVLS_TREE,
    WEFT_NCCL_PAT,
    WEFT_NCCL_P2P,
    WEFT_NCCL_ALGOS
};
enum weft_nccl_gpu {
    WEFT_NCCL_VOLTA,
    WEFT_NCCL_AMPERE,
    WEFT_NCCL_HOPPER,
    WEFT_NCCL_BLACKWELL,
    WEFT_NCCL_MI300X, /* by RCCL */
    WEFT_NCCL_GPUS
};
#define WEFT_NCCL_GPU_WORDS "volta|ampere|hopper|blackwell|mi300x"
enum weft_nccl_cpu { WEFT_NCCL_INTEL, WEFT_NCCL_AMD, WEFT_NCCL_ARM };
#define WEFT_NCCL_CPU_WORDS "intel|amd|arm"

/** Protocols: LL, LL128, Simple. */
#define WEFT_NCCL_PROTOS 3

/** [nccl] Base latency. */
static const double weft_nccl_base_us[WEFT_NCCL_ALGOS][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {6.8, 14, 8.4},
    [WEFT_NCCL_RING] = {6.6, 14, 8.4},
    [WEFT_NCCL_PAT] = {8, 8, 8}};
/** [nccl] The same up to 2.12. */
static const double weft_nccl_old_base_us[WEFT_NCCL_ALGOS][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {4.4, 4.4, 0}, [WEFT_NCCL_RING] = {3.6, 10, 8.4}};
/** [nccl] Latency of a step over NVLink. */
static const double weft_nccl_nvlink_us[WEFT_NCCL_ALGOS][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {0.6, 1.25, 4.0},
    [WEFT_NCCL_RING] = {0.6, 1.9, 3.4},
    [WEFT_NCCL_NVLS] = {0, 0, 25},
    [WEFT_NCCL_NVLS_TREE] = {0, 0, 25}};
/** [nccl] Latency of a step over the network. */
static const double weft_nccl_net_us[WEFT_NCCL_ALGOS][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {5.0, 8.5, 14},
    [WEFT_NCCL_RING] = {2.7, 4.0, 14},
    [WEFT_NCCL_NVLS] = {0, 0, 18},
    [WEFT_NCCL_NVLS_TREE] = {0, 0, 20.9},
    [WEFT_NCCL_PAT] = {0, 0, 14}};
/** [nccl] PAT: share of a ring's rate; part of a step that counts log2(nodes) times, and time for
 * each rank. */
static const double weft_nccl_pat[3] = {0.75, 1 / 3.5, 2.8};

/** [nccl] Step of a tree by Simple up to 2.17 and from 2.19 to 2.22, when it held the time of a
 * chunk of 256 KB. */
static const double weft_nccl_tree_chunk_us = 28;

/** [nccl] Constants of a GPU, for 1, 2 and more nodes. */
struct weft_nccl_gpu_constants {
    double link; /**< rate of all NVLinks of a GPU that the search counts with */
    /** [fit] what a channel takes for each step of a ring within one node, besides copying, by
     * protocol: barriers, loads, for Simple fences; Ampere, others by the clock's rate */
    double sync_us[WEFT_NCCL_PROTOS];
    double ring;       /**< [fit] that channels copy in a node, in rings of one node and by trees */
    double ll_max;     /**< LL within a node */
    double ring_ll128; /**< per channel */
    double tree_ll128[3]; /**< per channel */
    double tree[3];       /**< per channel */
    double nvls_tree[3];  /**< per channel; 0: none */
    double nvls;          /**< efficiency of NVLS; 0: there is none */
    uint32_t nvls_channels;
    double one_node[12]; /**< rates that the search tries, falling; 0: no more */
    double nodes[16];
};
static const struct weft_nccl_gpu_constants weft_nccl_gpus[WEFT_NCCL_GPUS] = {
    [WEFT_NCCL_VOLTA] = {.link = 120,
                         .ring = 120,
                         .sync_us = {1.0, 2.4, 4.6},
                         .ll_max = 39,
                         .ring_ll128 = 20,
                         .tree_ll128 = {20, 20, 20},
                         .tree = {26.5, 18.5, 10},
                         .one_node = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5},
                         .nodes = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}},
    [WEFT_NCCL_AMPERE] = {.link = 240,
                          .ring = 240,
                          .sync_us = {1.1, 2.6, 5.0},
                          .ll_max = 87.7,
                          .ring_ll128 = 20,
                          .tree_ll128 = {20, 20, 20},
                          .tree = {24, 23.6, 17.8},
                          .one_node = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5},
                          .nodes = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}},
    [WEFT_NCCL_HOPPER] = {.link = 371,
                          .ring = 387,
                          .sync_us = {0.43, 1.9, 3.6},
                          .ll_max = 141,
                          .ring_ll128 = 36.7,
                          .tree_ll128 = {36.7, 36.7, 29},
                          .tree = {38.7, 41.4, 36},
                          .nvls_tree = {0, 57.7, 45.5},
                          .nvls = 0.85,
                          .nvls_channels = 16,
                          .one_node = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
                          .nodes = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3}},
    [WEFT_NCCL_BLACKWELL] = {.link = 722,
                             .ring = 722,
                             .sync_us = {0.43, 1.9, 3.6},
                             .ll_max = 282,
                             .ring_ll128 = 40,
                             .tree_ll128 = {55.6, 31.67, 20},
                             .tree = {70, 42.8, 24},
                             .nvls_tree = {0, 96, 80},
                             .nvls = 0.74,
                             .nvls_channels = 24,
                             .one_node = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
                             .nodes = {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12,
                                       6, 3}},
    [WEFT_NCCL_MI300X] = {.link = 336, .ring = 336}};

/**
 * RCCL: latencies and rates of MI300X, whose rings are given instead of searched.
 *
 * Source: ROCm/rccl 2.21.5 (0cbce2a), src/graph/tuning.cc (baseLat, tuning_model_5),
 * src/graph/topo.h (GFX94X_XGMI_WIDTH), src/graph/rome_models.cc (rome_model_79: 28 rings),
 * src/graph/connect.cc (each twice).
 */
static const double weft_rccl_link_GBps = 48; /**< between two GPUs */
#define WEFT_RCCL_CHANNELS 56
static const double weft_rccl_base_us[WEFT_NCCL_PROTOS] = {12, 12, 17};
static const double weft_rccl_link_us[2][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {0.9, 0, 2.3}, [WEFT_NCCL_RING] = {0.8, 0, 2.1}};
static const double weft_rccl_net_us[2][WEFT_NCCL_PROTOS] = {
    [WEFT_NCCL_TREE] = {10.5, 0, 25}, [WEFT_NCCL_RING] = {9.5, 0, 320}};
/** Share of the links' rate: up to 2 nodes, more; 0: not offered. */
static const double weft_rccl_ratio[2][2][WEFT_NCCL_PROTOS] = {{{0.06, 0, 0.11}, {0.08, 0, 1}},
                                                               {{0.06, 0, 0.59}, {0.08, 0, 1}}};
/** Factors of trees, and of rings over several nodes, by floor(log2(bytes / 64)). */
#define WEFT_RCCL_FACTORS 27
static const double weft_rccl_factor[2][WEFT_NCCL_PROTOS][WEFT_RCCL_FACTORS] = {
    {{.1, .1, .1, .1, .1, .1, 1,  1,  1,  1,  1,  .6, 1, .9,
      1,  1,  .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1},
     {0},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
      .1, .7, 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  .8}},
    {{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1,  .2, 1,
      .4, .4, .1, .2, .2, .1, .1, .1, .1, .1, .1, .1, .1},
     {0},
     {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
      .1, .1, .1, .1, .1, .1, .1, .1, .1, .8, 1,  1,  1}}};

/** [nccl] LL over several nodes, by CPU: 2 nodes, more. */
static const double weft_nccl_ll_max[3][2] = {{39, 20.4}, {22.5, 19}, {39, 20.4}};
/** [nccl] Time of posting a message by CPU; three times as long for Simple. */
static const double weft_nccl_post_us[3] = {1, 2, 1};

/** Constants that are fitted, whose names library.constants takes; the first five depend on the GPU
 * or concern rings within one node. */
enum weft_nccl_fitted {
    WEFT_NCCL_SYNC_LL, /**< us; see weft_nccl_gpu_constants */
    WEFT_NCCL_SYNC_LL128,
    WEFT_NCCL_SYNC_SIMPLE,
    WEFT_NCCL_RING_GBPS,
    WEFT_NCCL_LL128_SHARE,    /**< of the tuner's rate of LL128 that such a ring reaches */
    WEFT_NCCL_NVLS_COPY_GBPS, /**< copies of a channel into and out of NVLS buffers */
    WEFT_NCCL_NVLS_COPY_US,   /**< what such a copy takes besides */
    WEFT_NCCL_PROXY_MERGED,   /**< messages that the proxy handles at once, in all-to-alls and
                                   NVLSTree */
    WEFT_NCCL_FITTED
};

/** [nccl] Factors of a tree's rate by floor(log2(bytes / 64)). */
#define WEFT_NCCL_FACTORS 24
static const double weft_nccl_tree_factor[WEFT_NCCL_PROTOS][WEFT_NCCL_FACTORS] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

#endif
