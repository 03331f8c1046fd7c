/* SPDX-License-Identifier: GPL-2.0-only */
/* The XML reader of programs that link libxml2 themselves (tests, fuzz targets). */
#include "base/xml_part.h"

int weft_xml_part_get(const struct weft_xml_part **out, struct weft_err *err)
{
    static const struct weft_xml_part part = {.parse = weft_xml_libxml2_parse};
    *out = &part;
    return 0;
}
