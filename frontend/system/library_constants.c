/* SPDX-License-Identifier: GPL-2.0-only */
/* The constants of NCCL's and RCCL's models as a list, for people. */
#include "collective/msccl_kernel.h"
#include "system/library.h"

#include <stdio.h>
#include <string.h>

#define TUNING "NVIDIA/nccl 2.30.7, src/graph/tuning.cc"
#define SEARCH "NVIDIA/nccl 2.30.7, src/graph/search.cc"
#define FIT_NVLS "fitted on DGX H100 and azure-nd-a100-h100 (ND H100)"
#define FIT_STEPS "fitted on simllm-a100-nvlink-and-sockets and azure-nd-a100-h100"

typedef void constant_row(void *ctx, const char *name, const char *values, const char *source);

/* A row of @p n numbers; zeros at the end say that there is nothing more. */
static void numbers(constant_row *row, void *ctx, const char *name, const double *v, size_t n,
                    const char *source)
{
    char text[256];
    size_t used = 0;
    while (n > 1 && v[n - 1] == 0)
        n--;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%g", i ? " " : "", v[i]);
    row(ctx, name, text, source);
}

static void of_algorithms(constant_row *row, void *ctx)
{
    static const struct {
        const char *what;
        const double (*us)[WEFT_NCCL_PROTOS];
    } tables[] = {{"base latency, us", weft_nccl_base_us},
                  {"base latency up to 2.12, us", weft_nccl_old_base_us},
                  {"step over NVLink, us", weft_nccl_nvlink_us},
                  {"step over the network, us", weft_nccl_net_us}};
    char name[96];
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (int a = 0; a < WEFT_NCCL_P2P; a++) {
            const double *us = tables[t].us[a];
            if (us[0] == 0 && us[1] == 0 && us[2] == 0)
                continue;
            snprintf(name, sizeof name, "%s: %s", weft_library_algo_name((enum weft_nccl_algo)a),
                     tables[t].what);
            numbers(row, ctx, name, us, WEFT_NCCL_PROTOS, TUNING);
        }
    numbers(row, ctx, "Tree Simple: step up to 2.17, and from 2.19 to 2.22, us",
            &weft_nccl_tree_chunk_us, 1, TUNING);
    numbers(row, ctx, "PAT: share of a ring's rate; of a step's time; us for each rank",
            weft_nccl_pat, 3, TUNING);
    for (int q = 0; q < WEFT_NCCL_PROTOS; q++) {
        snprintf(name, sizeof name, "Tree %s: factor by log2(bytes / 64)",
                 weft_library_proto_name((enum weft_nccl_protocol)q));
        numbers(row, ctx, name, weft_nccl_tree_factor[q], WEFT_NCCL_FACTORS, TUNING);
    }
}

static void of_gpus(constant_row *row, void *ctx)
{
    static const char *const gpu[WEFT_NCCL_MI300X] = {"volta", "ampere", "hopper", "blackwell"};
    char name[96];
    for (int i = 0; i < WEFT_NCCL_MI300X; i++) {
        const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[i];
        const struct {
            const char *what, *source;
            const double *v;
            size_t n;
        } rows[] = {{"NVLinks of a GPU, GB/s", SEARCH, &k->link, 1},
                    {"ring on one node, tree: copies of all channels, GB/s (ring-GBps)",
                     i == WEFT_NCCL_AMPERE   ? FIT_STEPS
                     : i == WEFT_NCCL_HOPPER ? "NVIDIA/nccl issue 1455: 365 to 370 GB/s"
                                             : "NVLinks that NCCL counts with",
                     &k->ring, 1},
                    {"LL within a node, GB/s", TUNING, &k->ll_max, 1},
                    {"Ring LL128 per channel, GB/s", TUNING, &k->ring_ll128, 1},
                    {"Tree LL128 per channel by nodes, GB/s", TUNING, k->tree_ll128, 3},
                    {"Tree per channel by nodes, GB/s", TUNING, k->tree, 3},
                    {"NVLSTree per channel by nodes, GB/s", TUNING, k->nvls_tree, 3},
                    {"NVLS efficiency", TUNING, &k->nvls, 1},
                    {"rates tried on one node, GB/s", SEARCH, k->one_node, 12},
                    {"rates tried on several, GB/s", SEARCH, k->nodes, 16},
                    {"channel busy with a ring's step on one node, us (sync-)",
                     i == WEFT_NCCL_AMPERE   ? FIT_STEPS
                     : i == WEFT_NCCL_HOPPER ? "LL fitted on DGX H100; others as ampere, by clock"
                                             : "as ampere and hopper, by clock",
                     k->sync_us, WEFT_NCCL_PROTOS}};
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            snprintf(name, sizeof name, "%s: %s", gpu[i], rows[r].what);
            numbers(row, ctx, name, rows[r].v, rows[r].n, rows[r].source);
        }
    }
}

static void of_cpus(constant_row *row, void *ctx)
{
    static const char *const cpu[] = {"intel", "amd", "arm"};
    char name[96];
    for (size_t i = 0; i < sizeof cpu / sizeof cpu[0]; i++) {
        snprintf(name, sizeof name, "%s: LL between nodes, 2 and more, GB/s", cpu[i]);
        numbers(row, ctx, name, weft_nccl_ll_max[i], 2, TUNING);
        snprintf(name, sizeof name, "%s: posting a message, us", cpu[i]);
        numbers(row, ctx, name, &weft_nccl_post_us[i], 1, TUNING);
    }
}

void weft_library_constants(constant_row *row, void *ctx)
{
    static const char *const what[] = {
        "Ring LL128 on one node: share of the tuner's rate", "NVLS: copies of a channel, GB/s",
        "NVLS: time of a copy besides, us", "messages that the proxy handles at once"};
    static const char *const source[] = {FIT_STEPS, FIT_NVLS, FIT_NVLS,
                                         "fitted on aws-p5-alltoall-ep"};
    char name[96];
    of_algorithms(row, ctx);
    of_gpus(row, ctx);
    of_cpus(row, ctx);
    for (int i = WEFT_NCCL_LL128_SHARE; i < WEFT_NCCL_FITTED; i++) {
        const double v = weft_library_fitted_default(WEFT_NCCL_AMPERE, (enum weft_nccl_fitted)i);
        snprintf(name, sizeof name, "%s (%s)", what[i - WEFT_NCCL_LL128_SHARE],
                 weft_library_fitted_name[i]);
        numbers(row, ctx, name, &v, 1, source[i - WEFT_NCCL_LL128_SHARE]);
    }
}

void weft_library_rccl_constants(constant_row *row, void *ctx)
{
    static const char *const tuning = "ROCm/rccl 2.21.5, src/graph/tuning.cc";
    const double channels = WEFT_RCCL_CHANNELS;
    char name[96];
    numbers(row, ctx, "xGMI between two GPUs, GB/s", &weft_rccl_link_GBps, 1,
            "ROCm/rccl 2.21.5, src/graph/topo.h");
    numbers(row, ctx, "channels", &channels, 1,
            "ROCm/rccl 2.21.5, src/graph/rome_models.cc, src/graph/connect.cc");
    numbers(row, ctx, "base latency, us", weft_rccl_base_us, WEFT_NCCL_PROTOS, tuning);
    for (int a = WEFT_NCCL_TREE; a <= WEFT_NCCL_RING; a++) {
        const struct {
            const char *what;
            const double *v;
        } rows[] = {{"step over xGMI, us", weft_rccl_link_us[a]},
                    {"step over the network, us", weft_rccl_net_us[a]},
                    {"share of the links' rate, to 2 nodes", weft_rccl_ratio[0][a]},
                    {"share of the links' rate, more nodes", weft_rccl_ratio[1][a]}};
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            snprintf(name, sizeof name, "%s: %s", weft_library_algo_name((enum weft_nccl_algo)a),
                     rows[r].what);
            numbers(row, ctx, name, rows[r].v, WEFT_NCCL_PROTOS, tuning);
        }
        for (int q = 0; q < WEFT_NCCL_PROTOS; q += WEFT_NCCL_SIMPLE) {
            snprintf(name, sizeof name, "%s %s: factor by log2(bytes / 64)%s",
                     weft_library_algo_name((enum weft_nccl_algo)a),
                     weft_library_proto_name((enum weft_nccl_protocol)q),
                     a == WEFT_NCCL_RING ? ", several nodes" : "");
            numbers(row, ctx, name, weft_rccl_factor[a][q], WEFT_RCCL_FACTORS, tuning);
        }
    }
    static const char *const pairs =
        "fitted on all-gathers by pairs of MI300X (rouge3877/ns3-msccl-data, ag_allpair_*_x_1)";
    double v[4][WEFT_NCCL_PROTOS];
    for (int q = 0; q < WEFT_NCCL_PROTOS; q++) {
        const struct weft_msccl_kernel *k = &weft_msccl_kernels[q];
        v[0][q] = (double)k->slot_bytes;
        v[1][q] = (double)k->rate_bps / 8e9;
        v[2][q] = (double)k->launch_ps * 1e-6;
        v[3][q] = (double)k->step_ps * 1e-6;
    }
    numbers(row, ctx, "MSCCL: payload of a slot, bytes", v[0], WEFT_NCCL_PROTOS,
            "ROCm/rccl 2.21.5, src/include/device.h");
    numbers(row, ctx, "MSCCL: a threadblock sends or takes in, GB/s", v[1], WEFT_NCCL_PROTOS,
            pairs);
    numbers(row, ctx, "MSCCL: launch, us; LL128 fitted as the rates", v[2], WEFT_NCCL_PROTOS,
            tuning);
    numbers(row, ctx, "MSCCL: least time of a step, us; LL128 of tuning model 0", v[3],
            WEFT_NCCL_PROTOS, tuning);
}
