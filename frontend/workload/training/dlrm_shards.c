/* SPDX-License-Identifier: GPL-2.0-only */
/* Which piece of which table lies on which rank. */
#include "workload/training/csv_table.h"
#include "workload/training/dlrm.h"

#include "base/file.h"
#include "json/json_read.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 24 };

/* Columns of a table. */
struct piece {
    uint32_t table;
    uint64_t columns;
};

struct division {
    const struct weft_dlrm *m;
    uint64_t ranks;
    struct weft_dlrm_share *out;
    uint64_t left[WEFT_DLRM_TABLES_MAX]; /* columns that nobody has yet */
    struct piece piece[WEFT_DLRM_PIECES_MAX];
    bool taken[WEFT_DLRM_PIECES_MAX];
    uint32_t npieces;
};

/* The share @p part of the rows of a piece goes to a rank. */
static void dlrm_shards_give(struct division *d, struct piece p, uint64_t rank, double part)
{
    const struct weft_table *t = &d->m->table[p.table];
    struct weft_dlrm_share *s = &d->out[rank];
    s->columns += p.columns;
    s->pieces++;
    s->lookups += t->lookups * part;
    s->read_bytes += t->lookups * part * 4 * (double)p.columns;
    s->params += (uint64_t)((double)(t->rows * p.columns) * part);
}

/* ---- without a file ---- */

static void by_rows(struct division *d)
{
    for (uint32_t t = 0; t < d->m->ntables; t++)
        for (uint64_t r = 0; r < d->ranks; r++)
            dlrm_shards_give(d, (struct piece){t, d->m->table[t].columns}, r, 1 / (double)d->ranks);
}

static int larger_first(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->columns != y->columns)
        return x->columns > y->columns ? -1 : 1;
    return x->table < y->table ? -1 : x->table > y->table;
}

static int by_columns(struct division *d, uint64_t cuts, struct weft_err *err)
{
    if (d->m->ntables * cuts > WEFT_DLRM_PIECES_MAX)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': %" PRIu64 " tables in %" PRIu64
                            " pieces each are more than %d",
                            d->m->ntables, cuts, WEFT_DLRM_PIECES_MAX);
    for (uint32_t t = 0; t < d->m->ntables; t++) {
        const uint64_t all = d->m->table[t].columns;
        if (all < cuts)
            return weft_err_set(err, WEFT_E_INPUT,
                                "workload 'training': table %" PRIu32 " has %" PRIu64
                                " columns, too few for %" PRIu64 " pieces",
                                t, all, cuts);
        for (uint64_t k = 0; k < cuts; k++)
            d->piece[d->npieces++] = (struct piece){t, all * (k + 1) / cuts - all * k / cuts};
    }
    qsort(d->piece, d->npieces, sizeof *d->piece, larger_first);
    for (uint32_t i = 0; i < d->npieces; i++) {
        uint64_t least = 0;
        for (uint64_t r = 1; r < d->ranks; r++)
            if (d->out[r].columns < d->out[least].columns)
                least = r;
        dlrm_shards_give(d, d->piece[i], least, 1);
    }
    return 0;
}

/* ---- CSV ---- */

static int csv_row(struct weft_csv_table *f, void *ctx)
{
    struct division *d = ctx;
    double x[3] = {0};
    for (int k = 0; k < 3; k++)
        if ((k < 2 || *f->field[k]) && weft_csv_table_number(f, k, 1e9, &x[k]))
            return f->err->code;
    if (x[0] >= (double)d->m->ntables)
        return weft_csv_table_err(f, 0, "table %s of %" PRIu64 ", counted from 0", f->field[0],
                                  d->m->ntables);
    if (x[1] >= (double)d->ranks)
        return weft_csv_table_err(f, 1, "rank %s of %" PRIu64 ", counted from 0", f->field[1],
                                  d->ranks);
    const uint32_t t = (uint32_t)x[0];
    const uint64_t columns = *f->field[2] ? (uint64_t)x[2] : d->left[t];
    if (columns == 0 || columns > d->left[t])
        return weft_csv_table_err(f, 2, "table %" PRIu32 " has %" PRIu64 " columns left", t,
                                  d->left[t]);
    d->left[t] -= columns;
    dlrm_shards_give(d, (struct piece){t, columns}, (uint64_t)x[1], 1);
    return 0;
}

/* ---- JSON ---- */

/* The tables after all cuts, each of which leaves one half in place and appends the other. */
static int cut_in_half(struct division *d, const json_t *steps, const char *path,
                       struct weft_err *err)
{
    for (uint32_t t = 0; t < d->m->ntables; t++)
        d->piece[d->npieces++] = (struct piece){t, d->m->table[t].columns};
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *v = json_array_get(steps, i);
        const json_int_t at = json_is_integer(v) ? json_integer_value(v) : -1;
        if (at < 0 || at >= (json_int_t)d->npieces || d->npieces == WEFT_DLRM_PIECES_MAX ||
            d->piece[at].columns % 2)
            return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                               "sharding_steps, entry %zu: no table with an even number of columns",
                               i + 1);
        d->piece[at].columns /= 2;
        d->piece[d->npieces++] = d->piece[at];
    }
    return 0;
}

static int json_shards(struct division *d, const json_t *root, const char *path,
                       struct weft_err *err)
{
    const json_t *steps = json_object_get(root, "sharding_steps");
    const json_t *shards = json_object_get(root, "shards");
    if (!json_is_object(root) || !json_is_array(shards) || (steps && !json_is_array(steps)))
        return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                           "a placement is {\"sharding_steps\": [TABLE, ...], \"shards\": "
                           "[[TABLE, ...], ...]}, the tables of each rank");
    if (json_array_size(shards) != d->ranks)
        return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                           "shards are of %zu ranks, but the job has %" PRIu64,
                           json_array_size(shards), d->ranks);
    if (cut_in_half(d, steps, path, err))
        return err->code;
    for (size_t r = 0; r < json_array_size(shards); r++) {
        const json_t *mine = json_array_get(shards, r);
        for (size_t i = 0; i < json_array_size(mine); i++) {
            const json_t *v = json_array_get(mine, i);
            const json_int_t at = json_is_integer(v) ? json_integer_value(v) : -1;
            if (at < 0 || at >= (json_int_t)d->npieces || d->taken[at])
                return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                                   "shards of rank %zu, entry %zu: no table that is left", r,
                                   i + 1);
            d->taken[at] = true;
            d->left[d->piece[at].table] -= d->piece[at].columns;
            dlrm_shards_give(d, d->piece[at], r, 1);
        }
    }
    return 0;
}

static int read_json(struct division *d, const char *path, const char *text, size_t size,
                     struct weft_err *err)
{
    json_error_t why;
    json_t *root = weft_json_load(text, size, 0, &why);
    const int rc =
        root ? json_shards(d, root, path, err) : weft_json_load_error(err, path, &why, "");
    json_decref(root);
    return rc;
}

/* An object is JSON, all else CSV. */
static int read_placement(struct division *d, const char *path, struct weft_err *err)
{
    static const char *const columns[] = {"table", "rank", "columns"};
    char *text = NULL;
    size_t size;
    int rc = weft_file_read(path, FILE_BYTES_MAX, &text, &size, err);
    if (rc)
        return rc;
    if (text[strspn(text, " \t\r\n")] == '{')
        rc = read_json(d, path, text, size, err);
    else
        rc = weft_csv_table_read(path, columns, 3, csv_row, d, err);
    free(text);
    return rc;
}

/* ---- */

static int by_file(struct division *d, const char *path, struct weft_err *err)
{
    for (uint32_t t = 0; t < d->m->ntables; t++)
        d->left[t] = d->m->table[t].columns;
    const int rc = read_placement(d, path, err);
    for (uint32_t t = 0; !rc && t < d->m->ntables; t++)
        if (d->left[t])
            return weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                               "%" PRIu64 " columns of table %" PRIu32 " are on no rank",
                               d->left[t], t);
    return rc;
}

int weft_dlrm_divide(const struct weft_dlrm *m, const struct weft_dlrm_cut *cut, uint64_t ranks,
                     struct weft_dlrm_share *out, struct weft_err *err)
{
    struct division *d = calloc(1, sizeof *d);
    if (!d)
        return weft_err_no_memory(err, "embedding tables");
    *d = (struct division){.m = m, .ranks = ranks, .out = out};
    memset(out, 0, ranks * sizeof *out);
    const uint64_t fewest = (ranks + m->ntables - 1) / m->ntables;
    int rc = 0;
    if (cut->placement && *cut->placement)
        rc = by_file(d, cut->placement, err);
    else if (cut->how == WEFT_TABLES_ROWS)
        by_rows(d);
    else
        rc = by_columns(d,
                        cut->how == WEFT_TABLES_WHOLE ? 1
                        : cut->pieces                 ? cut->pieces
                                                      : fewest,
                        err);
    free(d);
    return rc;
}
