/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two runs. Both run.json become paths with a value each ("config" gives settings,
 * "summary" figures); values of the same path are compared.
 */
#include "report/compare.h"

#include "base/file.h"
#include "json/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 16 << 20 };

/* Puts a value under its path into @p flat, an object that keeps the order; equal paths are
 * counted. */
static int report_compare_add(json_t *flat, struct weft_arena *arena, const char *path,
                              const json_t *value)
{
    const char *key = path;
    for (unsigned n = 2; key && json_object_get(flat, key); n++)
        key = weft_arena_printf(arena, "%s#%u", path, n);
    return key ? json_object_set(flat, key, (json_t *)(uintptr_t)value) : -1;
}

/* What an element of an array is called: by its own name, that of its workload or its traffic
 * class, else by its number. */
static const char *report_compare_name_of(struct weft_arena *arena, const json_t *element, size_t i)
{
    static const char *const names[] = {"name", "kind", "job"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *s = json_string_value(json_object_get(element, names[k]));
        if (s)
            return weft_arena_strdup(arena, s);
    }
    const json_t *prio = json_object_get(element, "prio");
    if (json_is_integer(prio))
        i = (size_t)json_integer_value(prio);
    else if (prio)
        return weft_arena_strdup(arena, "default");
    return weft_arena_printf(arena, "%zu", i);
}

/* What metrics call the elements of an array: job.web, class.3. */
static const char *report_compare_element_path(const char *path)
{
    return strcmp(path, "jobs") == 0 ? "job" : strcmp(path, "classes") == 0 ? "class" : path;
}

/* Whether a setting chooses what the others of its group belong to. */
static bool is_choice(const char *group, const char *key)
{
    return strcmp(key, strcmp(group, "congestion-control") == 0 ? "name" : "type") == 0;
}

/* What the settings of a group are called: by what was chosen ("dcqcn.rate-ai"). */
static const char *report_compare_group_of(const char *path, const json_t *group)
{
    const char *key;
    const json_t *v;
    json_object_foreach((json_t *)(uintptr_t)group, key,
                        v) if (is_choice(path, key) &&
                               json_is_string(v)) return json_string_value(v);
    return path;
}

/* Adds all values below @p v. @p settings: objects with a type are called by it. */
static int take_apart(json_t *flat, struct weft_arena *arena, const char *path, const json_t *v,
                      bool settings)
{
    const char *key, *name, *in = path;
    json_t *child;
    size_t i;
    if (json_is_array(v)) {
        json_array_foreach(v, i, child)
        {
            name = report_compare_name_of(arena, child, i);
            name =
                name ? weft_arena_printf(arena, "%s.%s",
                                         settings ? path : report_compare_element_path(path), name)
                     : NULL;
            if (!name || take_apart(flat, arena, name, child, settings))
                return -1;
        }
        return 0;
    }
    if (!json_is_object(v))
        return report_compare_add(flat, arena, path, v);
    if (settings && *path)
        in = report_compare_group_of(path, v);
    json_object_foreach((json_t *)(uintptr_t)v, key, child)
    {
        const char *of = is_choice(path, key) ? path : in;
        name = *of ? weft_arena_printf(arena, "%s.%s", of, key) : weft_arena_strdup(arena, key);
        if (!name || take_apart(flat, arena, name, child, settings))
            return -1;
    }
    return 0;
}

/* ---- settings ---- */

static const char *text_of(struct weft_arena *arena, const json_t *v)
{
    if (json_is_string(v))
        return weft_arena_strdup(arena, json_string_value(v));
    char *dump = json_dumps(v, JSON_ENCODE_ANY);
    const char *text = dump ? weft_arena_strdup(arena, dump) : NULL;
    free(dump);
    return text;
}

/* Whether the other run chose something else, of which this is a parameter. */
static bool belongs_to_another_choice(json_t *other, const char *path)
{
    const size_t n = strcspn(path, ".");
    const char *key;
    json_t *v;
    json_object_foreach(other, key, v) if (strncmp(key, path, n + 1) == 0) return false;
    return path[n] == '.';
}

static int compare_settings(struct weft_comparison *c, json_t *const flat[2])
{
    const char *path;
    json_t *a;
    c->settings = weft_arena_calloc(
        c->arena, json_object_size(flat[0]) + json_object_size(flat[1]) + 1, sizeof *c->settings);
    if (!c->settings)
        return -1;
    for (int side = 0; side < 2; side++)
        json_object_foreach(flat[side], path, a)
        {
            const json_t *b = json_object_get(flat[!side], path);
            if (b ? side || json_equal(a, b) : belongs_to_another_choice(flat[!side], path))
                continue;
            struct weft_setting_difference d = {.key = weft_arena_strdup(c->arena, path)};
            d.v[side] = text_of(c->arena, a);
            d.v[!side] = b ? text_of(c->arena, b) : NULL;
            if (!d.key || !d.v[side] || (b && !d.v[!side]))
                return -1;
            c->settings[c->nsettings++] = d;
        }
    return 0;
}

/* ---- figures ---- */

static bool is_of_host(const char *path)
{
    return strncmp(path, "host.", 5) == 0;
}

/* Places in a ranking, which say where and when rather than how much, and what is there twice. */
static bool is_left_out(const char *path)
{
    return strncmp(path, "longest_path_steps.", 19) == 0 ||
           strncmp(path, "busiest_links.", 14) == 0 ||
           (strncmp(path, "collectives.", 12) == 0 && strstr(path, ".bus_bandwidth_bps"));
}

static double change(double a, double b)
{
    if (a == b)
        return 0;
    return a == 0 ? (b > 0 ? INFINITY : -INFINITY) : (b - a) / fabs(a);
}

/* By how far they moved; of equals in the order of the summary. */
static int by_change(const void *x, const void *y)
{
    const struct weft_figure_difference *a = x, *b = y;
    if (a->of_host != b->of_host)
        return a->of_host - b->of_host;
    if (fabs(a->change) != fabs(b->change))
        return fabs(a->change) < fabs(b->change) ? 1 : -1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void add_figure(struct weft_comparison *c, const char *key, const json_t *a, const json_t *b)
{
    struct weft_figure_difference *d = &c->figures[c->nfigures];
    *d = (struct weft_figure_difference){.key = key,
                                         .v = {json_number_value(a), json_number_value(b)},
                                         .of_host = is_of_host(key),
                                         .place = c->nfigures++};
    d->change = change(d->v[0], d->v[1]);
    c->nnetwork += !d->of_host;
    c->nmoved += !d->of_host && d->change != 0;
}

static int compare_figures(struct weft_comparison *c, json_t *const flat[2])
{
    const size_t n = json_object_size(flat[0]) + json_object_size(flat[1]) + 1;
    const char *path;
    json_t *a;
    c->figures = weft_arena_calloc(c->arena, n, sizeof *c->figures);
    c->one_sided = weft_arena_calloc(c->arena, n, sizeof *c->one_sided);
    if (!c->figures || !c->one_sided)
        return -1;
    for (int side = 0; side < 2; side++)
        json_object_foreach(flat[side], path, a)
        {
            const json_t *b = json_object_get(flat[!side], path);
            if (is_left_out(path) || !json_is_number(a) || (json_is_number(b) && side))
                continue;
            const char *key = weft_arena_strdup(c->arena, path);
            if (!key)
                return -1;
            if (json_is_number(b))
                add_figure(c, key, a, b);
            else
                c->one_sided[c->none_sided++] = key;
        }
    qsort(c->figures, c->nfigures, sizeof *c->figures, by_change);
    return 0;
}

/* ---- both ---- */

static const char *string_at(struct weft_arena *arena, const json_t *root, const char *key)
{
    const char *s = json_string_value(json_object_get(root, key));
    return weft_arena_strdup(arena, s ? s : "");
}

static json_t *report_compare_parse(const struct weft_compared_text *t, struct weft_err *err)
{
    json_error_t e;
    json_t *root = weft_json_load(t->text, t->len, 0, &e);
    if (!root)
        weft_json_load_error(err, t->path, &e, "");
    else if (json_is_object(json_object_get(root, "sweep")))
        weft_err_set(err, WEFT_E_INPUT,
                     "%s is of a sweep: name the folders of two of its rows, such as DIR/1 and "
                     "DIR/2",
                     t->path);
    else if (!json_is_object(json_object_get(root, "summary")))
        weft_err_set(err, WEFT_E_INPUT,
                     "%s has no summary: the run of this folder has not come to an end", t->path);
    else
        return root;
    json_decref(root);
    return NULL;
}

/* The members of both documents called @p key, taken apart. */
static int take_both(struct weft_comparison *c, json_t *const root[2], const char *key,
                     json_t *flat[2])
{
    int code = 0;
    for (int side = 0; side < 2; side++) {
        flat[side] = json_object();
        if (!flat[side] || take_apart(flat[side], c->arena, "", json_object_get(root[side], key),
                                      strcmp(key, "config") == 0))
            code = -1;
    }
    return code;
}

static int report_compare(struct weft_comparison *c, json_t *const root[2],
                          const struct weft_compared_text texts[2])
{
    json_t *settings[2], *figures[2];
    for (int side = 0; side < 2; side++) {
        struct weft_compared_run *r = &c->run[side];
        r->dir = weft_arena_strdup(c->arena, texts[side].dir);
        r->scenario = string_at(c->arena, root[side], "scenario");
        r->outcome = string_at(c->arena, root[side], "outcome");
        r->partial = json_is_true(json_object_get(root[side], "partial"));
        if (!r->dir || !r->scenario || !r->outcome)
            return -1;
    }
    int code = take_both(c, root, "config", settings) || compare_settings(c, settings) ? -1 : 0;
    if (take_both(c, root, "summary", figures) || compare_figures(c, figures))
        code = -1;
    for (int side = 0; side < 2; side++) {
        json_decref(settings[side]);
        json_decref(figures[side]);
    }
    return code;
}

struct weft_comparison *weft_compare_texts(const struct weft_compared_text texts[2],
                                           struct weft_err *err)
{
    struct weft_comparison *c = NULL;
    struct weft_arena *arena = weft_arena_new();
    json_t *root[2] = {report_compare_parse(&texts[0], err), NULL};
    if (root[0])
        root[1] = report_compare_parse(&texts[1], err);
    if (root[1]) {
        c = arena ? weft_arena_calloc(arena, 1, sizeof *c) : NULL;
        if (c)
            c->arena = arena;
        if (!c || report_compare(c, root, texts)) {
            weft_err_no_memory(err, "a comparison of runs");
            c = NULL;
        }
    }
    json_decref(root[0]);
    json_decref(root[1]);
    if (!c)
        weft_arena_free(arena);
    return c;
}

struct weft_comparison *weft_compare_load(const char *const dirs[2], struct weft_err *err)
{
    char path[2][WEFT_PATH_MAX];
    char *text[2] = {NULL, NULL};
    struct weft_compared_text t[2];
    struct weft_comparison *c = NULL;
    int code = 0;
    for (int side = 0; side < 2 && !code; side++) {
        t[side] = (struct weft_compared_text){.path = path[side], .dir = dirs[side]};
        code = weft_path_join(path[side], dirs[side], "run.json", err);
        if (!code)
            code = weft_file_read(path[side], FILE_MAX_BYTES, &text[side], &t[side].len, err);
        t[side].text = text[side];
    }
    if (!code)
        c = weft_compare_texts(t, err);
    free(text[0]);
    free(text[1]);
    return c;
}

void weft_comparison_free(struct weft_comparison *c)
{
    if (c)
        weft_arena_free(c->arena);
}
