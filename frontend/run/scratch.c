/* SPDX-License-Identifier: GPL-2.0-only */
/* A locked temporary folder of this process in /tmp. */
#define _GNU_SOURCE /* nftw */
#include "run/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WHERE "/tmp/"
#define PREFIX "weft-process-"
/** Seconds for which one without a lock may be about to be locked. */
#define FRESH_S 10

static char folder[] = WHERE PREFIX "XXXXXX";
static bool has_folder;

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    return remove(path);
}

const char *weft_scratch_new(void)
{
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6); /* an earlier one's name may stand there */
    has_folder = mkdtemp(folder) != NULL;
    const int fd = has_folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0)
        (void)!flock(fd, LOCK_EX | LOCK_NB); /* until the process ends */
    return folder;
}

void weft_scratch_remove(void)
{
    if (has_folder)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    has_folder = false;
}

static void clean(const char *path)
{
    struct stat s;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && time(NULL) - s.st_ctime > FRESH_S &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    close(fd);
}

void weft_scratch_clean(void)
{
    char path[sizeof WHERE + NAME_MAX];
    DIR *d = opendir(WHERE);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) == 0) {
            snprintf(path, sizeof path, WHERE "%s", e->d_name);
            clean(path);
        }
    if (d)
        closedir(d);
}
