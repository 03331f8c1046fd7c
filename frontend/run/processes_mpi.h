/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes (processes.h) do by MPI. It is a file of its own (weft-mpi.so), which is opened
 * under mpirun: MPI's libraries take longer to load than a short run takes.
 */
#ifndef WEFT_CLI_PROCESSES_MPI_H
#define WEFT_CLI_PROCESSES_MPI_H

#include "base/peers.h"

/** What is called of it. */
struct weft_mpi_part {
    const char *version;          /**< of weft: the program and the part must be of one */
    const char *(*library)(void); /**< weft_processes_library() */
    /** weft_processes_meet(), of several processes */
    int (*meet)(int *argc, char ***argv, const struct weft_peers **out, struct weft_err *err);
    /** Parts from the others: weft_mpi_mail_part(). Where they can't be reached it ends all. */
    void (*part)(const struct weft_err *own, struct weft_err *others);
};

/** The table of the part. */
extern const struct weft_mpi_part weft_mpi_part;

#endif
