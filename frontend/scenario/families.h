/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The families of plug-ins that a scenario selects from, seen as one kind of table.
 *
 * Private to frontend/scenario.
 */
#ifndef WEFT_SCENARIO_FAMILIES_H
#define WEFT_SCENARIO_FAMILIES_H

#include "scenario/scenario.h"

/** Families, in the order of their elements in a scenario. */
enum weft_family_id {
    WEFT_FAMILY_TOPOLOGY,
    WEFT_FAMILY_NETWORK,
    WEFT_FAMILY_CC,
    WEFT_FAMILY_WORKLOAD,
    WEFT_FAMILIES
};

/** How a family appears in a scenario. */
struct weft_family {
    const char *element;
    const char *selector;
    const char *what; /**< for messages: "topology" */
};
extern const struct weft_family weft_families[WEFT_FAMILIES];

/** One member of a family. */
struct weft_plugin {
    const char *name;
    const char *title;
    const struct weft_param_table *params;
    const void *ops;
};

/** The backends that the caller offers. */
struct weft_backends {
    const struct weft_net_backend *const *list;
    size_t n;
};

/** How many members a family has. */
size_t weft_family_size(enum weft_family_id id, const struct weft_backends *b);
/** Member @p i. */
struct weft_plugin weft_family_member(enum weft_family_id id, const struct weft_backends *b,
                                      size_t i);
/** Finds a member; WEFT_E_INPUT names the nearest, or all when none is near. */
int weft_family_find(enum weft_family_id id, const struct weft_backends *b, const char *name,
                     struct weft_plugin *out, struct weft_err *err);

/** The table without parameters. */
extern const struct weft_param_table weft_no_params;

#endif
