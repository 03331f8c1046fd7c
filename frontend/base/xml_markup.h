/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The markup of an XML document as it is written: where its tags are, and how much is in them. What
 * is ill-formed is left to the parser (xml_libxml2.c). XML 1.0, 5th edition.
 */
#ifndef WEFT_BASE_XML_MARKUP_H
#define WEFT_BASE_XML_MARKUP_H

#include "base/err.h"

#include <stdbool.h>

/** A position in the text, moved forward one byte at a time. */
struct weft_xml_cursor {
    const char *p;
    int64_t line, col;
};

/** The begin of a text, behind the byte order mark of UTF-8. */
struct weft_xml_cursor weft_xml_begin(const char *text, size_t len);
/** Moves @p c to the '<' of the next start tag and returns where that ends, NULL: there is none. */
const char *weft_xml_next_tag(struct weft_xml_cursor *c, const char *text_end);
/** Whether the text is in UTF-8: it begins as such, and says nothing else. */
bool weft_xml_is_utf8(const char *text, size_t len);
/** WEFT_E_LIMIT: an element has too many attributes, or a value, comment, section or instruction is
 * too long. */
int weft_xml_check_sizes(const char *text, size_t len, const char *file, struct weft_err *err);

static inline void weft_xml_advance(struct weft_xml_cursor *c)
{
    if (*c->p == '\n') {
        c->line++;
        c->col = 1;
    } else if ((*c->p & 0xc0) !=
               0x80) { /* columns count characters, not UTF-8 continuation bytes */
        c->col++;
    }
    c->p++;
}

static inline bool weft_xml_is_space(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

#endif
