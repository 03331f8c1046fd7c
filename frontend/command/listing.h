/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of plug-ins as the commands list and show present them. */
#ifndef WEFT_CLI_LISTING_H
#define WEFT_CLI_LISTING_H

#include "base/json.h"
#include "command/command.h"
#include "workload/traffic/cdf_table.h"

struct weft_cc_observable;
struct weft_preset;

/** One member of a family, for display. */
struct weft_listed {
    const char *name;
    const char *title;
    const char *source;                           /**< NULL: weft's own */
    const struct weft_param_table *params;        /**< NULL: none */
    const struct weft_preset *presets;            /**< NULL: none */
    const struct weft_cc_observable *observables; /**< NULL: none */
    const char *selector; /**< what selectors of a quantity look like; NULL: it is none */
    const struct weft_cdf_entry *cdf;       /**< a distribution of sizes; NULL: it is none */
    const struct weft_net_backend *backend; /**< whose sections have parameters; NULL: it is none */
    const char *needs; /**< what its settings, in sections of backends, need; NULL: it has none */
};

/** One family. */
struct weft_listing {
    const char *plural;   /**< what `weft list` takes: "topologies" */
    const char *singular; /**< what `weft show` takes: "topology" */
    const char *help;
    /** Member @p i; false: there are no more. */
    bool (*get)(const struct weft_cli *cli, size_t i, struct weft_listed *out);
    bool plugins; /**< files of --plugin may add members */
};

/** All families; *n receives their number. */
const struct weft_listing *weft_listings(size_t *n);
/** Finds a family by plural or singular; NULL when there is none. */
const struct weft_listing *weft_listing_find(const struct weft_cli *cli, const char *word);
/** Whether a condition as parameters need has @p part, such as `balance=drill`, in an alternative.
 */
bool weft_needs_part(const char *needs, const char *part);
/** Prints a parameter table for people. @p prefix: of the keys. */
void weft_print_params(FILE *out, const char *prefix, const struct weft_param_table *t);
/** Mean of a distribution in bytes; 0 without memory. */
double weft_listed_mean_bytes(const struct weft_cdf_entry *e);
/** Writes a parameter table as an array. */
void weft_json_params(struct weft_json *j, const struct weft_param_table *t);

#endif
