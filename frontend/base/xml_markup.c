/* SPDX-License-Identifier: GPL-2.0-only */
/* Markup: xml_markup.h. Time is linear in the text. */
#include "base/xml_markup.h"

#include "base/xml.h"

#include <string.h>
#include <strings.h>

struct weft_xml_cursor weft_xml_begin(const char *text, size_t len)
{
    const size_t bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (struct weft_xml_cursor){text + bom, 1, 1};
}

/* What a piece of markup that is no tag ends with; NULL: it is a tag. */
static const char *closing(const char *p, const char *end)
{
    static const char *const pairs[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((size_t)(end - p) > strlen(pairs[i][0]) &&
            memcmp(p, pairs[i][0], strlen(pairs[i][0])) == 0)
            return pairs[i][1];
    return NULL;
}

/* What follows the next @p close, all of which end in '>'; NULL: there is none. */
static const char *behind(const char *p, const char *end, const char *close)
{
    const size_t n = strlen(close);
    const char *from = p;
    while ((p = (const char *)memchr(p, '>', (size_t)(end - p))) != NULL) {
        p++;
        if ((size_t)(p - from) > n && memcmp(p - n, close, n) == 0)
            return p;
    }
    return NULL;
}

/* What is in a tag. */
struct tag {
    const char *end; /* its '>' */
    unsigned nattrs;
    const char *longest; /* the longest value, NULL: there is none */
    size_t longest_bytes;
};

static struct tag look_at_tag(const char *p, const char *end)
{
    struct tag t = {.end = end};
    for (; p < end && *p != '>'; p++) {
        if (*p != '"' && *p != '\'')
            continue;
        const char *from = p + 1;
        t.nattrs++;
        p = (const char *)memchr(from, *p, (size_t)(end - from));
        if (!p)
            return t;
        if (!t.longest || (size_t)(p - from) > t.longest_bytes) {
            t.longest = from;
            t.longest_bytes = (size_t)(p - from);
        }
    }
    t.end = p;
    return t;
}

const char *weft_xml_next_tag(struct weft_xml_cursor *c, const char *text_end)
{
    while (c->p < text_end) {
        const char *next = c->p + 1;
        if (*c->p == '<') {
            const char *close = closing(c->p, text_end);
            if (!close && text_end - c->p > 1 && c->p[1] != '/')
                return look_at_tag(next, text_end).end;
            next = close ? behind(c->p, text_end, close) : next;
        }
        while (next && c->p < next)
            weft_xml_advance(c);
        if (!next)
            break;
    }
    return NULL;
}

/* An error at @p p of the text. */
static int too_much(const char *text, size_t len, const char *p, const char *file,
                    struct weft_err *err, const char *what, size_t is, unsigned limit)
{
    struct weft_xml_cursor c = weft_xml_begin(text, len);
    while (c.p < p)
        weft_xml_advance(&c);
    return weft_err_at(err, WEFT_E_LIMIT, file, c.line, c.col, "%s of %zu %s; %u is the limit",
                       what, is, limit == WEFT_XML_MAX_ATTRS ? "attributes" : "bytes", limit);
}

int weft_xml_check_sizes(const char *text, size_t len, const char *file, struct weft_err *err)
{
    const char *end = text + len, *p = text;
    while (p < end && (p = (const char *)memchr(p, '<', (size_t)(end - p))) != NULL) {
        const char *close = closing(p, end), *next;
        if (close) {
            next = behind(p, end, close);
            if (!next)
                return 0;
            if (next - p > WEFT_XML_MAX_VALUE)
                return too_much(text, len, p, file, err, "a comment, section or instruction",
                                (size_t)(next - p), WEFT_XML_MAX_VALUE);
        } else {
            const struct tag t = look_at_tag(p + 1, end);
            if (t.nattrs > WEFT_XML_MAX_ATTRS)
                return too_much(text, len, p, file, err, "an element", t.nattrs,
                                WEFT_XML_MAX_ATTRS);
            if (t.longest_bytes > WEFT_XML_MAX_VALUE)
                return too_much(text, len, t.longest, file, err, "a value", t.longest_bytes,
                                WEFT_XML_MAX_VALUE);
            next = t.end;
        }
        p = next;
    }
    return 0;
}

bool weft_xml_is_utf8(const char *text, size_t len)
{
    static const char key[] = "encoding";
    const char *p = weft_xml_begin(text, len).p, *const end = text + len, *close;
    if (end - p < 2 || p[0] == '\0' || p[1] == '\0' || (unsigned char)p[0] >= 0xfe)
        return false; /* UTF-16, UTF-32 */
    if (end - p < 6 || memcmp(p, "<?xml", 5) != 0 || !weft_xml_is_space(p[5]) ||
        !(close = behind(p, end, "?>")))
        return true;
    while (p + sizeof key < close && memcmp(p, key, sizeof key - 1) != 0)
        p++;
    if (p + sizeof key >= close)
        return true;
    while (p < close && *p != '"' && *p != '\'')
        p++;
    return close - p > 7 && strncasecmp(p + 1, "utf-8", 5) == 0 && p[6] == *p;
}
