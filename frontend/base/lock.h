/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks between processes: a file that one process at a time has locked. The lock is the system's
 * (flock(2)), so it ends with the process, however that ends; the file says who has it.
 */
#ifndef WEFT_BASE_LOCK_H
#define WEFT_BASE_LOCK_H

#include "base/err.h"

WEFT_C_BEGIN

struct weft_lock;

/**
 * Creates the file @p path and locks it, without waiting. @p rule: why there is a lock, for the
 * message. NULL with @p err filled: WEFT_E_IO when another process has it (the message names that
 * process) or the file cannot be made, WEFT_E_LIMIT out of memory. A file that a process left
 * behind when it was killed is no obstacle.
 */
struct weft_lock *weft_lock_take(const char *path, const char *rule, struct weft_err *err);
/** Whether the file system has locks; where it has none, nothing keeps others out. */
int weft_lock_holds(const struct weft_lock *l);
/** Removes the file and unlocks. NULL is allowed. */
void weft_lock_release(struct weft_lock *l);

WEFT_C_END
#endif
