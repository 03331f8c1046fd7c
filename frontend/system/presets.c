/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presets: constants fitted to machines. Each says on which measurements, and how far off the
 * others then are; scenarios/nccl-tests makes these figures again, and checks them.
 */
#include "system/system.h"

const struct weft_preset weft_system_presets[] = {
    {"dgx-h100",
     "software latency, shares of NVLink and NVLS, SMs that collectives take: nodes of eight H100; "
     "all-reduces of 1 KiB to 8 GiB by NVLS within 35 %, from 256 MiB on within 10 %",
     "fitted on twelve of Azure's 24 ND H100 v5 all-reduces, ring bandwidth by NCCL's users, 20 of "
     "132 SMs of DeepSeek-V3; judged in scenarios/nccl-tests",
     "endpoint-delay=16.8us scale-up-share=0.835 communication-share=0.15 "
     "in-network.aggregation-rate=2187.5Gbps"},
    {"dgx-a100",
     "software latency and share of NVLink: nodes of eight A100; rings of 16 MiB to 16 GiB within "
     "13 %, of 1 MiB 36 % too slow",
     "fitted on two of five ring all-reduces of a DGX A100 (16 MiB, 1 GiB); judged in "
     "scenarios/nccl-tests",
     "endpoint-delay=9.6us scale-up-share=0.81"},
    {0}};
