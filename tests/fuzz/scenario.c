/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios: a file, --set on a fixed file, --vary on the same. What resolves is written as XML,
 * which resolves to the same; what is small and names no file is built: fabric, faults, workload,
 * checks.
 */
#include "scenario.h"
#include "target.h"

#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 32 };

static const char base[] = "<scenario>\n"
                           "  <topology type=\"leaf-spine\"/>\n"
                           "  <workload type=\"generate\"/>\n"
                           "</scenario>\n";

static void put(void *ctx, const char *text, size_t len)
{
    REQUIRE(fwrite(text, 1, len, ctx) == len);
}

static char *written(const struct weft_scenario *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    const struct weft_text_sink sink = {out, put};
    weft_scenario_write_xml(s, &sink);
    REQUIRE(fclose(out) == 0);
    return text;
}

static struct weft_scenario_options options(const char *const *sets, size_t n)
{
    struct weft_scenario_options o = {.sets = sets, .nsets = n};
    o.backends = weft_fuzz_backends(&o.nbackends);
    return o;
}

/* A resolved scenario in XML resolves to itself. */
static void check_written(const struct weft_scenario *s)
{
    const struct weft_scenario_options o = options(NULL, 0);
    struct weft_scenario *again = NULL;
    struct weft_err err = {0};
    char *text = written(s);
    const int code = weft_scenario_parse(text, strlen(text), s->file, &o, &again, &err);
    if (code)
        fprintf(stderr, "%s\n%s\n", err.msg, text);
    REQUIRE(code == 0);
    char *twice = written(again);
    if (strcmp(text, twice) != 0)
        fprintf(stderr, "%s\n----\n%s\n", text, twice);
    REQUIRE(strcmp(text, twice) == 0);
    weft_scenario_free(again);
    free(twice);
    free(text);
}

/* Whether dimensions, "switch size=4; ring", multiply to few hosts; without a size they have 8. */
static bool few_hosts(const char *dimensions)
{
    uint64_t hosts = 1;
    for (const char *at = dimensions, *end; at; at = end ? end + 1 : NULL) {
        const char *size = strstr(at, "size=");
        end = strchr(at, ';');
        const uint64_t n = size && (!end || size < end) ? strtoull(size + 5, NULL, 10) : 8;
        hosts *= n ? n : 1;
        if (n > 4096 || hosts > 4096)
            return false;
    }
    return true;
}

/* Whether the numbers and lists of a section are small, and it names no file. */
static bool small(const struct weft_scenario_group *g)
{
    uint64_t product = 1;
    for (size_t i = 0; i < g->table->n; i++) {
        const struct weft_param *p = &g->table->params[i];
        const char *field = (const char *)g->values + p->offset, *text;
        uint64_t v;
        if (p->type == WEFT_PARAM_STRING) {
            memcpy(&text, field, sizeof text);
            if (text && text[0] &&
                (!p->def || strchr(text, '/') || !weft_fuzz_small(text, strlen(text)) ||
                 (strcmp(p->name, "dimensions") == 0 && !few_hosts(text))))
                return false;
        } else if (p->type == WEFT_PARAM_U64) {
            memcpy(&v, field, sizeof v);
            if (v > 1 && (v > 4096 || (product *= v) > 4096))
                return false;
        }
    }
    return true;
}

static void build(const struct weft_scenario *s)
{
    struct weft_scenario_parts parts;
    struct weft_err err = {0};
    for (size_t i = 0; i < s->ngroups; i++)
        if ((strcmp(s->groups[i].element, "topology") == 0 ||
             strcmp(s->groups[i].element, "workload") == 0 ||
             strcmp(s->groups[i].element, "fault") == 0) &&
            !small(&s->groups[i]))
            return;
    if (weft_fuzz_ok(weft_scenario_build(s, &parts, &err), &err))
        weft_scenario_parts_free(&parts);
}

static void play(const char *text, size_t len, const char *const *sets, size_t nsets)
{
    const struct weft_scenario_options o = options(sets, nsets);
    struct weft_scenario *s = NULL;
    struct weft_err err = {0};
    if (!weft_fuzz_ok(weft_scenario_parse(text, len, "fuzz.xml", &o, &s, &err), &err))
        return;
    check_written(s);
    build(s);
    weft_scenario_free(s);
}

void weft_fuzz_scenario(const uint8_t *data, size_t size)
{
    play((const char *)data, size, NULL, 0);
}

void weft_fuzz_set(const uint8_t *data, size_t size)
{
    const char *sets[LINES_MAX];
    size_t n = 0;
    char *text = weft_fuzz_text(data, size), *rest = text;
    while (rest && n < LINES_MAX)
        sets[n++] = strsep(&rest, "\n");
    if (n && !sets[n - 1][0])
        n--; /* behind the last line */
    play(base, sizeof base - 1, sets, n);
    free(text);
}

/* Each line is a --vary; its first and its last value are set. */
void weft_fuzz_vary(const uint8_t *data, size_t size)
{
    char *text = weft_fuzz_text(data, size), *rest = text;
    struct weft_cli cli = {.nbackends = 0};
    cli.backends = weft_fuzz_backends(&cli.nbackends);
    for (unsigned i = 0; rest && i < 4; i++) {
        struct weft_sweep_axis axis;
        struct weft_err err = {0};
        struct weft_arena *arena = weft_arena_new();
        REQUIRE(arena);
        if (weft_fuzz_ok(weft_sweep_read_axis(strsep(&rest, "\n"), &cli, arena, &axis, &err),
                         &err)) {
            REQUIRE(axis.n >= 1 && axis.n <= WEFT_SWEEP_VALUES && axis.nkeys >= 1);
            for (size_t k = 0; k<axis.n; k += axis.n> 1 ? axis.n - 1 : 1) {
                const char *set =
                    weft_arena_printf(arena, "%s=%s", axis.key[0], axis.value[0].list[k]);
                REQUIRE(set);
                play(base, sizeof base - 1, &set, 1);
            }
        }
        weft_arena_free(arena);
    }
    free(text);
}
