/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line: what every command gets and how a command describes itself.
 *
 * commands.def lists the commands; each is one struct weft_command in cmd_NAME.c with a table of
 * options. The same tables feed the parser and --help. Convention: stdout carries the answer,
 * stderr carries messages and progress.
 */
#ifndef WEFT_CLI_H
#define WEFT_CLI_H

#include "base/err.h"
#include "base/log.h"
#include "command/out.h"
#include "net/net.h"
#include "scenario/scenario.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

WEFT_C_BEGIN

/** Everything that the program hands to a command. */
struct weft_cli {
    FILE *out;                      /**< the answer */
    const struct weft_out *written; /**< whether it could be written */
    FILE *err;                      /**< messages and progress */
    struct weft_log *log;           /**< lines on err */
    int err_is_tty;
    const struct weft_net_backend *const *backends; /**< the first one is the default */
    size_t nbackends;
    const char *ns3_version; /**< NULL: built without ns-3 */
    const char *plugin_path; /**< folders of plug-ins, with colons between; NULL: none */
    /** Whether a file configures another simulator, so that it is no scenario; NULL: none does. */
    bool (*is_foreign_config)(const char *path);
    const volatile sig_atomic_t
        *interrupted;               /**< the number of the signal that asked to stop; 0: none */
    const struct weft_peers *peers; /**< processes that do the same together; NULL: there is one */
    unsigned processes;             /**< that mpirun has started; less than 2: there is one */
    const char *alone; /**< why one of them does it, which then has no peers; NULL: all do */
    bool no_fallback;  /**< an error of run.replay or run.threads ends a run (again.h) */
};

/** Texts collected by a repeatable option. */
struct weft_strings {
    const char **list;
    size_t n;
};
/** *@p out: those of @p first, then those of @p then, in an arena. */
int weft_strings_join(struct weft_arena *arena, const struct weft_strings *first,
                      const struct weft_strings *then, struct weft_strings *out,
                      struct weft_err *err);

enum weft_opt_kind {
    WEFT_OPT_FLAG,   /**< bool: given */
    WEFT_OPT_TEXT,   /**< const char *: the last one given, else NULL */
    WEFT_OPT_TEXTS,  /**< struct weft_strings: all, in order */
    WEFT_OPT_CHOICE, /**< int: index of the word in `choices`, 0 by default */
    WEFT_OPT_LIST, /**< struct weft_strings: the value and what follows it up to the next option */
    WEFT_OPT_REST  /**< struct weft_strings: everything behind it; without a value of its own */
};

/** One option of a command. */
struct weft_opt {
    const char *name; /**< long name without dashes */
    char letter;      /**< short name, 0: none */
    enum weft_opt_kind kind;
    size_t offset;       /**< in the command's options struct */
    const char *arg;     /**< name of its value for help: "KEY=VALUE" */
    const char *choices; /**< CHOICE: words joined by '|' */
    const char *help;
};

/** Rows of a table of options: each fills @p field of WEFT_OPTS, which a file with a table defines
 * as the struct. */
#define WEFT_OPT(kind, name, letter, field, arg, words, help)                                      \
    {                                                                                              \
        name, letter, WEFT_OPT_##kind, offsetof(WEFT_OPTS, field), arg, words, help                \
    }
#define WEFT_FLAG(name, letter, field, help) WEFT_OPT(FLAG, name, letter, field, NULL, NULL, help)
#define WEFT_CHOICE(name, letter, field, words, help)                                              \
    WEFT_OPT(CHOICE, name, letter, field, NULL, words, help)
#define WEFT_TEXT(name, letter, field, arg, help)                                                  \
    WEFT_OPT(TEXT, name, letter, field, arg, NULL, help)
#define WEFT_TEXTS(name, letter, field, arg, help)                                                 \
    WEFT_OPT(TEXTS, name, letter, field, arg, NULL, help)
#define WEFT_LIST(name, letter, field, arg, help)                                                  \
    WEFT_OPT(LIST, name, letter, field, arg, NULL, help)
#define WEFT_REST(name, letter, field, arg, help)                                                  \
    WEFT_OPT(REST, name, letter, field, arg, NULL, help)

/** An option of a program that a command stands in for, which it does not take. */
struct weft_foreign_opt {
    const char *spellings; /**< joined by '|': "-g|--gpus" */
    const char *instead;   /**< what to do instead */
};

/** One command. */
struct weft_command {
    const char *name;
    const char *summary; /**< one line */
    const char *usage;   /**< what follows "weft NAME" */
    const char *example; /**< one complete command line, the first line of its help */
    const char *details; /**< paragraphs for its help, "" for none */
    const struct weft_opt *opts;
    size_t nopts;
    size_t opts_size; /**< sizeof the options struct, at least 1 */
    bool one_dash;    /**< long names may follow a single one, as "-tm" */
    const struct weft_foreign_opt *foreign;
    size_t nforeign;
    /** Runs it: @p opts points to the filled struct, @p args are the other arguments. 0 or a
     * WEFT_E_* code; *err says why, or has code 0 when everything to say was said. */
    int (*run)(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err);
};

/** In a struct weft_command: its table of options. */
#define WEFT_COMMAND_OPTS(table, type)                                                             \
    .opts = (table), .nopts = sizeof(table) / sizeof *(table), .opts_size = sizeof(type)

/** All commands, in the order of commands.def; *n receives their number. */
const struct weft_command *const *weft_commands(size_t *n);
/** The command called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_command *weft_command_find(const char *name, struct weft_err *err);

/** What parsing the arguments of a command led to. */
enum weft_parsed { WEFT_PARSED_OK, WEFT_PARSED_HELP, WEFT_PARSED_ERROR };
/**
 * Parses the arguments of @p c (argv[0] is the command's name). Fills @p opts; the remaining
 * arguments are argv[*first .. *argc-1]; what an option of kind REST has taken is no longer
 * counted. Strings point into argv. Repeatable options allocate lists: weft_opts_free.
 */
enum weft_parsed weft_opts_parse(const struct weft_command *c, int *argc, char **argv, void *opts,
                                 int *first, struct weft_err *err);
void weft_opts_free(const struct weft_command *c, void *opts);
/** Option number @p i of a command as its help lists it: its own, then --plugin FILE, which is
 * taken from every command line before a command sees it; NULL: there are no more. */
const struct weft_opt *weft_command_opt(const struct weft_command *c, size_t i);
/** Help for one command. */
void weft_print_command_help(FILE *out, const struct weft_command *c);
/** Help for the program. */
void weft_program_help(FILE *out);
/** Versions of weft and of what it stands on. */
void weft_program_version(const struct weft_cli *cli);

/** The whole program behind main(): returns the exit code. */
int weft_cli_main(const struct weft_cli *cli, int argc, char **argv);

WEFT_C_END
#endif
