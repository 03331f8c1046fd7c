/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages: posted and not acknowledged yet. */
#ifndef WEFT_ENGINE_MSG_H
#define WEFT_ENGINE_MSG_H

#include "engine.h"
#include "fields.h"
#include "stable.h"
#include <stdint.h>

/** A posted message until its last ACK. */
struct msg {
#define FIELD FIELD_DECLARE
#include "msg.def"
};

/** What became of it so far. */
struct msg_log {
#define FIELD FIELD_DECLARE
#include "msg_log.def"
};
static const struct msg_log msg_log_none = {.sent_ps = -1}; /**< nothing so far */

/** Those of all messages. */
struct msg_logs {
    struct stable pool;
    struct msg_log lost; /**< is written where there is no memory for one: the run is over */
};

/** The packet that makes a message complete. */
struct completer {
    uint32_t pkt;
    int64_t sent_ps;
    uint64_t psn;
};

#endif
