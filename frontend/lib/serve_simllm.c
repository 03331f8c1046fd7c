/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SimLLM's protocol simllm-htsim-flow-session-v1: canonical JSON behind its length, verbs open,
 * inject, advance, drain and close; an error ends the session.
 *
 * Members that claim what weft does not have are answered truthfully: `effective_hardware_sha256`
 * is null, as no description of an RNIC's hardware is in force, `wqe_authority` is "weft", the
 * counters of authorities of SimLLM's are 0, and numbers of work and completion queues are null.
 * A flow is started when its NIC begins to send it, and completed when it is acknowledged, which is
 * when an RNIC would say so.
 */
#include "lib/serve_simllm.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIMLLM_TEXT_MAX 256

bool serve_is_simllm(const json_t *request)
{
    return json_object_get(request, "schema") != NULL;
}

bool serve_simllm_closed(const struct serve_simllm *m)
{
    return m->closed;
}

void serve_simllm_free(struct serve_simllm *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++) {
        free(m->flows[i].execution);
        free(m->flows[i].operation);
        free(m->flows[i].flow);
    }
    free(m->flows);
    free(m->under_way);
    free(m->high);
    free(m);
}

/* Counters of those that SimLLM calls authorities: none of them is here. */
static const char simllm_counters[] =
    "{\"legacy_aborts\":0,\"legacy_ledger_constructed\":0,\"legacy_mutations\":0,"
    "\"legacy_posts\":0,\"native_posts\":0,\"native_session_constructed\":0}";

void serve_simllm_refuse(struct weft_serve *s, const char *code, const char *why,
                         struct serve_text *answer)
{
    serve_print(answer, "{\"authority_counters\":%s,\"error\":{\"code\":\"%s\",\"message\":",
                simllm_counters, code);
    serve_print_string(answer, why);
    serve_print(answer, "},\"schema\":\"" SIMLLM_SCHEMA
                        "\",\"status\":\"error\",\"terminal\":true,\"verb\":\"error\"}");
    s->over = true;
}

/* ---- members ---- */

/* Exactly the members @p names, which end with NULL. */
static int simllm_members(const json_t *o, const char *const *names, struct simllm_error *e)
{
    size_t n = 0;
    for (; names[n]; n++)
        if (!json_object_get(o, names[n]))
            return simllm_fail(e, "invalid_fields", "a member is missing");
    return json_object_size(o) == n
               ? 0
               : simllm_fail(e, "invalid_fields", "there is an unknown member");
}

static int simllm_number(const json_t *o, const char *name, uint64_t min, uint64_t max,
                         uint64_t *out, struct simllm_error *e)
{
    const json_t *v = json_object_get(o, name);
    char text[128];
    if (json_is_integer(v) && json_integer_value(v) >= 0 &&
        (uint64_t)json_integer_value(v) >= min && (uint64_t)json_integer_value(v) <= max) {
        *out = (uint64_t)json_integer_value(v);
        return 0;
    }
    snprintf(text, sizeof text, "%s must be a whole number from %" PRIu64 " to %" PRIu64, name, min,
             max);
    return simllm_fail(e, "invalid_fields", text);
}

static int simllm_text(const json_t *o, const char *name, const char **out, struct simllm_error *e)
{
    char text[128];
    *out = json_string_value(json_object_get(o, name));
    if (*out && **out && strlen(*out) <= SIMLLM_TEXT_MAX)
        return 0;
    snprintf(text, sizeof text, "%s must be a text of 1 to %d bytes", name, SIMLLM_TEXT_MAX);
    return simllm_fail(e, "invalid_fields", text);
}

/* ---- verbs ---- */

/* The fabric: that of the program if it has one, else a switch for the nodes. */
static int simllm_network(struct weft_serve *s, uint64_t rate_bps, uint64_t seed,
                          struct simllm_error *e)
{
    const struct weft_serve_config *c = s->config;
    struct serve_simllm *m = s->simllm;
    char own[4][64];
    const char **sets = (const char **)calloc(c->nsets + 4, sizeof *sets);
    const struct weft_sim_options o = {.events = WEFT_STARTED};
    struct weft_error error;
    size_t n = 0;
    if (!sets)
        return simllm_fail(e, "runtime_error", "out of memory for settings");
    snprintf(own[0], sizeof own[0], "run.seed=%" PRIu64, seed);
    snprintf(own[1], sizeof own[1], "topology.type=single-switch");
    snprintf(own[2], sizeof own[2], "single-switch.hosts=%u", m->nodes);
    snprintf(own[3], sizeof own[3], "single-switch.rate=%" PRIu64 "bps", rate_bps);
    for (size_t i = 0; i < (c->scenario || c->nsets ? 1 : 4); i++)
        sets[n++] = own[i];
    for (size_t i = 0; i < c->nsets; i++)
        sets[n++] = c->sets[i];
    s->net.sim = sim_open(c->backends, c->nbackends, c->scenario, sets, n, &o, &error);
    free(sets);
    if (!s->net.sim)
        return simllm_fail(e, "runtime_error", error.text);
    return weft_sim_hosts(s->net.sim) >= m->nodes
               ? 0
               : simllm_fail(e, "topology_mismatch", "the fabric has fewer hosts than node_count");
}

static int simllm_open(struct weft_serve *s, const json_t *o, struct serve_text *t,
                       struct simllm_error *e)
{
    static const char *const names[] = {"effective_hardware_sha256",
                                        "link_rate_bps",
                                        "node_count",
                                        "profile",
                                        "schema",
                                        "seed",
                                        "session_id",
                                        "topology_identity",
                                        "verb",
                                        "wqe_authority",
                                        NULL};
    struct serve_simllm *m = s->simllm;
    const char *session, *profile, *topology, *authority, *hash;
    uint64_t nodes, rate_bps, seed;
    char expected[SIMLLM_TEXT_MAX];
    if (simllm_members(o, names, e))
        return WEFT_E_INPUT;
    if (m->opened)
        return simllm_fail(e, "duplicate_open", "the session is already open");
    if (simllm_text(o, "session_id", &session, e) || simllm_text(o, "profile", &profile, e) ||
        simllm_text(o, "topology_identity", &topology, e) ||
        simllm_text(o, "wqe_authority", &authority, e) ||
        simllm_text(o, "effective_hardware_sha256", &hash, e) ||
        simllm_number(o, "node_count", 1, 1 << 20, &nodes, e) ||
        simllm_number(o, "link_rate_bps", 1, INT64_MAX, &rate_bps, e) ||
        simllm_number(o, "seed", 0, INT64_MAX, &seed, e))
        return WEFT_E_INPUT;
    if (strcmp(profile, "rnic-nn") != 0 && strcmp(profile, "rnic-cn") != 0)
        return simllm_fail(e, "unsupported_profile", "a profile is rnic-nn or rnic-cn");
    snprintf(expected, sizeof expected, "%s:nodes=%" PRIu64, profile, nodes);
    if (strcmp(topology, expected) != 0)
        return simllm_fail(e, "topology_mismatch",
                           "topology_identity disagrees with profile and node_count");
    if (strcmp(authority, "simllm-native-rnic-session") != 0)
        return simllm_fail(e, "authority_mismatch",
                           "wqe_authority must be simllm-native-rnic-session");
    if (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64)
        return simllm_fail(e, "invalid_fields", "effective_hardware_sha256 must be a SHA-256");
    m->nodes = (uint32_t)nodes;
    m->under_way = (uint32_t *)calloc(nodes, sizeof *m->under_way);
    m->high = (uint32_t *)calloc(nodes, sizeof *m->high);
    if (!m->under_way || !m->high)
        return simllm_fail(e, "runtime_error", "out of memory for nodes");
    if (simllm_network(s, rate_bps, seed, e))
        return WEFT_E_INPUT;
    m->opened = true;
    serve_print(t,
                "{\"effective_hardware_sha256\":null,\"link_rate_bps\":%" PRIu64
                ",\"node_count\":%" PRIu64 ",\"profile\":\"%s\",",
                rate_bps, nodes, profile);
    serve_print(t, "\"schema\":\"" SIMLLM_SCHEMA "\",");
    serve_print(t, "\"seed\":%" PRIu64 ",\"sequence\":0,\"session_id\":", seed);
    serve_print_string(t, session);
    serve_print(t,
                ",\"status\":\"ok\",\"topology_identity\":\"%s\",\"verb\":\"open\","
                "\"wqe_authority\":\"weft\"}",
                topology);
    return 0;
}

static struct simllm_flow *simllm_flow_new(struct serve_simllm *m)
{
    if (!WEFT_GROW(m->flows, m->n, &m->cap))
        return NULL;
    struct simllm_flow *f = &m->flows[m->n];
    *f = (struct simllm_flow){.started_ps = -1, .completed_ps = -1};
    return f;
}

static int simllm_inject(struct weft_serve *s, const json_t *o, struct serve_text *t,
                         struct simllm_error *e)
{
    static const char *const names[] = {"destination",
                                        "eligible_at_ps",
                                        "execution_id",
                                        "flow_id",
                                        "operation_id",
                                        "payload_bytes",
                                        "policy_context_token",
                                        "schema",
                                        "sequence",
                                        "source",
                                        "tag",
                                        "verb",
                                        NULL};
    struct serve_simllm *m = s->simllm;
    const char *execution, *operation, *flow;
    uint64_t sequence, src, dst, tag, bytes, at_ps, policy;
    if (simllm_members(o, names, e))
        return WEFT_E_INPUT;
    if (m->drained)
        return simllm_fail(e, "post_drain_inject", "inject after drain");
    if (simllm_number(o, "sequence", 1, UINT32_MAX, &sequence, e))
        return WEFT_E_INPUT;
    if (sequence != m->n + 1)
        return simllm_fail(e, sequence <= m->n ? "duplicate_sequence" : "skipped_sequence",
                           "sequence is not the next number");
    if (simllm_text(o, "execution_id", &execution, e) ||
        simllm_text(o, "operation_id", &operation, e) || simllm_text(o, "flow_id", &flow, e) ||
        simllm_number(o, "source", 0, m->nodes - 1, &src, e) ||
        simllm_number(o, "destination", 0, m->nodes - 1, &dst, e) ||
        simllm_number(o, "tag", 0, UINT32_MAX, &tag, e) ||
        simllm_number(o, "payload_bytes", 1, INT64_MAX, &bytes, e) ||
        simllm_number(o, "eligible_at_ps", 0, INT64_MAX - 1, &at_ps, e) ||
        simllm_number(o, "policy_context_token", 1, INT64_MAX, &policy, e))
        return WEFT_E_INPUT;
    if (src == dst)
        return simllm_fail(e, "invalid_fields", "source and destination are the same");
    if ((int64_t)at_ps <= m->horizon_ps)
        return simllm_fail(e, "stale_eligibility",
                           "eligible_at_ps is not after the last through_ps");
    struct simllm_flow *f = simllm_flow_new(m);
    if (!f || !(f->execution = strdup(execution)) || !(f->operation = strdup(operation)) ||
        !(f->flow = strdup(flow)))
        return simllm_fail(e, "runtime_error", "out of memory for a flow");
    f->src = (uint32_t)src;
    f->dst = (uint32_t)dst;
    f->tag = (uint32_t)tag;
    f->bytes = bytes;
    f->policy = policy;
    f->eligible_ps = (int64_t)at_ps;
    const struct weft_send message = {.src = f->src,
                                      .dst = f->dst,
                                      .bytes = bytes,
                                      .tag = tag,
                                      .user = m->n,
                                      .delay_ps = f->eligible_ps - weft_sim_now(s->net.sim),
                                      .qp = 0};
    if (weft_sim_send(s->net.sim, &message) < 0)
        return simllm_fail(e, "runtime_error", weft_sim_error(s->net.sim));
    m->n++;
    serve_print(t, "{\"accepted_sequence\":%" PRIu64 ",\"eligible_at_ps\":%" PRIu64 ",", sequence,
                at_ps);
    serve_print(t, "\"schema\":\"" SIMLLM_SCHEMA "\",");
    serve_print(t, "\"status\":\"ok\",\"verb\":\"inject\"}");
    return 0;
}

static void simllm_take(struct weft_serve *s)
{
    struct serve_simllm *m = s->simllm;
    struct weft_event v;
    while (weft_sim_take(s->net.sim, &v, 1) == 1) {
        struct simllm_flow *f = &m->flows[v.user];
        if (v.kind == WEFT_STARTED)
            f->started_ps = v.time_ps;
        if (v.kind == WEFT_ACKNOWLEDGED)
            f->completed_ps = v.time_ps;
    }
}

static int simllm_cursor(const struct serve_simllm *m, const json_t *o, struct simllm_error *e)
{
    uint64_t through;
    if (simllm_number(o, "through_sequence", 0, UINT32_MAX, &through, e))
        return WEFT_E_INPUT;
    return through == m->n ? 0
                           : simllm_fail(e, "cursor_disagreement",
                                         "through_sequence is not the last accepted sequence");
}

static int simllm_advance(struct weft_serve *s, const json_t *o, struct serve_text *t,
                          struct simllm_error *e)
{
    static const char *const names[] = {"schema", "through_ps", "through_sequence", "verb", NULL};
    struct serve_simllm *m = s->simllm;
    uint64_t through_ps;
    if (simllm_members(o, names, e))
        return WEFT_E_INPUT;
    if (m->drained)
        return simllm_fail(e, "post_drain_advance", "advance after drain");
    if (simllm_cursor(m, o, e) || simllm_number(o, "through_ps", 0, INT64_MAX - 1, &through_ps, e))
        return WEFT_E_INPUT;
    if ((int64_t)through_ps < m->horizon_ps)
        return simllm_fail(e, "stale_horizon", "through_ps is before the last one");
    m->horizon_ps = (int64_t)through_ps;
    if (weft_sim_run(s->net.sim, m->horizon_ps, 0, 0) < 0)
        return simllm_fail(e, "runtime_error", weft_sim_error(s->net.sim));
    simllm_take(s);
    serve_print(t, "{\"authority_counters\":%s,", simllm_counters);
    if (simllm_events(s, t, e))
        return WEFT_E_INPUT;
    serve_print(t, "\"last_accepted_sequence\":%zu,", m->n);
    serve_print(t, "\"schema\":\"" SIMLLM_SCHEMA "\",");
    serve_print(t, "\"status\":\"ok\",\"through_ps\":%" PRIu64 ",\"verb\":\"advance\"}",
                through_ps);
    return 0;
}

static int simllm_drain(struct weft_serve *s, const json_t *o, struct serve_text *t,
                        struct simllm_error *e)
{
    static const char *const names[] = {"schema", "through_sequence", "verb", NULL};
    struct serve_simllm *m = s->simllm;
    if (simllm_members(o, names, e))
        return WEFT_E_INPUT;
    if (m->drained)
        return simllm_fail(e, "duplicate_drain", "the session was drained");
    if (simllm_cursor(m, o, e))
        return WEFT_E_INPUT;
    for (size_t i = m->first; i < m->n; i++)
        if (m->flows[i].completed_ps < 0)
            return simllm_fail(e, "not_drained", "a flow is not completed");
    serve_print(t, "{\"authority_counters\":%s,\"completion_rows\":[", simllm_counters);
    for (size_t i = 0; i < m->n; i++) {
        serve_put(t, ",", i > 0);
        simllm_print_row(t, &m->flows[i], i);
    }
    serve_put(t, "],", 2);
    if (simllm_events(s, t, e) || (m->n && simllm_high(m, e)))
        return WEFT_E_INPUT;
    m->drained = true;
    serve_print(t, "\"last_accepted_sequence\":%zu,\"quiescent\":true,", m->n);
    serve_print(t, "\"schema\":\"" SIMLLM_SCHEMA "\",");
    serve_print(t, "\"sq_high_watermarks\":[");
    for (uint32_t i = 0; i < m->nodes; i++)
        serve_print(t, "%s%u", i ? "," : "", m->high[i]);
    serve_print(t, "],\"status\":\"ok\",\"verb\":\"drain\"}");
    return 0;
}

static int simllm_close(struct weft_serve *s, const json_t *o, struct serve_text *t,
                        struct simllm_error *e)
{
    static const char *const names[] = {"schema", "through_sequence", "verb", NULL};
    struct serve_simllm *m = s->simllm;
    if (simllm_members(o, names, e))
        return WEFT_E_INPUT;
    if (!m->drained)
        return simllm_fail(e, "drain_required", "close before drain");
    if (simllm_cursor(m, o, e))
        return WEFT_E_INPUT;
    m->closed = true;
    serve_print(t, "{\"last_accepted_sequence\":%zu,", m->n);
    serve_print(t, "\"schema\":\"" SIMLLM_SCHEMA "\",");
    serve_print(t, "\"status\":\"ok\",\"terminal\":true,\"verb\":\"close\"}");
    return 0;
}

/* ---- frames ---- */

static int simllm_canonical(const json_t *request, const char *text, size_t size,
                            struct simllm_error *e)
{
    char *own = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);
    const bool same = own && strlen(own) == size && memcmp(own, text, size) == 0;
    free(own);
    return same ? 0 : simllm_fail(e, "noncanonical_json", "the frame is no canonical JSON");
}

static int simllm_do(struct weft_serve *s, const json_t *o, const char *text, size_t size,
                     struct serve_text *t, struct simllm_error *e)
{
    static const struct {
        const char *name;
        int (*run)(struct weft_serve *s, const json_t *o, struct serve_text *t,
                   struct simllm_error *e);
    } verbs[] = {{"open", simllm_open},
                 {"inject", simllm_inject},
                 {"advance", simllm_advance},
                 {"drain", simllm_drain},
                 {"close", simllm_close}};
    const char *schema = json_string_value(json_object_get(o, "schema")), *verb;
    if (simllm_canonical(o, text, size, e))
        return WEFT_E_INPUT;
    if (!schema || strcmp(schema, SIMLLM_SCHEMA) != 0)
        return simllm_fail(e, "unsupported_schema", "schema must be " SIMLLM_SCHEMA);
    if (simllm_text(o, "verb", &verb, e))
        return WEFT_E_INPUT;
    if (s->simllm->closed)
        return simllm_fail(e, "post_terminal", "a frame after close");
    if (strcmp(verb, "open") != 0 && !s->simllm->opened)
        return simllm_fail(e, "open_required", "open comes first");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            return verbs[i].run(s, o, t, e);
    return simllm_fail(e, "unknown_verb", "verbs are open, inject, advance, drain and close");
}

void serve_simllm_request(struct weft_serve *s, const json_t *request, const char *text,
                          size_t size, struct serve_text *answer)
{
    struct simllm_error e = {"runtime_error", "out of memory for a session"};
    if (!s->simllm) {
        s->simllm = (struct serve_simllm *)calloc(1, sizeof *s->simllm);
        if (s->simllm)
            s->simllm->horizon_ps = -1;
    }
    int rc = s->simllm ? simllm_do(s, request, text, size, answer, &e) : WEFT_E_LIMIT;
    if (!rc && answer->failed)
        rc = WEFT_E_LIMIT;
    if (!rc)
        return;
    answer->failed = false;
    answer->n = 0;
    serve_simllm_refuse(s, e.code, e.text, answer);
}
