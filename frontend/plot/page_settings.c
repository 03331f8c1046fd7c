/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's settings: those of all runs that are not at their defaults, as their run.json says. */
#include "plot/page_parts.h"

/* What a run says of a setting that is not at its default; NULL: it is. */
static const json_t *given(const struct weft_page *p, size_t run, const char *key)
{
    return json_object_get(json_object_get(p->runs->run[run].json, "given"), key);
}

static const char *text_of(const json_t *setting, const char *what)
{
    const char *text = json_string_value(json_object_get(setting, what));
    return text ? text : "";
}

static void write_setting(const struct weft_page *p, size_t runs, const char *key)
{
    const char *def = "";
    for (size_t i = 0; i < runs; i++)
        def = given(p, i, key) ? text_of(given(p, i, key), "default") : def;
    fputs("<tr>", p->out);
    weft_page_cell(p, "th", key);
    for (size_t i = 0; i < runs; i++)
        weft_page_cell(p, "td", given(p, i, key) ? text_of(given(p, i, key), "value") : def);
    weft_page_cell(p, "td", def);
    fputs("</tr>\n", p->out);
}

void weft_page_settings_section(const struct weft_page *p)
{
    /* Of many runs, those of the first. */
    const size_t n = p->runs->n > WEFT_PAGE_SIDE_BY_SIDE ? 1 : p->runs->n;
    fputs("<section id=\"settings\">\n<h2>Settings</h2>\n<p>Those that are not at their defaults.",
          p->out);
    if (*p->runs->varied) {
        fputs(" The runs differ in ", p->out);
        weft_page_text(p, p->runs->varied);
        fputs(".", p->out);
    }
    fputs("</p>\n<div class=\"wide\"><table class=\"settings\">\n<tr><th>setting</th>", p->out);
    for (size_t i = 0; i < n; i++)
        weft_page_cell(p, "th", n > 1 ? p->runs->run[i].label : "value");
    fputs("<th>default</th></tr>\n", p->out);
    for (size_t i = 0; i < n; i++) {
        json_t *all = json_object_get(p->runs->run[i].json, "given");
        const char *key;
        json_t *v;
        json_object_foreach(all, key, v)
        {
            bool before = false;
            for (size_t j = 0; j < i; j++)
                before |= given(p, j, key) != NULL;
            if (!before)
                write_setting(p, n, key);
        }
    }
    fputs("</table></div>\n</section>\n", p->out);
}
