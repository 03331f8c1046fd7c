/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A round begins when `round` is raised and is over when `left` is 0. Both are looked at for a
 * while, where there are processors enough, as the next round is near; then the thread sleeps.
 */
#include "thread_pool.h"

#include "base/processors.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define LOOKS 65536u /**< at a counter, some 200 us, before a thread sleeps: at most */
#define FEWEST 64u   /**< and at least */

struct member {
    struct thread_pool *pool;
    unsigned number;
    unsigned looks; /**< now: fewer where they were in vain, as on a busy machine */
    pthread_t thread;
};

struct thread_pool {
    unsigned n, started;
    struct member *members;
    void (*fn)(void *ctx, unsigned number);
    void *ctx;
    bool over; /**< threads end */
    _Alignas(64) _Atomic unsigned round;
    _Alignas(64) _Atomic unsigned left; /**< in this round */
    _Atomic unsigned asleep;            /**< waiting for `changed`, or about to */
    pthread_mutex_t lock;
    pthread_cond_t changed; /**< a round begins, or is over */
};

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t thread_pool_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t thread_pool_cpu_clock_ns(void)
{
    int64_t least_ns = INT64_MAX;
    for (int64_t i = 0, before = thread_pool_cpu_ns(); i < 16; i++) {
        const int64_t now = thread_pool_cpu_ns();
        least_ns = now - before < least_ns ? now - before : least_ns;
        before = now;
    }
    return least_ns;
}

int64_t thread_pool_wall_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

static inline void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Waits until *@p at is @p value (@p is), or no longer. */
static void await(struct member *m, _Atomic unsigned *at, unsigned value, bool is)
{
    struct thread_pool *c = m->pool;
    for (unsigned i = 0; i < m->looks; i++) {
        if ((atomic_load_explicit(at, memory_order_acquire) == value) == is) {
            m->looks = 2 * m->looks < LOOKS ? 2 * m->looks : LOOKS;
            return;
        }
        relax();
    }
    m->looks = m->looks / 2 > FEWEST ? m->looks / 2 : FEWEST;
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1);
    while ((atomic_load(at) == value) != is)
        pthread_cond_wait(&c->changed, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
}

/* Wakes who sleeps, after a change. */
static void wake(struct thread_pool *c)
{
    if (!atomic_load(&c->asleep))
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *arg)
{
    struct member *m = arg;
    struct thread_pool *c = m->pool;
    for (unsigned round = 0;; round++) {
        await(m, &c->round, round, false);
        if (c->over)
            return NULL;
        c->fn(c->ctx, m->number);
        if (atomic_fetch_sub(&c->left, 1) == 1)
            wake(c);
    }
}

void thread_pool_do(struct thread_pool *c, void (*fn)(void *ctx, unsigned number), void *ctx)
{
    c->fn = fn;
    c->ctx = ctx;
    atomic_store(&c->left, c->n - 1);
    atomic_fetch_add(&c->round, 1);
    wake(c);
    fn(ctx, 0);
    await(&c->members[0], &c->left, 0, true);
}

/* Signals are for the thread that was there before. */
static int start(struct member *m)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(&m->thread, NULL, work, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int thread_pool_new(unsigned n, struct thread_pool **out, struct weft_err *err)
{
    struct thread_pool *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    struct member *members = calloc(n, sizeof *members);
    if (!c || !members) {
        free(c);
        free(members);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", n);
    }
    *c = (struct thread_pool){.n = n, .members = members};
    const unsigned looks = n <= weft_processors() ? LOOKS : FEWEST;
    members[0] = (struct member){.pool = c, .looks = looks};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (c->started = 1; c->started < n; c->started++) {
        members[c->started] = (struct member){.pool = c, .number = c->started, .looks = looks};
        if (start(&members[c->started])) {
            const unsigned got = c->started;
            thread_pool_free(c);
            return weft_err_set(err, WEFT_E_LIMIT, "the system gives %u threads, not %u", got, n);
        }
    }
    *out = c;
    return 0;
}

void thread_pool_free(struct thread_pool *c)
{
    if (!c)
        return;
    c->over = true;
    atomic_fetch_add(&c->round, 1);
    wake(c);
    for (unsigned i = 1; i < c->started; i++)
        pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->members);
    free(c);
}
