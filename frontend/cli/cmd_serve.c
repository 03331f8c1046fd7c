/* SPDX-License-Identifier: GPL-2.0-only */
/* weft serve: networks for programs in any language (lib/serve.h). */
#include "command/command.h"
#include "cli/cli_internal.h"
#include "run/interrupt.h"
#include "run/source.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct serve_opts {
    struct weft_source_opts source;
    const char *socket, *frame, *open, *memory;
};

#define WEFT_OPTS struct serve_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("socket", 0, socket, "PATH",
              "serve the clients of this Unix socket, each in a process of its own; default: one "
              "client on "
              "standard input and output"),
    WEFT_TEXT("frame", 0, frame, "SIZE", "longest request; default 1MiB, at most 15MiB"),
    WEFT_TEXT(
        "open", 0, open, "N",
        "most messages, timers and receives of a session that are not over; default 10000000"),
    WEFT_TEXT("memory", 0, memory, "SIZE", "most memory of a session, as ulimit -v"),
};

static int serve_limits(const struct serve_opts *o, struct weft_serve_config *c,
                        struct weft_err *err)
{
    uint64_t memory = 0;
    if (o->frame && weft_parse_size_bytes(o->frame, &c->frame_bytes, err))
        return weft_err_prepend(err, "--frame");
    if (c->frame_bytes < 64 || c->frame_bytes > 15 << 20)
        return weft_err_set(err, WEFT_E_USAGE, "--frame %s: must be 64B to 15MiB", o->frame);
    if (o->open && weft_parse_u64(o->open, &c->open_max, err))
        return weft_err_prepend(err, "--open");
    if (o->memory && weft_parse_size_bytes(o->memory, &memory, err))
        return weft_err_prepend(err, "--memory");
    const struct rlimit most = {memory, memory};
    if (memory && setrlimit(RLIMIT_AS, &most))
        return weft_err_set(err, WEFT_E_USAGE, "--memory %s: the system does not allow that",
                            o->memory);
    return 0;
}

static int serve_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                     struct weft_err *err)
{
    const struct serve_opts *o = (const struct serve_opts *)opts;
    struct weft_serve_config c = {.backends = cli->backends,
                                  .nbackends = cli->nbackends,
                                  .frame_bytes = 1 << 20,
                                  .open_max = 10000000};
    char path[WEFT_PATH_MAX], *texts = NULL;
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "weft serve takes one scenario");
    if (serve_limits(o, &c, err) || (nargs && weft_source_find(args[0], path, err)))
        return err->code;
    c.scenario = nargs ? path : NULL;
    const char **sets =
        (const char **)calloc(o->source.set.n + WEFT_SOURCE_SHORTS + 1, sizeof *sets);
    if (!sets)
        return weft_err_no_memory(err, "settings");
    for (size_t i = 0; i < o->source.set.n; i++)
        sets[c.nsets++] = o->source.set.list[i];
    int rc = weft_source_shorts(&o->source, sets, &c.nsets, &texts, err);
    c.sets = sets;
    if (!rc && o->socket) {
        weft_interrupt_set(WEFT_INTERRUPT_DEFER);
        rc = weft_serve_socket(&c, o->socket, cli->interrupted, err);
    } else if (!rc) {
        rc = weft_serve_client(&c, STDIN_FILENO, STDOUT_FILENO, err);
    }
    free(texts);
    free(sets);
    return rc;
}

const struct weft_command weft_command_serve = {
    .name = "serve",
    .summary = "Carry the messages of another simulator, which asks by JSON",
    .usage = "[SCENARIO]",
    .example = "weft serve --socket /tmp/weft",
    .details =
        "Requests and answers are JSON objects, one a line, or each behind its length (32 bits, "
        "most significant byte first). Verbs are open, post, run, stats, link, explain and close: "
        "docs/how-to/serve.md. A request that is wrong is answered; a session ends with its "
        "client. "
        "Sessions of SimLLM (simllm-htsim-flow-session-v1) are recognised. The scenario and the "
        "settings hold where a client names none.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = serve_run,
};
