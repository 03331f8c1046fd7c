/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and rows of a session of SimLLM's protocol. */
#include "lib/serve_simllm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int simllm_fail(struct simllm_error *e, const char *code, const char *text)
{
    e->code = code;
    snprintf(e->text, sizeof e->text, "%s", text);
    return WEFT_E_INPUT;
}

static int64_t simllm_phase_ps(const struct simllm_flow *f, int phase)
{
    return phase == SIMLLM_STARTED     ? f->started_ps
           : phase == SIMLLM_COMPLETED ? f->completed_ps
                                       : f->eligible_ps;
}

struct simllm_event {
    int64_t t_ps;
    size_t flow;
    int phase;
};

static int simllm_compare(const void *va, const void *vb)
{
    const struct simllm_event *a = (const struct simllm_event *)va,
                              *b = (const struct simllm_event *)vb;
    if (a->t_ps != b->t_ps)
        return a->t_ps < b->t_ps ? -1 : 1;
    if (a->flow != b->flow)
        return a->flow < b->flow ? -1 : 1;
    return a->phase - b->phase;
}

/* The members that events and rows have from `operation_id` on to `sequence`. */
static void simllm_print_event(struct serve_text *t, const struct serve_simllm *m,
                               const struct simllm_event *e)
{
    static const char *const phases[] = {"accepted", "queued", "started", "completed"};
    const struct simllm_flow *f = &m->flows[e->flow];
    serve_print(t,
                "{\"cq_consume_sequence\":null,\"cq_id\":null,\"cq_post_sequence\":null,"
                "\"destination\":%u,\"execution_id\":",
                f->dst);
    serve_print_string(t, f->execution);
    serve_print(t, ",\"flow_id\":");
    serve_print_string(t, f->flow);
    serve_print(t, ",\"kind\":\"%s\",\"native_flow_id\":%zu,\"operation_id\":", phases[e->phase],
                e->flow);
    serve_print_string(t, f->operation);
    serve_print(t,
                ",\"payload_bytes\":%" PRIu64 ",\"policy_context_token\":%" PRIu64
                ",\"sequence\":%zu,\"source\":%u,\"sq_id\":null,\"sq_post_sequence\":null,"
                "\"tag\":%u,\"timestamp_ps\":%" PRId64
                ",\"transport_kind\":\"weft\",\"transport_object_id\":null,\"wqe_id\":null}",
                f->bytes, f->policy, e->flow + 1, f->src, f->tag, e->t_ps);
}

int simllm_events(struct weft_serve *s, struct serve_text *t, struct simllm_error *e)
{
    struct serve_simllm *m = s->simllm;
    const int64_t now_ps = weft_sim_now(s->net.sim);
    size_t n = 0;
    struct simllm_event *list =
        (struct simllm_event *)malloc(((m->n - m->first) * SIMLLM_PHASES + 1) * sizeof *list);
    if (!list)
        return simllm_fail(e, "runtime_error", "out of memory for events");
    for (size_t i = m->first; i < m->n; i++)
        for (int phase = 0; phase < SIMLLM_PHASES; phase++) {
            const int64_t t_ps = simllm_phase_ps(&m->flows[i], phase);
            if (m->flows[i].reported[phase] || t_ps < 0 || t_ps > now_ps)
                continue;
            m->flows[i].reported[phase] = true;
            list[n++] = (struct simllm_event){t_ps, i, phase};
        }
    while (m->first < m->n && m->flows[m->first].reported[SIMLLM_COMPLETED])
        m->first++;
    qsort(list, n, sizeof *list, simllm_compare);
    serve_print(t, "\"events\":[");
    for (size_t i = 0; i < n; i++) {
        serve_put(t, ",", i > 0);
        simllm_print_event(t, m, &list[i]);
    }
    serve_put(t, "],", 2);
    free(list);
    return 0;
}

int simllm_high(struct serve_simllm *m, struct simllm_error *e)
{
    struct simllm_event *list = (struct simllm_event *)malloc((2 * m->n + 1) * sizeof *list);
    if (!list)
        return simllm_fail(e, "runtime_error", "out of memory for events");
    for (size_t i = 0; i < m->n; i++) { /* of one time, ends come first */
        list[2 * i] = (struct simllm_event){m->flows[i].eligible_ps, m->n + i, 1};
        list[2 * i + 1] = (struct simllm_event){m->flows[i].completed_ps, i, 0};
    }
    qsort(list, 2 * m->n, sizeof *list, simllm_compare);
    for (size_t i = 0; i < 2 * m->n; i++) {
        const uint32_t src = m->flows[list[i].flow % m->n].src;
        m->under_way[src] += list[i].phase ? 1 : UINT32_MAX;
        if (m->under_way[src] > m->high[src])
            m->high[src] = m->under_way[src];
    }
    free(list);
    return 0;
}

void simllm_print_row(struct serve_text *t, const struct simllm_flow *f, size_t i)
{
    serve_print(t,
                "{\"completion_time_ps\":%" PRId64
                ",\"cq_consume_sequence\":null,\"cq_id\":null,\"cq_post_sequence\":null,"
                "\"destination\":%u,\"execution_id\":",
                f->completed_ps, f->dst);
    serve_print_string(t, f->execution);
    serve_print(t, ",\"fct_ps\":%" PRId64 ",\"flow_id\":", f->completed_ps - f->eligible_ps);
    serve_print_string(t, f->flow);
    serve_print(t, ",\"native_flow_id\":%zu,\"operation_id\":", i);
    serve_print_string(t, f->operation);
    serve_print(t,
                ",\"payload_bytes\":%" PRIu64 ",\"sequence\":%zu,\"source\":%u,"
                "\"sq_dispatch_sequence\":null,\"sq_id\":null,\"sq_post_sequence\":null,"
                "\"start_time_ps\":%" PRId64 ",\"tag\":%u,\"transport_kind\":\"weft\","
                "\"transport_object_id\":null,\"wqe_id\":null}",
                f->bytes, i + 1, f->src, f->eligible_ps, f->tag);
}
