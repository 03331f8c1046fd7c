/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading HPCC's list of traced nodes. */
#include "foreign/hpcc/trace.h"

#include "base/scan.h"

#include <inttypes.h>
#include <stdlib.h>

static int trace_read_all(struct weft_scan *s, uint32_t nnodes, struct weft_hpcc_trace *t,
                          struct weft_err *err)
{
    uint64_t n, id;
    int rc = weft_scan_u64(s, "the number of traced nodes", UINT32_MAX, &n, err);
    if (rc)
        return rc;
    if (n > s->len / 2 + 1)
        return weft_scan_err(s, err, WEFT_E_INPUT,
                             "the file announces %" PRIu64 " nodes, but is too short for them", n);
    t->nodes = (uint32_t *)malloc((n + 1) * sizeof *t->nodes);
    if (!t->nodes)
        return weft_err_no_memory(err, "the list of traced nodes");
    for (uint64_t i = 0; i < n; i++) {
        if ((rc = weft_scan_u64(s, "the id of a traced node", UINT32_MAX, &id, err)))
            return rc;
        if (id < nnodes)
            t->nodes[t->n++] = (uint32_t)id;
        else
            t->skipped++;
    }
    return 0;
}

int weft_hpcc_trace_read(const char *path, uint32_t nnodes, struct weft_hpcc_trace *out,
                         struct weft_err *err)
{
    struct weft_scan s;
    *out = (struct weft_hpcc_trace){0};
    int rc = weft_scan_open(&s, path, err);
    if (rc)
        return rc;
    rc = trace_read_all(&s, nnodes, out, err);
    weft_scan_close(&s);
    if (rc)
        weft_hpcc_trace_free(out);
    return rc;
}

void weft_hpcc_trace_free(struct weft_hpcc_trace *t)
{
    free(t->nodes);
    *t = (struct weft_hpcc_trace){0};
}
