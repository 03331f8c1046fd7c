/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a topology file of any kind that weft knows.
 */
#ifndef WEFT_TOPOLOGY_READ_H
#define WEFT_TOPOLOGY_READ_H

#include "topology.h"

WEFT_C_BEGIN

/** The name of the reader for a file that begins with @p text; NULL: it is hardly a topology. */
const char *weft_topology_kind(const char *text);
/** The reader for a file, by its beginning; NULL and *err when there is none. */
const struct weft_topology_ops *weft_topology_reader(const char *file, struct weft_err *err);
/** Reads @p file with the reader for it and that one's defaults. */
int weft_topology_read(const char *file, struct weft_fabric **out, struct weft_err *err);
/** The same with the parameter @p yes of its kind true; NULL: none. */
int weft_topology_read_with(const char *file, const char *yes, struct weft_fabric **out,
                            struct weft_err *err);

WEFT_C_END
#endif
