/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lock files between processes. The owner of a lock removes the file before it releases the lock. A
 * process that then gets the lock of the removed file sees that the file has no name, and starts
 * anew.
 */
#include "base/lock.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct weft_lock {
    int fd;
    int holds;
    char path[];
};

enum { OWNER_MAX = 160, ATTEMPTS = 1000 };

/* "process 123 on host", as the file says. */
static const char *owner(int fd, char text[OWNER_MAX])
{
    const ssize_t n = pread(fd, text, OWNER_MAX - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    return text[0] ? text : "another process";
}

static void say_owner(int fd)
{
    char host[64] = "", text[OWNER_MAX];
    gethostname(host, sizeof host - 1);
    const int n =
        snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host[0] ? host : "?");
    if (ftruncate(fd, 0) == 0)
        weft_fd_write(fd, text, (size_t)n); /* on a full disk it locks all the same */
}

/* Whether @p path still names the open file. */
static bool is_named(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Opens and locks; -1 with @p err filled. */
static int open_locked(const char *path, const char *rule, int *holds, struct weft_err *err)
{
    char text[OWNER_MAX];
    for (int i = 0; i < ATTEMPTS; i++) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            weft_file_error(err, path, "create", errno);
            return -1;
        }
        *holds = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (!*holds && errno == EWOULDBLOCK) {
            weft_err_at(err, WEFT_E_IO, path, 0, 0,
                        "%s, and it is in use by %s: wait, or choose another", rule,
                        owner(fd, text));
            close(fd);
            return -1;
        }
        if (is_named(fd, path))
            return fd;
        close(fd);
    }
    weft_err_at(err, WEFT_E_IO, path, 0, 0, "others take and remove it all the time");
    return -1;
}

struct weft_lock *weft_lock_take(const char *path, const char *rule, struct weft_err *err)
{
    const size_t size = strlen(path) + 1;
    struct weft_lock *l = (struct weft_lock *)calloc(1, sizeof *l + size);
    if (!l) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a lock");
        return NULL;
    }
    memcpy(l->path, path, size);
    l->fd = open_locked(path, rule, &l->holds, err);
    if (l->fd < 0) {
        free(l);
        return NULL;
    }
    say_owner(l->fd);
    return l;
}

int weft_lock_holds(const struct weft_lock *l)
{
    return l->holds;
}

void weft_lock_release(struct weft_lock *l)
{
    if (!l)
        return;
    unlink(l->path);
    close(l->fd);
    free(l);
}
