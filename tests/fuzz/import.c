/* SPDX-License-Identifier: GPL-2.0-only */
/* What a file is: every kind looks at it, and those that know it read it. */
#include "target.h"

#include "foreign/import.h"

#include <string.h>

void weft_fuzz_import(const uint8_t *data, size_t size)
{
    size_t n;
    const struct weft_import_kind *kinds = weft_import_kinds(&n);
    struct weft_arena *a = weft_arena_new();
    struct weft_tree *tree = NULL;
    char *text = weft_fuzz_text(data, size);
    REQUIRE(a && text);
    if (!weft_fuzz_small(text, size)) /* fabrics are as large as numbers say */
        n = 0;
    if (weft_tree_parse(text, size, "tree", a, &tree, NULL))
        tree = NULL;
    const struct weft_import_file f = {weft_fuzz_file(data, size), text, size, tree};
    for (size_t k = 0; k < n; k++) {
        struct weft_err err = {0};
        char what[256] = "";
        if (kinds[k].is(&f) && kinds[k].read)
            weft_fuzz_ok(kinds[k].read(&f, what, sizeof what, &err), &err);
    }
    free(text);
    weft_arena_free(a);
}
