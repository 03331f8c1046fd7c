/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A figure as data: panels with axes, and what is drawn in them. It knows nothing of files that it
 * was made from, nor of what draws it.
 *
 * Functions that add do not return anything: lack of memory is kept, and weft_figure_check reports
 * it.
 */
#ifndef WEFT_PLOT_FIGURE_H
#define WEFT_PLOT_FIGURE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/** How the points of a curve are drawn, and what the numbers of each are. */
enum weft_mark {
    WEFT_MARK_LINE,     /**< x, y */
    WEFT_MARK_POINTS,   /**< x, y: a line with its points */
    WEFT_MARK_DOTS,     /**< x, y: points alone */
    WEFT_MARK_STEPS,    /**< x, y: y holds until the next x */
    WEFT_MARK_BAND,     /**< x, y from, y to: a light area between two curves */
    WEFT_MARK_BOXES,    /**< x from, x to, y from, y to: filled rectangles */
    WEFT_MARK_HEAT,     /**< the same and a value, which is the colour */
    WEFT_MARK_ARROWS,   /**< x, y, to x, to y */
    WEFT_MARK_EDGES,    /**< the same without heads */
    WEFT_MARK_SEGMENTS, /**< x, y, to x, to y, and a value, which is the colour */
    WEFT_MARK_TEXT,     /**< x, y, and a text that begins there */
    WEFT_MARK_TEXT_MID, /**< x, y, and a text around it */
    WEFT_MARKS
};
/** Numbers of a point of @p mark, and their names for tables: "x", "y" ... */
size_t weft_mark_columns(enum weft_mark mark);
const char *weft_mark_column(enum weft_mark mark, size_t i);
/** Whether its colour is a value. */
bool weft_mark_has_value(enum weft_mark mark);

/** Most numbers of a point. */
#define WEFT_MARK_COLUMNS_MAX 5
/** Colours that are told apart (Okabe and Ito, 2008, without yellow, which white swallows). Areas
 * have as many again, lighter ones of the same. */
#define WEFT_FIGURE_COLOURS 7
/** Pixels of an inch of paper. */
#define WEFT_FIGURE_INCH 110.0
/** The colour of text and axes. */
#define WEFT_FIGURE_INK (-1)

/** A curve, or any other set of points that belong together. */
struct weft_curve {
    struct weft_figure *figure;
    struct weft_curve *next;
    const char *label; /**< in the legend; "": not there */
    enum weft_mark mark;
    int colour;        /**< 0 .. WEFT_FIGURE_COLOURS-1, further ones are lighter or repeat with
                          another dash; or WEFT_FIGURE_INK */
    double *v;         /**< n points */
    const char **text; /**< of TEXT */
    size_t n, cap;
};

/** The place of a word on an axis. */
struct weft_tick {
    struct weft_tick *next;
    double at;
    const char *text;
};

#define WEFT_LOG_SCALE ", log scale" /**< in the label of an axis, before a ")" */

/** An axis. */
struct weft_axis {
    const char *label; /**< with its unit; "": none */
    bool log;
    bool keeps_log;                      /**< also where its points are within a power of ten */
    bool bytes;                          /**< ticks are sizes: "10KB" */
    bool hidden;                         /**< no ticks, no line */
    double from, to;                     /**< NAN: as far as there are points */
    struct weft_tick *ticks, *last_tick; /**< NULL: numbers */
};

/** One system of axes. */
struct weft_panel {
    struct weft_figure *figure;
    struct weft_panel *next;
    const char *title; /**< "": none */
    struct weft_axis x, y;
    struct weft_axis value;           /**< of colours: label, from, to */
    bool says_values;                 /**< in each area of HEAT: its value, 3 digits */
    bool downwards;                   /**< y grows downwards; it has from and to */
    double height;                    /**< in pixels */
    struct weft_curve *curves, *last; /**< first to last */
};

/** A figure. */
struct weft_figure {
    struct weft_arena *arena; /**< owns it */
    const char *title;
    const char *caption; /**< what it shows, and what was left out, in plain words */
    struct weft_panel *panels, *last;
    struct weft_panel *spare_panel; /**< take what is added once there is no memory */
    struct weft_curve *spare_curve;
    size_t columns;   /**< panels side by side; several have one legend and one scale of colours */
    double until_ns;  /**< when the longest of several runs ended, for the unit of time; 0: one */
    double width;     /**< in pixels, of which an inch has WEFT_FIGURE_INCH */
    const char *font; /**< name of its font; NULL: the usual one */
    double points;    /**< size of its font; 0: the usual one */
    bool lost;        /**< there was no memory for something */
};

/** An empty figure, NULL when out of memory. */
struct weft_figure *weft_figure_new(void);
void weft_figure_free(struct weft_figure *f);
/** 0, or WEFT_E_LIMIT when something was lost. */
int weft_figure_check(const struct weft_figure *f, struct weft_err *err);

/** A new panel; never NULL: without memory it is one that takes everything and shows nothing.
 * Texts are copied. */
struct weft_panel *weft_panel_add(struct weft_figure *f, const char *title, const char *x_label,
                                  const char *y_label);
/** A new curve of the panel, likewise. */
struct weft_curve *weft_curve_add(struct weft_panel *p, enum weft_mark mark, int colour,
                                  const char *label);
/** Adds a point: weft_mark_columns numbers. */
void weft_curve_point(struct weft_curve *c, const double *v);
/** Adds a point of a mark with two numbers. */
void weft_curve_xy(struct weft_curve *c, double x, double y);
/** Adds a text. */
void weft_curve_text(struct weft_curve *c, double x, double y, const char *text);
/** Names a place on an axis of the panel. */
void weft_axis_tick(struct weft_panel *p, struct weft_axis *a, double at, const char *text);
/** printf into the figure; "" without memory. */
const char *weft_figure_printf(struct weft_figure *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** A unit that numbers up to some size are shown in. */
struct weft_figure_unit {
    const char *name;
    double divisor;
};
/** For times up to @p max_ns: ns, us, ms or s. */
struct weft_figure_unit weft_figure_time_unit(double max_ns);
/** A time with its unit, for texts. */
const char *weft_figure_time(struct weft_figure *f, double ns);
/** For rates up to @p max_bps: Gbps, Tbps. */
struct weft_figure_unit weft_figure_rate_unit(double max_bps);
/** For a column of a table, by the end of its name; "": it has none. @p words: the name without it,
 * as people write it: "RTT" of rtt_ns. */
struct weft_figure_unit weft_figure_column_unit(const char *column, double most, char words[96]);
/** A new panel of @p rows rows, from the top down, with time along x. *divisor: ns of its unit. */
struct weft_panel *weft_panel_add_rows(struct weft_figure *f, const char *title,
                                       const char *y_label, double from_ns, double to_ns,
                                       size_t rows, double *divisor);
/** For sizes up to @p max_bytes: B, KB, MB, GB. */
struct weft_figure_unit weft_figure_size_unit(double max_bytes);

#endif
