/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What operating systems do not agree on: os.h. Linux: proc(5), getrlimit(2),
 * Documentation/mm/overcommit-accounting.rst.
 */
#define _GNU_SOURCE /* dladdr */
#include "base/os.h"

#include "base/units.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

/* The beginning of a small file of the system's, "" if there is none. Takes no memory. */
static void read_file(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* The path @p from, absolute and without links. */
static bool resolve(const char *from, char *to, size_t size)
{
    char path[PATH_MAX];
    const size_t n = from && realpath(from, path) ? strlen(path) : 0;
    if (n == 0 || n >= size)
        return false;
    memcpy(to, path, n + 1);
    return true;
}

#ifdef __linux__
/* Where there is no /proc: what the program was started by. */
bool weft_os_program(char *path, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", path, size);
    if (n > 0 && (size_t)n < size) {
        path[n] = '\0';
        return true;
    }
    return n <= 0 && resolve((const char *)(uintptr_t)getauxval(AT_EXECFN), path, size);
}

/* dladdr says what a program calls itself, not where it is. */
static bool in_program(const Dl_info *own)
{
    Dl_info program;
    return dladdr((const void *)(uintptr_t)getauxval(AT_ENTRY), &program) == 0 ||
           program.dli_fbase == own->dli_fbase;
}
#else
/* Elsewhere dladdr says where a program is. */
bool weft_os_program(char *path, size_t size)
{
    Dl_info program;
    void *const start = dlsym(RTLD_DEFAULT, "main");
    return start && dladdr(start, &program) != 0 && resolve(program.dli_fname, path, size);
}

static bool in_program(const Dl_info *own)
{
    (void)own;
    return false;
}
#endif

bool weft_os_own_file(char *path, size_t size)
{
    static const char here;
    Dl_info own;
    if (dladdr(&here, &own) == 0 || in_program(&own))
        return weft_os_program(path, size);
    return resolve(own.dli_fname, path, size);
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
