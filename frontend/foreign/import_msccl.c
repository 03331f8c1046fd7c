/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of MSCCL and plans of MSCCL++ among the files that weft import tells apart. */
#include "collective/msccl_info.h"
#include "foreign/import_msccl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 32 };

/* The attribute `coll` of a program. */
static const char *xml_collective(const struct weft_import_file *f, char buf[NAME_MAX_BYTES])
{
    const char *algo = strstr(f->head, "<algo"), *end = algo ? strchr(algo, '>') : NULL;
    for (const char *p = algo; end && p && (p = strstr(p + 1, "coll")) && p < end;) {
        const char *v = p + 4 + strspn(p + 4, " \t\r\n");
        if (!strchr(" \t\r\n", p[-1]) || *v != '=')
            continue;
        v += 1 + strspn(v + 1, " \t\r\n");
        const char quote[] = {*v, '\0'};
        snprintf(buf, NAME_MAX_BYTES, "%.*s", (int)strcspn(v + 1, quote), v + 1);
        return buf;
    }
    return "";
}

static const char *collective(const struct weft_import_file *f, bool plan, char buf[NAME_MAX_BYTES])
{
    return plan ? weft_tree_text(f->tree, "collective", weft_tree_text(f->tree, "colletive", ""))
                : xml_collective(f, buf);
}

bool weft_import_msccl_does(const struct weft_import_file *f, bool plan, enum weft_coll_kind kind)
{
    char buf[NAME_MAX_BYTES];
    enum weft_coll_kind is;
    return weft_msccl_kind(collective(f, plan, buf), &is) && is == kind;
}

int weft_import_msccl(const struct weft_import_file *f, char *what, size_t size,
                      struct weft_err *err)
{
    struct weft_msccl_info info;
    int code = weft_msccl_info_read(f->path, &info, err);
    if (!code)
        snprintf(what, size,
                 "%" PRIu32 " GPUs of up to %" PRIu32 " threadblocks, %" PRIu64 " %s%s; proved",
                 info.gpus, info.threadblocks, info.steps, info.plan ? "operations" : "steps",
                 info.inplace ? ", in place" : "");
    return code;
}
