/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes sampled series as counter events ("C") of the Trace Event Format. Each table is read
 * twice: first to choose the objects, then for their values.
 */
#include "report/timeline_counters.h"

#include "base/arena.h"
#include "base/csv_read.h"
#include "base/file.h"
#include "base/hash_table.h"
#include "series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of series. Every column that is neither a key nor left out is a counter of each object.
 */
struct kind {
    enum weft_series_file file;
    const char *title;
    const char *without; /* columns that say the same as another */
};
/* Pauses are slices of their own. */
static const struct kind kinds[] = {
    {WEFT_SERIES_QUEUE, "queues", ""},
    {WEFT_SERIES_BUFFER, "switch buffers", ""},
    {WEFT_SERIES_THROUGHPUT, "links", " tx_bytes "},
    {WEFT_SERIES_QP, "queue pairs", " acked_bytes "},
    {WEFT_SERIES_CONTROL, "congestion control", ""},
};

/* A port and priority, a node, or a queue pair. */
struct object {
    const char *name;
    double largest;
    uint64_t rows;
    bool drawn, lost;
    UT_hash_handle hh;
};

struct table {
    struct weft_csv_reader r;
    const struct kind *kind;
    struct weft_arena *arena;
    struct object *objects;
    int t, from, to, prio, qpn, connection;
};

static bool is_counter(const struct table *t, size_t column)
{
    static const char keys[] = " t_ns port from to node peer src dst prio qpn qp connection ";
    char word[64];
    snprintf(word, sizeof word, " %s ", t->r.name[column]);
    return !strstr(keys, word) && !strstr(t->kind->without, word);
}

static const char *field(const struct table *t, int column)
{
    return column >= 0 ? t->r.field[column] : "";
}

/* What the object of a row is called. */
static void name_object(const struct table *t, char *buf, size_t size)
{
    if (t->qpn < 0)
        snprintf(buf, size, "%.30s%s%.30s%s%.4s", field(t, t->from), t->to >= 0 ? "-" : "",
                 field(t, t->to), t->prio >= 0 ? ".p" : "", field(t, t->prio));
    else
        snprintf(buf, size, "h%.12s-h%.12s.p%.4s %s %.12s", field(t, t->from), field(t, t->to),
                 field(t, t->prio), *field(t, t->qpn) ? "qp" : "connection",
                 *field(t, t->qpn) ? field(t, t->qpn) : field(t, t->connection));
}

static int open_table(struct table *t, const char *path, struct weft_err *err)
{
    if (weft_series_table_open(&t->r, path, err))
        return err->code;
    const struct {
        const char *name;
        int *place;
    } columns[] = {{"from|node|src", &t->from},
                   {"to|peer|dst", &t->to},
                   {"prio", &t->prio},
                   {"qpn", &t->qpn},
                   {"connection", &t->connection}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        *columns[i].place = weft_csv_reader_column(&t->r, columns[i].name);
    return weft_csv_reader_need(&t->r, "t_ns", &t->t, err);
}

/* The object of the row; NULL: no memory. */
static struct object *object_of(struct table *t)
{
    char name[128];
    struct object *o = NULL;
    name_object(t, name, sizeof name);
    HASH_FIND_STR(t->objects, name, o);
    if (o)
        return o;
    o = (struct object *)weft_arena_calloc(t->arena, 1, sizeof *o);
    if (!o || !(o->name = weft_arena_strdup(t->arena, name)))
        return NULL;
    HASH_ADD_KEYPTR(hh, t->objects, o->name, strlen(o->name), o);
    return o->lost ? NULL : o;
}

/* Finds the objects. */
static int survey(struct table *t, struct weft_err *err)
{
    int rc;
    while ((rc = weft_csv_reader_next(&t->r, err)) == 1) {
        struct object *o = object_of(t);
        if (!o)
            return weft_err_no_memory(err, "a timeline");
        o->rows++;
        for (size_t i = 0; i < t->r.ncolumns; i++)
            if (is_counter(t, i)) {
                const double v = strtod(t->r.field[i], NULL);
                o->largest = v > o->largest ? v : o->largest;
                break; /* the first says how much it matters */
            }
    }
    return rc;
}

static int by_largest(const struct object *a, const struct object *b)
{
    if (a->largest != b->largest)
        return a->largest > b->largest ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Draws the largest as far as there is room. */
static void timeline_counters_choose(struct table *t, struct weft_counters *out)
{
    uint64_t rows = 0;
    HASH_SORT(t->objects, by_largest);
    for (struct object *o = t->objects; o; o = o->hh.next) {
        rows += o->rows;
        o->drawn = rows <= WEFT_TIMELINE_ROWS;
        out->drawn += o->drawn;
        out->left_out += !o->drawn;
    }
}

static void write_counter(struct weft_json *j, uint64_t pid, const char *object, const char *column,
                          double at_us, double value)
{
    char name[192];
    snprintf(name, sizeof name, "%s %s", object, column);
    weft_json_object(j);
    weft_json_kv_str(j, "ph", "C");
    weft_json_kv_u64(j, "pid", pid);
    weft_json_kv_f64(j, "ts", at_us);
    weft_json_kv_str(j, "name", name);
    weft_json_kv_object(j, "args");
    weft_json_kv_f64(j, "value", value);
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static void write_row(struct weft_json *j, const struct table *t, uint64_t pid,
                      const struct object *o)
{
    const double at_us = strtod(t->r.field[t->t], NULL) / 1000;
    for (size_t i = 0; i < t->r.ncolumns; i++) {
        const double v = strtod(t->r.field[i], NULL);
        if (is_counter(t, i) && *t->r.field[i] && isfinite(v))
            write_counter(j, pid, o->name, t->r.name[i], at_us, v);
    }
}

static void write_title(struct weft_json *j, uint64_t pid, const char *title)
{
    weft_json_object(j);
    weft_json_kv_str(j, "ph", "M");
    weft_json_kv_u64(j, "pid", pid);
    weft_json_kv_str(j, "name", "process_name");
    weft_json_kv_object(j, "args");
    weft_json_kv_str(j, "name", title);
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static int timeline_counters_draw(struct weft_json *j, struct table *t, const char *path,
                                  uint64_t pid, struct weft_counters *out, struct weft_err *err)
{
    int rc = open_table(t, path, err);
    if (!rc)
        rc = survey(t, err);
    weft_csv_reader_close(&t->r);
    if (rc || !t->objects)
        return rc;
    timeline_counters_choose(t, out);
    write_title(j, pid, t->kind->title);
    rc = open_table(t, path, err);
    while (!rc && (rc = weft_csv_reader_next(&t->r, err)) == 1) {
        const struct object *o = object_of(t);
        if (o && o->drawn)
            write_row(j, t, pid, o);
        rc = 0;
    }
    weft_csv_reader_close(&t->r);
    return rc;
}

int weft_timeline_counters(struct weft_json *j, const char *dir, uint64_t pid,
                           struct weft_counters *out, struct weft_err *err)
{
    char folder[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    int rc = weft_path_join(folder, dir, WEFT_SERIES_DIR, err);
    *out = (struct weft_counters){0};
    for (size_t i = 0; !rc && i < sizeof kinds / sizeof kinds[0]; i++) {
        struct table t = {.kind = &kinds[i], .arena = weft_arena_new()};
        rc = t.arena ? weft_path_join(path, folder, weft_series_files[kinds[i].file]->name, err)
                     : weft_err_no_memory(err, "a timeline");
        if (!rc && weft_series_table_exists(path))
            rc = timeline_counters_draw(j, &t, path, pid + i, out, err);
        HASH_CLEAR(hh, t.objects);
        weft_arena_free(t.arena);
    }
    return rc;
}
