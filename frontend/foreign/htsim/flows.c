/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the flows of an htsim_uec experiment as that program prints them, one line each. */
#include "foreign/htsim/flows.h"

#include "base/file.h"
#include "base/rows.h"
#include "base/units.h"

#include <inttypes.h>

static void htsim_flows_on_flow(void *ctx, const struct weft_completion *w)
{
    struct weft_htsim_flows *x = (struct weft_htsim_flows *)ctx;
    const int64_t took_ps = w->acked_ps - w->post_ps;
    if (x->inner.flow)
        x->inner.flow(x->inner.ctx, w);
    weft_rows_printf(x->rows,
                     "Flow Uec_%" PRIu32 "_%" PRIu32 " flowId %" PRIu32 " uecSrc %" PRIu64
                     " finished at %.6f total messages 1 total packets %" PRIu64
                     " RTS 0 total bytes %" PRIu64 " in_flight now 0",
                     w->msg.src, w->msg.dst, w->msg.qp, w->id, (double)w->acked_ps / WEFT_PS_PER_US,
                     w->packets, w->msg.bytes);
    weft_rows_put(x->rows, "\n", 1);
    weft_rows_end(x->rows, NULL); /* _close tells of failures */
    x->first_ps = x->n == 0 || took_ps < x->first_ps ? took_ps : x->first_ps;
    x->last_ps = took_ps > x->last_ps ? took_ps : x->last_ps;
    x->sum_ps += (double)took_ps;
    x->n++;
}

static void htsim_flows_on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_htsim_flows *x = (struct weft_htsim_flows *)ctx;
    if (x->inner.pfc)
        x->inner.pfc(x->inner.ctx, w);
}

static int htsim_flows_open_file(void *ctx, const char *dir, const struct weft_fabric *fabric,
                                 struct weft_net_observer *observer, struct weft_err *err)
{
    struct weft_htsim_flows *x = (struct weft_htsim_flows *)ctx;
    char path[WEFT_PATH_MAX];
    if (weft_path_join(path, dir, WEFT_HTSIM_FLOWS_FILE, err) ||
        !(x->rows = weft_rows_open(path, err)))
        return err->code;
    x->inner = *observer;
    *observer = (struct weft_net_observer){
        .ctx = x, .flow = htsim_flows_on_flow, .pfc = htsim_flows_on_pfc};
    return 0;
}

static int htsim_flows_flush(void *ctx, struct weft_err *err)
{
    struct weft_htsim_flows *x = (struct weft_htsim_flows *)ctx;
    return weft_rows_flush(x->rows, err);
}

static int close_file(void *ctx, struct weft_err *err)
{
    struct weft_htsim_flows *x = (struct weft_htsim_flows *)ctx;
    const int rc = weft_rows_close(x->rows, err);
    x->rows = NULL;
    return rc;
}

void weft_htsim_flows_init(struct weft_htsim_flows *x)
{
    *x = (struct weft_htsim_flows){.names = {WEFT_HTSIM_FLOWS_FILE}};
    x->files = (struct weft_run_files){
        x, x->names, 1, htsim_flows_open_file, htsim_flows_flush, close_file};
}

void weft_htsim_flows_text(FILE *out, const struct weft_htsim_flows *x)
{
    if (x->n)
        fprintf(
            out,
            "  until the last ACK       mean %.3f us, shortest %.3f us, longest %.3f us of %" PRIu64
            " flows (htsim's \"finished at\" less the start)\n",
            x->sum_ps / (double)x->n / WEFT_PS_PER_US, (double)x->first_ps / WEFT_PS_PER_US,
            (double)x->last_ps / WEFT_PS_PER_US, x->n);
}
