/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of the program that are files of their own, beside it or in lib/weft. They are opened when
 * something needs them, as the libraries that they are built on take longer to load than the rest
 * of a short run. A part calls functions of the program, which exports them.
 */
#ifndef WEFT_PARTS_PART_H
#define WEFT_PARTS_PART_H

#include "base/err.h"

/** A part. */
struct weft_part_file {
    const char *name;   /**< of the file, "weft-ns3.so" */
    const char *symbol; /**< its table of functions, a struct that begins with what version of weft
                           it is of: const char *version */
    const char *needs;  /**< who needs what, to say without it: "this run needs ns-3" */
    /** what its libraries take when they are opened, MiB; 0: it is not asked. Libraries in C++ end
     * the program where there is less */
    size_t open_mib;
};

/** *@p table: that of a part, opened if need be; it stays open. WEFT_E_IO: the file isn't there, or
 * is of another weft. WEFT_E_LIMIT: there is no memory for it. */
int weft_part_open(const struct weft_part_file *part, const void **table, struct weft_err *err);

#endif
