/* SPDX-License-Identifier: GPL-2.0-only */
/* weft bench: how fast the network backend and the frontend are, on named cases. */
#include "base/json.h"
#include "cli/bench.h"
#include "congestion/cc.h"
#include "report/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct bench_opts {
    struct weft_strings set;
    const char *backend, *controls, *threads;
    int list, json, quick, callgrind, in_process;
};

#define FIELD(name) offsetof(struct bench_opts, name)
static const struct weft_opt options[] = {
    {"list", 'l', WEFT_OPT_FLAG, FIELD(list), NULL, NULL, "list the cases"},
    {"controls", 'c', WEFT_OPT_TEXT, FIELD(controls), "NAME,NAME", NULL,
     "congestion controls to run each case with; default: dcqcn,hpcc,none, but that "
     "of the case where it names one"},
    {"threads", 0, WEFT_OPT_TEXT, FIELD(threads), "N,N", NULL,
     "numbers of threads (run.threads) to run each case with, and how much faster than the first "
     "each is; default: what --set says"},
    {"quick", 'q', WEFT_OPT_FLAG, FIELD(quick), NULL, NULL, "run every case at its small size"},
    {"callgrind", 0, WEFT_OPT_FLAG, FIELD(callgrind), NULL, NULL,
     "also count instructions: runs each case once more under valgrind, some 50 times slower"},
    {"set", 's', WEFT_OPT_TEXTS, FIELD(set), "KEY=VALUE", NULL,
     "override a setting of every case, for instance transport.mtu=4096B"},
    {"backend", 0, WEFT_OPT_TEXT, FIELD(backend), "NAME", NULL,
     "network backend; default: the packet engine"},
    {"json", 0, WEFT_OPT_FLAG, FIELD(json), NULL, NULL, "print as JSON"},
    {"in-process", 0, WEFT_OPT_FLAG, FIELD(in_process), NULL, NULL,
     "run in this process instead of one per measurement: for profilers"},
};
#undef FIELD

enum { MAX_CASES = 64, MAX_CONTROLS = 32, MAX_THREADS = 16 };

/* The congestion controls to run with; one NULL: whatever the settings say. */
struct controls {
    char text[512];
    const char *name[MAX_CONTROLS];
    size_t n;
};

static int unknown_case(const char *name, struct weft_err *err)
{
    const char *names[MAX_CASES];
    size_t n;
    const struct weft_bench_case *c = weft_bench_cases(&n);
    for (size_t i = 0; i < n && i < MAX_CASES; i++)
        names[i] = c[i].name;
    const char *near = weft_nearest(name, names, n < MAX_CASES ? n : MAX_CASES);
    if (near)
        return weft_err_set(err, WEFT_E_USAGE, "unknown case '%s'; did you mean '%s'?", name, near);
    return weft_err_set(err, WEFT_E_USAGE, "unknown case '%s'; see 'weft bench --list'", name);
}

static int wanted(const char *name, char **args, int nargs)
{
    for (int i = 0; i < nargs; i++)
        if (strcmp(args[i], name) == 0)
            return 1;
    return nargs == 0;
}

static int check_cases(char **args, int nargs, struct weft_err *err)
{
    size_t n;
    const struct weft_bench_case *c = weft_bench_cases(&n);
    for (int i = 0; i < nargs; i++) {
        size_t k = 0;
        while (k < n && strcmp(c[k].name, args[i]) != 0)
            k++;
        if (k == n)
            return unknown_case(args[i], err);
    }
    return 0;
}

static int find_backend(const struct weft_cli *cli, const char *name,
                        const struct weft_net_backend **out, struct weft_err *err)
{
    *out = cli->backends[0];
    if (!name)
        return 0;
    for (size_t i = 0; i < cli->nbackends; i++)
        if (strcmp(cli->backends[i]->name, name) == 0) {
            *out = cli->backends[i];
            return 0;
        }
    return weft_err_set(err, WEFT_E_USAGE, "unknown backend '%s'; see 'weft list backends'", name);
}

static int sets_control(const struct weft_strings *sets)
{
    static const char key[] = "congestion-control.name=";
    for (size_t i = 0; i < sets->n; i++)
        if (strncmp(sets->list[i], key, sizeof key - 1) == 0)
            return 1;
    return 0;
}

static int parse_controls(struct controls *c, const struct bench_opts *o, int uses_cc,
                          struct weft_err *err)
{
    *c = (struct controls){.n = 1};
    int set = sets_control(&o->set);
    if (o->controls && !uses_cc)
        return weft_err_set(err, WEFT_E_USAGE,
                            "--controls: this backend has no congestion control");
    if (o->controls && set)
        return weft_err_set(err, WEFT_E_USAGE,
                            "--controls and --set congestion-control.name exclude each other");
    if (!uses_cc || set)
        return 0;
    const char *list = o->controls ? o->controls : "dcqcn,hpcc,none";
    if (strlen(list) >= sizeof c->text)
        return weft_err_set(err, WEFT_E_USAGE, "--controls: too long");
    memcpy(c->text, list, strlen(list) + 1);
    c->n = 0;
    for (char *p = c->text, *comma; p; p = comma) {
        comma = strchr(p, ',');
        if (comma)
            *comma++ = '\0';
        if (c->n == MAX_CONTROLS)
            return weft_err_set(err, WEFT_E_USAGE, "--controls: at most %d", MAX_CONTROLS);
        if (!weft_cc_find(p, err)) {
            weft_err_prepend(err, "--controls");
            return err->code = WEFT_E_USAGE;
        }
        c->name[c->n++] = p;
    }
    return 0;
}

/* The numbers of threads to run with; one NULL: whatever the settings say. */
struct numbers {
    char text[128];
    const char *of[MAX_THREADS];
    size_t n;
};

static int parse_threads(struct numbers *t, const char *list, struct weft_err *err)
{
    *t = (struct numbers){.n = 1};
    if (!list)
        return 0;
    if (strlen(list) >= sizeof t->text)
        return weft_err_set(err, WEFT_E_USAGE, "--threads: too long");
    memcpy(t->text, list, strlen(list) + 1);
    t->n = 0;
    for (char *p = t->text, *comma; p; p = comma) {
        comma = strchr(p, ',');
        if (comma)
            *comma++ = '\0';
        if (t->n == MAX_THREADS)
            return weft_err_set(err, WEFT_E_USAGE, "--threads: at most %d numbers", MAX_THREADS);
        if (!*p || strspn(p, "0123456789") != strlen(p))
            return weft_err_set(err, WEFT_E_USAGE,
                                "--threads: '%s' is not a list of numbers, such as 1,2", list);
        t->of[t->n++] = p;
    }
    return 0;
}

/* @p one_wall_s: time of the run with the first number of threads, which sets it. */
static int one(const struct weft_cli *cli, const struct bench_opts *o,
               const struct weft_bench_spec *spec, double *one_wall_s, struct weft_json *j,
               struct weft_err *err)
{
    struct weft_bench_result r;
    int code;
    if (o->in_process) {
        weft_bench_run(cli, spec, &r);
        code = r.code;
        if (code) {
            *err = r.err;
            weft_err_prepend(err, "case %s", spec->c->name);
        }
    } else {
        code = weft_bench_fork(cli, spec, &r, err);
    }
    if (!code && o->callgrind)
        code = weft_bench_callgrind(cli, spec, &r.instructions, err);
    r.one_wall_s = *one_wall_s;
    if (*one_wall_s == 0)
        *one_wall_s = r.wall_s;
    if (!code && o->json)
        weft_bench_print_json(j, spec, &r);
    else if (!code)
        weft_bench_print(cli->out, spec, &r);
    return code;
}

/* Whether a case says which congestion control it is for, and nobody asks for another. */
static bool brings_control(const struct weft_bench_case *c, const struct bench_opts *o)
{
    return !o->controls && strstr(c->settings, "congestion-control.name=");
}

static int bench_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                     struct weft_err *err)
{
    const struct bench_opts *o = (const struct bench_opts *)opts;
    const struct weft_net_backend *backend;
    struct controls controls;
    struct numbers threads;
    size_t n;
    const struct weft_bench_case *c = weft_bench_cases(&n);
    struct weft_json j;
    if (check_cases(args, nargs, err) || find_backend(cli, o->backend, &backend, err))
        return err->code;
    if (o->list) {
        for (size_t i = 0; i < n; i++)
            if (wanted(c[i].name, args, nargs))
                fprintf(cli->out, "%-20s  %s\n", c[i].name, c[i].help);
        return 0;
    }
    if (parse_controls(&controls, o, backend->uses_cc, err) ||
        parse_threads(&threads, o->threads, err))
        return err->code;
    if (o->json) {
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "bench");
        weft_json_key(&j, "cases");
        weft_json_array(&j);
    }
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        for (size_t k = 0; wanted(c[i].name, args, nargs) && k < controls.n && !code; k++) {
            if (k > 0 && brings_control(&c[i], o))
                break;
            double one_wall_s = 0;
            for (size_t t = 0; t < threads.n && !code; t++) {
                struct weft_bench_spec spec = {
                    &c[i],         o->backend, brings_control(&c[i], o) ? NULL : controls.name[k],
                    threads.of[t], o->quick,   &o->set};
                code = one(cli, o, &spec, &one_wall_s, &j, err);
            }
        }
    if (o->json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
    return code;
}

const struct weft_command weft_command_bench = {
    .name = "bench",
    .summary = "Measure the network backend and the frontend on named cases",
    .usage = "[--list] [CASE]...",
    .example = "weft bench permutation-k8 --controls dcqcn",
    .details = "A packet-hop is one packet of any kind serialised on one link. Rates are per "
               "second of CPU time.\nEach measurement is a process of its own.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct bench_opts),
    .run = bench_run,
};
