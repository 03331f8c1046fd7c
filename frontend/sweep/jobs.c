/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points in processes of their own: a point that crashes is a point that failed.
 *
 * A process writes what came of its point, and what it says, to files in memory. It holds the
 * writing end of a pipe as long as it lives, which is how its end is noticed. It ends with the
 * sweep's process, however that ends.
 */
#include "base/os.h"
#include "base/processors.h"
#include "sweep/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

/* A process and its point. */
struct worker {
    pid_t pid; /* 0: none */
    size_t point;
    int alive, result, output; /* pipe that ends with it, and its files */
};

struct pool {
    const struct weft_sweep_base *base;
    struct weft_sweep *s;
    const struct weft_sweep_jobs *jobs;
    struct worker *workers;
    struct pollfd *polls;
    size_t n, nrunning;
    bool signalled; /* the workers know that a signal came */
};

static void sweep_jobs_close_files(struct worker *w)
{
    const int fds[] = {w->alive, w->result, w->output};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* In the new process: runs the point and ends. */
static void work(const struct pool *p, const struct worker *w, pid_t parent)
{
    if (!weft_os_end_with(parent))
        raise(SIGKILL);
    weft_processors_share((unsigned)p->n);
    p->jobs->child(p->jobs->ctx);
    dup2(w->output, STDERR_FILENO);
    _exit(weft_sweep_play(p->base, p->s, w->point, w->result));
}

static int sweep_jobs_start(struct pool *p, struct worker *w, size_t point, struct weft_err *err)
{
    int ends[2] = {-1, -1};
    const pid_t parent = getpid();
    *w = (struct worker){.point = point, .alive = -1, .result = -1, .output = -1};
    w->result = weft_os_nameless_file();
    w->output = weft_os_nameless_file();
    if (w->result >= 0 && w->output >= 0 && pipe(ends) == 0) {
        w->alive = ends[0];
        w->pid = fork();
        if (w->pid == 0) {
            close(ends[0]);
            work(p, w, parent);
        }
        close(ends[1]);
    } else {
        w->pid = -1;
    }
    if (w->pid > 0) {
        p->s->point[point].state = WEFT_POINT_RUNS;
        p->nrunning++;
        return 0;
    }
    weft_err_set(err, errno == ENOMEM || errno == EAGAIN ? WEFT_E_LIMIT : WEFT_E_IO,
                 "cannot start a process for a row: %s", strerror(errno));
    sweep_jobs_close_files(w);
    w->pid = 0;
    return err->code;
}

/* The contents of a file in memory; NULL: out of memory. */
static char *contents(int fd, size_t *size)
{
    struct stat st;
    *size = 0;
    if (fstat(fd, &st) != 0)
        return NULL;
    char *text = (char *)malloc((size_t)st.st_size + 1);
    while (text && *size < (size_t)st.st_size) {
        const ssize_t got = pread(fd, text + *size, (size_t)st.st_size - *size, (off_t)*size);
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    if (text)
        text[*size] = '\0';
    return text;
}

/* A point that did not live to say what came of it. */
static void fill_in_death(struct weft_sweep *s, size_t point, int status)
{
    struct weft_sweep_point *p = &s->point[point];
    struct weft_err e = {0};
    char text[WEFT_ERR_MSG_MAX];
    p->outcome = WEFT_OUTCOME_FAILED;
    if (WIFSIGNALED(status)) {
        p->code = WTERMSIG(status) == SIGKILL ? WEFT_E_LIMIT : WEFT_E_INTERNAL;
        weft_err_set(&e, p->code, "its process was killed by SIG%s%s",
                     weft_os_signal_name(WTERMSIG(status)),
                     WTERMSIG(status) == SIGKILL ? ", as when memory runs out" : "");
    } else {
        p->code = -WEXITSTATUS(status);
        if (p->code == WEFT_E_INTERRUPTED)
            p->outcome = WEFT_OUTCOME_INTERRUPTED;
        weft_err_set(&e, p->code, "its process ended with exit code %d before it said how it went",
                     WEXITSTATUS(status));
    }
    weft_sweep_prepend(s, point, &e);
    p->reason = weft_arena_strdup(s->arena, weft_err_format(&e, text, sizeof text));
}

/* Reads what came of a point. */
static int fill_in(struct pool *p, const struct worker *w, int status, struct weft_err *err)
{
    struct weft_sweep_point *point = &p->s->point[w->point];
    size_t size;
    char *text = contents(w->result, &size);
    if (!text)
        return weft_err_no_memory(err, "the result of a row");
    struct weft_err e = {0};
    struct weft_result *r =
        WIFEXITED(status) && size ? weft_result_parse(text, size, "the result of a row", &e) : NULL;
    free(text);
    if (e.code) /* it is whole, so there was no memory to read it */
        return weft_err_no_memory(err, "the result of a row");
    for (size_t m = 0; m < p->s->nmetrics; m++)
        point->metric[m] = NAN;
    if (!r) {
        fill_in_death(p->s, w->point, status);
        return 0;
    }
    weft_sweep_take(p->s, w->point, r);
    point->code = -WEXITSTATUS(status);
    const char *message = weft_result_text(r, NULL, "message", 0);
    if (message && *message) {
        point->message = weft_arena_strdup(p->s->arena, message);
        point->reason = weft_arena_strdup(p->s->arena, weft_result_reason(r));
    }
    weft_result_free(r);
    return 0;
}

/* A worker has ended. */
static int sweep_jobs_finish(struct pool *p, struct worker *w, struct weft_err *err)
{
    int status = 0;
    size_t size = 0;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    p->nrunning--;
    int code = fill_in(p, w, status, err);
    char *output = contents(w->output, &size);
    sweep_jobs_close_files(w);
    p->s->point[w->point].state = WEFT_POINT_DONE;
    if (!code && !output)
        code = weft_err_no_memory(err, "the messages of a row");
    if (!code)
        return p->jobs->done(p->jobs->ctx, w->point, output, err);
    free(output);
    if (!p->s->point[w->point].outcome)
        p->s->point[w->point].outcome = WEFT_OUTCOME_FAILED;
    return code;
}

/* Waits until some worker has ended, and a little. */
static int wait_a_little(struct pool *p, struct weft_err *err)
{
    int code = 0;
    for (size_t i = 0; i < p->n; i++)
        p->polls[i] = (struct pollfd){.fd = p->workers[i].pid > 0 ? p->workers[i].alive : -1,
                                      .events = POLLIN};
    poll(p->polls, (nfds_t)p->n, LOOK_MS);
    for (size_t i = 0; i < p->n; i++) {
        struct weft_err e = {0};
        if (p->workers[i].pid > 0 && (p->polls[i].revents & (POLLHUP | POLLIN | POLLERR)) &&
            sweep_jobs_finish(p, &p->workers[i], &e) && !code) {
            *err = e;
            code = e.code;
        }
    }
    return code;
}

/* Hands a signal on. */
static void print_workers(struct pool *p)
{
    const int number = *p->base->cli->interrupted;
    if (!number || p->signalled)
        return;
    p->signalled = true;
    for (size_t i = 0; i < p->n; i++)
        if (p->workers[i].pid > 0)
            kill(p->workers[i].pid, number);
}

static int sweep_jobs_run(struct pool *p, struct weft_err *err)
{
    int code = 0;
    for (;;) {
        for (size_t i = 0; i < p->n && !code && !*p->base->cli->interrupted; i++) {
            size_t point;
            if (p->workers[i].pid == 0 && p->jobs->next(p->jobs->ctx, &point))
                code = sweep_jobs_start(p, &p->workers[i], point, err);
        }
        if (p->nrunning == 0)
            return code;
        print_workers(p);
        struct weft_err e = {0};
        if (wait_a_little(p, &e) && !code) {
            *err = e;
            code = e.code;
        }
        p->jobs->progress(p->jobs->ctx);
    }
}

int weft_sweep_run_jobs(const struct weft_sweep_base *b, struct weft_sweep *s, size_t parallel,
                        const struct weft_sweep_jobs *jobs, struct weft_err *err)
{
    struct pool p = {.base = b, .s = s, .jobs = jobs, .n = parallel};
    p.workers = (struct worker *)calloc(parallel, sizeof *p.workers);
    p.polls = (struct pollfd *)calloc(parallel, sizeof *p.polls);
    const int code =
        p.workers && p.polls ? sweep_jobs_run(&p, err) : weft_err_no_memory(err, "processes");
    free(p.workers);
    free(p.polls);
    return code;
}
