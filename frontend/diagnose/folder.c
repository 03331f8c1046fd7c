/* SPDX-License-Identifier: GPL-2.0-only */
/* The scenario and the settings of a run that is in a folder, to play it again. */
#include "diagnose/diagnose.h"

#include "base/file.h"
#include "json/json_read.h"
#include "report/place.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_JSON_MAX_BYTES = 16 << 20 };

bool weft_diagnose_is_folder(const char *path)
{
    char file[WEFT_PATH_MAX];
    struct weft_err ignored = {0};
    return weft_file_is_dir(path) && !weft_path_join(file, path, "run.json", &ignored) &&
           weft_file_is_regular(file);
}

static json_t *diagnose_read_run(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text = NULL;
    size_t size;
    json_error_t e;
    if (weft_path_join(path, dir, "run.json", err) ||
        weft_file_read(path, RUN_JSON_MAX_BYTES, &text, &size, err))
        return NULL;
    json_t *root = weft_json_load(text, size, 0, &e);
    free(text);
    if (!root)
        weft_json_load_error(err, path, &e, "");
    else if (!weft_place_is_run(root) || !json_object_get(root, "given")) {
        weft_err_at(err, WEFT_E_INPUT, path, 0, 0,
                    "it does not say which settings were given: run it anew with 'weft run'");
        json_decref(root);
        root = NULL;
    }
    return root;
}

int weft_diagnose_of_folder(const char *dir, struct weft_arena *arena, const char **scenario,
                            const char ***sets, size_t *nsets, struct weft_err *err)
{
    json_t *root = diagnose_read_run(dir, err), *v;
    const char *key, *file = root ? json_string_value(json_object_get(root, "file")) : NULL;
    if (!root)
        return err->code;
    json_t *given = json_object_get(root, "given");
    *nsets = 0;
    *scenario = file && *file ? weft_arena_strdup(arena, file) : NULL;
    *sets = (const char **)weft_arena_calloc(arena, json_object_size(given) + 1, sizeof **sets);
    bool lost = !*sets || (file && *file && !*scenario);
    json_object_foreach(given, key, v)
    {
        const char *from = json_string_value(json_object_get(v, "from")),
                   *value = json_string_value(json_object_get(v, "value"));
        const bool taken =
            from && value &&
            (strcmp(from, "override") == 0 || (!*scenario && strcmp(from, "file") == 0));
        if (lost || !taken)
            continue;
        (*sets)[*nsets] = weft_arena_printf(arena, "%s=%s", key, value);
        lost = !(*sets)[(*nsets)++];
    }
    json_decref(root);
    if (lost)
        return weft_err_no_memory(err, "the settings of a run");
    if (*scenario && !weft_file_is_regular(*scenario) && !weft_file_is_dir(*scenario))
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s was made of %s, which is not there: give the scenario itself", dir,
                            *scenario);
    return 0;
}

int weft_diagnosis_keep(const struct weft_diagnosis *d, const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    struct weft_memfile text;
    struct weft_json j;
    if (weft_path_join(path, dir, WEFT_DIAGNOSIS_FILE, err) ||
        weft_memfile_open(&text, "a diagnosis", err))
        return err->code;
    weft_json_init(&j, text.f, "a diagnosis", 2);
    weft_diagnosis_json(&j, d);
    weft_json_finish(&j, err);
    const int closed =
        weft_memfile_close(&text, "a diagnosis", err->code ? &(struct weft_err){0} : err);
    int code = err->code ? err->code : closed;
    code = code ? code : weft_file_write(path, text.data, text.size, err);
    free(text.data);
    return code;
}
