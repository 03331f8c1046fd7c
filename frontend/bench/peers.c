/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes that run a case together give to each other. With each of them goes the time at
 * which it was given: all are on one machine, whose clock they share, so that waiting for a process
 * can be told from what an exchange takes by itself.
 */
#include "bench/bench.h"

#include "base/progress.h"
#include "run/end.h"

#include <stdlib.h>
#include <string.h>

/** What goes to one process, and the time behind it. */
struct parcel {
    char *bytes;
    size_t cap;
};

struct weft_bench_peers {
    struct weft_peers link;
    const struct weft_peers *of; /**< mpirun's */
    struct weft_mail *mail, *came;
    struct parcel *out;
    int64_t waiting_ns, exchange_ns;
    struct weft_bench_share own;
};

static int stamp(struct parcel *p, const struct weft_mail *m, int64_t now_ns)
{
    if (m->n + sizeof now_ns > p->cap) {
        free(p->bytes);
        p->cap = m->n + m->n / 4 + sizeof now_ns;
        p->bytes = (char *)malloc(p->cap);
    }
    if (!p->bytes)
        return -1;
    if (m->n)
        memcpy(p->bytes, m->bytes, m->n);
    memcpy(p->bytes + m->n, &now_ns, sizeof now_ns);
    return 0;
}

static int exchange(void *ctx, const struct weft_mail *out, struct weft_mail *in,
                    struct weft_err *err)
{
    struct weft_bench_peers *b = (struct weft_bench_peers *)ctx;
    const int64_t began_ns = weft_clock_monotonic_ns(NULL);
    int64_t last_ns = began_ns;
    for (unsigned k = 0; k < b->of->n; k++) {
        if (k == b->of->me)
            continue;
        if (stamp(&b->out[k], &out[k], began_ns))
            return weft_err_no_memory(err, "other processes");
        b->mail[k] = (struct weft_mail){b->out[k].bytes, out[k].n + sizeof began_ns};
        b->own.bytes += out[k].n;
    }
    const int code = b->of->exchange(b->of->ctx, b->mail, in, err);
    for (unsigned k = 0; !code && k < b->of->n; k++) {
        int64_t at_ns;
        if (k == b->of->me)
            continue;
        in[k].n -= sizeof at_ns;
        memcpy(&at_ns, (const char *)in[k].bytes + in[k].n, sizeof at_ns);
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    b->own.exchanges++;
    b->waiting_ns += last_ns - began_ns;
    b->exchange_ns += weft_clock_monotonic_ns(NULL) - last_ns;
    return code;
}

struct weft_bench_peers *weft_bench_peers_new(const struct weft_peers *of, struct weft_err *err)
{
    struct weft_bench_peers *b = (struct weft_bench_peers *)calloc(1, sizeof *b);
    if (b) {
        b->link = (struct weft_peers){of->n, of->me, b, exchange, of->at_once};
        b->of = of;
        b->mail = (struct weft_mail *)calloc(of->n, sizeof *b->mail);
        b->came = (struct weft_mail *)calloc(of->n, sizeof *b->came);
        b->out = (struct parcel *)calloc(of->n, sizeof *b->out);
    }
    if (b && b->mail && b->came && b->out)
        return b;
    weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", of->n);
    weft_bench_peers_free(b);
    return NULL;
}

const struct weft_peers *weft_bench_peers_link(const struct weft_bench_peers *b)
{
    return b ? &b->link : NULL;
}

void weft_bench_peers_begin(struct weft_bench_peers *b)
{
    if (!b)
        return;
    b->waiting_ns = b->exchange_ns = 0;
    b->own = (struct weft_bench_share){0};
}

/* The memory of this process, without what others have of pages that they share. */
static uint64_t pss_bytes(void)
{
    char line[128];
    uint64_t kib = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && kib == 0 && fgets(line, sizeof line, f))
        if (strncmp(line, "Pss:", 4) == 0)
            kib = strtoull(line + 4, NULL, 10);
    if (f)
        fclose(f);
    return kib * 1024;
}

void weft_bench_peers_end(struct weft_bench_peers *b, double wall_s)
{
    if (!b)
        return;
    b->own.wall_s = wall_s;
    b->own.waiting_s = (double)b->waiting_ns / 1e9;
    b->own.exchange_s = (double)b->exchange_ns / 1e9;
}

int weft_bench_peers_gather(struct weft_bench_peers *b, struct weft_bench_result *r,
                            struct weft_err *err)
{
    struct weft_bench_share own = b->own;
    own.peak_rss_bytes = weft_peak_rss_bytes();
    own.pss_bytes = pss_bytes();
    for (unsigned k = 0; k < b->of->n; k++)
        b->mail[k] = (struct weft_mail){&own, sizeof own};
    if (b->of->exchange(b->of->ctx, b->mail, b->came, err))
        return err->code;
    r->processes = b->of->n < WEFT_BENCH_PROCESSES ? b->of->n : WEFT_BENCH_PROCESSES;
    for (unsigned k = 0; k < r->processes; k++)
        if (k == b->of->me)
            r->shares[k] = own;
        else
            memcpy(&r->shares[k], b->came[k].bytes, sizeof own);
    return 0;
}

void weft_bench_peers_free(struct weft_bench_peers *b)
{
    if (!b)
        return;
    for (unsigned k = 0; b->out && k < b->of->n; k++)
        free(b->out[k].bytes);
    free(b->out);
    free(b->mail);
    free(b->came);
    free(b);
}
