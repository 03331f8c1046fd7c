/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep as commands for others to run: a line per point for GNU parallel, and a job array for
 * Slurm over the same lines. */
#include "base/file.h"
#include "base/os.h"
#include "sweep/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes a word so that a shell reads it as it is. */
static void quote(FILE *f, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,%+@";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, f);
        return;
    }
    fputc('\'', f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            fputc(*word, f);
    fputc('\'', f);
}

static void option(FILE *f, const char *name, const char *value)
{
    fprintf(f, " %s ", name);
    quote(f, value);
}

/* The folder of a point, wherever its command is run. */
static int print_out(FILE *f, const char *cwd, const struct weft_sweep_base *b, size_t point,
                     struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], absolute[WEFT_PATH_MAX];
    if (weft_sweep_folder(b, point, dir, err) || weft_path_join(absolute, cwd, dir, err))
        return err->code;
    option(f, "--out", dir[0] == '/' ? dir : absolute);
    return 0;
}

/* The command of a point. */
static int print_point(FILE *f, const struct weft_sweep_base *b, const struct weft_sweep *s,
                       size_t point, const char *program, const char *cwd, struct weft_err *err)
{
    struct weft_source_opts source;
    if (weft_sweep_settings(b, s, point, &source, err))
        return err->code;
    fputs("cd ", f);
    quote(f, cwd);
    fputs(" && ", f);
    quote(f, program);
    fputs(" run --quiet", f);
    for (size_t i = 0; i < source.set.n; i++)
        option(f, "--set", source.set.list[i]);
    if (source.seed)
        option(f, "--seed", source.seed);
    if (source.pcap)
        option(f, "--pcap", source.pcap);
    if (source.allow_deadlock)
        fputs(" --allow-deadlock", f);
    for (size_t m = 0; m < s->nmetrics; m++)
        option(f, "--metric", s->metric[m].text);
    if (print_out(f, cwd, b, point, err))
        return err->code;
    if (b->nargs) {
        fputs(" -- ", f);
        quote(f, b->args[0]);
    }
    fputc('\n', f);
    return 0;
}

static int write_text(const struct weft_sweep_base *b, const char *name, struct weft_memfile *text,
                      mode_t mode, int code, struct weft_err *err)
{
    char path[WEFT_PATH_MAX];
    code = code ? code : weft_path_join(path, b->out, name, err);
    code = weft_memfile_write(text, name, path, code, err);
    if (!code)
        chmod(path, mode);
    return code;
}

static int write_array(const struct weft_sweep_base *b, const struct weft_sweep *s, const char *cwd,
                       struct weft_err *err)
{
    struct weft_memfile text;
    if (weft_memfile_open(&text, "points.sbatch", err))
        return err->code;
    fprintf(text.f, "#!/bin/sh\n#SBATCH --job-name=weft-sweep\n#SBATCH --array=1-%zu\n",
            s->npoints);
    fputs("#SBATCH --cpus-per-task=1\n", text.f);
    fputs("cd ", text.f);
    quote(text.f, cwd);
    fputs(" || exit 4\nsed -n \"${SLURM_ARRAY_TASK_ID}p\" ", text.f);
    quote(text.f, b->out);
    fputs("/points.sh | sh\n", text.f);
    return write_text(b, "points.sbatch", &text, 0755, 0, err);
}

int weft_sweep_emit(const struct weft_sweep_base *b, const struct weft_sweep *s, bool slurm,
                    struct weft_err *err)
{
    char cwd[WEFT_PATH_MAX], program[WEFT_PATH_MAX];
    struct weft_memfile text;
    if (!getcwd(cwd, sizeof cwd) || !weft_os_program(program, sizeof program))
        return weft_err_set(err, WEFT_E_IO, "cannot find out the working directory or the program");
    if (weft_memfile_open(&text, "points.sh", err))
        return err->code;
    int code = 0;
    for (size_t i = 0; !code && i < s->npoints; i++)
        code = print_point(text.f, b, s, i, program, cwd, err);
    code = write_text(b, "points.sh", &text, 0644, code, err);
    return code || !slurm ? code : write_array(b, s, cwd, err);
}
