/* SPDX-License-Identifier: GPL-2.0-only */
/* fct.txt and pfc.txt of a workload's messages. */
#include "foreign/hpcc/messages.h"

#include "base/file.h"
#include "base/hash_table.h"
#include "foreign/hpcc/output.h"
#include "foreign/hpcc/pairs.h"

#include <stdlib.h>

enum { FIRST_SPORT = 10000, DPORT = 100 }; /* of ASTRA-sim's and SimAI's ns-3 */

/* How many messages a pair of hosts has had. */
struct count {
    uint64_t hosts; /* source << 32 | destination */
    uint32_t n;
    bool lost; /* there was no memory to keep it */
    UT_hash_handle hh;
};

struct weft_hpcc_messages {
    struct weft_hpcc_messages_config c;
    struct weft_hpcc_pair_table *pairs;
    struct count *counts;
    struct weft_rows *fct, *pfc; /* NULL: not written */
    struct weft_err err;         /* the first failure */
};

/* The source port of the next message of a pair; it wraps around, as there. */
static uint32_t next_port(struct weft_hpcc_messages *m, uint32_t src, uint32_t dst)
{
    const uint64_t hosts = (uint64_t)src << 32 | dst;
    struct count *c;
    HASH_FIND(hh, m->counts, &hosts, sizeof hosts, c);
    if (!c && (c = (struct count *)calloc(1, sizeof *c))) {
        c->hosts = hosts;
        HASH_ADD(hh, m->counts, hosts, sizeof c->hosts, c);
        if (c->lost) {
            free(c);
            c = NULL;
        }
    }
    if (!c)
        weft_err_no_memory(&m->err, "the lines of fct.txt");
    return c ? (uint16_t)(FIRST_SPORT + c->n++) : 0;
}

static void messages_on_flow(void *ctx, const struct weft_completion *w)
{
    struct weft_hpcc_messages *m = (struct weft_hpcc_messages *)ctx;
    const struct weft_fabric *f = m->c.fabric;
    if (m->c.inner.flow)
        m->c.inner.flow(m->c.inner.ctx, w);
    if (!m->fct || m->err.code || w->msg.kind != WEFT_MSG_POINT_TO_POINT)
        return;
    struct weft_hpcc_flow line = {.src = f->hosts[w->msg.src],
                                  .dst = f->hosts[w->msg.dst],
                                  .bytes = w->msg.bytes,
                                  .sport = next_port(m, w->msg.src, w->msg.dst),
                                  .dport = DPORT};
    weft_hpcc_pair_table_find(m->pairs, w->msg.src, w->msg.dst, &line);
    weft_hpcc_fct_line(m->fct, WEFT_HPCC_FLOW_HPCC, &line, w->post_ps, w->acked_ps - w->post_ps,
                       m->c.payload_bytes);
}

static void messages_on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_hpcc_messages *m = (struct weft_hpcc_messages *)ctx;
    if (m->c.inner.pfc)
        m->c.inner.pfc(m->c.inner.ctx, w);
    if (m->pfc)
        weft_hpcc_pfc_line(m->pfc, m->c.fabric, w);
}

int weft_hpcc_message_files(const struct weft_hpcc_config *c, struct weft_arena *arena,
                            struct weft_hpcc_message_files *out, struct weft_err *err)
{
    static const char *const keys[] = {"FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE"};
    const char *const given[] = {c->fct_output_file, c->pfc_output_file};
    const char *names[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (!given[i][0])
            continue;
        names[i] = weft_arena_strdup(arena, weft_path_base(given[i]));
        if (!names[i])
            return weft_err_no_memory(err, "an experiment");
        if (weft_hpcc_output_name(c, keys, names, i, err))
            return err->code;
    }
    *out = (struct weft_hpcc_message_files){names[0], names[1], c->payload_bytes};
    return 0;
}

struct weft_hpcc_messages *weft_hpcc_messages_new(const struct weft_hpcc_messages_config *c,
                                                  struct weft_err *err)
{
    struct weft_hpcc_messages *m = weft_err_calloc(1, sizeof *m, "fct.txt", err);
    if (!m)
        return NULL;
    m->c = *c;
    if ((c->fct_path && (!(m->pairs = weft_hpcc_pair_table_new(c->fabric, c->payload_bytes, err)) ||
                         !(m->fct = weft_rows_open(c->fct_path, err)))) ||
        (c->pfc_path && !(m->pfc = weft_rows_open(c->pfc_path, err)))) {
        weft_hpcc_messages_free(m);
        return NULL;
    }
    return m;
}

struct weft_net_observer weft_hpcc_messages_observer(struct weft_hpcc_messages *m)
{
    return (struct weft_net_observer){.ctx = m, .flow = messages_on_flow, .pfc = messages_on_pfc};
}

int weft_hpcc_messages_flush(struct weft_hpcc_messages *m, struct weft_err *err)
{
    const int fct = m->fct ? weft_rows_flush(m->fct, err) : 0;
    return fct || !m->pfc ? fct : weft_rows_flush(m->pfc, err);
}

int weft_hpcc_messages_close(struct weft_hpcc_messages *m, struct weft_err *err)
{
    int rc = m->err.code;
    if (rc && err)
        *err = m->err;
    for (int i = 0; i < 2; i++) {
        struct weft_rows **file = i == 0 ? &m->fct : &m->pfc;
        const int code = weft_rows_close(*file, rc ? NULL : err);
        *file = NULL;
        rc = rc ? rc : code;
    }
    return rc;
}

void weft_hpcc_messages_free(struct weft_hpcc_messages *m)
{
    struct count *c, *after;
    if (!m)
        return;
    weft_hpcc_messages_close(m, NULL);
    HASH_ITER(hh, m->counts, c, after)
    {
        HASH_DEL(m->counts, c);
        free(c);
    }
    weft_hpcc_pair_table_free(m->pairs);
    free(m);
}
