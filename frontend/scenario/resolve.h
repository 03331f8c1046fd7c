/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that resolve a scenario. Private to frontend/scenario.
 *
 * resolver.c owns the state, and workloads.c, file.c, preset.c and override.c set values in it, in
 * this order; unused.c and pauses.c look at the result. resolve.c calls them in turn; they call
 * resolver.c only.
 */
#ifndef WEFT_SCENARIO_RESOLVE_H
#define WEFT_SCENARIO_RESOLVE_H

#include "scenario/families.h"
#include "base/xml.h"

#include <stdbool.h>

/** One --set option, taken apart. */
struct weft_override {
    const char *text;   /**< as given, for messages */
    const char *prefix; /**< before the dot */
    const char *param;  /**< between dot and '=' */
    const char *value;
};

/** A workload of the scenario. */
struct weft_resolved_workload {
    const struct weft_xml_elem *elem; /**< NULL: from overrides alone */
    struct weft_plugin type;
    struct weft_origin from; /**< of the type */
    const char *name;
};

/** A scenario while it is being resolved. */
struct weft_resolver {
    struct weft_scenario *s;
    struct weft_backends backends;
    const struct weft_xml_elem *root; /**< NULL: no file */
    struct weft_override *overrides;
    size_t noverrides;
    size_t nimplied;   /**< the first so many overrides are not the user's */
    bool no_workloads; /**< there need be none */
    struct weft_plugin chosen[WEFT_FAMILIES];
    struct weft_origin chosen_from[WEFT_FAMILIES];
    struct weft_resolved_workload
        *workloads; /**< chosen[WEFT_FAMILY_WORKLOAD] is the last of them */
    uint32_t nworkloads;
};

/** Adds a warning. 0 or WEFT_E_LIMIT. */
int weft_scenario_warn(struct weft_scenario *s, struct weft_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** Makes the source of workload @p i, whose ranks @p p places, into p->flows. */
int weft_scenario_make_flows(const struct weft_scenario *s, uint32_t i, const struct weft_fabric *f,
                             struct weft_job_plan *p, struct weft_err *err);
/** Fills in s->offered, and warns of what is more than links carry. */
int weft_scenario_offer(struct weft_scenario *s, const struct weft_scenario_parts *parts,
                        struct weft_err *err);
/** The element called @p name in the file, or NULL. */
const struct weft_xml_elem *weft_resolver_elem(const struct weft_resolver *r, const char *name);
/** How many elements of that name the file has. */
uint32_t weft_resolver_count(const struct weft_resolver *r, const char *name);
/** The group whose values the element sets, or NULL. */
struct weft_scenario_group *weft_resolver_group_of(struct weft_resolver *r,
                                                   const struct weft_xml_elem *e);
/** Appends a group with default values; @p values NULL: allocate them. @p family -1: it has no
 * selector. */
int weft_resolver_add_group(struct weft_resolver *r, const char *element, int family,
                            const char *prefix, const struct weft_param_table *table, void *values,
                            struct weft_err *err);
/** The table of a workload's element: that of its type, and what every workload has. NULL:
 * WEFT_E_LIMIT. */
struct weft_param_table *weft_job_table(const struct weft_param_table *own,
                                        struct weft_arena *arena, struct weft_err *err);
/** Whether there are several workloads: in the file, or in a list of types that is set. */
bool weft_resolver_several_workloads(const struct weft_resolver *r);
/** Chooses the types of several workloads. */
int weft_resolver_choose_workloads(struct weft_resolver *r, struct weft_err *err);
/** Names the workloads chosen, and adds their groups. */
int weft_resolver_add_jobs(struct weft_resolver *r, struct weft_err *err);
/** Checks that the file has only known elements, each once, and that a selector is where it must
 * be. */
/** Reads run.replay. */
int weft_scenario_read_replay(struct weft_scenario *s, struct weft_err *err);
int weft_resolver_check_file(struct weft_resolver *r, struct weft_err *err);
/** The attribute of <congestion-control> and <system>, and its key, that names a preset. */
#define WEFT_PRESET_KEY "preset"
/** The element, and the prefix of the keys, of the simulated NPUs. */
#define WEFT_SYSTEM_ELEMENT "system"
/** Whether @p g is the congestion control's. */
bool weft_group_is_cc(const struct weft_scenario_group *g);
/** Whether @p param is the name of @p g's preset: of the groups that may have one. */
bool weft_group_preset(const struct weft_scenario_group *g, const char *param);
/** Sets the values of the chosen presets, if any. */
int weft_resolver_apply_presets(struct weft_resolver *r, struct weft_err *err);
/** The element of what weft sweep varies. */
#define WEFT_SWEEP_ELEMENT "sweep"
/** Reads it. */
int weft_resolver_read_sweep(struct weft_resolver *r, const struct weft_xml_elem *e,
                             struct weft_err *err);
/** Sets the values that the file gives. */
int weft_resolver_apply_file(struct weft_resolver *r, struct weft_err *err);
/** Takes "key=value" options apart. */
int weft_resolver_parse_overrides(struct weft_resolver *r, const char *const *sets, size_t n,
                                  struct weft_err *err);
/** Sets the values that overrides give. */
int weft_resolver_apply_overrides(struct weft_resolver *r, struct weft_err *err);
/** Sets one value; a path is taken relative to @p base_dir ("" for the working directory). */
int weft_resolver_set(struct weft_resolver *r, struct weft_scenario_group *g, const char *param,
                      const char *value, const char *base_dir, struct weft_origin origin,
                      struct weft_err *err);
/** The congestion control that the transport asked for has by default; NULL: none of its own. */
const char *weft_resolver_implied_control(const struct weft_resolver *r);
/** Sets what the transport implies for parameters that nobody gave. */
int weft_resolver_imply(struct weft_resolver *r, struct weft_err *err);
/** Gives workloads that ask for TCP a traffic class of TCP's, and refuses what contradicts the
 * transports asked for. */
int weft_resolver_choose_transports(struct weft_resolver *r, struct weft_err *err);
/** Warns of values that can't have an effect under the others. */
int weft_resolver_warn_unused(struct weft_resolver *r, struct weft_err *err);
/** Loads the jobs of a scenario and places their ranks on the fabric of @p out. */
int weft_scenario_build_jobs(const struct weft_scenario *s, struct weft_scenario_parts *out,
                             struct weft_err *err);
/** Gives links the rates of run.link-rates. */
int weft_scenario_set_link_rates(const struct weft_scenario *s, struct weft_fabric *f,
                                 struct weft_err *err);
void weft_scenario_free_jobs(struct weft_scenario_parts *parts);
/** Whether a text parameter names a file. */
bool weft_param_is_path(const struct weft_param *p);

#endif
