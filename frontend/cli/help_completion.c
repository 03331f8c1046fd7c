/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion for bash and zsh: commands, their options, words of options that are choices, what
 * list and show take; scenarios and keys of settings are asked of the program when they are needed.
 */
#include "cli/help_pages.h"
#include "command/listing.h"

#include <string.h>

/* Words joined by '|' with blanks between them. */
static void words(FILE *out, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static bool takes_value(const struct weft_opt *o)
{
    return o->kind != WEFT_OPT_FLAG;
}

/* What the argument of a command may be. */
static void arguments(FILE *out, const char *command)
{
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    const struct weft_command *const *c = weft_commands(&n);
    if (strcmp(command, "help") == 0)
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s%s", i ? " " : "", c[i]->name);
    weft_listings(&n);
    if (strcmp(command, "list") == 0) {
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s ", l[i].plural);
        fputs("scenarios metrics", out);
    }
    if (strcmp(command, "show") == 0)
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s%s", i ? " " : "", l[i].singular);
}

/* Whether a command takes nothing but such words. */
static bool only_words(const char *command)
{
    return strcmp(command, "list") == 0 || strcmp(command, "show") == 0 ||
           strcmp(command, "help") == 0 || strcmp(command, "explain") == 0;
}

static void bash_command(FILE *out, const struct weft_command *c)
{
    fprintf(out, "        %s)\n            options='", c->name);
    for (size_t i = 0; i < c->nopts; i++)
        fprintf(out, "--%s ", c->opts[i].name);
    fputs("--help'\n            words='", out);
    arguments(out, c->name);
    fprintf(out, "'\n            files=%s\n            case $before in\n",
            only_words(c->name) ? "" : "yes");
    for (size_t i = 0; i < c->nopts; i++) {
        const struct weft_opt *o = &c->opts[i];
        if (!takes_value(o))
            continue;
        fputs("                ", out);
        if (o->letter)
            fprintf(out, "-%c|", o->letter);
        fprintf(out, "--%s) ", o->name);
        if (o->kind == WEFT_OPT_CHOICE) {
            fputs("value='", out);
            words(out, o->choices);
            fputs("'", out);
        } else if (o->arg && (strstr(o->arg, "DIR") || strstr(o->arg, "FILE"))) {
            fputs("value=@files", out);
        } else if (strcmp(o->name, "set") == 0 || strcmp(o->name, "vary") == 0) {
            fputs("value=@keys", out);
        } else {
            fputs("value=@none", out);
        }
        fputs(" ;;\n", out);
    }
    fputs("            esac ;;\n", out);
}

void weft_print_bash(FILE *out, const struct weft_cli *cli)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    (void)cli;
    fputs("# SPDX-License-Identifier: GPL-2.0-only\n"
          "# Completion of weft for bash, from the tables of its commands.\n"
          "_weft()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} options='' words='' value='' files=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s ", c[i]->name);
    fputs("--help --version' -- \"$word\"))\n        return\n    fi\n    case $command in\n", out);
    for (size_t i = 0; i < n; i++)
        bash_command(out, c[i]);
    fputs("    esac\n"
          "    case $value in\n"
          "        @files) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "        @keys)\n"
          "            compopt -o nospace 2>/dev/null\n"
          "            COMPREPLY=($(compgen -S = -W \"$(weft explain 2>/dev/null)\" -- \"$word\")) "
          ";;\n"
          "        @none) ;;\n"
          "        '')\n"
          "            case $word in\n"
          "                -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "                *)\n"
          "                    case $command in\n"
          "                        run|sweep|check) words=$(weft list scenarios 2>/dev/null | cut "
          "-d' ' "
          "-f1) ;;\n"
          "                        explain) words=$(weft explain 2>/dev/null) ;;\n"
          "                    esac\n"
          "                    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "                    [ -z \"$files\" ] ||\n"
          "                        COMPREPLY+=($(compgen -f -- \"$word\")) ;;\n"
          "            esac ;;\n"
          "        *) COMPREPLY=($(compgen -W \"$value\" -- \"$word\")) ;;\n"
          "    esac\n}\ncomplete -o filenames -F _weft weft\n",
          out);
}

/* Text inside [...] and '...' of an option's description. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void zsh_words(FILE *out, const char *command)
{
    fputs("(", out);
    arguments(out, command);
    fputs(")", out);
}

static void zsh_option(FILE *out, const struct weft_opt *o)
{
    fprintf(out, "                '%s--%s%s[", o->kind == WEFT_OPT_TEXTS ? "*" : "", o->name,
            takes_value(o) ? "=" : "");
    zsh_text(out, o->help);
    fputs("]", out);
    if (o->kind == WEFT_OPT_CHOICE) {
        fputs(":word:(", out);
        words(out, o->choices);
        fputs(")", out);
    } else if (takes_value(o)) {
        fputs(":", out);
        zsh_text(out, o->arg ? o->arg : "value");
        fputs(o->arg && (strstr(o->arg, "DIR") || strstr(o->arg, "FILE")) ? ":_files" : ": ", out);
    }
    fputs("' \\\n", out);
}

void weft_print_zsh(FILE *out, const struct weft_cli *cli)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    (void)cli;
    fputs("#compdef weft\n# SPDX-License-Identifier: GPL-2.0-only\n"
          "# Completion of weft for zsh, from the tables of its commands.\n"
          "local -a commands\ncommands=(\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "    '%s:", c[i]->name);
        zsh_text(out, c[i]->summary);
        fputs("'\n", out);
    }
    fputs(")\nif (( CURRENT == 2 )); then\n    _describe command commands\nelse\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "        %s)\n            _arguments \\\n", c[i]->name);
        for (size_t k = 0; k < c[i]->nopts; k++)
            zsh_option(out, &c[i]->opts[k]);
        fputs("                '(-h --help)'{-h,--help}'[this text]' '*:argument:", out);
        if (strcmp(c[i]->name, "explain") == 0)
            fputs("($(weft explain 2>/dev/null))", out);
        else if (only_words(c[i]->name))
            zsh_words(out, c[i]->name);
        else
            fputs("_files", out);
        fputs("' ;;\n", out);
    }
    fputs("    esac\nfi\n", out);
}
