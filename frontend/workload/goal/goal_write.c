/* SPDX-License-Identifier: GPL-2.0-only */
/* The text form of GOAL, written: each operation with a label, then what waits for what. */
#include "workload/goal/goal_internal.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>

/* @p all: no operation of the rank has a label, so that all get one. */
static void put_label(FILE *out, const struct weft_goal_rank *k, uint32_t i, bool all,
                      const char *behind)
{
    if (k->ops[i].label)
        fprintf(out, "%s%s", k->ops[i].label, behind);
    else if (all)
        fprintf(out, "l%" PRIu32 "%s", i + 1, behind);
}

static bool has_none(const struct weft_goal_rank *k)
{
    for (uint32_t i = 0; i < k->nops; i++)
        if (k->ops[i].label)
            return false;
    return true;
}

static void put_any(FILE *out, const char *before, uint32_t v)
{
    if (v == WEFT_GOAL_ANY)
        fprintf(out, " %s -1", before);
    else
        fprintf(out, " %s %" PRIu32, before, v);
}

static void put_op(FILE *out, const struct weft_goal_rank *k, uint32_t i, bool all)
{
    const struct weft_goal_op *op = &k->ops[i];
    put_label(out, k, i, all, ": ");
    if (op->kind == WEFT_GOAL_CALC) {
        fprintf(out, "calc %" PRIu64, op->value);
    } else {
        const bool send = op->kind == WEFT_GOAL_SEND;
        fprintf(out, "%s %" PRIu64 "b", send ? "send" : "recv", op->value);
        put_any(out, send ? "to" : "from", op->peer);
        put_any(out, "tag", op->tag);
    }
    if (op->cpu)
        fprintf(out, " cpu %" PRIu32, op->cpu);
    if (op->nic && op->kind != WEFT_GOAL_CALC)
        fprintf(out, " nic %" PRIu32, op->nic);
    fputc('\n', out);
}

int weft_goal_write_text(const struct weft_goal *g, FILE *out, struct weft_err *err)
{
    fprintf(out, "num_ranks %" PRIu32 "\n", g->nranks);
    for (uint32_t r = 0; r < g->nranks; r++) {
        const struct weft_goal_rank *k = &g->ranks[r];
        const bool all = has_none(k);
        fprintf(out, "\nrank %" PRIu32 " {\n", r);
        for (uint32_t i = 0; i < k->nops; i++)
            put_op(out, k, i, all);
        for (uint32_t i = 0; i < k->ndeps; i++) {
            put_label(out, k, k->deps[i].op, all, k->deps[i].start ? " irequires " : " requires ");
            put_label(out, k, k->deps[i].on, all, "\n");
        }
        fputs("}\n", out);
    }
    return ferror(out) ? weft_file_error(err, "the schedule", "write", errno) : 0;
}
