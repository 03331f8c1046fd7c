/* SPDX-License-Identifier: GPL-2.0-only */
/* How the lists and maps of the system layer are written (base/list.h). */
#include "system/lists.h"

/* Each kind of collective in the order of its enum, then point to point. */
#define COMM_TYPES                                                                                 \
    "all-reduce|reduce|all-gather|gather|scatter|broadcast|all-to-all|reduce-scatter|"             \
    "reduce-scatter-block|barrier|send"

static const struct weft_param text[] = {{.type = WEFT_PARAM_STRING}};
static const struct weft_param rank[] = {{.type = WEFT_PARAM_U64}};
static const struct weft_param places[] = {
    {.type = WEFT_PARAM_U64, .min = "1", .max = "4294967295"}};
static const struct weft_param bandwidth[] = {{.type = WEFT_PARAM_RATE, .min = "1bps"}};
static const struct weft_param latency[] = {{.type = WEFT_PARAM_TIME, .min = "0"}};
static const struct weft_param factor[] = {
    {.type = WEFT_PARAM_U64},
    {.type = WEFT_PARAM_F64, .min = "0.000001", .max = "1000000"},
};
static const struct weft_param prio[] = {
    {.type = WEFT_PARAM_ENUM, .choices = COMM_TYPES},
    {.type = WEFT_PARAM_U64, .min = "0", .max = "7"},
};
static const struct weft_param qps[] = {
    {.type = WEFT_PARAM_ENUM, .choices = COMM_TYPES},
    {.type = WEFT_PARAM_U64, .min = "1", .max = "256"},
};

const struct weft_list_form weft_algorithms_form = {
    .like = "auto, an algorithm, or one per dimension: NAME,..., such as ring,direct",
    .fields = text,
    .nfields = 1,
};
const struct weft_list_form weft_order_form = {
    .like = "group, inner-first, rail or all ranks, such as 0,2,1,3",
    .fields = rank,
    .nfields = 1,
    .words = "group|inner-first|rail",
};
const struct weft_list_form weft_dim_sizes_form = {
    .like = "SIZE,..., such as 8,16", .fields = places, .nfields = 1};
const struct weft_list_form weft_dim_bandwidths_form = {
    .like = "RATE,..., such as 200GB/s,50GB/s", .fields = bandwidth, .nfields = 1};
const struct weft_list_form weft_dim_latencies_form = {
    .like = "TIME,..., such as 500ns,2us", .fields = latency, .nfields = 1};
const struct weft_list_form weft_stragglers_form = {
    .like = "RANK:FACTOR,..., such as 3:1.5,7:2 (rank 3 computes 1.5 times as long)",
    .fields = factor,
    .nfields = 2,
};
const struct weft_list_form weft_priorities_form = {
    .like = "TYPE:PRIORITY,..., such as all-to-all:2,send:5",
    .fields = prio,
    .nfields = 2,
    .unique = true,
};
const struct weft_list_form weft_qps_form = {
    .like = "TYPE:QPS,..., such as all-reduce:4,send:2",
    .fields = qps,
    .nfields = 2,
    .unique = true,
};
