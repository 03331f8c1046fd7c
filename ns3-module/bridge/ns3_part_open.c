/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See ns3_part.h. The file lies beside the program, where it was built, or in WEFT_LIB_FROM_BIN,
 * where it was installed: both are found from where the program is, which may be moved with it.
 */
#include "ns3_part.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "weft-ns3.so"

/* The folder of the program, with the slash; empty: the system doesn't say. */
static void own_folder(char folder[WEFT_ERR_FILE_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", folder, WEFT_ERR_FILE_MAX - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
}

static int open_file(const struct weft_ns3_part **out, struct weft_err *err)
{
    static const char *const places[] = {"", WEFT_LIB_FROM_BIN "/"};
    char folder[WEFT_ERR_FILE_MAX], path[2 * WEFT_ERR_FILE_MAX];
    own_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s" FILE_NAME, folder, places[i]);
        if (access(path, F_OK) == 0)
            break;
    }
    void *file = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!file)
        return weft_err_set(err, WEFT_E_IO,
                            "this run needs ns-3, and the part of weft that is built on it can't "
                            "be opened (cmake --build builds it as " FILE_NAME
                            ", cmake --install puts it there): %s",
                            dlerror());
    const struct weft_ns3_part *part = (const struct weft_ns3_part *)dlsym(file, "weft_ns3_part");
    if (!part || strcmp(part->version, WEFT_PART_VERSION) != 0)
        return weft_err_set(err, WEFT_E_IO,
                            "%s is of weft %s, and this program of " WEFT_PART_VERSION
                            ": build and install both",
                            path, part ? part->version : "of an unknown version");
    *out = part;
    return 0;
}

int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err)
{
    static const struct weft_ns3_part *part;
    const int rc = part ? 0 : open_file(&part, err);
    *out = part;
    return rc;
}
