/* SPDX-License-Identifier: GPL-2.0-only */
/* weft bench: how fast the network backend is. Each case runs in a process of its own, so that its peak memory is its own. */
#include "base/json.h"
#include "base/units.h"
#include "cli/bench.h"
#include "report/report.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench_opts {
    struct weft_strings set;
    const char *backend;
    int list, json;
};

static const struct weft_opt options[] = {
    {"list", 'l', WEFT_OPT_FLAG, offsetof(struct bench_opts, list), NULL, NULL, "list the cases"},
    {"set", 's', WEFT_OPT_TEXTS, offsetof(struct bench_opts, set), "KEY=VALUE", NULL,
     "override a setting of every case, for instance congestion-control.name=none"},
    {"backend", 0, WEFT_OPT_TEXT, offsetof(struct bench_opts, backend), "NAME", NULL,
     "network backend; default: the packet engine"},
    {"json", 0, WEFT_OPT_FLAG, offsetof(struct bench_opts, json), NULL, NULL, "print as JSON"},
};

/* Runs a case in a child process. */
static int run_forked(const struct weft_cli *cli, const struct weft_bench_case *c,
                      const struct bench_opts *o, struct weft_bench_result *r, struct weft_err *err)
{
    int fd[2];
    if (pipe(fd) != 0)
        return weft_err_set(err, WEFT_E_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(cli->out);
    fflush(cli->err);
    pid_t pid = fork();
    if (pid < 0) {
        close(fd[0]);
        close(fd[1]);
        return weft_err_set(err, WEFT_E_LIMIT, "cannot start a process: %s", strerror(errno));
    }
    if (pid == 0) {
        close(fd[0]);
        weft_bench_run(cli, c, o->backend, &o->set, r);
        const char *p = (const char *)r;
        size_t left = sizeof *r;
        while (left > 0) {
            ssize_t w = write(fd[1], p, left);
            if (w <= 0)
                _exit(1);
            p += w;
            left -= (size_t)w;
        }
        _exit(0);
    }
    close(fd[1]);
    size_t got = 0;
    for (ssize_t n; got < sizeof *r && (n = read(fd[0], (char *)r + got, sizeof *r - got)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    close(fd[0]);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (*cli->interrupted)
        return weft_err_set(err, WEFT_E_INTERRUPTED, "interrupted");
    if (got != sizeof *r)
        return weft_err_set(err, WEFT_E_INTERNAL, "case %s: its process died (status %d)", c->name,
                            status);
    if (r->code) {
        *err = r->err;
        return weft_err_prepend(err, "case %s", c->name);
    }
    return 0;
}

static double per(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void print_text(const struct weft_cli *cli, const struct weft_bench_case *c,
                       const struct weft_bench_result *r)
{
    char time[WEFT_UNIT_TEXT_MAX], size[WEFT_UNIT_TEXT_MAX];
    fprintf(cli->out,
            "%s: %s, %s\n"
            "  packet hops            %llu\n"
            "  packet hops/s          %.3g (CPU time)\n"
            "  events/packet hop      %.3f\n"
            "  simulated time         %s\n"
            "  wall, CPU time         %.2f s, %.2f s\n"
            "  peak memory            %s\n",
            c->name, c->help, c->cc, (unsigned long long)r->packet_hops,
            per((double)r->packet_hops, r->cpu_s), per((double)r->events, (double)r->packet_hops),
            weft_human_time(r->simulated_ps, time), r->wall_s, r->cpu_s,
            weft_human_size(r->peak_rss_bytes, size));
    fflush(cli->out);
}

static void print_json(struct weft_json *j, const struct weft_bench_case *c,
                       const struct weft_bench_result *r)
{
    weft_json_object(j);
    weft_json_kv_str(j, "case", c->name);
    weft_json_kv_u64(j, "messages", r->messages);
    weft_json_kv_u64(j, "message_bytes", r->bytes);
    weft_json_kv_u64(j, "packet_hops", r->packet_hops);
    weft_json_kv_u64(j, "events", r->events);
    weft_json_kv_f64(j, "events_per_packet_hop", per((double)r->events, (double)r->packet_hops));
    weft_json_kv_f64(j, "simulated_ns", (double)r->simulated_ps / 1000);
    weft_json_key(j, "host");
    weft_json_object(j);
    weft_json_kv_f64(j, "packet_hops_per_s", per((double)r->packet_hops, r->cpu_s));
    weft_json_kv_f64(j, "wall_time_s", r->wall_s);
    weft_json_kv_f64(j, "cpu_time_s", r->cpu_s);
    weft_json_kv_u64(j, "peak_rss_bytes", r->peak_rss_bytes);
    weft_json_end_object(j);
    weft_json_end_object(j);
}

static int unknown_case(const char *name, struct weft_err *err)
{
    const char *names[64];
    size_t n;
    const struct weft_bench_case *c = weft_bench_cases(&n);
    for (size_t i = 0; i < n && i < 64; i++)
        names[i] = c[i].name;
    const char *near = weft_nearest(name, names, n < 64 ? n : 64);
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

static int check_names(const struct weft_cli *cli, const struct bench_opts *o, char **args,
                       int nargs, struct weft_err *err)
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
    for (size_t i = 0; o->backend && i < cli->nbackends; i++)
        if (strcmp(cli->backends[i]->name, o->backend) == 0)
            return 0;
    return o->backend ? weft_err_set(err, WEFT_E_USAGE,
                                     "unknown backend '%s'; see 'weft list backends'", o->backend)
                      : 0;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct bench_opts *o = (const struct bench_opts *)opts;
    size_t n;
    const struct weft_bench_case *c = weft_bench_cases(&n);
    struct weft_json j;
    if (check_names(cli, o, args, nargs, err))
        return err->code;
    if (o->list) {
        for (size_t i = 0; i < n; i++)
            if (wanted(c[i].name, args, nargs))
                fprintf(cli->out, "%-22s  %s\n", c[i].name, c[i].help);
        return 0;
    }
    if (o->json) {
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "bench");
        weft_json_key(&j, "cases");
        weft_json_array(&j);
    }
    int code = 0;
    for (size_t i = 0; i < n && !code; i++) {
        struct weft_bench_result r;
        if (!wanted(c[i].name, args, nargs))
            continue;
        code = run_forked(cli, &c[i], o, &r, err);
        if (!code && o->json)
            print_json(&j, &c[i], &r);
        else if (!code)
            print_text(cli, &c[i], &r);
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
    .summary = "Measure the network backend on named cases",
    .usage = "[--list] [CASE]...",
    .example = "weft bench permutation-k8",
    .details = "A packet hop is one packet of any kind serialised on one link. Rates are per "
               "second of CPU time.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct bench_opts),
    .run = run,
};
