/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presets: machines as NCCL plays on them. scenarios/hardware says how far off they are;
 * scenarios/nccl-tests has the shares of NVLink and SMs.
 */
#include "system/system.h"

const struct weft_preset weft_system_presets[] = {
    {"dgx-h100",
     "NCCL on nodes of eight H100: tuner, share of NVLink, NVLS, SMs that collectives take",
     "NCCL's constants (weft show library nccl); ring bandwidth by NCCL's users, 20 of 132 SMs of "
     "DeepSeek-V3; judged in scenarios/hardware",
     "library=nccl library.gpu=hopper scale-up-share=0.835 communication-share=0.15 "
     "in-network.aggregation-rate=2266Gbps"},
    {"dgx-a100", "NCCL on nodes of eight A100: tuner, share of NVLink",
     "NCCL's constants (weft show library nccl); two ring all-reduces of a DGX A100 (16 MiB, 1 "
     "GiB); "
     "judged in scenarios/hardware",
     "library=nccl library.gpu=ampere library.cpu=amd scale-up-share=0.81"},
    {0}};
