/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantities with units: parsing from text and printing to text.
 *
 * Internally time is int64 picoseconds (covers 106 days), sizes are uint64 bytes, rates are
 * uint64 bit/s. Text must carry a unit; a bare number for a dimensioned value is an error that
 * suggests one. "0" alone is accepted for every quantity: zero needs no unit.
 *
 *   time  ps ns us ms s min h            "1us" "0.5ms" "1.28ns"; fractions are exact or an error
 *   size  B KB MB GB TB (10^3) KiB MiB GiB TiB (2^10)     "32MiB" "100KB" "4096B"
 *   rate  bps kbps Mbps Gbps Tbps (bit/s, 10^3), also Gb/s, Gbit/s and so on; and bytes, times 8:
 *         B/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s, also GBps
 *
 * Only the case of B (byte) and b (bit) matters: "400gbps" is 400Gbps, but "1kb" is not a size.
 * Blanks around the number and its unit are skipped.
 */
#ifndef WEFT_BASE_UNITS_H
#define WEFT_BASE_UNITS_H

#include "base/err.h"

#include <stdbool.h>

WEFT_C_BEGIN

#define WEFT_PS_PER_NS INT64_C(1000)
#define WEFT_PS_PER_US INT64_C(1000000)
#define WEFT_PS_PER_MS INT64_C(1000000000)
#define WEFT_PS_PER_S INT64_C(1000000000000)
/** A time later than every event: "never". */
#define WEFT_NEVER INT64_MAX

/** The sum of two times or durations >= 0, INT64_MAX where the clock of picoseconds ends. */
static inline int64_t weft_ps_add(int64_t a_ps, int64_t b_ps)
{
    return a_ps > INT64_MAX - b_ps ? INT64_MAX : a_ps + b_ps;
}
/** The earlier, and the later, of two times. */
static inline int64_t weft_ps_min(int64_t a_ps, int64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}
static inline int64_t weft_ps_max(int64_t a_ps, int64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

/** Parses a duration; non-negative; picoseconds out. WEFT_E_INPUT on malformed, missing unit,
 * overflow, or a fraction of a picosecond. */
int weft_parse_time_ps(const char *text, int64_t *out_ps, struct weft_err *err);
/** Parses a size; bytes out; a fraction of a byte is an error. */
int weft_parse_size_bytes(const char *text, uint64_t *out_bytes, struct weft_err *err);
/** Parses a rate; bit/s out; a fraction of a bit/s is an error. */
int weft_parse_rate_bps(const char *text, uint64_t *out_bps, struct weft_err *err);
/** Parses a dimensionless whole number (decimal; no unit, no sign). */
int weft_parse_u64(const char *text, uint64_t *out, struct weft_err *err);
/** Parses a dimensionless real number; "1/256" and "5%" are accepted besides "0.05". */
int weft_parse_f64(const char *text, double *out, struct weft_err *err);
/** Parses true|false|on|off|yes|no|1|0. */
int weft_parse_bool(const char *text, bool *out, struct weft_err *err);

/** Longest text that a weft_format_* call writes, with its terminator. */
#define WEFT_UNIT_TEXT_MAX 48
/** Prints a time exactly, in the largest unit that needs at most 3 decimals ("1.28ns", "35us"; min
 * and h when whole); parses back to the same value. Returns @p buf. */
const char *weft_format_time(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a size exactly ("32MiB", "100KB", "1048B"); parses back to the same value. */
const char *weft_format_size(uint64_t bytes, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a rate exactly ("400Gbps"); parses back to the same value. */
const char *weft_format_rate(uint64_t bps, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a real number in the fewest digits that weft_parse_f64 reads back as the same value
 * ("0.05"). */
const char *weft_format_f64(double v, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a time for people, with 4 significant digits ("12.35 us"); does not parse back. */
const char *weft_human_time(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a size for people ("1.049 MB"). */
const char *weft_human_size(uint64_t bytes, char buf[WEFT_UNIT_TEXT_MAX]);
/** Prints a rate for people ("398.2 Gbps"). */
const char *weft_human_rate(double bps, char buf[WEFT_UNIT_TEXT_MAX]);
/** What a noun has at its end after a count: "" after 1, else "s". */
#define WEFT_PLURAL(n) ((n) == 1 ? "" : "s")
/** Prints picoseconds as nanoseconds with exactly 3 decimals, for CSV columns named _ns
 * ("1234.567"). */
const char *weft_ps_as_ns(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX]);

WEFT_C_END
#endif
