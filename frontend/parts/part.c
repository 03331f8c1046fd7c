/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens a part of the program (weft-xml.so, weft-mpi.so, weft-ns3.so). Its file lies beside the
 * program in a build, and in WEFT_LIB_FROM_BIN in an installed tree; for libweft.so, which has a
 * part as well, in the folder `weft` beside it. All are relative to the file that this code is in,
 * so that a tree can be moved.
 */
#include "parts/part.h"

#include "base/file.h"
#include "base/os.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

/* Whether so much address space is there. */
static bool is_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED)
        munmap(room, bytes);
    return room != MAP_FAILED;
}

int weft_part_open(const struct weft_part_file *part, const void **table, struct weft_err *err)
{
    /* The last is named where the file is in none. */
    static const char *const places[] = {".", "weft", WEFT_LIB_FROM_BIN};
    char own[WEFT_PATH_MAX], folder[WEFT_PATH_MAX] = "", place[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    if (*table)
        return 0;
    if (part->open_mib && !is_room(part->open_mib << 20))
        return weft_err_set(err, WEFT_E_LIMIT, "%s: out of memory for the libraries of %s",
                            part->needs, part->name);
    if (weft_os_own_file(own, sizeof own) && weft_path_dir(folder, own, err))
        return err->code;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (weft_path_join(place, folder, places[i], err) ||
            weft_path_join(path, place, part->name, err))
            return err->code;
        if (weft_file_is_regular(path))
            break;
    }
    void *file = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!file) {
        char limits[256];
        const char *why = dlerror();
        if (strstr(why, "failed to map segment") || strstr(why, "annot allocate memory"))
            return weft_err_set(err, WEFT_E_LIMIT, "%s: out of memory for %s: %s", part->needs,
                                part->name, why);
        weft_os_memory_limits(limits, sizeof limits);
        return weft_err_set(err, WEFT_E_IO,
                            "%s, and the part of weft that is built on it can't be opened (cmake "
                            "--build builds it as %s, cmake --install puts it there): %s%s",
                            part->needs, part->name, why, limits);
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
