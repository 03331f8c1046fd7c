/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of parameters that several kinds of traffic have. */
#ifndef WEFT_TRAFFIC_ROWS_H
#define WEFT_TRAFFIC_ROWS_H

#include "base/param.h"

/** Who takes part. */
#define WEFT_ROW_RANKS(at, text)                                                                   \
    {                                                                                              \
        .name = "ranks", .type = WEFT_PARAM_U64, .offset = at, .def = "0", .min = "0",             \
        .max = "1048576", .help = text                                                             \
    }
/** How long it begins something new. */
#define WEFT_ROW_DURATION(at, text)                                                                \
    {                                                                                              \
        .name = "duration", .type = WEFT_PARAM_TIME, .offset = at, .def = "0", .min = "0",         \
        .help = text                                                                               \
    }
/** Of its random streams; @p what are "draws" or "flows". */
#define WEFT_ROW_SEED(at, what)                                                                    \
    {                                                                                              \
        .name = "seed", .type = WEFT_PARAM_U64, .offset = at, .def = "1",                          \
        .help = "of its " what ", beside that of the run"                                          \
    }

#endif
