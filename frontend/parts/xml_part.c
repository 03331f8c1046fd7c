/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of weft-xml.so. */
#include "base/xml_part.h"

const struct weft_xml_part weft_xml_part = {.version = WEFT_PART_VERSION,
                                            .parse = weft_xml_libxml2_parse};
