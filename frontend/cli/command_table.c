/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of commands. */
#include "command/command.h"

#include <string.h>

#define WEFT_COMMAND(x) extern const struct weft_command weft_command_##x;
#include "cli/commands.def"
#undef WEFT_COMMAND

static const struct weft_command *const table[] = {
#define WEFT_COMMAND(x) &weft_command_##x,
#include "cli/commands.def"
#undef WEFT_COMMAND
};
enum { N_COMMANDS = sizeof table / sizeof table[0] };

const struct weft_command *const *weft_commands(size_t *n)
{
    *n = N_COMMANDS;
    return table;
}

const struct weft_command *weft_command_find(const char *name, struct weft_err *err)
{
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) {
        names[i] = table[i]->name;
        if (strcmp(names[i], name) == 0)
            return table[i];
    }
    weft_err_set(err, WEFT_E_USAGE, "unknown command '%s'%s", name,
                 WEFT_MEANT(name, names, N_COMMANDS, "; see 'weft --help'"));
    return NULL;
}
