/* SPDX-License-Identifier: GPL-2.0-only */
/* Man pages in the man macros of groff and mandoc. */
#include "cli/cli_internal.h"

#include <ctype.h>
#include <string.h>

const char *const weft_exit_codes[] = {
    "0 ok",
    "1 ran, but the outcome is bad: not finished, or a bound was missed",
    "2 wrong command line",
    "3 invalid input",
    "4 the operating system refused to read or write",
    "5 out of memory, or over a limit",
    "70 a bug in weft",
    "130 interrupted; what there is of results is written",
    NULL,
};

/* Text as roff shows it unchanged; lines of it stay lines. */
static void help_man_put(FILE *out, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (start)
            fputs("\n.br\n", out);
        else
            fputc(*text, out);
    }
}

static void put_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void title(FILE *out, const char *name, const char *summary, const char *version)
{
    fputs(".\\\" SPDX-License-Identifier: GPL-2.0-only\n.TH \"", out);
    put_upper(out, name);
    fprintf(out, "\" 1 \"\" \"weft %s\" \"weft\"\n.SH NAME\n", version);
    help_man_put(out, name);
    fputs(" \\- ", out);
    help_man_put(out, summary);
    fputc('\n', out);
}

static void options(FILE *out, const struct weft_command *c)
{
    fputs(".SH OPTIONS\n", out);
    const struct weft_opt *o;
    for (size_t i = 0; (o = weft_command_opt(c, i)); i++) {
        const char *value = o->kind == WEFT_OPT_CHOICE ? o->choices : o->arg;
        fputs(".TP\n", out);
        if (o->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", out);
        help_man_put(out, o->name);
        fputs("\\fR", out);
        if (value) {
            fputs(" \\fI", out);
            help_man_put(out, value);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        help_man_put(out, o->help);
        fputc('\n', out);
    }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nwhat the options are\n", out);
}

static void exit_codes(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const char *const *line = weft_exit_codes; *line; line++) {
        const size_t n = strcspn(*line, " ");
        fprintf(out, ".TP\n\\fB%.*s\\fR\n", (int)n, *line);
        help_man_put(out, *line + n + 1);
        fputc('\n', out);
    }
}

static void see_also(FILE *out, const struct weft_command *but)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    fputs(".SH SEE ALSO\n", out);
    if (but)
        fputs(".BR weft (1)", out);
    else
        for (size_t i = 0; i < n; i++)
            fprintf(out, ".BR weft\\-%s (1)%s", c[i]->name, i + 1 < n ? ",\n" : "");
    fputc('\n', out);
}

static void program(FILE *out, const char *version)
{
    size_t n;
    const struct weft_command *const *c = weft_commands(&n);
    title(out, "weft", "simulate distributed AI training on a packet-level RoCE fabric", version);
    fputs(".SH SYNOPSIS\n\\fBweft\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", c[i]->name);
        help_man_put(out, c[i]->summary);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nwhat the commands are\n"
          ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nversions of weft and of what it stands on\n"
          ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nno colours, also on a terminal\n"
          ".TP\n\\fBWEFT_SCENARIOS\\fR\nfolder of scenarios that are found by name\n",
          out);
    exit_codes(out);
    see_also(out, NULL);
}

void weft_print_man(FILE *out, const struct weft_command *c, const char *version)
{
    char name[64];
    if (!c) {
        program(out, version);
        return;
    }
    snprintf(name, sizeof name, "weft-%s", c->name);
    title(out, name, c->summary, version);
    fprintf(out, ".SH SYNOPSIS\n\\fBweft %s\\fR ", c->name);
    help_man_put(out, c->usage);
    fputs("\n.SH DESCRIPTION\n", out);
    help_man_put(out, c->details[0] ? c->details : c->summary);
    fputc('\n', out);
    options(out, c);
    fputs(".SH EXAMPLES\n.nf\n", out);
    help_man_put(out, c->example);
    fputs("\n.fi\n", out);
    exit_codes(out);
    see_also(out, c);
}
