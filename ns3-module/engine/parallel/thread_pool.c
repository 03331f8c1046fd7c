/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A round begins when `round` is raised and is over when `left` is 0. Both are looked at for a
 * while, where there are processors enough, as the next round is near; then the thread sleeps.
 * Threads start with the first round, so a process may fork before it.
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
    _Alignas(64) struct thread_pool *pool;
    unsigned number;
    unsigned looks; /**< now: fewer where they were in vain, as on a busy machine */
    pthread_t thread;
    _Atomic bool asleep; /**< waiting for `changed`, or about to */
    pthread_mutex_t lock;
    pthread_cond_t changed; /**< this thread's own: a round begins, or (for number 0) is over */
};

struct thread_pool {
    unsigned n, started;
    struct member *members;
    void (*fn)(void *ctx, unsigned number);
    void *ctx;
    bool launched;       /**< threads, or as many as there are */
    bool over;           /**< threads end */
    unsigned most_looks; /**< no thread looks more often before it sleeps */
    _Alignas(64) _Atomic unsigned round;
    _Alignas(64) _Atomic unsigned left; /**< in this round */
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
    const unsigned most = m->pool->most_looks;
    for (unsigned i = 0; i < m->looks; i++) {
        if ((atomic_load_explicit(at, memory_order_acquire) == value) == is) {
            if (m->looks < most)
                m->looks = 2 * m->looks < most ? 2 * m->looks : most;
            return;
        }
        relax();
    }
    m->looks = m->looks / 2 > FEWEST ? m->looks / 2 : FEWEST;
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->asleep, true);
    while ((atomic_load(at) == value) != is)
        pthread_cond_wait(&m->changed, &m->lock);
    atomic_store(&m->asleep, false);
    pthread_mutex_unlock(&m->lock);
}

/* Wakes @p m if it sleeps, after a change. */
static void wake(struct member *m)
{
    if (!atomic_load(&m->asleep))
        return;
    pthread_mutex_lock(&m->lock);
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

static void begin_round(struct thread_pool *c)
{
    atomic_fetch_add(&c->round, 1);
    for (unsigned i = 1; i < c->started; i++)
        wake(&c->members[i]);
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
            wake(&c->members[0]);
    }
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

static void start_all(struct thread_pool *c)
{
    for (c->launched = true; c->started < c->n; c->started++)
        if (start(&c->members[c->started]))
            return;
}

unsigned thread_pool_do(struct thread_pool *c, void (*fn)(void *ctx, unsigned number), void *ctx)
{
    if (!c->launched)
        start_all(c);
    c->fn = fn;
    c->ctx = ctx;
    atomic_store(&c->left, c->started - 1);
    begin_round(c);
    fn(ctx, 0);
    for (unsigned number = c->started; number < c->n; number++)
        fn(ctx, number);
    await(&c->members[0], &c->left, 0, true);
    return c->started;
}

int thread_pool_new(unsigned n, struct thread_pool **out, struct weft_err *err)
{
    struct thread_pool *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    struct member *members = aligned_alloc(64, n * sizeof *members);
    if (!c || !members) {
        free(c);
        free(members);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", n);
    }
    const unsigned most = n <= weft_processors() ? LOOKS : FEWEST;
    *c = (struct thread_pool){.n = n, .started = 1, .members = members, .most_looks = most};
    for (unsigned i = 0; i < n; i++) {
        members[i] = (struct member){.pool = c, .number = i, .looks = most};
        pthread_mutex_init(&members[i].lock, NULL);
        pthread_cond_init(&members[i].changed, NULL);
    }
    *out = c;
    return 0;
}

void thread_pool_free(struct thread_pool *c)
{
    if (!c)
        return;
    c->over = true;
    begin_round(c);
    for (unsigned i = 1; i < c->started; i++)
        pthread_join(c->members[i].thread, NULL);
    for (unsigned i = 0; i < c->n; i++) {
        pthread_cond_destroy(&c->members[i].changed);
        pthread_mutex_destroy(&c->members[i].lock);
    }
    free(c->members);
    free(c);
}
