/* SPDX-License-Identifier: GPL-2.0-only */
/* MPI calls of processes.h. This file becomes weft-mpi.so, which is opened under mpirun only. */
#include "run/processes_mpi.h"

#include "base/mpi_mail.h"
#include "run/last_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weft_peers peers;

static const char *library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n")] = '\0';
    for (char *tab = text; (tab = strchr(tab, '\t'));) /* MPICH's */
        *tab = ' ';
    return text;
}

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
 * some megabytes, for nothing where all processes are on one machine. Anywhere hwloc looks for
 * graphics and other accelerators, and loads libxml2, ICU and X11: some more megabytes. What the
 * user says comes first. */
static void load_little(void)
{
    setenv("HWLOC_PLUGINS_BLACKLIST",
           "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,"
           "hwloc_levelzero.so,hwloc_xml_libxml.so",
           0);
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (all && here && strcmp(all, here) == 0)
        setenv("OMPI_MCA_pml", "ob1", 0);
}

static int meet(int *argc, char ***argv, const struct weft_peers **out, struct weft_err *err)
{
    int size, rank;
    load_little();
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

static void part(const struct weft_err *own, struct weft_err *others)
{
    struct weft_err err;
    if (weft_mpi_mail_part(&peers, own, others, &err))
        MPI_Abort(MPI_COMM_WORLD, weft_exit_code(own->code ? own->code : err.code));
    MPI_Finalize();
}

const struct weft_mpi_part weft_mpi_part = {
    .version = WEFT_PART_VERSION, .library = library, .meet = meet, .part = part};
