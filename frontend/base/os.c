/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What operating systems do not agree on: os.h. Linux: proc(5), getrlimit(2),
 * Documentation/mm/overcommit-accounting.rst.
 */
#define _GNU_SOURCE /* dladdr, fopencookie, memfd_create, sched_getaffinity */
#include "base/os.h"

#include "base/units.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
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
static bool os_resolve(const char *from, char *to, size_t size)
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
    return n <= 0 && os_resolve((const char *)(uintptr_t)getauxval(AT_EXECFN), path, size);
}

/* dladdr says what a program calls itself, not where it is. */
static bool in_program(const Dl_info *own)
{
    Dl_info program;
    return dladdr((const void *)(uintptr_t)getauxval(AT_ENTRY), &program) == 0 ||
           program.dli_fbase == own->dli_fbase;
}
#else
#ifdef __APPLE__
bool weft_os_program(char *path, size_t size)
{
    char text[PATH_MAX];
    uint32_t room = sizeof text;
    return _NSGetExecutablePath(text, &room) == 0 && os_resolve(text, path, size);
}
#else
/* dladdr says where a program is. */
bool weft_os_program(char *path, size_t size)
{
    Dl_info program;
    void *const start = dlsym(RTLD_DEFAULT, "main");
    return start && dladdr(start, &program) != 0 && os_resolve(program.dli_fname, path, size);
}
#endif

static bool in_program(const Dl_info *own)
{
    return false;
}
#endif

bool weft_os_own_file(char *path, size_t size)
{
    static const char here;
    Dl_info own;
    if (dladdr(&here, &own) == 0 || in_program(&own))
        return weft_os_program(path, size);
    return os_resolve(own.dli_fname, path, size);
}

/* ---- processes ---- */

unsigned weft_os_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    const long n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
#else
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n > 1 ? (unsigned)n : 1;
}

bool weft_os_end_with(pid_t parent)
{
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return false;
#endif
    return getppid() == parent;
}

const char *weft_os_signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGABRT, "ABRT"}, {SIGALRM, "ALRM"}, {SIGBUS, "BUS"},   {SIGFPE, "FPE"},
                 {SIGHUP, "HUP"},   {SIGILL, "ILL"},   {SIGINT, "INT"},   {SIGKILL, "KILL"},
                 {SIGPIPE, "PIPE"}, {SIGQUIT, "QUIT"}, {SIGSEGV, "SEGV"}, {SIGSYS, "SYS"},
                 {SIGTERM, "TERM"}, {SIGTRAP, "TRAP"}, {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"},
                 {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    return "?";
}

/* ---- files ---- */

#ifdef __linux__
FILE *weft_os_stream_open(void *cookie, const struct weft_os_stream *f)
{
    const cookie_io_functions_t functions = {.read = f->read, .write = f->write, .close = f->close};
    return fopencookie(cookie, f->read ? "r" : "w", functions);
}

int weft_os_nameless_file(void)
{
    return memfd_create("weft", MFD_CLOEXEC);
}
#else
/* BSD's way of the same. */
struct stream {
    void *cookie;
    struct weft_os_stream f;
};

static int stream_read(void *cookie, char *buf, int size)
{
    struct stream *s = (struct stream *)cookie;
    return (int)s->f.read(s->cookie, buf, (size_t)size);
}

static int stream_write(void *cookie, const char *data, int size)
{
    struct stream *s = (struct stream *)cookie;
    return (int)s->f.write(s->cookie, data, (size_t)size);
}

static int stream_close(void *cookie)
{
    struct stream *s = (struct stream *)cookie;
    const int rc = s->f.close ? s->f.close(s->cookie) : 0;
    free(s);
    return rc;
}

FILE *weft_os_stream_open(void *cookie, const struct weft_os_stream *f)
{
    struct stream *s = (struct stream *)malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct stream){cookie, *f};
    FILE *stream =
        funopen(s, f->read ? stream_read : NULL, f->read ? NULL : stream_write, NULL, stream_close);
    if (!stream)
        free(s);
    return stream;
}

int weft_os_nameless_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    const int n =
        snprintf(path, sizeof path, "%s/weft-XXXXXX", folder && folder[0] ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}
#endif

bool weft_os_reserve(int fd, off_t at, off_t bytes)
{
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
    errno = posix_fallocate(fd, at, bytes);
    return errno == 0;
#else
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_size >= at + bytes || ftruncate(fd, at + bytes) == 0);
#endif
}

/* ---- memory ---- */

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
