/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine's parameter tables, as RoCE alone needs them: see params/ for the rows. */
#include "base/scale.h"
#include "topologies/balancer.h"
#include "engine.h"
#include "params/lists.h"

#define ROCE(needs) needs
#define ROCE_ONLY NULL
#define ROCE_BESIDE NULL
#define FRAMES_MEASURED(more) ""
#define FRAMES_MARKED(more) ""

static const struct weft_param transport_params[] = {
#include "params/transport.def"
};

#include "params/tables.def"

#define ENGINE_SECTION(name, help, rows, type, field)                                              \
    {name, help, WEFT_PARAM_TABLE(rows, type), offsetof(struct weft_engine_params, field)},
const struct weft_engine_section weft_engine_sections[WEFT_ENGINE_SECTIONS] = {
    {"transport", "NIC and RoCE reliable connection",
     WEFT_PARAM_TABLE(transport_params, struct weft_transport_params),
     offsetof(struct weft_engine_params, transport)},
#include "params/sections.def"
};

int weft_engine_params_defaults(struct weft_engine_params *p, struct weft_err *err)
{
    for (size_t i = 0; i < WEFT_ENGINE_SECTIONS; i++) {
        int rc = weft_params_defaults(&weft_engine_sections[i].params,
                                      (char *)p + weft_engine_sections[i].offset, err);
        if (rc)
            return rc;
    }
    return 0;
}
