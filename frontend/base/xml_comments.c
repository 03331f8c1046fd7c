/* SPDX-License-Identifier: GPL-2.0-only */
/* Comments that are not well-formed: "--" within them, or a '-' at their end. */
#include "base/xml_comments.h"

#include <stdbool.h>
#include <string.h>

/* What "<!--" means nothing in, and comments. */
static const struct {
    const char *opens, *closes;
} spans[] = {{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}};

static bool begins(const char *p, const char *end, const char *with)
{
    const size_t n = strlen(with);
    return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

/* Blanks every '-' of [from, to) that has another beside it; to is where "-->" begins. */
static bool mend(char *from, char *to)
{
    bool mended = false;
    for (char *p = from; p < to; p++)
        if (*p == '-' && (p[1] == '-' || (p > from && p[-1] == '-'))) {
            *p = ' ';
            mended = true;
        }
    return mended;
}

uint32_t weft_xml_mend_comments(char *text, size_t len, int64_t *line)
{
    char *const end = text + len;
    int64_t at = 1;
    uint32_t n = 0;
    for (char *p = text; p < end; p++) {
        size_t k = 0;
        while (k < sizeof spans / sizeof spans[0] && !begins(p, end, spans[k].opens))
            k++;
        const int64_t first = at;
        at += *p == '\n';
        if (k == sizeof spans / sizeof spans[0])
            continue;
        char *const from = p + strlen(spans[k].opens);
        for (p = from; p < end && !begins(p, end, spans[k].closes); p++)
            at += *p == '\n';
        if (k == 0 && p < end && mend(from, p) && n++ == 0)
            *line = first;
    }
    return n;
}
