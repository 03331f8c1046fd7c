/* SPDX-License-Identifier: GPL-2.0-only */
/* The XML reader of the program: opens weft-xml.so when the first document is read. */
#include "parts/part.h"
#include "base/xml_part.h"

int weft_xml_part_get(const struct weft_xml_part **out, struct weft_err *err)
{
    static const struct weft_part_file file = {"weft-xml.so", "weft_xml_part",
                                               "reading XML needs libxml2"};
    static const void *part;
    const int rc = weft_part_open(&file, &part, err);
    *out = (const struct weft_xml_part *)part;
    return rc;
}
