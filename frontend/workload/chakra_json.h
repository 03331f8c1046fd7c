/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution traces as JSON, in the two forms that Chakra's tools have:
 *
 *   chakra_jsonizer's  objects one after the other, the metadata and then each node, in the JSON of
 *                      protobuf 3 (camelCase, 64-bit numbers as text, bytes in base64, zeros left
 *                      out). It has every field; weft writes it.
 *   the feeder's       one object with a list `workload_graph` of nodes with Id, Name, NodeType,
 *                      runtime, data_deps, is_cpu_op and comm_*. It has no groups and no num_ops.
 * Which one a file is shows in its first key.
 */
#ifndef WEFT_CHAKRA_JSON_H
#define WEFT_CHAKRA_JSON_H

#include "workload/et.h"

#include <stdio.h>

WEFT_C_BEGIN

/** Largest file that is read, bytes. */
#define WEFT_CHAKRA_JSON_MAX ((size_t)256 << 20)

/** Whether a file that begins with these bytes is JSON, not a trace of protobuf's. */
bool weft_chakra_is_json(const uint8_t *data, size_t size);
/** Reads a trace of either form; @p name stands for the file in errors. */
int weft_chakra_json_read(const char *name, const char *text, size_t size, struct weft_arena *arena,
                          struct weft_et **out, struct weft_err *err);
/** Writes every field of a trace to @p f; @p name stands for it in errors. */
int weft_chakra_json_write(const struct weft_et *et, FILE *f, const char *name,
                           struct weft_err *err);

WEFT_C_END
#endif
