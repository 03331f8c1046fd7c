/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measurements in processes of their own: a plain child, so that its peak memory is its own; this
 * program under valgrind's callgrind, which counts the instructions between entry and exit of
 * weft_bench_play; or several, started by mpirun.
 */
#include "bench/bench.h"

#include "base/file.h"
#include "base/os.h"
#include "run/processes.h"

#include <errno.h>
#include <signal.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child ends when its parent does, which a signal may do at once. */
static void end_with(pid_t parent)
{
    if (!weft_os_end_with(parent))
        _exit(1);
}

static int process_wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static size_t process_read_all(int fd, void *data, size_t size)
{
    size_t got = 0;
    for (ssize_t n; got < size && (n = read(fd, (char *)data + got, size - got)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    return got;
}

int weft_bench_fork(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                    struct weft_bench_result *r, struct weft_err *err)
{
    int fd[2];
    if (pipe(fd) != 0)
        return weft_err_set(err, WEFT_E_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(cli->out);
    fflush(cli->err);
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        close(fd[0]);
        close(fd[1]);
        return weft_err_set(err, WEFT_E_LIMIT, "cannot start a process: %s", strerror(errno));
    }
    if (pid == 0) {
        end_with(parent);
        close(fd[0]);
        weft_bench_run(cli, spec, r);
        _exit(weft_fd_write(fd[1], r, sizeof *r) != (ssize_t)sizeof *r);
    }
    close(fd[1]);
    size_t got = process_read_all(fd[0], r, sizeof *r);
    close(fd[0]);
    int status = process_wait_for(pid);
    if (got != sizeof *r)
        return weft_err_set(err, WEFT_E_INTERNAL, "case %s: its process died (status %d)",
                            spec->c->name, status);
    if (r->code) {
        *err = r->err;
        return weft_err_prepend(err, "case %s", spec->c->name);
    }
    return 0;
}

/* The instructions that a callgrind file reports: its line "totals: N". */
static int read_totals(const char *path, uint64_t *out, struct weft_err *err)
{
    char line[256];
    FILE *f = fopen(path, "r");
    if (!f)
        return weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    *out = 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "totals:", 7) == 0)
            *out = strtoull(line + 7, NULL, 10);
    fclose(f);
    if (*out == 0)
        return weft_err_at(err, WEFT_E_INTERNAL, path, 0, 0, "callgrind counted nothing");
    return 0;
}

/* How many arguments a measurement takes. */
static size_t most_args(const struct weft_bench_spec *spec)
{
    return spec->sets->n * 2 + 20;
}

/* Has @p argv, of @p n arguments so far, run the measurement in its process; returns how many there
 * are then. */
static size_t add_args(const struct weft_bench_spec *spec, const char *self, const char **argv,
                       size_t n)
{
    const struct {
        const char *name, *value;
    } given[] = {{"--controls", spec->control}, {"--backend", spec->backend}};
    argv[n++] = self;
    argv[n++] = "bench";
    argv[n++] = spec->c->name;
    argv[n++] = "--in-process";
    if (spec->quick)
        argv[n++] = "--quick";
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].value) {
            argv[n++] = given[i].name;
            argv[n++] = given[i].value;
        }
    for (size_t i = 0; i < spec->sets->n; i++) {
        argv[n++] = "--set";
        argv[n++] = spec->sets->list[i];
    }
    return n;
}

/* Becomes valgrind. Returns only when that fails. */
static void exec_valgrind(const struct weft_bench_spec *spec, const char *self, const char *file)
{
    char out[64];
    snprintf(out, sizeof out, "--callgrind-out-file=%s", file);
    const char **argv = (const char **)calloc(most_args(spec) + 8, sizeof *argv);
    if (!argv)
        return;
    size_t n = 0;
    argv[n++] = "valgrind";
    argv[n++] = "--quiet";
    argv[n++] = "--tool=callgrind";
    argv[n++] = out;
    argv[n++] = "--collect-atstart=no";
    argv[n++] = "--toggle-collect=weft_bench_play*"; /* a clone by the optimiser has a suffix */
    add_args(spec, self, argv, n);
    setenv("LD_BIND_NOW", "1", 1); /* finding functions of libraries is not part of a run */
    if (freopen("/dev/null", "w", stdout))
        execvp("valgrind", (char *const *)(uintptr_t)argv);
    free(argv);
}

/* Becomes mpirun. Returns only when that fails. */
static void exec_mpirun(const struct weft_bench_spec *spec, const char *self, const char *file)
{
    char processes[16];
    snprintf(processes, sizeof processes, "%u", spec->processes);
    const char **argv = (const char **)calloc(most_args(spec) + 8, sizeof *argv);
    if (!argv)
        return;
    size_t n = 0;
    argv[n++] = "mpirun";
    argv[n++] = "-n";
    argv[n++] = processes;
    n = add_args(spec, self, argv, n);
    argv[n++] = "--hand-over";
    argv[n++] = file;
    /* Open MPI: as many as are asked for, and on any processor */
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    execvp("mpirun", (char *const *)(uintptr_t)argv);
    free(argv);
}

/* Runs a measurement by @p become, a child that writes to @p file, a temporary one; *status: how it
 * ended. */
static int run_other(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                     void (*become)(const struct weft_bench_spec *, const char *, const char *),
                     char *file, int *status, struct weft_err *err)
{
    char self[WEFT_PATH_MAX];
    if (!weft_os_program(self, sizeof self))
        return weft_err_set(err, WEFT_E_IO, "cannot find the file of this program");
    int fd = mkstemp(file);
    if (fd < 0)
        return weft_err_at(err, WEFT_E_IO, file, 0, 0, "cannot create: %s", strerror(errno));
    close(fd);
    fflush(cli->out);
    fflush(cli->err);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        end_with(parent);
        become(spec, self, file);
        _exit(127);
    }
    if (pid < 0) {
        unlink(file);
        return weft_err_set(err, WEFT_E_LIMIT, "cannot start a process: %s", strerror(errno));
    }
    *status = process_wait_for(pid);
    return 0;
}

static bool not_started(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 127;
}

int weft_bench_callgrind(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                         uint64_t *instructions, struct weft_err *err)
{
    char file[] = "/tmp/weft-bench-XXXXXX";
    int status, code = run_other(cli, spec, exec_valgrind, file, &status, err);
    if (code)
        return code;
    if (not_started(status))
        code = weft_err_set(err, WEFT_E_INPUT,
                            "--callgrind needs valgrind, which cannot be started: install it");
    else if (status != 0)
        code = weft_err_set(err, WEFT_E_INTERNAL, "case %s: valgrind ended with status %d",
                            spec->c->name, status);
    else
        code = read_totals(file, instructions, err);
    unlink(file);
    return code;
}

/* What the processes have measured: 0 bytes, if they failed before. */
static int read_result(const char *file, struct weft_bench_result *r)
{
    FILE *f = fopen(file, "rb");
    const bool whole = f && fread(r, sizeof *r, 1, f) == 1;
    if (f)
        fclose(f);
    return whole;
}

int weft_bench_mpirun(const struct weft_cli *cli, const struct weft_bench_spec *spec,
                      struct weft_bench_result *r, struct weft_err *err)
{
    char file[] = "/tmp/weft-bench-XXXXXX";
    int status;
    if (!weft_processes_built_in())
        return weft_err_set(err, WEFT_E_INPUT,
                            "--processes needs MPI, which this weft was built without: build it "
                            "with libopenmpi-dev or libmpich-dev installed");
    int code = run_other(cli, spec, exec_mpirun, file, &status, err);
    if (code)
        return code;
    if (not_started(status))
        code = weft_err_set(err, WEFT_E_INPUT,
                            "--processes needs mpirun, which cannot be started: install it "
                            "(Debian: openmpi-bin or mpich)");
    else if (!read_result(file, r))
        code = weft_err_set(err, WEFT_E_INTERNAL, "case %s: mpirun ended with status %d",
                            spec->c->name,
                            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    else if (r->code) {
        *err = r->err;
        code = weft_err_prepend(err, "case %s", spec->c->name);
    }
    unlink(file);
    return code;
}

int weft_bench_hand_over(const char *file, const struct weft_bench_result *r, struct weft_err *err)
{
    FILE *f = fopen(file, "wb");
    const bool whole = f && fwrite(r, sizeof *r, 1, f) == 1;
    if (!f || fclose(f) || !whole)
        return weft_err_at(err, WEFT_E_IO, file, 0, 0, "cannot write: %s", strerror(errno));
    return 0;
}
