/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What operating systems do not agree on: os.h. Linux: proc(5), getrlimit(2),
 * Documentation/mm/overcommit-accounting.rst.
 */
#include "base/os.h"

#include "base/units.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The beginning of a small file of the system's, "" if there is none. Takes no memory. */
static void read_file(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

void weft_os_memory(struct weft_os_bytes *out)
{
    char text[64];
    uint64_t pages[2] = {0, 0};
    read_file("/proc/self/statm", text, sizeof text);
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &pages[0], &pages[1]) != 2)
        pages[0] = pages[1] = 0;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *out = (struct weft_os_bytes){.addresses = pages[0] * page, .resident = pages[1] * page};
}

void weft_os_memory_limits(char *buf, size_t size)
{
    static const struct {
        int which;
        const char *option;
    } limits[] = {{RLIMIT_AS, "-v"}, {RLIMIT_DATA, "-d"}};
    char text[WEFT_UNIT_TEXT_MAX], has[WEFT_UNIT_TEXT_MAX], line[16];
    struct weft_os_bytes now;
    struct rlimit limit;
    size_t n = 0;
    buf[0] = '\0';
    weft_os_memory(&now);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0] && n < size; i++)
        if (getrlimit(limits[i].which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            n += (size_t)snprintf(buf + n, size - n, "; ulimit %s %" PRIu64 " allows %s",
                                  limits[i].option, (uint64_t)limit.rlim_cur / 1024,
                                  weft_human_size(limit.rlim_cur, text));
    read_file("/proc/sys/vm/overcommit_memory", line, sizeof line);
    if (line[0] == '2' && n < size)
        n += (size_t)snprintf(buf + n, size - n,
                              "; vm.overcommit_memory=2 lets all programs have no more than there "
                              "is");
    if (n && n < size && now.addresses)
        snprintf(buf + n, size - n, "; this process has %s", weft_human_size(now.addresses, has));
}
