/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topologies as XML elements: <topology type="multi"><dimension type="ring" size="8"/></topology>.
 */
#ifndef WEFT_TOPOLOGY_ELEMENT_H
#define WEFT_TOPOLOGY_ELEMENT_H

#include "base/xml.h"
#include "topology.h"

WEFT_C_BEGIN

/**
 * The list text "TYPE NAME=VALUE ...; TYPE ..." (base/items.h) of a chain of elements, white space
 * left out of the values; in @p a. All elements are called @p name and have the type as an
 * attribute; NULL: their names are the types. NULL on failure.
 */
const char *weft_element_list(const struct weft_xml_elem *first, const char *name, const char *file,
                              struct weft_arena *a, struct weft_err *err);
/** The fabric of <topology type="GENERATOR" .../>. Complaints carry the place in @p file. */
int weft_element_build(const struct weft_xml_elem *e, const char *file, struct weft_arena *a,
                       struct weft_fabric **out, struct weft_err *err);

WEFT_C_END
#endif
