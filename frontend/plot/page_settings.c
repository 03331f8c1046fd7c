/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's settings: those of all runs that are not at their defaults. */
#include "plot/page_parts.h"
#include "report/compare.h"

#include <string.h>

static const char *find_setting(const struct weft_resolved_setting *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].key, key) == 0)
            return list[i].value;
    return NULL;
}

/* The settings of all runs. */
struct resolved {
    struct weft_resolved_setting **list;
    size_t *n;
    size_t runs;
};

/* A row for a setting, if any run has not its default. */
static void write_setting(const struct weft_page *p, const struct resolved *all, const char *key)
{
    char buf[256];
    const char *def = NULL;
    bool differs = false;
    for (size_t i = 0; i < all->runs; i++) {
        const char *v = find_setting(all->list[i], all->n[i], key);
        bool is_default = false;
        def = v ? p->settings->default_of(p->settings->ctx, key, v, &is_default, buf, sizeof buf)
                : def;
        differs |= v && !is_default;
    }
    if (!differs)
        return;
    fputs("<tr>", p->out);
    weft_page_cell(p, "th", key);
    for (size_t i = 0; i < all->runs; i++) {
        const char *v = find_setting(all->list[i], all->n[i], key);
        weft_page_cell(p, "td", v ? v : "");
    }
    weft_page_cell(p, "td", def ? def : "");
    fputs("</tr>\n", p->out);
}

static void write_settings(const struct weft_page *p, const struct resolved *all)
{
    fputs("<section id=\"settings\">\n<h2>Settings</h2>\n<p>Those that are not at their defaults.",
          p->out);
    if (*p->runs->varied) {
        fputs(" The runs differ in ", p->out);
        weft_page_text(p, p->runs->varied);
        fputs(".", p->out);
    }
    fputs("</p>\n<div class=\"wide\"><table class=\"settings\">\n<tr><th>setting</th>", p->out);
    for (size_t i = 0; i < all->runs; i++)
        weft_page_cell(p, "th", all->runs > 1 ? p->runs->run[i].label : "value");
    fputs("<th>default</th></tr>\n", p->out);
    for (size_t i = 0; i < all->runs; i++)
        for (size_t k = 0; k < all->n[i]; k++) {
            bool before = false;
            for (size_t j = 0; j < i; j++)
                before |= find_setting(all->list[j], all->n[j], all->list[i][k].key) != NULL;
            if (!before)
                write_setting(p, all, all->list[i][k].key);
        }
    fputs("</table></div>\n</section>\n", p->out);
}

int weft_page_settings_section(const struct weft_page *p, struct weft_err *err)
{
    const size_t n =
        p->runs->n > WEFT_PAGE_SIDE_BY_SIDE ? 1 : p->runs->n; /* of many, those of the first */
    struct resolved all = {
        weft_arena_calloc(p->runs->arena, n, sizeof *all.list),
        weft_arena_calloc(p->runs->arena, n, sizeof *all.n),
    };
    if (!all.list || !all.n)
        return weft_err_no_memory(err, "settings");
    all.runs = n;
    for (size_t i = 0; i < n; i++)
        if (weft_settings_resolved(json_object_get(p->runs->run[i].json, "config"), p->runs->arena,
                                   &all.list[i], &all.n[i], err))
            return err->code;
    write_settings(p, &all);
    return 0;
}
