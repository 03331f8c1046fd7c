/* SPDX-License-Identifier: GPL-2.0-only */
/* algorithm: has collectives played by another algorithm. */
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

struct algorithm {
    struct weft_select select;
    const char *name;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct algorithm, name, "name", NULL),
     .help = "the algorithm (comm_algorithm), such as ring; 'weft list collectives' has them"},
    WEFT_SELECT_OP(struct algorithm),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct algorithm),
};

static int start(struct weft_transform *t, struct weft_err *err)
{
    struct algorithm *p = t->params;
    p->select.kind = WEFT_SELECT_COLLECTIVE;
    return *p->name ? 0 : weft_err_set(err, WEFT_E_INPUT, "name is empty");
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct algorithm *p = t->params;
    for (size_t i = 0; i < et->nnodes; i++) {
        if (!weft_select_node(&p->select, &et->nodes[i]))
            continue;
        if (weft_node_set_text(&et->nodes[i], arena, "comm_algorithm", p->name, err))
            return err->code;
        t->touched++;
    }
    return 0;
}

static const char *algorithm(const void *params)
{
    return ((const struct algorithm *)params)->name;
}

const struct weft_transform_ops weft_transform_algorithm = {
    .name = "algorithm",
    .title = "another algorithm for collectives",
    .params = WEFT_PARAM_TABLE(params, struct algorithm),
    .start = start,
    .apply = apply,
    .algorithm = algorithm,
};
