/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace diff: two files, or two traces rank by rank. */
#include "trace_tools/trace.h"
#include "workload/chakra_read.h"
#include "workload/et_diff.h"

#include <inttypes.h>

#define SHOWN 40u /* differences in text; JSON has all */

struct teller {
    const struct weft_cli *cli;
    struct weft_json *j; /* NULL: text */
    uint32_t rank;
    uint64_t n, only_a, only_b, changed;
};

static const char *diff_value(const struct weft_et_attr *a, char *buf, size_t size)
{
    return a ? weft_et_attr_format(a, buf, size) : NULL;
}

static void diff_print_json(const struct teller *t, const struct weft_et_diff *d)
{
    const struct weft_et_node *node = d->a ? d->a : d->b;
    char buf[512];
    weft_json_object(t->j);
    weft_json_kv_u64(t->j, "rank", t->rank);
    if (node) {
        weft_json_kv_u64(t->j, "node", node->id);
        weft_json_kv_str(t->j, "name", node->name);
    }
    if (d->field)
        weft_json_kv_str(t->j, "field", d->field);
    else
        weft_json_kv_str(t->j, "only_in", d->a ? "a" : "b");
    if (d->x || d->y) {
        weft_json_kv_str(t->j, "a", diff_value(d->x, buf, sizeof buf));
        weft_json_kv_str(t->j, "b", diff_value(d->y, buf, sizeof buf));
    } else if (d->u) {
        weft_json_kv_u64(t->j, "a", *d->u);
        weft_json_kv_u64(t->j, "b", *d->v);
    }
    weft_json_end_object(t->j);
}

static void diff_print_text(const struct teller *t, const struct weft_et_diff *d)
{
    const struct weft_et_node *node = d->a ? d->a : d->b;
    char buf[128];
    FILE *f = t->cli->out;
    fprintf(f, "rank %u", t->rank);
    if (node)
        fprintf(f, ", node %" PRIu64 " '%s'", node->id, node->name);
    if (!d->field) {
        fprintf(f, ": only in the %s\n", d->a ? "first" : "second");
        return;
    }
    fprintf(f, ": %s", d->field);
    if (d->x || d->y) {
        fprintf(f, " %s", d->x ? diff_value(d->x, buf, sizeof buf) : "absent");
        fprintf(f, " -> %s", d->y ? diff_value(d->y, buf, sizeof buf) : "absent");
    } else if (d->u) {
        fprintf(f, " %" PRIu64 " -> %" PRIu64, *d->u, *d->v);
    } else {
        fprintf(f, " differs");
    }
    fputc('\n', f);
}

static void print_difference(void *ctx, const struct weft_et_diff *d)
{
    struct teller *t = ctx;
    t->n++;
    *(d->field ? &t->changed : d->a ? &t->only_a : &t->only_b) += 1;
    if (t->j)
        diff_print_json(t, d);
    else if (t->n <= SHOWN)
        diff_print_text(t, d);
}

static int diff_compare(struct teller *t, const char *a, const char *b, struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_et *x, *y;
    int rc = arena ? weft_chakra_read_et(a, arena, &x, err) : weft_err_no_memory(err, "a trace");
    if (!rc)
        rc = weft_chakra_read_et(b, arena, &y, err);
    if (!rc)
        rc = weft_et_diff(x, y, print_difference, t, err);
    weft_arena_free(arena);
    return rc;
}

static void diff_sum_up(struct teller *t, uint32_t na, uint32_t nb)
{
    if (t->j) {
        weft_json_end_array(t->j);
        weft_json_kv_u64(t->j, "ranks_a", na);
        weft_json_kv_u64(t->j, "ranks_b", nb);
        weft_json_kv_bool(t->j, "same", t->n == 0 && na == nb);
        weft_json_end_object(t->j);
        weft_json_finish(t->j, NULL);
        return;
    }
    FILE *f = t->cli->out;
    if (t->n > SHOWN)
        fprintf(f, "... and %" PRIu64 " more; --json has all\n", t->n - SHOWN);
    if (na != nb)
        fprintf(f, "%u and %u ranks; %u compared\n", na, nb, na < nb ? na : nb);
    if (t->n == 0)
        fprintf(f, "no difference in %u ranks\n", na < nb ? na : nb);
    else
        fprintf(f,
                "%" PRIu64 " nodes only in the first, %" PRIu64 " only in the second, %" PRIu64
                " fields differ\n",
                t->only_a, t->only_b, t->changed);
}

int weft_trace_diff(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                    int nargs, struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_json j;
    struct teller t = {.cli = cli, .j = o->json ? &j : NULL};
    const char **a, **b;
    uint32_t na = 0, nb = 0;
    int rc =
        arena ? weft_trace_paths(args[0], arena, &a, &na, err) : weft_err_no_memory(err, "a trace");
    if (!rc)
        rc = weft_trace_paths(args[1], arena, &b, &nb, err);
    if (!rc && o->json) {
        weft_trace_json(&j, cli, "trace diff");
        weft_json_kv_array(&j, "differences");
    }
    for (t.rank = 0; !rc && t.rank < na && t.rank < nb; t.rank++)
        rc = diff_compare(&t, a[t.rank], b[t.rank], err);
    if (!rc)
        diff_sum_up(&t, na, nb);
    weft_arena_free(arena);
    if (!rc && (t.n || na != nb)) {
        *err = (struct weft_err){0}; /* all was said */
        return WEFT_E_OUTCOME;
    }
    return rc;
}
