/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion for bash and zsh: commands, their options, words of options that are choices, what
 * list and show take; scenarios and keys of settings are asked of the program when they are needed.
 */
#include "cli/cli_internal.h"
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

static bool takes_setting(const struct weft_opt *o)
{
    return strcmp(o->name, "set") == 0 || strcmp(o->name, "vary") == 0;
}

static bool takes_file(const struct weft_opt *o)
{
    return o->arg && (strstr(o->arg, "DIR") || strstr(o->arg, "FILE"));
}

/* The first argument of a command that takes words. */
static void first_words(FILE *out, const char *command)
{
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    if (strcmp(command, "list") == 0) {
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s ", l[i].plural);
        for (size_t i = 0; weft_list_other(i); i++)
            fprintf(out, "%s%s", i ? " " : "", weft_list_other(i));
    } else if (strcmp(command, "show") == 0) {
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s ", l[i].singular);
        fputs("scenario fabric output schema", out);
    } else if (strcmp(command, "help") == 0) {
        const struct weft_command *const *c = weft_commands(&n);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s%s", i ? " " : "", c[i]->name);
    }
}

/* Whether a command's arguments are such words, keys and what belongs to them, never just files. */
static bool only_words(const char *command)
{
    return strcmp(command, "list") == 0 || strcmp(command, "show") == 0 ||
           strcmp(command, "help") == 0 || strcmp(command, "explain") == 0;
}

static bool takes_scenario(const struct weft_command *c)
{
    return strstr(c->usage, "[SCENARIO]") == c->usage;
}

static void names(FILE *out, const struct weft_cli *cli, const struct weft_listing *l)
{
    struct weft_listed e;
    for (size_t i = 0; l->get(cli, i, &e); i++)
        fprintf(out, " %s", e.name);
}

/* Functions that both shells call: each prints words. */
static void functions(FILE *out, const struct weft_cli *cli)
{
    /* Settings whose values are names of a family. */
    static const char *const types[][2] = {{"topology.type", "topology"},
                                           {"workload.type", "workload"},
                                           {"congestion-control.name", "cc"},
                                           {"network.backend", "backend"}};
    const size_t ntypes = sizeof types / sizeof types[0];
    size_t n;
    const struct weft_listing *l = weft_listings(&n);
    fputs("_weft_scenarios() { weft list scenarios 2>/dev/null | cut -d' ' -f1; }\n"
          "_weft_keys() { weft explain 2>/dev/null; echo",
          out);
    for (size_t i = 0; i < ntypes; i++)
        fprintf(out, " %s", types[i][0]);
    fputs("; }\n_weft_names()\n{\n    case $1 in\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "        %s) echo", l[i].singular);
        names(out, cli, &l[i]);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n_weft_values()\n{\n    case $1 in\n", out);
    for (size_t i = 0; i < ntypes; i++)
        fprintf(out, "        %s) _weft_names %s ;;\n", types[i][0], types[i][1]);
    fputs("        *) weft explain \"$1\" 2>/dev/null | tr '|' ' ' |\n"
          "            sed -n \"s/^  $1  *choice .*, one of //p; s/^  $1  *bool .*/true false/p\" "
          ";;\n    esac\n}\n",
          out);
}

static void bash_command(FILE *out, const struct weft_command *c)
{
    const struct weft_opt *o;
    fprintf(out, "        %s)\n            options='", c->name);
    for (size_t i = 0; (o = weft_command_opt(c, i)); i++)
        fprintf(out, "--%s ", o->name);
    fputs("--help'\n            valued='", out);
    for (size_t i = 0; (o = weft_command_opt(c, i)); i++) {
        if (takes_value(o) && o->letter)
            fprintf(out, "-%c ", o->letter);
        if (takes_value(o))
            fprintf(out, "--%s ", o->name);
    }
    fputs("'\n            words='", out);
    first_words(out, c->name);
    fprintf(out, "'\n            files=%s scenarios=%s\n            case $before in\n",
            only_words(c->name) ? "" : "yes", takes_scenario(c) ? "yes" : "");
    for (size_t i = 0; (o = weft_command_opt(c, i)); i++) {
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
        } else {
            fprintf(out, "value=@%s",
                    takes_file(o)      ? "files"
                    : takes_setting(o) ? "settings"
                                       : "none");
        }
        fputs(" ;;\n", out);
    }
    fputs("            esac ;;\n", out);
}

void weft_print_bash(FILE *out, const struct weft_cli *cli)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    fputs("# SPDX-License-Identifier: GPL-2.0-only\n"
          "# Completion of weft for bash, from the tables of its commands.\n",
          out);
    functions(out, cli);
    /* Bash cuts words at '=' and ':' and replaces the last piece alone: the words are put together
     * again, and what stands before that piece is taken from the answers. */
    fputs("_weft()\n{\n"
          "    local word='' before='' lead='' kept='' w i n=-1 rest=$COMP_LINE args=() all=()\n"
          "    local options='' valued='' words='' value='' files='' scenarios='' IFS=$' \\t\\n'\n"
          "    COMPREPLY=()\n"
          "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
          "        w=${COMP_WORDS[i]} before=${rest%%[![:blank:]]*} rest=${rest#\"$before\"}\n"
          "        rest=${rest#\"$w\"}\n"
          "        if [ -n \"$before\" ] || [ \"$i\" -eq 0 ]; then\n"
          "            all[++n]=$w kept=''\n"
          "        else\n"
          "            kept=${all[n]} all[n]+=$w\n"
          "        fi\n"
          "    done\n"
          "    case $w in =|:|==) kept+=$w ;; esac\n"
          "    word=${all[n]} before=${all[n-1]}\n"
          "    case $word in --*=*) before=${word%%=*} lead=$before= word=${word#*=} ;; esac\n"
          "    if [ \"$n\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s ", c[i]->name);
    fputs("--help --version' -- \"$word\"))\n        return\n    fi\n    case ${all[1]} in\n", out);
    for (size_t i = 0; i < n; i++)
        bash_command(out, c[i]);
    fputs(
        "    esac\n"
        "    for ((i = 2; i < n; i++)); do\n"
        "        case \" $valued\" in *\" ${all[i-1]} \"*) continue ;; esac\n"
        "        case ${all[i]} in -*) ;; *) args+=(\"${all[i]}\") ;; esac\n"
        "    done\n"
        "    case ${all[1]}:${#args[@]}:${args[0]} in\n"
        "        explain:0:*) words=$(_weft_keys) ;;\n"
        "        explain:1:*|show:1:scenario|show:1:fabric) words='' files=yes scenarios=yes ;;\n"
        "        show:1:*) words=$(_weft_names \"${args[0]}\")\n"
        "            [ \"${args[0]}\" != topology ] || files=yes ;;\n"
        "        plot:0:*) ;;\n"
        "        plot:*) words=$(_weft_names plot) files=yes ;;\n"
        "        list:0:*|show:0:*|help:0:*) ;;\n"
        "        *) words='' ;;\n"
        "    esac\n"
        "    [ -z \"$scenarios\" ] || words=$(_weft_scenarios)\n"
        "    case $value:$word in\n"
        "        @files:*) words='' files=yes ;;\n"
        "        @settings:*=*)\n"
        "            words=$(_weft_values \"${word%%=*}\") files=''\n"
        "            lead+=${word%%=*}= word=${word#*=} ;;\n"
        "        @settings:*)\n"
        "            compopt -o nospace 2>/dev/null\n"
        "            words=$(_weft_keys | sed 's/$/=/; s/ /= /g') files='' ;;\n"
        "        @none:*) return ;;\n"
        "        :-*) words=$options files='' ;;\n"
        "        :*) ;;\n"
        "        *) words=$value files='' ;;\n"
        "    esac\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "    if [ -n \"$files\" ]; then\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        while IFS= read -r w; do COMPREPLY+=(\"$w\"); done < <(compgen -f -- \"$word\")\n"
        "    fi\n"
        "    for i in \"${!COMPREPLY[@]}\"; do\n"
        "        w=$lead${COMPREPLY[i]}\n"
        "        COMPREPLY[i]=${w#\"$kept\"}\n"
        "    done\n"
        "}\ncomplete -F _weft weft\n",
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

static void zsh_option(FILE *out, const struct weft_opt *o)
{
    const char *value = takes_value(o) ? "=" : "";
    fputs("                ", out);
    if (o->kind == WEFT_OPT_TEXTS)
        fputs("'*'", out);
    else if (o->letter)
        fprintf(out, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter)
        fprintf(out, "{-%c%s,--%s%s}'[", o->letter, takes_value(o) ? "+" : "", o->name, value);
    else
        fprintf(out, "'--%s%s[", o->name, value);
    zsh_text(out, o->help);
    fputs("]", out);
    if (o->kind == WEFT_OPT_CHOICE) {
        fputs(":word:(", out);
        words(out, o->choices);
        fputs(")", out);
    } else if (takes_value(o)) {
        fputs(":", out);
        zsh_text(out, o->arg ? o->arg : "value");
        fputs(takes_file(o) ? ":_files" : takes_setting(o) ? ":_weft_setting" : ": ", out);
    }
    fputs("' \\\n", out);
}

static void zsh_arguments(FILE *out, const struct weft_command *c)
{
    if (strcmp(c->name, "explain") == 0) {
        fputs("'1:setting:($(_weft_keys))' '2:scenario:_weft_scenario'", out);
    } else if (only_words(c->name)) {
        fputs("'1:argument:(", out);
        first_words(out, c->name);
        fputs(")'", out);
        if (strcmp(c->name, "show") == 0)
            fputs(" '*::name:_weft_shown'", out);
    } else {
        fprintf(out, "'*:argument:%s'", takes_scenario(c) ? "_weft_scenario" : "_files");
    }
}

void weft_print_zsh(FILE *out, const struct weft_cli *cli)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    fputs("#compdef weft\n# SPDX-License-Identifier: GPL-2.0-only\n"
          "# Completion of weft for zsh, from the tables of its commands.\n",
          out);
    functions(out, cli);
    fputs("_weft_scenario()\n{\n"
          "    _alternative 'scenarios:scenario:($(_weft_scenarios))' 'files:file:_files'\n}\n"
          "_weft_setting()\n{\n"
          "    local key=${PREFIX%%=*}\n"
          "    if compset -P 1 '*='; then\n"
          "        compadd -- $(_weft_values $key)\n"
          "    else\n"
          "        compadd -S = -- $(_weft_keys)\n"
          "    fi\n}\n"
          "_weft_shown()\n{\n"
          "    case $words[1] in\n"
          "        scenario|fabric) _weft_scenario ;;\n"
          "        topology) compadd -- $(_weft_names topology); _files ;;\n"
          "        *) compadd -- $(_weft_names $words[1]) ;;\n"
          "    esac\n}\n"
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
        const struct weft_opt *o;
        for (size_t k = 0; (o = weft_command_opt(c[i], k)); k++)
            zsh_option(out, o);
        fputs("                '(-h --help)'{-h,--help}'[this text]' ", out);
        zsh_arguments(out, c[i]);
        fputs(" ;;\n", out);
    }
    fputs("    esac\nfi\n", out);
}
