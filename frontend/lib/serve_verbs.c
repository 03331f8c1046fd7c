/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of weft's own protocol: one function a verb, each writes the members of its answer. */
#include "lib/serve_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Remarks and sentences that an answer has at most. */
#define VERBS_SENTENCES 1000

static int verb_opened(const struct weft_serve *s, struct weft_err *err)
{
    return s->net.sim ? 0
                      : weft_err_set(err, WEFT_E_USAGE, "no network is open: 'open' comes first");
}

/* ---- open ---- */

/* The texts of "KEY=VALUE" behind those of the program: freed by the caller, with sets[nsets] on.
 */
static int open_settings(const struct weft_serve *s, const json_t *request, const char ***sets,
                         size_t *n, struct weft_err *err)
{
    const json_t *list;
    if (serve_get_array(request, "settings", &list, err))
        return err->code;
    *n = s->config->nsets;
    *sets = (const char **)calloc(*n + json_array_size(list) + 1, sizeof **sets);
    if (!*sets)
        return weft_err_no_memory(err, "settings");
    if (*n)
        memcpy(*sets, s->config->sets, *n * sizeof **sets);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text)
            return weft_err_set(err, WEFT_E_INPUT, "settings[%zu] must be a text \"KEY=VALUE\"", i);
        (*sets)[(*n)++] = text;
    }
    return 0;
}

static int open_kinds(const json_t *request, uint32_t *kinds, struct weft_err *err)
{
    const json_t *list;
    if (serve_get_array(request, "events", &list, err))
        return err->code;
    if (list)
        *kinds = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        const uint32_t kind = name ? serve_kind(name) : 0;
        if (!kind)
            return weft_err_set(err, WEFT_E_INPUT,
                                "events[%zu] must be one of started, sent, delivered, "
                                "acknowledged, matched and timer",
                                i);
        *kinds |= kind;
    }
    return 0;
}

static int verb_open(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                     struct weft_err *err)
{
    static const char *const known[] = {"verb",     "request", "scenario", "settings",
                                        "receives", "events",  "folder",   NULL};
    const char *scenario = s->config->scenario, *folder = NULL, **sets = NULL;
    struct weft_error error;
    bool receives = false;
    uint32_t kinds = WEFT_DELIVERED | WEFT_ACKNOWLEDGED | WEFT_MATCHED | WEFT_TIMER;
    size_t n = 0;
    if (s->net.sim)
        return weft_err_set(err, WEFT_E_USAGE, "a network is open: 'close' comes first");
    int rc = serve_check_keys(request, known, "open", err);
    rc = rc ? rc : serve_get_text(request, "scenario", &scenario, err);
    rc = rc ? rc : serve_get_text(request, "folder", &folder, err);
    rc = rc ? rc : serve_get_bool(request, "receives", &receives, err);
    rc = rc ? rc : open_kinds(request, &kinds, err);
    rc = rc ? rc : open_settings(s, request, &sets, &n, err);
    const struct weft_sim_options o = {.events = kinds, .receives = receives, .folder = folder};
    if (!rc) {
        s->net.sim =
            sim_open(s->config->backends, s->config->nbackends, scenario, sets, n, &o, &error);
        rc = s->net.sim ? 0 : weft_err_set(err, error.code, "%s", error.text);
    }
    free(sets);
    if (rc)
        return rc;
    s->net.kinds = kinds;
    serve_print(answer, ",\"weft\":\"%s\",\"hosts\":%u,\"warnings\":[", WEFT_SERVE_VERSION,
                weft_sim_hosts(s->net.sim));
    for (size_t i = 0; i < VERBS_SENTENCES && weft_sim_warning(s->net.sim, i); i++) {
        serve_put(answer, ",", i > 0);
        serve_print_string(answer, weft_sim_warning(s->net.sim, i));
    }
    serve_put(answer, "]", 1);
    return 0;
}

/* ---- post, run ---- */

static int verb_post(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                     struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", "messages", "timers", "receives", NULL};
    uint64_t first, count = 0;
    if (serve_check_keys(request, known, "post", err) ||
        serve_net_post(&s->net, request, &first, &count, err))
        return err->code;
    serve_print(answer, ",\"first\":%" PRIu64 ",\"count\":%" PRIu64, first, count);
    return 0;
}

/* What ends a run. */
static int run_stop(struct serve_net *n, const json_t *request, bool *all, struct weft_err *err)
{
    const json_t *stop = json_object_get(request, "stop");
    const char *text = stop ? json_string_value(stop) : "idle";
    n->any = text && strcmp(text, "any") == 0;
    n->event = text && strcmp(text, "event") == 0;
    *all = text && strcmp(text, "all") == 0;
    n->goal = NULL;
    if (n->any || n->event || *all || (text && strcmp(text, "idle") == 0))
        return 0;
    for (size_t i = 0; !text && i < json_array_size(stop); i++)
        if (!json_is_integer(json_array_get(stop, i)))
            return weft_err_set(err, WEFT_E_INPUT, "stop[%zu] must be a number that post gave", i);
    if (!json_is_array(stop) || json_array_size(stop) == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'stop' must be \"any\", \"event\", \"all\", \"idle\", or a list of "
                            "numbers");
    n->goal = stop;
    return 0;
}

static int verb_run(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                    struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", "until_ps", "stop", NULL};
    static const char *const why[] = {"time", "event", "idle", "stalled"};
    struct serve_text events = {0};
    int64_t until_ps = WEFT_NEVER_PS;
    bool all = false;
    if (serve_check_keys(request, known, "run", err) ||
        serve_get_i64(request, "until_ps", &until_ps, err) || run_stop(&s->net, request, &all, err))
        return err->code;
    const int rc = serve_net_run(&s->net, until_ps, all, &events, err);
    s->net.goal = NULL;
    if (rc >= 0) {
        const int64_t next_ps = weft_sim_next(s->net.sim);
        serve_print(answer, ",\"why\":\"%s\",\"now_ps\":%" PRId64 ",\"next_ps\":", why[rc],
                    weft_sim_now(s->net.sim));
        if (next_ps == WEFT_NEVER_PS)
            serve_print(answer, "null");
        else
            serve_print(answer, "%" PRId64, next_ps);
        serve_print(answer, ",\"events\":[");
        serve_put(answer, events.at, events.n);
        serve_put(answer, "]", 1);
    }
    free(events.at);
    return rc < 0 ? rc : 0;
}

/* ---- looking ---- */

static int verb_stats(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                      struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", NULL};
    struct weft_stats t;
    if (serve_check_keys(request, known, "stats", err))
        return err->code;
    weft_sim_stats(s->net.sim, &t);
    const struct {
        const char *name;
        uint64_t v;
    } rows[] = {{"posted", t.posted},
                {"delivered", t.delivered},
                {"acknowledged", t.acknowledged},
                {"bytes_posted", t.bytes_posted},
                {"bytes_delivered", t.bytes_delivered},
                {"packets", t.packets},
                {"retransmitted", t.retransmitted},
                {"acks", t.acks},
                {"cnps", t.cnps},
                {"drops", t.drops},
                {"trims", t.trims},
                {"ecn_marks", t.ecn_marks},
                {"pauses", t.pauses},
                {"timeouts", t.timeouts},
                {"events", t.events}};
    serve_print(answer, ",\"now_ps\":%" PRId64, weft_sim_now(s->net.sim));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        serve_print(answer, ",\"%s\":%" PRIu64, rows[i].name, rows[i].v);
    return 0;
}

/* Counters of a link, after it has been changed where that is asked for. */
static int verb_link(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                     struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", "link", "state", "rate_bps", NULL},
                             *const states[] = {"fails", "works", "slows"};
    const char *name = NULL, *state = NULL;
    uint64_t rate_bps = 0;
    struct weft_link_stats t;
    int rc = serve_check_keys(request, known, "link", err);
    rc = rc ? rc : serve_get_text(request, "link", &name, err);
    rc = rc ? rc : serve_get_text(request, "state", &state, err);
    rc = rc ? rc : serve_get_u64(request, "rate_bps", INT64_MAX, &rate_bps, err);
    if (rc)
        return rc;
    if (!name)
        return weft_err_set(err, WEFT_E_INPUT, "'link' is missing: \"h0-s8\"");
    if (state) {
        size_t i = 0;
        while (i < 3 && strcmp(state, states[i]) != 0)
            i++;
        if (i == 3)
            return weft_err_set(err, WEFT_E_INPUT, "'state' must be fails, works or slows");
        rc = weft_sim_set_link(s->net.sim, name, (enum weft_link_state)i, rate_bps);
        return rc ? weft_err_set(err, rc, "%s", weft_sim_error(s->net.sim)) : 0;
    }
    for (int back = 0; back < 2; back++) {
        rc = weft_sim_link_stats(s->net.sim, name, back, &t);
        if (rc)
            return weft_err_set(err, rc, "%s", weft_sim_error(s->net.sim));
        serve_print(answer,
                    ",\"%s\":{\"rate_bps\":%" PRIu64 ",\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64
                    ",\"payload_bytes\":%" PRIu64 ",\"ecn_marks\":%" PRIu64 ",\"drops\":%" PRIu64
                    ",\"queue_bytes\":%" PRIu64 ",\"max_queue_bytes\":%" PRIu64
                    ",\"busy_ps\":%" PRId64 ",\"paused_ps\":%" PRId64 "}",
                    back ? "back" : "forward", t.rate_bps, t.packets, t.bytes, t.payload_bytes,
                    t.ecn_marks, t.drops, t.queue_bytes, t.max_queue_bytes, t.busy_ps, t.paused_ps);
    }
    return 0;
}

struct explained {
    struct serve_text *to;
    uint64_t n;
};

static void explain_sentence(void *ctx, const char *sentence)
{
    struct explained *e = (struct explained *)ctx;
    serve_put(e->to, ",", e->n++ > 0);
    serve_print_string(e->to, sentence);
}

static int verb_explain(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                        struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", "most", NULL};
    struct explained e = {answer, 0};
    uint64_t most = VERBS_SENTENCES;
    if (serve_check_keys(request, known, "explain", err) ||
        serve_get_u64(request, "most", VERBS_SENTENCES, &most, err))
        return err->code;
    serve_print(answer, ",\"sentences\":[");
    const uint64_t open = weft_sim_explain(s->net.sim, most, explain_sentence, &e);
    serve_print(answer, "],\"open\":%" PRIu64 ",\"waiting\":%" PRIu64, open, s->net.waiting);
    return 0;
}

static int verb_close(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                      struct weft_err *err)
{
    static const char *const known[] = {"verb", "request", NULL};
    if (serve_check_keys(request, known, "close", err))
        return err->code;
    serve_net_close(&s->net);
    return 0;
}

static const struct {
    const char *name;
    bool opened; /* a network must be open */
    int (*run)(struct weft_serve *s, const json_t *request, struct serve_text *answer,
               struct weft_err *err);
} verbs[] = {{"open", false, verb_open}, {"post", true, verb_post},
             {"run", true, verb_run},    {"stats", true, verb_stats},
             {"link", true, verb_link},  {"explain", true, verb_explain},
             {"close", true, verb_close}};
#define VERBS (sizeof verbs / sizeof *verbs)

static int verb_do(struct weft_serve *s, const json_t *request, struct serve_text *answer,
                   struct weft_err *err)
{
    const char *name = NULL;
    if (serve_get_text(request, "verb", &name, err))
        return err->code;
    if (!name)
        return weft_err_set(err, WEFT_E_INPUT, "'verb' is missing");
    size_t i = 0;
    while (i < VERBS && strcmp(name, verbs[i].name) != 0)
        i++;
    if (i == VERBS)
        return weft_err_set(err, WEFT_E_INPUT,
                            "there is no verb '%.40s': verbs are open, post, run, stats, link, "
                            "explain and close",
                            name);
    if (verbs[i].opened && verb_opened(s, err))
        return err->code;
    return verbs[i].run(s, request, answer, err);
}

/* The member `request`, given back. */
static void answer_request(struct serve_text *answer, const json_t *request)
{
    const json_t *id = json_object_get(request, "request");
    if (json_is_integer(id))
        serve_print(answer, ",\"request\":%" JSON_INTEGER_FORMAT, json_integer_value(id));
}

void serve_answer_error(struct serve_text *answer, const json_t *request,
                        const struct weft_err *err)
{
    char text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    const char *code = err->code == WEFT_E_INPUT   ? "input"
                       : err->code == WEFT_E_USAGE ? "usage"
                       : err->code == WEFT_E_IO    ? "io"
                       : err->code == WEFT_E_LIMIT ? "limit"
                                                   : "internal";
    answer->n = 0;
    serve_print(answer, "{\"ok\":false");
    answer_request(answer, request);
    serve_print(answer, ",\"error\":{\"code\":\"%s\",\"text\":", code);
    serve_print_string(answer, weft_err_format(err, text, sizeof text));
    serve_put(answer, "}}", 2);
}

void serve_request(struct weft_serve *s, const json_t *request, struct serve_text *answer)
{
    struct weft_err err = {0};
    serve_print(answer, "{\"ok\":true");
    answer_request(answer, request);
    int rc = verb_do(s, request, answer, &err);
    if (!rc && answer->failed)
        rc = weft_err_no_memory(&err, "the answer");
    if (rc) {
        answer->failed = false;
        serve_answer_error(answer, request, &err);
    } else {
        serve_put(answer, "}", 1);
    }
}
