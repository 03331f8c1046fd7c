/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a CSV table, for csv.c and for tables of columns, which ask of every value whether
 * it is the same again. */
#ifndef WEFT_BASE_CSV_INTERNAL_H
#define WEFT_BASE_CSV_INTERNAL_H

#include "base/csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NUMBER_MAX = 32, /* bytes of a number, with its sign and the comma before it, and more */
    KEPT_BITS = 5,
    ROW_MAX = 1024,
    BLOCK = 32, /* bytes that are copied at once */
    /* what a number is written as, beside a real number's decimals */
    AS_NS = 'n',
    AS_COUNT = 'u',
    AS_INTEGER = 'i',
    AS_TEXT = 't' /* no number */
};

/* A number as text. */
struct number_text {
    uint64_t bits;
    uint8_t form; /* AS_NS, or a real number's decimals */
    uint8_t size; /* 0: none yet */
    char text[NUMBER_MAX];
};

/* A field of the row before. */
struct field {
    uint64_t bits; /* of a number */
    uint16_t size; /* bytes, with the comma before it */
    uint8_t form;
};

/* Where the current field is. */
struct csv_place {
    struct field *field;
    size_t before; /* where it begins in the row before */
};

struct weft_csv {
    struct weft_rows *out;
    char *row;   /* of the current row, what out has not got yet: one of texts */
    size_t used; /* bytes of it */
    bool cut;    /* out has got a part of it already */
    /* The row before is the other one. Numbers that are the same again are copied from there, all
     * that follow each other in one piece. */
    char texts[2][ROW_MAX + BLOCK];
    struct csv_place at;
    size_t copied;        /* up to where the row before is no matter any more */
    size_t began;         /* where the current field begins in this row */
    struct field *fields; /* n_columns, and one that stands for fields too many */
    size_t n_columns;
    uint64_t rows;        /* rows ended */
    uint64_t flush_every; /* rows, 0: never on its own */
    bool miscounted;      /* a row had another number of fields than the header */
    struct number_text kept[1u << KEPT_BITS]; /* written last, by a hash: many rows have the same */
    char name[WEFT_ERR_FILE_MAX];
};

/* Whether the row before has the number there, too; then the field is done. @p bits are of what all
 * numbers of this column are. */
static inline bool csv_again(struct csv_place *at, uint64_t bits)
{
    const struct field *f = at->field;
    if (f->bits != bits || f->form == AS_TEXT)
        return false;
    at->before += f->size;
    at->field++;
    return true;
}

#endif
