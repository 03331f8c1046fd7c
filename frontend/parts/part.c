/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See part.h. A file lies beside the program, where it was built, or in WEFT_LIB_FROM_BIN, where it
 * was installed: both are found from where the program is, which may be moved with it.
 */
#include "parts/part.h"

#include "base/os.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program, with the slash; empty: the system doesn't say. */
static void own_folder(char folder[WEFT_ERR_FILE_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", folder, WEFT_ERR_FILE_MAX - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
}

int weft_part_open(const struct weft_part_file *part, const void **table, struct weft_err *err)
{
    static const char *const places[] = {"", WEFT_LIB_FROM_BIN "/"};
    char folder[WEFT_ERR_FILE_MAX], path[2 * WEFT_ERR_FILE_MAX];
    if (*table)
        return 0;
    own_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s%s", folder, places[i], part->name);
        if (access(path, F_OK) == 0)
            break;
    }
    void *file = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!file) {
        char limits[256];
        weft_os_memory_limits(limits, sizeof limits);
        return weft_err_set(err, WEFT_E_IO,
                            "%s, and the part of weft that is built on it can't be opened (cmake "
                            "--build builds it as %s, cmake --install puts it there): %s%s",
                            part->needs, part->name, dlerror(), limits);
    }
    const void *found = dlsym(file, part->symbol);
    const char *version = found ? *(const char *const *)found : "an unknown version";
    if (strcmp(version, WEFT_PART_VERSION) != 0)
        return weft_err_set(err, WEFT_E_IO,
                            "%s is of weft %s, and this program of " WEFT_PART_VERSION
                            ": build and install both",
                            path, version);
    *table = found;
    return 0;
}
