/* SPDX-License-Identifier: GPL-2.0-only */
/* What an MSCCL program or an MSCCL++ plan is, for people. */
#ifndef WEFT_COLLECTIVE_MSCCL_INFO_H
#define WEFT_COLLECTIVE_MSCCL_INFO_H

#include "base/err.h"
#include "workload/dag.h"

#include <stdbool.h>
#include <stdint.h>

struct weft_msccl_info {
    enum weft_coll_kind kind;
    uint32_t gpus;
    uint32_t threadblocks; /**< of the GPU with most */
    uint64_t steps;        /**< over all GPUs; operations of a plan */
    bool plan;             /**< of MSCCL++ */
    bool inplace;
};

/** The collective that files call @p name ("allreduce"); false: none that weft plays. */
bool weft_msccl_kind(const char *name, enum weft_coll_kind *kind);
/** Reads and proves a file. */
int weft_msccl_info_read(const char *path, struct weft_msccl_info *out, struct weft_err *err);

#endif
