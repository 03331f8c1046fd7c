/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder of this process for the time being, in /tmp. It is locked as long as the process lives;
 * what is not locked was left by one that was killed. */
#ifndef WEFT_CLI_SCRATCH_H
#define WEFT_CLI_SCRATCH_H

/** Makes it, and returns its name; where that fails, a name at which nothing is. */
const char *weft_scratch_new(void);
/** Removes it, if there is one. */
void weft_scratch_remove(void);
/** Removes what others left, as far as this user may. */
void weft_scratch_clean(void);

#endif
