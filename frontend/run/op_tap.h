/* SPDX-License-Identifier: GPL-2.0-only */
/* An observer of a job's operations beside the one that it has. */
#ifndef WEFT_CLI_OP_TAP_H
#define WEFT_CLI_OP_TAP_H

#include "system/system.h"

struct weft_op_tap {
    struct weft_system_observer inner; /**< hears everything, first */
    void (*op)(void *ctx, const struct weft_op_record *record);
    void *ctx;
};

/** The observer that tells both; @p t must outlive it. */
struct weft_system_observer weft_op_tap_observer(struct weft_op_tap *t);

#endif
