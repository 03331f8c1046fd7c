/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows from tables of columns. */
#include "base/columns.h"

#include "base/csv_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *weft_column_unit_name(enum weft_column_unit unit)
{
    static const char *const names[WEFT_COLUMN_UNITS] = {
        [WEFT_UNIT_NUMBER] = "", [WEFT_UNIT_NS] = "ns",   [WEFT_UNIT_BYTES] = "bytes",
        [WEFT_UNIT_BPS] = "bps", [WEFT_UNIT_PCT] = "pct", [WEFT_UNIT_TEXT] = "",
    };
    return names[unit];
}

struct weft_csv *weft_columns_open(const struct weft_csv_file *f, const char *path,
                                   struct weft_err *err)
{
    const char *names[WEFT_COLUMNS_MAX];
    for (size_t i = 0; i < f->n; i++)
        names[i] = f->columns[i].name;
    struct weft_csv *csv = weft_csv_open(path, names, f->n, err);
    if (csv)
        weft_csv_flush_every(csv, 0);
    return csv;
}

/* The value of a column; false: the row has none. */
static inline bool find_value(const struct weft_column *c, const void *row, union weft_cell *v)
{
    const char *at = (const char *)row + c->offset;
    if (c->get)
        return c->get(row, v);
    if (c->type == WEFT_CELL_TEXT)
        v->text = at;
    else if (c->type == WEFT_CELL_U32)
        v->u = *(const uint32_t *)at;
    else
        memcpy(v, at, sizeof *v);
    return true;
}

static void put_value(struct weft_csv *csv, const struct weft_column *c, const union weft_cell *v)
{
    char hex[2 + 16 + 1];
    switch (c->type) {
    case WEFT_CELL_HEX:
        snprintf(hex, sizeof hex, "0x%016" PRIx64, v->u);
        weft_csv_str(csv, hex);
        break;
    case WEFT_CELL_U32:
    case WEFT_CELL_U64:
        weft_csv_u64(csv, v->u);
        break;
    case WEFT_CELL_PS:
        if (v->ps < 0) /* there is no such time */
            weft_csv_empty(csv);
        else
            weft_csv_ps_as_ns(csv, v->ps);
        break;
    case WEFT_CELL_F64:
        weft_csv_f64(csv, v->f, c->decimals);
        break;
    case WEFT_CELL_TEXT:
        weft_csv_str(csv, v->text);
        break;
    }
}

void weft_columns_fields(const struct weft_csv_file *f, struct weft_csv *csv, const void *row)
{
    const struct weft_column *end = f->columns + f->n;
    struct csv_place at = csv->at;
    for (const struct weft_column *c = f->columns; c < end; c++) {
        union weft_cell v;
        const bool some = find_value(c, row, &v);
        if (some && csv_again(&at, v.u)) /* as most are */
            continue;
        csv->at = at;
        if (some)
            put_value(csv, c, &v);
        else
            weft_csv_empty(csv);
        at = csv->at;
    }
    csv->at = at;
}

int weft_columns_row(const struct weft_csv_file *f, struct weft_csv *csv, const void *row,
                     struct weft_err *err)
{
    if (!csv)
        return 0;
    weft_columns_fields(f, csv, row);
    return weft_csv_row(csv, err);
}
