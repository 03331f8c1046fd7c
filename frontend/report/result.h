/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run.json says of a run that is over, for those who gather runs: its outcome, metrics and
 * settings.
 */
#ifndef WEFT_REPORT_RESULT_H
#define WEFT_REPORT_RESULT_H

#include "report/summary.h"
#include "base/outcome.h"

#include <stdbool.h>

struct weft_result;

/** Reads a run.json from memory; @p path is its name in errors. NULL: WEFT_E_INPUT, it is no
 * run.json, or WEFT_E_LIMIT. */
struct weft_result *weft_result_parse(const char *text, size_t len, const char *path,
                                      struct weft_err *err);
/** Reads that of the folder @p dir. NULL: also WEFT_E_IO, there is none. */
struct weft_result *weft_result_load(const char *dir, struct weft_err *err);
void weft_result_free(struct weft_result *r);

/** The outcome; "" when it does not say. */
enum weft_outcome weft_result_outcome(const struct weft_result *r);
/** Why it is not a better one; NULL: it does not say. */
const char *weft_result_reason(const struct weft_result *r);
/** Whether it has a summary: the run came so far. */
bool weft_result_has_summary(const struct weft_result *r);
/** A metric in the unit of its key; NaN: the run has no such value. False: this run.json does not
 * tell it. */
bool weft_result_metric(const struct weft_result *r, const struct weft_metric_choice *c,
                        double *out);
/** The text of a resolved setting: the element's label and the attribute's name. NULL: it has no
 * such setting. */
const char *weft_result_setting(const struct weft_result *r, const char *label, const char *name);
/** Text number @p i of the list @p name in the object @p in (NULL: of the whole), or with @p i of 0
 * the text that is there instead of a list; NULL: there is none. */
const char *weft_result_text(const struct weft_result *r, const char *in, const char *name,
                             size_t i);
/** Calls @p fn for each setting that was given: its key, value, and who gave it ("file",
 * "override", "preset"). False: this run.json does not tell. */
bool weft_result_given(const struct weft_result *r,
                       void (*fn)(void *ctx, const char *key, const char *value, const char *from),
                       void *ctx);
/** Calls @p fn for each of the rows that a sweep's run.json lists as failed. */
void weft_result_failed_rows(const struct weft_result *r,
                             void (*fn)(void *ctx, uint64_t row, const char *reason), void *ctx);

#endif
