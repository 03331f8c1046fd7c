/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that the whole engine shares. */
#ifndef WEFT_ENGINE_DRAWS_H
#define WEFT_ENGINE_DRAWS_H

#include "base/ns3_rng.h"
#include <stdbool.h>

/** Shared random numbers. */
struct draws {
    bool ns3; /**< ecn.draws=ns3 */
    struct weft_ns3_rng ns3_rng;
    struct weft_libc_rand libc_rand; /**< PINT by tables */
};

#endif
