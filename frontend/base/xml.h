/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small read-only tree of an XML document in which each element and attribute knows its line and
 * column.
 *
 * libxml2 parses (as SAX events; no network, no external entities, and a document type declaration
 * is an error), this file keeps what input files are made of: elements, attributes and text.
 * libxml2's own tree knows only the line on which a start tag ends, which is not the line of the
 * attribute that is wrong.
 */
#ifndef WEFT_BASE_XML_H
#define WEFT_BASE_XML_H

#include "base/arena.h"
#include "base/err.h"

WEFT_C_BEGIN

/** Largest document accepted. */
#define WEFT_XML_MAX_BYTES (16u << 20)
/** Deepest nesting accepted. */
#define WEFT_XML_MAX_DEPTH 16u
/** Most attributes of one element. */
#define WEFT_XML_MAX_ATTRS 256u
/** Longest value of an attribute, comment, CDATA section and processing instruction, in bytes. */
#define WEFT_XML_MAX_VALUE (8u << 20)

/** One attribute. */
struct weft_xml_attr {
    const char *name;
    const char *value; /**< entities decoded */
    int64_t line, col; /**< of its name, 1-based */
    struct weft_xml_attr *next;
};

/** One element. */
struct weft_xml_elem {
    const char *name;
    const char *text;            /**< all character data directly inside, "" when none */
    int64_t line, col;           /**< of its '<', 1-based */
    struct weft_xml_attr *attrs; /**< in document order */
    struct weft_xml_elem *children;
    struct weft_xml_elem *next;
};

/**
 * Parses @p len bytes in time and memory linear in @p len. @p file is only for messages. The tree
 * lives in @p a. An ill-formed document is WEFT_E_INPUT with file, line and column; over a limit is
 * WEFT_E_LIMIT. Documents in other encodings than UTF-8 have lines and no columns (0).
 */
int weft_xml_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                   struct weft_xml_elem **root, struct weft_err *err);

/** The attribute called @p name, or NULL. */
const struct weft_xml_attr *weft_xml_get(const struct weft_xml_elem *e, const char *name);

WEFT_C_END
#endif
