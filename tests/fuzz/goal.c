/* SPDX-License-Identifier: GPL-2.0-only */
/* GOAL schedules: read, made graphs and traces, written in both forms and read again. */
#include "target.h"

#include "workload/goal/goal.h"

#include <string.h>

static void same(const struct weft_goal *a, const struct weft_goal *b)
{
    REQUIRE(a->nranks == b->nranks && a->nops == b->nops && a->ndeps == b->ndeps);
    for (uint32_t r = 0; r < a->nranks; r++)
        for (uint32_t i = 0; i < a->ranks[r].nops; i++) {
            const struct weft_goal_op *x = &a->ranks[r].ops[i], *y = &b->ranks[r].ops[i];
            REQUIRE(x->kind == y->kind && x->value == y->value && x->cpu == y->cpu);
            REQUIRE(x->kind == WEFT_GOAL_CALC ||
                    (x->peer == y->peer && x->tag == y->tag && x->nic == y->nic));
        }
}

static void as_text(const struct weft_goal *g)
{
    struct weft_err err = {0};
    struct weft_goal *again = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out && weft_goal_write_text(g, out, &err) == 0 && fclose(out) == 0);
    const int code = weft_goal_read(weft_fuzz_file(text, size), &again, &err);
    if (code)
        fprintf(stderr, "%s\n%s\n", err.msg, text);
    REQUIRE(code == 0);
    same(g, again);
    weft_goal_free(again);
    free(text);
}

static void as_traces(const struct weft_goal *g)
{
    struct weft_err err = {0};
    struct weft_goal *back = weft_goal_new(g->nranks, "back", &err);
    struct weft_goal_notes notes = {0};
    int code = 0;
    REQUIRE(back);
    for (uint32_t r = 0; !code && r < g->nranks; r++) {
        struct weft_arena *arena = weft_arena_new();
        struct weft_et *et = NULL;
        REQUIRE(arena);
        code = weft_goal_to_et(g, r, 1000, arena, &et, &err);
        if (!code)
            REQUIRE(weft_goal_from_et(back, r, et, &notes, &err) == 0);
        weft_arena_free(arena);
    }
    if (weft_fuzz_ok(code, &err)) {
        REQUIRE(weft_goal_finish(back, &err) == 0);
        same(g, back);
    }
    weft_goal_free(back);
}

void weft_fuzz_goal(const uint8_t *data, size_t size)
{
    const struct weft_goal_play play = {.calc_ps = 1000, .overhead_ps = 5, .eager_bytes = 100};
    struct weft_err err = {0};
    struct weft_goal *g = NULL;
    struct weft_workload *w = NULL;
    if (!weft_fuzz_ok(weft_goal_read(weft_fuzz_file(data, size), &g, &err), &err))
        return;
    if (g->nranks <= 4096) {
        as_text(g);
        as_traces(g);
        if (weft_fuzz_ok(weft_goal_workload(g, &play, &w, &err), &err))
            weft_workload_free(w);
    }
    weft_goal_free(g);
}

/* The binary form: the number at its beginning is put there. */
void weft_fuzz_goal_binary(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 8);
    REQUIRE(copy);
    memcpy(copy, "\x7f\x10\0\0\0\0\0\0", 8);
    memcpy(copy + 8, data, size);
    weft_fuzz_goal(copy, size + 8);
    free(copy);
}
