/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts and ends the processes of mpirun that run one scenario together. */
#include "run/processes.h"

#include "run/held_log.h"
#include "run/last_words.h"
#include "run/scratch.h"

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

/* Whether mpirun has started several processes, by what it has put into the environment. */
static bool processes_started(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *size = getenv(sizes[i]);
        if (size && strcmp(size, "1") != 0)
            return true;
    }
    return false;
}

#ifdef WEFT_HAVE_MPI

#include "parts/part.h"
#include "run/processes_mpi.h"

static struct weft_err last; /* exit code of this process, and the first error that it has said */

bool weft_processes_built_in(void)
{
    return true;
}

static int open_mpi(const struct weft_mpi_part **out, struct weft_err *err)
{
    static const struct weft_part_file file = {"weft-mpi.so", "weft_mpi_part",
                                               "several processes need MPI"};
    static const void *mpi;
    const int rc = weft_part_open(&file, &mpi, err);
    *out = (const struct weft_mpi_part *)mpi;
    return rc;
}

int weft_processes_library(const char **out, struct weft_err *err)
{
    const struct weft_mpi_part *mpi;
    const int rc = open_mpi(&mpi, err);
    *out = rc ? "" : mpi->library();
    return rc;
}

/* ---- life ---- */

int weft_processes_meet(int *argc, char ***argv, const struct weft_peers **out,
                        struct weft_err *err)
{
    const struct weft_mpi_part *mpi;
    *out = NULL;
    if (!processes_started())
        return 0;
    const int rc = open_mpi(&mpi, err);
    return rc ? rc : mpi->meet(argc, argv, out, err);
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
    if (level == WEFT_LOG_ERROR && !last.msg[0])
        snprintf(last.msg, sizeof last.msg, "%s", line);
}

int weft_processes_part(const struct weft_peers *of, int code)
{
    const struct weft_mpi_part *mpi;
    struct weft_err others;
    weft_scratch_remove();
    if (!of)
        return code;
    last.code = -code; /* weft_exit_code */
    if (!last.msg[0])
        snprintf(last.msg, sizeof last.msg, "exit code %d", code);
    if (open_mpi(&mpi, &others) == 0) /* as it was to meet them */
        mpi->part(&last, &others);
    if (!code && others.code && of->me == 0) {
        fprintf(stderr, "weft: error: %s\n", others.msg);
        code = weft_exit_code(others.code);
    }
    return of->me == 0 ? code : 0;
}

#else

bool weft_processes_built_in(void)
{
    return false;
}

int weft_processes_library(const char **out, struct weft_err *err)
{
    *out = "";
    return 0;
}

int weft_processes_meet(int *argc, char ***argv, const struct weft_peers **out,
                        struct weft_err *err)
{
    *out = NULL;
    return processes_started()
               ? weft_err_set(
                     err, WEFT_E_USAGE,
                     "mpirun has started several processes, but this weft was built without "
                     "MPI: build it with libopenmpi-dev or libmpich-dev installed")
               : 0;
}

const char *weft_processes_folder(const struct weft_peers *of, const char *name)
{
    return name;
}

void weft_processes_reached(int64_t now_ps) {}

void weft_processes_note(void *user, enum weft_log_level level, const char *line) {}

int weft_processes_part(const struct weft_peers *of, int code)
{
    return code;
}

#endif
