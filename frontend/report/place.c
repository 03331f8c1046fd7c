/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks a run folder and removes the files of an earlier run. run.json is written first and removed
 * last, so that the next run completes an interrupted removal.
 */
#include "report/place.h"

#include "base/file.h"
#include "json/json_read.h"
#include "base/lock.h"
#include "base/units.h"
#include "report/columns.h"
#include "series/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Largest run.json that is read. */
#define RUN_JSON_MAX ((size_t)64 << 20)
/* The names that a row folder of a sweep can have: 1 to this. */
#define ROWS_MAX 65536

static const char lock_name[] = ".lock", captures[] = "pcap";
/* What a run writes beside its tables; run.json apart. */
static const char *const others[] = {"finished",  "sweep.csv",     "find.csv",
                                     "points.sh", "points.sbatch", "fct_slowdown.csv"};

struct weft_place {
    struct weft_lock *lock;
};

/* Removes the file @p name of @p dir. One that is reached over a link is emptied, what is no file
 * stays. */
static int remove_file(const char *dir, const char *name, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct stat st;
    if (weft_path_join(path, dir, name, err))
        return err->code;
    if (lstat(path, &st) != 0)
        return 0;
    if (S_ISREG(st.st_mode) && unlink(path) != 0 && errno != ENOENT)
        return weft_file_error(err, path, "remove", errno);
    if (S_ISLNK(st.st_mode) && weft_file_is_regular(path) && truncate(path, 0) != 0)
        return weft_file_error(err, path, "empty", errno);
    return 0;
}

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* "run.json.123.tmp": left behind by a process that was killed. */
static bool is_temporary(const char *name)
{
    static const char *const of[] = {"run.json.", "finished."};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const char *rest = name + strlen(of[i]);
        if (strncmp(name, of[i], strlen(of[i])) == 0 && digits(rest) > 0 &&
            strcmp(rest + digits(rest), WEFT_FILE_TEMPORARY) == 0)
            return true;
    }
    return false;
}

/* "h0-s4.pcap" or "h0-s4.link7.pcap". */
static bool is_capture(const char *name)
{
    static const char link[] = ".link";
    const char *rest = name + strcspn(name, ".");
    if (!memchr(name, '-', (size_t)(rest - name)))
        return false;
    if (strncmp(rest, link, sizeof link - 1) == 0 && digits(rest + sizeof link - 1) > 0)
        rest += sizeof link - 1 + digits(rest + sizeof link - 1);
    return strcmp(rest, ".pcap") == 0;
}

/* One of some tables, packed or not. */
static bool is_one_of(const char *name, const struct weft_csv_file *const *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(files[i]->name);
        if (strncmp(name, files[i]->name, len) == 0 &&
            (!name[len] || strcmp(name + len, WEFT_SERIES_PACKED) == 0))
            return true;
    }
    return false;
}

static bool is_table(const char *name)
{
    return is_one_of(name, weft_csv_files, WEFT_CSV_FILES);
}

static bool is_series(const char *name)
{
    return is_one_of(name, weft_series_files, WEFT_SERIES_FILES);
}

static bool is_row(const char *name)
{
    struct weft_err ignored = {0};
    uint64_t row;
    return name[0] != '0' && digits(name) > 0 && !name[digits(name)] &&
           !weft_parse_u64(name, &row, &ignored) && row <= ROWS_MAX;
}

/* Calls @p fn for the entries of a folder that @p wanted says yes to. A folder that is not there
 * has none. */
static int each(const char *dir, bool (*wanted)(const char *name),
                int (*fn)(const char *dir, const char *name, struct weft_err *err),
                struct weft_err *err)
{
    DIR *d = opendir(dir);
    int code = 0;
    if (!d)
        return errno == ENOENT || errno == ENOTDIR ? 0 : weft_file_error(err, dir, "read", errno);
    for (const struct dirent *e; !code && (e = readdir(d));)
        if (wanted(e->d_name))
            code = fn(dir, e->d_name, err);
    closedir(d);
    return code;
}

bool weft_place_is_run(const json_t *run_json)
{
    return json_is_integer(json_object_get(run_json, "schema_version"));
}

int weft_place_no_run(const char *dir, struct weft_err *err)
{
    char meant[WEFT_FILE_MEANT_MAX];
    return weft_err_set(err, WEFT_E_INPUT, "%s is no folder of a run: %s%s", dir,
                        weft_file_is_dir(dir) ? "it has no run.json" : "there is no such folder",
                        weft_file_meant(meant, dir));
}

/* What run.json says that a run wrote; NULL: it is none of weft's. */
static json_t *read_run(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text;
    size_t size;
    json_error_t ignored;
    struct weft_err unread = {0};
    if (weft_path_join(path, dir, "run.json", err) || !weft_file_is_regular(path))
        return NULL;
    if (weft_file_read(path, RUN_JSON_MAX, &text, &size, &unread)) {
        if (unread.code == WEFT_E_LIMIT)
            *err = unread;
        return NULL;
    }
    json_t *run = weft_json_load(text, size, 0, &ignored);
    free(text);
    if (!run && json_error_code(&ignored) == json_error_out_of_memory)
        weft_json_load_error(err, path, &ignored, "");
    if (weft_place_is_run(run))
        return run;
    json_decref(run);
    return NULL;
}

/* Removes the folder of a row of a sweep if it is one, and holds nothing else. */
static int remove_row(const char *dir, const char *name, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_err ignored = {0};
    if (weft_path_join(path, dir, name, err))
        return err->code;
    json_t *run = read_run(path, &ignored);
    if (!run)
        return 0;
    json_decref(run);
    struct weft_place *p = weft_place_open(path, err);
    if (!p)
        return err->code;
    weft_place_close(p);
    rmdir(path); /* not when somebody else's files are in it */
    return 0;
}

/* Removes the files of a folder of the run that are its own, and the folder, unless it holds
 * others.
 */
static int clear_folder(const char *dir, const char *folder, bool (*own)(const char *name),
                        struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    int code = weft_path_join(path, dir, folder, err);
    if (!code)
        code = each(path, own, remove_file, err);
    if (!code)
        rmdir(path);
    return code;
}

/* Removes what an earlier run wrote. */
static int clear(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    const json_t *entry;
    size_t i;
    int code =
        remove_file(dir, "finished", err); /* first, and in any case: it speaks of this folder */
    json_t *run = code ? NULL : read_run(dir, err);
    if (!run)
        return err->code;
    if (!code)
        code = weft_path_join(path, dir, "sweep.csv", err);
    if (!code && (weft_file_is_regular(path) || json_is_object(json_object_get(run, "sweep"))))
        code = each(dir, is_row, remove_row, err);
    code = code ? code : each(dir, is_table, remove_file, err);
    for (i = 0; !code && i < sizeof others / sizeof others[0]; i++)
        code = remove_file(dir, others[i], err);
    json_array_foreach(json_object_get(run, "files"), i, entry)
    {
        const char *name = json_string_value(entry);
        if (!code && name && name[0] != '.' && !strchr(name, '/'))
            code = remove_file(dir, name, err);
    }
    json_decref(run);
    if (!code)
        code = clear_folder(dir, captures, is_capture, err);
    if (!code)
        code = clear_folder(dir, WEFT_SERIES_DIR, is_series, err);
    if (!code)
        code = each(dir, is_temporary, remove_file, err);
    return code ? code : remove_file(dir, "run.json", err);
}

static struct weft_place *open_place(const char *dir, bool keep, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_place *p = (struct weft_place *)calloc(1, sizeof *p);
    if (!p) {
        weft_err_at(err, WEFT_E_LIMIT, dir, 0, 0, "out of memory for a run folder");
        return NULL;
    }
    int code = weft_mkdir_p(dir, err);
    if (!code)
        code = weft_path_join(path, dir, lock_name, err);
    if (!code) {
        p->lock = weft_lock_take(path, "a folder holds one run", err);
        code = !p->lock ? err->code : keep ? remove_file(dir, "finished", err) : clear(dir, err);
    }
    if (code) {
        weft_place_close(p);
        return NULL;
    }
    return p;
}

struct weft_place *weft_place_open(const char *dir, struct weft_err *err)
{
    return open_place(dir, false, err);
}

struct weft_place *weft_place_keep(const char *dir, struct weft_err *err)
{
    return open_place(dir, true, err);
}

int weft_place_locked(const struct weft_place *p)
{
    return weft_lock_holds(p->lock);
}

void weft_place_close(struct weft_place *p)
{
    if (!p)
        return;
    weft_lock_release(p->lock);
    free(p);
}

bool weft_place_takes(const char *name)
{
    if (strcmp(name, lock_name) == 0 || strcmp(name, captures) == 0 ||
        strcmp(name, WEFT_SERIES_DIR) == 0 || strcmp(name, "run.json") == 0)
        return true;
    return WEFT_IS_ONE_OF(name, others) || is_table(name);
}
