/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --find asks for: "min KEY where METRIC OP VALUE and ...", OP one of < <= = >= >, VALUE a
 * number with the metric's unit, "best" or "1.05*best".
 *
 * KEY is an axis whose values are numbers that grow. Of each combination of the other axes it
 * finds the smallest (max: the largest) value for which all conditions hold, by bisection: they are
 * taken to hold from some value on. The last value (max: the first) is run before the others; if
 * they do not hold there, there is no answer. `best` is the metric's value there.
 */
#ifndef WEFT_CLI_SWEEP_FIND_H
#define WEFT_CLI_SWEEP_FIND_H

#include "sweep/sweep.h"

enum { WEFT_FIND_CONDITIONS = 8 };

/** One condition. */
struct weft_find_condition {
    size_t metric; /**< index in the sweep's */
    char op[3];
    double value; /**< in the unit of the metric's key; with best a factor */
    bool best;    /**< times the metric's value at the far end */
};

/** The search among the values of one combination of the other axes. */
struct weft_find_search {
    size_t fails, holds; /**< the answer is above the first and at most the second, both + 1 and
                            counted from the end that is not run first */
    bool over, none;     /**< none: the conditions do not hold at the far end */
    bool unknown;        /**< a row that would tell was cut off: by a limit, a signal, an error */
    bool begun;          /**< the row that is looked at has points running or waiting */
    size_t row, next;    /**< of it, and its point that is next */
};

struct weft_sweep_find {
    const char *text;
    bool max;
    size_t axis;
    struct weft_find_condition condition[WEFT_FIND_CONDITIONS];
    size_t nconditions;
    struct weft_find_search *search;
    size_t nsearches;
};

/** Reads what is asked for; its metrics become some of the sweep's. WEFT_E_USAGE, WEFT_E_INPUT. */
int weft_sweep_find_read(struct weft_sweep_find *f, struct weft_sweep *s, const char *text,
                         struct weft_err *err);
/** The next point to run; false: none before others are done, or none at all. */
bool weft_sweep_find_next(struct weft_sweep_find *f, struct weft_sweep *s, size_t *point);
/** The row of a place on the axis, counted so that the far end is the last. */
size_t weft_sweep_find_row(const struct weft_sweep_find *f, const struct weft_sweep *s,
                           size_t search, size_t place);
/** What was found for the other settings of a row, as a number; NaN: nothing. */
double weft_sweep_found(const struct weft_sweep_find *f, const struct weft_sweep *s, size_t row);
/** The same as the text that it has on the axis; "none": nothing. */
const char *weft_sweep_found_text(const struct weft_sweep_find *f, const struct weft_sweep *s,
                                  double number);
/** Whether the far end of the search that a row is part of holds: what fails short of it, because
 * its settings are impossible, is an answer. */
bool weft_sweep_find_answers(const struct weft_sweep_find *f, const struct weft_sweep *s,
                             size_t row);
/** Prints the answers: a line for each, with more than one other axis a grid. */
void weft_sweep_find_text(FILE *out, const struct weft_sweep_find *f, const struct weft_sweep *s);
/** Writes the member "find". */
void weft_sweep_find_json(struct weft_json *j, const struct weft_sweep_find *f,
                          const struct weft_sweep *s);
/** Writes find.csv into a folder. */
int weft_sweep_find_csv(const char *dir, const struct weft_sweep_find *f,
                        const struct weft_sweep *s, struct weft_err *err);

#endif
