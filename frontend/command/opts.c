/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of a command: one table for getopt_long and for the help text. */
#include "command/command.h"

#include "base/grow.h"

#include <stdbool.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTS = 64, HELP_VALUE = 1000 };

static void *field(const struct weft_opt *o, void *opts)
{
    return (char *)opts + o->offset;
}

int weft_strings_join(struct weft_arena *arena, const struct weft_strings *first,
                      const struct weft_strings *then, struct weft_strings *out,
                      struct weft_err *err)
{
    const char **all = (const char **)weft_arena_calloc(arena, first->n + then->n, sizeof *all);
    if (!all)
        return weft_err_no_memory(err, "settings");
    for (size_t i = 0; i < first->n; i++)
        all[i] = first->list[i];
    for (size_t i = 0; i < then->n; i++)
        all[first->n + i] = then->list[i];
    *out = (struct weft_strings){all, first->n + then->n};
    return 0;
}

static int add_text(struct weft_strings *s, const char *text, struct weft_err *err)
{
    if (!WEFT_GROW_ONE(s->list, s->n))
        return weft_err_no_memory(err, "options");
    s->list[s->n++] = text;
    return 0;
}

static int opts_choose(const struct weft_opt *o, const char *word, int *out, struct weft_err *err)
{
    *out = weft_param_choice_of(o->choices, word, strlen(word));
    return *out >= 0 ? 0
                     : weft_err_set(err, WEFT_E_USAGE, "--%s must be one of %s, not '%s'", o->name,
                                    o->choices, word);
}

static int opts_set(const struct weft_opt *o, void *opts, const char *value, struct weft_err *err)
{
    switch (o->kind) {
    case WEFT_OPT_FLAG:
        *(bool *)field(o, opts) = true;
        return 0;
    case WEFT_OPT_TEXT:
        *(const char **)field(o, opts) = value;
        return 0;
    case WEFT_OPT_TEXTS:
    case WEFT_OPT_LIST:
    case WEFT_OPT_REST:
        return add_text((struct weft_strings *)field(o, opts), value, err);
    case WEFT_OPT_CHOICE:
        return opts_choose(o, value, (int *)field(o, opts), err);
    }
    return 0;
}

/* Says what is wrong with the option that getopt_long refused. */
static int refused(const struct weft_command *c, int missing_value, char **argv,
                   struct weft_err *err)
{
    const char *names[MAX_OPTS + 1];
    size_t n = 0;
    char given[64];
    const char *arg = argv[optind - 1];
    if (missing_value)
        return weft_err_set(err, WEFT_E_USAGE, "the option '%s' needs a value", arg);
    if (strncmp(arg, "--", 2) != 0 && !c->one_dash)
        return weft_err_set(err, WEFT_E_USAGE, "unknown option '-%c'", optopt ? optopt : arg[1]);
    const int dashes = arg[1] == '-' ? 2 : 1;
    size_t len = strcspn(arg + dashes, "=");
    if (len >= sizeof given)
        len = sizeof given - 1;
    memcpy(given, arg + dashes, len);
    given[len] = '\0';
    for (size_t i = 0; i < c->nopts; i++)
        names[n++] = c->opts[i].name;
    names[n++] = "help";
    for (size_t i = 0; i < n; i++)
        if (strcmp(given, names[i]) == 0)
            return weft_err_set(err, WEFT_E_USAGE, "the option '%.*s%s' takes no value", dashes,
                                "--", given);
    const char *near = weft_nearest(given, names, n);
    if (near)
        return weft_err_set(err, WEFT_E_USAGE, "unknown option '%.*s%s'; did you mean '%.*s%s'?",
                            dashes, "--", given, dashes, "--", near);
    return weft_err_set(err, WEFT_E_USAGE, "unknown option '%.*s%s'", dashes, "--", given);
}

/* Refuses options of another program. */
static int check_foreign(const struct weft_command *c, int argc, char **argv, struct weft_err *err)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t k = 0; k < c->nforeign; k++)
            if (weft_param_choice_of(c->foreign[k].spellings, argv[i], strcspn(argv[i], "=")) >= 0)
                return weft_err_set(err, WEFT_E_USAGE, "%.*s: %s", (int)strcspn(argv[i], "="),
                                    argv[i], c->foreign[k].instead);
    return 0;
}

/* Takes what stands behind an option that takes the rest; *argc receives what is left before it. */
static int take_rest(const struct weft_command *c, int *argc, char **argv, void *opts,
                     struct weft_err *err)
{
    for (size_t i = 0; i < c->nopts; i++) {
        const struct weft_opt *o = &c->opts[i];
        int at = 1;
        if (o->kind != WEFT_OPT_REST)
            continue;
        while (at < *argc &&
               (strncmp(argv[at], "--", 2) != 0 || strcmp(argv[at] + 2, o->name) != 0))
            at++;
        for (int k = at + 1; k < *argc; k++)
            if (opts_set(o, opts, argv[k], err))
                return err->code;
        *argc = at;
    }
    return 0;
}

enum weft_parsed weft_opts_parse(const struct weft_command *c, int *argc, char **argv, void *opts,
                                 int *first, struct weft_err *err)
{
    if (take_rest(c, argc, argv, opts, err) || check_foreign(c, *argc, argv, err))
        return WEFT_PARSED_ERROR;
    struct option longs[MAX_OPTS + 2];
    char shorts[2 * MAX_OPTS + 8] = ":h";
    size_t n = c->nopts < MAX_OPTS ? c->nopts : MAX_OPTS, used = 2;
    for (size_t i = 0; i < n; i++) {
        const struct weft_opt *o = &c->opts[i];
        bool has_value = o->kind != WEFT_OPT_FLAG;
        longs[i] = (struct option){o->name, has_value, NULL, (int)(HELP_VALUE + 1 + i)};
        if (o->letter) {
            shorts[used++] = o->letter;
            if (has_value)
                shorts[used++] = ':';
        }
    }
    shorts[used] = '\0';
    longs[n] = (struct option){"help", 0, NULL, HELP_VALUE};
    longs[n + 1] = (struct option){NULL, 0, NULL, 0};
    optind = 0; /* glibc: start over, and forget permutations of an earlier call */
    opterr = 0;
    for (;;) {
        int got = c->one_dash ? getopt_long_only(*argc, argv, shorts, longs, NULL)
                              : getopt_long(*argc, argv, shorts, longs, NULL);
        if (got == -1)
            break;
        if (got == 'h' || got == HELP_VALUE)
            return WEFT_PARSED_HELP;
        if (got == '?' || got == ':') {
            refused(c, got == ':', argv, err);
            return WEFT_PARSED_ERROR;
        }
        for (size_t i = 0; i < n; i++) {
            bool is_it = got > HELP_VALUE ? (size_t)(got - HELP_VALUE - 1) == i
                                          : c->opts[i].letter && c->opts[i].letter == got;
            if (is_it && opts_set(&c->opts[i], opts, optarg, err))
                return WEFT_PARSED_ERROR;
            while (is_it && c->opts[i].kind == WEFT_OPT_LIST && optind < *argc &&
                   argv[optind][0] != '-')
                if (opts_set(&c->opts[i], opts, argv[optind++], err))
                    return WEFT_PARSED_ERROR;
        }
    }
    *first = optind;
    return WEFT_PARSED_OK;
}

void weft_opts_free(const struct weft_command *c, void *opts)
{
    for (size_t i = 0; i < c->nopts; i++)
        if (c->opts[i].kind == WEFT_OPT_TEXTS || c->opts[i].kind == WEFT_OPT_LIST ||
            c->opts[i].kind == WEFT_OPT_REST)
            free(((struct weft_strings *)field(&c->opts[i], opts))->list);
}

const struct weft_opt *weft_command_opt(const struct weft_command *c, size_t i)
{
    static const struct weft_opt plugin = {
        "plugin",
        0,
        WEFT_OPT_TEXTS,
        0,
        "FILE",
        NULL,
        "load a plug-in from a file (docs/how-to/plug-ins.md); repeatable"};
    return i < c->nopts ? &c->opts[i] : i == c->nopts ? &plugin : NULL;
}

void weft_print_command_help(FILE *out, const struct weft_command *c)
{
    char left[96];
    fprintf(out, "Example: %s\n\n%s.\n\nUsage: weft %s %s\n", c->example, c->summary, c->name,
            c->usage);
    if (c->details[0])
        fprintf(out, "\n%s\n", c->details);
    fputs("\nOptions:\n", out);
    const struct weft_opt *o;
    for (size_t i = 0; (o = weft_command_opt(c, i)); i++) {
        char letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        const char *value = o->kind == WEFT_OPT_CHOICE ? o->choices : o->arg;
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, value ? " " : "",
                 value ? value : "");
        if (strlen(left) <= 28)
            fprintf(out, "  %-28s  %s\n", left, o->help);
        else
            fprintf(out, "  %s\n  %-28s  %s\n", left, "", o->help);
    }
    fprintf(out, "  %-28s  %s\n", "-h, --help", "this text");
}
