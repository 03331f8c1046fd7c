/* SPDX-License-Identifier: GPL-2.0-only */
/* weft timeline: a run for Perfetto. */
#include "base/file.h"
#include "base/units.h"
#include "command/command.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct timeline_opts {
    const char *out, *messages;
};

#define WEFT_OPTS struct timeline_opts
static const struct weft_opt options[] = {
    WEFT_TEXT(
        "out", 'o', out, "FILE",
        "where to write it; default: timeline.json in the folder of the run; -: standard output"),
    WEFT_TEXT("messages", 0, messages, "N",
              "draw messages of the network, if there are at most so many; default 50000; 0: none"),
};

static void timeline_say(const struct weft_cli *cli, const char *path,
                         const struct weft_timeline_content *c, uint64_t bytes)
{
    char size[WEFT_UNIT_TEXT_MAX], end[WEFT_UNIT_TEXT_MAX];
    fprintf(cli->out,
            "%s: %" PRIu64 " slices over %s, %" PRIu64 " arrows from sender to receiver, %s\n",
            path, c->slices, weft_human_time(c->end_ps, end), c->arrows,
            weft_human_size(bytes, size));
    if (!c->with_messages)
        fprintf(cli->out,
                "without the %" PRIu64 " messages of the network; --messages %" PRIu64
                " draws them\n",
                c->messages, c->messages);
    if (c->counted || c->uncounted)
        fprintf(cli->out, "counters of %" PRIu64 " ports, buffers and queue pairs\n", c->counted);
    if (c->uncounted)
        fprintf(cli->out,
                "without %" PRIu64 " with smaller values; sample fewer (sample.what) to see them\n",
                c->uncounted);
    if (c->crowded)
        fprintf(cli->out,
                "without %" PRIu64 " slices that lie over 256 others of the same rank or host\n",
                c->crowded);
    fputs("open it at https://ui.perfetto.dev or in chrome://tracing\n", cli->out);
}

/* Writes the whole text into its place, so that no half of one is left. */
static int write_file(const struct weft_cli *cli, const char *dir, const char *path, uint64_t most,
                      struct weft_err *err)
{
    struct weft_timeline_content content;
    struct weft_memfile text;
    if (weft_memfile_open(&text, "a timeline", err))
        return err->code;
    int code = weft_timeline_write(dir, most, text.f, path, &content, err);
    code = weft_memfile_write(&text, "a timeline", path, code, err);
    if (!code)
        timeline_say(cli, path, &content, text.size);
    return code;
}

static int timeline_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                        struct weft_err *err)
{
    const struct timeline_opts *o = (const struct timeline_opts *)opts;
    struct weft_timeline_content content;
    char path[WEFT_PATH_MAX];
    uint64_t most = WEFT_TIMELINE_MESSAGES;
    struct weft_err why = {0};
    if (nargs != 1)
        return weft_err_set(err, WEFT_E_USAGE, "timeline needs the folder of a run");
    if (o->messages && weft_parse_u64(o->messages, &most, &why))
        return weft_err_set(err, WEFT_E_USAGE, "--messages %s: %s", o->messages, why.msg);
    if (o->out && strcmp(o->out, "-") == 0)
        return weft_timeline_write(args[0], most, cli->out, "standard output", &content, err);
    if (!o->out && weft_path_join(path, args[0], "timeline.json", err))
        return err->code;
    return write_file(cli, args[0], o->out ? o->out : path, most, err);
}

const struct weft_command weft_command_timeline = {
    .name = "timeline",
    .summary = "Write the timeline of a run for Perfetto",
    .usage = "DIR [--out FILE]",
    .example = "weft timeline out/allreduce-clos16",
    .details =
        "DIR is the folder of a run (weft run --out). A track per rank for computation, memory, "
        "communication and phases of collectives;\n"
        "per host its messages, with arrows to their receivers; pauses of ports; the critical "
        "path;\n"
        "counters of what was sampled (sample.what).",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = timeline_run,
};
