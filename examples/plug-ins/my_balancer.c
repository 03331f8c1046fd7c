/* SPDX-License-Identifier: GPL-2.0-only */
/* The least loaded of some random ports: docs/how-to/adding-a-balancer.md. */
#include "base/plugin.h"
#include "topologies/balancer.h"

struct params {
    uint64_t samples;
};
static const struct weft_param table[] = {
    {.name = "samples",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, samples),
     .def = "2",
     .min = "1",
     .max = "16",
     .help = "ports drawn for each packet"},
};

static uint32_t mine_pick(const struct weft_balancer_view *v, void *node, const void *params)
{
    uint32_t best = v->usual;
    (void)node;
    for (uint64_t i = ((const struct params *)params)->samples; i > 0; i--) {
        const uint32_t port = (uint32_t)(v->draw(v) % v->n);
        if (v->queued(v, port) < v->queued(v, best))
            best = port;
    }
    return best;
}

static const struct weft_balancer_ops mine = {
    .name = "my-samples",
    .title = "the least loaded of some random ports",
    .params = {table, 1, sizeof(struct params)},
    .reorders = true,
    .pick = mine_pick,
};
WEFT_PLUGINS(WEFT_PLUGIN_BALANCER(mine));
