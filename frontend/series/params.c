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
    {.name = "interval",
     .type = WEFT_PARAM_TIME,
     .offset = offsetof(struct weft_sample_params, interval_ps),
     .def = "10us",
     .min = "1ns",
     .help = "simulated time from one sample to the next",
     .needs = "what!= and on=interval"},
    {.name = "what",
     .type = WEFT_PARAM_STRING,
     .offset = offsetof(struct weft_sample_params, what),
     .def = "",
     .list = &what_form,
     .help = "what is recorded over time, in the folder series of the run: quantities (queue, "
             "buffer, throughput, pause, qp, control, or what these show), each with a selector "
             "of nodes, ports, priorities or flows behind a colon"},
    {.name = "on",
     .type = WEFT_PARAM_ENUM,
     .offset = offsetof(struct weft_sample_params, on),
     .def = "interval",
     .choices = "interval|change",
     .help = "when a row is written: at each interval, or whenever a value has changed (queue, "
             "buffer, pause, rate, window, control and its observables)",
     .needs = "what!="},
};
const struct weft_param_table weft_sample_param_table =
    WEFT_PARAM_TABLE(params, struct weft_sample_params);
