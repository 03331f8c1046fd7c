/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends the program when one event of a run does not end. The signal handler calls only what POSIX
 * allows there.
 */
#include "run/watchdog.h"

#include "base/decimal.h"
#include "base/err.h"
#include "run/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define LOOKS 10 /* in the time that an event may take */
#define LOOK_MAX_NS INT64_C(1000000000)

static struct {
    const struct weft_net *volatile net; /* NULL: nothing is watched */
    int64_t limit_ns;
    uint64_t steps;          /* at the last look */
    int64_t cpu_ns, wall_ns; /* since when they are that */
    pthread_t thread;
} dog;

static int64_t clock_ns(clockid_t of)
{
    struct timespec t;
    clock_gettime(of, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- a line of text ---- */

struct line {
    char text[320];
    size_t n;
};

static void watchdog_say(struct line *l, const char *text)
{
    for (; *text && l->n < sizeof l->text - 1; text++)
        l->text[l->n++] = *text;
}

static void say_number(struct line *l, uint64_t n)
{
    char text[24];
    *weft_decimal_write(text, n) = '\0';
    watchdog_say(l, text);
}

/* As weft_fabric_node_name. */
static void say_node(struct line *l, const struct weft_event_now *is)
{
    watchdog_say(l, is->host == UINT32_MAX ? " of s" : " of h");
    say_number(l, is->host == UINT32_MAX ? is->node : is->host);
}

static void watchdog_end(const struct weft_event_now *is)
{
    struct line l = {.n = 0};
    watchdog_say(&l, "one event has taken ");
    const bool whole = dog.limit_ns % 1000000000 == 0;
    say_number(&l, (uint64_t)dog.limit_ns / (whole ? 1000000000 : 1000000));
    watchdog_say(&l, whole ? " s" : " ms");
    watchdog_say(&l, " of CPU time (--watchdog), a fault of weft: ");
    watchdog_say(&l, is->what);
    if (is->number != UINT64_MAX) {
        watchdog_say(&l, " ");
        say_number(&l, is->number);
    }
    if (is->node != UINT32_MAX)
        say_node(&l, is);
    watchdog_say(&l, ", at ");
    say_number(&l, (uint64_t)is->t_ps);
    watchdog_say(&l, " ps of simulated time");
    weft_interrupt_end_now(l.text, WEFT_E_INTERNAL);
}

static void on_tick(int number)
{
    struct weft_event_now is;
    const int errno_before = errno;
    if (!dog.net)
        return;
    if (!pthread_equal(pthread_self(), dog.thread)) {
        pthread_kill(dog.thread, number);
        errno = errno_before;
        return;
    }
    dog.net->ops->event_now(dog.net, &is);
    const int64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall_ns = clock_ns(CLOCK_MONOTONIC);
    if (is.steps != dog.steps) {
        dog.steps = is.steps;
        dog.cpu_ns = cpu_ns;
        dog.wall_ns = wall_ns;
    } else if (cpu_ns - dog.cpu_ns >= dog.limit_ns && wall_ns - dog.wall_ns >= dog.limit_ns) {
        watchdog_end(&is);
    }
    errno = errno_before;
}

static void set_timer(int64_t ns)
{
    const struct timeval t = {ns / 1000000000, ns % 1000000000 / 1000};
    setitimer(ITIMER_PROF, &(struct itimerval){t, t}, NULL);
}

void weft_watchdog_begin(const struct weft_net *net, int64_t limit_ns)
{
    struct sigaction action, before;
    if (limit_ns < 0 || !net->ops->event_now || sigaction(SIGPROF, NULL, &before) != 0 ||
        before.sa_handler != SIG_DFL)
        return;
    dog.limit_ns = limit_ns ? limit_ns : WEFT_WATCHDOG_NS;
    dog.steps = UINT64_MAX;
    dog.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    dog.wall_ns = clock_ns(CLOCK_MONOTONIC);
    dog.thread = pthread_self();
    dog.net = net;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    set_timer(dog.limit_ns / LOOKS < LOOK_MAX_NS ? dog.limit_ns / LOOKS : LOOK_MAX_NS);
}

void weft_watchdog_end(void)
{
    if (!dog.net)
        return;
    set_timer(0);
    dog.net = NULL;
    signal(SIGPROF, SIG_IGN); /* one may be on its way to this thread */
    signal(SIGPROF, SIG_DFL);
}
