/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs gnuplot on a script. Script, picture and messages go through temporary files, so that no
 * pipe can block either side.
 */
#include "plot/gnuplot.h"

#include "base/file.h"
#include "base/os.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PICTURE_MAX_BYTES = 256 << 20 };

extern char **environ;

struct files {
    FILE *in, *out, *err;
};

static int open_files(struct files *x, struct weft_err *err)
{
    x->in = tmpfile();
    x->out = tmpfile();
    x->err = tmpfile();
    if (x->in && x->out && x->err)
        return 0;
    return weft_file_error(err, "a temporary file for gnuplot", "open", errno);
}

static void gnuplot_close_files(struct files *x)
{
    if (x->in)
        fclose(x->in);
    if (x->out)
        fclose(x->out);
    if (x->err)
        fclose(x->err);
}

/* The environment without what changes gnuplot's pictures or messages; NULL: no memory. */
static char **clean_environment(void)
{
    static char locale[] = "LC_ALL=C.UTF-8";
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **out = calloc(n + 2, sizeof *out);
    for (size_t i = 0; out && i < n; i++)
        if (strncmp(environ[i], "LC_", 3) != 0 && strncmp(environ[i], "GNU", 3) != 0)
            out[k++] = environ[i];
    if (out)
        out[k] = locale;
    return out;
}

static int no_gnuplot(int why, struct weft_err *err)
{
    if (why == ENOMEM)
        return weft_err_no_memory(err, "starting gnuplot");
    return weft_err_set(err, WEFT_E_IO,
                        "cannot run gnuplot, which draws the figures: %s; install it (Debian: apt "
                        "install gnuplot-nox), or use --to gnuplot or --to csv, which do without",
                        strerror(why));
}

/* Runs gnuplot on the three files; *status as waitpid gives it. */
static int spawn(const struct files *x, const char *const argv[], int *status, struct weft_err *err)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    char **environment = clean_environment();
    if (!environment)
        return no_gnuplot(ENOMEM, err);
    posix_spawn_file_actions_init(&actions);
    FILE *const files[] = {x->in, x->out, x->err};
    int why = 0;
    for (int k = 0; !why && k < 3; k++)
        why = posix_spawn_file_actions_adddup2(&actions, fileno(files[k]), k);
    if (!why)
        why = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv,
                           environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (why)
        return no_gnuplot(why, err);
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return no_gnuplot(errno, err);
    return 0;
}

static int gnuplot_read_all(FILE *f, struct weft_picture *out, struct weft_err *err)
{
    const long size = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (size < 0 || size > PICTURE_MAX_BYTES)
        return weft_err_set(err, WEFT_E_LIMIT, "a picture of gnuplot is too large");
    rewind(f);
    out->size = (size_t)size;
    out->data = malloc(out->size + 1);
    if (!out->data)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a picture of %zu bytes",
                            out->size);
    if (fread(out->data, 1, out->size, f) != out->size)
        return weft_file_error(err, "the picture of gnuplot", "read", errno);
    out->data[out->size] = '\0';
    return 0;
}

/* Whether gnuplot, or what loads its libraries, says that there is no memory. */
static bool lacks_memory(const char *output)
{
    static const char *const words[] = {"memory", "bad_alloc", "map segment", "allocat"};
    bool lacks = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        lacks = lacks || strstr(output, words[i]);
    return lacks;
}

/* What gnuplot complained about, in one line. Limits of memory hold for it as for weft. */
static int refused(int status, FILE *f, struct weft_err *err)
{
    char limits[256];
    struct weft_picture output = {0};
    struct weft_err ignored = {0};
    if (gnuplot_read_all(f, &output, &ignored))
        return weft_err_set(err, WEFT_E_IO, "gnuplot failed");
    for (size_t i = 0; i < output.size; i++)
        if (output.data[i] == '\n')
            output.data[i] = ' ';
    weft_os_memory_limits(limits, sizeof limits);
    if (lacks_memory(output.data) || (*limits && WIFSIGNALED(status)))
        weft_err_set(err, WEFT_E_LIMIT,
                     "out of memory for gnuplot, which draws the figures%s%s%.400s", limits,
                     output.size ? "; it says: " : "", output.data);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !output.size)
        no_gnuplot(ENOENT, err);
    else
        weft_err_set(err, WEFT_E_IO, "gnuplot failed: %.400s", output.data);
    free(output.data);
    return err->code;
}

/* The PDF says when it was made: always the same. */
static void forget_date(struct weft_picture *p)
{
    static const char mark[] = "/CreationDate (D:";
    for (size_t i = 0; i + sizeof mark + 14 < p->size; i++)
        if (memcmp(p->data + i, mark, sizeof mark - 1) == 0)
            memcpy(p->data + i + sizeof mark - 1, "20000101000000", 14);
}

static int gnuplot_draw(const struct weft_figure *f, enum weft_script_terminal to, struct files *x,
                        struct weft_picture *out, struct weft_err *err)
{
    static const char *const argv[] = {"gnuplot", "--default-settings", "-", NULL};
    int status = 0;
    weft_script_write(f, to, x->in);
    if (fflush(x->in) || ferror(x->in))
        return weft_file_error(err, "a temporary file for gnuplot", "write", errno);
    rewind(x->in);
    if (spawn(x, argv, &status, err))
        return err->code;
    if (status)
        return refused(status, x->err, err);
    return gnuplot_read_all(x->out, out, err);
}

int weft_gnuplot(const struct weft_figure *f, enum weft_script_terminal to,
                 struct weft_picture *out, struct weft_err *err)
{
    struct files x = {0};
    *out = (struct weft_picture){0};
    int code = open_files(&x, err);
    code = code ? code : gnuplot_draw(f, to, &x, out, err);
    gnuplot_close_files(&x);
    if (!code && !out->size)
        code = weft_err_set(err, WEFT_E_IO, "gnuplot drew nothing");
    if (!code && to == WEFT_SCRIPT_PDF)
        forget_date(out);
    if (code) {
        free(out->data);
        *out = (struct weft_picture){0};
    }
    return code;
}
