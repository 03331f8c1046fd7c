/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading plug-ins at run time. */
#include "plugins/load.h"

#include "base/file.h"
#include "base/os.h"
#include "collective/collective.h"
#include "lib/weft.h"
#include "topologies/balancer.h"
#include "congestion/cc.h"
#include "topologies/topology.h"
#include "workload/workload.h"
#include "congestion/cc_table.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- families ---- */

/* `name` is the first member of each of their structs. */
static const struct {
    const char *what;
    size_t size;
    int (*add)(const void *ops, struct weft_err *err);
} families[WEFT_PLUGIN_FAMILIES] = {
    [WEFT_PLUGIN_FAMILY_CC] = {"congestion control", sizeof(struct weft_cc_ops), weft_cc_add},
    [WEFT_PLUGIN_FAMILY_TOPOLOGY] = {"topology", sizeof(struct weft_topology_ops),
                                     weft_topology_add},
    [WEFT_PLUGIN_FAMILY_COLLECTIVE] = {"collective algorithm", sizeof(struct weft_coll_ops),
                                       weft_coll_add},
    [WEFT_PLUGIN_FAMILY_WORKLOAD] = {"workload", sizeof(struct weft_workload_ops),
                                     weft_workload_add},
    [WEFT_PLUGIN_FAMILY_BALANCER] = {"balancer", sizeof(struct weft_balancer_ops),
                                     weft_balancer_add},
};

const char *weft_plugin_family_name(enum weft_plugin_family family)
{
    return families[family].what;
}

const char *weft_plugin_name(const struct weft_plugin *p)
{
    return *(const char *const *)p->ops;
}

/* ---- a file ---- */

static int plugins_check(const char *path, const struct weft_plugin_file *f, struct weft_err *err)
{
    if (f->abi != WEFT_PLUGIN_ABI)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s is of version %" PRIu32 " of the interfaces of plug-ins, and this "
                            "weft of %d: compile it against this weft's headers",
                            path, f->abi, WEFT_PLUGIN_ABI);
    bool same = f->param_size == sizeof(struct weft_param);
    for (size_t i = 0; i < f->n && same; i++)
        same = f->list[i].family < WEFT_PLUGIN_FAMILIES &&
               f->list[i].size == families[f->list[i].family].size;
    return same
               ? 0
               : weft_err_set(err, WEFT_E_INPUT,
                              "%s was compiled against headers of another weft: their structs have "
                              "other sizes",
                              path);
}

/* Plug-ins call weft's functions, which a program that opened libweft.so itself may have for itself
 * alone, as Python does. */
static void plugins_show_own_functions(void)
{
    char library[WEFT_PATH_MAX];
    if (weft_os_own_file(library, sizeof library))
        dlopen(library, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

int weft_plugins_load(const char *path, const struct weft_plugin_file **out, struct weft_err *err)
{
    char own[WEFT_PATH_MAX];
    if (!strchr(path, '/')) /* or dlopen looks for a library of the system */
        snprintf(own, sizeof own, "./%s", path);
    else
        snprintf(own, sizeof own, "%s", path);
    plugins_show_own_functions();
    void *file = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return weft_err_set(err, WEFT_E_IO, "plug-in %s: %s", path, dlerror());
    const struct weft_plugin_file *f = (const struct weft_plugin_file *)dlsym(file, "weft_plugins");
    if (!f)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s is no plug-in of weft: it lacks WEFT_PLUGINS(...) of base/plugin.h",
                            path);
    if (plugins_check(path, f, err))
        return err->code;
    for (size_t i = 0; i < f->n; i++)
        if (families[f->list[i].family].add(f->list[i].ops, err))
            return weft_err_prepend(err, "plug-in %s", path);
    if (out)
        *out = f;
    return weft_plugin_note_file(own, err);
}

/* Of libweft.so; the program has it without a use. */
int weft_sim_load_plugin(const char *file, struct weft_error *error)
{
    struct weft_err err = {0};
    weft_plugins_load(file, NULL, &err);
    if (error)
        *error = (struct weft_error){.code = err.code};
    if (error && err.code)
        weft_err_format(&err, error->text, sizeof error->text);
    return err.code;
}

/* ---- folders ---- */

static int plugins_is_file(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 3 && strcmp(d->d_name + n - 3, ".so") == 0;
}

static int plugins_load_folder(const char *folder, struct weft_err *err)
{
    struct dirent **list;
    char path[WEFT_PATH_MAX];
    const int n = scandir(folder, &list, plugins_is_file, alphasort);
    int rc = 0;
    if (n < 0)
        return weft_err_set(err, WEFT_E_IO, "WEFT_PLUGIN_PATH: %s can't be read", folder);
    for (int i = 0; i < n; i++) {
        rc = rc ? rc : weft_path_join(path, folder, list[i]->d_name, err);
        rc = rc ? rc : weft_plugins_load(path, NULL, err);
        free(list[i]);
    }
    free(list);
    return rc;
}

int weft_plugins_load_folders(const char *folders, struct weft_err *err)
{
    char folder[WEFT_PATH_MAX];
    while (folders && *folders) {
        const size_t n = strcspn(folders, ":");
        if (n >= sizeof folder)
            return weft_err_set(err, WEFT_E_LIMIT, "WEFT_PLUGIN_PATH: a path is too long");
        memcpy(folder, folders, n);
        folder[n] = '\0';
        if (n && plugins_load_folder(folder, err))
            return err->code;
        folders += n + (folders[n] == ':');
    }
    return 0;
}

/* ---- options ---- */

int weft_plugins_take_options(int *argc, char **argv, struct weft_err *err)
{
    static const char option[] = "--plugin";
    const size_t n = sizeof option - 1;
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        const bool apart = strcmp(argv[i], option) == 0;
        if (strcmp(argv[i], "--") == 0) { /* what follows is no option */
            while (i < *argc)
                argv[kept++] = argv[i++];
            break;
        }
        if (!apart && (strncmp(argv[i], option, n) != 0 || argv[i][n] != '=')) {
            argv[kept++] = argv[i];
            continue;
        }
        if (apart && i + 1 == *argc)
            return weft_err_set(err, WEFT_E_USAGE, "--plugin needs a file");
        if (weft_plugins_load(apart ? argv[++i] : argv[i] + n + 1, NULL, err))
            return err->code;
    }
    *argc = kept;
    argv[kept] = NULL;
    return 0;
}
