/* SPDX-License-Identifier: GPL-2.0-only */
/* A session of SimLLM's protocol: its flows, and what is said of them. */
#ifndef WEFT_LIB_SERVE_SIMLLM_H
#define WEFT_LIB_SERVE_SIMLLM_H

#include "lib/serve_internal.h"

#pragma GCC visibility push(hidden)

#define SIMLLM_SCHEMA "simllm-htsim-flow-session-v1"

/* Phases of a flow, in the order of events of one time. */
enum { SIMLLM_ACCEPTED, SIMLLM_QUEUED, SIMLLM_STARTED, SIMLLM_COMPLETED, SIMLLM_PHASES };

struct simllm_flow {
    char *execution, *operation, *flow;
    uint32_t src, dst, tag;
    uint64_t bytes, policy;
    int64_t eligible_ps, started_ps, completed_ps; /* -1: not yet */
    bool reported[SIMLLM_PHASES];
};

struct serve_simllm {
    bool opened, drained, closed;
    uint32_t nodes;
    struct simllm_flow *flows;
    size_t n, cap, first;       /* those before first have told everything */
    uint32_t *under_way, *high; /* per node: flows that are not completed, and the most */
    int64_t horizon_ps;         /* -1: none */
};

/* An error of the protocol. */
struct simllm_error {
    const char *code;
    char text[sizeof((struct weft_error *)0)->text];
};

/* serve_simllm_events.c */
/** Remembers an error. Returns WEFT_E_INPUT. */
int simllm_fail(struct simllm_error *e, const char *code, const char *text);
/** Writes the member `events`, up to the present, of those that were not told. */
int simllm_events(struct weft_serve *s, struct serve_text *t, struct simllm_error *e);
/** Finds the most flows of each source that were under way at once. */
int simllm_high(struct serve_simllm *m, struct simllm_error *e);
/** Writes the row of flow @p i, which is completed. */
void simllm_print_row(struct serve_text *t, const struct simllm_flow *f, size_t i);

#pragma GCC visibility pop

#endif
