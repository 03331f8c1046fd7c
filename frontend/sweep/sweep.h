/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sweep: a scenario run with every combination of some settings.
 *
 * An axis is one setting with its values, or several settings whose values go together. A row is a
 * combination of values, one of each axis, the last axis fastest. A row is run once, or once with
 * each seed: a point is one run, and points are numbered by row, then seed.
 */
#ifndef WEFT_CLI_SWEEP_H
#define WEFT_CLI_SWEEP_H

#include "base/csv.h"
#include "base/outcome.h"
#include "command/command.h"
#include "report/report.h"
#include "report/result.h"

enum {
    WEFT_SWEEP_KEYS = 8,
    WEFT_SWEEP_METRICS = 16,
    WEFT_SWEEP_VALUES = 1024,
    WEFT_SWEEP_POINTS = 65536
};

/** A sweep as users write it. */
struct weft_sweep_texts {
    const char *const *vary; /**< "KEY=VALUES", or several joined by " & " */
    size_t nvary;
    const char *const *metric;
    size_t nmetrics;
    const char *seeds; /**< "1..5", "1|7"; NULL: the scenario's own seed */
    bool no_speed_up;  /**< tables for people leave it out */
};

/** A list of texts that grows. */
struct weft_sweep_values {
    const char **list;
    size_t n;
};

/** Settings that change together. */
struct weft_sweep_axis {
    const char *key[WEFT_SWEEP_KEYS];
    struct weft_sweep_values value[WEFT_SWEEP_KEYS]; /**< of each key as many */
    bool label[WEFT_SWEEP_KEYS]; /**< it is no setting, its values name those of the others, or are
                                    what another source has for a metric */
    size_t nkeys, n;
    size_t nsettings; /**< keys that are settings */
    bool ordered;     /**< one key, whose values are numbers that grow */
    bool labelled;    /**< one of them is a label */
};

enum weft_sweep_state { WEFT_POINT_WAITS, WEFT_POINT_RUNS, WEFT_POINT_DONE };

/** One run. */
struct weft_sweep_point {
    enum weft_sweep_state state;
    enum weft_outcome
        outcome;         /**< as in struct weft_summary; FAILED also when it could not begin */
    const char *reason;  /**< why it failed; NULL: it did not */
    const char *message; /**< the same without its values; NULL: as the reason */
    int code;            /**< 0 or a WEFT_E_* */
    bool summed_up;      /**< it came to a summary; else it could not begin */
    bool taken_over;     /**< it is an earlier sweep's */
    double metric[WEFT_SWEEP_METRICS], end_ns; /**< in the unit of their keys; NaN: none */
};

/** One row, from its points. */
struct weft_sweep_row {
    bool there; /**< some of its points were run */
    enum weft_outcome
        outcome;        /**< of its first point that was not as intended, else of its first */
    const char *reason; /**< of its first point that failed */
    size_t nseeds;      /**< points that the metrics are of */
    double metric[WEFT_SWEEP_METRICS], ci95[WEFT_SWEEP_METRICS]; /**< mean, and half of the 95 %
                                                                    confidence interval */
    double speed_up; /**< over the first value of the last axis; NaN: one of them did not finish */
};

/** What another source has for a metric, in each row. */
struct weft_sweep_reference {
    size_t column, metric;
};

struct weft_sweep_find;
struct weft_sweep_bounds;

/** All of it. */
struct weft_sweep {
    struct weft_arena *arena; /**< owns what it points to */
    struct weft_sweep_axis axis[WEFT_SWEEP_KEYS];
    size_t naxes;
    struct {
        size_t axis, key;
    } column[WEFT_SWEEP_KEYS]; /**< what tables show: labels, and settings of axes without */
    size_t ncolumns;
    struct weft_metric_choice metric[WEFT_SWEEP_METRICS];
    size_t nmetrics;
    struct weft_sweep_reference reference[WEFT_SWEEP_KEYS];
    size_t nreferences;
    struct weft_sweep_values seeds; /**< none: the scenario's own */
    bool no_speed_up;               /**< tables for people leave it out */
    struct weft_sweep_find *find;   /**< what --find asks for; NULL: every row is run */
    size_t nrows, npoints;
    struct weft_sweep_point *point;
    enum weft_outcome outcome; /**< of the sweep: RUNNING, FINISHED, INTERRUPTED or FAILED */
    const char *reason;        /**< why it is not "finished"; "": it is, or runs */
};

/** What the key of a reference begins with. */
#define WEFT_SWEEP_REFERENCE "reference."

/** Lays out a sweep. WEFT_E_USAGE or WEFT_E_INPUT: a text is wrong. Free it in any case. */
int weft_sweep_plan(struct weft_sweep *s, const struct weft_cli *cli,
                    const struct weft_sweep_texts *t, struct weft_err *err);
void weft_sweep_free(struct weft_sweep *s);
/** Reads an axis: "KEY=VALUE|FROM..TO*FACTOR|FROM..TO+STEP", several settings joined by " & ", of
 * which one may be "label.NAME=TEXT|TEXT", what tables show in the place of the others, and some
 * "reference.METRIC=VALUE|VALUE", what another source has.
 * What it points to is in @p arena. */
int weft_sweep_read_axis(const char *text, const struct weft_cli *cli, struct weft_arena *arena,
                         struct weft_sweep_axis *a, struct weft_err *err);
/** Reads "VALUE|FROM..TO*FACTOR|..." of a parameter; @p type -1: not known. */
int weft_sweep_read_values(const char *text, int type, struct weft_arena *arena,
                           struct weft_sweep_values *out, struct weft_err *err);
/** A value with or without unit as a number; false: it is none. @p type -1: whatever it is. */
bool weft_sweep_number(const char *text, int type, double *out);

/** Value of a setting of an axis in a row. */
const char *weft_sweep_axis_value(const struct weft_sweep *s, size_t axis, size_t key, size_t row);
/** Value of a column in a row. */
const char *weft_sweep_value(const struct weft_sweep *s, size_t column, size_t row);
const char *weft_sweep_key(const struct weft_sweep *s, size_t column);
/** Finds the references among the columns and the metrics that they are of. WEFT_E_USAGE: one is of
 * a metric that the sweep does not show, or a value is none of it. */
int weft_sweep_read_references(struct weft_sweep *s, struct weft_err *err);
/** The reference of a metric; NULL: it has none. */
const struct weft_sweep_reference *weft_sweep_reference_of(const struct weft_sweep *s,
                                                           size_t metric);
/** What a reference has in a row, in the unit of the metric's key. */
double weft_sweep_reference_value(const struct weft_sweep *s, const struct weft_sweep_reference *f,
                                  size_t row);
/** How far a row's metric is from the reference, in percent of that; NaN: it has none. */
double weft_sweep_off(const struct weft_sweep *s, const struct weft_sweep_reference *f, size_t row,
                      const struct weft_sweep_row *r);
/** The row of a point, and its seed; NULL: the scenario's own. */
size_t weft_sweep_row_of(const struct weft_sweep *s, size_t point);
const char *weft_sweep_seed_of(const struct weft_sweep *s, size_t point);
/** How many points a row has. */
size_t weft_sweep_points_per_row(const struct weft_sweep *s);
/** Sums up the points of a row that are done. */
void weft_sweep_row(const struct weft_sweep *s, size_t row, struct weft_sweep_row *out);
/** Takes over what @p r says of a point. False: it does not tell all metrics. */
bool weft_sweep_take(struct weft_sweep *s, size_t point, const struct weft_result *r);

/** Prints the table of the rows that are there, for people, and for programs; these with the
 * bounds, where there are any (NULL: none). */
void weft_sweep_text(FILE *out, const struct weft_sweep *s);
void weft_sweep_json(FILE *out, const struct weft_sweep *s, const struct weft_sweep_bounds *b);
/** A value of a metric in the unit of its key, for people. Returns @p buf. */
const char *weft_sweep_metric_text(const struct weft_metric *m, double v,
                                   char buf[WEFT_METRIC_TEXT_MAX]);
/** Creates sweep.csv in a folder. NULL on failure. */
struct weft_csv *weft_sweep_csv_open(const char *dir, const struct weft_sweep *s,
                                     struct weft_err *err);
/** Adds a row to it, which is in the file from then on. */
int weft_sweep_csv_row(struct weft_csv *csv, const struct weft_sweep *s, size_t row,
                       struct weft_err *err);

#endif
