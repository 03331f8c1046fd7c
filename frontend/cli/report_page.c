/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects and writes the HTML page of weft report and weft compare --html. */
#include "cli/cli_internal.h"

#include "base/file.h"
#include "base/units.h"
#include "plot/page.h"

/* What a line on a report says of runs that did not come to their end. */
static const char *partial_text(const struct weft_runs *runs, char buf[48])
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        n += weft_run_is_partial(&runs->run[i]);
    if (runs->n == 1)
        return n ? " (partial results)" : "";
    if (!n)
        return "";
    snprintf(buf, 48, " (%zu with partial results)", n);
    return buf;
}

int weft_report_page(FILE *say, const struct weft_runs *runs, const char *path,
                     struct weft_err *err)
{
    const struct weft_page_settings settings = {weft_findings, weft_findings_verdict};
    struct weft_page_content content;
    struct weft_memfile page;
    char size[WEFT_UNIT_TEXT_MAX], partial[48];
    if (weft_memfile_open(&page, "a report", err))
        return err->code;
    int code = weft_page_write(runs, &settings, page.f, &content, err);
    code = weft_memfile_write(&page, "a report", path, code, err);
    if (!code)
        fprintf(say, "%s: %zu run%s%s, %zu figures, %s\n", path, runs->n, runs->n == 1 ? "" : "s",
                partial_text(runs, partial), content.figures, weft_human_size(page.size, size));
    return code;
}
