/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whitespace-separated tokens with their places: what HPCC's text files are made of, and others'
 * like them. Line ends have no meaning; the files have no comments and no quotes.
 */
#ifndef WEFT_BASE_SCAN_H
#define WEFT_BASE_SCAN_H

#include "base/err.h"

#include <stdbool.h>

/** A text and the token just read. */
struct weft_scan {
    const char *file; /**< name for messages */
    char *text;       /**< owned; tokens are cut out of it in place */
    size_t len, pos;
    int64_t line, col;         /**< of text[pos] */
    int64_t tok_line, tok_col; /**< of the token, or of the end of the file */
    char *tok;                 /**< the token; unprintable bytes in it read as '?' */
    bool again;                /**< the next read gives the same token once more */
};

/** Reads the whole file @p path, whose name must outlive the scan. */
int weft_scan_open(struct weft_scan *s, const char *path, struct weft_err *err);
/** The same of @p text, which is copied; @p name stands for the file in messages. */
int weft_scan_text(struct weft_scan *s, const char *name, const char *text, struct weft_err *err);
void weft_scan_close(struct weft_scan *s);
/** Moves to where the next token begins, unless it is to be read again; false at the end of the
 * file. */
bool weft_scan_more(struct weft_scan *s);
/** Moves to the next token; false at the end of the file. */
bool weft_scan_next(struct weft_scan *s);
/** The same, but the end of the file is an error; @p what names the token that is missing. */
int weft_scan_need(struct weft_scan *s, const char *what, struct weft_err *err);
/** Records an error at the current token, as printf. Returns @p code. */
#define weft_scan_err(s, err, code, ...)                                                           \
    weft_err_at(err, code, (s)->file, (s)->tok_line, (s)->tok_col, __VA_ARGS__)
/** Reads a token that is a whole number from 0 to @p max. */
int weft_scan_u64(struct weft_scan *s, const char *what, uint64_t max, uint64_t *out,
                  struct weft_err *err);
/** Reads a token that is a real number. */
int weft_scan_f64(struct weft_scan *s, const char *what, double *out, struct weft_err *err);
/** Reads a token that is a duration without its unit, which is @p unit ("us"); to the picosecond,
 * finer digits are rounded. */
int weft_scan_time(struct weft_scan *s, const char *what, const char *unit, int64_t *out_ps,
                   struct weft_err *err);
/** The same, but what lies beyond weft's clock is WEFT_NEVER and no error. */
int weft_scan_time_clamped(struct weft_scan *s, const char *what, const char *unit, int64_t *out_ps,
                           struct weft_err *err);
/** Reads a rate: "50Mb/s", "100Gbps", or a bare number of bit/s. */
int weft_scan_rate(struct weft_scan *s, const char *what, uint64_t *out_bps, struct weft_err *err);

#endif
