/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether messages get on. */
#ifndef WEFT_ENGINE_STALL_H
#define WEFT_ENGINE_STALL_H

#include "engine.h"
#include <stdbool.h>

struct stall_mark;

/** What the looks at the progress of messages remember. */
struct stall {
    struct stall_mark *marks; /**< per QP, of the first n */
    uint32_t n, cap;
    int64_t changed_ps; /**< when a link changed last */
    bool stuck;         /**< at the last look nothing got on */
};

#pragma GCC visibility push(hidden)

/** Writes how long a QP has been stuck, when all are; false: they are not. */
bool stall_reason(const struct weft_engine *e, uint32_t qp, char *buf, size_t size);

#pragma GCC visibility pop

#endif
