/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of plug-ins that are loaded at run time. */
#include "base/grow.h"
#include "base/plugin.h"

#include <stdlib.h>
#include <string.h>

int weft_plugin_check_name(const char *name, weft_name_of_fn name_of, size_t n, size_t room,
                           const char *what, struct weft_err *err)
{
    if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
        return weft_err_set(err, WEFT_E_INPUT,
                            "the name of a %s is small letters, digits and '-', not '%.60s'", what,
                            name ? name : "");
    for (size_t i = 0; i < n; i++)
        if (strcmp(name_of(i), name) == 0)
            return weft_err_set(err, WEFT_E_INPUT, "there is a %s '%s' already", what, name);
    return n < room ? 0
                    : weft_err_set(err, WEFT_E_LIMIT, "%d is the most that may be loaded of a %s",
                                   WEFT_PLUGIN_ROOM, what);
}

static const char **plugin_files;
static size_t plugin_nfiles;

int weft_plugin_note_file(const char *path, struct weft_err *err)
{
    char *whole = realpath(path, NULL);
    if (!whole || !WEFT_GROW_ONE(plugin_files, plugin_nfiles)) {
        free(whole);
        return weft_err_no_memory(err, "plug-ins");
    }
    plugin_files[plugin_nfiles++] = whole;
    return 0;
}

const char *const *weft_plugin_files(size_t *n)
{
    *n = plugin_nfiles;
    return plugin_files;
}
