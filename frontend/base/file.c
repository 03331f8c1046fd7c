/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and paths on POSIX.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int io_error(struct weft_err *err, const char *path, const char *what)
{
    return weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

/* Reads until the end or @p max_bytes; the size the system names is only a first guess. */
static int read_all(int fd, const char *path, size_t max_bytes, size_t guess, char **out,
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
    return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory");
}

int weft_file_read(const char *path, size_t max_bytes, char **out, size_t *out_size,
                   struct weft_err *err)
{
    if (max_bytes > SIZE_MAX / 2)
        max_bytes = SIZE_MAX / 2;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(err, path, "open");
    struct stat st;
    int rc;
    if (fstat(fd, &st) != 0) {
        rc = io_error(err, path, "read");
    } else if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        rc = io_error(err, path, "read");
    } else {
        rc = read_all(fd, path, max_bytes, st.st_size > 0 ? (size_t)st.st_size : 4096, out,
                      out_size, err);
    }
    close(fd);
    return rc;
}

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, data, size);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

int weft_file_write(const char *path, const void *data, size_t size, struct weft_err *err)
{
    char temporary[WEFT_PATH_MAX];
    const int n = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof temporary)
        return weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "the path is too long");
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return io_error(err, path, "create");
    int failed = write_all(fd, data, size) != 0 || fsync(fd) != 0;
    int why = errno;
    if (close(fd) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    if (!failed && rename(temporary, path) != 0) {
        failed = 1;
        why = errno;
    }
    if (failed) {
        unlink(temporary);
        errno = why;
        return io_error(err, path, "write");
    }
    return 0;
}

int weft_file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int weft_file_is_dir(const char *path)
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
        if (mkdir(part, 0777) != 0 && !weft_file_is_dir(part))
            return io_error(err, part, "create the directory");
        part[i] = path[i];
    }
    if (n == 0) {
        errno = ENOENT;
        return io_error(err, path, "create the directory");
    }
    return 0;
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
