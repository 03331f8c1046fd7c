/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a session (serve.h) share. */
#ifndef WEFT_LIB_SERVE_INTERNAL_H
#define WEFT_LIB_SERVE_INTERNAL_H

#include "lib/serve.h"
#include "lib/sim.h"

#include <jansson.h>

#pragma GCC visibility push(hidden)

/** Text that grows. */
struct serve_text {
    char *at;
    size_t n, cap;
    bool failed; /**< out of memory: something is missing */
};
void serve_put(struct serve_text *t, const char *text, size_t n);
void serve_print(struct serve_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** A string of JSON. */
void serve_print_string(struct serve_text *t, const char *text);

/* serve_json.c: members of requests. Absent ones leave *out as it is; the functions return 0 or
 * WEFT_E_INPUT, and *err names the member. */
int serve_get_u64(const json_t *o, const char *key, uint64_t max, uint64_t *out,
                  struct weft_err *err);
int serve_get_i64(const json_t *o, const char *key, int64_t *out, struct weft_err *err);
int serve_get_bool(const json_t *o, const char *key, bool *out, struct weft_err *err);
int serve_get_text(const json_t *o, const char *key, const char **out, struct weft_err *err);
/** A member that is an array, or NULL in *out. */
int serve_get_array(const json_t *o, const char *key, const json_t **out, struct weft_err *err);
/** Members that are none of @p known, which ends with NULL, are refused. */
int serve_check_keys(const json_t *o, const char *const *known, const char *what,
                     struct weft_err *err);
/** The bit of a kind of event by its name; 0: there is none. */
uint32_t serve_kind(const char *name);
const char *serve_kind_name(uint32_t kind);

/** What was posted and is not over. */
struct serve_node;

/** The network of a session, with what waits for other things of it (serve_nodes.c). */
struct serve_net {
    weft_sim *sim;
    uint32_t kinds; /**< of events that the client is told */
    uint64_t next;  /**< number of what is posted next */
    uint64_t nopen, open_max;
    uint64_t waiting;         /**< messages and timers that wait for others */
    uint64_t todo;            /**< messages and timers that are not delivered, or over */
    struct serve_node *nodes; /**< by number */
    const json_t *goal;       /**< numbers that end a run; NULL: none do */
    bool any, event, hit;     /**< any ends it; any that is told; one has */
};

/** Posts what a request names. *@p first receives the first number. Nothing is posted where
 * anything of it is wrong. */
int serve_net_post(struct serve_net *n, const json_t *request, uint64_t *first, uint64_t *count,
                   struct weft_err *err);
/** Runs, and writes events to @p events. Returns enum weft_stop or an error. */
int serve_net_run(struct serve_net *n, int64_t until_ps, bool all, struct serve_text *events,
                  struct weft_err *err);
void serve_net_close(struct serve_net *n);

/** A session of SimLLM's protocol (serve_simllm.c). */
struct serve_simllm;

struct weft_serve {
    const struct weft_serve_config *config;
    struct serve_text in, out;
    enum { SERVE_UNKNOWN, SERVE_LINES, SERVE_LENGTHS } framing;
    uint64_t skip;  /**< LENGTHS: bytes of a request that is too long, which are left out */
    bool skip_line; /**< LINES: the same, up to its end */
    bool over;
    struct serve_net net;
    struct serve_simllm *simllm; /**< NULL: it is none */
};

/** Does what a request of weft's own protocol asks, and writes the answer. */
void serve_request(struct weft_serve *s, const json_t *request, struct serve_text *answer);
/** An answer that says what is wrong. */
void serve_answer_error(struct serve_text *answer, const json_t *request,
                        const struct weft_err *err);

/** Whether a request is of SimLLM's protocol. */
bool serve_is_simllm(const json_t *request);
/** Does what it asks, @p size bytes of @p text. */
void serve_simllm_request(struct weft_serve *s, const json_t *request, const char *text,
                          size_t size, struct serve_text *answer);
/** Refuses a frame that is none. */
void serve_simllm_refuse(struct weft_serve *s, const char *code, const char *why,
                         struct serve_text *answer);
/** Whether the client closed its session before it went. */
bool serve_simllm_closed(const struct serve_simllm *m);
void serve_simllm_free(struct serve_simllm *m);

#pragma GCC visibility pop

#endif
