/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What reads XML by libxml2. libxml2 brings libraries for the world's scripts, which take longer to
 * load than a short run takes, so that the program weft has this part in a file of its own
 * (weft-xml.so), which it opens when it reads XML (frontend/parts). Others have it linked in
 * (xml_part_linked.c).
 */
#ifndef WEFT_BASE_XML_PART_H
#define WEFT_BASE_XML_PART_H

#include "base/xml.h"

/** What is called of it. */
struct weft_xml_part {
    const char *version; /**< of weft: the program and the part must be of one */
    /** weft_xml_parse(). */
    int (*parse)(const char *text, size_t len, const char *file, struct weft_arena *a,
                 struct weft_xml_elem **root, struct weft_err *err);
};

/** weft_xml_parse() itself. */
int weft_xml_libxml2_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                           struct weft_xml_elem **root, struct weft_err *err);

/** *@p out: the part, opened if need be; it stays open. WEFT_E_IO: it isn't there, or is of another
 * weft. */
int weft_xml_part_get(const struct weft_xml_part **out, struct weft_err *err);

#endif
