/* SPDX-License-Identifier: GPL-2.0-only */
/* A session: from bytes to requests, and from answers to bytes. */
#include "lib/serve_internal.h"

#include "json/json_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct weft_serve *weft_serve_new(const struct weft_serve_config *config)
{
    struct weft_serve *s = (struct weft_serve *)calloc(1, sizeof *s);
    if (s) {
        s->config = config;
        s->net.open_max = config->open_max;
    }
    return s;
}

void weft_serve_free(struct weft_serve *s)
{
    if (!s)
        return;
    serve_net_close(&s->net);
    serve_simllm_free(s->simllm);
    free(s->in.at);
    free(s->out.at);
    free(s);
}

/* Deepest nesting of brackets outside of texts. */
static unsigned serve_depth(const char *text, size_t n)
{
    unsigned depth = 0, most = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        else if (!quoted && (text[i] == '{' || text[i] == '['))
            most = ++depth > most ? depth : most;
        else if (!quoted && (text[i] == '}' || text[i] == ']') && depth)
            depth--;
    }
    return most;
}

static void serve_send(struct weft_serve *s, const struct serve_text *answer)
{
    if (s->framing == SERVE_LENGTHS) {
        const unsigned char length[4] = {(unsigned char)(answer->n >> 24),
                                         (unsigned char)(answer->n >> 16),
                                         (unsigned char)(answer->n >> 8), (unsigned char)answer->n};
        serve_put(&s->out, (const char *)length, sizeof length);
    }
    serve_put(&s->out, answer->at, answer->n);
    if (s->framing != SERVE_LENGTHS)
        serve_put(&s->out, "\n", 1);
    s->over |= s->out.failed; /* an answer that is cut would be read as another */
}

/* Says what is wrong with a frame that is no request. */
static void serve_refuse(struct weft_serve *s, const char *code, const struct weft_err *err)
{
    struct serve_text answer = {0};
    if (s->simllm)
        serve_simllm_refuse(s, code, err->msg, &answer);
    else
        serve_answer_error(&answer, NULL, err);
    serve_send(s, &answer);
    free(answer.at);
}

static void serve_frame(struct weft_serve *s, const char *text, size_t n)
{
    struct serve_text answer = {0};
    struct weft_err err = {0};
    json_error_t why;
    if (serve_depth(text, n) > WEFT_SERVE_DEPTH_MAX) {
        weft_err_set(&err, WEFT_E_INPUT, "the request is nested more than %d deep",
                     WEFT_SERVE_DEPTH_MAX);
        serve_refuse(s, "invalid_json", &err);
        return;
    }
    json_t *request = weft_json_load(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!request) {
        weft_json_load_error(&err, "request", &why, "");
        serve_refuse(s, "invalid_json", &err);
        return;
    }
    if (!json_is_object(request)) {
        weft_err_set(&err, WEFT_E_INPUT, "a request is an object");
        serve_refuse(s, "invalid_frame", &err);
    } else {
        if (s->simllm || (!s->net.sim && serve_is_simllm(request)))
            serve_simllm_request(s, request, text, n, &answer);
        else
            serve_request(s, request, &answer);
        serve_send(s, &answer);
    }
    json_decref(request);
    free(answer.at);
}

static void serve_too_long(struct weft_serve *s)
{
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_LIMIT, "the request is longer than %" PRIu64 " bytes (--frame)",
                 s->config->frame_bytes);
    serve_refuse(s, "oversized_frame", &err);
}

/* Takes the next request off the front of *@p at; false: there is no whole one. */
static bool serve_take_length(struct weft_serve *s, const char **at, const char *end)
{
    const unsigned char *p = (const unsigned char *)*at;
    if (end - *at < 4)
        return false;
    const uint64_t n = (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
    if (n > s->config->frame_bytes) {
        *at += 4;
        s->skip = n;
        serve_too_long(s);
        return true;
    }
    if ((uint64_t)(end - *at) < 4 + n)
        return false;
    serve_frame(s, *at + 4, n);
    *at += 4 + n;
    return true;
}

static bool serve_take_line(struct weft_serve *s, const char **at, const char *end)
{
    const size_t there = (size_t)(end - *at);
    const char *stop = there ? (const char *)memchr(*at, '\n', there) : NULL;
    const size_t n = stop ? (size_t)(stop - *at) : there;
    if (s->skip_line) {
        *at += stop ? n + 1 : n;
        s->skip_line = !stop;
        return stop != NULL;
    }
    if (n > s->config->frame_bytes) {
        serve_too_long(s);
        s->skip_line = true;
        return true;
    }
    if (!stop)
        return false;
    const size_t blank = strspn(*at, " \t\r");
    if (blank < n)
        serve_frame(s, *at, n);
    *at += n + 1;
    return true;
}

bool weft_serve_feed(struct weft_serve *s, const char *bytes, size_t n)
{
    if (s->over || n == 0)
        return !s->over;
    const size_t skipped = s->skip < n ? (size_t)s->skip : n;
    s->skip -= skipped;
    serve_put(&s->in, bytes + skipped, n - skipped);
    if (s->in.failed)
        s->over = true;
    if (s->over || s->in.n == 0)
        return !s->over;
    if (s->framing == SERVE_UNKNOWN) /* a length below 16 MiB begins with 0 */
        s->framing = s->in.at[0] == '\0' ? SERVE_LENGTHS : SERVE_LINES;
    const char *at = s->in.at, *end = at + s->in.n;
    while (!s->over && at < end &&
           (s->framing == SERVE_LINES ? serve_take_line(s, &at, end)
                                      : serve_take_length(s, &at, end))) {
        const size_t more = s->skip < (uint64_t)(end - at) ? (size_t)s->skip : (size_t)(end - at);
        s->skip -= more;
        at += more;
    }
    s->in.n = (size_t)(end - at);
    memmove(s->in.at, at, s->in.n);
    return !s->over;
}

int weft_serve_end(struct weft_serve *s, struct weft_err *err)
{
    if (s->over && s->simllm && serve_simllm_closed(s->simllm))
        return 0;
    if (s->over)
        return weft_err_set(err, WEFT_E_INPUT, "the session ended with an error");
    if (s->in.n || s->skip || s->skip_line)
        return weft_err_set(err, WEFT_E_INPUT, "the client closed within a request");
    if (s->simllm && !serve_simllm_closed(s->simllm))
        return weft_err_set(err, WEFT_E_INPUT, "the client went before it closed its session");
    return 0;
}

const char *weft_serve_output(const struct weft_serve *s, size_t *n)
{
    *n = s->out.failed ? 0 : s->out.n;
    return s->out.at;
}

void weft_serve_sent(struct weft_serve *s)
{
    s->out.n = 0;
    if (s->out.cap > 1 << 20) { /* a long answer is not kept */
        free(s->out.at);
        s->out = (struct serve_text){0};
    }
}
