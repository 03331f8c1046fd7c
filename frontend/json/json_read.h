/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON read with jansson, whose parser reports an allocation that fails as an error of syntax at
 * the place that it had come to ("string or '}' expected"), or does not survive it. The program's
 * readers of JSON call it through this file.
 */
#ifndef WEFT_BASE_JSON_READ_H
#define WEFT_BASE_JSON_READ_H

#include "base/err.h"

#include <jansson.h>

/** json_loadb(); where memory runs out, json_error_code() of @p why is json_error_out_of_memory. */
json_t *weft_json_load(const char *text, size_t size, size_t flags, json_error_t *why);

/** The error of a document that weft_json_load() did not load: WEFT_E_LIMIT without memory, else
 * WEFT_E_INPUT at its place in @p file with @p prefix before the text. Returns the code. */
int weft_json_load_error(struct weft_err *err, const char *file, const json_error_t *why,
                         const char *prefix);

#endif
