/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series over time: what queues, links, buffers, QPs and congestion controls do during a run, as
 * CSV files in the folder `series` of the run.
 *
 * A scenario says what is sampled (section `sample`). weft_series_choose turns that into objects of
 * a fabric; a recorder looks at them between two stretches of weft_net_ops.run, so that nothing is
 * added to what is simulated: results are the same to the last byte with and without it. On change
 * (sample.on) it is told instead, and writes a row for each value that an instant leaves behind
 * other than it found it; results are the same, but where queues or buffers are asked for the
 * number of events is not.
 *
 * A row is left out when its object was idle, all values 0, at this and at the previous sample.
 * Memory follows what is chosen, not the number of samples.
 */
#ifndef WEFT_SERIES_SERIES_H
#define WEFT_SERIES_SERIES_H

#include "base/columns.h"
#include "net/net.h"
#include "series/packed.h"

WEFT_C_BEGIN

/** Parameters of what is sampled: element <sample .../>. */
struct weft_sample_params {
    int64_t interval_ps; /**< from one sample to the next, > 0 */
    const char *what;    /**< list of "QUANTITY[:SELECTOR]"; "": nothing */
    enum weft_sample_on { WEFT_SAMPLE_INTERVAL, WEFT_SAMPLE_CHANGE } on; /**< when rows arise */
};
extern const struct weft_param_table weft_sample_param_table;

/** One quantity that can be asked for. */
struct weft_series_quantity {
    const char *name;     /**< "queue" */
    const char *help;     /**< one line */
    const char *selector; /**< what selectors of it look like */
    int file;             /**< enum weft_series_file */
    bool on_change;       /**< it has moments of change, or needs none */
};
/** All quantities but the observables of congestion controls; *n receives their number. */
const struct weft_series_quantity *weft_series_quantities(size_t *n);

/** The files, in the folder WEFT_SERIES_DIR of a run. */
enum weft_series_file {
    WEFT_SERIES_QUEUE,
    WEFT_SERIES_BUFFER,
    WEFT_SERIES_THROUGHPUT,
    WEFT_SERIES_PAUSE,
    WEFT_SERIES_QP,
    WEFT_SERIES_HISTOGRAM, /**< written at the end, of the whole run */
    WEFT_SERIES_CONTROL,   /**< has a column more per observable: weft_series_observable_name */
    WEFT_SERIES_FILES
};
#define WEFT_SERIES_DIR "series"
extern const struct weft_csv_file *const weft_series_files[WEFT_SERIES_FILES];

/** Longest text of weft_series_observable_name. */
#define WEFT_SERIES_NAME_MAX 64
/** The column of an observable, with its unit: "alpha", "target_rate_bps". Returns @p buf. */
const char *weft_series_observable_name(const struct weft_cc_observable *o,
                                        char buf[WEFT_SERIES_NAME_MAX]);

struct weft_series_choice;
/**
 * What @p p asks for on a fabric; @p cc: the congestion control of dimensions without one of their
 * own; @p beside: "NAME ...", that of some classes in all dimensions, NULL: of none. Fabric and
 * controls must outlive the result. NULL: WEFT_E_INPUT, an unknown quantity or a selector that
 * matches nothing, or WEFT_E_LIMIT. @p pack_above_bytes: size from which on a table is compressed;
 * UINT64_MAX: none is.
 */
struct weft_series_choice *weft_series_choose(const struct weft_sample_params *p,
                                              const struct weft_fabric *fabric,
                                              const struct weft_cc_ops *cc, const char *beside,
                                              uint64_t pack_above_bytes, struct weft_err *err);
void weft_series_choice_free(struct weft_series_choice *c);

struct weft_series;
/** Opens the files in the run folder @p dir, and begins at time 0 of @p net, which has not run yet.
 * Everything must outlive it. NULL on failure. */
struct weft_series *weft_series_new(const struct weft_series_choice *c, struct weft_net *net,
                                    const char *dir, struct weft_err *err);
/** Closes the files. */
void weft_series_free(struct weft_series *s);
/** When the next sample is due: run the net up to then. WEFT_NEVER: nothing is left to happen. */
int64_t weft_series_next_ps(const struct weft_series *s);
/** Takes the sample that is due, of a net that has run up to then. */
int weft_series_take(struct weft_series *s, struct weft_err *err);
/** Takes the last sample: the run is over, and came to @p end_ps. */
int weft_series_finish(struct weft_series *s, int64_t end_ps, struct weft_err *err);
/** Hands all rows to the operating system. */
int weft_series_flush(struct weft_series *s, struct weft_err *err);

WEFT_C_END
#endif
