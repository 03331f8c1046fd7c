/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the run folders of a figure, with labels that tell them apart, and reads rows of their
 * tables.
 */
#include "plot/runs.h"

#include "base/file.h"
#include "json/json_read.h"
#include "plot/plot.h"
#include "plot/sweep_table.h"
#include "report/compare.h"
#include "report/place.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MAX_BYTES = 16 << 20,
    RUNS_MAX = 4096,
    KEYS_MAX = 64,
    KEYS_IN_LABEL = 4,
    LABEL_MAX = 24, /* longer names of folders, and values, are shortened */
    LABEL_LONG = 64 /* names of settings that are longer give way to those of folders */
};

/* ---- folders ---- */

static json_t *read_json(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text = NULL;
    size_t size;
    json_error_t e;
    json_t *root = NULL;
    if (weft_path_join(path, dir, "run.json", err))
        return NULL;
    if (!weft_file_is_regular(path)) {
        weft_place_no_run(dir, err);
        return NULL;
    }
    if (weft_file_read(path, FILE_MAX_BYTES, &text, &size, err))
        return NULL;
    root = weft_json_load(text, size, 0, &e);
    if (!root)
        weft_json_load_error(err, path, &e, "");
    free(text);
    if (root && !weft_place_is_run(root)) {
        weft_err_at(err, WEFT_E_INPUT, path, 0, 0, WEFT_PLACE_NO_RUN);
        json_decref(root);
        return NULL;
    }
    return root;
}

static int runs_add_run(struct weft_runs *r, const char *dir, struct weft_err *err)
{
    if (r->n == RUNS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d runs for a figure", RUNS_MAX);
    json_t *json = read_json(dir, err);
    if (!json)
        return err->code;
    r->run[r->n++] = (struct weft_run){weft_arena_strdup(r->arena, dir), "", json};
    return r->run[r->n - 1].dir ? 0 : weft_err_no_memory(err, "run folders");
}

/* Numbers in names count as such: 2 is before 10. */
static int runs_by_name(const struct dirent **a, const struct dirent **b)
{
    return weft_compare_names((*a)->d_name, (*b)->d_name);
}

/* The runs below the folder of a sweep. */
static int add_sweep(struct weft_runs *r, const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], json[WEFT_PATH_MAX];
    struct dirent **list = NULL;
    const int n = scandir(dir, &list, NULL, runs_by_name);
    int code = n < 0 ? weft_file_error(err, dir, "read", errno) : 0;
    for (int i = 0; i < n; i++) {
        if (!code && list[i]->d_name[0] != '.') {
            code = weft_path_join(path, dir, list[i]->d_name, err);
            code = code ? code : weft_path_join(json, path, "run.json", err);
            if (!code && weft_file_is_regular(json))
                code = runs_add_run(r, path, err);
        }
        free(list[i]);
    }
    free(list);
    return code;
}

static int add_folder(struct weft_runs *r, const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    if (weft_path_join(path, dir, "sweep.csv", err))
        return err->code;
    if (!weft_file_is_regular(path))
        return runs_add_run(r, dir, err);
    r->sweep = weft_arena_strdup(r->arena, dir);
    return r->sweep ? add_sweep(r, dir, err) : weft_err_no_memory(err, "run folders");
}

/* ---- labels ---- */

/* Settings in which any of the runs differs from the first. */
struct varied {
    const char *key[KEYS_MAX];
    size_t n;
};

/* A default that was worked out ("400KB at 100Gbps") differs because something else does. */
static bool follows_from_path(const char *value)
{
    return value && strstr(value, " at ");
}

/* Compares each run with the first: which settings differ, and what each has. value[run * KEYS_MAX
 * + key], NULL: as the first; the first's own are found on the way. */
static int find_varied(struct weft_runs *r, struct varied *v, const char **value,
                       struct weft_err *err)
{
    for (size_t i = 1; i < r->n; i++) {
        const char *const dirs[2] = {r->run[0].dir, r->run[i].dir};
        struct weft_err ignored = {0};
        struct weft_comparison *c = weft_compare_load(dirs, &ignored);
        if (!c) /* a run without a summary: it keeps the name of its folder */
            continue;
        for (size_t k = 0; k < c->nsettings; k++) {
            const struct weft_setting_difference *d = &c->settings[k];
            size_t at = 0;
            if (follows_from_path(d->v[0]) || follows_from_path(d->v[1]))
                continue;
            if (!weft_is_one_of(d->key, v->key, v->n) && v->n < KEYS_MAX)
                v->key[v->n++] = weft_arena_strdup(r->arena, d->key);
            while (at < v->n && (!v->key[at] || strcmp(v->key[at], d->key) != 0))
                at++;
            if (at == v->n)
                continue;
            value[i * KEYS_MAX + at] = weft_arena_strdup(r->arena, d->v[1] ? d->v[1] : "-");
            value[at] = weft_arena_strdup(r->arena, d->v[0] ? d->v[0] : "-");
            if (!value[at] || !value[i * KEYS_MAX + at] || !v->key[at]) {
                weft_comparison_free(c);
                return weft_err_no_memory(err, "run folders");
            }
        }
        weft_comparison_free(c);
    }
    return 0;
}

/* The last part of a key: "rate-ai" of "dcqcn.rate-ai". */
static const char *short_key(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

/* A choice (the name of a congestion control) and what the user calls a row speak for themselves;
 * of numbers one must know what they are. */
static bool speaks(const char *key)
{
    return !strchr(key, '.') || strcmp(short_key(key), "name") == 0 ||
           strcmp(short_key(key), "type") == 0;
}

/* Whether it is the seed of the run, in which runs differ that belong together. */
static bool runs_is_seed(const struct weft_runs *r, const char *key)
{
    (void)r;
    return strncmp(key, "run.", 4) == 0 && strcmp(short_key(key), "seed") == 0;
}

/* The label of a run from those of its settings that vary, without @p key, and without its seed. */
static const char *runs_label_from(const struct weft_runs *r, size_t run, const char *key,
                                   bool seed)
{
    struct weft_text text = {.arena = r->arena};
    if (!r->nkeys)
        return r->run[run].label;
    for (size_t k = 0; k < r->nkeys; k++) {
        const char *x = r->run[run].value[k];
        if ((key && strcmp(r->key[k], key) == 0) || (!seed && runs_is_seed(r, r->key[k])))
            continue;
        const char *part =
            speaks(r->key[k]) ? x : weft_arena_printf(r->arena, "%s %s", short_key(r->key[k]), x);
        if (!part || (text.len && weft_text_add(&text, ", ", 2)) ||
            weft_text_add(&text, part, strlen(part)))
            return NULL;
    }
    return text.s ? text.s : "";
}

const char *weft_run_label_without(const struct weft_runs *r, size_t run, const char *key)
{
    return runs_label_from(r, run, key, true);
}

const char *weft_run_label_seedless(const struct weft_runs *r, size_t run)
{
    return runs_label_from(r, run, NULL, false);
}

static bool is_unique(const struct weft_runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(r->run[i].label, r->run[k].label) == 0)
                return false;
    return true;
}

static int list_keys(struct weft_runs *r)
{
    struct weft_text text = {.arena = r->arena};
    for (size_t k = 0; k < r->nkeys; k++)
        if ((text.len && weft_text_add(&text, ", ", 2)) ||
            weft_text_add(&text, r->key[k], strlen(r->key[k])))
            return -1;
    r->varied = text.s ? text.s : "";
    return 0;
}

/* Keeps the settings that vary, with the value of each run. */
static int runs_keep(struct weft_runs *r, const struct varied *v, const char *const *value)
{
    r->key = weft_arena_calloc(r->arena, v->n, sizeof *r->key);
    if (!r->key)
        return -1;
    memcpy(r->key, v->key, v->n * sizeof *r->key);
    r->nkeys = v->n;
    for (size_t i = 0; i < r->n; i++) {
        r->run[i].value = weft_arena_calloc(r->arena, v->n, sizeof *r->run[i].value);
        if (!r->run[i].value)
            return -1;
        for (size_t k = 0; k < v->n; k++) {
            const char *x = value[i * KEYS_MAX + k];
            r->run[i].value[k] = x ? x : value[k];
        }
    }
    return list_keys(r);
}

/* The label of a run, or its value of a setting that varies. */
static const char **runs_text(const struct weft_runs *r, size_t run, size_t key)
{
    return key < r->nkeys ? &r->run[run].value[key] : &r->run[run].label;
}

/* Leaves out what the texts of all runs begin and end with, up to one of @p marks between words,
 * where they are long. */
static int runs_shorten(struct weft_runs *r, size_t key, const char *marks)
{
    const char *a = *runs_text(r, 0, key);
    const size_t la = strlen(a);
    size_t front = r->n > 1 ? la : 0, back = front, longest = 0;
    for (size_t i = 0; i < r->n; i++) {
        const char *b = *runs_text(r, i, key);
        const size_t lb = strlen(b);
        size_t k = 0;
        while (k < front && k < lb && a[k] == b[k])
            k++;
        front = k;
        for (k = 0; k < back && k < lb && k < la && a[la - 1 - k] == b[lb - 1 - k];)
            k++;
        back = k;
        longest = lb > longest ? lb : longest;
    }
    if (longest <= LABEL_MAX)
        return 0;
    while (front && !strchr(marks, a[front - 1]))
        front--;
    while (back && !strchr(marks, a[la - back]))
        back--;
    for (size_t i = 0; i < r->n; i++)
        if (strlen(*runs_text(r, i, key)) <= front + back)
            return 0; /* one of them is what is left out */
    for (size_t i = 0; i < r->n; i++) {
        const char **text = runs_text(r, i, key);
        *text = weft_arena_strndup(r->arena, *text + front, strlen(*text) - front - back);
        if (!*text)
            return -1;
    }
    return 0;
}

/* Names of the folders, or whole paths: when settings do not tell the runs apart in few words. */
static int name_by_folder(struct weft_runs *r, bool paths)
{
    r->nkeys = 0;
    r->varied = "";
    for (size_t i = 0; i < r->n; i++) {
        size_t n = strlen(r->run[i].dir);
        while (n > 1 && r->run[i].dir[n - 1] == '/')
            n--;
        char *dir = weft_arena_strndup(r->arena, r->run[i].dir, n);
        if (!dir)
            return -1;
        r->run[i].label = paths ? dir : weft_path_base(dir);
    }
    if (!paths && !is_unique(r))
        return name_by_folder(r, true);
    return r->n ? runs_shorten(r, SIZE_MAX, paths ? "/" : "-_.") : 0;
}

/* Whether any run was given this setting on its command line. */
static bool is_override(const struct weft_runs *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++) {
        const json_t *list = json_object_get(r->run[i].json, "overrides");
        for (size_t k = 0; k < json_array_size(list); k++) {
            const char *s = json_string_value(json_array_get(list, k));
            if (s && strcmp(s, key) == 0)
                return true;
        }
    }
    return false;
}

/* Leaves out the settings that @p keep does not take. */
static void runs_keep_keys(const struct weft_runs *r, struct varied *v, const char **value,
                           bool (*keep)(const struct weft_runs *r, const char *key))
{
    size_t n = 0;
    for (size_t k = 0; k < v->n; k++) {
        if (!keep(r, v->key[k]))
            continue;
        for (size_t i = 0; i < r->n; i++)
            value[i * KEYS_MAX + n] = value[i * KEYS_MAX + k];
        v->key[n++] = v->key[k];
    }
    v->n = n;
}

/* Where settings were varied by hand, the others that differ follow from them. */
static void keep_overrides(const struct weft_runs *r, struct varied *v, const char **value)
{
    size_t n = 0;
    for (size_t k = 0; k < v->n; k++)
        n += is_override(r, v->key[k]);
    if (n)
        runs_keep_keys(r, v, value, is_override);
}

/* ---- rows of a sweep ---- */

/* Reads the sweep whose rows all runs are, if it has a label (--vary 'label.fabric=...'): a key
 * without a dot. */
static bool rows_read(const struct weft_runs *r, struct weft_sweep_table *t)
{
    char dir[WEFT_PATH_MAX], other[WEFT_PATH_MAX];
    struct weft_err none = {0};
    bool labels = false;
    for (size_t i = 0; i < r->n; i++)
        if (weft_path_dir(i ? other : dir, r->run[i].dir, &none) || (i && strcmp(other, dir) != 0))
            return false;
    if (!r->n || weft_sweep_table_rows(t, dir, &none))
        return false;
    for (size_t k = 0; k < t->naxes; k++)
        labels |= !strchr(t->axis[k].key, '.');
    return labels;
}

/* Whether the column folder, "4 5 6", has the folder of a run. */
static bool rows_has(const char *folders, const char *dir)
{
    const char *base = weft_path_base(dir);
    const size_t n = strlen(base);
    for (const char *at = folders; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strncmp(at, base, n) == 0 && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* What the rows of a sweep with labels are called is what its runs differ in, beside their seeds.
 */
static void name_by_rows(const struct weft_runs *r, struct varied *v, const char **value)
{
    struct weft_sweep_table t = {.arena = r->arena};
    size_t found = 0;
    if (rows_read(r, &t)) {
        runs_keep_keys(r, v, value, runs_is_seed);
        const size_t seeds = v->n;
        for (size_t i = 0; i < r->n; i++) {
            size_t row = 0;
            while (row < t.nrows && !rows_has(t.folder[row], r->run[i].dir))
                row++;
            found += row < t.nrows;
            for (size_t k = 0; k < t.naxes && row < t.nrows; k++)
                value[i * KEYS_MAX + seeds + k] = t.axis[k].text[row];
        }
        v->n = found == r->n ? seeds : 0; /* the names of folders tell more */
        for (size_t k = seeds; k < seeds + t.naxes && found == r->n; k++) {
            bool varies = false;
            for (size_t i = 0; i < r->n; i++) {
                varies |= strcmp(value[i * KEYS_MAX + k], value[k]) != 0;
                value[i * KEYS_MAX + v->n] = value[i * KEYS_MAX + k];
            }
            v->key[v->n] = t.axis[k - seeds].key;
            v->n += varies;
        }
    }
    weft_sweep_table_free(&t);
}

static int name_by_settings(struct weft_runs *r, struct weft_err *err)
{
    struct varied v = {.n = 0};
    const char **value = calloc(r->n * KEYS_MAX + 1, sizeof *value);
    int code = value ? find_varied(r, &v, value, err) : weft_err_no_memory(err, "run folders");
    if (!code)
        keep_overrides(r, &v, value);
    if (!code)
        name_by_rows(r, &v, value);
    if (!code && v.n && v.n <= KEYS_IN_LABEL && runs_keep(r, &v, value))
        code = weft_err_no_memory(err, "run folders");
    free(value);
    for (size_t k = 0; k < r->nkeys && !code; k++)
        code = runs_shorten(r, k, " ;,") ? weft_err_no_memory(err, "run folders") : 0;
    bool fits = r->nkeys > 0;
    for (size_t i = 0; i < r->n && r->nkeys && !code; i++)
        if (!(r->run[i].label = weft_run_label_without(r, i, NULL)))
            code = weft_err_no_memory(err, "run folders");
        else
            fits = fits && strlen(r->run[i].label) <= LABEL_LONG;
    if (!code && (!fits || !is_unique(r)) && name_by_folder(r, false))
        code = weft_err_no_memory(err, "run folders");
    return code;
}

static int name_by_hand(struct weft_runs *r, const char *const *labels, size_t n,
                        struct weft_err *err)
{
    if (n != r->n)
        return weft_err_set(err, WEFT_E_USAGE, "%zu labels for %zu runs", n, r->n);
    for (size_t i = 0; i < n; i++)
        if (!(r->run[i].label = weft_arena_strdup(r->arena, labels[i])))
            return weft_err_no_memory(err, "run folders");
    return 0;
}

int weft_runs_open(const char *const *dirs, size_t n, const char *const *labels, size_t nlabels,
                   struct weft_runs *out, struct weft_err *err)
{
    struct weft_runs *r = out;
    *r = (struct weft_runs){.arena = weft_arena_new(), .varied = "", .to_ns = INFINITY};
    r->run = r->arena ? weft_arena_calloc(r->arena, RUNS_MAX, sizeof *r->run) : NULL;
    int code = r->run ? 0 : weft_err_no_memory(err, "run folders");
    for (size_t i = 0; i < n && !code; i++)
        code = add_folder(r, dirs[i], err);
    if (!code && r->sweep && n > 1)
        code = weft_err_set(err, WEFT_E_USAGE, "%s is a sweep: give it alone", r->sweep);
    if (!code)
        code = nlabels ? name_by_hand(r, labels, nlabels, err) : name_by_settings(r, err);
    return code;
}

void weft_runs_close(struct weft_runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        json_decref((json_t *)(uintptr_t)r->run[i].json);
    weft_arena_free(r->arena);
    *r = (struct weft_runs){0};
}

/* ---- what a run says of itself ---- */

static const json_t *at_path(const json_t *v, const char *path)
{
    while (v && *path) {
        char key[128];
        const size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)(n < sizeof key ? n : sizeof key - 1), path);
        v = json_is_array(v) ? json_array_get(v, strtoul(key, NULL, 10)) : json_object_get(v, key);
        path += n + (path[n] == '.');
    }
    return v;
}

bool weft_run_is_partial(const struct weft_run *run)
{
    return json_is_true(json_object_get(run->json, "partial"));
}

double weft_run_figure(const struct weft_run *run, const char *path)
{
    const json_t *v = at_path(json_object_get(run->json, "summary"), path);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *weft_run_setting(const struct weft_run *run, const char *group, const char *key)
{
    const json_t *v = json_object_get(json_object_get(run->json, "config"), group);
    return json_string_value(json_object_get(v, key));
}
