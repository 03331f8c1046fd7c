/* SPDX-License-Identifier: GPL-2.0-only */
/* GOAL schedules from files: the forms told apart. */
#include "base/file.h"
#include "workload/goal/goal_internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (UINT64_C(1) << 34)

bool weft_goal_is_binary(const void *head, size_t n)
{
    static const unsigned char magic[8] = {WEFT_GOAL_MAGIC & 0xff, WEFT_GOAL_MAGIC >> 8};
    return n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

int weft_goal_read(const char *path, struct weft_goal **out, struct weft_err *err)
{
    struct weft_err local = {0};
    char *data = NULL;
    size_t size = 0;
    err = err ? err : &local;
    *out = NULL;
    int rc = weft_file_read(path, MAX_FILE_BYTES, &data, &size, err);
    if (!rc)
        rc = weft_goal_is_binary(data, size) ? weft_goal_read_binary(path, data, size, out, err)
                                             : weft_goal_read_text(path, data, size, out, err);
    free(data);
    if (!rc)
        rc = weft_goal_finish(*out, err);
    if (rc) {
        weft_goal_free(*out);
        *out = NULL;
    }
    return rc;
}
