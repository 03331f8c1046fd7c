/* SPDX-License-Identifier: GPL-2.0-only */
/* A log that waits until it is known whether what is being tried goes on: if it does not, what was
 * said of it is not said at all, as the next attempt says it again. One at a time. */
#ifndef WEFT_CLI_HELD_LOG_H
#define WEFT_CLI_HELD_LOG_H

#include "base/log.h"

/** From now on the lines of @p log wait. */
void weft_held_log_hold(struct weft_log *log);
/** Says the lines that wait; more wait no longer. Nothing is done when none do. */
void weft_held_log_release(void);
/** The attempt does not go on: what waits is not said, what no longer waits is not said once more,
 * and neither was counted. */
void weft_held_log_drop(void);

#endif
