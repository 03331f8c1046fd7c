/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A library that is loaded before others (LD_PRELOAD) and makes one thing go wrong, as WEFT_FAULT
 * says:
 *
 *   alloc:N     the N-th allocation since main began fails
 *   starve:N    it and all after it fail
 *   full:N      from the N-th write, creation, rename or sync on the disk is full
 *   short:N     the same, but the N-th write still takes half of its bytes
 *   signal:S:N  the process gets signal S at its N-th allocation or write
 *   cut:N       the process is killed within its N-th write: half of it is done
 *
 * WEFT_FAULT_COUNTS names a file that receives, when the process exits, how many allocations,
 * writes, and both together there were. Allocations of the libraries' constructors, before main
 * and while a library is opened, do not count and do not fail. Two kinds of ns-3's own are spared,
 * because it does not survive them: what it asks of malloc itself, whose answer it does not look
 * at, and what its text streams ask for, which keep the failure to themselves. Standard error
 * always works, and nothing goes wrong in gnuplot, which the library is loaded into as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own, under the names that nobody replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { DEPTH = 24 };
static enum { NOTHING, ALLOC, STARVE, FULL, SHORT, SIGNAL, CUT } fault;
static unsigned long at, allocations, writes;
static int signal_number, counting;

static void read_fault(void)
{
    const bool weft = strcmp(program_invocation_short_name, "gnuplot") != 0;
    const char *text = weft ? getenv("WEFT_FAULT") : NULL;
    static const struct {
        const char *word;
        int fault;
    } words[] = {{"alloc:", ALLOC}, {"starve:", STARVE}, {"full:", FULL},
                 {"short:", SHORT}, {"signal:", SIGNAL}, {"cut:", CUT}};
    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i].word);
        if (strncmp(text, words[i].word, n) != 0)
            continue;
        char *end = (char *)(uintptr_t)text + n;
        if (words[i].fault == SIGNAL)
            signal_number = (int)strtol(end, &end, 10);
        at = strtoul(end + (*end == ':'), NULL, 10);
        fault = words[i].fault;
    }
}

/* A signal at the point that both kinds of calls count together. */
static void point(void)
{
    if (fault == SIGNAL && allocations + writes == at)
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal_number);
}

static int lies_in(const void *address, const char *file, const char *function)
{
    Dl_info of;
    return dladdr(address, &of) && of.dli_fname && strstr(of.dli_fname, file) &&
           (!function || (of.dli_sname && strstr(of.dli_sname, function)));
}

/* Whether ns-3 would not survive that this fails. */
static int is_spared(const void *caller)
{
    void *frame[DEPTH];
    int streams = 0;
    if (lies_in(caller, "libns3", NULL))
        return 1;
    const int before = counting;
    counting = 0; /* looking at the stack may take memory itself */
    const int n = backtrace(frame, DEPTH);
    counting = before;
    for (int i = 0; i < n; i++) {
        streams |=
            lies_in(frame[i], "libstdc++", "stringbuf") || lies_in(frame[i], "libstdc++", "stream");
        if (streams && lies_in(frame[i], "libns3", NULL))
            return 1;
    }
    return 0;
}

static int alloc_fails(const void *caller)
{
    if (!counting)
        return 0;
    allocations++;
    point();
    if (((fault == ALLOC && allocations == at) || (fault == STARVE && allocations >= at)) &&
        !is_spared(caller)) {
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_malloc(size);
}

/* Constructors of libraries are C++, whose exceptions nobody can catch there. */
void *dlopen(const char *file, int mode)
{
    static void *(*real)(const char *, int);
    const int before = counting;
    counting = 0;
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&real, &symbol, sizeof real);
    }
    void *library = real(file, mode);
    counting = before;
    return library;
}

void *calloc(size_t n, size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, all);
}

void *memalign(size_t alignment, size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *got = memalign(alignment, size);
    if (got)
        *p = got;
    return got ? 0 : ENOMEM;
}

void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && alloc_fails(CALLER))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);
}

static int disk_fails(void)
{
    if (!counting)
        return 0;
    writes++;
    point();
    if ((fault == FULL && writes >= at) || (fault == SHORT && writes > at)) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (fd == STDERR_FILENO)
        return syscall(SYS_write, fd, data, size);
    if (disk_fails())
        return -1;
    if (counting && fault == SHORT && writes == at)
        size = size / 2 ? size / 2 : size;
    if (counting && fault == CUT && writes == at) {
        if (size > 1)
            (void)!syscall(SYS_write, fd, data, size / 2);
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    }
    return syscall(SYS_write, fd, data, size);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list ap;
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    if ((flags & O_CREAT) && disk_fails())
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int mkdir(const char *path, mode_t mode)
{
    struct stat st;
    if (stat(path, &st) != 0 && disk_fails()) /* what is there takes no room */
        return -1;
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to)
{
    return disk_fails() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fsync(int fd)
{
    return disk_fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

static void tell(void)
{
    const char *path = getenv("WEFT_FAULT_COUNTS");
    char text[96];
    counting = 0;
    if (!path)
        return;
    const int n =
        snprintf(text, sizeof text, "%lu %lu %lu\n", allocations, writes, allocations + writes);
    const int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    (void)!syscall(SYS_write, fd, text, n);
    syscall(SYS_close, fd);
}

typedef int (*main_fn)(int, char **, char **);
static main_fn real_main;

/* Counts what happens between main's begin and its end. */
static int counted_main(int argc, char **argv, char **env)
{
    counting = 1;
    const int code = real_main(argc, argv, env);
    tell();
    return code;
}

typedef int (*start_fn)(main_fn, int, char **, void (*)(void), void (*)(void), void (*)(void),
                        void *);

int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    const start_fn real = (start_fn)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    read_fault();
    return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
