/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and paths on POSIX.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int weft_file_error(struct weft_err *err, const char *path, const char *what, int errnum)
{
    if (errnum == ENOMEM)
        return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for it: cannot %s it",
                           what);
    return weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot %s: %s", what,
                       errnum ? strerror(errnum) : "unknown reason");
}

int weft_input_error(struct weft_err *err, const char *path, const char *what, int errnum)
{
    const int code = weft_file_error(err, path, what, errnum);
    if (errnum != ENOENT && errnum != ENOTDIR)
        return code;
    if (err)
        err->code = WEFT_E_INPUT;
    return WEFT_E_INPUT;
}

static int io_error(struct weft_err *err, const char *path, const char *what)
{
    return weft_file_error(err, path, what, errno);
}

/* Names in a folder among which the nearest is looked for. */
#define MEANT_OF 4096

static int meant_wanted(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* "; did you mean 'DIR/NAME'?", NAME being the nearest to @p base. */
static void meant_in(char buf[WEFT_FILE_MEANT_MAX], const char *dir, const char *base)
{
    struct dirent **list;
    const char *names[MEANT_OF];
    const int n = scandir(dir, &list, meant_wanted, alphasort);
    for (int i = 0; i < n && i < MEANT_OF; i++)
        names[i] = list[i]->d_name;
    const char *near =
        n > 0 ? weft_nearest(base, names, n < MEANT_OF ? (size_t)n : MEANT_OF) : NULL;
    const bool here = strcmp(dir, ".") == 0;
    if (near && snprintf(buf, WEFT_FILE_MEANT_MAX, "; did you mean '%s%s%s'?", here ? "" : dir,
                         here || strcmp(dir, "/") == 0 ? "" : "/", near) >= WEFT_FILE_MEANT_MAX)
        buf[0] = '\0';
    for (int i = 0; i < n; i++)
        free(list[i]);
    if (n >= 0)
        free(list);
}

const char *weft_file_meant(char buf[WEFT_FILE_MEANT_MAX], const char *path)
{
    char at[WEFT_PATH_MAX], dir[WEFT_PATH_MAX];
    struct stat st;
    buf[0] = '\0';
    if (!*path || stat(path, &st) == 0 || weft_path_join(at, "", path, NULL))
        return buf;
    while (!weft_path_dir(dir, at, NULL) && strcmp(dir, at) != 0) {
        if (weft_file_is_dir(dir)) {
            meant_in(buf, dir, weft_path_base(at));
            break;
        }
        weft_path_join(at, "", dir, NULL);
    }
    return buf;
}

/* Reads until the end or @p max_bytes; the size the system names is only a first guess. */
static int base_file_read_all(int fd, const char *path, size_t max_bytes, size_t guess, char **out,
                              size_t *out_size, struct weft_err *err)
{
    size_t capacity = guess < max_bytes ? guess : max_bytes, used = 0;
    char *data =
        malloc(capacity + 2); /* one byte to see that more follows, one for the terminator */
    while (data) {
        const ssize_t n = read(fd, data + used, capacity + 1 - used);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            free(data);
            return io_error(err, path, "read");
        }
        used += (size_t)n;
        if (n == 0) {
            data[used] = '\0';
            *out = data;
            *out_size = used;
            return 0;
        }
        if (used <= capacity)
            continue;
        if (capacity == max_bytes) {
            free(data);
            return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "larger than the limit of %zu bytes",
                               max_bytes);
        }
        capacity = capacity > max_bytes / 2 ? max_bytes : capacity < 4096 ? 8192 : capacity * 2;
        if (capacity > max_bytes)
            capacity = max_bytes;
        char *larger = realloc(data, capacity + 2);
        if (!larger)
            free(data);
        data = larger;
    }
    return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a file of %zu bytes",
                       capacity);
}

static int open_error(struct weft_err *err, const char *path)
{
    char meant[WEFT_FILE_MEANT_MAX];
    if (errno != ENOENT)
        return io_error(err, path, "open");
    return weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot open: %s%s", strerror(ENOENT),
                       weft_file_meant(meant, path));
}

size_t weft_utf8_mark(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int weft_file_read(const char *path, size_t max_bytes, char **out, size_t *out_size,
                   struct weft_err *err)
{
    if (max_bytes > SIZE_MAX / 2)
        max_bytes = SIZE_MAX / 2;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return open_error(err, path);
    struct stat st;
    int rc;
    if (fstat(fd, &st) != 0) {
        rc = io_error(err, path, "read");
    } else if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        rc = io_error(err, path, "read");
    } else {
        rc = base_file_read_all(fd, path, max_bytes, st.st_size > 0 ? (size_t)st.st_size : 4096,
                                out, out_size, err);
    }
    close(fd);
    return rc;
}

ssize_t weft_fd_write(int fd, const void *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* Most links that lead from one to the next; the kernel follows as many. */
#define LINKS_MAX 40

/* The name of the file that @p path means once links are followed, whether it exists or not. */
static int follow_links(char target[WEFT_PATH_MAX], const char *path, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], link[WEFT_PATH_MAX];
    if (weft_path_join(target, "", path, err))
        return weft_err_locate(err, path, 0, 0);
    for (int i = 0; i <= LINKS_MAX; i++) {
        const ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return 0; /* no link */
        link[n] = '\0';
        if (weft_path_dir(dir, target, err) || weft_path_join(target, dir, link, err))
            return weft_err_locate(err, path, 0, 0);
    }
    errno = ELOOP;
    return io_error(err, path, "write");
}

/* Writes to what is there: a device, a FIFO, a socket. */
static int write_through(const char *path, const void *data, size_t size, struct weft_err *err)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return io_error(err, path, "open");
    int why = 0;
    if ((size_t)weft_fd_write(fd, data, size) != size)
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    return why ? weft_file_error(err, path, "write", why) : 0;
}

/* Fills a new file beside @p target and gives it that name. @p old: the file that it replaces,
 * whose mode and owner it gets; NULL: none. */
static int replace(const char *path, const char *target, const struct stat *old, const void *data,
                   size_t size, struct weft_err *err)
{
    char temporary[WEFT_PATH_MAX + 32];
    snprintf(temporary, sizeof temporary, "%s.%ld" WEFT_FILE_TEMPORARY, target, (long)getpid());
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return io_error(err, path, "create");
    int why = 0;
    if (old && (fchown(fd, old->st_uid, old->st_gid) != 0 || fchmod(fd, old->st_mode & 07777) != 0))
        errno = 0; /* only its owner and root can: the contents count */
    if ((size_t)weft_fd_write(fd, data, size) != size || fsync(fd) != 0)
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    if (!why && rename(temporary, target) != 0)
        why = errno;
    if (!why)
        return 0;
    unlink(temporary);
    return weft_file_error(err, path, "write", why);
}

int weft_file_write(const char *path, const void *data, size_t size, struct weft_err *err)
{
    char target[WEFT_PATH_MAX];
    struct stat st;
    const int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return io_error(err, path, "write");
    }
    if (exists && !S_ISREG(st.st_mode))
        return write_through(path, data, size, err);
    if (follow_links(target, path, err))
        return err ? err->code : WEFT_E_IO;
    sigset_t ends, before; /* of a program that ends on a signal no temporary file stays behind */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    const int code = replace(path, target, exists ? &st : NULL, data, size, err);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

bool weft_file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool weft_file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int weft_mkdir_p(const char *path, struct weft_err *err)
{
    char part[WEFT_PATH_MAX];
    const size_t n = strlen(path);
    if (n >= sizeof part)
        return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "the path is too long");
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0) {
            const int why = errno; /* of mkdir, not of the look at what is there */
            if (!weft_file_is_dir(part))
                return weft_file_error(err, part, "create the directory",
                                       why == EEXIST ? ENOTDIR : why);
        }
        part[i] = path[i];
    }
    return n ? 0 : weft_err_set(err, WEFT_E_USAGE, "the name of a folder is empty");
}

int weft_path_join(char buf[WEFT_PATH_MAX], const char *a, const char *b, struct weft_err *err)
{
    size_t na = strlen(a);
    if (b[0] == '/')
        na = 0;
    while (na > 1 && a[na - 1] == '/')
        na--;
    const char *slash = na > 0 && a[na - 1] != '/' ? "/" : "";
    const int n = snprintf(buf, WEFT_PATH_MAX, "%.*s%s%s", (int)na, a, slash, b);
    if (n < 0 || n >= WEFT_PATH_MAX)
        return weft_err_at(err, WEFT_E_LIMIT, b, 0, 0, "the path is too long");
    return 0;
}

int weft_path_dir(char buf[WEFT_PATH_MAX], const char *path, struct weft_err *err)
{
    size_t n = (size_t)(weft_path_base(path) - path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n >= WEFT_PATH_MAX)
        return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "the path is too long");
    memcpy(buf, n > 0 ? path : ".", n > 0 ? n : 1);
    buf[n > 0 ? n : 1] = '\0';
    return 0;
}

const char *weft_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *weft_path_stem(char buf[WEFT_PATH_MAX], const char *path)
{
    const char *base = weft_path_base(path);
    const size_t len = strcspn(base, ".");
    snprintf(buf, WEFT_PATH_MAX, "%.*s", (int)(len ? len : strlen(base)), base);
    return buf;
}
