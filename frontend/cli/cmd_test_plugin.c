/* SPDX-License-Identifier: GPL-2.0-only */
/* weft test-plugin: whether a plug-in does what its family asks. */
#include "command/command.h"
#include "plugins/load.h"
#include "plugins/try.h"

struct test_plugin_opts {
    struct weft_strings set;
};

#define WEFT_OPTS struct test_plugin_opts
static const struct weft_opt options[] = {
    WEFT_TEXTS(
        "set", 's', set, "KEY=VALUE",
        "a setting of what is simulated, such as a parameter that must be given; repeatable"),
};

static void test_plugin_print(void *ctx, const char *what)
{
    fprintf((FILE *)ctx, "  %s\n", what);
}

static int test_plugin_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                           struct weft_err *err)
{
    const struct test_plugin_opts *o = (const struct test_plugin_opts *)opts;
    const struct weft_plugin_file *file;
    int worst = 0;
    if (nargs != 1)
        return weft_err_set(err, WEFT_E_USAGE, "weft test-plugin takes one file");
    if (weft_plugins_load(args[0], &file, err))
        return err->code;
    const struct weft_plugin_try how = {.backends = cli->backends,
                                        .nbackends = cli->nbackends,
                                        .sets = o->set.list,
                                        .nsets = o->set.n,
                                        .said = test_plugin_print,
                                        .ctx = cli->out};
    for (size_t i = 0; i < file->n; i++) {
        const struct weft_plugin *p = &file->list[i];
        struct weft_err e = {0};
        fprintf(cli->out, "%s %s\n", weft_plugin_family_name(p->family), weft_plugin_name(p));
        if (weft_plugin_try(&how, p, &e) == 0) {
            fprintf(cli->out, "  ok\n");
            continue;
        }
        fprintf(cli->out, "  PROBLEM: %s\n", e.msg);
        worst = e.code;
    }
    return worst;
}

const struct weft_command weft_command_test_plugin = {
    .name = "test-plugin",
    .summary = "Try a plug-in that is a file of its own",
    .usage = "FILE [--set KEY=VALUE]...",
    .example = "weft test-plugin ./my_cc.so",
    .details = "Loads the file and tries each of its members: a congestion control by random "
               "sequences of its hooks and in simulations, which must not depend on replay and "
               "threads; a topology in such simulations; a collective algorithm by the symbolic "
               "checker; parameters of all. Exits 1 when one does not do what its family asks "
               "(docs/how-to/plug-ins.md).",
    WEFT_COMMAND_OPTS(options, struct test_plugin_opts),
    .run = test_plugin_run,
};
