/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writers of fabrics.
 */
#ifndef WEFT_TOPOLOGY_WRITE_H
#define WEFT_TOPOLOGY_WRITE_H

#include "fabric.h"

#include <stdio.h>

WEFT_C_BEGIN

/** What a format can say. */
struct weft_topology_writer {
    const char *name; /**< "xml", "hpcc", "dot" */
    const char *title;
    /** Writes @p f; fails when the format cannot say what it has. */
    int (*write)(const struct weft_fabric *f, FILE *out, struct weft_err *err);
};

/** All writers; *n receives their number. */
const struct weft_topology_writer *weft_topology_writers(size_t *n);

int weft_fabric_write_xml(const struct weft_fabric *f, FILE *out, struct weft_err *err);
int weft_fabric_write_hpcc(const struct weft_fabric *f, FILE *out, struct weft_err *err);
int weft_fabric_write_dot(const struct weft_fabric *f, FILE *out, struct weft_err *err);
int weft_fabric_write_svg(const struct weft_fabric *f, FILE *out, struct weft_err *err);

WEFT_C_END
#endif
