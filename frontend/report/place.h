/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A folder that one run at a time writes into, and that holds one run: it is locked, and what an
 * earlier run wrote there is removed. Files of anybody else are left alone.
 */
#ifndef WEFT_REPORT_PLACE_H
#define WEFT_REPORT_PLACE_H

#include "base/err.h"

#include <stdbool.h>

struct weft_place;

/**
 * Makes the folder @p dir, locks it, and removes the files of an earlier run. Whether one was there
 * its run.json says; what it wrote are the files of docs/reference/outputs.md, those that its
 * run.json lists under `files`, its captures, and the row folders of a sweep. NULL on failure:
 * WEFT_E_IO, also when another process is writing there, or WEFT_E_LIMIT.
 */
struct weft_place *weft_place_open(const char *dir, struct weft_err *err);
/** The same, but what an earlier run wrote there stays, but for `finished`: the caller goes on with
 * it. */
struct weft_place *weft_place_keep(const char *dir, struct weft_err *err);
/** Whether the lock keeps others out; 0: the file system has no locks. */
int weft_place_locked(const struct weft_place *p);
/** Lets others write there. NULL is allowed. */
void weft_place_close(struct weft_place *p);

/** Whether @p name is that of a file or folder that every run or sweep writes: nothing else may be
 * called so in a run folder. */
bool weft_place_takes(const char *name);

struct json_t; /* of jansson */
/** Whether a run.json is weft's: it has a schema_version. */
bool weft_place_is_run(const struct json_t *run_json);
/** WEFT_E_INPUT: @p dir is no folder of a run; names the nearest. */
int weft_place_no_run(const char *dir, struct weft_err *err);
#define WEFT_PLACE_NO_RUN "not of a run: it has no 'schema_version'"

#endif
