/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of Chakra's schemas before 0.0.4, as nodes and attributes of today's.
 *
 *   0.0.1  every property is a field of the node; no metadata
 *   0.0.2  properties are attributes with a type; no metadata
 *   0.0.3  the same with BOOL, later also UINT and metadata
 * `parent` becomes data_deps; the run time (a field or the attribute `runtime`) duration_micros.
 * NodeType and the numbers of collectives are those of today. Nothing else is left out.
 * Source: et_def.proto of mlcommons/chakra, January to October 2023.
 */
#ifndef WEFT_CHAKRA_OLDER_H
#define WEFT_CHAKRA_OLDER_H

#include "workload/et.h"

WEFT_C_BEGIN

/** Which schema a file has. */
enum weft_chakra_schema {
    WEFT_CHAKRA_CURRENT, /**< 0.0.4 and later */
    WEFT_CHAKRA_0_0_1,
    WEFT_CHAKRA_0_0_2,
    WEFT_CHAKRA_0_0_3,
    WEFT_CHAKRA_UNKNOWN /**< none that a message shows */
};
/** "0.0.1" ...; "" for those of today, which say it themselves. */
const char *weft_chakra_schema_name(enum weft_chakra_schema schema);

/** What a message that is a node shows of its schema. WEFT_CHAKRA_UNKNOWN: it fits none, or
 * several. */
enum weft_chakra_schema weft_chakra_node_schema(const uint8_t *data, size_t size);
/** Whether a message is the metadata of 0.0.3: attributes of that schema. */
bool weft_chakra_is_older_header(const uint8_t *data, size_t size);
/** Reads the metadata of 0.0.3. False: it is none, or there is no memory. */
bool weft_chakra_older_header(const uint8_t *data, size_t size, struct weft_arena *arena,
                              struct weft_et *et);
/** Reads a node of @p schema, an older one. False: it is none, or there is no memory. */
bool weft_chakra_older_node(const uint8_t *data, size_t size, enum weft_chakra_schema schema,
                            struct weft_arena *arena, struct weft_et_node *node);

WEFT_C_END
#endif
