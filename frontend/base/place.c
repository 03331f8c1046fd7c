/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where weft's own files are: place.h. The build says what the layouts are: WEFT_SOURCE_DIR, from
 * WEFT_BUILT_IN, the folder of the program in a build, WEFT_SOURCE_FROM_BUILD; WEFT_DATA_DIR, and
 * WEFT_DATA_FROM_BIN and _LIB from where programs and libraries are installed.
 */
#include "base/place.h"

#include "base/os.h"

#include <stdlib.h>
#include <string.h>

/* Whether @p path ends with the folder @p end. */
static bool is_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && path[n - m - 1] == '/' && strcmp(path + n - m, end) == 0;
}

int weft_place_folder(enum weft_place which, char out[WEFT_PATH_MAX], struct weft_err *err)
{
    static const char *const installed[] = {"presets", "scenarios"}, *const source[] = {
                                                                         "topologies/presets",
                                                                         "scenarios"};
    char own[WEFT_PATH_MAX] = "", folder[WEFT_PATH_MAX] = "", data[WEFT_PATH_MAX];
    int rc = weft_os_own_file(own, sizeof own) ? weft_path_dir(folder, own, err) : 0;
    const bool built = is_in(folder, WEFT_BUILT_IN);
    const struct {
        const char *from, *to, *last;
        bool use;
    } places[] = {{folder, WEFT_DATA_FROM_BIN, installed[which], folder[0] && !built},
                  {folder, WEFT_DATA_FROM_LIB, installed[which], folder[0] && !built},
                  {folder, WEFT_SOURCE_FROM_BUILD, source[which], built},
                  {"", WEFT_SOURCE_DIR, source[which], true},
                  {"", WEFT_DATA_DIR, installed[which], true}};
    for (size_t i = 0; !rc && i < sizeof places / sizeof places[0]; i++) {
        if (!places[i].use)
            continue;
        rc = weft_path_join(data, places[i].from, places[i].to, err);
        rc = rc ? rc : weft_path_join(out, data, places[i].last, err);
        if (!rc && weft_file_is_dir(out)) {
            if (realpath(out, data)) /* without the ".." of a build, which messages would show */
                memcpy(out, data, strlen(data) + 1);
            break;
        }
    }
    return rc;
}
