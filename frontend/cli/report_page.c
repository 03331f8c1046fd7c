/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects and writes the HTML page of weft report and weft compare --html. */
#include "cli/report_page.h"

#include "base/file.h"
#include "base/units.h"
#include "cli/findings.h"
#include "command/listing.h"
#include "plot/page.h"

#include <stdlib.h>
#include <string.h>

/* The parameter called @p key ("dcqcn.rate-ai") in the tables of all families; NULL: none. */
static const struct weft_param *find_param(const struct weft_cli *cli, const char *key)
{
    const char *dot = strrchr(key, '.');
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    for (size_t i = 0; i < n && dot; i++)
        for (size_t k = 0; k < l[i].count(cli); k++) {
            const struct weft_listed e = l[i].get(cli, k);
            const size_t len = strlen(e.name);
            if (!e.params || len != (size_t)(dot - key) || strncmp(e.name, key, len) != 0)
                continue;
            const struct weft_param *p = weft_params_find(e.params, dot + 1);
            if (p)
                return p;
        }
    return NULL;
}

static const char *default_of(void *ctx, const char *key, const char *value, bool *is_default,
                              char *buf, size_t size)
{
    const struct weft_param *p = find_param((const struct weft_cli *)ctx, key);
    struct weft_err ignored = {0};
    union weft_param_value a, b;
    *is_default = false;
    if (!p || (!p->def && !p->scale))
        return NULL;
    if (p->scale) { /* resolved it says for which line rate, or path, it was meant */
        *is_default = strcmp(value, WEFT_PARAM_AUTO) == 0 || strstr(value, " at ");
        return WEFT_PARAM_AUTO;
    }
    snprintf(buf, size, "%s", p->def);
    *is_default = strcmp(p->def, value) == 0 ||
                  (!weft_param_parse(p, p->def, &a, &ignored) &&
                   !weft_param_parse(p, value, &b, &ignored) && weft_param_same(p->type, &a, &b));
    return buf;
}

/* What a line on a report says of runs that did not come to their end. */
static const char *partial_text(const struct weft_runs *runs, char buf[48])
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        n += weft_run_is_partial(&runs->run[i]);
    if (runs->n == 1)
        return n ? " (partial results)" : "";
    snprintf(buf, 48, n ? " (%zu with partial results)" : "", n);
    return buf;
}

int weft_report_page(const struct weft_cli *cli, FILE *say, const struct weft_runs *runs,
                     const char *path, struct weft_err *err)
{
    const struct weft_page_settings settings = {(void *)(uintptr_t)cli, default_of, weft_findings,
                                                weft_findings_verdict};
    struct weft_page_content content;
    struct weft_memfile page;
    struct weft_err ignored = {0};
    char size[WEFT_UNIT_TEXT_MAX], partial[48];
    if (weft_memfile_open(&page, "a report", err))
        return err->code;
    int code = weft_page_write(runs, &settings, page.f, &content, err);
    const int closed = weft_memfile_close(&page, "a report", code ? &ignored : err);
    code = code ? code : closed;
    if (!code)
        code = weft_file_write(path, page.data, page.size, err);
    if (!code)
        fprintf(say, "%s: %zu run%s%s, %zu figures, %s\n", path, runs->n, runs->n == 1 ? "" : "s",
                partial_text(runs, partial), content.figures, weft_human_size(page.size, size));
    free(page.data);
    return code;
}
