/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exchange between the processes of a simulation by MPI. Persistent requests carry messages of a
 * known size; bytes beyond that size follow in a second message.
 */
#ifdef WEFT_HAVE_MPI

#include "base/mpi_mail.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Bytes of a persistent message, the first of them the size of what is to come. */
#define ROOM ((size_t)1 << 16)
/** Looks at messages before other processes are given the processor. */
#define LOOKS 200u
/** Instead of a size: the process has ended, and its struct weft_err follows. */
#define ENDED SIZE_MAX

struct channel {
    char *out, *in; /* ROOM bytes */
    char *rest;     /* what has come and did not fit */
    size_t rest_cap, expected;
};

struct room {
    MPI_Comm comm;
    unsigned n, me;
    struct channel *channels;
    MPI_Request *requests; /* two for each process: to receive, and to send */
    int nrequests;
    bool over; /* a process has ended: they exchange no more */
};

/* ---- exchange ---- */

static int mpi_mail_refuse(const struct room *r, struct weft_err *err, const char *what)
{
    return weft_err_set(err, WEFT_E_IO, "process %u can't reach the others: %s", r->me, what);
}

/* Waits for messages. Others may want the processor meanwhile, the sender of a message among them.
 */
static int await(int n, MPI_Request *all)
{
    static MPI_Status statuses[2 * UCHAR_MAX]; /* where none are asked for, GCC warns of MPICH's */
    int done = 0, rc = 0;
    for (unsigned i = 0; !done && !rc; i++) {
        rc = MPI_Testall(n, all, &done, statuses);
        if (!done && i >= LOOKS)
            sched_yield();
    }
    return rc;
}

/* The same where it may take long. */
static int await_calmly(int n, MPI_Request *all)
{
    static MPI_Status statuses[2 * UCHAR_MAX];
    const struct timespec nap = {.tv_nsec = 1000000};
    int done = 0, rc = 0;
    while (!done && !rc) {
        rc = MPI_Testall(n, all, &done, statuses);
        if (!done && !rc)
            nanosleep(&nap, NULL);
    }
    return rc;
}

/* Whether a process has ended, by what has come; *@p err: the error of the first that has one. */
static bool ended(const struct room *r, struct weft_err *err)
{
    bool any = false;
    *err = (struct weft_err){0};
    for (unsigned k = 0; k < r->n; k++) {
        struct weft_err its;
        if (k == r->me || r->channels[k].expected != ENDED)
            continue;
        any = true;
        memcpy(&its, r->channels[k].in + sizeof(size_t), sizeof its);
        if (its.code && !err->code)
            weft_err_set(err, its.code, "process %u has ended: %s", k, its.msg);
    }
    return any;
}

/* Sends and receives in parts of at most INT_MAX bytes. */
static int move_rest(const struct room *r, unsigned k, bool in, char *bytes, size_t n,
                     MPI_Request *request)
{
    if (n > INT_MAX)
        return MPI_ERR_COUNT;
    return in ? MPI_Irecv(bytes, (int)n, MPI_BYTE, (int)k, 1, r->comm, request)
              : MPI_Isend(bytes, (int)n, MPI_BYTE, (int)k, 1, r->comm, request);
}

/* What did not fit, both ways. */
static int exchange_rest(struct room *r, const struct weft_mail *out, struct weft_err *err)
{
    const size_t fits = ROOM - sizeof(size_t);
    MPI_Request all[2 * UCHAR_MAX];
    int n = 0, rc = 0;
    for (unsigned k = 0; k < r->n && !rc; k++) {
        struct channel *c = &r->channels[k];
        if (k == r->me)
            continue;
        if (c->expected > fits) {
            if (c->expected > c->rest_cap) {
                free(c->rest);
                c->rest_cap = c->expected + c->expected / 4;
                c->rest = (char *)malloc(c->rest_cap);
                if (!c->rest)
                    return weft_err_no_memory(err, "other processes");
            }
            memcpy(c->rest, c->in + sizeof(size_t), fits);
            rc = move_rest(r, k, true, c->rest + fits, c->expected - fits, &all[n++]);
        }
        if (!rc && out[k].n > fits)
            rc = move_rest(r, k, false, (char *)(size_t)out[k].bytes + fits, out[k].n - fits,
                           &all[n++]);
    }
    if (!rc)
        rc = await(n, all);
    return rc ? mpi_mail_refuse(r, err, "too much at once") : 0;
}

static int exchange(void *ctx, const struct weft_mail *out, struct weft_mail *in,
                    struct weft_err *err)
{
    struct room *r = (struct room *)ctx;
    const size_t fits = ROOM - sizeof(size_t);
    const int n = 2 * (int)(r->n - 1);
    bool more = false;
    if (r->over)
        return mpi_mail_refuse(r, err, "they have ended");
    for (unsigned k = 0; k < r->n; k++) {
        if (k == r->me)
            continue;
        memcpy(r->channels[k].out, &out[k].n, sizeof(size_t));
        if (out[k].n)
            memcpy(r->channels[k].out + sizeof(size_t), out[k].bytes,
                   out[k].n < fits ? out[k].n : fits);
        more |= out[k].n > fits;
    }
    if (MPI_Startall(n, r->requests) || await(n, r->requests))
        return mpi_mail_refuse(r, err, "MPI_Testall failed");
    for (unsigned k = 0; k < r->n; k++) {
        if (k == r->me)
            continue;
        memcpy(&r->channels[k].expected, r->channels[k].in, sizeof(size_t));
        more |= r->channels[k].expected > fits;
    }
    r->over = ended(r, err);
    if (r->over)
        return err->code ? err->code : mpi_mail_refuse(r, err, "they have ended");
    if (more && exchange_rest(r, out, err))
        return err->code;
    for (unsigned k = 0; k < r->n; k++) {
        const struct channel *c = &r->channels[k];
        if (k != r->me)
            in[k] = (struct weft_mail){c->expected > fits ? c->rest : c->in + sizeof(size_t),
                                       c->expected};
    }
    return 0;
}

int weft_mpi_mail_part(struct weft_peers *peers, const struct weft_err *own,
                       struct weft_err *others, struct weft_err *err)
{
    struct room *r = (struct room *)peers->ctx;
    const size_t word = ENDED;
    *others = (struct weft_err){0};
    for (unsigned k = 0; k < r->n && !r->over; k++) {
        if (k == r->me)
            continue;
        memcpy(r->channels[k].out, &word, sizeof word);
        memcpy(r->channels[k].out + sizeof word, own, sizeof *own);
    }
    if (!r->over &&
        (MPI_Startall(r->nrequests, r->requests) || await_calmly(r->nrequests, r->requests)))
        return mpi_mail_refuse(r, err, "MPI_Testall failed");
    for (unsigned k = 0; k < r->n && !r->over; k++)
        if (k != r->me)
            memcpy(&r->channels[k].expected, r->channels[k].in, sizeof(size_t));
    if (!r->over)
        ended(r, others);
    r->over = true;
    MPI_Request all;
    return MPI_Ibarrier(r->comm, &all) || await_calmly(1, &all)
               ? mpi_mail_refuse(r, err, "MPI_Ibarrier failed")
               : 0;
}

/* ---- life ---- */

static int make_channel(struct room *r, unsigned k, struct weft_err *err)
{
    struct channel *c = &r->channels[k];
    c->out = (char *)calloc(1, ROOM);
    c->in = (char *)calloc(1, ROOM);
    if (!c->out || !c->in)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", r->n);
    if (MPI_Recv_init(c->in, (int)ROOM, MPI_BYTE, (int)k, 0, r->comm, &r->requests[r->nrequests++]))
        return mpi_mail_refuse(r, err, "MPI_Recv_init failed");
    if (MPI_Send_init(c->out, (int)ROOM, MPI_BYTE, (int)k, 0, r->comm,
                      &r->requests[r->nrequests++]))
        return mpi_mail_refuse(r, err, "MPI_Send_init failed");
    return 0;
}

static void free_room(struct room *r)
{
    for (int i = 0; i < r->nrequests; i++)
        if (r->requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&r->requests[i]);
    for (unsigned k = 0; r->channels && k < r->n; k++) {
        free(r->channels[k].out);
        free(r->channels[k].in);
        free(r->channels[k].rest);
    }
    free(r->channels);
    free(r->requests);
    free(r);
}

int weft_mpi_mail_open(MPI_Comm comm, struct weft_peers *peers, struct weft_err *err)
{
    int n, me, rc = 0;
    if (MPI_Comm_size(comm, &n) || MPI_Comm_rank(comm, &me))
        return weft_err_set(err, WEFT_E_IO, "MPI can't be used");
    if (n > WEFT_MPI_MOST)
        return weft_err_set(err, WEFT_E_USAGE, "%d processes: at most %d", n, WEFT_MPI_MOST);
    struct room *r = (struct room *)calloc(1, sizeof *r);
    if (!r)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %d processes", n);
    *r = (struct room){.comm = comm, .n = (unsigned)n, .me = (unsigned)me};
    r->channels = (struct channel *)calloc(r->n, sizeof *r->channels);
    r->requests = (MPI_Request *)malloc(2 * (size_t)r->n * sizeof *r->requests);
    if (!r->channels || !r->requests)
        rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for %d processes", n);
    for (int i = 0; !rc && i < 2 * n; i++)
        r->requests[i] = MPI_REQUEST_NULL;
    for (unsigned k = 0; !rc && k < r->n; k++)
        if (k != r->me)
            rc = make_channel(r, k, err);
    if (rc) {
        free_room(r);
        return rc;
    }
    *peers = (struct weft_peers){.n = r->n, .me = r->me, .ctx = r, .exchange = exchange};
    return 0;
}

void weft_mpi_mail_close(struct weft_peers *peers)
{
    free_room((struct room *)peers->ctx);
    peers->ctx = NULL;
}

#else

typedef int weft_without_mpi; /* a file is never empty */

#endif
