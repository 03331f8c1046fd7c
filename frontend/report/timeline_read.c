/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of a run as slices of a timeline. */
#include "report/timeline_slices.h"

#include "base/csv_read.h"
#include "base/file.h"
#include "base/grow.h"
#include "json/json_read.h"
#include "report/place.h"
#include "series/packed.h"

#include <stdlib.h>
#include <string.h>

/* One table while it is read: columns that its rows need, and what they are for. */
#define RUN_JSON_MAX ((size_t)64 << 20)

struct table {
    struct weft_slices *s;
    struct weft_csv_reader r;
    int job, column[8];
    struct weft_timeline_content *content;
    uint64_t most_messages;
    struct weft_slice *paused; /* pfc.csv: the last slice of each port and priority */
};

/* ---- what there is ---- */

/* Job names are few: one text of each. */
static const char *job_name(struct weft_slices *s, const char *job)
{
    for (struct weft_slices_job *j = s->jobs; j; j = j->next)
        if (strcmp(j->name, job) == 0)
            return j->name;
    struct weft_slices_job *j = weft_arena_alloc(s->arena, sizeof *j);
    if (!j || !(j->name = weft_arena_strdup(s->arena, job)))
        return NULL;
    j->next = s->jobs;
    s->jobs = j;
    return j->name;
}

/* The process, made at its first slice; NULL: no memory. */
static struct weft_process *process_of(struct weft_slices *s, enum weft_process_kind kind,
                                       const char *job, uint64_t number)
{
    struct weft_process like = {0}, *p = NULL;
    like.key.number = number;
    like.key.kind = kind;
    like.key.job = job_name(s, job);
    if (!like.key.job)
        return NULL;
    HASH_FIND(hh, s->processes, &like.key, sizeof like.key, p);
    if (p)
        return p;
    p = weft_arena_calloc(s->arena, 1, sizeof *p);
    if (!p)
        return NULL;
    p->key = like.key;
    HASH_ADD(hh, s->processes, key, sizeof p->key, p);
    return p->lost ? NULL : p;
}

static int timeline_read_add(struct table *t, enum weft_process_kind kind, uint64_t number,
                             struct weft_slice x, struct weft_err *err)
{
    struct weft_slices *s = t->s;
    const char *job = t->job >= 0 && kind == WEFT_PROCESS_RANK ? t->r.field[t->job] : "";
    if (!WEFT_GROW(s->list, s->n, &s->cap))
        return weft_err_no_memory(err, "a timeline");
    x.name = weft_arena_strdup(s->arena, x.name);
    x.what = x.what ? weft_arena_strdup(s->arena, x.what) : "";
    x.order = s->n;
    x.process = process_of(s, kind, job, number);
    if (!x.name || !x.what || !x.process)
        return weft_err_no_memory(err, "a timeline");
    s->list[s->n++] = x;
    return 0;
}

/* ---- tables ---- */

typedef int (*row_fn)(struct table *t, struct weft_err *err);

static int number(const struct table *t, int column, uint64_t *out, struct weft_err *err)
{
    return weft_csv_reader_u64(&t->r, t->column[column], out, err);
}

static int time(const struct table *t, int column, int64_t *out, struct weft_err *err)
{
    return weft_csv_reader_ps(&t->r, t->column[column], out, err);
}

static const char *timeline_read_text(const struct table *t, int column)
{
    return t->r.field[t->column[column]];
}

static enum weft_track track_of(const char *kind)
{
    static const struct {
        const char *kind;
        enum weft_track track;
    } own[] = {
        {"compute", WEFT_TRACK_COMPUTE}, {"cpu", WEFT_TRACK_CPU}, {"memory", WEFT_TRACK_MEMORY}};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(own[i].kind, kind) == 0)
            return own[i].track;
    return WEFT_TRACK_COMM;
}

static const char *const op_columns[] = {"rank",     "node_id", "name",  "kind",
                                         "start_ns", "end_ns",  "bytes", "exposed_ns"};

static int op_row(struct table *t, struct weft_err *err)
{
    struct weft_slice x = {.name = timeline_read_text(t, 2),
                           .what = timeline_read_text(t, 3),
                           .track = track_of(timeline_read_text(t, 3))};
    uint64_t rank;
    if (number(t, 0, &rank, err) || number(t, 1, &x.number, err) || time(t, 4, &x.begin_ps, err) ||
        time(t, 5, &x.end_ps, err) || number(t, 6, &x.bytes, err) || time(t, 7, &x.exposed_ps, err))
        return err->code;
    return x.end_ps > x.begin_ps ? timeline_read_add(t, WEFT_PROCESS_RANK, rank, x, err) : 0;
}

static const char *const phase_columns[] = {"rank",     "node_id", "name",  "phase",
                                            "begin_ns", "end_ns",  "bytes", "dim"};

static int phase_row(struct table *t, struct weft_err *err)
{
    struct weft_slice x = {.name = timeline_read_text(t, 2),
                           .what = timeline_read_text(t, 3),
                           .track = WEFT_TRACK_PHASE,
                           .exposed_ps = -1};
    uint64_t rank;
    if (number(t, 0, &rank, err) || number(t, 1, &x.number, err) || time(t, 4, &x.begin_ps, err) ||
        time(t, 5, &x.end_ps, err) || number(t, 6, &x.bytes, err))
        return err->code;
    if (timeline_read_text(t, 7)[0] == '\0') /* it has one phase, and is drawn already */
        return 0;
    if (number(t, 7, &x.of, err))
        return err->code;
    return x.end_ps > x.begin_ps ? timeline_read_add(t, WEFT_PROCESS_RANK, rank, x, err) : 0;
}

static const char *const flow_columns[] = {"id",       "from|src", "to|dst",
                                           "start_ns", "fct_ns",   "size_bytes"};

static int flow_row(struct table *t, struct weft_err *err)
{
    char name[64];
    struct weft_slice x = {.name = name, .what = "message", .exposed_ps = -1};
    uint64_t src, dst;
    int64_t took_ps;
    t->content->messages++;
    if (t->content->messages > t->most_messages)
        return 0;
    if (number(t, 0, &x.number, err) || number(t, 1, &src, err) || number(t, 2, &dst, err) ||
        time(t, 3, &x.begin_ps, err) || time(t, 4, &took_ps, err) || number(t, 5, &x.bytes, err))
        return err->code;
    x.end_ps = x.begin_ps + took_ps;
    x.track = WEFT_TRACK_OUT;
    snprintf(name, sizeof name, "to h%s", timeline_read_text(t, 2));
    if (took_ps <= 0 || timeline_read_add(t, WEFT_PROCESS_HOST, src, x, err))
        return took_ps <= 0 ? 0 : err->code;
    x.track = WEFT_TRACK_IN;
    snprintf(name, sizeof name, "from h%s", timeline_read_text(t, 1));
    return timeline_read_add(t, WEFT_PROCESS_HOST, dst, x, err);
}

static const char *const pfc_columns[] = {"t_ns", "port", "from|node", "to|peer", "prio", "event"};

/* The pause of a port and priority that has not ended; NULL: none. */
static struct weft_slice *open_pause(const struct weft_slices *s, uint64_t of)
{
    for (uint64_t i = s->n; i-- > 0 && s->list[i].track == WEFT_TRACK_PAUSE;)
        if (s->list[i].of == of)
            return s->list[i].end_ps < 0 ? &s->list[i] : NULL;
    return NULL;
}

static int pfc_row(struct table *t, struct weft_err *err)
{
    char name[96];
    uint64_t port, prio;
    int64_t at_ps;
    if (time(t, 0, &at_ps, err) || number(t, 1, &port, err) || number(t, 4, &prio, err))
        return err->code;
    const uint64_t of = port * 8 + prio;
    struct weft_slice *open = open_pause(t->s, of);
    if (strcmp(timeline_read_text(t, 5), "pause") != 0) {
        if (open)
            open->end_ps = at_ps;
        return 0;
    }
    if (open)
        return 0;
    snprintf(name, sizeof name, "%.30s -> %.30s prio %s", timeline_read_text(t, 2),
             timeline_read_text(t, 3), timeline_read_text(t, 4));
    return timeline_read_add(t, WEFT_PROCESS_PORTS, 0,
                             (struct weft_slice){.track = WEFT_TRACK_PAUSE,
                                                 .of = of,
                                                 .begin_ps = at_ps,
                                                 .end_ps = -1,
                                                 .name = name,
                                                 .what = "PFC pause",
                                                 .exposed_ps = -1},
                             err);
}

static const char *const path_columns[] = {"rank", "node_id", "name", "kind", "begin_ns", "end_ns"};

static int path_row(struct table *t, struct weft_err *err)
{
    char name[160];
    struct weft_slice x = {.name = name,
                           .what = timeline_read_text(t, 3),
                           .track = WEFT_TRACK_CRITICAL,
                           .exposed_ps = -1};
    if (number(t, 1, &x.number, err) || time(t, 4, &x.begin_ps, err) || time(t, 5, &x.end_ps, err))
        return err->code;
    snprintf(name, sizeof name, "rank %s: %.120s", timeline_read_text(t, 0),
             timeline_read_text(t, 2));
    return x.end_ps > x.begin_ps ? timeline_read_add(t, WEFT_PROCESS_PATH, 0, x, err) : 0;
}

/* ---- all of them ---- */

static const struct source {
    const char *file;
    const char *const *columns;
    size_t ncolumns;
    row_fn row;
} sources[] = {
#define SOURCE(file, columns, row)                                                                 \
    {                                                                                              \
        file, columns, sizeof(columns) / sizeof((columns)[0]), row                                 \
    }
    SOURCE("critical_path.csv", path_columns, path_row),
    SOURCE("ops.csv", op_columns, op_row),
    SOURCE("collectives.csv", phase_columns, phase_row),
    SOURCE("flows.csv", flow_columns, flow_row),
    SOURCE("pfc.csv", pfc_columns, pfc_row),
};

static int read_source(struct table *t, const struct source *x, const char *dir,
                       struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    if (weft_path_join(path, dir, x->file, err))
        return err->code;
    if (!weft_series_table_exists(path)) /* a run of traffic alone has no ops.csv */
        return 0;
    int rc = weft_series_table_open(&t->r, path, err);
    for (size_t i = 0; i < x->ncolumns && !rc; i++)
        rc = weft_csv_reader_need(&t->r, x->columns[i], &t->column[i], err);
    t->job = rc ? -1 : weft_csv_reader_column(&t->r, "job");
    while (!rc && (rc = weft_csv_reader_next(&t->r, err)) == 1)
        rc = x->row(t, err);
    weft_csv_reader_close(&t->r);
    return rc;
}

/* A message or pause that has no end goes on to the end of what is known. */
static void close_pauses(struct weft_slices *s, struct weft_timeline_content *content)
{
    for (uint64_t i = 0; i < s->n; i++)
        if (s->list[i].end_ps > content->end_ps)
            content->end_ps = s->list[i].end_ps;
    for (uint64_t i = 0; i < s->n; i++)
        if (s->list[i].end_ps < 0)
            s->list[i].end_ps =
                content->end_ps > s->list[i].begin_ps ? content->end_ps : s->list[i].begin_ps + 1;
}

static void drop_messages(struct weft_slices *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        if (s->list[i].track != WEFT_TRACK_OUT && s->list[i].track != WEFT_TRACK_IN)
            s->list[n++] = s->list[i];
    s->n = n;
}

/* Whether the folder has a run.json of a run. */
static int check_run(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text;
    size_t size;
    json_error_t why;
    if (weft_path_join(path, dir, "run.json", err))
        return err->code;
    if (!weft_file_is_regular(path))
        return weft_place_no_run(dir, err);
    int code = weft_file_read(path, RUN_JSON_MAX, &text, &size, err);
    if (code)
        return code;
    json_t *root = weft_json_load(text, size, 0, &why);
    free(text);
    if (!root)
        code = weft_json_load_error(err, path, &why, "");
    else if (!weft_place_is_run(root))
        code = weft_err_at(err, WEFT_E_INPUT, path, 0, 0, WEFT_PLACE_NO_RUN);
    json_decref(root);
    return code;
}

int weft_slices_read(const char *dir, uint64_t most_messages, struct weft_slices *s,
                     struct weft_timeline_content *content, struct weft_err *err)
{
    struct table t = {.s = s, .content = content, .most_messages = most_messages};
    *s = (struct weft_slices){.arena = weft_arena_new()};
    *content = (struct weft_timeline_content){0};
    if (!s->arena)
        return weft_err_no_memory(err, "a timeline");
    if (check_run(dir, err))
        return err->code;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (read_source(&t, &sources[i], dir, err))
            return err->code;
    content->with_messages = content->messages <= most_messages;
    if (!content->with_messages)
        drop_messages(s);
    close_pauses(s, content);
    return 0;
}

void weft_slices_free(struct weft_slices *s)
{
    HASH_CLEAR(hh, s->processes);
    weft_arena_free(s->arena);
    free(s->list);
    *s = (struct weft_slices){0};
}
