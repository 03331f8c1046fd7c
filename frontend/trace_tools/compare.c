/* SPDX-License-Identifier: GPL-2.0-only */
/* weft trace compare: two traces on three fabrics. */
#include "trace_tools/compare.h"

#include "base/units.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/source.h"
#include "workload/trace_files.h"

#include <stdbool.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 12, TEXT = WEFT_PATH_MAX + 64 };

/** A fabric for so many ranks: settings, in which %u is the number of what the ranks need. */
struct fabric {
    const char *name;
    const char *sets[6];
    uint32_t per; /* ranks that one %u holds */
    uint32_t least, most;
};

static const struct fabric fabrics[] = {
    {"leaf-spine, 100 Gbps",
     {"topology.type=leaf-spine", "leaf-spine.host-rate=100Gbps", "leaf-spine.uplink-rate=100Gbps",
      "leaf-spine.leaves=%u"},
     4,
     2,
     65536},
    {"ring, 400 Gbps", {"topology.type=ring", "ring.size=%u"}, 1, 2, 65536},
    {"HGX nodes, rail-optimised",
     {"topology.type=preset", "preset.name=hgx-rail-optimised"},
     1,
     1,
     128},
};
enum { FABRICS = sizeof fabrics / sizeof fabrics[0] };

/** What a run came to. */
struct result {
    int64_t end_ps, exposed_ps;
};

static int ranks_of(const char *prefix, uint32_t *n, struct weft_err *err)
{
    const char **paths;
    struct weft_arena *arena = weft_arena_new();
    const int rc = arena ? weft_trace_files(prefix, 0, arena, &paths, n, err)
                         : weft_err_no_memory(err, "a trace");
    weft_arena_free(arena);
    return rc;
}

static int trace_tool_compare_play(const struct weft_cli *cli, const struct weft_strings *set,
                                   const struct fabric *f, const struct weft_compared *side,
                                   uint32_t ranks, struct result *out, struct weft_err *err)
{
    char texts[SETS][TEXT];
    struct weft_strings all = {calloc(SETS + set->n, sizeof *all.list), 0};
    uint32_t parts = (ranks + f->per - 1) / f->per;
    parts = parts < f->least ? f->least : parts;
    if (!all.list)
        return weft_err_no_memory(err, "settings");
    all.list[all.n++] = "network.backend=ideal";
    all.list[all.n++] = "workload.type=chakra";
    for (size_t i = 0; i < 6 && f->sets[i]; i++) {
        const char *number = strstr(f->sets[i], "%u");
        snprintf(texts[all.n], TEXT, "%.*s%.0" PRIu32, (int)strcspn(f->sets[i], "%"), f->sets[i],
                 number ? parts : 0);
        all.list[all.n] = texts[all.n];
        all.n++;
    }
    snprintf(texts[all.n], TEXT, "chakra.path=%s", side->prefix);
    all.list[all.n] = texts[all.n];
    all.n++;
    snprintf(texts[all.n], TEXT, "chakra.ranks=%" PRIu32, ranks);
    all.list[all.n] = texts[all.n];
    all.n++;
    snprintf(texts[all.n], TEXT, "chakra.groups=%s", side->groups ? side->groups : "");
    all.list[all.n] = texts[all.n];
    all.n++;
    for (size_t i = 0; i < set->n; i++)
        all.list[all.n++] = set->list[i];
    const struct weft_source_opts source = {.set = all};
    const struct weft_execute_opts eo = {0};
    struct weft_scenario *s = NULL;
    struct weft_execution x = {0};
    int rc = weft_source_load(cli, &source, NULL, 0, &s, err);
    if (!rc) {
        rc = weft_execute(cli, s, &eo, &x, err);
        weft_interrupt_saved();
        if (!rc && x.end.code)
            rc = weft_err_set(err, x.end.code, "'%s' did not finish on %s: %s", side->prefix,
                              f->name, x.end.reason);
        *out = (struct result){x.end.summary.end_ps, x.end.summary.exposed_mean_ps};
        weft_execution_free(&x);
    }
    weft_scenario_free(s);
    free(all.list);
    return rc;
}

/* Percent by which b is more than a; 0 of two that are 0. */
static double percent(int64_t a, int64_t b)
{
    return a ? 100 * ((double)b - (double)a) / (double)a : b ? INFINITY : 0;
}

static void compare_print_text(const struct weft_cli *cli, const char *what, int64_t a, int64_t b)
{
    char x[WEFT_UNIT_TEXT_MAX], y[WEFT_UNIT_TEXT_MAX];
    fprintf(cli->out, "    %-22s %14s %14s %+9.2f %%\n", what, weft_human_time(a, x),
            weft_human_time(b, y), percent(a, b));
}

static void compare_print_json(struct weft_json *j, const struct fabric *f,
                               const struct result r[2])
{
    weft_json_object(j);
    weft_json_kv_str(j, "fabric", f->name);
    weft_json_kv_i64(j, "step_time_a_ps", r[0].end_ps);
    weft_json_kv_i64(j, "step_time_b_ps", r[1].end_ps);
    weft_json_kv_f64(j, "step_time_percent", percent(r[0].end_ps, r[1].end_ps));
    weft_json_kv_i64(j, "exposed_a_ps", r[0].exposed_ps);
    weft_json_kv_i64(j, "exposed_b_ps", r[1].exposed_ps);
    weft_json_kv_f64(j, "exposed_percent", percent(r[0].exposed_ps, r[1].exposed_ps));
    weft_json_end_object(j);
}

int weft_trace_compare_on_fabrics(const struct weft_cli *cli, const struct weft_strings *set,
                                  bool json, const struct weft_compared sides[2],
                                  struct weft_err *err)
{
    struct weft_log quiet = *cli->log; /* what runs warn of is not about the comparison */
    struct weft_cli runs = *cli;
    struct weft_json j;
    uint32_t ranks[2] = {0, 0};
    quiet.level = WEFT_LOG_ERROR;
    runs.log = &quiet;
    for (int i = 0; i < 2; i++)
        if (ranks_of(sides[i].prefix, &ranks[i], err))
            return err->code;
    const uint32_t most = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
    if (json) {
        weft_trace_json(&j, cli, "trace compare");
        weft_json_kv_array(&j, "fabrics");
    } else {
        fprintf(cli->out, "%-26s %14s %14s\n", "played on", "the first", "the second");
    }
    int rc = 0;
    for (size_t k = 0; !rc && k < FABRICS; k++) {
        const struct fabric *f = &fabrics[k];
        struct result r[2] = {{0, 0}, {0, 0}};
        if (most > f->most) {
            weft_log(cli->log, WEFT_LOG_WARNING, "%s: for up to %" PRIu32 " ranks, left out",
                     f->name, f->most);
            continue;
        }
        for (int i = 0; !rc && i < 2; i++)
            rc = trace_tool_compare_play(&runs, set, f, &sides[i], ranks[i], &r[i], err);
        if (rc)
            break;
        if (json) {
            compare_print_json(&j, f, r);
            continue;
        }
        fprintf(cli->out, "  %s\n", f->name);
        compare_print_text(cli, "step time", r[0].end_ps, r[1].end_ps);
        compare_print_text(cli, "exposed communication", r[0].exposed_ps, r[1].exposed_ps);
    }
    if (json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
    return rc;
}

int weft_trace_compare(const struct weft_cli *cli, const struct weft_trace_opts *o, char **args,
                       int nargs, struct weft_err *err)
{
    struct weft_compared sides[2];
    char files[2][WEFT_PATH_MAX + 8];
    for (int i = 0; i < 2; i++) {
        snprintf(files[i], sizeof files[i], "%s.json", args[i]);
        sides[i] =
            (struct weft_compared){args[i], weft_file_is_regular(files[i]) ? files[i] : o->groups};
    }
    return weft_trace_compare_on_fabrics(cli, &o->set, o->json, sides, err);
}
