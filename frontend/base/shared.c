/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that the processes of a simulation share on a machine. Only Linux has such memory without
 * a name.
 */
#include "base/shared.h"

#include "base/os.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** What a process says of itself. */
struct offer {
    char boot[40]; /**< of its machine, "": it can't be told */
    uint64_t pids; /**< the namespace that its number is of */
    int64_t pid;
    uint64_t bytes, same; /**< of what it has: the hash of what that says */
    int32_t fd;           /**< where it has written that, -1: nowhere */
};

static void introduce(struct offer *o)
{
    struct stat st;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f || !fgets(o->boot, sizeof o->boot, f) || stat("/proc/self/ns/pid", &st))
        o->boot[0] = '\0';
    else
        o->pids = (uint64_t)st.st_ino;
    if (f)
        fclose(f);
    o->pid = getpid();
}

/* All say something of themselves: all[k] is of process k. */
static int shared_say(const struct weft_peers *p, struct offer *all, struct weft_mail *mail,
                      struct weft_err *err)
{
    struct weft_mail *const out = mail, *const in = mail + p->n;
    for (unsigned k = 0; k < p->n; k++)
        out[k] = (struct weft_mail){&all[p->me], sizeof *all};
    const int rc = p->exchange(p->ctx, out, in, err);
    for (unsigned k = 0; !rc && k < p->n; k++)
        if (k != p->me && in[k].n == sizeof *all)
            memcpy(&all[k], in[k].bytes, sizeof *all);
    return rc;
}

static bool together(const struct offer *a, const struct offer *b)
{
    return a->boot[0] && strcmp(a->boot, b->boot) == 0 && a->pids == b->pids;
}

/* The first process on the machine of this one; p->n: no other is there, or what says so is another
 * thread of this one. */
static unsigned first_of(const struct weft_peers *p, const struct offer *all)
{
    unsigned first = p->n, n = 0;
    for (unsigned k = p->n; k-- > 0;) {
        if (!together(&all[k], &all[p->me]))
            continue;
        if (k != p->me && all[k].pid == all[p->me].pid)
            return p->n;
        first = k;
        n++;
    }
    return n > 1 ? first : p->n;
}

/* ---- the bytes ---- */

/* A block begins with a page. */
static size_t padded(size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

static bool shared_write_all(int fd, const char *bytes, size_t n, off_t at)
{
    for (size_t done = 0; done < n;) {
        const ssize_t m = pwrite(fd, bytes + done, n - done, at + (off_t)done);
        if (m <= 0)
            return false;
        done += (size_t)m;
    }
    return true;
}

/* A file in memory with all blocks; -1: it can't be made. */
static int write_blocks(const struct weft_shared_block *blocks, size_t n, size_t bytes)
{
    const int fd = weft_os_nameless_file();
    bool ok = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0;
    size_t at = 0;
    for (size_t i = 0; ok && i < n; at += padded(blocks[i++].n))
        ok = shared_write_all(fd, (const char *)*blocks[i].at, blocks[i].n, (off_t)at);
    if (!ok && fd >= 0)
        close(fd);
    return ok ? fd : -1;
}

static int open_of(const struct offer *of)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId32, of->pid, of->fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Has the blocks lie in the file. */
static void use(int fd, const struct weft_shared_block *blocks, size_t n, struct weft_shared *out)
{
    char *at = mmap(NULL, out->n, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    out->at = at;
    for (size_t i = 0; i < n; at += padded(blocks[i++].n)) {
        free(*blocks[i].at);
        *blocks[i].at = blocks[i].n ? at : NULL;
    }
}

/* Has this process's blocks lie where the first one of its machine has written its own. All[k] is
 * what process k has said. */
static int share(const struct weft_peers *p, const struct weft_shared_block *blocks, size_t n,
                 struct offer *all, struct weft_mail *mail, struct weft_shared *out,
                 struct weft_err *err)
{
    struct offer *const own = &all[p->me];
    int rc = shared_say(p, all, mail, err);
    if (rc)
        return rc;
    const unsigned first = first_of(p, all);
    if (first == p->me && own->bytes)
        own->fd = write_blocks(blocks, n, own->bytes);
    const int made = own->fd;
    rc = shared_say(p, all, mail, err);
    if (!rc && first < p->n && all[first].fd >= 0 && all[first].bytes == own->bytes &&
        all[first].same == own->same) {
        const int fd = made >= 0 ? made : open_of(&all[first]);
        out->n = own->bytes;
        if (fd >= 0)
            use(fd, blocks, n, out);
        if (fd >= 0 && fd != made)
            close(fd);
    }
    rc = rc ? rc : shared_say(p, all, mail, err); /* by now all have opened it */
    if (made >= 0)
        close(made);
    return rc;
}

int weft_shared_make(const struct weft_peers *peers, uint64_t same,
                     const struct weft_shared_block *blocks, size_t n, struct weft_shared **out,
                     struct weft_err *err)
{
    struct offer *all = calloc(peers->n, sizeof *all);
    struct weft_mail *mail = calloc(2 * (size_t)peers->n, sizeof *mail);
    struct weft_shared *s = calloc(1, sizeof *s);
    int rc = 0;
    if (all && mail && s) {
        struct offer *own = &all[peers->me];
        introduce(own);
        own->fd = -1;
        own->same = same;
        for (size_t i = 0; i < n; i++)
            own->bytes += padded(blocks[i].n);
        rc = share(peers, blocks, n, all, mail, s, err);
    } else {
        rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", peers->n);
    }
    *out = s && s->at ? s : NULL;
    if (!*out)
        free(s);
    free(all);
    free(mail);
    return rc;
}

void weft_shared_free(struct weft_shared *s)
{
    if (s)
        munmap(s->at, s->n);
    free(s);
}

void weft_shared_unread(const struct weft_shared *s)
{
    if (s)
        madvise(s->at, s->n, MADV_DONTNEED);
}
