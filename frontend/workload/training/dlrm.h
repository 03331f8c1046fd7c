/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recommendation models (DLRM, 1906.00091): rows of embedding tables, looked up and added up per
 * sample; dense layers below (features) and above (the interaction of all). Dense layers are a
 * table of layers (layered.h), alike on all ranks; embedding tables are divided among ranks:
 *
 *   table-wise   each table on one rank
 *   column-wise  tables cut into pieces of fewer columns, each on one rank; every piece is looked
 * up with the same indices
 *   row-wise     the rows of each table over all ranks
 *
 * By default tables or pieces go, the largest number of columns first, to the rank with the fewest
 * so far.
 */
#ifndef WEFT_TRAINING_DLRM_H
#define WEFT_TRAINING_DLRM_H

#include "base/err.h"
#include "workload/training/layered.h"

#include <stdint.h>

WEFT_C_BEGIN

/** Most tables. */
#define WEFT_DLRM_TABLES_MAX 1024
/** Most pieces of tables. */
#define WEFT_DLRM_PIECES_MAX 4096
/** Most dense layers below, and above. */
#define WEFT_DLRM_MLP_MAX 8

/** Values of `table-sharding`. */
enum weft_table_sharding { WEFT_TABLES_WHOLE, WEFT_TABLES_COLUMNS, WEFT_TABLES_ROWS };

/** An embedding table. */
struct weft_table {
    uint64_t rows, columns;
    double lookups; /**< per sample */
};

/** A model. */
struct weft_dlrm {
    const char *name, *source;
    uint64_t features; /**< dense inputs of a sample */
    uint64_t columns;  /**< of a row of a table, of the result of the layers below */
    uint64_t bottom[WEFT_DLRM_MLP_MAX], top[WEFT_DLRM_MLP_MAX]; /**< widths; 0 ends them */
    uint64_t crosses,
        cross_rank;   /**< layers of DCNv2 (2008.13535) and their rank; 0: products of all pairs */
    uint64_t ntables; /**< 0: not a recommendation model */
    uint64_t nbottom; /**< dense layers below */
    struct weft_table table[WEFT_DLRM_TABLES_MAX];
};

/** What lies on one rank: sums over its pieces. */
struct weft_dlrm_share {
    uint64_t columns, pieces;
    double lookups;    /**< per sample */
    double read_bytes; /**< of rows, fp32, that a sample reads */
    uint64_t params;
};

size_t weft_dlrm_presets(void);
/** Preset @p i of dlrm.def. */
void weft_dlrm_preset(size_t i, struct weft_dlrm *out);
/** Takes the tables of a CSV file, rows,columns,lookups, in place of those of the model. */
int weft_dlrm_read_tables(const char *path, struct weft_dlrm *m, struct weft_err *err);
/** The dense layers of @p m, whose nbottom it sets. */
void weft_dlrm_dense(struct weft_dlrm *m, struct weft_layered *out);

/** How tables are divided. */
struct weft_dlrm_cut {
    enum weft_table_sharding how;
    uint64_t pieces;       /**< column-wise: of each table; 0: as few as give every rank one */
    const char *placement; /**< CSV or JSON file; "" or NULL: none */
};
/**
 * Divides the tables among @p ranks; out[r] receives what lies on rank r. A placement is CSV,
 * table,rank,columns with the columns empty for all that are left, or JSON as NeuroShard's
 * (2305.01868) results: an object of `sharding_steps`, the tables cut in half one after the other
 * (the second half becomes a further table), and `shards`, the tables of each rank.
 */
int weft_dlrm_divide(const struct weft_dlrm *m, const struct weft_dlrm_cut *cut, uint64_t ranks,
                     struct weft_dlrm_share *out, struct weft_err *err);

WEFT_C_END
#endif
