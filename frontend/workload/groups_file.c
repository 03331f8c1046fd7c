/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the JSON file of a trace's communicators: {"1": [0, 1], ...}. */
#include "workload/groups_file.h"

#include "base/file.h"
#include "base/json.h"

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
        weft_json_kv_array(&j, groups[g].name);
        for (uint32_t i = 0; i < groups[g].n; i++)
            weft_json_u64(&j, groups[g].ranks[i]);
        weft_json_end_array(&j);
    }
    weft_json_end_object(&j);
    return weft_memfile_write(&text, path, path, weft_json_finish(&j, err), err);
}
