/* SPDX-License-Identifier: GPL-2.0-only */
/* See processes.h. */
#include "cli/processes.h"

#include "cli/held_log.h"
#include "cli/last_words.h"
#include "cli/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};

void weft_processes_forget(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        unsetenv(sizes[i]);
}

bool weft_processes_started(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *size = getenv(sizes[i]);
        if (size && strcmp(size, "1") != 0)
            return true;
    }
    return false;
}

#ifdef WEFT_HAVE_MPI

#include "base/mpi_mail.h"

static struct weft_peers peers;
static struct weft_err last; /* exit code of this process, and the first error that it has said */

bool weft_processes_built_in(void)
{
    return true;
}

const char *weft_processes_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n")] = '\0';
    for (char *tab = text; (tab = strchr(tab, '\t'));) /* MPICH's */
        *tab = ' ';
    return text;
}

/* ---- life ---- */

/* Has the first process know those on its machine, to say which one is gone. */
static int introduce(struct weft_err *err)
{
    struct introduction {
        char machine[MPI_MAX_PROCESSOR_NAME];
        long pid;
    } own = {{0}, getpid()}, *all;
    int length, rc;
    all = (struct introduction *)calloc(peers.n, sizeof *all);
    if (!all)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", peers.n);
    rc = MPI_Get_processor_name(own.machine, &length) ||
         MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (unsigned k = 0; !rc && k < peers.n; k++)
        if (k != peers.me && strcmp(all[k].machine, own.machine) == 0)
            weft_last_words_know(k, (pid_t)all[k].pid);
    free(all);
    return rc ? weft_err_set(err, WEFT_E_IO, "process %u can't reach the others", peers.me) : 0;
}

/* Open MPI looks for network adapters first, and loads what drives them: a quarter of a second and
 * some megabytes, for nothing where all processes are on one machine. */
static void prefer_shared_memory(void)
{
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (all && here && strcmp(all, here) == 0)
        setenv("OMPI_MCA_pml", "ob1", 0); /* what the user says comes first */
}

int weft_processes_meet(int *argc, char ***argv, const struct weft_peers **out,
                        struct weft_err *err)
{
    int size, rank;
    *out = NULL;
    if (!weft_processes_started())
        return 0;
    prefer_shared_memory();
    if (MPI_Init(argc, argv) || MPI_Comm_size(MPI_COMM_WORLD, &size) ||
        MPI_Comm_rank(MPI_COMM_WORLD, &rank))
        return weft_err_set(err, WEFT_E_IO, "MPI can't be used");
    if (size > 1 && weft_mpi_mail_open(MPI_COMM_WORLD, &peers, err))
        return err->code;
    *out = size > 1 ? &peers : NULL;
    if (size > 1 && introduce(err))
        return err->code;
    if (rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return weft_err_set(err, WEFT_E_IO, "process %d can't be silent", rank);
    return 0;
}

const char *weft_processes_folder(const struct weft_peers *of, const char *name)
{
    weft_scratch_clean();
    return of->me == 0 ? name : weft_scratch_new();
}

void weft_processes_reached(int64_t now_ps)
{
    weft_last_words_reached(now_ps);
    weft_held_log_release();
}

void weft_processes_note(void *user, enum weft_log_level level, const char *line)
{
    (void)user;
    if (level == WEFT_LOG_ERROR && !last.msg[0])
        snprintf(last.msg, sizeof last.msg, "%s", line);
}

int weft_processes_part(const struct weft_peers *of, int code)
{
    struct weft_err others, err;
    weft_scratch_remove();
    if (!of)
        return code;
    last.code = -code; /* weft_exit_code */
    if (!last.msg[0])
        snprintf(last.msg, sizeof last.msg, "exit code %d", code);
    if (weft_mpi_mail_part(&peers, &last, &others, &err))
        MPI_Abort(MPI_COMM_WORLD, code ? code : weft_exit_code(err.code));
    if (!code && others.code && of->me == 0) {
        fprintf(stderr, "weft: error: %s\n", others.msg);
        code = weft_exit_code(others.code);
    }
    MPI_Finalize();
    return of->me == 0 ? code : 0;
}

#else

bool weft_processes_built_in(void)
{
    return false;
}

const char *weft_processes_library(void)
{
    return "";
}

int weft_processes_meet(int *argc, char ***argv, const struct weft_peers **out,
                        struct weft_err *err)
{
    (void)argc;
    (void)argv;
    *out = NULL;
    return weft_processes_started()
               ? weft_err_set(
                     err, WEFT_E_USAGE,
                     "mpirun has started several processes, but this weft was built without "
                     "MPI: build it with libopenmpi-dev or libmpich-dev installed")
               : 0;
}

const char *weft_processes_folder(const struct weft_peers *of, const char *name)
{
    (void)of;
    return name;
}

void weft_processes_reached(int64_t now_ps)
{
    (void)now_ps;
}

void weft_processes_note(void *user, enum weft_log_level level, const char *line)
{
    (void)user;
    (void)level;
    (void)line;
}

int weft_processes_part(const struct weft_peers *of, int code)
{
    (void)of;
    return code;
}

#endif
