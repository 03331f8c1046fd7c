/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of distributions, from cdfs.def. */
#include "workload/traffic/cdf_table.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define WEFT_CDF(symbol, name, title, source, ...)                                                 \
    static const double points_##symbol[][2] = {__VA_ARGS__};
#include "workload/traffic/cdfs.def"
#undef WEFT_CDF

static const struct weft_cdf_entry table[] = {
#define WEFT_CDF(symbol, name, title, source, ...)                                                 \
    {name, title, source, points_##symbol, sizeof(points_##symbol) / sizeof(points_##symbol[0])},
#include "workload/traffic/cdfs.def"
#undef WEFT_CDF
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

const struct weft_cdf_entry *weft_cdf_table(size_t *n)
{
    *n = TABLE_SIZE;
    return table;
}

static struct weft_cdf *cdf_table_copy(const struct weft_cdf_entry *e, struct weft_err *err)
{
    struct weft_cdf *c = (struct weft_cdf *)calloc(1, sizeof *c);
    if (c) {
        c->bytes = (double *)calloc(e->n, sizeof *c->bytes);
        c->percent = (double *)calloc(e->n, sizeof *c->percent);
    }
    if (!c || !c->bytes || !c->percent) {
        weft_cdf_free(c);
        weft_err_no_memory(err, "flow sizes");
        return NULL;
    }
    for (; c->n < e->n; c->n++) {
        c->bytes[c->n] = e->points[c->n][0];
        c->percent[c->n] = e->points[c->n][1];
    }
    return c;
}

static const char *cdf_table_name_of(size_t i)
{
    return table[i].name;
}

struct weft_cdf *weft_cdf_named(const char *name, struct weft_err *err)
{
    const size_t i =
        weft_find_named(name, cdf_table_name_of, TABLE_SIZE, "distribution of flow sizes", err);
    return i < TABLE_SIZE ? cdf_table_copy(&table[i], err) : NULL;
}

struct weft_cdf *weft_cdf_open(const char *name, struct weft_err *err)
{
    for (size_t i = 0; i < TABLE_SIZE; i++)
        if (strcmp(name, table[i].name) == 0 && !weft_file_is_regular(name))
            return cdf_table_copy(&table[i], err);
    return weft_cdf_read(name, err);
}
