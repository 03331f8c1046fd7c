/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a diagnosis that was made of a run's folder (weft diagnose DIR). */
#include "plot/page_parts.h"

#include "base/file.h"
#include "json/json_read.h"

#include <math.h>
#include <stdlib.h>

enum { DIAGNOSIS_MAX_BYTES = 16 << 20, DIAGNOSIS_ROWS = 12 };

static json_t *read_diagnosis(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text = NULL;
    size_t size;
    json_error_t e;
    if (weft_path_join(path, dir, "diagnosis.json", err))
        return NULL;
    if (!weft_file_is_regular(path) || weft_file_read(path, DIAGNOSIS_MAX_BYTES, &text, &size, err))
        return NULL;
    json_t *root = weft_json_load(text, size, 0, &e);
    free(text);
    if (!root)
        weft_json_load_error(err, path, &e, "");
    return root;
}

static void page_diagnosis_row(const struct weft_page *p, const json_t *row)
{
    const char *change = json_string_value(json_object_get(row, "change")),
               *second = json_string_value(json_object_get(row, "second_change")),
               *advice = json_string_value(json_object_get(row, "advice"));
    const double ratio = json_number_value(json_object_get(row, "ratio"));
    fputs("<tr><td>", p->out);
    weft_page_text(p, change ? change : "");
    if (second) {
        fputs(", and ", p->out);
        weft_page_text(p, second);
    }
    fprintf(p->out, "</td><td>-%.1f %%</td>", 100 * (1 - ratio));
    weft_page_cell(p, "td", advice ? advice : "");
    fputs("</tr>\n", p->out);
}

int weft_page_diagnosis(const struct weft_page *p, const struct weft_run *run, struct weft_err *err)
{
    json_t *root = read_diagnosis(run->dir, err);
    const json_t *row;
    size_t i, rows = 0;
    if (!root)
        return err->code;
    json_array_foreach(json_object_get(root, "changes"), i, row)
    {
        if (!json_is_true(json_object_get(row, "worth_a_row")) || rows == DIAGNOSIS_ROWS)
            continue;
        if (rows++ == 0)
            fputs("<div class=\"top diagnosis\"><h4>What would make it faster, tried by weft "
                  "diagnose, causes first</h4>\n<table>\n<tr><th>with one thing changed</th>"
                  "<th>time</th><th>what to do</th></tr>\n",
                  p->out);
        page_diagnosis_row(p, row);
    }
    fputs(rows ? "</table></div>\n"
               : "<p>weft diagnose found no change that makes it faster.</p>\n",
          p->out);
    json_decref(root);
    return 0;
}
