/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * See processes.h. Messages of a size that is known go by persistent requests; what does not fit is
 * sent after it.
 */
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

#include <mpi.h>
#include <sched.h>
#include <time.h>

/** Bytes of a persistent message, the first of them the size of what is to come. */
#define ROOM ((size_t)1 << 16)
/** Looks at messages before other processes are given the processor. */
#define LOOKS 200u
/** How long a process that has failed waits for the others to end by themselves. */
#define PATIENCE_S 3.0

struct channel {
    char *out, *in; /* ROOM bytes */
    char *rest;     /* what has come and did not fit */
    size_t rest_cap, expected;
};

static struct weft_peers peers;
static struct channel *channels;
static MPI_Request *requests; /* two for each process: to receive, and to send */

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

/* ---- exchange ---- */

static int refuse(struct weft_err *err, const char *what)
{
    return weft_err_set(err, WEFT_E_IO, "process %u can't reach the others: %s", peers.me, what);
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

/* Sends and receives in parts of at most INT_MAX bytes. */
static int move_rest(unsigned k, bool in, char *bytes, size_t n, MPI_Request *r)
{
    if (n > INT_MAX)
        return MPI_ERR_COUNT;
    return in ? MPI_Irecv(bytes, (int)n, MPI_BYTE, (int)k, 1, MPI_COMM_WORLD, r)
              : MPI_Isend(bytes, (int)n, MPI_BYTE, (int)k, 1, MPI_COMM_WORLD, r);
}

/* What did not fit, both ways. */
static int exchange_rest(const struct weft_mail *out, struct weft_err *err)
{
    const size_t fits = ROOM - sizeof(size_t);
    MPI_Request all[2 * UCHAR_MAX];
    int n = 0, rc = 0;
    for (unsigned k = 0; k < peers.n && !rc; k++) {
        struct channel *c = &channels[k];
        if (k == peers.me)
            continue;
        if (c->expected > fits) {
            if (c->expected > c->rest_cap) {
                free(c->rest);
                c->rest_cap = c->expected + c->expected / 4;
                c->rest = (char *)malloc(c->rest_cap);
                if (!c->rest)
                    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for other processes");
            }
            memcpy(c->rest, c->in + sizeof(size_t), fits);
            rc = move_rest(k, true, c->rest + fits, c->expected - fits, &all[n++]);
        }
        if (!rc && out[k].n > fits)
            rc = move_rest(k, false, (char *)(size_t)out[k].bytes + fits, out[k].n - fits,
                           &all[n++]);
    }
    if (!rc)
        rc = await(n, all);
    return rc ? refuse(err, "too much at once") : 0;
}

static int exchange(void *ctx, const struct weft_mail *out, struct weft_mail *in,
                    struct weft_err *err)
{
    const size_t fits = ROOM - sizeof(size_t);
    const int n = 2 * (int)(peers.n - 1);
    bool more = false;
    (void)ctx;
    for (unsigned k = 0; k < peers.n; k++) {
        if (k == peers.me)
            continue;
        memcpy(channels[k].out, &out[k].n, sizeof(size_t));
        if (out[k].n)
            memcpy(channels[k].out + sizeof(size_t), out[k].bytes,
                   out[k].n < fits ? out[k].n : fits);
        more |= out[k].n > fits;
    }
    if (MPI_Startall(n, requests) || await(n, requests))
        return refuse(err, "MPI_Testall failed");
    for (unsigned k = 0; k < peers.n; k++) {
        if (k == peers.me)
            continue;
        memcpy(&channels[k].expected, channels[k].in, sizeof(size_t));
        more |= channels[k].expected > fits;
    }
    if (more && exchange_rest(out, err))
        return err->code;
    for (unsigned k = 0; k < peers.n; k++) {
        const struct channel *c = &channels[k];
        if (k != peers.me)
            in[k] = (struct weft_mail){c->expected > fits ? c->rest : c->in + sizeof(size_t),
                                       c->expected};
    }
    return 0;
}

/* ---- life ---- */

static int prepare(struct weft_err *err)
{
    unsigned n = 0;
    channels = (struct channel *)calloc(peers.n, sizeof *channels);
    requests = (MPI_Request *)calloc(2 * (size_t)peers.n, sizeof(MPI_Request));
    if (!channels || !requests)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", peers.n);
    for (unsigned k = 0; k < peers.n; k++) {
        struct channel *c = &channels[k];
        if (k == peers.me)
            continue;
        c->out = (char *)calloc(1, ROOM);
        c->in = (char *)calloc(1, ROOM);
        if (!c->out || !c->in)
            return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", peers.n);
        if (MPI_Recv_init(c->in, (int)ROOM, MPI_BYTE, (int)k, 0, MPI_COMM_WORLD, &requests[n++]) ||
            MPI_Send_init(c->out, (int)ROOM, MPI_BYTE, (int)k, 0, MPI_COMM_WORLD, &requests[n++]))
            return refuse(err, "MPI_Send_init failed");
    }
    return 0;
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
    return rc ? refuse(err, "MPI_Allgather failed") : 0;
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
    if (size > UCHAR_MAX)
        return weft_err_set(err, WEFT_E_USAGE, "%d processes: at most %d", size, UCHAR_MAX);
    peers = (struct weft_peers){(unsigned)size, (unsigned)rank, NULL, exchange, 0};
    *out = size > 1 ? &peers : NULL;
    if (introduce(err))
        return err->code;
    if (rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return weft_err_set(err, WEFT_E_IO, "process %d can't be silent", rank);
    return prepare(err);
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

void weft_processes_part(const struct weft_peers *of, int code)
{
    weft_scratch_remove();
    if (!of)
        return;
    MPI_Request all;
    int there = 0;
    const double began = MPI_Wtime();
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (!there && (code == 0 || MPI_Wtime() - began < PATIENCE_S)) {
        const struct timespec t = {.tv_nsec = 1000000};
        MPI_Test(&all, &there, MPI_STATUS_IGNORE);
        if (!there)
            nanosleep(&t, NULL);
    }
    if (!there)
        MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Finalize();
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

void weft_processes_part(const struct weft_peers *of, int code)
{
    (void)of;
    (void)code;
}

#endif
