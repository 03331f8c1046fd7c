/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of an XML document: access to elements and attributes, without libxml2. */
#include "base/xml.h"

#include "base/xml_part.h"

#include <string.h>

int weft_xml_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                   struct weft_xml_elem **root, struct weft_err *err)
{
    const struct weft_xml_part *part;
    *root = NULL;
    const int rc = weft_xml_part_get(&part, err);
    return rc ? rc : part->parse(text, len, file, a, root, err);
}

const struct weft_xml_attr *weft_xml_get(const struct weft_xml_elem *e, const char *name)
{
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}
