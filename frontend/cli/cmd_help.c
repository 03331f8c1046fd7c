/* SPDX-License-Identifier: GPL-2.0-only */
/* weft help, weft --help and weft --version. */
#include "cli/cli.h"
#include "cli/versions.h"

static int help_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                    struct weft_err *err)
{
    (void)opts;
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one command at a time");
    if (nargs == 0) {
        weft_program_help(cli->out);
        return 0;
    }
    const struct weft_command *c = weft_command_find(args[0], err);
    if (!c)
        return err->code;
    weft_print_command_help(cli->out, c);
    return 0;
}

void weft_program_help(FILE *out)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    fputs("Example: weft run scenarios/allreduce-clos16/scenario.xml\n\n"
          "weft simulates distributed AI training on a RoCE fabric, packet by packet, inside "
          "ns-3.\n\n"
          "Usage: weft COMMAND [ARGUMENT]...\n\nCommands:\n",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-8s  %s\n", c[i]->name, c[i]->summary);
    fputs(
        "\nEach command explains itself: weft COMMAND --help. 'weft --version' prints versions.\n"
        "Exit codes: 0 ok; 1 ran, but the outcome is bad; 2 wrong command line; 3 invalid input;\n"
        "4 input/output; 5 out of memory or over a limit; 70 a bug in weft; 130 interrupted.\n",
        out);
}

const struct weft_command weft_command_help = {
    .name = "help",
    .summary = "Explain a command",
    .usage = "[COMMAND]",
    .example = "weft help run",
    .details = "",
    .opts_size = 1,
    .run = help_run,
};
