/* SPDX-License-Identifier: GPL-2.0-only */
/* How the processes of a simulation (peers.h) exchange by MPI. Only where there is an MPI. */
#ifndef WEFT_BASE_MPI_MAIL_H
#define WEFT_BASE_MPI_MAIL_H

#include "base/peers.h"

#include <mpi.h>

WEFT_C_BEGIN

/** The most processes that a simulation has. */
#define WEFT_MPI_MOST 255

/**
 * *@p peers: the processes of @p comm, of which there are 2 to WEFT_MPI_MOST and which all call
 * this together; they exchange until weft_mpi_mail_close. Nobody else sends there with tags 0 or 1.
 * An error says why not.
 */
int weft_mpi_mail_open(MPI_Comm comm, struct weft_peers *peers, struct weft_err *err);
/**
 * The last exchange, which does not keep the processor busy: this process ends, with error @p own
 * or, if that has no code, well. It meets the last exchange of each of the others, or one that they
 * wait in, which then fails with @p own. *@p others: of the first of those that have ended with an
 * error; no code: there is none. Not 0, and *err: they can't be reached.
 */
int weft_mpi_mail_part(struct weft_peers *peers, const struct weft_err *own,
                       struct weft_err *others, struct weft_err *err);
/** They exchange no more. */
void weft_mpi_mail_close(struct weft_peers *peers);

WEFT_C_END
#endif
