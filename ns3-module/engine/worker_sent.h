/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports with something in the outbox (worker.h). */
#ifndef WEFT_ENGINE_WORKER_SENT_H
#define WEFT_ENGINE_WORKER_SENT_H

#include <stdint.h>

/** Those that lead to one thread, or to other processes. */
struct worker_sent {
    uint32_t *ports;
    uint32_t n, cap;
};

#endif
