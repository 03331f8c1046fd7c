/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that grow by whole records: rows of text, frames of a capture.
 *
 * Records are collected in memory and handed to the operating system many at a time, with one
 * write(2) that begins and ends at the end of a record, so that the death of the process leaves
 * whole records. Two things can cut one all the same. A full disk: what is left of the record that
 * did not fit is taken away again. And a kill or a crash of the machine in the midst of a write:
 * then the last record of the file is incomplete, which a reader sees from the line end that it
 * lacks.
 *
 * Functions that put do not return anything: the first failure is kept, and weft_rows_end, _flush
 * and _close report it. Nothing is written after it.
 */
#ifndef WEFT_BASE_ROWS_H
#define WEFT_BASE_ROWS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

struct weft_rows;

/** Creates the file @p path, or empties it; links are followed, and what is not a regular file is
 * written to as it is. NULL with @p err filled when that fails: WEFT_E_IO or WEFT_E_LIMIT. */
struct weft_rows *weft_rows_open(const char *path, struct weft_err *err);
/** Adds bytes to the current record. */
void weft_rows_put(struct weft_rows *r, const void *data, size_t size);
/** Adds text to the current record. */
void weft_rows_printf(struct weft_rows *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/** Ends the current record. Returns 0 or the first failure so far, as weft_rows_flush does. */
int weft_rows_end(struct weft_rows *r, struct weft_err *err);
/** Hands all whole records to the operating system. WEFT_E_IO, or WEFT_E_LIMIT when a record did
 * not fit into memory. */
int weft_rows_flush(struct weft_rows *r, struct weft_err *err);
/** A way to pack bytes: series/packed.h. */
struct weft_rows_packer {
    const char *suffix;  /**< that names of packed files have */
    void *(*open)(void); /**< NULL: no memory */
    /** Packs @p size bytes into a part that can be read by itself and depends on them alone. Its
     * size, with *@p part its bytes, which are there until the next call; 0: no memory. */
    size_t (*pack)(void *state, const void *data, size_t size, const void **part);
    void (*close)(void *state);
};
/**
 * Once the file has more than @p bytes it is packed: what there is goes to PATH with the packer's
 * suffix, PATH is removed then, and the rest follows in parts of a MiB. weft_rows_flush writes the
 * records of a part that is not full, too, and the part takes their place later: the same records
 * give the same file. A kill between the two leaves whole parts, and so does a disk without room
 * for what had been flushed. What is no regular file stays as it is.
 */
void weft_rows_pack_above(struct weft_rows *r, const struct weft_rows_packer *packer,
                          uint64_t bytes);
/** Flushes, closes and frees; a record that is not ended is dropped. NULL is allowed. */
int weft_rows_close(struct weft_rows *r, struct weft_err *err);

WEFT_C_END
#endif
