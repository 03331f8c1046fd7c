/* SPDX-License-Identifier: GPL-2.0-only */
/* weft doctor: what this program is made of and whether it can work here. */
#include "base/units.h"
#include "command/versions.h"
#include "report/report.h"
#include "run/execute.h"
#include "run/processes.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct doctor_opts {
    bool json;
};

#define WEFT_OPTS struct doctor_opts
static const struct weft_opt options[] = {
    WEFT_FLAG("json", 0, json, "print as JSON"),
};

enum state { PROBLEM, OK, ABSENT };

/* One finding. */
struct finding {
    const char *what;
    char text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX + 16];
    enum state state;
};

/* A two-rank all-reduce in a network: the shortest proof that it works. @p setting: what chooses
 * the network. @p ended: becomes the error where there is no memory for it, or a signal has come.
 */
static void try_net(const struct weft_cli *cli, const char *what, const char *setting,
                    struct finding *f, struct weft_err *ended)
{
    const char *const sets[] = {"topology.type=single-switch", "single-switch.hosts=2",
                                "workload.type=generate", "generate.size=4096B", setting};
    char text[WEFT_UNIT_TEXT_MAX];
    struct weft_err err = {0};
    struct weft_scenario *s = NULL;
    struct weft_execution x = {0};
    struct weft_execute_opts o = {0};
    struct weft_scenario_options so = {cli->backends, cli->nbackends, sets,
                                       sizeof sets / sizeof *sets};
    int code = weft_scenario_load(NULL, &so, &s, &err);
    if (!code)
        code = weft_execute(cli, s, &o, &x, &err);
    f->what = what;
    f->state = !code && x.end.code == 0 ? OK : PROBLEM;
    if (f->state == OK)
        snprintf(f->text, sizeof f->text, "works: 2-rank all-reduce of 4096 B in %s",
                 weft_human_time(x.end.summary.end_ps, text));
    else
        snprintf(f->text, sizeof f->text, "fails: %s",
                 code            ? err.msg
                 : *x.end.reason ? x.end.reason
                                 : "the run did not finish");
    if (code == WEFT_E_LIMIT || code == WEFT_E_INTERRUPTED)
        *ended = err;
    else if (!code && (x.end.code == WEFT_E_LIMIT || x.end.code == WEFT_E_INTERRUPTED))
        weft_err_set(ended, x.end.code, "%s", x.end.reason);
    weft_execution_free(&x);
    weft_scenario_free(s);
}

static void try_backend(const struct weft_cli *cli, const struct weft_net_backend *b,
                        struct finding *f, struct weft_err *ended)
{
    char setting[64];
    snprintf(setting, sizeof setting, "network.backend=%s", b->name);
    try_net(cli, b->name, setting, f, ended);
}

/* A part of the program, or the library of that, may be left out of an installation. */
static enum state without_part(const char *why)
{
    return strstr(why, "No such file") ? ABSENT : PROBLEM;
}

/* TCP is what most uses of ns-3 are for. */
static void try_ns3(const struct weft_cli *cli, struct finding *f, struct weft_err *ended)
{
    if (cli->ns3_version) {
        try_net(cli, "ns-3", "transport.type=tcp", f, ended);
        if (f->state == PROBLEM)
            f->state = without_part(f->text);
    } else {
        *f = (struct finding){.what = "ns-3", .state = ABSENT};
        snprintf(f->text, sizeof f->text,
                 "TCP needs it: -DWEFT_NS3=ON, libns3-dev; the rest is here");
    }
}

static struct finding look_for_mpi(void)
{
    struct weft_err err = {0};
    const char *library;
    struct finding f = {.what = "MPI", .state = OK};
    if (!weft_processes_built_in()) {
        f.state = ABSENT;
        snprintf(f.text, sizeof f.text, "mpirun -n 2 weft run needs it: libopenmpi-dev");
    } else if (weft_processes_library(&library, &err)) {
        f.state = without_part(err.msg);
        snprintf(f.text, sizeof f.text, "%s", err.msg);
    } else {
        snprintf(f.text, sizeof f.text, "built in, mpirun -n 2 weft run works: %.100s", library);
    }
    return f;
}

static int doctor_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                      struct weft_err *err)
{
    const struct doctor_opts *o = (const struct doctor_opts *)opts;
    struct weft_version v[WEFT_VERSIONS];
    struct finding found[16];
    size_t n = 0, bad = 0;
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "unexpected argument '%s'", args[0]);
    weft_versions(cli, v);
    for (size_t i = 0; i < cli->nbackends && n < 12; i++)
        try_backend(cli, cli->backends[i], &found[n++], err);
    try_ns3(cli, &found[n++], err);
    found[n++] = look_for_mpi();
    const bool writable = access(".", W_OK) == 0;
    found[n] = (struct finding){.what = "working directory", .state = writable ? OK : PROBLEM};
    snprintf(found[n].text, sizeof found[n].text, "%s",
             writable ? "writable" : "not writable: use weft run --out DIR or --no-out");
    n++;
    struct weft_json j;
    if (o->json) {
        weft_json_init(&j, cli->out, "standard output", 2);
        weft_json_object(&j);
        weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
        weft_json_kv_str(&j, "command", "doctor");
        weft_json_kv_object(&j, "versions");
    }
    for (int i = 0; i < WEFT_VERSIONS; i++) {
        if (o->json)
            weft_json_kv_str(&j, v[i].name, v[i].value);
        else
            fprintf(cli->out, "%-18s %s\n", v[i].name, v[i].value);
    }
    if (o->json) {
        weft_json_end_object(&j);
        weft_json_kv_array(&j, "findings");
    }
    for (size_t i = 0; i < n; i++) {
        static const char *const states[] = {"PROBLEM", "ok", "not built in"};
        bad += found[i].state == PROBLEM;
        if (!o->json) {
            fprintf(cli->out, "%-18s %s: %s\n", found[i].what, states[found[i].state],
                    found[i].text);
            continue;
        }
        weft_json_object(&j);
        weft_json_kv_str(&j, "what", found[i].what);
        weft_json_kv_bool(&j, "ok", found[i].state != PROBLEM);
        weft_json_kv_bool(&j, "built_in", found[i].state != ABSENT);
        weft_json_kv_str(&j, "text", found[i].text);
        weft_json_end_object(&j);
    }
    if (o->json) {
        weft_json_end_array(&j);
        weft_json_end_object(&j);
        weft_json_finish(&j, NULL);
    }
    return err->code ? err->code : bad ? WEFT_E_OUTCOME : 0;
}

const struct weft_command weft_command_doctor = {
    .name = "doctor",
    .summary = "Print versions and try every network backend",
    .usage = "",
    .example = "weft doctor",
    .details = "Exits 1 when something does not work.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = doctor_run,
};
