/* SPDX-License-Identifier: GPL-2.0-only */
/* The scenario and the settings of a run that is in a folder, to play it again. */
#include "diagnose/diagnose.h"

#include "base/file.h"
#include "base/plugin.h"
#include "report/result.h"

#include <stdlib.h>
#include <string.h>

bool weft_diagnose_is_folder(const char *path)
{
    char file[WEFT_PATH_MAX];
    struct weft_err ignored = {0};
    return weft_file_is_dir(path) && !weft_path_join(file, path, "run.json", &ignored) &&
           weft_file_is_regular(file);
}

/* The settings of a run as they are taken. */
struct given {
    struct weft_arena *arena;
    const char **sets, *plugins;
    size_t n;
    bool of_file; /* there is a file with the others */
    bool lost;
};

static void count_given(void *ctx, const char *key, const char *value, const char *from)
{
    ++*(size_t *)ctx;
}

static void take_given(void *ctx, const char *key, const char *value, const char *from)
{
    struct given *g = (struct given *)ctx;
    if (strcmp(from, "override") != 0 && (g->of_file || strcmp(from, "file") != 0))
        return;
    g->sets[g->n] = weft_arena_printf(g->arena, "%s=%s", key, value);
    g->lost |= !g->sets[g->n++];
}

static bool is_loaded(const char *plugin)
{
    size_t n;
    const char *const *files = weft_plugin_files(&n);
    return weft_is_one_of(plugin, files, n);
}

/* Takes scenario and settings from what run.json says. */
static int take_result(const struct weft_result *r, const char *dir, struct given *g,
                       const char **scenario, struct weft_err *err)
{
    const char *file = weft_result_text(r, NULL, "file", 0);
    size_t n = 0;
    if (!weft_result_given(r, count_given, &n))
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s does not say which settings were given: run it anew with 'weft "
                            "run'",
                            dir);
    g->of_file = file && *file;
    *scenario = g->of_file ? weft_arena_strdup(g->arena, file) : NULL;
    g->sets = (const char **)weft_arena_calloc(g->arena, n + 1, sizeof *g->sets);
    if (!g->sets || (g->of_file && !*scenario))
        return weft_err_no_memory(err, "the settings of a run");
    weft_result_given(r, take_given, g);
    g->plugins = "";
    for (size_t i = 0; g->plugins && weft_result_text(r, NULL, "plugins", i); i++) {
        const char *plugin = weft_result_text(r, NULL, "plugins", i);
        if (!is_loaded(plugin))
            g->plugins = weft_arena_printf(g->arena, "%s --plugin %s", g->plugins, plugin);
    }
    g->lost |= !g->plugins;
    if (g->lost)
        return weft_err_no_memory(err, "the settings of a run");
    if (*scenario && !weft_file_is_regular(*scenario) && !weft_file_is_dir(*scenario))
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s was made of %s, which is not there: give the scenario itself", dir,
                            *scenario);
    return 0;
}

int weft_diagnose_of_folder(const char *dir, struct weft_arena *arena, const char **scenario,
                            const char ***sets, size_t *nsets, const char **plugins,
                            struct weft_err *err)
{
    struct weft_result *r = weft_result_load(dir, err);
    struct given g = {.arena = arena};
    if (!r)
        return err->code;
    const int code = take_result(r, dir, &g, scenario, err);
    weft_result_free(r);
    *sets = g.sets;
    *nsets = g.n;
    *plugins = g.plugins;
    return code;
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
    return weft_memfile_write(&text, "a diagnosis", path, err->code, err);
}
