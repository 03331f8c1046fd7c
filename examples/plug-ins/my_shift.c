/* SPDX-License-Identifier: GPL-2.0-only */
/* Each rank sends to the rank some places on: docs/how-to/adding-a-workload-reader.md. */
#include "base/plugin.h"
#include "workload/workload.h"

#include <stdlib.h>

struct params {
    uint64_t places, bytes, rounds;
    int64_t interval_ps;
};
static const struct weft_param table[] = {
    {.name = "places",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, places),
     .def = "1",
     .min = "1",
     .help = "distance to the destination in ranks"},
    {.name = "size",
     .type = WEFT_PARAM_SIZE,
     .offset = offsetof(struct params, bytes),
     .def = "1MiB",
     .min = "1B",
     .help = "bytes of each message"},
    {.name = "rounds",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, rounds),
     .def = "4",
     .min = "1",
     .help = "messages of each rank"},
    {.name = "interval",
     .type = WEFT_PARAM_TIME,
     .offset = offsetof(struct params, interval_ps),
     .def = "50us",
     .min = "0ps",
     .help = "from one round to the next"},
};

struct source {
    struct weft_flow_source base;
    struct params p;
    uint64_t ranks, made;
};

static int mine_next(struct weft_flow_source *base, struct weft_flow *out, struct weft_err *err)
{
    struct source *s = (struct source *)base;
    const uint64_t rank = s->made % s->ranks, round = s->made / s->ranks;
    (void)err;
    if (round == s->p.rounds)
        return 0;
    *out = (struct weft_flow){.src = (uint32_t)rank,
                              .dst = (uint32_t)((rank + s->p.places) % s->ranks),
                              .bytes = s->p.bytes,
                              .start_ps = (int64_t)round * s->p.interval_ps,
                              .prio = WEFT_FLOW_PRIO_DEFAULT};
    s->made++;
    return 1;
}

static void mine_rewind(struct weft_flow_source *base, uint64_t k)
{
    ((struct source *)base)->made = 0;
    (void)k;
}

static void mine_free(struct weft_flow_source *base)
{
    free(base);
}

static int mine_ranks(const void *params, uint32_t room, uint32_t *ranks, struct weft_err *err)
{
    (void)params, (void)err;
    *ranks = room;
    return 0;
}

static int mine_flows(const void *params, const struct weft_flow_site *site,
                      struct weft_flow_source **out, struct weft_err *err)
{
    const struct params *p = params;
    if (p->places % site->nranks == 0)
        return weft_err_set(err, WEFT_E_INPUT, "my-shift.places leads each rank to itself");
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return weft_err_no_memory(err, "my-shift");
    s->base.next = mine_next;
    s->base.rewind = mine_rewind;
    s->base.free = mine_free;
    s->p = *p;
    s->ranks = site->nranks;
    *out = &s->base;
    return 0;
}

static const struct weft_workload_ops mine = {
    .name = "my-shift",
    .title = "each rank sends to the rank some places on",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .ranks = mine_ranks,
    .flows = mine_flows,
};
WEFT_PLUGINS(WEFT_PLUGIN_WORKLOAD(mine));
