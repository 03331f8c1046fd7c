/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of parameters that several kinds of traffic have. */
#ifndef WEFT_TRAFFIC_ROWS_H
#define WEFT_TRAFFIC_ROWS_H

#include "base/param.h"

/** Who takes part. */
#define WEFT_ROW_RANKS(type, field, text)                                                          \
    {                                                                                              \
        WEFT_ROW_U64(type, field, "ranks", "0", "0", "1048576"), .help = text                      \
    }
/** How long it begins something new. */
#define WEFT_ROW_DURATION(type, field, text)                                                       \
    {                                                                                              \
        WEFT_ROW_TIME(type, field, "duration", "0", "0", NULL), .help = text                       \
    }
/** Of its random streams; @p what are "draws" or "flows". */
#define WEFT_ROW_SEED(type, field, what)                                                           \
    {                                                                                              \
        WEFT_ROW_U64(type, field, "seed", "1", NULL, NULL),                                        \
            .help = "of its " what ", beside that of the run"                                      \
    }

#endif
