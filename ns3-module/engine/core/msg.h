/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages: posted and not acknowledged yet. */
#ifndef WEFT_ENGINE_MSG_H
#define WEFT_ENGINE_MSG_H

#include "engine.h"
#include "fields.h"
#include <stdint.h>

/** A posted message until its last ACK. */
struct msg {
#define FIELD FIELD_DECLARE
#define FIELD_UNION FIELD_DECLARE_UNION
#include "msg.def"
};

/** The packet that makes a message complete. */
struct completer {
    uint32_t pkt;
    int64_t sent_ps;
    uint64_t psn;
};

#endif
