/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the processors that this process may use: affinity, and the quotas of its control groups
 * (Linux, Documentation/admin-guide/cgroup-v2.rst).
 */
#include "base/processors.h"

#include "base/os.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CGROUPS "/sys/fs/cgroup"

static unsigned sharing = 1;
/* One more than what quota says; 0: it was not read. Threads may read it at the same time. */
static _Atomic unsigned quota_read;

/* The first line of a file, without its end; false: there is none. */
static bool first_line(const char *path, const char *begins, char *text, int size)
{
    FILE *f = fopen(path, "re");
    const size_t n = strlen(begins);
    bool found = false;
    while (f && !found && fgets(text, size, f))
        found = strncmp(text, begins, n) == 0;
    if (f)
        fclose(f);
    if (found)
        text[strcspn(text, "\n")] = '\0';
    return found;
}

unsigned weft_processors_quota(const char *cpu_max)
{
    uint64_t quota, period;
    if (sscanf(cpu_max, "%" SCNu64 " %" SCNu64, &quota, &period) != 2 || quota == 0 || period == 0)
        return 0;
    const uint64_t n = (quota - 1) / period + 1;
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

/* What the process's control group and those above it allow; 0: no limit. */
static unsigned quota(void)
{
    char of[PATH_MAX], path[PATH_MAX + 64], text[64];
    unsigned least = 0;
    if (!first_line("/proc/self/cgroup", "0::/", of, sizeof of))
        return 0;
    char *group = of + strlen("0::"), *end = strcmp(group, "/") ? NULL : group;
    do {
        if (end)
            *end = '\0'; /* that above it; the root has no name */
        snprintf(path, sizeof path, CGROUPS "%s/cpu.max", group);
        const unsigned n =
            first_line(path, "", text, sizeof text) ? weft_processors_quota(text) : 0;
        least = n && (!least || n < least) ? n : least;
    } while ((end = strrchr(group, '/')));
    return least;
}

unsigned weft_processors(void)
{
    unsigned n = weft_os_processors(), known = quota_read;
    if (!known)
        quota_read = known = quota() + 1;
    n = known > 1 && known - 1 < n ? known - 1 : n;
    return n > sharing ? n / sharing : 1;
}

void weft_processors_share(unsigned n)
{
    sharing = n ? n : 1;
}
