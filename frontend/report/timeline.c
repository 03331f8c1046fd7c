/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slices become events. Slices of one process and kind that lie over each other in time get lanes,
 * each a thread of its own, so that on a thread none overlaps another.
 */
#include "report/timeline.h"

#include "base/json.h"
#include "base/units.h"
#include "report/timeline_counters.h"
#include "report/timeline_slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 256, OF_MAX = 1 << 20 };

/* What tracks are called; %s: the number of the lane, where it is not the first. */
static const char *const track_names[WEFT_TRACKS] = {
    [WEFT_TRACK_COMPUTE] = "compute",
    [WEFT_TRACK_CPU] = "CPU",
    [WEFT_TRACK_MEMORY] = "memory",
    [WEFT_TRACK_COMM] = "communication",
    [WEFT_TRACK_PHASE] = "phases, dimension",
    [WEFT_TRACK_OUT] = "messages sent",
    [WEFT_TRACK_IN] = "messages received",
    [WEFT_TRACK_PAUSE] = "paused",
    [WEFT_TRACK_CRITICAL] = "one operation after the other",
};

/* ---- order and lanes ---- */

static int by_process(const struct weft_process *a, const struct weft_process *b)
{
    if (a->key.kind != b->key.kind)
        return a->key.kind < b->key.kind ? -1 : 1;
    const int jobs = strcmp(a->key.job, b->key.job);
    if (jobs)
        return jobs;
    return a->key.number < b->key.number ? -1 : a->key.number > b->key.number;
}

static int by_track(const struct weft_slice *a, const struct weft_slice *b)
{
    if (a->process != b->process)
        return a->process->pid < b->process->pid ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return a->of < b->of ? -1 : a->of > b->of;
}

static int by_time(const void *x, const void *y)
{
    const struct weft_slice *a = x, *b = y;
    const int tracks = by_track(a, b);
    if (tracks)
        return tracks;
    if (a->begin_ps != b->begin_ps)
        return a->begin_ps < b->begin_ps ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Gives each slice the first lane that is free; what finds none is left out. */
static void give_lanes(struct weft_slices *s, struct weft_timeline_content *content)
{
    int64_t free_ps[LANES];
    uint32_t used = 0;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        struct weft_slice x = s->list[i];
        if (i == 0 || by_track(&s->list[kept ? kept - 1 : 0], &x) != 0)
            used = 0;
        for (x.lane = 0; x.lane < used && free_ps[x.lane] > x.begin_ps;)
            x.lane++;
        if (x.lane == LANES) {
            content->crowded++;
            continue;
        }
        used += x.lane == used;
        free_ps[x.lane] = x.end_ps;
        s->list[kept++] = x;
    }
    s->n = kept;
}

/* ---- events ---- */

static uint64_t tid_of(const struct weft_slice *x)
{
    return ((uint64_t)x->track * OF_MAX + x->of % OF_MAX) * LANES + x->lane + 1;
}

static void timeline_start(struct weft_json *j, const char *phase, const struct weft_slice *x,
                           int64_t at_ps)
{
    weft_json_object(j);
    weft_json_kv_str(j, "ph", phase);
    weft_json_kv_u64(j, "pid", x->process->pid);
    weft_json_kv_u64(j, "tid", tid_of(x));
    if (at_ps >= 0)
        weft_json_kv_f64(j, "ts", (double)at_ps / (double)WEFT_PS_PER_US);
}

static void write_slice(struct weft_json *j, const struct weft_slice *x)
{
    timeline_start(j, "X", x, x->begin_ps);
    weft_json_kv_f64(j, "dur", (double)(x->end_ps - x->begin_ps) / (double)WEFT_PS_PER_US);
    weft_json_kv_str(j, "name", x->name);
    weft_json_kv_str(j, "cat", x->what);
    weft_json_kv_object(j, "args");
    if (x->track != WEFT_TRACK_PAUSE)
        weft_json_kv_u64(
            j, x->track == WEFT_TRACK_OUT || x->track == WEFT_TRACK_IN ? "message" : "node",
            x->number);
    if (x->bytes)
        weft_json_kv_u64(j, "bytes", x->bytes);
    if (x->exposed_ps > 0)
        weft_json_kv_f64(j, "exposed_ns", (double)x->exposed_ps / 1000);
    weft_json_end_object(j);
    weft_json_end_object(j);
}

/* An end of the arrow of a message: within its slice, from where it begins to just before it ends.
 */
static void write_arrow(struct weft_json *j, const struct weft_slice *x)
{
    const bool from = x->track == WEFT_TRACK_OUT;
    const int64_t took_ps = x->end_ps - x->begin_ps;
    const int64_t before_ps = took_ps > 2 * WEFT_PS_PER_NS ? WEFT_PS_PER_NS : took_ps / 2;
    timeline_start(j, from ? "s" : "f", x, from ? x->begin_ps : x->end_ps - before_ps);
    weft_json_kv_u64(j, "id", x->number);
    weft_json_kv_str(j, "name", "message");
    weft_json_kv_str(j, "cat", "message");
    if (!from)
        weft_json_kv_str(j, "bp", "e");
    weft_json_end_object(j);
}

/* ---- names ---- */

static const char *process_name(const struct weft_process *p, char *buf, size_t size)
{
    switch (p->key.kind) {
    case WEFT_PROCESS_PATH:
        return "critical path";
    case WEFT_PROCESS_PORTS:
        return "ports paused by PFC";
    case WEFT_PROCESS_HOST:
        snprintf(buf, size, "host h%" PRIu64 " on the network", p->key.number);
        return buf;
    default:
        snprintf(buf, size, "%.60s%srank %" PRIu64, p->key.job, p->key.job[0] ? ", " : "",
                 p->key.number);
        return buf;
    }
}

/* Opens an event that tells of a process, or of a thread where @p tid is not 0, up to its value. */
static void begin_metadata(struct weft_json *j, const char *what, uint64_t pid, uint64_t tid)
{
    weft_json_object(j);
    weft_json_kv_str(j, "ph", "M");
    weft_json_kv_u64(j, "pid", pid);
    if (tid)
        weft_json_kv_u64(j, "tid", tid);
    weft_json_kv_str(j, "name", what);
    weft_json_kv_object(j, "args");
}

static void end_metadata(struct weft_json *j)
{
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static void write_name(struct weft_json *j, const char *what, uint64_t pid, uint64_t tid,
                       const char *name)
{
    begin_metadata(j, what, pid, tid);
    weft_json_kv_str(j, "name", name);
    end_metadata(j);
}

/* The place of a process or thread among the others. */
static void write_place(struct weft_json *j, const char *what, uint64_t pid, uint64_t tid)
{
    begin_metadata(j, what, pid, tid);
    weft_json_kv_u64(j, "sort_index", tid ? tid : pid);
    end_metadata(j);
}

static void write_processes(struct weft_json *j, const struct weft_slices *s)
{
    char name[128];
    for (const struct weft_process *p = s->processes; p; p = p->hh.next) {
        write_name(j, "process_name", p->pid, 0, process_name(p, name, sizeof name));
        write_place(j, "process_sort_index", p->pid, 0);
    }
}

/* The thread of @p x, if the slice before it is of another one of its kind or lane. */
static void write_thread(struct weft_json *j, const struct weft_slice *x)
{
    char name[192];
    int n = x->track == WEFT_TRACK_PAUSE ? snprintf(name, sizeof name, "%s", x->name)
                                         : snprintf(name, sizeof name, "%s", track_names[x->track]);
    if (x->track == WEFT_TRACK_PHASE)
        n += snprintf(name + n, sizeof name - (size_t)n, " %" PRIu64, x->of);
    if (x->lane)
        snprintf(name + n, sizeof name - (size_t)n, " (%u)", x->lane + 1);
    write_name(j, "thread_name", x->process->pid, tid_of(x), name);
    write_place(j, "thread_sort_index", x->process->pid, tid_of(x));
}

static void write_threads(struct weft_json *j, const struct weft_slices *s)
{
    uint32_t named = 0; /* lanes of this track */
    for (uint64_t i = 0; i < s->n; i++) {
        const struct weft_slice *x = &s->list[i];
        if (i == 0 || by_track(x - 1, x) != 0)
            named = 0;
        if (x->lane < named)
            continue;
        named = x->lane + 1;
        write_thread(j, x);
    }
}

static int timeline_write_all(const struct weft_slices *s, const char *dir, FILE *out,
                              const char *out_name, struct weft_timeline_content *content,
                              struct weft_err *err)
{
    struct weft_json j;
    weft_json_init(&j, out, out_name, 0);
    weft_json_object(&j);
    weft_json_kv_str(&j, "displayTimeUnit", "ns");
    weft_json_kv_array(&j, "traceEvents");
    write_processes(&j, s);
    write_threads(&j, s);
    for (uint64_t i = 0; i < s->n; i++) {
        const struct weft_slice *x = &s->list[i];
        write_slice(&j, x);
        content->slices++;
        if (x->track == WEFT_TRACK_OUT || x->track == WEFT_TRACK_IN)
            write_arrow(&j, x);
        content->arrows += x->track == WEFT_TRACK_OUT;
    }
    struct weft_counters counters;
    if (weft_timeline_counters(&j, dir, HASH_COUNT(s->processes) + 1, &counters, err))
        return err->code;
    content->counted = counters.drawn;
    content->uncounted = counters.left_out;
    weft_json_end_array(&j);
    weft_json_end_object(&j);
    return weft_json_finish(&j, err);
}

int weft_timeline_write(const char *dir, uint64_t most_messages, FILE *out, const char *out_name,
                        struct weft_timeline_content *content, struct weft_err *err)
{
    struct weft_slices s;
    uint64_t pid = 0;
    int rc = weft_slices_read(dir, most_messages, &s, content, err);
    if (!rc) {
        HASH_SORT(s.processes, by_process);
        for (struct weft_process *p = s.processes; p; p = p->hh.next)
            p->pid = ++pid;
        if (s.n)
            qsort(s.list, s.n, sizeof *s.list, by_time);
        give_lanes(&s, content);
        rc = timeline_write_all(&s, dir, out, out_name, content, err);
    }
    weft_slices_free(&s);
    return rc;
}
