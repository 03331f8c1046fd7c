/* SPDX-License-Identifier: GPL-2.0-only */
/* compress: less goes over the network, and computations before and after pay for it. */
#include "base/int128.h"
#include "base/units.h"
#include "workload/whatif/edit.h"
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

#include <math.h>

struct compress {
    struct weft_select select;
    double ratio;
    int64_t time_ps;
    uint64_t rate_bps;
};

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct compress, ratio, "ratio", NULL, "0", "1"),
     .help = "size afterwards / size before, rounded, 1 byte at least"},
    {WEFT_ROW_TIME(struct compress, time_ps, "time", "0us", "0us", NULL),
     .help = "time that compressing takes besides, and decompressing: whole microseconds"},
    {WEFT_ROW_RATE(struct compress, rate_bps, "rate", "0bps", NULL, NULL),
     .help = "at which data are compressed and decompressed, in terms of the size before; 0: at no "
             "cost"},
    WEFT_SELECT_OP(struct compress),
    WEFT_SELECT_KIND(struct compress, "collective"),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct compress),
};

static uint64_t smaller(const void *ctx, uint64_t bytes)
{
    const double x = (double)bytes * ((const struct compress *)ctx)->ratio;
    if (((const struct compress *)ctx)->ratio == 1)
        return bytes;
    return bytes && x < 1 ? 1 : (uint64_t)llround(x);
}

static uint64_t cost_us(const struct compress *p, uint64_t bytes)
{
    const weft_u128 fixed = (weft_u128)p->time_ps;
    const weft_u128 flow =
        p->rate_bps ? (weft_u128)bytes * 8 * (weft_u128)WEFT_PS_PER_US * 1000000 / p->rate_bps : 0;
    const weft_u128 us = (fixed + flow + WEFT_PS_PER_US / 2) / WEFT_PS_PER_US;
    return us > INT64_MAX ? INT64_MAX : (uint64_t)us;
}

static int cost(struct weft_edit *e, struct weft_et_node *node, uint64_t us, struct weft_err *err)
{
    node->duration_us = us;
    return weft_node_set_bool(node, e->arena, "is_cpu_op", false, err);
}

/* Computations around node i: before it at who sends, after it at who receives. */
static int surround(struct weft_edit *e, uint32_t i, uint64_t us, struct weft_err *err)
{
    const int32_t type = e->et->nodes[i].type;
    struct weft_et_node *more;
    if (type != WEFT_ET_COMM_RECV_NODE) {
        more = weft_edit_before(e, i, WEFT_ET_COMP_NODE, ".compress", err);
        if (!more || cost(e, more, us, err))
            return err->code;
    }
    if (type == WEFT_ET_COMM_SEND_NODE)
        return 0;
    more = weft_edit_after(e, i, WEFT_ET_COMP_NODE, ".decompress", err);
    return more ? cost(e, more, us, err) : err->code;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct compress *p = t->params;
    struct weft_edit e = {0};
    int rc = weft_edit_start(&e, et, arena, err);
    for (uint32_t i = 0; !rc && i < e.n; i++) {
        struct weft_et_node *node = &et->nodes[i];
        const uint64_t bytes = weft_node_bytes(node);
        if (node->type < WEFT_ET_COMM_SEND_NODE || bytes == 0 ||
            !weft_select_node(&p->select, node))
            continue;
        const uint64_t us = cost_us(p, bytes);
        rc = weft_node_map_bytes(node, arena, smaller, p, err);
        if (!rc && us)
            rc = surround(&e, i, us, err);
        t->touched++;
    }
    if (!rc)
        rc = weft_edit_finish(&e, err);
    weft_edit_end(&e);
    return rc;
}

const struct weft_transform_ops weft_transform_compress = {
    .name = "compress",
    .title = "smaller communication, with computations that compress and decompress",
    .source = "Lin et al., Deep Gradient Compression, ICLR 2018",
    .params = WEFT_PARAM_TABLE(params, struct compress),
    .apply = apply,
};
