/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of the sample that is taken. */
#include "series/series_internal.h"

#include "base/int128.h"
#include "base/units.h"

void weft_series_row(struct weft_series_sample *s, enum weft_series_file file, const void *row)
{
    s->rows++;
    if (!s->err.code)
        weft_columns_row(weft_series_files[file], s->csv[file], row, &s->err);
}

uint64_t weft_series_bps(const struct weft_series_sample *s, uint64_t bytes)
{
    const int64_t ps = s->t_ps - s->before_ps;
    return ps > 0 ? (uint64_t)((weft_u128)bytes * 8 * WEFT_PS_PER_S / (weft_u128)ps) : 0;
}

struct weft_qp_row weft_series_connection_row(const struct weft_net_connection *c)
{
    return (struct weft_qp_row){
        .state = {.src = c->src,
                  .dst = c->dst,
                  .prio = c->prio,
                  .number = c->qp,
                  .window_bytes = c->cwnd_bytes ? c->cwnd_bytes : UINT64_MAX,
                  .in_flight_bytes = c->in_flight_bytes,
                  .acked_bytes = c->bytes,
                  .rtt_ps = c->srtt_ps,
                  .msg = UINT64_MAX},
        .connection = c->number,
        .tcp = true};
}
