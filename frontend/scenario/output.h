/* SPDX-License-Identifier: GPL-2.0-only */
/* Section output of a scenario: the tables that a run writes, and which of them are compressed. */
#ifndef WEFT_SCENARIO_OUTPUT_H
#define WEFT_SCENARIO_OUTPUT_H

#include "base/param.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Parameters of the tables: element <output .../>. */
struct weft_output_params {
    const char *tables; /**< list of names of tables; "all"; "none" */
    enum weft_output_compress { WEFT_OUTPUT_AUTO, WEFT_OUTPUT_NONE, WEFT_OUTPUT_ZSTD } compress;
    uint64_t compress_above_bytes; /**< AUTO: tables that are larger */
};
extern const struct weft_param_table weft_output_param_table;

/** Whether the table @p file ("flows.csv") is written. */
bool weft_output_has(const struct weft_output_params *p, const char *file);
/** Size from which on a table is compressed; UINT64_MAX: none is. */
uint64_t weft_output_pack_above(const struct weft_output_params *p);

WEFT_C_END
#endif
