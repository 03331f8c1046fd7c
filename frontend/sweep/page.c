/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the tables of a sweep into a Markdown page, between the marks for them. */
#include "sweep/page.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_MAX_BYTES = 16 << 20 };

/* The start of the first line from @p at on that is exactly @p line; NULL: there is none. */
static const char *find_line(const char *at, const char *line)
{
    const size_t len = strlen(line);
    for (const char *p = at; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
        if (strncmp(p, line, len) == 0 && (p[len] == '\n' || !p[len]))
            return p;
    return NULL;
}

int weft_sweep_page_update(const char *page, const char *name, const char *text, size_t size,
                           struct weft_err *err)
{
    static const char close[] = "<!-- end -->";
    char open[128];
    char *old;
    size_t len;
    struct weft_memfile t;
    if (weft_file_read(page, PAGE_MAX_BYTES, &old, &len, err))
        return err->code;
    snprintf(open, sizeof open, "<!-- sweep%s%s -->", name ? " " : "", name ? name : "");
    const char *begin = find_line(old, open);
    const char *end = begin ? find_line(begin, close) : NULL;
    int code = 0;
    if (!end)
        code = weft_err_at(err, WEFT_E_INPUT, page, 0, 0,
                           "--update: has no line '%s' with a line '%s' behind it", open, close);
    code = code ? code : weft_memfile_open(&t, page, err);
    if (!code) {
        fwrite(old, 1, (size_t)(begin - old), t.f);
        fprintf(t.f, "%s\n```\n", open);
        fwrite(text, 1, size, t.f);
        fputs("```\n", t.f);
        fwrite(end, 1, len - (size_t)(end - old), t.f);
        code = weft_memfile_write(&t, page, page, 0, err);
    }
    free(old);
    return code;
}
