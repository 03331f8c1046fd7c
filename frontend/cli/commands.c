/* SPDX-License-Identifier: GPL-2.0-only */
/* The way from argv to a command. */
#include "plugins/load.h"
#include "run/processes_alone.h"

#include <stdlib.h>
#include <string.h>

static int commands_report(const struct weft_cli *cli, const struct weft_err *err)
{
    char text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX + 64];
    if (err->code && err->msg[0])
        weft_log(cli->log, WEFT_LOG_ERROR, "%s", weft_err_format(err, text, sizeof text));
    return weft_exit_code(err->code);
}

/* The exit code once the answer is complete. */
static int answered(const struct weft_cli *cli)
{
    struct weft_err err = {0};
    weft_out_finish(cli->out, cli->written, &err);
    return commands_report(cli, &err);
}

/* Of a setting that was given twice the last value holds: not what a user expects who has forgotten
 * the first. */
static void warn_of_twice(const struct weft_cli *cli, const struct weft_command *c,
                          const void *opts)
{
    const struct weft_strings *sets = NULL;
    for (size_t i = 0; i < c->nopts; i++)
        if (c->opts[i].kind == WEFT_OPT_TEXTS && strcmp(c->opts[i].name, "set") == 0)
            sets =
                (const struct weft_strings *)(const void *)((const char *)opts + c->opts[i].offset);
    for (size_t i = 0; sets && i < sets->n; i++)
        for (size_t k = i + 1; k < sets->n; k++) {
            const size_t n = strcspn(sets->list[i], "=");
            if (strncmp(sets->list[i], sets->list[k], n + 1) != 0 || !sets->list[i][n])
                continue;
            weft_log(cli->log, WEFT_LOG_INFO, "--set %.*s is given twice: '%s' holds, not '%s'",
                     (int)n, sets->list[i], sets->list[k] + n + 1, sets->list[i] + n + 1);
            break;
        }
}

static int run_command(const struct weft_cli *cli, const struct weft_command *c, int argc,
                       char **argv)
{
    struct weft_err err = {0}, unwritten = {0};
    void *opts = calloc(1, c->opts_size);
    if (!opts) {
        weft_err_set(&err, WEFT_E_LIMIT, "out of memory for the options of '%s'", c->name);
        return commands_report(cli, &err);
    }
    int first = 0, code = 0;
    switch (weft_opts_parse(c, &argc, argv, opts, &first, &err)) {
    case WEFT_PARSED_HELP:
        weft_print_command_help(cli->out, c);
        break;
    case WEFT_PARSED_ERROR:
        code = err.code;
        break;
    case WEFT_PARSED_OK:
        warn_of_twice(cli, c, opts);
        code = weft_processes_command(cli, c, opts, argv + first, argc - first, &err);
        break;
    }
    weft_opts_free(c, opts);
    free(opts);
    if (code && err.code)
        commands_report(cli, &err);
    if (weft_out_finish(cli->out, cli->written, &unwritten)) {
        commands_report(cli, &unwritten);
        if (!code || code == WEFT_E_OUTCOME)
            code = unwritten.code;
    }
    if (err.code == WEFT_E_USAGE)
        fprintf(cli->err, "usage: weft %s %s\nMore: weft %s --help\n", c->name, c->usage, c->name);
    return weft_exit_code(code);
}

int weft_cli_main(const struct weft_cli *cli, int argc, char **argv)
{
    struct weft_err loaded = {0};
    if (weft_plugins_load_folders(cli->plugin_path, &loaded) ||
        weft_plugins_take_options(&argc, argv, &loaded))
        return commands_report(cli, &loaded);
    if (argc < 2) {
        weft_program_help(cli->err);
        return weft_exit_code(WEFT_E_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        weft_program_help(cli->out);
        return answered(cli);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        weft_program_version(cli);
        return answered(cli);
    }
    struct weft_err err = {0};
    const struct weft_command *c = NULL;
    if (argv[1][0] == '-')
        weft_err_set(&err, WEFT_E_USAGE,
                     "unknown option '%s'; a command comes first, see 'weft --help'", argv[1]);
    else
        c = weft_command_find(argv[1], &err);
    return c ? run_command(cli, c, argc - 1, argv + 1) : commands_report(cli, &err);
}
