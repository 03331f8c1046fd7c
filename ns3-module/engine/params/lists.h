/* SPDX-License-Identifier: GPL-2.0-only */
/* How the lists and maps among the rows of this folder are written (base/list.h). */
#ifndef WEFT_ENGINE_PARAMS_LISTS_H
#define WEFT_ENGINE_PARAMS_LISTS_H

#include "base/list.h"

/** Ranges that a parameter and the entries of its map share. */
#define ALPHA_MIN "1/1024"
#define ALPHA_MAX "64"
#define LIMIT_MAX "2GiB"
#define MARK_MAX "1GiB"
#define PMAX_MAX "1000"

#define PRIO                                                                                       \
    {                                                                                              \
        .type = WEFT_PARAM_U64, .min = "0", .max = "7"                                             \
    }

static const struct weft_param prio_alpha[] = {
    PRIO, {.type = WEFT_PARAM_F64, .min = ALPHA_MIN, .max = ALPHA_MAX}};
static const struct weft_param prio_limit[] = {
    PRIO, {.type = WEFT_PARAM_SIZE, .min = "0", .max = LIMIT_MAX}};
static const struct weft_param prio_weight[] = {
    PRIO, {.type = WEFT_PARAM_U64, .min = "1", .max = "1000"}};
static const struct weft_param prio_marks[] = {
    PRIO,
    {.type = WEFT_PARAM_SIZE, .min = "0", .max = MARK_MAX},
    {.type = WEFT_PARAM_SIZE, .min = "0", .max = MARK_MAX},
    {.type = WEFT_PARAM_F64, .min = "0", .max = PMAX_MAX},
};
static const struct weft_param rate_marks[] = {
    {.type = WEFT_PARAM_RATE},
    {.type = WEFT_PARAM_SIZE},
    {.type = WEFT_PARAM_SIZE},
    {.type = WEFT_PARAM_F64, .min = "0", .max = PMAX_MAX},
};
static const struct weft_param link_names[] = {{.type = WEFT_PARAM_STRING}};
#undef PRIO

/** switch.alpha-map, switch.egress-alpha-map */
static const struct weft_list_form alpha_map_form = {
    .like = "PRIO:ALPHA,..., such as 0:1/2,3:1/8",
    .fields = prio_alpha,
    .nfields = 2,
    .unique = true,
};
/** switch.limit-map, switch.egress-limit-map */
static const struct weft_list_form limit_map_form = {
    .like = "PRIO:SIZE,..., such as 0:200KB,3:1MB",
    .fields = prio_limit,
    .nfields = 2,
    .unique = true,
};
/** switch.weight-map */
static const struct weft_list_form weight_map_form = {
    .like = "PRIO:WEIGHT,..., such as 3:4,4:2",
    .fields = prio_weight,
    .nfields = 2,
    .unique = true,
};
/** ecn.prio-map */
static const struct weft_list_form prio_marks_form = {
    .like = "PRIO:KMIN:KMAX:PMAX, or PRIO:off, ..., such as 3:50KB:200KB:0.1",
    .fields = prio_marks,
    .nfields = 4,
    .rest_word = "off",
    .unique = true,
};
/** ecn.rate-map */
static const struct weft_list_form rate_marks_form = {
    .like = "RATE:KMIN:KMAX:PMAX,..., such as 25Gbps:100KB:400KB:0.2",
    .fields = rate_marks,
    .nfields = 4,
};
/** capture.links */
static const struct weft_list_form links_form = {
    .like = "a list of all, hosts, nodes, pairs of nodes and numbers of links, such as h3,h0-s16",
    .fields = link_names,
    .nfields = 1,
};

#endif
