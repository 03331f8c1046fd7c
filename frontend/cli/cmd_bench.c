/* SPDX-License-Identifier: GPL-2.0-only */
/* weft bench: how fast the network backend and the frontend are, on named cases. */
#include "base/json.h"
#include "bench/bench.h"
#include "congestion/cc_table.h"
#include "report/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct bench_opts {
    struct weft_strings set;
    const char *backend, *controls, *threads, *processes, *hand_over;
    int list, json, quick, callgrind, in_process;
};

#define WEFT_OPTS struct bench_opts
static const struct weft_opt options[] = {
    WEFT_FLAG("list", 'l', list, "list the cases"),
    WEFT_TEXT("controls", 'c', controls, "NAME,NAME",
              "congestion controls to run each case with; default: dcqcn,hpcc,none, but that "
              "of the case where it names one"),
    WEFT_TEXT("threads", 0, threads, "N,N",
              "numbers of threads (run.threads) to run each case with, and how much faster than "
              "the first "
              "each is; default: what --set says"),
    WEFT_TEXT("processes", 0, processes, "N,N",
              "numbers of processes to run each case with, started by mpirun on this machine (1: "
              "none is), "
              "with memory, exchange and waiting of each; default: 1"),
    WEFT_FLAG("quick", 'q', quick, "run every case at its small size"),
    WEFT_FLAG(
        "callgrind", 0, callgrind,
        "also count instructions: runs each case once more under valgrind, some 50 times slower"),
    WEFT_TEXTS("set", 's', set, "KEY=VALUE",
               "override a setting of every case, for instance transport.mtu=4096B"),
    WEFT_TEXT("backend", 0, backend, "NAME", "network backend; default: the packet engine"),
    WEFT_FLAG("json", 0, json, "print as JSON"),
    WEFT_FLAG("in-process", 0, in_process,
              "run in this process instead of one per measurement: for profilers"),
    WEFT_TEXT("hand-over", 0, hand_over, "FILE",
              "with --in-process: print nothing, and write what was measured to FILE, for the "
              "'weft bench "
              "--processes' that has started this one"),
};
#undef FIELD

enum { MAX_CASES = 64, MAX_CONTROLS = 32, MAX_NUMBERS = 16 };

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
    return weft_err_set(
        err, WEFT_E_USAGE, "unknown case '%s'%s", name,
        WEFT_MEANT(name, names, n < MAX_CASES ? n : MAX_CASES, "; see 'weft bench --list'"));
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

/* The numbers of threads, or processes, to run with; one NULL: whatever the settings say. */
struct numbers {
    char text[128];
    const char *of[MAX_NUMBERS];
    size_t n;
};

/* @p option: that gave @p list. */
static int parse_numbers(struct numbers *t, const char *option, const char *list,
                         struct weft_err *err)
{
    *t = (struct numbers){.n = 1};
    if (!list)
        return 0;
    if (strlen(list) >= sizeof t->text)
        return weft_err_set(err, WEFT_E_USAGE, "%s: too long", option);
    memcpy(t->text, list, strlen(list) + 1);
    t->n = 0;
    for (char *p = t->text, *comma; p; p = comma) {
        comma = strchr(p, ',');
        if (comma)
            *comma++ = '\0';
        if (t->n == MAX_NUMBERS)
            return weft_err_set(err, WEFT_E_USAGE, "%s: at most %d numbers", option, MAX_NUMBERS);
        if (!*p || strspn(p, "0123456789") != strlen(p))
            return weft_err_set(err, WEFT_E_USAGE, "%s: '%s' is not a list of numbers, such as 1,2",
                                option, list);
        t->of[t->n++] = p;
    }
    return 0;
}

/* The numbers of threads and of processes: only one of them is more than one. */
static int parse_shares(struct numbers *threads, struct numbers *processes,
                        const struct bench_opts *o, struct weft_err *err)
{
    if (parse_numbers(threads, "--threads", o->threads, err) ||
        parse_numbers(processes, "--processes", o->processes, err))
        return err->code;
    if (o->processes && (o->threads || o->callgrind || o->in_process))
        return weft_err_set(err, WEFT_E_USAGE,
                            "--processes excludes --threads, --callgrind and --in-process");
    for (size_t i = 0; o->processes && i < processes->n; i++) {
        const unsigned long n = strtoul(processes->of[i], NULL, 10);
        if (n == 0 || n > WEFT_BENCH_PROCESSES)
            return weft_err_set(err, WEFT_E_USAGE, "--processes: %s: 1 to %u", processes->of[i],
                                WEFT_BENCH_PROCESSES);
    }
    return 0;
}

/* Measures, in the way that was asked for. */
static int bench_measure(const struct weft_cli *cli, const struct bench_opts *o,
                         const struct weft_bench_spec *spec, struct weft_bench_result *r,
                         struct weft_err *err)
{
    if (spec->processes > 1)
        return weft_bench_mpirun(cli, spec, r, err);
    if (!o->in_process)
        return weft_bench_fork(cli, spec, r, err);
    weft_bench_run(cli, spec, r);
    if (r->code)
        *err = r->err;
    if (r->code && r->code != WEFT_E_ALONE) /* else a reason to try otherwise */
        weft_err_prepend(err, "case %s", spec->c->name);
    return r->code;
}

/* What one of several processes has to hand over, or the first one alone. */
static int hand_over(const struct weft_cli *cli, const struct bench_opts *o,
                     struct weft_bench_result *r, struct weft_err *err)
{
    if (cli->alone)
        snprintf(r->alone, sizeof r->alone, "%s", cli->alone);
    return cli->peers && cli->peers->me != 0 ? 0 : weft_bench_hand_over(o->hand_over, r, err);
}

/* @p first: of the first number of threads, or processes, which sets it. */
static int one(const struct weft_cli *cli, const struct bench_opts *o,
               const struct weft_bench_spec *spec, struct weft_bench_result *first,
               struct weft_json *j, struct weft_err *err)
{
    struct weft_bench_result r;
    int code = bench_measure(cli, o, spec, &r, err);
    if (o->hand_over && code != WEFT_E_ALONE && hand_over(cli, o, &r, err) && !code)
        code = err->code;
    if (code || o->hand_over)
        return code;
    if (o->callgrind)
        code = weft_bench_callgrind(cli, spec, &r.instructions, err);
    r.one_wall_s = first->wall_s;
    r.one_cpu_s = first->threads.threads == 1 ? first->cpu_s : 0;
    r.one_rss_bytes = first->peak_rss_bytes;
    if (first->wall_s == 0)
        *first = r;
    if (!code && o->json)
        weft_bench_print_json(j, spec, &r);
    else if (!code)
        weft_bench_print(cli->out, spec, &r);
    return code;
}

/* One case with one control, by all numbers of threads or processes. */
static int each_number(const struct weft_cli *cli, const struct bench_opts *o,
                       const struct numbers *threads, const struct numbers *processes,
                       struct weft_bench_spec *spec, struct weft_json *j, struct weft_err *err)
{
    struct weft_bench_result first = {.wall_s = 0};
    int code = 0;
    for (size_t t = 0; t < threads->n && !code; t++)
        for (size_t k = 0; k < processes->n && !code; k++) {
            spec->threads = threads->of[t];
            spec->processes = processes->of[k] ? (unsigned)strtoul(processes->of[k], NULL, 10) : 1;
            code = one(cli, o, spec, &first, j, err);
        }
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
    struct numbers threads, processes;
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
        parse_shares(&threads, &processes, o, err))
        return err->code;
    if (cli->peers && !o->hand_over)
        return weft_err_set(err, WEFT_E_ALONE, "'weft bench' has nothing to share out");
    if (o->json) {
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "bench");
        weft_json_kv_array(&j, "cases");
    }
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        for (size_t k = 0; wanted(c[i].name, args, nargs) && k < controls.n && !code; k++) {
            if (k > 0 && brings_control(&c[i], o))
                break;
            struct weft_bench_spec spec = {.c = &c[i],
                                           .backend = o->backend,
                                           .control =
                                               brings_control(&c[i], o) ? NULL : controls.name[k],
                                           .quick = o->quick,
                                           .sets = &o->set};
            code = each_number(cli, o, &threads, &processes, &spec, &j, err);
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
               "second of CPU time.\nEach measurement is a process of its own, or several with "
               "--processes.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = bench_run,
};
