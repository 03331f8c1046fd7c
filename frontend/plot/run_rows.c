/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a run's tables. */
#include "plot/runs.h"

#include "base/file.h"
#include "series/packed.h"

#include <math.h>
#include <stdlib.h>

const char *weft_row_text(const struct weft_row *row, size_t k)
{
    return row->column[k] < 0 ? "" : row->r.field[row->column[k]];
}

int weft_row_number(const struct weft_row *row, size_t k, double *out, struct weft_err *err)
{
    const char *text = weft_row_text(row, k);
    char *end;
    *out = strtod(text, &end);
    if (*end || !isfinite(*out))
        return weft_err_at(err, WEFT_E_INPUT, row->r.path, row->r.line, 0,
                           "%s: '%.40s' is no number", row->r.name[row->column[k]], text);
    return 0;
}

static int find_columns(struct weft_row *row, const char *const *columns, struct weft_err *err)
{
    int code = 0;
    for (size_t k = 0; columns[k] && !code; k++) {
        if (columns[k][0] == '?')
            row->column[k] = weft_csv_reader_column(&row->r, columns[k] + 1);
        else
            code = weft_csv_reader_need(&row->r, columns[k], &row->column[k], err);
    }
    return code;
}

int weft_run_rows(const struct weft_run *run, const char *file, const char *const *columns,
                  weft_row_fn fn, void *ctx, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_row row;
    if (weft_path_join(path, run->dir, file, err))
        return err->code;
    if (!weft_series_table_exists(path))
        return 1;
    int rc = weft_series_table_open(&row.r, path, err);
    if (rc && row.r.ended && weft_run_is_partial(run)) {
        *err = (struct weft_err){0};
        weft_csv_reader_close(&row.r);
        return 1;
    }
    rc = rc ? rc : find_columns(&row, columns, err);
    while (!rc && (rc = weft_csv_reader_next(&row.r, err)) == 1)
        rc = fn(ctx, &row, err);
    weft_csv_reader_close(&row.r);
    return rc;
}
