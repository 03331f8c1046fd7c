/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding presets; see presets.h. */
#include "topologies/presets.h"

#include "base/file.h"
#include "base/place.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".xml"

static int find_folder(char path[WEFT_PATH_MAX], struct weft_err *err)
{
    const char *env = getenv("WEFT_PRESETS");
    return env && env[0] ? weft_path_join(path, "", env, err)
                         : weft_place_folder(WEFT_PLACE_PRESETS, path, err);
}

static int is_preset(const struct dirent *d)
{
    size_t n = strlen(d->d_name), s = strlen(SUFFIX);
    return n > s && d->d_name[0] != '.' && strcmp(d->d_name + n - s, SUFFIX) == 0;
}

static int topologie_presets_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int weft_preset_each(void (*fn)(void *ctx, const char *name, const char *file), void *ctx,
                     struct weft_err *err)
{
    struct dirent **list;
    char folder[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    int rc = find_folder(folder, err);
    if (rc)
        return rc;
    const int n = scandir(folder, &list, is_preset, topologie_presets_by_name);
    if (n < 0)
        return weft_file_error(err, folder, "list the presets of", errno);
    for (int i = 0; i < n; i++) {
        rc = rc ? rc : weft_path_join(path, folder, list[i]->d_name, err);
        list[i]->d_name[strlen(list[i]->d_name) - strlen(SUFFIX)] = '\0';
        if (!rc)
            fn(ctx, list[i]->d_name, path);
        free(list[i]);
    }
    free(list);
    return rc;
}

/* Names seen, for a suggestion. */
struct search {
    const char *name;
    char *path;
    char names[64][64];
    size_t n;
};

static void topologie_presets_look(void *ctx, const char *name, const char *file)
{
    struct search *s = ctx;
    if (strcmp(s->name, name) == 0)
        snprintf(s->path, WEFT_PATH_MAX, "%s", file);
    if (s->n < 64)
        snprintf(s->names[s->n++], sizeof s->names[0], "%s", name);
}

int weft_preset_path(const char *name, char path[WEFT_PATH_MAX], struct weft_err *err)
{
    struct search s = {.name = name, .path = path};
    const char *names[64];
    path[0] = '\0';
    int rc = weft_preset_each(topologie_presets_look, &s, err);
    if (rc || path[0])
        return rc;
    for (size_t i = 0; i < s.n; i++)
        names[i] = s.names[i];
    return weft_err_set(err, WEFT_E_INPUT, "unknown preset '%.60s'%s", name,
                        WEFT_MEANT(name, names, s.n, "; `weft topology presets` lists them"));
}
