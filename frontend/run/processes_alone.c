/* SPDX-License-Identifier: GPL-2.0-only */
/* Falls back to one process where several cannot share a run, and says why. */
#include "run/processes_alone.h"

#include "run/held_log.h"
#include "run/processes.h"

#include <string.h>

/* Whether a command has something to share out at all. */
static bool shares(const struct weft_command *c)
{
    static const char *const all[] = {"run", "hpcc", "bench"};
    return WEFT_IS_ONE_OF(c->name, all);
}

/* The first process does it, for the reason in *err. */
static int alone(const struct weft_cli *cli, const struct weft_command *c, const void *opts,
                 char **args, int nargs, struct weft_err *err)
{
    const struct weft_peers *peers = cli->peers;
    struct weft_cli own = *cli;
    char why[WEFT_ERR_MSG_MAX];
    snprintf(why, sizeof why, "%s", err->msg);
    *err = (struct weft_err){0};
    if (peers->me != 0)
        return 0;
    weft_log(cli->log, WEFT_LOG_WARNING, "1 of %u processes does this alone: %s", peers->n, why);
    weft_processes_forget();
    own.peers = NULL;
    own.processes = peers->n;
    own.alone = why;
    return c->run(&own, opts, args, nargs, err);
}

int weft_processes_command(const struct weft_cli *cli, const struct weft_command *c,
                           const void *opts, char **args, int nargs, struct weft_err *err)
{
    if (!cli->peers)
        return c->run(cli, opts, args, nargs, err);
    if (!shares(c)) {
        weft_err_set(err, WEFT_E_ALONE, "'weft %s' has nothing to share out", c->name);
        return alone(cli, c, opts, args, nargs, err);
    }
    struct weft_cli all = *cli;
    all.processes = cli->peers->n;
    weft_held_log_hold(cli->log);
    const int code = c->run(&all, opts, args, nargs, err);
    if (err->code != WEFT_E_ALONE) {
        weft_held_log_release();
        return code;
    }
    weft_held_log_drop();
    return alone(cli, c, opts, args, nargs, err);
}

void weft_processes_text(const struct weft_cli *cli)
{
    if (cli->alone)
        fprintf(cli->out, "  %-24s 1 of %u: %s\n", "processes", cli->processes, cli->alone);
}

void weft_processes_json(struct weft_json *j, const struct weft_cli *cli)
{
    if (cli->processes < 2)
        return;
    weft_json_kv_object(j, "processes");
    weft_json_kv_u64(j, "started", cli->processes);
    weft_json_kv_u64(j, "simulating", cli->alone ? 1 : cli->processes);
    weft_json_kv_str(j, "reason", cli->alone);
    weft_json_end_object(j);
}
