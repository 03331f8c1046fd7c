/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many processors there are for this process.
 */
#ifndef WEFT_BASE_PROCESSORS_H
#define WEFT_BASE_PROCESSORS_H

#include "base/linkage.h"

WEFT_C_BEGIN

/** Processors that this process may use, 1 or more: those of its affinity (base/os.h), but
 * no more than the CPU time that its control groups allow it (cpu.max of cgroup v2, rounded up),
 * divided by the processes that share them. */
unsigned weft_processors(void);
/** From now on @p n processes, of which this is one, share them; 0 counts as 1. */
void weft_processors_share(unsigned n);
/** Processors' worth of time in the text of a file cpu.max ("max 100000", "150000 100000": quota
 * and period in us), rounded up; 0: no limit, or no such text. */
unsigned weft_processors_quota(const char *cpu_max);

WEFT_C_END

#endif
