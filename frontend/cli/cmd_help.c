/* SPDX-License-Identifier: GPL-2.0-only */
/* weft help, weft --help and weft --version. */
#include "cli/cli_internal.h"
#include "command/command.h"
#include "command/versions.h"

#include <stddef.h>

struct help_opts {
    int as; /* enum */
};
enum { AS_TEXT, AS_MAN, AS_BASH, AS_ZSH };

#define WEFT_OPTS struct help_opts
static const struct weft_opt options[] = {
    WEFT_CHOICE("as", 0, as, "text|man|bash|zsh", "text, a man page, or completion for a shell"),
};

static int help_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    const struct help_opts *o = (const struct help_opts *)opts;
    struct weft_version v[WEFT_VERSIONS];
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one command at a time");
    if (nargs && o->as >= AS_BASH)
        return weft_err_set(err, WEFT_E_USAGE, "completion is of the whole program");
    const struct weft_command *c = nargs ? weft_command_find(args[0], err) : NULL;
    if (nargs && !c)
        return err->code;
    weft_versions(cli, v);
    if (o->as == AS_MAN)
        weft_print_man(cli->out, c, v[0].value);
    else if (o->as == AS_BASH)
        weft_print_bash(cli->out, cli);
    else if (o->as == AS_ZSH)
        weft_print_zsh(cli->out, cli);
    else if (c)
        weft_print_command_help(cli->out, c);
    else
        weft_program_help(cli->out);
    return 0;
}

void weft_program_help(FILE *out)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    fputs("Example: weft run scenarios/allreduce-clos16/scenario.xml\n\n"
          "weft simulates distributed AI training and its network, packet by packet: RoCE, Ultra "
          "Ethernet, TCP.\n\n"
          "Usage: weft COMMAND [ARGUMENT]...\n\nCommands:\n",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-11s  %s\n", c[i]->name, c[i]->summary);
    fputs(
        "\nEach command explains itself: weft COMMAND --help. 'weft --version' prints versions.\n"
        "Each takes --plugin FILE as well, a plug-in in a file of its own "
        "(docs/how-to/plug-ins.md).\n"
        "Exit codes: 0 ok; 1 ran, but the outcome is bad; 2 wrong command line; 3 invalid input;\n"
        "4 input/output; 5 out of memory or over a limit; 70 a bug in weft; 130 interrupted.\n",
        out);
}

const struct weft_command weft_command_help = {
    .name = "help",
    .summary = "Explain a command",
    .usage = "[COMMAND] [--as text|man|bash|zsh]",
    .example = "weft help run",
    .details = "Man pages and completion are made from the same tables as this text, and are "
               "installed with the program.\nWithout installing: source <(weft help --as bash)",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = help_run,
};
