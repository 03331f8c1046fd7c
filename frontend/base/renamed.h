/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Former names of settings, lists and metrics. A former name works for one release with a warning
 * that gives the present name; `weft show renamed` prints the table.
 */
#ifndef WEFT_BASE_RENAMED_H
#define WEFT_BASE_RENAMED_H

#include <stddef.h>

enum weft_renamed_kind {
    WEFT_RENAMED_SECTION, /**< an element of scenario files, and the first part of a key */
    WEFT_RENAMED_FAMILY,  /**< what `weft list` and `weft show` take */
    WEFT_RENAMED_METRIC,  /**< of expect.xml and `weft sweep` */
};

struct weft_renamed {
    enum weft_renamed_kind kind;
    const char *former, *present;
};

const struct weft_renamed *weft_renamed_table(size_t *n);
/** "section", "family" or "metric". */
const char *weft_renamed_kind_name(enum weft_renamed_kind kind);
/** The present name of the former name @p name; NULL: it is none. */
const char *weft_renamed_find(enum weft_renamed_kind kind, const char *name);
/** The warning, for printf with the former and the present name. */
#define WEFT_RENAMED_WARNING                                                                       \
    "'%s' is called '%s' now; the former name is an alias that the next release removes"

#endif
