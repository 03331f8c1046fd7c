/* SPDX-License-Identifier: GPL-2.0-only */
/* weft import: what files of other tools are, and which command takes them. */
#include "base/file.h"
#include "command/command.h"
#include "foreign/import.h"
#include "workload/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_MAX = 256 * 1024, TREE_MAX = 64 << 20, FILES_MAX = 65536 };

struct import_opts {
    bool dry_run;
};

#define WEFT_OPTS struct import_opts
static const struct weft_opt options[] = {
    WEFT_FLAG("dry-run", 'n', dry_run, "say of each file what it is and what would be read of it"),
};

/* The beginning of a file, with a NUL behind it. */
static int read_head(const char *path, char *buf, size_t *size, struct weft_err *err)
{
    const int missing = weft_file_is_dir(path) ? EISDIR : ENOENT;
    const bool regular = weft_file_is_regular(path);
    FILE *in = regular ? fopen(path, "rb") : NULL;
    if (!in)
        return weft_input_error(err, path, "read", regular ? errno : missing);
    *size = fread(buf, 1, HEAD_MAX, in);
    buf[*size] = '\0';
    fclose(in);
    return 0;
}

/* The whole of a file that may be JSON or YAML; NULL where it is neither. */
static int tree_of(const char *path, const char *head, struct weft_arena *a,
                   const struct weft_tree **out, struct weft_err *err)
{
    struct weft_tree *tree = NULL;
    struct weft_err why = {0};
    struct stat st;
    char *text = NULL;
    size_t len = 0;
    const char first = head[strspn(head, " \t\r\n\xef\xbb\xbf")];
    if (first == '<' || first == '\0' || memchr(head, '\x1f', strlen(head) < 2 ? 0 : 2))
        return 0;
    if (stat(path, &st) == 0 && st.st_size > TREE_MAX)
        return 0;
    if (weft_file_read(path, TREE_MAX, &text, &len, &why) == 0 &&
        weft_tree_parse(text, len, path, a, &tree, &why) == 0)
        *out = tree;
    free(text);
    if (why.code == WEFT_E_LIMIT)
        *err = why;
    return why.code == WEFT_E_LIMIT ? why.code : 0;
}

/* The file as settings name it: of a trace, the prefix of all ranks. */
static const char *argument(const struct weft_import_kind *k, const char *path, char *buf)
{
    uint32_t rank;
    const size_t n = strlen(path);
    snprintf(buf, WEFT_PATH_MAX, "%s", path);
    for (size_t at = n; k->prefix && at-- > 0 && path[at] != '/';)
        if (path[at] == '.' && weft_trace_rank_of(path + at, &rank) && at < WEFT_PATH_MAX) {
            buf[at] = '\0';
            break;
        }
    return buf;
}

static void import_put(FILE *out, const char *format, const char *file)
{
    for (; *format; format++) {
        if (format[0] == '%' && format[1] == 's') {
            fputs(file, out);
            format++;
        } else {
            fputc(*format, out);
        }
    }
}

/* " --set KEY=VALUE" for each of the settings. */
static void put_sets(FILE *out, const char *sets, const char *file)
{
    char one[128];
    while (*sets) {
        const size_t n = strcspn(sets, " ");
        snprintf(one, sizeof one, "%.*s", (int)n, sets);
        fputs(" --set ", out);
        import_put(out, one, file);
        sets += n + (sets[n] == ' ');
    }
}

static int import_explain(const struct weft_cli *cli, const struct weft_import_kind *k,
                          const char *path, const char *arg, const struct weft_import_file *f,
                          struct weft_err *err)
{
    struct weft_err why = {0};
    char what[256] = "", text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    fprintf(cli->out, "%s: %s\n", path, weft_import_name(k));
    const bool reads = !k->read || !k->read(f, what, sizeof what, &why);
    if (why.code == WEFT_E_LIMIT) {
        *err = why;
        return why.code;
    }
    if (!reads)
        fprintf(cli->out, "  not read: %s\n", weft_err_format(&why, text, sizeof text));
    else if (*what)
        fprintf(cli->out, "  reads: %s\n", what);
    fputs(reads ? "  takes it: " : "  would take it: ", cli->out);
    const char *sets = weft_import_sets(k, text, sizeof text);
    if (sets) {
        fputs("weft run", cli->out);
        put_sets(cli->out, sets, arg);
    } else {
        import_put(cli->out, k->command ? k->command : "nothing yet", arg);
    }
    fputc('\n', cli->out);
    return 0;
}

/* Finds out what a file is; kind NULL: it is not known. With --dry-run it is explained at once. */
static int import_one(const struct weft_cli *cli, const struct import_opts *o, const char *path,
                      char *head, struct weft_arena *names, struct weft_import_found *found,
                      struct weft_err *err)
{
    size_t size = 0, n, k = 0;
    const struct weft_import_kind *kinds = weft_import_kinds(&n);
    char arg[WEFT_PATH_MAX];
    int code = read_head(path, head, &size, err);
    struct weft_arena *a = code ? NULL : weft_arena_new();
    if (code || !a)
        return code ? code : weft_err_no_memory(err, "a file");
    struct weft_err looked = {0};
    struct weft_import_file f = {path, head, size, NULL, &looked};
    code = tree_of(path, head, a, &f.tree, err);
    while (k < n && !kinds[k].is(&f))
        k++;
    if (!code && k == n && looked.code == WEFT_E_LIMIT) {
        *err = looked; /* what it is can't be told */
        code = looked.code;
    }
    *found = (struct weft_import_found){k < n ? &kinds[k] : NULL, path, path};
    if (!code && !found->kind)
        fprintf(o->dry_run ? cli->out : cli->err, "%s: not known\n", path);
    else if (!code && !(found->arg = weft_arena_strdup(names, argument(found->kind, path, arg))))
        code = weft_err_no_memory(err, "a file");
    else if (!code && o->dry_run)
        code = import_explain(cli, found->kind, path, found->arg, &f, err);
    weft_arena_free(a);
    return code;
}

/* Whether a file stands for the same as one before it, as traces of other ranks do. */
static bool is_repeated(const struct weft_import_found *files, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (files[k].kind == files[i].kind && strcmp(files[k].arg, files[i].arg) == 0)
            return true;
    return false;
}

/* The commands for the files that are left: one of weft run for all that are settings, one for each
 * other. */
static void print_commands(const struct weft_cli *cli, const struct weft_import_found *files,
                           size_t n)
{
    bool begun = false;
    for (size_t i = 0; i < n; i++) {
        const struct weft_import_kind *k = files[i].kind;
        if (!k || is_repeated(files, i))
            continue;
        char buf[256];
        const char *sets = weft_import_sets(k, buf, sizeof buf);
        if (sets) {
            fputs(begun ? "" : "weft run", cli->out);
            put_sets(cli->out, sets, files[i].arg);
            begun = true;
        } else if (k->command) {
            fputs(begun ? "\n" : "", cli->out);
            import_put(cli->out, k->command, files[i].path);
            fputc('\n', cli->out);
            begun = false;
        } else {
            weft_log(cli->log, WEFT_LOG_WARNING, "%s: %s, which nothing takes yet", files[i].path,
                     weft_import_name(k));
        }
    }
    if (begun)
        fputc('\n', cli->out);
}

static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Appends the files of a folder, by name, to the list of @p paths, which has room for FILES_MAX. */
static int add_folder(const char *dir, const char **paths, size_t *n, struct weft_arena *names,
                      struct weft_err *err)
{
    struct dirent **list;
    char path[WEFT_PATH_MAX];
    const int found = scandir(dir, &list, is_visible, alphasort);
    int code = found < 0 ? weft_file_error(err, dir, "read", errno) : 0;
    for (int i = 0; i < found; i++) {
        if (!code)
            code = weft_path_join(path, dir, list[i]->d_name, err);
        free(list[i]);
        if (code || !weft_file_is_regular(path))
            continue;
        if (*n == FILES_MAX)
            code = weft_err_set(err, WEFT_E_LIMIT, "%s: more than %d files", dir, FILES_MAX);
        else if (!(paths[(*n)++] = weft_arena_strdup(names, path)))
            code = weft_err_no_memory(err, "files");
    }
    if (found >= 0)
        free(list);
    return code;
}

/* The files of the command line, and those of its folders. */
static int list_files(char **args, int nargs, const char **paths, size_t *n,
                      struct weft_arena *names, struct weft_err *err)
{
    int code = 0;
    for (int i = 0; i < nargs && !code; i++) {
        if (weft_file_is_dir(args[i]))
            code = add_folder(args[i], paths, n, names, err);
        else if (*n < FILES_MAX)
            paths[(*n)++] = args[i];
    }
    return code || *n ? code
                      : weft_err_set(err, WEFT_E_USAGE, nargs ? "%s has no files" : "which files?",
                                     nargs ? args[0] : "");
}

static int import_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                      struct weft_err *err)
{
    const struct import_opts *o = (const struct import_opts *)opts;
    size_t n = 0;
    char *head = (char *)malloc(HEAD_MAX + 1);
    const char **paths = (const char **)calloc(FILES_MAX, sizeof *paths);
    struct weft_arena *names = weft_arena_new();
    uint32_t unknown = 0;
    int code = !head || !paths || !names ? weft_err_no_memory(err, "files")
                                         : list_files(args, nargs, paths, &n, names, err);
    struct weft_import_found *files =
        code ? NULL : (struct weft_import_found *)calloc(n, sizeof *files);
    if (!code && !files)
        code = weft_err_no_memory(err, "files");
    for (size_t i = 0; !code && i < n; i++) {
        code = import_one(cli, o, paths[i], head, names, &files[i], err);
        unknown += !code && !files[i].kind;
    }
    if (!code && !o->dry_run) {
        while (weft_import_experiment(cli->out, files, n))
            continue;
        print_commands(cli, files, n);
    }
    weft_arena_free(names);
    free(files);
    free(paths);
    free(head);
    return code || !unknown
               ? code
               : weft_err_set(err, WEFT_E_OUTCOME, "%u of %zu files are not known", unknown, n);
}

const struct weft_command weft_command_import = {
    .name = "import",
    .summary = "Say what files of other tools are, and the command that takes them",
    .usage = "[--dry-run] FILE|DIR...",
    .example = "weft import --dry-run topology.txt flow.txt",
    .details = "The content decides what a file is: Chakra, ASTRA-sim, SimAI, HPCC, ConWeave, "
               "NCCL, MSCCL,\n"
               "GOAL (LogGOPSim, ATLAHS), InfraGraph, htsim and weft's own. Without --dry-run it "
               "prints the command\n"
               "line that runs them together: weft astra-sim or weft simai for the files of one of "
               "their experiments,\n"
               "else weft run. DIR stands for its files. Exit code 1 when a file is none of these.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = import_run,
};
