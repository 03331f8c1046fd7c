/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the JSON file of a trace's communicators: {"1": [0, 1], ...}. */
#include "workload/groups_file.h"

#include "base/file.h"
#include "base/json.h"

#include <stdlib.h>

int weft_groups_write(const char *path, const struct weft_group *groups, size_t n,
                      struct weft_err *err)
{
    struct weft_json j;
    struct weft_memfile text;
    if (weft_memfile_open(&text, path, err))
        return err->code;
    weft_json_init(&j, text.f, path, 0);
    weft_json_object(&j);
    for (size_t g = 0; g < n; g++) {
        weft_json_key(&j, groups[g].name);
        weft_json_array(&j);
        for (uint32_t i = 0; i < groups[g].n; i++)
            weft_json_u64(&j, groups[g].ranks[i]);
        weft_json_end_array(&j);
    }
    weft_json_end_object(&j);
    int rc = weft_json_finish(&j, err);
    if (weft_memfile_close(&text, path, err))
        return WEFT_E_LIMIT;
    if (!rc)
        rc = weft_file_write(path, text.data, text.size, err);
    free(text.data);
    return rc;
}
