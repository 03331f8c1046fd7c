/* SPDX-License-Identifier: GPL-2.0-only */
/* Section sample of a scenario. */
#include "series/series.h"

#include "base/list.h"

static const struct weft_param item[] = {{.type = WEFT_PARAM_STRING}};

static const struct weft_list_form what_form = {
    .like = "QUANTITY[:SELECTOR],..., such as queue:s*.p3,throughput:h*,rate:flow 0-15,alpha",
    .fields = item,
    .nfields = 1};

static const struct weft_param params[] = {
    {WEFT_ROW_TIME(struct weft_sample_params, interval_ps, "interval", "10us", "1ns", NULL),
     .help = "simulated time from one sample to the next", .needs = "what!= and on=interval"},
    {WEFT_ROW_STRING(struct weft_sample_params, what, "what", ""),
     .help = "what is recorded over time, in the folder series of the run: quantities (queue, "
             "buffer, throughput, pause, qp, control, or what these show), each with a selector of "
             "nodes, ports, priorities or flows behind a colon",
     .list = &what_form},
    {WEFT_ROW_ENUM(struct weft_sample_params, on, "on", "interval", "interval|change"),
     .help = "when a row is written: at each interval, or whenever a value has changed (queue, "
             "buffer, pause, rate, window, control and its observables)",
     .needs = "what!="},
};
const struct weft_param_table weft_sample_param_table =
    WEFT_PARAM_TABLE(params, struct weft_sample_params);
